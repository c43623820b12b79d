/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/numbers.c - see the header. A histogram has its buckets by its row; a series of it is made
 * when its labels are first seen, and there are few of them: names of plugins, actions and stages. */
#include "scheduler/numbers.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "sched/cluster/cluster.h"
#include "sched/plugin/plugin.h"
#include "sched/session/config.h"

#include "base/banned.h"

enum { BUCKETS_MAX = 30 };

static const struct {
	const char *name;
	const char *help;
	double low, high;
	int count;
	const char *of, *at; /* names of labels */
} rows[METRIC_COUNT] = {
	[METRIC_CYCLE] = {"e2e_scheduling_latency_milliseconds", "One cycle", 1, 5000, 20, NULL,
			  NULL},
	[METRIC_OPEN] = {"open_session_duration_milliseconds", "Opening a session", 1, 5000, 20,
			 NULL, NULL},
	[METRIC_JOB] = {"e2e_job_scheduling_latency_milliseconds",
			"From a job's creation until its last task is assumed", 100, 120000, 30,
			NULL, NULL},
	[METRIC_PLUGIN] = {"plugin_scheduling_latency_milliseconds", "What a plugin takes", 0.1,
			   100, 15, "plugin", "OnSession"},
	[METRIC_ACTION] = {"action_scheduling_latency_milliseconds", "What an action takes", 1,
			   2000, 20, "action", NULL},
	[METRIC_TASK] = {"task_scheduling_latency_milliseconds",
			 "From a pod's creation until this stage", 50, 60000, 30, "stage", NULL},
	[METRIC_STAGE] = {"scheduling_stage_duration_milliseconds", "What a stage of a task takes",
			  0.1, 500, 20, "stage", NULL},
};

struct series {
	char *of, *at;
	uint64_t buckets[BUCKETS_MAX];
	uint64_t count;
	double sum;
};

struct numbers {
	VEC(struct series) series[METRIC_COUNT];
	double bounds[METRIC_COUNT][BUCKETS_MAX];
};

struct numbers *numbers_new(void)
{
	struct numbers *numbers = mem_new(struct numbers);

	for (size_t i = 0; i < METRIC_COUNT; i++) {
		double factor = pow(rows[i].high / rows[i].low, 1.0 / (rows[i].count - 1));
		double bound = rows[i].low;

		for (int b = 0; b < rows[i].count; b++, bound *= factor)
			numbers->bounds[i][b] = bound;
		if (!rows[i].of)
			(void)vec_add(&numbers->series[i]);
	}
	return numbers;
}

void numbers_free(struct numbers *numbers)
{
	if (!numbers)
		return;
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		for (size_t j = 0; j < numbers->series[i].len; j++) {
			mem_free(numbers->series[i].ptr[j].of);
			mem_free(numbers->series[i].ptr[j].at);
		}
		vec_done(&numbers->series[i]);
	}
	mem_free(numbers);
}

static bool is_value(const char *have, const char *want)
{
	return !have || !want ? have == want : strcmp(have, want) == 0;
}

void numbers_observe(struct numbers *numbers, enum metric metric, const char *of, const char *at,
		     int64_t microseconds)
{
	double ms = (double)microseconds / (double)TIME_MILLISECOND;
	struct series *found = NULL;

	for (size_t i = 0; i < numbers->series[metric].len && !found; i++) {
		struct series *series = &numbers->series[metric].ptr[i];

		if (is_value(series->of, of) && is_value(series->at, at))
			found = series;
	}
	if (!found) {
		found = vec_add(&numbers->series[metric]);
		found->of = of ? mem_strdup(of) : NULL;
		found->at = at ? mem_strdup(at) : NULL;
	}
	found->count++;
	found->sum += ms;
	for (int b = 0; b < rows[metric].count; b++)
		found->buckets[b] += ms <= numbers->bounds[metric][b];
}

/* --- printing ------------------------------------------------------------------------------------ */

