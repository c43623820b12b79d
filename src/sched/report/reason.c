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
	const char *text; /* the detail comes behind it */
	const char *help;
	const char *hopeless; /* instead, where waiting cannot help; or NULL */
	bool final;           /* evicting others does not change it */
	enum { DETAIL_NONE, DETAIL_DIM, DETAIL_TEXT } detail;
};
static const struct fit_text fit_texts[FIT_CODE_COUNT] = {
	[FIT_INSUFFICIENT] = {.name = "Insufficient",
			      .help = "wait for running pods to end, ask for less, or add a node "
				      "with more of it",
			      .hopeless = "ask for less, or add a node with more of it",
			      .text = "Insufficient ",
			      .detail = DETAIL_DIM},
	[FIT_POD_COUNT] = {.name = "PodCount",
			   .help = "wait for pods of these nodes to end, or add a node",
			   .text = "node(s) pod number exceeded"},
	[FIT_UNSCHEDULABLE] = {.name = "Unschedulable",
			       .help = "uncordon a node",
			       .text = "node(s) were unschedulable",
			       .final = true},
	[FIT_NODE_AFFINITY] =
		{.name = "NodeAffinity",
		 .help = "label a node as its selector or affinity asks for, or change these",
		 .text = "node(s) didn't match Pod's node affinity/selector",
		 .final = true},
	[FIT_TAINT] = {.name = "Taint",
		       .help = "tolerate the taint, or take it from a node",
		       .text = "node(s) had untolerated taint(s)",
		       .final = true},
	[FIT_PORTS] = {.name = "Ports",
		       .help = "wait for the pods that use its host ports to end, or use others",
		       .text = "node(s) didn't have free ports for the requested pod ports"},
	[FIT_POD_AFFINITY] =
		{.name = "PodAffinity",
		 .help = "run the pods that it wants to be near first, or change its affinity",
		 .text = "node(s) didn't match pod affinity rules",
		 .final = true},
	[FIT_POD_ANTI_AFFINITY] =
		{.name = "PodAntiAffinity",
		 .help = "wait for the pods that it keeps away from to end, or add a node",
		 .text = "node(s) didn't match pod anti-affinity rules"},
	[FIT_EXISTING_ANTI_AFFINITY] =
		{.name = "ExistingAntiAffinity",
		 .help = "wait for the pods that keep it away to end, or add a node",
		 .text = "node(s) didn't satisfy existing pods anti-affinity rules"},
	[FIT_VOLUME_LIMIT] = {.name = "VolumeLimit",
			      .help = "wait for pods with volumes to end, or add a node",
			      .text = "node(s) exceed max volume count"},
	[FIT_VOLUME_ZONE] = {.name = "VolumeZone",
			     .help = "add a node in the zone of its volume",
			     .text = "node(s) had no available volume zone",
			     .final = true},
	[FIT_SPREAD_LABEL] =
		{.name = "SpreadLabel",
		 .help = "label the nodes with the key that it is spread by",
		 .text = "node(s) didn't match pod topology spread constraints (missing "
			 "required label)",
		 .final = true},
	[FIT_SPREAD] = {.name = "Spread",
			.help = "free capacity where it has fewer pods, or allow more skew",
			.text = "node(s) didn't match pod topology spread constraints"},
	[FIT_VOLUME_AFFINITY] = {.name = "VolumeAffinity",
				 .help = "free capacity on a node that its volume can be used from",
				 .text = "node(s) didn't match PersistentVolume's node affinity",
				 .final = true},
	[FIT_VOLUME_NONE] = {.name = "VolumeNone",
			     .help = "create a volume for its claim",
			     .text = "node(s) didn't find available persistent volumes to bind",
			     .final = true},
	[FIT_VOLUME_STORAGE] = {.name = "VolumeStorage",
				.help = "free storage, or claim less",
				.text = "node(s) did not have enough free storage",
				.final = true},
	[FIT_VOLUME_LOST] =
		{.name = "VolumeLost",
		 .help = "create the claim anew: its volume is gone",
		 .text = "node(s) unavailable due to one or more pvc(s) bound to non-existent "
			 "pv(s)",
		 .final = true},
	[FIT_ATTACH] = {.name = "VolumeAttach",
			.help = "wait for pods with volumes to end, or let a node have its driver",
			.text = "Insufficient attachable-volumes-csi-",
			.detail = DETAIL_TEXT},
	[FIT_GROUP_LABEL] = {.name = "GroupLabel",
			     .help = "label the nodes with their node group",
			     .text = "node group label not found",
			     .final = true},
	[FIT_GROUP_UNSET] = {.name = "GroupUnset",
			     .help = "say in the queue which node groups it may use",
			     .text = "node group affinity not specified",
			     .final = true},
	[FIT_GROUP_MISMATCH] =
		{.name = "GroupMismatch",
		 .help = "allow the queue another node group, or free capacity in its own",
		 .text = "node does not satisfy the node group affinity",
		 .final = true},
	[FIT_PROPORTION] = {.name = "Proportion",
			    .help = "ask for less of it beside what goes with it",
			    .text = "proportional of resource ",
			    .final = true,
			    .detail = DETAIL_DIM},
	[FIT_SHARD] = {.name = "Shard",
		       .help = "let the shard of this scheduler have more nodes",
		       .text = "node isn't in scheduler node shard",
		       .final = true},
	[FIT_ZONE_CLOSED] = {.name = "ZoneClosed",
			     .help = "wait until the time zone is active",
			     .text = "",
			     .final = true,
			     .detail = DETAIL_TEXT},
	[FIT_ZONE_FOREIGN] = {.name = "ZoneForeign",
			      .help = "mark the pod preemptable, or use another node",
			      .text = "not allow to dispatch to revocable node",
			      .final = true},
	[FIT_OTHER] = {.name = "Other",
		       .help = "see the text",
		       .text = "",
		       .final = true,
		       .detail = DETAIL_TEXT},
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
enum tail { TAIL_NONE, TAIL_SHORTAGE, TAIL_COUNT, TAIL_HAVE, TAIL_NODES, TAIL_TEXT };
struct reason_row {
	const char *name;
	int rank;
	const char *before; /* the subject, where there is one */
	const char *after;
	const char *below; /* instead of `after`, where what is there is below the limit; or NULL */
	enum tail tail;
	const char *help;     /* '@' stands for the subject */
	const char *hopeless; /* instead, where waiting cannot help; or NULL */
};
/* What would keep it back even if everything below were cured ranks higher. */
static const struct reason_row reason_rows[REASON_CODE_COUNT] = {
	[REASON_NONE] = {.name = "", .before = "", .after = "", .help = ""},
	[REASON_OBJECT] = {.name = "InvalidObject",
			   .rank = 100,
			   .before = "",
			   .after = "",
			   .tail = TAIL_TEXT,
			   .help = "correct the object"},
	[REASON_QUEUE_MISSING] = {.name = "QueueMissing",
				  .rank = 95,
				  .before = "queue ",
				  .after = " does not exist",
				  .help = "create queue @, or name another one"},
	[REASON_QUEUE_BROKEN] = {.name = "QueueTree",
				 .rank = 94,
				 .before = "queue ",
				 .after = " has no place in the tree of queues",
				 .help = "give queue @ a parent that exists"},
	[REASON_QUEUE_NOT_LEAF] = {.name = "QueueNotLeaf",
				   .rank = 93,
				   .before = "queue ",
				   .after = " has child queues and takes no jobs",
				   .help = "name one of its child queues"},
	[REASON_QUEUE_CLOSED] = {.name = "QueueClosed",
				 .rank = 92,
				 .before = "queue ",
				 .after = " is not open",
				 .help = "open queue @, or name another one"},
	[REASON_TASKS] = {.name = "NotEnoughTasks",
			  .rank = 90,
			  .before = "",
			  .after = "pods that exist: ",
			  .tail = TAIL_COUNT,
			  .help = "create the pods that are missing, or lower minMember"},
	[REASON_ROLE_TASKS] = {.name = "NotEnoughPodsOfTask",
			       .rank = 89,
			       .before = "role ",
			       .after = ": pods that exist: ",
			       .tail = TAIL_COUNT,
			       .help = "create the pods that are missing, or lower minTaskMember"},
	[REASON_SUB_GROUPS] = {.name = "NotEnoughSubGroups",
			       .rank = 88,
			       .before = "",
			       .after = "there are fewer sub-groups than the minimum",
			       .help = "create the pods that are missing, or lower minSubGroups"},
	[REASON_GATED] = {.name = "SchedulingGated",
			  .rank = 85,
			  .before = "",
			  .after = "pods that have scheduling gates: ",
			  .tail = TAIL_HAVE,
			  .help = "whoever set the gates has to take them away"},
	[REASON_QUOTA] = {.name = "Quota",
			  .rank = 80,
			  .before = "quota ",
			  .after = " is used up for",
			  .below = " leaves too little of",
			  .tail = TAIL_SHORTAGE,
			  .help = "wait for other jobs of the namespace to end, or raise the quota",
			  .hopeless = "ask for less, or raise the quota"},
	[REASON_NO_NODES] = {.name = "NoNodes",
			     .rank = 78,
			     .before = "",
			     .after = "there are no nodes",
			     .help = "add a node"},
	[REASON_QUEUE_CAPABILITY] =
		{.name = "QueueCapability",
		 .rank = 75,
		 .before = "queue ",
		 .after = " is at its capability for",
		 .below = " would pass its capability for",
		 .tail = TAIL_SHORTAGE,
		 .help = "wait for jobs of queue @ to end, or raise its capability",
		 .hopeless = "ask for less, or raise the capability of queue @"},
	[REASON_GUARANTEED] =
		{.name = "GuaranteedToOthers",
		 .rank = 74,
		 .before = "queue ",
		 .after = " asks for what other queues are guaranteed of",
		 .tail = TAIL_SHORTAGE,
		 .help = "wait for jobs of queue @ to end, add nodes, or lower what other queues "
			 "are guaranteed",
		 .hopeless = "ask for less, add nodes, or lower what other queues are guaranteed"},
	[REASON_CLUSTER] = {.name = "ClusterUsedUp",
			    .rank = 58,
			    .before = "queue ",
			    .after = " asks for more than the cluster has of",
			    .tail = TAIL_SHORTAGE,
			    .help = "wait for jobs of queue @ to end, or add nodes",
			    .hopeless = "ask for less, or add nodes"},
	[REASON_RELEASING] = {.name = "WaitsForRelease",
			      .rank = 70,
			      .before = "",
			      .after = "room is being released for it",
			      .help = "nothing: it runs when the pods that are leaving have gone"},
	[REASON_OVERCOMMIT] =
		{.name = "ClusterFull",
		 .rank = 60,
		 .before = "",
		 .after = "it asks for more than the cluster, overcommitted, can admit of",
		 .tail = TAIL_SHORTAGE,
		 .help = "wait for other jobs to end, add nodes, or raise overcommit-factor",
		 .hopeless = "ask for less, add nodes, or raise overcommit-factor"},
	[REASON_QUEUE_SHARE] = {.name = "QueueShare",
				.rank = 55,
				.before = "queue ",
				.after = " is at its share of",
				.below = " would pass its share of",
				.tail = TAIL_SHORTAGE,
				.help = "wait for jobs of queue @ to end, or raise its share",
				.hopeless = "ask for less, or raise the share of queue @"},
	[REASON_NODES] = {.name = "NoNodeFits",
			  .rank = 50,
			  .before = "",
			  .after = "",
			  .tail = TAIL_NODES,
			  .help = ""},
	[REASON_GANG] = {.name = "GangIncomplete",
			 .rank = 40,
			 .before = "",
			 .after = "pods that could be placed: ",
			 .tail = TAIL_COUNT,
			 .help = "free capacity for the others, or lower minMember"},
	[REASON_OTHER] = {.name = "Other",
			  .rank = 10,
			  .before = "",
			  .after = "",
			  .tail = TAIL_TEXT,
			  .help = "see the text"},
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

/* Thousandths of something that is counted: 5, 4.8, 0.001 */
static void put_count(int64_t amount, struct buf *to)
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
		put_count(amount, to);
		return;
	}
	if (dim > DIM_PODS)
		q = quantity_make(quantity_value(&q), QUANTITY_BINARY_SI);
	quantity_print(&q, to);
}

