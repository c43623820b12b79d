/* SPDX-License-Identifier: Apache-2.0 */
/* CEL: which rules are rejected and with which message, what rules evaluate to, and what they cost.
 */
#include "cel/cel.h"

#include <assert.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "regexp/pattern.h"
#include "tap.h"

#include "base/banned.h"

static const char schema_text[] =
	"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"
	"\"integer\"},\"s\":{\"type\":\"string\"},\"t\":{\"type\":\"boolean\"},\"n\":{\"type\":"
	"\"number\"},\"l\":{\"type\":\"array\",\"maxItems\":5,\"items\":{\"type\":\"string\","
	"\"maxLength\":10}},\"li\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},\"m\":{"
	"\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},\"q\":{"
	"\"x-kubernetes-int-or-string\":true},\"d\":{\"type\":\"string\",\"format\":\"date-time\"},"
	"\"u\":{\"type\":\"string\",\"format\":\"duration\"},\"y\":{\"type\":\"string\",\"format\":"
	"\"byte\"},\"o\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"},"
	"\"x-y\":{\"type\":\"string\"},\"namespace\":{\"type\":\"string\"}}},\"ll\":{\"type\":"
	"\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}}";

static struct json_doc *parse(const char *text)
{
	struct err err;
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	assert(doc);
	return doc;
}

struct world {
	struct json_doc *doc;
	struct arena *arena;
	struct pattern_set patterns;
	const struct cel_type *type;
};

static void world_init(struct world *world)
{
	*world = (struct world){.doc = parse(schema_text)};
	world->arena = arena_new(0);
	world->type = cel_type_of_schema(json_doc_root(world->doc), false, world->arena);
}

static void world_done(struct world *world)
{
	pattern_set_done(&world->patterns);
	arena_free(world->arena);
	json_doc_unref(world->doc);
}

