/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/pvc.c - claims of volumes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/core/pvc.h"

#include "model/field/textdiff.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

static const struct field pvc_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.PersistentVolumeClaimConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastProbeTime", F_TIME, F_ALWAYS},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type pvc_condition_type = {
	TYPE_KNOWN("PersistentVolumeClaimCondition", "v1", pvc_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field modify_volume_status_fields[] = {
	{"targetVolumeAttributesClassName", F_STR},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.PersistentVolumeClaimModifyVolumeStatus")},
};
static const struct type modify_volume_status_type = {
	TYPE_KNOWN("ModifyVolumeStatus", "v1", modify_volume_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static void fill_pvc_status(struct json_doc *doc, struct json status)
{
	if (rules_is_empty(json_get(status, "phase")))
		json_set_str(doc, status, "phase", STR("Pending"));
}

#define VIEW struct pvc_status
static const struct field pvc_status_fields[] = {
	{"phase", F_STR, AT(phase), F_GO("v1.PersistentVolumeClaimPhase")},
	{"accessModes", F_LIST(F_STR, F_GO("v1.PersistentVolumeAccessMode")), AT(access_modes),
	 F_LIST_ATOMIC},
	{"capacity", F_RESOURCES, AT(capacity), F_GO("v1.ResourceList")},
	{"conditions", F_LIST(F_OBJECT(pvc_condition)), F_LIST_MAP("type"), F_MERGE_KEY("type")},
	{"allocatedResources", F_RESOURCES, F_GO("v1.ResourceList")},
	{"allocatedResourceStatuses", F_MAP(F_STR, F_GO("v1.ClaimResourceStatus"))},
	{"currentVolumeAttributesClassName", F_STR, F_POINTER},
	{"modifyVolumeStatus", F_OBJECT(modify_volume_status)},
};
#undef VIEW
const struct type pvc_status_type = {
	TYPE("PersistentVolumeClaimStatus", "v1", struct pvc_status, pvc_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_pvc_status,
};

#define VIEW struct pvc
static const struct field pvc_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(claim_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(pvc_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type pvc_type = {
	TYPE("PersistentVolumeClaim", "v1", struct pvc, pvc_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

void pvc_prepare_create(struct json_doc *doc, struct json pvc)
{
	struct json finalizers =
		json_ensure_arr(doc, json_ensure_obj(doc, pvc, "metadata"), "finalizers");
	struct json status = json_new_obj(doc);

	if (!rules_has(finalizers, STR("kubernetes.io/pvc-protection")))
		json_append(doc, finalizers,
			    json_new_str(doc, STR("kubernetes.io/pvc-protection")));
	json_set_str(doc, status, "phase", STR("Pending"));
	json_set(doc, pvc, STR("status"), status);
}

void pvc_validate_modes(struct json modes, const struct path *path, struct causes *causes)
{
	static const char *const known[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
					    "ReadWriteOncePod"};
	struct json_iter it = json_iter(modes);
	bool others = false;

	while (json_next(&it)) {
		size_t before = causes->len;

		rules_one_of(it.value, known, ARRAY_LEN(known), path, causes);
		others = others ||
			 (causes->len == before && !str_is(json_str(it.value), "ReadWriteOncePod"));
	}
	if (others && rules_has(modes, STR("ReadWriteOncePod")))
		causes_forbidden(causes, path,
				 "may not use ReadWriteOncePod with other access modes");
}

/* dataSource and dataSourceRef */
static void validate_source(struct json source, const struct path *path, struct causes *causes)
{
	struct path name = path_member(path, STR("name"));
	struct path kind = path_member(path, STR("kind"));
	struct path group_path = path_member(path, STR("apiGroup"));
	struct path namespace_path = path_member(path, STR("namespace"));
	struct str group = json_str(json_get(source, "apiGroup"));
	struct str namespace = json_str(json_get(source, "namespace"));

	if (!json_is(source, JSON_OBJ))
		return;
	if (!json_str(json_get(source, "name")).len)
		causes_required(causes, &name, "");
	if (!json_str(json_get(source, "kind")).len)
		causes_required(causes, &kind, "");
	if (!group.len && !str_is(json_str(json_get(source, "kind")), "PersistentVolumeClaim"))
		causes_invalid_str(causes, path, json_str(json_get(source, "kind")),
				   "must be 'PersistentVolumeClaim' when referencing the default "
				   "apiGroup");
	if (group.len)
		name_validate(NAME_DNS_SUBDOMAIN, group, &group_path, causes);
	if (namespace.len)
		name_validate(NAME_DNS_LABEL, namespace, &namespace_path, causes);
}

static void validate_class(struct json class, const char *field, const struct path *path,
			   struct causes *causes)
{
	struct path at = path_member(path, str_from(field));

	if (json_str(class).len)
		name_validate(NAME_DNS_SUBDOMAIN, json_str(class), &at, causes);
}

static void validate_size(struct json spec, const struct path *path, struct causes *causes)
{
	struct path resources = path_member(path, STR("resources"));
	struct path at = path_key(&resources, STR("storage"));
	struct json size = json_get(json_get(json_get(spec, "resources"), "requests"), "storage");

	if (json_is_absent(size))
		causes_required(causes, &at, "");
	else
		rules_quantity_positive(size, &at, causes);
}

void pvc_validate_spec(struct json spec, const struct path *path, struct causes *causes)
{
	static const char *const volume_modes[] = {"Block", "Filesystem"};
	struct path modes = path_member(path, STR("accessModes"));
	struct path selector = path_member(path, STR("selector"));
	struct path mode = path_member(path, STR("volumeMode"));
	struct path source = path_member(path, STR("dataSource"));
	struct path source_ref = path_member(path, STR("dataSourceRef"));

	if (!json_len(json_get(spec, "accessModes")))
		causes_required(causes, &modes, "at least 1 access mode is required");
	rules_label_selector(json_get(spec, "selector"), &selector, causes);
	pvc_validate_modes(json_get(spec, "accessModes"), &modes, causes);
	validate_size(spec, path, causes);
	validate_class(json_get(spec, "storageClassName"), "storageClassName", path, causes);
	if (!json_is_absent(json_get(spec, "volumeMode")))
		rules_one_of(json_get(spec, "volumeMode"), volume_modes, ARRAY_LEN(volume_modes),
			     &mode, causes);
	validate_source(json_get(spec, "dataSource"), &source, causes);
	validate_source(json_get(spec, "dataSourceRef"), &source_ref, causes);
	validate_class(json_get(spec, "volumeAttributesClassName"), "volumeAttributesClassName",
		       path, causes);
}

void pvc_validate_create(struct json pvc, struct causes *causes)
{
	struct path path = path_member(NULL, STR("spec"));

	pvc_validate_spec(json_get(pvc, "spec"), &path, causes);
}

/* --- updates --------------------------------------------------------------------------------- */

/* The members of a spec with the names that Go gives them, in its order, for the difference. */
static const struct rules_go spec_rows[] = {
	{"AccessModes", "accessModes", "null"},
	{"Selector", "selector", "null"},
	{"Resources", "resources", "{}"},
	{"VolumeName", "volumeName", "\"\""},
	{"StorageClassName", "storageClassName", "null"},
	{"VolumeMode", "volumeMode", "null"},
	{"DataSource", "dataSource", "null"},
	{"DataSourceRef", "dataSourceRef", "null"},
	{"VolumeAttributesClassName", "volumeAttributesClassName", "null"},
};

static struct json resources_as_go(struct json resources, struct json_doc *doc)
{
	static const char *const names[][2] = {{"Limits", "limits"}, {"Requests", "requests"}};
	struct json copy = json_new_obj(doc);

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct json list = json_get(resources, names[i][1]);

		json_set(doc, copy, str_from(names[i][0]),
			 json_is(list, JSON_OBJ) ? json_new_copy(doc, list) : json_new_null(doc));
	}
	return copy;
}

static void put_spec(struct json spec, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json copy = json_new_obj(doc);

	for (size_t i = 0; i < ARRAY_LEN(spec_rows); i++) {
		struct json value = json_get(spec, spec_rows[i].json);

		if (str_is(STR("resources"), spec_rows[i].json))
			value = resources_as_go(value, doc);
		else if (!rules_is_empty(value) || json_is(value, JSON_STR))
			value = json_new_copy(doc, value);
		else if (str_is(STR("null"), spec_rows[i].zero))
			value = json_new_null(doc);
		else
			value = json_new_str(doc, STR(""));
		json_set(doc, copy, str_from(spec_rows[i].go), value);
	}
	textdiff_put_value(copy, to);
}

/* A copy of the new spec in which everything that may change is as it was. */
static struct json_doc *masked(struct json pvc, struct json old)
{
	struct json_doc *doc = json_doc_thaw(json_get(pvc, "spec"));
	struct json spec = json_doc_root(doc);
	struct json before = json_get(old, "spec");
	struct json requests = json_get(json_get(spec, "resources"), "requests");
	struct json size = json_get(json_get(json_get(before, "resources"), "requests"), "storage");
	struct json class = json_get(before, "volumeAttributesClassName");

	if (rules_is_empty(json_get(before, "volumeName")))
		json_remove(doc, spec, STR("volumeName"));
	if (json_is_absent(json_get(before, "storageClassName")))
		json_remove(doc, spec, STR("storageClassName"));
	if (!str_is(json_str(json_get(json_get(pvc, "status"), "phase")), "Bound"))
		return doc;
	if (json_is(requests, JSON_OBJ) && !json_is_absent(size))
		json_set(doc, requests, STR("storage"), json_new_copy(doc, size));
	if (json_is_absent(class))
		json_remove(doc, spec, STR("volumeAttributesClassName"));
	else
		json_set(doc, spec, STR("volumeAttributesClassName"), json_new_copy(doc, class));
	return doc;
}

static void validate_fixed(struct json pvc, struct json old, const struct path *path,
			   struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = masked(pvc, old);
	AUTO(buf_done) struct buf before = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf after = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	put_spec(json_get(old, "spec"), &before);
	put_spec(json_doc_root(doc), &after);
	if (str_eq(buf_str(&before), buf_str(&after)))
		return;
	buf_puts(&text, "spec is immutable after creation except resources.requests and "
			"volumeAttributesClassName for bound claims\n");
	textdiff_print(buf_str(&before), buf_str(&after), &text);
	causes_forbidden(causes, path, buf_text(&text));
}

/* It may shrink only while it has not grown yet. */
static void validate_shrink(struct json pvc, struct json old, const struct path *spec,
			    struct causes *causes)
{
	struct path resources = path_member(spec, STR("resources"));
	struct path requests = path_member(&resources, STR("requests"));
	struct path path = path_member(&requests, STR("storage"));
	struct quantity before = quantity_make(0, QUANTITY_BINARY_SI);
	struct quantity after = before;
	struct quantity real = before;

	(void)rules_quantity(json_get(json_get(json_get(old, "spec"), "resources"), "requests"),
			     "storage", &before);
	(void)rules_quantity(json_get(json_get(json_get(pvc, "spec"), "resources"), "requests"),
			     "storage", &after);
	(void)rules_quantity(json_get(json_get(old, "status"), "capacity"), "storage", &real);
	if (quantity_cmp(&after, &before) < 0 && quantity_cmp(&after, &real) <= 0)
		causes_forbidden(causes, &path, "field can not be less than status.capacity");
}

void pvc_validate_update(struct json pvc, struct json old, struct causes *causes)
{
	struct path path = path_member(NULL, STR("spec"));
	struct path mode = path_member(NULL, STR("volumeMode"));

	rules_meta(pvc, NAME_DNS_SUBDOMAIN, true, causes);
	pvc_validate_create(pvc, causes);
	validate_fixed(pvc, old, &path, causes);
	validate_shrink(pvc, old, &path, causes);
	rules_immutable(json_get(json_get(pvc, "spec"), "volumeMode"),
			json_get(json_get(old, "spec"), "volumeMode"), &mode, causes);
}

void pvc_validate_status(struct json pvc, struct json old, struct causes *causes)
{
	struct path spec = path_member(NULL, STR("Spec"));
	struct path modes = path_member(&spec, STR("accessModes"));
	struct path status = path_member(NULL, STR("status"));
	struct path capacity = path_member(&status, STR("capacity"));
	struct json_iter it = json_iter(json_get(json_get(pvc, "status"), "capacity"));

	(void)old;
	if (!json_len(json_get(json_get(pvc, "spec"), "accessModes")))
		causes_required(causes, &modes, "");
	while (json_next(&it)) {
		struct path at = path_key(&capacity, it.key);
		struct quantity amount;

		if (quantity_parse(json_str(it.value), &amount, NULL) == 0 &&
		    quantity_value(&amount) < 0)
			causes_invalid_int(causes, &at, quantity_value(&amount),
					   "must be a valid resource quantity");
	}
}
