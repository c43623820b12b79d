/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/daemon.c - the life of a daemon: from its flags to its last signal. */
#include "programs/daemon/daemon.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/uuid.h"
#include "client/client.h"
#include "client/kubeconfig.h"
#include "client/leader.h"
#include "client/transport.h"
#include "client/transport_http.h"
#include "flags/manual_page.h"
#include "http/http_server.h"
#include "http/tls.h"
#include "loop/loop.h"
#include "programs/daemon/daemon_pages.h"

#include "base/banned.h"

enum { HOST_NAME_SIZE = 256, EXIT_USAGE = 2, VERBOSE = 5 };

struct daemon {
	const struct daemon_program *program;
	const struct command_line *line;
	struct daemon_world world;
	struct leader *leader;
	struct http_server *health;
	struct http_server *metrics;
	void *work;
	struct err err; /* why the work could not start */
	bool ending;
	int code;
};

/* --- the work -------------------------------------------------------------------------------- */

static void end(struct daemon *daemon, int code)
{
	daemon->code = code;
	loop_stop(daemon->world.loop);
}

static void stop_work(struct daemon *daemon)
{
	void *work = TAKE(daemon->work);

	if (work)
		daemon->program->stop(work);
}

static void start_work(void *arg)
{
	struct daemon *daemon = arg;

	daemon->work = daemon->program->start(&daemon->world, &daemon->err);
	if (daemon->work)
		return;
	log_error(daemon->world.log, "cannot start", LOG_STR("err", daemon->err.text));
	end(daemon, 1);
}

static void lost_lead(void *arg)
{
	struct daemon *daemon = arg;

	if (daemon->ending)
		return;
	log_error(daemon->world.log, "does not lead any more");
	/* At once, and not when this turn of the loop is over: the next one may be working already. */
	stop_work(daemon);
	end(daemon, 1);
}

static void lead_changed(void *arg, struct str identity)
{
	struct daemon *daemon = arg;

	log_info(daemon->world.log, "leader", LOG_VIEW("identity", identity));
}

/* --- health and metrics ---------------------------------------------------------------------- */

static struct daemon_state state_of(const struct daemon *daemon, struct buf *why)
{
	const struct daemon_program *program = daemon->program;

	return (struct daemon_state){
		.client = daemon->world.client,
		.elects = !program->serves,
		.works = daemon->work != NULL,
		.ready = daemon->work && !daemon->ending &&
			 (!program->is_ready || program->is_ready(daemon->work, why)),
		.why = buf_str(why)};
}

static void serve_metrics(struct http_request *request, void *arg)
{
	const struct daemon *daemon = arg;
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct daemon_state state = state_of(daemon, &why);

	if (!str_is(http_request_path(request), "/metrics")) {
		http_reply(request, 404, STR("text/plain; charset=utf-8"),
			   STR("404 page not found\n"));
		return;
	}
	daemon_pages_print_metrics(&state, &text);
	if (daemon->work && daemon->program->print_metrics)
		daemon->program->print_metrics(daemon->work, &text);
	http_reply(request, 200, STR("text/plain; version=0.0.4; charset=utf-8"), buf_str(&text));
}

static void serve_health(struct http_request *request, void *arg)
{
	const struct daemon *daemon = arg;
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	struct daemon_state state = state_of(daemon, &why);

	if (daemon->program->serves && str_is(http_request_path(request), "/metrics"))
		serve_metrics(request, arg);
	else
		daemon_pages_serve(request, &state);
}

/* The text of the file that a flag names; "" if it names none. */
static int read_file(const struct command_line *line, const char *flag, struct buf *to,
		     struct err *err)
{
	const char *path = command_text(line, flag);

	if (path && fd_read_file(path, to, err) < 0)
		return err_wrap(err, "--%s", flag);
	return 0;
}

