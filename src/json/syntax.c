/* SPDX-License-Identifier: Apache-2.0 */
/* json/syntax.c - the errors of Go's encoding/json for text that is not JSON.
 *
 * A state machine that reads one byte at a time. Each state is a function that takes the byte and
 * sets the next state, or returns the part of the error message that says where the byte is not
 * allowed. Open objects (before and after the colon) and arrays are a stack with one byte per
 * level. */
#include "json/syntax.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vec.h"

#include "base/banned.h"

enum { DEPTH_MAX = 10000 };
enum level { LEVEL_KEY, LEVEL_VALUE, LEVEL_ELEMENT };

struct scan;
/* Returns NULL, or the text that says where the byte is not allowed. */
typedef const char *state_fn(struct scan *scan, unsigned char c);

struct scan {
	state_fn *state;
	VEC(uint8_t) levels;
	const char *literal; /* what is left of true, false or null ... */
	const char *word;    /* ... and which it is */
	unsigned hex;        /* digits of an escape that are left */
	char where[64];
	bool too_deep;
};

static state_fn begin_value, begin_string, end_value, in_string;

static bool is_space(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(unsigned char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *next(struct scan *scan, state_fn *state)
{
	scan->state = state;
	return NULL;
}

static const char *push(struct scan *scan, enum level level, state_fn *state)
{
	vec_push(&scan->levels, (uint8_t)level);
	scan->too_deep = scan->levels.len > DEPTH_MAX;
	return next(scan, state);
}

static const char *pop(struct scan *scan)
{
	scan->levels.len--;
	return next(scan, end_value);
}

/* --- numbers and literals --- */

static const char *exponent_digits(struct scan *scan, unsigned char c)
{
	return is_digit(c) ? NULL : end_value(scan, c);
}

static const char *exponent_first(struct scan *scan, unsigned char c)
{
	return is_digit(c) ? next(scan, exponent_digits) : "in exponent of numeric literal";
}

static const char *exponent(struct scan *scan, unsigned char c)
{
	return c == '+' || c == '-' ? next(scan, exponent_first) : exponent_first(scan, c);
}

static const char *fraction(struct scan *scan, unsigned char c)
{
	if (is_digit(c))
		return NULL;
	return c == 'e' || c == 'E' ? next(scan, exponent) : end_value(scan, c);
}

static const char *fraction_first(struct scan *scan, unsigned char c)
{
	return is_digit(c) ? next(scan, fraction) : "after decimal point in numeric literal";
}

static const char *after_zero(struct scan *scan, unsigned char c)
{
	if (c == '.')
		return next(scan, fraction_first);
	return c == 'e' || c == 'E' ? next(scan, exponent) : end_value(scan, c);
}

static const char *digits(struct scan *scan, unsigned char c)
{
	return is_digit(c) ? NULL : after_zero(scan, c);
}

static const char *after_minus(struct scan *scan, unsigned char c)
{
	if (c == '0')
		return next(scan, after_zero);
	return is_digit(c) ? next(scan, digits) : "in numeric literal";
}

static const char *literal(struct scan *scan, unsigned char c)
{
	if (c != (unsigned char)*scan->literal) {
		(void)snprintf(scan->where, sizeof(scan->where), "in literal %s (expecting '%c')",
			       scan->word, *scan->literal);
		return scan->where;
	}
	return *++scan->literal ? NULL : next(scan, end_value);
}

/* --- strings --- */

static const char *escape_hex(struct scan *scan, unsigned char c)
{
	if (!is_hex(c))
		return "in \\u hexadecimal character escape";
	return --scan->hex ? NULL : next(scan, in_string);
}

static const char *escape(struct scan *scan, unsigned char c)
{
	if (c == 'u') {
		scan->hex = 4;
		return next(scan, escape_hex);
	}
	return c && str_find_byte(STR("bfnrt\\/\""), (char)c, 0) >= 0 ? next(scan, in_string)
								      : "in string escape code";
}

static const char *in_string(struct scan *scan, unsigned char c)
{
	if (c == '"')
		return next(scan, end_value);
	if (c == '\\')
		return next(scan, escape);
	return c < 0x20 ? "in string literal" : NULL;
}

/* --- structure --- */

static const char *begin_literal(struct scan *scan, const char *word)
{
	scan->word = word;
	scan->literal = word + 1;
	return next(scan, literal);
}

static const char *begin_string_or_end(struct scan *scan, unsigned char c)
{
	if (is_space(c))
		return NULL;
	return c == '}' ? pop(scan) : begin_string(scan, c);
}

static const char *begin_value_or_end(struct scan *scan, unsigned char c)
{
	if (is_space(c))
		return NULL;
	return c == ']' ? pop(scan) : begin_value(scan, c);
}

static const char *begin_string(struct scan *scan, unsigned char c)
{
	if (is_space(c))
		return NULL;
	return c == '"' ? next(scan, in_string) : "looking for beginning of object key string";
}

static const char *begin_value(struct scan *scan, unsigned char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		return NULL;
	case '{':
		return push(scan, LEVEL_KEY, begin_string_or_end);
	case '[':
		return push(scan, LEVEL_ELEMENT, begin_value_or_end);
	case '"':
		return next(scan, in_string);
	case '-':
		return next(scan, after_minus);
	case '0':
		return next(scan, after_zero);
	case 't':
		return begin_literal(scan, "true");
	case 'f':
		return begin_literal(scan, "false");
	case 'n':
		return begin_literal(scan, "null");
	default:
		return is_digit(c) ? next(scan, digits) : "looking for beginning of value";
	}
}

static const char *end_top(struct scan *scan, unsigned char c)
{
	(void)scan;
	return is_space(c) ? NULL : "after top-level value";
}

static const char *end_value(struct scan *scan, unsigned char c)
{
	uint8_t *level = scan->levels.len ? &scan->levels.ptr[scan->levels.len - 1] : NULL;

	scan->state = level ? end_value : end_top;
	if (!level)
		return end_top(scan, c);
	if (is_space(c))
		return NULL;
	switch ((enum level) * level) {
	case LEVEL_KEY:
		*level = LEVEL_VALUE;
		return c == ':' ? next(scan, begin_value) : "after object key";
	case LEVEL_VALUE:
		*level = LEVEL_KEY;
		if (c == ',')
			return next(scan, begin_string);
		return c == '}' ? pop(scan) : "after object key:value pair";
	case LEVEL_ELEMENT:
		break;
	}
	if (c == ',')
		return next(scan, begin_value);
	return c == ']' ? pop(scan) : "after array element";
}

/* --- the sentence --- */

/* A byte in quotes, printed as a character as Go does. */
static void quote(unsigned char c, char text[16])
{
	static const char letters[] = "abtnvfr"; /* 7 to 13 */

	if (c == '\'' || c == '\\')
		(void)snprintf(text, 16, "'\\%c'", c);
	else if (c >= 7 && c <= 13)
		(void)snprintf(text, 16, "'\\%c'", letters[c - 7]);
	else if (c < 0x20 || c == 0x7f)
		(void)snprintf(text, 16, "'\\x%02x'", c);
	else if (c < 0x80)
		(void)snprintf(text, 16, "'%c'", c);
	else if (c <= 0xa0 || c == 0xad)
		(void)snprintf(text, 16, "'\\u%04x'", c);
	else
		(void)snprintf(text, 16, "'%c%c'", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
}

int json_syntax_check(struct str text, struct err *err)
{
	struct scan scan = {.state = begin_value};
	const char *where = NULL;
	char quoted[16];
	size_t at = 0;
	bool whole;

	while (at < text.len && !where && !scan.too_deep)
		where = scan.state(&scan, (unsigned char)text.ptr[at++]);
	/* only the byte after a number ends it */
	whole = !where && scan.state(&scan, ' ') == NULL && scan.state == end_top;
	vec_done(&scan.levels);
	if (scan.too_deep)
		return err_set(err, ERR_BAD_REQUEST, "exceeded max depth");
	if (where) {
		quote((unsigned char)text.ptr[at - 1], quoted);
		return err_set(err, ERR_BAD_REQUEST, "invalid character %s %s", quoted, where);
	}
	if (!whole)
		return err_set(err, ERR_BAD_REQUEST, "unexpected end of JSON input");
	return 0;
}

const char *json_go_name(enum json_type type)
{
	return type == JSON_INT || type == JSON_REAL ? "number"
	       : type == JSON_BOOL                   ? "bool"
						     : json_type_name(type);
}
