/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/lifecycle_plan.c - plans: the lists, and how they print.
 *
 * A plan owns an arena for its texts and a reference to each of its documents. */
#include "lifecycle/lifecycle_plan.h"

#include <stdarg.h>

#include "base/buf.h"

#include "base/banned.h"

const struct plan_kind plan_kinds[PLAN_KIND_COUNT] = {
	[PLAN_JOB] = {"batch.volcano.sh/v1alpha1", "Job", "jobs", true},
	[PLAN_COMMAND] = {"bus.volcano.sh/v1alpha1", "Command", "commands", true},
	[PLAN_PODGROUP] = {"scheduling.volcano.sh/v1beta1", "PodGroup", "podgroups", true},
	[PLAN_QUEUE] = {"scheduling.volcano.sh/v1beta1", "Queue", "queues", false},
	[PLAN_JOBFLOW] = {"flow.volcano.sh/v1alpha1", "JobFlow", "jobflows", true},
	[PLAN_JOBTEMPLATE] = {"flow.volcano.sh/v1alpha1", "JobTemplate", "jobtemplates", true},
	[PLAN_VCCRONJOB] = {"batch.volcano.sh/v1alpha1", "CronJob", "cronjobs", true},
	[PLAN_HYPERNODE] = {"topology.volcano.sh/v1alpha1", "HyperNode", "hypernodes", false},
	[PLAN_POD] = {"v1", "Pod", "pods", true},
	[PLAN_SERVICE] = {"v1", "Service", "services", true},
	[PLAN_CONFIGMAP] = {"v1", "ConfigMap", "configmaps", true},
	[PLAN_SECRET] = {"v1", "Secret", "secrets", true},
	[PLAN_CLAIM] = {"v1", "PersistentVolumeClaim", "persistentvolumeclaims", true},
	[PLAN_NETWORKPOLICY] = {"networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", true},
	[PLAN_PRIORITYCLASS] = {"scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false},
	[PLAN_VOLUME] = {"v1", "PersistentVolume", "persistentvolumes", false},
	[PLAN_STORAGECLASS] = {"storage.k8s.io/v1", "StorageClass", "storageclasses", false},
	[PLAN_NODE] = {"v1", "Node", "nodes", false},
};

struct json_doc *plan_object_new(enum plan_kind_id kind, struct str name, struct str namespace,
				 struct json *ret_meta)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", str_from(plan_kinds[kind].api_version));
	json_set_str(doc, root, "kind", str_from(plan_kinds[kind].kind));
	*ret_meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, *ret_meta, "name", name);
	json_set_str(doc, *ret_meta, "namespace", namespace);
	return doc;
}

struct json plan_owner_new(struct json_doc *doc, enum plan_kind_id kind, const struct meta *owner)
{
	struct json row = json_new_obj(doc);

	json_set_str(doc, row, "apiVersion", str_from(plan_kinds[kind].api_version));
	json_set_str(doc, row, "kind", str_from(plan_kinds[kind].kind));
	json_set_str(doc, row, "name", owner->name);
	json_set_str(doc, row, "uid", owner->uid);
	json_set_bool(doc, row, "controller", true);
	json_set_bool(doc, row, "blockOwnerDeletion", true);
	return row;
}

const char *const plan_verb_names[PLAN_VERB_COUNT] = {
	[PLAN_CREATE] = "create",
	[PLAN_UPDATE] = "update",
	[PLAN_UPDATE_STATUS] = "update-status",
	[PLAN_PATCH] = "patch",
	[PLAN_PATCH_STATUS] = "patch-status",
	[PLAN_DELETE] = "delete",
};

void plan_init(struct plan *plan)
{
	*plan = (struct plan){.arena = arena_new(0)};
}

void plan_done(struct plan *plan)
{
	for (size_t i = 0; i < plan->writes.len; i++)
		json_doc_unref(plan->writes.ptr[i].doc);
	vec_done(&plan->writes);
	vec_done(&plan->notes);
	arena_free(plan->arena);
	plan->arena = NULL;
}

void plan_about(struct plan *plan, enum plan_kind_id kind, const struct meta *meta)
{
	plan->about_kind = kind;
	plan->about_namespace = arena_str(plan->arena, meta->namespace);
	plan->about_name = arena_str(plan->arena, meta->name);
	plan->about_uid = arena_str(plan->arena, meta->uid);
}

void plan_next_stage(struct plan *plan)
{
	size_t len = plan->writes.len;

	/* An empty stage is not counted. */
	if (len > 0 && plan->writes.ptr[len - 1].stage == plan->stage)
		plan->stage++;
}

void plan_step_at(struct plan *plan, int64_t time)
{
	if (plan->next_at == 0 || time < plan->next_at)
		plan->next_at = time;
}

bool plan_is_empty(const struct plan *plan)
{
	return plan->writes.len == 0 && plan->notes.len == 0;
}

static struct plan_write *add_write(struct plan *plan, enum plan_verb verb, enum plan_kind_id kind,
				    struct str namespace, struct str name)
{
	struct plan_write *write = vec_add(&plan->writes);

	write->verb = verb;
	write->kind = kind;
	write->stage = plan->stage;
	write->namespace = arena_str(plan->arena, namespace);
	write->name = arena_str(plan->arena, name);
	return write;
}

