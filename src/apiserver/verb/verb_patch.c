/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/verb_patch.c - a change to whatever the object is now.
 *
 * The patch is applied to the newest version and the result takes the way of an update. Strategic
 * merge patches go by the field table of a built-in kind; custom kinds have none and refuse them.
 * */
#include "apiserver/api_internal.h"
#include "apiserver/apply/managed.h"
#include "apiserver/request/result.h"
#include "apiserver/verb/edit.h"
#include "base/buf.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/strategic.h"
#include "model/field/convert.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"

#include "base/banned.h"

static struct json_doc *apply_strategic(struct call *call, struct json target, struct json patch,
					struct err *err)
{
	struct field root;
	struct json_strategy_schema schema = type_strategy(call->kind->type, &root);

	return json_strategic_apply(target, patch, &schema, err);
}

static struct json_doc *apply(struct call *call, struct json target, struct err *err)
{
	struct json patch = json_doc_root(call->body.doc);

	switch (call->patch) {
	case PATCH_JSON:
		return json_patch_apply(target, patch, err);
	case PATCH_MERGE:
		return json_merge_apply(target, patch);
	case PATCH_STRATEGIC:
		return apply_strategic(call, target, patch, err);
	case PATCH_NONE:
	case PATCH_APPLY:
		break;
	}
	(void)err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE, "this kind of patch is not supported");
	return NULL;
}

/* Answer with why a patch failed. If it cannot be applied to this object, Kubernetes does not
 * explain that, and neither do we. */
void patch_refuse(struct call *call, struct err *err)
{
	if (err->code == ERR_INVALID)
		(void)err_set(err, ERR_INVALID,
			      "the server rejected our request due to an error in our request");
	call_answer_err(call, err);
}

/* The result is no object of the kind; the answer shows it. For a strategic merge patch, which
 * works on maps, it shows the patch, with the message of the conversion from maps. */
void patch_refuse_result(struct call *call, const struct type *type, struct json result,
			 struct err *err)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct path path = path_member(NULL, STR("patch"));
	struct err other;

	if (call->patch != PATCH_STRATEGIC) {
		result_print(type, result, json_doc_root(call->body.doc), &text);
	} else {
		json_print_go(json_doc_root(call->body.doc), &text);
		if (convert_check(type, result, &other) < 0)
			*err = other;
	}
	causes_invalid_str(&causes, &path, buf_str(&text), "%s", err->text);
	call_answer_invalid(call, str_none(), str_none(), str_none(), &causes);
}

/* Maps have no kind: what a strategic merge patch says of it is passed over. */
static bool is_other_kind(const struct call *call, struct json object)
{
	return call->patch != PATCH_STRATEGIC && !body_is_of_kind(call, object);
}

/* Parts of an object that a patch has left as they were need no completing: they were stored
 * complete. They are out of the way meanwhile, so that a patch of the status does not walk the spec
 * four times. */
enum { PARTS_MAX = 8, PART_MIN_MEMBERS = 3 };

struct parts {
	struct str keys[PARTS_MAX];
	struct json values[PARTS_MAX];
	size_t count;
};

static void set_aside(struct json_doc *doc, struct json old, struct parts *parts)
{
	struct json object = json_doc_root(doc);
	struct json_iter it = json_iter(old);

	parts->count = 0;
	/* what is in metadata may have its default from elsewhere: a Job's labels from its template */
	if (!json_eq(json_get(object, "metadata"), json_get(old, "metadata")))
		return;
	while (json_next(&it) && parts->count < PARTS_MAX) {
		struct json part = json_get_str(object, it.key);

		if (!json_is(it.value, JSON_OBJ) || json_len(it.value) < PART_MIN_MEMBERS ||
		    str_is(it.key, "metadata") || !json_eq(part, it.value))
			continue;
		json_set(doc, object, it.key, json_new_obj(doc));
		parts->keys[parts->count] = it.key;
		parts->values[parts->count++] = part;
	}
}

static void put_back(struct json_doc *doc, const struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		json_set(doc, json_doc_root(doc), parts->keys[i], parts->values[i]);
}

static int complete(struct call *call, struct json_doc *doc, struct json old, struct err *err)
{
	struct parts parts;
	int rc;

	set_aside(doc, old, &parts);
	rc = body_complete(call, doc, err);
	put_back(doc, &parts);
	return rc;
}

