/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_update.c - a new version of an object: PUT, and what a patch has made.
 *
 * Everything happens in one turn against the newest version, staged ones included (or, of a large object, as
 * if it had: edit.h), so that two writers can never both start from the same one: if a
 * resourceVersion is given it must be that
 * version, and if none is given the update is to whatever is there. */
#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/apply/managed.h"
#include "apiserver/verb/edit.h"
#include "base/number.h"
#include "model/rules/causes.h"

#include "base/banned.h"

int update_check_name(struct call *call, struct json object, struct err *err)
{
	struct json metadata = json_get(object, "metadata");
	struct str name = json_str(json_get(metadata, "name"));
	struct str namespace = json_str(json_get(metadata, "namespace"));

	if (name.len == 0)
		return err_set(
			err, ERR_BAD_REQUEST,
			"the name of the object (%.*s based on URL) was undeterminable: name "
			"must be provided",
			STR_ARG(call->name));
	if (!str_eq(name, call->name))
		return err_set(
			err, ERR_BAD_REQUEST,
			"the name of the object (%.*s) does not match the name on the URL (%.*s)",
			STR_ARG(name), STR_ARG(call->name));
	if (call->kind->namespaced && namespace.len && !str_eq(namespace, call->namespace))
		return err_set(
			err, ERR_BAD_REQUEST,
			"the namespace of the provided object does not match the namespace sent "
			"on the request");
	return 0;
}

/* Does a write that must say which version it is for say none? A patch is for the newest unless it
 * says 0. Another uid is the greater fault (check_uid()). The answer names the resource, not the
 * kind. */
static bool lacks_version(struct call *call, struct json object, struct json old)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct path metadata = path_member(NULL, STR("metadata"));
	struct path path = path_member(&metadata, STR("resourceVersion"));
	struct json meta = json_get(object, "metadata");
	struct str version = json_str(json_get(meta, "resourceVersion"));
	struct str uid = json_str(json_get(meta, "uid"));

	if (!call->kind->version_on_update || call->patch == PATCH_APPLY ||
	    (version.len ? !str_is(version, "0") : call->verb != VERB_UPDATE) ||
	    (uid.len && !str_eq(uid, json_str(json_get(json_get(old, "metadata"), "uid")))))
		return false;
	causes_add(&causes, CAUSE_INVALID, &path,
		   "Invalid value: 0: must be specified for an update");
	call_answer_invalid(call, call->kind->group, call->kind->plural, call->name, &causes);
	return true;
}

static bool is_digits(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

/* Is the version that the client started from the newest? Absent and "0" mean any. */
static int check_version(struct call *call, struct json object, int64_t newest, struct err *err)
{
	struct str version = json_str(json_get(json_get(object, "metadata"), "resourceVersion"));
	uint64_t number;

	if (version.len == 0)
		return 0;
	if (number_parse_u64(version, &number, NULL) < 0)
		return err_set(err, ERR_UNKNOWN, "strconv.ParseUint: parsing \"%.*s\": %s",
			       STR_ARG(version),
			       is_digits(version) ? "value out of range" : "invalid syntax");
	if (number == 0 || number == (uint64_t)newest)
		return 0;
	return call_err_conflict(call, call->name, CALL_CONFLICT_MODIFIED, err);
}

/* Where kube-apiserver keeps a kind, if not under its plural. */
static const struct {
	const char *plural;
	const char *folder;
} folders[] = {
	{"services", "services/specs"},
	{"endpoints", "services/endpoints"},
	{"nodes", "minions"},
	{"replicationcontrollers", "controllers"},
	{"ingresses", "ingress"},
	{"customresourcedefinitions", "apiextensions.k8s.io/customresourcedefinitions"},
};

static const char *folder_of(struct call *call)
{
	const struct kind *kind = call->kind;

	if (kind->custom)
		return arena_printf(call->arena, "%.*s/%.*s", STR_ARG(kind->group),
				    STR_ARG(kind->plural));
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (str_is(kind->plural, folders[i].plural))
			return folders[i].folder;
	return arena_printf(call->arena, "%.*s", STR_ARG(kind->plural));
}

/* PUT of an object with another uid is meant for an object that was deleted. A dry run asks below
 * the part of the store that adds its root to keys. */
static int check_uid(struct call *call, struct json object, struct json old, struct err *err)
{
	struct str uid = json_str(json_get(json_get(object, "metadata"), "uid"));
	struct str stored = json_str(json_get(json_get(old, "metadata"), "uid"));

	if (call->verb != VERB_UPDATE || uid.len == 0 || str_eq(uid, stored))
		return 0;
	return call_err_conflict(
		call, call->name,
		arena_printf(call->arena,
			     "StorageError: invalid object, Code: 4, Key: %s/%s%s%.*s/%.*s, "
			     "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
			     "precondition: %.*s, UID in object meta: %.*s",
			     call->options.dry_run.len ? "" : "/registry", folder_of(call),
			     call->kind->namespaced ? "/" : "", STR_ARG(call->namespace),
			     STR_ARG(call->name), STR_ARG(uid), STR_ARG(stored)),
		err);
}

static bool is_one_of(struct str key, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(key, names[i]))
			return true;
	return false;
}

