/* SPDX-License-Identifier: Apache-2.0 */
/* pod/record.h - what a supervisor knows about one container, as a line of text.
 *
 * The supervisor sends the line to the agent, and keeps it with the pod's folder (records.h): an agent that
 * connects later reads the same, also if the supervisor has ended. Times are microseconds since 1970. */
#ifndef POD_RECORD_H
#define POD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

enum { RECORD_SIZE = 512, RECORD_MESSAGE_SIZE = 256 };

enum record_state { RECORD_NEW, RECORD_RUNNING, RECORD_ENDED, RECORD_STATE_COUNT };

/* How a run went. */
struct record_run {
	int64_t started;
	int64_t ended;
	int exit_code;     /* 128 + signal if a signal ended it */
	int signal;        /* 0: none */
	bool start_failed; /* it never ran: the message says why */
	bool deadline;     /* ended by the pod's deadline */
};

struct record {
	enum record_state state;
	unsigned run; /* number of the run, from 0 */
	int64_t pid;  /* 0: none */
	struct record_run now;
	struct record_run last; /* the previous run; all zero: none */
	char message[RECORD_MESSAGE_SIZE];
};

/* Writes RECORD_SIZE - 1 bytes, of which the last is a newline, and a NUL. */
void record_print(const struct record *record, char text[RECORD_SIZE]);
/* Parses one line. ERR_BAD_REQUEST: it is not a record. */
int record_parse(struct str text, struct record *ret, struct err *err) MUST_CHECK;

#endif
