/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/tidy.c - bring a document into shape: defaults, pruning, canonical form.
 *
 * Each is one walk in document order. While an object is walked only what is below it is changed;
 * its own members are changed after the walk, so that no iterator sees a change. */
#include "base/buf.h"
#include "base/time.h"
#include "base/vec.h"
#include "model/field/fields.h"
#include "model/field/fields_internal.h"
#include "model/value/duration.h"
#include "model/value/quantity.h"

#include "base/banned.h"

/* Is there anything below a value of this class? */
static bool has_members(const struct field *field)
{
	return field->is == FIELD_OBJECT || field->is == FIELD_LIST || field->is == FIELD_MAP;
}

/* --- defaults -------------------------------------------------------------------------------- */

/* What a walk fills in. */
enum fill {
	FILL_DEFAULTS, /* the rows' defaults, the types' hooks, and Go's form in types that keep it */
	FILL_GO,       /* only what Go writes and leaves out, in every type */
};

static void fill_object(const struct type *type, struct json_doc *doc, struct json object,
			enum fill fill);

/* The value that Go reads for null in a list or a map; absent: null stays. */
static struct json zero_element(const struct field *field, struct json_doc *doc)
{
	switch (field->is) {
	case FIELD_STR:
	case FIELD_ENUM:
		return json_new_str(doc, STR(""));
	case FIELD_BOOL:
		return json_new_bool(doc, false);
	case FIELD_INT32:
	case FIELD_INT64:
		return json_new_int(doc, 0);
	case FIELD_QUANTITY:
		return json_new_str(doc, STR("0"));
	case FIELD_OBJECT:
		return json_new_obj(doc);
	default:
		return JSON_NONE;
	}
}

static void fill_nulls(const struct field *field, struct json_doc *doc, struct json container)
{
	struct json_iter it = json_iter(container);

	while (json_next(&it)) {
		struct json zero =
			json_is(it.value, JSON_NULL) ? zero_element(field->of, doc) : JSON_NONE;

		if (json_is_absent(zero))
			continue;
		if (json_is(container, JSON_OBJ))
			json_set(doc, container, it.key, zero);
		else
			json_replace_at(doc, container, it.index, zero);
	}
}

static void fill_below(const struct field *field, struct json_doc *doc, struct json value,
		       enum fill fill)
{
	struct json_iter it;

	if (field->is == FIELD_OBJECT && json_is(value, JSON_OBJ)) {
		fill_object(field->type, doc, value, fill);
		return;
	}
	if (!field->of)
		return;
	fill_nulls(field, doc, value);
	if (!has_members(field->of))
		return;
	it = json_iter(value);
	while (json_next(&it))
		fill_below(field->of, doc, it.value, fill);
}

/* Does Go omit it: null, or an empty value if empty means absent? */
static bool is_left_out(const struct field *field, struct json value)
{
	if (json_is(value, JSON_NULL))
		return !field->nullable;
	if (field->pointer)
		return false;
	if (field->always && (field->is == FIELD_LIST || field->is == FIELD_MAP))
		return json_len(value) == 0; /* it is stored as none, and written as null */
	if (field->always || field->required)
		return false;
	switch (field->is) {
	case FIELD_STR:
	case FIELD_ENUM:
	case FIELD_BYTES:
		return json_str(value).len == 0;
	case FIELD_BOOL:
		return !json_bool(value);
	case FIELD_INT32:
	case FIELD_INT64:
		return json_int(value) == 0;
	case FIELD_LIST:
	case FIELD_MAP:
		return json_len(value) == 0;
	default:
		return false;
	}
}

/* What Go writes for a field that is not set; absent if it writes nothing. */
static struct json zero_of(const struct field *field, struct json_doc *doc)
{
	if (!field->always && !field->required)
		return JSON_NONE;
	if (field->pointer)
		return field->always ? json_new_null(doc) : JSON_NONE;
	switch (field->is) {
	case FIELD_INTSTR:
		return json_new_int(doc, 0);
	case FIELD_BYTES:
	case FIELD_TIME:
	case FIELD_MICROTIME:
		return json_new_null(doc);
	case FIELD_LIST:
	case FIELD_MAP:
		return field->always ? json_new_null(doc) : JSON_NONE;
	default:
		return zero_element(field, doc);
	}
}

