/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions: what is found, and what is refused in Go's words. */
#include "base/regexp.h"

#include <string.h>

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
};

static void test_matches(void)
{
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(matches); i++) {
		AUTO(regexp_free)
		struct regexp *re = regexp_parse(str_from(matches[i].pattern), &err);

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

int main(void)
{
	test_matches();
	test_refused();
	return tap_done();
}
