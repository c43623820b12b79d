/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/offload.h - the parts of a large call that need nothing but the call, on a worker.
 *
 * One large object takes longer to parse, complete, check and print than a turn of the loop may. Those
 * parts are pure: they read and change the call, its documents and its arena, and nothing else. While a
 * worker has the call, the loop does not touch it, and the worker touches nothing that the loop has: not
 * the API, not the store, and no count of references to something that others hold as well.
 *
 * docs/design/022-turns.md says which parts these are. */
#ifndef APISERVER_OFFLOAD_H
#define APISERVER_OFFLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "json/doc.h"
#include "loop/loop.h"

struct api;
struct arena;
struct call;
struct offloads;

struct offloads *offloads_new(struct api *api) __attribute__((returns_nonnull));
/* Every call must have been freed. Takes NULL. */
void offloads_free(struct offloads *all);
/* Wait until no worker has a call; calls that were freed meanwhile are freed then. */
void offloads_settle(struct offloads *all);

/* Call `work` on a worker of the lane, then `then` on the loop in a later turn, when it is the turn of the
 * call's user. Neither is called from within this call. If the call is freed meanwhile `then` is not called,
 * and the call lives on, without its sink, until the worker is done with it; so `arg` must live as long as
 * the call.
 *
 * At most LIMIT_LARGE_AT_ONCE calls are in each lane; more wait, those of users who have fewer there first.
 * A call that is in the lane for requests stays in it until its end, so that the number of large documents
 * in memory is bounded, and no other one that changes the same object enters it meanwhile. */
typedef void offload_fn(void *arg);
void call_offload(struct call *call, enum loop_lane lane, offload_fn *work, offload_fn *then,
		  void *arg);
/* Does a worker have it? */
bool call_is_away(const struct call *call);

/* Give up a document; takes NULL. A large one that no one else has is freed by a worker: giving its memory back
 * to the system takes as long as a turn may. */
void offload_discard(struct api *api, struct json_doc *doc);
/* The same for the arena of a call. */
void offload_discard_arena(struct api *api, struct arena *arena);

/* For call_free(): false if a worker has the call, which is then freed later. */
bool call_end_offload(struct call *call);

#endif
