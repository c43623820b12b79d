// SPDX-License-Identifier: Apache-2.0
/* sched/reason.c - texts and ranks of reasons: one table each. */
#include "sched/reason.h"

#include <stdlib.h>

#include "base/macro.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/quantity.h"
#include "model/resources.h"
#include "sched/atoms.h"

#include "base/banned.h"

/* --- one node -------------------------------------------------------------------------------- */

struct fit_text {
	const char *text; /* %s stands for the detail */
	bool final;       /* evicting others does not change it */
	enum { DETAIL_NONE, DETAIL_DIM, DETAIL_TEXT } detail;
};
static const struct fit_text fit_texts[FIT_CODE_COUNT] = {
	[FIT_INSUFFICIENT] = {.text = "Insufficient ", .detail = DETAIL_DIM},
	[FIT_POD_COUNT] = {.text = "node(s) pod number exceeded"},
	[FIT_UNSCHEDULABLE] = {.text = "node(s) were unschedulable", .final = true},
	[FIT_NODE_AFFINITY] = {.text = "node(s) didn't match Pod's node affinity/selector",
			       .final = true},
	[FIT_TAINT] = {.text = "node(s) had untolerated taint(s)", .final = true},
	[FIT_PORTS] = {.text = "node(s) didn't have free ports for the requested pod ports"},
	[FIT_POD_AFFINITY] = {.text = "node(s) didn't match pod affinity rules", .final = true},
	[FIT_POD_ANTI_AFFINITY] = {.text = "node(s) didn't match pod anti-affinity rules"},
	[FIT_EXISTING_ANTI_AFFINITY] =
		{.text = "node(s) didn't satisfy existing pods anti-affinity rules"},
	[FIT_VOLUME_LIMIT] = {.text = "node(s) exceed max volume count"},
	[FIT_VOLUME_ZONE] = {.text = "node(s) had no available volume zone", .final = true},
	[FIT_SPREAD_LABEL] =
		{.text = "node(s) didn't match pod topology spread constraints (missing "
			 "required label)",
		 .final = true},
	[FIT_SPREAD] = {.text = "node(s) didn't match pod topology spread constraints"},
	[FIT_VOLUME_AFFINITY] = {.text = "node(s) didn't match PersistentVolume's node affinity",
				 .final = true},
	[FIT_VOLUME_NONE] = {.text = "node(s) didn't find available persistent volumes to bind",
			     .final = true},
	[FIT_VOLUME_STORAGE] = {.text = "node(s) did not have enough free storage", .final = true},
	[FIT_VOLUME_LOST] =
		{.text = "node(s) unavailable due to one or more pvc(s) bound to non-existent "
			 "pv(s)",
		 .final = true},
	[FIT_GROUP_LABEL] = {.text = "node group label not found", .final = true},
	[FIT_GROUP_UNSET] = {.text = "node group affinity not specified", .final = true},
	[FIT_GROUP_MISMATCH] = {.text = "node does not satisfy the node group affinity",
				.final = true},
	[FIT_PROPORTION] = {.text = "proportional of resource ",
			    .final = true,
			    .detail = DETAIL_DIM},
	[FIT_SHARD] = {.text = "node isn't in scheduler node shard", .final = true},
	[FIT_ZONE_CLOSED] = {.text = "", .final = true, .detail = DETAIL_TEXT},
	[FIT_ZONE_FOREIGN] = {.text = "not allow to dispatch to revocable node", .final = true},
	[FIT_OTHER] = {.text = "", .final = true, .detail = DETAIL_TEXT},
};

bool verdict_is_final(verdict v)
{
	for (uint64_t rest = verdict_codes(v); rest; rest &= rest - 1)
		if (fit_texts[__builtin_ctzll(rest)].final)
			return true;
	return false;
}

void fit_code_print(enum fit_code code, uint16_t detail, const struct reason_names *names,
		    struct buf *to)
{
	const struct fit_text *row = &fit_texts[code];

