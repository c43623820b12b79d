/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/pvc.c - claims of volumes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
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

/* dataSource is for claims and snapshots; others are dropped, as they were before dataSourceRef came. Who names a
 * namespace asks for a feature that is off. */
static bool is_old_source(struct json source)
{
	struct str group = rule_text(source, "apiGroup");
	struct str kind = rule_text(source, "kind");

	return (!group.len && str_is(kind, "PersistentVolumeClaim")) ||
	       (str_is(group, "snapshot.storage.k8s.io") && str_is(kind, "VolumeSnapshot"));
}

static void copy_source(struct json_doc *doc, struct json spec, const char *from, const char *to)
{
	static const char *const names[] = {"apiGroup", "kind", "name"};
	struct json source = json_get(spec, from);
	struct json made = json_ensure_obj(doc, spec, to);

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		json_set(doc, made, str_from(names[i]),
			 json_new_copy(doc, json_get(source, names[i])));
}

/* Both say the same if one is set. */
static void settle_sources(struct json_doc *doc, struct json spec, struct json old)
{
	if (!json_is(spec, JSON_OBJ))
		return;
	if (!rule_has(old, "dataSource") && !rule_has(spec, "dataSourceRef") &&
	    rule_has(spec, "dataSource") && !is_old_source(json_get(spec, "dataSource")))
		(void)json_remove(doc, spec, STR("dataSource"));
	if (!rule_has(old, "dataSourceRef") &&
	    rule_text(json_get(spec, "dataSourceRef"), "namespace").len)
		(void)json_remove(doc, spec, STR("dataSourceRef"));
	if (rule_has(spec, "dataSource") && !rule_has(spec, "dataSourceRef"))
		copy_source(doc, spec, "dataSource", "dataSourceRef");
	else if (rule_has(spec, "dataSourceRef") && !rule_has(spec, "dataSource") &&
		 !rule_text(json_get(spec, "dataSourceRef"), "namespace").len)
		copy_source(doc, spec, "dataSourceRef", "dataSource");
}

void pvc_prepare_update(struct json_doc *doc, struct json pvc, struct json old)
{
	settle_sources(doc, json_get(pvc, "spec"), json_get(old, "spec"));
}

void pvc_prepare_create(struct json_doc *doc, struct json pvc)
{
	struct json finalizers =
		json_ensure_arr(doc, json_ensure_obj(doc, pvc, "metadata"), "finalizers");
	struct json status = json_new_obj(doc);

	settle_sources(doc, json_get(pvc, "spec"), JSON_NONE);
	if (!json_has_str(finalizers, STR("kubernetes.io/pvc-protection")))
		json_append(doc, finalizers,
			    json_new_str(doc, STR("kubernetes.io/pvc-protection")));
	json_set_str(doc, status, "phase", STR("Pending"));
	json_set(doc, pvc, STR("status"), status);
}

/* dataSource and dataSourceRef */
static void check_source_kind(const struct rule_at *at)
{
	struct str kind = rule_text(at->value, "kind");

	if (!rule_text(at->value, "apiGroup").len && !str_is(kind, "PersistentVolumeClaim"))
		rule_invalid_str(at, NULL, kind,
				 "must be 'PersistentVolumeClaim' when referencing the default "
				 "apiGroup");
}

/* Upstream leaves "requests" out of the path. */
static void check_size(const struct rule_at *at)
{
	struct json size = json_get(json_get(at->up->value, "requests"), "storage");

	if (json_is_absent(size))
		rule_required_as(at, NULL, "");
	else
		rules_quantity_positive(size, at->path, at->causes);
}

static const struct rule source_rows[] = {
	{"name", R_REQUIRED},
	{"kind", R_REQUIRED},
	{R_CHECK(check_source_kind)},
	{"apiGroup", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"namespace", R_FILLED, R_FORMAT(DNS_LABEL)},
};
static void check_sources_match(const struct rule_at *at)
{
	static const char *const names[] = {"apiGroup", "kind", "name"};
	struct json source = json_get(at->value, "dataSource");
	struct json ref = json_get(at->value, "dataSourceRef");

	if (!json_is(source, JSON_OBJ) || !json_is(ref, JSON_OBJ) ||
	    rule_text(ref, "namespace").len)
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!str_eq(rule_text(source, names[i]), rule_text(ref, names[i]))) {
			rule_add(at, NULL, CAUSE_INVALID,
				 "Invalid value: {}: must match dataSourceRef");
			return;
		}
}

