/* SPDX-License-Identifier: Apache-2.0 */
/* programs/vc-scheduler.c - the scheduler beside a Kubernetes API server. */
#include <signal.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/macro.h"
#include "base/mem.h"
#include "base/time.h"
#include "programs/daemon/daemon.h"
#include "programs/plugins/plugin_dir.h"
#include "scheduler/conf_file.h"
#include "scheduler/local_zone.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

struct scheduler_settings {
	const char *conf;
	const char *plugins_dir;
	const char *default_queue;
	const char *feature_gates;
	struct daemon_texts names;
	struct daemon_texts node_selector;
	struct daemon_texts ignored_provisioners;
	const char *sharding;
	const char *shard;
	bool classes;
	bool no_default;
	int64_t period;
	bool dumps;
	const char *dump_dir;
};

struct work {
	const struct scheduler_settings *settings;
	struct plugin_dir *plugins;
	struct scheduler *scheduler;
	struct conf_file *file;
};

static void stop(void *arg)
{
	struct work *work = arg;

	conf_file_free(work->file);
	scheduler_free(work->scheduler);
	plugin_dir_close(work->plugins);
	mem_free(work);
}

/* NULL-terminated, in the arena of nobody: freed by the caller with mem_free(). */
static const char **c_list(const struct daemon_texts *texts)
{
	const char **list = mem_calloc(texts->len + 1, sizeof(*list));

	for (size_t i = 0; i < texts->len; i++)
		list[i] = str_dup(texts->ptr[i]);
	return list;
}

static void c_list_free(const char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		mem_free((void *)(uintptr_t)list[i]);
	mem_free(list);
}
DEFINE_AUTO(const char **, c_list_free);

/* `usual` where nothing is said of it. */
static bool has_gate(const char *gates, const char *name, bool usual)
{
	struct str rest = str_from(gates);
	struct str part;

	while (str_split(&rest, ',', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);

		if (equals > 0 && str_is(str_trim(str_slice(part, 0, (size_t)equals)), name))
			return str_is(str_trim(str_skip(part, (size_t)equals + 1)), "true");
	}
	return usual;
}

static int check(const struct scheduler_settings *settings, struct err *err)
{
	struct str mode = str_from(settings->sharding);

	if (!str_is(mode, "none") && !str_is(mode, "hard") && !str_is(mode, "soft"))
		return err_set(err, ERR_BAD_REQUEST,
			       "--scheduler-sharding-mode: \"%s\" is none of none, hard, soft",
			       settings->sharding);
	if (settings->no_default && !settings->conf)
		return err_set(err, ERR_BAD_REQUEST,
			       "--disable-default-scheduler-config needs --scheduler-conf");
	return 0;
}

static int run(struct work *work, const struct scheduler_settings *settings,
	       const struct daemon_world *world, struct err *err)
{
	AUTO(buf_done) struct buf config = BUF_INIT(LIMIT_YAML_BYTES);
	AUTO(c_list_free) const char **names = c_list(&settings->names);
	AUTO(c_list_free) const char **selector = c_list(&settings->node_selector);
	AUTO(c_list_free) const char **ignored = c_list(&settings->ignored_provisioners);
	AUTO(mem_free) char *zone_file = local_zone_path(secure_getenv("TZ"));

	if (check(settings, err) < 0)
		return -1;
	if (settings->plugins_dir) {
		work->plugins = plugin_dir_open(settings->plugins_dir, err);
		if (!work->plugins)
			return err_wrap(err, "--plugins-dir");
	}
	if (settings->conf && conf_file_read(settings->conf, &config, err) < 0) {
		if (settings->no_default)
			return err_wrap(err, "--scheduler-conf");
		log_error(world->log, "the configuration cannot be read, the built-in one holds",
			  LOG_STR("why", err->text));
		buf_clear(&config);
	}
	work->scheduler = scheduler_new(
		world->loop, world->client,
		&(struct scheduler_options){
			.config = config.len ? buf_str(&config) : str_none(),
			.fall_back = !settings->no_default,
			.scheduler_names = settings->names.len ? names : NULL,
			.default_queue = settings->default_queue,
			.node_selector = settings->node_selector.len ? selector : NULL,
			.ignored_provisioners = ignored,
			.shard_name = settings->shard,
			.shard_hard = str_is(str_from(settings->sharding), "hard"),
			.shard_soft = str_is(str_from(settings->sharding), "soft"),
			.zone_file = zone_file,
			.period_us = settings->period,
			.queue_gates = has_gate(settings->feature_gates,
						"SchedulingGatesQueueAdmission", false),
			.no_classes = !settings->classes ||
				      !has_gate(settings->feature_gates, "PriorityClass", true),
			.plugins = work->plugins ? plugin_dir_types(work->plugins) : NULL,
			.log = world->log,
		},
		err);
	if (!work->scheduler)
		return settings->conf ? err_wrap(err, "--scheduler-conf %s", settings->conf) : -1;
	if (!settings->conf)
		return 0;
	work->file = conf_file_watch(world->loop, settings->conf, work->scheduler, world->log, err);
	return work->file ? 0 : -1;
}

