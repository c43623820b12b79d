/* SPDX-License-Identifier: Apache-2.0 */
/* admission/groups.c - the configuration of pods/mutate.
 *
 *	resourceGroups:
 *	- resourceGroup: gpu
 *	  object:
 *	    key: annotation			or namespace, or nothing
 *	    value: ["example.com/pool: gpu"]	texts that are YAML themselves
 *	  schedulerName: volcano
 *	  labels: {example.com/pool: gpu}
 *	  tolerations: [{key: gpu, operator: Exists}]
 *	  affinity: '{"nodeAffinity": {...}}'	a text that is JSON itself
 *
 * Texts inside are parsed here, once, so that an error in them is reported when the file is read,
 * not ignored for each pod. */
#include "admission/groups.h"

#include "admission/admission.h"
#include "base/mem.h"
#include "base/vec.h"
#include "json/yaml.h"
#include "model/core/taints.h"
#include "model/field/fields.h"
#include "model/pod/pod_affinity.h"

#include "base/banned.h"

struct group_object {
	struct str key;
	struct strs value;
};
#define VIEW struct group_object
static const struct field group_object_fields[] = {
	{"key", F_STR, AT(key)},
	{"value", F_LIST(F_STR), AT(value)},
};
#undef VIEW
static const struct type group_object_type = {
	TYPE("Object", "config", struct group_object, group_object_fields),
};

struct group_row {
	struct str resource_group;
	struct group_object object;
	struct str scheduler_name;
	struct json tolerations;
	struct labels labels;
	struct str affinity;
};
#define VIEW struct group_row
static const struct field group_row_fields[] = {
	{"resourceGroup", F_STR, AT(resource_group)},
	{"object", F_OBJECT(group_object), AT(object)},
	{"schedulerName", F_STR, AT(scheduler_name)},
	{"tolerations", F_LIST(F_OBJECT(toleration)), AT(tolerations)},
	{"labels", F_LABELS, AT(labels)},
	{"affinity", F_STR, AT(affinity)},
};
#undef VIEW
static const struct type group_row_type = {
	TYPE("ResGroupConfig", "config", struct group_row, group_row_fields),
};

struct group_file {
	VIEW_LIST(struct group_row) resource_groups;
};
#define VIEW struct group_file
static const struct field group_file_fields[] = {
	{"resourceGroups", F_LIST(F_OBJECT(group_row)), AT(resource_groups)},
};
#undef VIEW
static const struct type group_file_type = {
	TYPE("AdmissionConfiguration", "config", struct group_file, group_file_fields),
};

void admission_groups_free(struct admission_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->part_count; i++)
		json_doc_unref(groups->parts[i]);
	mem_free(groups->parts);
	json_doc_unref(groups->doc);
	arena_free(groups->arena);
	mem_free(groups);
}

/* A document that lives as long as the groups. */
static struct json keep(struct admission_groups *groups, struct json_doc *doc)
{
	groups->parts = mem_realloc(groups->parts, groups->part_count + 1, sizeof(*groups->parts));
	groups->parts[groups->part_count++] = doc;
	return json_doc_root(doc);
}

/* Each value is a map in YAML; the first one with a key wins. */
static int read_annotations(struct admission_groups *groups, const struct strs *values,
			    struct resource_group *group, struct err *err)
{
	VEC(struct label) all = {0};
	int result = 0;

	for (size_t i = 0; i < values->len && result == 0; i++) {
		struct json_doc *doc = yaml_parse(values->ptr[i], NULL, err);
		struct json_iter it;

		if (!doc) {
			result = err_wrap(err, "object.value[%zu]", i);
			break;
		}
		it = json_iter(keep(groups, doc));
		while (json_next(&it))
			if (json_is(it.value, JSON_STR))
				vec_push(&all, (struct label){it.key, json_str(it.value)});
	}
	group->annotations.ptr = arena_calloc(groups->arena, all.len + 1, sizeof(struct label));
	for (size_t i = 0; i < all.len; i++) {
		bool doubled = false;

		for (size_t k = 0; k < group->annotations.len; k++)
			doubled = doubled || str_eq(group->annotations.ptr[k].key, all.ptr[i].key);
		if (!doubled)
			group->annotations.ptr[group->annotations.len++] = all.ptr[i];
	}
	vec_done(&all);
	return result;
}

static int read_affinity(struct admission_groups *groups, struct str text,
			 struct resource_group *group, struct err *err)
{
	struct json_doc *doc;

	if (!text.len)
		return 0;
	doc = json_parse(text, NULL, err);
	if (!doc)
		return err_wrap(err, "affinity");
	group->affinity = keep(groups, doc);
	if (type_check_types(&affinity_type, group->affinity, err) < 0)
		return err_wrap(err, "affinity");
	return 0;
}

static int read_group(struct admission_groups *groups, const struct group_row *row,
		      struct resource_group *group, struct err *err)
{
	group->name = row->resource_group;
	group->scheduler_name = row->scheduler_name;
	group->labels = row->labels;
	group->tolerations = row->tolerations;
	if (str_is(row->object.key, "namespace")) {
		group->match = MATCH_NAMESPACE;
		group->namespaces = row->object.value;
	} else if (str_is(row->object.key, "annotation") || !row->object.key.len) {
		group->match = row->object.key.len ? MATCH_ANNOTATION : MATCH_ANNOTATION_OR_NAME;
		if (read_annotations(groups, &row->object.value, group, err) < 0)
			return -1;
	} else {
		return err_set(err, ERR_BAD_REQUEST,
			       "object.key: \"%.*s\" is neither \"namespace\" nor \"annotation\"",
			       STR_ARG(row->object.key));
	}
	return read_affinity(groups, row->affinity, group, err);
}

struct admission_groups *admission_groups_parse(struct str text, struct err *err)
{
	AUTO(admission_groups_free)
	struct admission_groups *groups = mem_new(struct admission_groups);
	struct group_file file = {0};

	groups->arena = arena_new(0);
	groups->doc = yaml_parse(text, NULL, err);
	if (!groups->doc)
		return NULL;
	if (json_is(json_doc_root(groups->doc), JSON_OBJ) &&
	    (type_check_types(&group_file_type, json_doc_root(groups->doc), err) < 0 ||
	     type_decode(&group_file_type, json_doc_root(groups->doc), groups->arena, &file, err) <
		     0))
		return NULL;
	groups->ptr = arena_calloc(groups->arena, file.resource_groups.len + 1,
				   sizeof(struct resource_group));
	for (; groups->len < file.resource_groups.len; groups->len++)
		if (read_group(groups, &file.resource_groups.ptr[groups->len],
			       &groups->ptr[groups->len], err) < 0) {
			(void)err_wrap(err, "resourceGroups[%zu]", groups->len);
			return NULL;
		}
	return TAKE(groups);
}
