/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/body.c - from a body to an object of the kind that the call is for.
 *
 * In the order of kube-apiserver: apiVersion and kind (absent ones are filled in), wrong JSON
 * types, unknown and doubled fields (refused, warned about or passed over, as fieldValidation
 * says), defaults, canonical values. The built-in kinds go by their field table, custom ones by
 * their structural schema. */
#include <ctype.h>
#include <stdlib.h>

#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
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

	if (call->body.odd_fields.len >= ODD_FIELDS_MAX)
		return;
	vec_push(&call->body.odd_fields,
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

enum { BODY_SHOWN = 30 };

/* What kube-apiserver shows of a body that it cannot read: text if it looks like JSON, else the
 * digits of its bytes; up to so many of them. */
static const char *show_body(struct call *call)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str shown = str_slice(call->body.start, 0, BODY_SHOWN);

	if (!call->body.len)
		return "<empty>";
	if (call->body.start.ptr[0] == '{')
		buf_put_str(&text, shown);
	for (size_t i = 0; call->body.start.ptr[0] != '{' && i < shown.len; i++)
		buf_printf(&text, "%02x", (unsigned char)shown.ptr[i]);
	return arena_printf(call->arena, "%s%s", buf_text(&text),
			    shown.len < call->body.len ? " ..." : "");
}

int body_unrecognized(struct call *call, const char *why, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST,
		       "the object provided is unrecognized (must be of type %.*s): %s (%s)",
		       STR_ARG(call->kind->name), why, show_body(call));
}

/* --- which kind --- */

/* Versions that are not served any more, but that upstream still knows: an object of one is the same
 * kind in another version. */
static const struct {
	const char *group; /* of the kind that it is */
	const char *versions[6];
} old_versions[] = {
	{"apps", {"apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"}},
	{"batch", {"batch/v1beta1"}},
	{"networking.k8s.io", {"networking.k8s.io/v1beta1", "extensions/v1beta1"}},
	{"policy", {"policy/v1beta1"}},
	{"rbac.authorization.k8s.io",
	 {"rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1alpha1"}},
	{"storage.k8s.io", {"storage.k8s.io/v1beta1", "storage.k8s.io/v1alpha1"}},
	{"scheduling.k8s.io", {"scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha1"}},
	{"coordination.k8s.io", {"coordination.k8s.io/v1beta1"}},
	{"discovery.k8s.io", {"discovery.k8s.io/v1beta1"}},
	{"events.k8s.io", {"events.k8s.io/v1beta1"}},
	{"node.k8s.io", {"node.k8s.io/v1beta1", "node.k8s.io/v1alpha1"}},
	{"autoscaling", {"autoscaling/v2beta1", "autoscaling/v2beta2"}},
	{"admissionregistration.k8s.io", {"admissionregistration.k8s.io/v1beta1"}},
};

static bool is_old_version(const struct kind *kind, struct str version)
{
	for (size_t i = 0; i < ARRAY_LEN(old_versions); i++)
		for (size_t k = 0;
		     str_is(kind->group, old_versions[i].group) &&
		     k < ARRAY_LEN(old_versions[i].versions) && old_versions[i].versions[k];
		     k++)
			if (str_is(version, old_versions[i].versions[k]))
				return true;
	return false;
}

/* Kinds that every group of upstream has. */
static const char *const meta_kinds[] = {"ListOptions",   "GetOptions",    "DeleteOptions",
					 "CreateOptions", "UpdateOptions", "PatchOptions",
					 "WatchEvent"};
static const char *const core_kinds[] = {"List",         "Status",          "APIGroup",
					 "APIGroupList", "APIResourceList", "APIVersions"};

