/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/keep_rows.h - the keepers; each is in a file of its own. */
#ifndef APISERVER_KEEP_ROWS_H
#define APISERVER_KEEP_ROWS_H

#include <stdint.h>

#include "apiserver/reconcile/keep.h"

/* The namespaces, classes and accounts that a cluster begins with. */
extern const struct keeper keep_defaults;
/* An object has been staged: if it is a namespace, what every namespace has goes into the same commit, so
 * that whoever hears of it finds that there. */
void keep_defaults_made(struct api *api, const struct kind *kind, struct str name);

/* Owner clean-up: background, foreground, orphans. */
extern const struct keeper keep_owners;

/* The end of a namespace: what is in it, its conditions, its finalizer. */
extern const struct keeper keep_namespaces;

/* The status of disruption budgets. */
extern const struct keeper keep_budgets;

/* The end of claims and volumes that were in use. */
extern const struct keeper keep_claims;

/* What is used of quotas. */
extern const struct keeper keep_quotas;
/* How often the use of an object was computed, for the quotas that are there: for tests of how admission
 * scales. */
uint64_t quotas_counts(const struct api *api);

/* The taints of nodes that are ready, or not. */
extern const struct keeper keep_nodes;

/* The end of events that are old. */
extern const struct keeper keep_events;

#endif