/* The certificate of --healthz-address; NULL without an error if no certificate is named. */
static int make_tls(const struct command_line *line, struct tls **ret, struct err *err)
{
	AUTO(buf_done) struct buf cert = BUF_INIT(LIMIT_PEM_BYTES);
	AUTO(buf_done) struct buf key = BUF_INIT(LIMIT_PEM_BYTES);
	AUTO(buf_done) struct buf ca = BUF_INIT(LIMIT_PEM_BYTES);

	*ret = NULL;
	if (!command_text(line, "tls-cert-file") && !command_text(line, "tls-private-key-file"))
		return 0;
	if (read_file(line, "tls-cert-file", &cert, err) < 0 ||
	    read_file(line, "tls-private-key-file", &key, err) < 0 ||
	    read_file(line, "ca-cert-file", &ca, err) < 0)
		return -1;
	*ret = tls_server_new(&(struct tls_server_options){.certificate = buf_str(&cert),
							   .key = buf_str(&key),
							   .client_ca = buf_str(&ca),
							   .clients = ca.len > 0
									      ? TLS_CLIENTS_REQUIRED
									      : TLS_CLIENTS_NONE},
			      err);
	return *ret ? 0 : -1;
}

/* ":8081" is every address of this machine. */
static struct http_server *listen_on(struct daemon *daemon, const char *flag, struct tls *tls,
				     http_handler_fn *handler, struct err *err)
{
	AUTO(http_server_free) struct http_server *server = NULL;
	struct str text = command_str(daemon->line, flag);
	AUTO(mem_free)
	char *full =
		mem_printf("%s%.*s", str_starts(text, STR(":")) ? "0.0.0.0" : "", STR_ARG(text));
	struct address address;

	if (address_parse(str_from(full), &address, err) < 0)
		goto fail;
	server = http_server_new(
		daemon->world.loop,
		&(struct http_server_options){.handler = handler, .arg = daemon, .tls = tls}, err);
	if (server &&
	    http_server_listen(server, &address, tls ? HTTP_TLS : HTTP_PLAIN, NULL, err) == 0)
		return TAKE(server);
fail:
	(void)err_wrap(err, "--%s", flag);
	return NULL;
}

static int start_servers(struct daemon *daemon, struct err *err)
{
	AUTO(tls_unref) struct tls *tls = NULL;

	if (command_bool(daemon->line, "enable-healthz")) {
		if (!daemon->program->serves && make_tls(daemon->line, &tls, err) < 0)
			return -1;
		daemon->health = listen_on(daemon, "healthz-address", tls, serve_health, err);
		if (!daemon->health)
			return -1;
	}
	if (!daemon->program->serves && command_bool(daemon->line, "enable-metrics")) {
		daemon->metrics = listen_on(daemon, "listen-address", NULL, serve_metrics, err);
		if (!daemon->metrics)
			return -1;
	}
	return 0;
}

/* --- the server ------------------------------------------------------------------------------ */

static int find_access(const struct command_line *line, struct kubeconfig_access *ret,
		       struct err *err)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = NULL;
	const char *file = command_text(line, "kubeconfig");
	const char *master = command_text(line, "master");
	struct kubeconfig_pod pod = {
		.host = secure_getenv("KUBERNETES_SERVICE_HOST"),
		.port = secure_getenv("KUBERNETES_SERVICE_PORT"),
	};

	if (!file && !master)
		return kubeconfig_in_pod(&pod, ret, err);
	if (!file) {
		kubeconfig_for_server(master, ret);
		return 0;
	}
	config = kubeconfig_new(NULL);
	if (kubeconfig_load(config, file, err) < 0 ||
	    kubeconfig_select(config, &(struct kubeconfig_choice){0}, ret, err) < 0)
		return -1;
	if (master)
		ret->server = master;
	return 0;
}

/* The file of another program's credentials may be written again at any time. */
static int reload_access(void *arg, struct kubeconfig_access *ret, struct err *err)
{
	const struct daemon *daemon = arg;

	return find_access(daemon->line, ret, err);
}

static int connect_client(struct daemon *daemon, struct err *err)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	struct transport *transport;

	if (find_access(daemon->line, &access, err) < 0)
		return -1;
	transport = transport_http_new(
		daemon->world.loop,
		&(struct transport_http_options){.access = &access,
						 .environment = (const char *const *)environ,
						 .reload = reload_access,
						 .reload_arg = daemon,
						 .user_agent = str_from(daemon->program->name)},
		err);
	if (!transport)
		return -1;
	daemon->world.client = client_new(
		daemon->world.loop, transport,
		&(struct client_options){.field_manager = str_from(daemon->program->name),
					 .log = daemon->world.log});
	return 0;
}

