/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub_scale.c - the size of an object, whatever its kind: a Scale is read out of it, and a
 * changed one is an update of the object in that one place.
 *
 * The row of the kind has the paths of the numbers (struct kind_scale); for custom kinds the definition
 * has them. Everything else is as for any update: versions, validation, generation. */
#include "apiserver/verb/sub_scale.h"

#include "apiserver/api_internal.h"
#include "apiserver/apply/managed.h"
#include "apiserver/kind/columns.h"
#include "apiserver/kind/content.h"
#include "apiserver/kind/jsonpath.h"
#include "apiserver/request/form.h"
#include "apiserver/verb/edit.h"
#include "apiserver/verb/sub.h"
#include "base/arena.h"
#include "base/buf.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/strategic.h"
#include "model/core/scale.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

#include "base/banned.h"

static const struct kind scale_kind = {
	.group = STR_INIT("autoscaling"),
	.version = STR_INIT("v1"),
	.name = STR_INIT("Scale"),
	.api_version = STR_INIT("autoscaling/v1"),
	.content = &content_typed,
	.type = &scale_type,
	.columns = columns_scale,
};

/* --- paths: ".spec.replicas" --- */

static struct json follow(struct json object, const char *path)
{
	return path ? jsonpath_first(object, str_from(path)) : JSON_NONE;
}

/* Set a number, making what is missing on the way. */
static void set_number(struct json_doc *doc, struct json object, const char *path, int64_t value)
{
	struct str rest = str_skip(str_from(path), 1);
	struct str part;
	bool more = str_split(&rest, '.', &part);

	while (more) {
		struct str last = part;

		more = str_split(&rest, '.', &part);
		if (!more) {
			json_set(doc, object, last, json_new_int(doc, value));
		} else {
			if (!json_is(json_get_str(object, last), JSON_OBJ))
				json_set(doc, object, last, json_new_obj(doc));
			object = json_get_str(object, last);
		}
	}
}

/* --- a Scale out of an object --- */

/* The selector of a built-in kind as text; custom kinds have it as text already. */
static void print_selector(struct call *call, struct json object, struct buf *to)
{
	struct json selector = json_get(json_get(object, "spec"), "selector");
	AUTO(json_doc_unref) struct json_doc *wrapped = NULL;
	struct label_selector view;
	struct selector parsed;
	struct err err;

	if (call->kind->custom) {
		if (call->kind->scale->selector)
			buf_put_str(to, json_str(follow(object, call->kind->scale->selector)));
		return;
	}
	if (str_is(call->kind->plural, "replicationcontrollers")) { /* plain labels */
		wrapped = json_doc_new();
		json_doc_set_root(wrapped, json_new_obj(wrapped));
		json_set(wrapped, json_doc_root(wrapped), STR("matchLabels"),
			 json_new_copy(wrapped, selector));
		selector = json_doc_root(wrapped);
	}
	if (json_is(selector, JSON_OBJ) &&
	    type_decode(&label_selector_type, selector, call->arena, &view, &err) == 0 &&
	    selector_from_object(&view, call->arena, &parsed, &err) == 0)
		selector_print(&parsed, to);
}

static void copy_member(struct json_doc *doc, struct json to, struct json from, const char *key)
{
	struct json value = json_get(from, key);

	if (!json_is_absent(value))
		json_set(doc, to, str_from(key), json_new_copy(doc, value));
}

static struct json_doc *make_scale(struct call *call, struct json object)
{
	static const char *const kept[] = {"name", "namespace", "uid", "resourceVersion",
					   "creationTimestamp"};
	AUTO(buf_done) struct buf selector = BUF_UNBOUNDED;
	struct json_doc *doc = json_doc_new();
	struct json scale = json_new_obj(doc);
	int64_t replicas = json_int(follow(object, call->kind->scale->spec_replicas));
	struct json status;

	json_doc_set_root(doc, scale);
	json_set_str(doc, scale, "kind", STR("Scale"));
	json_set_str(doc, scale, "apiVersion", STR("autoscaling/v1"));
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		copy_member(doc, json_ensure_obj(doc, scale, "metadata"),
			    json_get(object, "metadata"), kept[i]);
	json_set(doc, scale, STR("spec"), json_new_obj(doc));
	if (replicas)
		json_set_int(doc, json_get(scale, "spec"), "replicas", replicas);
	status = json_ensure_obj(doc, scale, "status");
	json_set_int(doc, status, "replicas",
		     json_int(follow(object, call->kind->scale->status_replicas)));
	print_selector(call, object, &selector);
	if (selector.len)
		json_set_str(doc, status, "selector", buf_str(&selector));
	return doc;
}

