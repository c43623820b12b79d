/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of names, and causes. */
#include "model/value/names.h"

#include "base/macro.h"
#include "base/mem.h"
#include "tap.h"

#define LABEL                                                                                    \
	"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " \
	"and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " \
	"regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define SUBDOMAIN                                                                                \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "    \
	"'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com'," \
	" regex used for validation is "                                                         \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define QUALIFIED                                                                                 \
	"name part must consist of alphanumeric characters, '-', '_' or '.', and must start and " \
	"end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex " \
	"used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE                                                                                    \
	"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' " \
	"or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "    \
	"'my_value',  or '12345', regex used for validation is "                                 \
	"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define DNS1035                                                                                   \
	"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with " \
	"an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "   \
	"'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define CONFIG_KEY                                                                           \
	"a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. " \
	"'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "          \
	"'[-._a-zA-Z0-9]+')"
#define ENV                                                                                      \
	"a valid environment variable name must consist of alphabetic characters, digits, '_', " \
	"'-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  " \
	"or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"

#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X256 X64 X64 X64 X64

static const struct {
	enum name_format format;
	const char *text;
	const char *want;
} rows[] = {
	{NAME_ANY, "", ""},
	{NAME_DNS_LABEL, "my-name", ""},
	{NAME_DNS_LABEL, "0", ""},
	{NAME_DNS_LABEL, "Upper", LABEL "\n"},
	{NAME_DNS_LABEL, "with.dot", "must not contain dots\n"},
	{NAME_DNS_LABEL, "-start", LABEL "\n"},
	{NAME_DNS_LABEL, "end-", LABEL "\n"},
	{NAME_DNS_LABEL, "", LABEL "\n"},
	{NAME_DNS_LABEL, X64, "must be no more than 63 characters\n"},
	{NAME_DNS_SUBDOMAIN, "a.b-c.d", ""},
	{NAME_DNS_SUBDOMAIN, "Bad_Name", SUBDOMAIN "\n"},
	{NAME_DNS_SUBDOMAIN, "..", SUBDOMAIN "\n"},
	{NAME_DNS_SUBDOMAIN, "a..b", SUBDOMAIN "\n"},
	{NAME_DNS_SUBDOMAIN, "a/b", SUBDOMAIN "\n"},
	{NAME_DNS_SUBDOMAIN, X256, "must be no more than 253 characters\n"},
	{NAME_DNS1035_LABEL, "abc", ""},
	{NAME_DNS1035_LABEL, "1abc", DNS1035 "\n"},
	{NAME_DNS1035_LABEL, "a.b", DNS1035 "\n"},
	{NAME_DNS1035_LABEL, "", DNS1035 "\n"},
	{NAME_QUALIFIED, "MyName", ""},
	{NAME_QUALIFIED, "x.com/My.Name_1", ""},
	{NAME_QUALIFIED, "a b", QUALIFIED "\n"},
	{NAME_QUALIFIED, "", "name part must be non-empty\n" QUALIFIED "\n"},
	{NAME_QUALIFIED, "/x", "prefix part must be non-empty\n"},
	{NAME_QUALIFIED, "x/", "name part must be non-empty\n" QUALIFIED "\n"},
	{NAME_QUALIFIED, "UPPER.com/x", "prefix part " SUBDOMAIN "\n"},
	{NAME_QUALIFIED, X64, "name part must be no more than 63 characters\n"},
	{NAME_LABEL_VALUE, "", ""},
	{NAME_LABEL_VALUE, "a_B.c", ""},
	{NAME_LABEL_VALUE, "c d", VALUE "\n"},
	{NAME_LABEL_VALUE, X64, "must be no more than 63 characters\n"},
	{NAME_PATH_SEGMENT, "system:node", ""},
	{NAME_PATH_SEGMENT, ".", "may not be '.'\n"},
	{NAME_PATH_SEGMENT, "..", "may not be '..'\n"},
	{NAME_PATH_SEGMENT, "a/b%", "may not contain '/'\nmay not contain '%'\n"},
	{NAME_CONFIG_KEY, "KEY_a.b-c", ""},
	{NAME_CONFIG_KEY, "a b", CONFIG_KEY "\n"},
	{NAME_CONFIG_KEY, ".", "must not be '.'\n"},
	{NAME_CONFIG_KEY, "..", "must not be '..'\n"},
	{NAME_CONFIG_KEY, "..a", "must not start with '..'\n"},
	{NAME_ENV_VAR, "A_B", ""},
	{NAME_ENV_VAR, "1A", ENV "\n"},
	{NAME_ENV_VAR, "", ENV "\n"},
	{NAME_PORT, "http-2", ""},
	{NAME_PORT, "Bad_Name",
	 "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)\n"},
	{NAME_PORT, "muchtoolongportname", "must be no more than 15 characters\n"},
	{NAME_PORT, "80", "must contain at least one letter (a-z)\n"},
	{NAME_PORT, "a--b", "must not contain consecutive hyphens\n"},
	{NAME_PORT, "a-", "must not begin or end with a hyphen\n"},
	{NAME_IP, "10.9.8.7", ""},
	{NAME_IP, "2001:db8::ffff", ""},
	{NAME_IP, "999.1.1.1", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n"},
	{NAME_IP, "", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n"},
	{NAME_IP, X64, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n"},
};

static void collect(void *arg, const char *message)
{
	buf_printf(arg, "%s\n", message);
}

static void test_formats(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		bool right = name_check(rows[i].format, str_from(rows[i].text), collect, &got);

		ok(strcmp(buf_text(&got), rows[i].want) == 0 && right == !rows[i].want[0] &&
			   name_is(rows[i].format, str_from(rows[i].text)) == right,
		   "%d: \"%.80s\"", rows[i].format, rows[i].text);
		if (strcmp(buf_text(&got), rows[i].want) != 0)
			printf("# got  %s# want %s", buf_text(&got), rows[i].want);
	}
	ok(!name_is(NAME_IP, str_of("10.0.0.1\0x", 10)), "nothing is hidden by a NUL");
	is(name_pattern(NAME_DNS_LABEL), "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
	ok(name_max_len(NAME_DNS_SUBDOMAIN) == 253 && !name_pattern(NAME_ANY), "for schemas");
}

static void test_prefixes(void)
{
	ok(name_check_prefix(NAME_DNS_SUBDOMAIN, STR("job-"), NULL, NULL) &&
		   name_check_prefix(NAME_DNS_SUBDOMAIN, STR("job"), NULL, NULL) &&
		   !name_check_prefix(NAME_DNS_SUBDOMAIN, STR("Bad_"), NULL, NULL) &&
		   !name_check_prefix(NAME_DNS_SUBDOMAIN, STR("-"), NULL, NULL),
	   "beginnings of generated names may end in a dash");
	ok(name_check_prefix(NAME_PATH_SEGMENT, STR(".."), NULL, NULL) &&
		   !name_check_prefix(NAME_PATH_SEGMENT, STR("a/"), NULL, NULL),
	   "of path segments");
}

static void test_paths(void)
{
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
	struct path spec = path_member(NULL, STR("spec"));
	struct path tasks = path_member(&spec, STR("tasks"));
	struct path task = path_index(&tasks, 1);
	struct path env = path_member(&task, STR("env"));
	struct path key = path_key(&env, STR("a.b/c"));

	path_print(&key, &got);
	is(buf_text(&got), "spec.tasks[1].env[a.b/c]");
	buf_clear(&got);
	path_print_members(&key, &got);
	is(buf_text(&got), "spec.tasks.env");
	buf_clear(&got);
	path_print(NULL, &got);
	is(buf_text(&got), "");
}

static void test_causes(void)
{
	static const char *const names[] = {"", "A", NULL, "B"};
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;
	struct path at = path_member(NULL, STR("f"));
	struct err err = {0};
	static const char *const want[] = {
		"Required value",
		"Required value: because",
		"Forbidden: no",
		"Invalid value: \"x\": bad 1",
		"Invalid value: {\"a\":1}: bad",
		"Invalid value: 7: bad",
		"Duplicate value: \"d\"",
		"Duplicate value: true",
		"Not found: \"n\"",
		"Too long: may not be more than 1 byte",
		"Too many: 3: must have at most 1 item",
		"Unsupported value: \"C\": supported values: \"A\", \"B\"",
		"ready made",
	};
	struct json object = json_new_obj(doc);

	json_set_int(doc, object, "a", 1);
	causes_required(&causes, &at, "");
	causes_err(&causes, "Box", STR("b"), &err);
	is(err.text, "Box \"b\" is invalid: f: Required value");
	causes_required(&causes, &at, "because");
	causes_err(&causes, "Box", STR("b"), &err);
	is(err.text, "Box \"b\" is invalid: [f: Required value, f: Required value: because]");
	ok(err.code == ERR_INVALID, "is Invalid");
	causes_forbidden(&causes, &at, "no");
	causes_invalid_str(&causes, &at, STR("x"), "bad %d", 1);
	causes_invalid(&causes, &at, object, "bad");
	causes_invalid_int(&causes, &at, 7, "bad");
	causes_duplicate_str(&causes, &at, STR("d"));
	causes_duplicate(&causes, &at, json_new_bool(doc, true));
	causes_not_found(&causes, &at, STR("n"));
	causes_too_long(&causes, &at, 1);
	causes_too_many(&causes, &at, 3, 1);
	causes_not_supported(&causes, &at, STR("C"), names, ARRAY_LEN(names));
	causes_add(&causes, CAUSE_INTERNAL, &at, "ready made");
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		is(causes.ptr[i].message, want[i]);
	AUTO(mem_free)
	char *text = json_text(json_at(causes_encode(&causes, doc), 2), JSON_COMPACT);

	is(text,
	   "{\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden: no\",\"field\":\"f\"}");
	is(cause_reason_name(CAUSE_INTERNAL), "InternalError");
	causes_quote(&quoted, STR("a\"\\\n\t\x01\x7f\xc3\xa4"));
	is(buf_text(&quoted), "\"a\\\"\\\\\\n\\t\\x01\\x7f\xc3\xa4\"");
}

int main(void)
{
	test_formats();
	test_prefixes();
	test_paths();
	test_causes();
	return tap_done();
}
