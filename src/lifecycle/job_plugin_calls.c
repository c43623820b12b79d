/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_plugin_calls.c - calls the plugins of a job, and has their shared helpers.
 *
 * They are called in the order of the list (model/volcano/job_plugins.h). Containers are added before
 * anything is added to containers. */
#include "base/time.h"
#include "lifecycle/job_plugin.h"
#include "model/core/meta.h"

#include "base/banned.h"

#define PLUGIN_ROW(name, needs) {#name, &plugin_##name},
static const struct {
	const char *name;
	const struct plugin *type;
} plugins[] = {JOB_PLUGINS(PLUGIN_ROW)};

/* The arguments of a plugin in the job, or NULL if the job does not use it. */
static const struct strs *args_of(const struct vcjob *job, const char *name)
{
	for (size_t i = 0; i < job->spec.plugins.len; i++)
		if (str_is(job->spec.plugins.ptr[i].key, name))
			return &job->spec.plugins.ptr[i].value;
	return NULL;
}

static bool are_known(struct job_view *view)
{
	for (size_t i = 0; i < view->job->spec.plugins.len; i++) {
		struct str name = view->job->spec.plugins.ptr[i].key;

		if (job_plugin_find(name))
			continue;
		plan_warning(view->plan, PLAN_JOB, &view->job->meta, "PluginError",
			     "Execute plugin when job add failed, err: failed to get plugin %.*s",
			     STR_ARG(name));
		plan_steady(view->plan);
		return false;
	}
	return true;
}

/* Errors of a plugin's objects are recorded as events of the job. */
static void report_failures(struct job_view *view, const struct plugin *plugin, size_t from)
{
	const char *text = "Execute plugin when job add failed, err: ";

	if (plugin == &plugin_ssh)
		text = arena_printf(view_arena(view),
				    "%screate secret for job <%.*s/%.*s> with ssh plugin failed "
				    "for ",
				    text, STR_ARG(view->job->meta.namespace),
				    STR_ARG(view->job->meta.name));
	for (size_t i = from; i < view->plan->writes.len; i++) {
		view->plan->writes.ptr[i].fail_reason = "PluginError";
		view->plan->writes.ptr[i].fail_text = text;
	}
}

bool plugins_ensure(struct job_view *view)
{
	bool ready = are_known(view);

	for (size_t i = 0; i < ARRAY_LEN(plugins) && ready; i++) {
		struct plugin_run run = {
			.view = view,
			.job = view->job,
			.args = args_of(view->job, plugins[i].name),
			.initial = view->job->status.state.phase != VCJOB_RUNNING,
		};
		size_t from = view->plan->writes.len;

		if (!run.args || !plugins[i].type->ensure)
			continue;
		plugins[i].type->ensure(&run);
		report_failures(view, plugins[i].type, from);
		if (!run.waits)
			continue;
		ready = false;
		if (!view->outcome->wants_ssh_key)
			plan_step_at(view->plan, view->world->now + TIME_SECOND);
	}
	return ready;
}

static struct plugin_run run_of(struct job_view *view, size_t at)
{
	return (struct plugin_run){
		.view = view,
		.job = view->job,
		.args = args_of(view->job, plugins[at].name),
	};
}

int plugins_pod(struct job_view *view, struct plugin_pod *pod, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(plugins); i++) {
		struct plugin_run run = run_of(view, i);

		if (run.args && plugins[i].type->containers)
			plugins[i].type->containers(&run, pod);
	}
	for (size_t i = 0; i < ARRAY_LEN(plugins); i++) {
		struct plugin_run run = run_of(view, i);

		if (run.args && plugins[i].type->pod && plugins[i].type->pod(&run, pod, err) < 0)
			return err_wrap(err, "plugin %s", plugins[i].name);
	}
	return 0;
}

static void delete_object(struct job_view *view, const struct plugin_object *object)
{
	struct plugin_run run = {.view = view, .job = view->job};
	struct str name = plugin_name(&run, object->suffix);
	struct json found = plugin_find(&run, object->kind, name);
	struct meta meta = {
		.namespace = view->job->meta.namespace,
		.name = name,
		.uid = meta_uid(found),
	};

	if (str_eq(job_controller_of(found), view->job->meta.uid) &&
	    json_is_absent(json_get(json_get(found, "metadata"), "deletionTimestamp")))
		plan_delete(view->plan, object->kind, &meta);
}

void plugins_clean(struct job_view *view)
{
	for (size_t i = 0; i < ARRAY_LEN(plugins); i++)
		for (const struct plugin_object *object = plugins[i].type->objects;
		     args_of(view->job, plugins[i].name) && object->suffix; object++)
			delete_object(view, object);
}

