/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz rules in CEL: whatever the text, it is refused with a place in it, or it comes to a value, and
 * comes to the same one again. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "cel/cel.h"
#include "regexp/pattern.h"

#include "base/banned.h"

static const char schema_text[] =
	"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"s\":{\"type\":"
	"\"string\"},"
	"\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"m\":{\"type\":\"object\","
	"\"additionalProperties\":{\"type\":\"number\"}},\"q\":{\"x-kubernetes-int-or-string\":"
	"true},"
	"\"d\":{\"type\":\"string\",\"format\":\"date-time\"},\"o\":{\"type\":\"object\","
	"\"properties\":{\"x\":{\"type\":\"boolean\"}}}}}";
static const char object_text[] =
	"{\"a\":1,\"s\":\"text\",\"l\":[\"b\",\"a\"],\"m\":{\"k\":1.5},\"q\":\"5%\",\"d\":"
	"\"2026-01-02T03:04:05Z\",\"o\":{}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of((const char *)data, size);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(pattern_set_done) struct pattern_set patterns = {0};
	AUTO(json_doc_unref) struct json_doc *types = json_parse(str_from(schema_text), NULL, NULL);
	AUTO(json_doc_unref)
	struct json_doc *object = json_parse(str_from(object_text), NULL, NULL);
	const struct cel_type *type = cel_type_of_schema(json_doc_root(types), true, arena);
	struct cel_rule rule;

	if (str_is_utf8(text)) {
		cel_compile(text, type, size % 2, arena, &patterns, &rule);
		if (rule.expr) {
			AUTO(arena_free) struct arena *one = arena_new(0);
			AUTO(arena_free) struct arena *two = arena_new(0);
			struct cel_input input = {type, json_doc_root(object),
						  json_doc_root(object), size % 2};
			uint64_t cost[2];
			struct cel_value first = cel_evaluate(&rule, &input, one, &cost[0]);
			struct cel_value again = cel_evaluate(&rule, &input, two, &cost[1]);

			assert(!rule.issues && first.kind == again.kind && cost[0] == cost[1]);
			assert(arena_used(one) <= 2 * (size_t)LIMIT_CEL_BYTES);
		} else {
			AUTO(buf_done) struct buf told = BUF_UNBOUNDED;

			cel_print_issues(&rule, &told);
			assert(rule.issues && told.len);
		}
	}
	return 0;
}
