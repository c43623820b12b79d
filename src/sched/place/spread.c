/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/spread.c - see the header. Pods on nodes that do not count are few, as a rule none: they are counted again
 * only where one of these nodes has changed. */
#include "sched/place/spread.h"

#include "base/mem.h"
#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "sched/cluster/cluster.h"
#include "sched/cluster/node_info.h"
#include "sched/cluster/task.h"

#include "base/banned.h"

void spread_counts_clear(struct spread_counts *counts)
{
	for (size_t i = 0; i < counts->at.len; i++) {
		vec_done(&counts->at.ptr[i].domains);
		mem_free(counts->at.ptr[i].barred);
		mem_free(counts->at.ptr[i].apart);
	}
	vec_clear(&counts->at);
	counts->terms = NULL;
}

void spread_counts_done(struct spread_counts *counts)
{
	spread_counts_clear(counts);
	vec_done(&counts->at);
}

bool spread_is_hard(const struct spread_term *spread)
{
	return spread->rule->when_unsatisfiable != UNSATISFIABLE_SCHEDULE_ANYWAY;
}

bool terms_allow_node(const struct terms *terms, const struct cluster *cluster,
		      const struct node_info *node)
{
	struct label space[LABELS_MAX];
	struct labels labels = label_set_view(node->labels, cluster->symbols, space);
	const struct affinity *affinity = terms->spec->affinity;

	return node_affinity_allows(&terms->spec->node_selector, affinity ? affinity->node : NULL,
				    node->text, &labels);
}

/* Does a node count for a constraint? */
static bool is_eligible(const struct cluster *cluster, const struct terms *terms,
			const struct spread_term *spread, const struct node_info *node)
{
	const struct topology_spread *rule = spread->rule;

	for (size_t i = 0; i < terms->spread.len; i++) {
		const struct spread_term *other = &terms->spread.ptr[i];

		if (spread_is_hard(other) == spread_is_hard(spread) &&
		    topology_domain(other->term->topology, node->slot) == AFFINITY_NONE)
			return false;
	}
	if (rule->node_affinity_policy != INCLUSION_IGNORE && terms->selects_nodes &&
	    !terms_allow_node(terms, cluster, node))
		return false;
	return rule->node_taints_policy != INCLUSION_HONOR ||
	       !taints_first_untolerated(&node->profile->taints, &terms->spec->tolerations,
					 TAINTS_THAT_FORBID);
}

/* The domains that have a node which counts, and the nodes that do not. */
static void find_domains(const struct cluster *cluster, const struct terms *terms,
			 const struct spread_term *spread, struct spread_count *count)
{
	const struct topology *topology = spread->term->topology;
	AUTO(mem_free) uint8_t *seen = mem_zalloc(topology->values.len + 1);

	for (size_t i = 0; i < cluster->nodes.len; i++) {
		const struct node_info *node = cluster->nodes.ptr[i];
		uint32_t domain;

		if (!node || !node->there)
			continue;
		domain = topology_domain(topology, node->slot);
		if (domain == AFFINITY_NONE)
			continue;
		if (!is_eligible(cluster, terms, spread, node)) {
			if (!count->barred)
				count->barred = mem_zalloc(cluster->nodes.len);
			count->barred[i] = 1;
		} else if (!seen[domain]) {
			seen[domain] = 1;
			vec_push(&count->domains, domain);
		}
	}
	if (count->barred)
		count->apart = mem_calloc(topology->values.len + 1, sizeof(*count->apart));
}

static bool is_matched(const struct terms *terms, const struct pod_term *term)
{
	for (size_t i = 0; i < terms->matched.len; i++)
		if (terms->matched.ptr[i] == term)
			return true;
	return false;
}

/* Pods on nodes that do not count. */
static void count_apart(const struct cluster *cluster, const struct pod_term *term,
			struct spread_count *count)
{
	memset(count->apart, 0, (term->topology->values.len + 1) * sizeof(*count->apart));
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		const struct node_info *node = cluster->nodes.ptr[i];

		if (!count->barred[i])
			continue;
		LIST_EACH(&node->tasks, struct task, node_link, task)
			if (task->status != TASK_RELEASING && is_matched(task->class->terms, term))
				count->apart[topology_domain(term->topology, node->slot)]++;
	}
}

/* Has something changed on a node that does not count? */
static bool is_apart_stale(const struct cluster *cluster, const struct spread_count *count,
			   uint64_t since)
{
	if (cluster->changes - since > CHANGE_RING)
		return true;
	for (uint64_t i = since; i < cluster->changes; i++)
		if (count->barred[cluster->change_ring[i % CHANGE_RING]])
			return true;
	return false;
}

bool spread_counts_find(struct spread_counts *counts, const struct cluster *cluster,
			const struct terms *terms)
{
	bool fresh = counts->terms != terms;

	if (!fresh && counts->changes == cluster->changes)
		return false;
	if (fresh) {
		spread_counts_clear(counts);
		for (size_t i = 0; i < terms->spread.len; i++)
			find_domains(cluster, terms, &terms->spread.ptr[i], vec_add(&counts->at));
	}
	for (size_t i = 0; i < terms->spread.len; i++) {
		struct spread_count *count = &counts->at.ptr[i];

		if (count->barred && (fresh || is_apart_stale(cluster, count, counts->changes)))
			count_apart(cluster, terms->spread.ptr[i].term, count);
	}
	counts->terms = terms;
	counts->changes = cluster->changes;
	return true;
}
