/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/rescheduling.c - moves pods from hot nodes to cool ones, for the action shuffle (scheduler
 * specification, 6.16 and 5.6; additions, part 5).
 *
 * Every `interval`, strategy lowNodeUtilization: nodes whose measured load is below `thresholds` are low, those with
 * some of it above `targetThresholds` high. Pods of high nodes go, the least important first, until the node would be
 * below its target, by their requests. Unlike Volcano's, a pod goes only if (a) what protects pods from preemption
 * permits it (gang minimum, budgets, cool-down, system pods, preemptable), and (b) a low node has the capacity for it, and
 * takes it by all filters, in addition to those that were chosen before. `dryRun` reports what would move, and why,
 * and evicts nothing. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "sched/place/finder.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"
#include "sched/session/statement.h"

#include "base/banned.h"

#define STRATEGY "lowNodeUtilization"
#define CRITICAL "system-cluster-critical"
enum { CRITICAL_PRIORITY = 2000000000 };

struct rescheduling {
	int64_t interval;
	bool dry_run;
	double thresholds[USAGE_COUNT];
	double targets[USAGE_COUNT];
	char *least_class; /* pods of its priority and above stay */
	int64_t last;      /* run, or the first session */
	bool due;
};

/* --- arguments ------------------------------------------------------------------------------- */

static int read_percents(struct plugin_args *args, struct json of, const char *name,
			 double ret[USAGE_COUNT], struct err *err)
{
	static const char *const keys[USAGE_COUNT] = {
		[USAGE_CPU] = "cpu", [USAGE_MEMORY] = "memory"};
	struct json_iter it = json_iter(of);

	for (int i = 0; i < USAGE_COUNT; i++)
		ret[i] = 100;
	while (json_next(&it)) {
		double percent = json_real(it.value);
		int kind = str_is(it.key, keys[USAGE_CPU])      ? USAGE_CPU
			   : str_is(it.key, keys[USAGE_MEMORY]) ? USAGE_MEMORY
								: USAGE_COUNT;

		if (!(json_is(it.value, JSON_INT) || json_is(it.value, JSON_REAL)) || percent < 0 ||
		    percent > 100)
			return err_set(err, ERR_INVALID, "%s.%.*s: must be a number from 0 to 100",
				       name, STR_ARG(it.key));
		if (kind < USAGE_COUNT)
			ret[kind] = percent;
		else
			vec_push(&args->notes,
				 mem_printf(
					 "argument %s.%.*s: has no measurement, and is passed over",
					 name, STR_ARG(it.key)));
	}
	return 0;
}

static int read_params(struct rescheduling *r, struct plugin_args *args, struct json params,
		       struct err *err)
{
	struct json class = json_get(params, "thresholdPriorityClassName");

	if (read_percents(args, json_get(params, "thresholds"), "thresholds", r->thresholds, err) <
		    0 ||
	    read_percents(args, json_get(params, "targetThresholds"), "targetThresholds",
			  r->targets, err) < 0)
		return -1;
	mem_free(r->least_class);
	r->least_class = json_is(class, JSON_STR) ? str_dup(json_str(class)) : mem_strdup(CRITICAL);
	if (json_is(json_get(params, "nodeFit"), JSON_BOOL) &&
	    !json_bool(json_get(params, "nodeFit")))
		vec_push(&args->notes,
			 mem_strdup("argument nodeFit: a pod is moved only if it fits "
				    "elsewhere, whatever this says"));
	return 0;
}

static int read_strategies(struct rescheduling *r, struct plugin_args *args, struct json list,
			   struct err *err)
{
	struct json_iter it = json_iter(list);

	if (json_is_absent(list))
		return read_params(r, args, JSON_NONE, err);
	while (json_next(&it)) {
		struct str name = json_str(json_get(it.value, "name"));

		if (!str_is(name, STRATEGY))
			return err_set(
				err, ERR_INVALID,
				"strategies[%zu]: there is no strategy \"%.*s\", only " STRATEGY,
				it.index, STR_ARG(name));
		if (read_params(r, args, json_get(it.value, "params"), err) < 0)
			return err_wrap(err, "strategies[%zu].params", it.index);
	}
	return 0;
}

static int64_t read_interval(struct plugin_args *args)
{
	struct str text = args_str(args, "interval", STR("5m"));
	int64_t nanoseconds;

	if (duration_parse(text, &nanoseconds, NULL) == 0 && nanoseconds >= 0)
		return nanoseconds / DURATION_MICROSECOND;
	vec_push(&args->notes,
		 mem_printf("argument interval: \"%.*s\" is no duration; 5m holds", STR_ARG(text)));
	return (int64_t)5 * 60 * TIME_SECOND;
}