static struct plan_write *add_document(struct plan *plan, enum plan_verb verb,
				       enum plan_kind_id kind, struct json_doc *doc)
{
	struct json meta = json_get(json_doc_root(doc), "metadata");
	struct plan_write *write =
		add_write(plan, verb, kind, json_str(json_get(meta, "namespace")),
			  json_str(json_get(meta, "name")));

	write->doc = doc;
	return write;
}

struct plan_write *plan_create(struct plan *plan, enum plan_kind_id kind, struct json_doc *doc)
{
	return add_document(plan, PLAN_CREATE, kind, doc);
}

struct plan_write *plan_update(struct plan *plan, enum plan_kind_id kind, struct json_doc *doc)
{
	return add_document(plan, PLAN_UPDATE, kind, doc);
}

struct plan_write *plan_update_status(struct plan *plan, enum plan_kind_id kind,
				      struct json_doc *doc)
{
	return add_document(plan, PLAN_UPDATE_STATUS, kind, doc);
}

struct plan_write *plan_patch(struct plan *plan, enum plan_kind_id kind, const struct meta *meta,
			      enum plan_patch patch, struct json_doc *doc)
{
	struct plan_write *write = add_write(plan, PLAN_PATCH, kind, meta->namespace, meta->name);

	write->patch = patch;
	write->doc = doc;
	return write;
}

struct plan_write *plan_patch_status(struct plan *plan, enum plan_kind_id kind,
				     const struct meta *meta, enum plan_patch patch,
				     struct json_doc *doc)
{
	struct plan_write *write = plan_patch(plan, kind, meta, patch, doc);

	write->verb = PLAN_PATCH_STATUS;
	return write;
}

struct plan_write *plan_delete(struct plan *plan, enum plan_kind_id kind, const struct meta *meta)
{
	struct plan_write *write = add_write(plan, PLAN_DELETE, kind, meta->namespace, meta->name);

	write->uid = arena_str(plan->arena, meta->uid);
	return write;
}

static void add_note(struct plan *plan, enum plan_kind_id kind, const struct meta *about,
		     const char *reason, struct str message)
{
	vec_push(&plan->notes, (struct plan_note){
				       .stage = plan->stage,
				       .reason = reason,
				       .message = message,
				       .kind = kind,
				       .namespace = arena_str(plan->arena, about->namespace),
				       .name = arena_str(plan->arena, about->name),
				       .uid = arena_str(plan->arena, about->uid),
			       });
}

void plan_normal(struct plan *plan, enum plan_kind_id kind, const struct meta *about,
		 const char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_note(plan, kind, about, reason, str_from(arena_vprintf(plan->arena, format, args)));
	va_end(args);
}

void plan_warning(struct plan *plan, enum plan_kind_id kind, const struct meta *about,
		  const char *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_note(plan, kind, about, reason, str_from(arena_vprintf(plan->arena, format, args)));
	va_end(args);
	plan->notes.ptr[plan->notes.len - 1].warning = true;
}

void plan_steady(struct plan *plan)
{
	struct plan_note *last = &plan->notes.ptr[plan->notes.len - 1];

	last->steady = true;
	for (size_t i = 0; i + 1 < plan->notes.len; i++) {
		const struct plan_note *note = &plan->notes.ptr[i];

		if (note->steady && note->kind == last->kind && str_eq(note->uid, last->uid) &&
		    str_is(str_from(note->reason), last->reason) &&
		    str_eq(note->message, last->message)) {
			plan->notes.len--;
			return;
		}
	}
}

void plan_steady_by(struct plan *plan, struct str same)
{
	struct plan_note *last = &plan->notes.ptr[plan->notes.len - 1];

	last->steady = true;
	last->same = arena_str(plan->arena, same);
}

static void print_key(struct str namespace, struct str name, struct buf *to)
{
	if (namespace.len > 0)
		buf_printf(to, "%.*s/", STR_ARG(namespace));
	buf_put_str(to, name);
}

static void print_notes(const struct plan *plan, unsigned from, unsigned to_stage, struct buf *to)
{
	for (size_t i = 0; i < plan->notes.len; i++) {
		const struct plan_note *note = &plan->notes.ptr[i];

		if (note->stage < from || note->stage > to_stage)
			continue;
		buf_printf(to, "%u event %s %s ", note->stage, note->warning ? "Warning" : "Normal",
			   note->reason);
		print_key(note->namespace, note->name, to);
		buf_printf(to, ": %.*s\n", STR_ARG(note->message));
	}
}

void plan_print(const struct plan *plan, struct buf *to)
{
	unsigned noted = 0;

	for (size_t i = 0; i < plan->writes.len; i++) {
		const struct plan_write *write = &plan->writes.ptr[i];

		if (noted <= write->stage) {
			print_notes(plan, noted, write->stage, to);
			noted = write->stage + 1;
		}
		buf_printf(to, "%u %s%s %s ", write->stage, plan_verb_names[write->verb],
			   write->at_once ? "-at-once" : "", plan_kinds[write->kind].plural);
		print_key(write->namespace, write->name, to);
		buf_putc(to, '\n');
	}
	print_notes(plan, noted, UINT32_MAX, to);
}
