/* SPDX-License-Identifier: Apache-2.0 */
/* numbered.c - see the header. */
#include "numbered.h"

#include <stdio.h>

#include "base/mem.h"
#include "json/yaml.h"

#include "base/banned.h"

static bool is_number(int64_t number)
{
	return number > 0 && number < NUMBERED_MAX;
}

void numbered_add(struct numbered *numbered, struct json list, struct notes *notes)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		int64_t number = json_int(it.value);

		if (is_number(number))
			numbered->shown[number] = true;
		else
			vec_push(notes, mem_printf("spec: %lld is no number", (long long)number));
	}
}

/* Counts those of one part of the list in `places`. */
static int count_listed(struct json list, uint8_t *places)
{
	struct json_iter it = json_iter(list);
	int count = 0;

	while (json_next(&it)) {
		struct json_iter at = json_iter(json_get(it.value, "numbers"));

		while (json_next(&at))
			if (is_number(json_int(at.value))) {
				places[json_int(at.value)]++;
				count++;
			}
	}
	return count;
}

void numbered_check(const struct numbered *numbered, struct str file, struct notes *notes)
{
	AUTO(json_doc_unref) struct json_doc *doc = yaml_parse(file, NULL, NULL);
	struct json root = doc ? json_doc_root(doc) : JSON_NONE;
	int64_t count = json_int(json_get(root, "count"));
	uint8_t places[NUMBERED_MAX] = {0};
	int shown = 0, tests = count_listed(json_get(root, "tests"), places);
	int later = count_listed(json_get(root, "later"), places);

	if (!is_number(count))
		vec_push(notes, mem_strdup("does not say how many numbers there are"));
	for (int64_t i = 1; i < NUMBERED_MAX; i++) {
		shown += numbered->shown[i];
		if (places[i] + numbered->shown[i] != (i <= count))
			vec_push(notes,
				 mem_printf("%lld is in %d places, and not in %d", (long long)i,
					    places[i] + numbered->shown[i], i <= count));
	}
	printf("# numbered: %d shown by scenarios, %d by unit tests, %d of what is not built yet\n",
	       shown, tests, later);
}
