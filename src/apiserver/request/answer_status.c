/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/answer_status.c - answers that are a Status, and the words of the usual errors.
 *
 * Kubernetes names the object of an error in `details`: by the plural for what concerns the
 * resource (NotFound, AlreadyExists, Conflict, Forbidden), by the kind for what concerns its
 * content (Invalid). Reasons that are about the request alone have none. */
#include "apiserver/request/answer_status.h"

#include "apiserver/request/call.h"
#include "base/buf.h"
#include "json/doc.h"
#include "model/rules/causes.h"

#include "base/banned.h"

/* Of which shape `details` is for a reason. */
enum details { DETAILS_NONE, DETAILS_EMPTY, DETAILS_RESOURCE };

static const enum details details_of[ERR_CODE_COUNT] = {
	[ERR_FORBIDDEN] = DETAILS_RESOURCE,           [ERR_NOT_FOUND] = DETAILS_RESOURCE,
	[ERR_METHOD_NOT_ALLOWED] = DETAILS_EMPTY,     [ERR_NOT_ACCEPTABLE] = DETAILS_EMPTY,
	[ERR_ALREADY_EXISTS] = DETAILS_RESOURCE,      [ERR_CONFLICT] = DETAILS_RESOURCE,
	[ERR_UNSUPPORTED_MEDIA_TYPE] = DETAILS_EMPTY, [ERR_INVALID] = DETAILS_EMPTY,
};

static struct json status_new(struct json_doc *doc, bool success)
{
	struct json status = json_new_obj(doc);

	json_doc_set_root(doc, status);
	json_set_str(doc, status, "kind", STR("Status"));
	json_set_str(doc, status, "apiVersion", STR("v1"));
	json_set(doc, status, STR("metadata"), json_new_obj(doc));
	json_set_str(doc, status, "status", success ? STR("Success") : STR("Failure"));
	return status;
}

static void set_text(struct json_doc *doc, struct json object, const char *key, struct str text)
{
	if (text.len)
		json_set_str(doc, object, key, text);
}

static struct json set_failure(struct json_doc *doc, const char *reason, int code, struct str text)
{
	struct json status = status_new(doc, false);

	json_set_str(doc, status, "message", text);
	set_text(doc, status, "reason", str_from(reason));
	json_set_int(doc, status, "code", code);
	return status;
}

/* How client-go knows that waiting a little may help. */
static void add_version_cause(struct json_doc *doc, struct json status)
{
	struct json details = json_ensure_obj(doc, status, "details");
	struct json cause = json_new_obj(doc);

	json_set_str(doc, cause, "reason", STR("ResourceVersionTooLarge"));
	json_set_str(doc, cause, "message", STR("Too large resource version"));
	json_append(doc, json_ensure_arr(doc, details, "causes"), cause);
	json_set_int(doc, details, "retryAfterSeconds", 1);
}

static void add_causes(struct json_doc *doc, struct json status, const struct call *call)
{
	for (size_t i = 0; i < call->error.causes.len; i++) {
		const struct call_cause *from = &call->error.causes.ptr[i];
		struct json details = json_ensure_obj(doc, status, "details");
		struct json cause = json_new_obj(doc);

		set_text(doc, cause, "reason", str_from(from->reason));
		set_text(doc, cause, "message", str_from(from->message));
		set_text(doc, cause, "field", str_from(from->field));
		json_append(doc, json_ensure_arr(doc, details, "causes"), cause);
	}
}

void status_print(const struct err *err, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();

	json_print(
		set_failure(doc, err_reason(err->code), err_http(err->code), str_from(err->text)),
		JSON_COMPACT, to);
}

struct json_doc *status_success(int code)
{
	struct json_doc *doc = json_doc_new();

	json_set_int(doc, status_new(doc, true), "code", code);
	return doc;
}