static int rescheduling_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct rescheduling *r = mem_new(struct rescheduling);

	p->state = r;
	r->interval = read_interval(args);
	r->dry_run = args_bool(args, "dryRun", false);
	(void)args_str(args, "metricsPeriod", STR("5m")); /* there is one period: ten minutes */
	return read_strategies(r, args, args_get(args, "strategies"), err);
}

static void rescheduling_free(struct plugin *p)
{
	struct rescheduling *r = p->state;

	mem_free(r->least_class);
	mem_free(r);
}

static void rescheduling_open(struct plugin *p)
{
	struct rescheduling *r = p->state;

	if (!r->last)
		r->last = p->ssn->now;
	r->due = r->last + r->interval < p->ssn->now;
}

/* --- nodes ----------------------------------------------------------------------------------- */

/* A low node, with what is left of it; or a high one, with what is left of its load. */
struct place {
	struct node_info *node;
	struct resources left;
	double load[USAGE_COUNT]; /* percent */
};
struct places {
	VEC(struct place) low;
	VEC(struct place) high;
	size_t measured;
};

static void places_done(struct places *places)
{
	for (size_t i = 0; i < places->low.len; i++)
		resources_done(&places->low.ptr[i].left);
	vec_done(&places->low);
	vec_done(&places->high);
}
DEFINE_AUTO_IN_PLACE(struct places, places_done);

static bool is_below(const double load[USAGE_COUNT], const double bounds[USAGE_COUNT])
{
	return load[USAGE_CPU] < bounds[USAGE_CPU] && load[USAGE_MEMORY] < bounds[USAGE_MEMORY];
}

static int hottest_first(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	double x = a->load[USAGE_CPU] + a->load[USAGE_MEMORY];
	double y = b->load[USAGE_CPU] + b->load[USAGE_MEMORY];

	if (x != y)
		return x > y ? -1 : 1;
	return (a->node->slot > b->node->slot) - (a->node->slot < b->node->slot);
}

static void sort_nodes(const struct plugin *p, struct places *places)
{
	const struct rescheduling *r = p->state;
	const struct cluster *cluster = p->ssn->cluster;

	for (size_t i = 0; i < cluster->nodes.len; i++) {
		struct node_info *node = cluster->nodes.ptr[i];
		struct place place = {.node = node, .left = RESOURCES_INIT};

		if (!node || !node->there || !node_usage_is_current(&node->usage, p->ssn->now))
			continue;
		places->measured++;
		for (int kind = 0; kind < USAGE_COUNT; kind++)
			place.load[kind] = node->usage.percent[kind];
		if (!node->profile->unschedulable && is_below(place.load, r->thresholds)) {
			cluster_capacity(cluster, CAPACITY_IDLE, node, &place.left);
			vec_push(&places->low, place);
		} else if (place.load[USAGE_CPU] > r->targets[USAGE_CPU] ||
			   place.load[USAGE_MEMORY] > r->targets[USAGE_MEMORY]) {
			vec_push(&places->high, place);
		}
	}
	if (places->high.len)
		qsort(places->high.ptr, places->high.len, sizeof(*places->high.ptr), hottest_first);
}

/* --- pods ------------------------------------------------------------------------------------ */

/* Best effort, burstable, guaranteed. */
static int quality(const struct task *task)
{
	return task->class->cpu_ask ? 2 : !task->class->empty;
}

static int least_important_first(const void *left, const void *right)
{
	const struct task *a = *(struct task *const *)left, *b = *(struct task *const *)right;

	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (quality(a) != quality(b))
		return quality(a) - quality(b);
	return str_cmp(task_key(a), task_key(b));
}

/* A gang at its minimum is not broken. Pods of a job whose minimum is 1 are no gang: each may move. */
static bool spares_gang(const struct job *job)
{
	return job->min_available <= 1 || (int64_t)job_ready_count(job) > job->min_available;
}

/* What protects a pod from preemption by any job. */
static bool may_go(const struct plugin *p, const struct task *task)
{
	static const char *const guards[] = {"conformance", "pdb", "cdp"};
	const struct rescheduling *r = p->state;
	const struct evict_ask ask = {.kind = EVICT_PREEMPT};
	int32_t least = CRITICAL_PRIORITY;

	(void)cluster_priority(p->ssn->cluster, str_from(r->least_class), &least);
	if (task->status != TASK_RUNNING || !task->job || !task->ours || !task->preemptable ||
	    task->system || task->priority >= least || !spares_gang(task->job))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(guards); i++) {
		const struct plugin *guard = config_find_plugin(p->ssn->config, guards[i]);

		if (guard && plugin_is_on(guard, SWITCH_PREEMPTABLE) &&
		    !guard->type->evictable[EVICT_PREEMPT](guard, &ask, task))
			return false;
	}
	return true;
}

