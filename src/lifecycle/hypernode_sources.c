/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/hypernode_sources.c - the sources of hypernode_discovery.h: labels of nodes, and ports of a UFM.
 *
 * Both go through nodes in the order of their names, so that the same input gives the same domains. Costs what the input
 * is long: domains are found by maps. */
#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "lifecycle/hypernode_discovery.h"
#include "model/core/meta.h"

#include "base/banned.h"

enum { TYPE_NAME_MAX = 20, TIERS_MAX = 64, NAME_TRIES = 20 };

/* FNV-1a: must never change, names are made of it. */
static uint64_t stable_hash(struct str text, uint64_t hash)
{
	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
	return hash;
}
static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

/* Letters and digits that look like those of Kubernetes' generated names. */
static struct str suffix_of(struct arena *arena, uint64_t hash, size_t len)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	char *text = arena_zalloc(arena, len + 1);

	for (size_t i = 0; i < len; i++) {
		text[i] = letters[hash % (sizeof(letters) - 1)];
		hash /= sizeof(letters) - 1;
	}
	return str_of(text, len);
}

static int by_name(const void *left, const void *right)
{
	return str_cmp(meta_name(*(const struct json *)left),
		       meta_name(*(const struct json *)right));
}

static int by_text(const void *left, const void *right)
{
	return str_cmp(*(const struct str *)left, *(const struct str *)right);
}

/* Nodes in order; for mem_free(). */
static struct json *sorted_nodes(const struct discovery_world *world)
{
	struct json *nodes = mem_calloc(world->node_count + 1, sizeof(*nodes));

	for (size_t i = 0; i < world->node_count; i++)
		nodes[i] = world->nodes[i];
	if (world->node_count)
		qsort(nodes, world->node_count, sizeof(*nodes), by_name);
	return nodes;
}

static struct json labels_of(struct json object)
{
	return json_get(json_get(object, "metadata"), "labels");
}

static void note(struct discovery *found, const char *text)
{
	vec_push(&found->notes, str_from(text));
}

/* --- labels -------------------------------------------------------------------------------------------- */

struct label_type {
	struct str name;
	struct str tiers[TIERS_MAX]; /* label keys; the first is tier 1 */
	size_t count;
};

struct label_search {
	const struct discovery_world *world;
	struct discovery *found;
	struct map *domains;  /* "key\nvalue": 1 + index */
	struct map *parents;  /* name of a domain: that of its parent */
	struct map *existing; /* name: the HyperNode */
	struct map *by_label; /* "key\nvalue": a HyperNode of this source */
};

static struct str pair_of(struct arena *arena, struct str key, struct str value)
{
	return str_from(arena_printf(arena, "%.*s\n%.*s", STR_ARG(key), STR_ARG(value)));
}

/* "Net_A" as a part of a name: "net-a". */
static struct str cleaned(struct arena *arena, struct str text)
{
	char *copy = arena_zalloc(arena, text.len + 1);

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-'))
			c = '-';
		copy[i] = c;
	}
	return str_of(copy, text.len);
}

/* The HyperNode that this domain was before, or a new name that no HyperNode has. */
static struct str name_for(const struct label_search *s, const struct label_type *type, size_t tier,
			   struct str key, struct str value)
{
	struct arena *arena = s->found->arena;
	struct str pair = pair_of(arena, key, value);
	struct str prefix = str_from(arena_printf(arena, "hypernode-%.*s-tier%zu",
						  STR_ARG(cleaned(arena, type->name)), tier));
	const struct json *old = map_get(s->by_label, pair);
	uint64_t hash = stable_hash(pair, hash_start);
	struct str name = str_none();

	if (old && str_starts(meta_name(*old), prefix))
		return meta_name(*old);
	for (int i = 0; i < NAME_TRIES; i++) {
		name = str_from(arena_printf(arena, "%.*s-%.*s", STR_ARG(prefix),
					     STR_ARG(suffix_of(arena, hash, 5))));
		if (!map_get(s->existing, name))
			break;
		hash = stable_hash(name, hash);
	}
	return name;
}

