/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_number.c - the readers of numbers agree with one another, and refuse with a text. */
#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);
	struct err err = {0};
	uint64_t natural = 0;
	int64_t whole = 0;
	double real = 0;
	bool is_whole = number_parse_i64(text, &whole, &err) == 0;
	bool truth = false;

	assert(is_whole || (err.code == ERR_BAD_REQUEST && err.text[0]));
	if (number_parse_u64(text, &natural, NULL) == 0 && natural <= INT64_MAX)
		assert(is_whole && (uint64_t)whole == natural);
	if (number_parse_range(text, -9, 9, &whole, NULL) == 0)
		assert(is_whole && whole >= -9 && whole <= 9);
	if (number_parse_double(text, &real, NULL) == 0)
		assert(isfinite(real));
	if (number_parse_bool(text, &truth, NULL) == 0)
		assert(size <= 5);
	return 0;
}
