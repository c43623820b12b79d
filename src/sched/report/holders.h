/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/holders.h - which jobs use, or have reserved, what another job waits for: the largest, and how many more.
 *
 * An answer costs a walk over all jobs, so it is cached per question. While nothing was placed or ended a cached answer
 * is exact; otherwise it is renewed in a session that has time, and at most once per second in others. An answer that may be outdated says so,
 * and the job that shows it is looked at again soon (cluster_refresh()). */
#ifndef SCHED_HOLDERS_H
#define SCHED_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct cluster;
struct holders_cache;
struct job;
struct queue_info;
struct reason_names;
struct session;

enum { HOLDERS_MAX = 3 };

struct holder {
	struct str job; /* as users know it; NUL-terminated */
	struct str namespace;
	struct str user; /* empty: not known */
	int64_t uses;
	int32_t priority;
};
struct holders {
	size_t len;
	struct holder at[HOLDERS_MAX]; /* the largest first */
	size_t more;
	int64_t more_use;
	bool outdated;
};

/* Whose amounts: of the whole cluster, of a queue and those below it, or of a namespace. */
struct holders_query {
	const struct queue_info *queue; /* NULL: any */
	struct str namespace;           /* empty: any */
	int dim;
	bool reserved; /* what is reserved for jobs that do not run yet, rather than in use */
};

/* Lent until the next call. */
const struct holders *holders_find(struct session *ssn, const struct holders_query *query);
void holders_cache_free(struct holders_cache *cache);

/* The name that users know: without the uid that a job's PodGroup ends in; of a pod without a job, the pod's. */
struct str holder_name(const struct job *job);
/* Who submitted it; empty: not known. */
struct str holder_user(const struct cluster *cluster, const struct job *job);
/* "`first` (alice) uses 3, `second` 1 and 12 more jobs use 9", for a job of this namespace. */
void holders_print(const struct holders *holders, const struct job *asker,
		   const struct reason_names *names, const struct holders_query *query,
		   struct buf *to);
/* "`first`", "`first` and `second`", "`first`, `second` and 12 more jobs" */
void holders_print_names(const struct holders *holders, const struct job *asker, struct buf *to);
/* Stands for who they are, without amounts. */
uint64_t holders_hash(const struct holders *holders, uint64_t hash);

#endif