void call_answer_err(struct call *call, const struct err *err)
{
	struct json_doc *doc = json_doc_new();
	struct str text = call->error.text.len ? call->error.text : str_from(err->text);
	struct json status = set_failure(doc, err_reason(err->code), err_http(err->code), text);
	enum details shape = call->error.plain ? DETAILS_NONE : details_of[err->code];

	if ((err->code == ERR_INVALID || err->code == ERR_METHOD_NOT_ALLOWED) &&
	    call->error.kind.len && !call->error.plain)
		shape = DETAILS_RESOURCE;
	if (shape == DETAILS_RESOURCE && !call->kind && !call->error.kind.len)
		shape = DETAILS_EMPTY;
	if (shape != DETAILS_NONE) {
		struct json details = json_ensure_obj(doc, status, "details");

		if (shape == DETAILS_RESOURCE) {
			set_text(doc, details, "name", call->error.name);
			set_text(doc, details, "group",
				 str_is_none(call->error.group) && call->kind
					 ? call->kind->stored->group
					 : call->error.group);
			json_set_str(doc, details, "kind",
				     call->error.kind.len ? call->error.kind : call->kind->plural);
		}
	}
	if (call->error.too_large_version)
		add_version_cause(doc, status);
	add_causes(doc, status, call);
	if ((call->error.causes.len || err->code == ERR_ALREADY_EXISTS) && call->answer.retry_after)
		json_set_int(doc, json_ensure_obj(doc, status, "details"), "retryAfterSeconds",
			     call->answer.retry_after);
	call_answer_doc(call, err_http(err->code), doc);
}

void call_answer_invalid(struct call *call, struct str group, struct str kind, struct str name,
			 const struct causes *causes)
{
	struct json_doc *doc = json_doc_new();
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json status;
	struct json details;

	causes_print(causes,
		     group.len
			     ? arena_printf(call->arena, "%.*s.%.*s", STR_ARG(kind), STR_ARG(group))
			     : arena_printf(call->arena, "%.*s", STR_ARG(kind)),
		     name, &text);
	status = set_failure(doc, "Invalid", 422, buf_str(&text));
	details = json_ensure_obj(doc, status, "details");
	set_text(doc, details, "name", name);
	set_text(doc, details, "group", group);
	set_text(doc, details, "kind", kind);
	json_set(doc, details, STR("causes"), causes_encode(causes, doc));
	call_answer_doc(call, 422, doc);
}

void call_answer_causes(struct call *call, struct str name, const struct causes *causes)
{
	call_answer_invalid(call, call->kind->stored->group, call->kind->name, name, causes);
}

struct json_doc *status_removed(const struct call *call, struct json object)
{
	struct json_doc *doc = json_doc_new();
	struct json status = status_new(doc, true);
	struct json details = json_ensure_obj(doc, status, "details");
	struct json metadata = json_get(object, "metadata");

	set_text(doc, details, "name", json_str(json_get(metadata, "name")));
	set_text(doc, details, "group", call->kind->stored->group);
	json_set_str(doc, details, "kind", call->kind->plural);
	set_text(doc, details, "uid", json_str(json_get(metadata, "uid")));
	return doc;
}

int call_err_not_found(struct call *call, struct str name, struct err *err)
{
	call->error.name = arena_str(call->arena, name);
	return err_set(err, ERR_NOT_FOUND, "%.*s \"%.*s\" not found", STR_ARG(call->kind->resource),
		       STR_ARG(name));
}

int call_err_exists(struct call *call, struct str name, struct err *err)
{
	call->error.name = arena_str(call->arena, name);
	return err_set(err, ERR_ALREADY_EXISTS, "%.*s \"%.*s\" already exists",
		       STR_ARG(call->kind->resource), STR_ARG(name));
}

int call_err_conflict(struct call *call, struct str name, const char *why, struct err *err)
{
	struct str resource = call->error.kind.len ? call->error.kind : call->kind->resource;

	call->error.name = arena_str(call->arena, name);
	return err_set(err, ERR_CONFLICT, "Operation cannot be fulfilled on %.*s \"%.*s\": %s",
		       STR_ARG(resource), STR_ARG(name), why);
}

int call_err_forbidden(struct call *call, struct str name, const char *why, struct err *err)
{
	call->error.name = arena_str(call->arena, name);
	return err_set(err, ERR_FORBIDDEN, "%.*s \"%.*s\" is forbidden: %s",
		       STR_ARG(call->kind->resource), STR_ARG(name), why);
}

void call_note_cause(struct call *call, const struct call_cause *cause)
{
	struct arena *arena = call->arena;
	struct call_cause copy = {
		.reason = cause->reason ? arena_strdup(arena, cause->reason) : NULL,
		.message = cause->message ? arena_strdup(arena, cause->message) : NULL,
		.field = cause->field ? arena_strdup(arena, cause->field) : NULL,
	};

	vec_push(&call->error.causes, copy);
}
