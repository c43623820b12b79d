/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_delete.c - deletes an object, at once or in steps.
 *
 * An object with finalizers, with dependents that must go first, or (a pod) with time to stop in,
 * is only marked: it gets a deletionTimestamp and lives until the last finalizer is taken away or
 * it is deleted again with no grace left. Marking never goes back: a later removal may shorten the
 * grace, not lengthen it. */
#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/request/options.h"
#include "apiserver/verb/edit.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/time.h"
#include "model/core/meta.h"
#include "model/rules/causes.h"

#include "base/banned.h"

#define FINALIZER_FOREGROUND "foregroundDeletion"
#define FINALIZER_ORPHAN "orphan"

/* The sentence names the kind with its group, the details without. */
static int refuse_precondition(struct call *call, const char *why, struct err *err)
{
	call->error.kind = call->kind->qualified;
	(void)call_err_conflict(call, call->name, why, err);
	call->error.kind = call->kind->name;
	return -1;
}

int delete_check_preconditions(struct call *call, struct json object, int64_t revision,
			       struct err *err)
{
	const struct call_options *options = &call->options;
	struct str uid = json_str(json_get(json_get(object, "metadata"), "uid"));
	int64_t version;

	if (!str_is_none(options->precondition_uid) && !str_eq(options->precondition_uid, uid))
		return refuse_precondition(
			call,
			arena_printf(call->arena,
				     "the UID in the precondition (%.*s) does not match the UID in "
				     "record (%.*s). The object might have been deleted and then "
				     "recreated",
				     STR_ARG(options->precondition_uid), STR_ARG(uid)),
			err);
	if (!str_is_none(options->precondition_version) &&
	    (number_parse_i64(options->precondition_version, &version, NULL) < 0 ||
	     version != revision))
		return refuse_precondition(
			call,
			arena_printf(
				call->arena,
				"the ResourceVersion in the precondition (%.*s) does not match the "
				"ResourceVersion in record (%" PRId64 "). The object might have "
				"been modified",
				STR_ARG(options->precondition_version), revision),
			err);
	return 0;
}

static bool has_finalizer(struct json metadata, const char *name)
{
	return json_has_str(json_get(metadata, "finalizers"), str_from(name));
}

static void set_finalizer(struct json_doc *doc, struct json metadata, const char *name, bool wanted)
{
	struct json list = json_ensure_arr(doc, metadata, "finalizers");

	if (!wanted)
		(void)json_remove_str(doc, list, str_from(name));
	else if (!has_finalizer(metadata, name))
		json_append(doc, list, json_new_str(doc, str_from(name)));
	if (json_len(list) == 0)
		(void)json_remove(doc, metadata, STR("finalizers"));
}

/* Whether dependents go first (foreground), are let go (orphan), or follow (background). What the
 * object already says counts if the caller says nothing. */
static void set_propagation(struct call *call, struct json_doc *doc, struct json metadata)
{
	const struct call_options *options = &call->options;
	bool foreground = str_is(options->propagation, "Foreground");
	bool orphan = str_is(options->propagation, "Orphan") || options->orphan == OPTION_TRUE;

	if (!options->propagation.len && options->orphan == OPTION_UNSET)
		return;
	set_finalizer(doc, metadata, FINALIZER_FOREGROUND, foreground);
	set_finalizer(doc, metadata, FINALIZER_ORPHAN, orphan);
}

/* The grace that is left to it: never more than it was given before. */
static int64_t grace_left(struct call *call, struct json object)
{
	const struct kind_ops *ops = call->kind->ops;
	struct json metadata = json_get(object, "metadata");
	struct json given = json_get(metadata, "deletionGracePeriodSeconds");
	int64_t grace = 0;

	if (ops && ops->grace)
		grace = ops->grace(call, object, call->options.grace_seconds);
	if (!json_is_absent(given) && grace > json_int(given))
		grace = json_int(given);
	return grace;
}

/* When its grace began: what is shortened later counts from then. */
static int64_t start_of(struct call *call, struct json metadata)
{
	int64_t given = json_int(json_get(metadata, "deletionGracePeriodSeconds"));
	int64_t end;

	if (time_parse(json_str(json_get(metadata, "deletionTimestamp")), &end, NULL) < 0)
		return api_now(call->api);
	/* A grace beyond all times ends at the last one: then its beginning is not known. */
	if (end == time_after(end, TIME_SECOND))
		return api_now(call->api);
	return time_after(end, -time_span(given));
}

/* Mark it; false if it was marked in the same way already. */
static bool mark(struct call *call, struct json_doc *doc, int64_t grace)
{
	struct json metadata = json_get(json_doc_root(doc), "metadata");
	bool marked = !json_is_absent(json_get(metadata, "deletionTimestamp"));
	char text[TIME_TEXT_SIZE];

	if (marked && json_int(json_get(metadata, "deletionGracePeriodSeconds")) == grace)
		return false;
	time_print(time_after(start_of(call, metadata), time_span(grace)), text);
	json_set_str(doc, metadata, "deletionTimestamp", str_from(text));
	json_set_int(doc, metadata, "deletionGracePeriodSeconds", grace);
	if (!marked && call->kind->generation && !json_is_absent(json_get(metadata, "generation")))
		json_set_int(doc, metadata, "generation",
			     json_int(json_get(metadata, "generation")) + 1);
	return true;
}

