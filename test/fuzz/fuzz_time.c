/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_time.c - any bytes as a time: what is read has a text, which reads back to the same; and any
 * eight bytes as a point in time split and join to the same. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TIME_TEXT_SIZE];
	struct time_fields fields;
	struct err err = {0};
	int64_t time = 0, again = 0;

	if (time_parse(str_of((const char *)data, size), &time, &err) == 0) {
		must(strlen(time_print_micro(time, text)) == strlen("2006-01-02T15:04:05.000000Z"));
		must(time_parse(str_from(text), &again, &err) == 0 && again == time);
	} else {
		must(err.text[0] && time == 0);
	}
	memcpy(&time, data, size < sizeof(time) ? size : sizeof(time));
	time_split(time, &fields);
	must(fields.month >= 1 && fields.month <= 12 && fields.day >= 1 && fields.day <= 31);
	must(fields.weekday >= 0 && fields.weekday <= 6 && fields.yearday >= 1 &&
	     fields.yearday <= 366);
	must(time_join(&fields) == time);
	return 0;
}
