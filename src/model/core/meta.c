/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/meta.c - object metadata: its table and its rules, in the order and the words of
 * kube-apiserver 1.34. */
#include "model/core/meta.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/vec.h"

#include "base/banned.h"

static struct str member(struct json object, const char *name)
{
	return json_str(json_get(json_get(object, "metadata"), name));
}

struct str meta_name(struct json object)
{
	return member(object, "name");
}

struct str meta_namespace(struct json object)
{
	return member(object, "namespace");
}

struct str meta_uid(struct json object)
{
	return member(object, "uid");
}

struct json meta_condition(struct json object, const char *type)
{
	struct json_iter it = json_iter(json_get(json_get(object, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return it.value;
	return JSON_NONE;
}

bool meta_has_condition(struct json object, const char *type)
{
	return str_is(json_str(json_get(meta_condition(object, type), "status")), "True");
}

enum { ANNOTATIONS_MAX_BYTES = 256 * 1024, MANAGER_MAX_BYTES = 128 };

#define META .group = "io.k8s.apimachinery.pkg.apis.meta", .as_go = true

#define VIEW struct owner_reference
static const struct field owner_reference_fields[] = {
	{"apiVersion", F_STR, AT(api_version), F_ALWAYS, F_NEEDED},
	{"kind", F_STR, AT(kind), F_ALWAYS, F_NEEDED},
	{"name", F_STR, AT(name), F_ALWAYS, F_NEEDED},
	{"uid", F_STR, AT(uid), F_ALWAYS, F_NEEDED, F_GO("types.UID")},
	{"controller", F_BOOL, AT(controller), F_POINTER},
	{"blockOwnerDeletion", F_BOOL, AT(block_owner_deletion), F_POINTER},
};
#undef VIEW
const struct type owner_reference_type = {
	TYPE("OwnerReference", "v1", struct owner_reference, owner_reference_fields),
	META,
	.atomic = true,
};

static const struct field managed_fields_fields[] = {
	{"manager", F_STR},     {"operation", F_STR, F_GO("v1.ManagedFieldsOperationType")},
	{"apiVersion", F_STR},  {"time", F_TIME},
	{"fieldsType", F_STR},  {"fieldsV1", F_ANY},
	{"subresource", F_STR},
};
static const struct type managed_fields_type = {
	TYPE_KNOWN("ManagedFieldsEntry", "v1", managed_fields_fields),
	META,
};

#define VIEW struct meta
static const struct field meta_fields[] = {
	{"name", F_STR, AT(name)},
	{"generateName", F_STR, AT(generate_name)},
	{"namespace", F_STR, AT(namespace)},
	{"selfLink", F_STR},
	{"uid", F_STR, AT(uid), F_GO("types.UID")},
	{"resourceVersion", F_STR, AT(resource_version)},
	{"generation", F_INT64, AT(generation)},
	{"creationTimestamp", F_TIME, AT(creation_timestamp)},
	{"deletionTimestamp", F_TIME, AT(deletion_timestamp)},
	{"deletionGracePeriodSeconds", F_INT64, AT(deletion_grace_period_seconds), F_POINTER},
	{"labels", F_LABELS, AT(labels)},
	{"annotations", F_LABELS, AT(annotations)},
	{"ownerReferences", F_LIST(F_OBJECT(owner_reference)), AT(owner_references),
	 F_LIST_MAP("uid"), F_MERGE_KEY("uid")},
	{"finalizers", F_LIST(F_STR), AT(finalizers), F_LIST_SET, F_MERGE},
	{"managedFields", F_LIST(F_OBJECT(managed_fields)), F_LIST_ATOMIC},
};
#undef VIEW
const struct type meta_type = {
	TYPE("ObjectMeta", "v1", struct meta, meta_fields),
	META,
};

void meta_print_key(const struct meta *meta, struct buf *to)
{
	if (meta->namespace.len) {
		buf_put_str(to, meta->namespace);
		buf_putc(to, '/');
	}
	buf_put_str(to, meta->name);
}

const struct owner_reference *meta_controller(const struct meta *meta)
{
	for (size_t i = 0; i < meta->owner_references.len; i++)
		if (meta->owner_references.ptr[i].controller.value)
			return &meta->owner_references.ptr[i];
	return NULL;
}

bool meta_has_finalizer(const struct meta *meta, struct str finalizer)
{
	for (size_t i = 0; i < meta->finalizers.len; i++)
		if (str_eq(meta->finalizers.ptr[i], finalizer))
			return true;
	return false;
}

/* --- rules ----------------------------------------------------------------------------------- */

static void validate_name(struct json meta, const struct meta_rules *rules, const struct path *path,
			  struct causes *causes)
{
	struct path name_path = path_member(path, STR("name"));
	struct path generate_path = path_member(path, STR("generateName"));
	struct str name = json_str(json_get(meta, "name"));
	struct str generate = json_str(json_get(meta, "generateName"));

	if (generate.len)
		name_validate_prefix(rules->format, generate, &generate_path, causes);
	if (!name.len)
		causes_required(causes, &name_path, "name or generateName is required");
	else
		name_validate(rules->format, name, &name_path, causes);
}

static void validate_namespace(struct json meta, const struct meta_rules *rules,
			       const struct path *path, struct causes *causes)
{
	struct path at = path_member(path, STR("namespace"));
	struct str namespace = json_str(json_get(meta, "namespace"));

	if (rules->namespaced && !namespace.len)
		causes_required(causes, &at, "");
	else if (rules->namespaced)
		name_validate(NAME_DNS_LABEL, namespace, &at, causes);
	else if (namespace.len)
		causes_forbidden(causes, &at, "not allowed on this type");
}

static void validate_generation(struct json meta, const struct path *path, struct causes *causes)
{
	struct path at = path_member(path, STR("generation"));
	int64_t generation = json_int(json_get(meta, "generation"));

	if (generation < 0)
		causes_invalid_int(causes, &at, generation, "must be greater than or equal to 0");
}

void meta_validate_annotations(struct json annotations, const struct path *path,
			       struct causes *causes)
{
	struct json_iter it = json_iter(annotations);
	size_t bytes = 0;

	while (json_next(&it)) {
		AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

		for (size_t i = 0; i < it.key.len; i++)
			buf_putc(&lower, (char)tolower((unsigned char)it.key.ptr[i]));
		name_validate_as(NAME_QUALIFIED, buf_str(&lower), it.key, path, causes);
		bytes += it.key.len + json_str(it.value).len;
	}
	if (bytes > ANNOTATIONS_MAX_BYTES)
		causes_too_long(causes, path, ANNOTATIONS_MAX_BYTES);
}

/* "v1" or "group/v1": is there a version? */
static bool has_version(struct str api_version)
{
	ptrdiff_t slash = str_find_byte(api_version, '/', 0);

	if (slash < 0)
		return api_version.len > 0;
	return api_version.len > (size_t)slash + 1 &&
	       str_find_byte(api_version, '/', (size_t)slash + 1) < 0;
}

static void validate_owner(struct json owner, const struct path *path, struct causes *causes)
{
	static const char *const needed[] = {"kind", "name", "uid"};
	struct path version = path_member(path, STR("apiVersion"));

	if (!has_version(json_str(json_get(owner, "apiVersion"))))
		causes_invalid_str(causes, &version, json_str(json_get(owner, "apiVersion")),
				   "version must not be empty");
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		struct path at = path_member(path, str_from(needed[i]));

		if (!json_str(json_get(owner, needed[i])).len)
			causes_invalid_str(causes, &at, STR(""), "must not be empty");
	}
	if (str_is(json_str(json_get(owner, "apiVersion")), "v1") &&
	    str_is(json_str(json_get(owner, "kind")), "Event"))
		causes_invalid(causes, path, owner,
			       "/v1, Kind=Event is disallowed from being an owner");
}

static void validate_owners(struct json owners, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(owners);
	struct json first = JSON_NONE;

	while (json_next(&it)) {
		validate_owner(it.value, path, causes);
		if (!json_bool(json_get(it.value, "controller")))
			continue;
		if (json_is_absent(first)) {
			first = it.value;
			continue;
		}
		causes_invalid(causes, path, owners,
			       "Only one reference can have Controller set to true. Found \"true\" "
			       "in references for %.*s/%.*s and %.*s/%.*s",
			       STR_ARG(json_str(json_get(first, "kind"))),
			       STR_ARG(json_str(json_get(first, "name"))),
			       STR_ARG(json_str(json_get(it.value, "kind"))),
			       STR_ARG(json_str(json_get(it.value, "name"))));
	}
}

static void validate_finalizers(struct json finalizers, const struct path *path,
				struct causes *causes)
{
	struct json_iter it = json_iter(finalizers);

	while (json_next(&it))
		name_validate(NAME_QUALIFIED, json_str(it.value), path, causes);
	if (json_has_str(finalizers, STR("orphan")) &&
	    json_has_str(finalizers, STR("foregroundDeletion")))
		causes_invalid(causes, path, finalizers,
			       "finalizer orphan and foregroundDeletion cannot be both set");
}

/* Kubernetes' own kinds also require a domain, except for its own finalizers. */
static void validate_built_in_finalizers(struct json finalizers, const struct path *path,
					 struct causes *causes)
{
	struct json_iter it = json_iter(finalizers);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str name = json_str(it.value);

		if (str_find_byte(name, '/', 0) < 0 && !str_is(name, "kubernetes") &&
		    !str_is(name, "orphan") && !str_is(name, "foregroundDeletion"))
			causes_invalid_str(causes, &at, name,
					   "name is neither a standard finalizer name nor is it "
					   "fully qualified");
	}
}

static void validate_managed(struct json entries, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(entries);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct path operation = path_member(&at, STR("operation"));
		struct path type = path_member(&at, STR("fieldsType"));
		struct path manager = path_member(&at, STR("manager"));
		struct str op = json_str(json_get(it.value, "operation"));
		struct str fields_type = json_str(json_get(it.value, "fieldsType"));

		if (!str_is(op, "Apply") && !str_is(op, "Update"))
			causes_invalid_str(causes, &operation, op, "must be `Apply` or `Update`");
		if (fields_type.len && !str_is(fields_type, "FieldsV1"))
			causes_invalid_str(causes, &type, fields_type, "must be `FieldsV1`");
		if (json_str(json_get(it.value, "manager")).len > MANAGER_MAX_BYTES)
			causes_too_long(causes, &manager, MANAGER_MAX_BYTES);
	}
}

