/* SPDX-License-Identifier: Apache-2.0 */
/* json/yaml_print.c - documents as YAML, laid out as `kubectl -o yaml` lays them out.
 *
 * Maps and sequences are blocks; a sequence under a key is not indented; a container after "-"
 * begins on the same line. A string is written in the first style that keeps it: plain, 'single
 * quoted', "double quoted"; one with line breaks as a literal block (|), else double quoted. A name
 * that is long or has several lines follows "? ".
 *
 * What must stay true:
 * 1. What is printed reads back to the same content, by our reader and by kubectl's.
 * 2. No line is indented by tabs, and no string is written in a style that folds it, unless a
 *    width is asked for; then lines break only where one blank stands between two other bytes.
 *
 * kubectl itself corrupts U+0085, U+2028 and U+2029 and leaves the name "<<" plain, which reads
 * back as a merge: here they are quoted. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/vec.h"
#include "json/yaml.h"
#include "json/yaml_internal.h"

#include "base/banned.h"

enum { STEP = 2, LONGEST_SIMPLE_KEY = 128 };

struct printer {
	struct buf *to;
	size_t width; /* 0: lines are not broken */
	size_t column;
};

/* What precedes a node on its line. */
enum place {
	AT_START, /* of the document */
	AFTER_DASH,
	AFTER_NAME,
	AFTER_MARK, /* "?", or its ":"; treated as AFTER_DASH */
};

static void put_byte(struct printer *p, char c)
{
	buf_putc(p->to, c);
	if (((unsigned char)c & 0xc0) != 0x80) /* a column is a character */
		p->column++;
}

static void put_str(struct printer *p, struct str text)
{
	buf_put_str(p->to, text);
	if (!p->width) { /* then only the start of the line matters */
		p->column += text.len;
		return;
	}
	for (size_t i = 0; i < text.len; i++)
		p->column += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
}

static void put_line(struct printer *p)
{
	buf_putc(p->to, '\n');
	p->column = 0;
}

static void put_indent(struct printer *p, size_t indent)
{
	static const char blanks[] = "                                ";

	while (p->column < indent) {
		size_t count = indent - p->column;

		if (count > sizeof(blanks) - 1)
			count = sizeof(blanks) - 1;
		buf_put(p->to, blanks, count);
		p->column += count;
	}
}

/* --- styles of strings ------------------------------------------------------------------------ */

enum style { PLAIN, SINGLE, DOUBLE, LITERAL };

/* Bytes of the character at `at`; `code` is its code point. The text is UTF-8. */
static size_t decode(struct str text, size_t at, uint32_t *code)
{
	const unsigned char *s = (const unsigned char *)text.ptr + at;
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	*code = len == 1 ? s[0] : s[0] & (0x7fU >> len);
	for (size_t i = 1; i < len && at + i < text.len; i++)
		*code = *code << 6 | (s[i] & 0x3fU);
	return len;
}

static bool is_break(uint32_t code)
{
	return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029;
}

/* May the character be printed unescaped? Everything above U+FFFF is escaped, as kubectl does. */
static bool is_printable(uint32_t code)
{
	if (code < 0xa0)
		return code == '\n' || (code >= ' ' && code <= '~');
	return code < 0xfffe && code != 0xfeff && code != 0x2028 && code != 0x2029;
}

struct traits {
	bool indicator; /* something in it would be taken for syntax */
	bool edge;      /* begins or ends with a blank or a line break */
	bool tail;      /* ends with a blank */
	bool lines;     /* has line breaks */
	bool special;   /* has characters that must be escaped, or blanks before a line break */
};

static bool is_blank_at(struct str text, size_t at)
{
	return at >= text.len || text.ptr[at] == ' ' || text.ptr[at] == '\t';
}

static bool starts_with_indicator(struct str text)
{
	if (str_starts(text, STR("---")) || str_starts(text, STR("...")))
		return true;
	if (strchr("?:-", text.ptr[0]))
		return is_blank_at(text, 1);
	return strchr("#,[]{}&*!|>'\"%@`", text.ptr[0]) != NULL;
}