static struct found_domain *domain_for(struct label_search *s, const struct label_type *type,
				       size_t tier, struct str key, struct str value)
{
	struct str pair = pair_of(s->found->arena, key, value);
	uintptr_t at = (uintptr_t)map_get(s->domains, pair);
	struct found_domain *domain;

	if (at)
		return &s->found->domains.ptr[at - 1];
	domain = vec_add(&s->found->domains);
	domain->name = name_for(s, type, tier, key, value);
	domain->tier = (int64_t)tier;
	domain->tier_name = key;
	domain->label_key = key;
	domain->label_value = value;
	domain->of_nodes = tier == 1;
	(void)map_put(s->domains, pair, (void *)(uintptr_t)s->found->domains.len);
	(void)map_put(s->existing, domain->name, (void *)s);
	return domain;
}

/* A domain is in the one above it that the first of its nodes names: with two parents no topology could be used. */
static void join(struct label_search *s, struct found_domain *domain, struct str child)
{
	const struct str *parent = map_get(s->parents, child);
	struct str *copy;

	if (parent) {
		if (!str_eq(*parent, domain->name))
			note(s->found,
			     arena_printf(s->found->arena,
					  "nodes of %.*s name different domains above it; "
					  "%.*s counts, %.*s does not",
					  STR_ARG(child), STR_ARG(*parent), STR_ARG(domain->name)));
		return;
	}
	copy = arena_zalloc(s->found->arena, sizeof(*copy));
	*copy = domain->name;
	(void)map_put(s->parents, child, copy);
	vec_push(&domain->members, child);
}

static void walk_node(struct label_search *s, const struct label_type *type, struct json node)
{
	struct str below = str_none();

	for (size_t t = 0; t < type->count; t++) {
		struct str value = json_str(json_get_str(labels_of(node), type->tiers[t]));
		struct found_domain *domain;

		if (!value.len)
			break;
		domain = domain_for(s, type, t + 1, type->tiers[t], value);
		if (t == 0)
			vec_push(&domain->members, meta_name(node));
		else
			join(s, domain, below);
		below = domain->name;
	}
}

/* The labels of a type, nearest first and without that of the node itself; false: the type is skipped. */
static int read_type(struct str name, struct json list, struct label_type *ret,
		     struct discovery *found, struct err *err)
{
	size_t len = json_len(list);

	*ret = (struct label_type){.name = name};
	if (!json_is(list, JSON_ARR))
		return err_set(err, ERR_INVALID,
			       "config.networkTopologyTypes.%.*s: must be a list of {nodeLabel}",
			       STR_ARG(name));
	if (name.len > TYPE_NAME_MAX || len > TIERS_MAX) {
		note(found, arena_printf(found->arena,
					 "networkTopologyTypes.%.*s is skipped: names have at most "
					 "%d characters, lists at most %d labels",
					 STR_ARG(name), TYPE_NAME_MAX, TIERS_MAX));
		return 0;
	}
	for (size_t i = 0; i < len; i++) {
		struct str key = json_str(json_get(json_at(list, i), "nodeLabel"));

		if (!key.len)
			return err_set(err, ERR_INVALID,
				       "config.networkTopologyTypes.%.*s[%zu].nodeLabel: required",
				       STR_ARG(name), i);
		for (size_t j = 0; j < i; j++)
			if (str_eq(json_str(json_get(json_at(list, j), "nodeLabel")), key)) {
				note(found, arena_printf(found->arena,
							 "networkTopologyTypes.%.*s is skipped: it "
							 "has the label %.*s twice",
							 STR_ARG(name), STR_ARG(key)));
				ret->count = 0;
				return 0;
			}
	}
	for (size_t i = len; i-- > 0;)
		if (i + 1 < len)
			ret->tiers[ret->count++] =
				json_str(json_get(json_at(list, i), "nodeLabel"));
	return 0;
}

