/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/pdb.c - disruption budgets hold against evictions of ours (scheduler specification,
 * 6.11), whichever action asks.
 *
 * A budget says how many pods may go (status.disruptionsAllowed). From that are taken those that
 * this session evicts, and those whose eviction the API does not show yet: so that two preemptors in
 * one cycle, or in two that follow closely, do not spend a budget twice. While pods of a budget are on
 * their way out, the controller that counts them may be late: then as many as it wants healthy must also be
 * left by our own count.
 *
 * Budgets are read when the first guard of a session is asked: a session that evicts no pod pays
 * nothing. A budget without a selector, or an empty one, selects no pod, as for kube-scheduler.
 *
 * Unlike upstream, pods without labels may go (no budget is theirs), and the plugin is no source of
 * victims for shuffle: what protects does not evict. */
#include "base/arena.h"
#include "base/mem.h"
#include "model/group/disruption.h"
#include "model/value/labels.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

struct budget {
	const struct pdb *pdb;
	uint32_t namespace; /* symbol */
	struct selector selector;
	int64_t leaving; /* going by our decision, unknown to the API */
	bool unsettled;  /* the API shows that some of its pods are leaving */
	int64_t healthy; /* by our own count, while that is so */
};

struct pdbs {
	VEC(struct budget) budgets;
	struct arena *arena;
	bool read; /* in this session */
};

static int pdb_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct pdbs *pdbs = mem_new(struct pdbs);

	(void)args;
	(void)err;
	pdbs->arena = arena_new(0);
	p->state = pdbs;
	return 0;
}

static void pdb_free(struct plugin *p)
{
	struct pdbs *pdbs = p->state;

	if (!pdbs)
		return;
	vec_done(&pdbs->budgets);
	arena_free(pdbs->arena);
	mem_free(pdbs);
}

static void pdb_open(struct plugin *p)
{
	struct pdbs *pdbs = p->state;

	pdbs->read = false;
	pdbs->budgets.len = 0;
}

/* --- matching -------------------------------------------------------------------------------- */

static bool is_disrupted(const struct pdb *pdb, struct str pod)
{
	for (size_t i = 0; i < pdb->status.disrupted_pods.len; i++)
		if (str_eq(pdb->status.disrupted_pods.ptr[i].key, pod))
			return true;
	return false;
}

/* Is it one that counts against the budget? Those that the API server has counted already do not. */
static bool covers(const struct plugin *p, const struct budget *budget, const struct task *task)
{
	struct label space[LABELS_MAX];
	struct labels labels;

	if (task->namespace != budget->namespace)
		return false;
	labels = label_set_view(task->labels, p->ssn->cluster->symbols, space);
	return selector_matches(&budget->selector, &labels) &&
	       !is_disrupted(budget->pdb, task_name(task));
}

/* Evicted by us, and the API does not say so yet. */
static bool is_in_flight(const struct task *task)
{
	return task->status == TASK_RELEASING && task->seen != TASK_RELEASING;
}

static bool is_healthy(const struct task *task)
{
	return task->status == TASK_RUNNING;
}

/* --- reading --------------------------------------------------------------------------------- */

static void add_budget(const struct plugin *p, const struct pdb *pdb)
{
	struct pdbs *pdbs = p->state;
	struct budget budget = {.pdb = pdb};

	budget.namespace = symbols_find(p->ssn->cluster->symbols, pdb->meta.namespace);
	if (!budget.namespace ||
	    selector_from_object(pdb->spec.selector, pdbs->arena, &budget.selector, NULL) < 0 ||
	    budget.selector.nothing || !budget.selector.len)
		return;
	vec_push(&pdbs->budgets, budget);
}

/* Those that are leaving already. */
static void count_leaving(const struct plugin *p, const struct job *job)
{
	struct pdbs *pdbs = p->state;

	LIST_EACH(&job->tasks[TASK_RELEASING], struct task, job_link, task)
		for (size_t i = 0; i < pdbs->budgets.len; i++) {
			struct budget *budget = &pdbs->budgets.ptr[i];

			if (!covers(p, budget, task))
				continue;
			budget->leaving += is_in_flight(task);
			budget->unsettled |= !is_in_flight(task);
		}
}

static void count_healthy(const struct plugin *p, struct budget *budget)
{
	size_t at = 0;
	void *value;

	while (map_next(p->ssn->cluster->tasks, &at, NULL, &value))
		budget->healthy += is_healthy(value) && covers(p, budget, value);
}

static struct pdbs *read_budgets(const struct plugin *p)
{
	struct pdbs *pdbs = p->state;
	const struct cluster *cluster = p->ssn->cluster;
	size_t at = 0;
	void *value;

	if (pdbs->read)
		return pdbs;
	pdbs->read = true;
	arena_reset(pdbs->arena);
	while (map_next(cluster->things[CLUSTER_PDB], &at, NULL, &value))
		add_budget(p, ((const struct thing *)value)->view);
	at = 0;
	while (cluster->moving && pdbs->budgets.len && map_next(cluster->jobs, &at, NULL, &value))
		count_leaving(p, value);
	for (size_t i = 0; i < pdbs->budgets.len; i++)
		if (pdbs->budgets.ptr[i].unsettled)
			count_healthy(p, &pdbs->budgets.ptr[i]);
	return pdbs;
}

/* --- hooks ----------------------------------------------------------------------------------- */

static bool allows_one(const struct budget *budget)
{
	const struct pdb_status *status = &budget->pdb->status;

	return budget->leaving < status->disruptions_allowed &&
	       (!budget->unsettled || budget->healthy > status->desired_healthy);
}

static bool pdb_evictable(const struct plugin *p, const struct evict_ask *ask,
			  const struct task *victim)
{
	const struct pdbs *pdbs = read_budgets(p);

	(void)ask;
	for (size_t i = 0; i < pdbs->budgets.len; i++)
		if (!allows_one(&pdbs->budgets.ptr[i]) && covers(p, &pdbs->budgets.ptr[i], victim))
			return false;
	return true;
}

/* A task goes (+1), or its eviction is taken back (-1). */
static void count(const struct plugin *p, const struct task *task, int64_t change)
{
	struct pdbs *pdbs = read_budgets(p);

	for (size_t i = 0; i < pdbs->budgets.len; i++) {
		struct budget *budget = &pdbs->budgets.ptr[i];

		if (!covers(p, budget, task))
			continue;
		budget->leaving += change;
		if (is_healthy(task))
			budget->healthy -= change;
	}
}

static void pdb_unplaced(const struct plugin *p, struct task *task)
{
	if (task_is(task, TASKS_EVICTABLE))
		count(p, task, 1);
}

static int pdb_placed(const struct plugin *p, struct task *task)
{
	if (task_is(task, TASKS_EVICTABLE))
		count(p, task, -1);
	return 0;
}

const struct plugin_type pdb_plugin = {
	.name = "pdb",
	.new = pdb_new,
	.free = pdb_free,
	.open = pdb_open,
	.evictable = {[EVICT_PREEMPT] = pdb_evictable,
		      [EVICT_RECLAIM] = pdb_evictable,
		      [EVICT_GANG_PREEMPT] = pdb_evictable,
		      [EVICT_GANG_RECLAIM] = pdb_evictable},
	.placed = pdb_placed,
	.unplaced = pdb_unplaced,
};
