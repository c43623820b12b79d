/* SPDX-License-Identifier: Apache-2.0 */
/* supervisors.h - a world with a launcher and a supervisor of a pod, for the tests of both ends: real processes, in a
 * folder of the test's own. */
#ifndef TEST_SYSTEM_SUPERVISORS_H
#define TEST_SYSTEM_SUPERVISORS_H

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"
#include "node/pod/supervisor_client.h"
#include "pod/pod_messages.h"
#include "pod/pod_plan.h"
#include "tap.h"

enum { CONTAINERS = 3 };
#define PATIENCE (60 * TIME_SECOND)

struct world {
	struct loop *loop;
	struct launcher *launcher;
	struct supervisor *supervisor;
	char folder[64];
	char *control; /* where supervisors listen */
	bool found;    /* the connection was made again */
	char *pod;     /* the pod's folder */
	struct record records[CONTAINERS];
	bool ready;
	bool lost;
	bool clean; /* it was, and had reported that */
	bool late;  /* nothing happened for too long */
	int code;   /* of a command */
	char output[POD_SOCKET_OUTPUT_BYTES + 1];
	char addresses[64];
	struct loop_timer *timer;
};

static inline void on_state(void *arg, size_t container, const struct record *record)
{
	struct world *w = arg;

	w->records[container] = *record;
}

static inline void on_ready(void *arg)
{
	((struct world *)arg)->ready = true;
}

static inline void on_done(void *arg, uint64_t id, int code, struct str output)
{
	struct world *w = arg;

	(void)id;
	w->code = code;
	memcpy(w->output, output.ptr, output.len);
	w->output[output.len] = '\0';
}

static inline void on_lost(void *arg)
{
	struct world *w = arg;

	w->lost = true;
	w->clean = supervisor_is_clean(w->supervisor);
	supervisor_free(TAKE(w->supervisor));
}

static inline void on_hello(void *arg, struct str pod_ip, struct str host_ip)
{
	struct world *w = arg;

	(void)snprintf(w->addresses, sizeof(w->addresses), "%.*s, %.*s", STR_ARG(pod_ip),
		       STR_ARG(host_ip));
}

static inline void on_found(void *arg)
{
	((struct world *)arg)->found = true;
}

static const struct supervisor_events events = {on_state, on_ready, on_done,
						on_lost,  on_hello, on_found};

static inline void on_late(struct loop_timer *timer, void *arg)
{
	(void)timer;
	((struct world *)arg)->late = true;
}

#define WAIT(w, condition)                                                 \
	do {                                                               \
		loop_timer_set((w)->timer, PATIENCE);                      \
		while (!(condition) && !(w)->late)                         \
			(void)loop_turn((w)->loop, 20 * TIME_MILLISECOND); \
	} while (0)

/* `control`: that of another one; NULL: of its own. */
static inline void begin_with(struct world *w, const char *program, const char *control)
{
	struct err err = {0};

	memset(w, 0, sizeof(*w));
	(void)snprintf(w->folder, sizeof(w->folder), "/tmp/volcano-test-XXXXXX");
	w->loop = mkdtemp(w->folder) ? loop_new(&err) : NULL;
	w->control = control ? mem_strdup(control) : mem_printf("%s.control", w->folder);
	w->launcher = w->loop ? launcher_new(w->loop, program, w->control, NULL, &err) : NULL;
	if (!w->launcher) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	w->pod = mem_strdup(w->folder);
	w->timer = loop_timer_new(w->loop, on_late, w);
}

static inline void begin(struct world *w, const char *program)
{
	begin_with(w, program, NULL);
}

static inline void remove_all(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
	(void)closedir(dir);
	(void)rmdir(folder);
}

static inline void end(struct world *w)
{
	if (w->supervisor) {
		supervisor_quit(w->supervisor);
		WAIT(w, w->lost);
	}
	ok(!w->late, "nothing took too long");
	loop_timer_free(w->timer);
	launcher_free(w->launcher);
	loop_free(w->loop);
	remove_all(w->folder);
	remove_all(w->control);
	mem_free(w->control);
	mem_free(w->pod);
}

static const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "GREETING=hello"};

/* A container that runs a line of shell. NULL: it idles. */
static inline struct plan_container shell(const char *name, const char **argv, const char *script)
{
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = script;
	return (struct plan_container){.name = name,
				       .argv = argv,
				       .argc = script ? 3 : 0,
				       .env = env,
				       .n_env = ARRAY_LEN(env),
				       .identity = plan_identity_none};
}

static inline void launch(struct world *w, struct plan_container *containers, size_t count,
			  const struct pod_plan *more)
{
	struct pod_plan plan = more ? *more : (struct pod_plan){.grace_us = TIME_SECOND};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;

	plan.uid = "uid";
	plan.namespace_ = "default";
	plan.name = "pod";
	plan.folder = w->pod;
	plan.containers = containers;
	plan.n_containers = count;
	if (pod_plan_encode(&plan, &text, &err) == 0)
		w->supervisor =
			supervisor_launch(w->launcher, w->pod, buf_str(&text), &events, w, &err);
	if (!w->supervisor) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
}

static inline char *log_of(const struct world *w, const char *file)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", w->pod, file);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf plain = BUF_UNBOUNDED;
	struct str rest;
	struct str line;

	if (fd_read_file(path, &text, NULL) < 0)
		return mem_strdup("(none)");
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		if (line.len > 28) {
			buf_put_str(&plain, str_skip(line, 28));
			buf_putc(&plain, '|');
		}
	return buf_take(&plain);
}

/* "PID (name) state parent ..." */
static inline pid_t parent_of(pid_t pid)
{
	AUTO(mem_free) char *path = mem_printf("/proc/%ld/stat", (long)pid);
	AUTO(buf_done) struct buf text = BUF_INIT(4096);
	const char *end;
	long parent;

	assert(fd_read_file(path, &text, NULL) == 0);
	end = strrchr(buf_text(&text), ')');
	assert(end);
	parent = strtol(end + sizeof(") S") - 1, NULL, 10);
	assert(parent > 1);
	return (pid_t)parent;
}

/* Has it ended, whether its status was asked for or not? */
static inline bool has_ended(pid_t pid)
{
	AUTO(mem_free) char *path = mem_printf("/proc/%ld/stat", (long)pid);
	AUTO(buf_done) struct buf text = BUF_INIT(4096);
	const char *end;

	if (fd_read_file(path, &text, NULL) < 0)
		return true;
	end = strrchr(buf_text(&text), ')');
	return !end || end[2] == 'Z' || end[2] == 'X';
}

#endif
