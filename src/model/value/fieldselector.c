/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/fieldselector.c - parse, print and match field selectors. Terms are sorted by their text
 * before they are read, as upstream does, so that equal selectors print the same. */
#include "model/value/fieldselector.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"

#include "base/banned.h"

struct terms VEC_FIELDS(struct str);

static void split_terms(struct str text, struct terms *terms)
{
	size_t from = 0;
	bool escaped = false;

	for (size_t i = 0; i < text.len; i++) {
		if (escaped) {
			escaped = false;
		} else if (text.ptr[i] == '\\') {
			escaped = true;
		} else if (text.ptr[i] == ',') {
			vec_push(terms, str_slice(text, from, i));
			from = i + 1;
		}
	}
	vec_push(terms, str_slice(text, from, text.len));
}

/* The length of the character at the start, for messages. */
static size_t rune_len(struct str text)
{
	size_t len = 1;

	while (len < text.len && len < 4 && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
		len++;
	return len;
}

static int unescape(struct str text, struct arena *arena, struct str *ret, struct err *err)
{
	char *out;
	size_t len = 0;

	if (str_find_byte(text, '\\', 0) < 0 && str_find_byte(text, ',', 0) < 0 &&
	    str_find_byte(text, '=', 0) < 0) {
		*ret = text;
		return 0;
	}
	out = arena_alloc(arena, text.len + 1);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == ',' || c == '=')
			return err_set(err, ERR_BAD_REQUEST,
				       "invalid field selector: unescaped character in value: %d",
				       c);
		if (c == '\\') {
			struct str after = str_skip(text, ++i);

			if (!after.len)
				return err_set(err, ERR_BAD_REQUEST,
					       "invalid field selector: invalid escape sequence: "
					       "\\");
			c = after.ptr[0];
			if (c != '\\' && c != ',' && c != '=')
				return err_set(err, ERR_BAD_REQUEST,
					       "invalid field selector: invalid escape sequence: "
					       "\\%.*s",
					       (int)rune_len(after), after.ptr);
		}
		out[len++] = c;
	}
	out[len] = '\0';
	*ret = str_of(out, len);
	return 0;
}

/* The first operator: where it stands, how long it is, and whether it says "not". */
static bool find_operator(struct str term, size_t *at, size_t *len, bool *differs)
{
	for (*at = 0; *at < term.len; ++*at) {
		struct str rest = str_skip(term, *at);

		*differs = str_starts(rest, STR("!="));
		if (*differs || str_starts(rest, STR("=="))) {
			*len = 2;
			return true;
		}
		if (rest.ptr[0] == '=') {
			*len = 1;
			return true;
		}
	}
	return false;
}

static int parse_terms(struct str text, const struct terms *terms, struct arena *arena,
		       struct field_selector *ret, struct err *err)
{
	for (size_t i = 0; i < terms->len; i++) {
		struct field_term *term = &ret->ptr[ret->len];
		size_t at;
		size_t len;

		if (!terms->ptr[i].len)
			continue;
		if (!find_operator(terms->ptr[i], &at, &len, &term->differs))
			return err_set(err, ERR_BAD_REQUEST,
				       "invalid selector: '%.*s'; can't understand '%.*s'",
				       STR_ARG(text), STR_ARG(terms->ptr[i]));
		term->field = str_slice(terms->ptr[i], 0, at);
		if (unescape(str_skip(terms->ptr[i], at + len), arena, &term->value, err))
			return -1;
		ret->len++;
	}
	return 0;
}

int field_selector_parse(struct str text, struct arena *arena, struct field_selector *ret,
			 struct err *err)
{
	struct terms terms = {0};
	struct field_selector made = {0};
	int failed;

	if (text.len > LIMIT_SELECTOR_BYTES)
		return err_set(err, ERR_BAD_REQUEST, "a selector has at most %d bytes",
			       LIMIT_SELECTOR_BYTES);
	split_terms(text, &terms);
	qsort(terms.ptr, terms.len, sizeof(terms.ptr[0]), str_qsort_cmp);
	made.ptr = arena_calloc(arena, terms.len, sizeof(made.ptr[0]));
	failed = parse_terms(text, &terms, arena, &made, err);
	vec_done(&terms);
	if (!failed)
		*ret = made;
	return failed;
}

void field_selector_print(const struct field_selector *selector, struct buf *to)
{
	for (size_t i = 0; i < selector->len; i++) {
		const struct field_term *term = &selector->ptr[i];

		if (i)
			buf_putc(to, ',');
		buf_put_str(to, term->field);
		buf_puts(to, term->differs ? "!=" : "=");
		for (size_t k = 0; k < term->value.len; k++) {
			char c = term->value.ptr[k];

			if (c == '\\' || c == ',' || c == '=')
				buf_putc(to, '\\');
			buf_putc(to, c);
		}
	}
}

bool field_selector_matches(const struct field_selector *selector, field_value_fn *value, void *arg)
{
	for (size_t i = 0; i < selector->len; i++) {
		const struct field_term *term = &selector->ptr[i];

		if (str_eq(value(arg, term->field), term->value) == term->differs)
			return false;
	}
	return true;
}

const struct str *field_selector_exact(const struct field_selector *selector, struct str field)
{
	for (size_t i = 0; i < selector->len; i++)
		if (!selector->ptr[i].differs && str_eq(selector->ptr[i].field, field))
			return &selector->ptr[i].value;
	return NULL;
}
