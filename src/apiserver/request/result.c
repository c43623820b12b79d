/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/result.c - what a patch has made, as text.
 *
 * Upstream patches text: objects that the patch reaches into are taken apart into maps and come out
 * sorted; what it does not reach into stays as Go wrote it, which is in the order of the fields. */
#include "apiserver/request/result.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "json/index.h"
#include "model/field/fields.h"

#include "base/banned.h"

static void print_value(const struct field *field, struct json value, struct json patch,
			struct buf *to);

/* `patch` is what the patch has at this key. */
static void print_member(const struct type *type, struct str key, struct json value,
			 struct json patch, struct buf *to)
{
	size_t hint = 0;

	if (to->len && to->ptr[to->len - 1] != '{')
		buf_putc(to, ',');
	buf_putc(to, '"');
	buf_put_json(to, key);
	buf_puts(to, "\":");
	print_value(type ? type_find(type, key, &hint) : NULL, value, patch, to);
}

struct member {
	struct str key; /* first: str_qsort_cmp() compares it */
	struct json value;
};

static void print_sorted(const struct type *type, struct json object, struct json patch,
			 struct buf *to)
{
	AUTO(json_index_done) struct json_index patches = json_index_make(patch);
	struct json_iter it = json_iter(object);
	VEC(struct member) members = {0};

	while (json_next(&it))
		vec_push(&members, ((struct member){it.key, it.value}));
	if (members.len)
		qsort(members.ptr, members.len, sizeof(struct member), str_qsort_cmp);
	for (size_t i = 0; i < members.len; i++) {
		const struct member *member = &members.ptr[i];

		print_member(type, member->key, member->value,
			     json_index_get(&patches, member->key), to);
	}
	vec_done(&members);
}

static void print_in_order(const struct type *type, struct json object, struct buf *to)
{
	for (size_t i = 0; i < type->count; i++) {
		struct json value = json_get(object, type->fields[i].name);

		if (!json_is_absent(value))
			print_member(type, str_from(type->fields[i].name), value, JSON_NONE, to);
	}
}

static void print_value(const struct field *field, struct json value, struct json patch,
			struct buf *to)
{
	const struct type *type = field && field->is == FIELD_OBJECT ? field->type : NULL;
	struct json_iter it;

	if (json_is(value, JSON_OBJ) && (!field || field->is != FIELD_ANY)) {
		buf_putc(to, '{');
		if (type && !json_is(patch, JSON_OBJ))
			print_in_order(type, value, to);
		else
			print_sorted(type, value, patch, to);
		buf_putc(to, '}');
	} else if (json_is(value, JSON_ARR)) {
		buf_putc(to, '[');
		for (it = json_iter(value); json_next(&it);) {
			if (it.index)
				buf_putc(to, ',');
			print_value(field ? field->of : NULL, it.value, JSON_NONE, to);
		}
		buf_putc(to, ']');
	} else {
		json_print(value, JSON_COMPACT, to);
	}
}

void result_print(const struct type *type, struct json object, struct json patch, struct buf *to)
{
	buf_putc(to, '{');
	print_sorted(type, object, patch, to);
	buf_putc(to, '}');
}