	buf_puts(to, row->text);
	if (row->detail == DETAIL_DIM)
		buf_put_str(to, dims_name(names->dims, detail));
	if (row->detail == DETAIL_TEXT && detail < names->text_count)
		buf_puts(to, names->texts[detail]);
	if (code == FIT_PROPORTION)
		buf_puts(to, " check failed");
}

/* --- one task -------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void fit_print(const struct fit *fit, const struct reason_names *names, struct buf *to)
{
	VEC(char *) parts = {0};

	if (fit->domain.len)
		buf_printf(to, "In hyperNode %.*s: ", STR_ARG(fit->domain));
	if (fit->whole)
		buf_puts(to, fit->whole);
	else
		buf_printf(to, "0/%u nodes are unavailable", fit->nodes);
	for (size_t i = 0; i < fit->len; i++) {
		struct buf part = BUF_INIT(SIZE_MAX);

		buf_printf(&part, "%u ", fit->at[i].count);
		fit_code_print(fit->at[i].code, fit->at[i].detail, names, &part);
		vec_push(&parts, buf_take(&part));
	}
	if (parts.len)
		qsort(parts.ptr, parts.len, sizeof(*parts.ptr), by_text);
	for (size_t i = 0; i < parts.len; i++) {
		buf_puts(to, i ? ", " : ": ");
		buf_puts(to, parts.ptr[i]);
		mem_free(parts.ptr[i]);
	}
	if (parts.len)
		buf_putc(to, '.');
	vec_done(&parts);
}

/* --- one job --------------------------------------------------------------------------------- */

/* What is behind the words of a reason. */
enum tail { TAIL_NONE, TAIL_SHORTAGE, TAIL_COUNT, TAIL_NODES, TAIL_TEXT };
struct reason_row {
	const char *name;
	int rank;
	const char *before; /* the subject, where there is one */
	const char *after;
	enum tail tail;
};
/* What would keep it back even if everything below were cured ranks higher. */
static const struct reason_row reason_rows[REASON_CODE_COUNT] = {
	[REASON_NONE] = {"", 0, "", "", TAIL_NONE},
	[REASON_OBJECT] = {"InvalidObject", 100, "", "", TAIL_TEXT},
	[REASON_QUEUE_MISSING] = {"QueueMissing", 95, "queue ", " does not exist", TAIL_NONE},
	[REASON_QUEUE_BROKEN] = {"QueueTree", 94, "queue ", " has no place in the tree of queues",
				 TAIL_NONE},
	[REASON_QUEUE_NOT_LEAF] = {"QueueNotLeaf", 93, "queue ",
				   " has child queues and takes no jobs", TAIL_NONE},
	[REASON_QUEUE_CLOSED] = {"QueueClosed", 92, "queue ", " is not open", TAIL_NONE},
	[REASON_TASKS] = {"NotEnoughTasks", 90, "", "pods that exist: ", TAIL_COUNT},
	[REASON_ROLE_TASKS] = {"NotEnoughPodsOfTask", 89, "",
			       "a role has fewer pods than its minimum", TAIL_NONE},
	[REASON_SUB_GROUPS] = {"NotEnoughSubGroups", 88, "",
			       "there are fewer sub-groups than the minimum", TAIL_NONE},
	[REASON_GATED] = {"SchedulingGated", 85, "", "scheduling gates are set", TAIL_NONE},
	[REASON_QUOTA] = {"Quota", 80, "quota ", " is used up for", TAIL_SHORTAGE},
	[REASON_QUEUE_CAPABILITY] = {"QueueCapability", 75, "queue ", " is at its capability for",
				     TAIL_SHORTAGE},
	[REASON_RELEASING] = {"WaitsForRelease", 70, "", "room is being released for it",
			      TAIL_NONE},
	[REASON_OVERCOMMIT] = {"ClusterFull", 60, "",
			       "the cluster has let in as much as it can hold of", TAIL_SHORTAGE},
	[REASON_QUEUE_SHARE] = {"QueueShare", 55, "queue ", " is at its share of", TAIL_SHORTAGE},
	[REASON_NODES] = {"NoNodeFits", 50, "", "", TAIL_NODES},
	[REASON_GANG] = {"GangIncomplete", 40, "", "pods that could be placed: ", TAIL_COUNT},
	[REASON_OTHER] = {"Other", 10, "", "", TAIL_TEXT},
};

