/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/vckinds.c - the table of Volcano's kinds, and their definitions.
 *
 * A definition's schema is the field table's, but for what belongs to definitions: the metadata of
 * the object itself is only said to be an object, since the server knows it; that of templates has
 * only what is copied from them; and `required` lists are sorted, so that causes come in the order
 * in which upstream's do. */
#include "model/volcano/vckinds.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/volcano/colocationconfiguration.h"
#include "model/volcano/command.h"
#include "model/volcano/datasource.h"
#include "model/volcano/datasourceclaim.h"
#include "model/volcano/hyperjob.h"
#include "model/volcano/hypernode.h"
#include "model/volcano/jobflow.h"
#include "model/volcano/jobtemplate.h"
#include "model/volcano/nodeshard.h"
#include "model/volcano/numatopology.h"
#include "model/volcano/podgroup.h"
#include "model/volcano/queue.h"
#include "model/volcano/vccronjob.h"
#include "model/volcano/vcjob.h"

#include "base/banned.h"

#define AGE ".metadata.creationTimestamp"

static const struct vckind_column job_columns[] = {
	{"STATUS", "string", ".status.state.phase", 0},
	{"minAvailable", "integer", ".status.minAvailable", 0},
	{"RUNNINGS", "integer", ".status.running", 0},
	{"AGE", "date", AGE, 0},
	{"QUEUE", "string", ".spec.queue", 1},
	{NULL, NULL, NULL, 0},
};
static const struct vckind_column podgroup_columns[] = {
	{"STATUS", "string", ".status.phase", 0},
	{"minMember", "integer", ".spec.minMember", 0},
	{"RUNNINGS", "integer", ".status.running", 0},
	{"AGE", "date", AGE, 0},
	{"QUEUE", "string", ".spec.queue", 1},
	{NULL, NULL, NULL, 0},
};
static const struct vckind_column queue_columns[] = {
	{"PARENT", "string", ".spec.parent", 0},
	{NULL, NULL, NULL, 0},
};
static const struct vckind_column jobflow_columns[] = {
	{"Status", "string", ".status.state.phase", 0},
	{"Age", "date", AGE, 0},
	{NULL, NULL, NULL, 0},
};
static const struct vckind_column hypernode_columns[] = {
	{"Tier", "string", ".spec.tier", 0},
	{"TierName", "string", ".spec.tierName", 0},
	{"NodeCount", "integer", ".status.nodeCount", 0},
	{"Age", "date", AGE, 0},
	{NULL, NULL, NULL, 0},
};
static const struct vckind_column nodeshard_columns[] = {
	{"AGE", "date", AGE, 0},
	{NULL, NULL, NULL, 0},
};

#define BATCH .group = "batch.volcano.sh", .version = "v1alpha1"
#define BUS .group = "bus.volcano.sh", .version = "v1alpha1"
#define SCHEDULING .group = "scheduling.volcano.sh", .version = "v1beta1"
#define FLOW .group = "flow.volcano.sh", .version = "v1alpha1"
#define NODEINFO .group = "nodeinfo.volcano.sh", .version = "v1alpha1"
#define TOPOLOGY .group = "topology.volcano.sh", .version = "v1alpha1"
#define SHARD .group = "shard.volcano.sh", .version = "v1alpha1"
#define CONFIG .group = "config.volcano.sh", .version = "v1alpha1"
#define TRAINING .group = "training.volcano.sh", .version = "v1alpha1"
#define DATA .group = "datadependency.volcano.sh", .version = "v1alpha1"

#define NAMES(one, many, name) .kind = (name), .plural = (many), .singular = (one)
#define SHORT(...) .short_names = {__VA_ARGS__}