/* The messages of the compiler without the lines of code that it shows; "" if there are none. */
static const struct {
	const char *rule, *want;
} issues[] = {
	{"self.a <= self.b", ""},
	{"self.x > 1", "1:5: undefined field 'x'"},
	{"has(self.x)", "1:4: undefined field 'x'"},
	{"foo > 1", "1:1: undeclared reference to 'foo' (in container '')"},
	{"foo(1)", "1:4: undeclared reference to 'foo' (in container '')"},
	{"self.s.foo()", "1:11: undeclared reference to 'foo' (in container '')"},
	{"self.a == 'x'", "1:8: found no matching overload for '_==_' applied to '(int, string)'"},
	{"self.a > self.s", "1:8: found no matching overload for '_>_' applied to '(int, string)'"},
	{"size(self.a) > 1", "1:5: found no matching overload for 'size' applied to '(int)'"},
	{"self.a.startsWith('x')",
	 "1:18: found no matching overload for 'startsWith' applied to 'int.(string)'"},
	{"self.a > 1.5", ""},
	{"self.a == 1.5", "1:8: found no matching overload for '_==_' applied to '(int, double)'"},
	{"self.n > 1 && self.n == 1.0", ""},
	{"self.l.all(x, x > 1)",
	 "1:17: found no matching overload for '_>_' applied to '(string, int)'"},
	{"self.l.all(x, x)", "1:15: expected type 'bool' but found 'string'"},
	{"self.l.exists_one(x, 1)",
	 "1:18: found no matching overload for '_?_:_' applied to '(int, int, int)'"},
	{"self.a.all(x, true)", "1:5: expression of type 'int' cannot be range of a comprehension "
				"(must be list, map, or dynamic)"},
	{"self.l.all(x.y, true)", "1:13: argument must be a simple name"},
	{"self.t && self.a", "1:15: expected type 'bool' but found 'int'"},
	{"!self.a", "1:1: found no matching overload for '!_' applied to '(int)'"},
	{"-self.s == 'x'", "1:1: found no matching overload for '-_' applied to '(string)'"},
	{"self.t ? self.a : self.s",
	 "1:8: found no matching overload for '_?_:_' applied to '(bool, int, string)'"},
	{"self.a in ['x']",
	 "1:8: found no matching overload for '@in' applied to '(int, list(string))'"},
	{"[1, 'a'].size() == 2", "1:5: expected type 'int' but found 'string'"},
	{"{'a': 1, 'b': 'c'}.size() == 2", "1:15: expected type 'int' but found 'string'"},
	{"self.l[0] == 1",
	 "1:11: found no matching overload for '_==_' applied to '(string, int)'"},
	{"self.l['x'] == 'a'",
	 "1:7: found no matching overload for '_[_]' applied to '(list(string), string)'"},
	{"self.m[1] == 'a'",
	 "1:7: found no matching overload for '_[_]' applied to '(map(string, string), int)'"},
	{"self.m.k == 'v' && 'k' in self.m && self.m.all(k, k != '')", ""},
	{"self.a == null", "1:8: found no matching overload for '_==_' applied to '(int, null)'"},
	{"self.o == null || self.d == null", ""},
	{"has(self)", "1:5: invalid argument to has() macro"},
	{"self.a.b == 1", "1:7: type 'int' does not support field selection"},
	{"self.u > duration('1h')", ""},
	{"self.u > '1h'",
	 "1:8: found no matching overload for '_>_' applied to '(duration, string)'"},
	{"duration('x') > self.u", "1:10: invalid duration argument"},
	{"timestamp('x') > self.d", "1:11: invalid timestamp argument"},
	{"self.d.getFullYear() > 2020 && self.d - timestamp('2020-01-01T00:00:00Z') > self.u", ""},
	{"self.s.matches('[')", "1:16: invalid matches argument"},
	{"self.q == 1 && self.q == 'x' && self.q.size() > 0", ""},
	{"type(self.q) == int || type(self.q) == string", ""},
	{"self.y == b'abc' && bytes('x').size() == 1", ""},
	{"self.o.x__dash__y == self.o.__namespace__", ""},
	{"self.o.namespace == ''", "1:7: undefined field 'namespace'"},
	{"self.?a.orValue(1) > 0 && self.?s.hasValue() && self.o.?x.optMap(v, v > 1).orValue(true)",
	 ""},
	{"self.l.all(i, v, i >= 0 && v != '')", ""},
	{"sets.contains(self.l, ['a']) && self.l.isSorted() && self.li.sum() > 3", ""},
	{"self.l.sum() > 3",
	 "1:11: found no matching overload for 'sum' applied to 'list(string).()'"},
	{"quantity(self.s).isGreaterThan(quantity('1Gi'))", ""},
	{"'%d of %s'.format([self.a, self.s]) == ''", ""},
	{"self.a +",
	 "1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', "
	 "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
	{"self.a == 1 2", "1:13: Syntax error: extraneous input '2' expecting <EOF>"},
	{"self.a = 1", "1:8: Syntax error: token recognition error at: '= '\n"
		       "1:10: Syntax error: extraneous input '1' expecting <EOF>"},
	{"(self.a > 1", "1:12: Syntax error: missing ')' at '<EOF>'"},
	{"self.", "1:6: Syntax error: no viable alternative at input '.'"},
	{"self.a > && self.t",
	 "1:10: Syntax error: extraneous input '&&' expecting {'[', '{', '(', '.', '-', '!', "
	 "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
	{"self.a > 9223372036854775808", "1:10: invalid int literal"},
	{"var == 1", "1:1: reserved identifier: var"},
	{"!.!.",
	 "1:3: Syntax error: mismatched input '!' expecting {'[', '{', '(', '.', '-', '!', 'true', "
	 "'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
	{"!-self.a",
	 "1:2: Syntax error: mismatched input '-' expecting {'[', '{', '(', '.', '-', '!', 'true', "
	 "'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
	{"self.x > 1 || self.z", "1:5: undefined field 'x'\n1:19: undefined field 'z'"},
};

/* "ERROR: <input>:1:5: text" of each, without the lines below. */
static void print_short(const struct cel_rule *rule, struct buf *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str rest;
	struct str line;

	cel_print_issues(rule, &text);
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		if (str_starts(line, STR("ERROR: <input>:")))
			buf_printf(to, "%s%.*s", to->len ? "\n" : "",
				   STR_ARG(str_skip(line, strlen("ERROR: <input>:"))));
}

static void test_issues(struct world *world)
{
	for (size_t i = 0; i < ARRAY_LEN(issues); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct cel_rule rule;

		cel_compile(str_from(issues[i].rule), world->type, false, world->arena,
			    &world->patterns, &rule);
		print_short(&rule, &text);
		ok(str_is(buf_str(&text), issues[i].want), "of %s is said: %s", issues[i].rule,
		   buf_text(&text));
	}
}

static void test_place(struct world *world)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct cel_rule rule;

	cel_compile(STR("self.a > 1\n\t&& \"\xc3\xa4\" == self.x"), world->type, false,
		    world->arena, &world->patterns, &rule);
	cel_print_issues(&rule, &text);
	is(buf_text(&text), "ERROR: <input>:2:16: undefined field 'x'\n |  && \"\xc3\xa4\" == "
			    "self.x\n | .....\xef\xbc\x8e.........^");
}

/* The result of a rule for an object as text, or the error. */
static const struct {
	const char *rule, *want;
} values[] = {
	{"string(self.a + 1)", "2"},
	{"'%d of %s, %.2f, %x'.format([self.a, self.s, self.n, 255])", "1 of text, 2.00, ff"},
	{"'%s'.format([self.l])", "[b, a]"},
	{"'a%%b'.format([])", "a%b"},
	{"string(self.d.getFullYear())", "2026"},
	{"string(self.d)", "2026-01-02T03:04:05Z"},
	{"string(self.d + self.u)", "2026-01-02T03:05:35Z"},
	{"string(self.u)", "90s"},
	{"string(self.n / 4.0) + string(1e10)", "0.51e+10"},
	{"string(self.u.getMinutes())", "1"},
	{"string(self.y)", "abc"},
	{"string(self.?b.orValue(7))", "7"},
	{"self.o.?x.optMap(v, string(v + 1)).orValue('none')", "none"},
	{"string(self.m.transformList(k, v, k + v).size())", "2"},
	{"self.l.map(x, x + '!').join(',')", "b!,a!"},
	{"self.l.filter(x, x > 'a').join(',')", "b"},
	{"string(self.li.map(x, x > 1, x * 2).sum())", "10"},
	{"'\xc3\xa4"
	 "bc'.substring(1)",
	 "bc"},
	{"'hello'.charAt(1) + string('hello'.lastIndexOf('l'))", "e3"},
	{"'a1b22'.findAll('[0-9]+').join('-') + 'a1'.find('[0-9]')", "1-221"},
	{"strings.quote('a\\nb')", "\"a\\nb\""},
	{"string(type(self.q) == int)", "true"},
	{"string(1u + 2u) + string(0x1F)", "331"},
	{"string({'a': 1, 'b': 2}['b'])", "2"},
	{"string(cidr('10.0.0.0/8').containsIP('10.1.2.3')) + string(ip('::1').family())", "true6"},
	{"string(quantity('1Gi').add(quantity('1Gi')).isGreaterThan(quantity('1.5Gi')))", "true"},
	{"['a', ?self.?s, ?self.o.?x.optMap(v, 'x')].join(',')", "a,text"},
	{"{?'k': self.?s, ?'j': optional.none()}.map(k, k).join(',')", "k"},
	{"self.m.transformMapEntry(k, v, {v: k})['w']", "j"},
	{"string(self.l[7])", "error: index out of bounds: 7"},
	{"self.m['zz']", "error: no such key: zz"},
	{"string(self.b)", "error: no such key: b"},
	{"string(1 / (self.a - 1))", "error: division by zero"},
	{"string(int(self.s))", "error: type conversion error from 'string' to 'int'"},
	{"string(self.a + 9223372036854775807)", "error: integer overflow"},
	{"string(dyn(self.s) + 1)", "error: no such overload"},
	{"string(sets.equivalent(self.l, ['a', 'b']) && self.l == ['b', 'a'])", "true"},
	{"string(self.d > timestamp('2025-01-01T00:00:00Z'))", "true"},
	{"string(duration('1h') == duration('60m'))", "true"},
	{"url('HTTP://me@[::1]:80/a b?x=1&y=2&x=3#f').getScheme()", "http"},
	{"url('http://me@[::1]:80/a b').getHost() + url('http://[::1]:80').getHostname()",
	 "[::1]:80::1"},
	{"url('http://a.io:80/').getPort() + url('http://a.io').getPort()", "80"},
	{"url('http://a.io/a b%2fc?q').getEscapedPath()", "/a%20b%2fc"},
	{"url('http://a.io/?x=1&y=2&x=3#f').getQuery()['x'].join(',')", "1,3"},
	{"string(isURL('/path') && isURL('http://a:80') && !isURL('a/b') && !isURL('')) ", "true"},
	{"url('a b').getHost()",
	 "error: URL parse error during conversion from string: parse \"a b\": invalid URI for "
	 "request"},
	{"url('http://a:x/').getHost()",
	 "error: URL parse error during conversion from string: parse \"http://a:x/\": invalid "
	 "port \":x\" after host"},
	{"string(semver('1.2.3').isLessThan(semver('1.10.0')))", "true"},
	{"string(semver('1.0.0-rc.2').compareTo(semver('1.0.0-rc.10')))", "-1"},
	{"string(semver('1.0.0-rc').compareTo(semver('1.0.0')))", "-1"},
	{"string(semver('v1.02', true).minor()) + string(semver('4.5.6').patch())", "26"},
	{"string(isSemver('1.2') || isSemver('01.2.3') || isSemver('1.2.3-'))", "false"},
	{"string(isSemver('v1', true) && isSemver('1.2.3+b.7'))", "true"},
	{"string(semver('1').major())", "error: No Major.Minor.Patch elements found"},
	{"string(semver('1.x.0').major())",
	 "error: Invalid character(s) found in minor number \"x\""},
	{"string(format.dns1123Label().validate('abc').hasValue())", "false"},
	{"format.dns1123LabelPrefix().validate('a-').orValue(['good']).join(',')", "good"},
	{"format.uuid().validate('x').value()[0]", "does not match the UUID format"},
	{"format.named('byte').value().validate('?').value()[0]", "invalid base64"},
	{"format.uri().validate('x').value()[0]", "parse \"x\": invalid URI for request"},
	{"string(format.named('none').hasValue())", "false"},
	{"string(format.labelValue().validate('a b').value().size())", "1"},
	{"string(ip('127.1.2.3').isLoopback() && ip('::1').isLoopback())", "true"},
	{"string(ip('0.0.0.0').isUnspecified() && ip('fe80::1').isLinkLocalUnicast())", "true"},
	{"string(ip('224.0.0.9').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast())",
	 "true"},
	{"string(ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast())",
	 "true"},
};

static void test_values(struct world *world)
{
	AUTO(json_doc_unref)
	struct json_doc *doc =
		parse("{\"a\":1,\"s\":\"text\",\"n\":2,\"l\":[\"b\",\"a\"],\"li\":[1,2,3],\"m\":{"
		      "\"k\":\"v\",\"j\":\"w\"},\"q\":5,\"d\":\"2026-01-02T03:04:05Z\",\"u\":"
		      "\"90s\",\"y\":\"YWJj\",\"o\":{}}");

	struct cel_input input = {.type = world->type, .self = json_doc_root(doc)};
	uint64_t cost;

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct cel_rule rule;
		struct cel_value value = {.kind = CEL_NULL};

		cel_compile(str_from(values[i].rule), world->type, false, world->arena,
			    &world->patterns, &rule);
		if (rule.expr)
			value = cel_evaluate(&rule, &input, arena, &cost);
		else
			value.text = STR("undeclared");
		buf_printf(&text, "%s%.*s", value.kind == CEL_ERROR ? "error: " : "",
			   STR_ARG(value.text));
		ok(str_is(buf_str(&text), values[i].want), "%s is %s", values[i].rule,
		   buf_text(&text));
	}
}

static void test_cost(struct world *world)
{
	static const struct {
		const char *rule;
		uint64_t cost;
	} rows[] = {
		{"true", 0},
		{"self.a > 1", 3},
		{"has(self.a) && self.a > 1", 4},
		{"self.l.all(x, x == 'a')", 2 + 1 + 5 * (3 + 2)},
		{"self.li.all(x, x > 1)", 2 + 1 + 1572863UL * (3 + 2)},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct cel_rule rule;

		cel_compile(str_from(rows[i].rule), world->type, false, world->arena,
			    &world->patterns, &rule);
		ok(rule.expr && rule.cost == rows[i].cost, "%s costs %llu, and here %llu",
		   rows[i].rule, (unsigned long long)rows[i].cost, (unsigned long long)rule.cost);
	}
}

/* What a rule over a schema costs, as kube-apiserver's own tests have it. */
#define NUMBER "'type':'number'"
static const struct {
	const char *outer; /* a schema, with the inner one where %s stands */
	const char *inner;
	const char *rule;
	uint64_t cost;
} costs[] = {
#define ARRAY "{'type':'array','items':{%s}}"
#define ARRAY10 "{'type':'array','maxItems':10,'items':{%s}}"
#define MAP "{'type':'object','additionalProperties':{%s}}"
#define STRING "{'type':'string'%s}"
#define OBJECT                                                                                \
	"'type':'object','required':['required'],'properties':{'required':{'type':'string'}," \
	"'optional':{'type':'string'}}"
	{ARRAY, NUMBER, "self.all(x, true)", 4718591},
	{ARRAY10, NUMBER, "self.all(x, true)", 32},
	{ARRAY, "'type':'string'", "self.all(x, true)", 3145727},
	{ARRAY, "'type':'boolean'", "self.all(x, true)", 1887437},
	{ARRAY, "'type':'array','items':{'type':'number'}", "self.all(x, true)", 3145727},
	{ARRAY, OBJECT, "self.all(x, true)", 555128},
	{ARRAY, OBJECT, "self[0] == null", 2},
	{ARRAY, "'type':'string','format':'duration'", "self.all(x, true)", 2359295},
	{ARRAY, "'type':'string','format':'duration'", "self[0].getHours() == 2", 4},
	{ARRAY, "'type':'string','format':'date'", "self.all(x, true)", 725936},
	{ARRAY, "'type':'string','format':'date-time'", "self.all(x, true)", 428963},
	{ARRAY, "'x-kubernetes-int-or-string':true", "self.all(x, true)", 4718591},
	{ARRAY, "'x-kubernetes-int-or-string':true", "self[0] == 5", 3},
	{ARRAY, NUMBER, "self[1] == 0.0", 2},
	{ARRAY, "'type':'string'", "self[1] == self[1]", 314577},
	{ARRAY, "'type':'array','items':{'type':'number'}", "self[0][0] == -1.0", 3},
	{ARRAY10, NUMBER, "self.all(x, self.all(y, true))", 352},
	{ARRAY10, NUMBER, "self.all(x, self.all(y, self.all(z, true)))", 3552},
	{ARRAY, NUMBER, "self.all(x, x == 0.0)", 6291454},
	{ARRAY, "'type':'object','additionalProperties':{'type':'number'}",
	 "self.all(x, x.y == 25.2)", 6291452},
	{ARRAY, "'type':'object','additionalProperties':{'type':'number'}", "self[0].x > 2.0", 4},
	{MAP, NUMBER, "self.all(x, true)", 1348169},
	{MAP, NUMBER, "self['x'] == 0.0", 2},
	{MAP, "'type':'string'", "self.all(x, true)", 1179647},
	{MAP, "'type':'boolean'", "self.all(x, true)", 943718},
	{MAP, "'type':'string','format':'duration'", "self['c'] == self['d']", 8},
	{MAP, "'type':'string','format':'date-time'", "self.all(x, true)", 349526},
	{MAP, "'type':'integer'", "oldSelf.size() == self.size()", 5},
	{STRING, "", "self.contains('test')", 314574},
	{STRING, "", "self.startsWith('test')", 2},
	{STRING, "", "size(self + 'hello') > size('hello')", 314578},
	{STRING, "", "self.matches('x')", 314574},
	{STRING, "", "''.matches('(((((((((())))))))))[0-9]')", 7},
	{STRING, "", "self.matches('')", 1},
	{STRING, "", "self == 'x'", 2},
	{STRING, ",'maxLength':0", "self == 'x'", 1},
	{STRING, ",'enum':['A','B','LongValue']", "self.contains('A')", 2},
	{STRING, "", "self.find('[0-9]+') == ''", 629147},
	{STRING, ",'maxLength':10", "self.find('[0-9]+') == ''", 11},
	/* self twice, a fifth of 40 bytes, and a tenth of 40 * 40 that are made */
	{STRING, ",'maxLength':10", "self.replace('a', self).startsWith('x')", 2 + 8 + 1},
	{STRING, ",'maxLength':10", "self.replace('a', self).lowerAscii() == ''", 2 + 8 + 160},
};

static void test_schema_cost(void)
{
	for (size_t i = 0; i < ARRAY_LEN(costs); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		AUTO(json_doc_unref) struct json_doc *doc = NULL;
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(pattern_set_done) struct pattern_set patterns = {0};
		struct cel_rule rule;

		for (const char *c = costs[i].outer; *c; c++) {
			if (c[0] == '%' && c[1] == 's') {
				buf_puts(&text, costs[i].inner);
				c++;
			} else {
				buf_putc(&text, *c);
			}
		}
		for (size_t k = 0; k < text.len; k++)
			if (text.ptr[k] == '\'')
				text.ptr[k] = '"';
		doc = parse(buf_text(&text));
		cel_compile(str_from(costs[i].rule),
			    cel_type_of_schema(json_doc_root(doc), false, arena), false, arena,
			    &patterns, &rule);
		ok(rule.expr && rule.cost == costs[i].cost, "%s of %s costs %llu, and here %llu",
		   costs[i].rule, costs[i].inner, (unsigned long long)costs[i].cost,
		   (unsigned long long)rule.cost);
	}
}

/* What an evaluation costs, as kube-apiserver's own tests have it. */
static const struct {
	const char *rule;
	uint64_t cost;
} actual[] = {
	{"type(self.a) == int", 4},
	{"self.a == self.b", 5},
	{"double(self.a) < 10.0", 4},
	{"self.s.startsWith('Rook')", 4},
	{"!self.s.startsWith('knight')", 5},
	{"self.s.matches('^[^0-9]*$')", 8},
	{"!self.s.matches('^[0-9]*$')", 7},
	{"size(self.s) == 12", 4},
	{"self.s.charAt(3) == 'k'", 4},
	{"self.s.indexOf('o') == 1", 4},
	{"self.s.indexOf('o', 2) == 2", 4},
	{"self.s.replace(' ', 'x') == 'Rookxtakesxit'", 7},
	{"self.s.split(' ') == ['Rook', 'takes', 'it']", 6},
	{"self.s.substring(4, 10).trim() == 'takes'", 6},
	{"self.s.upperAscii() == 'ROOK TAKES IT'", 6},
	{"self.s in ['Pending', 'Available']", 2},
	{"1 in self.li", 5},
	{"self.li[0] in self.li", 8},
	{"self.li + self.li == [1, 2, 3, 1, 2, 3]", 6},
	{"self.l == [self.l[0], self.l[1]]", 2 + 3 + 3 + 10 + 1},
	{"self.m == {'k': 'v', 'j': 'w'}", 3},
	{"'k' in self.m", 3},
	{"has(self.m.k)", 2},
	{"!(has(self.o.x) && self.o.x > 1)", 3},
	{"self.m.all(k, self.m[k] > 'a')", 2 + 1 + 2 * (4 + 3)},
	{"self.li.exists_one(k, self.li[k - 1] == 2)", 2 + 2 + 3 * (2 + 1 + 1 + 1 + 1) + 2},
	{"size(self.m.filter(k, self.m[k] == 'v')) == 1", 26},
	{"self.l.exists(m, m.endsWith('b'))", 2 + 1 + 2 + 4 + 3},
	{"!self.l.all(m, m.endsWith('b'))", 1 + 2 + 1 + 2 * (2 + 3) + 2},
	{"self.l.map(m, m).exists(v, v == 'b')", 2 + 1 + 2 * 13 + 1 + 2 + 4 + 3},
};

static void test_actual_cost(struct world *world)
{
	AUTO(json_doc_unref)
	struct json_doc *doc =
		parse("{\"a\":1,\"b\":2,\"s\":\"Rook takes it\",\"l\":[\"b\",\"a\"],\"li\":[1,2,3],"
		      "\"m\":{\"k\":\"v\",\"j\":\"w\"},\"o\":{}}");
	struct cel_input input = {.type = world->type, .self = json_doc_root(doc)};

	for (size_t i = 0; i < ARRAY_LEN(actual); i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		struct cel_rule rule;
		uint64_t cost = 0;

		cel_compile(str_from(actual[i].rule), world->type, false, world->arena,
			    &world->patterns, &rule);
		if (rule.expr)
			(void)cel_evaluate(&rule, &input, arena, &cost);
		ok(cost == actual[i].cost, "%s has cost %llu, and here %llu", actual[i].rule,
		   (unsigned long long)actual[i].cost, (unsigned long long)cost);
	}
}

/* The value of a rule, and what it costs; CEL_NULL if it does not compile. */
static struct cel_value evaluate(struct world *world, const char *text,
				 const struct cel_input *input, struct arena *arena, uint64_t *cost)
{
	struct cel_rule rule;

	cel_compile(str_from(text), world->type, false, world->arena, &world->patterns, &rule);
	return rule.expr ? cel_evaluate(&rule, input, arena, cost)
			 : (struct cel_value){.kind = CEL_NULL};
}

/* An object with a long text and long lists. */
static struct json_doc *make_large(size_t size)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "{\"s\":\"");
	for (size_t i = 0; i < size; i++)
		buf_putc(&text, 'a');
	buf_puts(&text, "\",\"li\":[");
	for (size_t i = 0; i < size; i++)
		buf_printf(&text, "%s%zu", i ? "," : "", i % 10);
	buf_puts(&text, "],\"m\":{");
	for (size_t i = 0; i < size / 10; i++)
		buf_printf(&text, "%s\"k%zu\":\"v\"", i ? "," : "", i);
	buf_puts(&text, "},\"ll\":[[\"x\"]");
	for (size_t i = 0; i < size / 10; i++)
		buf_puts(&text, ",[\"x\"]");
	buf_puts(&text, "]}");
	return parse(buf_text(&text));
}

