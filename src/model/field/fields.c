/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/fields.c - looking rows up, and checking a table against its C struct.
 *
 * Look-up: rows are compared one after the other, starting after the last one found. The members of
 * most documents are in the order of the table or of the alphabet, so the next match is near; the
 * first character distinguishes most rows before any function call. */
#include "model/field/fields.h"

#include <assert.h>
#include <string.h>

#include "base/number.h"
#include "model/field/fields_internal.h"
#include "model/value/duration.h"

#include "base/banned.h"

#define HELD(which) (1U << FIELD_HELD_##which)

/* What each class is, for Go and for C. */
static const struct {
	const char *go;
	size_t size;
	uint32_t held; /* by which members, besides a pointer */
} classes[] = {
	[FIELD_NONE] = {"", 0, 0},
	[FIELD_BOOL] = {"bool", sizeof(bool), HELD(BOOL) | HELD(OPT_BOOL)},
	[FIELD_INT32] = {"int32", sizeof(int32_t), HELD(INT32) | HELD(OPT_INT32)},
	[FIELD_INT64] = {"int64", sizeof(int64_t), HELD(INT64) | HELD(OPT_INT64)},
	[FIELD_DOUBLE] = {"float64", sizeof(double), HELD(DOUBLE)},
	[FIELD_STR] = {"string", sizeof(struct str), HELD(STR)},
	[FIELD_BYTES] = {"[]uint8", sizeof(struct str), HELD(STR)},
	[FIELD_ENUM] = {"string", sizeof(unsigned), HELD(UINT) | HELD(INT32)},
	[FIELD_QUANTITY] = {"resource.Quantity", sizeof(struct quantity), HELD(QUANTITY)},
	[FIELD_DURATION] = {"v1.Duration", sizeof(int64_t), HELD(INT64) | HELD(OPT_INT64)},
	[FIELD_TIME] = {"v1.Time", sizeof(int64_t), HELD(INT64)},
	[FIELD_MICROTIME] = {"v1.MicroTime", sizeof(int64_t), HELD(INT64)},
	[FIELD_INTSTR] = {"intstr.IntOrString", sizeof(struct intstr), HELD(INTSTR)},
	[FIELD_ANY] = {"interface {}", sizeof(struct json), HELD(JSON)},
	[FIELD_OBJECT] = {"", 0, HELD(STRUCT)},
	[FIELD_LIST] = {"[]", sizeof(struct field_span), HELD(STRUCT)},
	[FIELD_MAP] = {"map[string]", sizeof(struct field_span), HELD(STRUCT)},
};
static_assert(ARRAY_LEN(classes) == FIELD_CLASS_COUNT, "describe every class");

static bool name_is_key(const char *name, struct str key)
{
	size_t at = 0;

	/* a key may contain NUL, and is longer than the name then */
	while (at < key.len && name[at] == key.ptr[at] && name[at])
		at++;
	return at == key.len && !name[at];
}

const struct field *type_find(const struct type *type, struct str name, size_t *hint)
{
	size_t start = hint ? *hint : 0;

	for (size_t i = 0, at = start; i < type->count; i++, at++) {
		if (at >= type->count)
			at = 0;
		if (!name_is_key(type->fields[at].name, name))
			continue;
		if (hint)
			*hint = at + 1 < type->count ? at + 1 : 0;
		return &type->fields[at];
	}
	return NULL;
}

size_t field_size(const struct field *field)
{
	return field->is == FIELD_OBJECT ? field->type->size : classes[field->is].size;
}

size_t field_entry_size(const struct field *value)
{
	return (FIELD_KEY_SIZE + field_size(value) + 7) & ~(size_t)7;
}

void field_go_type(const struct field *field, struct buf *to)
{
	if (field->go_type) {
		buf_puts(to, field->go_type);
		return;
	}
	buf_puts(to, classes[field->is].go);
	if (field->is == FIELD_OBJECT)
		buf_printf(to, "%s.%s", field->type->package, field->type->name);
	else if (field->of)
		field_go_type(field->of, to);
}

int field_enum_value(const struct field *field, struct str text)
{
	for (uint32_t i = 0; i < field->name_count; i++)
		if (field->names[i] && text.len && str_is(text, field->names[i]))
			return (int)i;
	return -1;
}

/* --- checking a table ------------------------------------------------------------------------ */

/* The types that are checked already, or are being checked. */
struct visited {
	const struct type *type;
	struct visited *next;
};