static bool is_among(struct str name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

/* Is it something that upstream has a type for, a list for instance? */
static bool is_registered(const struct call *call, struct str version, struct str name)
{
	const struct kinds *kinds = api_kinds(call->api);
	const struct kind *kind;
	size_t at = 0;
	bool has_version = false;

	while ((kind = kinds_next(kinds, &at))) {
		if (kind->custom || !str_eq(kind->api_version, version))
			continue;
		if (str_eq(kind->name, name) || str_eq(kind->list_name, name))
			return true;
		has_version = true;
	}
	return (has_version && is_among(name, meta_kinds, ARRAY_LEN(meta_kinds))) ||
	       (str_is(version, "v1") && is_among(name, core_kinds, ARRAY_LEN(core_kinds)));
}

/* The package of the kind's type in upstream's source: "core", "apps", "rbac". */
static struct str go_package(const struct kind *kind)
{
	struct str group = kind->stored->group.len ? kind->stored->group : STR("core");
	struct str package;

	(void)str_split(&group, '.', &package);
	return package;
}

/* Why an object of this kind cannot be one of the call's. */
static const char *why_not(struct call *call, struct str version, struct str name)
{
	if (is_registered(call, version, name))
		return arena_printf(call->arena,
				    "converting (%.*s.%.*s) to (%.*s.%.*s): unknown conversion",
				    STR_ARG(bare_version(version)), STR_ARG(name),
				    STR_ARG(go_package(call->kind)), STR_ARG(call->kind->name));
	return arena_printf(call->arena,
			    "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
			    "\"pkg/api/legacyscheme/scheme.go:30\"",
			    STR_ARG(name), STR_ARG(version));
}

static bool is_text_or_none(struct json value)
{
	return json_is_absent(value) || json_is(value, JSON_NULL) || json_is(value, JSON_STR);
}

/* Names that a built-in kind leaves out are its own. */
static void fill_names(const struct call *call, struct json object, struct str *version,
		       struct str *name)
{
	if (call->kind->custom || !is_text_or_none(json_get(object, "kind")) ||
	    !is_text_or_none(json_get(object, "apiVersion")))
		return;
	*name = name->len ? *name : call->kind->name;
	*version = version->len ? *version : call->kind->api_version;
}

bool body_is_of_kind(const struct call *call, struct json object)
{
	struct str name = json_str(json_get(object, "kind"));
	struct str version = json_str(json_get(object, "apiVersion"));

	fill_names(call, object, &version, &name);
	return str_eq(name, call->kind->name) && str_eq(version, call->kind->api_version);
}

int body_check_kind(struct call *call, struct json object, struct err *err)
{
	struct str name = json_str(json_get(object, "kind"));
	struct str version = json_str(json_get(object, "apiVersion"));

	const struct kind *other;

	fill_names(call, object, &version, &name);
	if (body_is_of_kind(call, object))
		return 0;
	other = kinds_find_kind(api_kinds(call->api), version, name);
	if (other && other->content->check_types(other, object, err) < 0)
		return -1; /* it is not even one of those */
	return err_set(err, ERR_BAD_REQUEST, "%s", why_not(call, version, name));
}

/* Custom objects of another kind are reported as invalid objects of that kind. */
static int wrong_kind(struct call *call, struct json object, struct str name, struct err *err)
{
	struct str object_name = json_str(json_get(json_get(object, "metadata"), "name"));
	const char *why = arena_printf(call->arena, "Invalid value: \"%.*s\": must be %.*s",
				       STR_ARG(name), STR_ARG(call->kind->name));

	call->error.kind = arena_str(call->arena, name);
	call->error.name = arena_str(call->arena, object_name);
	call_note_cause(call, &(struct call_cause){"FieldValueInvalid", why, "kind"});
	return err_set(err, ERR_INVALID, "%.*s.%.*s \"%.*s\" is invalid: kind: %s", STR_ARG(name),
		       STR_ARG(call->kind->group), STR_ARG(object_name), why);
}

/* apiVersion and kind have to be texts, and the former a group and a version. */
static int check_kind_types(struct call *call, struct json object, struct err *err)
{
	static const char *const keys[] = {"apiVersion", "kind"};
	struct str version = json_str(json_get(object, "apiVersion"));
	ptrdiff_t slash = str_find_byte(version, '/', 0);

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct json value = json_get(object, keys[i]);

		if (!json_is_absent(value) && !json_is(value, JSON_STR) &&
		    !json_is(value, JSON_NULL))
			return body_unrecognized(
				call,
				arena_printf(call->arena,
					     "couldn't get version/kind; json parse error: json: "
					     "cannot unmarshal %s into Go struct field .%s of type "
					     "string",
					     json_go_name(json_type(value)), keys[i]),
				err);
	}
	if (slash >= 0 && str_find_byte(version, '/', (size_t)slash + 1) >= 0)
		return body_unrecognized(call,
					 arena_printf(call->arena,
						      "unexpected GroupVersion string: %.*s",
						      STR_ARG(version)),
					 err);
	return 0;
}

static int wrong_version(const struct kind *kind, struct str version, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST,
		       "the API version in the data (%.*s) does not match the expected API version "
		       "(%.*s)",
		       STR_ARG(version), STR_ARG(kind->api_version));
}

/* A custom object has to say what it is. Those of our own, that are not text, need not. */
static int check_custom_kind(struct call *call, struct json object, struct str version,
			     struct str name, struct err *err)
{
	const struct kind *kind = call->kind;

