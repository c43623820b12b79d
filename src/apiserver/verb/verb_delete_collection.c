/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_delete_collection.c - deletes many objects: lists them, and deletes each.
 *
 * The answer is the list as it was. Each removal is a call of its own, of the same user and with
 * the same options. They are made a few per turn; the answer waits for the last of them. An object
 * that was deleted meanwhile is no error; if one cannot be deleted, that is the answer, and the
 * others are deleted nevertheless. If the caller disconnects, the rest is not deleted.
 *
 * Always true: `waiting` counts the removals under way, and one more while some are still to be
 * started. */
#include "apiserver/api_internal.h"
#include "apiserver/request/filter.h"
#include "apiserver/request/listing.h"
#include "apiserver/request/page.h"
#include "base/mem.h"
#include "loop/loop.h"

#include "base/banned.h"

/* Removals that are started in one turn, and that are under way at the same time. */
enum { STEP = 128, AT_ONCE = 1024 };

struct sweep {
	struct call *call; /* NULL: it has ended, and no client waits */
	struct page page;
	size_t next; /* of its objects: those from here on are still to be removed */
	struct call_step more;
	bool paused; /* AT_ONCE are under way: one that ends starts more */
	size_t waiting;
	struct json_doc *refusal; /* of the first one that may not go, or NULL */
	int code;
};

/* One of those that were waited for is done; the last one answers. */
static void count_down(struct sweep *sweep)
{
	struct call *call = sweep->call;

	if (--sweep->waiting)
		return;
	if (call) {
		call->work.sweep = NULL;
		if (sweep->refusal)
			call_answer_doc(call, sweep->code, TAKE(sweep->refusal));
		else
			listing_answer(call, &sweep->page);
	}
	json_doc_unref(sweep->refusal);
	page_done(&sweep->page);
	mem_free(sweep);
}

static void on_answered(struct call *part);

static const struct call_sink sink = {.answered = on_answered};

static void remove_one(struct sweep *sweep, const struct object *object)
{
	struct call *whole = sweep->call;
	struct call *part = call_new(whole->api, &sink, sweep);
	struct str rest = str_skip(object->key, whole->kind->prefix.len);
	size_t slash = (size_t)str_find_byte(rest, '/', 0);

	part->verb = VERB_DELETE;
	part->kind = whole->kind;
	part->namespace = arena_str(part->arena, str_slice(rest, 0, slash));
	part->name = arena_str(part->arena, str_skip(rest, slash + 1));
	part->options = whole->options;
	part->options.label_selector = part->options.field_selector = str_none();
	part->user = whole->user;
	part->part = true;
	part->sub = STR("");
	sweep->waiting++;
	api_serve(part);
}

static void remove_some(void *arg)
{
	struct sweep *sweep = arg;
	const struct loop *loop = api_loop(sweep->call->api);
	size_t count = 0;

	while (sweep->next < sweep->page.objects.len && sweep->waiting <= AT_ONCE) {
		if (count++ == STEP || (count > 1 && loop_is_late(loop))) {
			call_step_later(sweep->call, &sweep->more, remove_some, sweep);
			return;
		}
		remove_one(sweep, sweep->page.objects.ptr[sweep->next++]);
	}
	sweep->paused = sweep->next < sweep->page.objects.len;
	if (!sweep->paused)
		count_down(sweep);
}

static void on_answered(struct call *part)
{
	struct sweep *sweep = part->arg;

	if (part->answer.code >= 400 && part->answer.code != 404 && !sweep->refusal) {
		sweep->refusal = TAKE(part->answer.doc);
		sweep->code = part->answer.code;
	}
	call_free(part);
	if (sweep->paused && sweep->call && sweep->waiting <= AT_ONCE / 2) {
		sweep->paused = false;
		call_step_later(sweep->call, &sweep->more, remove_some, sweep);
	}
	count_down(sweep);
}

void sweep_forget(struct sweep *sweep)
{
	bool unfinished = sweep->paused || call_step_is_queued(&sweep->more);

	call_step_cancel(sweep->call, &sweep->more);
	sweep->call = NULL;
	sweep->paused = false;
	if (unfinished)
		count_down(sweep);
}

void verb_delete_collection(struct call *call)
{
	struct err err;
	struct filter *filter = NULL;
	struct sweep *sweep;

	if (!delete_read_options(call))
		return;
	filter = filter_new(call, &err);
	sweep = mem_new(struct sweep);
	if (!filter || page_read(call, filter, &sweep->page, &err) < 0) {
		page_done(&sweep->page);
		mem_free(sweep);
		call_answer_err(call, &err);
		return;
	}
	sweep->call = call;
	sweep->waiting = 1; /* until all have been started */
	call->work.sweep = sweep;
	remove_some(sweep);
}
