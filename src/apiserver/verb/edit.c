/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/edit.c - a write in steps.
 *
 * 1. call->work.edit is set exactly while the write waits for a worker or for its turn: a step that runs on
 *    the loop may end the call, and the write outlives it.
 * 2. Documents and references of a write are given up on the loop's thread only. */
#include "apiserver/verb/edit.h"

#include <string.h>

#include "apiserver/request/offload.h"
#include "apiserver/request/reading.h"
#include "base/mem.h"

#include "base/banned.h"

/* How many times an object may change while a large write to it is worked on. */
enum { RESTARTS_MAX = 16, BYTES_PER_TEXT = 4 };

/* What it has made so far; the call says again only what it said before. */
static void reset(struct edit *edit)
{
	object_unref(TAKE(edit->stored));
	offload_discard(edit->api, TAKE(edit->old));
	offload_discard(edit->api, TAKE(edit->doc));
	staging_done(&edit->made);
	vec_clear(&edit->later);
	edit->old_is_stored = false;
	edit->odd = false;
}

static void end(struct edit *edit)
{
	reset(edit);
	vec_done(&edit->later);
	if (edit->kept)
		mem_free(edit);
}

void edit_forget(struct edit *edit)
{
	if (edit)
		end(edit);
}

static void take_steps(struct edit *edit);

static void work(void *arg)
{
	struct edit *edit = arg;

	edit->ended = !edit->next[-1].fn(edit);
}

static void go_on(void *arg)
{
	struct edit *edit = arg;
	struct call *call = edit->call;

	call->work.edit = NULL;
	if (!edit->ended) {
		take_steps(edit);
		return;
	}
	end(edit);
	call_answer_waiting(call);
}

/* The rest of it is a worker's, in a copy that stays. */
static void hand_over(struct edit *edit)
{
	struct call *call = edit->call;
	struct edit *kept = edit;

	if (!edit->kept) {
		kept = mem_dup(edit, sizeof(*edit));
		kept->kept = true;
	}
	call->work.edit = kept;
	call_offload(call, LOOP_LANE_REQUEST, work, go_on, kept);
}

static void take_steps(struct edit *edit)
{
	while (edit->next->fn) {
		const struct edit_step *step = edit->next++;

		if (step->pure && edit->split) {
			hand_over(edit);
			return;
		}
		if (!step->fn(edit))
			break;
	}
	end(edit);
}

/* A body that did not come as text is a document of a component's. */
static bool is_large(const struct call *call)
{
	return call->work.large ||
	       (!call->internal && call->body.doc && !call->body.len &&
		api_is_large(call->api, json_doc_bytes(call->body.doc) / BYTES_PER_TEXT));
}

void edit_run(const struct edit *edit)
{
	struct edit own = *edit;
	struct call *call = own.call;

	own.api = call->api;
	call->work.large = is_large(call);
	own.split = call->work.large;
	own.first = own.next;
	own.warnings = call->answer.warnings.len;
	own.warning_chars = call->answer.warning_chars;
	own.odd_field_count = call->body.odd_fields.len;
	if (own.odd_field_count) {
		size_t bytes = own.odd_field_count * sizeof(*own.odd_fields);

		own.odd_fields = arena_alloc(call->arena, bytes);
		memcpy(own.odd_fields, call->body.odd_fields.ptr, bytes);
	}
	own.yaml_duplicates = call->body.yaml_duplicates;
	take_steps(&own);
}

/* --- for steps ------------------------------------------------------------------------------- */

static struct object *find(struct call *call)
{
	const struct store *store = api_store(call->api);
	struct str key = call_key(call, call->name);

	return call->verb == VERB_GET ? store_get(store, key) : store_newest(store, key);
}

void edit_read(struct edit *edit)
{
	struct call *call = edit->call;
	struct object *object = find(call);

	if (!object)
		return;
	edit->stored = object_ref(object);
	if (!call->internal && api_is_large(call->api, object->text.len))
		call->work.large = edit->split = true;
	edit->old_is_stored = reading_is_plain(call->kind, object);
	if (edit->old_is_stored && !edit->split)
		edit->old = decoded_get(call->api->decoded, object);
}

bool edit_find(struct edit *edit)
{
	struct call *call = edit->call;
	struct err err;

	edit_read(edit);
	if (edit->stored)
		return true;
	(void)call_err_not_found(call, call->name, &err);
	return edit_refuse(edit, &err);
}

void edit_decode_old(struct edit *edit)
{
	struct err err;

	if (!edit->old)
		edit->old = reading_parse(edit->call->kind, edit->stored, &err);
}

bool edit_is_stale(const struct edit *edit)
{
	struct call *call = edit->call;

	return edit->split &&
	       edit->stored != store_newest(api_store(call->api), call_key(call, call->name));
}

bool edit_restart(struct edit *edit)
{
	struct call *call = edit->call;
	struct err err;

	if (++edit->restarts > RESTARTS_MAX) {
		(void)call_err_conflict(call, call->name, CALL_CONFLICT_MODIFIED, &err);
		return edit_refuse(edit, &err);
	}
	reset(edit);
	json_doc_unref(TAKE(call->work.managed));
	call->answer.warnings.len = edit->warnings;
	call->answer.warning_chars = edit->warning_chars;
	vec_clear(&call->body.odd_fields);
	for (size_t i = 0; i < edit->odd_field_count; i++)
		vec_push(&call->body.odd_fields, edit->odd_fields[i]);
	call->body.yaml_duplicates = edit->yaml_duplicates;
	edit->next = edit->first;
	return true;
}

void edit_go_to(struct edit *edit, const struct edit_step *step)
{
	edit->next = step;
}

void edit_become(struct edit *edit, const struct edit_step *steps)
{
	reset(edit);
	edit->first = edit->next = steps;
}

static void warn(struct edit *edit)
{
	struct call *call = edit->call;
	const struct kind_ops *ops = call->kind->ops;

	if (ops && ops->warn)
		ops->warn(call, json_doc_root(edit->doc), json_doc_root(edit->old));
}

void edit_gather_warnings(struct edit *edit)
{
	struct call *call = edit->call;
	size_t before = call->answer.warnings.len;
	size_t chars = call->answer.warning_chars;

	warn(edit);
	for (size_t i = before; i < call->answer.warnings.len; i++)
		vec_push(&edit->later, call->answer.warnings.ptr[i]);
	call->answer.warnings.len = before;
	call->answer.warning_chars = chars;
}

void edit_warn(struct edit *edit)
{
	if (!edit->split)
		warn(edit);
	for (size_t i = 0; i < edit->later.len; i++)
		call_warn(edit->call, "%s", edit->later.ptr[i]);
}

bool edit_refuse(struct edit *edit, const struct err *err)
{
	call_answer_err(edit->call, err);
	return false;
}
