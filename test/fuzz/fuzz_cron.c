/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule that is read is due again and again, each time later than the last, on whole seconds; by
 * its fields on whole minutes. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "model/value/cron.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t time = INT64_C(1767225600) * TIME_SECOND;
	struct err err = {0};
	struct cron cron;

	if (cron_parse(str_of((const char *)data, size), &cron, &err) < 0) {
		assert(err.code == ERR_BAD_REQUEST && err.text[0]);
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		int64_t next = cron_next(&cron, NULL, time);

		if (!next)
			break;
		assert(next > time && next % TIME_SECOND == 0);
		assert(cron.every || next % TIME_MINUTE == 0);
		time = next;
		if (cron.every > INT64_C(365) * TIME_DAY)
			break; /* centuries from now there is no calendar */
	}
	return 0;
}