/* Keys that are in a configuration twice are a matter of its YAML, not of the object. */
static int settle_yaml(struct call *call, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str mode = call->options.field_validation;

	for (size_t i = 0; i < call->body.odd_fields.len; i++) {
		buf_printf(&text, "\n  %s", call->body.odd_fields.ptr[i]);
		if (!str_is(mode, "Ignore") && !str_is(mode, "Strict"))
			call_warn(call, "%s", call->body.odd_fields.ptr[i]);
	}
	vec_clear(&call->body.odd_fields);
	call->body.yaml_duplicates = 0;
	if (!text.len || !str_is(mode, "Strict"))
		return 0;
	return err_set(err, ERR_BAD_REQUEST,
		       "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal "
		       "errors:%s",
		       buf_text(&text));
}

/* A patch that names a uid is for an existing object. */
static int check_new_uid(struct call *call, struct json config, struct err *err)
{
	struct str uid = json_str(json_get(json_get(config, "metadata"), "uid"));

	if (!uid.len)
		return 0;
	return call_err_conflict(call, call->name,
				 arena_printf(call->arena,
					      "uid mismatch: the provided object specified uid "
					      "%.*s, and no existing object was found",
					      STR_ARG(uid)),
				 err);
}

/* --- steps ----------------------------------------------------------------------------------- */

static bool refuse_result(struct edit *edit, struct err *err)
{
	patch_refuse_result(edit->call, edit->call->kind->type, json_doc_root(edit->doc), err);
	return false;
}

static bool make_patched(struct edit *edit)
{
	struct call *call = edit->call;
	struct err err = {0};

	edit_decode_old(edit);
	edit->doc = apply(call, json_doc_root(edit->old), &err);
	if (!edit->doc) {
		patch_refuse(call, &err);
		return false;
	}
	edit->odd = is_other_kind(call, json_doc_root(edit->doc));
	if (edit->odd)
		return true;
	json_set_str(edit->doc, json_doc_root(edit->doc), "apiVersion", call->kind->api_version);
	json_set_str(edit->doc, json_doc_root(edit->doc), "kind", call->kind->name);
	if (complete(call, edit->doc, json_doc_root(edit->old), &err) < 0)
		return refuse_result(edit, &err);
	return edit_make_version(edit);
}

/* Only the API knows what other kinds there are. */
static bool check_kind(struct edit *edit)
{
	struct err err = {0};

	if (edit->odd && body_check_kind(edit->call, json_doc_root(edit->doc), &err) < 0)
		return refuse_result(edit, &err);
	edit_go_to(edit, edit_version);
	return true;
}

/* --- apply: creates or changes an object --- */

static bool begin_apply(struct edit *edit)
{
	edit_read(edit);
	edit->makes = !edit->call->sub.len;
	return true;
}

static bool make_applied(struct edit *edit)
{
	struct call *call = edit->call;
	struct json config = json_doc_root(call->body.doc);
	bool makes = !edit->stored && edit->makes;
	struct err err = {0};

	if (managed_check(call, config, &err) < 0 || settle_yaml(call, &err) < 0 ||
	    (makes &&
	     (update_check_name(call, config, &err) < 0 || check_new_uid(call, config, &err) < 0)))
		return edit_refuse(edit, &err);
	if (makes) /* its kind is right, or managed_check() had refused it */
		return body_recognize(call, config, &err) == 0 ? edit_decode_new(edit)
							       : edit_refuse(edit, &err);
	if (!edit->stored) {
		(void)call_err_not_found(call, call->name, &err);
		return edit_refuse(edit, &err);
	}
	edit_decode_old(edit);
	edit->doc = managed_apply(call, json_doc_root(edit->old));
	if (!edit->doc)
		return false;
	if (body_complete(call, edit->doc, &err) < 0)
		return edit_refuse(edit, &err);
	return edit_make_version(edit);
}

static bool go_on(struct edit *edit)
{
	edit_go_to(edit, edit->stored ? edit_version : edit_new);
	return true;
}

void verb_patch(struct call *call)
{
	static const struct edit_step patch[] = {
		{edit_find, false}, {make_patched, true}, {check_kind, false}, {NULL, false}};
	static const struct edit_step applying[] = {
		{begin_apply, false}, {make_applied, true}, {go_on, false}, {NULL, false}};

	edit_run(&(struct edit){.call = call,
				.next = call->patch == PATCH_APPLY ? applying : patch});
}