static void validate_common(struct json meta, const struct path *path, struct causes *causes)
{
	struct path labels = path_member(path, STR("labels"));
	struct path annotations = path_member(path, STR("annotations"));
	struct path owners = path_member(path, STR("ownerReferences"));

	labels_validate(json_get(meta, "labels"), &labels, causes);
	meta_validate_annotations(json_get(meta, "annotations"), &annotations, causes);
	validate_owners(json_get(meta, "ownerReferences"), &owners, causes);
}

void meta_validate(struct json meta, const struct meta_rules *rules, const struct path *path,
		   struct causes *causes)
{
	struct path finalizers = path_member(path, STR("finalizers"));
	struct path managed = path_member(path, STR("managedFields"));

	validate_name(meta, rules, path, causes);
	validate_namespace(meta, rules, path, causes);
	validate_generation(meta, path, causes);
	validate_common(meta, path, causes);
	validate_finalizers(json_get(meta, "finalizers"), &finalizers, causes);
	validate_managed(json_get(meta, "managedFields"), &managed, causes);
	if (rules->built_in)
		validate_built_in_finalizers(json_get(meta, "finalizers"), &finalizers, causes);
}

/* New finalizers, sorted, as Go prints a slice of strings. */
static void validate_no_new(struct json old, struct json new, const struct path *path,
			    struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(new);
	VEC(struct str) added = {0};

	while (json_next(&it))
		if (!json_has_str(old, json_str(it.value)))
			vec_push(&added, json_str(it.value));
	if (!added.len)
		return;
	qsort(added.ptr, added.len, sizeof(added.ptr[0]), str_qsort_cmp);
	buf_puts(&text, "no new finalizers can be added if the object is being deleted, found new "
			"finalizers []string{");
	for (size_t i = 0; i < added.len; i++) {
		if (i && str_eq(added.ptr[i], added.ptr[i - 1]))
			continue;
		if (i)
			buf_puts(&text, ", ");
		causes_quote(&text, added.ptr[i]);
	}
	buf_putc(&text, '}');
	causes_forbidden(causes, path, buf_text(&text));
	vec_done(&added);
}

