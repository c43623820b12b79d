/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/proc_use.h - what processes with all their descendants use, by /proc: for pods without control
 * groups. */
#ifndef NODE_PROC_USE_H
#define NODE_PROC_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc_use {
	int64_t pid;
	bool siblings; /* count from its parent on: the process, its siblings and their descendants */
	int64_t memory;    /* bytes that are in memory; shared ones count for each process */
	int64_t processes; /* 0: there is no such process */
};

/* Fills in memory and processes. `proc` is a folder like /proc. Processes that start or end meanwhile may or may
 * not be counted. */
void proc_use_read(const char *proc, struct proc_use *list, size_t len);

#endif
