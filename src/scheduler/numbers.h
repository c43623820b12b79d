/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/numbers.h - numbers about the scheduler in Prometheus' text format, under the names that
 * Volcano has (scheduler specification, part 8), and ours.
 *
 * What is measured as it happens is counted here; what jobs and queues hold is read from the model
 * when they are asked for. */
#ifndef SCHEDULER_NUMBERS_H
#define SCHEDULER_NUMBERS_H

#include <stdint.h>

#include "base/buf.h"

struct cluster;
struct config;
struct numbers;

/* Each in milliseconds. */
enum metric {
	METRIC_CYCLE,
	METRIC_OPEN,
	METRIC_JOB,    /* from a job's creation until the last of its tasks is assumed */
	METRIC_PLUGIN, /* of: the plugin; at: OnSessionOpen, OnSessionClose */
	METRIC_ACTION, /* of: the action */
	METRIC_TASK,   /* of: Watched, Assumed, PreBound, Bound; from the pod's creation */
	METRIC_STAGE,  /* of: Predicate, Scoring, PreBind, Bind; alone */
	METRIC_COUNT
};

struct numbers *numbers_new(void) __attribute__((returns_nonnull));
void numbers_free(struct numbers *numbers);

/* One more, that took so long; `of` and `at` are values of labels, NULL where there are none. */
void numbers_observe(struct numbers *numbers, enum metric metric, const char *of, const char *at,
		     int64_t microseconds);
void numbers_print(const struct numbers *numbers, struct buf *to);

/* What jobs and queues hold and lack, and what plugins say of queues. */
/* Of the cards that pods share (device_numbers.c). */
void numbers_print_devices(const struct cluster *cluster, struct buf *to);
void numbers_print_model(const struct cluster *cluster, const struct config *config,
			 struct buf *to);

#endif
