/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions: what is found, and what is rejected with Go's messages. */
#include "regexp/regexp.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "random.h"
#include "regexp/regexp_internal.h"
#include "tap.h"

#include "base/banned.h"

static const struct {
	const char *pattern;
	const char *text;
	bool found;
} matches[] = {
	{"", "", true},
	{"", "abc", true},
	{"b", "abc", true},
	{"d", "abc", false},
	{"^node-[0-9]+$", "node-12", true},
	{"^node-[0-9]+$", "node-", false},
	{"^node-[0-9]+$", "anode-1", false},
	{"node-(1|2)$", "node-2", true},
	{"node-(1|2)$", "node-3", false},
	{"^(?:a|b)*$", "abba", true},
	{"^(?:a|b)*$", "abca", false},
	{"^a{2,3}$", "a", false},
	{"^a{2,3}$", "aaa", true},
	{"^a{2,3}$", "aaaa", false},
	{"^a{2}$", "aa", true},
	{"^a{2,}$", "aaaaaa", true},
	{"^a{,2}$", "a{,2}", true},
	{"^a{x$", "a{x", true},
	{"^a??b+?$", "abb", true},
	{"(?i)^NODE$", "node", true},
	{"(?i:n)ode", "Node", true},
	{"(?i:n)ode", "NODE", false},
	{"a(?i)b|c", "C", true},
	{"(a(?i)b)c", "aBC", false},
	{"a.c", "a\nc", false},
	{"(?s)a.c", "a\nc", true},
	{"^b$", "a\nb\nc", false},
	{"(?m)^b$", "a\nb\nc", true},
	{"\\bfoo\\b", "a foo b", true},
	{"\\bfoo\\b", "afoo b", false},
	{"\\Boo", "foo", true},
	{"\\Aa\\z", "a", true},
	{"[^a-c]", "abc", false},
	{"[^a-c]", "abd", true},
	{"[]a]", "]", true},
	{"[a-]", "-", true},
	{"[[:digit:]x]+$", "1x2", true},
	{"^[[:^alpha:]]$", "1", true},
	{"^\\d\\w\\s$", "1a ", true},
	{"^\\D\\W\\S$", "a-b", true},
	{"^[\\d\\-]+$", "1-2", true},
	{"^\\x41\\x{42}\\103$", "ABC", true},
	{"^\\Qa.b\\E+$", "a.b", true},
	{"^\\Qa.b\\E+$", "axb", false},
	{"^\\pL\\p{Lu}\\P{N}$", "aBc", true},
	{"^(?P<rack>r[0-9])-(?<slot>s[0-9])$", "r1-s2", true},
	{"^.$", "\xc3\xa4", true},
	{"^[\xc3\xa0-\xc3\xbc]$", "\xc3\xa4", true},
	{"^*a", "a", true},
	{"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
	{"((a{1,10}){1,10}){1,10}$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", false},
	{"(|a)+", "aaa", true},
	{"a|", "b", true},
	{"\\.", ".", true},
	{"\\t\\n", "\t\n", true},
	/* Unicode: categories, scripts and cases */
	{"^\\pL+$", "\xc3\xa4\xce\xb1\xd0\xb6\xe4\xb8\xad", true},
	{"^\\p{Greek}+$", "\xce\xb1\xce\xa9", true},
	{"^\\p{Greek}+$", "a", false},
	{"^\\p{Han}\\p{Hiragana}\\p{Cyrillic}$", "\xe4\xb8\xad\xe3\x81\x82\xd0\xb6", true},
	{"^\\p{^Lu}\\P{^Lu}$", "a\xc3\x84", true},
	{"^\\p{Nd}\\p{Sc}\\p{Zs}\\p{Pd}$", "\xd9\xa3\xe2\x82\xac\xc2\xa0-", true},
	{"(?i)^\xc3\xa4\xce\xa3$", "\xc3\x84\xcf\x82", true},
	{"(?i)^[k-m]+$", "\xe2\x84\xaaLm", true},
	{"(?i)^[^k]$", "\xe2\x84\xaa", false},
	{"(?i)^\\w$", "\xc5\xbf", true},
	{"^\\w$", "\xc5\xbf", false},
	{"(?i)^\\W$", "\xc5\xbf", false},
	{"(?i)^[[:lower:]]$", "A", true},
	{"(?i)^\\p{Lu}$", "a", true},
	{"^[^\\x00-\\x{10FFFF}]$", "a", false},
	/* quotations and flags are not pieces */
	{"^\\Qab\\E+$", "abbb", true},
	{"^\\Qab\\E+$", "abab", false},
	{"^\\Q(|)*[\\E$", "(|)*[", true},
	{"^a\\Q\\E+$", "aaa", true},
	{"\\Qa", "a", true},
	{"^a(?i)*B$", "aab", true},
	{"(?m)^b$", "a\r\nb", true},
	{"^[a\\Q]$", NULL, false},
	{"(?U)^a+$", "aaa", true},
};

static void test_matches(void)
{
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(matches); i++) {
		AUTO(regexp_free)
		struct regexp *re = regexp_parse(str_from(matches[i].pattern), &err);

		if (!matches[i].text) {
			ok(!re, "the pattern of row %zu is none", i);
			continue;
		}
		ok(re && regexp_matches(re, str_from(matches[i].text)) == matches[i].found,
		   "the pattern of row %zu is%s there", i, matches[i].found ? "" : " not");
	}
}

