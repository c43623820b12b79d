/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_rules.c - the ops of built-in kinds whose rules are pure functions in model/.
 *
 * A row names the functions; this file says when they are called. What is common to the kinds of
 * Kubernetes is here too: a status that the client may not bring along is there all the same, with
 * its defaults, and templates of pods lose what features that are off would have read. */
#include "apiserver/kind/kind_rules.h"

#include "apiserver/api_internal.h"
#include "apiserver/request/call.h"
#include "base/macro.h"
#include "model/field/fields.h"
#include "model/field/path.h"
#include "model/pod/pod_prepare.h"
#include "model/pod/pod_warn.h"

#include "base/banned.h"

enum { TEMPLATE_DEPTH = 4 };

static bool is_status(const struct call *call)
{
	return str_is(call->sub, "status");
}

/* --- templates of pods ----------------------------------------------------------------------- */

static struct json follow(struct json object, const char *path)
{
	struct str rest = str_from(path);
	struct str part;

	while (str_split(&rest, '.', &part))
		object = json_get_str(object, part);
	return object;
}

static void warn_line(void *arg, const char *text)
{
	struct call *call = arg;

	call_warn(call, "%s", text);
}

static void warn_template(struct call *call, struct json object, struct json old)
{
	struct path parts[TEMPLATE_DEPTH];
	struct path *path = NULL;
	const char *template = call->kind->rules->template;
	struct str rest = str_from(template ? template : "");
	struct str part;
	size_t depth = 0;

	if (!template || json_eq(follow(object, template), follow(old, template)))
		return;
	while (depth < TEMPLATE_DEPTH && str_split(&rest, '.', &part)) {
		parts[depth] = path_member(path, part);
		path = &parts[depth++];
	}
	pod_warn_template(follow(object, template), path, warn_line, call);
}

void kind_ruled_warn(struct call *call, struct json object, struct json old)
{
	const struct kind_rules *rules = call->kind->rules;
	struct warn_to to = {warn_line, call};

	if (!rules || call->sub.len)
		return;
	if (rules->warn)
		rules->warn(object, old, &to);
	warn_template(call, object, old);
	if (rules->warn_behind)
		rules->warn_behind(object, old, &to);
}

/* --- new objects and new versions ------------------------------------------------------------ */

/* If the table says so, an object has a status even before one was written. */
static void start_status(const struct kind *kind, struct json_doc *doc, struct json object)
{
	const struct field *row = kind->status ? type_find(kind->type, STR("status"), NULL) : NULL;
	struct json status;

	if (!row || (!row->dflt && !row->always) || !json_is_absent(json_get(object, "status")))
		return;
	status = json_new_obj(doc);
	json_set(doc, object, STR("status"), status);
	type_default(row->type, doc, status);
}

int kind_ruled_prepare_create(struct call *call, struct json_doc *doc, struct json object,
			      struct err *err)
{
	const struct kind_rules *rules = call->kind->rules;

	(void)err;
	start_status(call->kind, doc, object);
	if (rules && rules->template)
		pod_prepare_spec(doc, json_get(follow(object, rules->template), "spec"));
	if (rules && rules->prepare_create)
		rules->prepare_create(doc, object);
	return 0;
}

int kind_ruled_prepare_update(struct call *call, struct json_doc *doc, struct json object,
			      struct json old, struct err *err)
{
	const struct kind_rules *rules = call->kind->rules;

	(void)err;
	if (!rules)
		return 0;
	if (is_status(call)) {
		if (rules->prepare_status)
			rules->prepare_status(doc, object, old);
		return 0;
	}
	if (rules->template)
		pod_prepare_spec(doc, json_get(follow(object, rules->template), "spec"));
	if (rules->prepare_update)
		rules->prepare_update(doc, object, old);
	return 0;
}

void kind_ruled_validate_create(struct call *call, struct json object, struct causes *causes)
{
	const struct kind_rules *rules = call->kind->rules;

	if (rules && rules->validate_create)
		rules->validate_create(object, causes);
	else if (call->kind->type->rules)
		type_validate(call->kind->type, object, causes);
}

void kind_ruled_validate_update(struct call *call, struct json object, struct json old,
				struct causes *causes)
{
	const struct kind_rules *rules = call->kind->rules;

	if (rules && !is_status(call) && rules->validate_update)
		rules->validate_update(object, old, causes);
	else if (rules && is_status(call) && rules->validate_status)
		rules->validate_status(object, old, causes);
	else if (is_status(call))
		type_validate_status(call->kind->type, old, object, causes);
	else if (call->kind->type->update)
		type_validate_update(call->kind->type, old, object, causes);
}

/* --- what generations count ------------------------------------------------------------------ */

static bool stays(struct json object, struct json old)
{
	(void)object;
	(void)old;
	return false;
}

static bool is_spec_or_annotated(struct json object, struct json old)
{
	return !json_eq(json_get(object, "spec"), json_get(old, "spec")) ||
	       !json_eq(json_get(json_get(object, "metadata"), "annotations"),
			json_get(json_get(old, "metadata"), "annotations"));
}

static bool is_changed_or_labelled(struct json object, struct json old)
{
	return metadata_differs_outside(object, old) ||
	       !json_eq(json_get(json_get(object, "metadata"), "labels"),
			json_get(json_get(old, "metadata"), "labels"));
}

const struct kind_ops kind_ruled = {KIND_RULED};
const struct kind_ops kind_ruled_still = {KIND_RULED, .spec_changed = stays};
const struct kind_ops kind_ruled_annotated = {KIND_RULED, .spec_changed = is_spec_or_annotated};
const struct kind_ops kind_ruled_labelled = {KIND_RULED, .spec_changed = is_changed_or_labelled};
