/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/resourcequota.c - a group is admitted where the quotas of its namespace have capacity for
 * minResources (scheduler specification, 6.10), so that its pods can be created.
 *
 * A quota's status says what exists. What has been admitted and does not exist yet is counted as well,
 * not only in the session that admitted it, as upstream does: what an admitted group lacks of its
 * minimum is its own. And what a group's own pods use is not held against it: else a group whose pods
 * came first, and just fit, would wait forever.
 *
 * Names are the quota's: cpu, requests.cpu, limits.memory, pods, count/pods; amounts in thousandths.
 * Of limits, which the model does not know of pods, those that exist have their part of the
 * minimum. Scopes are not looked at. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "model/core/quota.h"
#include "model/value/quantity.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* One line of a quota. */
struct limit {
	const struct thing *thing;
	struct str namespace;
	struct str name;
	int64_t hard;
	int64_t used;
	int64_t held; /* admitted, and does not exist yet */
};

struct quotas {
	VEC(struct limit) limits; /* those of a quota follow each other */
	bool read;                /* in this session */
};

static const int64_t thousand = 1000;

static int quotas_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	(void)args;
	(void)err;
	p->state = mem_new(struct quotas);
	return 0;
}

static void quotas_free(struct plugin *p)
{
	struct quotas *quotas = p->state;

	if (quotas)
		vec_done(&quotas->limits);
	mem_free(quotas);
}

static void quotas_open(struct plugin *p)
{
	((struct quotas *)p->state)->read = false;
}

/* --- amounts --------------------------------------------------------------------------------- */

/* The dimension that a quota's name is about; DIM_NONE: none that is known of pods. */
static int dim_of(const struct cluster *cluster, struct str name)
{
	static const struct str requests = {.ptr = "requests.", .len = sizeof("requests.") - 1};

	if (str_is(name, "count/pods"))
		return DIM_PODS;
	return dims_find(cluster->dims,
			 str_starts(name, requests) ? str_skip(name, requests.len) : name);
}

/* What the pods that a job has ask for under that name, of at most its minimum. */
static int64_t existing(const struct cluster *cluster, const struct job *job, struct str name,
			int64_t min)
{
	uint32_t pods = tally_of(&job->tally, TASKS_ALLOCATED | TASK_BIT(TASK_PENDING));
	int dim = dim_of(cluster, name);
	int64_t amount;

	if (dim == DIM_NONE) { /* limits: a part of it for each pod */
		if (!pods || (int64_t)pods >= job->min_available)
			return pods ? min : 0;
		return (int64_t)((double)min * pods / job->min_available);
	}
	amount = number_add(resources_get(&job->allocated, dim), resources_get(&job->pending, dim));
	if (dim == DIM_PODS)
		amount = pods;
	if (dim_is_whole(dim) && amount < INT64_MAX / thousand)
		amount *= thousand;
	return amount < min ? amount : min;
}

/* --- reading --------------------------------------------------------------------------------- */

static int64_t amount_in(const struct resource_list *list, struct str name)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->ptr[i].name, name))
			return quantity_milli(&list->ptr[i].value);
	return 0;
}

static void add_limits(struct quotas *quotas, const struct thing *thing)
{
	const struct quota *quota = thing->view;

	for (size_t i = 0; i < quota->status.hard.len; i++) {
		const struct resource_amount *hard = &quota->status.hard.ptr[i];

		vec_push(&quotas->limits,
			 (struct limit){.thing = thing,
					.namespace = quota->meta.namespace,
					.name = hard->name,
					.hard = quantity_milli(&hard->value),
					.used = amount_in(&quota->status.used, hard->name)});
	}
}

/* What an admitted job still lacks of its minimum is its own. */
static void hold(const struct plugin *p, const struct job *job)
{
	const struct cluster *cluster = p->ssn->cluster;
	struct quotas *quotas = p->state;

	for (size_t i = 0; i < quotas->limits.len; i++) {
		struct limit *limit = &quotas->limits.ptr[i];
		int64_t min;

		if (str_eq(limit->namespace, job_namespace(job)) &&
		    job_min_amount(job, cluster->dims, limit->name, &min))
			limit->held = number_add(limit->held,
						 min - existing(cluster, job, limit->name, min));
	}
}

static bool is_admitted(const struct job *job)
{
	return job->grouped && job->has_min_resources && !job_is_pending(job) &&
	       job->phase != PODGROUP_COMPLETED;
}

static struct quotas *read_quotas(const struct plugin *p)
{
	struct quotas *quotas = p->state;
	const struct cluster *cluster = p->ssn->cluster;
	size_t at = 0;
	void *value;

