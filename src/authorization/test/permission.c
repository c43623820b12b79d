/* SPDX-License-Identifier: Apache-2.0 */
/* What one rule permits and covers. */
#include "authorization/permission.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quoted.h"
#include "tap.h"

static struct policy_rule decode(struct json_doc *doc, struct arena *arena)
{
	struct policy_rule rule = {0};
	struct err err;

	if (type_decode(&policy_rule_type, json_doc_root(doc), arena, &rule, &err) < 0)
		printf("# %s\n", err.text);
	return rule;
}

/* `what` is "verb group plural/sub name" with "-" for nothing, or "verb /path". */
static struct access read_access(const char *what)
{
	struct str rest = str_from(what), plural, part;
	struct access access = {.sub = STR(""), .namespace = STR(""), .name = STR("")};

	(void)str_split(&rest, ' ', &access.verb);
	if (str_starts(rest, STR("/"))) {
		access.path = rest;
		return access;
	}
	(void)str_split(&rest, ' ', &access.group);
	if (str_is(access.group, "-"))
		access.group = STR("");
	(void)str_split(&rest, ' ', &part);
	plural = part;
	(void)str_split(&plural, '/', &access.plural);
	if (plural.len)
		access.sub = plural;
	if (rest.len)
		access.name = rest;
	return access;
}

static const struct {
	const char *rule;
	const char *what;
	bool allowed;
} cases[] = {
	{"{'verbs':['get'],'apiGroups':[''],'resources':['pods']}", "get - pods a", true},
	{"{'verbs':['get'],'apiGroups':[''],'resources':['pods']}", "get - pods/log a", false},
	{"{'verbs':['get'],'apiGroups':[''],'resources':['pods/*']}", "get - pods/log a", false},
	{"{'verbs':['get'],'apiGroups':[''],'resources':['pods/log']}", "get - pods/log a", true},
	{"{'verbs':['get'],'apiGroups':[''],'resources':['pods/log']}", "get - pods a", false},
	{"{'verbs':['get'],'apiGroups':['*'],'resources':['*/scale']}", "get apps x/scale a", true},
	{"{'verbs':['get'],'apiGroups':['*'],'resources':['*/scale']}", "get apps x/status a",
	 false},
	{"{'verbs':['get'],'apiGroups':['*'],'resources':['*/scale']}", "get apps scale a", false},
	{"{'verbs':['get'],'apiGroups':['*'],'resources':['*']}", "get apps x/scale a", true},
	{"{'verbs':['*'],'apiGroups':['apps'],'resources':['*']}", "get - pods a", false},
	{"{'verbs':['*'],'apiGroups':[''],'resources':['*']}", "get - pods a", true},
	{"{'verbs':['list'],'apiGroups':[''],'resources':['pods']}", "get - pods a", false},
	{"{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']}",
	 "get - pods a", true},
	{"{'verbs':['get'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']}",
	 "get - pods b", false},
	{"{'verbs':['list'],'apiGroups':[''],'resources':['pods'],'resourceNames':['a']}",
	 "list - pods", false},
	{"{'verbs':['get'],'apiGroups':['*'],'resources':['*']}", "get /api", false},
	{"{'verbs':['get'],'nonResourceURLs':['/api']}", "get /api", true},
	{"{'verbs':['get'],'nonResourceURLs':['/api']}", "get /api/", false},
	{"{'verbs':['get'],'nonResourceURLs':['/api/*']}", "get /api/v1", true},
	{"{'verbs':['get'],'nonResourceURLs':['/api/*']}", "get /api", false},
	{"{'verbs':['get'],'nonResourceURLs':['/api*']}", "get /apis", true},
	{"{'verbs':['get'],'nonResourceURLs':['/a*b']}", "get /axb", false},
	{"{'verbs':['get'],'nonResourceURLs':['*']}", "get /x", true},
	{"{'verbs':['*'],'nonResourceURLs':['/x']}", "post /x", true},
	{"{'verbs':[],'apiGroups':['*'],'resources':['*']}", "get - pods a", false},
	{"{}", "get - pods a", false},
};

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(cases[i].rule);
		struct policy_rule rule = decode(doc, arena);
		struct access access = read_access(cases[i].what);

		ok(permission_allows(&rule, &access) == cases[i].allowed, "%s: %s: %s",
		   cases[i].rule, cases[i].what, cases[i].allowed ? "yes" : "no");
	}
}

static void test_parts(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref)
	struct json_doc *doc = quoted_doc("{'verbs':['get','list'],'apiGroups':['','apps'],"
					  "'resources':['a','b'],'resourceNames':['x','y'],"
					  "'nonResourceURLs':['/u']}");
	struct policy_rule rule = decode(doc, arena);
	struct permission_part part = permission_part(&rule, 3);

	ok(permission_part_count(&rule) == 18, "16 parts of resources, 2 of URLs");
	ok(str_is(part.group, "") && str_is(part.resource, "a") && str_is(part.verb, "list") &&
		   str_is(part.name, "y"),
	   "names change first, then verbs");
	part = permission_part(&rule, 17);
	ok(str_is(part.url, "/u") && str_is(part.verb, "list") && str_is_none(part.resource),
	   "URLs come last");
	rule.verbs.len = rule.api_groups.len = rule.resources.len = SIZE_MAX / 2;
	ok(permission_part_count(&rule) == SIZE_MAX, "a number that is too large is the largest");
}

/* A rule covers every part of itself, and what it does not allow it does not cover. */
static void test_cover(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(cases[i].rule);
		struct policy_rule rule = decode(doc, arena);
		bool all = true;

		for (size_t j = 0; j < permission_part_count(&rule); j++) {
			struct permission_part part = permission_part(&rule, j);

			all = all && permission_covers(&rule, &part);
		}
		ok(all, "%s covers itself", cases[i].rule);
	}
}

int main(void)
{
	test_cases();
	test_parts();
	test_cover();
	return tap_done();
}
