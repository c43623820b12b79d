/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/result.c - what a patch has made, as text.
 *
 * Upstream patches text: objects that the patch reaches into are taken apart into maps and come out
 * sorted; what it does not reach into stays as Go wrote it, which is in the order of the fields. */
#include "apiserver/request/result.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "model/field/fields.h"

#include "base/banned.h"

static void print_value(const struct field *field, struct json value, struct json patch,
			struct buf *to);

static void print_member(const struct type *type, struct str key, struct json value,
			 struct json patch, struct buf *to)
{
	size_t hint = 0;

	if (to->len && to->ptr[to->len - 1] != '{')
		buf_putc(to, ',');
	buf_putc(to, '"');
	buf_put_json(to, key);
	buf_puts(to, "\":");
	print_value(type ? type_find(type, key, &hint) : NULL, value, json_get_str(patch, key), to);
}

static void print_sorted(const struct type *type, struct json object, struct json patch,
			 struct buf *to)
{
	struct json_iter it = json_iter(object);
	VEC(struct str) keys = {0};

	while (json_next(&it))
		vec_push(&keys, it.key);
	if (keys.len)
		qsort(keys.ptr, keys.len, sizeof(struct str), str_qsort_cmp);
	for (size_t i = 0; i < keys.len; i++)
		print_member(type, keys.ptr[i], json_get_str(object, keys.ptr[i]), patch, to);
	vec_done(&keys);
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
