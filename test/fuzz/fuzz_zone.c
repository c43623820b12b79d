/* SPDX-License-Identifier: Apache-2.0 */
/* A file of tzdata, whatever is in it: what is read says for every point in time how far local clocks
 * are ahead, within the span that it names; local time and back is the same point, but where clocks
 * are set back. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "model/value/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t seconds[] = {0,          -1,         1767225600, 1774746000,
					  1792890000, 4102444800, -4102444800};
	struct err err = {0};
	AUTO(zone_free) struct zone *zone = zone_parse(str_of((const char *)data, size), &err);
	char text[ZONE_TEXT_SIZE];

	if (!zone) {
		assert(err.code == ERR_BAD_REQUEST);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(seconds); i++) {
		struct zone_span span = zone_at(zone, seconds[i]);
		struct time_fields fields;

		assert(span.start <= seconds[i] && seconds[i] < span.end);
		if (span.offset > 90000 || span.offset < -90000)
			continue; /* no place has such an offset */
		assert(zone_print(zone, seconds[i] * TIME_SECOND, text)[0]);
		zone_split(zone, seconds[i] * TIME_SECOND, &fields);
		assert(fields.month >= 1 && fields.month <= 12);
	}
	return 0;
}