static void test_refused(void)
{
	static const struct {
		const char *pattern;
		const char *why;
	} rows[] = {
		{"a(b", "missing closing ): `a(b`"},
		{"a)b", "unexpected ): `a)b`"},
		{"x[z", "missing closing ]: `[z`"},
		{"[]", "missing closing ]: `[]`"},
		{"[a-", "missing closing ]: `[a-`"},
		{"[z-a]", "invalid character class range: `z-a`"},
		{"[[:foo:]]", "invalid character class range: `[:foo:]`"},
		{"\\p{Nope}", "invalid character class range: `\\p{Nope}`"},
		{"*", "missing argument to repetition operator: `*`"},
		{"a|+", "missing argument to repetition operator: `+`"},
		{"(?-)x{2}", "invalid or unsupported Perl syntax: `(?-)`"},
		{"a**", "invalid nested repetition operator: `**`"},
		{"a{2}{3}", "invalid nested repetition operator: `{2}{3}`"},
		{"a{1001}", "invalid repeat count: `{1001}`"},
		{"a{3,2}", "invalid repeat count: `{3,2}`"},
		{"(a{100}){100}", "invalid repeat count: `{100}`"},
		{"a(?=b)", "invalid or unsupported Perl syntax: `(?=`"},
		{"(?!a)", "invalid or unsupported Perl syntax: `(?!`"},
		{"(?<=a)b", "invalid named capture: `(?<=a)b`"},
		{"(?P<n", "invalid named capture: `(?P<n`"},
		{"(?P<a-b>c)", "invalid named capture: `(?P<a-b>`"},
		{"\\1", "invalid escape sequence: `\\1`"},
		{"\\y", "invalid escape sequence: `\\y`"},
		{"\\x{110000}", "invalid escape sequence: `\\x{110000`"},
		{"\\", "trailing backslash at end of expression: ``"},
		{"a\xff", NULL},
		{"(?R)", "invalid or unsupported Perl syntax: `(?R`"},
		{"a++", "invalid nested repetition operator: `++`"},
		{"a*?+?", "invalid nested repetition operator: `*?+?`"},
		{"a\\Kb", "invalid escape sequence: `\\K`"},
		{"\\C", "invalid escape sequence: `\\C`"},
		{"\\Z", "invalid escape sequence: `\\Z`"},
		{"\\E", "invalid escape sequence: `\\E`"},
		{"\\pX", "invalid character class range: `\\pX`"},
		{"\\p{Klingon}", "invalid character class range: `\\p{Klingon}`"},
		{"(?i)*", "missing argument to repetition operator: `*`"},
		{"(?#c)", "invalid or unsupported Perl syntax: `(?#`"},
		{"(?>a)", "invalid or unsupported Perl syntax: `(?>`"},
		{"(?'n'a)", "invalid or unsupported Perl syntax: `(?'`"},
		{"(?i-", "invalid or unsupported Perl syntax: `(?i-`"},
	};
	char want[200];
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(regexp_free) struct regexp *re = regexp_parse(str_from(rows[i].pattern), &err);

		if (!ok(!re, "`%s` is refused", rows[i].pattern) || !rows[i].why)
			continue;
		snprintf(want, sizeof(want), "error parsing regexp: %s", rows[i].why);
		is(err.text, want);
	}
}

