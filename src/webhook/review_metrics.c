/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/review_metrics.c - see review_metrics.h. One counter per row of admission/hooks.h, outcome and bucket. */
#include "webhook/review_metrics.h"

#include "base/mem.h"

#include "base/banned.h"

static const int64_t bounds_us[] = {100,   250,   500,    1000,   2000,    5000,
				    10000, 25000, 100000, 500000, 2000000, 10000000};
enum { BUCKETS = ARRAY_LEN(bounds_us) };

struct series {
	uint64_t count;
	int64_t sum_us;
	uint64_t within[BUCKETS];
};

struct review_metrics {
	struct series (*rows)[REVIEW_OUTCOME_COUNT]; /* as admission_hooks */
};

struct review_metrics *review_metrics_new(void)
{
	struct review_metrics *metrics = mem_new(struct review_metrics);

	metrics->rows = mem_calloc(admission_hook_count, sizeof(*metrics->rows));
	return metrics;
}

void review_metrics_free(struct review_metrics *metrics)
{
	if (!metrics)
		return;
	mem_free(metrics->rows);
	mem_free(metrics);
}

void review_metrics_observe(struct review_metrics *metrics, const struct admission_hook *hook,
			    enum review_outcome outcome, int64_t duration_us)
{
	struct series *series = &metrics->rows[hook - admission_hooks][outcome];

	series->count++;
	series->sum_us += duration_us;
	for (size_t i = 0; i < BUCKETS; i++)
		if (duration_us <= bounds_us[i])
			series->within[i]++;
}

typedef void print_fn(const struct series *series, const char *labels, struct buf *to);

static void print_count(const struct series *series, const char *labels, struct buf *to)
{
	buf_printf(to, "volcano_webhook_requests_total{%s} %llu\n", labels,
		   (unsigned long long)series->count);
}

#define DURATION "volcano_webhook_request_duration_seconds"

static void print_duration(const struct series *series, const char *labels, struct buf *to)
{
	for (size_t i = 0; i < BUCKETS; i++)
		buf_printf(to, DURATION "_bucket{%s,le=\"%g\"} %llu\n", labels,
			   (double)bounds_us[i] / 1e6, (unsigned long long)series->within[i]);
	buf_printf(to, DURATION "_bucket{%s,le=\"+Inf\"} %llu\n", labels,
		   (unsigned long long)series->count);
	buf_printf(to, DURATION "_sum{%s} %.6f\n", labels, (double)series->sum_us / 1e6);
	buf_printf(to, DURATION "_count{%s} %llu\n", labels, (unsigned long long)series->count);
}

static void print_all(const struct review_metrics *metrics, print_fn *print, struct buf *to)
{
	for (size_t i = 0; i < admission_hook_count; i++)
		for (size_t j = 0; j < REVIEW_OUTCOME_COUNT; j++) {
			AUTO(mem_free)
			char *labels =
				mem_printf("path=\"%s\",result=\"%s\"", admission_hooks[i].path,
					   review_outcome_name((enum review_outcome)j));

			if (metrics->rows[i][j].count)
				print(&metrics->rows[i][j], labels, to);
		}
}

void review_metrics_print(const struct review_metrics *metrics, struct buf *to)
{
	buf_puts(to, "# HELP volcano_webhook_requests_total requests answered\n"
		     "# TYPE volcano_webhook_requests_total counter\n");
	print_all(metrics, print_count, to);
	buf_puts(to, "# HELP " DURATION " from the head of a request to its answer\n"
		     "# TYPE " DURATION " histogram\n");
	print_all(metrics, print_duration, to);
}
