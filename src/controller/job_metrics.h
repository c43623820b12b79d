/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_metrics.h - the numbers of the job controller, under upstream's names. */
#ifndef CONTROLLER_JOB_METRICS_H
#define CONTROLLER_JOB_METRICS_H

#include <stdint.h>

#include "base/buf.h"
#include "json/doc.h"

struct entries;

enum { JOB_METRICS_BUCKETS = 30 };

/* From a job's creation to that of a pod; zeroed is empty. */
struct job_metrics {
	uint64_t buckets[JOB_METRICS_BUCKETS];
	uint64_t count;
	double sum_ms;
};

/* A pod of the job was created. */
void job_metrics_observe(struct job_metrics *metrics, struct json job, int64_t now);
void job_metrics_print(const struct job_metrics *metrics, const struct entries *entries,
		       struct buf *to);

#endif