/* A custom object that does not say how large it is has no Scale. */
static int check_size(struct call *call, struct json object, struct err *err)
{
	const char *path = call->kind->scale->spec_replicas;
	const char *text;

	if (!call->kind->custom || !json_is_absent(follow(object, path)))
		return 0;
	text = arena_printf(call->arena, "the spec replicas field \"%s\" does not exist", path);
	call_note_cause(call, &(struct call_cause){.message = text});
	return err_set(err, ERR_INTERNAL, "Internal error occurred: %s", text);
}

/* --- the answer --- */

static void rewrite_scale(struct call *call)
{
	AUTO(json_doc_unref)
	struct json_doc *whole =
		call->answer.doc ? call->answer.doc : object_parse(call->answer.object);
	AUTO(json_doc_unref) struct json_doc *scale = make_scale(call, json_doc_root(whole));

	call->options.form = call->answer.rewrite_form;
	call->answer.doc = call->options.form == CALL_FORM_OBJECT
				   ? json_doc_ref(scale)
				   : form_make(call, &scale_kind, json_doc_root(scale));
	object_unref(TAKE(call->answer.object));
}

/* --- a changed Scale --- */

static struct json_doc *patch_scale(struct call *call, struct json scale, struct err *err)
{
	struct json patch = json_doc_root(call->body.doc);
	struct field root;
	struct json_strategy_schema schema = type_strategy(&scale_type, &root);

	switch (call->patch) {
	case PATCH_JSON:
		return json_patch_apply(scale, patch, err);
	case PATCH_MERGE:
		return json_merge_apply(scale, patch);
	case PATCH_STRATEGIC:
		return json_strategic_apply(scale, patch, &schema, err);
	case PATCH_NONE:
	case PATCH_APPLY:
		break;
	}
	(void)err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE, "this kind of patch is not supported");
	return NULL;
}

/* What a patch makes of the Scale; NULL: the call has ended. */
static struct json_doc *read_patched(struct call *call, struct json object)
{
	const struct kind *kind = call->kind;
	AUTO(json_doc_unref) struct json_doc *old = make_scale(call, object);
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *doc = patch_scale(call, json_doc_root(old), &err);
	int rc;

	if (!doc) {
		patch_refuse(call, &err);
		return NULL;
	}
	call->kind = &scale_kind;
	rc = body_complete(call, doc, &err);
	call->kind = kind;
	if (rc == 0)
		return TAKE(doc);
	patch_refuse_result(call, &scale_type, json_doc_root(doc), &err);
	return NULL;
}

/* NULL: the call has ended. */
static struct json_doc *read_scale(struct call *call, struct json object)
{
	return call->verb == VERB_UPDATE ? json_doc_ref(call->body.doc)
					 : read_patched(call, object);
}

/* Of a kind of Kubernetes' own it is the Scale that is invalid; a custom object is asked itself. */
static bool is_invalid(struct call *call, int64_t replicas)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("replicas"));

	if (replicas >= 0 || call->kind->custom)
		return false;
	causes_invalid_int(&causes, &path, replicas, "must be greater than or equal to 0");
	call_answer_invalid(call, STR("autoscaling"), STR("Scale"), call->name, &causes);
	return true;
}

/* The answer to a change is a Scale of what has become of the object. */
static void expect_scale(struct call *call)
{
	if (call->answer.rewrite)
		return; /* it has begun again */
	call->answer.rewrite = rewrite_scale;
	call->answer.rewrite_form = call->options.form; /* the Scale's, not that of the object */
	call->options.form = CALL_FORM_OBJECT;
}

/* Is it a Scale that can be applied? */
static int check_applied(struct call *call, struct err *err)
{
	const struct kind *kind = call->kind;
	int rc;

	call->kind = &scale_kind;
	rc = managed_check(call, json_doc_root(call->body.doc), err);
	call->kind = kind;
	return rc;
}

/* What an applied Scale means for its object: a configuration with the size alone. */
static struct json_doc *config_of(struct call *call, int64_t replicas)
{
	struct json_doc *doc = json_doc_new();
	struct json config = json_new_obj(doc);

	json_doc_set_root(doc, config);
	json_set_str(doc, config, "apiVersion", call->kind->api_version);
	json_set_str(doc, config, "kind", call->kind->name);
	json_set_str(doc, json_ensure_obj(doc, config, "metadata"), "name", call->name);
	set_number(doc, config, call->kind->scale->spec_replicas, replicas);
	return doc;
}

