/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_plugin.h - plugins of jobs: what they add to pods, and the objects that they create.
 *
 * To add one: a file in lifecycle/plugin/ with one table, and its row in
 * model/volcano/job_plugins.h. A plugin has no state: each hook gets the job and its arguments. The
 * objects that it makes are named in its table, so that they are deleted at the end of a job
 * without calling the plugin. */
#ifndef LIFECYCLE_JOB_PLUGIN_H
#define LIFECYCLE_JOB_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/job_internal.h"
#include "model/volcano/job_plugins.h"

/* An object of the job, named after the job with a suffix. */
struct plugin_object {
	enum plan_kind_id kind;
	const char *suffix; /* NULL ends the list */
};

/* One plugin of one job. */
struct plugin_run {
	struct job_view *view;
	const struct vcjob *job;
	const struct strs *args;
	bool initial; /* the job has not started: all objects must exist */
	bool waits;   /* set by a hook: pods must not be created yet */
};

/* A pod that is being created. */
struct plugin_pod {
	struct json_doc *doc;
	struct json meta;
	struct json spec;
	const struct vcjob_task *task;
	struct str name;
	int32_t index;
};

struct plugin {
	bool unmarked; /* not among status.controlledResources */
	struct plugin_object objects[4];
	/* Adds writes for objects that are missing or differ. May be NULL. */
	void (*ensure)(struct plugin_run *run);
	/* Add containers to a pod. Called for all plugins before any `pod`, so that added containers get
	 * what a plugin gives to every container. May be NULL. */
	void (*containers)(struct plugin_run *run, struct plugin_pod *pod);
	/* Changes a pod before it is created. May be NULL. */
	int (*pod)(struct plugin_run *run, struct plugin_pod *pod, struct err *err);
};

#define PLUGIN_DECLARE(name, needs) extern const struct plugin plugin_##name;
JOB_PLUGINS(PLUGIN_DECLARE)
#undef PLUGIN_DECLARE

/* --- for the job controller ------------------------------------------------------------------ */

/* Adds the writes of all plugins. False: pods must not be created yet (a plugin waits, or is
 * unknown; an event says so). */
bool plugins_ensure(struct job_view *view);
int plugins_pod(struct job_view *view, struct plugin_pod *pod, struct err *err) MUST_CHECK;
/* Delete the objects of all plugins. */
void plugins_clean(struct job_view *view);
/* status.controlledResources of the job's plugins and claims; without plugins after it was killed.
 */
struct labels plugins_controlled(const struct job_view *view, bool killed);

/* --- for plugins ----------------------------------------------------------------------------- */

/* <job><suffix>, in the plan's arena. */
struct str plugin_name(const struct plugin_run *run, const char *suffix);
/* The existing object of that name. Sets `waits` if it belongs to a deleted job: it will be deleted
 * too. */
struct json plugin_find(struct plugin_run *run, enum plan_kind_id kind, struct str name);

/* The task with this name, or NULL. */
const struct vcjob_task *plugin_task(const struct vcjob *job, struct str name);
/* The name of a pod of a task in the network, without and with the domain: "j-a-0", "j-a-0.j". */
void plugin_put_host(const struct vcjob *job, const struct vcjob_task *task, int32_t index,
		     struct buf *to);
void plugin_put_address(const struct vcjob *job, const struct vcjob_task *task, int32_t index,
			struct buf *to);
/* Hosts of a task: its replicas, or one if the template names the host. */
int32_t plugin_host_count(const struct vcjob_task *task);

/* Every container of a pod, with init containers if `init`:
 *	struct plugin_walk walk = {.init = true};
 *	while (plugin_container(pod, &walk)) use(walk.container); */
struct plugin_walk {
	bool init;
	struct json container;
	size_t at;
};
bool plugin_container(const struct plugin_pod *pod, struct plugin_walk *walk);
void plugin_add_env(struct json_doc *doc, struct json container, struct str name, struct str value);
/* Adds a port, unless one with that number exists. */
void plugin_add_port(struct json_doc *doc, struct json container, const char *name, int64_t port);
/* Appends a new object to `list` ("volumeMounts", "env", ...). */
struct json plugin_append(struct json_doc *doc, struct json object, const char *list);

#endif