static void put_head(struct buf *to, const char *name, const char *type, const char *help)
{
	buf_printf(to, "# HELP volcano_%s %s\n# TYPE volcano_%s %s\n", name, help, name, type);
}

static void put_labels(struct buf *to, size_t row, const struct series *series)
{
	if (rows[row].of)
		buf_printf(to, "%s=\"%s\",", rows[row].of, series->of);
	if (rows[row].at)
		buf_printf(to, "%s=\"%s\",", rows[row].at, series->at);
}

static void put_series(struct buf *to, const struct numbers *numbers, size_t row,
		       const struct series *series)
{
	for (int b = 0; b <= rows[row].count; b++) {
		buf_printf(to, "volcano_%s_bucket{", rows[row].name);
		put_labels(to, row, series);
		if (b < rows[row].count)
			buf_printf(to, "le=\"%.6g\"} %llu\n", numbers->bounds[row][b],
				   (unsigned long long)series->buckets[b]);
		else
			buf_printf(to, "le=\"+Inf\"} %llu\n", (unsigned long long)series->count);
	}
	buf_printf(to, "volcano_%s_sum{", rows[row].name);
	put_labels(to, row, series);
	buf_printf(to, "} %.6g\nvolcano_%s_count{", series->sum, rows[row].name);
	put_labels(to, row, series);
	buf_printf(to, "} %llu\n", (unsigned long long)series->count);
}

void numbers_print(const struct numbers *numbers, struct buf *to)
{
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		put_head(to, rows[i].name, "histogram", rows[i].help);
		for (size_t j = 0; j < numbers->series[i].len; j++)
			put_series(to, numbers, i, &numbers->series[i].ptr[j]);
	}
}

/* The largest part that it holds of any resource. */
static double share_of(const struct resources *held, const struct resources *of)
{
	double most = 0;

	for (dim_set rest = resources_dims(of); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		double one = resources_share(resources_get(held, dim), resources_get(of, dim));

		if (one > most)
			most = one;
	}
	return most;
}

/* --- jobs ---------------------------------------------------------------------------------------- */

struct job_row {
	const char *name;
	const char *help;
	bool of_job; /* labels job_id alone, else job_name, queue and job_namespace */
	bool counts; /* a counter */
	double (*value)(const struct job *job);
};

static double seconds(int64_t time)
{
	return (double)time / (double)TIME_SECOND;
}

static double job_duration(const struct job *job)
{
	return job->assumed ? (double)(job->assumed - job->created) / (double)TIME_MILLISECOND : -1;
}

static double job_start(const struct job *job)
{
	return seconds(job->created);
}

static double job_last(const struct job *job)
{
	return job->assumed ? seconds(job->assumed) : -1;
}

static double job_lacks(const struct job *job)
{
	int64_t lacks = job_is_ready(job) ? 0 : (int64_t)job->min_available - job_ready_count(job);

	return lacks > 0 ? (double)lacks : 0;
}

static double job_retries(const struct job *job)
{
	return job->retries;
}

static const struct job_row job_rows[] = {
	{"e2e_job_scheduling_duration", "From its creation until its last task was assumed", false,
	 false, job_duration},
	{"e2e_job_scheduling_start_time", "When it was created", false, false, job_start},
	{"e2e_job_scheduling_last_time", "When the last of its tasks was assumed", false, false,
	 job_last},
	{"unschedule_task_count", "Tasks that it lacks of its minimum", true, false, job_lacks},
	{"job_retry_counts", "Cycles that could not place it", true, true, job_retries},
};

static void put_job(struct buf *to, const struct cluster *cluster, const struct job_row *row,
		    const struct job *job)
{
	double value = row->value(job);

	if (value < 0)
		return;
	if (row->of_job)
		buf_printf(to, "volcano_%s{job_id=\"%.*s\",job_ns=\"%.*s\"} %.15g\n", row->name,
			   STR_ARG(job_name(job)), STR_ARG(job_namespace(job)), value);
	else
		buf_printf(to,
			   "volcano_%s{job_name=\"%.*s\",queue=\"%.*s\",job_namespace=\"%.*s\"} "
			   "%.15g\n",
			   row->name, STR_ARG(job_name(job)),
			   STR_ARG(symbols_text(cluster->symbols, job->queue_name)),
			   STR_ARG(job_namespace(job)), value);
}

