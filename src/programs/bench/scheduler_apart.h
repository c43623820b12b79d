/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/scheduler_apart.h - a scheduler in a process of its own, so that its memory and CPU time are its own.
 *
 * Start the process before anything large is built: it begins as a copy of this one. */
#ifndef PROGRAMS_BENCH_SCHEDULER_APART_H
#define PROGRAMS_BENCH_SCHEDULER_APART_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct scheduler_apart {
	pid_t pid;
	int to, from;
};

struct scheduler_apart_result {
	double seconds; /* from when it knew everything until the last pod was bound */
	double cpu_ms;  /* of the process, from its first start on */
	uint64_t binds, bind_failures, writes;
	uint64_t watches_ended; /* open watches that the server ended */
	size_t in_flight_limit; /* at the end */
	int64_t peak_kb;        /* memory of the process, at most */
};

void scheduler_apart_start(struct scheduler_apart *apart);
void scheduler_apart_stop(struct scheduler_apart *apart);

/* Schedules pods whose schedulerName is `name` until so many are bound, then stops scheduling. With 0 pods it makes the
 * queues that every cluster has. */
void scheduler_apart_run(struct scheduler_apart *apart, const char *kubeconfig, const char *name,
			 size_t pods, struct scheduler_apart_result *ret);

#endif