struct checker {
	struct arena *arena;
	struct visited *visited;
};

static const char *check_type(const struct type *type, struct checker *checker);

static const char *check_holder(const struct field *field)
{
	if (field->held == FIELD_HELD_NOT || field->held == FIELD_HELD_POINTER ||
	    field->held == FIELD_HELD_JSON)
		return NULL;
	if (!(classes[field->is].held >> field->held & 1))
		return "is held by a member of the wrong type";
	if ((field->is == FIELD_LIST || field->is == FIELD_MAP) &&
	    field->size != sizeof(struct field_span))
		return "is not held by a list or map of a view";
	if (field->is == FIELD_OBJECT && field->size != field->type->size)
		return "is held by a struct of the wrong size";
	return NULL;
}

/* Can a value of this class be in a view at all? */
static bool has_view(const struct field *field)
{
	if (field->is == FIELD_LIST || field->is == FIELD_MAP)
		return has_view(field->of);
	return field_size(field) != 0;
}

static const char *check_default(const struct field *field)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json value;

	if (!field->dflt)
		return NULL;
	value = field_default(field, doc);
	if (json_is_absent(value) || field_check_value(field, value, (struct field_place){0}, NULL))
		return "has a default that is no value of it";
	if (field->is == FIELD_ENUM && !field->open && field_enum_value(field, json_str(value)) < 0)
		return "has a default that is not among its names";
	return NULL;
}

static const char *check_keys(const struct field *field)
{
	const struct type *element = field->of ? field->of->type : NULL;

	for (size_t i = 0; field->list_keys && field->list_keys[i]; i++)
		if (!element || !type_find(element, str_from(field->list_keys[i]), NULL))
			return "has a list key that its elements do not have";
	if (field->list_type == FIELD_LIST_MAP && !field->list_keys)
		return "is a map-list without keys";
	if (field->merge_key && (!element || !type_find(element, str_from(field->merge_key), NULL)))
		return "has a merge key that its elements do not have";
	return NULL;
}

static const char *check_parts(const struct field *field, struct checker *checker)
{
	if (field->is <= FIELD_NONE || field->is >= FIELD_CLASS_COUNT)
		return "has no class";
	if ((field->is == FIELD_OBJECT) != (field->type != NULL))
		return "is an object without a type, or the other way round";
	if ((field->is == FIELD_LIST || field->is == FIELD_MAP) != (field->of != NULL))
		return "is a list or map without elements, or the other way round";
	if (field->is != FIELD_STR && (field->is == FIELD_ENUM) != (field->names != NULL))
		return "is an enum without names, or the other way round";
	if (field->of) {
		const char *wrong = check_parts(field->of, checker);

		if (wrong)
			return wrong;
	}
	return field->type ? check_type(field->type, checker) : NULL;
}

static const char *check_row(const struct type *type, const struct field *field,
			     struct checker *checker)
{
	const char *wrong = check_parts(field, checker);

	if (!wrong)
		wrong = check_holder(field);
	if (!wrong)
		wrong = check_keys(field);
	if (!wrong)
		wrong = check_default(field);
	if (!wrong && type_find(type, str_from(field->name), NULL) != field)
		wrong = "is there twice";
	if (!wrong && field->held != FIELD_HELD_NOT && field->held != FIELD_HELD_JSON &&
	    !has_view(field))
		wrong = "is in the view, but its type has none";
	if (!wrong && field->held != FIELD_HELD_NOT && field->at + field->size > type->size)
		wrong = "is outside of the view";
	return wrong;
}

static const char *check_type(const struct type *type, struct checker *checker)
{
	struct visited *here;

	for (struct visited *v = checker->visited; v; v = v->next)
		if (v->type == type)
			return NULL;
	here = arena_new_of(checker->arena, struct visited);
	*here = (struct visited){type, checker->visited};
	checker->visited = here;
	if (type->count > FIELD_ROWS_MAX)
		return arena_printf(checker->arena, "%s: has too many rows", type->name);
	for (size_t i = 0; i < type->count; i++) {
		const char *wrong = check_row(type, &type->fields[i], checker);

		if (wrong)
			return arena_printf(checker->arena, "%s.%s: %s", type->name,
					    type->fields[i].name, wrong);
	}
	return NULL;
}

const char *type_check(const struct type *type, struct arena *arena)
{
	struct checker checker = {.arena = arena};

	return check_type(type, &checker);
}
