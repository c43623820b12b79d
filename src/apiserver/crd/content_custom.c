/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/content_custom.c - what an object of a custom kind may contain: by its structural
 * schema, and, of its metadata, by what all objects have in common. */
#include "apiserver/crd/definition.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "apiserver/kind/jsonpath.h"
#include "apiserver/request/call.h"
#include "base/buf.h"
#include "json/syntax.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"
#include "model/rules/rules.h"

#include "base/banned.h"

/* --- contents --- */

/* apiVersion and kind were looked at when the kind was; metadata is decoded by itself. */
static int check_types(const struct kind *kind, struct json object, struct err *err)
{
	struct json metadata = json_get(object, "metadata");

	if (!json_is_absent(metadata) && !json_is(metadata, JSON_NULL) &&
	    !json_is(metadata, JSON_OBJ))
		return err_set(err, ERR_BAD_REQUEST,
			       "json: cannot unmarshal %s into Go value of type v1.ObjectMeta",
			       json_go_name(json_type(metadata)));
	if (json_is(metadata, JSON_OBJ) && type_check_types(&meta_type, metadata, err) < 0)
		return -1;
	return schema_check_embedded_types(schema_root(definition_schema(kind)), object, NULL, err);
}

struct unknown {
	schema_unknown_fn *fn;
	void *arg;
};

static void on_unknown_meta(void *arg, struct str path)
{
	const struct unknown *unknown = arg;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "metadata.%.*s", STR_ARG(path));
	unknown->fn(unknown->arg, buf_str(&text));
}

static void prune(const struct kind *kind, struct json_doc *doc, struct json object,
		  void (*on_unknown)(void *arg, struct str path), void *arg)
{
	struct unknown unknown = {on_unknown, arg};

	type_prune(&meta_type, doc, json_get(object, "metadata"), on_unknown_meta, &unknown);
	schema_prune(definition_schema(kind), doc, object, on_unknown, arg);
}

static void drop_nulls(const struct kind *kind, struct json_doc *doc, struct json object)
{
	schema_drop_nulls(definition_schema(kind), doc, object);
}

static void complete(const struct kind *kind, struct json_doc *doc, struct json object)
{
	struct json metadata = json_get(object, "metadata");

	if (json_is(metadata, JSON_OBJ)) {
		type_default(&meta_type, doc, metadata);
		type_canonicalize(&meta_type, doc, metadata);
	}
	schema_default(definition_schema(kind), doc, object);
}

/* A size must be one, wherever it stands. */
static void check_size(struct json object, const char *where, struct causes *causes)
{
	struct path path = path_member(NULL, str_from(where)); /* as it is written */
	struct json value = jsonpath_first(object, str_from(where));

	if (json_is_absent(value))
		return;
	if (!json_is_i64(value))
		causes_invalid(causes, &path, json_is(value, JSON_INT) ? value : JSON_NONE,
			       "%s accessor error: the value is of the type %s, expected int64",
			       where, json_type_name(json_type(value)));
	else if (json_int(value) < 0)
		causes_invalid(causes, &path, value, "should be a non-negative integer");
	else if (json_int(value) > INT32_MAX)
		causes_invalid(causes, &path, value, "should be less than or equal to %d",
			       INT32_MAX);
}

static void validate(const struct kind *kind, struct str sub, struct json object, struct json old,
		     struct causes *causes)
{
	const struct schema *schema = definition_schema(kind);

	if (kind->scale && !str_is(sub, "status"))
		check_size(object, kind->scale->spec_replicas, causes);
	if (kind->scale && !str_is(sub, "status"))
		check_size(object, kind->scale->status_replicas, causes);
	if (json_is_absent(old))
		schema_validate(schema, object, causes);
	else if (str_is(sub, "status"))
		schema_validate_status(schema, object, old, causes);
	else
		schema_validate_update(schema, object, old, causes);
	if (kind->scale && str_is(sub, "status")) /* of a status the schema comes first */
		check_size(object, kind->scale->status_replicas, causes);
}

const struct kind_content content_custom = {
	.check_types = check_types,
	.prune = prune,
	.drop_nulls = drop_nulls,
	.complete = complete,
	.validate = validate,
};

/* --- what is special --- */

static int prepare_create(struct call *call, struct json_doc *doc, struct json object,
			  struct err *err)
{
	(void)doc;
	if (!definition_is_terminating(call->kind))
		return 0;
	return call_err_forbidden(call, json_str(json_get(json_get(object, "metadata"), "name")),
				  "create not allowed while custom resource definition is "
				  "terminating",
				  err);
}

/* Names of finalizers that others might use as well. */
static void warn(struct call *call, struct json object, struct json old)
{
	static const char *const known[] = {"orphan", "foregroundDeletion", "kubernetes"};
	struct json_iter it = json_iter(json_get(json_get(old, "metadata"), "finalizers"));
	AUTO(name_set_done) struct name_set before = {0};

	while (json_next(&it))
		(void)name_set_add(&before, json_str(it.value));
	it = json_iter(json_get(json_get(object, "metadata"), "finalizers"));
	while (json_next(&it)) {
		struct str name = json_str(it.value);
		bool fine = str_find_byte(name, '/', 0) >= 0 || name_set_has(&before, name);

		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			fine = fine || str_is(name, known[i]);
		if (!fine)
			call_warn(call,
				  "metadata.finalizers: \"%.*s\": prefer a domain-qualified "
				  "finalizer name to avoid accidental conflicts with other "
				  "finalizer writers",
				  STR_ARG(name));
	}
}

/* Anything but metadata, status included. */
static bool changed_at_all(struct json object, struct json old)
{
	struct json_iter it = json_iter(object);
	size_t seen = 0;

	while (json_next(&it)) {
		seen++;
		if (!str_is(it.key, "metadata") && !str_is(it.key, "apiVersion") &&
		    !json_eq(it.value, json_get_str(old, it.key)))
			return true;
	}
	return seen != json_len(old);
}

const struct kind_ops custom_ops = {
	.prepare_create = prepare_create,
	.warn = warn,
};
const struct kind_ops custom_ops_statusless = {
	.prepare_create = prepare_create,
	.warn = warn,
	.spec_changed = changed_at_all,
};
