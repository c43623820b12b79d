/* SPDX-License-Identifier: Apache-2.0 */
/* What people give to vsub: an array has as many elements as its ranges, all between its least and its
 * most; a time is not negative; the flags of a script are words. What is refused says why. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "cli/array.h"
#include "cli/script.h"
#include "cli/submit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_array(struct str text)
{
	struct err err = {0};
	struct array array;
	int64_t sum = 0;

	if (array_parse(text, &array, &err) < 0) {
		assert(err.code != ERR_NONE && err.text[0]);
		return;
	}
	for (size_t i = 0; i < array.len; i++) {
		const struct array_range *range = &array.ranges[i];

		sum += range->count;
		assert(range->count >= 1 && range->first >= array.least &&
		       range->first + (range->count - 1) * range->step <= array.most);
	}
	assert(sum == array.count && array.at_once <= array.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str text = str_of((const char *)data, size);
	struct words words = {0};
	struct err err = {0};
	int64_t seconds;

	try_array(text);
	if (submit_parse_time(text, &seconds, &err) == 0)
		assert(seconds >= 0);
	if (script_flags(text, arena, &words, &err) < 0)
		assert(str_starts(str_from(err.text), STR("line ")));
	vec_clear(&words);
	if (script_is(text) && script_command(text, STR("x"), arena, &words, &err) == 0)
		assert(words.len >= 3);
	vec_done(&words);
	return 0;
}
