/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub_binding.c - a pod is bound to a node: once, and only while it is not being removed.
 *
 * In one write: the node's name, the condition PodScheduled, and the annotations of the binding. That
 * there is such a node is the scheduler's business. A uid or a version in the binding's metadata is a
 * precondition. */
#include <inttypes.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "apiserver/verb/edit.h"
#include "apiserver/verb/sub.h"
#include "base/arena.h"
#include "model/core/binding.h"

#include "base/banned.h"

static const struct kind *pods(const struct call *call)
{
	return kinds_find(api_kinds(call->api), STR(""), STR("v1"), STR("pods"));
}

static int check_binding(struct call *call, struct json binding, struct err *err)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct json metadata = json_get(binding, "metadata");
	struct str namespace = json_str(json_get(metadata, "namespace"));

	if (namespace.len && !str_eq(namespace, call->namespace))
		return err_set(err, ERR_BAD_REQUEST,
			       "the namespace of the provided object does not match the namespace "
			       "sent on the request");
	if (admit_namespace(&(struct admission){.call = call, .object = binding}, err) < 0)
		return -1;
	if (!call->name.len)
		call->name = arena_str(call->arena, json_str(json_get(metadata, "name")));
	if (!str_eq(json_str(json_get(metadata, "name")), call->name))
		return err_set(err, ERR_BAD_REQUEST,
			       "name in URL does not match name in Binding object");
	type_validate(&binding_type, binding, &causes);
	if (causes.len)
		return err_set(err, ERR_UNKNOWN, "%s: %s", causes.ptr[0].field,
			       causes.ptr[0].message);
	return 0;
}

static int check_preconditions(struct call *call, struct json binding, struct json pod,
			       int64_t revision, struct err *err)
{
	struct json metadata = json_get(binding, "metadata");
	struct str uid = json_str(json_get(metadata, "uid"));
	struct str version = json_str(json_get(metadata, "resourceVersion"));
	struct str is = json_str(json_get(json_get(pod, "metadata"), "uid"));
	struct str newest = str_from(arena_printf(call->arena, "%" PRId64, revision));

	if (uid.len && !str_eq(uid, is))
		return sub_err_precondition(call, "UID", uid, is, err);
	if (version.len && !str_eq(version, newest))
		return sub_err_precondition(call, "ResourceVersion", version, newest, err);
	return 0;
}

/* May it still be bound? */
static int check_pod(struct call *call, struct json pod, struct err *err)
{
	struct json spec = json_get(pod, "spec");
	struct str node = json_str(json_get(spec, "nodeName"));
	struct str name = call->name;
	const char *why = NULL;

	if (!json_is_absent(json_get(json_get(pod, "metadata"), "deletionTimestamp")))
		why = arena_printf(call->arena,
				   "pod %.*s is being deleted, cannot be assigned to a host",
				   STR_ARG(name));
	else if (node.len)
		why = arena_printf(call->arena, "pod %.*s is already assigned to node \"%.*s\"",
				   STR_ARG(name), STR_ARG(node));
	else if (json_len(json_get(spec, "schedulingGates")))
		why = arena_printf(call->arena, "pod %.*s has non-empty .spec.schedulingGates",
				   STR_ARG(name));
	if (!why)
		return 0;
	call->error.kind = STR("pods/binding");
	return call_err_conflict(call, name, why, err);
}

static void bind_pod(struct call *call, struct json_doc *doc, struct json binding)
{
	struct json pod = json_doc_root(doc);
	struct json target = json_get(binding, "target");
	struct json_iter it = json_iter(json_get(json_get(binding, "metadata"), "annotations"));

	json_set_str(doc, json_ensure_obj(doc, pod, "spec"), "nodeName",
		     json_str(json_get(target, "name")));
	while (json_next(&it))
		json_set(doc, json_ensure_obj(doc, json_get(pod, "metadata"), "annotations"),
			 it.key, json_new_copy(doc, it.value));
	sub_set_pod_condition(doc, pod, &(struct sub_condition){.type = "PodScheduled"},
			      call_now(call));
}

static bool bind(struct edit *edit)
{
	struct call *call = edit->call;
	struct json binding = json_doc_root(call->body.doc);
	struct err err;

	edit_decode_old(edit);
	if (check_preconditions(call, binding, json_doc_root(edit->old), edit->stored->revision,
				&err) < 0 ||
	    check_pod(call, json_doc_root(edit->old), &err) < 0)
		return edit_refuse(edit, &err);
	edit->doc = json_doc_thaw(json_doc_root(edit->old));
	bind_pod(call, edit->doc, binding);
	if (edit->split)
		stage_prepare(call, edit->doc, edit->stored, edit->old, &edit->made);
	return true;
}

static bool store(struct edit *edit)
{
	if (edit_is_stale(edit))
		return edit_restart(edit);
	if (edit->made.ready)
		stage_update_made(edit->call, edit->doc, edit->stored, &edit->made, 201);
	else
		stage_update(edit->call, edit->doc, edit->stored, 201);
	return false;
}

void sub_serve_binding(struct call *call)
{
	static const struct edit_step steps[] = {
		{edit_find, false}, {bind, true}, {store, false}, {NULL, false}};
	const struct kind *as =
		kinds_find(api_kinds(call->api), STR(""), STR("v1"), STR("bindings"));
	struct err err;
	struct json_doc *binding = sub_decode(call, as, &err);

	json_doc_unref(call->body.doc);
	call->body.doc = binding;
	call->kind = pods(call);
	if (!binding || check_binding(call, json_doc_root(binding), &err) < 0) {
		call_answer_err(call, &err);
		return;
	}
	sub_answer_status(call, 201);
	edit_run(&(struct edit){.call = call, .next = steps});
}
