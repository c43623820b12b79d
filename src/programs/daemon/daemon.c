/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/daemon.c - the life of a daemon: from its flags to its last signal. */
#include "programs/daemon/daemon.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
#include "http/server.h"
#include "http/tls.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { HOST_NAME_SIZE = 256, EXIT_USAGE = 2, VERBOSE = 5, COMMON_MAX = 32 };

struct settings {
	const char *kubeconfig;
	const char *master;
	bool leader_elect;
	int64_t lease_duration;
	int64_t renew_deadline;
	int64_t retry_period;
	const char *lock_namespace;
	const char *lock_name;
	bool healthz;
	const char *healthz_address;
	bool metrics;
	const char *metrics_address;
	const char *ca_file; /* of clients of --healthz-address */
	const char *cert_file;
	const char *key_file;
	const char *log_level;
	int64_t verbosity;
	bool version;
	bool help;
};

struct daemon {
	const struct daemon_program *program;
	struct settings settings;
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

	daemon->work = daemon->program->start(daemon->program->arg, &daemon->world, &daemon->err);
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

static void serve_health(struct http_request *request, void *arg)
{
	bool known = str_is(http_request_path(request), "/healthz");

	(void)arg;
	http_reply(request, known ? 200 : 404, STR("text/plain; charset=utf-8"),
		   known ? STR("ok") : STR("404 page not found\n"));
}

static void serve_metrics(struct http_request *request, void *arg)
{
	const struct daemon *daemon = arg;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct client_stats stats;

	if (!str_is(http_request_path(request), "/metrics")) {
		http_reply(request, 404, STR("text/plain; charset=utf-8"),
			   STR("404 page not found\n"));
		return;
	}
	client_stats(daemon->world.client, &stats);
	buf_printf(&text,
		   "# HELP volcano_client_requests_total requests sent\n"
		   "# TYPE volcano_client_requests_total counter\n"
		   "volcano_client_requests_total %llu\n",
		   (unsigned long long)stats.sent);
	if (daemon->work && daemon->program->print_metrics)
		daemon->program->print_metrics(daemon->work, &text);
	http_reply(request, 200, STR("text/plain; version=0.0.4; charset=utf-8"), buf_str(&text));
}

/* A file's text; "" where none is named. */
static int read_file(const char *path, struct buf *to, struct err *err)
{
	return path[0] ? fd_read_file(path, to, err) : 0;
}

/* What a server shows; NULL without an error where no certificate is named. */
static int make_tls(const struct settings *settings, struct tls **ret, struct err *err)
{
	AUTO(buf_done) struct buf cert = BUF_INIT(LIMIT_PEM_BYTES);
	AUTO(buf_done) struct buf key = BUF_INIT(LIMIT_PEM_BYTES);
	AUTO(buf_done) struct buf ca = BUF_INIT(LIMIT_PEM_BYTES);

	*ret = NULL;
	if (!settings->cert_file[0] && !settings->key_file[0])
		return 0;
	if (read_file(settings->cert_file, &cert, err) < 0 ||
	    read_file(settings->key_file, &key, err) < 0 ||
	    read_file(settings->ca_file, &ca, err) < 0)
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
static struct http_server *listen_on(struct daemon *daemon, const char *text, struct tls *tls,
				     http_handler_fn *handler, struct err *err)
{
	AUTO(http_server_free) struct http_server *server = NULL;
	AUTO(mem_free) char *full = mem_printf("%s%s", text[0] == ':' ? "0.0.0.0" : "", text);
	struct address address;

	if (address_parse(str_from(full), &address, err) < 0)
		return NULL;
	server = http_server_new(
		daemon->world.loop,
		&(struct http_server_options){.handler = handler, .arg = daemon, .tls = tls}, err);
	if (!server ||
	    http_server_listen(server, &address, tls ? HTTP_TLS : HTTP_PLAIN, NULL, err) < 0)
		return NULL;
	return TAKE(server);
}

static int start_servers(struct daemon *daemon, struct err *err)
{
	const struct settings *settings = &daemon->settings;
	AUTO(tls_unref) struct tls *tls = NULL;

	if (settings->healthz) {
		if (make_tls(settings, &tls, err) < 0)
			return -1;
		daemon->health =
			listen_on(daemon, settings->healthz_address, tls, serve_health, err);
		if (!daemon->health)
			return err_wrap(err, "--healthz-address");
	}
	if (settings->metrics) {
		daemon->metrics =
			listen_on(daemon, settings->metrics_address, NULL, serve_metrics, err);
		if (!daemon->metrics)
			return err_wrap(err, "--listen-address");
	}
	return 0;
}

/* --- the server ------------------------------------------------------------------------------ */

static int find_access(const struct settings *settings, struct kubeconfig_access *ret,
		       struct err *err)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = NULL;
	struct kubeconfig_pod pod = {
		.host = secure_getenv("KUBERNETES_SERVICE_HOST"),
		.port = secure_getenv("KUBERNETES_SERVICE_PORT"),
	};

	if (!settings->kubeconfig[0] && !settings->master[0])
		return kubeconfig_in_pod(&pod, ret, err);
	if (!settings->kubeconfig[0]) {
		kubeconfig_for_server(settings->master, ret);
		return 0;
	}
	config = kubeconfig_new(NULL);
	if (kubeconfig_load(config, settings->kubeconfig, err) < 0 ||
	    kubeconfig_select(config, &(struct kubeconfig_choice){0}, ret, err) < 0)
		return -1;
	if (settings->master[0])
		ret->server = settings->master;
	return 0;
}

/* The file of another program's credentials may be written again at any time. */
static int reload_access(void *arg, struct kubeconfig_access *ret, struct err *err)
{
	const struct daemon *daemon = arg;

	return find_access(&daemon->settings, ret, err);
}

static int connect_client(struct daemon *daemon, struct err *err)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	struct transport *transport;

