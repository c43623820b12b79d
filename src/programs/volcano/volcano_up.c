/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/volcano_up.c - `volcano up`: single-node mode.
 *
 * Takes the folder, starts the components in order, says that it is ready (standard output, run.json,
 * service manager), and runs until a signal; then everything ends in the other order. A second
 * signal ends it at once. Nothing that was acknowledged is lost either way. Ready means that a job can
 * be submitted: the first queues are there, and open.
 *
 * In the background the process that was called waits on a pipe: a line means ready, and an end
 * without one that the start has failed, as the log says. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apiserver/server.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "base/time.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/volcano/component.h"
#include "programs/volcano/home.h"
#include "programs/volcano/memory.h"
#include "programs/volcano/notify.h"
#include "programs/volcano/settings.h"
#include "programs/volcano/volcano_commands.h"

#include "base/banned.h"

enum { READY_MAX_BYTES = 8192 };

struct up {
	struct component_world world;
	unsigned chosen;
	void *started[COMPONENT_COUNT];
	unsigned stopping; /* components from this place on have stopped */
	bool ending;
	const char *notify_socket;
};

/* --- the end --------------------------------------------------------------------------------- */

static void stop_next(void *arg)
{
	struct up *up = arg;

	while (up->stopping > 0) {
		unsigned i = --up->stopping;

		if (up->started[i]) {
			components[i].stop(up->started[i], stop_next, up);
			return;
		}
	}
	loop_stop(up->world.loop);
}

static void on_signal(struct loop_signal *watch, int signo, void *arg)
{
	struct up *up = arg;

	(void)watch;
	if (up->ending) {
		loop_stop(up->world.loop);
		return;
	}
	up->ending = true;
	log_info(up->world.log, "stopping", LOG_STR("signal", sigabbrev_np(signo)));
	notify_send(up->notify_socket, "STOPPING=1");
	stop_next(up);
}

static void free_components(struct up *up)
{
	for (unsigned i = COMPONENT_COUNT; i-- > 0;)
		if (up->started[i])
			components[i].free(up->started[i]);
}

/* --- the start ------------------------------------------------------------------------------- */

/* Turns the loop until others can rely on the component, or a signal ends it all. */
static void settle(struct up *up, unsigned i)
{
	while (!up->ending && components[i].is_ready && !components[i].is_ready(up->started[i]))
		(void)loop_turn(up->world.loop, -1);
}

static int start_components(struct up *up, struct err *err)
{
	up->stopping = COMPONENT_COUNT;
	for (unsigned i = 0; i < COMPONENT_COUNT && !up->ending; i++) {
		if (!(up->chosen & 1u << i))
			continue;
		up->started[i] = components[i].start(&up->world, err);
		if (!up->started[i])
			return err_wrap(err, "%s", components[i].name);
		settle(up, i);
	}
	return 0;
}

static int write_run(const struct up *up, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json list;
	char text[ADDRESS_TEXT_SIZE];
	char started[TIME_TEXT_SIZE];

	json_doc_set_root(doc, root);
	json_set_int(doc, root, "pid", getpid());
	json_set_str(doc, root, "version", STR(VOLCANO_VERSION));
	json_set_str(doc, root, "started", str_from(time_print(loop_now(up->world.loop), started)));
	if (up->world.apiserver) {
		const struct address *address = apiserver_address(up->world.apiserver);

		json_set_str(doc, root, "address", str_from(address_print(address, text)));
		json_set_str(doc, root, "url", str_from(apiserver_url(up->world.apiserver)));
	}
	list = json_ensure_arr(doc, root, "components");
	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		if (up->started[i])
			json_append(doc, list, json_new_str(doc, str_from(components[i].name)));
	return home_write_run(up->world.settings->folder, doc, err);
}

/* Notify all that may wait for it; `ready` is a descriptor for a line. */
static void tell_ready(const struct up *up, int ready)
{
	AUTO(buf_done) struct buf line = BUF_UNBOUNDED; /* and what there is to note */
	AUTO(mem_free) char *kubeconfig = home_path(up->world.settings->folder, "kubeconfig");
	ssize_t ignored;

	if (up->world.apiserver)
		buf_printf(&line, "volcano is ready at %s, kubeconfig: %s\n",
			   apiserver_url(up->world.apiserver), kubeconfig);
	else
		buf_puts(&line, "volcano is ready\n");
	buf_put_str(&line, buf_str(up->world.notes));
	ignored = write(ready, line.ptr, line.len);
	(void)ignored; /* a reader that has ended does not wait */
	notify_send(up->notify_socket, "READY=1");
}

static int64_t clock_of(void *arg)
{
	return loop_now(arg);
}

static int run(struct up *up, int ready, struct err *err)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	struct loop_signal *watches[ARRAY_LEN(signals)] = {NULL};
	int rc = -1;
	size_t watched = 0;

	while (watched < ARRAY_LEN(signals)) {
		watches[watched] =
			loop_signal_add(up->world.loop, signals[watched], on_signal, up, err);
		if (!watches[watched])
			break;
		watched++;
	}
	if (watched == ARRAY_LEN(signals) && start_components(up, err) == 0)
		rc = up->ending ? 0 : write_run(up, err);
	if (rc == 0 && !up->ending)
		tell_ready(up, ready);
	if (rc == 0)
		loop_run(up->world.loop);
	free_components(up);
	for (size_t i = 0; i < watched; i++)
		loop_signal_remove(watches[i]);
	home_remove_run(up->world.settings->folder);
	return rc;
}

