/* SPDX-License-Identifier: Apache-2.0 */
/* programs/vc-controller-manager.c - the controllers as a program of their own, for any Kubernetes API
 * server. */
#include <stdlib.h>

#include "base/macro.h"
#include "base/mem.h"
#include "base/vec.h"
#include "controller/controller.h"
#include "programs/daemon/daemon.h"

#include "base/banned.h"

struct work {
	struct controllers *controllers;
	VEC(struct str) names; /* of schedulers */
	char *config_name;     /* of the ConfigMap of the release that it was installed with */
};

/* What a variable says; NULL: nothing. */
static const char *variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

static void stop(void *arg)
{
	struct work *work = arg;

	controllers_free(work->controllers);
	vec_done(&work->names);
	mem_free(work->config_name);
	mem_free(work);
}

static void *start(const struct daemon_world *world, struct err *err)
{
	const struct command_line *line = world->line;
	struct str rest = command_str(line, "scheduler-name");
	int64_t max_requeue = command_int(line, "max-requeue-num");
	const char *release = variable("HELM_RELEASE_NAME");
	struct work *work = mem_new(struct work);
	struct str name;

	while (command_next(&rest, &name))
		vec_push(&work->names, name);
	work->config_name = mem_printf("%s-controller-configmap", release ? release : "volcano");
	work->controllers = controllers_new(
		world->loop, world->client,
		&(struct controllers_options){
			.controllers = command_str(line, "controllers").ptr,
			.max_requeue = max_requeue < 0 ? -1 : (int)max_requeue,
			.scheduler_names = {work->names.ptr, work->names.len},
			.keep_owner_annotations = !command_bool(line, "inherit-owner-annotations"),
			.config_namespace = variable("KUBE_POD_NAMESPACE"),
			.config_name = work->config_name,
			.log = world->log,
		},
		err);
	if (work->controllers)
		return work;
	stop(work);
	return NULL;
}

static bool is_ready(const void *arg, struct buf *why)
{
	const struct work *work = arg;

	(void)why;
	return controllers_are_ready(work->controllers);
}

static void print_metrics(const void *arg, struct buf *to)
{
	const struct work *work = arg;

	controllers_print_metrics(work->controllers, to);
}

#define ONE_THREAD "there is one thread"
#define NO_SHARDS "there is no sharding controller"

static const struct flag flags[] = {
	{.name = "controllers",
	 .value = "*,-sharding-controller",
	 .about = "which to run: names, with + or - before them, * for the others",
	 .noun = "LIST"},
	{.name = "max-requeue-num",
	 .type = FLAG_INT,
	 .value = "15",
	 .about = "failures before a job is terminated; negative: never",
	 .noun = "N"},
	{.name = "scheduler-name",
	 .type = FLAG_LIST,
	 .value = "volcano",
	 .about = "make podgroups for plain pods of this scheduler",
	 .noun = "NAME"},
	{.name = "inherit-owner-annotations",
	 .type = FLAG_BOOL,
	 .value = "true",
	 .about = "copy the owner's annotations to podgroups (default true)"},
	{.name = "worker-threads",
	 .type = FLAG_INT,
	 .about = "threads for jobs",
	 .no_effect = ONE_THREAD},
	{.name = "worker-threads-for-cronjob",
	 .type = FLAG_INT,
	 .about = "threads for cron jobs",
	 .no_effect = ONE_THREAD},
	{.name = "worker-threads-for-podgroup",
	 .type = FLAG_INT,
	 .about = "threads for podgroups",
	 .no_effect = ONE_THREAD},
	{.name = "worker-threads-for-queue",
	 .type = FLAG_INT,
	 .about = "threads for queues",
	 .no_effect = ONE_THREAD},
	{.name = "worker-threads-for-gc",
	 .type = FLAG_INT,
	 .about = "threads for garbage collection",
	 .no_effect = ONE_THREAD},
	{.name = "detection-period-of-dependson-task",
	 .type = FLAG_DURATION,
	 .about = "how often to check tasks that others depend on",
	 .no_effect = "they are watched"},
	{.name = "scheduler-configs",
	 .type = FLAG_LIST,
	 .about = "shards of schedulers",
	 .no_effect = NO_SHARDS},
	{.name = "shard-sync-period",
	 .type = FLAG_DURATION,
	 .about = "how often to compute shards",
	 .no_effect = NO_SHARDS},
	{.name = "enable-node-event-trigger",
	 .type = FLAG_BOOL,
	 .about = "compute shards when nodes change",
	 .no_effect = NO_SHARDS},
	{.name = "sharding-configmap",
	 .about = "the configuration of shards",
	 .no_effect = NO_SHARDS},
	{.name = "sharding-configmap-namespace", .about = "its namespace", .no_effect = NO_SHARDS},
	{.name = "feature-gates",
	 .about = "features to switch on or off",
	 .noun = "NAME=BOOL,...",
	 .no_effect = "every feature is on"},
	{.name = NULL},
};

int main(int argc, char **argv)
{
	static const struct daemon_program program = {
		.name = "vc-controller-manager",
		.about = "controllers of jobs, queues, podgroups and flows",
		.flags = flags,
		.start = start,
		.stop = stop,
		.is_ready = is_ready,
		.print_metrics = print_metrics,
	};

	return daemon_main(&program, argc, argv);
}
