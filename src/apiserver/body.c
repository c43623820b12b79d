/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/body.c - from a body to an object of the kind that the call is for.
 *
 * In the order of kube-apiserver: apiVersion and kind (absent ones are filled in), wrong JSON
 * types, unknown and doubled fields (refused, warned about or passed over, as fieldValidation
 * says), defaults, canonical values. The built-in kinds go by their field table, custom ones by
 * their structural schema. */
#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "json/syntax.h"

#include "base/banned.h"

enum { ODD_FIELDS_MAX = 100 }; /* as kube-apiserver */

/* What decoding strictly complains about, in order. */
struct strict {
	struct call *call;
	const char *what; /* "unknown", "duplicate" */
};

static void on_odd_field(void *arg, struct str path)
{
	struct strict *strict = arg;
	struct call *call = strict->call;

	if (call->odd_fields.len >= ODD_FIELDS_MAX)
		return;
	vec_push(&call->odd_fields,
		 arena_printf(call->arena, "%s field \"%.*s\"", strict->what, STR_ARG(path)));
}

void call_note_duplicate(void *arg, struct str path)
{
	on_odd_field(&(struct strict){arg, "duplicate"}, path);
}

static int cannot_be_handled(struct call *call, struct str version, struct str kind,
			     const char *why, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST,
		       "%.*s in version \"%.*s\" cannot be handled as a %.*s: %s", STR_ARG(kind),
		       STR_ARG(version), STR_ARG(call->kind->name), why);
}

/* The name of a version without its group: "v1" of "batch/v1". */
static struct str bare_version(struct str api_version)
{
	ptrdiff_t slash = str_rfind_byte(api_version, '/');

	return slash < 0 ? api_version : str_skip(api_version, (size_t)slash + 1);
}

/* Why an object of this kind cannot be one of the call's. */
static const char *why_not(struct call *call, struct str version, struct str name)
{
	if (kinds_find_kind(api_kinds(call->api), version, name))
		return arena_printf(
			call->arena, "converting (%.*s.%.*s) to (%s.%.*s): unknown conversion",
			STR_ARG(bare_version(version)), STR_ARG(name),
			call->kind->group.len ? "internal" : "core", STR_ARG(call->kind->name));
	return arena_printf(call->arena,
			    "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
			    "\"pkg/api/legacyscheme/scheme.go:30\"",
			    STR_ARG(name), STR_ARG(version));
}

int body_check_kind(struct call *call, struct json object, struct err *err)
{
	struct str name = json_str(json_get(object, "kind"));
	struct str version = json_str(json_get(object, "apiVersion"));

	const struct kind *other;

	if (str_eq(name, call->kind->name) && str_eq(version, call->kind->api_version))
		return 0;
	other = kinds_find_kind(api_kinds(call->api), version, name);
	if (other && other->content->check_types(other, object, err) < 0)
		return -1; /* it is not even one of those */
	return err_set(err, ERR_BAD_REQUEST, "%s", why_not(call, version, name));
}

/* Custom objects of another kind are told as invalid ones of that kind. */
static int wrong_kind(struct call *call, struct json object, struct str name, struct err *err)
{
	struct str object_name = json_str(json_get(json_get(object, "metadata"), "name"));
	const char *why = arena_printf(call->arena, "Invalid value: \"%.*s\": must be %.*s",
				       STR_ARG(name), STR_ARG(call->kind->name));

	call->error_kind = arena_str(call->arena, name);
	call->error_name = arena_str(call->arena, object_name);
	call_note_cause(call, &(struct call_cause){"FieldValueInvalid", why, "kind"});
	return err_set(err, ERR_INVALID, "%.*s.%.*s \"%.*s\" is invalid: kind: %s", STR_ARG(name),
		       STR_ARG(call->kind->group), STR_ARG(object_name), why);
}

/* Is it the kind of the call? Absent names are filled in. */
static int check_kind(struct call *call, struct json_doc *doc, struct err *err)
{
	struct json object = json_doc_root(doc);
	const struct kind *kind = call->kind;
	struct str name = json_str(json_get(object, "kind"));
	struct str version = json_str(json_get(object, "apiVersion"));

	if (name.len == 0)
		name = kind->name;
	if (version.len == 0)
		version = kind->api_version;
	if (str_eq(name, kind->name) && str_eq(version, kind->api_version)) {
		json_set_str(doc, object, "kind", kind->name);
		json_set_str(doc, object, "apiVersion", kind->api_version);
		return 0;
	}
	if (kind->custom && str_eq(version, kind->api_version))
		return wrong_kind(call, object, name, err);
	if (kind->custom)
		return err_set(err, ERR_BAD_REQUEST,
			       "the API version in the data (%.*s) does not match the expected API "
			       "version (%.*s)",
			       STR_ARG(version), STR_ARG(kind->api_version));
	return cannot_be_handled(call, bare_version(version), name, why_not(call, version, name),
				 err);
}

/* Refuse or warn about the odd fields that were noted. */
static int settle_odd_fields(struct call *call, struct err *err)
{
	struct str mode = call->options.field_validation;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (call->odd_fields.len == 0 || str_is(mode, "Ignore"))
		return 0;
	for (size_t i = 0; i < call->odd_fields.len; i++) {
		if (!str_is(mode, "Strict")) {
			call_warn(call, "%s", call->odd_fields.ptr[i]);
			continue;
		}
		buf_printf(&text, "%s%s",
			   i ? ", " : "strict decoding error: ", call->odd_fields.ptr[i]);
	}
	if (!str_is(mode, "Strict"))
		return 0;
	return err_set(err, ERR_BAD_REQUEST, "%s", buf_text(&text));
}

int body_complete(struct call *call, struct json_doc *doc, struct err *err)
{
	const struct kind_content *content = call->kind->content;
	struct json object = json_doc_root(doc);
	struct strict strict = {call, "unknown"};

	if (content->check_types(call->kind, object, err) < 0)
		return -1;
	content->prune(call->kind, doc, object, on_odd_field, &strict);
	if (settle_odd_fields(call, err) < 0)
		return -1;
	content->complete(call->kind, doc, object);
	return 0;
}

struct json_doc *body_decode(struct call *call, struct json body, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!json_is(body, JSON_OBJ)) {
		(void)err_set(
			err, ERR_BAD_REQUEST,
			"the object provided is unrecognized (must be of type %.*s): couldn't "
			"get version/kind; json parse error: json: cannot unmarshal %s into Go "
			"value of type struct { APIVersion string \"json:\\\"apiVersion,"
			"omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
			STR_ARG(call->kind->name), json_go_name(json_type(body)));
		return NULL;
	}
	doc = json_doc_thaw(body);
	if (check_kind(call, doc, err) < 0)
		return NULL;
	if (body_complete(call, doc, err) < 0) {
		(void)cannot_be_handled(call, call->kind->version, call->kind->name,
					arena_strdup(call->arena, err->text), err);
		return NULL;
	}
	return TAKE(doc);
}
