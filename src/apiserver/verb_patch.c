/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb_patch.c - a change to whatever the object is now.
 *
 * The patch is applied to the newest version and the result takes the way of an update. Strategic
 * merge patches go by the field table of a built-in kind; custom kinds have none and refuse them.
 * */
#include "apiserver/api_internal.h"
#include "apiserver/reading.h"
#include "base/mem.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/strategic.h"
#include "model/causes.h"
#include "model/fields.h"

#include "base/banned.h"

/* The newest version as clients see it in the version of this call. */
static struct json_doc *read_newest(struct call *call, struct object *newest, struct err *err)
{
	return reading_get(call->api->decoded, call->kind, newest, err);
}

static struct json_doc *apply_strategic(struct call *call, struct json target, struct json patch,
					struct err *err)
{
	struct field root;
	struct json_strategy_schema schema = type_strategy(call->kind->type, &root);

	return json_strategic_apply(target, patch, &schema, err);
}

static struct json_doc *apply(struct call *call, struct json target, struct err *err)
{
	struct json patch = json_doc_root(call->body);

	switch (call->patch) {
	case PATCH_JSON:
		return json_patch_apply(target, patch, err);
	case PATCH_MERGE:
		return json_merge_apply(target, patch);
	case PATCH_STRATEGIC:
		return apply_strategic(call, target, patch, err);
	case PATCH_NONE:
	case PATCH_APPLY:
		break;
	}
	(void)err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE, "this kind of patch is not supported");
	return NULL;
}

/* A patch that says something else than what it is for: in words of its own, but that what is asked
 * cannot be done to this object, which Kubernetes does not explain. */
static void refuse_patch(struct call *call, struct err *err)
{
	if (err->code == ERR_INVALID)
		(void)err_set(err, ERR_INVALID,
			      "the server rejected our request due to an error in our request");
	call_answer_err(call, err);
}

/* What came out is no object of the kind; it is shown. */
static void refuse_result(struct call *call, struct json result, const struct err *err)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(mem_free) char *text = json_text(result, JSON_CANONICAL);
	struct path path = path_member(NULL, STR("patch"));

	causes_invalid_str(&causes, &path, str_from(text), "%s", err->text);
	call_answer_invalid(call, str_none(), str_none(), str_none(), &causes);
}

void verb_patch(struct call *call)
{
	struct object *newest = store_newest(api_store(call->api), call_key(call, call->name));
	AUTO(json_doc_unref) struct json_doc *old = NULL;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err;

	if (!newest) {
		(void)call_err_not_found(call, call->name, &err);
		call_answer_err(call, &err);
		return;
	}
	old = read_newest(call, newest, &err);
	doc = old ? apply(call, json_doc_root(old), &err) : NULL;
	if (!doc)
		refuse_patch(call, &err);
	else if (body_check_kind(call, json_doc_root(doc), &err) < 0 ||
		 body_complete(call, doc, &err) < 0)
		refuse_result(call, json_doc_root(doc), &err);
	else
		update_object(call, doc, newest);
}
