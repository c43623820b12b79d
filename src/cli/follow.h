/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow.h - a job followed to its end: its phase, and what its pods print, as it comes.
 *
 * Output of several containers is distinguished by a prefix "task/index" (and the container's name
 * if a pod has more than one). Pods that come later, and those that are restarted, are followed
 * too. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct cli;

struct follow_options {
	struct str namespace;
	struct str job;
	struct str task;      /* only this task; none: all */
	int64_t index;        /* only this index; below 0: all */
	struct str container; /* only this one; none: all */
	bool quiet;           /* no output, only the phase */
	bool impatient;       /* say so if it does not begin soon */
	bool previous;
	bool timestamps;
	bool prefix;        /* also if there is only one */
	int64_t tail;       /* below 0: all */
	int64_t since_us;   /* 0: all */
	int64_t timeout_us; /* below 0: none */
};

struct follow_result {
	struct str phase; /* the last one; none if the job was deleted */
	/* The highest of the pods' exit codes, if any was not 0. */
	int exit_code;
	bool timed_out;     /* by options.timeout_us */
	int64_t time_limit; /* at which a pod was stopped, in seconds; 0: none was */
};

/* Until the job has ended and everything it printed was shown. */
int follow_to_end(struct cli *cli, const struct follow_options *options, struct follow_result *ret,
		  struct err *err) MUST_CHECK;
/* What is there now, pod by pod. */
int follow_once(struct cli *cli, const struct follow_options *options, struct err *err) MUST_CHECK;

#endif