/* Take every member but `kept` from the old object. */
static void restore_but(struct json_doc *doc, struct json old, const char *const *kept,
			size_t count)
{
	struct json object = json_doc_root(doc);
	struct json_iter it = json_iter(object);

	while (json_next(&it))
		if (!is_one_of(it.key, kept, count))
			(void)json_remove(doc, object, it.key);
	for (it = json_iter(old); json_next(&it);)
		if (!is_one_of(it.key, kept, count))
			json_set(doc, object, it.key, json_new_copy(doc, it.value));
}

/* What the sub-resource (or the object itself, if it has a status) may not touch is as it was. A
 * custom object's status cannot even bring labels along. */
static void confine(struct call *call, struct json_doc *doc, struct json old)
{
	static const char *const by_status[] = {"status", "metadata"};
	struct json object = json_doc_root(doc);
	struct json status = json_get(old, "status");

	if (kind_sub_is_status(call->kind, call->sub))
		restore_but(doc, old, by_status, call->kind->custom ? 1 : ARRAY_LEN(by_status));
	else if (call->kind->status && json_is_absent(status))
		(void)json_remove(doc, object, STR("status"));
	else if (call->kind->status)
		json_set(doc, object, STR("status"), json_new_copy(doc, status));
}

static bool is_invalid(struct call *call, struct json object, struct json old)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(causes_done) struct causes warned = CAUSES_INIT;
	const struct kind_ops *ops = call->kind->ops;

	causes.warned = &warned;
	/* upstream asks twice, once for all kinds and once for each, and reports both times */
	metadata_validate_update(call, object, old, &causes);
	if (call->kind->content->validate)
		call->kind->content->validate(call->kind, call->sub, object, old, &causes);
	if (ops && ops->validate_update)
		ops->validate_update(call, object, old, &causes);
	for (size_t i = 0; i < warned.len; i++)
		call_warn(call, "%s: %s", warned.ptr[i].field, warned.ptr[i].message);
	if (causes.len == 0)
		return false;
	call_answer_causes(call, call->name, &causes);
	return true;
}

bool object_is_finished(const struct kind *kind, struct json object)
{
	struct json metadata = json_get(object, "metadata");
	bool held = str_is(kind->prefix, "/namespaces/") &&
		    json_len(json_get(json_get(object, "spec"), "finalizers"));

	return !json_is_absent(json_get(metadata, "deletionTimestamp")) && !held &&
	       json_len(json_get(metadata, "finalizers")) == 0 &&
	       json_int(json_get(metadata, "deletionGracePeriodSeconds")) == 0;
}

/* --- steps ----------------------------------------------------------------------------------- */

bool edit_make_version(struct edit *edit)
{
	struct call *call = edit->call;
	struct json_doc *doc = edit->doc;
	struct json old = json_doc_root(edit->old);
	struct json object = json_doc_root(doc);
	struct err err;

	if (lacks_version(call, object, old))
		return false;
	if (update_check_name(call, object, &err) < 0 ||
	    check_version(call, object, edit->stored->revision, &err) < 0 ||
	    check_uid(call, object, old, &err) < 0)
		return edit_refuse(edit, &err);
	confine(call, doc, old);
	managed_update(call, doc, old);
	json_set(doc, json_ensure_obj(doc, json_doc_root(doc), "metadata"), STR("resourceVersion"),
		 json_new_printf(doc, "%" PRId64, edit->stored->revision));
	return true;
}

