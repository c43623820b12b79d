/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/node_usage.h - the measured load of nodes: what a source reports, as data (scheduler specification,
 * 1.17). The service fetches it (scheduler/usage_source.c); how Prometheus is asked and answers is here, so that tests
 * without a network do the same. */
#ifndef SCHED_NODE_USAGE_H
#define SCHED_NODE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct cluster;
struct node_info;

enum usage_kind { USAGE_CPU, USAGE_MEMORY, USAGE_COUNT };

/* Averages of the last ten minutes, in percent of the node. */
struct node_usage {
	int64_t at; /* when they were read, in microseconds; 0: never */
	double percent[USAGE_COUNT];
	bool known[USAGE_COUNT]; /* the source had a value */
};

/* What a source reports of a node; one that does not exist is passed over. */
void cluster_set_usage(struct cluster *cluster, struct str name, const struct node_usage *usage);

enum { USAGE_STALE_SECONDS = 5 * 60 };
/* Has it a value of both, not older than five minutes? */
bool node_usage_is_current(const struct node_usage *usage, int64_t now);

/* "/api/v1/query?query=...": the average of a node, as a Prometheus that scrapes node exporters has it. */
void usage_put_target(enum usage_kind kind, struct str node, struct buf *to);
/* The first value of an answer; *ret_known is false if it has none. ERR_INVALID: it is none of Prometheus. */
int usage_read_answer(struct str body, double *ret, bool *ret_known, struct err *err) MUST_CHECK;

#endif
