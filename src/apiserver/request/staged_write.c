/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/staged_write.c - an object becomes text, goes into the store, and is the answer when it is
 * durable.
 *
 * The text of every stored object starts the same way, so that nothing ever has to be searched for
 * in it:
 *
 *	{"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"42", ...}, ...}
 *	`----- kind->head ------------´
 *
 * The revision is not known before the store gives it, so the text is handed over in two parts. A
 * list of a built-in kind leaves the head of its items away, and a kind that is served in several
 * versions replaces it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apiserver/api_internal.h"
#include "apiserver/crd/definition.h"
#include "apiserver/request/answer_status.h"
#include "apiserver/request/form.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "model/field/fields.h"

#include "base/banned.h"

enum { KEPT_BYTES = 64 * 1024 };

/* A write on its way; outlives a call that was cancelled. */
struct staged {
	struct call *call; /* NULL: no client waits for it */
	int code;
	struct json_doc *doc; /* owned: what is answered instead of the object; NULL: the object */
	bool status;          /* it is a Status, which has no other form */
};

void stage_forget(struct staged *staged)
{
	staged->call = NULL;
}

struct str call_key(struct call *call, struct str name)
{
	return api_key(call->arena, call->kind, call->namespace, name);
}

/* --- text --- */

/* Gives where the value of "labels" begins, 0: there are none. */
static size_t put_members(struct buf *to, struct json object, const char *const *but, size_t count)
{
	static const struct str labels = STR_INIT("labels");
	size_t labels_at = 0;
	struct json_iter it = json_iter(object);

	while (json_next(&it)) {
		bool skip = false;

		for (size_t i = 0; i < count; i++)
			skip = skip || str_is(it.key, but[i]);
		if (skip)
			continue;
		buf_putc(to, ',');
		if (str_eq(it.key, labels))
			labels_at = to->len + labels.len + 3; /* its quotes and the colon */
		json_print_member(it.key, it.value, to);
	}
	return labels_at;
}

/* Returns the offset of the labels in `tail`; 0 if there are none. */
static size_t print_object(const struct kind *kind, struct json object, struct buf *before,
			   struct buf *tail)
{
	static const char *const head[] = {"apiVersion", "kind", "metadata"};
	static const char *const version[] = {"resourceVersion"};
	size_t labels_at;

	buf_put_str(before, kind->stored->head);
	buf_puts(before, "\"metadata\":{\"resourceVersion\":\"");
	buf_putc(tail, '"');
	labels_at = put_members(tail, json_get(object, "metadata"), version, ARRAY_LEN(version));
	buf_putc(tail, '}');
	(void)put_members(tail, object, head, ARRAY_LEN(head));
	buf_putc(tail, '}');
	return labels_at;
}

/* --- what selectors ask for --- */

/* A label, and where its key stands in the text. */
struct placed {
	struct object_pair pair;
	uint32_t at;
};

static int compare_placed(const void *a, const void *b)
{
	return str_cmp(((const struct placed *)a)->pair.key, ((const struct placed *)b)->pair.key);
}

/* In the order of their keys. The places follow from how labels are printed: {"k":"v","k":"v"}; if
 * something in it has to be escaped they are wrong, and the store finds the text elsewhere. */
static void collect_labels(struct arena *arena, struct json object, size_t labels_at,
			   struct store_write *write)
{
	struct json labels = json_get(json_get(object, "metadata"), "labels");
	size_t len = json_len(labels);
	struct placed *placed = arena_calloc(arena, len, sizeof(*placed));
	struct object_pair *pairs = arena_calloc(arena, len, sizeof(*pairs));
	uint32_t *places = arena_calloc(arena, len, sizeof(*places));
	struct json_iter it = json_iter(labels);
	size_t at = labels_at + 2;
	bool sorted = true;
	uint32_t count = 0;

	while (json_next(&it)) {
		placed[count].pair = (struct object_pair){it.key, json_str(it.value)};
		placed[count].at = (uint32_t)at;
		at += it.key.len + placed[count].pair.value.len + 6;
		sorted = sorted &&
			 (count == 0 || compare_placed(&placed[count - 1], &placed[count]) < 0);
		count++;
	}
	if (!sorted)
		qsort(placed, count, sizeof(*placed), compare_placed);
	for (uint32_t i = 0; i < count; i++) {
		pairs[i] = placed[i].pair;
		places[i] = placed[i].at;
	}
	write->labels = pairs;
	write->label_places = labels_at ? places : NULL;
	write->label_count = count;
}

static struct json follow(struct json object, struct str path)
{
	struct str part;

	while (str_split(&path, '.', &part))
		object = json_get_str(object, part);
	return object;
}

/* A field as its selector compares it: texts as they are, booleans and numbers as printed. */
static struct str field_text(struct arena *arena, struct json value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (json_is_absent(value) || json_is(value, JSON_STR))
		return json_str(value);
	json_print(value, JSON_COMPACT, &text);
	return arena_str(arena, buf_str(&text));
}

/* What a field without a value is compared as: Go has numbers and truths always. */
static struct str nothing_text(const struct type *type, struct str path)
{
	const struct field *row = NULL;
	struct str part;

	while (type && str_split(&path, '.', &part)) {
		row = type_find(type, part, NULL);
		type = row ? row->type : NULL;
	}
	if (!row || path.len)
		return STR("");
	return row->is == FIELD_BOOL                              ? STR("false")
	       : row->is == FIELD_INT32 || row->is == FIELD_INT64 ? STR("0")
								  : STR("");
}

static struct str field_of(struct arena *arena, const struct kind *kind, struct json object,
			   const char *name)
{
	struct str path = str_from(name);
	struct json value;

	if (kind->ops && kind->ops->field_path)
		path = str_from(kind->ops->field_path(object, path));
	value = follow(object, path);
	if (json_is_absent(value) && kind->type)
		return nothing_text(kind->type, path);
	return field_text(arena, value);
}

static void collect_fields(struct arena *arena, const struct kind *kind, struct json object,
			   struct store_write *write)
{
	const char *const *names =
		kind->stored->indexed ? kind->stored->indexed : kind->stored->selectable;
	struct object_pair *pairs;
	uint32_t count = 0;

	while (names && names[count])
		count++;
	pairs = arena_calloc(arena, count, sizeof(*pairs));
	for (uint32_t i = 0; i < count; i++)
		pairs[i] = (struct object_pair){str_from(names[i]),
						field_of(arena, kind->stored, object, names[i])};
	write->fields = pairs;
	write->field_count = count;
}

/* --- writing
 * ------------------------------------------------------------------------------------------------
 * */

static void staged_free(struct staged *staged)
{
	if (!staged)
		return;
	json_doc_unref(staged->doc);
	mem_free(staged);
}
DEFINE_AUTO(struct staged *, staged_free);

/* Writes that are suspended are accepted again soon. */
static void answer_unavailable(struct call *call, const struct err *err)
{
	if (store_is_suspended(api_store(call->api)))
		call->answer.retry_after = 1;
	call_answer_err(call, err);
}

static void on_done(void *arg, struct object *object, const struct err *err)
{
	AUTO(staged_free) struct staged *staged = arg;
	struct call *call = staged->call;

	if (!call)
		return;
	call->work.staged = NULL;
	if (err)
		answer_unavailable(call, err);
	else if (staged->status)
		call_answer_doc(call, staged->code, TAKE(staged->doc));
	else if (staged->doc)
		form_answer_doc(call, staged->code, TAKE(staged->doc));
	else
		call_answer_object(call, staged->code, object);
}

/* As it is stored: in the stored version, and of a custom kind only what that one's schema knows. */
static void set_stored_form(struct call *call, struct json_doc *doc)
{
	const struct kind *kind = call->kind;

	if (kind == kind->stored)
		return;
	if (kind->to_stored) {
		if (str_eq(json_str(json_get(json_doc_root(doc), "apiVersion")),
			   kind->stored->api_version))
			return; /* it was read as it is stored */
		json_doc_set_root(doc, kind->to_stored(json_doc_root(doc), doc));
		type_default(kind->stored->type, doc, json_doc_root(doc));
		return;
	}
	json_set_str(doc, json_doc_root(doc), "apiVersion", kind->stored->api_version);
	if (kind->custom)
		definition_shape_stored(kind, doc, json_doc_root(doc));
}

/* Empties the buffer and keeps its memory; a very large one is freed. */
static void renew(struct buf *text)
{
	if (text->len > KEPT_BYTES) {
		buf_done(text);
		*text = buf_make(LIMIT_OBJECT_BYTES);
	}
	buf_clear(text);
}

/* All that the store gets of it. */
static void put_object(struct call *call, struct json object, struct buf *before, struct buf *tail,
		       struct store_write *write)
{
	size_t labels_at = print_object(call->kind, object, before, tail);

	collect_labels(call->arena, object, labels_at, write);
	collect_fields(call->arena, call->kind, object, write);
	write->before = buf_str(before);
	write->tail = buf_str(tail);
}

/* --- a version that is as a stored one, but for its revision --- */

static void lend_labels(struct call *call, const struct object *old, struct store_write *write)
{
	uint32_t count = old->label_count;
	struct object_pair *labels = arena_calloc(call->arena, count, sizeof(*labels));
	uint32_t *places = arena_calloc(call->arena, count, sizeof(*places));
	const char *end = write->tail.ptr + write->tail.len;
	uint64_t at = 0;

	for (uint32_t i = 0; i < count && object_next_label(old, &at, &labels[i]); i++)
		if (labels[i].key.ptr >= write->tail.ptr && labels[i].key.ptr < end)
			places[i] = (uint32_t)(labels[i].key.ptr - write->tail.ptr);
	write->labels = labels;
	write->label_places = places;
	write->label_count = count;
}

/* False: its kind selects by other fields by now. */
static bool lend_fields(struct call *call, const struct object *old, struct store_write *write)
{
	const struct kind *kind = call->kind->stored;
	const char *const *names = kind->indexed ? kind->indexed : kind->selectable;
	struct object_pair *fields = arena_calloc(call->arena, old->field_count, sizeof(*fields));
	uint32_t count = 0;

	for (; names && names[count]; count++) {
		if (count == old->field_count)
			return false;
		fields[count].key = str_from(names[count]);
		fields[count].value = object_field(old, fields[count].key);
		if (str_is_none(fields[count].value))
			return false;
	}
	write->fields = fields;
	write->field_count = count;
	return true;
}

/* All that the store gets of it, without decoding or printing it. Texts are lent from the object. False: it
 * has to be printed. */
static bool put_stored(struct call *call, const struct object *old, struct store_write *write)
{
	static const struct str start = STR_INIT("\"metadata\":{\"resourceVersion\":\"");
	ptrdiff_t at = str_find(old->text, start, 0);
	ptrdiff_t end = at < 0 ? -1 : str_find_byte(old->text, '"', (size_t)at + start.len);

	if (end < 0)
		return false;
	write->before = str_slice(old->text, 0, (size_t)at + start.len);
	write->tail = str_skip(old->text, (size_t)end);
	lend_labels(call, old, write);
	return lend_fields(call, old, write);
}

/* What was put into the write, or prepared earlier. */
static int hand_in(struct call *call, struct store_write *write, struct staged staged,
		   struct err *err)
{
	AUTO(staged_free) struct staged *kept = mem_dup(&staged, sizeof(staged));
	int64_t revision;

	write->done = on_done;
	write->arg = kept;
	kept->call = call;
	if (store_write(api_store(call->api), write, &revision, err) < 0)
		return -1;
	call->work.staged = TAKE(kept);
	return 0;
}

static int refuse_size(struct err *err)
{
	return err_set(err, ERR_UNKNOWN, "etcdserver: request is too large");
}

static int write_object(struct call *call, struct json_doc *doc, struct store_write *write,
			struct staged staged, struct err *err)
{
	struct buf *before = &call->api->before;
	struct buf *tail = &call->api->tail;

	int rc;

	renew(before);
	renew(tail);
	put_object(call, json_doc_root(doc), before, tail, write);
	if (buf_is_over(before) || buf_is_over(tail)) {
		json_doc_unref(staged.doc);
		return refuse_size(err);
	}
	rc = hand_in(call, write, staged, err);
	renew(&call->api->tail);
	return rc;
}

static int write_made(struct call *call, struct store_write *write, const struct staging *made,
		      struct staged staged, struct err *err)
{
	if (buf_is_over(&made->before) || buf_is_over(&made->tail)) {
		json_doc_unref(staged.doc);
		return refuse_size(err);
	}
	write->labels = made->write.labels;
	write->label_places = made->write.label_places;
	write->label_count = made->write.label_count;
	write->fields = made->write.fields;
	write->field_count = made->write.field_count;
	write->before = buf_str(&made->before);
	write->tail = buf_str(&made->tail);
	return hand_in(call, write, staged, err);
}

/* The object as it would be, without writing it: an object of its own that the store does not know.
 * */
static struct json_doc *make_unwritten(struct call *call, struct json_doc *doc, struct str version)
{
	struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
	const struct kind *kind = call->kind;
	struct json root = json_doc_root(copy);
	struct json metadata;

	if (kind->from_stored &&
	    str_eq(json_str(json_get(root, "apiVersion")), kind->stored->api_version)) {
		root = kind->from_stored(root, copy);
		json_doc_set_root(copy, root);
	}
	metadata = json_get(root, "metadata");
	json_set_str(copy, root, "apiVersion", call->kind->api_version);
	if (version.len)
		json_set_str(copy, metadata, "resourceVersion", version);
	else
		(void)json_remove(copy, metadata, STR("resourceVersion"));
	return copy;
}

static void answer_unwritten(struct call *call, struct json_doc *doc, struct str version, int code)
{
	form_answer_doc(call, code, make_unwritten(call, doc, version));
}

static void answer_refused(struct call *call, struct str name, struct err *err)
{
	if (err->code == ERR_NOT_FOUND)
		(void)call_err_not_found(call, name, err);
	else if (err->code == ERR_CONFLICT)
		(void)call_err_conflict(call, name, CALL_CONFLICT_MODIFIED, err);
	answer_unavailable(call, err);
}

static struct str object_name(struct json_doc *doc)
{
	return json_str(json_get(json_get(json_doc_root(doc), "metadata"), "name"));
}

/* The name is taken. If the server generated it, the client may try again; if its owner is being
 * deleted, the answer says so. */
static void report_exists(struct call *call, struct json_doc *doc, struct str name, struct err *err)
{
	struct object *other = store_newest(api_store(call->api), call_key(call, name));
	AUTO(json_doc_unref)
	struct json_doc *old = other ? decoded_get(call->api->decoded, other) : NULL;
	struct json metadata = json_get(old ? json_doc_root(old) : JSON_NONE, "metadata");
	bool leaving = !json_is_absent(json_get(metadata, "deletionTimestamp"));
	bool generated =
		json_str(json_get(json_get(json_doc_root(doc), "metadata"), "generateName")).len;
	struct err inner;

	(void)call_err_exists(call, name, &inner);
	(void)err_set(err, ERR_ALREADY_EXISTS, "%s%s%s", leaving ? "object is being deleted: " : "",
		      inner.text,
		      generated ? ", the server was not able to generate a unique name for the "
				  "object"
				: "");
	if (generated)
		call->answer.retry_after = 1;
}

void stage_create(struct call *call, struct json_doc *doc, struct staging *made)
{
	struct str name = arena_str(call->arena, object_name(doc));
	struct store_write write = {.op = STORE_CREATE, .key = call_key(call, name)};
	struct err err;
	int rc;

	if (call->options.dry_run.len) {
		if (store_newest(api_store(call->api), write.key)) {
			report_exists(call, doc, name, &err);
			call_answer_err(call, &err);
		} else if (made) {
			form_answer_doc(call, 201, TAKE(made->answer));
		} else {
			answer_unwritten(call, doc, str_none(), 201);
		}
		return;
	}
	if (!made)
		set_stored_form(call, doc);
	rc = made ? write_made(call, &write, made, (struct staged){.code = 201}, &err)
		  : write_object(call, doc, &write, (struct staged){.code = 201}, &err);
	if (rc < 0 && err.code == ERR_ALREADY_EXISTS)
		report_exists(call, doc, name, &err);
	if (rc < 0)
		answer_refused(call, name, &err);
}

static bool is_as_stored(struct json stored, struct json now)
{
	/* The status changes most often, and stands last. */
	return json_eq(json_get(stored, "status"), json_get(now, "status")) && json_eq(stored, now);
}

static bool is_unchanged(struct call *call, struct json_doc *doc, struct object *old)
{
	AUTO(json_doc_unref) struct json_doc *stored = decoded_get(call->api->decoded, old);

	return is_as_stored(json_doc_root(stored), json_doc_root(doc));
}

/* With the version that it is a change of. */
static void set_version(struct json_doc *doc, const struct object *old, char version[static 24])
{
	snprintf(version, 24, "%" PRId64, old->revision);
	json_set_str(doc, json_get(json_doc_root(doc), "metadata"), "resourceVersion",
		     str_from(version));
}

void stage_prepare(struct call *call, struct json_doc *doc, const struct object *old,
		   struct json_doc *stored, struct staging *to)
{
	AUTO(json_doc_unref)
	struct json_doc *parsed = old && !stored ? object_parse(old) : NULL;
	bool dry_run = call->options.dry_run.len > 0;
	char version[24] = "";

	to->ready = true;
	if (old)
		set_version(doc, old, version);
	if (old || !dry_run)
		set_stored_form(call, doc);
	to->unchanged =
		old && is_as_stored(json_doc_root(stored ? stored : parsed), json_doc_root(doc));
	if (to->unchanged)
		return;
	if (dry_run) {
		to->answer = make_unwritten(call, doc, str_from(version));
		return;
	}
	stage_print(call, doc, to);
}

void stage_print(struct call *call, struct json_doc *doc, struct staging *to)
{
	to->ready = true;
	to->before = buf_make(LIMIT_OBJECT_BYTES);
	to->tail = buf_make(LIMIT_OBJECT_BYTES);
	put_object(call, json_doc_root(doc), &to->before, &to->tail, &to->write);
}

void staging_done(struct staging *staging)
{
	buf_done(&staging->before);
	buf_done(&staging->tail);
	json_doc_unref(staging->answer);
	*staging = (struct staging){0};
}

void stage_update_made(struct call *call, struct json_doc *doc, struct object *old,
		       struct staging *made, int code)
{
	struct str name = arena_str(call->arena, object_name(doc));
	struct store_write write = {
		.op = STORE_UPDATE, .key = call_key(call, name), .expect = old->revision};
	struct err err;

	if (made->unchanged)
		call_answer_object(call, code, old);
	else if (made->answer)
		form_answer_doc(call, code, TAKE(made->answer));
	else if (write_made(call, &write, made, (struct staged){.code = code}, &err) < 0)
		answer_refused(call, name, &err);
}

void stage_update(struct call *call, struct json_doc *doc, struct object *old, int code)
{
	struct str name = arena_str(call->arena, object_name(doc));
	struct store_write write = {
		.op = STORE_UPDATE, .key = call_key(call, name), .expect = old->revision};
	char version[24];
	struct err err;

	set_version(doc, old, version);
	set_stored_form(call, doc);
	if (is_unchanged(call, doc, old))
		call_answer_object(call, code, old);
	else if (call->options.dry_run.len)
		answer_unwritten(call, doc, str_from(version), code);
	else if (write_object(call, doc, &write, (struct staged){.code = code}, &err) < 0)
		answer_refused(call, name, &err);
}

struct object *stage_mark(struct call *call, struct json_doc *doc, struct object *old,
			  struct staging *made)
{
	struct store_write write = {.op = STORE_UPDATE,
				    .key = call_key(call, object_name(doc)),
				    .expect = old->revision};
	struct staged staged = {.code = 200};
	struct object *newest;
	struct err err;

	if (call->options.dry_run.len || (made ? write_made(call, &write, made, staged, &err)
					       : write_object(call, doc, &write, staged, &err)) < 0)
		return old;
	stage_forget(TAKE(call->work.staged));
	newest = store_newest(api_store(call->api), write.key);
	return newest ? newest : old;
}

void stage_delete(struct call *call, struct json_doc *doc, const struct stage_removal *removal)
{
	struct str name = arena_str(call->arena, object_name(doc));
	struct store_write write = {
		.op = STORE_DELETE, .key = call_key(call, name), .expect = removal->old->revision};
	struct staged staged = {.code = 200, .status = removal->status};
	struct err err;
	int rc;

	if (call->options.dry_run.len && !removal->status) {
		answer_unwritten(call, doc, str_none(), 200);
		return;
	}
	if (removal->status)
		staged.doc = status_removed(call, json_doc_root(doc));
	if (call->options.dry_run.len) {
		call_answer_doc(call, 200, staged.doc);
		return;
	}
	if (removal->made && removal->made->ready)
		rc = write_made(call, &write, removal->made, staged, &err);
	else if (removal->as_stored && put_stored(call, removal->old, &write))
		rc = hand_in(call, &write, staged, &err);
	else
		rc = write_object(call, doc, &write, staged, &err);
	if (rc < 0)
		answer_refused(call, name, &err);
}

void stage_finish(struct call *call, struct json_doc *doc, struct object *old)
{
	struct str name = arena_str(call->arena, object_name(doc));
	struct store_write write = {
		.op = STORE_DELETE, .key = call_key(call, name), .expect = old->revision};
	AUTO(json_doc_unref) struct json_doc *last = NULL;
	struct staged staged = {.code = 200, .doc = json_doc_ref(doc)};
	char version[24];
	struct err err;
	int rc;

	set_version(doc, old, version);
	if (put_stored(call, old, &write)) {
		rc = hand_in(call, &write, staged, &err);
	} else {
		last = object_parse(old);
		rc = write_object(call, last, &write, staged, &err);
	}
	if (rc < 0)
		answer_refused(call, name, &err);
}
