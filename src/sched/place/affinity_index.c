/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/affinity_index.c - see the header.
 *
 * 1. terms->matched of every terms in the cluster is exactly the pod terms that match it.
 * 2. matching[d] is the number of tasks that count (ledger.c) on nodes of domain d and whose terms
 *    match; carrying[d] the same of those that carry the term. For spreading none that is leaving counts.
 * 3. No task is on a node while its domains change. */
#include "sched/place/affinity_index.h"

#include <assert.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/core/namespace.h"
#include "sched/cluster/cluster.h"

#include "base/banned.h"

struct affinity_index {
	struct cluster *cluster;
	struct map *terms;
	VEC(struct topology *) topologies;
};

struct affinity_index *affinity_index_new(struct cluster *cluster)
{
	struct affinity_index *index = mem_new(struct affinity_index);

	index->cluster = cluster;
	index->terms = map_new(0);
	return index;
}

static void topology_free(struct affinity_index *index, struct topology *topology)
{
	for (size_t i = 0; i < topology->values.len; i++)
		symbols_drop(index->cluster->symbols, topology->values.ptr[i]);
	symbols_drop(index->cluster->symbols, topology->key);
	vec_done(&topology->domain_of);
	vec_done(&topology->values);
	vec_done(&topology->nodes);
	map_free(topology->by_value);
	mem_free(topology);
}

void affinity_index_free(struct affinity_index *index)
{
	if (!index)
		return;
	assert(map_len(index->terms) == 0);
	for (size_t i = 0; i < index->topologies.len; i++)
		topology_free(index, index->topologies.ptr[i]);
	vec_done(&index->topologies);
	map_free(index->terms);
	mem_free(index);
}

/* --- topologies ------------------------------------------------------------------------------ */

static uint32_t domain_of_value(struct affinity_index *index, struct topology *topology,
				uint32_t value)
{
	struct str text = symbols_text(index->cluster->symbols, value);
	void *found = map_get(topology->by_value, text);

	if (found)
		return (uint32_t)(uintptr_t)found - 1;
	vec_push(&topology->values, symbols_ref(index->cluster->symbols, value));
	vec_push(&topology->nodes, 0);
	map_put(topology->by_value, text, (void *)(uintptr_t)topology->values.len);
	return (uint32_t)topology->values.len - 1;
}

static void topology_set_node(struct affinity_index *index, struct topology *topology,
			      const struct node_info *node, bool there)
{
	uint32_t domain = AFFINITY_NONE;
	uint32_t value = there ? label_set_get(node->labels, topology->key) : SYMBOL_NONE;

	while (topology->domain_of.len <= node->slot)
		vec_push(&topology->domain_of, AFFINITY_NONE);
	if (value)
		domain = domain_of_value(index, topology, value);
	if (topology->domain_of.ptr[node->slot] != AFFINITY_NONE)
		topology->nodes.ptr[topology->domain_of.ptr[node->slot]]--;
	topology->domain_of.ptr[node->slot] = domain;
	if (domain != AFFINITY_NONE)
		topology->nodes.ptr[domain]++;
}

static struct topology *take_topology(struct affinity_index *index, struct str key)
{
	struct cluster *cluster = index->cluster;
	uint32_t symbol = symbols_take(cluster->symbols, key);
	struct topology *topology;

	for (size_t i = 0; i < index->topologies.len; i++)
		if (index->topologies.ptr[i]->key == symbol) {
			symbols_drop(cluster->symbols, symbol);
			return index->topologies.ptr[i];
		}
	topology = mem_new(struct topology);
	topology->key = symbol;
	topology->by_value = map_new(0);
	vec_push(&index->topologies, topology);
	for (size_t i = 0; i < cluster->nodes.len; i++)
		if (cluster->nodes.ptr[i] && cluster->nodes.ptr[i]->there)
			topology_set_node(index, topology, cluster->nodes.ptr[i], true);
	return topology;
}

void affinity_set_node(struct affinity_index *index, struct node_info *node, bool there)
{
	for (size_t i = 0; i < index->topologies.len; i++)
		topology_set_node(index, index->topologies.ptr[i], node, there);
}

/* --- counting -------------------------------------------------------------------------------- */

static void term_count(struct pod_term *term, uint32_t slot, int matching, int carrying)
{
	uint32_t domain = topology_domain(term->topology, slot);

	if (domain == AFFINITY_NONE)
		return;
	if (domain >= term->size) {
		size_t size = term->topology->values.len;

		term->matching = mem_realloc(term->matching, size, sizeof(*term->matching));
		term->carrying = mem_realloc(term->carrying, size, sizeof(*term->carrying));
		for (; term->size < size; term->size++)
			term->matching[term->size] = term->carrying[term->size] = 0;
	}
	term->matching[domain] += matching;
	term->carrying[domain] += carrying;
	term->matching_total += matching;
	term->carrying_total += carrying;
}

