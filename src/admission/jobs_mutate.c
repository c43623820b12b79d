/* SPDX-License-Identifier: Apache-2.0 */
/* admission/jobs_mutate.c - the defaults of a Job that depend on other fields, for a new one.
 *
 * If any task gets a default, upstream replaces the whole list by its Go form; this code does the
 * same (type_go), because stored objects are compared and shown. Plugins without arguments are
 * kept; upstream loses a plugin whose arguments are null. */
#include "admission/hooks.h"
#include "model/volcano/job_plugins.h"

#include "base/banned.h"

enum { RETRIES = 3 };

static bool lacks(struct json object, const char *key)
{
	struct json value = json_get(object, key);

	return json_is_absent(value) || json_is(value, JSON_NULL);
}

static void fill_text(struct json_doc *doc, struct json object, const char *key, struct str text)
{
	if (!json_str(json_get(object, key)).len)
		json_set_str(doc, object, key, text);
}

/* Numbers of a document are within int32 once their types are checked. */
static int64_t min_available_of(struct json task)
{
	struct json policy = json_get(task, "partitionPolicy");
	int64_t partitions = json_int(json_get(policy, "minPartitions"));

	if (partitions > 0)
		return (int32_t)(partitions * json_int(json_get(policy, "partitionSize")));
	return json_int(json_get(task, "replicas"));
}

/* Is there a field without a value? */
static bool fill_task(struct json_doc *doc, struct json task, size_t index)
{
	struct json spec = json_get(json_get(task, "template"), "spec");
	bool filled = false;

	if (!json_str(json_get(task, "name")).len) {
		json_set(doc, task, STR("name"), json_new_printf(doc, "default%zu", index));
		filled = true;
	}
	if (json_bool(json_get(spec, "hostNetwork")) &&
	    !json_str(json_get(spec, "dnsPolicy")).len) {
		json_set_str(doc, spec, "dnsPolicy", STR("ClusterFirstWithHostNet"));
		filled = true;
	}
	if (lacks(task, "minAvailable")) {
		json_set_int(doc, task, "minAvailable", min_available_of(task));
		filled = true;
	}
	if (!json_int(json_get(task, "maxRetry"))) {
		json_set_int(doc, task, "maxRetry", RETRIES);
		filled = true;
	}
	return filled;
}

/* Returns the sum of the tasks' minAvailable. A task that is null is left to the schema, which rejects
 * it. */
static int64_t fill_tasks(struct json_doc *doc, struct json tasks)
{
	struct json_iter it = json_iter(tasks);
	int64_t needed = 0;
	bool filled = false;

	while (json_next(&it)) {
		if (!json_is(it.value, JSON_OBJ))
			continue;
		filled = fill_task(doc, it.value, it.index) || filled;
		needed += json_int(json_get(it.value, "minAvailable"));
	}
	it = json_iter(tasks);
	while (filled && json_next(&it))
		if (json_is(it.value, JSON_OBJ))
			type_go(&vcjob_task_type, doc, it.value);
	return needed;
}

/* Add the plugins that those of the job need. */
static void fill_plugins(struct json_doc *doc, struct json plugins)
{
	struct json_iter it = json_iter(plugins);
	unsigned needs = 0;

	if (!json_is(plugins, JSON_OBJ))
		return;
	while (json_next(&it)) {
		const struct job_plugin *plugin = job_plugin_find(it.key);

		needs |= plugin ? plugin->needs : 0;
		if (json_is(it.value, JSON_NULL))
			json_set(doc, plugins, it.key, json_new_arr(doc));
	}
	if (needs & JOB_PLUGIN_NEEDS_SVC && lacks(plugins, "svc"))
		json_set(doc, plugins, STR("svc"), json_new_arr(doc));
	if (needs & JOB_PLUGIN_NEEDS_SSH && lacks(plugins, "ssh"))
		json_set(doc, plugins, STR("ssh"), json_new_arr(doc));
}

int jobs_mutate(const struct admission_case *c)
{
	const struct strs *schedulers = &c->admission->config.scheduler_names;
	struct json spec = json_get(c->review->object, "spec");
	int64_t needed;

	if (hook_check_types(c, &vcjob_type) < 0)
		return -1;
	if (!json_is(spec, JSON_OBJ))
		return hook_deny_no_spec(c);
	fill_text(c->doc, spec, "queue", STR("default"));
	fill_text(c->doc, spec, "schedulerName",
		  schedulers->len ? schedulers->ptr[0] : STR("volcano"));
	if (!json_int(json_get(spec, "maxRetry")))
		json_set_int(c->doc, spec, "maxRetry", RETRIES);
	needed = fill_tasks(c->doc, json_get(spec, "tasks"));
	if (!json_int(json_get(spec, "minAvailable")))
		json_set_int(c->doc, spec, "minAvailable", (int32_t)needed);
	fill_plugins(c->doc, json_get(spec, "plugins"));
	return 0;
}
