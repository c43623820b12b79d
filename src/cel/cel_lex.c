/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel_lex.c - a rule's text as tokens.
 *
 * Text that is no token is reported and skipped, as by the generated lexer of the original: it
 * reports the characters up to the first one that no token allows. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/vec.h"
#include "cel/cel_internal.h"

#include "base/banned.h"

void cel_issue_add(struct cel_issue **issues, struct arena *arena, size_t at, const char *format,
		   ...)
{
	struct cel_issue *issue = arena_new_of(arena, struct cel_issue);
	va_list args;

	va_start(args, format);
	issue->text = arena_vprintf(arena, format, args);
	va_end(args);
	issue->at = at;
	while (*issues && (*issues)->at <= at)
		issues = &(*issues)->next;
	issue->next = *issues;
	*issues = issue;
}

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static char at(struct str s, size_t i)
{
	return i < s.len ? s.ptr[i] : '\0';
}

static size_t skip_digits(struct str s, size_t i)
{
	while (isdigit((unsigned char)at(s, i)))
		i++;
	return i;
}

static size_t lex_number(struct str s, enum cel_token_kind *kind)
{
	size_t i = skip_digits(s, 0);

	*kind = TOKEN_INT;
	if (i == 1 && s.ptr[0] == '0' && at(s, 1) == 'x' && isxdigit((unsigned char)at(s, 2))) {
		i = 2;
		while (isxdigit((unsigned char)at(s, i)))
			i++;
	} else if (at(s, i) == '.' && isdigit((unsigned char)at(s, i + 1))) {
		*kind = TOKEN_FLOAT;
		i = skip_digits(s, i + 1);
	}
	if ((at(s, i) == 'e' || at(s, i) == 'E') && *kind != TOKEN_UINT) {
		size_t sign = i + 1 + (at(s, i + 1) == '+' || at(s, i + 1) == '-');

		if (isdigit((unsigned char)at(s, sign))) {
			*kind = TOKEN_FLOAT;
			i = skip_digits(s, sign);
		}
	}
	if (*kind == TOKEN_INT && (at(s, i) == 'u' || at(s, i) == 'U')) {
		*kind = TOKEN_UINT;
		i++;
	}
	return i;
}

/* The length of an escape without its backslash; 0 if it is malformed. */
static size_t escape_len(struct str s)
{
	static const struct {
		char c;
		size_t digits;
	} hex[] = {{'x', 2}, {'X', 2}, {'u', 4}, {'U', 8}};
	char c = at(s, 0);

	if (c && strchr("abfnrtv\"'\\?`", c))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(hex); i++) {
		size_t k = 1;

		while (c == hex[i].c && k <= hex[i].digits && isxdigit((unsigned char)at(s, k)))
			k++;
		if (c == hex[i].c)
			return k > hex[i].digits ? k : 0;
	}
	return c >= '0' && c <= '3' && at(s, 1) >= '0' && at(s, 1) <= '7' && at(s, 2) >= '0' &&
			       at(s, 2) <= '7'
		       ? 3
		       : 0;
}

/* The length of a quoted text, including its quotes; 0 if it does not end, and *ret_broken is where
 * it stops. */
static size_t lex_text(struct str s, bool raw, size_t *ret_broken)
{
	char quote = at(s, 0);
	bool triple = at(s, 1) == quote && at(s, 2) == quote;
	size_t i = triple ? 3 : 1;

	while (i < s.len) {
		if (s.ptr[i] == quote &&
		    (!triple || (at(s, i + 1) == quote && at(s, i + 2) == quote)))
			return i + (triple ? 3 : 1);
		if (!triple && (s.ptr[i] == '\n' || s.ptr[i] == '\r'))
			break;
		if (s.ptr[i] == '\\' && !raw) {
			size_t len = escape_len(str_skip(s, i + 1));

			if (!len) {
				i++;
				break;
			}
			i += len;
		}
		i++;
	}
	*ret_broken = i < s.len ? i + 1 : s.len;
	return 0;
}

static size_t lex_sign(struct str s)
{
	static const char *const signs[] = {"==", "!=", "<=", ">=", "&&", "||", "<", ">",
					    "[",  "]",  "{",  "}",  "(",  ")",  ".", ",",
					    "-",  "!",  "?",  ":",  "+",  "*",  "/", "%"};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (str_starts(s, str_from(signs[i])))
			return strlen(signs[i]);
	return 0;
}

static bool is_sign_word(struct str word)
{
	return str_is(word, "in") || str_is(word, "true") || str_is(word, "false") ||
	       str_is(word, "null");
}

/* The length of the prefix before the quotes: r, b, br; SIZE_MAX if no text begins here. */
static size_t text_prefix(struct str s, bool *raw, bool *bytes)
{
	size_t i = 0;

	*bytes = at(s, 0) == 'b' || at(s, 0) == 'B';
	i += *bytes;
	*raw = at(s, i) == 'r' || at(s, i) == 'R';
	i += *raw;
	return at(s, i) == '"' || at(s, i) == '\'' ? i : SIZE_MAX;
}