/* Pods that are leaving are still near others, but do not count for spreading. */
static bool is_counted(const struct pod_term *term, const struct task *task)
{
	return term->use != TERM_SPREAD || task->status != TASK_RELEASING;
}

void affinity_count(struct affinity_index *index, const struct task *task, int by)
{
	const struct terms *terms = task->class->terms;
	uint32_t slot = task->node->slot;

	(void)index;
	for (size_t i = 0; i < terms->matched.len; i++)
		if (is_counted(terms->matched.ptr[i], task))
			term_count(terms->matched.ptr[i], slot, by, 0);
	for (size_t i = 0; i < terms->affinity.len; i++)
		term_count(terms->affinity.ptr[i], slot, 0, by);
	for (size_t i = 0; i < terms->anti.len; i++)
		term_count(terms->anti.ptr[i], slot, 0, by);
	for (size_t i = 0; i < terms->soft.len; i++)
		term_count(terms->soft.ptr[i].term, slot, 0, by);
}

/* --- matching -------------------------------------------------------------------------------- */

static bool namespace_matches(const struct affinity_index *index, const struct pod_term *term,
			      uint32_t namespace)
{
	const struct cluster *cluster = index->cluster;
	const struct thing *thing;

	if (term->all_namespaces)
		return true;
	for (size_t i = 0; i < term->namespaces.len; i++)
		if (term->namespaces.ptr[i] == namespace)
			return true;
	if (!term->by_namespace)
		return false;
	thing = cluster_find_thing(cluster, CLUSTER_NAMESPACE, str_none(),
				   symbols_text(cluster->symbols, namespace));
	return thing && selector_matches(&term->namespace_selector,
					 &((const struct namespace *)thing->view)->meta.labels);
}

bool affinity_matches(const struct affinity_index *index, const struct pod_term *term,
		      const struct terms *terms)
{
	struct label space[LABELS_MAX];
	struct labels labels = label_set_view(terms->labels, index->cluster->symbols, space);

	for (size_t i = 0; i < term->parts.len; i++)
		if (!selector_matches(&term->parts.ptr[i]->selector, &labels) ||
		    !namespace_matches(index, term->parts.ptr[i], terms->namespace))
			return false;
	return selector_matches(&term->selector, &labels) &&
	       namespace_matches(index, term, terms->namespace);
}

static bool counts(const struct task *task)
{
	return task->node && (task->status != TASK_RELEASING || task->leaving);
}

/* A new term: find the terms of pods that it matches, and count their tasks. */
static void match_all(struct affinity_index *index, struct pod_term *term)
{
	struct cluster *cluster = index->cluster;
	AUTO(mem_free) uint8_t *hit = mem_zalloc(cluster->terms_by_id.len + 1);
	size_t at = 0, hits = 0;
	void *value;

	for (size_t i = 0; i < cluster->terms_by_id.len; i++) {
		struct terms *terms = cluster->terms_by_id.ptr[i];

		if (terms && terms->labels && affinity_matches(index, term, terms)) {
			vec_push(&terms->matched, term);
			hit[i] = 1;
			hits++;
		}
	}
	while (hits && map_next(cluster->tasks, &at, NULL, &value)) {
		const struct task *task = value;

		if (hit[task->class->terms->id] && counts(task) && is_counted(term, task))
			term_count(term, task->node->slot, 1, 0);
	}
}

void affinity_match_terms(struct affinity_index *index, struct terms *terms)
{
	size_t at = 0;
	void *value;

	while (map_next(index->terms, &at, NULL, &value))
		if (affinity_matches(index, value, terms))
			vec_push(&terms->matched, (struct pod_term *)value);
}

void affinity_forget_terms(struct affinity_index *index, struct terms *terms)
{
	for (size_t i = 0; i < terms->affinity.len; i++)
		affinity_drop(index, terms->affinity.ptr[i]);
	for (size_t i = 0; i < terms->anti.len; i++)
		affinity_drop(index, terms->anti.ptr[i]);
	for (size_t i = 0; i < terms->soft.len; i++)
		affinity_drop(index, terms->soft.ptr[i].term);
	for (size_t i = 0; i < terms->spread.len; i++)
		affinity_drop(index, terms->spread.ptr[i].term);
	vec_done(&terms->affinity);
	vec_done(&terms->anti);
	vec_done(&terms->soft);
	vec_done(&terms->spread);
	vec_done(&terms->matched);
}

