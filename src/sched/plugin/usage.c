/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/usage.c - nodes by their measured load (scheduler specification, 6.15 and 1.17; additions, part 4).
 *
 * A node above a threshold takes no pod; the others score by what they have free. What is older than five minutes says
 * nothing: such a node passes, and scores 0. A node of which the source has no samples scores as the others do on
 * average, and a Warning on the node says so.
 *
 * With `estimator` the score counts pods that the measurement does not show yet (just placed, or started less than an
 * interval ago) by an estimate of what they will use. It is made from the tasks of the node as they stand, so that
 * undoing a placement undoes it. */
#include "base/mem.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "model/value/quantity.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/report/object_warnings.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define OVER_CPU "the CPU load of the node exceeds the upper limit."
#define OVER_MEMORY "the memory load of the node exceeds the upper limit."

struct usage {
	double weight;
	double weights[USAGE_COUNT];
	double thresholds[USAGE_COUNT];
	/* estimator */
	bool estimates;
	double request_ratio, burst_ratio, risk_threshold, risk_factor;
	double best_effort[USAGE_COUNT]; /* milli-CPUs, bytes */
	int64_t interval;                /* of the source */
	/* of a session */
	uint64_t epoch; /* changes when time alone has changed an answer */
	size_t current; /* nodes with a measurement that counts */
	double mean;    /* of their scores */
};

/* --- arguments ------------------------------------------------------------------------------- */

/* A number between bounds; another one is reported, and the default stays. */
static double read_bounded(struct plugin_args *args, struct json of, const char *name, double least,
			   double most, double fallback)
{
	struct json value = json_get(of, name);
	double number = json_real(value);

	if (json_is_absent(value))
		return fallback;
	if ((json_is(value, JSON_INT) || json_is(value, JSON_REAL)) && number >= least &&
	    number <= most)
		return number;
	vec_push(&args->notes,
		 mem_printf("argument %s: is no number from %g to %g; the default stays", name,
			    least, most));
	return fallback;
}

/* An integer in a unit of its own, or a quantity. */
static double read_amount(struct plugin_args *args, struct json of, const char *name, double unit,
			  bool milli, double fallback)
{
	struct json value = json_get(of, name);
	struct quantity amount;

	if (json_is_absent(value))
		return fallback;
	if (json_is(value, JSON_INT) && json_int(value) >= 0)
		return (double)json_int(value) * unit;
	if (json_is(value, JSON_STR) && quantity_parse(json_str(value), &amount, NULL) == 0 &&
	    quantity_sign(&amount) >= 0)
		return (double)(milli ? quantity_milli(&amount) : quantity_value(&amount));
	vec_push(&args->notes, mem_printf("argument %s: is no amount; the default stays", name));
	return fallback;
}

static void note_unknown(struct plugin_args *args, struct json of, const char *where,
			 const char *const *known)
{
	struct json_iter it = json_iter(of);

	while (json_next(&it)) {
		size_t i = 0;

		while (known[i] && !str_is(it.key, known[i]))
			i++;
		if (!known[i])
			vec_push(&args->notes,
				 mem_printf("argument %s.%.*s: is not known, and passed over",
					    where, STR_ARG(it.key)));
	}
}

static void read_estimator(struct usage *u, struct plugin_args *args, struct json of)
{
	static const char *const known[] = {
		"request_ratio", "burst_ratio", "risk_threshold", "risk_factor", "be_cpu",
		"be_mem",        NULL};
	static const double mebi = 1024.0 * 1024.0, most = 1e9;

	u->estimates = !json_is_absent(of);
	u->request_ratio = read_bounded(args, of, "request_ratio", 0, 1, 0.7);
	u->burst_ratio = read_bounded(args, of, "burst_ratio", 0, 1, 0);
	u->risk_threshold = read_bounded(args, of, "risk_threshold", 0, 1, 0.6);
	u->risk_factor = read_bounded(args, of, "risk_factor", 1, most, 1.2);
	u->best_effort[USAGE_CPU] = read_amount(args, of, "be_cpu", 1, true, 250);
	u->best_effort[USAGE_MEMORY] = read_amount(args, of, "be_mem", mebi, false, 200 * mebi);
	note_unknown(args, of, "estimator", known);
}

