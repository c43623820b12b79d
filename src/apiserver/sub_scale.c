/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/sub_scale.c - the sub-resource "scale": the size of an object, whatever its kind.
 *
 * Reading makes a Scale (autoscaling/v1) of the object by the paths of its kind. A new size is set
 * in a copy of the object, which takes the way of any update in a call of its own; its answer is
 * made a Scale again, and its errors are ours. */
#include "apiserver/sub_scale.h"

#include <assert.h>

#include "apiserver/api_internal.h"
#include "apiserver/jsonpath.h"
#include "apiserver/page.h"
#include "apiserver/reading.h"
#include "base/vec.h"
#include "json/merge.h"
#include "json/patch.h"
#include "model/causes.h"
#include "model/scale.h"

#include "base/banned.h"

/* --- an object as a Scale --- */

static struct json copy_meta(struct json_doc *doc, struct json metadata)
{
	static const char *const kept[] = {"name", "namespace", "uid", "resourceVersion",
					   "creationTimestamp"};
	struct json made = json_new_obj(doc);

	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		struct json value = json_get(metadata, kept[i]);

		if (!json_is_absent(value))
			json_set(doc, made, str_from(kept[i]), json_new_copy(doc, value));
	}
	return made;
}

static struct json_doc *make_scale(const struct kind_scale *scale, struct json object)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json size = jsonpath_first(object, str_from(scale->spec_replicas));
	struct json now = jsonpath_first(object, str_from(scale->status_replicas));
	struct json selector =
		scale->selector ? jsonpath_first(object, str_from(scale->selector)) : JSON_NONE;
	struct json part;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "kind", STR("Scale"));
	json_set_str(doc, root, "apiVersion", STR("autoscaling/v1"));
	json_set(doc, root, STR("metadata"), copy_meta(doc, json_get(object, "metadata")));
	part = json_ensure_obj(doc, root, "spec");
	if (json_int(size))
		json_set_int(doc, part, "replicas", json_int(size));
	part = json_ensure_obj(doc, root, "status");
	json_set_int(doc, part, "replicas", json_int(now));
	if (json_str(selector).len)
		json_set_str(doc, part, "selector", json_str(selector));
	return doc;
}

/* --- writing --- */

static void on_answered(struct call *inner)
{
	struct call *call = inner->arg;
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *doc = inner->doc      ? json_doc_ref(inner->doc)
			       : inner->object ? json_parse(inner->object->text, NULL, &err)
					       : NULL;
	int code = inner->code;

	assert(doc);
	for (size_t i = 0; i < inner->warnings.len; i++)
		call_warn(call, "%s", inner->warnings.ptr[i]);
	call->inner = NULL;
	call_free(inner);
	if (code >= 400)
		call_answer_doc(call, code, TAKE(doc));
	else
		call_answer_doc(call, code, make_scale(call->kind->scale, json_doc_root(doc)));
}

static const struct call_sink sink = {.answered = on_answered};

static void update_whole(struct call *call, struct json_doc *object)
{
	struct call *inner = call_new(call->api, &sink, call);

	inner->verb = VERB_UPDATE;
	inner->kind = call->kind;
	inner->namespace = arena_str(inner->arena, call->namespace);
	inner->name = arena_str(inner->arena, call->name);
	inner->sub = STR("");
	inner->options.dry_run = arena_str(inner->arena, call->options.dry_run);
	inner->options.field_manager = arena_str(inner->arena, call->options.field_manager);
	inner->user = call->user;
	inner->body = json_doc_ref(object);
	inner->internal = true; /* counted with the call around it */
	call->inner = inner;
	api_serve(inner);
}

/* Set the size where the path says; the objects on the way are made. */
static void set_size(struct json_doc *doc, const char *where, int64_t size)
{
	struct str rest = str_skip(str_from(where), where[0] == '.');
	struct json at = json_doc_root(doc);
	struct str part;

	while (str_split(&rest, '.', &part) && !str_is_none(rest)) {
		AUTO(mem_free) char *name = str_dup(part);

		at = json_ensure_obj(doc, at, name);
	}
	json_set(doc, at, part, json_new_int(doc, size));
}

static bool is_invalid(struct call *call, struct json scale)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("replicas"));
	struct json size = json_get(json_get(scale, "spec"), "replicas");

	if (json_int(size) >= 0)
		return false;
	causes_invalid(&causes, &path, size, "must be greater than or equal to 0");
	call_answer_invalid(call, STR("autoscaling"), STR("Scale"), call->name, &causes);
	return true;
}

/* The version that the Scale was read at is the object's. */
static void write_scale(struct call *call, struct json_doc *stored, struct json scale)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json version = json_get(json_get(scale, "metadata"), "resourceVersion");
	struct err err;

	if (type_check_types(&scale_type, scale, &err) < 0) {
		call_answer_err(call, &err);
		return;
	}
	if (is_invalid(call, scale))
		return;
	doc = json_doc_thaw(json_doc_root(stored));
	set_size(doc, call->kind->scale->spec_replicas,
		 json_int(json_get(json_get(scale, "spec"), "replicas")));
	if (json_str(version).len)
		json_set_str(doc, json_get(json_doc_root(doc), "metadata"), "resourceVersion",
			     json_str(version));
	update_whole(call, doc);
}

static struct json_doc *patch_scale(struct call *call, struct json scale, struct err *err)
{
	struct json patch = call->body ? json_doc_root(call->body) : JSON_NONE;

	if (call->patch == PATCH_JSON)
		return json_patch_apply(scale, patch, err);
	return json_merge_apply(scale, patch);
}

static void patch_size(struct call *call, struct json_doc *stored)
{
	AUTO(json_doc_unref)
	struct json_doc *before = make_scale(call->kind->scale, json_doc_root(stored));
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *after = patch_scale(call, json_doc_root(before), &err);

	if (after)
		write_scale(call, stored, json_doc_root(after));
	else
		call_answer_err(call, &err);
}

static void serve(struct call *call)
{
	struct store *store = api_store(call->api);
	bool reading = call->verb == VERB_GET;
	struct str key = call_key(call, call->name);
	struct object *object = reading ? store_get(store, key) : store_newest(store, key);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err;

	if (!object) {
		(void)call_err_not_found(call, call->name, &err);
		call_answer_err(call, &err);
		return;
	}
	doc = reading_parse(call->kind, object, &err);
	assert(doc); /* what is stored was printed by us */
	if (reading)
		call_answer_doc(call, 200, make_scale(call->kind->scale, json_doc_root(doc)));
	else if (call->verb == VERB_PATCH)
		patch_size(call, doc);
	else
		write_scale(call, doc, call->body ? json_doc_root(call->body) : JSON_NONE);
}

const struct kind_sub sub_scale = {
	.name = "scale",
	.verbs = VERBS_STATUS,
	.kind = "Scale",
	.api_version = "autoscaling/v1",
	.serve = serve,
};