int reason_rank(enum reason_code code)
{
	return reason_rows[code].rank;
}

const char *reason_name(enum reason_code code)
{
	return reason_rows[code].name;
}

void reason_prefer(struct reason *best, const struct reason *other)
{
	if (reason_rank(other->code) > reason_rank(best->code))
		*best = *other;
}

static void put_amount(int dim, int64_t amount, struct buf *to)
{
	struct quantity q;

	if (amount == RESOURCES_INFINITE) {
		buf_puts(to, "unlimited");
		return;
	}
	q = resources_quantity(dim, amount);
	quantity_print(&q, to);
}

/* "nvidia.com/gpu: 64 of 64, needs 8 more" */
static void put_shortage(const struct reason *reason, const struct reason_names *names,
			 struct buf *to)
{
	if (reason->dim == DIM_NONE)
		return;
	buf_putc(to, ' ');
	buf_put_str(to, dims_name(names->dims, reason->dim));
	buf_puts(to, ": ");
	put_amount(reason->dim, reason->have, to);
	buf_puts(to, " of ");
	put_amount(reason->dim, reason->limit, to);
	buf_puts(to, ", needs ");
	put_amount(reason->dim, reason->need, to);
	buf_puts(to, " more");
}

static void put_nodes(const struct fit *fit, const struct reason_names *names, struct buf *to)
{
	buf_printf(to, "0 of %u nodes fit", fit->nodes);
	if (fit->whole)
		buf_printf(to, ": %s", fit->whole);
	for (size_t i = 0; i < fit->len; i++) {
		buf_printf(to, "%s%u: ", i ? ", " : ": ", fit->at[i].count);
		fit_code_print(fit->at[i].code, fit->at[i].detail, names, to);
		if (fit->at[i].code == FIT_INSUFFICIENT) {
			buf_puts(to, " (largest free ");
			put_amount(fit->at[i].detail, fit->at[i].most, to);
			buf_putc(to, ')');
		}
	}
}

void reason_print(const struct reason *reason, const struct reason_names *names, struct buf *to)
{
	const struct reason_row *row = &reason_rows[reason->code];

	buf_puts(to, row->before);
	buf_put_str(to, atoms_text(names->atoms, reason->subject));
	buf_puts(to, row->after);
	switch (row->tail) {
	case TAIL_NONE:
		break;
	case TAIL_SHORTAGE:
		put_shortage(reason, names, to);
		break;
	case TAIL_COUNT:
		buf_printf(to, "%lld, at least %lld are needed", (long long)reason->have,
			   (long long)reason->limit);
		break;
	case TAIL_NODES:
		if (reason->fit)
			put_nodes(reason->fit, names, to);
		break;
	case TAIL_TEXT:
		buf_puts(to, reason->text ? reason->text : "");
		break;
	}
}

/* "insufficient cpu, insufficient memory" */
static void put_each(const struct reason *reason, const struct reason_names *names,
		     const char *word, struct buf *to)
{
	bool first = true;

	for (dim_set rest = reason->dims; rest; rest &= rest - 1) {
		buf_printf(to, "%s%s ", first ? "" : ", ", word);
		buf_put_str(to, dims_name(names->dims, __builtin_ctzll(rest)));
		first = false;
	}
}

void reason_print_event(const struct reason *reason, const struct reason_names *names,
			struct buf *to)
{
	if (reason->code == REASON_QUEUE_CAPABILITY) {
		buf_puts(to, "queue resource quota insufficient: ");
		put_each(reason, names, "insufficient", to);
	} else if (reason->code == REASON_OVERCOMMIT) {
		buf_puts(to, "resource in cluster is overused: ");
		put_each(reason, names, "overused", to);
	} else if (reason->code == REASON_QUOTA && reason->text) {
		buf_puts(to, reason->text);
	}
}