/* One HyperNode per label and value: a label of two types would be in two trees. */
static int check_keys(struct map *keys, const struct label_type *type, struct err *err)
{
	for (size_t i = 0; i < type->count; i++) {
		const struct str *other = map_put(keys, type->tiers[i], (void *)&type->name);

		if (other && !str_eq(*other, type->name))
			return err_set(
				err, ERR_INVALID,
				"config.networkTopologyTypes: the label %.*s is used by both "
				"%.*s and %.*s",
				STR_ARG(type->tiers[i]), STR_ARG(*other), STR_ARG(type->name));
	}
	return 0;
}

static int read_types(struct json config, struct discovery *found, struct label_type **ret,
		      size_t *ret_count, struct err *err)
{
	struct json types = json_get(config, "networkTopologyTypes");
	struct json_iter it = json_iter(types);
	AUTO(map_free) struct map *keys = map_new(0);
	struct label_type *all;
	size_t count = 0;

	if (!json_is(types, JSON_OBJ))
		return err_set(err, ERR_INVALID, "config.networkTopologyTypes: must be an object");
	all = arena_calloc(found->arena, json_len(types) + 1, sizeof(*all));
	while (json_next(&it)) {
		if (read_type(it.key, it.value, &all[count], found, err) < 0 ||
		    check_keys(keys, &all[count], err) < 0)
			return -1;
		count++;
	}
	*ret = all;
	*ret_count = count;
	return 0;
}

static void index_existing(struct label_search *s)
{
	for (size_t i = 0; i < s->world->hypernode_count; i++) {
		const struct json *old = &s->world->hypernodes[i];
		struct json_iter it = json_iter(labels_of(*old));

		(void)map_put(s->existing, meta_name(*old), (void *)old);
		if (!str_is(json_str(json_get(labels_of(*old), DISCOVERY_SOURCE_LABEL)), "label"))
			continue;
		while (json_next(&it))
			(void)map_put(s->by_label,
				      pair_of(s->found->arena, it.key, json_str(it.value)),
				      (void *)old);
	}
}

int discovery_by_labels(struct json config, const struct discovery_world *world,
			struct discovery *found, struct err *err)
{
	AUTO(map_free) struct map *domains = map_new(0);
	AUTO(map_free) struct map *parents = map_new(0);
	AUTO(map_free) struct map *existing = map_new(0);
	AUTO(map_free) struct map *by_label = map_new(0);
	struct label_search s = {world, found, domains, parents, existing, by_label};
	AUTO(mem_free) struct json *nodes = sorted_nodes(world);
	struct label_type *types = NULL;
	size_t count = 0;

	if (read_types(config, found, &types, &count, err) < 0)
		return -1;
	index_existing(&s);
	for (size_t t = 0; t < count; t++)
		for (size_t i = 0; i < world->node_count; i++)
			walk_node(&s, &types[t], nodes[i]);
	return 0;
}

/* --- UFM ------------------------------------------------------------------------------------------------- */

struct leaf {
	struct str name;
	size_t group; /* the first leaf that it shares a node with, followed to its end */
	VEC(struct str) nodes;
};
struct fabric {
	struct arena *arena;
	struct map *leaf_at; /* name: 1 + index */
	struct map *node_at; /* name: 1 + the first leaf */
	VEC(struct leaf) leaves;
};

static size_t group_of(const struct fabric *f, size_t leaf)
{
	assert(f->leaves.ptr);
	while (f->leaves.ptr[leaf].group != leaf)
		leaf = f->leaves.ptr[leaf].group;
	return leaf;
}

