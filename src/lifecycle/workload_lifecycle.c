/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/workload_lifecycle.c - the podgroup of a pod without a job.
 *
 * The gang has one pod, or as many as the owner's annotation says; its minResources are those of
 * this pod (demand.h) times that number. Annotations of the pod win over those of its owners. The
 * scheduler writes the group's status, so an existing group is patched. */
#include "lifecycle/workload_lifecycle.h"

#include "base/number.h"
#include "base/vec.h"
#include "lifecycle/demand.h"
#include "lifecycle/keys.h"
#include "model/core/meta.h"
#include "model/volcano/podgroup.h"

#include "base/banned.h"

#define VOLCANO_PREFIX "volcano.sh/"

/* --- pods ------------------------------------------------------------------------------------ */

static struct json annotation_of(struct json object, const char *key)
{
	return json_get(json_get(json_get(object, "metadata"), "annotations"), key);
}

/* The reference to the pod's controller, or absent. */
static struct json controller_of(struct json object)
{
	struct json_iter it = json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));

	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller")))
			return it.value;
	return JSON_NONE;
}

void workload_group_name(struct json pod, struct buf *to)
{
	struct json controller = controller_of(pod);
	struct json uid = json_is_absent(controller) ? json_get(json_get(pod, "metadata"), "uid")
						     : json_get(controller, "uid");

	buf_printf(to, "podgroup-%.*s", STR_ARG(json_str(uid)));
}

bool workload_wants_group(struct json pod, const struct strs *scheduler_names)
{
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));
	struct str scheduler = json_str(json_get(json_get(pod, "spec"), "schedulerName"));
	bool ours = false;

	for (size_t i = 0; i < scheduler_names->len; i++)
		ours = ours || str_eq(scheduler_names->ptr[i], scheduler);
	return ours && !json_str(annotation_of(pod, KEY_GROUP_NAME)).len &&
	       !json_str(json_get(json_get(pod, "spec"), "nodeName")).len &&
	       json_is_absent(json_get(json_get(pod, "metadata"), "deletionTimestamp")) &&
	       !str_is(phase, "Succeeded") && !str_is(phase, "Failed");
}

/* --- the group ------------------------------------------------------------------------------- */

struct build {
	const struct workload_world *world;
	struct json_doc *doc;
	struct json root;
	struct json meta;
	struct json spec;
};

/* Of the first owner that has it. */
static struct json owner_annotation(const struct build *b, const char *key)
{
	for (size_t i = 0; b->world->inherit && i < b->world->owner_count; i++) {
		struct json value = annotation_of(b->world->owners[i], key);

		if (json_is(value, JSON_STR))
			return value;
	}
	return JSON_NONE;
}

static int64_t min_member(const struct build *b)
{
	struct json text = owner_annotation(b, KEY_GROUP_MIN_MEMBER);
	int64_t value;

	if (json_is_absent(text) ||
	    number_parse_range(json_str(text), 0, INT32_MAX, &value, NULL) < 0)
		return 1;
	return value;
}

static void set_owners(struct build *b)
{
	struct json pod = json_get(b->world->pod, "metadata");
	struct json list = json_ensure_arr(b->doc, b->meta, "ownerReferences");
	struct json_iter it = json_iter(json_get(pod, "ownerReferences"));
	struct json owner;

	if (!json_is_absent(controller_of(b->world->pod))) {
		while (json_next(&it))
			json_append(b->doc, list, json_new_copy(b->doc, it.value));
		return;
	}
	owner = json_new_obj(b->doc);
	json_set_str(b->doc, owner, "apiVersion", STR("v1"));
	json_set_str(b->doc, owner, "kind", STR("Pod"));
	json_set_str(b->doc, owner, "name", json_str(json_get(pod, "name")));
	json_set_str(b->doc, owner, "uid", json_str(json_get(pod, "uid")));
	json_set_bool(b->doc, owner, "controller", true);
	json_set_bool(b->doc, owner, "blockOwnerDeletion", true);
	json_append(b->doc, list, owner);
}

static void set_text(struct build *b, const char *in, struct str key, struct str value)
{
	json_set(b->doc, json_ensure_obj(b->doc, b->meta, in), key, json_new_str(b->doc, value));
}