static void print_jobs(const struct cluster *cluster, struct buf *to)
{
	int64_t waiting = 0;
	size_t at = 0;
	void *value;

	for (size_t i = 0; i < ARRAY_LEN(job_rows); i++) {
		put_head(to, job_rows[i].name, job_rows[i].counts ? "counter" : "gauge",
			 job_rows[i].help);
		at = 0;
		while (map_next(cluster->jobs, &at, NULL, &value))
			if (((const struct job *)value)->grouped)
				put_job(to, cluster, &job_rows[i], value);
	}
	at = 0;
	while (map_next(cluster->jobs, &at, NULL, &value))
		waiting += ((const struct job *)value)->grouped && !job_is_ready(value);
	put_head(to, "job_share", "gauge", "The largest part of a resource that a job holds");
	at = 0;
	while (map_next(cluster->jobs, &at, NULL, &value)) {
		const struct job *job = value;

		if (job->grouped)
			buf_printf(to, "volcano_job_share{job_ns=\"%.*s\",job_id=\"%.*s\"} %.6g\n",
				   STR_ARG(job_namespace(job)), STR_ARG(job_name(job)),
				   share_of(&job->allocated, &cluster->total));
	}
	put_head(to, "unschedule_job_count", "gauge", "Jobs that do not have their minimum");
	buf_printf(to, "volcano_unschedule_job_count %lld\n", (long long)waiting);
}

/* --- namespaces ---------------------------------------------------------------------------------- */

struct namespace_sum {
	struct str name; /* lent by a job */
	struct resources allocated;
};

static void namespace_sum_free(struct namespace_sum *sum)
{
	resources_done(&sum->allocated);
	mem_free(sum);
}

static void put_namespaces(struct buf *to, const char *name, const char *help,
			   const struct map *sums, const struct resources *of)
{
	size_t at = 0;
	void *value;

	put_head(to, name, "gauge", help);
	while (map_next(sums, &at, NULL, &value)) {
		const struct namespace_sum *sum = value;

		buf_printf(to, "volcano_%s{namespace_name=\"%.*s\"} %.6g\n", name,
			   STR_ARG(sum->name), of ? share_of(&sum->allocated, of) : 1);
	}
}

/* Volcano names these but never sets them: there are no weights of namespaces since 1.8, so that each
 * counts the same. */
static void print_namespaces(const struct cluster *cluster, struct buf *to)
{
	AUTO(map_free) struct map *sums = map_new(0);
	size_t at = 0;
	void *value;

	while (map_next(cluster->jobs, &at, NULL, &value)) {
		const struct job *job = value;
		struct namespace_sum *sum = map_get(sums, job_namespace(job));

		if (!sum) {
			sum = mem_new(struct namespace_sum);
			sum->name = job_namespace(job);
			(void)map_put(sums, sum->name, sum);
		}
		resources_add(&sum->allocated, &job->allocated);
	}
	put_namespaces(to, "namespace_share",
		       "The largest part of a resource that a namespace's jobs hold", sums,
		       &cluster->total);
	put_namespaces(to, "namespace_weight", "What it counts: each the same", sums, NULL);
	put_namespaces(to, "namespace_weighted_share", "Its share by its weight", sums,
		       &cluster->total);
	at = 0;
	while (map_next(sums, &at, NULL, &value))
		namespace_sum_free(value);
}

/* --- queues -------------------------------------------------------------------------------------- */

