/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/pattern.h - a regular expression together with its text, and sets that own many of them.
 *
 * Schemas and CEL rules compile patterns that live as long as the schema or the rule: a set owns them
 * and counts their total size. */
#ifndef REGEXP_PATTERN_H
#define REGEXP_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct pattern;

/* `text` must live as long as the pattern. On failure the error's text is Go's, its code ERR_INVALID. */
struct pattern *pattern_new(struct str text, struct err *err) MUST_CHECK;
/* Takes NULL. */
void pattern_free(struct pattern *pattern);
DEFINE_AUTO(struct pattern *, pattern_free);

struct str pattern_text(const struct pattern *pattern);
/* The number of instructions that it was compiled into. */
size_t pattern_size(const struct pattern *pattern);
/* Does it match anywhere in the text? `steps` limits the work and is counted down; if it reaches 0,
 * the search was stopped and the result is false. */
bool pattern_matches(const struct pattern *pattern, struct str text, uint64_t *steps);
/* The next match from *start on; *start and *end become its place. */
bool pattern_find(const struct pattern *pattern, struct str text, uint64_t *steps, size_t *start,
		  size_t *end);

/* Starts zeroed. */
struct pattern_set {
	struct pattern *first;
	size_t size; /* of all patterns: instructions */
};
/* Takes the pattern. */
void pattern_set_add(struct pattern_set *set, struct pattern *pattern);
/* Frees every pattern; the set is empty afterwards. */
void pattern_set_done(struct pattern_set *set);
DEFINE_AUTO_IN_PLACE(struct pattern_set, pattern_set_done);

#endif
