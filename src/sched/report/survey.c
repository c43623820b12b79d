/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/survey.c - see the header. */
#include "sched/report/survey.h"

#include <stdlib.h>

#include "base/number.h"
#include "base/time.h"
#include "base/vec.h"
#include "model/pod/affinity.h"
#include "model/pod/pod_affinity.h"
#include "model/volcano/wait_reason.h"
#include "sched/place/finder.h"
#include "sched/place/volume_fit.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* Tests of nodes per second; at least one survey is always possible in a second. */
enum { SURVEY_BUDGET = 50000 };

static bool take_budget(struct session *ssn)
{
	struct survey_budget *budget = &ssn->cluster->survey_budget;
	int64_t nodes = (int64_t)ssn->cluster->node_count;

	if (!budget->set || ssn->now < budget->time || ssn->now - budget->time >= TIME_SECOND)
		*budget = (struct survey_budget){true, ssn->now, SURVEY_BUDGET};
	if (budget->left <= 0)
		return false;
	budget->left -= nodes;
	return true;
}

static bool is_wanted(const struct session *ssn, const struct task *task,
		      const struct node_info *node)
{
	const struct pod_spec *spec = task->class->terms->spec;
	struct label space[LABELS_MAX];
	struct labels labels;

	if (!task->class->terms->selects_nodes || !config_find_plugin(ssn->config, "predicates"))
		return true;
	labels = label_set_view(node->labels, ssn->cluster->symbols, space);
	return node_affinity_allows(&spec->node_selector,
				    spec->affinity ? spec->affinity->node : NULL, node->text,
				    &labels);
}

static void count_codes(struct survey *s, verdict v, const struct node_info *node, bool capable)
{
	for (uint64_t rest = verdict_codes(v); rest; rest &= rest - 1) {
		struct survey_code *code = &s->codes[__builtin_ctzll(rest)];

		if (!code->nodes || (capable && !code->capable)) {
			code->first = node->slot;
			code->detail = verdict_detail(v);
		}
		code->nodes++;
		code->capable += capable;
	}
}

void survey_sum(struct survey *s, const struct cluster *cluster, const struct class *class, int dim)
{
	int64_t each = resources_get(&class->request, dim);

	s->dim = dim;
	s->free = s->total = s->largest = s->largest_total = s->places = s->places_now = 0;
	s->largest_slot = NODE_ABSENT;
	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++) {
		int64_t free, total;

		if (!s->at[slot].usable)
			continue;
		free = columns_get(&cluster->columns, CAPACITY_FUTURE, s->dim, slot);
		total = columns_get(&cluster->columns, CAPACITY_ALLOCATABLE, s->dim, slot);
		if (free > 0) {
			s->free = number_add(s->free, free);
			s->places_now += each > 0 ? free / each : 0;
		}
		s->total = number_add(s->total, total);
		s->places += each > 0 ? total / each : 0;
		if (free > s->largest || s->largest_slot == NODE_ABSENT) {
			s->largest = free;
			s->largest_slot = slot;
		}
		if (total > s->largest_total)
			s->largest_total = total;
	}
}

/* What keeps the pod from a node. A claim without a volume on the node is reported by Volcano as a volume that the node
 * cannot attach; people have to know that the volume is missing there. */
static verdict test_node(struct session *ssn, const struct task *task, const struct node_info *node)
{
	static const struct volume_filters binding = {.zones = true, .binding = true};
	verdict v = finder_test(ssn, task, node, CAPACITY_COUNT);
	verdict claims;

	if (!(verdict_codes(v) & VERDICT(FIT_ATTACH)))
		return v;
	claims = volumes_test(ssn, task, node, &binding);
	return claims ? claims : v;
}

/* Enters one node; gives what it lacks, DIM_NONE: nothing, or it cannot be used anyway. */
static int enter_node(struct session *ssn, const struct task *task, const struct node_info *node,
		      struct survey *s)
{
	struct survey_node *at = &s->at[node->slot];
	verdict v = test_node(ssn, task, node);
	int dim = DIM_NONE;

