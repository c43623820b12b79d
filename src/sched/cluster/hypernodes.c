/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/hypernodes.c - see the header.
 *
 * A rule is what one HyperNode says, compiled: names of nodes and of HyperNodes, patterns, selectors, and by slot
 * whether a node matches one of the latter. It is made again if the object has another spec. From all rules the tree is
 * made: parents first, and whether they are sound; then, node by node, the domains above each. */
#include "sched/cluster/hypernodes.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "model/volcano/hypernode.h"
#include "regexp/regexp.h"
#include "sched/cluster/cluster.h"

#include "base/banned.h"

struct rule {
	struct json_doc *doc; /* kept, so that another one has another address */
	struct arena *arena;
	struct hypernode view;
	struct strs nodes;    /* by name */
	struct strs children; /* HyperNodes, by name */
	VEC(struct regexp *) patterns;
	VEC(struct selector) selectors;
	VEC(uint8_t) matches; /* by slot: does a pattern or a selector match? */
	struct domain *domain;
	bool seen;
};

/* --- rules ----------------------------------------------------------------------------------- */

static void rule_free(struct rule *rule)
{
	for (size_t i = 0; i < rule->patterns.len; i++)
		regexp_free(rule->patterns.ptr[i]);
	vec_done(&rule->patterns);
	vec_done(&rule->selectors);
	vec_done(&rule->matches);
	arena_free(rule->arena);
	json_doc_unref(rule->doc);
	mem_free(rule);
}

/* A pattern or selector that makes no sense matches nothing, nor does an empty selector: as upstream has it. */
static void add_node_member(struct rule *rule, const struct hypernode_selector *selector)
{
	if (selector->regex_match) {
		struct regexp *re = regexp_parse(selector->regex_match->pattern, NULL);

		if (re)
			vec_push(&rule->patterns, re);
	}
	if (selector->label_match && (selector->label_match->match_labels.len ||
				      selector->label_match->match_expressions.len)) {
		struct selector compiled;

		if (selector_from_object(selector->label_match, rule->arena, &compiled, NULL) == 0)
			vec_push(&rule->selectors, compiled);
	}
}

static void read_members(struct rule *rule)
{
	size_t count = rule->view.spec.members.len, nodes = 0, children = 0;
	struct str *names = arena_calloc(rule->arena, count + 1, sizeof(*names));

	/* Names of nodes from the front, of HyperNodes from the back. */
	for (size_t i = 0; i < count; i++) {
		const struct hypernode_member *member = &rule->view.spec.members.ptr[i];

		if (!member->selector.exact_match) {
			if (member->type == HYPERNODE_MEMBER_NODE)
				add_node_member(rule, &member->selector);
		} else if (member->type == HYPERNODE_MEMBER_HYPERNODE) {
			names[count - ++children] = member->selector.exact_match->name;
		} else {
			names[nodes++] = member->selector.exact_match->name;
		}
	}
	rule->nodes.ptr = names;
	rule->nodes.len = nodes;
	rule->children.ptr = names + count - children;
	rule->children.len = children;
}

static bool rule_matches(const struct cluster *cluster, const struct rule *rule,
			 const struct node_info *node)
{
	struct label space[LABELS_MAX];
	struct labels labels;

	for (size_t i = 0; i < rule->patterns.len; i++)
		if (regexp_matches(rule->patterns.ptr[i], node->text))
			return true;
	if (!rule->selectors.len)
		return false;
	labels = label_set_view(node->labels, cluster->symbols, space);
	for (size_t i = 0; i < rule->selectors.len; i++)
		if (selector_matches(&rule->selectors.ptr[i], &labels))
			return true;
	return false;
}

static void match_slot(const struct cluster *cluster, struct rule *rule, uint32_t slot)
{
	const struct node_info *node = slot < cluster->nodes.len ? cluster->nodes.ptr[slot] : NULL;

	if (!rule->patterns.len && !rule->selectors.len)
		return;
	while (rule->matches.len <= slot)
		vec_push(&rule->matches, 0);
	rule->matches.ptr[slot] = node && node->there && rule_matches(cluster, rule, node);
}

static struct rule *rule_new(const struct cluster *cluster, const struct thing *thing)
{
	struct rule *rule = mem_new(struct rule);

	rule->doc = json_doc_ref(thing->doc);
	rule->arena = arena_new(0);
	if (type_decode(&hypernode_type, json_doc_root(rule->doc), rule->arena, &rule->view, NULL) <
	    0) {
		rule_free(rule);
		return NULL; /* it was decoded before: does not happen */
	}
	read_members(rule);
	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++)
		match_slot(cluster, rule, slot);
	return rule;
}

static bool same_spec(const struct json_doc *a, const struct json_doc *b)
{
	return json_eq(json_get(json_doc_root(a), "spec"), json_get(json_doc_root(b), "spec"));
}

