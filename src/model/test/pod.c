/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of pods, and questions that are asked of pods. */
#include "model/pod.h"

#include "base/macro.h"
#include "tap.h"

static void test_tables(void)
{
	static const struct type *const types[] = {
		&pod_type,
		&pod_template_type,
		&pod_template_spec_type,
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		const char *wrong = type_check(types[i], arena);

		ok(!wrong, "the table of %s holds together%s%s", types[i]->name, wrong ? ": " : "",
		   wrong ? wrong : "");
	}
}

int main(void)
{
	test_tables();
	return tap_done();
}
