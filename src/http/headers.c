/* SPDX-License-Identifier: Apache-2.0 */
/* http/headers.c - fields as offsets into one growing text, so that a message costs two
 * allocations; a linear look-up beats a map at the dozen fields that messages have.
 *
 * 1. Every name in the text is a token in lower case; no value has CR, LF or NUL.
 * 2. count <= LIMIT_HEADER_COUNT and used <= LIMIT_HEADER_BYTES. */
#include "http/headers.h"

#include <assert.h>
#include <stdarg.h>

#include "base/limits.h"
#include "base/mem.h"

#include "base/banned.h"

enum { FIRST_FIELDS = 16, FIRST_TEXT = 512 };

void headers_done(struct headers *headers)
{
	mem_free(headers->fields);
	mem_free(headers->text);
	*headers = (struct headers)HEADERS_INIT;
}

void headers_clear(struct headers *headers)
{
	headers->count = 0;
	headers->used = 0;
}

/* The byte in lower case if a token may hold it (RFC 9110, 5.6.2), else 0. */
static unsigned char token_lower(unsigned char c)
{
	if (c >= 'a' && c <= 'z')
		return c;
	if (c >= 'A' && c <= 'Z')
		return (unsigned char)(c + ('a' - 'A'));
	if (c >= '0' && c <= '9')
		return c;
	switch (c) {
	case '!':
	case '#':
	case '$':
	case '%':
	case '&':
	case '\'':
	case '*':
	case '+':
	case '-':
	case '.':
	case '^':
	case '_':
	case '`':
	case '|':
	case '~':
		return c;
	default:
		return 0;
	}
}

bool headers_name_is_valid(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!token_lower((unsigned char)name.ptr[i]))
			return false;
	return name.len > 0;
}

bool headers_value_is_valid(struct str value)
{
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static void reserve(struct headers *headers, size_t text)
{
	if (headers->count == headers->fields_size) {
		headers->fields_size =
			headers->fields_size ? headers->fields_size * 2 : FIRST_FIELDS;
		headers->fields = mem_realloc(headers->fields, headers->fields_size,
					      sizeof(*headers->fields));
	}
	if (headers->used + text > headers->text_size) {
		size_t size = headers->text_size ? headers->text_size * 2 : FIRST_TEXT;

		while (size < headers->used + text)
			size *= 2;
		headers->text_size = size;
		headers->text = mem_realloc(headers->text, size, 1);
	}
}

static struct str trim_blanks(struct str value)
{
	while (value.len && (value.ptr[0] == ' ' || value.ptr[0] == '\t'))
		value = str_skip(value, 1);
	while (value.len && (value.ptr[value.len - 1] == ' ' || value.ptr[value.len - 1] == '\t'))
		value.len--;
	return value;
}

int headers_add(struct headers *headers, struct str name, struct str value, struct err *err)
{
	struct headers_field *field;
	char *to;

	value = trim_blanks(value);
	if (headers->count >= LIMIT_HEADER_COUNT)
		return err_set(err, ERR_TOO_LARGE, "more than %d header fields",
			       LIMIT_HEADER_COUNT);
	if (name.len > LIMIT_HEADER_BYTES || value.len > LIMIT_HEADER_BYTES ||
	    headers->used + name.len + value.len > LIMIT_HEADER_BYTES)
		return err_set(err, ERR_TOO_LARGE, "more than %d bytes of header fields",
			       LIMIT_HEADER_BYTES);
	reserve(headers, name.len + value.len);
	to = headers->text + headers->used;
	for (size_t i = 0; i < name.len; i++) {
		to[i] = (char)token_lower((unsigned char)name.ptr[i]);
		if (!to[i])
			return err_set(err, ERR_BAD_REQUEST, "malformed header name");
	}
	if (name.len == 0)
		return err_set(err, ERR_BAD_REQUEST, "malformed header name");
	if (!headers_value_is_valid(value))
		return err_set(err, ERR_BAD_REQUEST, "malformed value of header %.*s",
			       STR_ARG(name));
	if (value.len)
		memcpy(to + name.len, value.ptr, value.len);
	field = &headers->fields[headers->count++];
	field->name_at = (uint32_t)headers->used;
	field->name_len = (uint32_t)name.len;
	field->value_at = (uint32_t)(headers->used + name.len);
	field->value_len = (uint32_t)value.len;
	headers->used += name.len + value.len;
	return 0;
}

void headers_put(struct headers *headers, struct str name, struct str value)
{
	int rc = headers_add(headers, name, value, NULL);

	assert(rc == 0);
	(void)rc;
}

void headers_printf(struct headers *headers, struct str name, const char *format, ...)
{
	AUTO(mem_free) char *value = NULL;
	va_list args;

	va_start(args, format);
	value = mem_vprintf(format, args);
	va_end(args);
	headers_put(headers, name, str_from(value));
}

void headers_remove(struct headers *headers, struct str name)
{
	size_t kept = 0;

	for (size_t i = 0; i < headers->count; i++)
		if (!str_eq_nocase(headers_name(headers, i), name))
			headers->fields[kept++] = headers->fields[i];
	headers->count = kept;
	if (kept == 0)
		headers->used = 0;
}

int headers_set(struct headers *headers, struct str name, struct str value, struct err *err)
{
	size_t before = headers->count;

	if (headers_add(headers, name, value, err) < 0)
		return -1;
	for (size_t i = 0, kept = 0; i < before; i++) {
		if (!str_eq_nocase(headers_name(headers, kept), name)) {
			kept++;
			continue;
		}
		memmove(&headers->fields[kept], &headers->fields[kept + 1],
			(headers->count - kept - 1) * sizeof(*headers->fields));
		headers->count--;
	}
	return 0;
}

int headers_copy(struct headers *to, const struct headers *from, struct err *err)
{
	for (size_t i = 0; i < from->count; i++)
		if (headers_add(to, headers_name(from, i), headers_value(from, i), err) < 0)
			return -1;
	return 0;
}

struct str headers_name(const struct headers *headers, size_t index)
{
	const struct headers_field *field = &headers->fields[index];

	assert(index < headers->count);
	return str_of(headers->text + field->name_at, field->name_len);
}

struct str headers_value(const struct headers *headers, size_t index)
{
	const struct headers_field *field = &headers->fields[index];

	assert(index < headers->count);
	return str_of(headers->text + field->value_at, field->value_len);
}

struct str headers_get(const struct headers *headers, struct str name)
{
	for (size_t i = 0; i < headers->count; i++)
		if (headers->fields[i].name_len == name.len &&
		    str_eq_nocase(headers_name(headers, i), name))
			return headers_value(headers, i);
	return str_none();
}

bool headers_has(const struct headers *headers, struct str name)
{
	return !str_is_none(headers_get(headers, name));
}

bool headers_lists(const struct headers *headers, struct str name, struct str item)
{
	for (size_t i = 0; i < headers->count; i++) {
		struct str rest, part;

		if (!str_eq_nocase(headers_name(headers, i), name))
			continue;
		rest = headers_value(headers, i);
		while (str_split(&rest, ',', &part))
			if (str_eq_nocase(str_trim(part), item))
				return true;
	}
	return false;
}

size_t headers_bytes(const struct headers *headers)
{
	return headers->used;
}
