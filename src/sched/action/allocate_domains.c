/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/allocate_domains.c - placing a job in a domain of the network (scheduler specification, 5.2.3).
 *
 * The job is tried in the domains that have capacity for its minimum by count, the best first; in each, sub-groups with
 * a topology of their own look for a domain inside. The first attempt that makes the job whole stays in the statement;
 * all others are undone, with the tasks back in their order.
 *
 * If no domain has the capacity nothing is placed, and a reason says which came nearest. */
#include "base/mem.h"
#include "model/volcano/networktopology.h"
#include "sched/action/allocate_internal.h"
#include "sched/cluster/hypernodes.h"
#include "sched/place/domain_search.h"
#include "sched/report/object_warnings.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

static const struct hypernodes *tree_of(const struct allocation *a)
{
	return a->ssn->cluster->hypernodes;
}

/* --- where ----------------------------------------------------------------------------------- */

static void enter(struct allocation *a, const struct domain *domain)
{
	a->in = domain;
	a->set = (struct node_set){0};
	if (domain->parent)
		a->set = (struct node_set){
			.name = domain->name, .slots = domain->slots.ptr, .len = domain->slots.len};
}

/* --- tasks that an attempt takes, and gets back ------------------------------------------------ */

struct saved_queue {
	struct pq *queue;
	void **elements;
	size_t len;
};
struct saved {
	VEC(struct saved_queue) queues;
};

static void save(struct saved *saved, struct pq *queue)
{
	struct saved_queue *at = vec_add(&saved->queues);

	at->queue = queue;
	at->len = queue->len;
	at->elements = mem_calloc(queue->len + 1, sizeof(void *));
	if (queue->len)
		memcpy(at->elements, queue->ptr, queue->len * sizeof(void *));
}

static void save_attempt(struct saved *saved, struct attempt *attempt)
{
	for (size_t i = 0; i < attempt->subs.len; i++)
		save(saved, &attempt->subs.ptr[i]->tasks);
	if (attempt->job->policy_count)
		save(saved, &attempt->waiting);
}

/* Queues only shrink in an attempt: there is space for what was in them. */
static void restore(struct saved *saved)
{
	for (size_t i = 0; i < saved->queues.len; i++) {
		struct saved_queue *at = &saved->queues.ptr[i];

		if (at->len)
			memcpy(at->queue->ptr, at->elements, at->len * sizeof(void *));
		at->queue->len = at->len;
	}
}

static void saved_done(struct saved *saved)
{
	for (size_t i = 0; i < saved->queues.len; i++)
		mem_free(saved->queues.ptr[i].elements);
	vec_done(&saved->queues);
}

/* --- what to ask ------------------------------------------------------------------------------- */

static size_t at_least(int64_t min, const struct tally *tally, size_t count)
{
	int64_t need = min - (int64_t)tally_of(tally, TASKS_READY | TASK_BIT(TASK_PIPELINED)) -
		       tally->waiting_empty;

	if (need < 1)
		need = 1;
	return need > (int64_t)count ? count : (size_t)need;
}

static void add_tasks(const struct attempt_sub *part, struct task_list *to)
{
	for (size_t i = 0; i < part->tasks.len; i++)
		vec_push(to, part->tasks.ptr[i]);
}

static void collect_tasks(const struct attempt *attempt, struct task_list *to)
{
	if (!attempt->job->policy_count)
		add_tasks(attempt->subs.ptr[0], to);
	for (size_t i = 0; attempt->job->policy_count && i < attempt->waiting.len; i++)
		add_tasks(attempt->waiting.ptr[i], to);
}

