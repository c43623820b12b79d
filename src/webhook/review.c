/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/review.c - see review.h. kube-apiserver has checked the object before it asks, so what is wrong with a
 * review itself is a mistake of the caller, and an HTTP error; what is wrong with the object in it is a refusal, in
 * the words of the rules. The patch is the difference between the object and what the rule made of it. */
#include "webhook/review.h"

#include <stdarg.h>

#include "base/base64.h"
#include "base/limits.h"
#include "json/patch.h"
#include "model/core/meta.h"

#include "base/banned.h"

#define API_VERSION "admission.k8s.io/v1"
#define KIND "AdmissionReview"

const char *review_outcome_name(enum review_outcome outcome)
{
	static const char *const names[REVIEW_OUTCOME_COUNT] = {
		[REVIEW_ALLOWED] = "allowed",
		[REVIEW_CHANGED] = "changed",
		[REVIEW_REFUSED] = "refused",
		[REVIEW_FAILED] = "error",
	};

	return names[outcome];
}

/* --- reading --------------------------------------------------------------------------------- */

static void on_duplicate(void *arg, struct str path)
{
	struct err *err = arg;

	if (err->code == ERR_NONE)
		(void)err_set(err, ERR_BAD_REQUEST, "%.*s is given twice", STR_ARG(path));
}

/* The types of the fields that are read; all of them may be left out but the uid. */
static const struct {
	const char *parent; /* of the request; "": itself */
	const char *name;
	enum json_type type;
} fields[] = {
	{"", "uid", JSON_STR},
	{"", "operation", JSON_STR},
	{"", "subResource", JSON_STR},
	{"", "namespace", JSON_STR},
	{"", "name", JSON_STR},
	{"", "dryRun", JSON_BOOL},
	{"", "resource", JSON_OBJ},
	{"", "userInfo", JSON_OBJ},
	{"", "object", JSON_OBJ},
	{"", "oldObject", JSON_OBJ},
	{"resource", "group", JSON_STR},
	{"resource", "version", JSON_STR},
	{"resource", "resource", JSON_STR},
	{"userInfo", "username", JSON_STR},
};

static int check_fields(struct json request, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		bool nested = fields[i].parent[0] != '\0';
		struct json parent = nested ? json_get(request, fields[i].parent) : request;
		struct json value = json_get(parent, fields[i].name);

		if (!json_is_absent(value) && !json_is(value, JSON_NULL) &&
		    !json_is(value, fields[i].type))
			return err_set(err, ERR_BAD_REQUEST, "request.%s%s%s: %s expected, not %s",
				       fields[i].parent, nested ? "." : "", fields[i].name,
				       json_type_name(fields[i].type),
				       json_type_name(json_type(value)));
	}
	return 0;
}

static int check_envelope(struct json root, struct err *err)
{
	struct str version = json_str(json_get(root, "apiVersion"));
	struct str kind = json_str(json_get(root, "kind"));
	struct json request = json_get(root, "request");

	if (!str_is(version, API_VERSION) || !str_is(kind, KIND))
		return err_set(err, ERR_BAD_REQUEST,
			       "expected an " KIND " of " API_VERSION
			       ", got kind \"%.*s\", apiVersion \"%.*s\"",
			       STR_ARG(kind), STR_ARG(version));
	if (!json_is(request, JSON_OBJ))
		return err_set(err, ERR_BAD_REQUEST, "request: an object is required");
	if (check_fields(request, err) < 0)
		return -1;
	if (!json_str(json_get(request, "uid")).len)
		return err_set(err, ERR_BAD_REQUEST, "request.uid: a value is required");
	return 0;
}

/* 0: none of them. */
static enum admission_operation operation_of(struct str name)
{
	static const struct {
		const char *name;
		enum admission_operation operation;
	} rows[] = {
		{"CREATE", ADMISSION_CREATE},
		{"UPDATE", ADMISSION_UPDATE},
		{"DELETE", ADMISSION_DELETE},
		{"CONNECT", ADMISSION_CONNECT},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(name, rows[i].name))
			return rows[i].operation;
	return 0;
}

static struct json object_of(struct json request, const char *name)
{
	struct json object = json_get(request, name);

	return json_is(object, JSON_OBJ) ? object : JSON_NONE;
}

static void read_request(struct json request, struct arena *arena, struct review *ret)
{
	struct json resource = json_get(request, "resource");
	struct json object = object_of(request, "object");
	struct json old = object_of(request, "oldObject");
	struct str name = meta_name(json_is_absent(object) ? old : object);

	ret->uid = json_str(json_get(request, "uid"));
	ret->operation = json_str(json_get(request, "operation"));
	ret->admission = (struct admission_review){
		.operation = operation_of(ret->operation),
		.group = json_str(json_get(resource, "group")),
		.version = json_str(json_get(resource, "version")),
		.resource = json_str(json_get(resource, "resource")),
		.sub = json_str(json_get(request, "subResource")),
		.namespace = json_str(json_get(request, "namespace")),
		.name = name.len ? name : json_str(json_get(request, "name")),
		.user = json_str(json_get(json_get(request, "userInfo"), "username")),
		.dry_run = json_bool(json_get(request, "dryRun")),
		.object = object,
		.old = old,
		.arena = arena,
	};
}

