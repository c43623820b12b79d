/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/object.c - objects in memory and their records on disk.
 *
 * One allocation: struct object, then key, text and pairs, without gaps. The pairs are the labels (key, value), then
 * the values of the fields. Each string is a number n in base 128: if n is even, n / 2 bytes follow; if it is odd,
 * another number follows, the offset of the n / 2 bytes from the start of the key: names are in the key and labels in
 * the text anyway. The names of the fields are the same for all objects of a kind and so are held once.
 *
 * A record is struct record_head, key, text, pairs and names, in the byte order of the machine
 * (disk_lmdb.c rejects the other one).
 *
 * 1. Nothing of an object changes after object_new() but its count: the thread that commits may
 *    read it.
 * 2. Every string of a decoded object lies within its allocation: object_decode() has walked it. */
#include "apiserver/store/object.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "json/doc.h"

#include "base/banned.h"

enum {
	WINDOW_BYTES = 1024, /* how far into the text a label is looked for */
	SHARE_MIN = 8,       /* shorter strings are not worth the search */
	REVISION_DIGITS = 20,
};

struct object_names {
	unsigned refs;
	uint32_t len;
	char bytes[];
};

struct record_head {
	uint64_t checksum; /* of everything after it */
	int64_t revision;
	uint32_t key_len;
	uint32_t text_len;
	uint32_t pairs_len;
	uint32_t names_len;
	uint32_t label_count;
	uint32_t field_count;
};

/* The position of a walk over packed strings. `whole` is what shared strings refer to. */
struct walk {
	const char *at;
	const char *end;
	struct str whole;
};

struct object *object_ref(struct object *object)
{
	assert(object->refs > 0);
	object->refs++;
	return object;
}

void object_unref(struct object *object)
{
	if (!object)
		return;
	assert(object->refs > 0);
	if (--object->refs > 0)
		return;
	object_names_unref(object->names);
	mem_free(object);
}

void object_names_unref(struct object_names *names)
{
	if (names && --names->refs == 0)
		mem_free(names);
}

/* --- packed strings --- */

static void put_number(struct buf *to, uint64_t number)
{
	while (number >= 0x80) {
		buf_putc(to, (char)(number | 0x80));
		number >>= 7;
	}
	buf_putc(to, (char)number);
}

static bool next_number(struct walk *walk, uint64_t *ret)
{
	uint64_t number = 0;

	for (unsigned shift = 0; walk->at < walk->end && shift < 63; shift += 7) {
		uint8_t byte = (uint8_t)*walk->at++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = number;
			return true;
		}
	}
	return false;
}

static bool next_string(struct walk *walk, struct str *ret)
{
	uint64_t number, from;

	if (!next_number(walk, &number))
		return false;
	uint64_t len = number / 2;

	if (number & 1) {
		if (!next_number(walk, &from) || from > walk->whole.len ||
		    len > walk->whole.len - from)
			return false;
		*ret = str_of(walk->whole.ptr + from, len);
		return true;
	}
	if (len > (size_t)(walk->end - walk->at))
		return false;
	*ret = str_of(walk->at, len);
	walk->at += len;
	return true;
}

/* Where strings are looked for. They mostly come in the order in which they stand in the text, so a
 * search begins where the last one ended. */
struct window {
	struct str text;
	struct str whole; /* in which a guess may be */
	size_t at;
};

static ptrdiff_t find_in_window(struct window *window, struct str text)
{
	ptrdiff_t found = str_find(window->text, text, window->at);

	if (found < 0 && window->at > 0)
		found = str_find(str_slice(window->text, 0, window->at + text.len - 1), text, 0);
	if (found >= 0)
		window->at = (size_t)found;
	return found;
}

/* `guess` is where it probably stands, 0: not known. */
static ptrdiff_t find_string(struct window *window, struct str text, size_t guess)
{
	if (guess && guess < window->whole.len && text.len <= window->whole.len - guess &&
	    memcmp(window->whole.ptr + guess, text.ptr, text.len) == 0)
		return (ptrdiff_t)guess;
	return find_in_window(window, text);
}

static void put_string(struct buf *to, struct str text, struct window *window, size_t guess)
{
	ptrdiff_t found = text.len >= SHARE_MIN ? find_string(window, text, guess) : -1;

	put_number(to, (uint64_t)text.len << 1 | (found >= 0));
	if (found >= 0)
		put_number(to, (uint64_t)found);
	else
		buf_put_str(to, text);
}

static struct walk walk_pairs(const struct object *object)
{
	const char *pairs = object->text.ptr + object->text.len;

	return (struct walk){
		.at = pairs,
		.end = pairs + object->pairs_len,
		.whole = str_of(object->key.ptr, object->key.len + object->text.len),
	};
}

