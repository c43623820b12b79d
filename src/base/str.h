/* SPDX-License-Identifier: Apache-2.0 */
/* base/str.h - string views: a pointer and a length, borrowed from the owner of the bytes.
 *
 * A view is passed by value and need not end in NUL. str_none() has a NULL pointer and stands for
 * "absent"; it equals the empty string in comparisons. Bytes are compared as unsigned. Print one by
 * printf("%.*s", STR_ARG(s)). */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *ptr;
	size_t len;
};

/* A view of a string literal, also as a static initialiser. */
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_INIT(literal)                       \
	{                                       \
		"" literal, sizeof(literal) - 1 \
	}
#define STR_ARG(s) (int)(s).len, (s).ptr ? (s).ptr : ""

static inline struct str str_none(void)
{
	return (struct str){NULL, 0};
}

/* View of a C string; NULL gives str_none(). */
static inline struct str str_from(const char *text)
{
	return (struct str){text, text ? strlen(text) : 0};
}

static inline struct str str_of(const char *ptr, size_t len)
{
	return (struct str){ptr, len};
}

static inline bool str_is_none(struct str s)
{
	return s.ptr == NULL;
}

static inline bool str_is_empty(struct str s)
{
	return s.len == 0;
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* With a literal, which it nearly always is, the compiler knows the length and compares in place. */
static inline bool str_is(struct str a, const char *b)
{
	size_t len = b ? strlen(b) : 0;

	return a.len == len && (len == 0 || memcmp(a.ptr, b, len) == 0);
}

/* memcmp() == 0 for short texts, without a function call. */
static inline bool str_same_bytes(const char *a, const char *b, size_t len)
{
	uint64_t a8[2], b8[2];
	uint32_t a4[2], b4[2];

	if (len > 16)
		return memcmp(a, b, len) == 0;
	if (len >= 8) { /* the first eight and the last eight, which may overlap */
		memcpy(&a8[0], a, 8);
		memcpy(&b8[0], b, 8);
		memcpy(&a8[1], a + len - 8, 8);
		memcpy(&b8[1], b + len - 8, 8);
		return ((a8[0] ^ b8[0]) | (a8[1] ^ b8[1])) == 0;
	}
	if (len >= 4) {
		memcpy(&a4[0], a, 4);
		memcpy(&b4[0], b, 4);
		memcpy(&a4[1], a + len - 4, 4);
		memcpy(&b4[1], b + len - 4, 4);
		return ((a4[0] ^ b4[0]) | (a4[1] ^ b4[1])) == 0;
	}
	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* <0, 0 or >0, by bytes; a prefix sorts first. */
int str_cmp(struct str a, struct str b);

/* qsort() over an array of struct str. */
int str_qsort_cmp(const void *a, const void *b);

bool str_eq_nocase(struct str a, struct str b); /* ASCII letters only */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* Index of the first byte or part at or after `from`, or -1. */
ptrdiff_t str_find_byte(struct str s, char byte, size_t from);
ptrdiff_t str_rfind_byte(struct str s, char byte);
ptrdiff_t str_find(struct str s, struct str part, size_t from);

/* Bytes [from, to) clamped to the view. */
struct str str_slice(struct str s, size_t from, size_t to);
struct str str_skip(struct str s, size_t count);

/* Without ASCII white space at both ends. */
struct str str_trim(struct str s);

/* Cuts the part before `separator` off the front of *rest. False when nothing is left (*rest is
 * none); an empty string gives one empty part.
 *	while (str_split(&rest, ',', &part)) ... */
bool str_split(struct str *rest, char separator, struct str *part);

/* A NUL-terminated copy for mem_free(). */
char *str_dup(struct str s) __attribute__((malloc, returns_nonnull));

/* Is it well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF)? */
bool str_is_utf8(struct str s);
/* Bytes at the front that are well-formed UTF-8. */
size_t str_utf8_prefix(struct str s);

#endif
