/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/review_metrics.h - reviews answered and how long they took, by path and outcome. */
#ifndef WEBHOOK_REVIEW_METRICS_H
#define WEBHOOK_REVIEW_METRICS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/macro.h"
#include "webhook/review.h"

struct review_metrics;

struct review_metrics *review_metrics_new(void) __attribute__((returns_nonnull));
void review_metrics_free(struct review_metrics *metrics);
DEFINE_AUTO(struct review_metrics *, review_metrics_free);

void review_metrics_observe(struct review_metrics *metrics, const struct admission_hook *hook,
			    enum review_outcome outcome, int64_t duration_us);
/* Outcomes that never occurred are left out. */
void review_metrics_print(const struct review_metrics *metrics, struct buf *to);

#endif