static void seek_lead(struct daemon *daemon)
{
	const struct command_line *line = daemon->line;
	struct str lock = command_str(line, "leader-elect-resource-name");
	const char *usual = daemon->program->lease ? daemon->program->lease : daemon->program->name;
	char host[HOST_NAME_SIZE] = "localhost";
	uint8_t bytes[16];
	char uuid[UUID_TEXT_SIZE];
	AUTO(mem_free) char *identity = NULL;

	(void)gethostname(host, sizeof(host) - 1);
	loop_random(daemon->world.loop, bytes, sizeof(bytes));
	uuid_print(bytes, uuid);
	identity = mem_printf("%s_%s", host, uuid);
	daemon->leader = leader_new(
		daemon->world.client,
		&(struct leader_options){
			.namespace = command_str(line, "leader-elect-resource-namespace"),
			.name = lock.len ? lock : str_from(usual),
			.identity = str_from(identity),
			.duration_us = command_duration(line, "leader-elect-lease-duration"),
			.renew_us = command_duration(line, "leader-elect-renew-deadline"),
			.retry_us = command_duration(line, "leader-elect-retry-period"),
			.started = start_work,
			.stopped = lost_lead,
			.changed = lead_changed,
			.arg = daemon,
			.log = daemon->world.log,
		});
}

/* --- life ------------------------------------------------------------------------------------ */

/* A lease must outlive the attempts to renew it, and those their pauses. */
static int check_lease(const struct command_line *line, struct err *err)
{
	int64_t lease = command_duration(line, "leader-elect-lease-duration");
	int64_t renew = command_duration(line, "leader-elect-renew-deadline");
	int64_t retry = command_duration(line, "leader-elect-retry-period");

	if (renew <= 0 || retry <= 0 || lease <= renew)
		return err_set(err, ERR_BAD_REQUEST,
			       "--leader-elect-lease-duration must be longer than "
			       "--leader-elect-renew-deadline, and all of them positive");
	if (renew <= retry)
		return err_set(err, ERR_BAD_REQUEST,
			       "--leader-elect-renew-deadline must be longer than "
			       "--leader-elect-retry-period");
	return 0;
}

static int64_t clock_now(void *arg)
{
	return loop_now(arg);
}

static void released(void *arg)
{
	end(arg, 0);
}

/* The first signal ends the work, and gives the lead up so that others need not wait; the second one does not wait
 * either. */
static void on_signal(struct loop_signal *watch, int signo, void *arg)
{
	struct daemon *daemon = arg;

	(void)watch;
	log_info(daemon->world.log, "stopping", LOG_STR("signal", sigabbrev_np(signo)));
	if (!daemon->ending && daemon->work && daemon->program->drain) {
		daemon->ending = true;
		daemon->program->drain(daemon->work, released, daemon);
		return;
	}
	if (daemon->ending || !daemon->leader || !leader_leads(daemon->leader)) {
		end(daemon, 0);
		return;
	}
	daemon->ending = true;
	stop_work(daemon);
	leader_release(daemon->leader, released, daemon);
}

static void on_user_signal(struct loop_signal *watch, int signo, void *arg)
{
	struct daemon *daemon = arg;

	(void)watch;
	if (daemon->work)
		daemon->program->on_signal(daemon->work, &daemon->world, signo);
}

/* The signals that end it, and those that the program handles. */
enum { SIGNAL_COUNT = 4 };
static int watch_signals(struct daemon *daemon, struct loop_signal *ret[SIGNAL_COUNT],
			 struct err *err)
{
	static const int numbers[SIGNAL_COUNT] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < SIGNAL_COUNT; i++) {
		bool ends = numbers[i] == SIGTERM || numbers[i] == SIGINT;

		if (!ends && !daemon->program->on_signal)
			continue;
		ret[i] = loop_signal_add(daemon->world.loop, numbers[i],
					 ends ? on_signal : on_user_signal, daemon, err);
		if (!ret[i])
			return -1;
	}
	return 0;
}

static void close_all(struct daemon *daemon)
{
	stop_work(daemon);
	leader_free(daemon->leader);
	http_server_free(daemon->health);
	http_server_free(daemon->metrics);
	client_free(daemon->world.client);
}

/* What was given and changes nothing. Upstream's Deployments have an argument `2>&1`, for example. */
static void log_warnings(struct daemon *daemon)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str rest;
	struct str row;

	command_print_warnings(daemon->line, &text);
	rest = buf_str(&text);
	while (rest.len && str_split(&rest, '\n', &row))
		if (row.len)
			log_info(daemon->world.log, "command line", LOG_VIEW("note", row));
}

