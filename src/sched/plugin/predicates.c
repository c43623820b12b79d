/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/predicates.c - the filters of Kubernetes (scheduler specification, 6.18): which nodes
 * a task may run on, resources aside.
 *
 * Each filter is a row with the widest thing that it depends on. Those about other pods read the
 * counters of sched/affinity.h. */
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "model/affinity.h"
#include "model/taints.h"
#include "sched/affinity.h"
#include "sched/plugin_rows.h"
#include "sched/session.h"

#include "base/banned.h"

enum { BIND_SECONDS = 600 };

/* What one spread constraint looks at. Which nodes and domains count does not change in a session, since
 * nodes do not; how many pods they have does with each placement. */
struct spread_state {
	VEC(uint32_t) domains; /* that have a node which counts */
	int32_t fewest;        /* pods of any of them; 0 where there are too few domains */
	uint8_t *barred;       /* by slot: does not count; NULL: all do */
	int32_t *apart;        /* by domain: pods on nodes that do not count; likewise */
};

struct predicates {
	bool node_affinity;
	bool ports;
	bool taints;
	bool pod_affinity;
	bool spread;
	struct volume_filters volumes;
	int64_t bind_seconds; /* to wait for claims */
	/* The terms that were asked about last in this session, and their spread constraints. */
	const struct terms *spread_terms;
	uint64_t spread_changes; /* `fewest` are as of that change */
	VEC(struct spread_state) spreads;
};

static int predicates_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	/* Of upstream's cache, which we do not need, and of what has no effect there. */
	static const char *const needless[] = {"predicate.CacheEnable",
					       "predicate.DynamicResourceAllocationEnable",
					       "volumebinding.weight", "volumebinding.shape",
					       "dynamicresources.filterTimeoutSeconds"};
	struct predicates *pr = mem_new(struct predicates);

	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(needless); i++)
		(void)args_get(args, needless[i]);
	pr->node_affinity = args_bool(args, "predicate.NodeAffinityEnable", true);
	pr->ports = args_bool(args, "predicate.NodePortsEnable", true);
	pr->taints = args_bool(args, "predicate.TaintTolerationEnable", true);
	pr->pod_affinity = args_bool(args, "predicate.PodAffinityEnable", true);
	pr->spread = args_bool(args, "predicate.PodTopologySpreadEnable", true);
	pr->volumes.limits = args_bool(args, "predicate.NodeVolumeLimitsEnable", true);
	pr->volumes.zones = args_bool(args, "predicate.VolumeZoneEnable", true);
	pr->volumes.binding = args_bool(args, "predicate.VolumeBindingEnable", true);
	pr->bind_seconds = args_int(args, "volumebinding.bindTimeoutSeconds", BIND_SECONDS);
	p->state = pr;
	return 0;
}

static void clear_spreads(struct predicates *pr)
{
	for (size_t i = 0; i < pr->spreads.len; i++) {
		vec_done(&pr->spreads.ptr[i].domains);
		mem_free(pr->spreads.ptr[i].barred);
		mem_free(pr->spreads.ptr[i].apart);
	}
	vec_clear(&pr->spreads);
	pr->spread_terms = NULL;
}

static void predicates_free(struct plugin *p)
{
	struct predicates *pr = p->state;

	if (pr) {
		clear_spreads(pr);
		vec_done(&pr->spreads);
	}
	mem_free(pr);
}

static void predicates_open(struct plugin *p)
{
	clear_spreads(p->state);
	volumes_tidy(p->ssn->cluster);
	volumes_set_patience(p->ssn->cluster,
			     ((const struct predicates *)p->state)->bind_seconds * TIME_SECOND);
}

/* --- the node -------------------------------------------------------------------------------- */

static verdict test_pod_count(const struct plugin *p, const struct task *task,
			      const struct node_info *node)
{
	(void)task;
	return (int64_t)node->task_count >= columns_get(&p->ssn->cluster->columns, ROOM_ALLOCATABLE,
							DIM_PODS, node->slot)
		       ? VERDICT(FIT_POD_COUNT)
		       : 0;
}