static bool is_nothing(struct json value)
{
	return json_is_absent(value) || json_is(value, JSON_NULL) ||
	       (json_is(value, JSON_STR) && !json_str(value).len);
}

static void validate_fixed(struct json old, struct json meta, const struct path *path,
			   struct causes *causes)
{
	static const char *const fixed[] = {
		"name",
		"namespace",
		"uid",
		"creationTimestamp",
		"deletionTimestamp",
		"deletionGracePeriodSeconds",
	};

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		struct path at = path_member(path, str_from(fixed[i]));
		struct json before = json_get(old, fixed[i]);
		struct json after = json_get(meta, fixed[i]);

		if (!json_eq(before, after) && !(is_nothing(before) && is_nothing(after)))
			causes_invalid(causes, &at, after, "field is immutable");
	}
}

void meta_validate_update(struct json old, struct json meta, const struct meta_rules *rules,
			  const struct path *path, struct causes *causes)
{
	struct path finalizers = path_member(path, STR("finalizers"));
	struct path version = path_member(path, STR("resourceVersion"));
	struct path at = path_member(path, STR("generation"));
	struct path managed = path_member(path, STR("managedFields"));
	int64_t generation = json_int(json_get(meta, "generation"));

	if (json_is(json_get(old, "deletionTimestamp"), JSON_STR))
		validate_no_new(json_get(old, "finalizers"), json_get(meta, "finalizers"),
				&finalizers, causes);
	if (!json_str(json_get(meta, "resourceVersion")).len)
		causes_invalid_int(causes, &version, 0, "must be specified for an update");
	validate_generation(meta, path, causes);
	if (generation < json_int(json_get(old, "generation")))
		causes_invalid_int(causes, &at, generation, "must not be decremented");
	validate_fixed(old, meta, path, causes);
	validate_common(meta, path, causes);
	validate_managed(json_get(meta, "managedFields"), &managed, causes);
	if (rules->built_in)
		validate_built_in_finalizers(json_get(meta, "finalizers"), &finalizers, causes);
}
