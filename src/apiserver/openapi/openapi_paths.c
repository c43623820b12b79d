/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/openapi_paths.c - the paths of a kind, in the words of OpenAPI: which methods there are,
 * what they take and what they give. Clients look here for what the server can do (dryRun,
 * fieldValidation). */
#include "apiserver/kind/kind.h"
#include "apiserver/openapi/openapi_internal.h"
#include "model/core/scale.h"
#include "model/core/status.h"

#include "base/banned.h"

enum place { PLACE_ALL, PLACE_COLLECTION, PLACE_ITEM };

static const char *const common[] = {"pretty", NULL};
static const char *const of_list[] = {"allowWatchBookmarks",
				      "continue",
				      "fieldSelector",
				      "labelSelector",
				      "limit",
				      "resourceVersion",
				      "resourceVersionMatch",
				      "sendInitialEvents",
				      "timeoutSeconds",
				      "watch",
				      NULL};
static const char *const of_write[] = {"dryRun", "fieldManager", "fieldValidation", NULL};
static const char *const of_patch[] = {"dryRun", "fieldManager", "fieldValidation", "force", NULL};
static const char *const of_delete[] = {"dryRun", "gracePeriodSeconds", "orphanDependents",
					"propagationPolicy", NULL};

static const struct method {
	const char *name;
	enum verb verb;
	enum place place;
	const char *action; /* x-kubernetes-action */
	const char *word;   /* how operationId starts */
	const char *const *parameters;
	bool body;
} methods[] = {
	{"get", VERB_LIST, PLACE_ALL, "list", "list", of_list, false},
	{"get", VERB_LIST, PLACE_COLLECTION, "list", "list", of_list, false},
	{"post", VERB_CREATE, PLACE_COLLECTION, "post", "create", of_write, true},
	{"delete", VERB_DELETE_COLLECTION, PLACE_COLLECTION, "deletecollection", "deleteCollection",
	 of_delete, false},
	{"get", VERB_GET, PLACE_ITEM, "get", "read", common, false},
	{"put", VERB_UPDATE, PLACE_ITEM, "put", "replace", of_write, true},
	{"delete", VERB_DELETE, PLACE_ITEM, "delete", "delete", of_delete, false},
	{"patch", VERB_PATCH, PLACE_ITEM, "patch", "patch", of_patch, true},
	{"post", VERB_CREATE, PLACE_ITEM, "post", "create", of_write, true},
};

/* --- one operation --------------------------------------------------------------------------- */

static struct json make_parameter(const struct openapi_writer *w, struct json_doc *doc,
				  const char *name, const char *in)
{
	struct json parameter = json_new_obj(doc);
	struct json type = parameter;

	json_set_str(doc, parameter, "name", str_from(name));
	json_set_str(doc, parameter, "in", str_from(in));
	if (str_is(str_from(in), "path"))
		json_set_bool(doc, parameter, "required", true);
	if (w->form == OPENAPI_V3)
		type = json_ensure_obj(doc, parameter, "schema");
	json_set_str(doc, type, "type", STR("string"));
	json_set_bool(doc, type, "uniqueItems", true);
	return parameter;
}

/* "BatchVolcanoShV1alpha1", "CoreV1" */
static void put_camel(struct str text, struct buf *to)
{
	bool start = true;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '.' || c == '-' || c == '/') {
			start = true;
			continue;
		}
		buf_putc(to, start && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
		start = false;
	}
}

static void set_operation_id(struct json_doc *doc, struct json operation, const struct kind *kind,
			     const struct method *method, const char *sub)
{
	AUTO(buf_done) struct buf id = BUF_UNBOUNDED;
	struct str group = kind->group.len ? kind->group : STR("core");

	if (str_ends(group, STR(".k8s.io")))
		group = str_slice(group, 0, group.len - STR(".k8s.io").len);
	buf_puts(&id, method->word);
	put_camel(group, &id);
	put_camel(kind->version, &id);
	if (kind->namespaced && method->place != PLACE_ALL)
		buf_puts(&id, "Namespaced");
	buf_put_str(&id, kind->name);
	put_camel(str_from(sub), &id);
	if (method->place == PLACE_ALL)
		buf_puts(&id, "ForAllNamespaces");
	json_set_str(doc, operation, "operationId", buf_str(&id));
}

/* The schema of what is answered or sent, if it is said. */
static struct json make_content(struct openapi_writer *w, struct json_doc *doc,
				const struct kind *kind, const struct method *method,
				const struct kind_sub *sub)
{
	if (sub && sub->kind && str_is(str_from(sub->kind), "Scale"))
		return openapi_type_ref(w, doc, &scale_type);
	if (sub && sub->kind)
		return JSON_NONE;
	if (method->verb == VERB_LIST)
		return openapi_ref(w, doc, openapi_list_name(w, kind));
	if (method->verb == VERB_DELETE || method->verb == VERB_DELETE_COLLECTION)
		return openapi_type_ref(w, doc, &api_status_type);
	return openapi_ref(w, doc, openapi_kind_name(w, kind));
}

