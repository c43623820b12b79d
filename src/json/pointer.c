/* SPDX-License-Identifier: Apache-2.0 */
/* json/pointer.c - JSON pointers. Tokens are unescaped in place, in a copy of the text: unescaping
 * never makes them longer. */
#include "json/pointer.h"

#include <stdint.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/number.h"

#include "base/banned.h"

/* Writes the unescaped token over itself; false at a bad escape. */
static bool unescape(char *text, size_t len, enum json_pointer_rule rule, size_t *ret_len)
{
	size_t to = 0;

	for (size_t from = 0; from < len; from++) {
		char c = text[from];
		char next = from + 1 < len ? text[from + 1] : '\0';

		if (c == '~' && (next == '0' || next == '1')) {
			c = next == '0' ? '~' : '/';
			from++;
		} else if (c == '~' && rule == JSON_POINTER_STRICT) {
			return false;
		}
		text[to++] = c;
	}
	*ret_len = to;
	return true;
}

static size_t count_slashes(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '/';
	return count;
}

static bool split(struct json_pointer *pointer, size_t len, enum json_pointer_rule rule)
{
	char *end = pointer->text + len;

	for (char *at = pointer->text; at < end;) {
		char *from = at + 1;
		size_t token = 0;

		for (at = from; at < end && *at != '/'; at++)
			continue;
		if (!unescape(from, (size_t)(at - from), rule, &token))
			return false;
		pointer->tokens[pointer->len++] = str_of(from, token);
	}
	return true;
}

int json_pointer_parse(struct str text, enum json_pointer_rule rule, struct json_pointer *ret,
		       struct err *err)
{
	size_t count = count_slashes(text);

	if (text.len > 0 && text.ptr[0] != '/')
		return err_set(err, ERR_BAD_REQUEST, "JSON pointer \"%.*s\" does not start with /",
			       STR_ARG(text));
	if (count > LIMIT_JSON_DEPTH)
		return err_set(err, ERR_BAD_REQUEST, "JSON pointer has more than %d parts",
			       LIMIT_JSON_DEPTH);

	struct json_pointer pointer = {.text = str_dup(text),
				       .tokens = mem_calloc(count + 1, sizeof(struct str))};

	if (!split(&pointer, text.len, rule)) {
		json_pointer_done(&pointer);
		return err_set(err, ERR_BAD_REQUEST, "JSON pointer \"%.*s\" has a bad escape",
			       STR_ARG(text));
	}
	*ret = pointer;
	return 0;
}

void json_pointer_done(struct json_pointer *pointer)
{
	mem_free(pointer->tokens);
	mem_free(pointer->text);
	*pointer = (struct json_pointer){0};
}

static struct json element(struct json array, struct str token)
{
	uint64_t index = 0;
	bool plain = token.len > 0 && token.ptr[0] >= '0' && token.ptr[0] <= '9' &&
		     (token.len == 1 || token.ptr[0] != '0');

	if (!plain || number_parse_u64(token, &index, NULL) < 0)
		return JSON_NONE;
	return json_at(array, index);
}

struct json json_pointer_eval(const struct json_pointer *pointer, struct json root)
{
	struct json at = root;

	for (size_t i = 0; i < pointer->len; i++) {
		if (json_is(at, JSON_ARR))
			at = element(at, pointer->tokens[i]);
		else
			at = json_get_str(at, pointer->tokens[i]);
	}
	return at;
}

struct json json_pointer_get(struct json root, struct str text)
{
	AUTO(json_pointer_done) struct json_pointer pointer = {0};

	if (json_pointer_parse(text, JSON_POINTER_STRICT, &pointer, NULL) < 0)
		return JSON_NONE;
	return json_pointer_eval(&pointer, root);
}

void json_pointer_put(struct buf *to, struct str token)
{
	buf_putc(to, '/');
	for (size_t i = 0; i < token.len; i++) {
		if (token.ptr[i] == '~')
			buf_puts(to, "~0");
		else if (token.ptr[i] == '/')
			buf_puts(to, "~1");
		else
			buf_putc(to, token.ptr[i]);
	}
}

void json_pointer_print(const struct json_pointer *pointer, struct buf *to)
{
	for (size_t i = 0; i < pointer->len; i++)
		json_pointer_put(to, pointer->tokens[i]);
}