static int run(void *program, struct err *err)
{
	struct daemon *daemon = program;
	enum log_level level = LOG_LEVEL_INFO;
	AUTO(loop_free) struct loop *loop = NULL;
	AUTO(log_free) struct log *log = NULL;
	struct loop_signal *signals[SIGNAL_COUNT] = {0};
	int result = -1;

	(void)log_level_parse(command_str(daemon->line, "log-level"), &level);
	if (command_int(daemon->line, "v") >= VERBOSE)
		level = LOG_LEVEL_DEBUG;
	loop = loop_new(err);
	if (!loop)
		return -1;
	log = log_new(&(struct log_options){.level = level, .clock = clock_now, .clock_arg = loop});
	daemon->world.loop = loop;
	daemon->world.log = log;
	log_warnings(daemon);
	if (watch_signals(daemon, signals, err) < 0 || connect_client(daemon, err) < 0 ||
	    start_servers(daemon, err) < 0)
		goto done;
	if (!daemon->program->serves && command_bool(daemon->line, "leader-elect"))
		seek_lead(daemon);
	else
		start_work(daemon);
	loop_run(loop);
	result = 0;
done:
	close_all(daemon);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		loop_signal_remove(signals[i]);
	return result;
}

/* --- the command line ------------------------------------------------------------------------- */

#define SERVER_LIMITS "the server limits requests"
#define OWN_LOG "the log goes to standard error, one line per event"

/* The flags of a daemon that works only while it leads, and from FIRST_COMMON on those that every daemon has. */
#define FIRST_COMMON "kubeconfig"
static const struct flag common[] = {
	{.name = "leader-elect",
	 .type = FLAG_BOOL,
	 .value = "true",
	 .about = "work only while no other replica does (default true)"},
	{.name = "leader-elect-lease-duration",
	 .type = FLAG_DURATION,
	 .value = "15s",
	 .about = "how long others wait before they take over"},
	{.name = "leader-elect-renew-deadline",
	 .type = FLAG_DURATION,
	 .value = "10s",
	 .about = "how long to try to renew the lease before giving up"},
	{.name = "leader-elect-retry-period",
	 .type = FLAG_DURATION,
	 .value = "2s",
	 .about = "time between attempts to get or renew the lease"},
	{.name = "leader-elect-resource-lock",
	 .value = "leases",
	 .about = "the kind of the lock",
	 .no_effect = "the lock is always a Lease"},
	{.name = "leader-elect-resource-name",
	 .about = "the name of the lease (default: that of Volcano's program)",
	 .noun = "NAME"},
	{.name = "leader-elect-resource-namespace",
	 .value = "volcano-system",
	 .about = "the namespace of the lease",
	 .noun = "NAME"},
	{.name = "lock-object-namespace",
	 .about = "the namespace of the lease",
	 .noun = "NAME",
	 .alias_of = "leader-elect-resource-namespace",
	 .deprecated = "use --leader-elect-resource-namespace"},
	{.name = "enable-metrics", .type = FLAG_BOOL, .about = "serve /metrics"},
	{.name = "listen-address",
	 .value = ":8081",
	 .about = "the address of /metrics",
	 .noun = "ADDR:PORT"},
	{.name = "ca-cert-file",
	 .about = "the CA that must have signed the certificates of clients of --healthz-address",
	 .noun = "FILE"},
	{.name = "tls-cert-file",
	 .about = "the certificate of --healthz-address, which is then HTTPS",
	 .noun = "FILE"},
	{.name = "tls-private-key-file", .about = "its key", .noun = "FILE"},

	{.name = "kubeconfig",
	 .about = "how to reach the API server; without it and --master: as a pod does",
	 .noun = "FILE"},
	{.name = "master", .about = "the address of the API server", .noun = "URL"},
	{.name = "enable-healthz",
	 .type = FLAG_BOOL,
	 .about = "serve /healthz, /livez and /readyz"},
	{.name = "healthz-address",
	 .value = ":11251",
	 .about = "the address of /healthz",
	 .noun = "ADDR:PORT"},
	{.name = "kube-api-qps",
	 .type = FLAG_NUMBER,
	 .about = "requests per second",
	 .no_effect = SERVER_LIMITS},
	{.name = "kube-api-burst",
	 .type = FLAG_INT,
	 .about = "requests at once",
	 .no_effect = SERVER_LIMITS},
	{.name = "log-level",
	 .type = FLAG_CHOICE,
	 .choices = "debug info warn error",
	 .value = "info",
	 .about = "debug, info, warn or error",
	 .noun = "LEVEL"},
	{.name = "v",
	 .letter = 'v',
	 .type = FLAG_INT,
	 .about = "5 and more: --log-level debug",
	 .noun = "LEVEL"},
	{.name = "logtostderr",
	 .type = FLAG_BOOL,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "alsologtostderr",
	 .type = FLAG_BOOL,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "stderrthreshold", .about = "of the log library klog", .no_effect = OWN_LOG},
	{.name = "vmodule", .about = "of the log library klog", .no_effect = OWN_LOG},
	{.name = "log-dir", .about = "of the log library klog", .no_effect = OWN_LOG},
	{.name = "add-dir-header",
	 .type = FLAG_BOOL,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "legacy-stderr-threshold-behavior",
	 .type = FLAG_BOOL,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "log-backtrace-at", .about = "of the log library klog", .no_effect = OWN_LOG},
	{.name = "log-file", .about = "of the log library klog", .no_effect = OWN_LOG},
	{.name = "log-file-max-size",
	 .type = FLAG_INT,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "one-output",
	 .type = FLAG_BOOL,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "skip-headers",
	 .type = FLAG_BOOL,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "skip-log-headers",
	 .type = FLAG_BOOL,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "log-flush-frequency",
	 .type = FLAG_DURATION,
	 .about = "of the log library klog",
	 .no_effect = OWN_LOG},
	{.name = "version", .type = FLAG_BOOL, .about = "show the version"},
	{.name = NULL},
};