static const struct rule size_rows[] = {
	{"storage", R_ENTRY, R_ALWAYS, R_CHECK(check_size)},
};
static const struct rule spec_rule_rows[] = {
	{"accessModes", R_REQUIRED_AS("at least 1 access mode is required")},
	{"selector", R_CHECK(rule_selector)},
	{"accessModes", R_CHECK(rule_access_modes)},
	{"resources", R_ALWAYS, R_OBJECT(size_rows)},
	{"storageClassName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"volumeMode", R_TEXTS("Block", "Filesystem")},
	{"dataSource", R_OBJECT(source_rows)},
	{"dataSourceRef", R_OBJECT(source_rows)},
	{R_CHECK(check_sources_match)},
	{"volumeAttributesClassName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
};
const struct rules pvc_spec_rules = RULES_OF(spec_rule_rows);

static const struct rule pvc_rules[] = {
	{"spec", R_ALWAYS, R_RULES(pvc_spec_rules)},
};

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

static void check_fixed(const struct rule_at *at)
{
	AUTO(json_doc_unref) struct json_doc *doc = masked(at->up->value, at->up->old);
	AUTO(buf_done) struct buf before = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf after = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	put_spec(at->old, &before);
	put_spec(json_doc_root(doc), &after);
	if (json_eq(at->old, json_doc_root(doc)) || str_eq(buf_str(&before), buf_str(&after)))
		return; /* the order of members is no change */
	buf_puts(&text, "spec is immutable after creation except resources.requests and "
			"volumeAttributesClassName for bound claims\n");
	textdiff_print(buf_str(&before), buf_str(&after), &text);
	rule_forbidden(at, NULL, buf_text(&text));
}

/* It may shrink only while it has not grown yet. */
static void check_shrink(const struct rule_at *at)
{
	struct quantity before = quantity_make(0, QUANTITY_BINARY_SI);
	struct quantity after = before;
	struct quantity real = before;
	struct json capacity = json_get(json_get(rule_top(at)->old, "status"), "capacity");

	(void)rules_quantity(at->up->old, "storage", &before);
	(void)rules_quantity(at->up->value, "storage", &after);
	(void)rules_quantity(capacity, "storage", &real);
	if (quantity_cmp(&after, &before) < 0 && quantity_cmp(&after, &real) <= 0)
		rule_forbidden(at, NULL, "field can not be less than status.capacity");
}

static const struct rule shrink_rules[] = {
	{"storage", R_ALWAYS, R_CHECK(check_shrink)},
};
static const struct rule requests_rules[] = {
	{"requests", R_ALWAYS, R_OBJECT(shrink_rules)},
};
static const struct rule spec_update_rules[] = {
	{R_CHECK(check_fixed)},
	{"resources", R_ALWAYS, R_OBJECT(requests_rules)},
};
static const struct rule mode_rules[] = {
	{"volumeMode", R_IMMUTABLE},
};
static const struct rule update_rules[] = {
	{R_CHECK(rule_meta)},
	{R_OBJECT(pvc_rules)},
	{"spec", R_ALWAYS, R_OBJECT(spec_update_rules)},
	{"spec", R_HIDDEN, R_ALWAYS, R_OBJECT(mode_rules)},
};

/* --- status ---------------------------------------------------------------------------------- */

static void check_capacity(const struct rule_at *at)
{
	struct quantity amount;

	if (quantity_parse(json_str(at->value), &amount, NULL) == 0 && quantity_value(&amount) < 0)
		causes_invalid_int(at->causes, at->path, quantity_value(&amount),
				   "must be a valid resource quantity");
}

static const struct rule modes_rules[] = {
	{"accessModes", R_REQUIRED},
};
static const struct rule status_rules[] = {
	{"capacity", R_EACH(R_CHECK(check_capacity))},
};
static const struct rule update_status_rules[] = {
	{"spec", R_AS("Spec"), R_ALWAYS, R_OBJECT(modes_rules)},
	{"status", R_OBJECT(status_rules)},
};

const struct type pvc_type = {
	TYPE("PersistentVolumeClaim", "v1", struct pvc, pvc_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(pvc_rules),
	TYPE_UPDATE(update_rules),
	TYPE_STATUS(update_status_rules),
};
