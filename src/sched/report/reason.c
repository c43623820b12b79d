/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/reason.c - texts and ranks of reasons: one table each. */
#include "sched/report/reason.h"

#include <stdlib.h>

#include "base/macro.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/core/taints.h"
#include "model/value/quantity.h"
#include "model/value/resources.h"
#include "sched/cluster/symbols.h"

#include "base/banned.h"

/* --- one node -------------------------------------------------------------------------------- */

struct fit_text {
	const char *name;
	const char *text; /* the detail comes after it */
	bool final;       /* evicting others does not change it */
	enum { DETAIL_NONE, DETAIL_DIM, DETAIL_TEXT, DETAIL_NODE } detail;
};
static const struct fit_text fit_texts[FIT_CODE_COUNT] = {
	[FIT_INSUFFICIENT] = {.name = "Insufficient",
			      .text = "Insufficient ",
			      .detail = DETAIL_DIM},
	[FIT_POD_COUNT] = {.name = "PodCount", .text = "node(s) pod number exceeded"},
	[FIT_UNSCHEDULABLE] = {.name = "Unschedulable",
			       .text = "node(s) were unschedulable",
			       .final = true},
	[FIT_NODE_AFFINITY] = {.name = "NodeAffinity",
			       .text = "node(s) didn't match Pod's node affinity/selector",
			       .final = true},
	[FIT_TAINT] = {.name = "Taint", .text = "node(s) had untolerated taint(s)", .final = true},
	[FIT_PORTS] = {.name = "Ports",
		       .text = "node(s) didn't have free ports for the requested pod ports"},
	[FIT_POD_AFFINITY] = {.name = "PodAffinity",
			      .text = "node(s) didn't match pod affinity rules",
			      .final = true},
	[FIT_POD_ANTI_AFFINITY] = {.name = "PodAntiAffinity",
				   .text = "node(s) didn't match pod anti-affinity rules"},
	[FIT_EXISTING_ANTI_AFFINITY] =
		{.name = "ExistingAntiAffinity",
		 .text = "node(s) didn't satisfy existing pods anti-affinity rules"},
	[FIT_VOLUME_ZONE] = {.name = "VolumeZone",
			     .text = "node(s) had no available volume zone",
			     .final = true},
	[FIT_SPREAD_LABEL] =
		{.name = "SpreadLabel",
		 .text = "node(s) didn't match pod topology spread constraints (missing "
			 "required label)",
		 .final = true},
	[FIT_SPREAD] = {.name = "Spread",
			.text = "node(s) didn't match pod topology spread constraints"},
	[FIT_VOLUME_AFFINITY] = {.name = "VolumeAffinity",
				 .text = "node(s) didn't match PersistentVolume's node affinity",
				 .final = true},
	[FIT_VOLUME_NONE] = {.name = "VolumeNone",
			     .text = "node(s) didn't find available persistent volumes to bind",
			     .final = true},
	[FIT_VOLUME_STORAGE] = {.name = "VolumeStorage",
				.text = "node(s) did not have enough free storage",
				.final = true},
	[FIT_VOLUME_LOST] =
		{.name = "VolumeLost",
		 .text = "node(s) unavailable due to one or more pvc(s) bound to non-existent "
			 "pv(s)",
		 .final = true},
	[FIT_ATTACH] = {.name = "VolumeAttach",
			.text = "Insufficient attachable-volumes-csi-",
			.detail = DETAIL_TEXT},
	[FIT_GROUP_LABEL] = {.name = "GroupLabel",
			     .text = "node group label not found",
			     .final = true},
	[FIT_GROUP_UNSET] = {.name = "GroupUnset",
			     .text = "node group affinity not specified",
			     .final = true},
	[FIT_GROUP_MISMATCH] = {.name = "GroupMismatch",
				.text = "node does not satisfy the node group affinity",
				.final = true},
	[FIT_PROPORTION] = {.name = "Proportion",
			    .text = "proportional of resource ",
			    .final = true,
			    .detail = DETAIL_DIM},
	[FIT_SHARD] = {.name = "Shard",
		       .text = "node isn't in scheduler node shard",
		       .final = true},
	[FIT_ZONE_CLOSED] = {.name = "ZoneClosed",
			     .text = "",
			     .final = true,
			     .detail = DETAIL_TEXT},
	[FIT_ZONE_FOREIGN] = {.name = "ZoneForeign",
			      .text = "not allow to dispatch to revocable node",
			      .final = true},
	[FIT_DEVICE_NONE] = {.name = "NoDevices",
			     .text = "node(s) have no registered devices of the requested kind",
			     .final = true},
	[FIT_VGPU] = {.name = "VGPU", .text = "hami-vgpuDeviceSharing error"},
	[FIT_VGPU_NEVER] = {.name = "VGPUNever",
			    .text = "hami-vgpuDeviceSharing error",
			    .final = true},
	[FIT_GPU_MEMORY] = {.name = "GPUMemory",
			    .text = "GpuShare no enough gpu memory",
			    .detail = DETAIL_NODE},
	[FIT_GPU_NUMBER] = {.name = "GPUNumber",
			    .text = "GpuNumber no enough gpu number",
			    .detail = DETAIL_NODE},
	[FIT_NPU] = {.name = "NPU", .text = "no ascend device available"},
	[FIT_NPU_NEVER] = {.name = "NPUNever", .text = "no ascend device available", .final = true},
	[FIT_NUMA] = {.name = "Numa", .text = "", .detail = DETAIL_TEXT},
	[FIT_OTHER] = {.name = "Other", .text = "", .final = true, .detail = DETAIL_TEXT},
};