static void *start(void *arg, const struct daemon_world *world, struct err *err)
{
	struct work *work = mem_new(struct work);

	work->settings = arg;
	if (run(work, arg, world, err) == 0)
		return work;
	stop(work);
	return NULL;
}

static void print_metrics(const void *arg, struct buf *to)
{
	const struct work *work = arg;

	scheduler_print_metrics(work->scheduler, to);
}

/* Somebody wants to know what it thinks. */
static void told(void *arg, const struct daemon_world *world, int signo)
{
	const struct work *work = arg;
	struct err err;

	if (!work->settings->dumps)
		log_warn(world->log, "a dump is asked for, but --cache-dumper is off");
	else if (signo == SIGUSR2)
		scheduler_log_model(work->scheduler);
	else if (scheduler_dump(work->scheduler, work->settings->dump_dir, &err) < 0)
		log_error(world->log, "the model cannot be dumped", LOG_STR("why", err.text));
}

int main(int argc, char **argv)
{
	struct scheduler_settings settings = {.default_queue = "default",
					      .sharding = "none",
					      .shard = "volcano",
					      .classes = true,
					      .period = TIME_SECOND,
					      .dumps = true,
					      .dump_dir = "/tmp"};
	const struct daemon_flag flags[] = {
		{"scheduler-conf", DAEMON_TEXT, &settings.conf,
		 "the file with actions and plugins; read again when it changes"},
		{"plugins-dir", DAEMON_TEXT, &settings.plugins_dir,
		 "a folder of plugins beside those that are built in: shared objects"},
		{"scheduler-name", DAEMON_TEXTS, &settings.names,
		 "whose pods to place: their spec.schedulerName (volcano)"},
		{"schedule-period", DAEMON_DURATION, &settings.period,
		 "how often to look at what depends on time; changes are seen at once (1s)"},
		{"default-queue", DAEMON_TEXT, &settings.default_queue,
		 "the queue of podgroups that name none (default)"},
		{"node-selector", DAEMON_TEXTS, &settings.node_selector,
		 "key:value; only nodes with one of these labels"},
		{"feature-gates", DAEMON_TEXT, &settings.feature_gates,
		 "SchedulingGatesQueueAdmission=true lets queues take gates away"},
		{"resync-period", DAEMON_DURATION, NULL, "taken and not used: nothing is lost"},
		{"priority-class", DAEMON_SWITCH, &settings.classes,
		 "jobs have the priority of their PriorityClass (true)"},
		{"minimum-feasible-nodes", DAEMON_NUMBER, NULL,
		 "taken and not used: all nodes are looked at"},
		{"minimum-percentage-nodes-to-find", DAEMON_NUMBER, NULL, "likewise"},
		{"percentage-nodes-to-find", DAEMON_NUMBER, NULL, "likewise"},
		{"node-worker-threads", DAEMON_NUMBER, NULL,
		 "taken and not used: there is one thread"},
		{"ignored-provisioners", DAEMON_TEXTS, &settings.ignored_provisioners,
		 "volumes of these are not counted against what a node can attach"},
		{"scheduler-sharding-mode", DAEMON_TEXT, &settings.sharding,
		 "nodes of other shards: none (are used), hard (are not), soft (in need)"},
		{"scheduler-sharding-name", DAEMON_TEXT, &settings.shard,
		 "the NodeShard with the nodes of this scheduler (volcano)"},
		{"disable-default-scheduler-config", DAEMON_SWITCH, &settings.no_default,
		 "end if --scheduler-conf is missing or makes no sense"},
		{"resource-sync-timeout", DAEMON_DURATION, NULL,
		 "taken and not used: nothing is scheduled before everything is known"},
		{"csi-storage", DAEMON_SWITCH, NULL, "taken and not used"},
		{"gate-removal-worker-num", DAEMON_NUMBER, NULL, "likewise"},
		{"enable-pprof", DAEMON_SWITCH, NULL, "likewise"},
		{"cache-dumper", DAEMON_SWITCH, &settings.dumps,
		 "SIGUSR1 dumps the model into a file, SIGUSR2 into the log (true)"},
		{"cache-dump-dir", DAEMON_TEXT, &settings.dump_dir,
		 "the folder of snapshot-<seconds>.json (/tmp)"},
	};
	const struct daemon_program program = {
		.name = "vc-scheduler",
		.about = "places the pods of podgroups",
		.healthz_address = ":11251",
		.flags = flags,
		.flag_count = ARRAY_LEN(flags),
		.start = start,
		.stop = stop,
		.print_metrics = print_metrics,
		.told = told,
		.arg = &settings,
	};
	int code = daemon_main(&program, argc, argv);

	vec_done(&settings.names);
	vec_done(&settings.node_selector);
	vec_done(&settings.ignored_provisioners);
	return code;
}