/* Amounts of resources are kept in thousandths, rounded up. */
static void round_amounts(struct json_doc *doc, struct json amounts)
{
	enum { MILLI = -3 };
	struct json_iter it = json_iter(amounts);

	while (json_next(&it)) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct quantity quantity;
		struct err err;

		if (field_quantity(it.value, arena, &quantity, &err) < 0 ||
		    quantity_round_up(&quantity, MILLI))
			continue;
		quantity_print(&quantity, &text);
		json_set(doc, amounts, it.key, json_new_str(doc, buf_str(&text)));
	}
}

/* Fill in what is below each member; record which rows are present, and leave out what Go leaves
 * out. */
static void fill_members(const struct type *type, struct json_doc *doc, struct json object,
			 enum fill fill, struct field_seen *seen)
{
	struct json_iter it = json_iter(object);
	VEC(struct str) left_out = {0};
	size_t hint = 0;

	while (json_next(&it)) {
		const struct field *field = type_find(type, it.key, &hint);

		if (!field)
			continue;
		if ((type->as_go || fill == FILL_GO) && is_left_out(field, it.value)) {
			vec_push(&left_out, it.key);
			continue;
		}
		if (json_is(it.value, JSON_NULL) && !field->nullable)
			continue;
		field_seen_set(seen, (size_t)(field - type->fields));
		if (type->as_go && fill == FILL_DEFAULTS && field->amounts)
			round_amounts(doc, it.value);
		fill_below(field, doc, it.value, fill);
	}
	for (size_t i = 0; i < left_out.len; i++)
		json_remove(doc, object, left_out.ptr[i]);
	vec_done(&left_out);
}

static void fill_object(const struct type *type, struct json_doc *doc, struct json object,
			enum fill fill)
{
	struct field_seen seen = {0};

	fill_members(type, doc, object, fill, &seen);
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		struct json value = JSON_NONE;

		if (field_seen_has(&seen, i))
			continue;
		if (fill == FILL_DEFAULTS)
			value = field_default(field, doc);
		if (json_is_absent(value) && (type->as_go || fill == FILL_GO))
			value = zero_of(field, doc);
		if (json_is_absent(value))
			continue;
		json_set(doc, object, str_from(field->name), value);
		fill_below(field, doc, value, fill);
	}
	if (type->fill && fill == FILL_DEFAULTS)
		type->fill(doc, object);
}

void type_default(const struct type *type, struct json_doc *doc, struct json object)
{
	fill_object(type, doc, object, FILL_DEFAULTS);
}

void type_go(const struct type *type, struct json_doc *doc, struct json object)
{
	fill_object(type, doc, object, FILL_GO);
	type_prune(type, doc, object, NULL, NULL);
	type_canonicalize(type, doc, object);
}

/* --- unknown fields -------------------------------------------------------------------------- */

struct pruner {
	struct json_doc *doc; /* NULL: only report */
	type_unknown_fn *on_unknown;
	void *arg;
};

static void prune_object(const struct type *type, struct json object, const struct path *path,
			 struct pruner *p);

static void prune_below(const struct field *field, struct json value, const struct path *path,
			struct pruner *p)
{
	struct json_iter it;

	if (field->preserve)
		return;
	if (field->is == FIELD_OBJECT && json_is(value, JSON_OBJ)) {
		prune_object(field->type, value, path, p);
		return;
	}
	if (!field->of || !has_members(field->of))
		return;
	it = json_iter(value);
	while (json_next(&it)) {
		struct path below = field->is == FIELD_LIST ? path_index(path, it.index)
							    : path_member(path, it.key);

		prune_below(field->of, it.value, &below, p);
	}
}