/* An odd number of bytes with a unit and two digits behind the point: 19.2Gi; false: it needs none. */
static bool put_rounded(int64_t bytes, struct buf *to)
{
	static const char units[] = "KMGTPE";
	int unit = -1;
	int64_t whole = 1, rest;

	while (bytes / whole >= 1024 && unit + 1 < (int)sizeof(units) - 1) {
		whole *= 1024;
		unit++;
	}
	if (unit < 0 || bytes % whole == 0 || bytes % (whole / 1024) == 0)
		return false;
	rest = (int64_t)((double)(bytes % whole) / (double)whole * 100);
	buf_printf(to, "%lld", (long long)(bytes / whole));
	if (rest)
		buf_printf(to, rest % 10 ? ".%02lld" : ".%lld",
			   (long long)(rest % 10 ? rest : rest / 10));
	buf_printf(to, "%ci", units[unit]);
	return true;
}

/* As people read it. */
static void put_amount(int dim, int64_t amount, const struct reason_names *names, struct buf *to)
{
	bool finite = amount != RESOURCES_INFINITE;

	if (finite && dim == DIM_CPU && amount > 1000)
		put_count(amount, to);
	else if (!finite || (dim != DIM_MEMORY && dim != DIM_STORAGE) || !put_rounded(amount, to))
		reason_print_amount(dim, amount, names, to);
}

