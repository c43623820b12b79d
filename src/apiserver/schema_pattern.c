/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/schema_pattern.c - regular expressions of schemas.
 *
 * Schemas are written for Go's RE2, which takes linear time. PCRE2 backtracks, so a match has a
 * bounded number of steps and a bounded depth; a text that exceeds them does not match. What RE2
 * does not have (look-around, back references) is refused, as there. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "apiserver/schema_internal.h"
#include "base/mem.h"

#include "base/banned.h"

enum { MATCH_STEPS = 1000 * 1000, MATCH_DEPTH = 10 * 1000, MATCH_HEAP_KB = 16 * 1024 };

struct schema_pattern {
	struct str text;
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *data;
	struct schema_pattern *next;
};

/* Go's words for the usual mistakes. */
static const struct {
	int code;
	const char *words;
} mistakes[] = {
	{PCRE2_ERROR_MISSING_CLOSING_PARENTHESIS, "missing closing )"},
	{PCRE2_ERROR_UNMATCHED_CLOSING_PARENTHESIS, "unexpected )"},
	{PCRE2_ERROR_MISSING_SQUARE_BRACKET, "missing closing ]"},
	{PCRE2_ERROR_QUANTIFIER_INVALID, "missing argument to repetition operator"},
	{PCRE2_ERROR_CLASS_RANGE_ORDER, "invalid character class range"},
	{PCRE2_ERROR_END_BACKSLASH, "trailing backslash at end of expression"},
	{PCRE2_ERROR_UNKNOWN_ESCAPE, "invalid escape sequence"},
};

static int tell_mistake(struct str text, int code, size_t at, struct err *err)
{
	struct str shown = text;
	PCRE2_UCHAR words[256];

	/* Go shows the operator, or the rest from the bracket on. */
	if (code == PCRE2_ERROR_QUANTIFIER_INVALID && at > 0)
		shown = str_slice(text, at - 1, at);
	else if (code == PCRE2_ERROR_MISSING_SQUARE_BRACKET && str_rfind_byte(text, '[') >= 0)
		shown = str_skip(text, (size_t)str_rfind_byte(text, '['));
	else if (code == PCRE2_ERROR_END_BACKSLASH)
		shown = str_none();
	for (size_t i = 0; i < ARRAY_LEN(mistakes); i++)
		if (mistakes[i].code == code)
			return err_set(err, ERR_INVALID, "error parsing regexp: %s: `%.*s`",
				       mistakes[i].words, STR_ARG(shown));
	if (pcre2_get_error_message(code, words, sizeof(words)) < 0)
		words[0] = '\0';
	return err_set(err, ERR_INVALID, "error parsing regexp: %s: `%.*s`", (const char *)words,
		       STR_ARG(text));
}

/* What RE2 has not: it could make a match take for ever. */
static int check_simple(struct str text, struct err *err)
{
	static const char *const openings[] = {"(?=", "(?!", "(?<=", "(?<!", "(?>"};
	bool escaped = false;
	bool class = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (escaped) {
			escaped = false;
			if (!class && c >= '1' && c <= '9')
				return err_set(err, ERR_INVALID,
					       "error parsing regexp: invalid escape sequence: "
					       "`\\%c`",
					       c);
			continue;
		}
		escaped = c == '\\';
		if (c == '[')
			class = true;
		else if (c == ']')
			class = false;
		for (size_t k = 0; !class && c == '(' && k < ARRAY_LEN(openings); k++)
			if (str_starts(str_skip(text, i), str_from(openings[k])))
				return err_set(err, ERR_INVALID,
					       "error parsing regexp: invalid or unsupported Perl "
					       "syntax: `%s`",
					       openings[k]);
	}
	return 0;
}

struct schema_pattern *schema_pattern_new(struct str text, struct err *err)
{
	AUTO(schema_pattern_free) struct schema_pattern *pattern = NULL;
	size_t at = 0;
	int code = 0;

	if (check_simple(text, err))
		return NULL;
	pattern = mem_new(struct schema_pattern);
	pattern->text = text;
	pattern->code = pcre2_compile((PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len,
				      PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
				      &code, &at, NULL);
	if (!pattern->code) {
		(void)tell_mistake(text, code, at, err);
		return NULL;
	}
	pattern->context = pcre2_match_context_create(NULL);
	pattern->data = pcre2_match_data_create(1, NULL);
	if (!pattern->context || !pattern->data) {
		(void)err_set(err, ERR_INTERNAL, "no memory for a regular expression");
		return NULL;
	}
	pcre2_set_match_limit(pattern->context, MATCH_STEPS);
	pcre2_set_depth_limit(pattern->context, MATCH_DEPTH);
	pcre2_set_heap_limit(pattern->context, MATCH_HEAP_KB);
	return TAKE(pattern);
}

void schema_pattern_free(struct schema_pattern *pattern)
{
	while (pattern) {
		struct schema_pattern *next = pattern->next;

		pcre2_code_free(pattern->code);
		pcre2_match_context_free(pattern->context);
		pcre2_match_data_free(pattern->data);
		mem_free(pattern);
		pattern = next;
	}
}

void schema_pattern_own(struct schema *schema, struct schema_pattern *pattern)
{
	pattern->next = schema->patterns;
	schema->patterns = pattern;
}

struct str schema_pattern_text(const struct schema_pattern *pattern)
{
	return pattern->text;
}

bool schema_pattern_matches(const struct schema_pattern *pattern, struct str text)
{
	return pcre2_match(pattern->code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len, 0,
			   PCRE2_NO_UTF_CHECK, pattern->data, pattern->context) >= 0;
}

bool schema_pattern_find(const struct schema_pattern *pattern, struct str text, size_t from,
			 size_t *ret_start, size_t *ret_end)
{
	const size_t *found;

	if (pcre2_match(pattern->code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len, from,
			PCRE2_NO_UTF_CHECK, pattern->data, pattern->context) < 0)
		return false;
	found = pcre2_get_ovector_pointer(pattern->data);
	*ret_start = found[0];
	*ret_end = found[1];
	return true;
}