	s->nodes++;
	at->codes = verdict_codes(v);
	if ((at->codes & VERDICT(FIT_NODE_AFFINITY)) || !is_wanted(ssn, task, node))
		return DIM_NONE;
	if (!task->class->empty)
		dim = cluster_short_of(ssn->cluster, CAPACITY_FUTURE, node->slot, task->class);
	at->wanted = true;
	at->capable = dim == DIM_NONE;
	at->usable = !verdict_is_final(v);
	s->wanted++;
	count_codes(s, v, node, at->capable);
	s->usable += at->usable;
	s->fits += at->usable && !v && at->capable;
	return at->usable ? dim : DIM_NONE;
}

bool survey_make(struct session *ssn, const struct task *task, struct survey *ret)
{
	const struct cluster *cluster = ssn->cluster;
	uint32_t lacks[DIMS_MAX] = {0};

	if (!take_budget(ssn))
		return false;
	*ret = (struct survey){.dim = DIM_NONE, .largest_slot = NODE_ABSENT};
	ret->at = arena_zalloc(ssn->arena, (cluster->nodes.len + 1) * sizeof(*ret->at));
	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++) {
		const struct node_info *node = cluster->nodes.ptr[slot];
		int dim;

		if (!node || !node->there || cluster->columns.profile[slot] == NODE_ABSENT)
			continue;
		dim = enter_node(ssn, task, node, ret);
		if (dim == DIM_NONE)
			continue;
		lacks[dim]++;
		if (ret->dim == DIM_NONE || lacks[dim] > lacks[ret->dim])
			ret->dim = dim;
	}
	if (ret->dim != DIM_NONE)
		survey_sum(ret, cluster, task->class, ret->dim);
	return true;
}

/* --- holders ------------------------------------------------------------------------------------ */

struct use {
	const struct job *job;
	int64_t amount;
};

static int by_job(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	return a->job == b->job ? 0 : job_order(a->job, b->job);
}

static int by_amount(const void *left, const void *right)
{
	const struct use *a = left, *b = right;

	if (a->amount != b->amount)
		return a->amount > b->amount ? -1 : 1;
	return by_job(left, right);
}

const struct holders *survey_holders(struct session *ssn, const struct survey *survey, int dim)
{
	const struct cluster *cluster = ssn->cluster;
	struct holders *ret = arena_zalloc(ssn->arena, sizeof(*ret));
	VEC(struct use) uses = {0};
	size_t len = 0;

	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++) {
		if (!survey->at[slot].usable)
			continue;
		LIST_EACH(&cluster->nodes.ptr[slot]->tasks, struct task, node_link, task) {
			int64_t amount = resources_get(&task->class->request, dim);

			if (task->job && amount > 0)
				vec_push(&uses, (struct use){task->job, amount});
		}
	}
	if (uses.len)
		qsort(uses.ptr, uses.len, sizeof(*uses.ptr), by_job);
	for (size_t i = 0; i < uses.len; i++)
		if (len && uses.ptr[len - 1].job == uses.ptr[i].job)
			uses.ptr[len - 1].amount =
				number_add(uses.ptr[len - 1].amount, uses.ptr[i].amount);
		else
			uses.ptr[len++] = uses.ptr[i];
	if (len)
		qsort(uses.ptr, len, sizeof(*uses.ptr), by_amount);
	for (size_t i = 0; i < len; i++) {
		if (i >= HOLDERS_MAX) {
			ret->more++;
			ret->more_use = number_add(ret->more_use, uses.ptr[i].amount);
			continue;
		}
		ret->at[ret->len++] = (struct holder){.job = holder_name(uses.ptr[i].job),
						      .namespace = job_namespace(uses.ptr[i].job),
						      .user = holder_user(cluster, uses.ptr[i].job),
						      .uses = uses.ptr[i].amount,
						      .priority = uses.ptr[i].job->priority};
	}
	vec_done(&uses);
	return ret;
}