static size_t leaf_for(struct fabric *f, struct str name)
{
	uintptr_t at = (uintptr_t)map_get(f->leaf_at, name);

	if (!at) {
		struct leaf *leaf = vec_add(&f->leaves);

		leaf->name = name;
		leaf->group = f->leaves.len - 1;
		at = f->leaves.len;
		(void)map_put(f->leaf_at, name, (void *)at);
	}
	return at - 1;
}

static void add_port(struct fabric *f, struct str node, struct str leaf)
{
	size_t at = leaf_for(f, leaf);
	uintptr_t other = (uintptr_t)map_get(f->node_at, node);

	assert(f->leaves.ptr);
	if (!other) {
		(void)map_put(f->node_at, node, (void *)(uintptr_t)(at + 1));
		vec_push(&f->leaves.ptr[at].nodes, node);
	} else if (group_of(f, at) != group_of(f, other - 1)) {
		f->leaves.ptr[group_of(f, at)].group = group_of(f, other - 1);
	}
}

static struct str lowered(struct arena *arena, struct str text)
{
	char *copy = arena_zalloc(arena, text.len + 1);

	for (size_t i = 0; i < text.len; i++)
		copy[i] = (char)(text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? text.ptr[i] - 'A' + 'a'
									  : text.ptr[i]);
	return str_of(copy, text.len);
}

static struct str host_of(struct str name)
{
	struct str rest = name, host = name;

	(void)str_split(&rest, '.', &host);
	return host;
}

/* Names of nodes as Kubernetes has them, by what a UFM may call them. */
static struct map *known_names(struct arena *arena, const struct discovery_world *world)
{
	struct map *names = map_new(0);

	for (size_t i = 0; i < world->node_count; i++) {
		struct str *name = arena_zalloc(arena, sizeof(*name));

		*name = meta_name(world->nodes[i]);
		if (!map_get(names, host_of(*name)))
			(void)map_put(names, host_of(*name), name);
	}
	for (size_t i = 0; i < world->node_count; i++) {
		struct str *name = arena_zalloc(arena, sizeof(*name));

		*name = meta_name(world->nodes[i]);
		(void)map_put(names, *name, name); /* the whole name has precedence */
	}
	return names;
}

static struct str known_name(const struct map *names, struct arena *arena, struct str of_ufm)
{
	struct str name = lowered(arena, of_ufm);
	const struct str *known = map_get(names, name);

	if (!known)
		known = map_get(names, host_of(name));
	return known ? *known : name;
}

/* A HyperNode that has one of these leaf switches; NULL: none. */
static const struct json *find_kept(const struct discovery_world *world, const struct map *mine,
				    struct arena *arena)
{
	for (size_t i = 0; i < world->hypernode_count; i++) {
		struct json old = world->hypernodes[i];
		struct json notes = json_get(json_get(old, "metadata"), "annotations");
		struct str rest = json_str(json_get(notes, DISCOVERY_LEAVES)), leaf;

		if (!str_is(json_str(json_get(labels_of(old), DISCOVERY_SOURCE_LABEL)), "ufm"))
			continue;
		while (rest.len && str_split(&rest, ',', &leaf))
			if (map_get(mine, arena_str(arena, leaf)))
				return &world->hypernodes[i];
	}
	return NULL;
}

static bool is_taken(const struct discovery *found, struct str name)
{
	for (size_t i = 0; i < found->domains.len; i++)
		if (str_eq(found->domains.ptr[i].name, name))
			return true;
	return false;
}

static void sort_texts(struct str *texts, size_t len)
{
	if (len)
		qsort(texts, len, sizeof(*texts), by_text);
}

