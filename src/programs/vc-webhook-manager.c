/* SPDX-License-Identifier: Apache-2.0 */
/* programs/vc-webhook-manager.c - Volcano's admission as a program of its own, for any Kubernetes API server. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/macro.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "model/value/duration.h"
#include "programs/daemon/daemon.h"
#include "webhook/webhook.h"

#include "base/banned.h"

struct work {
	const struct command_line *line;
	struct arena *arena;
	struct webhook *webhook;
};

static void stop(void *arg)
{
	struct work *work = arg;

	webhook_free(work->webhook);
	arena_free(work->arena);
	mem_free(work);
}

/* The texts of a list flag, in the arena. */
static struct strs list_of(const struct work *work, const char *flag)
{
	struct str rest = command_str(work->line, flag);
	VEC(struct str) list = {0};
	struct str text;
	struct strs ret;

	while (command_next(&rest, &text)) {
		text = str_trim(text);
		if (text.len)
			vec_push(&list, arena_str(work->arena, text));
	}
	ret = (struct strs){arena_calloc(work->arena, list.len + 1, sizeof(struct str)), list.len};
	for (size_t i = 0; i < list.len; i++)
		ret.ptr[i] = list.ptr[i];
	vec_done(&list);
	return ret;
}

/* --listen-address is a number without a port; "" is every address. */
static int find_address(const struct command_line *line, struct address *ret, struct err *err)
{
	const char *ip = command_text(line, "listen-address");

	if (address_parse_ip(str_from(ip ? ip : "0.0.0.0"), (int)command_int(line, "port"), ret,
			     err) < 0)
		return err_wrap(err, "--listen-address");
	return 0;
}

static int run(struct work *work, const struct daemon_world *world, struct err *err)
{
	const struct command_line *line = work->line;
	struct webhook_options options = {
		.settings =
			{
				.namespace = command_text(line, "webhook-namespace"),
				.service = command_text(line, "webhook-service-name"),
				.url = command_text(line, "webhook-url"),
				.ignore_failures =
					str_is(command_str(line, "failure-policy"), "Ignore"),
				.ignored = list_of(work, "ignored-namespaces"),
				.admission =
					{
						.scheduler_names = list_of(work, "scheduler-name"),
						.enabled = list_of(work, "enabled-admission"),
						.max_queue_depth = (int32_t)command_int(
							line, "max-queue-depth"),
						.check_allocated_pods = command_bool(
							line, "enable-queue-allocated-pods-check"),
						.protect_root = command_bool(
							line, "enable-root-queue-protection"),
						.queue_gates = daemon_has_gate(
							line, "SchedulingGatesQueueAdmission",
							false),
					},
			},
		.conf_file = command_text(line, "admission-conf"),
		.files = {command_text(line, "tls-cert-file"),
			  command_text(line, "tls-private-key-file"),
			  command_text(line, "ca-cert-file")},
		.secret = command_text(line, "webhook-secret-name"),
		.lifetime = command_duration(line, "certificate-lifetime"),
		.log = world->log,
	};

	if (find_address(line, &options.address, err) < 0)
		return -1;
	work->webhook = webhook_new(world->loop, world->client, &options, err);
	return work->webhook ? 0 : -1;
}

static void *start(const struct daemon_world *world, struct err *err)
{
	struct work *work = mem_new(struct work);

	work->line = world->line;
	work->arena = arena_new(0);
	if (run(work, world, err) == 0)
		return work;
	stop(work);
	return NULL;
}

static void print_metrics(const void *arg, struct buf *to)
{
	const struct work *work = arg;

	webhook_print_metrics(work->webhook, to);
}

static bool is_ready(const void *arg, struct buf *why)
{
	const struct work *work = arg;

	return webhook_is_ready(work->webhook, why);
}

static void drain(void *arg, void (*done)(void *arg), void *done_arg)
{
	struct work *work = arg;

	webhook_drain(work->webhook, command_duration(work->line, "shutdown-delay-duration"),
		      command_duration(work->line, "graceful-shutdown-time"), done, done_arg);
}

/* A minute is for tries. */
static int check_lifetime(const char *value, struct err *err)
{
	int64_t lifetime = 0;

	if (duration_parse(str_from(value), &lifetime, err) < 0)
		return -1;
	return lifetime >= TIME_MINUTE ? 0 : err_set(err, ERR_BAD_REQUEST, "must be at least 1m");
}