/* `text` is not empty. */
static struct traits traits_of(struct str text)
{
	char last = text.ptr[text.len - 1];
	struct traits traits = {
		.edge = strchr(" \n", text.ptr[0]) || strchr(" \n", last),
		.tail = last == ' ',
	};
	uint32_t code;
	size_t len;

	if (text.ptr[0] == '\0' || last == '\0') /* strchr() finds that, too */
		traits.special = true;
	else
		traits.indicator = starts_with_indicator(text);
	for (size_t i = 0; i < text.len; i += len) {
		char c = text.ptr[i];

		len = 1;
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			continue; /* most of them */
		len = decode(text, i, &code);
		traits.indicator |= c == ':' && is_blank_at(text, i + 1);
		traits.indicator |= c == '#' && i > 0 && text.ptr[i - 1] == ' ';
		traits.lines |= is_break(code);
		traits.special |= !is_printable(code);
		traits.special |= c == '\n' && i > 0 && text.ptr[i - 1] == ' ';
	}
	return traits;
}

static enum style style_of(struct str text, const struct traits *traits)
{
	if (traits->special)
		return DOUBLE;
	if (traits->lines)
		return traits->tail ? DOUBLE : LITERAL;
	if (yaml_scalar_is_ambiguous(text))
		return DOUBLE;
	return traits->indicator || traits->edge ? SINGLE : PLAIN;
}

/* --- strings ---------------------------------------------------------------------------------- */

static bool is_past_width(const struct printer *p)
{
	return p->width && p->column > p->width;
}

/* May the blank at `i` become a line break? Not at the ends, nor next to another blank. */
static bool can_break(const struct printer *p, struct str text, size_t i)
{
	return is_past_width(p) && text.ptr[i] == ' ' && i > 0 && i + 1 < text.len &&
	       text.ptr[i - 1] != ' ' && text.ptr[i + 1] != ' ';
}

/* Plain or single quoted; `indent` of further lines. */
static void print_unescaped(struct printer *p, struct str text, size_t indent, bool quoted)
{
	if (!quoted && !p->width) {
		put_str(p, text);
		return;
	}
	if (quoted)
		put_byte(p, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (can_break(p, text, i)) {
			put_line(p);
			put_indent(p, indent);
			continue;
		}
		if (quoted && text.ptr[i] == '\'')
			put_byte(p, '\'');
		put_byte(p, text.ptr[i]);
	}
	if (quoted)
		put_byte(p, '\'');
}

static void print_escape(struct printer *p, uint32_t code)
{
	static const struct {
		uint32_t code;
		char letter;
	} letters[] = {
		{0x00, '0'},  {0x07, 'a'}, {0x08, 'b'},   {0x09, 't'},   {0x0a, 'n'},
		{0x0b, 'v'},  {0x0c, 'f'}, {0x0d, 'r'},   {0x1b, 'e'},   {'"', '"'},
		{'\\', '\\'}, {0x85, 'N'}, {0x2028, 'L'}, {0x2029, 'P'},
	};
	char text[12];

	for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
		if (letters[i].code == code) {
			put_byte(p, '\\');
			put_byte(p, letters[i].letter);
			return;
		}
	}
	if (code <= 0xff)
		snprintf(text, sizeof(text), "\\x%02X", (unsigned)code);
	else if (code <= 0xffff)
		snprintf(text, sizeof(text), "\\u%04X", (unsigned)code);
	else
		snprintf(text, sizeof(text), "\\U%08X", (unsigned)code);
	put_str(p, str_from(text));
}

static void print_double(struct printer *p, struct str text, size_t indent)
{
	uint32_t code;
	size_t len;

	put_byte(p, '"');
	for (size_t i = 0; i < text.len; i += len) {
		len = decode(text, i, &code);
		if (!is_printable(code) || is_break(code) || code == '"' || code == '\\') {
			print_escape(p, code);
		} else if (is_past_width(p) && code == ' ' && i > 0 && i + 1 < text.len &&
			   text.ptr[i - 1] != ' ') {
			put_line(p);
			put_indent(p, indent);
			if (text.ptr[i + 1] == ' ')
				put_byte(p, '\\'); /* else blanks at the start of a line are lost */
		} else {
			put_str(p, str_slice(text, i, i + len));
		}
	}
	put_byte(p, '"');
}

