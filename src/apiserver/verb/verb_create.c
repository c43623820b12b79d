/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_create.c - a new object. Also used if PUT or apply makes what is not there. */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "apiserver/apply/managed.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/verb/edit.h"
#include "model/rules/causes.h"

#include "base/banned.h"

static struct json body_of(const struct call *call)
{
	return call->body.doc ? json_doc_root(call->body.doc) : JSON_NONE;
}

static bool recognize(struct edit *edit)
{
	struct err err;

	return body_recognize(edit->call, body_of(edit->call), &err) == 0 ||
	       edit_refuse(edit, &err);
}

bool edit_decode_new(struct edit *edit)
{
	struct call *call = edit->call;
	struct err err;

	if (!edit->doc)
		edit->doc = body_make(call, body_of(call), &err);
	if (!edit->doc)
		return edit_refuse(edit, &err);
	managed_create(call, edit->doc);
	return true;
}

/* Fill and admit. */
static bool admit(struct edit *edit)
{
	struct call *call = edit->call;
	const struct kind_ops *ops = call->kind->ops;
	struct json_doc *doc = edit->doc;
	struct err err;

	if (edit->makes && edit_is_stale(edit))
		return edit_restart(edit);
	if (metadata_create(call, doc, &err) < 0 || admit_change(call, doc, JSON_NONE, &err) < 0)
		return edit_refuse(edit, &err);
	if (call->kind->status && !call->kind->status_on_create)
		(void)json_remove(doc, json_doc_root(doc), STR("status"));
	if (ops && ops->prepare_create &&
	    ops->prepare_create(call, doc, json_doc_root(doc), &err) < 0)
		return edit_refuse(edit, &err);
	if (ops && ops->reads_others) /* what it has read must be so when it is stored */
		edit->split = false;
	return true;
}

static bool is_invalid(struct call *call, struct json object)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	const struct kind_ops *ops = call->kind->ops;

	metadata_validate(call, object, &causes);
	if (call->kind->content->validate)
		call->kind->content->validate(call->kind, call->sub, object, JSON_NONE, &causes);
	if (ops && ops->validate_create)
		ops->validate_create(call, object, &causes);
	if (causes.len == 0)
		return false;
	call_answer_causes(call, json_str(json_get(json_get(object, "metadata"), "name")), &causes);
	return true;
}

static bool check(struct edit *edit)
{
	managed_store(edit->call, edit->doc);
	if (is_invalid(edit->call, json_doc_root(edit->doc)))
		return false;
	if (edit->split) {
		edit_gather_warnings(edit);
		stage_prepare(edit->call, edit->doc, NULL, NULL, &edit->made);
	}
	return true;
}

/* Does the result of admission still hold? Its namespace or its definition may be terminating by
 * now. */
static int admit_again(struct edit *edit, struct err *err)
{
	struct call *call = edit->call;
	struct json object = json_doc_root(edit->doc);
	const struct kind_ops *ops = call->kind->ops;

	if (!edit->split)
		return 0;
	if (admit_namespace(&(struct admission){call, NULL, object, JSON_NONE}, err) < 0)
		return -1;
	return call->kind->custom && ops && ops->prepare_create
		       ? ops->prepare_create(call, edit->doc, object, err)
		       : 0;
}

static bool store(struct edit *edit)
{
	struct call *call = edit->call;
	const struct kind *kind = call->kind;
	struct api *api = call->api;
	struct json_doc *doc = edit->doc;
	struct err err;

	if (edit->makes && edit_is_stale(edit))
		return edit_restart(edit);
	if (admit_again(edit, &err) < 0 ||
	    admit_check(call, json_doc_root(doc), JSON_NONE, &err) < 0)
		return edit_refuse(edit, &err);
	edit_warn(edit);
	stage_create(call, doc, edit->made.ready ? &edit->made : NULL);
	/* the call may have been freed here */
	reconcile_defaults_made(
		api, kind, json_str(json_get(json_get(json_doc_root(doc), "metadata"), "name")));
	return false;
}

const struct edit_step edit_new[] = {{admit, false}, {check, true}, {store, false}, {NULL, false}};

static bool go_on_as_new(struct edit *edit)
{
	edit_go_to(edit, edit_new);
	return true;
}

void verb_create(struct call *call)
{
	static const struct edit_step steps[] = {
		{recognize, false}, {edit_decode_new, true}, {go_on_as_new, false}, {NULL, false}};

	edit_run(&(struct edit){.call = call, .next = steps});
}