static int usage_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	static const char *const known[] = {"cpu", "mem", NULL};
	struct usage *u = mem_new(struct usage);
	struct json thresholds = args_get(args, "thresholds");

	(void)err;
	u->weight = (double)args_int(args, "usage.weight", 5);
	u->weights[USAGE_CPU] = (double)args_int(args, "cpu.weight", 1);
	u->weights[USAGE_MEMORY] = (double)args_int(args, "memory.weight", 1);
	u->thresholds[USAGE_CPU] = read_bounded(args, thresholds, "cpu", 0, 100, 80);
	u->thresholds[USAGE_MEMORY] = read_bounded(args, thresholds, "mem", 0, 100, 80);
	note_unknown(args, thresholds, "thresholds", known);
	read_estimator(u, args, args_get(args, "estimator"));
	p->state = u;
	return 0;
}

static void usage_free(struct plugin *p)
{
	mem_free(p->state);
}

/* --- estimates ------------------------------------------------------------------------------- */

/* Is it not in the measurement yet? */
static bool is_shadow(const struct plugin *p, const struct task *task)
{
	const struct usage *u = p->state;

	if (task_is(task, TASK_BIT(TASK_ALLOCATED) | TASK_BIT(TASK_BINDING) | TASK_BIT(TASK_BOUND)))
		return true;
	return task->status == TASK_RUNNING &&
	       (!task->started || p->ssn->now - task->started < u->interval);
}

static double estimate(const struct usage *u, const struct class *class, enum usage_kind kind)
{
	static const int dims[USAGE_COUNT] = {[USAGE_CPU] = DIM_CPU, [USAGE_MEMORY] = DIM_MEMORY};
	double request = (double)resources_get(&class->request, dims[kind]);
	double limit = (double)class->limits[kind];
	double guess;

	if (class->empty)
		return u->best_effort[kind];
	if (limit < request)
		limit = request;
	guess = request * u->request_ratio + (limit - request) * u->burst_ratio;
	return guess < limit ? guess : limit;
}

/* Of best effort there is no limit: the risk raises what is guessed. */
static double at_risk(const struct usage *u, const struct class *class, enum usage_kind kind,
		      double risk)
{
	double guess = estimate(u, class, kind) * risk;
	double limit = (double)class->limits[kind];
	int dim = kind == USAGE_CPU ? DIM_CPU : DIM_MEMORY;

	if (limit < (double)resources_get(&class->request, dim))
		limit = (double)resources_get(&class->request, dim);
	return class->empty || guess < limit ? guess : limit;
}