/* Every task takes one of the slots, so that idle ones tell. */
static void test_all_pod_counts(const struct plugin *p, const struct task *task, uint32_t count,
				verdict *verdicts)
{
	const int64_t *idle = p->ssn->cluster->columns.at[ROOM_IDLE][DIM_PODS];

	(void)task;
	for (uint32_t i = 0; i < count; i++)
		verdicts[i] |= idle[i] <= 0 ? VERDICT(FIT_POD_COUNT) : 0;
}

static verdict test_unschedulable(const struct plugin *p, const struct task *task,
				  const struct node_info *node)
{
	struct taint taint = {.key = STR("node.kubernetes.io/unschedulable"),
			      .effect = TAINT_NO_SCHEDULE};
	const struct taints taints = {&taint, 1};

	(void)p;
	if (!node->profile->unschedulable ||
	    !taints_first_untolerated(&taints, &task->class->terms->spec->tolerations,
				      TAINTS_THAT_FORBID))
		return 0;
	return VERDICT(FIT_UNSCHEDULABLE);
}

static bool selects_nodes(const struct plugin *p, const struct task *task)
{
	return ((const struct predicates *)p->state)->node_affinity &&
	       task->class->terms->selects_nodes;
}

static bool may_run_on(const struct cluster *cluster, const struct terms *terms,
		       const struct node_info *node)
{
	struct label room[LABELS_MAX];
	struct labels labels = label_set_view(node->labels, cluster->atoms, room);
	const struct affinity *affinity = terms->spec->affinity;

	return node_affinity_allows(&terms->spec->node_selector, affinity ? affinity->node : NULL,
				    node->text, &labels);
}

static verdict test_node_affinity(const struct plugin *p, const struct task *task,
				  const struct node_info *node)
{
	return may_run_on(p->ssn->cluster, task->class->terms, node) ? 0
								     : VERDICT(FIT_NODE_AFFINITY);
}

static bool looks_at_taints(const struct plugin *p, const struct task *task)
{
	(void)task;
	return ((const struct predicates *)p->state)->taints;
}

static verdict test_taints(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	(void)p;
	return taints_first_untolerated(&node->profile->taints,
					&task->class->terms->spec->tolerations, TAINTS_THAT_FORBID)
		       ? VERDICT(FIT_TAINT)
		       : 0;
}

/* --- ports ----------------------------------------------------------------------------------- */

static bool has_ports(const struct plugin *p, const struct task *task)
{
	return ((const struct predicates *)p->state)->ports && task->class->terms->port_count;
}

static bool ports_clash(const struct terms *a, const struct terms *b)
{
	for (size_t i = 0; i < a->port_count; i++)
		for (size_t j = 0; j < b->port_count; j++) {
			const struct host_port *x = &a->ports[i], *y = &b->ports[j];

			if (x->port == y->port && x->protocol == y->protocol &&
			    (x->ip == y->ip || !x->ip || !y->ip))
				return true;
		}
	return false;
}

static verdict test_ports(const struct plugin *p, const struct task *task,
			  const struct node_info *node)
{
	(void)p;
	if (!node->port_tasks)
		return 0;
	LIST_EACH(&node->tasks, struct task, node_link, other)
	if ((other->status != TASK_RELEASING || other->leaving) &&
	    ports_clash(task->class->terms, other->class->terms))
		return VERDICT(FIT_PORTS);
	return 0;
}

/* --- other pods ------------------------------------------------------------------------------ */

static bool others_refuse(const struct terms *terms)
{
	for (size_t i = 0; i < terms->matched.len; i++)
		if (terms->matched.ptr[i]->use == TERM_ANTI &&
		    terms->matched.ptr[i]->carrying_total)
			return true;
	return false;
}