static void inherit(struct build *b)
{
	for (size_t i = b->world->inherit ? b->world->owner_count : 0; i-- > 0;) {
		struct json_iter it = json_iter(
			json_get(json_get(b->world->owners[i], "metadata"), "annotations"));

		while (json_next(&it))
			if (str_starts(it.key, STR(VOLCANO_PREFIX)))
				set_text(b, "annotations", it.key, json_str(it.value));
	}
}

static void copy_marks(struct build *b)
{
	static const char *const annotations[] = {KEY_PREEMPTABLE, KEY_COOLDOWN_TIME,
						  KEY_REVOCABLE_ZONE};
	static const char *const budgets[] = {KEY_JDB_MIN_AVAILABLE, KEY_JDB_MAX_UNAVAILABLE};
	static const char *const labels[] = {KEY_PREEMPTABLE, KEY_COOLDOWN_TIME};
	struct json meta = json_get(b->world->pod, "metadata");

	for (size_t i = 0; i < ARRAY_LEN(annotations); i++) {
		struct json value = annotation_of(b->world->pod, annotations[i]);

		if (json_is(value, JSON_STR))
			set_text(b, "annotations", str_from(annotations[i]), json_str(value));
	}
	for (size_t i = 0; i < ARRAY_LEN(budgets); i++) {
		struct json value = annotation_of(b->world->pod, budgets[i]);

		if (json_is(value, JSON_STR)) {
			set_text(b, "annotations", str_from(budgets[i]), json_str(value));
			break; /* one of the two */
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		struct json value = json_get(json_get(meta, "labels"), labels[i]);

		if (json_is(value, JSON_STR))
			set_text(b, "labels", str_from(labels[i]), json_str(value));
	}
}

static void set_topology(struct build *b)
{
	struct json mode = annotation_of(b->world->pod, KEY_TOPOLOGY_MODE);
	struct json tier = annotation_of(b->world->pod, KEY_TOPOLOGY_TIER);
	struct json topology;
	int64_t number;

	if (!json_is(mode, JSON_STR) && !json_is(tier, JSON_STR))
		return;
	topology = json_ensure_obj(b->doc, b->spec, "networkTopology");
	json_set_str(b->doc, topology, "mode",
		     str_eq_nocase(json_str(mode), STR("soft")) ? STR("soft") : STR("hard"));
	if (json_is(tier, JSON_STR) &&
	    number_parse_range(json_str(tier), 0, INT32_MAX, &number, NULL) == 0)
		json_set_int(b->doc, topology, "highestTierAllowed", number);
}

static void set_spec(struct build *b, struct arena *arena)
{
	struct json pod = json_get(b->world->pod, "spec");
	struct str class = json_str(json_get(pod, "priorityClassName"));
	struct json queue = annotation_of(b->world->pod, KEY_POD_QUEUE);
	AUTO(demand_done) struct demand demand;

	demand_init(&demand, arena);
	demand_add_pod(&demand, pod, min_member(b));
	if (min_member(b))
		json_set_int(b->doc, b->spec, "minMember", min_member(b));
	json_set(b->doc, b->spec, STR("minResources"), demand_encode(&demand, b->doc));
	if (class.len)
		json_set_str(b->doc, b->spec, "priorityClassName", class);
	if (json_str(queue).len)
		json_set_str(b->doc, b->spec, "queue", json_str(queue));
	set_topology(b);
}

/* The group as it should be. */
static struct json_doc *build(const struct workload_world *world, struct str name,
			      struct arena *arena)
{
	struct build b = {.world = world, .doc = json_doc_new()};

	b.root = json_new_obj(b.doc);
	json_doc_set_root(b.doc, b.root);
	json_set_str(b.doc, b.root, "apiVersion", str_from(plan_kinds[PLAN_PODGROUP].api_version));
	json_set_str(b.doc, b.root, "kind", str_from(plan_kinds[PLAN_PODGROUP].kind));
	b.meta = json_ensure_obj(b.doc, b.root, "metadata");
	b.spec = json_ensure_obj(b.doc, b.root, "spec");
	json_set_str(b.doc, b.meta, "name", name);
	json_set_str(b.doc, b.meta, "namespace", meta_namespace(world->pod));
	set_owners(&b);
	inherit(&b);
	copy_marks(&b);
	set_spec(&b, arena);
	json_set_str(b.doc, json_ensure_obj(b.doc, b.root, "status"), "phase",
		     str_from(podgroup_phase_names[PODGROUP_PENDING]));
	return b.doc;
}

/* --- bringing one up to date ----------------------------------------------------------------- */

/* Does a change of the owner change the group? */
static bool follows_owner(struct json pod)
{
	struct str kind = json_str(json_get(controller_of(pod), "kind"));

	return str_is(kind, "ReplicaSet") || str_is(kind, "StatefulSet");
}

/* A patch for what is missing or differs in the group, or NULL. */
static struct json_doc *difference(struct json group, struct json wanted)
{
	static const char *const maps[] = {"labels", "annotations"};
	AUTO(json_doc_unref) struct json_doc *patch = json_doc_new();
	struct json root = json_new_obj(patch);
	struct json_iter it = json_iter(json_get(wanted, "spec"));
	bool any = false;

	json_doc_set_root(patch, root);
	while (json_next(&it)) {
		struct json has = json_get_str(json_get(group, "spec"), it.key);

		if (json_eq(has, it.value) ||
		    (json_is_absent(has) && !json_len(it.value) && json_is(it.value, JSON_OBJ)))
			continue;
		json_set(patch, json_ensure_obj(patch, root, "spec"), it.key,
			 json_new_copy(patch, it.value));
		any = true;
	}
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		struct json has = json_get(json_get(group, "metadata"), maps[i]);

		it = json_iter(json_get(json_get(wanted, "metadata"), maps[i]));
		while (json_next(&it)) {
			if (json_eq(json_get_str(has, it.key), it.value))
				continue;
			json_set(patch,
				 json_ensure_obj(patch, json_ensure_obj(patch, root, "metadata"),
						 maps[i]),
				 it.key, json_new_copy(patch, it.value));
			any = true;
		}
	}
	return any ? TAKE(patch) : NULL;
}