/* The length of one token, or 0, and *ret_broken is how much to skip. */
static size_t lex_one(struct str s, enum cel_token_kind *kind, size_t *ret_broken)
{
	bool raw;
	bool bytes;
	size_t prefix = text_prefix(s, &raw, &bytes);
	size_t len = 0;

	*ret_broken = 1;
	if (prefix != SIZE_MAX) {
		*kind = bytes ? TOKEN_BYTES : TOKEN_STRING;
		len = lex_text(str_skip(s, prefix), raw, ret_broken);
		*ret_broken += prefix;
		return len ? len + prefix : 0;
	}
	if (is_letter(s.ptr[0])) {
		while (is_letter(at(s, len)) || isdigit((unsigned char)at(s, len)))
			len++;
		*kind = is_sign_word(str_slice(s, 0, len)) ? TOKEN_SIGN : TOKEN_NAME;
		return len;
	}
	if (isdigit((unsigned char)s.ptr[0]))
		return lex_number(s, kind);
	if (s.ptr[0] == '.' && isdigit((unsigned char)at(s, 1))) {
		len = 1 + lex_number(str_skip(s, 1), kind);
		*kind = TOKEN_FLOAT;
		return len;
	}
	*kind = TOKEN_SIGN;
	len = lex_sign(s);
	/* half of a two-character sign: the next character was read too */
	if (!len && (s.ptr[0] == '=' || s.ptr[0] == '&' || s.ptr[0] == '|') && s.len > 1)
		*ret_broken = 2;
	return len;
}

struct cel_tokens cel_lex(struct str text, struct cel_issue **issues, struct arena *arena)
{
	struct cel_tokens tokens = {
		.ptr = arena_calloc(arena, text.len + 1, sizeof(struct cel_token))};
	size_t i = 0;

	while (i < text.len) {
		struct str rest = str_skip(text, i);
		struct cel_token *token = &tokens.ptr[tokens.len];
		size_t broken;
		size_t len;

		if (isspace((unsigned char)rest.ptr[0]) && rest.ptr[0] != '\v') {
			i++;
			continue;
		}
		if (str_starts(rest, STR("//"))) {
			ptrdiff_t end = str_find_byte(rest, '\n', 0);

			i += end < 0 ? rest.len : (size_t)end;
			continue;
		}
		len = lex_one(rest, &token->kind, &broken);
		if (!len) {
			struct str shown = str_slice(rest, 0, broken);

			cel_issue_add(issues, arena, i,
				      "Syntax error: token recognition error at: '%.*s'",
				      STR_ARG(shown));
			i += broken;
			continue;
		}
		token->at = i;
		token->text = str_slice(rest, 0, len);
		tokens.len++;
		i += len;
	}
	tokens.ptr[tokens.len++] = (struct cel_token){TOKEN_END, text.len, STR("<EOF>")};
	return tokens;
}

/* --- texts ----------------------------------------------------------------------------------- */

static void put_utf8(struct buf *to, uint32_t rune)
{
	if (rune < 0x80) {
		buf_putc(to, (char)rune);
	} else if (rune < 0x800) {
		buf_putc(to, (char)(0xc0 | (rune >> 6)));
		buf_putc(to, (char)(0x80 | (rune & 0x3f)));
	} else if (rune < 0x10000) {
		buf_putc(to, (char)(0xe0 | (rune >> 12)));
		buf_putc(to, (char)(0x80 | ((rune >> 6) & 0x3f)));
		buf_putc(to, (char)(0x80 | (rune & 0x3f)));
	} else {
		buf_putc(to, (char)(0xf0 | (rune >> 18)));
		buf_putc(to, (char)(0x80 | ((rune >> 12) & 0x3f)));
		buf_putc(to, (char)(0x80 | ((rune >> 6) & 0x3f)));
		buf_putc(to, (char)(0x80 | (rune & 0x3f)));
	}
}

static uint32_t read_digits(struct str digits, uint32_t base)
{
	uint32_t value = 0;

	for (size_t i = 0; i < digits.len; i++) {
		char c = (char)tolower((unsigned char)digits.ptr[i]);

		value = value * base + (uint32_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
	}
	return value;
}

/* One escape without its backslash; the lexer has checked it. */
static size_t put_escape(struct str s, bool bytes, struct buf *to, bool *bad)
{
	static const char from[] = "abfnrtv\"'\\?`";
	static const char made[] = "\a\b\f\n\r\t\v\"'\\?`";
	const char *found = strchr(from, s.ptr[0]);
	size_t len = escape_len(s);
	bool octal = isdigit((unsigned char)s.ptr[0]);
	uint32_t rune;

	if (found) {
		buf_putc(to, made[found - from]);
		return len;
	}
	rune = read_digits(str_slice(s, octal ? 0 : 1, len), octal ? 8 : 16);
	if (bytes && len <= 3)
		buf_putc(to, (char)rune);
	else
		put_utf8(to, rune);
	*bad |= bytes ? len > 3 : rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000);
	return len;
}

const char *cel_unquote(struct str token, bool bytes, struct arena *arena, struct str *ret)
{
	AUTO(buf_done) struct buf made = BUF_UNBOUNDED;
	bool raw = token.ptr[0] == 'r' || token.ptr[0] == 'R';
	struct str s = str_skip(token, raw);
	size_t quotes = s.len >= 6 && s.ptr[1] == s.ptr[0] && s.ptr[2] == s.ptr[0] ? 3 : 1;
	bool bad = false;

	s = str_slice(s, quotes, s.len - quotes);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' && !raw && i + 1 < s.len)
			i += put_escape(str_skip(s, i + 1), bytes, &made, &bad);
		else
			buf_putc(&made, s.ptr[i]);
	}
	*ret = arena_str(arena, buf_str(&made));
	return bad ? "unable to unescape string" : NULL;
}