void affinity_rematch(struct affinity_index *index)
{
	struct cluster *cluster = index->cluster;
	size_t at = 0;
	void *value;

	while (map_next(cluster->tasks, &at, NULL, &value))
		if (counts(value))
			affinity_count(index, value, -1);
	for (size_t i = 0; i < cluster->terms_by_id.len; i++)
		if (cluster->terms_by_id.ptr[i]) {
			vec_clear(&cluster->terms_by_id.ptr[i]->matched);
			affinity_match_terms(index, cluster->terms_by_id.ptr[i]);
		}
	at = 0;
	while (map_next(cluster->tasks, &at, NULL, &value))
		if (counts(value))
			affinity_count(index, value, 1);
}

/* --- terms ----------------------------------------------------------------------------------- */

static void term_free(struct affinity_index *index, struct pod_term *term)
{
	for (size_t i = 0; i < term->namespaces.len; i++)
		symbols_drop(index->cluster->symbols, term->namespaces.ptr[i]);
	vec_done(&term->namespaces);
	vec_done(&term->parts);
	mem_free(term->matching);
	mem_free(term->carrying);
	mem_free((char *)term->key.ptr);
	arena_free(term->arena);
	mem_free(term);
}

/* Each key whose value must be that of the pod itself becomes a requirement. */
static void add_own_values(const struct affinity_index *index, struct pod_term *term,
			   const struct terms *owner, const struct strs *keys, enum selector_op op)
{
	const struct symbols *symbols = index->cluster->symbols;

	for (size_t i = 0; i < keys->len; i++) {
		uint32_t key = symbols_find(symbols, keys->ptr[i]);
		uint32_t value = key ? label_set_get(owner->labels, key) : SYMBOL_NONE;
		struct requirement *more;

		if (!value)
			continue;
		more = arena_calloc(term->arena, term->selector.len + 1, sizeof(*more));
		if (term->selector.len)
			memcpy(more, term->selector.ptr, term->selector.len * sizeof(*more));
		more[term->selector.len] = (struct requirement){
			.key = keys->ptr[i],
			.op = op,
			.values = {arena_alloc(term->arena, sizeof(struct str)), 1},
		};
		more[term->selector.len].values.ptr[0] =
			arena_str(term->arena, symbols_text(symbols, value));
		term->selector.ptr = more;
		term->selector.len++;
	}
}

static void set_key(const struct affinity_index *index, struct pod_term *term,
		    struct str topology_key)
{
	struct buf key = BUF_INIT(SIZE_MAX);

	buf_printf(&key, "%d %d %d ", (int)term->use, term->weight, term->all_namespaces);
	buf_put_str(&key, topology_key);
	buf_putc(&key, ' ');
	for (size_t i = 0; i < term->namespaces.len; i++) {
		buf_put_str(&key, symbols_text(index->cluster->symbols, term->namespaces.ptr[i]));
		buf_putc(&key, ',');
	}
	if (term->by_namespace) {
		buf_putc(&key, '|');
		selector_print(&term->namespace_selector, &key);
	}
	buf_puts(&key, term->selector.nothing ? " -" : " ");
	selector_print(&term->selector, &key);
	term->key.len = key.len;
	term->key.ptr = buf_take(&key);
}

/* A term may outlive the pods that it was read from: make it of a text of its own. */
static void own(struct pod_term *term, struct selector *selector)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	if (selector->nothing || !selector->len)
		return;
	selector_print(selector, &text);
	if (selector_parse(arena_str(term->arena, buf_str(&text)), term->arena, selector, NULL) < 0)
		*selector = (struct selector){.nothing = true};
}

/* Give the term that is there already, or add this one. */
static struct pod_term *settle_term(struct affinity_index *index, struct pod_term *term,
				    struct str topology_key)
{
	struct pod_term *known;

	set_key(index, term, topology_key);
	known = map_get(index->terms, term->key);
	if (known) {
		term_free(index, term);
		known->refs++;
		return known;
	}
	own(term, &term->selector);
	own(term, &term->namespace_selector);
	term->topology = take_topology(index, topology_key);
	term->refs = 1;
	map_put(index->terms, term->key, term);
	match_all(index, term);
	return term;
}

static struct pod_term *term_new(const struct label_selector *selector, enum term_use use)
{
	struct pod_term *term = mem_new(struct pod_term);

	term->use = use;
	term->arena = arena_new(0);
	if (selector_from_object(selector, term->arena, &term->selector, NULL) < 0)
		term->selector = (struct selector){.nothing = true};
	return term;
}