static bool has_pod_affinity(const struct plugin *p, const struct task *task)
{
	const struct terms *terms = task->class->terms;

	return ((const struct predicates *)p->state)->pod_affinity &&
	       (terms->affinity.len || terms->anti.len || others_refuse(terms));
}

/* The first pod of a kind that wants to be near its own kind may go anywhere. */
static bool is_first(const struct cluster *cluster, const struct terms *terms)
{
	for (size_t i = 0; i < terms->affinity.len; i++)
		if (terms->affinity.ptr[i]->matching_total ||
		    !affinity_matches(cluster->affinity, terms->affinity.ptr[i], terms))
			return false;
	return true;
}

static bool affinity_holds(const struct cluster *cluster, const struct terms *terms, uint32_t slot)
{
	bool near_all = true;

	for (size_t i = 0; i < terms->affinity.len; i++) {
		const struct pod_term *term = terms->affinity.ptr[i];
		uint32_t domain = topology_domain(term->topology, slot);

		if (domain == AFFINITY_NONE)
			return false;
		near_all &= pod_term_matching(term, domain) > 0;
	}
	return near_all || is_first(cluster, terms);
}

static verdict test_pod_affinity(const struct plugin *p, const struct task *task,
				 const struct node_info *node)
{
	const struct terms *terms = task->class->terms;

	if (!affinity_holds(p->ssn->cluster, terms, node->slot))
		return VERDICT(FIT_POD_AFFINITY);
	for (size_t i = 0; i < terms->anti.len; i++)
		if (pod_term_matching(terms->anti.ptr[i],
				      topology_domain(terms->anti.ptr[i]->topology, node->slot)))
			return VERDICT(FIT_POD_ANTI_AFFINITY);
	for (size_t i = 0; i < terms->matched.len; i++) {
		const struct pod_term *term = terms->matched.ptr[i];

		if (term->use == TERM_ANTI &&
		    pod_term_carrying(term, topology_domain(term->topology, node->slot)))
			return VERDICT(FIT_EXISTING_ANTI_AFFINITY);
	}
	return 0;
}

/* Slots whose domain has any of these pods, where nothing else is known of them. */
static void bar_domains(const struct topology *topology, const int32_t *pods, size_t size,
			uint32_t count, verdict why, verdict *verdicts)
{
	const uint32_t *domain_of = topology->domain_of.ptr;
	size_t len = count < topology->domain_of.len ? count : topology->domain_of.len;

	for (size_t slot = 0; slot < len; slot++)
		if (domain_of[slot] < size && pods[domain_of[slot]] && !verdicts[slot])
			verdicts[slot] = why;
}

static void test_all_pod_affinity(const struct plugin *p, const struct task *task, uint32_t count,
				  verdict *verdicts)
{
	const struct terms *terms = task->class->terms;

	for (uint32_t slot = 0; terms->affinity.len && slot < count; slot++)
		if (!affinity_holds(p->ssn->cluster, terms, slot))
			verdicts[slot] = VERDICT(FIT_POD_AFFINITY);
	for (size_t i = 0; i < terms->anti.len; i++) {
		const struct pod_term *term = terms->anti.ptr[i];

		if (term->matching_total)
			bar_domains(term->topology, term->matching, term->size, count,
				    VERDICT(FIT_POD_ANTI_AFFINITY), verdicts);
	}
	for (size_t i = 0; i < terms->matched.len; i++) {
		const struct pod_term *term = terms->matched.ptr[i];

		if (term->use == TERM_ANTI && term->carrying_total)
			bar_domains(term->topology, term->carrying, term->size, count,
				    VERDICT(FIT_EXISTING_ANTI_AFFINITY), verdicts);
	}
}

/* --- spreading ------------------------------------------------------------------------------- */

static bool is_hard(const struct spread_term *spread)
{
	return spread->rule->when_unsatisfiable != UNSATISFIABLE_SCHEDULE_ANYWAY;
}