/* The body becomes what the object is to be; false: the call has ended. */
static bool take_applied(struct call *call)
{
	struct err err;
	int64_t replicas;

	if (check_applied(call, &err) < 0) {
		call_answer_err(call, &err);
		return false;
	}
	replicas = json_int(json_get(json_get(json_doc_root(call->body.doc), "spec"), "replicas"));
	if (is_invalid(call, replicas))
		return false;
	json_doc_unref(call->body.doc);
	call->body.doc = config_of(call, replicas);
	return true;
}

/* The body becomes the Scale that it is; false: the call has ended. */
static bool take_scale(struct call *call)
{
	struct err err;
	struct json_doc *scale = sub_decode(call, &scale_kind, &err);

	if (!scale) {
		call_answer_err(call, &err);
		return false;
	}
	json_doc_unref(call->body.doc);
	call->body.doc = scale;
	return true;
}

/* The object with the size of a Scale; NULL: the call has ended. */
static struct json_doc *set_size(struct call *call, struct json object)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *scale = read_scale(call, object);
	struct json_doc *doc;
	struct str version;
	struct str uid;
	int64_t replicas;

	if (!scale)
		return NULL;
	if (update_check_name(call, json_doc_root(scale), &err) < 0) {
		call_answer_err(call, &err);
		return NULL;
	}
	replicas = json_int(json_get(json_get(json_doc_root(scale), "spec"), "replicas"));
	if (is_invalid(call, replicas))
		return NULL;
	version = json_str(json_get(json_get(json_doc_root(scale), "metadata"), "resourceVersion"));
	doc = json_doc_thaw(object);
	json_set_str(doc, json_doc_root(doc), "apiVersion", call->kind->api_version);
	if (version.len) /* else it is for whatever is there */
		json_set_str(doc, json_get(json_doc_root(doc), "metadata"), "resourceVersion",
			     version);
	uid = json_str(json_get(json_get(json_doc_root(scale), "metadata"), "uid"));
	if (uid.len) /* it has to be that of the object */
		json_set_str(doc, json_get(json_doc_root(doc), "metadata"), "uid", uid);
	set_number(doc, json_doc_root(doc), call->kind->scale->spec_replicas, replicas);
	return doc;
}

static void answer_scale(struct call *call, struct json object)
{
	AUTO(json_doc_unref) struct json_doc *scale = make_scale(call, object);
	struct err err;

	if (form_check(call, &err) < 0)
		call_answer_err(call, &err);
	else if (call->options.form == CALL_FORM_OBJECT)
		call_answer_doc(call, 200, TAKE(scale));
	else
		call_answer_doc(call, 200, form_make(call, &scale_kind, json_doc_root(scale)));
}

/* --- steps --- */

static bool is_applied(const struct call *call)
{
	return call->patch == PATCH_APPLY && !call->kind->custom;
}

/* The body is read once, and not again if the object has changed meanwhile. */
static bool begin_change(struct edit *edit)
{
	struct call *call = edit->call;

	if (!edit_find(edit))
		return false;
	if (call->answer.rewrite)
		return true;
	if ((is_applied(call) && !take_applied(call)) ||
	    (call->verb == VERB_UPDATE && !take_scale(call)))
		return false;
	expect_scale(call);
	return true;
}

static bool make_change(struct edit *edit)
{
	struct call *call = edit->call;
	struct json old;

	edit_decode_old(edit);
	old = json_doc_root(edit->old);
	edit->doc = is_applied(call) ? managed_apply(call, old) : set_size(call, old);
	return edit->doc && edit_make_version(edit);
}

static bool go_on(struct edit *edit)
{
	edit_go_to(edit, edit_version);
	return true;
}

static bool read_size(struct edit *edit)
{
	struct err err;

	edit_decode_old(edit);
	if (check_size(edit->call, json_doc_root(edit->old), &err) < 0)
		return edit_refuse(edit, &err);
	answer_scale(edit->call, json_doc_root(edit->old));
	return false;
}

void sub_serve_scale(struct call *call)
{
	static const struct edit_step change[] = {
		{begin_change, false}, {make_change, true}, {go_on, false}, {NULL, false}};
	static const struct edit_step show[] = {
		{edit_find, false}, {read_size, true}, {NULL, false}};

	edit_run(&(struct edit){.call = call, .next = call->verb == VERB_GET ? show : change});
}

const struct kind_sub sub_scale = SUB_SCALE;
