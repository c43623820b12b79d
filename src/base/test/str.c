/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/macro.h"
#include "base/mem.h"
#include "tap.h"

/* One byte that differs is seen at every place of every length. */
static bool sees_every_byte(void)
{
	char a[40];
	char b[40];

	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	for (size_t len = 0; len <= sizeof(a); len++) {
		if (!str_same_bytes(a, b, len))
			return false;
		for (size_t i = 0; i < sizeof(b); i++) {
			b[i] = 'y';
			if (str_same_bytes(a, b, len) != (i >= len))
				return false;
			b[i] = 'x';
		}
	}
	return true;
}

int main(void)
{
	struct str rest = STR("a,,b");
	struct str part;
	int parts = 0;
	AUTO(mem_free) char *copy = str_dup(STR("copy"));
	static const struct {
		struct str text;
		bool valid;
	} utf8[] = {
		{STR_INIT(""), true},
		{STR_INIT("plain"), true},
		{STR_INIT("\xc3\xa9"), true},
		{STR_INIT("\xe2\x82\xac"), true},
		{STR_INIT("\xf0\x9f\x98\x80"), true},
		{STR_INIT("\xc0\x80"), false},
		{STR_INIT("\xed\xa0\x80"), false},
		{STR_INIT("\xf4\x90\x80\x80"), false},
		{STR_INIT("\xe2\x82"), false},
		{STR_INIT("a\xff"), false},
		{STR_INIT("\xe0\x80\x80"), false},
		{STR_INIT("\xf0\x80\x80\x80"), false},
	};

	ok(str_eq(str_none(), STR("")) && str_is_none(str_none()), "none equals empty");
	ok(str_is(STR("abc"), "abc") && !str_is(STR("abc"), "ab"), "comparison with a C string");
	ok(str_is(str_none(), "") && str_is(str_none(), NULL) && !str_is(STR("a"), NULL),
	   "none and NULL are empty");
	ok(sees_every_byte(), "equal means equal in every byte");
	ok(str_cmp(STR("a"), STR("ab")) < 0 && str_cmp(STR("b"), STR("ab")) > 0, "order by bytes");
	ok(str_cmp(STR("\x80"), STR("a")) > 0, "bytes are unsigned");
	ok(str_qsort_cmp(&STR("x"), &STR("x")) == 0, "equal views sort equal");
	ok(str_eq_nocase(STR("HoSt"), STR("hOsT")) && !str_eq_nocase(STR("a"), STR("b")), "case");
	ok(!str_eq_nocase(STR("a"), STR("aa")), "case, other length");
	ok(str_starts(STR("abc"), STR("ab")) && !str_starts(STR("a"), STR("ab")), "prefix");
	ok(str_ends(STR("abc"), STR("bc")) && !str_ends(STR("c"), STR("bc")), "suffix");
	ok(str_find_byte(STR("abca"), 'a', 1) == 3 && str_find_byte(STR("abc"), 'x', 0) < 0,
	   "byte");
	ok(str_rfind_byte(STR("abca"), 'a') == 3 && str_rfind_byte(str_none(), 'a') < 0,
	   "last byte");
	ok(str_find(STR("xabab"), STR("ab"), 2) == 3 && str_find(STR("x"), STR("y"), 9) < 0,
	   "part");
	ok(str_find(STR("x"), STR(""), 1) == 1, "the empty part is everywhere");
	ok(str_is(str_slice(STR("abc"), 1, 9), "bc") && str_slice(STR("abc"), 5, 2).len == 0,
	   "slice");
	ok(str_is(str_trim(STR(" \t a b\n")), "a b") && str_trim(STR(" ")).len == 0, "trim");
	while (str_split(&rest, ',', &part))
		parts++;
	ok(parts == 3, "three parts, one of them empty");
	rest = STR("");
	ok(str_split(&rest, ',', &part) && part.len == 0 && !str_split(&rest, ',', &part),
	   "the empty string is one empty part");
	is(copy, "copy");
	for (size_t i = 0; i < ARRAY_LEN(utf8); i++)
		ok(str_is_utf8(utf8[i].text) == utf8[i].valid, "UTF-8 row %zu", i);
	return tap_done();
}