	if (call->body.len && !json_str(json_get(object, "kind")).len)
		return body_unrecognized(call,
					 arena_printf(call->arena,
						      "Object 'Kind' is missing in '%.*s'",
						      STR_ARG(call->body.start)),
					 err);
	if (call->body.len && !json_str(json_get(object, "apiVersion")).len)
		return wrong_version(kind, str_none(), err);
	if (!str_eq(version, kind->api_version))
		return wrong_version(kind, version, err);
	return str_eq(name, kind->name) ? 0 : wrong_kind(call, object, name, err);
}

/* Is it the kind of the call? A built-in kind may leave its names out. */
static int check_kind(struct call *call, struct json object, struct err *err)
{
	const struct kind *kind = call->kind;
	struct str name = json_str(json_get(object, "kind"));
	struct str version = json_str(json_get(object, "apiVersion"));

	if (check_kind_types(call, object, err) < 0)
		return -1;
	if (str_starts(version, STR("/"))) /* of the group without a name */
		version = str_skip(version, 1);
	if (name.len == 0)
		name = kind->name;
	if (version.len == 0)
		version = kind->api_version;
	if (kind->custom && check_custom_kind(call, object, version, name, err) < 0)
		return -1;
	if (str_eq(name, kind->name) && str_eq(version, kind->api_version))
		return 0;
	if (str_eq(name, kind->name) && is_old_version(kind, version))
		return wrong_version(kind, version, err);
	return cannot_be_handled(call, bare_version(version), name, why_not(call, version, name),
				 err);
}

/* --- the order of odd fields --- */

/* One that is to be sorted. */
struct odd {
	const char *text; /* unknown field "a.b" */
	struct str path;
	size_t rank;
};

static struct str path_of(const char *text)
{
	struct str rest = str_from(text);
	ptrdiff_t quote = str_find_byte(rest, '"', 0);

	return quote < 0 ? str_none() : str_slice(rest, (size_t)quote + 1, rest.len - 1);
}

static int compare_ranks(const void *left, const void *right)
{
	const struct odd *a = left;
	const struct odd *b = right;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* By the names on the way to them; of a list by index. The end of a name is before all letters. */
static int compare_paths(const void *left, const void *right)
{
	struct str a = ((const struct odd *)left)->path;
	struct str b = ((const struct odd *)right)->path;
	size_t at = 0;
	size_t a_digits = 0;
	size_t b_digits = 0;

	while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at])
		at++;
	if (at == a.len || at == b.len)
		return a.len < b.len ? -1 : a.len > b.len;
	while (at + a_digits < a.len && isdigit((unsigned char)a.ptr[at + a_digits]))
		a_digits++;
	while (at + b_digits < b.len && isdigit((unsigned char)b.ptr[at + b_digits]))
		b_digits++;
	if (a_digits != b_digits && str_find_byte(str_slice(a, 0, at), '[', 0) >= 0)
		return a_digits < b_digits ? -1 : 1;
	if (a.ptr[at] == '.' || a.ptr[at] == '[')
		return -1;
	if (b.ptr[at] == '.' || b.ptr[at] == '[')
		return 1;
	return (unsigned char)a.ptr[at] < (unsigned char)b.ptr[at] ? -1 : 1;
}

/* A walk over the body as it came, that numbers its fields. */
struct numbering {
	struct map *fields; /* path -> struct odd */
	struct buf path;
	size_t count;
};

static void number_fields(struct numbering *numbering, struct json value)
{
	struct json_iter it = json_iter(value);
	size_t length = numbering->path.len;
	bool object = json_is(value, JSON_OBJ);

	while (json_next(&it)) {
		struct odd *odd;

		if (object)
			buf_printf(&numbering->path, "%s%.*s", length ? "." : "", STR_ARG(it.key));
		else
			buf_printf(&numbering->path, "[%zu]", it.index);
		odd = map_get(numbering->fields, buf_str(&numbering->path));
		numbering->count++;
		if (odd && !odd->rank)
			odd->rank = numbering->count;
		number_fields(numbering, it.value);
		buf_truncate(&numbering->path, length);
	}
}

/* Those that come first: duplicates in the YAML or the patch itself, and unknown members of an
 * operation. */
static size_t count_fixed(const struct call *call)
{
	size_t count = call->body.yaml_duplicates;

	while (call->verb == VERB_PATCH && count < call->body.odd_fields.len &&
	       !str_starts(str_from(call->body.odd_fields.ptr[count]), STR("unknown")))
		count++;
	return count;
}