/* Rules that make or read far more than the object has: each ends, and uses little memory. */
static void test_bounds(struct world *world)
{
	static const char *const rules[] = {
		"self.s.replace('a', self.s).size() > 0",
		"self.s.replace('', self.s).size() > 0",
		"self.li.map(x, self.s).join('').size() > 0",
		"self.li.map(x, self.s).join(self.s).size() > 0",
		"self.li.all(x, (self.s + self.s).size() > 0)",
		"self.li.all(x, self.s.upperAscii() != '')",
		"self.li.all(x, size(self.s) > 0)",
		"self.li.all(x, self.s.charAt(80000) == 'a')",
		"self.li.all(x, self.li == self.li)",
		"self.li.all(x, self.ll == self.ll)",
		"self.li.all(x, self.m == self.m)",
		"self.li.all(x, self.li + self.li != [])",
		"self.li.all(x, [self.s].map(y, y + 'b').size() == 1)",
		"self.li.all(x, '%s'.format([self.li]) != '')",
		"self.li.all(x, '%x'.format([self.s]) != '')",
		"self.li.all(x, self.s.split('').size() > 0)",
		"self.li.all(x, self.s.lastIndexOf('ab') < 0)",
		"self.li.all(x, self.li.all(y, true))",
		"self.li.all(x, !self.s.matches('b'))",
		"self.li.all(x, self.s.findAll('b').size() == 0)",
		"self.li.all(x, sets.equivalent(self.li, self.li))",
		"self.li.all(x, self.m.transformMap(k, v, v).size() > 0)",
		"false && self.li == [] || self.li.all(x, self.li.all(y, true)) || true",
	};
	AUTO(json_doc_unref) struct json_doc *doc = make_large(90000);
	struct cel_input input = {.type = world->type, .self = json_doc_root(doc)};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		uint64_t cost = 0;
		struct cel_value value = evaluate(world, rules[i], &input, arena, &cost);

		ok(value.kind == CEL_ERROR && str_is(value.text, CEL_CANCELLED),
		   "%s is cancelled, and here %.*s", rules[i], STR_ARG(value.text));
		ok(arena_used(arena) <= LIMIT_CEL_BYTES, "... with %zu bytes", arena_used(arena));
	}
}