/* A request with the old orphanDependents option gets an answer that the deletion has only begun. */
static int started_code(const struct call *call)
{
	return call->options.orphan == OPTION_FALSE ? 202 : 200;
}

/* Does DELETE answer with a Status rather than with the object? */
static bool answers_status(const struct call *call)
{
	return !call->kind->returns_deleted;
}

/* What happens to dependents by default. */
static void warn_removal(struct call *call)
{
	if (call->kind->removal_warning && !call->options.propagation.len &&
	    call->options.orphan == OPTION_UNSET)
		call_warn(call, "%s", call->kind->removal_warning);
}

bool delete_read_options(struct call *call)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	const char *kind;
	struct err err;

	if (!call->body.doc) {
		warn_removal(call);
		return true;
	}
	if (options_from_body(call, json_doc_root(call->body.doc), &err) < 0) {
		call_answer_err(call, &err);
		return false;
	}
	options_validate(call, &kind, &causes);
	if (causes.len == 0) {
		warn_removal(call);
		return true;
	}
	call_answer_invalid(call, STR("meta.k8s.io"), str_from(kind), str_none(), &causes);
	return false;
}

/* --- steps ----------------------------------------------------------------------------------- */

/* As it is stored, whatever version is asked for. */
static bool decode(struct edit *edit)
{
	if (!edit->old)
		edit->old = object_parse(edit->stored);
	edit->doc = json_doc_thaw(json_doc_root(edit->old));
	return true;
}

static int check_removal(struct edit *edit, struct err *err)
{
	struct call *call = edit->call;
	const struct kind_ops *ops = call->kind->ops;
	struct json old = json_doc_root(edit->old);

	if (delete_check_preconditions(call, old, edit->stored->revision, err) < 0 ||
	    (ops && ops->check_delete && ops->check_delete(call, old, err) < 0))
		return -1;
	return admit_check(call, JSON_NONE, old, err);
}

static bool has_finalizers(struct json_doc *doc)
{
	return json_len(json_get(json_get(json_doc_root(doc), "metadata"), "finalizers")) > 0;
}

/* What is written, and what is in it. */
static bool decide(struct edit *edit)
{
	struct call *call = edit->call;
	struct json_doc *doc = edit->doc;
	struct json object = json_doc_root(doc);
	const struct kind_ops *ops = call->kind->ops;
	int64_t grace;
	struct err err;

	if (edit_is_stale(edit))
		return edit_restart(edit);
	if (check_removal(edit, &err) < 0)
		return edit_refuse(edit, &err);
	set_propagation(call, doc, json_get(object, "metadata"));
	edit->removal = EDIT_MARK;
	if (ops && ops->start_removal && ops->start_removal(call, doc, object))
		return true;
	grace = grace_left(call, object);
	if (grace > 0 || has_finalizers(doc)) {
		(void)mark(call, doc, grace);
		return true;
	}
	/* what has grace is marked before it goes, for those who watch */
	edit->removal = ops && ops->grace && mark(call, doc, 0) ? EDIT_REMOVE_MARKED : EDIT_REMOVE;
	return true;
}

/* Without finalizers it is as it was, unless it had some. One whose text cannot be read has no uid. */
static bool is_as_stored(const struct edit *edit)
{
	return edit->removal == EDIT_REMOVE && !has_finalizers(edit->old) &&
	       meta_uid(json_doc_root(edit->old)).len;
}

static bool prepare(struct edit *edit)
{
	if (!edit->split)
		return true;
	if (edit->removal == EDIT_MARK)
		stage_prepare(edit->call, edit->doc, edit->stored, edit->old, &edit->made);
	else if (!is_as_stored(edit))
		stage_print(edit->call, edit->doc, &edit->made);
	return true;
}

static void remove_object(struct edit *edit)
{
	struct call *call = edit->call;
	struct staging *made = edit->made.ready ? &edit->made : NULL;
	bool marks = edit->removal == EDIT_REMOVE_MARKED && !call->options.dry_run.len;
	struct object *newest =
		marks ? stage_mark(call, edit->doc, edit->stored, made) : edit->stored;
	AUTO(object_unref) struct object *marked = object_ref(newest);

	stage_delete(call, edit->doc,
		     &(struct stage_removal){
			     .old = marked,
			     .made = made,
			     .as_stored = marked != edit->stored || is_as_stored(edit),
			     .status = answers_status(call),
		     });
}

/* What admission has checked may have changed, if others have written meanwhile. */
static bool finish(struct edit *edit)
{
	struct call *call = edit->call;
	struct err err;

	if (edit_is_stale(edit))
		return edit_restart(edit);
	if (edit->split && check_removal(edit, &err) < 0)
		return edit_refuse(edit, &err);
	if (edit->removal != EDIT_MARK)
		remove_object(edit);
	else if (edit->made.ready)
		stage_update_made(call, edit->doc, edit->stored, &edit->made, started_code(call));
	else
		stage_update(call, edit->doc, edit->stored, started_code(call));
	return false;
}

const struct edit_step edit_delete[] = {{edit_find, false}, {decode, true},  {decide, false},
					{prepare, true},    {finish, false}, {NULL, false}};

void verb_delete(struct call *call)
{
	if (delete_read_options(call))
		edit_run(&(struct edit){.call = call, .next = edit_delete});
}