/* Rules of all HyperNodes that there are, and of no others. */
static void read_rules(struct hypernodes *tree)
{
	struct cluster *cluster = tree->cluster;
	VEC(struct rule *) gone = {0};
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(tree->rules, &at, NULL, &value))
		((struct rule *)value)->seen = false;
	at = 0;
	while (map_next(cluster->things[CLUSTER_HYPERNODE], &at, &key, &value)) {
		const struct thing *thing = value;
		struct rule *rule = map_get(tree->rules, key);

		if (!rule || (rule->doc != thing->doc && !same_spec(rule->doc, thing->doc))) {
			struct rule *now = rule_new(cluster, thing), *old;

			if (!now)
				continue;
			old = map_put(tree->rules, now->view.meta.name, now);
			if (old)
				rule_free(old);
			rule = now;
		}
		rule->seen = true;
	}
	at = 0;
	while (map_next(tree->rules, &at, NULL, &value))
		if (!((struct rule *)value)->seen)
			vec_push(&gone, value);
	for (size_t i = 0; i < gone.len; i++) {
		map_remove(tree->rules, gone.ptr[i]->view.meta.name);
		rule_free(gone.ptr[i]);
	}
	vec_done(&gone);
}

static void match_touched(struct hypernodes *tree)
{
	size_t at = 0;
	void *value;

	while (tree->touched.len && map_next(tree->rules, &at, NULL, &value))
		for (size_t i = 0; i < tree->touched.len; i++)
			match_slot(tree->cluster, value, tree->touched.ptr[i]);
	vec_clear(&tree->touched);
}

/* --- the tree -------------------------------------------------------------------------------- */

static void domain_free(struct domain *domain)
{
	vec_done(&domain->children);
	vec_done(&domain->slots);
	vec_done(&domain->own);
	mem_free(domain);
}

static void clear_tree(struct hypernodes *tree)
{
	for (size_t i = 0; i < tree->domains.len; i++)
		domain_free(tree->domains.ptr[i]);
	vec_clear(&tree->domains);
	mem_free(tree->broken);
	tree->broken = NULL;
	tree->least_tier = 0;
	vec_clear(&tree->first);
	vec_clear(&tree->of_nodes);
}

static int by_tier(const void *left, const void *right)
{
	const struct domain *a = *(struct domain *const *)left, *b = *(struct domain *const *)right;

	if (a->tier != b->tier)
		return a->tier < b->tier ? -1 : 1;
	return str_cmp(a->name, b->name);
}

/* A domain per rule, and one for the whole cluster. */
static void make_domains(struct hypernodes *tree)
{
	struct domain *root = mem_new(struct domain);
	int64_t most = 0;
	size_t at = 0;
	void *value;

	while (map_next(tree->rules, &at, NULL, &value)) {
		struct rule *rule = value;
		struct domain *domain = mem_new(struct domain);

		domain->name = rule->view.meta.name;
		domain->tier_name = rule->view.spec.tier_name;
		domain->tier = rule->view.spec.tier;
		rule->domain = domain;
		vec_push(&tree->domains, domain);
		most = domain->tier > most ? domain->tier : most;
	}
	if (tree->domains.len) {
		qsort(tree->domains.ptr, tree->domains.len, sizeof(*tree->domains.ptr), by_tier);
		tree->least_tier = tree->domains.ptr[0]->tier;
	}
	root->tier = most < INT64_MAX ? most + 1 : most;
	vec_push(&tree->domains, root);
	for (size_t i = 0; i < tree->domains.len; i++)
		tree->domains.ptr[i]->id = (uint32_t)i;
}

static void set_broken(struct hypernodes *tree, char *why)
{
	if (tree->broken)
		mem_free(why);
	else
		tree->broken = why;
}

static void set_parent(struct hypernodes *tree, struct domain *domain, struct domain *parent)
{
	if (domain->parent && domain->parent != parent) {
		const struct domain *a = domain->parent, *b = parent;
		bool swap = str_cmp(a->name, b->name) > 0;

		set_broken(tree,
			   mem_printf("HyperNode `%.*s` is a member of both `%.*s` and `%.*s`",
				      STR_ARG(domain->name), STR_ARG(swap ? b->name : a->name),
				      STR_ARG(swap ? a->name : b->name)));
		return;
	}
	domain->parent = parent;
}

static void set_parents(struct hypernodes *tree)
{
	for (size_t i = 0; i + 1 < tree->domains.len; i++) {
		struct domain *parent = tree->domains.ptr[i];
		const struct rule *rule = map_get(tree->rules, parent->name);

		for (size_t j = 0; j < rule->children.len; j++) {
			const struct rule *child = map_get(tree->rules, rule->children.ptr[j]);

			if (child)
				set_parent(tree, child->domain, parent);
		}
	}
}