static bool has_spread(const struct plugin *p, const struct task *task)
{
	const struct terms *terms = task->class->terms;

	if (!((const struct predicates *)p->state)->spread)
		return false;
	for (size_t i = 0; i < terms->spread.len; i++)
		if (is_hard(&terms->spread.ptr[i]))
			return true;
	return false;
}

/* Does a node count for a constraint? */
static bool is_eligible(const struct cluster *cluster, const struct terms *terms,
			const struct topology_spread *rule, const struct node_info *node)
{
	if (rule->node_affinity_policy != INCLUSION_IGNORE && terms->selects_nodes &&
	    !may_run_on(cluster, terms, node))
		return false;
	return rule->node_taints_policy != INCLUSION_HONOR ||
	       !taints_first_untolerated(&node->profile->taints, &terms->spec->tolerations,
					 TAINTS_THAT_FORBID);
}

/* The domains that have a node which counts, and the nodes that do not. */
static void find_domains(const struct cluster *cluster, const struct terms *terms,
			 const struct spread_term *spread, struct spread_state *state)
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
		if (!is_eligible(cluster, terms, spread->rule, node)) {
			if (!state->barred)
				state->barred = mem_zalloc(cluster->nodes.len);
			state->barred[i] = 1;
		} else if (!seen[domain]) {
			seen[domain] = 1;
			vec_push(&state->domains, domain);
		}
	}
	if (state->barred)
		state->apart = mem_calloc(topology->values.len + 1, sizeof(*state->apart));
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
			struct spread_state *state)
{
	memset(state->apart, 0, (term->topology->values.len + 1) * sizeof(*state->apart));
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		const struct node_info *node = cluster->nodes.ptr[i];

		if (!state->barred[i])
			continue;
		LIST_EACH(&node->tasks, struct task, node_link, task)
		if ((task->status != TASK_RELEASING || task->leaving) &&
		    is_matched(task->class->terms, term))
			state->apart[topology_domain(term->topology, node->slot)]++;
	}
}

/* Has something changed on a node that does not count? */
static bool is_apart_stale(const struct cluster *cluster, const struct spread_state *state,
			   uint64_t since)
{
	if (cluster->changes - since > CHANGE_RING)
		return true;
	for (uint64_t i = since; i < cluster->changes; i++)
		if (state->barred[cluster->change_ring[i % CHANGE_RING]])
			return true;
	return false;
}

static int32_t pods_in(const struct spread_term *spread, const struct spread_state *state,
		       uint32_t domain)
{
	return pod_term_matching(spread->term, domain) - (state->apart ? state->apart[domain] : 0);
}

static int32_t fewest_of(const struct spread_term *spread, const struct spread_state *state)
{
	size_t needed = spread->rule->min_domains.set ? (size_t)spread->rule->min_domains.value : 1;
	int32_t fewest = INT32_MAX;

	if (state->domains.len < needed || !state->domains.len)
		return 0;
	for (size_t i = 0; i < state->domains.len; i++) {
		int32_t count = pods_in(spread, state, state->domains.ptr[i]);

		fewest = count < fewest ? count : fewest;
	}
	return fewest;
}

static void find_fewest(struct predicates *pr, const struct cluster *cluster,
			const struct terms *terms)
{
	bool fresh = pr->spread_terms != terms;

	if (!fresh && pr->spread_changes == cluster->changes)
		return;
	if (fresh) {
		clear_spreads(pr);
		for (size_t i = 0; i < terms->spread.len; i++)
			find_domains(cluster, terms, &terms->spread.ptr[i], vec_add(&pr->spreads));
	}
	for (size_t i = 0; i < terms->spread.len; i++) {
		struct spread_state *state = &pr->spreads.ptr[i];

		if (state->barred && (fresh || is_apart_stale(cluster, state, pr->spread_changes)))
			count_apart(cluster, terms->spread.ptr[i].term, state);
		state->fewest = fewest_of(&terms->spread.ptr[i], state);
	}
	pr->spread_terms = terms;
	pr->spread_changes = cluster->changes;
}