/* Why the topology of a group holds no pod back; NULL: it does, or there is none. For mem_free(). */
static char *find_fault(const struct allocation *a, const struct job *job)
{
	const struct network_topology *topology = job_topology(job);
	int64_t tier;

	for (size_t i = 0; !topology && i < job->policy_count; i++)
		topology = job->policies[i].topology;
	if (!topology)
		return NULL;
	if (!domain_search_applies(a->ssn, job))
		return mem_strdup("networkTopology has no effect: the scheduler's configuration "
				  "does not have the plugin network-topology-aware");
	if (topology->mode != NETWORK_TOPOLOGY_HARD || topology->highest_tier_allowed.set ||
	    hypernodes_find_tier(tree_of(a), topology->highest_tier_name, &tier))
		return NULL;
	if (!topology->highest_tier_name.len)
		return mem_strdup("networkTopology: mode hard without highestTierAllowed or "
				  "highestTierName; pods are placed without a limit");
	return mem_printf("networkTopology.highestTierName: no HyperNode has the tier name `%.*s`; "
			  "pods are placed without a limit",
			  STR_ARG(topology->highest_tier_name));
}

void allocate_check_topology(const struct allocation *a, const struct job *job)
{
	AUTO(mem_free) char *fault = find_fault(a, job);

	object_warnings_set(a->ssn->cluster->warnings, WARNING_GROUP, WARNING_NETWORK, job_key(job),
			    fault);
}

/* --- why not ----------------------------------------------------------------------------------- */

static void refuse_broken(struct allocation *a, struct attempt *attempt)
{
	const struct reason why = {.code = REASON_NETWORK_BROKEN, .dim = DIM_NONE};

	session_refuse(a->ssn, attempt->job, &why);
	attempt->waiting.len = 0;
	for (size_t i = 0; i < attempt->subs.len; i++)
		attempt->subs.ptr[i]->tasks.len = 0;
}

static void refuse(struct allocation *a, const struct domain_ask *ask)
{
	struct domain_shortage shortage;
	struct reason why = {.code = REASON_NETWORK,
			     .dim = DIM_NONE,
			     .limit = (int64_t)ask->need,
			     .asked = ask->limit};

	if (a->lending || ask->limit >= hypernodes_root(tree_of(a))->tier)
		return;
	shortage = domain_search_explain(ask);
	if (shortage.best) {
		why.subject = symbols_find(a->ssn->cluster->symbols, shortage.best->name);
		why.have = shortage.fits;
	}
	why.beyond = shortage.beyond;
	why.need = shortage.spread;
	why.task = ask->count ? ask->tasks[0] : NULL;
	session_refuse(a->ssn, (struct job *)ask->job, &why);
}

/* --- sub-groups -------------------------------------------------------------------------------- */

static bool try_sub(struct allocation *a, struct attempt *attempt, struct attempt_sub *part,
		    struct statement *st, const struct domain_ask *ask, const struct domain *domain)
{
	struct descent descent;
	bool placed;

	enter(a, domain);
	descent_init(&descent, ask, domain);
	a->descent = &descent;
	part->failed.len = 0;
	placed = allocate_sub(a, attempt, part, st);
	a->descent = NULL;
	descent_done(&descent);
	return placed;
}

/* The domains in order; if there is none, the one of which Volcano would report something. */
static bool try_subs(struct allocation *a, struct attempt *attempt, struct attempt_sub *part,
		     struct statement *st, const struct domain_ask *ask)
{
	struct domain_list list = {0};
	struct saved saved = {0};
	bool placed = false;

	domain_search(ask, &list);
	if (!list.len) {
		const struct domain *reported = domain_search_reported(ask);

		refuse(a, ask);
		if (reported)
			vec_push(&list, reported);
	}
	if (list.len > 1)
		save(&saved, &part->tasks);
	for (size_t i = 0; i < list.len && !placed; i++) {
		if (i) {
			restore(&saved);
			if (!a->lending)
				allocate_forget(a->ssn, attempt->job, part->sub);
		}
		placed = try_sub(a, attempt, part, st, ask, list.ptr[i]);
	}
	saved_done(&saved);
	vec_done(&list);
	return placed;
}