/* Do the ancestors of a domain end? */
static void check_ancestors(struct hypernodes *tree, const struct domain *domain)
{
	const struct domain *up = domain->parent;

	for (size_t steps = 0; up && steps <= tree->domains.len; steps++) {
		if (up == domain) {
			set_broken(tree,
				   domain->parent == domain
					   ? mem_printf("HyperNode `%.*s` is a member of itself",
							STR_ARG(domain->name))
					   : mem_printf("HyperNodes `%.*s` and `%.*s` contain "
							"each other",
							STR_ARG(domain->name),
							STR_ARG(domain->parent->name)));
			return;
		}
		up = up->parent;
	}
}

/* Only the whole cluster is left. */
static void drop_domains(struct hypernodes *tree)
{
	struct domain *root = hypernodes_root(tree);

	for (size_t i = 0; i + 1 < tree->domains.len; i++)
		domain_free(tree->domains.ptr[i]);
	vec_clear(&tree->domains);
	root->id = 0;
	vec_push(&tree->domains, root);
}

static void link_children(struct hypernodes *tree)
{
	struct domain *root = hypernodes_root(tree);

	for (size_t i = 0; i + 1 < tree->domains.len; i++) {
		struct domain *domain = tree->domains.ptr[i];

		if (!domain->parent)
			domain->parent = root;
		vec_push(&domain->parent->children, domain);
	}
}

/* --- nodes ----------------------------------------------------------------------------------- */

struct member {
	struct domain *domain;
	uint32_t next;
};
/* Of which domains each node is a member itself, as lists. */
struct members {
	uint32_t *head; /* by slot: 1 + its first entry; 0: none */
	VEC(struct member) entries;
};

static void add_member(struct members *members, uint32_t slot, struct domain *domain)
{
	vec_push(&members->entries, (struct member){.domain = domain, .next = members->head[slot]});
	members->head[slot] = (uint32_t)members->entries.len;
}

static void collect_members(const struct hypernodes *tree, struct members *members)
{
	const struct cluster *cluster = tree->cluster;

	for (size_t i = 0; i + 1 < tree->domains.len; i++) {
		struct domain *domain = tree->domains.ptr[i];
		const struct rule *rule = map_get(tree->rules, domain->name);

		for (size_t j = 0; j < rule->nodes.len; j++) {
			const struct node_info *node =
				cluster_find_node(cluster, rule->nodes.ptr[j]);

			if (node)
				add_member(members, node->slot, domain);
		}
		for (uint32_t slot = 0; slot < rule->matches.len && slot < cluster->nodes.len;
		     slot++)
			if (rule->matches.ptr[slot])
				add_member(members, slot, domain);
	}
}

static bool is_in_child(const struct hypernodes *tree, const struct domain *domain, uint32_t from)
{
	for (size_t i = from; i < tree->of_nodes.len; i++)
		if (tree->of_nodes.ptr[i]->parent == domain)
			return true;
	return false;
}

/* An entry by its number, counted from 1; NULL: there is none. */
static const struct member *member_at(const struct members *members, uint32_t number)
{
	return number && members->entries.ptr ? &members->entries.ptr[number - 1] : NULL;
}

/* Into each domain of a node: those that name it, and all above these. */
static void spread_node(struct hypernodes *tree, const struct members *members, uint32_t slot)
{
	size_t from = tree->of_nodes.len;

	for (const struct member *at = member_at(members, members->head[slot]); at;
	     at = member_at(members, at->next))
		for (struct domain *up = at->domain; up && up->stamp != slot + 1; up = up->parent) {
			up->stamp = slot + 1;
			vec_push(&tree->of_nodes, up);
		}
	if (tree->of_nodes.len == from)
		vec_push(&tree->of_nodes, hypernodes_root(tree));
	for (size_t i = from + 1; i < tree->of_nodes.len; i++)
		for (size_t j = i;
		     j > from && tree->of_nodes.ptr[j - 1]->id > tree->of_nodes.ptr[j]->id; j--) {
			struct domain *swap = tree->of_nodes.ptr[j];

			tree->of_nodes.ptr[j] = tree->of_nodes.ptr[j - 1];
			tree->of_nodes.ptr[j - 1] = swap;
		}
	for (size_t i = from; i < tree->of_nodes.len; i++) {
		struct domain *domain = tree->of_nodes.ptr[i];

		vec_push(&domain->slots, slot);
		if (!is_in_child(tree, domain, (uint32_t)from))
			vec_push(&domain->own, slot);
	}
}

