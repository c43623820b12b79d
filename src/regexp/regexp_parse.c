/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp_parse.c - parses a pattern into a tree, by recursive descent.
 *
 * Errors are those of Go's regexp/syntax: a reason and the piece of the pattern that it is about.
 * The first one ends parsing. Groups capture nothing, because no caller needs what they matched.
 * Under (?i) a class gets the other cases of its letters before it is negated. */
#include <string.h>

#include "base/vec.h"
#include "regexp/regexp_internal.h"

#include "base/banned.h"

struct parser {
	struct str whole;
	struct str rest;
	struct arena *arena;
	struct err *err;
	bool fold;      /* (?i) */
	bool dot_all;   /* (?s) */
	bool multiline; /* (?m) */
	bool lazy;      /* (?U) */
	bool quoted;    /* between \Q and \E */
	size_t ranges;  /* of all classes so far */
	int depth;
};

static struct regexp_node *fail(struct parser *p, const char *reason, struct str piece)
{
	(void)err_set(p->err, ERR_BAD_REQUEST, "error parsing regexp: %s: `%.*s`", reason,
		      STR_ARG(piece));
	return NULL;
}

/* From a place in the pattern up to where the parser is. */
static struct str piece_from(const struct parser *p, struct str start)
{
	return str_slice(start, 0, start.len - p->rest.len);
}

static struct regexp_node *node_new(struct parser *p, enum regexp_op op)
{
	struct regexp_node *node = arena_new_of(p->arena, struct regexp_node);

	node->op = op;
	return node;
}

uint32_t regexp_take_rune(struct str *text)
{
	unsigned char first = (unsigned char)text->ptr[0];
	size_t len = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	uint32_t rune = len == 1 ? first : first & (0x7fU >> len);

	if (len > text->len || str_utf8_prefix(str_slice(*text, 0, len)) < len) {
		*text = str_skip(*text, 1);
		return 0xfffd;
	}
	for (size_t i = 1; i < len; i++)
		rune = rune << 6 | ((unsigned char)text->ptr[i] & 0x3f);
	*text = str_skip(*text, len);
	return rune;
}

static bool take(struct parser *p, const char *text)
{
	if (!str_starts(p->rest, str_from(text)))
		return false;
	p->rest = str_skip(p->rest, strlen(text));
	return true;
}

static bool next_is(const struct parser *p, char c)
{
	return p->rest.len && p->rest.ptr[0] == c;
}

/* --- classes --------------------------------------------------------------------------------- */

struct named_class {
	const char *name;
	struct regexp_range ranges[6];
	size_t len;
};

