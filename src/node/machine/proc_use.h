/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/proc_use.h - what processes with all their descendants use, by /proc: for pods that have no control
 * group to tell. */
#ifndef NODE_PROC_USE_H
#define NODE_PROC_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc_use {
	int64_t pid;
	bool beside;    /* count from its parent on: itself, those beside it, and what is below */
	int64_t memory; /* bytes that are in memory; shared ones count for each process */
	int64_t processes; /* 0: it is not there */
};

/* Fills in memory and processes. `proc` is a folder like /proc. What comes or goes meanwhile may count or not. */
void proc_use_read(const char *proc, struct proc_use *list, size_t len);

#endif