int review_parse(struct str body, struct arena *arena, struct review *ret, struct err *err)
{
	struct err duplicate = {0};
	AUTO(json_doc_unref)
	struct json_doc *doc = json_parse(body,
					  &(struct json_options){.max_bytes = LIMIT_BODY_BYTES,
								 .on_duplicate = on_duplicate,
								 .arg = &duplicate},
					  err);

	if (!doc)
		return -1;
	if (duplicate.code != ERR_NONE)
		return err_set(err, duplicate.code, "%s", duplicate.text);
	if (check_envelope(json_doc_root(doc), err) < 0)
		return -1;
	read_request(json_get(json_doc_root(doc), "request"), arena, ret);
	ret->doc = TAKE(doc);
	return 0;
}

void review_done(struct review *review)
{
	json_doc_unref(TAKE(review->doc));
}

/* --- deciding -------------------------------------------------------------------------------- */

static int refuse(struct admission_refusal *refusal, struct arena *arena, const char *format, ...)
	PRINTF(3, 4);
static int refuse(struct admission_refusal *refusal, struct arena *arena, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refusal->code = ERR_DENIED;
	refusal->message = str_from(arena_vprintf(arena, format, args));
	va_end(args);
	return -1;
}

static const char *operations_text(const struct admission_hook *hook)
{
	if (hook->operations & ADMISSION_DELETE)
		return "'CREATE', 'UPDATE' or 'DELETE'";
	return hook->operations & ADMISSION_UPDATE ? "'CREATE' or 'UPDATE'" : "'CREATE'";
}

/* Is it a review that the rule of this path is for? */
static int check_concern(const struct review *review, const struct admission_hook *hook,
			 struct admission_refusal *refusal)
{
	const struct admission_review *admission = &review->admission;
	struct json needed =
		admission->operation == ADMISSION_DELETE ? admission->old : admission->object;

	if (!str_is(admission->group, hook->group) || !str_is(admission->resource, hook->resource))
		return refuse(refusal, admission->arena,
			      "expect resource to be %s%s%s, not %.*s%s%.*s", hook->resource,
			      hook->group[0] ? "." : "", hook->group, STR_ARG(admission->resource),
			      admission->group.len ? "." : "", STR_ARG(admission->group));
	if (!(admission->operation & hook->operations))
		return refuse(refusal, admission->arena, "expect operation to be %s, not '%.*s'",
			      operations_text(hook), STR_ARG(review->operation));
	if (json_is_absent(needed))
		return refuse(refusal, admission->arena, "the review has no %s",
			      admission->operation == ADMISSION_DELETE ? "oldObject" : "object");
	if (admission->operation == ADMISSION_UPDATE && json_is_absent(admission->old))
		return refuse(refusal, admission->arena, "the review has no oldObject");
	return 0;
}

/* The rule of the path; `ret_patch` is NULL if it changes nothing. */
static int run(const struct review *review, const struct admission_hook *hook,
	       const struct admission_setup *setup, struct json_doc **ret_patch,
	       struct admission_refusal *refusal)
{
	struct admission_review admission = review->admission;
	AUTO(json_doc_unref) struct json_doc *changed = NULL;
	AUTO(json_doc_unref) struct json_doc *patch = NULL;

	if (check_concern(review, hook, refusal) < 0)
		return -1;
	if (admission.sub.len) /* the rules are for the object itself */
		return 0;
	if (!hook->mutate)
		return admission_run(hook, setup, &admission, NULL, refusal);
	changed = json_doc_thaw(admission.object);
	admission.object = json_doc_root(changed);
	if (admission_run(hook, setup, &admission, changed, refusal) < 0)
		return -1;
	patch = json_patch_diff(review->admission.object, json_doc_root(changed));
	if (json_len(json_doc_root(patch)))
		*ret_patch = TAKE(patch);
	return 0;
}

static void put_patch(struct json patch, struct buf *answer)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(patch, JSON_COMPACT, &text);
	buf_puts(answer, ",\"patchType\":\"JSONPatch\",\"patch\":\"");
	base64_print(answer, text.ptr, text.len);
	buf_putc(answer, '"');
}

/* A refusal of a rule has no code and no reason, as upstream's. */
static void put_refusal(const struct admission_refusal *refusal, struct buf *answer)
{
	buf_puts(answer, ",\"status\":{\"metadata\":{}");
	if (refusal->code != ERR_DENIED)
		buf_printf(answer, ",\"reason\":\"%s\",\"code\":%d", err_reason(refusal->code),
			   err_http(refusal->code));
	buf_puts(answer, ",\"message\":\"");
	buf_put_json(answer, refusal->message);
	buf_puts(answer, "\"}");
}

enum review_outcome review_decide(const struct review *review, const struct admission_hook *hook,
				  const struct admission_setup *setup, struct buf *answer)
{
	AUTO(json_doc_unref) struct json_doc *patch = NULL;
	struct admission_refusal refusal = {.code = ERR_DENIED};
	bool allowed = run(review, hook, setup, &patch, &refusal) == 0;

	buf_puts(answer, "{\"apiVersion\":\"" API_VERSION "\",\"kind\":\"" KIND
			 "\",\"response\":{\"uid\":\"");
	buf_put_json(answer, review->uid);
	buf_printf(answer, "\",\"allowed\":%s", allowed ? "true" : "false");
	if (patch)
		put_patch(json_doc_root(patch), answer);
	if (!allowed)
		put_refusal(&refusal, answer);
	buf_puts(answer, "}}");
	if (!allowed)
		return REVIEW_REFUSED;
	return patch ? REVIEW_CHANGED : REVIEW_ALLOWED;
}
