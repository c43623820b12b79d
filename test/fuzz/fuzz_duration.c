/* SPDX-License-Identifier: Apache-2.0 */
/* A duration that reads prints as one that reads as the same; so does a number or text, and so many
 * percent of something lie between the rounded down and the rounded up. What is refused says why. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "model/value/duration.h"
#include "model/value/intstr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_duration(struct str text)
{
	char printed[DURATION_TEXT_SIZE];
	struct err err = {0};
	int64_t value;
	int64_t again;

	if (duration_parse(text, &value, &err) < 0) {
		assert(err.code == ERR_BAD_REQUEST && err.text[0]);
		return;
	}
	assert(duration_parse(str_from(duration_print(value, printed)), &again, &err) == 0);
	assert(again == value);
}

static void try_intstr(struct str text)
{
	AUTO(buf_done) struct buf printed = BUF_UNBOUNDED;
	struct intstr value = intstr_parse(text);
	struct intstr again;
	struct err err = {0};
	int64_t less;
	int64_t more;

	intstr_print(&value, &printed);
	again = intstr_parse(buf_str(&printed));
	assert(again.kind == value.kind && again.number == value.number);
	assert(str_eq(again.text, value.text));
	if (intstr_scale(&value, 1000, false, &less, &err) < 0) {
		assert(err.code == ERR_INVALID && err.text[0]);
		return;
	}
	assert(intstr_scale(&value, 1000, true, &more, &err) == 0);
	assert(less <= more && more - less <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);

	try_duration(text);
	try_intstr(text);
	return 0;
}
