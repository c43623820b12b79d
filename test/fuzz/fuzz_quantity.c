/* SPDX-License-Identifier: Apache-2.0 */
/* A quantity that reads prints as one that reads as the same; its canonical form is a fixed point.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/value/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char first[QUANTITY_TEXT_SIZE];
	char second[QUANTITY_TEXT_SIZE];
	struct quantity q;
	struct quantity again;
	struct quantity sum;

	if (quantity_parse(str_of((const char *)data, size), &q, NULL))
		return 0;
	assert(quantity_parse(str_from(quantity_canonical(&q, first)), &again, NULL) == 0);
	assert(quantity_cmp(&q, &again) == 0);
	/* 62.5Ki prints as 64000, which is decimal when it is read: then its form may change. */
	if (again.format == q.format)
		assert(strcmp(quantity_canonical(&again, second), first) == 0);
	sum = q;
	quantity_add(&sum, &again);
	assert(quantity_sign(&sum) == quantity_sign(&q));
	quantity_sub(&sum, &again);
	assert(quantity_cmp(&sum, &q) == 0);
	return 0;
}
