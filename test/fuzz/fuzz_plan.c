/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_plan.c - any bytes as a pod's plan: what decodes encodes to the same bytes; what does not says
 * why, and takes no more memory than a small multiple of its length. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "pod/pod_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str input = str_of((const char *)data, size);
	struct err err = {0};
	struct pod_plan plan;

	if (pod_plan_decode(input, arena, &plan, &err) < 0) {
		must(err.text[0]);
	} else {
		must(pod_plan_encode(&plan, &text, &err) == 0);
		must(str_eq(buf_str(&text), input));
	}
	must(arena_used(arena) <= 1024 + 64 * size);
	return 0;
}