static struct walk walk_names(const struct object_names *names)
{
	return (struct walk){.at = names->bytes, .end = names->bytes + names->len};
}

/* --- reading --- */

/* object_new() and object_decode() made sure that there is one. */
static struct str must_next(struct walk *walk)
{
	struct str text = str_none();
	bool found = next_string(walk, &text);

	assert(found);
	(void)found;
	return text;
}

static struct json_doc *stub(const struct object *object)
{
	struct json_doc *doc = json_doc_new();
	struct json metadata;
	struct str rest = object->key;
	struct str parts[4] = {0}; /* group, plural, namespace, name */

	for (size_t i = 0; i < ARRAY_LEN(parts) - 1; i++)
		(void)str_split(&rest, '/', &parts[i]);
	parts[3] = rest;
	json_doc_set_root(doc, json_new_obj(doc));
	metadata = json_ensure_obj(doc, json_doc_root(doc), "metadata");
	json_set_str(doc, metadata, "name", parts[3]);
	if (parts[2].len)
		json_set_str(doc, metadata, "namespace", parts[2]);
	return doc;
}

struct json_doc *object_parse(const struct object *object)
{
	struct err err;
	struct json_doc *doc = json_parse(object->text, &(struct json_options){.own = true}, &err);

	if (doc && json_is(json_doc_root(doc), JSON_OBJ))
		return doc;
	json_doc_unref(doc);
	return stub(object);
}

struct str object_label(const struct object *object, struct str key)
{
	struct walk walk = walk_pairs(object);

	for (uint32_t i = 0; i < object->label_count; i++) {
		struct str name = must_next(&walk);
		struct str value = must_next(&walk);

		if (str_eq(name, key))
			return value;
	}
	return str_none();
}

bool object_next_label(const struct object *object, uint64_t *at, struct object_pair *ret)
{
	/* the number of the label in the upper half, its place in the lower one */
	uint32_t index = (uint32_t)(*at >> 32);
	struct walk walk = walk_pairs(object);
	const char *start = walk.at;

	if (index >= object->label_count)
		return false;
	walk.at += (uint32_t)*at;
	ret->key = must_next(&walk);
	ret->value = must_next(&walk);
	*at = (uint64_t)(index + 1) << 32 | (uint64_t)(walk.at - start);
	return true;
}

struct str object_field(const struct object *object, struct str key)
{
	struct walk values = walk_pairs(object);
	struct walk names = walk_names(object->names);

	for (uint32_t i = 0; i < 2 * object->label_count; i++)
		(void)must_next(&values);
	for (uint32_t i = 0; i < object->field_count; i++) {
		struct str name = must_next(&names);
		struct str value = must_next(&values);

		if (str_eq(name, key))
			return value;
	}
	return str_none();
}

size_t object_bytes(const struct object *object)
{
	return sizeof(*object) + object->key.len + object->text.len + object->pairs_len;
}

/* --- making --- */

/* The names that the cache holds, if they are these; else new ones, which the cache then holds. */
static struct object_names *share_names(struct object_names **cache, struct str bytes)
{
	struct object_names *names = *cache;

	if (!names || !str_eq(str_of(names->bytes, names->len), bytes)) {
		names = mem_alloc(sizeof(*names) + bytes.len);
		names->refs = 1;
		names->len = (uint32_t)bytes.len;
		if (bytes.len)
			memcpy(names->bytes, bytes.ptr, bytes.len);
		object_names_unref(*cache);
		*cache = names;
	}
	names->refs++;
	return names;
}

/* An object around these bytes: key, text and pairs. */
static struct object *assemble(struct str bytes, size_t key_len, size_t text_len)
{
	struct object *object = mem_alloc(sizeof(*object) + bytes.len);
	char *start = (char *)(object + 1);

	memcpy(start, bytes.ptr, bytes.len);
	*object = (struct object){
		.refs = 1,
		.key = str_of(start, key_len),
		.text = str_of(start + key_len, text_len),
		.pairs_len = (uint32_t)(bytes.len - key_len - text_len),
	};
	return object;
}

struct object *object_new(const struct object_parts *parts, int64_t revision,
			  struct object_names **names, struct buf *scratch)
{
	buf_clear(scratch);
	/* it must not grow while views of it exist: space for the worst case */
	size_t most = parts->key.len + parts->before.len + parts->tail.len + REVISION_DIGITS;
	size_t names_at, text_end;

