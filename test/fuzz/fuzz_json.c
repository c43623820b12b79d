/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: a document and, after a record separator (0x1E), a patch for it in all three kinds.
 *
 * Whatever parses prints to something that parses to the same and prints to the same; whatever a
 * patch makes can be printed and parsed; the diff of two documents makes one of the other. What parses
 * is sound to the checker that speaks as Go does, too; what that refuses, it says why. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "json/doc.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/pointer.h"
#include "json/strategic.h"
#include "json/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_duplicate(void *arg, struct str path)
{
	size_t *bytes = arg;

	*bytes += path.len;
}

/* One kind all the way down: "list" merges by "name", "set" is one of scalars. */
static bool lookup(const void *node, struct str field, struct json_strategy_field *ret)
{
	ret->child = node;
	if (str_is(field, "list"))
		ret->merge_key = STR("name");
	if (str_is(field, "list") || str_is(field, "set"))
		ret->strategy = JSON_STRATEGY_MERGE;
	ret->retain_keys = str_is(field, "union");
	return !str_is(field, "other");
}

static struct json_doc *parse(struct str text)
{
	size_t told = 0;
	struct json_options options = {.on_duplicate = on_duplicate, .arg = &told};
	struct err err = {0};
	bool sound = json_syntax_check(text, &err) == 0;
	struct json_doc *doc = json_parse(text, &options, sound ? &err : NULL);

	assert(sound ? doc || err.text[0] : !doc && err.text[0]);
	return doc;
}

/* Text, read back, in each style. */
static void check_print(struct json root)
{
	AUTO(mem_free) char *canonical = json_text(root, JSON_CANONICAL);

	for (int style = JSON_COMPACT; style <= JSON_CANONICAL; style++) {
		AUTO(mem_free) char *text = json_text(root, (enum json_style)style);
		AUTO(json_doc_unref) struct json_doc *again = parse(str_from(text));
		assert(again);
		AUTO(mem_free) char *same = json_text(json_doc_root(again), (enum json_style)style);
		assert(strcmp(text, same) == 0);
		AUTO(mem_free) char *other = json_text(json_doc_root(again), JSON_CANONICAL);
		assert(strcmp(canonical, other) == 0);
	}
	AUTO(json_doc_unref) struct json_doc *frozen = json_doc_freeze(root);
	AUTO(json_doc_unref) struct json_doc *thawed = json_doc_thaw(json_doc_root(frozen));
	assert(json_eq(root, json_doc_root(thawed)) && json_eq(json_doc_root(frozen), root));
	assert(json_hash(root, 1) == json_hash(json_doc_root(thawed), 1));
}

static void check_patches(struct json root, struct json patch)
{
	static const struct json_strategy_schema schema = {.lookup = lookup, .node = "kind"};
	struct err err;
	AUTO(json_doc_unref) struct json_doc *patched = json_patch_apply(root, patch, &err);
	AUTO(json_doc_unref) struct json_doc *merged = json_merge_apply(root, patch);
	AUTO(json_doc_unref)
	struct json_doc *strategic = json_strategic_apply(root, patch, &schema, &err);

	check_print(json_doc_root(merged));
	if (patched)
		check_print(json_doc_root(patched));
	if (strategic)
		check_print(json_doc_root(strategic));

	AUTO(json_doc_unref) struct json_doc *diff = json_patch_diff(root, patch);
	AUTO(json_doc_unref)
	struct json_doc *back = json_patch_apply(root, json_doc_root(diff), &err);
	assert(back && json_eq(json_doc_root(back), patch));
	AUTO(json_doc_unref) struct json_doc *merge = json_merge_diff(root, patch);
	AUTO(json_doc_unref)
	struct json_doc *strategy = json_strategic_diff(root, patch, &schema, &err);

	check_print(json_doc_root(merge));
	if (strategy)
		check_print(json_doc_root(strategy));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_of((const char *)data, size);
	struct str text = str_none();

	if (!str_split(&rest, '\x1E', &text))
		return 0;
	AUTO(json_doc_unref) struct json_doc *doc = parse(text);
	AUTO(json_doc_unref) struct json_doc *patch = parse(rest);

	(void)json_pointer_get(json_doc_root(doc), rest);
	if (doc)
		check_print(json_doc_root(doc));
	if (doc && patch)
		check_patches(json_doc_root(doc), json_doc_root(patch));
	return 0;
}
