/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_metrics.c - the numbers of the job controller.
 *
 * The series of a job go with the job. The buckets are 30 steps of the same ratio from 50 ms to a
 * minute. */
#include "controller/job_metrics.h"

#include "base/time.h"
#include "controller/job_entries.h"

#include "base/banned.h"

static const double first_ms = 50;
/* 1200 to the power of 1/29 */
static const double ratio = 1.2769640288;

void job_metrics_observe(struct job_metrics *metrics, struct json job, int64_t now)
{
	struct str text = json_str(json_get(json_get(job, "metadata"), "creationTimestamp"));
	int64_t created = 0;
	double bound = first_ms;
	double ms;

	if (time_parse(text, &created, NULL) < 0)
		return;
	ms = (double)(now - created) / (double)TIME_MILLISECOND;
	metrics->count++;
	metrics->sum_ms += ms;
	for (size_t i = 0; i < JOB_METRICS_BUCKETS; i++, bound *= ratio)
		if (ms <= bound)
			metrics->buckets[i]++;
}

static void print_jobs(const struct entries *entries, const char *name, bool failed, struct buf *to)
{
	const struct entry *entry;
	size_t at = 0;

	buf_printf(to, "# HELP %s jobs that entered the phase\n# TYPE %s counter\n", name, name);
	while ((entry = entries_next(entries, &at))) {
		unsigned count = failed ? entry->failed : entry->completed;
		struct json spec =
			entry->doc ? json_get(json_doc_root(entry->doc), "spec") : JSON_NONE;

		if (count > 0)
			buf_printf(to, "%s{job_name=\"%s\",queue_name=\"%.*s\"} %u\n", name,
				   entry->key, STR_ARG(json_str(json_get(spec, "queue"))), count);
	}
}

void job_metrics_print(const struct job_metrics *metrics, const struct entries *entries,
		       struct buf *to)
{
	const char *name = "volcano_controller_job_to_pod_creation_latency_milliseconds";
	double bound = first_ms;

	print_jobs(entries, "volcano_job_completed_phase_count", false, to);
	print_jobs(entries, "volcano_job_failed_phase_count", true, to);
	buf_printf(to, "# HELP %s from a job's creation to that of a pod\n# TYPE %s histogram\n",
		   name, name);
	for (size_t i = 0; i < JOB_METRICS_BUCKETS; i++, bound *= ratio)
		buf_printf(to, "%s_bucket{le=\"%.6g\"} %llu\n", name, bound,
			   (unsigned long long)metrics->buckets[i]);
	buf_printf(to, "%s_bucket{le=\"+Inf\"} %llu\n%s_sum %.6g\n%s_count %llu\n", name,
		   (unsigned long long)metrics->count, name, metrics->sum_ms, name,
		   (unsigned long long)metrics->count);
}