static double clamp(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Shares in use of both, with what is estimated at that risk. */
static void add_shadows(const struct plugin *p, const struct node_info *node, double risk,
			double shares[USAGE_COUNT])
{
	const struct usage *u = p->state;

	for (enum usage_kind kind = USAGE_CPU; kind < USAGE_COUNT; kind++) {
		double whole =
			(double)columns_get(&p->ssn->cluster->columns, CAPACITY_ALLOCATABLE,
					    kind == USAGE_CPU ? DIM_CPU : DIM_MEMORY, node->slot);
		double sum = 0;

		LIST_EACH(&node->tasks, struct task, node_link, task)
			if (is_shadow(p, task))
				sum += at_risk(u, task->class, kind, risk);
		shares[kind] =
			clamp(node->usage.percent[kind] / 100 + (whole > 0 ? sum / whole : 0));
	}
}

static double mean_of(const struct usage *u, const double shares[USAGE_COUNT])
{
	double weights = u->weights[USAGE_CPU] + u->weights[USAGE_MEMORY];

	if (weights <= 0)
		return 0;
	return (shares[USAGE_CPU] * u->weights[USAGE_CPU] +
		shares[USAGE_MEMORY] * u->weights[USAGE_MEMORY]) /
	       weights;
}

/* --- rows ------------------------------------------------------------------------------------ */

static verdict usage_test(const struct plugin *p, const struct task *task,
			  const struct node_info *node)
{
	const struct usage *u = p->state;

	(void)task;
	if (!node_usage_is_current(&node->usage, p->ssn->now))
		return 0;
	if (node->usage.percent[USAGE_CPU] > u->thresholds[USAGE_CPU])
		return VERDICT_OF(FIT_OTHER, session_text(p->ssn, OVER_CPU));
	if (node->usage.percent[USAGE_MEMORY] > u->thresholds[USAGE_MEMORY])
		return VERDICT_OF(FIT_OTHER, session_text(p->ssn, OVER_MEMORY));
	return 0;
}

/* What is free of a node whose load is known, of 100. */
static double score_known(const struct plugin *p, const struct node_info *node)
{
	const struct usage *u = p->state;
	double shares[USAGE_COUNT] = {node->usage.percent[USAGE_CPU] / 100,
				      node->usage.percent[USAGE_MEMORY] / 100};

	if (u->weights[USAGE_CPU] + u->weights[USAGE_MEMORY] <= 0)
		return 0;
	if (u->estimates) {
		add_shadows(p, node, 1, shares);
		if (mean_of(u, shares) >= u->risk_threshold)
			add_shadows(p, node, u->risk_factor, shares);
	}
	return (1 - mean_of(u, shares)) * 100;
}

/* The source was asked, and had nothing. */
static bool has_no_samples(const struct plugin *p, const struct node_info *node)
{
	return node->usage.at &&
	       p->ssn->now - node->usage.at <= USAGE_STALE_SECONDS * (int64_t)TIME_SECOND &&
	       !(node->usage.known[USAGE_CPU] && node->usage.known[USAGE_MEMORY]);
}

static double usage_score(const struct plugin *p, const struct task *task,
			  const struct node_info *node)
{
	const struct usage *u = p->state;

	(void)task;
	if (node_usage_is_current(&node->usage, p->ssn->now))
		return score_known(p, node);
	return has_no_samples(p, node) ? u->mean : 0;
}

static double usage_weight(const struct plugin *p)
{
	return ((const struct usage *)p->state)->weight;
}

static uint64_t usage_key(const struct plugin *p, const struct task *task)
{
	(void)task;
	return ((const struct usage *)p->state)->epoch;
}

/* --- sessions -------------------------------------------------------------------------------- */

static int64_t interval_of(const struct config *config)
{
	int64_t nanoseconds;

	if (duration_parse(json_str(json_get(config->metrics, "interval")), &nanoseconds, NULL) <
		    0 ||
	    nanoseconds <= 0)
		return 30 * (int64_t)TIME_SECOND;
	return nanoseconds / DURATION_MICROSECOND;
}

static void warn(const struct plugin *p, const struct node_info *node, bool missing)
{
	object_warnings_set(
		p->ssn->cluster->warnings, WARNING_NODE, WARNING_USAGE, node->text,
		missing ? "the source of metrics has no samples of this node: its load is "
			  "not known (Prometheus needs the label instance = name of the "
			  "node)"
			: NULL);
}

static void usage_open(struct plugin *p)
{
	struct usage *u = p->state;
	const struct cluster *cluster = p->ssn->cluster;
	size_t current = 0;
	double sum = 0, mean;

	u->interval = interval_of(p->ssn->config);
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		const struct node_info *node = cluster->nodes.ptr[i];

		if (!node || !node->there)
			continue;
		warn(p, node, has_no_samples(p, node));
		if (!node_usage_is_current(&node->usage, p->ssn->now))
			continue;
		current++;
		sum += score_known(p, node);
	}
	mean = current ? sum / (double)current : 0;
	if (current != u->current || mean != u->mean)
		u->epoch++;
	u->current = current;
	u->mean = mean;
}

static const struct filter_row usage_filters[] = {
	{.name = "usage", .scope = SCOPE_NODE, .key = usage_key, .test = usage_test},
	{.name = NULL},
};

static const struct score_row usage_scores[] = {
	{.name = "usage",
	 .scope = SCOPE_NODE,
	 .key = usage_key,
	 .weight = usage_weight,
	 .score = usage_score},
	{.name = NULL},
};

const struct plugin_type usage_plugin = {
	.name = "usage",
	.timed = true,
	.new = usage_new,
	.free = usage_free,
	.open = usage_open,
	.filters = usage_filters,
	.scores = usage_scores,
};