/* The position of the first match is the one that Go finds. */
static void test_find(void)
{
	static const struct {
		const char *pattern;
		const char *text;
		size_t from, start, end;
	} rows[] = {
		{"a+", "baaac", 0, 1, 4},
		{"a+?", "baaac", 0, 1, 2},
		{"(?U)a+", "baaac", 0, 1, 2},
		{"(?U)a+?", "baaac", 0, 1, 4},
		{"a|ab", "ab", 0, 0, 1},
		{"ab|a", "ab", 0, 0, 2},
		{"a{1,2}", "aaa", 0, 0, 2},
		{"a{1,2}?", "aaa", 0, 0, 1},
		{"(|a)*", "aa", 0, 0, 0},
		{"(|a)+", "aa", 0, 0, 0},
		{"(a|b)*c|(a|ab)*c", "abc", 0, 0, 3},
		{"a", "aba", 1, 2, 3},
		{"^a", "aa", 0, 0, 1},
		{"\\ba", "aa a", 1, 3, 4},
		{"x*", "abc", 1, 1, 1},
		{"\xc3\xa4", "a\xc3\xa4", 0, 1, 3},
		{"b$|a", "ab", 1, 1, 2},
	};
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(regexp_free) struct regexp *re = regexp_parse(str_from(rows[i].pattern), &err);
		struct regexp_span span = {99, 99};

		ok(re && regexp_find(re, str_from(rows[i].text), rows[i].from, NULL, &span) &&
			   span.start == rows[i].start && span.end == rows[i].end,
		   "`%s` is found from %zu to %zu, and here %zu to %zu", rows[i].pattern,
		   rows[i].start, rows[i].end, span.start, span.end);
	}
}

/* Patterns that make a backtracking matcher exponential take a bounded number of steps per
 * character. */
static void test_steps(void)
{
	static const char *const patterns[] = {"^(\\w+\\s?)*$", "(a+)+$",
					       "(a|aa)+$",      "(a*)*b",
					       "^(a|b|ab)*c$",  "(.*)(.*)(.*)(.*)x"};
	static char text[10001];
	struct err err;

	memset(text, 'a', sizeof(text) - 1);
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		AUTO(regexp_free) struct regexp *re = regexp_parse(str_from(patterns[i]), &err);
		uint64_t most = 2 * regexp_size(re) * sizeof(text);
		uint64_t steps = most;
		uint64_t few = 1000;

		(void)regexp_find(re, str_from(text), 0, &steps, NULL);
		ok(steps > 0, "`%s` takes %llu steps", patterns[i],
		   (unsigned long long)(most - steps));
		ok(!regexp_find(re, str_from(text), 1, &few, NULL) && few == 0,
		   "... and ends when it may take no more");
	}
}

/* --- the same by backtracking ---------------------------------------------------------------- */

enum { ORACLE_STEPS = 20000, PATTERN_MAX = 24, TEXT_MAX = 8 };

/* What is to be matched after a piece: the nodes from `node` on, or one more round of a repetition. */
struct after {
	const struct regexp_node *node;   /* with those next to it */
	const struct regexp_node *repeat; /* NULL: it is no repetition */
	int count;
	size_t began; /* this round of it */
	const struct after *next;
};

struct oracle {
	struct str text;
	size_t steps;
};

static bool go_on(struct oracle *o, const struct after *after, size_t at, size_t *ret);

