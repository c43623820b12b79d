/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the tests of patches: a target, a patch, and what they make or how it fails. JSON with ' for ". */
#ifndef JSON_TEST_PATCH_ROWS_H
#define JSON_TEST_PATCH_ROWS_H

#include "quoted.h"
#include "tap.h"

struct patch_row {
	const char *target;
	const char *patch;
	const char *result;
};

struct patch_failure {
	const char *target;
	const char *patch;
	enum err_code code;
	const char *error; /* NULL: any */
};

/* Apply a patch of the kind under test. */
typedef struct json_doc *patch_fn(struct json target, struct json patch, struct err *err);

static inline struct json_doc *patch_quoted(const char *target, const char *patch, patch_fn *apply,
					    struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *to = quoted_doc(target);
	AUTO(json_doc_unref) struct json_doc *by = quoted_doc(patch);

	return apply(json_doc_root(to), json_doc_root(by), err);
}

static inline void patch_rows_check(const struct patch_row *rows, size_t count, patch_fn *apply)
{
	for (size_t i = 0; i < count; i++) {
		struct err err = {0};
		AUTO(json_doc_unref)
		struct json_doc *result = patch_quoted(rows[i].target, rows[i].patch, apply, &err);
		AUTO(mem_free) char *text = json_text(json_doc_root(result), JSON_COMPACT);
		AUTO(mem_free) char *want = quoted_text(rows[i].result);

		is(text, want);
		if (!result)
			printf("# %s\n", err.text);
	}
}

__attribute__((unused)) static void patch_failures_check(const struct patch_failure *rows,
							 size_t count, patch_fn *apply)
{
	for (size_t i = 0; i < count; i++) {
		struct err err = {0};

		ok(!patch_quoted(rows[i].target, rows[i].patch, apply, &err) &&
			   err.code == rows[i].code,
		   "%s: %s", rows[i].patch, err.text);
		if (rows[i].error)
			is(err.text, rows[i].error);
		ok(!patch_quoted(rows[i].target, rows[i].patch, apply, NULL),
		   "the error may be NULL");
	}
}

#endif