/* A file that may not grow any more is an error of the write, not the end of the process. */
static void outlive_full_disk(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	(void)sigaction(SIGXFSZ, &ignore, NULL); /* cannot fail: the number is one */
}

static int run_here(const struct settings *settings, unsigned chosen, int ready, struct err *err)
{
	AUTO(fd_close) int lock = home_lock(settings->folder, err);
	AUTO(loop_free) struct loop *loop = lock < 0 ? NULL : loop_new(err);
	AUTO(log_free) struct log *log = NULL;
	AUTO(buf_done) struct buf notes = BUF_UNBOUNDED;
	AUTO(memory_free) struct memory *memory = NULL;
	AUTO(quarantine_close) struct quarantine *quarantine = NULL;
	struct quarantine_row crashed;
	struct up up = {.world = {.loop = loop, .settings = settings, .notes = &notes},
			.chosen = chosen,
			.notify_socket = secure_getenv("NOTIFY_SOCKET")};
	int rc;

	if (!loop)
		return -1;
	outlive_full_disk();
	memory = memory_watch(loop);
	(void)memory; /* until the end */
	log = log_new(&(struct log_options){
		.level = settings->log_level, .clock = clock_of, .clock_arg = loop});
	up.world.log = log;
	quarantine = quarantine_open(settings->folder, &crashed, err);
	if (!quarantine)
		return -1;
	if (crashed.key)
		log_error(log, "the process before this one crashed while it processed an object",
			  LOG_STR("object", crashed.key), LOG_STR("component", crashed.component),
			  LOG_STR("signal", sigabbrev_np(crashed.signal)),
			  LOG_INT("crashes", crashed.crashes));
	loop_set_quarantine(loop, quarantine);
	rc = run(&up, ready, err);
	if (rc == 0)
		log_info(log, "stopped");
	return rc;
}

/* --- in the background ----------------------------------------------------------------------- */

/* In the child: no terminal, and what is said goes to the log. */
static int leave_terminal(const char *folder, struct err *err)
{
	AUTO(mem_free) char *path = home_path(folder, "volcano.log");
	AUTO(fd_close) int log = fd_open_own(path, O_WRONLY | O_CREAT | O_APPEND, 0600, err);
	AUTO(fd_close) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (log < 0)
		return -1;
	if (null < 0 || setsid() < 0 || chdir("/") < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		return err_errno(err, errno, "going into the background");
	return 0;
}

/* In the child: 0 when it has ended well; what goes wrong before it is ready goes up the pipe. */
static int run_child(const struct settings *settings, unsigned chosen, int pipe_end)
{
	struct err err = {0};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	ssize_t ignored;

	if (leave_terminal(settings->folder, &err) == 0 &&
	    run_here(settings, chosen, pipe_end, &err) == 0)
		return 0;
	buf_printf(&text, "!%s\n", err.text);
	ignored = write(pipe_end, text.ptr, text.len);
	(void)ignored;
	return 1;
}

/* In the parent: what the child says first. */
static int wait_for_child(int pipe_end, struct err *err)
{
	char text[READY_MAX_BYTES];
	size_t len = 0;
	ssize_t got;

	while (len < sizeof(text) - 1 &&
	       ((got = read(pipe_end, text + len, sizeof(text) - 1 - len)) > 0 ||
		(got < 0 && errno == EINTR))) {
		len += got > 0 ? (size_t)got : 0;
		if (len && text[len - 1] == '\n')
			break;
	}
	text[len] = '\0';
	if (len == 0)
		return err_set(err, ERR_INTERNAL, "it ended before it was ready; its log says why");
	if (text[0] == '!')
		return err_set(err, ERR_INTERNAL, "%.*s", (int)len - 2, text + 1);
	return fputs(text, stdout) < 0 ? err_errno(err, errno, "standard output") : 0;
}

static int run_detached(const struct settings *settings, unsigned chosen, struct err *err)
{
	int ends[2];
	pid_t child;
	int rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	child = fork();
	if (child < 0) {
		rc = err_errno(err, errno, "fork");
		fd_close(ends[0]);
		fd_close(ends[1]);
		return rc;
	}
	if (child == 0) {
		fd_close(ends[0]);
		rc = run_child(settings, chosen, ends[1]);
		fd_close(ends[1]);
		return rc;
	}
	fd_close(ends[1]);
	rc = wait_for_child(ends[0], err);
	fd_close(ends[0]);
	if (rc < 0)
		(void)waitpid(child, NULL, 0);
	return rc;
}

int up_run(void *program, struct err *err)
{
	struct settings *settings = program;
	unsigned chosen;
	char *folder;

	if (component_select(settings->components, &chosen, err) < 0)
		return -1;
	folder = home_make(settings->folder, err);
	if (!folder)
		return -1;
	mem_free(settings->folder);
	settings->folder = folder;
	return settings->detach ? run_detached(settings, chosen, err)
				: run_here(settings, chosen, STDOUT_FILENO, err);
}
