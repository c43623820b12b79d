/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern, a 0 byte and a text: whatever both are, the pattern is read or refused with a reason, and
 * matched within bounds. A pattern that is read and put into a group is read as well, and finds the
 * same; where it finds something depends neither on what was asked before nor on how many steps are
 * left, as long as there are enough. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "regexp/regexp.h"

enum { PATTERN_MAX = 200, TEXT_MAX = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_find(const struct regexp *re, const struct regexp *again, struct str text)
{
	struct regexp_span one = {0, 0};
	struct regexp_span two = {0, 0};
	uint64_t steps = 2 * (regexp_size(re) + 1) * (text.len + 2);
	uint64_t few = 10;
	bool found = regexp_find(re, text, 0, NULL, &one);

	assert(found == regexp_matches(re, text));
	assert(!regexp_find(re, text, 0, &few, NULL) || found);
	assert(regexp_find(re, text, 0, &steps, &two) == found && steps > 0);
	assert(one.start == two.start && one.end == two.end);
	assert(regexp_find(again, text, 0, NULL, &two) == found);
	assert(one.start == two.start && one.end == two.end && one.start <= one.end);
	assert(one.end <= text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t len = zero ? (size_t)(zero - data) : size;
	struct str pattern = str_of((const char *)data, len);
	struct str text = zero ? str_of((const char *)zero + 1, size - len - 1) : STR("");
	AUTO(buf_done) struct buf twice = BUF_UNBOUNDED;
	AUTO(regexp_free) struct regexp *re = NULL;
	AUTO(regexp_free) struct regexp *again = NULL;
	struct err err = {0};

	if (len > PATTERN_MAX || text.len > TEXT_MAX)
		return 0;
	re = regexp_parse(pattern, &err);
	if (!re) {
		assert(err.code == ERR_BAD_REQUEST && err.text[0]);
		return 0;
	}
	buf_printf(&twice, "(?:%.*s)", STR_ARG(pattern));
	again = regexp_parse(buf_str(&twice), &err);
	if (str_find(pattern, STR("\\Q"), 0) >= 0)
		return 0; /* a quotation without an end swallows the bracket */
	assert(again);
	assert(regexp_matches(re, text) == regexp_matches(again, text));
	check_find(re, again, text);
	return 0;
}
