/* SPDX-License-Identifier: Apache-2.0 */
/* programs/vc-scheduler.c - the scheduler as a program of its own, for any Kubernetes API server. */
#include <signal.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/macro.h"
#include "base/mem.h"
#include "base/vec.h"
#include "programs/daemon/daemon.h"
#include "programs/plugins/plugin_dir.h"
#include "scheduler/conf_file.h"
#include "scheduler/local_zone.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

struct work {
	const struct command_line *line;
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

/* The texts of a list flag, up to NULL; c_list_free() frees it. */
static const char **c_list(const struct command_line *line, const char *flag)
{
	struct str rest = command_str(line, flag);
	VEC(const char *) list = {0};
	struct str text;

	while (command_next(&rest, &text))
		vec_push(&list, str_dup(text));
	vec_push(&list, NULL);
	return list.ptr;
}

static void c_list_free(const char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		mem_free((void *)(uintptr_t)list[i]);
	mem_free(list);
}
DEFINE_AUTO(const char **, c_list_free);

/* The text of --scheduler-conf; empty if there is none to use. */
static int read_conf(const struct daemon_world *world, struct buf *to, struct err *err)
{
	const char *path = command_text(world->line, "scheduler-conf");
	bool no_default = command_bool(world->line, "disable-default-scheduler-config");

	if (!path && no_default)
		return err_set(err, ERR_BAD_REQUEST,
			       "--disable-default-scheduler-config needs --scheduler-conf");
	if (!path || conf_file_read(path, to, err) == 0)
		return 0;
	if (no_default)
		return err_wrap(err, "--scheduler-conf");
	log_error(world->log, "cannot read the configuration; using the built-in one",
		  LOG_STR("err", err->text));
	buf_clear(to);
	return 0;
}

static int open_plugins(struct work *work, struct err *err)
{
	const char *folder = command_text(work->line, "plugins-dir");

	if (!folder)
		return 0;
	work->plugins = plugin_dir_open(folder, err);
	return work->plugins ? 0 : err_wrap(err, "--plugins-dir");
}

static int run(struct work *work, const struct daemon_world *world, struct err *err)
{
	const struct command_line *line = world->line;
	const char *conf = command_text(line, "scheduler-conf");
	struct str sharding = command_str(line, "scheduler-sharding-mode");
	AUTO(buf_done) struct buf config = BUF_INIT(LIMIT_YAML_BYTES);
	AUTO(c_list_free) const char **names = c_list(line, "scheduler-name");
	AUTO(c_list_free) const char **selector = c_list(line, "node-selector");
	AUTO(c_list_free) const char **ignored = c_list(line, "ignored-provisioners");
	AUTO(mem_free) char *zone_file = local_zone_path(secure_getenv("TZ"));

	if (open_plugins(work, err) < 0 || read_conf(world, &config, err) < 0)
		return -1;
	work->scheduler = scheduler_new(
		world->loop, world->client,
		&(struct scheduler_options){
			.config = config.len ? buf_str(&config) : str_none(),
			.fall_back = !command_bool(line, "disable-default-scheduler-config"),
			.scheduler_names = names[0] ? names : NULL,
			.default_queue = command_text(line, "default-queue"),
			.node_selector = selector[0] ? selector : NULL,
			.ignored_provisioners = ignored,
			.shard_name = command_text(line, "scheduler-sharding-name"),
			.shard_hard = str_is(sharding, "hard"),
			.shard_soft = str_is(sharding, "soft"),
			.zone_file = zone_file,
			.period_us = command_duration(line, "schedule-period"),
			.queue_gates =
				daemon_has_gate(line, "SchedulingGatesQueueAdmission", false),
			.no_classes = !command_bool(line, "priority-class") ||
				      !daemon_has_gate(line, "PriorityClass", true),
			.plugins = work->plugins ? plugin_dir_types(work->plugins) : NULL,
			.log = world->log,
		},
		err);
	if (!work->scheduler)
		return conf ? err_wrap(err, "--scheduler-conf %s", conf) : -1;
	if (!conf)
		return 0;
	work->file = conf_file_watch(world->loop, conf, work->scheduler, world->log, err);
	return work->file ? 0 : -1;
}

static void *start(const struct daemon_world *world, struct err *err)
{
	struct work *work = mem_new(struct work);

	work->line = world->line;
	if (run(work, world, err) == 0)
		return work;
	stop(work);
	return NULL;
}

static bool is_ready(const void *arg, struct buf *why)
{
	const struct work *work = arg;

	(void)why;
	return scheduler_is_ready(work->scheduler);
}

static void print_metrics(const void *arg, struct buf *to)
{
	const struct work *work = arg;

	scheduler_print_metrics(work->scheduler, to);
}

/* A user asks for a dump of the model. */
static void on_signal(void *arg, const struct daemon_world *world, int signo)
{
	const struct work *work = arg;
	const char *folder = command_text(work->line, "cache-dump-dir");
	struct err err;

	if (!command_bool(work->line, "cache-dumper"))
		log_warn(world->log, "a signal asks for a dump, but --cache-dumper is false");
	else if (signo == SIGUSR2)
		scheduler_log_model(work->scheduler);
	else if (scheduler_dump(work->scheduler, folder ? folder : ".", &err) < 0)
		log_error(world->log, "cannot write the dump", LOG_STR("err", err.text));
}

#define ALL_NODES "all nodes are considered"
#define ONE_THREAD "there is one thread"

static const struct flag flags[] = {
	{.name = "scheduler-conf",
	 .about = "the file with actions and plugins; read again when it changes",
	 .noun = "FILE"},
	{.name = "plugins-dir",
	 .about = "shared objects with plugins, in addition to the built-in ones",
	 .noun = "FOLDER"},
	{.name = "scheduler-name",
	 .type = FLAG_LIST,
	 .value = "volcano",
	 .about = "schedule pods with this spec.schedulerName",
	 .noun = "NAME"},
	{.name = "schedule-period",
	 .type = FLAG_DURATION,
	 .value = "1s",
	 .about = "how often to check what depends on time; changes are handled at once"},
	{.name = "default-queue",
	 .value = "default",
	 .about = "the queue of podgroups that name none",
	 .noun = "NAME"},
	{.name = "node-selector",
	 .type = FLAG_LIST,
	 .about = "use only nodes with one of these labels",
	 .noun = "KEY:VALUE"},
	{.name = "feature-gates",
	 .about = "SchedulingGatesQueueAdmission=true lets queues remove scheduling gates",
	 .noun = "NAME=BOOL,..."},
	{.name = "resync-period",
	 .type = FLAG_DURATION,
	 .about = "time between complete reads",
	 .no_effect = "watches miss nothing"},
	{.name = "priority-class",
	 .type = FLAG_BOOL,
	 .value = "true",
	 .about = "jobs have the priority of their PriorityClass (default true)"},
	{.name = "minimum-feasible-nodes",
	 .type = FLAG_INT,
	 .about = "nodes to find before the search stops",
	 .no_effect = ALL_NODES},
	{.name = "minimum-percentage-nodes-to-find",
	 .type = FLAG_INT,
	 .about = "the least percentage of nodes to search",
	 .no_effect = ALL_NODES},
	{.name = "percentage-nodes-to-find",
	 .type = FLAG_INT,
	 .about = "the percentage of nodes to search",
	 .no_effect = ALL_NODES},
	{.name = "node-worker-threads",
	 .type = FLAG_INT,
	 .about = "threads that read nodes",
	 .no_effect = ONE_THREAD},
	{.name = "ignored-provisioners",
	 .type = FLAG_LIST,
	 .about = "do not count volumes of these against what a node can attach",
	 .noun = "NAME"},
	{.name = "scheduler-sharding-mode",
	 .type = FLAG_CHOICE,
	 .choices = "none hard soft",
	 .value = "none",
	 .about = "nodes of other shards: none (used), hard (not used), soft (used if needed)",
	 .noun = "MODE"},
	{.name = "scheduler-sharding-name",
	 .value = "volcano",
	 .about = "the NodeShard with the nodes of this scheduler",
	 .noun = "NAME"},
	{.name = "disable-default-scheduler-config",
	 .type = FLAG_BOOL,
	 .about = "fail if --scheduler-conf is missing or invalid"},
	{.name = "resource-sync-timeout",
	 .type = FLAG_DURATION,
	 .about = "how long to wait for the first lists",
	 .no_effect = "nothing is scheduled before all lists are complete"},
	{.name = "csi-storage",
	 .type = FLAG_BOOL,
	 .about = "count the capacity of CSI drivers",
	 .no_effect = "capacity is not counted"},
	{.name = "gate-removal-worker-num",
	 .type = FLAG_INT,
	 .about = "threads that remove scheduling gates",
	 .no_effect = ONE_THREAD},
	{.name = "enable-pprof",
	 .type = FLAG_BOOL,
	 .about = "serve profiles of Go programs",
	 .no_effect = "this is not a Go program"},
	{.name = "cache-dumper",
	 .type = FLAG_BOOL,
	 .value = "true",
	 .about = "SIGUSR1 writes the model to a file, SIGUSR2 to the log (default true)"},
	{.name = "cache-dump-dir",
	 .value = "/tmp",
	 .about = "the folder for snapshot-<seconds>.json",
	 .noun = "FOLDER"},
	{.name = NULL},
};

int main(int argc, char **argv)
{
	static const struct daemon_program program = {
		.name = "vc-scheduler",
		.lease = "volcano",
		.about = "schedules the pods of podgroups",
		.flags = flags,
		.start = start,
		.stop = stop,
		.is_ready = is_ready,
		.print_metrics = print_metrics,
		.on_signal = on_signal,
	};

	return daemon_main(&program, argc, argv);
}
