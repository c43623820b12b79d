/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_crd.c - what is special about CustomResourceDefinitions as objects: what is filled
 * in, their rules, and that they are removed in steps. What they bring about is in definition.c. */
#include "apiserver/api.h"
#include "apiserver/crd/crd.h"
#include "apiserver/crd/definition.h"
#include "apiserver/crd/schema_internal.h"
#include "apiserver/kind/kind_row.h"
#include "apiserver/request/call.h"
#include "model/group/customresourcedefinition.h"

#include "base/banned.h"

static int prepare_create(struct call *call, struct json_doc *doc, struct json object,
			  struct err *err)
{
	(void)err;
	crd_prepare_status(doc, object);
	crd_prepare(doc, object);
	if (call->internal) /* one of our own: it is established from the start */
		(void)definitions_settle(call->api, doc, object);
	return 0;
}

static int prepare_update(struct call *call, struct json_doc *doc, struct json object,
			  struct json old, struct err *err)
{
	(void)old;
	(void)err;
	if (!call->sub.len)
		crd_prepare(doc, object);
	return 0;
}

/* Our own are sound: a test has tried them all, and a start is to be fast. */
static void validate_create(struct call *call, struct json object, struct causes *causes)
{
	if (!call->internal)
		crd_validate(object, JSON_NONE, causes);
}

static void validate_update(struct call *call, struct json object, struct json old,
			    struct causes *causes)
{
	if (!str_is(call->sub, "status")) /* which is held against nothing but itself */
		crd_validate(object, old, causes);
}

/* --- unknown formats --- */

struct format_search {
	struct json known; /* a list of versions: formats in them are not reported */
	struct call *call;
	struct str wanted; /* none: report every unknown format; else: does this one occur? */
	bool found;
};

static void search_formats(struct json schema, struct format_search *search);

static void search_below(struct json container, struct format_search *search)
{
	struct json_iter it = json_iter(container);

	if (json_is(container, JSON_OBJ) || json_is(container, JSON_ARR))
		while (json_next(&it))
			search_formats(it.value, search);
}

static void search_versions(struct json versions, struct format_search *search)
{
	struct json_iter it = json_iter(versions);

	while (json_next(&it))
		search_formats(json_get(json_get(it.value, "schema"), "openAPIV3Schema"), search);
}

static void note_format(struct str format, struct format_search *search)
{
	struct format_search before = {.wanted = format};

	if (!str_is_none(search->wanted)) {
		search->found |= str_eq(format, search->wanted);
		return;
	}
	if (text_format_find(format))
		return;
	search_versions(search->known, &before);
	if (!before.found)
		call_warn(search->call, "unrecognized format \"%.*s\"", STR_ARG(format));
}

static void search_formats(struct json schema, struct format_search *search)
{
	static const char *const lists[] = {"allOf", "anyOf", "oneOf", "properties"};
	struct str format = json_str(json_get(schema, "format"));

	if (!json_is(schema, JSON_OBJ))
		return;
	if (format.len && str_is(json_str(json_get(schema, "type")), "string"))
		note_format(format, search);
	search_formats(json_get(schema, "items"), search);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		search_below(json_get(schema, lists[i]), search);
	search_formats(json_get(schema, "not"), search);
	search_formats(json_get(schema, "additionalProperties"), search);
}

/* A format that the server does not know is not checked: a warning says so, once. */
static void warn(struct call *call, struct json object, struct json old)
{
	struct format_search search = {.call = call,
				       .known = json_get(json_get(old, "spec"), "versions")};

	if (!call->internal && !call->sub.len)
		search_versions(json_get(json_get(object, "spec"), "versions"), &search);
}

/* A second request finds it marked, and changes nothing. */
static bool start_removal(struct call *call, struct json_doc *doc, struct json object)
{
	if (json_is_absent(json_get(json_get(object, "metadata"), "deletionTimestamp")))
		crd_start_removal(doc, object, api_now(call->api));
	return true;
}

static const struct kind_ops ops = {
	.prepare_create = prepare_create,
	.prepare_update = prepare_update,
	.validate_create = validate_create,
	.validate_update = validate_update,
	.warn = warn,
	.start_removal = start_removal,
};

static const struct kind rows[] = {
	{ROW("apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition",
	     "CustomResourceDefinition", crd_type),
	 .status = true, .generation = true, .version_on_update = true,
	 .short_names = NAMES("crd", "crds"), .categories = NAMES("api-extensions"),
	 .subs = kind_subs_status, .ops = &ops},
};

const struct kind_group kind_group_definitions = {rows, ARRAY_LEN(rows)};
