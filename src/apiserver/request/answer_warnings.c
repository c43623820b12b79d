/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/answer_warnings.c - the warnings of an answer, bounded as kube-apiserver bounds them.
 *
 * The same text is sent once. All texts together have at most TOTAL_CHARS characters; if they would have
 * more, each is cut to ITEM_CHARS and they are added until the sum is reached; what comes after that is
 * dropped. Whatever an object says, its warnings fit into the header of an answer:
 * COUNT_MAX is far below LIMIT_HEADER_COUNT, and a character is at most eight bytes of a header. */
#include <stdarg.h>
#include <string.h>

#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/mem.h"

#include "base/banned.h"

enum {
	TOTAL_CHARS = 4096,
	ITEM_CHARS = 256,
	COUNT_MAX = 64, /* Python reads at most 100 header fields of an answer */
};
_Static_assert(TOTAL_CHARS * 8 + (COUNT_MAX + 1) * 16 < LIMIT_HEADER_BYTES / 3 * 2,
	       "the warnings leave space for other fields");

/* Bytes of at most `most` characters at the start of a text; *ret_count is how many they are. */
static size_t chars_prefix(const char *text, size_t most, size_t *ret_count)
{
	size_t at = 0;
	size_t count = 0;

	for (; text[at]; at++) {
		bool starts = ((unsigned char)text[at] & 0xC0) != 0x80;

		if (starts && count == most)
			break;
		count += starts;
	}
	*ret_count = count;
	return at;
}

static bool has(const struct call *call, const char *text)
{
	for (size_t i = 0; i < call->answer.warnings.len; i++)
		if (strcmp(call->answer.warnings.ptr[i], text) == 0)
			return true;
	return false;
}

static void add(struct call *call, const char *text)
{
	size_t count;
	size_t len = chars_prefix(text, call->answer.warnings_cut ? ITEM_CHARS : SIZE_MAX, &count);

	call->answer.warning_chars += count;
	vec_push(&call->answer.warnings, arena_str(call->arena, str_of(text, len)).ptr);
}

/* From now on every text is cut, those that are there as well. */
static void start_cutting(struct call *call)
{
	call->answer.warnings_cut = true;
	call->answer.warning_chars = 0;
	for (size_t i = 0; i < call->answer.warnings.len; i++) {
		size_t count;
		size_t len = chars_prefix(call->answer.warnings.ptr[i], ITEM_CHARS, &count);

		call->answer.warnings.ptr[i] =
			arena_str(call->arena, str_of(call->answer.warnings.ptr[i], len)).ptr;
		call->answer.warning_chars += count;
	}
}

void call_warn(struct call *call, const char *format, ...)
{
	AUTO(mem_free) char *text = NULL;
	va_list args;
	size_t count;

	if (call->answer.warnings.len >= COUNT_MAX ||
	    (call->answer.warnings_cut && call->answer.warning_chars >= TOTAL_CHARS))
		return;
	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	if (!text[0] || has(call, text))
		return;
	(void)chars_prefix(text, SIZE_MAX, &count);
	if (!call->answer.warnings_cut && call->answer.warning_chars + count > TOTAL_CHARS)
		start_cutting(call);
	add(call, text);
}
