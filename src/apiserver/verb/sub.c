/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub.c - what sub-resources share. */
#include "apiserver/verb/sub.h"

#include "apiserver/api_internal.h"
#include "apiserver/request/answer_status.h"
#include "base/arena.h"
#include "base/time.h"

#include "base/banned.h"

struct json_doc *sub_decode(struct call *call, const struct kind *as, struct err *err)
{
	const struct kind *kind = call->kind;
	struct json_doc *doc;

	call->kind = as;
	doc = body_decode(call, call->body.doc ? json_doc_root(call->body.doc) : JSON_NONE, err);
	call->kind = kind;
	return doc;
}

static void rewrite_status(struct call *call)
{
	json_doc_unref(call->answer.doc);
	object_unref(TAKE(call->answer.object));
	call->answer.code = call->answer.success_code;
	call->answer.doc = status_success(call->answer.success_code);
}

void sub_answer_status(struct call *call, int code)
{
	call->answer.success_code = code;
	call->answer.rewrite = rewrite_status;
}

int sub_err_precondition(struct call *call, const char *what, struct str wanted, struct str is,
			 struct err *err)
{
	return call_err_conflict(
		call, call->name,
		arena_printf(
			call->arena,
			"StorageError: invalid object, Code: 4, Key: /registry/pods/%.*s/%.*s, "
			"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: %s in "
			"precondition: %.*s, %s in object meta: %.*s",
			STR_ARG(call->namespace), STR_ARG(call->name), what, STR_ARG(wanted), what,
			STR_ARG(is)),
		err);
}

/* The one of this type, or a new one at the end. */
static struct json find_condition(struct json_doc *doc, struct json list, struct str type)
{
	struct json_iter it = json_iter(list);
	struct json condition;

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "type")), type))
			return it.value;
	condition = json_new_obj(doc);
	json_append(doc, list, condition);
	return condition;
}

static void set_text(struct json_doc *doc, struct json object, const char *key, const char *text)
{
	if (text)
		json_set_str(doc, object, key, str_from(text));
	else
		(void)json_remove(doc, object, str_from(key));
}

void sub_set_pod_condition(struct json_doc *doc, struct json pod,
			   const struct sub_condition *condition, int64_t now)
{
	struct json status = json_ensure_obj(doc, pod, "status");
	struct json entry = find_condition(doc, json_ensure_arr(doc, status, "conditions"),
					   str_from(condition->type));
	bool changed = !str_is(json_str(json_get(entry, "status")), "True");
	char text[TIME_TEXT_SIZE];

	json_set_str(doc, entry, "type", str_from(condition->type));
	json_set_str(doc, entry, "status", STR("True"));
	json_set(doc, entry, STR("lastProbeTime"), json_new_null(doc));
	if (changed)
		json_set_str(doc, entry, "lastTransitionTime", str_from(time_print(now, text)));
	set_text(doc, entry, "reason", condition->reason);
	set_text(doc, entry, "message", condition->message);
}
