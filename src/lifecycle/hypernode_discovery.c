/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/hypernode_discovery.c - see the header: the configuration, and HyperNodes compared with what was found. */
#include "lifecycle/hypernode_discovery.h"

#include "base/buf.h"
#include "base/map.h"
#include "lifecycle/hypernode_lifecycle.h"
#include "model/value/duration.h"

#include "base/banned.h"

/* --- configuration ----------------------------------------------------------------------------- */

static const int64_t hour = INT64_C(3600) * 1000 * 1000; /* in microseconds */

static int read_source(struct json entry, size_t at, struct discovery_source *ret, struct err *err)
{
	struct json interval = json_get(entry, "interval");
	struct json secret = json_get(json_get(entry, "credentials"), "secretRef");

	*ret = (struct discovery_source){.name = json_str(json_get(entry, "source")),
					 .enabled = json_bool(json_get(entry, "enabled")),
					 .interval = hour,
					 .secret_namespace =
						 json_str(json_get(secret, "namespace")),
					 .secret_name = json_str(json_get(secret, "name")),
					 .config = json_get(entry, "config")};
	if (!ret->name.len)
		return err_set(err, ERR_INVALID, "networkTopologyDiscovery[%zu].source: required",
			       at);
	if (json_is_absent(interval))
		return 0;
	if (!json_is(interval, JSON_STR) ||
	    duration_parse(json_str(interval), &ret->interval, err) < 0 ||
	    ret->interval < DURATION_SECOND)
		return err_set(err, ERR_INVALID,
			       "networkTopologyDiscovery[%zu].interval: must be a duration of at "
			       "least 1s, such as 10m",
			       at);
	ret->interval /= DURATION_MICROSECOND;
	return 0;
}

int discovery_config_read(struct json root, struct discovery_config *ret, struct err *err)
{
	struct json list = json_get(root, "networkTopologyDiscovery");
	struct json_iter it = json_iter(list);

	*ret = (struct discovery_config){0};
	if (!json_is_absent(list) && !json_is(list, JSON_NULL) && !json_is(list, JSON_ARR))
		return err_set(err, ERR_INVALID, "networkTopologyDiscovery: must be a list");
	while (json_next(&it)) {
		struct discovery_source source;

		if (read_source(it.value, it.index, &source, err) < 0) {
			discovery_config_done(ret);
			return -1;
		}
		for (size_t i = 0; i < ret->sources.len; i++)
			if (str_eq(ret->sources.ptr[i].name, source.name)) {
				discovery_config_done(ret);
				return err_set(
					err, ERR_INVALID,
					"networkTopologyDiscovery[%zu].source: \"%.*s\" is there "
					"twice",
					it.index, STR_ARG(source.name));
			}
		vec_push(&ret->sources, source);
	}
	return 0;
}

void discovery_config_done(struct discovery_config *config)
{
	vec_done(&config->sources);
}

void discovery_done(struct discovery *found)
{
	for (size_t i = 0; i < found->domains.len; i++)
		vec_done(&found->domains.ptr[i].members);
	vec_done(&found->domains);
	vec_done(&found->notes);
}

/* --- HyperNodes as they should be ----------------------------------------------------------------- */

static struct json label_of(struct json hypernode, struct str key)
{
	return json_get_str(json_get(json_get(hypernode, "metadata"), "labels"), key);
}

static bool is_of(struct json hypernode, struct str source)
{
	return str_eq(json_str(label_of(hypernode, STR(DISCOVERY_SOURCE_LABEL))), source);
}

static void put_spec(struct json_doc *doc, struct json root, const struct found_domain *domain)
{
	struct json spec = json_ensure_obj(doc, root, "spec");
	struct json members = json_ensure_arr(doc, spec, "members");

	json_set_int(doc, spec, "tier", domain->tier);
	if (domain->tier_name.len)
		json_set_str(doc, spec, "tierName", domain->tier_name);
	for (size_t i = 0; i < domain->members.len; i++) {
		struct json member = json_new_obj(doc);
		struct json selector = json_ensure_obj(doc, member, "selector");

		json_set_str(doc, member, "type",
			     domain->of_nodes ? STR("Node") : STR("HyperNode"));
		json_set_str(doc, json_ensure_obj(doc, selector, "exactMatch"), "name",
			     domain->members.ptr[i]);
		json_append(doc, members, member);
	}
}

