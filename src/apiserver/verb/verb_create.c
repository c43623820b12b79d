/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_create.c - a new object. Also used where PUT makes what is not there. */
#include "apiserver/api_internal.h"
#include "apiserver/apply/managed.h"
#include "apiserver/reconcile/reconcilers.h"
#include "model/rules/causes.h"

#include "base/banned.h"

/* Decode, fill, admit; everything that can refuse the object with one error. */
static struct json_doc *make_object(struct call *call, struct json body, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = body_decode(call, body, err);
	const struct kind_ops *ops = call->kind->ops;

	if (!doc)
		return NULL;
	managed_create(call, doc);
	if (metadata_create(call, doc, err) < 0)
		return NULL;
	if (admit_change(call, doc, JSON_NONE, err) < 0)
		return NULL;
	if (call->kind->status && !call->kind->status_on_create)
		(void)json_remove(doc, json_doc_root(doc), STR("status"));
	if (ops && ops->prepare_create &&
	    ops->prepare_create(call, doc, json_doc_root(doc), err) < 0)
		return NULL;
	managed_store(call, doc);
	return TAKE(doc);
}

static bool is_invalid(struct call *call, struct json object)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	const struct kind_ops *ops = call->kind->ops;

	metadata_validate(call, object, &causes);
	if (call->kind->content->validate)
		call->kind->content->validate(call->kind, call->sub, object, JSON_NONE, &causes);
	if (ops && ops->validate_create)
		ops->validate_create(call, object, &causes);
	if (causes.len == 0)
		return false;
	call_answer_causes(call, json_str(json_get(json_get(object, "metadata"), "name")), &causes);
	return true;
}

void create_object(struct call *call, struct json body)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = make_object(call, body, &err);
	const struct kind *kind = call->kind;
	const struct kind_ops *ops = kind->ops;
	struct api *api = call->api;

	if (!doc) {
		call_answer_err(call, &err);
		return;
	}
	if (is_invalid(call, json_doc_root(doc)))
		return;
	if (admit_check(call, json_doc_root(doc), JSON_NONE, &err) < 0) {
		call_answer_err(call, &err);
		return;
	}
	if (ops && ops->warn)
		ops->warn(call, json_doc_root(doc), JSON_NONE);
	stage_create(call, doc); /* which may have ended the call */
	reconcile_defaults_made(
		api, kind, json_str(json_get(json_get(json_doc_root(doc), "metadata"), "name")));
}

void verb_create(struct call *call)
{
	create_object(call, call->body ? json_doc_root(call->body) : JSON_NONE);
}
