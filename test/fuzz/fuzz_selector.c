/* SPDX-License-Identifier: Apache-2.0 */
/* A selector that reads prints as one that reads and prints the same. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/value/fieldselector.h"
#include "model/value/labels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_labels(struct str text, struct arena *arena)
{
	AUTO(buf_done) struct buf first = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf second = BUF_UNBOUNDED;
	struct labels labels = {0};
	struct selector selector;
	struct selector again;
	struct err err;

	if (selector_parse(text, arena, &selector, &err))
		return;
	selector_print(&selector, &first);
	assert(selector_parse(buf_str(&first), arena, &again, &err) == 0);
	selector_print(&again, &second);
	assert(str_eq(buf_str(&first), buf_str(&second)));
	assert(selector_matches(&selector, &labels) == selector_matches(&again, &labels));
}

static void try_fields(struct str text, struct arena *arena)
{
	AUTO(buf_done) struct buf first = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf second = BUF_UNBOUNDED;
	struct field_selector selector;
	struct field_selector again;
	struct err err;

	if (field_selector_parse(text, arena, &selector, &err))
		return;
	field_selector_print(&selector, &first);
	assert(field_selector_parse(buf_str(&first), arena, &again, &err) == 0);
	field_selector_print(&again, &second);
	assert(again.len == selector.len && first.len == second.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	try_labels(str_of((const char *)data, size), arena);
	try_fields(str_of((const char *)data, size), arena);
	return 0;
}
