/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/device_file.c - the device configuration file of the plugin deviceshare: a ConfigMap that is watched by its
 * name, as long as the configuration names the plugin.
 *
 * Policy reads it from the model. What is wrong with a version of it is logged, and reported as an event of the
 * ConfigMap, once. */
#include "base/log.h"
#include "base/mem.h"
#include "sched/device/device.h"
#include "sched/plugin/deviceshare.h"
#include "scheduler/internal.h"

#include "base/banned.h"

static bool is_same(const char *a, struct str b)
{
	return a && str_is(b, a);
}

static void stop(struct scheduler *scheduler)
{
	struct feed *feed = &scheduler->feeds[CLUSTER_CONFIGMAP];

	if (!feed->informer)
		return;
	if (!informer_synced(feed->informer))
		scheduler->unsynced--;
	informer_free(feed->informer);
	feed->informer = NULL;
	cluster_remove(scheduler->cluster, CLUSTER_CONFIGMAP, str_from(scheduler->device_namespace),
		       str_from(scheduler->device_name));
	mem_free(scheduler->device_namespace);
	mem_free(scheduler->device_name);
	scheduler->device_namespace = scheduler->device_name = NULL;
}

void scheduler_watch_device_file(struct scheduler *scheduler, const struct informer_events *events)
{
	struct feed *feed = &scheduler->feeds[CLUSTER_CONFIGMAP];
	struct str namespace = str_none(), name = str_none();
	bool wanted = deviceshare_source(scheduler->config, &namespace, &name);
	AUTO(mem_free) char *selector = NULL;

	if (wanted && is_same(scheduler->device_namespace, namespace) &&
	    is_same(scheduler->device_name, name))
		return;
	stop(scheduler);
	if (!wanted)
		return;
	scheduler->device_namespace = str_dup(namespace);
	scheduler->device_name = str_dup(name);
	selector = mem_printf("metadata.name=%s", scheduler->device_name);
	*feed = (struct feed){.scheduler = scheduler, .kind = CLUSTER_CONFIGMAP};
	feed->informer =
		informer_new(scheduler->client,
			     &(struct informer_options){.resource = &resources[RESOURCE_CONFIGMAPS],
							.namespace = namespace,
							.field_selector = str_from(selector),
							.optional = true,
							.log = scheduler->log});
	scheduler->unsynced++;
	informer_listen(feed->informer, events, feed);
	informer_start(feed->informer);
}

void scheduler_report_device_file(struct scheduler *scheduler)
{
	const struct devices *devices = scheduler->cluster->devices;
	const char *problem = devices ? devices->problem : NULL;
	const struct recorder_object object = {
		.api_version = STR("v1"),
		.kind = STR("ConfigMap"),
		.namespace = str_from(scheduler->device_namespace),
		.name = str_from(scheduler->device_name),
	};

	if (problem && is_same(scheduler->device_problem, str_from(problem)))
		return;
	mem_free(scheduler->device_problem);
	scheduler->device_problem = problem ? mem_strdup(problem) : NULL;
	if (!problem || !scheduler->device_name)
		return;
	log_error(scheduler->log, "the device configuration is invalid, the previous one holds",
		  LOG_STR("why", problem));
	recorder_eventf(scheduler->recorder, &object, "Warning", "InvalidDeviceConfig",
			"%s; still using the previous device configuration", problem);
}

void scheduler_drop_device_file(struct scheduler *scheduler)
{
	mem_free(scheduler->device_namespace);
	mem_free(scheduler->device_name);
	mem_free(scheduler->device_problem);
}
