/* SPDX-License-Identifier: Apache-2.0 */
/* programs/vc-controller-manager.c - the controllers beside a Kubernetes API server. */
#include "base/macro.h"
#include "controller/controller.h"
#include "programs/daemon/daemon.h"

#include "base/banned.h"

struct manager_settings {
	const char *controllers;
	int64_t max_requeue;
	struct daemon_texts scheduler_names;
	bool inherit;
};

static void *start(void *arg, const struct daemon_world *world, struct err *err)
{
	const struct manager_settings *settings = arg;

	return controllers_new(
		world->loop, world->client,
		&(struct controllers_options){
			.controllers = settings->controllers,
			.max_requeue = settings->max_requeue < 0 ? -1 : (int)settings->max_requeue,
			.scheduler_names = {settings->scheduler_names.ptr,
					    settings->scheduler_names.len},
			.keep_owner_annotations = !settings->inherit,
			.log = world->log,
		},
		err);
}

static void stop(void *work)
{
	controllers_free(work);
}

static void print_metrics(const void *work, struct buf *to)
{
	controllers_print_metrics(work, to);
}

int main(int argc, char **argv)
{
	struct manager_settings settings = {
		.controllers = "*,-sharding-controller",
		.max_requeue = CONTROLLER_MAX_REQUEUE,
		.inherit = true,
	};
	const struct daemon_flag flags[] = {
		{"controllers", DAEMON_TEXT, &settings.controllers,
		 "which to run: names, + and - before them, * for the rest"},
		{"max-requeue-num", DAEMON_NUMBER, &settings.max_requeue,
		 "failures until a job is terminated; -1: never (15)"},
		{"scheduler-name", DAEMON_TEXTS, &settings.scheduler_names,
		 "schedulers whose plain pods get podgroups (volcano)"},
		{"inherit-owner-annotations", DAEMON_SWITCH, &settings.inherit,
		 "copy the owner's annotations to podgroups"},
		{"worker-threads", DAEMON_NUMBER, NULL, "taken and not used: there is one thread"},
		{"worker-threads-for-cronjob", DAEMON_NUMBER, NULL, "likewise"},
		{"worker-threads-for-podgroup", DAEMON_NUMBER, NULL, "likewise"},
		{"worker-threads-for-queue", DAEMON_NUMBER, NULL, "likewise"},
		{"worker-threads-for-gc", DAEMON_NUMBER, NULL, "likewise"},
		{"scheduler-configs", DAEMON_TEXT, NULL, "taken and not used: no sharding"},
		{"shard-sync-period", DAEMON_DURATION, NULL, "likewise"},
		{"enable-node-event-trigger", DAEMON_SWITCH, NULL, "likewise"},
		{"sharding-configmap", DAEMON_TEXT, NULL, "likewise"},
		{"sharding-configmap-namespace", DAEMON_TEXT, NULL, "likewise"},
		{"feature-gates", DAEMON_TEXT, NULL, "taken and not used: everything is on"},
	};
	const struct daemon_program program = {
		.name = "vc-controller-manager",
		.about = "controllers of jobs, queues, podgroups and flows",
		.healthz_address = ":11251",
		.flags = flags,
		.flag_count = ARRAY_LEN(flags),
		.start = start,
		.stop = stop,
		.print_metrics = print_metrics,
		.arg = &settings,
	};
	int code = daemon_main(&program, argc, argv);

	vec_done(&settings.scheduler_names);
	return code;
}