const struct vckind vckinds[] = {
	{BATCH, NAMES("job", "jobs", "Job"), SHORT("vcjob", "vj"), .type = &vcjob_type,
	 .columns = job_columns, .namespaced = true, .status = true},
	{BATCH, NAMES("cronjob", "cronjobs", "CronJob"), SHORT("cronvcjob", "cronvj"),
	 .type = &vccronjob_type, .namespaced = true, .status = true},
	{BUS, NAMES("command", "commands", "Command"), .type = &command_type, .namespaced = true},
	{SCHEDULING, NAMES("podgroup", "podgroups", "PodGroup"), SHORT("pg", "podgroup-v1beta1"),
	 .type = &podgroup_type, .columns = podgroup_columns, .namespaced = true,
	 .empty_subresources = true},
	{SCHEDULING, NAMES("queue", "queues", "Queue"), SHORT("q", "queue-v1beta1"),
	 .type = &queue_type, .columns = queue_columns, .status = true},
	{FLOW, NAMES("jobflow", "jobflows", "JobFlow"), SHORT("jf"), .type = &jobflow_type,
	 .columns = jobflow_columns, .namespaced = true, .status = true},
	{FLOW, NAMES("jobtemplate", "jobtemplates", "JobTemplate"), SHORT("jt"),
	 .type = &jobtemplate_type, .namespaced = true, .status = true},
	{NODEINFO, NAMES("numatopology", "numatopologies", "Numatopology"), SHORT("numatopo"),
	 .type = &numatopology_type},
	{TOPOLOGY, NAMES("hypernode", "hypernodes", "HyperNode"), SHORT("hn"),
	 .type = &hypernode_type, .columns = hypernode_columns, .status = true},
	{SHARD, NAMES("nodeshard", "nodeshards", "NodeShard"), SHORT("nsh"),
	 .type = &nodeshard_type, .columns = nodeshard_columns, .status = true},
	{CONFIG,
	 NAMES("colocationconfiguration", "colocationconfigurations", "ColocationConfiguration"),
	 .type = &colocationconfiguration_type, .namespaced = true, .status = true},
	{TRAINING, NAMES("hyperjob", "hyperjobs", "HyperJob"), SHORT("hyperjob", "hj"),
	 .type = &hyperjob_type, .namespaced = true, .status = true},
	{DATA, NAMES("datasource", "datasources", "DataSource"), .type = &datasource_type,
	 .status = true},
	{DATA, NAMES("datasourceclaim", "datasourceclaims", "DataSourceClaim"),
	 .type = &datasourceclaim_type, .namespaced = true, .status = true},
};
const size_t vckind_count = ARRAY_LEN(vckinds);

/* --- definitions ----------------------------------------------------------------------------- */

static void put(struct json_doc *doc, struct json object, const char *key, const char *value)
{
	json_set_str(doc, object, key, str_from(value));
}

/* Sort an array of strings in place. */
static void sort_texts(struct json_doc *doc, struct json list)
{
	struct json_iter it = json_iter(list);
	VEC(struct str) texts = {0};

	while (json_next(&it))
		vec_push(&texts, json_str(it.value));
	if (texts.len > 1)
		qsort(texts.ptr, texts.len, sizeof(texts.ptr[0]), str_qsort_cmp);
	for (size_t i = 0; i < texts.len; i++)
		json_replace_at(doc, list, i, json_new_str(doc, texts.ptr[i]));
	vec_done(&texts);
}

/* The keys of a list are required or have a default, as a server wants it. */
static void fill_keys(struct json_doc *doc, struct json schema)
{
	struct json_iter it = json_iter(json_get(schema, "x-kubernetes-list-map-keys"));
	struct json items = json_get(schema, "items");

	while (json_next(&it)) {
		struct json key = json_get_str(json_get(items, "properties"), json_str(it.value));
		struct json_iter required = json_iter(json_get(items, "required"));
		bool found = !json_is_absent(json_get(key, "default"));

		while (!found && json_next(&required))
			found = json_eq(required.value, it.value);
		if (!found)
			json_set_str(doc, key, "default", STR(""));
	}
}

