/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/predicates.c - the filters of Kubernetes (scheduler specification, 6.18): which nodes
 * a task may run on, resources aside.
 *
 * Each filter is a row with the widest thing that it depends on. Those about other pods read the
 * counters of sched/place/affinity_index.h. */
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "sched/place/affinity_index.h"
#include "sched/place/spread.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum { BIND_SECONDS = 600 };

struct predicates {
	bool node_affinity;
	bool ports;
	bool taints;
	bool pod_affinity;
	bool spread;
	struct volume_filters volumes;
	int64_t bind_seconds; /* to wait for claims */
	struct spread_counts counts;
	VEC(int32_t)
	fewest; /* by constraint: pods of any domain; 0 where there are too few of these */
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

static void predicates_free(struct plugin *p)
{
	struct predicates *pr = p->state;

	if (pr) {
		spread_counts_done(&pr->counts);
		vec_done(&pr->fewest);
	}
	mem_free(pr);
}

static void predicates_open(struct plugin *p)
{
	spread_counts_clear(&((struct predicates *)p->state)->counts);
	volumes_tidy(p->ssn->cluster);
	volumes_set_patience(p->ssn->cluster,
			     time_span(((const struct predicates *)p->state)->bind_seconds));
}

/* --- the node -------------------------------------------------------------------------------- */

static verdict test_pod_count(const struct plugin *p, const struct task *task,
			      const struct node_info *node)
{
	(void)task;
	return (int64_t)node->task_count >= columns_get(&p->ssn->cluster->columns,
							CAPACITY_ALLOCATABLE, DIM_PODS, node->slot)
		       ? VERDICT(FIT_POD_COUNT)
		       : 0;
}

/* Every task takes one of the slots, so idle ones are enough. */
static void test_all_pod_counts(const struct plugin *p, const struct task *task, uint32_t count,
				verdict *verdicts)
{
	const int64_t *idle = p->ssn->cluster->columns.at[CAPACITY_IDLE][DIM_PODS];

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

static verdict test_node_affinity(const struct plugin *p, const struct task *task,
				  const struct node_info *node)
{
	return terms_allow_node(task->class->terms, p->ssn->cluster, node)
		       ? 0
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

static bool has_spread(const struct plugin *p, const struct task *task)
{
	const struct terms *terms = task->class->terms;

	if (!((const struct predicates *)p->state)->spread)
		return false;
	for (size_t i = 0; i < terms->spread.len; i++)
		if (spread_is_hard(&terms->spread.ptr[i]))
			return true;
	return false;
}

static int32_t fewest_of(const struct spread_term *spread, const struct spread_count *count)
{
	size_t needed = spread->rule->min_domains.set ? (size_t)spread->rule->min_domains.value : 1;
	int32_t fewest = INT32_MAX;

	if (count->domains.len < needed || !count->domains.len)
		return 0;
	for (size_t i = 0; i < count->domains.len; i++) {
		int32_t pods = spread_pods(spread, count, count->domains.ptr[i]);

		fewest = pods < fewest ? pods : fewest;
	}
	return fewest;
}

static void find_fewest(struct predicates *pr, const struct cluster *cluster,
			const struct terms *terms)
{
	if (!spread_counts_find(&pr->counts, cluster, terms))
		return;
	vec_clear(&pr->fewest);
	for (size_t i = 0; i < terms->spread.len; i++)
		vec_push(&pr->fewest, fewest_of(&terms->spread.ptr[i], &pr->counts.at.ptr[i]));
}

/* Of the constraint at `i`. */
static verdict spread_verdict(const struct predicates *pr, const struct terms *terms, size_t i,
			      uint32_t slot)
{
	const struct spread_term *spread = &terms->spread.ptr[i];
	uint32_t domain = topology_domain(spread->term->topology, slot);

	if (domain == AFFINITY_NONE)
		return VERDICT(FIT_SPREAD_LABEL);
	return spread_pods(spread, &pr->counts.at.ptr[i], domain) + spread->self -
				       pr->fewest.ptr[i] >
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
		if (spread_is_hard(&terms->spread.ptr[i]))
			v = spread_verdict(pr, terms, i, node->slot);
	return v;
}

static void test_all_spread(const struct plugin *p, const struct task *task, uint32_t count,
			    verdict *verdicts)
{
	const struct terms *terms = task->class->terms;
	struct predicates *pr = p->state;

	find_fewest(pr, p->ssn->cluster, terms);
	for (size_t i = 0; i < terms->spread.len; i++) {
		if (!spread_is_hard(&terms->spread.ptr[i]))
			continue;
		for (uint32_t slot = 0; slot < count; slot++)
			if (!verdicts[slot])
				verdicts[slot] = spread_verdict(pr, terms, i, slot);
	}
}

/* --- volumes --------------------------------------------------------------------------------- */

/* What is wrong with a task whatever the node. */
static const char *find_wrong(const struct plugin *p, const struct task *task)
{
	const struct terms *terms = task->class->terms;

	if (terms->by_name && selects_nodes(p, task) && terms->spec->affinity &&
	    node_affinity_is_contradictory(terms->spec->affinity->node))
		return "plugin NodeAffinity pre-predicates failed pod affinity terms conflict";
	if (!terms->has_claims)
		return NULL;
	return volumes_wrong(p->ssn->cluster, task, &((const struct predicates *)p->state)->volumes,
			     p->ssn->arena);
}

static bool has_claims(const struct plugin *p, const struct task *task)
{
	return task->class->terms->has_claims && volumes_matter(p->ssn->cluster, task);
}

static verdict test_limits(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	const struct volume_filters on = {
		.limits = ((const struct predicates *)p->state)->volumes.limits};

	return volumes_test(p->ssn, task, node, &on);
}

static verdict test_zones(const struct plugin *p, const struct task *task,
			  const struct node_info *node)
{
	const struct volume_filters on = {
		.zones = ((const struct predicates *)p->state)->volumes.zones};

	return volumes_test(p->ssn, task, node, &on);
}

static verdict test_binding(const struct plugin *p, const struct task *task,
			    const struct node_info *node)
{
	const struct volume_filters on = {
		.binding = ((const struct predicates *)p->state)->volumes.binding};

	return volumes_test(p->ssn, task, node, &on);
}

static int placed(const struct plugin *p, struct task *task)
{
	if (task->class->terms->has_claims &&
	    ((const struct predicates *)p->state)->volumes.binding)
		volumes_reserve(p->ssn->cluster, task);
	return 0;
}

static void unplaced(const struct plugin *p, struct task *task)
{
	if (task->class->terms->has_claims)
		volumes_release(p->ssn->cluster, task);
}

/* In Volcano's order; what can be attached is a resource there, and looked at before all else. */
static const struct filter_row predicates_filters[] = {
	{"NodeVolumeLimits", SCOPE_CLUSTER, has_claims, test_limits, NULL, NULL},
	{"NodePodNumber", SCOPE_NODE, NULL, test_pod_count, test_all_pod_counts, NULL},
	{"NodeUnschedulable", SCOPE_PROFILE, NULL, test_unschedulable, NULL, NULL},
	{"NodeAffinity", SCOPE_PROFILE, selects_nodes, test_node_affinity, NULL, NULL},
	{"TaintToleration", SCOPE_PROFILE, looks_at_taints, test_taints, NULL, NULL},
	{"NodePorts", SCOPE_NODE, has_ports, test_ports, NULL, NULL},
	{"InterPodAffinity", SCOPE_CLUSTER, has_pod_affinity, test_pod_affinity,
	 test_all_pod_affinity, NULL},
	{"VolumeZone", SCOPE_CLUSTER, has_claims, test_zones, NULL, NULL},
	{"PodTopologySpread", SCOPE_CLUSTER, has_spread, test_spread, test_all_spread, NULL},
	{"VolumeBinding", SCOPE_CLUSTER, has_claims, test_binding, NULL, NULL},
	{NULL, SCOPE_NODE, NULL, NULL, NULL, NULL},
};

const struct plugin_type predicates_plugin = {
	.name = "predicates",
	.alike = true,
	.new = predicates_new,
	.free = predicates_free,
	.open = predicates_open,
	.pre_filter = find_wrong,
	.filters = predicates_filters,
	.placed = placed,
	.unplaced = unplaced,
};
