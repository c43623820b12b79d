/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/offload.c - the parts of a large call that need nothing but the call, on a worker.
 *
 * 1. A call is in `waiting` of its lane, or in `inside`, or in neither; in a worker only if it is inside.
 * 2. While a worker has a call, call->kind is a copy that no definition changes, its texts are in its
 *    arena, and its sink is not called: answers wait for the loop (api.c).
 * 3. Whatever makes a call leave its lane looks for the next one that waits. */
#include "apiserver/request/offload.h"

#include <assert.h>
#include <stdatomic.h>

#include "apiserver/api_internal.h"
#include "apiserver/crd/definition.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

enum { DISCARD_BYTES = 256 * 1024 };

struct offload {
	struct call *call;
	enum loop_lane lane;
	struct list link; /* among those that wait */
	struct call_step step;
	offload_fn *work;
	offload_fn *then;
	void *arg;
	const struct kind *kind; /* the registry's, while call->kind is a copy */
	bool owns_texts;
	bool inside;
	bool away;
	atomic_bool dropped; /* the call was freed while a worker had it */
};

struct lane {
	struct list waiting;
	struct call *inside[LIMIT_LARGE_AT_ONCE]; /* NULL: free */
};

/* What waits to be freed by a worker. */
struct discarded {
	VEC(struct json_doc *) docs;
	VEC(struct arena *) arenas;
};

struct offloads {
	struct api *api;
	struct discarded *discarded; /* in this turn; NULL: none */
	struct loop_defer discard;
	struct lane lanes[LOOP_LANE_COUNT];
};

struct offloads *offloads_new(struct api *api)
{
	struct offloads *all = mem_new(struct offloads);

	all->api = api;
	for (size_t i = 0; i < LOOP_LANE_COUNT; i++)
		list_init(&all->lanes[i].waiting);
	return all;
}

static void free_contents(void *arg)
{
	struct discarded *discarded = arg;

	while (discarded->docs.len)
		json_doc_unref(discarded->docs.ptr[--discarded->docs.len]);
	while (discarded->arenas.len)
		arena_free(discarded->arenas.ptr[--discarded->arenas.len]);
}

/* With those that no worker has freed. */
static void discarded_free(void *arg)
{
	struct discarded *discarded = arg;

	if (!discarded)
		return;
	free_contents(discarded);
	vec_done(&discarded->docs);
	vec_done(&discarded->arenas);
	mem_free(discarded);
}

static void hand_over_discarded(void *arg)
{
	struct offloads *all = arg;
	struct discarded *discarded = TAKE(all->discarded);
	struct err err;

	if (loop_work(api_loop(all->api), LOOP_LANE_REQUEST, free_contents, discarded_free,
		      discarded, &err) < 0)
		discarded_free(discarded); /* too much waits for the workers */
}

/* What is handed over at the end of this turn. */
static struct discarded *discarded_of(struct offloads *all)
{
	if (!all->discarded)
		all->discarded = mem_new(struct discarded);
	loop_defer(api_loop(all->api), &all->discard, hand_over_discarded, all);
	return all->discarded;
}

void offload_discard(struct api *api, struct json_doc *doc)
{
	if (!doc || json_doc_bytes(doc) < DISCARD_BYTES || !json_doc_is_sole(doc))
		json_doc_unref(doc);
	else
		vec_push(&discarded_of(api->offloads)->docs, doc);
}

void offload_discard_arena(struct api *api, struct arena *arena)
{
	if (arena_used(arena) < DISCARD_BYTES)
		arena_free(arena);
	else
		vec_push(&discarded_of(api->offloads)->arenas, arena);
}

void offloads_free(struct offloads *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < LOOP_LANE_COUNT; i++)
		assert(list_is_empty(&all->lanes[i].waiting));
	loop_defer_cancel(api_loop(all->api), &all->discard);
	discarded_free(all->discarded);
	mem_free(all);
}

void offloads_settle(struct offloads *all)
{
	loop_lane_drain(api_loop(all->api), LOOP_LANE_REQUEST);
	loop_lane_drain(api_loop(all->api), LOOP_LANE_COMPRESS);
}

/* --- what a worker may read ------------------------------------------------------------------ */

/* The texts of a call may be the request's or the client's, which end before it. */
static void own_texts(struct call *call)
{
	struct call_options *options = &call->options;
	struct str *const texts[] = {
		&call->namespace,
		&call->name,
		&call->sub,
		&call->agent,
		&options->dry_run,
		&options->field_validation,
		&options->field_manager,
		&options->include_object,
		&options->propagation,
		&options->precondition_uid,
		&options->precondition_version,
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i]->ptr)
			*texts[i] = arena_str(call->arena, *texts[i]);
}

/* --- who is next ----------------------------------------------------------------------------- */

