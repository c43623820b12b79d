/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/message_network.c - why a job finds no domain of the network: which came nearest, what is free there and
 * what is missing. */
#include "sched/cluster/hypernodes.h"
#include "sched/report/message.h"
#include "sched/report/words.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* What there is of a resource in a domain. */
static int64_t sum_of(const struct cluster *cluster, enum capacity_kind capacity, int dim,
		      const struct domain *domain)
{
	int64_t sum = 0;

	for (size_t i = 0; i < domain->slots.len; i++) {
		int64_t have = columns_get(&cluster->columns, capacity, dim, domain->slots.ptr[i]);

		sum += have > 0 ? have : 0;
	}
	return sum;
}

/* A pod of the job that waits. */
static const struct task *waiting_task(const struct job *job)
{
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (!task->class->empty)
			return task;
	return NULL;
}

/* The resource of which a domain has least, by what the pods ask for. */
static int scarcest(const struct cluster *cluster, const struct domain *domain,
		    const struct task *task)
{
	int best = DIM_NONE;
	double least = 0;

	for (dim_set rest = task->class->dims; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t each = resources_get(&task->class->request, dim);
		double times;

		if (each <= 0)
			continue;
		times = (double)sum_of(cluster, CAPACITY_IDLE, dim, domain) / (double)each;
		if (best == DIM_NONE || times < least) {
			least = times;
			best = dim;
		}
	}
	return best;
}

/* " (2 of 4 CPUs are free)" */
static void put_free(struct message *m, const struct domain *domain, int64_t pods)
{
	const struct cluster *cluster = m->ssn->cluster;
	const struct task *task = waiting_task(m->job);
	int dim = task ? scarcest(cluster, domain, task) : DIM_NONE;

	if (dim == DIM_NONE)
		return;
	m->dim = dim;
	m->needs = pods * resources_get(&task->class->request, dim);
	m->free = sum_of(cluster, CAPACITY_IDLE, dim, domain);
	m->total = sum_of(cluster, CAPACITY_ALLOCATABLE, dim, domain);
	m->has_free = true;
	buf_puts(&m->text, ": it needs ");
	words_quantity(&m->names, dim, m->needs, &m->text);
	buf_puts(&m->text, ", ");
	words_free(&m->names, dim, m->free, m->total, &m->text);
	buf_puts(&m->text, " there");
	if (m->needs <= m->free)
		buf_puts(&m->text, ", but not on nodes that its pods fit on");
}

static void put_wanted(struct message *m, const struct reason *why)
{
	words_count(why->limit, "pod", &m->text);
	buf_printf(&m->text, " in one HyperNode of tier %lld or lower", (long long)why->asked);
}

static void message_spread(struct message *m, const struct reason *why)
{
	buf_printf(&m->text,
		   "its running pods are in no common HyperNode of tier %lld or lower: none can "
		   "join them",
		   (long long)why->asked);
	buf_puts(&m->brief, "running pods are too far apart");
	buf_puts(&m->advice, "Restart the job as a whole, raise its highestTierAllowed, or "
			     "correct the HyperNodes");
}

static void message_no_domain(struct message *m, const struct reason *why)
{
	m->never = true;
	buf_puts(&m->text, "can never start: needs ");
	put_wanted(m, why);
	buf_puts(&m->text, ", and there is none");
	buf_puts(&m->brief, "no HyperNode of its tier");
	buf_puts(&m->advice, "Create HyperNodes, or raise highestTierAllowed");
}

void message_network(struct message *m, const struct reason *why)
{
	const struct hypernodes *tree = m->ssn->cluster->hypernodes;
	struct str name = symbols_text(m->ssn->cluster->symbols, why->subject);
	const struct domain *domain = name.len ? hypernodes_find(tree, name) : NULL;

	if (why->need) {
		message_spread(m, why);
		return;
	}
	if (!domain) {
		message_no_domain(m, why);
		return;
	}
	m->never = why->beyond;
	buf_puts(&m->text, why->beyond ? "can never start: needs "
				       : "waiting for capacity in the network: needs ");
	put_wanted(m, why);
	if (why->beyond) {
		buf_printf(&m->text, ", and none is large enough; `%.*s` has capacity for %lld",
			   STR_ARG(name), (long long)why->have);
		buf_puts(&m->advice, "Raise highestTierAllowed, use mode soft, or ask for less");
	} else {
		buf_printf(&m->text, "; `%.*s` has capacity for %lld", STR_ARG(name),
			   (long long)why->have);
		put_free(m, domain, why->limit);
		buf_printf(&m->advice,
			   "Wait for pods in HyperNode `%.*s` to end, raise highestTierAllowed, or "
			   "use mode soft",
			   STR_ARG(name));
	}
	buf_printf(&m->brief, "%lld of %lld pods fit into HyperNode %.*s", (long long)why->have,
		   (long long)why->limit, STR_ARG(name));
}

void message_network_broken(struct message *m, const struct reason *why)
{
	const char *broken = m->ssn->cluster->hypernodes->broken;

	(void)why;
	buf_printf(&m->text, "the network topology cannot be used: %s",
		   broken ? broken : "unknown");
	buf_puts(&m->brief, "network topology is broken");
	buf_puts(&m->advice,
		 "Correct the HyperNodes; jobs without networkTopology are not affected");
}