/* "nvidia.com/gpu: 64 of 64, needs 8 more"; where there is still some: "cpu: 32 of 128, 90 promised, asks for 8" */
static void put_shortage(const struct reason *reason, const struct reason_names *names,
			 struct buf *to)
{
	bool below = reason->have < reason->limit;

	buf_putc(to, ' ');
	buf_put_str(to, reason_dim_name(names, reason->dim));
	buf_puts(to, ": ");
	put_amount(reason->dim, reason->have, names, to);
	buf_puts(to, " of ");
	put_amount(reason->dim, reason->limit, names, to);
	if (reason->reserved > 0) {
		buf_puts(to, ", ");
		put_amount(reason->dim, reason->reserved, names, to);
		buf_puts(to, " promised");
	}
	buf_puts(to, below ? ", asks for " : ", needs ");
	put_amount(reason->dim, below ? reason->asked : reason->need, names, to);
	buf_puts(to, below ? "" : " more");
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

/* Volcano says which filter refused before any node; what matters is behind that. */
static const char *without_plugin(const char *text)
{
	static const char words[] = " pre-predicates failed ";
	const char *at = strstr(text, words);

	return at ? at + strlen(words) : text;
}

static void put_nodes(const struct reason *reason, const struct reason_names *names, struct buf *to)
{
	struct fit_count counts[FIT_COUNTS_MAX];
	const struct fit *fit = reason->fit;
	size_t len = fit_sort(fit, counts, ARRAY_LEN(counts));

	if (reason->have)
		buf_printf(to, "with %lld of its pods placed, ", (long long)reason->have);
	buf_printf(to, "0 of %u nodes fit", fit->nodes);
	if (fit->whole)
		buf_printf(to, ": %s", fit->whole);
	for (size_t i = 0; i < len; i++) {
		const struct fit_count *at = &counts[i];

		buf_printf(to, "%s%u: ", i ? ", " : ": ", at->count);
		if (at->code == FIT_OTHER && at->detail < names->text_count)
			buf_puts(to, without_plugin(names->texts[at->detail]));
		else
			fit_code_print(at->code, at->detail, names, to);
		if (at->code == FIT_TAINT && fit->taint) {
			buf_puts(to, ": ");
			reason_print_taint(fit->taint, to);
		}
		if (at->code != FIT_INSUFFICIENT)
			continue;
		buf_puts(to, " (");
		if (fit->request) {
			buf_puts(to, "needs ");
			put_amount(at->detail, resources_get(fit->request, at->detail), names, to);
			buf_puts(to, ", ");
		}
		buf_puts(to, "largest free ");
		put_amount(at->detail, at->most, names, to);
		buf_putc(to, ')');
	}
}

/* Something that the cluster does not have at all? */
static bool is_nowhere(const struct reason *reason)
{
	return (reason->code == REASON_CLUSTER || reason->code == REASON_OVERCOMMIT) &&
	       reason->limit <= 0;
}

void reason_print(const struct reason *reason, const struct reason_names *names, struct buf *to)
{
	const struct reason_row *row = &reason_rows[reason->code];

	if (is_nowhere(reason)) {
		buf_puts(to, "no node has ");
		buf_put_str(to, reason_dim_name(names, reason->dim));
		buf_puts(to, ", it asks for ");
		reason_print_amount(reason->dim, reason->need, names, to);
		return;
	}
	buf_puts(to, row->before);
	buf_put_str(to, symbols_text(names->symbols, reason->subject));
	if (row->tail == TAIL_SHORTAGE &&
	    reason->dim == DIM_NONE) { /* of something that no pod is known to have */
		buf_printf(to, " leaves too little: %s", reason->text ? reason->text : "");
		return;
	}
	buf_puts(to, row->below && reason->have < reason->limit ? row->below : row->after);
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
	case TAIL_HAVE:
		buf_printf(to, "%lld", (long long)reason->have);
		break;
	case TAIL_NODES:
		if (reason->subject)
			buf_puts(to, ": ");
		if (reason->fit)
			put_nodes(reason, names, to);
		break;
	case TAIL_TEXT:
		buf_puts(to, reason->text ? reason->text : "");
		break;
	}
}

/* '@' stands for the subject. */
static void put_help(const char *help, struct str subject, struct buf *to)
{
	for (const char *c = help; *c; c++)
		if (*c == '@')
			buf_put_str(to, subject);
		else
			buf_putc(to, *c);
}

void reason_print_help(const struct reason *reason, const struct reason_names *names,
		       struct buf *to)
{
	const struct reason_row *row = &reason_rows[reason->code];
	struct fit_count most;

	if (row->tail == TAIL_NODES && reason->fit && fit_sort(reason->fit, &most, 1)) {
		const struct fit_text *text = &fit_texts[most.code];

		buf_puts(to, text->hopeless && reason->beyond ? text->hopeless : text->help);
		return;
	}
	if (is_nowhere(reason)) {
		buf_puts(to, "add a node that has it, or do not ask for it");
		return;
	}
	put_help(row->hopeless && reason->beyond ? row->hopeless : row->help,
		 symbols_text(names->symbols, reason->subject), to);
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
