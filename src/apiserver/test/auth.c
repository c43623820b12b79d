/* SPDX-License-Identifier: Apache-2.0 */
/* Authentication: tokens from a file, certificates, and anonymous. */
#include "apiserver/auth/auth.h"

#include <stdio.h>

#include "base/arena.h"
#include "http/stream.h"
#include "tap.h"

static const struct {
	const char *csv, *error; /* NULL: it is good */
} files[] = {
	{"", NULL},
	{"# a comment\n\nabc,marie,1\n", NULL},
	{"abc,marie,1,\"dev,ops\"\r\nxyz,jo,2,dev\n", NULL},
	{"abc", "line 1: must be token,user,uid[,\"group1,group2\"]"},
	{"abc,marie,1\n,jo,2\n", "line 2: must be token,user,uid[,\"group1,group2\"]"},
	{"abc,,1", "line 1: must be token,user,uid[,\"group1,group2\"]"},
	{"abc,marie,1,\"dev", "line 1: must be token,user,uid[,\"group1,group2\"]"},
	{"abc,marie,1,dev,more", "line 1: must be token,user,uid[,\"group1,group2\"]"},
};

static void test_files(void)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(auth_free) struct auth *auth = auth_new();
		struct err err = {0};
		int rc = auth_add_tokens(auth, str_from(files[i].csv), &err);

		ok((rc == 0) == !files[i].error, "file %zu", i);
		is(err.text, files[i].error ? files[i].error : "");
	}
}

/* "name:group,group," or what is wrong. */
static const char *identify(const struct auth *auth, const struct stream_peer *peer,
			    const char *authorization, struct arena *arena)
{
	struct err err;
	struct user user;
	const char *text;

	if (auth_identify(auth, peer, str_from(authorization), arena, &user, &err) < 0)
		return arena_strdup(arena, err.text);
	text = arena_printf(arena, "%.*s:", STR_ARG(user.name));
	for (size_t i = 0; i < user.group_count; i++)
		text = arena_printf(arena, "%s%.*s,", text, STR_ARG(user.groups[i]));
	return text;
}

static void test_identities(void)
{
	static const char *const groups[] = {"system:masters", "x"};
	struct stream_peer nobody = {.uid = -1};
	struct stream_peer admin = {
		.uid = -1, .name = "admin", .groups = groups, .group_count = ARRAY_LEN(groups)};
	struct stream_peer stranger = {.uid = -1, .untrusted = true};
	AUTO(auth_free) struct auth *auth = auth_new();
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct err err;

	ok(auth_add_tokens(auth, STR("abc,marie,1,\"dev, ops\"\nabcd,jo,2\n"), &err) == 0,
	   "two tokens");
	is(identify(auth, &nobody, NULL, arena), "system:anonymous:system:unauthenticated,");
	is(identify(auth, &nobody, "Bearer abc", arena),
	   "marie:dev,ops,volcano:users,system:authenticated,");
	is(identify(auth, &nobody, "bearer  abcd ", arena),
	   "jo:volcano:users,system:authenticated,");
	is(identify(auth, &nobody, "Bearer ab", arena), "Unauthorized");
	is(identify(auth, &nobody, "Bearer ", arena), "Unauthorized");
	is(identify(auth, &nobody, "Basic YTpi", arena),
	   "system:anonymous:system:unauthenticated,");
	is(identify(auth, &admin, NULL, arena), "admin:system:masters,x,system:authenticated,");
	is(identify(auth, &admin, "Bearer abcd", arena),
	   "admin:system:masters,x,system:authenticated,");
	is(identify(auth, &admin, "Bearer ab", arena),
	   "admin:system:masters,x,system:authenticated,");
	is(identify(auth, &stranger, "Bearer abcd", arena),
	   "jo:volcano:users,system:authenticated,");
	is(identify(auth, &stranger, NULL, arena), "Unauthorized");
}

int main(void)
{
	test_files();
	test_identities();
	return tap_done();
}
