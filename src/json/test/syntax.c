/* SPDX-License-Identifier: Apache-2.0 */
/* What Go says of texts that are no JSON; the sentences are those of Go 1.24. */
#include "json/syntax.h"

#include "json/doc.h"
#include "tap.h"

#include "base/banned.h"

static const struct {
	const char *text, *want; /* "": it is JSON */
} rows[] = {
	{"{}", ""},
	{" [1, -0.5e+3, \"a\\u00e9\\n\", true, false, null, {\"a\": {}}] ", ""},
	{"12", ""},
	{"", "unexpected end of JSON input"},
	{"  ", "unexpected end of JSON input"},
	{"{", "unexpected end of JSON input"},
	{"\"abc", "unexpected end of JSON input"},
	{"-", "unexpected end of JSON input"},
	{"tru", "unexpected end of JSON input"},
	{"[1,", "unexpected end of JSON input"},
	{"{bad", "invalid character 'b' looking for beginning of object key string"},
	{"{\"a\" 1}", "invalid character '1' after object key"},
	{"{\"a\":}", "invalid character '}' looking for beginning of value"},
	{"{\"a\":1 \"b\":2}", "invalid character '\"' after object key:value pair"},
	{"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
	{"[1 2]", "invalid character '2' after array element"},
	{"[1,]", "invalid character ']' looking for beginning of value"},
	{"{} x", "invalid character 'x' after top-level value"},
	{"1 2", "invalid character '2' after top-level value"},
	{"nul1", "invalid character '1' in literal null (expecting 'l')"},
	{"trUe", "invalid character 'U' in literal true (expecting 'u')"},
	{"falze", "invalid character 'z' in literal false (expecting 's')"},
	{"-x", "invalid character 'x' in numeric literal"},
	{"1.x", "invalid character 'x' after decimal point in numeric literal"},
	{"1e", "unexpected end of JSON input"},
	{"1e+x", "invalid character 'x' in exponent of numeric literal"},
	{"01", "invalid character '1' after top-level value"},
	{"\"a\nb\"", "invalid character '\\n' in string literal"},
	{"\"\\x\"", "invalid character 'x' in string escape code"},
	{"\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"},
	{"'a'", "invalid character '\\'' looking for beginning of value"},
	{"\\", "invalid character '\\\\' looking for beginning of value"},
	{"\x01", "invalid character '\\x01' looking for beginning of value"},
	{"\x7f", "invalid character '\\x7f' looking for beginning of value"},
	{"\x9e", "invalid character '\\u009e' looking for beginning of value"},
	{"\xe9", "invalid character '\xc3\xa9' looking for beginning of value"},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str text = str_from(rows[i].text);
		struct err err = {0};
		AUTO(json_doc_unref) struct json_doc *doc = json_parse(text, NULL, NULL);
		int rc = json_syntax_check(text, &err);

		is(err.text, rows[i].want);
		ok((rc == 0) == (doc != NULL), "it is JSON for both or for none");
	}
	return tap_done();
}