	for (uint32_t i = 0; i < parts->label_count; i++)
		most += parts->labels[i].key.len + parts->labels[i].value.len + 20;
	for (uint32_t i = 0; i < parts->field_count; i++)
		most += parts->fields[i].key.len + parts->fields[i].value.len + 20;
	(void)buf_reserve(scratch, most);
	buf_put_str(scratch, parts->key);
	buf_put_str(scratch, parts->before);
	buf_put_int(scratch, revision);
	buf_put_str(scratch, parts->tail);
	text_end = scratch->len;
	size_t looked_at = parts->key.len + WINDOW_BYTES;
	size_t behind_at = text_end - parts->tail.len;
	struct window window = {
		.text = str_of(scratch->ptr, text_end < looked_at ? text_end : looked_at),
		.whole = str_of(scratch->ptr, text_end)};
	struct window names_window = {.text = parts->key};
	struct window none = {0};

	for (uint32_t i = 0; i < parts->label_count; i++) {
		struct str label = parts->labels[i].key;
		size_t guess = parts->label_places ? behind_at + parts->label_places[i] : 0;

		put_string(scratch, label, &window, guess);
		put_string(scratch, parts->labels[i].value, &window,
			   guess ? guess + label.len + 3 : 0);
	}
	for (uint32_t i = 0; i < parts->field_count; i++)
		put_string(scratch, parts->fields[i].value, &names_window, 0);
	names_at = scratch->len;
	for (uint32_t i = 0; i < parts->field_count; i++)
		put_string(scratch, parts->fields[i].key, &none, 0);
	assert(!buf_is_over(scratch));

	struct object *object =
		assemble(str_of(scratch->ptr, names_at), parts->key.len, text_end - parts->key.len);

	object->revision = revision;
	object->label_count = parts->label_count;
	object->field_count = parts->field_count;
	object->names = share_names(names, str_skip(buf_str(scratch), names_at));
	return object;
}

/* --- records --- */

static size_t body_len(const struct object *object)
{
	return object->key.len + object->text.len + object->pairs_len;
}

size_t object_record_len(const struct object *object)
{
	return sizeof(struct record_head) + body_len(object) + object->names->len;
}

static uint64_t checksum_of(const char *record, size_t len)
{
	return hash_checksum(record + sizeof(uint64_t), len - sizeof(uint64_t));
}

void object_encode(const struct object *object, void *to)
{
	char *record = to;
	struct record_head head = {
		.revision = object->revision,
		.key_len = (uint32_t)object->key.len,
		.text_len = (uint32_t)object->text.len,
		.pairs_len = object->pairs_len,
		.names_len = object->names->len,
		.label_count = object->label_count,
		.field_count = object->field_count,
	};

	memcpy(record, &head, sizeof(head));
	memcpy(record + sizeof(head), object->key.ptr, body_len(object));
	memcpy(record + sizeof(head) + body_len(object), object->names->bytes, object->names->len);
	head.checksum = checksum_of(record, object_record_len(object));
	memcpy(record, &head.checksum, sizeof(head.checksum));
}

/* Are there `count` strings in this stretch, and nothing else? */
static bool holds_strings(struct walk walk, uint64_t count)
{
	struct str text;

	while (count-- > 0)
		if (!next_string(&walk, &text))
			return false;
	return walk.at == walk.end;
}

static bool is_whole(const struct object *object)
{
	return holds_strings(walk_pairs(object),
			     2 * (uint64_t)object->label_count + object->field_count) &&
	       holds_strings(walk_names(object->names), object->field_count);
}

struct object *object_decode(struct str key, struct str record, struct object_names **names,
			     struct err *err)
{
	struct record_head head;

	if (record.len < sizeof(head)) {
		(void)err_set(err, ERR_STORE_READ, "its record is cut short");
		return NULL;
	}
	memcpy(&head, record.ptr, sizeof(head));
	if (head.checksum != checksum_of(record.ptr, record.len)) {
		(void)err_set(err, ERR_STORE_READ, "the checksum of its record is wrong");
		return NULL;
	}
	uint64_t body = (uint64_t)head.key_len + head.text_len + head.pairs_len;

	if (record.len - sizeof(head) != body + head.names_len || head.key_len != key.len ||
	    memcmp(record.ptr + sizeof(head), key.ptr, key.len) != 0) {
		(void)err_set(err, ERR_STORE_READ, "its record is that of another object");
		return NULL;
	}
	AUTO(object_unref)
	struct object *object =
		assemble(str_of(record.ptr + sizeof(head), body), head.key_len, head.text_len);

	object->revision = head.revision;
	object->label_count = head.label_count;
	object->field_count = head.field_count;
	object->names =
		share_names(names, str_of(record.ptr + sizeof(head) + body, head.names_len));
	if (!is_whole(object)) {
		(void)err_set(err, ERR_STORE_READ, "its labels or fields are malformed");
		return NULL;
	}
	return TAKE(object);
}
