/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_time.c - what time_parse() takes is printed so that it reads back to the same microsecond,
 * and comes apart and together again. */
#include <assert.h>
#include <stdint.h>

#include "base/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TIME_TEXT_SIZE];
	struct time_fields fields;
	int64_t time = 0;
	int64_t again = 0;

	if (time_parse(str_of((const char *)data, size), &time, NULL) < 0)
		return 0;
	if (time_parse(str_from(time_print_micro(time, text)), &again, NULL) < 0)
		assert(!"what was printed can be read");
	assert(again == time);
	time_split(time, &fields);
	assert(time_join(&fields) == time);
	return 0;
}