bool daemon_has_gate(const struct command_line *line, const char *name, bool usual)
{
	return command_has_gate(line, "feature-gates", name, usual);
}

static const struct flag *common_flags(const struct daemon_program *program)
{
	const struct flag *flag = common;

	while (program->serves && !str_is(str_from(flag->name), FIRST_COMMON))
		flag++;
	return flag;
}

static const struct manual_text manual = {
	.section = "8",
	.tail = ".SH EXIT STATUS\n"
		".TP\n\\fB0\\fR\nA signal ended it.\n"
		".TP\n\\fB1\\fR\nIt failed, or another replica leads.\n"
		".TP\n\\fB2\\fR\nThe command line is wrong.\n"
		".SH ENVIRONMENT\n"
		".TP\n\\fBKUBERNETES_SERVICE_HOST\\fR, \\fBKUBERNETES_SERVICE_PORT\\fR\n"
		"Where a pod finds the API server.\n"
		".SH SEE ALSO\n"
		"\\fBvcctl\\fR(1), \\fBvolcano\\fR(1)\n"};

/* What is asked for instead of running, and the exit code. */
static bool prints(const struct command *root, const struct command_line *line, const char *first)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (str_is(str_from(first), "__manual")) /* for the build */
		manual_page_put(root, NULL, 0, &manual, &text);
	else if (line->help)
		command_help(line, &text);
	else if (command_bool(line, "version"))
		buf_printf(&text, "%s %s\n", root->name, VOLCANO_VERSION);
	printf("%s", buf_text(&text));
	return text.len > 0;
}

int daemon_main(const struct daemon_program *program, int argc, char **argv)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const struct command root = {.name = program->name,
				     .about = program->about,
				     .flags = program->flags,
				     .common = common_flags(program),
				     .run = run,
				     .ignores_arguments = true};
	struct command_line line;
	struct daemon daemon = {.program = program, .line = &line, .world = {.line = &line}};
	struct err err = {0};
	int code = EXIT_USAGE;

	if (command_parse(&root, argc, (const char *const *)argv, NULL, arena, &line, &err) == 0) {
		if (prints(&root, &line, argc > 1 ? argv[1] : ""))
			return 0;
		if (program->serves || check_lease(&line, &err) == 0) {
			code = 1;
			if (root.run(&daemon, &err) == 0)
				return daemon.code;
		}
	}
	(void)fprintf(stderr, "%s: %s\n", program->name, err.text);
	return code;
}