static void name_group(struct plan *plan, const struct meta *pod, struct str group)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json meta;

	json_doc_set_root(doc, root);
	meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, json_ensure_obj(doc, meta, "annotations"), KEY_GROUP_NAME, group);
	plan_next_stage(plan);
	plan_patch(plan, PLAN_POD, pod, PLAN_MERGE_PATCH, doc);
}

int workload_step(const struct workload_world *world, struct plan *plan, struct err *err)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *wanted = NULL;
	struct json_doc *patch;
	struct meta pod;
	struct meta group;

	if (!workload_wants_group(world->pod, &world->scheduler_names))
		return 0;
	if (type_decode(&meta_type, json_get(world->pod, "metadata"), plan->arena, &pod, err) < 0)
		return err_wrap(err, "pod");
	workload_group_name(world->pod, &name);
	wanted = build(world, buf_str(&name), plan->arena);
	if (json_is_absent(world->group)) {
		plan_create(plan, PLAN_PODGROUP, TAKE(wanted));
	} else if (follows_owner(world->pod)) {
		if (type_decode(&meta_type, json_get(world->group, "metadata"), plan->arena, &group,
				err) < 0)
			return err_wrap(err, "podgroup");
		patch = difference(world->group, json_doc_root(wanted));
		if (patch)
			plan_patch(plan, PLAN_PODGROUP, &group, PLAN_MERGE_PATCH, patch);
	}
	name_group(plan, &pod, buf_str(&name));
	return 0;
}

int workload_owner_step(struct json owner, struct json group, struct plan *plan, struct err *err)
{
	struct json replicas = json_get(json_get(owner, "spec"), "replicas");
	struct meta meta;

	if (json_is_absent(group) || !json_is(replicas, JSON_INT) || json_int(replicas) != 0)
		return 0;
	if (type_decode(&meta_type, json_get(group, "metadata"), plan->arena, &meta, err) < 0)
		return err_wrap(err, "podgroup");
	if (!meta_is_deleting(&meta))
		plan_delete(plan, PLAN_PODGROUP, &meta);
	return 0;
}
