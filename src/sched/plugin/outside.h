/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/outside.h - questions that policy has for a server, and the answers: data on both sides, since policy does
 * no I/O (docs/design/024-extender.md).
 *
 * A plugin asks; what is not answered yet is a call for the service, and the plugin has to do without until a later cycle.
 * The service makes the calls, a few at a time, and hands the answers in. An answer that is asked for is asked again after
 * a second, and is old after ten; one that
 * no one asked for again is forgotten after a minute. */
#ifndef SCHED_OUTSIDE_H
#define SCHED_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct outside;
struct outside_call;

struct outside *outside_new(void) __attribute__((returns_nonnull));
void outside_free(struct outside *outside);

enum outside_state { OUTSIDE_WAITS, OUTSIDE_ANSWERED, OUTSIDE_FAILED };
struct outside_answer {
	enum outside_state state;
	bool old;          /* older than ten seconds */
	struct json reply; /* of OUTSIDE_ANSWERED; lent until the session ends */
	const char *why;   /* of OUTSIDE_FAILED */
};
/* `subject` is what it is about: of one verb and subject one call is under way at a time. */
struct outside_answer outside_ask(struct outside *outside, const char *verb, struct str subject,
				  struct str body, int64_t now);
/* The same question whatever the body says: the answer of the last call, which is made about once a second. */
struct outside_answer outside_poll(struct outside *outside, const char *verb, struct str body,
				   int64_t now);
/* A message; its answer is of no interest. */
void outside_tell(struct outside *outside, const char *verb, struct str body);
/* Forget an answer, since what it was given for is over. */
void outside_forget(struct outside *outside, const char *verb, struct str body);
/* When a session opens: forget what was not asked for lately. */
void outside_tidy(struct outside *outside, int64_t now);

/* --- for the service --- */

/* A call to make now, which is under way until outside_end(); NULL: none. */
struct outside_call *outside_next(struct outside *outside);
/* Lent; the verb without a slash. */
const char *outside_call_verb(const struct outside_call *call);
struct str outside_call_body(const struct outside_call *call);
/* `failure` says why there is no answer, or is NULL. A status other than 200 is a failure. */
void outside_end(struct outside *outside, struct outside_call *call, int status, struct str body,
		 const char *failure, int64_t now);
/* How many calls failed so far. */
uint64_t outside_failures(const struct outside *outside);

#endif