/* Fields of a built-in kind are reported where the decoder meets them: duplicates and unknown ones in
 * the order of the document, which for YAML and for what a patch makes is the order of names. */
static void sort_odd_fields(struct call *call)
{
	size_t from = count_fixed(call);
	size_t count = call->body.odd_fields.len - from;
	struct odd *odds = arena_calloc(call->arena, count + 1, sizeof(struct odd));
	struct numbering numbering = {.path = BUF_UNBOUNDED};

	for (size_t i = 0; i < count; i++) {
		odds[i].text = call->body.odd_fields.ptr[from + i];
		odds[i].path = path_of(odds[i].text);
	}
	if (call->body.yaml || call->verb == VERB_PATCH) {
		qsort(odds, count, sizeof(struct odd), compare_paths);
	} else {
		numbering.fields = map_new((uint64_t)(uintptr_t)call);
		for (size_t i = count; i-- > 0;)
			(void)map_put(numbering.fields, odds[i].path, &odds[i]);
		number_fields(&numbering, json_doc_root(call->body.doc));
		for (size_t i = 1; i < count; i++)
			if (!odds[i].rank)
				odds[i].rank = odds[i - 1].rank;
		qsort(odds, count, sizeof(struct odd), compare_ranks);
		map_free(numbering.fields);
		buf_done(&numbering.path);
	}
	for (size_t i = 0; i < count; i++)
		call->body.odd_fields.ptr[from + i] = odds[i].text;
}

/* Refuse or warn about the odd fields that were noted. */
static int settle_odd_fields(struct call *call, struct err *err)
{
	struct str mode = call->options.field_validation;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	size_t lines = call->body.yaml_duplicates;

	if (call->body.odd_fields.len == 0 || str_is(mode, "Ignore"))
		return 0;
	if (!call->kind->custom && call->body.odd_fields.len - lines > 1)
		sort_odd_fields(call);
	for (size_t i = 0; i < call->body.odd_fields.len; i++) {
		if (!str_is(mode, "Strict")) {
			call_warn(call, "%s", call->body.odd_fields.ptr[i]);
			continue;
		}
		buf_printf(&text, "%s%s%s",
			   i == 0      ? "strict decoding error: "
			   : i < lines ? ""
				       : ", ",
			   i >= lines ? ""
			   : i == 0   ? "yaml: unmarshal errors:\n  "
				      : "\n  ",
			   call->body.odd_fields.ptr[i]);
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
	struct json managed = json_get(json_get(object, "metadata"), "managedFields");

	/* [] is left out below, as Go does; for managers it means something */
	call->work.unmanage = json_is(managed, JSON_ARR) && json_len(managed) == 0;
	if (content->check_types(call->kind, object, err) < 0)
		return -1;
	content->prune(call->kind, doc, object, on_odd_field, &strict);
	if (settle_odd_fields(call, err) < 0)
		return -1;
	/* what is applied is not decoded by the kind, as upstream: a null in it is a value */
	if (content->drop_nulls && call->patch != PATCH_APPLY)
		content->drop_nulls(call->kind, doc, object);
	content->complete(call->kind, doc, object);
	return 0;
}

int body_recognize(struct call *call, struct json body, struct err *err)
{
	if (json_is(body, JSON_OBJ) || json_is(body, JSON_NULL))
		return check_kind(call, body, err);
	return body_unrecognized(
		call,
		arena_printf(call->arena,
			     "couldn't get version/kind; json parse error: json: cannot "
			     "unmarshal %s into Go value of type struct { APIVersion string "
			     "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
			     "\"json:\\\"kind,omitempty\\\"\" }",
			     json_go_name(json_type(body))),
		err);
}

struct json_doc *body_decode(struct call *call, struct json body, struct err *err)
{
	return body_recognize(call, body, err) < 0 ? NULL : body_make(call, body, err);
}

struct json_doc *body_make(struct call *call, struct json body, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(body);

	if (json_is(body, JSON_NULL)) /* an object without members */
		json_doc_set_root(doc, json_new_obj(doc));
	json_set_str(doc, json_doc_root(doc), "kind", call->kind->name);
	json_set_str(doc, json_doc_root(doc), "apiVersion", call->kind->api_version);
	if (body_complete(call, doc, err) < 0) {
		(void)cannot_be_handled(call, call->kind->version, call->kind->name,
					arena_strdup(call->arena, err->text), err);
		return NULL;
	}
	return TAKE(doc);
}
