/* SPDX-License-Identifier: Apache-2.0 */
/* http/headers.h - the header fields of a message, in order, bounded by LIMIT_HEADER_BYTES and
 * LIMIT_HEADER_COUNT.
 *
 * Names are kept in lower case and compare without regard to case. What goes in is checked, so that
 * no value can smuggle a line break into a message: a name is a token, a value has no CR, LF or
 * NUL. Returned views are valid until the next change. */
#ifndef HTTP_HEADERS_H
#define HTTP_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct headers_field {
	uint32_t name_at, value_at; /* in text */
	uint32_t name_len, value_len;
};

struct headers {
	struct headers_field *fields;
	size_t count;
	size_t fields_size;
	char *text;
	size_t used;
	size_t text_size;
};

#define HEADERS_INIT \
	{            \
		0    \
	}

void headers_done(struct headers *headers);
DEFINE_AUTO_IN_PLACE(struct headers, headers_done);
/* Removes all fields, keeping the memory. */
void headers_clear(struct headers *headers);

/* Add a field, copied; leading and trailing blanks of the value are dropped. ERR_BAD_REQUEST when
 * it is malformed, ERR_TOO_LARGE if a limit is exceeded (the server's 431). */
int headers_add(struct headers *headers, struct str name, struct str value,
		struct err *err) MUST_CHECK;
/* For fields that the program itself makes: malformed is a bug and asserts. */
void headers_put(struct headers *headers, struct str name, struct str value);
void headers_printf(struct headers *headers, struct str name, const char *format, ...) PRINTF(3, 4);
/* Removes every field of that name. */
void headers_remove(struct headers *headers, struct str name);
/* Replace every field of that name by this one. */
int headers_set(struct headers *headers, struct str name, struct str value,
		struct err *err) MUST_CHECK;
int headers_copy(struct headers *to, const struct headers *from, struct err *err) MUST_CHECK;

static inline size_t headers_count(const struct headers *headers)
{
	return headers->count;
}
struct str headers_name(const struct headers *headers, size_t index);
struct str headers_value(const struct headers *headers, size_t index);

/* The first value of that name; str_none() when there is none. */
struct str headers_get(const struct headers *headers, struct str name);
bool headers_has(const struct headers *headers, struct str name);
/* Is `item` one of the comma-separated items of any field of that name? (Connection: close) */
bool headers_lists(const struct headers *headers, struct str name, struct str item);
/* Bytes of all names and values. */
size_t headers_bytes(const struct headers *headers);

/* Is this allowed as a name or a value? */
bool headers_name_is_valid(struct str name);
bool headers_value_is_valid(struct str value);

#endif
