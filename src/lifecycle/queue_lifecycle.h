/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/queue_lifecycle.h - the state of a Queue: open, closing while groups are in it, closed.
 *
 * | state    | OpenQueue          | CloseQueue                | otherwise                  |
 * |----------|--------------------|---------------------------|----------------------------|
 * | none     | Open               | Open, then as Open        | Open                       |
 * | Open     | stays              | Closed, Closing if in use | closed with its parent     |
 * | Closing  | Open               | stays                     | Closed when it is empty    |
 * | Closed   | Open               | stays                     | opened with its parent     |
 * | Unknown  | Open               | Closed, Closing if in use | stays                      |
 *
 * A queue that was closed because its parent was closed has an annotation, and is opened together
 * with the parent; a queue that was closed by a user is not. A queue below a closed one cannot be
 * opened: the Command waits until its parent is open, or until another Command comes.
 *
 * queue_step() decides about one queue, and is called again when it, its parent, its groups or its
 * Commands change. A Command is deleted when what it asked for has been written. */
#ifndef LIFECYCLE_QUEUE_LIFECYCLE_H
#define LIFECYCLE_QUEUE_LIFECYCLE_H

#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

struct queue_world {
	struct json queue;  /* absent: it was deleted, and its Commands are to be deleted */
	struct json parent; /* absent: it has none, or it does not exist */
	const struct json *commands; /* for this queue, oldest first */
	size_t command_count;
	size_t groups; /* podgroups in it, in any phase */
};

int queue_step(const struct queue_world *world, struct plan *plan, struct err *err) MUST_CHECK;

#endif