struct labels plugins_controlled(const struct job_view *view, bool killed)
{
	const struct vcjob_spec *spec = &view->job->spec;
	struct arena *arena = view_arena(view);
	size_t most = ARRAY_LEN(plugins) + spec->volumes.len;
	struct labels ret = {arena_calloc(arena, most, sizeof(*ret.ptr)), 0};

	for (size_t i = 0; i < ARRAY_LEN(plugins); i++) {
		const char *name = plugins[i].name;

		if (!killed && !plugins[i].type->unmarked && args_of(view->job, name))
			ret.ptr[ret.len++] = (struct label){
				str_from(arena_printf(arena, "plugin-%s", name)), str_from(name)};
	}
	for (size_t i = 0; i < spec->volumes.len; i++) {
		struct str claim = spec->volumes.ptr[i].claim_name;
		struct str key = str_from(arena_printf(arena, "volume-pvc-%.*s", STR_ARG(claim)));
		bool twice = false;

		for (size_t k = 0; k < ret.len; k++)
			twice = twice || str_eq(ret.ptr[k].key, key);
		if (claim.len > 0 && !twice)
			ret.ptr[ret.len++] = (struct label){key, claim};
	}
	return ret;
}

/* --- shared by plugins ----------------------------------------------------------------------- */

struct str plugin_name(const struct plugin_run *run, const char *suffix)
{
	return str_from(arena_printf(view_arena(run->view), "%.*s%s", STR_ARG(run->job->meta.name),
				     suffix));
}

struct json plugin_find(struct plugin_run *run, enum plan_kind_id kind, struct str name)
{
	const struct job_world *world = run->view->world;
	struct json found = world->find(world->arg, kind, name);
	struct str owner = job_controller_of(found);

	if ((owner.len > 0 && !str_eq(owner, run->job->meta.uid)) ||
	    !json_is_absent(json_get(json_get(found, "metadata"), "deletionTimestamp")))
		run->waits = true;
	return found;
}

const struct vcjob_task *plugin_task(const struct vcjob *job, struct str name)
{
	ptrdiff_t at = job_find_task(job, name);

	return at < 0 ? NULL : &job->spec.tasks.ptr[at];
}

void plugin_put_host(const struct vcjob *job, const struct vcjob_task *task, int32_t index,
		     struct buf *to)
{
	struct str host = json_str(json_get(json_get(task->template, "spec"), "hostname"));

	if (host.len > 0)
		buf_put_str(to, host);
	else
		buf_printf(to, "%.*s-%.*s-%d", STR_ARG(job->meta.name), STR_ARG(task->name), index);
}

void plugin_put_address(const struct vcjob *job, const struct vcjob_task *task, int32_t index,
			struct buf *to)
{
	struct str domain = json_str(json_get(json_get(task->template, "spec"), "subdomain"));

	plugin_put_host(job, task, index, to);
	buf_putc(to, '.');
	buf_put_str(to, domain.len > 0 ? domain : job->meta.name);
}

int32_t plugin_host_count(const struct vcjob_task *task)
{
	bool named = json_str(json_get(json_get(task->template, "spec"), "hostname")).len > 0;

	return named && task->replicas > 1 ? 1 : task->replicas;
}

bool plugin_container(const struct plugin_pod *pod, struct plugin_walk *walk)
{
	struct json list = json_get(pod->spec, "containers");
	struct json init = json_get(pod->spec, "initContainers");
	size_t at = walk->at++;

	if (at < json_len(list)) {
		walk->container = json_at(list, at);
		return true;
	}
	if (!walk->init || at - json_len(list) >= json_len(init))
		return false;
	walk->container = json_at(init, at - json_len(list));
	return true;
}

struct json plugin_append(struct json_doc *doc, struct json object, const char *list)
{
	struct json row = json_new_obj(doc);

	json_append(doc, json_ensure_arr(doc, object, list), row);
	return row;
}

void plugin_add_env(struct json_doc *doc, struct json container, struct str name, struct str value)
{
	struct json row = plugin_append(doc, container, "env");

	json_set_str(doc, row, "name", name);
	json_set_str(doc, row, "value", value);
}

void plugin_add_port(struct json_doc *doc, struct json container, const char *name, int64_t port)
{
	struct json_iter it = json_iter(json_get(container, "ports"));
	struct json row;

	while (json_next(&it))
		if (json_int(json_get(it.value, "containerPort")) == port)
			return;
	row = plugin_append(doc, container, "ports");
	json_set_str(doc, row, "name", str_from(name));
	json_set_int(doc, row, "containerPort", port);
}
