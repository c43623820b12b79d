/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/fit_counts.c - see the header. There are few codes, so that a list of them is searched. */
#include "sched/report/fit_counts.h"

#include "sched/cluster/cluster.h"
#include "sched/session/session.h"

#include "base/banned.h"

void fit_counts_done(struct fit_counts *counts)
{
	vec_done(&counts->list);
	vec_done(&counts->swaps);
}

static void count_code(struct fit_counts *counts, enum fit_code code, uint16_t detail, int64_t free)
{
	struct fit_count *found = NULL;

	for (size_t i = 0; i < counts->list.len && !found; i++)
		if (counts->list.ptr[i].code == code && counts->list.ptr[i].detail == detail)
			found = &counts->list.ptr[i];
	if (!found) {
		found = vec_add(&counts->list);
		found->code = (uint16_t)code;
		found->detail = detail;
		found->most = free;
	}
	found->count++;
	if (free > found->most)
		found->most = free;
}

static bool has_detail(int code)
{
	return code == FIT_PROPORTION || code == FIT_OTHER || code == FIT_ZONE_CLOSED ||
	       code == FIT_ATTACH || code == FIT_NUMA;
}

static void count_swap(struct fit_counts *counts, uint16_t first, uint16_t last)
{
	if (first == last)
		return;
	for (size_t i = 0; i < counts->swaps.len; i++)
		if (counts->swaps.ptr[i].first == first && counts->swaps.ptr[i].last == last) {
			counts->swaps.ptr[i].count++;
			return;
		}
	vec_push(&counts->swaps, (struct fit_swap){first, last, 1});
}

/* Upstream names the node: each of the first few has an entry, the others share one. */
static void count_node(struct fit_counts *counts, enum fit_code code, uint32_t name)
{
	uint16_t others = 0;

	for (size_t i = 0; i < counts->list.len; i++)
		if (counts->list.ptr[i].code == code)
			others++;
	if (others >= FIT_COUNTS_MAX)
		count_code(counts, code, FIT_COUNTS_MAX, 0);
	else
		count_code(counts, code, others, name);
}

/* What is said of a node; two codes may say the same. */
static int reported_as(int code)
{
	if (code == FIT_VGPU_NEVER)
		return FIT_VGPU;
	return code == FIT_NPU_NEVER ? FIT_NPU : code;
}

void fit_counts_add(struct fit_counts *counts, const struct session *ssn, const struct class *class,
		    uint32_t slot, verdict v)
{
	if (v == VERDICT_ABSENT)
		return;
	counts->nodes++;
	for (uint64_t rest = verdict_codes(v); rest; rest &= rest - 1) {
		int code = reported_as(__builtin_ctzll(rest));
		uint16_t detail = has_detail(code) ? verdict_detail(v) : 0;
		int64_t free = 0;

		if (code == FIT_INSUFFICIENT) {
			detail = (uint16_t)cluster_short_of(ssn->cluster, CAPACITY_FUTURE, slot,
							    class);
			free = columns_get(&ssn->cluster->columns, CAPACITY_FUTURE, detail, slot);
			count_swap(counts, detail,
				   (uint16_t)cluster_short_of_last(ssn->cluster, CAPACITY_FUTURE,
								   slot, class));
		}
		if (code == FIT_GPU_MEMORY || code == FIT_GPU_NUMBER)
			count_node(counts, (enum fit_code)code,
				   ssn->cluster->nodes.ptr[slot]->name);
		else
			count_code(counts, (enum fit_code)code, detail, free);
	}
}

void fit_counts_add_short(struct fit_counts *counts, int dim, size_t nodes, int64_t most)
{
	vec_push(&counts->list, (struct fit_count){.code = FIT_INSUFFICIENT,
						   .detail = (uint16_t)dim,
						   .count = (uint32_t)nodes,
						   .most = most});
	counts->nodes += (uint32_t)nodes;
}

/* There is space for one more. */
static struct fit_count *short_of(struct fit *fit, uint16_t dim)
{
	for (size_t i = 0; i < fit->len; i++)
		if (fit->at[i].code == FIT_INSUFFICIENT && fit->at[i].detail == dim)
			return &fit->at[i];
	fit->at[fit->len] = (struct fit_count){.code = FIT_INSUFFICIENT, .detail = dim};
	return &fit->at[fit->len++];
}

/* Each node with the last of what it lacks. */
static const struct fit *make_other(const struct fit_counts *counts, struct session *ssn,
				    const struct fit *fit)
{
	size_t most = fit->len + counts->swaps.len;
	struct fit *other = arena_zalloc(ssn->arena, sizeof(*other) + most * sizeof(other->at[0]));
	size_t left = 0;

	memcpy(other, fit, sizeof(*fit) + fit->len * sizeof(fit->at[0]));
	for (size_t i = 0; i < counts->swaps.len; i++) {
		const struct fit_swap *swap = &counts->swaps.ptr[i];

		short_of(other, swap->last)->count += swap->count;
		short_of(other, swap->first)->count -= swap->count;
	}
	for (size_t i = 0; i < other->len; i++)
		if (other->at[i].count)
			other->at[left++] = other->at[i];
	other->len = left;
	return other;
}

const struct fit *fit_counts_make(struct fit_counts *counts, struct session *ssn,
				  const struct class *class, const struct node_set *set)
{
	struct fit *fit =
		arena_zalloc(ssn->arena, sizeof(*fit) + counts->list.len * sizeof(fit->at[0]));

	fit->nodes = counts->nodes;
	fit->domain = set->name;
	fit->request = &class->request;
	fit->len = counts->list.len;
	if (fit->len)
		memcpy(fit->at, counts->list.ptr, fit->len * sizeof(fit->at[0]));
	for (size_t i = 0; i < fit->len; i++)
		if (fit->at[i].code == FIT_TAINT)
			fit->taint = cluster_common_taint(ssn->cluster, class);
	if (counts->swaps.len)
		fit->other = make_other(counts, ssn, fit);
	fit_counts_done(counts);
	return fit;
}
