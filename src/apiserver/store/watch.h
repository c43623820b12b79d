/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/watch.h - the watches of the store, in one list per kind.
 *
 * The inside of store_watch(): the store keeps a list with each kind, and one for prefixes that are
 * wider than a kind, so that an event looks only at watches that it may concern. */
#ifndef APISERVER_WATCH_H
#define APISERVER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/store/store.h"
#include "base/list.h"

struct watches {
	struct list list;
	unsigned calling; /* how deep in callbacks of these */
	bool swept;       /* no: one of them has ended during its callbacks */
};

void watches_init(struct watches *watches);
/* All of them must have ended. */
void watches_done(struct watches *watches);

/* Gets the events after `revision`. */
struct store_watch *watches_add(struct watches *watches, struct str prefix, int64_t revision,
				store_event_fn *fn, void *arg) __attribute__((returns_nonnull));
/* Delivers an event to the watches that it concerns and that did not get it yet. */
void watches_deliver(struct watches *watches, const struct store_event *event);
/* Delivers it to this watch only. */
void watch_deliver(struct store_watch *watch, const struct store_event *event);

#endif