static bool try_rounds(struct oracle *o, const struct regexp_node *repeat, int count, size_t at,
		       const struct after *next, size_t *ret)
{
	struct after round = {.repeat = repeat, .count = count + 1, .began = at, .next = next};
	struct after body = {.node = repeat->first, .next = &round};
	bool more = repeat->max < 0 || count < repeat->max;

	if (count < repeat->min)
		return go_on(o, &body, at, ret);
	if (repeat->lazy)
		return go_on(o, next, at, ret) || (more && go_on(o, &body, at, ret));
	return (more && go_on(o, &body, at, ret)) || go_on(o, next, at, ret);
}

static bool is_word_at(struct str text, size_t at)
{
	return at < text.len && (isalnum((unsigned char)text.ptr[at]) || text.ptr[at] == '_');
}

static bool holds(struct str text, enum regexp_place place, size_t at)
{
	bool edge = is_word_at(text, at) != (at && is_word_at(text, at - 1));

	switch (place) {
	case REGEXP_TEXT_START:
		return at == 0;
	case REGEXP_TEXT_END:
		return at == text.len;
	case REGEXP_LINE_START:
		return at == 0 || text.ptr[at - 1] == '\n';
	case REGEXP_LINE_END:
		return at == text.len || text.ptr[at] == '\n';
	case REGEXP_WORD_EDGE:
		return edge;
	default:
		return !edge;
	}
}

static bool try_node(struct oracle *o, const struct regexp_node *node, size_t at,
		     const struct after *after, size_t *ret)
{
	switch (node->op) {
	case REGEXP_EMPTY:
		return go_on(o, after, at, ret);
	case REGEXP_CLASS:
		return at < o->text.len &&
		       regexp_class_has(&node->set, (unsigned char)o->text.ptr[at]) &&
		       go_on(o, after, at + 1, ret);
	case REGEXP_ASSERT:
		return holds(o->text, node->place, at) && go_on(o, after, at, ret);
	case REGEXP_CAT:
		return go_on(o, &(struct after){.node = node->first, .next = after}, at, ret);
	case REGEXP_ALT:
		for (const struct regexp_node *child = node->first; child; child = child->next)
			if (try_node(o, child, at, after, ret))
				return true;
		return false;
	default:
		return try_rounds(o, node, 0, at, after, ret);
	}
}

static bool go_on(struct oracle *o, const struct after *after, size_t at, size_t *ret)
{
	if (++o->steps > ORACLE_STEPS)
		return false;
	if (!after) {
		*ret = at;
		return true;
	}
	if (after->repeat) { /* a round that matched nothing is the last */
		if (at == after->began && after->count >= after->repeat->min)
			return go_on(o, after->next, at, ret);
		return try_rounds(o, after->repeat, after->count, at, after->next, ret);
	}
	if (!after->node)
		return go_on(o, after->next, at, ret);
	if (after->next && !after->node->next)
		return try_node(o, after->node, at, after->next, ret);
	return try_node(o, after->node, at,
			&(struct after){.node = after->node->next, .next = after->next}, ret);
}

/* Repeats something that can be empty? Then the order of matches is not defined. */
static bool has_empty_round(const struct regexp_node *node, bool *ret_empty)
{
	bool all = true;
	bool one = false;
	bool below = false;

	for (const struct regexp_node *child = node->first; child; child = child->next) {
		bool empty;

		below = has_empty_round(child, &empty) || below;
		all = all && empty;
		one = one || empty;
	}
	*ret_empty = node->op == REGEXP_CLASS    ? false
		     : node->op == REGEXP_ALT    ? one
		     : node->op == REGEXP_REPEAT ? all || !node->min
						 : all;
	return below || (node->op == REGEXP_REPEAT && all);
}

static void make_text(uint64_t *dice, const char *const *pieces, size_t count, size_t most,
		      struct buf *to)
{
	size_t len = random_next(dice) % most;

	buf_clear(to);
	while (len-- > 0)
		buf_puts(to, pieces[random_next(dice) % count]);
}