/* [[:alpha:]], and \d \s \w under the names that follow. */
static const struct named_class posix_classes[] = {
	{"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
	{"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
	{"ascii", {{0, 0x7f}}, 1},
	{"blank", {{'\t', '\t'}, {' ', ' '}}, 2},
	{"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}, 2},
	{"digit", {{'0', '9'}}, 1},
	{"graph", {{'!', '~'}}, 1},
	{"lower", {{'a', 'z'}}, 1},
	{"print", {{' ', '~'}}, 1},
	{"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
	{"space", {{'\t', '\r'}, {' ', ' '}}, 2},
	{"upper", {{'A', 'Z'}}, 1},
	{"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
	{"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3},
};
static const struct named_class perl_classes[] = {
	{"d", {{'0', '9'}}, 1},
	{"s", {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}, 3},
	{"w", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
};
static const struct named_class *find_class(const struct named_class *rows, size_t count,
					    struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

/* Adds a set, or its complement, to a class. `from` must not be used after. */
static void add_set(struct parser *p, struct regexp_set *to, struct regexp_set *from, bool negated)
{
	if (p->fold)
		regexp_set_fold(from);
	if (negated)
		regexp_set_negate(from);
	p->ranges += from->len;
	for (size_t i = 0; i < from->len; i++)
		regexp_set_add(to, from->ptr[i].low, from->ptr[i].high);
	regexp_set_done(from);
}

static void add_class(struct parser *p, struct regexp_set *to, const struct named_class *row,
		      bool negated)
{
	struct regexp_set set = {0};

	for (size_t i = 0; i < row->len; i++)
		regexp_set_add(&set, row->ranges[i].low, row->ranges[i].high);
	add_set(p, to, &set, negated);
}

/* The result of an attempt to parse a piece of syntax. */
enum taken { TAKEN, NOT_THERE, BROKEN };

/* \d \S \w */
static enum taken take_perl_class(struct parser *p, struct regexp_set *to)
{
	char letter;
	const struct named_class *row;

	if (p->rest.len < 2 || p->rest.ptr[0] != '\\')
		return NOT_THERE;
	letter = (char)(p->rest.ptr[1] | 0x20);
	row = find_class(perl_classes, ARRAY_LEN(perl_classes), str_of(&letter, 1));
	if (!row)
		return NOT_THERE;
	add_class(p, to, row, letter != p->rest.ptr[1]);
	p->rest = str_skip(p->rest, 2);
	return TAKEN;
}

/* \pL \P{Lu} \p{^Lu} */
/* {Name}, or the one letter that is a name as well. */
static bool take_class_name(struct parser *p, struct str start, struct str *ret)
{
	struct str name = p->rest;
	ptrdiff_t end;

	if (!take(p, "{")) {
		(void)regexp_take_rune(&p->rest);
		*ret = piece_from(p, name);
		return true;
	}
	end = str_find_byte(p->rest, '}', 0);
	if (end < 0) {
		(void)fail(p, "invalid character class range", start);
		return false;
	}
	*ret = str_slice(p->rest, 0, (size_t)end);
	p->rest = str_skip(p->rest, (size_t)end + 1);
	return true;
}

static enum taken take_unicode_class(struct parser *p, struct regexp_set *to)
{
	struct str start = p->rest;
	struct regexp_set set = {0};
	struct str name = str_none();
	bool negated;

	if (start.len < 3 || start.ptr[0] != '\\' || (start.ptr[1] | 0x20) != 'p')
		return NOT_THERE;
	negated = start.ptr[1] == 'P';
	p->rest = str_skip(start, 2);
	if (!take_class_name(p, start, &name))
		return BROKEN;
	if (str_starts(name, STR("^"))) {
		negated = !negated;
		name = str_skip(name, 1);
	}
	if (!regexp_set_add_named(&set, name)) {
		(void)fail(p, "invalid character class range", piece_from(p, start));
		return BROKEN;
	}
	add_set(p, to, &set, negated);
	return TAKEN;
}

/* [:alpha:] */
static enum taken take_posix_class(struct parser *p, struct regexp_set *to)
{
	struct str start = p->rest;
	const struct named_class *row;
	struct str name;
	ptrdiff_t end;
	bool negated;

	if (!str_starts(start, STR("[:")))
		return NOT_THERE;
	end = str_find(start, STR(":]"), 2);
	if (end < 0)
		return NOT_THERE;
	name = str_slice(start, 2, (size_t)end);
	negated = str_starts(name, STR("^"));
	row = find_class(posix_classes, ARRAY_LEN(posix_classes), str_skip(name, negated));
	p->rest = str_skip(start, (size_t)end + 2);
	if (!row) {
		(void)fail(p, "invalid character class range", piece_from(p, start));
		return BROKEN;
	}
	add_class(p, to, row, negated);
	return TAKEN;
}

/* --- single letters -------------------------------------------------------------------------- */

static int digit_of(char c, int base)
{
	int value = c >= '0' && c <= '9'                     ? c - '0'
		    : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
							     : base;

	return value < base ? value : -1;
}

/* \x41 or \x{41}; the parser is after the x. */
static bool take_hex(struct parser *p, uint32_t *ret)
{
	bool braced = take(p, "{");
	size_t digits = 0;

	*ret = 0;
	while (p->rest.len && (braced || digits < 2) && digit_of(p->rest.ptr[0], 16) >= 0) {
		*ret = *ret * 16 + (uint32_t)digit_of(p->rest.ptr[0], 16);
		p->rest = str_skip(p->rest, 1);
		digits++;
		if (*ret > REGEXP_RUNE_MAX)
			return false;
	}
	return braced ? digits > 0 && take(p, "}") : digits == 2;
}

static bool take_octal(struct parser *p, char first, uint32_t *ret)
{
	*ret = (uint32_t)(first - '0');
	if (first != '0' && !(p->rest.len && digit_of(p->rest.ptr[0], 8) >= 0))
		return false; /* \1 would be a back reference */
	for (int i = 0; i < 2 && p->rest.len && digit_of(p->rest.ptr[0], 8) >= 0; i++) {
		*ret = *ret * 8 + (uint32_t)digit_of(p->rest.ptr[0], 8);
		p->rest = str_skip(p->rest, 1);
	}
	return true;
}

static bool is_plain_escape(char c)
{
	return (unsigned char)c < 0x80 && digit_of(c, 10) < 0 &&
	       !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* A character after a backslash; the backslash is next. */
static bool take_escape(struct parser *p, uint32_t *ret)
{
	static const char letters[] = "afnrtv";
	static const char values[] = "\a\f\n\r\t\v";
	struct str start = p->rest;
	const char *letter;
	bool good = false;
	char c;

	p->rest = str_skip(p->rest, 1);
	if (!p->rest.len) {
		(void)fail(p, "trailing backslash at end of expression", STR(""));
		return false;
	}
	c = p->rest.ptr[0];
	letter = c ? strchr(letters, c) : NULL;
	if ((unsigned char)c >= 0x80) {
		(void)regexp_take_rune(&p->rest);
	} else {
		p->rest = str_skip(p->rest, 1);
		if (letter) {
			*ret = (uint32_t)values[letter - letters];
			good = true;
		} else if (c >= '0' && c <= '7') {
			good = take_octal(p, c, ret);
		} else if (c == 'x') {
			good = take_hex(p, ret);
		} else if (is_plain_escape(c)) {
			*ret = (unsigned char)c;
			good = true;
		}
	}
	if (!good)
		(void)fail(p, "invalid escape sequence", piece_from(p, start));
	return good;
}

/* The class of a set; NULL and an error if the pattern has too many classes. */
static struct regexp_node *class_node(struct parser *p, struct regexp_set *set, bool negated)
{
	struct regexp_node *node = node_new(p, REGEXP_CLASS);
	struct regexp_class *class = &node->set;

	regexp_set_sort(set);
	if (p->fold)
		regexp_set_fold(set);
	if (negated)
		regexp_set_negate(set);
	p->ranges += set->len;
	if (p->ranges > REGEXP_RANGES_MAX)
		return fail(p, "expression too large", p->whole);
	for (size_t i = 0; i < set->len; i++)
		for (uint32_t c = set->ptr[i].low; c <= set->ptr[i].high && c < 0x80; c++)
			class->ascii[c / 64] |= (uint64_t)1 << c % 64;
	class->ptr = arena_calloc(p->arena, set->len + 1, sizeof(*class->ptr));
	for (size_t i = 0; i < set->len; i++)
		if (set->ptr[i].high >= 0x80)
			class->ptr[class->len++] = set->ptr[i];
	return node;
}

static struct regexp_node *rune_node(struct parser *p, uint32_t rune)
{
	AUTO(regexp_set_done) struct regexp_set set = {0};

	regexp_set_add(&set, rune, rune);
	return class_node(p, &set, false);
}

static bool take_class_rune(struct parser *p, struct str whole, uint32_t *ret)
{
	if (!p->rest.len) {
		(void)fail(p, "missing closing ]", whole);
		return false;
	}
	if (next_is(p, '\\'))
		return take_escape(p, ret);
	*ret = regexp_take_rune(&p->rest);
	return true;
}

/* One letter, range or named class of a bracket. */
static bool take_class_item(struct parser *p, struct str whole, struct regexp_set *to)
{
	enum taken taken = take_posix_class(p, to);
	struct str start = p->rest;
	uint32_t low;
	uint32_t high;

	if (taken == NOT_THERE)
		taken = take_unicode_class(p, to);
	if (taken == NOT_THERE)
		taken = take_perl_class(p, to);
	if (taken != NOT_THERE)
		return taken == TAKEN;
	if (!take_class_rune(p, whole, &low))
		return false;
	high = low;
	if (p->rest.len >= 2 && p->rest.ptr[0] == '-' && p->rest.ptr[1] != ']') {
		p->rest = str_skip(p->rest, 1);
		if (!take_class_rune(p, whole, &high))
			return false;
		if (high < low) {
			(void)fail(p, "invalid character class range", piece_from(p, start));
			return false;
		}
	}
	regexp_set_add(to, low, high);
	return true;
}

static struct regexp_node *parse_class(struct parser *p)
{
	struct str whole = p->rest;
	struct regexp_node *node = NULL;
	struct regexp_set ranges = {0};
	bool negated;
	bool good = true;

	p->rest = str_skip(p->rest, 1);
	negated = take(p, "^");
	for (bool first = true; good && (first || !next_is(p, ']')); first = false)
		good = take_class_item(p, whole, &ranges);
	if (good) {
		p->rest = str_skip(p->rest, 1);
		node = class_node(p, &ranges, negated);
	}
	vec_done(&ranges);
	return node;
}

/* --- pieces ---------------------------------------------------------------------------------- */

static struct regexp_node *parse_alternatives(struct parser *p);

static struct regexp_node *assert_node(struct parser *p, enum regexp_place place)
{
	struct regexp_node *node = node_new(p, REGEXP_ASSERT);

	node->place = place;
	return node;
}

static struct regexp_node *parse_backslash(struct parser *p)
{
	static const struct {
		const char *text;
		enum regexp_place place;
	} places[] = {
		{"\\A", REGEXP_TEXT_START},
		{"\\z", REGEXP_TEXT_END},
		{"\\b", REGEXP_WORD_EDGE},
		{"\\B", REGEXP_NO_WORD_EDGE},
	};
	struct regexp_node *node = NULL;
	struct regexp_set ranges = {0};
	enum taken taken;
	uint32_t rune;

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (take(p, places[i].text))
			return assert_node(p, places[i].place);
	taken = take_unicode_class(p, &ranges);
	if (taken == NOT_THERE)
		taken = take_perl_class(p, &ranges);
	if (taken == TAKEN)
		node = class_node(p, &ranges, false);
	vec_done(&ranges);
	if (taken != NOT_THERE)
		return node;
	return take_escape(p, &rune) ? rune_node(p, rune) : NULL;
}

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (is_plain_escape(name.ptr[i]) && name.ptr[i] != '_')
			return false;
	return name.len > 0;
}

/* (?P<name> or (?<name>; the parser is at the bracket. */
static enum taken take_group_name(struct parser *p)
{
	struct str start = p->rest;
	ptrdiff_t end;

	if (!take(p, "(?P<") && !take(p, "(?<"))
		return NOT_THERE;
	end = str_find_byte(p->rest, '>', 0);
	if (end < 0) {
		(void)fail(p, "invalid named capture", start);
		return BROKEN;
	}
	if (!is_name(str_slice(p->rest, 0, (size_t)end))) {
		p->rest = str_skip(p->rest, (size_t)end + 1);
		(void)fail(p, "invalid named capture", piece_from(p, start));
		return BROKEN;
	}
	p->rest = str_skip(p->rest, (size_t)end + 1);
	return TAKEN;
}

/* Sets or clears the flag of a letter; false if there is no such flag. */
static bool set_flag(struct parser *p, char letter, bool value)
{
	switch (letter) {
	case 'i':
		p->fold = value;
		return true;
	case 'm':
		p->multiline = value;
		return true;
	case 's':
		p->dot_all = value;
		return true;
	case 'U':
		p->lazy = value;
		return true;
	default:
		return false;
	}
}

/* (?i) or (?i-s: ; sets *ret_group if a group follows. */
static bool take_flags(struct parser *p, bool *ret_group)
{
	struct str start = p->rest;
	bool negated = false;
	bool any = false;

	p->rest = str_skip(p->rest, 2);
	while (p->rest.len) {
		char c = p->rest.ptr[0];

		if ((unsigned char)c < 0x80)
			p->rest = str_skip(p->rest, 1);
		else
			(void)regexp_take_rune(&p->rest);
		if ((c == ':' || c == ')') && !(negated && !any)) {
			*ret_group = c == ':';
			return true;
		}
		if (c == '-' && !negated) {
			negated = true;
			any = false;
		} else if (set_flag(p, c, !negated)) {
			any = true;
		} else {
			break;
		}
	}
	(void)fail(p, "invalid or unsupported Perl syntax", piece_from(p, start));
	return false;
}

static void restore_flags(struct parser *p, const struct parser *before)
{
	p->fold = before->fold;
	p->dot_all = before->dot_all;
	p->multiline = before->multiline;
	p->lazy = before->lazy;
}

static struct regexp_node *parse_group(struct parser *p)
{
	struct parser before = *p;
	struct regexp_node *node;
	bool group = true;
	enum taken name = take_group_name(p);

	if (name == BROKEN)
		return NULL;
	if (name == NOT_THERE && str_starts(p->rest, STR("(?"))) {
		if (!take_flags(p, &group))
			return NULL;
	} else if (name == NOT_THERE) {
		p->rest = str_skip(p->rest, 1);
	}
	if (!group) /* the flags apply until the end of the enclosing group */
		return node_new(p, REGEXP_EMPTY);
	if (++p->depth > REGEXP_DEPTH_MAX)
		return fail(p, "expression nests too deeply", p->whole);
	node = parse_alternatives(p);
	p->depth--;
	if (node && !take(p, ")"))
		return fail(p, "missing closing )", p->whole);
	restore_flags(p, &before);
	return node;
}

/* Flags between a piece and its operator are not repeated: a(?i)* is a*. */
static bool skip_flags(struct parser *p)
{
	bool group = false;

	while (str_starts(p->rest, STR("(?")) && !str_starts(p->rest, STR("(?P<")) &&
	       !str_starts(p->rest, STR("(?<"))) {
		struct parser before = *p;

		if (!take_flags(p, &group))
			return false;
		if (group) {
			*p = before;
			return true;
		}
	}
	return true;
}

static struct regexp_node *parse_piece(struct parser *p)
{
	AUTO(regexp_set_done) struct regexp_set line = {0};

	switch (p->rest.ptr[0]) {
	case '(':
		return parse_group(p);
	case '[':
		return parse_class(p);
	case '\\':
		return parse_backslash(p);
	case '^':
		p->rest = str_skip(p->rest, 1);
		return assert_node(p, p->multiline ? REGEXP_LINE_START : REGEXP_TEXT_START);
	case '$':
		p->rest = str_skip(p->rest, 1);
		return assert_node(p, p->multiline ? REGEXP_LINE_END : REGEXP_TEXT_END);
	case '.':
		p->rest = str_skip(p->rest, 1);
		if (!p->dot_all)
			regexp_set_add(&line, '\n', '\n');
		return class_node(p, &line, true);
	default:
		return rune_node(p, regexp_take_rune(&p->rest));
	}
}

/* --- repetition ------------------------------------------------------------------------------ */

static bool take_count(struct str *rest, int *ret)
{
	size_t digits = 0;

	*ret = 0;
	for (; rest->len && digit_of(rest->ptr[0], 10) >= 0; digits++) {
		if (digits && *ret == 0)
			return false; /* no leading zeros */
		if (*ret <= REGEXP_REPEAT_MAX)
			*ret = *ret * 10 + digit_of(rest->ptr[0], 10);
		*rest = str_skip(*rest, 1);
	}
	return digits > 0;
}

/* {2} {2,} {2,3}; anything else is literal text. */
static bool take_counts(struct parser *p, int *min, int *max)
{
	struct str rest = str_skip(p->rest, 1);

	if (!next_is(p, '{') || !take_count(&rest, min))
		return false;
	*max = *min;
	if (str_starts(rest, STR(","))) {
		rest = str_skip(rest, 1);
		*max = -1;
		if (!str_starts(rest, STR("}")) && !take_count(&rest, max))
			return false;
	}
	if (!str_starts(rest, STR("}")))
		return false;
	p->rest = str_skip(rest, 1);
	return true;
}

/* An operator that repeats what is before it. */
static bool take_repeat(struct parser *p, int *min, int *max)
{
	static const struct {
		char c;
		int min;
		int max;
	} rows[] = {{'*', 0, -1}, {'+', 1, -1}, {'?', 0, 1}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (next_is(p, rows[i].c)) {
			p->rest = str_skip(p->rest, 1);
			*min = rows[i].min;
			*max = rows[i].max;
			return true;
		}
	return take_counts(p, min, max);
}

/* Is the repeat count within the limit, including repetitions inside? */
static bool is_repeat_valid(const struct regexp_node *node, int left)
{
	int times;

	if (node->op == REGEXP_REPEAT) {
		times = node->max < 0 ? node->min : node->max;
		if (times > left)
			return false;
		if (times)
			left /= times;
	}
	for (const struct regexp_node *child = node->first; child; child = child->next)
		if (!is_repeat_valid(child, left))
			return false;
	return true;
}

/* One piece, or one letter of a quotation; what follows a quotation is not part of it. */
static struct regexp_node *parse_plain(struct parser *p)
{
	struct regexp_node *node =
		p->quoted ? rune_node(p, regexp_take_rune(&p->rest)) : parse_piece(p);

	if (p->quoted && take(p, "\\E"))
		p->quoted = false;
	while (!p->quoted && take(p, "\\Q\\E"))
		continue;
	return node;
}

static struct regexp_node *parse_repeated(struct parser *p)
{
	struct str start = p->rest;
	struct regexp_node *node;
	struct regexp_node *repeat;
	int min;
	int max;

	if (!p->quoted && take_repeat(p, &min, &max))
		return fail(p, "missing argument to repetition operator", piece_from(p, start));
	node = parse_plain(p);
	if (!node || p->quoted || (node->op != REGEXP_EMPTY && !skip_flags(p)))
		return p->quoted ? node : NULL;
	start = p->rest;
	if (node->op == REGEXP_EMPTY || !take_repeat(p, &min, &max))
		return node;
	if (max > REGEXP_REPEAT_MAX || min > REGEXP_REPEAT_MAX || (max >= 0 && min > max))
		return fail(p, "invalid repeat count", piece_from(p, start));
	repeat = node_new(p, REGEXP_REPEAT);
	repeat->first = node;
	repeat->min = min;
	repeat->max = max;
	repeat->lazy = take(p, "?") != p->lazy;
	if ((min >= 2 || max >= 2) && !is_repeat_valid(repeat, REGEXP_REPEAT_MAX))
		return fail(p, "invalid repeat count", piece_from(p, start));
	if (take_repeat(p, &min, &max)) {
		(void)take(p, "?");
		return fail(p, "invalid nested repetition operator", piece_from(p, start));
	}
	return repeat;
}

static struct regexp_node *parse_sequence(struct parser *p)
{
	struct regexp_node *all = node_new(p, REGEXP_CAT);
	struct regexp_node **end = &all->first;

	while (p->rest.len && (p->quoted || (!next_is(p, '|') && !next_is(p, ')')))) {
		if (!p->quoted && take(p, "\\Q")) {
			p->quoted = !take(p, "\\E");
			continue;
		}
		*end = parse_repeated(p);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return all;
}

static struct regexp_node *parse_alternatives(struct parser *p)
{
	struct regexp_node *all = node_new(p, REGEXP_ALT);
	struct regexp_node **end = &all->first;

	do {
		*end = parse_sequence(p);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	} while (take(p, "|"));
	return all;
}

struct regexp_node *regexp_parse_tree(struct str pattern, struct arena *arena, struct err *err)
{
	struct parser p = {.whole = pattern, .rest = pattern, .arena = arena, .err = err};
	struct regexp_node *tree;

	if (!str_is_utf8(pattern))
		return fail(&p, "invalid UTF-8", pattern);
	tree = parse_alternatives(&p);
	if (tree && p.rest.len)
		return fail(&p, "unexpected )", pattern);
	return tree;
}
