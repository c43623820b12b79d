/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/self.c - what the server writes by itself. */
#include "apiserver/reconcile/self.h"

#include <assert.h>

#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/log.h"

#include "base/banned.h"

/* Another writer was first: the wanted state is reached, or the next reconciliation sees the new
 * state. */
static bool is_expected(int code)
{
	return code < 300 || code == 404 || code == 409;
}

static void on_answered(struct call *call)
{
	struct json status = call->answer.doc ? json_doc_root(call->answer.doc) : JSON_NONE;

	if (!is_expected(call->answer.code))
		log_warn(api_log(call->api), "the server could not write by itself",
			 LOG_STR("verb", verb_name(call->verb)),
			 LOG_VIEW("kind", call->kind->resource),
			 LOG_VIEW("namespace", call->namespace), LOG_VIEW("name", call->name),
			 LOG_VIEW("error", json_str(json_get(status, "message"))));
	call_free(call);
}

static const struct call_sink sink = {.answered = on_answered};

static struct call *make_call(struct api *api, enum verb verb, const struct kind *kind,
			      struct str namespace, struct str name)
{
	struct call *call = call_new(api, &sink, NULL);

	call->verb = verb;
	call->kind = kind;
	call->namespace = arena_str(call->arena, namespace);
	call->name = arena_str(call->arena, name);
	call->sub = STR("");
	call->internal = true;
	return call;
}

void self_create(struct api *api, const struct kind *kind, struct str namespace,
		 struct json_doc *doc)
{
	struct call *call = make_call(api, VERB_CREATE, kind, namespace, str_none());

	call->body.doc = doc;
	api_serve(call);
}

void self_create_text(struct api *api, const struct kind *kind, struct str namespace,
		      struct str text)
{
	struct err err;
	struct json_doc *doc = json_parse(text, NULL, &err);

	assert(doc);
	self_create(api, kind, namespace, doc);
}

void self_update(struct api *api, const struct kind *kind, struct json_doc *doc)
{
	AUTO(json_doc_unref) struct json_doc *taken = doc;
	struct json metadata = json_get(json_doc_root(doc), "metadata");
	struct call *call =
		make_call(api, VERB_UPDATE, kind, json_str(json_get(metadata, "namespace")),
			  json_str(json_get(metadata, "name")));
	struct object *newest = store_newest(api_store(api), call_key(call, call->name));
	struct err err;

	if (!newest) {
		(void)call_err_not_found(call, call->name, &err);
		call_answer_err(call, &err);
	} else if (object_is_finished(kind, json_doc_root(taken))) {
		stage_finish(call, taken, newest);
	} else {
		stage_update(call, taken, newest, 200);
	}
}

void self_drop_finalizer(struct api *api, const struct kind *kind, struct json object,
			 const char *finalizer)
{
	struct json_doc *doc = json_doc_thaw(object);
	struct json metadata = json_get(json_doc_root(doc), "metadata");
	struct json list = json_get(metadata, "finalizers");

	(void)json_remove_str(doc, list, str_from(finalizer));
	if (json_len(list) == 0)
		(void)json_remove(doc, metadata, STR("finalizers"));
	self_update(api, kind, doc);
}

void self_remove(struct api *api, const struct self_removal *removal)
{
	struct call *call =
		make_call(api, VERB_DELETE, removal->kind, removal->namespace, removal->name);

	/* What is not said must stay none: an empty text is a value, and an invalid one. */
	if (removal->uid.len)
		call->options.precondition_uid = arena_str(call->arena, removal->uid);
	if (removal->propagation.len)
		call->options.propagation = arena_str(call->arena, removal->propagation);
	api_serve(call);
}

void self_stop(struct api *api)
{
	LIST_EACH(&api->calls, struct call, link, call) {
		if (call->sink == &sink)
			call_free(call);
	}
}