static bool is_same_object(const struct call *a, const struct call *b)
{
	return a->name.len && str_eq(a->name, b->name) && str_eq(a->namespace, b->namespace) &&
	       str_eq(a->kind->prefix, b->kind->prefix);
}

/* How many calls of the same user are in the lane; SIZE_MAX if this one may not enter it now. */
static size_t count_inside(const struct lane *lane, const struct offload *offload)
{
	const struct call *call = offload->call;
	size_t count = 0;

	for (size_t i = 0; i < LIMIT_LARGE_AT_ONCE; i++) {
		const struct call *other = lane->inside[i];

		if (!other)
			continue;
		if (offload->lane == LOOP_LANE_REQUEST && is_same_object(call, other))
			return SIZE_MAX;
		count += str_eq(call->user.name, other->user.name);
	}
	return count;
}

static struct offload *choose(const struct lane *lane)
{
	struct offload *best = NULL;
	size_t least = SIZE_MAX;

	LIST_EACH(&lane->waiting, struct offload, link, offload) {
		size_t count = count_inside(lane, offload);

		if (count < least) {
			least = count;
			best = offload;
		}
		if (least == 0)
			break;
	}
	return best;
}

/* --- to the worker and back ------------------------------------------------------------------ */

static void on_work(void *arg)
{
	struct offload *offload = arg;

	if (!atomic_load(&offload->dropped))
		offload->work(offload->arg);
}

static void leave(struct offload *offload);

static void run_then(void *arg)
{
	struct offload *offload = arg;

	if (offload->lane != LOOP_LANE_REQUEST)
		leave(offload);
	offload->then(offload->arg);
}

static void on_worked(void *arg)
{
	struct offload *offload = arg;
	struct call *call = offload->call;

	offload->away = false;
	if (call->kind != offload->kind)
		definition_unpin(call->kind);
	call->kind = offload->kind;
	if (atomic_load(&offload->dropped))
		call_free(call);
	else
		call_step_later(call, &offload->step, run_then, offload);
}

static void hand_over(struct offload *offload)
{
	struct call *call = offload->call;
	struct loop *loop = api_loop(call->api);
	struct err err;

	if (!offload->owns_texts)
		own_texts(call);
	offload->owns_texts = true;
	offload->away = true;
	offload->kind = call->kind;
	if (call->kind)
		call->kind = definition_pin(call->kind, call->arena);
	call->work.now = api_now(call->api);
	if (loop_work(loop, offload->lane, on_work, on_worked, offload, &err) == 0)
		return;
	on_work(offload); /* cannot be: a lane's queue is longer than so many */
	loop_post(loop, on_worked, offload);
}

static void enter_next(struct offloads *all, enum loop_lane which)
{
	struct lane *lane = &all->lanes[which];

	for (size_t i = 0; i < LIMIT_LARGE_AT_ONCE; i++) {
		struct offload *next = lane->inside[i] ? NULL : choose(lane);

		if (!next)
			continue;
		list_remove(&next->link);
		lane->inside[i] = next->call;
		next->inside = true;
		hand_over(next);
	}
}

/* Out of its lane, for others. */
static void leave(struct offload *offload)
{
	struct offloads *all = offload->call->api->offloads;
	struct lane *lane = &all->lanes[offload->lane];

	list_remove(&offload->link);
	if (!offload->inside)
		return;
	offload->inside = false;
	for (size_t i = 0; i < LIMIT_LARGE_AT_ONCE; i++)
		if (lane->inside[i] == offload->call)
			lane->inside[i] = NULL;
	enter_next(all, offload->lane);
}

void call_offload(struct call *call, enum loop_lane lane, offload_fn *work, offload_fn *then,
		  void *arg)
{
	struct offload *offload = call->work.offload;

	if (!offload) {
		offload = call->work.offload = mem_new(struct offload);
		offload->call = call;
		offload->lane = lane;
		list_init(&offload->link);
	}
	assert(!offload->away && !call_step_is_queued(&offload->step));
	if (offload->lane != lane)
		leave(offload);
	offload->lane = lane;
	offload->work = work;
	offload->then = then;
	offload->arg = arg;
	if (offload->inside) {
		hand_over(offload);
		return;
	}
	list_push(&call->api->offloads->lanes[lane].waiting, &offload->link);
	enter_next(call->api->offloads, lane);
}

bool call_is_away(const struct call *call)
{
	return call->work.offload && call->work.offload->away;
}

static void ignore(struct call *call)
{
	call_free(call);
}

bool call_end_offload(struct call *call)
{
	static const struct call_sink nobody = {.answered = ignore};
	struct offload *offload = call->work.offload;

	if (!offload)
		return true;
	if (offload->away) {
		atomic_store(&offload->dropped, true);
		call->sink = &nobody;
		return false;
	}
	call_step_cancel(call, &offload->step);
	leave(offload);
	call->work.offload = NULL;
	mem_free(offload);
	return true;
}