static void compare_with_oracle(uint64_t *dice, size_t rounds)
{
	static const char *const pieces[] = {"a",    "b",    "c",   "a",    "b",   ".",     "[ab]",
					     "[^a]", "(",    ")",   "(?:",  "|",   "*",     "+",
					     "?",    "*?",   "+?",  "??",   "{2}", "{0,2}", "{1,}",
					     "^",    "$",    "\\b", "\\B",  "\\w", "\\d",   "\\A",
					     "\\z",  "(?i)", "A",   "(?m)", "\n",  "(?s)"};
	static const char *const letters[] = {"a", "b", "c", "A", "1", " ", "\n", "_"};
	AUTO(buf_done) struct buf pattern = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	size_t compared = 0;
	size_t wrong = 0;

	for (size_t i = 0; i < rounds; i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(regexp_free) struct regexp *re = NULL;
		struct regexp_node *tree;
		struct regexp_span span = {0, 0};
		struct oracle o;
		struct err err;
		size_t end = 0;
		size_t start = 0;
		bool found = false;
		bool empty;

		make_text(dice, pieces, ARRAY_LEN(pieces), PATTERN_MAX, &pattern);
		make_text(dice, letters, ARRAY_LEN(letters), TEXT_MAX, &text);
		re = regexp_parse(buf_str(&pattern), &err);
		if (!re)
			continue;
		tree = regexp_parse_tree(buf_str(&pattern), arena, &err);
		o = (struct oracle){buf_str(&text), 0};
		for (; start <= text.len && !found && o.steps <= ORACLE_STEPS; start++)
			found = try_node(&o, tree, start, NULL, &end);
		if (o.steps > ORACLE_STEPS)
			continue;
		compared++;
		if (regexp_matches(re, buf_str(&text)) == found &&
		    regexp_find(re, buf_str(&text), 0, NULL, &span) == found &&
		    (!found || has_empty_round(tree, &empty) ||
		     (span.start == start - 1 && span.end == end)))
			continue;
		if (!wrong++)
			printf("# `%s` in `%s`: %d %zu-%zu, and here %zu-%zu\n", buf_text(&pattern),
			       buf_text(&text), found, start - 1, end, span.start, span.end);
	}
	ok(compared > rounds / 50 && !wrong, "%zu patterns match as by backtracking, %zu do not",
	   compared - wrong, wrong);
}

/* --- several threads ------------------------------------------------------------------------- */

struct shared {
	const struct regexp *re;
	size_t wrong;
};

static void *match_often(void *arg)
{
	struct shared *shared = arg;
	size_t wrong = 0;

	for (size_t i = 0; i < 20000; i++) {
		struct regexp_span span = {0, 0};

		wrong += !regexp_find(shared->re, STR("--abc-defg-hij1"), 0, NULL, &span) ||
			 span.start != 2 || span.end != 14;
		wrong += regexp_matches(shared->re, STR("--------"));
	}
	shared->wrong = wrong;
	return NULL;
}

/* Workers check objects against the same patterns as the loop does. */
static void test_threads(void)
{
	enum { THREADS = 4 };
	AUTO(regexp_free) struct regexp *re = regexp_parse(STR("([a-z]+-?)*[a-z]"), NULL);
	struct shared shared[THREADS];
	pthread_t threads[THREADS];
	size_t count = 0;
	size_t wrong = 0;

	for (; count < THREADS; count++) {
		shared[count] = (struct shared){re, 0};
		if (pthread_create(&threads[count], NULL, match_often, &shared[count]) != 0)
			break;
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		wrong += shared[i].wrong;
	}
	ok(count == THREADS && !wrong,
	   "%d threads match the same pattern at the same time: %zu wrong", THREADS, wrong);
}

int main(void)
{
	uint64_t seed = 20261118;

	test_matches();
	test_refused();
	test_find();
	test_steps();
	test_threads();
	printf("# seed %llu\n", (unsigned long long)seed);
	compare_with_oracle(&seed, 40000);
	return tap_done();
}