bool verdict_is_final(verdict v)
{
	for (uint64_t rest = verdict_codes(v); rest; rest &= rest - 1)
		if (fit_texts[__builtin_ctzll(rest)].final)
			return true;
	return false;
}

struct str reason_dim_name(const struct reason_names *names, int dim)
{
	if (dim != DIM_OTHER)
		return dims_name(names->dims, dim);
	return names->other.len ? names->other : STR("a resource that no node has");
}

const char *fit_code_name(enum fit_code code)
{
	return fit_texts[code].name;
}

void fit_code_print(enum fit_code code, uint16_t detail, const struct reason_names *names,
		    struct buf *to)
{
	const struct fit_text *row = &fit_texts[code];

	buf_puts(to, row->text);
	if (row->detail == DETAIL_DIM)
		buf_put_str(to, reason_dim_name(names, detail));
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
		if (fit_texts[fit->at[i].code].detail == DETAIL_NODE && fit->at[i].most)
			buf_printf(
				&part, " on node %.*s",
				STR_ARG(symbols_text(names->symbols, (uint32_t)fit->at[i].most)));
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

struct reason_row {
	const char *name;
	int rank;
};
/* A reason that would remain if all below it were cured ranks higher. */
static const struct reason_row reason_rows[REASON_CODE_COUNT] = {
	[REASON_NONE] = {"", 0},
	[REASON_QUEUE_MISSING] = {"QueueMissing", 95},
	[REASON_QUEUE_BROKEN] = {"QueueTree", 94},
	[REASON_QUEUE_NOT_LEAF] = {"QueueNotLeaf", 93},
	[REASON_QUEUE_CLOSED] = {"QueueClosed", 92},
	[REASON_TASKS] = {"NotEnoughTasks", 90},
	[REASON_ROLE_TASKS] = {"NotEnoughPodsOfTask", 89},
	[REASON_SUB_GROUPS] = {"NotEnoughSubGroups", 88},
	[REASON_GATED] = {"SchedulingGated", 85},
	[REASON_QUOTA] = {"Quota", 80},
	[REASON_NO_NODES] = {"NoNodes", 78},
	[REASON_QUEUE_CAPABILITY] = {"QueueCapability", 75},
	[REASON_GUARANTEED] = {"GuaranteedToOthers", 74},
	[REASON_CLUSTER] = {"ClusterUsedUp", 58},
	[REASON_RELEASING] = {"WaitsForRelease", 70},
	[REASON_OVERCOMMIT] = {"ClusterFull", 60},
	[REASON_QUEUE_SHARE] = {"QueueShare", 55},
	[REASON_NODES] = {"NoNodeFits", 50},
	[REASON_NETWORK] = {"NetworkTopology", 53},
	[REASON_NETWORK_BROKEN] = {"NetworkTopologyBroken", 79},
	[REASON_GANG] = {"GangIncomplete", 40},
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

bool reason_follows_no_nodes(const struct reason *reason)
{
	switch (reason->code) {
	case REASON_QUEUE_CAPABILITY:
	case REASON_GUARANTEED:
	case REASON_CLUSTER:
	case REASON_QUEUE_SHARE:
	case REASON_OVERCOMMIT:
		return reason->limit <= 0;
	case REASON_NODES:
		return !reason->fit || !reason->fit->whole;
	default:
		return false;
	}
}

bool reasons_have(const struct reasons *reasons, const struct reason *reason)
{
	for (size_t i = 0; i < reasons->len; i++)
		if (reasons->at[i].code == reason->code &&
		    reasons->at[i].subject == reason->subject)
			return true;
	return false;
}

void reasons_add(struct reasons *reasons, const struct reason *reason)
{
	size_t at;

	if (reason->code == REASON_NONE || reasons_have(reasons, reason))
		return;
	for (at = reasons->len;
	     at > 0 && reason_rank(reasons->at[at - 1].code) < reason_rank(reason->code); at--)
		if (at < REASONS_MAX)
			reasons->at[at] = reasons->at[at - 1];
	if (at == REASONS_MAX)
		return;
	reasons->at[at] = *reason;
	if (reasons->len < REASONS_MAX)
		reasons->len++;
}

void reason_put_count(int64_t amount, struct buf *to)
{
	int64_t part = llabs(amount % 1000);

	buf_printf(to, "%s%lld", amount < 0 ? "-" : "", llabs(amount / 1000));
	if (part % 10)
		buf_printf(to, ".%03lld", (long long)part);
	else if (part % 100)
		buf_printf(to, ".%02lld", (long long)part / 10);
	else if (part)
		buf_printf(to, ".%lld", (long long)part / 100);
}

static bool is_bytes(int dim, struct str name)
{
	return dim == DIM_STORAGE || str_starts(name, STR("hugepages-"));
}

void reason_print_amount(int dim, int64_t amount, const struct reason_names *names, struct buf *to)
{
	struct quantity q = resources_quantity(dim, amount);

	if (amount == RESOURCES_INFINITE) {
		buf_puts(to, "unlimited");
		return;
	}
	if (dim > DIM_PODS && !is_bytes(dim, reason_dim_name(names, dim))) {
		reason_put_count(amount, to);
		return;
	}
	if (dim > DIM_PODS)
		q = quantity_make(quantity_value(&q), QUANTITY_BINARY_SI);
	quantity_print(&q, to);
}

void reason_print_taint(const struct taint *taint, struct buf *to)
{
	buf_put_str(to, taint->key);
	if (taint->value.len)
		buf_printf(to, "=%.*s", STR_ARG(taint->value));
	buf_printf(to, ":%s", taint_effect_name(taint->effect));
}

/* Those of most nodes first, then by code: the order in which nodes are known is another after a restart. */
static bool is_before(const struct fit_count *a, const struct fit_count *b)
{
	if (a->count != b->count)
		return a->count > b->count;
	return a->code != b->code ? a->code < b->code : a->detail < b->detail;
}

size_t fit_sort(const struct fit *fit, struct fit_count *ret, size_t max)
{
	size_t len = 0;

	for (size_t i = 0; i < fit->len; i++) {
		size_t at = len < max ? len++ : max;

		while (at > 0 && is_before(&fit->at[i], &ret[at - 1])) {
			if (at < max)
				ret[at] = ret[at - 1];
			at--;
		}
		if (at < max)
			ret[at] = fit->at[i];
	}
	return len;
}

/* "insufficient cpu, insufficient memory" */
static void put_each(const struct reason *reason, const struct reason_names *names,
		     const char *word, struct buf *to)
{
	bool first = true;

	for (dim_set rest = reason->dims; rest; rest &= rest - 1) {
		buf_printf(to, "%s%s ", first ? "" : ", ", word);
		buf_put_str(to, reason_dim_name(names, __builtin_ctzll(rest)));
		first = false;
	}
}

void reason_print_event(const struct reason *reason, const struct reason_names *names,
			struct buf *to)
{
	if (reason->code == REASON_QUEUE_CAPABILITY || reason->code == REASON_GUARANTEED ||
	    reason->code == REASON_CLUSTER) {
		buf_puts(to, "queue resource quota insufficient: ");
		put_each(reason, names, "insufficient", to);
	} else if (reason->code == REASON_OVERCOMMIT) {
		buf_puts(to, "resource in cluster is overused: ");
		put_each(reason, names, "overused", to);
	} else if (reason->code == REASON_QUOTA && reason->text) {
		buf_puts(to, reason->text);
	}
}
