/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/message.h - a reason in words: what a job waits for, how much it needs, how much there is and who has it;
 * and what would help.
 *
 * All numbers come from the model, so that each text is true when it is written; nothing here is special to one case.
 * message.c has the limits (cluster, queues, quotas, pods of the job), message_nodes.c what nodes say. A message for a
 * job is made at the end of a session, when attempts were undone. */
#ifndef SCHED_MESSAGE_H
#define SCHED_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "sched/report/holders.h"
#include "sched/report/reason.h"

struct cluster;
struct job;
struct session;

struct message {
	struct session *ssn;
	const struct job *job;
	struct reason_names names;
	struct buf text;
	size_t text_len; /* of the text without those who hold it; set by message_holders() */
	struct buf advice;
	struct buf brief;
	bool never;    /* it can never start as it is */
	bool outdated; /* something in it may be: write it again soon */
	/* What it waits for; DIM_NONE: no amount. */
	int dim;
	int64_t needs;
	int64_t free;
	int64_t total;
	bool has_free;
	const struct holders *holders; /* NULL: no one; lent until the next message */
	bool reserved;                 /* ... have reserved it, rather than use it */
};

/* Makes the message of one reason; message_done() frees its texts. */
void message_make(struct session *ssn, const struct job *job, const struct reason *reason,
		  struct message *ret);
void message_done(struct message *message);

/* --- for message_nodes.c ------------------------------------------------------------------------ */

/* An amount that is missing. */
struct demand {
	int dim;
	int64_t needs; /* at once */
	int64_t each;  /* per pod */
	int64_t pods;
	int64_t free;
	int64_t total;
	const char *where; /* "" or " on the 2 nodes that it may use" */
};
/* "waiting for CPU: needs 3, 1 of 4 is free; ...", with what is in use or reserved. */
void message_waiting(struct message *m, const struct demand *d);
/* "can never start: needs 64 CPUs at once, the cluster has 2" */
void message_never(struct message *m, const struct demand *d);
/* "can never start: needs 64 CPUs on one node, the largest has 2" */
void message_too_large(struct message *m, const struct demand *d, int64_t largest);
/* "; `first` uses 3"; NULL: the cached answer to the query. */
void message_holders(struct message *m, const struct holders_query *query,
		     const struct holders *holders);
/* No domain of the network can take it; the network is not known. message_network.c */
void message_network(struct message *m, const struct reason *why);
void message_network_broken(struct message *m, const struct reason *why);
/* No node can take a pod of it now. */
void message_nodes(struct message *m, const struct reason *why);

#endif