	if (find_access(&daemon->settings, &access, err) < 0)
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
		&(struct client_options){.field_manager = str_from(daemon->program->name)});
	return 0;
}

static void seek_lead(struct daemon *daemon)
{
	const struct settings *settings = &daemon->settings;
	char host[HOST_NAME_SIZE] = "localhost";
	uint8_t bytes[16];
	char uuid[UUID_TEXT_SIZE];
	AUTO(mem_free) char *identity = NULL;

	(void)gethostname(host, sizeof(host) - 1);
	loop_random(daemon->world.loop, bytes, sizeof(bytes));
	uuid_print(bytes, uuid);
	identity = mem_printf("%s_%s", host, uuid);
	daemon->leader = leader_new(daemon->world.client,
				    &(struct leader_options){
					    .namespace = str_from(settings->lock_namespace),
					    .name = str_from(settings->lock_name),
					    .identity = str_from(identity),
					    .duration_us = settings->lease_duration,
					    .renew_us = settings->renew_deadline,
					    .retry_us = settings->retry_period,
					    .started = start_work,
					    .stopped = lost_lead,
					    .changed = lead_changed,
					    .arg = daemon,
					    .log = daemon->world.log,
				    });
}

/* --- life ------------------------------------------------------------------------------------ */

/* A lease must outlive the attempts to renew it, and those their pauses. Zero: the default. */
static int check_lease(const struct settings *settings, struct err *err)
{
	int64_t lease = settings->lease_duration ? settings->lease_duration : 15 * TIME_SECOND;
	int64_t renew = settings->renew_deadline ? settings->renew_deadline : 10 * TIME_SECOND;
	int64_t retry = settings->retry_period ? settings->retry_period : 2 * TIME_SECOND;

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

/* The first signal ends the work, and gives the lead up so that others need not wait. */
static void on_signal(struct loop_signal *watch, int signo, void *arg)
{
	struct daemon *daemon = arg;

	(void)watch;
	log_info(daemon->world.log, "stopping", LOG_STR("signal", sigabbrev_np(signo)));
	if (daemon->ending || !daemon->leader || !leader_leads(daemon->leader)) {
		end(daemon, 0);
		return;
	}
	daemon->ending = true;
	stop_work(daemon);
	leader_release(daemon->leader, released, daemon);
}

static void on_told(struct loop_signal *watch, int signo, void *arg)
{
	struct daemon *daemon = arg;

	(void)watch;
	if (daemon->work)
		daemon->program->told(daemon->work, &daemon->world, signo);
}

/* What ends it, and what it is told by. */
enum { SIGNAL_COUNT = 4 };
static int watch_signals(struct daemon *daemon, struct loop_signal *ret[SIGNAL_COUNT],
			 struct err *err)
{
	static const int numbers[SIGNAL_COUNT] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < SIGNAL_COUNT; i++) {
		bool ends = numbers[i] == SIGTERM || numbers[i] == SIGINT;

		if (!ends && !daemon->program->told)
			continue;
		ret[i] = loop_signal_add(daemon->world.loop, numbers[i], ends ? on_signal : on_told,
					 daemon, err);
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

static int run(struct daemon *daemon, struct err *err)
{
	enum log_level level = LOG_LEVEL_INFO;
	AUTO(loop_free) struct loop *loop = NULL;
	AUTO(log_free) struct log *log = NULL;
	struct loop_signal *signals[SIGNAL_COUNT] = {0};
	int result = -1;

	if (!log_level_parse(str_from(daemon->settings.log_level), &level))
		return err_set(err, ERR_BAD_REQUEST, "--log-level: \"%s\" is no level",
			       daemon->settings.log_level);
	if (daemon->settings.verbosity >= VERBOSE)
		level = LOG_LEVEL_DEBUG;
	loop = loop_new(err);
	if (!loop)
		return -1;
	log = log_new(&(struct log_options){.level = level, .clock = clock_now, .clock_arg = loop});
	daemon->world.loop = loop;
	daemon->world.log = log;
	if (watch_signals(daemon, signals, err) < 0 || connect_client(daemon, err) < 0 ||
	    start_servers(daemon, err) < 0)
		goto done;
	if (daemon->settings.leader_elect)
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

static void print_help(const struct daemon_program *program, const struct daemon_flag *common,
		       size_t count)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	daemon_flags_print(program->flags, program->flag_count, &text);
	daemon_flags_print(common, count, &text);
	printf("usage: %s [FLAG...]: %s\n\n%s", program->name, program->about, buf_text(&text));
}

/* The flags that every daemon has. */
static size_t common_flags(struct settings *settings, struct daemon_flag to[COMMON_MAX])
{
	const struct daemon_flag flags[] = {
		{"kubeconfig", DAEMON_TEXT, &settings->kubeconfig,
		 "how to reach the API server; without it and --master, as a pod does"},
		{"master", DAEMON_TEXT, &settings->master, "URL of the API server"},
		{"leader-elect", DAEMON_SWITCH, &settings->leader_elect,
		 "work only while no other one does"},
		{"leader-elect-lease-duration", DAEMON_DURATION, &settings->lease_duration,
		 "how long others wait before they take over (15s)"},
		{"leader-elect-renew-deadline", DAEMON_DURATION, &settings->renew_deadline,
		 "how long to try to keep the lead (10s)"},
		{"leader-elect-retry-period", DAEMON_DURATION, &settings->retry_period,
		 "between tries (2s)"},
		{"leader-elect-resource-lock", DAEMON_TEXT, NULL, "leases"},
		{"leader-elect-resource-name", DAEMON_TEXT, &settings->lock_name, "of the lease"},
		{"leader-elect-resource-namespace", DAEMON_TEXT, &settings->lock_namespace,
		 "of the lease (volcano-system)"},
		{"lock-object-namespace", DAEMON_TEXT, &settings->lock_namespace,
		 "the same, as it was called before"},
		{"enable-healthz", DAEMON_SWITCH, &settings->healthz, "serve /healthz"},
		{"healthz-address", DAEMON_TEXT, &settings->healthz_address, "where"},
		{"enable-metrics", DAEMON_SWITCH, &settings->metrics, "serve /metrics"},
		{"listen-address", DAEMON_TEXT, &settings->metrics_address, "where (:8081)"},
		{"kube-api-qps", DAEMON_NUMBER, NULL, "taken and not used: the server says when"},
		{"kube-api-burst", DAEMON_NUMBER, NULL, "likewise"},
		{"ca-cert-file", DAEMON_TEXT, &settings->ca_file,
		 "whom clients of --healthz-address must be vouched for by"},
		{"tls-cert-file", DAEMON_TEXT, &settings->cert_file,
		 "the certificate of --healthz-address, which is then HTTPS"},
		{"tls-private-key-file", DAEMON_TEXT, &settings->key_file, "its key"},
		{"log-level", DAEMON_TEXT, &settings->log_level, "debug, info, warn or error"},
		{"v", DAEMON_NUMBER, &settings->verbosity, "5 and more: debug"},
		{"logtostderr", DAEMON_SWITCH, NULL, "taken and not used: it always does"},
		{"alsologtostderr", DAEMON_SWITCH, NULL, "likewise"},
		{"stderrthreshold", DAEMON_TEXT, NULL, "likewise"},
		{"vmodule", DAEMON_TEXT, NULL, "taken and not used"},
		{"log-dir", DAEMON_TEXT, NULL, "likewise"},
		{"log-flush-frequency", DAEMON_DURATION, NULL, "likewise"},
		{"version", DAEMON_SWITCH, &settings->version, "show the version"},
		{"help", DAEMON_SWITCH, &settings->help, "show this"},
	};

	static_assert(ARRAY_LEN(flags) <= COMMON_MAX, "room for all");
	memcpy(to, flags, sizeof(flags));
	return ARRAY_LEN(flags);
}

int daemon_main(const struct daemon_program *program, int argc, char **argv)
{
	struct daemon daemon = {
		.program = program,
		.settings =
			{
				.kubeconfig = "",
				.master = "",
				.leader_elect = true,
				.lock_namespace = "volcano-system",
				.lock_name = program->name,
				.healthz_address = program->healthz_address,
				.metrics_address = ":8081",
				.ca_file = "",
				.cert_file = "",
				.key_file = "",
				.log_level = "info",
			},
	};
	struct settings *settings = &daemon.settings;
	struct daemon_flag common[COMMON_MAX];
	const size_t counts[] = {program->flag_count, common_flags(settings, common)};
	const struct daemon_flag *const tables[] = {program->flags, common};
	struct err err = {0};
	int code = EXIT_USAGE;

	(void)argc;
	if (daemon_flags_parse(argv + 1, tables, counts, ARRAY_LEN(tables), &err) == 0 &&
	    check_lease(settings, &err) == 0) {
		if (settings->help || settings->version) {
			if (settings->help)
				print_help(program, common, counts[1]);
			else
				printf("%s %s\n", program->name, VOLCANO_VERSION);
			return 0;
		}
		code = 1;
		if (run(&daemon, &err) == 0)
			return daemon.code;
	}
	(void)fprintf(stderr, "%s: %s\n", program->name, err.text);
	return code;
}