/* The header of a block: its indentation, if its first line begins with a blank, and how line
 * breaks at its end are kept. Ends at the start of a line. */
static void print_literal(struct printer *p, struct str text, size_t indent)
{
	struct str line;

	put_byte(p, '|');
	if (text.ptr[0] == ' ' || text.ptr[0] == '\n')
		put_byte(p, '0' + STEP);
	if (text.ptr[text.len - 1] != '\n')
		put_byte(p, '-');
	else if (text.len == 1 || text.ptr[text.len - 2] == '\n')
		put_byte(p, '+');
	if (text.ptr[text.len - 1] == '\n')
		text.len--;
	while (str_split(&text, '\n', &line)) {
		put_line(p);
		if (line.len > 0)
			put_indent(p, indent);
		put_str(p, line);
	}
	put_line(p);
}

static void print_string(struct printer *p, struct str text, size_t indent)
{
	struct traits traits = {0};
	enum style style = DOUBLE;

	if (text.len > 0) {
		traits = traits_of(text);
		style = style_of(text, &traits);
	}
	switch (style) {
	case PLAIN:
	case SINGLE:
		print_unescaped(p, text, indent, style == SINGLE);
		break;
	case LITERAL:
		print_literal(p, text, indent);
		return;
	case DOUBLE:
	default:
		print_double(p, text, indent);
		break;
	}
}

/* --- order of names --------------------------------------------------------------------------- */

static bool is_digit_at(struct str s, size_t at)
{
	return at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9';
}