/* A low node that takes it, with what has been promised to others taken off; NULL: none. */
static struct place *place_for(const struct plugin *p, struct places *places,
			       const struct task *task)
{
	for (size_t i = 0; i < places->low.len; i++) {
		struct place *low = &places->low.ptr[i];
		bool fits = true;

		for (dim_set rest = task->class->dims; rest; rest &= rest - 1) {
			int dim = __builtin_ctzll(rest);

			fits &= resources_get(&task->class->request, dim) <=
				resources_get(&low->left, dim);
		}
		if (fits && finder_test(p->ssn, task, low->node, CAPACITY_COUNT) == 0)
			return low;
	}
	return NULL;
}

static void take_off(const struct plugin *p, struct place *from, struct place *to,
		     const struct task *task)
{
	static const int dims[USAGE_COUNT] = {[USAGE_CPU] = DIM_CPU, [USAGE_MEMORY] = DIM_MEMORY};

	resources_count(&to->left, &task->class->request, -1);
	for (int kind = 0; kind < USAGE_COUNT; kind++) {
		int64_t whole = columns_get(&p->ssn->cluster->columns, CAPACITY_ALLOCATABLE,
					    dims[kind], from->node->slot);

		if (whole > 0)
			from->load[kind] -=
				100.0 * (double)resources_get(&task->class->request, dims[kind]) /
				(double)whole;
	}
}

static void report(const struct plugin *p, const struct place *from, const struct place *to,
		   struct task *task)
{
	const struct rescheduling *r = p->state;
	const struct node_usage *usage = &from->node->usage;

	decisions_add_event(
		p->ssn, NULL, task, "Normal", "WouldReschedule",
		arena_printf(
			p->ssn->arena,
			"would move from %s (CPU %.0f %%, memory %.0f %% in use; target %.0f %%, "
			"%.0f %%) to %s (CPU %.0f %%, memory %.0f %%)",
			from->node->text.ptr, usage->percent[USAGE_CPU],
			usage->percent[USAGE_MEMORY], r->targets[USAGE_CPU],
			r->targets[USAGE_MEMORY], to->node->text.ptr,
			to->node->usage.percent[USAGE_CPU], to->node->usage.percent[USAGE_MEMORY]));
}

/* Pods of one node, as long as it is not below its target. The guards see them evicted while others are looked at. */
static void cool(const struct plugin *p, struct places *places, struct place *high,
		 struct statement *st, struct task_list *to)
{
	const struct rescheduling *r = p->state;
	struct task_list tasks = {0};

	LIST_EACH(&high->node->tasks, struct task, node_link, task)
		vec_push(&tasks, task);
	if (tasks.len)
		qsort(tasks.ptr, tasks.len, sizeof(*tasks.ptr), least_important_first);
	for (size_t i = 0; i < tasks.len && !is_below(high->load, r->targets); i++) {
		struct task *task = tasks.ptr[i];
		struct place *low = may_go(p, task) ? place_for(p, places, task) : NULL;

		if (!low)
			continue;
		take_off(p, high, low, task);
		statement_evict(st, task, "shuffle", NULL);
		if (r->dry_run)
			report(p, high, low, task);
		else
			vec_push(to, task);
	}
	vec_done(&tasks);
}

static void rescheduling_victims(const struct plugin *p, struct task_list *to)
{
	struct rescheduling *r = p->state;
	AUTO(places_done) struct places places = {0};
	struct statement *st;

	if (!r->due)
		return;
	sort_nodes(p, &places);
	if (!places.measured)
		return; /* nothing is known yet: it stays due */
	r->due = false;
	r->last = p->ssn->now;
	if (!places.low.len || !places.high.len)
		return;
	st = statement_new(p->ssn);
	for (size_t i = 0; i < places.high.len; i++)
		cool(p, &places, &places.high.ptr[i], st, to);
	statement_discard(st);
}

const struct plugin_type rescheduling_plugin = {
	.name = "rescheduling",
	.timed = true,
	.new = rescheduling_new,
	.free = rescheduling_free,
	.open = rescheduling_open,
	.victims = rescheduling_victims,
};
