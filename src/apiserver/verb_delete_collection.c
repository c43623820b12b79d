/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb_delete_collection.c - the end of many objects: a list, and a removal of each.
 *
 * The answer is the list as it was. Each removal is a call of its own, of the same user and with
 * the same options; the answer waits for the last of them. An object that has gone meanwhile is no
 * error; one that may not go is the answer, and the others go all the same. */
#include "apiserver/api_internal.h"
#include "apiserver/filter.h"
#include "apiserver/list.h"
#include "apiserver/page.h"
#include "base/mem.h"

#include "base/banned.h"

struct sweep {
	struct call *call; /* NULL: it is gone, and nobody waits */
	struct page page;
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
		call->sweep = NULL;
		if (sweep->refusal)
			call_answer_doc(call, sweep->code, TAKE(sweep->refusal));
		else
			list_answer(call, &sweep->page);
	}
	json_doc_unref(sweep->refusal);
	page_done(&sweep->page);
	mem_free(sweep);
}

static void on_answered(struct call *part)
{
	struct sweep *sweep = part->arg;

	if (part->code >= 400 && part->code != 404 && !sweep->refusal) {
		sweep->refusal = TAKE(part->doc);
		sweep->code = part->code;
	}
	call_free(part);
	count_down(sweep);
}

static const struct call_sink sink = {.answered = on_answered};

void sweep_forget(struct sweep *sweep)
{
	sweep->call = NULL;
}

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
	api_serve(part);
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
	sweep->waiting = sweep->page.objects.len + 1; /* this function is one of them */
	call->sweep = sweep;
	for (size_t i = 0; i < sweep->page.objects.len; i++)
		remove_one(sweep, sweep->page.objects.ptr[i]);
	count_down(sweep);
}