bool allocate_sub_in_domains(struct allocation *a, struct attempt *attempt,
			     struct attempt_sub *part, struct statement *st)
{
	const struct network_topology *topology = domain_topology(part->sub);
	const struct domain *in = a->in;
	struct task_list tasks = {0};
	struct domain_ask ask;
	bool placed;

	if (!topology)
		return allocate_sub(a, attempt, part, st);
	add_tasks(part, &tasks);
	ask = (struct domain_ask){.ssn = a->ssn,
				  .job = attempt->job,
				  .sub = part->sub,
				  .within = in,
				  .limit = hook_domain_limit(a->ssn, topology),
				  .tasks = tasks.ptr,
				  .count = tasks.len};
	ask.need = hook_sub_ready(a->ssn, part->sub)
			   ? 1
			   : at_least(part->sub->min_available, &part->sub->tally, tasks.len);
	placed = try_subs(a, attempt, part, st, &ask);
	enter(a, in);
	vec_done(&tasks);
	return placed;
}

/* --- the job ----------------------------------------------------------------------------------- */

static bool try_job(struct allocation *a, struct attempt *attempt, struct statement *st,
		    const struct domain_ask *ask, const struct domain *domain)
{
	size_t mark = statement_mark(st);

	enter(a, domain);
	if (attempt->job->policy_count)
		allocate_groups(a, attempt, st);
	else
		(void)try_sub(a, attempt, attempt->subs.ptr[0], st, ask, domain);
	if (statement_mark(st) > mark && (hook_job_test(a->ssn, JOB_READY, attempt->job, NULL) ||
					  hook_job_vote(a->ssn, JOB_PIPELINED, attempt->job, NULL)))
		return true;
	statement_undo_to(st, mark, !a->lending);
	return false;
}

/* No domain has the capacity: the tasks are not tried again in this cycle. */
static void drop_tasks(struct attempt *attempt)
{
	if (attempt->job->policy_count)
		attempt->waiting.len = 0;
	else
		attempt->subs.ptr[0]->tasks.len = 0;
}

static void try_domains(struct allocation *a, struct attempt *attempt, struct statement *st,
			const struct domain_ask *ask, const struct domain_list *list)
{
	struct saved saved = {0};
	bool placed = false;

	if (list->len > 1)
		save_attempt(&saved, attempt);
	for (size_t i = 0; i < list->len && !placed; i++) {
		if (i) {
			restore(&saved);
			if (!a->lending)
				allocate_forget(a->ssn, attempt->job, NULL);
		}
		placed = try_job(a, attempt, st, ask, list->ptr[i]);
	}
	saved_done(&saved);
	if (!placed)
		refuse(a, ask);
}

void allocate_in_domains(struct allocation *a, struct attempt *attempt, struct statement *st)
{
	const struct network_topology *topology = job_topology(attempt->job);
	struct domain_list list = {0};
	struct task_list tasks = {0};
	struct domain_ask ask = {.ssn = a->ssn,
				 .job = attempt->job,
				 .within = hypernodes_root(tree_of(a)),
				 .limit = INT64_MAX};

	if (tree_of(a)->broken) {
		refuse_broken(a, attempt);
		return;
	}
	if (topology)
		ask.limit = hook_domain_limit(a->ssn, topology);
	collect_tasks(attempt, &tasks);
	ask.tasks = tasks.ptr;
	ask.count = tasks.len;
	ask.need = hook_job_test(a->ssn, JOB_READY, attempt->job, NULL)
			   ? 1
			   : at_least(attempt->job->min_available, &attempt->job->tally, tasks.len);
	if (topology)
		domain_search(&ask, &list);
	else
		vec_push(&list, ask.within);
	if (!list.len) {
		const struct domain *reported = domain_search_reported(&ask);

		if (reported)
			vec_push(&list, reported);
		else
			drop_tasks(attempt);
	}
	try_domains(a, attempt, st, &ask, &list);
	vec_done(&list);
	vec_done(&tasks);
}