static void fill_domains(struct hypernodes *tree)
{
	const struct cluster *cluster = tree->cluster;
	struct members members = {.head = mem_calloc(cluster->nodes.len + 1, sizeof(uint32_t))};

	collect_members(tree, &members);
	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++) {
		vec_push(&tree->first, (uint32_t)tree->of_nodes.len);
		if (cluster->nodes.ptr[slot] && cluster->nodes.ptr[slot]->there)
			spread_node(tree, &members, slot);
	}
	vec_push(&tree->first, (uint32_t)tree->of_nodes.len);
	vec_done(&members.entries);
	mem_free(members.head);
}

/* --- life ------------------------------------------------------------------------------------ */

struct hypernodes *hypernodes_new(struct cluster *cluster)
{
	struct hypernodes *tree = mem_new(struct hypernodes);

	tree->cluster = cluster;
	tree->rules = map_new(0);
	make_domains(tree);
	tree->stale = true;
	return tree;
}

void hypernodes_free(struct hypernodes *tree)
{
	size_t at = 0;
	void *value;

	if (!tree)
		return;
	clear_tree(tree);
	while (map_next(tree->rules, &at, NULL, &value))
		rule_free(value);
	map_free(tree->rules);
	vec_done(&tree->touched);
	vec_done(&tree->domains);
	vec_done(&tree->first);
	vec_done(&tree->of_nodes);
	mem_free(tree);
}

void hypernodes_note(struct hypernodes *tree)
{
	tree->stale = true;
}

void hypernodes_note_node(struct hypernodes *tree, uint32_t slot)
{
	vec_push(&tree->touched, slot);
	tree->stale = true;
}

void hypernodes_settle(struct hypernodes *tree)
{
	if (!tree->stale)
		return;
	tree->stale = false;
	tree->version++;
	clear_tree(tree);
	read_rules(tree);
	match_touched(tree);
	make_domains(tree);
	set_parents(tree);
	for (size_t i = 0; !tree->broken && i < tree->domains.len; i++)
		check_ancestors(tree, tree->domains.ptr[i]);
	if (tree->broken)
		drop_domains(tree);
	link_children(tree);
	fill_domains(tree);
}

/* --- looking --------------------------------------------------------------------------------- */

size_t hypernodes_of(const struct hypernodes *tree, uint32_t slot, struct domain *const **ret)
{
	if (slot + 1 >= tree->first.len)
		return 0;
	*ret = tree->of_nodes.ptr + tree->first.ptr[slot];
	return tree->first.ptr[slot + 1] - tree->first.ptr[slot];
}

const struct domain *hypernodes_find(const struct hypernodes *tree, struct str name)
{
	const struct rule *rule = tree->broken ? NULL : map_get(tree->rules, name);

	return rule ? rule->domain : NULL;
}

bool hypernodes_find_tier(const struct hypernodes *tree, struct str name, int64_t *ret)
{
	for (size_t i = tree->domains.len - 1; name.len && i-- > 0;)
		if (str_eq(tree->domains.ptr[i]->tier_name, name)) {
			*ret = tree->domains.ptr[i]->tier;
			return true;
		}
	return false;
}

bool domain_contains(const struct domain *domain, const struct domain *inner)
{
	while (inner && inner != domain)
		inner = inner->parent;
	return inner;
}

bool domain_has_node(const struct domain *domain, uint32_t slot)
{
	size_t low = 0, high = domain->slots.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (domain->slots.ptr[mid] < slot)
			low = mid + 1;
		else
			high = mid;
	}
	return low < domain->slots.len && domain->slots.ptr[low] == slot;
}

/* --- checking -------------------------------------------------------------------------------- */

/* Is a node in a domain, by what the rules say? */
static bool is_member(const struct hypernodes *tree, const struct domain *domain,
		      const struct node_info *node)
{
	const struct rule *rule = domain->parent ? map_get(tree->rules, domain->name) : NULL;

	if (!rule)
		return true;
	for (size_t i = 0; i < rule->nodes.len; i++)
		if (str_eq(rule->nodes.ptr[i], node->text))
			return true;
	if (rule_matches(tree->cluster, rule, node))
		return true;
	for (size_t i = 0; i < domain->children.len; i++)
		if (is_member(tree, domain->children.ptr[i], node))
			return true;
	return false;
}

char *hypernodes_check(const struct hypernodes *tree)
{
	const struct cluster *cluster = tree->cluster;

	for (size_t i = 0; !tree->stale && i < tree->domains.len; i++) {
		const struct domain *domain = tree->domains.ptr[i];

		for (uint32_t slot = 0; slot < cluster->nodes.len; slot++) {
			const struct node_info *node = cluster->nodes.ptr[slot];
			bool is = node && node->there && is_member(tree, domain, node);

			if (is != domain_has_node(domain, slot))
				return mem_printf("domain `%.*s`: slot %u is %scounted",
						  STR_ARG(domain->name), slot, is ? "not " : "");
		}
	}
	return NULL;
}