static void set_content(const struct openapi_writer *w, struct json_doc *doc, struct json holder,
			struct json schema)
{
	if (json_is_absent(schema))
		return;
	if (w->form == OPENAPI_V3)
		holder = json_ensure_obj(doc, json_ensure_obj(doc, holder, "content"),
					 "application/json");
	json_set(doc, holder, STR("schema"), schema);
}

static void set_body(struct openapi_writer *w, struct json_doc *doc, struct json operation,
		     struct json parameters, struct json schema)
{
	struct json body;

	if (w->form == OPENAPI_V3) {
		body = json_ensure_obj(doc, operation, "requestBody");
	} else {
		body = json_new_obj(doc);
		json_set_str(doc, body, "name", STR("body"));
		json_set_str(doc, body, "in", STR("body"));
		json_set_bool(doc, body, "required", true);
		json_append(doc, parameters, body);
	}
	set_content(w, doc, body, schema);
}

static struct json make_operation(struct openapi_writer *w, struct json_doc *doc,
				  const struct kind *kind, const struct method *method,
				  const struct kind_sub *sub)
{
	struct json operation = json_new_obj(doc);
	struct json parameters = json_ensure_arr(doc, operation, "parameters");
	struct json response;
	struct str api_version = str_from(sub && sub->api_version ? sub->api_version : "");
	ptrdiff_t slash = str_rfind_byte(api_version, '/');

	set_operation_id(doc, operation, kind, method, sub ? sub->name : "");
	if (method->body)
		set_body(w, doc, operation, parameters, make_content(w, doc, kind, method, sub));
	for (const char *const *name = method->parameters; *name; name++)
		json_append(doc, parameters, make_parameter(w, doc, *name, "query"));
	response = json_ensure_obj(doc, json_ensure_obj(doc, operation, "responses"), "200");
	json_set_str(doc, response, "description", STR("OK"));
	set_content(w, doc, response, make_content(w, doc, kind, method, sub));
	json_set_str(doc, operation, "x-kubernetes-action", str_from(method->action));
	if (api_version.len)
		json_set(doc, operation, STR("x-kubernetes-group-version-kind"),
			 openapi_gvk(doc,
				     slash < 0 ? STR("") : str_slice(api_version, 0, (size_t)slash),
				     str_skip(api_version, (size_t)(slash + 1)),
				     sub->kind ? str_from(sub->kind) : kind->name));
	else
		json_set(doc, operation, STR("x-kubernetes-group-version-kind"),
			 openapi_gvk(doc, kind->group, kind->version, kind->name));
	return operation;
}

/* --- a path ---------------------------------------------------------------------------------- */

static void put_path(struct openapi_writer *w, const struct kind *kind, enum place place,
		     const struct kind_sub *sub)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;
	struct json item = json_new_obj(doc);
	struct json parameters = json_new_arr(doc);
	unsigned verbs = sub ? sub->verbs : kind->verbs;
	bool in_namespace = kind->namespaced && place != PLACE_ALL;

	buf_printf(&path, "/%s/%.*s%s/%.*s", kind->group.len ? "apis" : "api",
		   STR_ARG(kind->api_version), in_namespace ? "/namespaces/{namespace}" : "",
		   STR_ARG(kind->plural));
	if (place == PLACE_ITEM)
		buf_puts(&path, "/{name}");
	if (sub)
		buf_printf(&path, "/%s", sub->name);
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		const struct method *method = &methods[i];

		if (method->place != place || !(verbs & 1u << method->verb) ||
		    (method->verb == VERB_CREATE && place == PLACE_ITEM && !sub))
			continue;
		json_set(doc, item, str_from(method->name),
			 make_operation(w, doc, kind, method, sub));
	}
	if (!json_len(item))
		return;
	if (place == PLACE_ITEM)
		json_append(doc, parameters, make_parameter(w, doc, "name", "path"));
	if (in_namespace)
		json_append(doc, parameters, make_parameter(w, doc, "namespace", "path"));
	if (json_len(parameters))
		json_set(doc, item, STR("parameters"), parameters);
	openapi_put(w, buf_str(&path), item);
}

void openapi_put_paths(struct openapi_writer *w, const struct kind *kind)
{
	if (kind->namespaced)
		put_path(w, kind, PLACE_ALL, NULL);
	put_path(w, kind, PLACE_COLLECTION, NULL);
	put_path(w, kind, PLACE_ITEM, NULL);
	for (const struct kind_sub *sub = kind->subs; sub && sub->name; sub++)
		put_path(w, kind, PLACE_ITEM, sub);
}
