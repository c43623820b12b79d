/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/session.h - one cycle: open, run the actions, close, and hand out what was decided.
 *
 * A session is data: the model, the configuration, the time, and an arena for what is found out. At
 * its end the model holds what was committed (tasks in Binding, Releasing) and nothing else; the
 * decisions say what the service has to write. */
#ifndef SCHED_SESSION_H
#define SCHED_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/macro.h"
#include "base/vec.h"
#include "sched/cluster/cluster.h"
#include "sched/report/reason.h"
#include "sched/session/config.h"
#include "sched/session/decisions.h"

struct domain_sums;

struct session {
	struct cluster *cluster;
	struct config *config;
	struct arena *arena;
	int64_t now;
	uint32_t id;
	struct decisions decisions;
	struct list statements;          /* those that are open, or kept until the end */
	struct domain_sums *domain_sums; /* NULL: no job asked for domains (domain_search.h) */
	struct session_options options;
};

/* One cycle. The decisions are the session's, until session_free(). They are empty, and cost nothing, if nothing has
 * happened since a cycle that had nothing to decide. */
struct session *session_run(struct cluster *cluster, struct config *config, int64_t now,
			    const struct session_options *options) __attribute__((returns_nonnull));
/* The steps of it, for tests and tools. */
struct session *session_open(struct cluster *cluster, struct config *config, int64_t now,
			     const struct session_options *options)
	__attribute__((returns_nonnull));
void session_act(struct session *ssn);
void session_close(struct session *ssn);
void session_free(struct session *ssn);
DEFINE_AUTO(struct session *, session_free);

/* Reports how far the session is, for measurements. */
void session_mark(const struct session *ssn, enum session_mark where, const char *name);

/* A number for a text that verdicts of FIT_OTHER and its like refer to; equal texts get the same, also in
 * sessions that come later: what was found out about a node is kept as long as the node does not change. */
uint16_t session_text(struct session *ssn, const char *text);
struct reason_names session_names(const struct session *ssn);
/* ... that also name what a job asks for and no node has. */
struct reason_names session_names_of(const struct session *ssn, const struct job *job);

/* What this session noted about a task. */
struct task_note *session_note(struct session *ssn, struct task *task);
const struct task_note *session_find_note(const struct session *ssn, const struct task *task);
/* Why a job is not admitted or not placed: the one that ranks highest is kept. */
void session_refuse(struct session *ssn, struct job *job, const struct reason *why);

/* May a job be scheduled at all: has a PodGroup and a queue? */
bool session_has_job(const struct session *ssn, const struct job *job);
/* Is a task waiting to be placed by us: pending, ours, without gates? */
bool session_is_waiting(const struct session *ssn, const struct task *task);

/* --- sets of nodes ----------------------------------------------------------------------------- */

/* Where to look. Allocation always works over one, so that a network domain is one as well. */
struct node_set {
	struct str name;       /* of the domain; empty: all nodes */
	const uint32_t *slots; /* NULL: all nodes */
	size_t len;
};

/* --- actions ----------------------------------------------------------------------------------- */

struct action_type {
	const char *name;
	bool evicts; /* others that come may help jobs that wait: no job may be blocked (cluster.h) */
	void (*run)(struct session *ssn, struct json arguments);
};
/* All that there are; sched/action/actions.c. */
const struct action_type *action_type_find(struct str name);

#endif