struct pod_term *affinity_take(struct affinity_index *index, const struct terms *owner,
			       const struct pod_affinity_term *rule, enum term_use use,
			       int32_t weight)
{
	struct pod_term *term = term_new(rule->label_selector, use);
	struct symbols *symbols = index->cluster->symbols;
	const struct label_selector *spaces = rule->namespace_selector;

	term->weight = weight;
	term->all_namespaces =
		spaces && !spaces->match_labels.len && !spaces->match_expressions.len;
	term->by_namespace =
		spaces && !term->all_namespaces &&
		selector_from_object(spaces, term->arena, &term->namespace_selector, NULL) == 0;
	for (size_t i = 0; i < rule->namespaces.len; i++)
		vec_push(&term->namespaces, symbols_take(symbols, rule->namespaces.ptr[i]));
	if (!rule->namespaces.len && !spaces)
		vec_push(&term->namespaces, symbols_ref(symbols, owner->namespace));
	add_own_values(index, term, owner, &rule->match_label_keys, SELECTOR_IN);
	add_own_values(index, term, owner, &rule->mismatch_label_keys, SELECTOR_NOT_IN);
	return settle_term(index, term, rule->topology_key);
}

struct pod_term *affinity_take_spread(struct affinity_index *index, const struct terms *owner,
				      const struct topology_spread *rule)
{
	struct pod_term *term = term_new(rule->label_selector, TERM_SPREAD);

	vec_push(&term->namespaces, symbols_ref(index->cluster->symbols, owner->namespace));
	add_own_values(index, term, owner, &rule->match_label_keys, SELECTOR_IN);
	return settle_term(index, term, rule->topology_key);
}

static struct pod_term *join(struct affinity_index *index, struct pod_term *const *parts,
			     size_t count, size_t at)
{
	struct pod_term *term = mem_new(struct pod_term), *known;
	struct buf key = BUF_INIT(SIZE_MAX);

	term->use = parts[at]->use;
	term->arena = arena_new(0);
	term->all_namespaces = true;
	term->topology = parts[at]->topology;
	buf_printf(&key, "%zu of ", at);
	for (size_t i = 0; i < count; i++) {
		buf_put_str(&key, parts[i]->key);
		buf_putc(&key, '&');
	}
	term->key.len = key.len;
	term->key.ptr = buf_take(&key);
	known = map_get(index->terms, term->key);
	if (known) {
		term_free(index, term);
		known->refs++;
		return known;
	}
	for (size_t i = 0; i < count; i++) {
		parts[i]->refs++;
		vec_push(&term->parts, parts[i]);
	}
	term->refs = 1;
	map_put(index->terms, term->key, term);
	match_all(index, term);
	return term;
}

void affinity_join(struct affinity_index *index, struct pod_term **terms, size_t count)
{
	AUTO(mem_free) struct pod_term **joint = mem_calloc(count + 1, sizeof(struct pod_term *));

	for (size_t i = 0; i < count; i++)
		joint[i] = join(index, terms, count, i);
	for (size_t i = 0; i < count; i++) {
		affinity_drop(index, terms[i]);
		terms[i] = joint[i];
	}
}

static void drop_one(struct affinity_index *index, struct pod_term *term)
{
	struct cluster *cluster = index->cluster;

	if (--term->refs)
		return;
	map_remove(index->terms, term->key);
	for (size_t i = 0; i < cluster->terms_by_id.len; i++) {
		struct terms *terms = cluster->terms_by_id.ptr[i];

		for (size_t j = 0; terms && j < terms->matched.len; j++)
			if (terms->matched.ptr[j] == term) {
				vec_remove_swap(&terms->matched, j);
				break;
			}
	}
	term_free(index, term);
}

void affinity_drop(struct affinity_index *index, struct pod_term *term)
{
	if (term->refs == 1)
		for (size_t i = 0; i < term->parts.len; i++)
			drop_one(index, term->parts.ptr[i]);
	drop_one(index, term);
}

/* --- check ----------------------------------------------------------------------------------- */

static int64_t count_again(const struct affinity_index *index, const struct pod_term *term)
{
	int64_t total = 0;
	size_t at = 0;
	void *value;

	while (map_next(index->cluster->tasks, &at, NULL, &value)) {
		const struct task *task = value;

		if (counts(task) && is_counted(term, task) &&
		    topology_domain(term->topology, task->node->slot) != AFFINITY_NONE &&
		    affinity_matches(index, term, task->class->terms))
			total++;
	}
	return total;
}

char *affinity_check(const struct affinity_index *index)
{
	size_t at = 0;
	void *value;

	while (map_next(index->terms, &at, NULL, &value)) {
		const struct pod_term *term = value;
		int64_t sum = 0, again = count_again(index, term);

		for (size_t i = 0; i < term->size; i++)
			sum += term->matching[i];
		if (sum != term->matching_total || sum != again)
			return mem_printf("term \"%.*s\" counts %lld pods, %lld in domains, %lld "
					  "are there",
					  STR_ARG(term->key), (long long)term->matching_total,
					  (long long)sum, (long long)again);
	}
	return NULL;
}