static bool admit(struct edit *edit)
{
	struct call *call = edit->call;
	struct json_doc *doc = edit->doc;
	struct json old = json_doc_root(edit->old);
	const struct kind_ops *ops = call->kind->ops;
	struct err err;

	if (edit_is_stale(edit))
		return edit_restart(edit);
	if (ops && ops->prepare_update &&
	    ops->prepare_update(call, doc, json_doc_root(doc), old, &err) < 0)
		return edit_refuse(edit, &err);
	metadata_update(call, doc, old);
	if (admit_change(call, doc, old, &err) < 0)
		return edit_refuse(edit, &err);
	if (ops && ops->reads_others) /* what it has read must be so when it is stored */
		edit->split = false;
	return true;
}

static bool check(struct edit *edit)
{
	struct call *call = edit->call;
	struct json_doc *doc = edit->doc;
	struct json old = json_doc_root(edit->old);

	managed_store(call, doc);
	/* admission fills in what the client left out: that is no change */
	metadata_count_generation(call, doc, old);
	if (is_invalid(call, json_doc_root(doc), old))
		return false;
	if (edit->split) {
		edit_gather_warnings(edit);
		stage_prepare(call, doc, edit->stored, edit->old_is_stored ? edit->old : NULL,
			      &edit->made);
	}
	return true;
}

static bool store(struct edit *edit)
{
	struct call *call = edit->call;
	struct json_doc *doc = edit->doc;
	struct err err;

	if (edit_is_stale(edit))
		return edit_restart(edit);
	if (admit_check(call, json_doc_root(doc), json_doc_root(edit->old), &err) < 0)
		return edit_refuse(edit, &err);
	edit_warn(edit);
	if (object_is_finished(call->kind, json_doc_root(doc)) && !call->options.dry_run.len)
		stage_finish(call, doc, edit->stored);
	else if (edit->made.ready)
		stage_update_made(call, doc, edit->stored, &edit->made, 200);
	else
		stage_update(call, doc, edit->stored, 200);
	return false;
}

const struct edit_step edit_version[] = {
	{admit, false}, {check, true}, {store, false}, {NULL, false}};

/* --- PUT ------------------------------------------------------------------------------------- */

/* The other parts of a body that updates the status are ignored (confine()), but must follow the rules
 * of a body. Unchanged parts have passed them: they are left out, so that they are not walked again. */
static struct json_doc *without_known(struct json body, struct json old)
{
	struct json_doc *left = json_doc_new();
	struct json_iter it = json_iter(body);
	struct json object = json_new_obj(left);

	json_doc_set_root(left, object);
	while (json_next(&it))
		if (str_is(it.key, "metadata") || str_is(it.key, "status") ||
		    !json_is(it.value, JSON_OBJ) || !json_eq(it.value, json_get_str(old, it.key)))
			json_set(left, object, it.key, json_new_copy(left, it.value));
	return left;
}

static struct json body_of(const struct call *call)
{
	return call->body.doc ? json_doc_root(call->body.doc) : JSON_NONE;
}

static bool begin(struct edit *edit)
{
	struct err err;

	edit_read(edit);
	return body_recognize(edit->call, body_of(edit->call), &err) == 0 ||
	       edit_refuse(edit, &err);
}

/* An object that is not there can be made by some kinds' PUT. */
static bool make_absent(struct edit *edit)
{
	struct call *call = edit->call;
	struct err err;

	if (!call->kind->create_on_update || call->sub.len) {
		(void)call_err_not_found(call, call->name, &err);
		return edit_refuse(edit, &err);
	}
	if (check_uid(call, json_doc_root(edit->doc), JSON_NONE, &err) < 0)
		return edit_refuse(edit, &err);
	edit->makes = true;
	return edit_decode_new(edit);
}

static bool make_sent(struct edit *edit)
{
	struct call *call = edit->call;
	AUTO(json_doc_unref) struct json_doc *news = NULL;
	struct err err;

	if (edit->stored)
		edit_decode_old(edit);
	if (edit->stored && json_is(body_of(call), JSON_OBJ) &&
	    kind_sub_is_status(call->kind, call->sub))
		news = without_known(body_of(call), json_doc_root(edit->old));
	edit->doc = body_make(call, news ? json_doc_root(news) : body_of(call), &err);
	if (!edit->doc || update_check_name(call, json_doc_root(edit->doc), &err) < 0)
		return edit_refuse(edit, &err);
	return edit->stored ? edit_make_version(edit) : make_absent(edit);
}

static bool go_on(struct edit *edit)
{
	edit_go_to(edit, edit->stored ? edit_version : edit_new);
	return true;
}

void verb_update(struct call *call)
{
	static const struct edit_step steps[] = {
		{begin, false}, {make_sent, true}, {go_on, false}, {NULL, false}};

	edit_run(&(struct edit){.call = call, .next = steps});
}
