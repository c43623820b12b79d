/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of plugins, row by row: what Go's flag package makes of them. */
#include "lifecycle/plugin_args.h"

#include <stdio.h>

#include "base/macro.h"
#include "tap.h"

#include "base/banned.h"

enum { WORDS_MAX = 6 };

static const struct {
	const char *words; /* with blanks between */
	const char *text;
	int64_t number;
	bool on;
} rows[] = {
	{"", "dflt", 1, false},
	{"--text=x", "x", 1, false},
	{"-text=x", "x", 1, false},
	{"--text x", "x", 1, false},
	{"--text x=y", "x=y", 1, false},
	{"--text=", "", 1, false},
	{"--on", "dflt", 1, true},
	{"--on=true", "dflt", 1, true},
	{"--on=T", "dflt", 1, true},
	{"--on=false", "dflt", 1, false},
	{"--on=1 --number 7", "dflt", 7, true},
	{"--on true --number 7", "dflt", 1, true}, /* "true" is no flag: the end */
	{"--number=0x10", "dflt", 16, false},
	{"--number=010", "dflt", 8, false},
	{"--number=0b11", "dflt", 3, false},
	{"--number=-5", "dflt", -5, false},
	{"--number=x --on", "dflt", 1, false},
	{"--number=99999999999999999999 --on", "dflt", 1, false},
	{"--nope=1 --on", "dflt", 1, false},
	{"--on --nope=1 --text=x", "dflt", 1, true},
	{"word --on", "dflt", 1, false},
	{"-- --on", "dflt", 1, false},
	{"---on", "dflt", 1, false},
	{"--=x --on", "dflt", 1, false},
	{"- --on", "dflt", 1, false},
	{"--number", "dflt", 1, false},
	{"--text a --text b", "b", 1, false},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str text = STR("dflt");
		int64_t number = 1;
		bool on = false;
		const struct plugin_arg flags[] = {
			{"text", PLUGIN_ARG_TEXT, &text},
			{"number", PLUGIN_ARG_NUMBER, &number},
			{"on", PLUGIN_ARG_SWITCH, &on},
		};
		struct str words[WORDS_MAX];
		struct strs args = {words, 0};
		struct str rest = str_from(rows[i].words);

		while (rest.len > 0 && args.len < WORDS_MAX &&
		       str_split(&rest, ' ', &words[args.len]))
			args.len++;
		plugin_args_parse(&args, flags, ARRAY_LEN(flags));
		ok(str_is(text, rows[i].text) && number == rows[i].number && on == rows[i].on,
		   "\"%s\" is text %s, number %d, %s", rows[i].words, rows[i].text,
		   (int)rows[i].number, rows[i].on ? "on" : "off");
	}
	return tap_done();
}