/* A rule whose work is linear in the object is not cancelled, even if it visits everything by index
 * or key. */
static void test_linear(struct world *world)
{
	static const char *const rules[] = {
		"self.li.all(x, x < 10)",
		"self.li.map(x, x + 1).size() == 30000",
		"self.m.all(k, self.m[k] == 'v')",
		"self.ll.all(i, x, self.ll[i] == x)",
		"self.s.replace('a', 'b').size() == 30000",
		"self.s.split('').size() == 30000",
		"self.s.lastIndexOf('b') == -1",
		"self.li + self.li != self.li",
		"self.li.all(i, x, self.li[i] == x)",
	};
	AUTO(json_doc_unref) struct json_doc *doc = make_large(30000);
	struct cel_input input = {.type = world->type, .self = json_doc_root(doc)};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		uint64_t cost = 0;
		struct cel_value value = evaluate(world, rules[i], &input, arena, &cost);

		ok(value.kind == CEL_BOOL && value.truth, "%s holds, for %llu %.*s", rules[i],
		   (unsigned long long)cost, STR_ARG(value.text));
	}
}

int main(void)
{
	struct world world;

	world_init(&world);
	test_issues(&world);
	test_place(&world);
	test_values(&world);
	test_cost(&world);
	test_schema_cost();
	test_actual_cost(&world);
	test_bounds(&world);
	test_linear(&world);
	world_done(&world);
	return tap_done();
}
