/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/usage_source.h - fetches the measured load of nodes for the model (scheduler specification, 1.17), as
 * `metrics` of the configuration says.
 *
 *	type: prometheus		two queries per node to `address`
 *	type: prometheus_adaptor	the custom metrics API of the cluster, two values per node
 *	type: metrics_api		metrics.k8s.io, one list (ours)
 *
 * Every `interval`, with at most 16 nodes at a time; a round that is not over when the next is due goes on instead.
 * What cannot be fetched keeps its last value, which policy takes for unknown after five minutes. */
#ifndef SCHEDULER_USAGE_SOURCE_H
#define SCHEDULER_USAGE_SOURCE_H

#include "json/doc.h"

struct scheduler;
struct usage_source;

struct usage_source *usage_source_new(struct scheduler *scheduler) __attribute__((returns_nonnull));
/* Takes NULL. */
void usage_source_free(struct usage_source *source);
/* From now on as this says; absent: nothing is fetched. One that says what it said before changes nothing. */
void usage_source_configure(struct usage_source *source, struct json metrics);

#endif