	if (quotas->read)
		return quotas;
	quotas->read = true;
	quotas->limits.len = 0;
	while (map_next(cluster->things[CLUSTER_QUOTA], &at, NULL, &value))
		add_limits(quotas, value);
	at = 0;
	while (quotas->limits.len && map_next(cluster->jobs, &at, NULL, &value))
		if (is_admitted(value))
			hold(p, value);
	return quotas;
}

/* --- hooks ----------------------------------------------------------------------------------- */

struct demand {
	const struct limit *limit;
	int64_t own; /* minResources under this name */
	int64_t used;
	bool over;
};

/* What the group asks of one line; false: nothing. */
static bool demand_of(const struct plugin *p, const struct job *job, const struct limit *limit,
		      struct demand *ret)
{
	const struct cluster *cluster = p->ssn->cluster;
	int64_t there;

	if (!str_eq(limit->namespace, job_namespace(job)) ||
	    !job_min_amount(job, cluster->dims, limit->name, &ret->own))
		return false;
	there = existing(cluster, job, limit->name, ret->own);
	ret->limit = limit;
	ret->used = number_add(limit->used > there ? limit->used - there : 0, limit->held);
	ret->over = number_add(ret->used, ret->own) > limit->hard;
	return true;
}

enum column { COLUMN_OWN, COLUMN_USED, COLUMN_HARD };

/* "map[cpu:3 memory:1Gi]" of what is over, as Volcano's event has it. */
static void put_map(const struct plugin *p, const struct job *job, const struct thing *thing,
		    enum column column, struct buf *to)
{
	const struct quotas *quotas = p->state;
	bool first = true;

	buf_puts(to, "map[");
	for (size_t i = 0; i < quotas->limits.len; i++) {
		struct demand d;
		struct quantity amount;
		int64_t value;

		if (quotas->limits.ptr[i].thing != thing ||
		    !demand_of(p, job, &quotas->limits.ptr[i], &d) || !d.over)
			continue;
		value = column == COLUMN_OWN ? d.own : d.used;
		if (column == COLUMN_HARD)
			value = d.limit->hard;
		amount = quantity_make_milli(value,
					     dim_of(p->ssn->cluster, d.limit->name) == DIM_MEMORY
						     ? QUANTITY_BINARY_SI
						     : QUANTITY_DECIMAL_SI);
		buf_printf(to, "%s%.*s:", first ? "" : " ", STR_ARG(d.limit->name));
		quantity_print(&amount, to);
		first = false;
	}
	buf_putc(to, ']');
}

static void report(const struct plugin *p, const struct job *job, const struct demand *d,
		   struct reason *why)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	const struct thing *thing = d->limit->thing;
	int dim = dim_of(p->ssn->cluster, d->limit->name);
	int64_t unit = dim != DIM_NONE && dim_is_whole(dim) ? thousand : 1;

	buf_puts(&text, "resource quota insufficient, requested: ");
	put_map(p, job, thing, COLUMN_OWN, &text);
	buf_puts(&text, ", used: ");
	put_map(p, job, thing, COLUMN_USED, &text);
	buf_puts(&text, ", limited: ");
	put_map(p, job, thing, COLUMN_HARD, &text);
	*why = (struct reason){.code = REASON_QUOTA,
			       .dim = (int8_t)dim,
			       .dims = dim == DIM_NONE ? 0 : DIM_BIT(dim),
			       .subject = thing->name,
			       .have = d->used / unit,
			       .limit = d->limit->hard / unit,
			       .asked = d->own / unit,
			       .need = (number_add(d->used, d->own) - d->limit->hard) / unit,
			       .beyond = d->own > d->limit->hard,
			       .resource = d->limit->name,
			       .text = arena_strdup(p->ssn->arena, buf_text(&text))};
}

static enum vote quotas_enqueueable(const struct plugin *p, const struct job *job,
				    struct reason *why)
{
	const struct quotas *quotas = read_quotas(p);

	for (size_t i = 0; job->has_min_resources && i < quotas->limits.len; i++) {
		struct demand d;

		if (!demand_of(p, job, &quotas->limits.ptr[i], &d) || !d.over)
			continue;
		report(p, job, &d, why);
		return VOTE_REJECT;
	}
	return VOTE_PERMIT;
}

/* The others of this session see it: it is about to be admitted. */
static void quotas_enqueued(const struct plugin *p, struct job *job)
{
	if (job->has_min_resources && read_quotas(p)->limits.len)
		hold(p, job);
}

const struct plugin_type resourcequota_plugin = {
	.name = "resourcequota",
	.new = quotas_new,
	.free = quotas_free,
	.open = quotas_open,
	.job_vote = {[JOB_ENQUEUEABLE] = quotas_enqueueable},
	.job_enqueued = quotas_enqueued,
};