static void tell_unknown(const struct path *path, struct pruner *p)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!p->on_unknown)
		return;
	path_print(path, &text);
	p->on_unknown(p->arg, buf_str(&text));
}

static void prune_object(const struct type *type, struct json object, const struct path *path,
			 struct pruner *p)
{
	struct json_iter it = json_iter(object);
	VEC(struct str) unknown = {0};
	size_t hint = 0;

	while (json_next(&it)) {
		const struct field *field = type_find(type, it.key, &hint);
		struct path member = path_member(path, it.key);

		if (field) {
			prune_below(field, it.value, &member, p);
		} else if (!type->preserve) {
			tell_unknown(&member, p);
			vec_push(&unknown, it.key);
		}
	}
	for (size_t i = 0; p->doc && i < unknown.len; i++)
		json_remove(p->doc, object, unknown.ptr[i]);
	vec_done(&unknown);
}

void type_prune(const struct type *type, struct json_doc *doc, struct json object,
		type_unknown_fn *on_unknown, void *arg)
{
	struct pruner pruner = {doc, on_unknown, arg};

	prune_object(type, object, NULL, &pruner);
}

/* --- canonical form -------------------------------------------------------------------------- */

/* A value in its canonical form, as a new value of `doc`; absent when it stands already or does not
 * parse. */
static struct json canonical(const struct field *field, struct json value, struct json_doc *doc)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	char time[TIME_TEXT_SIZE];
	char duration[DURATION_TEXT_SIZE];
	struct quantity quantity;
	int64_t number;

	switch (field->is) {
	case FIELD_QUANTITY:
		if (field_quantity(value, NULL, &quantity, NULL))
			return JSON_NONE;
		quantity_print(&quantity, &text);
		break;
	case FIELD_TIME:
	case FIELD_MICROTIME:
		if (field_time(field, value, &number, NULL))
			return JSON_NONE;
		buf_puts(&text, field->is == FIELD_TIME ? time_print(number, time)
							: time_print_micro(number, time));
		break;
	case FIELD_DURATION:
		if (field_duration(value, &number, NULL))
			return JSON_NONE;
		buf_puts(&text, duration_print(number, duration));
		break;
	default:
		return JSON_NONE;
	}
	if (json_is(value, JSON_STR) && str_eq(json_str(value), buf_str(&text)))
		return JSON_NONE;
	return json_new_str(doc, buf_str(&text));
}

/* Values to put in when the walk is over. */
struct change {
	struct str key;
	size_t index;
	struct json value;
};

static void canonical_below(const struct field *field, struct json_doc *doc, struct json value);

static void canonical_members(const struct type *type, const struct field *of, struct json_doc *doc,
			      struct json container)
{
	struct json_iter it = json_iter(container);
	VEC(struct change) changes = {0};
	size_t hint = 0;

	while (json_next(&it)) {
		const struct field *field = type ? type_find(type, it.key, &hint) : of;
		struct json value;

		if (!field || json_is(it.value, JSON_NULL))
			continue;
		value = canonical(field, it.value, doc);
		if (json_is_absent(value))
			canonical_below(field, doc, it.value);
		else
			vec_push(&changes, (struct change){it.key, it.index, value});
	}
	for (size_t i = 0; i < changes.len; i++) {
		struct change *change = &changes.ptr[i];

		if (json_is(container, JSON_OBJ))
			json_set(doc, container, change->key, change->value);
		else
			json_replace_at(doc, container, change->index, change->value);
	}
	vec_done(&changes);
}

static void canonical_below(const struct field *field, struct json_doc *doc, struct json value)
{
	if (field->is == FIELD_OBJECT && json_is(value, JSON_OBJ))
		canonical_members(field->type, NULL, doc, value);
	else if (field->of)
		canonical_members(NULL, field->of, doc, value);
}

void type_canonicalize(const struct type *type, struct json_doc *doc, struct json object)
{
	canonical_members(type, NULL, doc, object);
}