/* One group of leaf switches: its nodes, and its name. */
static void add_group(struct discovery *found, const struct discovery_world *world,
		      const struct fabric *f, size_t group)
{
	AUTO(map_free) struct map *mine = map_new(0);
	AUTO(buf_done) struct buf leaves = BUF_INIT(SIZE_MAX);
	struct found_domain domain = {.tier = 1, .of_nodes = true};
	VEC(struct str) names = {0};
	const struct json *kept;

	for (size_t i = 0; i < f->leaves.len; i++) {
		const struct leaf *leaf = &f->leaves.ptr[i];

		if (group_of(f, i) != group)
			continue;
		vec_push(&names, leaf->name);
		(void)map_put(mine, leaf->name, (void *)f);
		for (size_t n = 0; n < leaf->nodes.len; n++)
			vec_push(&domain.members, leaf->nodes.ptr[n]);
	}
	assert(names.ptr); /* a group has a switch */
	sort_texts(names.ptr, names.len);
	sort_texts(domain.members.ptr, domain.members.len);
	for (size_t i = 0; i < names.len; i++)
		buf_printf(&leaves, "%s%.*s", i ? "," : "", STR_ARG(names.ptr[i]));
	domain.leaves = arena_str(found->arena, buf_str(&leaves));
	kept = find_kept(world, mine, found->arena);
	if (kept && !is_taken(found, meta_name(*kept)))
		domain.name = meta_name(*kept);
	else
		domain.name = str_from(arena_printf(
			found->arena, "leaf-%.*s",
			STR_ARG(suffix_of(found->arena, stable_hash(names.ptr[0], hash_start),
					  10))));
	vec_done(&names);
	vec_push(&found->domains, domain);
}

static void add_spine(struct discovery *found)
{
	struct found_domain spine = {.name = STR("spine-hn"), .tier = 2};

	for (size_t i = 0; i < found->domains.len; i++)
		vec_push(&spine.members, found->domains.ptr[i].name);
	sort_texts(spine.members.ptr, spine.members.len);
	if (spine.members.len)
		vec_push(&found->domains, spine);
}

static int by_leaf_name(const void *left, const void *right, void *arg)
{
	const struct fabric *f = arg;

	return str_cmp(f->leaves.ptr[*(const size_t *)left].name,
		       f->leaves.ptr[*(const size_t *)right].name);
}

static void add_groups(struct discovery *found, const struct discovery_world *world,
		       struct fabric *f)
{
	AUTO(mem_free) size_t *order = mem_calloc(f->leaves.len + 1, sizeof(*order));
	AUTO(mem_free) uint8_t *done = mem_zalloc(f->leaves.len + 1);

	for (size_t i = 0; i < f->leaves.len; i++)
		order[i] = i;
	qsort_r(order, f->leaves.len, sizeof(*order), by_leaf_name, f);
	for (size_t i = 0; i < f->leaves.len; i++) {
		size_t group = group_of(f, order[i]);

		if (!done[group])
			add_group(found, world, f, group);
		done[group] = 1;
	}
}

int discovery_by_ufm(struct json ports, const struct discovery_world *world,
		     struct discovery *found, struct err *err)
{
	AUTO(map_free) struct map *leaf_at = map_new(0);
	AUTO(map_free) struct map *node_at = map_new(0);
	AUTO(map_free) struct map *names = known_names(found->arena, world);
	struct fabric f = {.arena = found->arena, .leaf_at = leaf_at, .node_at = node_at};
	struct json_iter it = json_iter(ports);

	if (!json_is(ports, JSON_ARR))
		return err_set(err, ERR_INVALID, "the answer is not a list of ports");
	while (json_next(&it)) {
		struct str description = json_str(json_get(it.value, "description"));
		struct str node = json_str(json_get(it.value, "system_name"));
		struct str leaf = json_str(json_get(it.value, "peer_node_name"));

		if (str_find(description, STR("Computer"), 0) >= 0 && node.len && leaf.len)
			add_port(&f, known_name(names, found->arena, node), leaf);
	}
	if (f.leaves.len)
		add_groups(found, world, &f);
	add_spine(found);
	for (size_t i = 0; i < f.leaves.len; i++)
		vec_done(&f.leaves.ptr[i].nodes);
	vec_done(&f.leaves);
	return 0;
}
