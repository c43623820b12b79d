/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/pattern.c - see the header. Patterns of a set are linked, the newest first. */
#include "regexp/pattern.h"

#include "base/mem.h"
#include "regexp/regexp.h"

#include "base/banned.h"

struct pattern {
	struct str text;
	struct regexp *regexp;
	struct pattern *next; /* in its set */
};

struct pattern *pattern_new(struct str text, struct err *err)
{
	AUTO(pattern_free) struct pattern *pattern = mem_new(struct pattern);

	pattern->text = text;
	pattern->regexp = regexp_parse(text, err);
	if (!pattern->regexp) {
		if (err)
			err->code = ERR_INVALID;
		return NULL;
	}
	return TAKE(pattern);
}

void pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	regexp_free(pattern->regexp);
	mem_free(pattern);
}

struct str pattern_text(const struct pattern *pattern)
{
	return pattern->text;
}

size_t pattern_size(const struct pattern *pattern)
{
	return regexp_size(pattern->regexp);
}

bool pattern_matches(const struct pattern *pattern, struct str text, uint64_t *steps)
{
	return regexp_find(pattern->regexp, text, 0, steps, NULL);
}

bool pattern_find(const struct pattern *pattern, struct str text, uint64_t *steps, size_t *start,
		  size_t *end)
{
	struct regexp_span span;

	if (!regexp_find(pattern->regexp, text, *start, steps, &span))
		return false;
	*start = span.start;
	*end = span.end;
	return true;
}

void pattern_set_add(struct pattern_set *set, struct pattern *pattern)
{
	pattern->next = set->first;
	set->first = pattern;
	set->size += pattern_size(pattern);
}

void pattern_set_done(struct pattern_set *set)
{
	while (set->first) {
		struct pattern *next = set->first->next;

		pattern_free(set->first);
		set->first = next;
	}
	set->size = 0;
}
