/* SPDX-License-Identifier: Apache-2.0 */
/* base/str.c - string views. */
#include "base/str.h"

#include <stdint.h>

#include "base/mem.h"

#include "base/banned.h"

int str_cmp(struct str a, struct str b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

	if (order)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

int str_qsort_cmp(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool str_eq_nocase(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (lower(a.ptr[i]) != lower(b.ptr[i]))
			return false;
	return true;
}

bool str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len && str_eq(str_of(s.ptr, prefix.len), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len && str_eq(str_skip(s, s.len - suffix.len), suffix);
}

ptrdiff_t str_find_byte(struct str s, char byte, size_t from)
{
	const char *found = from < s.len ? memchr(s.ptr + from, byte, s.len - from) : NULL;

	return found ? found - s.ptr : -1;
}

ptrdiff_t str_rfind_byte(struct str s, char byte)
{
	const char *found = s.len ? memrchr(s.ptr, byte, s.len) : NULL;

	return found ? found - s.ptr : -1;
}

ptrdiff_t str_find(struct str s, struct str part, size_t from)
{
	const char *found;

	if (from > s.len)
		return -1;
	if (part.len == 0)
		return (ptrdiff_t)from;
	found = from < s.len ? memmem(s.ptr + from, s.len - from, part.ptr, part.len) : NULL;
	return found ? found - s.ptr : -1;
}

struct str str_slice(struct str s, size_t from, size_t to)
{
	if (!s.ptr)
		return str_none();
	if (to > s.len)
		to = s.len;
	if (from > to)
		from = to;
	return str_of(s.ptr + from, to - from);
}

struct str str_skip(struct str s, size_t count)
{
	return str_slice(s, count, s.len);
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	size_t from = 0;
	size_t to = s.len;

	while (from < to && is_blank(s.ptr[from]))
		from++;
	while (to > from && is_blank(s.ptr[to - 1]))
		to--;
	return str_slice(s, from, to);
}

bool str_split(struct str *rest, char separator, struct str *part)
{
	ptrdiff_t at;

	if (str_is_none(*rest))
		return false;
	at = str_find_byte(*rest, separator, 0);
	if (at < 0) {
		*part = *rest;
		*rest = str_none();
	} else {
		*part = str_slice(*rest, 0, (size_t)at);
		*rest = str_skip(*rest, (size_t)at + 1);
	}
	return true;
}

char *str_dup(struct str s)
{
	return mem_strdup_len(s.ptr, s.len);
}

/* Length of the well-formed sequence at `p` with `left` bytes left, or 0. (Unicode, table 3-7.) */
static size_t utf8_sequence(const uint8_t *p, size_t left)
{
	uint8_t low = 0x80;
	uint8_t high = 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (left < len)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return len;
}

/* A lower bound of the ASCII bytes at the front, tested eight at a time. */
static size_t ascii_prefix(struct str s)
{
	size_t at = 0;

	for (uint64_t eight; s.len - at >= sizeof(eight); at += sizeof(eight)) {
		memcpy(&eight, s.ptr + at, sizeof(eight));
		if (eight & UINT64_C(0x8080808080808080))
			break;
	}
	return at;
}

size_t str_utf8_prefix(struct str s)
{
	const uint8_t *bytes = (const uint8_t *)s.ptr;
	size_t at = ascii_prefix(s);

	while (at < s.len) {
		size_t len = utf8_sequence(bytes + at, s.len - at);

		if (len == 0)
			break;
		at += len;
	}
	return at;
}

bool str_is_utf8(struct str s)
{
	return str_utf8_prefix(s) == s.len;
}