#define ALL_DEFAULT                                                                          \
	"/jobs/mutate,/jobs/validate,/podgroups/mutate,/pods/validate,/pods/mutate,/queues/" \
	"mutate,"                                                                            \
	"/queues/validate"

static const struct flag flags[] = {
	{.name = "listen-address",
	 .about = "the IP address to listen on (default: all)",
	 .noun = "ADDR"},
	{.name = "port",
	 .type = FLAG_INT,
	 .value = "8443",
	 .min = 0,
	 .max = 65535,
	 .about = "the port to listen on; 0: any"},
	{.name = "tls-cert-file",
	 .about = "the certificate to serve with; read again when it changes (default: makes its "
		  "own)",
	 .noun = "FILE"},
	{.name = "tls-private-key-file", .about = "its key", .noun = "FILE"},
	{.name = "ca-cert-file",
	 .about = "the CA that signed it, for the webhook configurations",
	 .noun = "FILE"},
	{.name = "webhook-namespace",
	 .about = "the namespace of the service that leads here, and of the Secret",
	 .noun = "NAME"},
	{.name = "webhook-service-name", .about = "the service that leads here", .noun = "NAME"},
	{.name = "webhook-url",
	 .about = "where the API server reaches this program, instead of by a service",
	 .noun = "URL"},
	{.name = "webhook-secret-name",
	 .value = "volcano-admission-secret",
	 .about = "the Secret with its own certificate, shared by all replicas",
	 .noun = "NAME"},
	{.name = "certificate-lifetime",
	 .type = FLAG_DURATION,
	 .value = "8760h",
	 .check = check_lifetime,
	 .about = "how long its own certificate is valid; replaced when a third is left"},
	{.name = "failure-policy",
	 .type = FLAG_CHOICE,
	 .choices = "Fail Ignore",
	 .value = "Fail",
	 .about = "what becomes of writes while no replica answers: Fail (refused), Ignore "
		  "(unchecked)",
	 .noun = "POLICY"},
	{.name = "enabled-admission",
	 .type = FLAG_LIST,
	 .value = ALL_DEFAULT,
	 .about = "the paths to serve and register",
	 .noun = "PATH"},
	{.name = "scheduler-name",
	 .type = FLAG_LIST,
	 .value = "volcano",
	 .about = "names of our scheduler; the first is the default of jobs",
	 .noun = "NAME"},
	{.name = "admission-conf",
	 .about = "the file with resource groups, for /pods/mutate; read again when it changes",
	 .noun = "FILE"},
	{.name = "ignored-namespaces",
	 .type = FLAG_LIST,
	 .value = "kube-system,kube-public,kube-node-lease",
	 .about = "namespaces that are never checked, in addition to --webhook-namespace",
	 .noun = "NAME"},
	{.name = "enable-queue-allocated-pods-check",
	 .type = FLAG_BOOL,
	 .about = "a queue with allocated pods cannot be deleted"},
	{.name = "max-queue-depth",
	 .type = FLAG_INT,
	 .value = "5",
	 .min = 1,
	 .max = INT32_MAX,
	 .about = "levels of queues below root"},
	{.name = "enable-root-queue-protection",
	 .type = FLAG_BOOL,
	 .value = "true",
	 .about = "the resources of queue root cannot be changed (default true)"},
	{.name = "feature-gates",
	 .about = "SchedulingGatesQueueAdmission=true adds scheduling gates that queues remove",
	 .noun = "NAME=BOOL,..."},
	{.name = "graceful-shutdown-time",
	 .type = FLAG_DURATION,
	 .value = "30s",
	 .about = "how long to wait for open requests when it is stopped"},
	{.name = "shutdown-delay-duration",
	 .type = FLAG_DURATION,
	 .value = "3s",
	 .about = "how long to answer new requests after a signal, so that callers notice"},
	{.name = NULL},
};

int main(int argc, char **argv)
{
	static const struct daemon_program program = {
		.name = "vc-webhook-manager",
		.about = "checks and completes Volcano's objects when they are written",
		.flags = flags,
		.serves = true,
		.start = start,
		.stop = stop,
		.print_metrics = print_metrics,
		.is_ready = is_ready,
		.drain = drain,
	};

	return daemon_main(&program, argc, argv);
}