static verdict spread_verdict(const struct spread_term *spread, const struct spread_state *state,
			      uint32_t slot)
{
	uint32_t domain = topology_domain(spread->term->topology, slot);

	if (domain == AFFINITY_NONE)
		return VERDICT(FIT_SPREAD_LABEL);
	return pods_in(spread, state, domain) + spread->self - state->fewest >
			       spread->rule->max_skew
		       ? VERDICT(FIT_SPREAD)
		       : 0;
}

static verdict test_spread(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	const struct terms *terms = task->class->terms;
	struct predicates *pr = p->state;
	verdict v = 0;

	find_fewest(pr, p->ssn->cluster, terms);
	for (size_t i = 0; i < terms->spread.len && !v; i++)
		if (is_hard(&terms->spread.ptr[i]))
			v = spread_verdict(&terms->spread.ptr[i], &pr->spreads.ptr[i], node->slot);
	return v;
}

static void test_all_spread(const struct plugin *p, const struct task *task, uint32_t count,
			    verdict *verdicts)
{
	const struct terms *terms = task->class->terms;
	struct predicates *pr = p->state;

	find_fewest(pr, p->ssn->cluster, terms);
	for (size_t i = 0; i < terms->spread.len; i++) {
		const struct spread_term *spread = &terms->spread.ptr[i];

		if (!is_hard(spread))
			continue;
		for (uint32_t slot = 0; slot < count; slot++)
			if (!verdicts[slot])
				verdicts[slot] = spread_verdict(spread, &pr->spreads.ptr[i], slot);
	}
}

/* --- volumes --------------------------------------------------------------------------------- */

static const char *claims_wrong(const struct plugin *p, const struct task *task)
{
	if (!task->class->terms->has_claims)
		return NULL;
	return volumes_wrong(p->ssn->cluster, task, &((const struct predicates *)p->state)->volumes,
			     p->ssn->arena);
}

static bool has_claims(const struct plugin *p, const struct task *task)
{
	return task->class->terms->has_claims && volumes_matter(p->ssn->cluster, task);
}

static verdict test_volumes(const struct plugin *p, const struct task *task,
			    const struct node_info *node)
{
	return volumes_test(p->ssn, task, node, &((const struct predicates *)p->state)->volumes);
}

static int placed(const struct plugin *p, struct task *task)
{
	if (task->class->terms->has_claims &&
	    ((const struct predicates *)p->state)->volumes.binding)
		volumes_promise(p->ssn->cluster, task);
	return 0;
}

static void unplaced(const struct plugin *p, struct task *task)
{
	if (task->class->terms->has_claims)
		volumes_release(p->ssn->cluster, task);
}

static const struct filter_row predicates_filters[] = {
	{"NodePodNumber", SCOPE_NODE, NULL, test_pod_count, test_all_pod_counts, NULL},
	{"NodeUnschedulable", SCOPE_PROFILE, NULL, test_unschedulable, NULL, NULL},
	{"NodeAffinity", SCOPE_PROFILE, selects_nodes, test_node_affinity, NULL, NULL},
	{"TaintToleration", SCOPE_PROFILE, looks_at_taints, test_taints, NULL, NULL},
	{"NodePorts", SCOPE_NODE, has_ports, test_ports, NULL, NULL},
	{"InterPodAffinity", SCOPE_CLUSTER, has_pod_affinity, test_pod_affinity,
	 test_all_pod_affinity, NULL},
	{"PodTopologySpread", SCOPE_CLUSTER, has_spread, test_spread, test_all_spread, NULL},
	{"Volumes", SCOPE_CLUSTER, has_claims, test_volumes, NULL, NULL},
	{NULL, SCOPE_NODE, NULL, NULL, NULL, NULL},
};

const struct plugin_type predicates_plugin = {
	.name = "predicates",
	.alike = true,
	.new = predicates_new,
	.free = predicates_free,
	.open = predicates_open,
	.pre_filter = claims_wrong,
	.filters = predicates_filters,
	.placed = placed,
	.unplaced = unplaced,
};