/* Beyond ASCII everything counts as a letter. */
static bool is_letter_at(struct str s, size_t at)
{
	unsigned char c = (unsigned char)s.ptr[at];

	return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The number at `at`, `value` before it; gives where it ends. */
static size_t number_at(struct str s, size_t at, uint64_t *value)
{
	for (; is_digit_at(s, at); at++)
		*value = *value * 10 + (uint64_t)(s.ptr[at] - '0');
	return at;
}

/* Do the digits that end just before `at` hold anything but zeros? */
static bool is_inside_number(struct str s, size_t at)
{
	while (at > 0 && is_digit_at(s, at - 1)) {
		if (s.ptr[--at] != '0')
			return true;
	}
	return false;
}

/* Letters by code point (that is, by byte), digits by the number that they form, all else before
 * letters. */
static bool name_before(struct str a, struct str b)
{
	size_t i = 0;

	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	if (i == a.len || i == b.len)
		return a.len < b.len;
	if (is_letter_at(a, i) || is_letter_at(b, i)) {
		if (is_letter_at(a, i) && is_letter_at(b, i))
			return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[i];
		return is_letter_at(b, i);
	}
	uint64_t zero = (a.ptr[i] == '0' || b.ptr[i] == '0') && is_inside_number(a, i);
	uint64_t an = zero;
	uint64_t bn = zero;
	size_t ai = number_at(a, i, &an);
	size_t bi = number_at(b, i, &bn);
	if (an != bn)
		return an < bn;
	if (ai != bi)
		return ai < bi;
	return a.ptr[i] < b.ptr[i];
}

struct entry {
	struct str name;
	struct json value;
};

/* Merge sort, because the order above may not be transitive, which qsort() requires. */
static void sort_entries(struct entry *entries, struct entry *spare, size_t count)
{
	if (count < 2)
		return;
	size_t half = count / 2;
	sort_entries(entries, spare, half);
	sort_entries(entries + half, spare, count - half);
	memcpy(spare, entries, half * sizeof(*entries));
	size_t left = 0;
	size_t right = half;
	for (size_t i = 0; left < half; i++) {
		if (right < count && name_before(entries[right].name, spare[left].name))
			entries[i] = entries[right++];
		else
			entries[i] = spare[left++];
	}
}

/* The members in order; the caller frees the array with mem_free(). */
static struct entry *entries_of(struct json object)
{
	size_t count = json_len(object);
	struct entry *entries = mem_calloc(count + count / 2 + 1, sizeof(*entries));
	struct json_iter it = json_iter(object);

	for (size_t i = 0; json_next(&it); i++)
		entries[i] = (struct entry){it.key, it.value};
	sort_entries(entries, entries + count, count);
	return entries;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void print_node(struct printer *p, struct json j, size_t indent, enum place place);

/* Moves to the position of the first part of a container: on this line, or on the next. */
static size_t start_block(struct printer *p, size_t indent, enum place place, bool map)
{
	if (place == AT_START)
		return 0;
	if (place == AFTER_NAME) {
		put_line(p);
		return map ? indent + STEP : indent;
	}
	return indent + STEP;
}

/* Returns what precedes the value now. */
static enum place print_name(struct printer *p, struct str name, size_t indent)
{
	struct traits traits = {0};

	if (name.len > 0)
		traits = traits_of(name);
	if (name.len <= LONGEST_SIMPLE_KEY && !traits.lines) {
		struct printer unbroken = {.to = p->to, .column = p->column};

		print_string(&unbroken, name, indent);
		p->column = unbroken.column;
		put_byte(p, ':');
		return AFTER_NAME;
	}
	put_str(p, STR("? "));
	print_string(p, name, indent + STEP);
	if (p->column > 0)
		put_line(p);
	put_indent(p, indent);
	put_byte(p, ':');
	return AFTER_MARK;
}

static void print_map(struct printer *p, struct json object, size_t indent)
{
	AUTO(mem_free) struct entry *entries = entries_of(object);
	size_t count = json_len(object);

	for (size_t i = 0; i < count; i++) {
		put_indent(p, indent);
		enum place place = print_name(p, entries[i].name, indent);
		print_node(p, entries[i].value, indent, place);
	}
}

static void print_sequence(struct printer *p, struct json array, size_t indent)
{
	struct json_iter it = json_iter(array);

	while (json_next(&it)) {
		put_indent(p, indent);
		put_byte(p, '-');
		print_node(p, it.value, indent, AFTER_DASH);
	}
}

static void print_scalar(struct printer *p, struct json j, size_t indent)
{
	AUTO(buf_done) struct buf number = BUF_UNBOUNDED;

	switch (json_type(j)) {
	case JSON_BOOL:
		put_str(p, json_bool(j) ? STR("true") : STR("false"));
		break;
	case JSON_INT:
	case JSON_REAL:
		if (json_is_i64(j))
			buf_put_int(&number, json_int(j));
		else
			yaml_real_print(json_real(j), &number);
		put_str(p, buf_str(&number));
		break;
	case JSON_STR:
		print_string(p, json_str(j), indent);
		break;
	case JSON_ARR:
		put_str(p, STR("[]"));
		break;
	case JSON_OBJ:
		put_str(p, STR("{}"));
		break;
	default:
		put_str(p, STR("null"));
		break;
	}
	if (p->column > 0)
		put_line(p);
}

static void print_node(struct printer *p, struct json j, size_t indent, enum place place)
{
	bool map = json_is(j, JSON_OBJ);
	bool block = json_len(j) > 0;

	if (place != AT_START && !(block && place == AFTER_NAME))
		put_byte(p, ' ');
	if (!block) {
		print_scalar(p, j, indent + STEP);
		return;
	}
	indent = start_block(p, indent, place, map);
	if (map)
		print_map(p, j, indent);
	else
		print_sequence(p, j, indent);
}

void yaml_print_wrapped(struct json j, size_t width, struct buf *to)
{
	struct printer printer = {.to = to, .width = width};

	if (!json_is_absent(j))
		print_node(&printer, j, 0, AT_START);
}

void yaml_print(struct json j, struct buf *to)
{
	yaml_print_wrapped(j, 0, to);
}

void yaml_print_item(struct json j, struct buf *to)
{
	struct printer printer = {.to = to};

	put_byte(&printer, '-');
	print_node(&printer, j, 0, AFTER_DASH);
}