enum amount {
	AMOUNT_ALLOCATED,
	AMOUNT_REQUEST,
	AMOUNT_DESERVED,
	AMOUNT_CAPACITY,
	AMOUNT_REAL,
	AMOUNT_COUNT
};
static const char *const amount_names[AMOUNT_COUNT] = {"allocated", "request", "deserved",
						       "capacity", "real_capacity"};

/* What the plugins say of a queue: the last that has an opinion. */
static void put_amount(struct buf *to, const char *amount, const char *unit,
		       const struct queue_info *queue, double value)
{
	buf_printf(to, "volcano_queue_%s_%s{queue_name=\"%.*s\"} %.15g\n", amount, unit,
		   STR_ARG(queue->text), value);
}

static void put_number(struct buf *to, const char *name, const struct queue_info *queue,
		       double value)
{
	buf_printf(to, "volcano_queue_%s{queue_name=\"%.*s\"} %.15g\n", name, STR_ARG(queue->text),
		   value);
}

static void put_amounts(struct buf *to, const struct cluster *cluster, const char *amount,
			const struct queue_info *queue, const struct resources *r)
{
	enum { MILLI = 1000 };

	put_amount(to, amount, "milli_cpu", queue, (double)resources_get(r, DIM_CPU));
	put_amount(to, amount, "memory_bytes", queue, (double)resources_get(r, DIM_MEMORY));
	for (dim_set rest = resources_dims(r); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		if (dim <= DIM_MEMORY || dim == DIM_OTHER)
			continue;
		buf_printf(
			to,
			"volcano_queue_%s_scalar_resources{queue_name=\"%.*s\",resource=\"%.*s\"} "
			"%.15g\n",
			amount, STR_ARG(queue->text), STR_ARG(dims_name(cluster->dims, dim)),
			(double)resources_get(r, dim) / (dim_is_whole(dim) ? 1 : MILLI));
	}
}

static void print_queue(const struct cluster *cluster, const struct config *config,
			const struct queue_info *queue, struct buf *to)
{
	struct queue_report report = config_queue_report(config, queue);
	AUTO(resources_done) struct resources request = RESOURCES_INIT;
	const struct resources *reported[] = {report.deserved, report.capability, report.limit};

	resources_copy(&request, &queue->allocated);
	resources_add(&request, &queue->pending);
	put_amounts(to, cluster, amount_names[AMOUNT_ALLOCATED], queue, &queue->allocated);
	put_amounts(to, cluster, amount_names[AMOUNT_REQUEST], queue, &request);
	for (size_t i = 0; i < ARRAY_LEN(reported); i++)
		if (reported[i])
			put_amounts(to, cluster, amount_names[AMOUNT_DESERVED + i], queue,
				    reported[i]);
	put_number(to, "weight", queue, queue->weight);
	if (!report.deserved)
		return;
	put_number(to, "share", queue, share_of(&queue->allocated, report.deserved));
	put_number(to, "overused", queue,
		   resources_less_equal(report.deserved, &queue->allocated, ABSENT_ZERO));
}

static void print_queues(const struct cluster *cluster, const struct config *config, struct buf *to)
{
	static const char *const units[] = {"milli_cpu", "memory_bytes", "scalar_resources"};

	for (size_t i = 0; i < AMOUNT_COUNT; i++)
		for (size_t j = 0; j < ARRAY_LEN(units); j++)
			buf_printf(to, "# TYPE volcano_queue_%s_%s gauge\n", amount_names[i],
				   units[j]);
	buf_puts(to, "# TYPE volcano_queue_weight gauge\n# TYPE volcano_queue_share gauge\n"
		     "# TYPE volcano_queue_overused gauge\n");
	for (size_t i = 0; i < cluster->queue_by_id.len; i++) {
		const struct queue_info *queue = cluster->queue_by_id.ptr[i];

		if (queue)
			print_queue(cluster, config, queue, to);
	}
}

void numbers_print_model(const struct cluster *cluster, const struct config *config, struct buf *to)
{
	print_jobs(cluster, to);
	print_namespaces(cluster, to);
	print_queues(cluster, config, to);
}
