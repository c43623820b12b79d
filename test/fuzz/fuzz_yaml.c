/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_yaml.c - any bytes: read them; what was read prints as YAML that reads back the same. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "json/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Print, read, and give the result. */
static struct json_doc *again(struct json root, size_t width)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err = {0};

	yaml_print_wrapped(root, width, &text);
	struct json_doc *doc = yaml_parse(buf_str(&text), NULL, &err);
	assert(doc);
	return doc;
}

static void check_same(struct json a, struct json b)
{
	AUTO(mem_free) char *before = json_text(a, JSON_CANONICAL);
	AUTO(mem_free) char *after = json_text(b, JSON_CANONICAL);

	assert(strcmp(before, after) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct yaml_options options = {.max_bytes = 1 << 20, .max_nodes = 20000};
	AUTO(yaml_reader_free)
	struct yaml_reader *reader = yaml_reader_new(str_of((const char *)data, size), &options);
	struct json_doc *doc = NULL;

	while (yaml_reader_next(reader, &doc, NULL) == 0 && doc) {
		AUTO(json_doc_unref) struct json_doc *first = doc;
		AUTO(json_doc_unref) struct json_doc *second = again(json_doc_root(first), 0);
		AUTO(json_doc_unref)
		struct json_doc *third = again(json_doc_root(second), size % 100);

		/* JSON has integers past 64 bits, which only then become floats. */
		if (json_doc_is_mutable(first))
			check_same(json_doc_root(first), json_doc_root(second));
		check_same(json_doc_root(second), json_doc_root(third));
	}
	return 0;
}
