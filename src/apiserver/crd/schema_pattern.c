/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_pattern.c - regular expressions of schemas, by our own engine (base/regexp.h): in Go's
 * syntax, with its errors, and in linear time. */
#include "apiserver/crd/schema_internal.h"
#include "base/mem.h"
#include "base/regexp.h"

#include "base/banned.h"

struct schema_pattern {
	struct str text;
	struct regexp *regexp;
	struct schema_pattern *next;
};

struct schema_pattern *schema_pattern_new(struct str text, struct err *err)
{
	AUTO(schema_pattern_free) struct schema_pattern *pattern = mem_new(struct schema_pattern);

	pattern->text = text;
	pattern->regexp = regexp_parse(text, err);
	if (!pattern->regexp) {
		if (err)
			err->code = ERR_INVALID;
		return NULL;
	}
	return TAKE(pattern);
}

void schema_pattern_free(struct schema_pattern *pattern)
{
	while (pattern) {
		struct schema_pattern *next = pattern->next;

		regexp_free(pattern->regexp);
		mem_free(pattern);
		pattern = next;
	}
}

void schema_pattern_own(struct schema *schema, struct schema_pattern *pattern)
{
	pattern->next = schema->patterns;
	schema->patterns = pattern;
	schema->pattern_size += schema_pattern_size(pattern);
}

size_t schema_pattern_size(const struct schema_pattern *pattern)
{
	return regexp_size(pattern->regexp);
}

struct str schema_pattern_text(const struct schema_pattern *pattern)
{
	return pattern->text;
}

bool schema_pattern_matches(const struct schema_pattern *pattern, struct str text, uint64_t *steps)
{
	return regexp_find(pattern->regexp, text, 0, steps, NULL);
}

bool schema_pattern_find(const struct schema_pattern *pattern, struct str text, uint64_t *steps,
			 size_t *start, size_t *end)
{
	struct regexp_span span;

	if (!regexp_find(pattern->regexp, text, *start, steps, &span))
		return false;
	*start = span.start;
	*end = span.end;
	return true;
}