/* Sort `required` and cut metadata short at every level of a schema. */
static void tidy(struct json_doc *doc, struct json schema)
{
	struct json properties = json_get(schema, "properties");
	struct json_iter it = json_iter(properties);

	sort_texts(doc, json_get(schema, "required"));
	fill_keys(doc, schema);
	while (json_next(&it)) {
		if (json_is_absent(json_get(json_get(it.value, "properties"), "managedFields")))
			tidy(doc, it.value);
		else
			json_set(doc, properties, it.key,
				 type_schema(&template_meta_type, doc, NULL));
	}
	if (json_is(json_get(schema, "items"), JSON_OBJ))
		tidy(doc, json_get(schema, "items"));
	if (json_is(json_get(schema, "additionalProperties"), JSON_OBJ))
		tidy(doc, json_get(schema, "additionalProperties"));
}

static struct json make_schema(const struct vckind *kind, struct json_doc *doc)
{
	struct json schema = type_schema(kind->type, doc, NULL);
	struct json meta = json_new_obj(doc);

	put(doc, meta, "type", "object");
	json_set(doc, json_get(schema, "properties"), STR("metadata"), meta);
	tidy(doc, schema);
	return schema;
}

static struct json make_columns(const struct vckind_column *column, struct json_doc *doc)
{
	struct json list = json_new_arr(doc);

	for (; column->name; column++) {
		struct json entry = json_new_obj(doc);

		put(doc, entry, "name", column->name);
		put(doc, entry, "type", column->type);
		put(doc, entry, "jsonPath", column->path);
		if (column->priority)
			json_set_int(doc, entry, "priority", column->priority);
		json_append(doc, list, entry);
	}
	return list;
}

static struct json make_version(const struct vckind *kind, struct json_doc *doc)
{
	struct json version = json_new_obj(doc);

	put(doc, version, "name", kind->version);
	json_set_bool(doc, version, "served", true);
	json_set_bool(doc, version, "storage", true);
	if (kind->columns)
		json_set(doc, version, STR("additionalPrinterColumns"),
			 make_columns(kind->columns, doc));
	if (kind->status || kind->empty_subresources) {
		struct json subs = json_ensure_obj(doc, version, "subresources");

		if (kind->status)
			json_ensure_obj(doc, subs, "status");
	}
	json_set(doc, json_ensure_obj(doc, version, "schema"), STR("openAPIV3Schema"),
		 make_schema(kind, doc));
	return version;
}

static struct json make_names(const struct vckind *kind, struct json_doc *doc)
{
	struct json names = json_new_obj(doc);

	put(doc, names, "kind", kind->kind);
	json_set(doc, names, STR("listKind"), json_new_printf(doc, "%sList", kind->kind));
	put(doc, names, "plural", kind->plural);
	put(doc, names, "singular", kind->singular);
	for (size_t i = 0; i < ARRAY_LEN(kind->short_names) && kind->short_names[i]; i++)
		json_append(doc, json_ensure_arr(doc, names, "shortNames"),
			    json_new_str(doc, str_from(kind->short_names[i])));
	return names;
}

struct json vckind_crd(const struct vckind *kind, struct json_doc *doc)
{
	struct json crd = json_new_obj(doc);
	struct json spec;

	put(doc, crd, "apiVersion", "apiextensions.k8s.io/v1");
	put(doc, crd, "kind", "CustomResourceDefinition");
	json_set(doc, json_ensure_obj(doc, crd, "metadata"), STR("name"),
		 json_new_printf(doc, "%s.%s", kind->plural, kind->group));
	spec = json_ensure_obj(doc, crd, "spec");
	put(doc, spec, "group", kind->group);
	put(doc, spec, "scope", kind->namespaced ? "Namespaced" : "Cluster");
	json_set(doc, spec, STR("names"), make_names(kind, doc));
	json_append(doc, json_ensure_arr(doc, spec, "versions"), make_version(kind, doc));
	return crd;
}