static void put_meta(struct json_doc *doc, struct json meta, struct str source,
		     const struct found_domain *domain)
{
	struct json labels = json_ensure_obj(doc, meta, "labels");

	json_set(doc, labels, STR(DISCOVERY_SOURCE_LABEL), json_new_str(doc, source));
	if (domain->label_key.len)
		json_set(doc, labels, domain->label_key, json_new_str(doc, domain->label_value));
	if (domain->leaves.len)
		json_set(doc, json_ensure_obj(doc, meta, "annotations"), STR(DISCOVERY_LEAVES),
			 json_new_str(doc, domain->leaves));
}

static void create(struct str source, const struct found_domain *domain, struct plan *plan)
{
	struct json meta;
	struct json_doc *doc = plan_object_new(PLAN_HYPERNODE, domain->name, str_none(), &meta);

	json_remove(doc, meta, STR("namespace"));
	put_meta(doc, meta, source, domain);
	put_spec(doc, json_doc_root(doc), domain);
	plan_create(plan, PLAN_HYPERNODE, doc);
}

/* Only what is different is written: most runs find what is there. */
static void change(struct str source, const struct found_domain *domain, struct json old,
		   struct plan *plan)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc), now_meta, old_meta = json_get(old, "metadata");
	struct meta meta;
	bool same;

	json_doc_set_root(doc, root);
	now_meta = json_ensure_obj(doc, root, "metadata");
	put_meta(doc, now_meta, source, domain);
	put_spec(doc, root, domain);
	same = json_eq(json_get(root, "spec"), json_get(old, "spec"));
	same = same && (!domain->label_key.len ||
			str_eq(json_str(label_of(old, domain->label_key)), domain->label_value));
	same = same &&
	       (!domain->leaves.len ||
		str_eq(json_str(json_get(json_get(old_meta, "annotations"), DISCOVERY_LEAVES)),
		       domain->leaves));
	if (same || type_decode(&meta_type, old_meta, plan->arena, &meta, NULL) < 0)
		json_doc_unref(doc);
	else
		plan_patch(plan, PLAN_HYPERNODE, &meta, PLAN_MERGE_PATCH, doc);
}

/* --- what cannot be found ------------------------------------------------------------------------- */

void discovery_stale(struct str source, const char *why, const struct discovery_world *world,
		     int64_t now, struct plan *plan)
{
	const struct hypernode_condition stale = {.type = DISCOVERY_STALE,
						  .is = true,
						  .quiet = false,
						  .reason = "DiscoveryFailed",
						  .message = why};

	for (size_t i = 0; i < world->hypernode_count; i++)
		if (is_of(world->hypernodes[i], source))
			hypernode_set_condition(world->hypernodes[i], &stale, now, plan);
}

/* --- comparing ---------------------------------------------------------------------------------------- */

void discovery_plan(struct str source, const struct discovery *found,
		    const struct discovery_world *world, int64_t now, struct plan *plan)
{
	static const struct hypernode_condition fresh = {.type = DISCOVERY_STALE,
							 .is = false,
							 .quiet = false,
							 .reason = "Discovered",
							 .message = "the source has answered"};
	AUTO(map_free) struct map *wanted = map_new(0);
	AUTO(map_free) struct map *there = map_new(0);

	if (!found->domains.len) {
		discovery_stale(source, "the source has found no domain; nothing was deleted",
				world, now, plan);
		return;
	}
	for (size_t i = 0; i < found->domains.len; i++)
		(void)map_put(wanted, found->domains.ptr[i].name, &found->domains.ptr[i]);
	for (size_t i = 0; i < world->hypernode_count; i++) {
		struct json old = world->hypernodes[i];
		const struct found_domain *domain = map_get(wanted, meta_name(old));
		struct meta meta;

		if (!is_of(old, source))
			continue;
		(void)map_put(there, meta_name(old), (void *)world);
		if (domain) {
			change(source, domain, old, plan);
			hypernode_set_condition(old, &fresh, now, plan);
		} else if (type_decode(&meta_type, json_get(old, "metadata"), plan->arena, &meta,
				       NULL) == 0) {
			plan_delete(plan, PLAN_HYPERNODE, &meta);
		}
	}
	for (size_t i = 0; i < found->domains.len; i++)
		if (!map_get(there, found->domains.ptr[i].name))
			create(source, &found->domains.ptr[i], plan);
}
