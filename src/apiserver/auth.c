/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth.c - who is calling. Tokens are few and looked at one by one, each in constant
 * time. */
#include "apiserver/auth.h"

#include <ctype.h>

#include "apiserver/api_internal.h"
#include "apiserver/route.h"
#include "apiserver/token.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "http/headers.h"
#include "http/stream.h"

#include "base/banned.h"

#define GROUP_AUTHENTICATED STR("system:authenticated")
#define USER_ANONYMOUS STR("system:anonymous")
#define GROUP_ANONYMOUS STR("system:unauthenticated")

struct token {
	struct str text;
	struct user user;
};

struct auth {
	struct api *api; /* whose accounts are known; NULL: none */
	struct arena *memory;
	VEC(struct token) tokens;
};

struct auth *auth_new(void)
{
	struct auth *auth = mem_new(struct auth);

	auth->memory = arena_new(0);
	return auth;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	arena_free(auth->memory);
	vec_done(&auth->tokens);
	mem_free(auth);
}

void auth_set_api(struct auth *auth, struct api *api)
{
	auth->api = api;
	api->auth = auth;
}

/* A copy of the user, with one more group that everybody of its sort is in. */
static struct user user_copy(struct arena *arena, struct str name, const struct str *groups,
			     size_t count, struct str more)
{
	struct str *copy = arena_calloc(arena, count + 1, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = arena_str(arena, groups[i]);
	copy[count] = more;
	return (struct user){arena_str(arena, name), copy, count + 1};
}

void auth_add_token(struct auth *auth, struct str token, const struct user *user)
{
	struct token added = {
		.text = arena_str(auth->memory, token),
		.user = user_copy(auth->memory, user->name, user->groups, user->group_count,
				  GROUP_AUTHENTICATED),
	};

	vec_push(&auth->tokens, added);
}

/* Takes the same time wherever they differ. */
static bool same_secret(struct str a, struct str b)
{
	unsigned char differs = a.len != b.len;

	for (size_t i = 0; i < a.len && i < b.len; i++)
		differs |= (unsigned char)(a.ptr[i] ^ b.ptr[i]);
	return !differs;
}

const struct user *auth_find_token(const struct auth *auth, struct str text)
{
	const struct user *found = NULL;

	for (size_t i = 0; i < auth->tokens.len; i++)
		if (same_secret(auth->tokens.ptr[i].text, text))
			found = &auth->tokens.ptr[i].user;
	return found;
}

static struct user user_of_peer(struct arena *arena, const struct stream_peer *peer)
{
	struct str *groups = arena_calloc(arena, peer->group_count, sizeof(*groups));

	for (size_t i = 0; i < peer->group_count; i++)
		groups[i] = str_from(peer->groups[i]);
	return user_copy(arena, str_from(peer->name), groups, peer->group_count,
			 GROUP_AUTHENTICATED);
}

int auth_identify(const struct auth *auth, const struct stream_peer *peer, struct str authorization,
		  struct arena *arena, struct user *ret, struct err *err)
{
	static const struct str scheme = STR_INIT("bearer ");

	if (peer->name) {
		*ret = user_of_peer(arena, peer);
		return 0;
	}
	if (str_eq_nocase(str_slice(authorization, 0, scheme.len), scheme)) {
		struct str token = str_trim(str_skip(authorization, scheme.len));
		const struct user *user = auth_find_token(auth, token);

		if (!user && auth->api)
			return token_identify(auth->api, token, arena, ret, err);
		if (!user)
			return err_set(err, ERR_UNAUTHORIZED, "Unauthorized");
		*ret = *user;
		return 0;
	}
	if (peer->untrusted)
		return err_set(err, ERR_UNAUTHORIZED, "Unauthorized");
	*ret = user_copy(arena, USER_ANONYMOUS, NULL, 0, GROUP_ANONYMOUS);
	return 0;
}

/* --- files of tokens --- */

/* One field of a line of comma-separated values; quotes around it keep commas. */
static bool next_field(struct str *rest, struct str *ret)
{
	struct str text = *rest;
	ptrdiff_t end;

	if (str_is_none(text))
		return false;
	if (text.len == 0 || text.ptr[0] != '"')
		return str_split(rest, ',', ret);
	end = str_find_byte(text, '"', 1);
	if (end < 0)
		return false;
	*ret = str_slice(text, 1, (size_t)end);
	*rest = (size_t)end + 1 < text.len ? str_skip(text, (size_t)end + 2) : str_none();
	return true;
}

static int add_line(struct auth *auth, struct str line, struct err *err)
{
	enum { TOKEN, USER, UID, GROUPS, FIELDS };
	struct str fields[FIELDS] = {{NULL, 0}};
	size_t count = 0;
	VEC(struct str) groups = {0};
	struct str group;

	while (count < FIELDS && next_field(&line, &fields[count]))
		count++;
	if (count < GROUPS || !fields[TOKEN].len || !fields[USER].len || line.len)
		return err_set(err, ERR_INVALID, "must be token,user,uid[,\"group1,group2\"]");
	while (str_split(&fields[GROUPS], ',', &group))
		if (str_trim(group).len)
			vec_push(&groups, str_trim(group));
	auth_add_token(auth, fields[TOKEN], &(struct user){fields[USER], groups.ptr, groups.len});
	vec_done(&groups);
	return 0;
}

int auth_add_tokens(struct auth *auth, struct str csv, struct err *err)
{
	struct str line;
	size_t number = 0;

	while (str_split(&csv, '\n', &line)) {
		number++;
		line = str_trim(line);
		if (line.len && line.ptr[0] != '#' && add_line(auth, line, err) < 0)
			return err_wrap(err, "line %zu", number);
	}
	return 0;
}

/* --- what one may --- */

static bool is_known(const struct user *user)
{
	return !str_eq(user->name, USER_ANONYMOUS);
}

/* What even those may see whom nobody knows. */
static bool is_open(struct str path)
{
	static const char *const open[] = {"/healthz", "/livez", "/readyz", "/version"};

	for (size_t i = 0; i < ARRAY_LEN(open); i++) {
		struct str prefix = str_from(open[i]);
		struct str rest = str_skip(path, prefix.len);

		if (str_starts(path, prefix) && (rest.len == 0 || rest.ptr[0] == '/'))
			return true;
	}
	return false;
}

int auth_impersonate(struct call *call, const struct headers *headers, struct err *err)
{
	struct str name = headers_get(headers, STR("impersonate-user"));
	VEC(struct str) groups = {0};

	for (size_t i = 0; i < headers_count(headers); i++)
		if (str_is(headers_name(headers, i), "impersonate-group"))
			vec_push(&groups, headers_value(headers, i));
	if (name.len && is_known(&call->user)) {
		call->user =
			user_copy(call->arena, name, groups.ptr, groups.len, GROUP_AUTHENTICATED);
		vec_done(&groups);
		return 0;
	}
	vec_done(&groups);
	if (name.len)
		return err_set(err, ERR_FORBIDDEN,
			       "users \"%.*s\" is forbidden: User \"%.*s\" cannot impersonate "
			       "resource \"users\" in API group \"\" at the cluster scope",
			       STR_ARG(name), STR_ARG(call->user.name));
	if (headers_has(headers, STR("impersonate-group")) ||
	    headers_has(headers, STR("impersonate-uid")))
		return err_set(err, ERR_BAD_REQUEST,
			       "groups are to be impersonated without a user");
	return 0;
}

static int refuse_resource(struct call *call, const struct route *route, enum verb verb,
			   struct err *err)
{
	const char *resource = arena_printf(call->arena, "%.*s%s%.*s", STR_ARG(route->plural),
					    route->sub.len ? "/" : "", STR_ARG(route->sub));
	const char *where = route->namespace.len
				    ? arena_printf(call->arena, "in the namespace \"%.*s\"",
						   STR_ARG(route->namespace))
				    : "at the cluster scope";
	const char *whose =
		route->name.len ? arena_printf(call->arena, "%.*s%s%.*s \"%.*s\"",
					       STR_ARG(route->plural), route->group.len ? "." : "",
					       STR_ARG(route->group), STR_ARG(route->name))
				: arena_printf(call->arena, "%.*s%s%.*s", STR_ARG(route->plural),
					       route->group.len ? "." : "", STR_ARG(route->group));

	call->error_name = arena_str(call->arena, route->name);
	return err_set(err, ERR_FORBIDDEN,
		       "%s is forbidden: User \"%.*s\" cannot %s resource \"%s\" in API group "
		       "\"%.*s\" %s",
		       whose, STR_ARG(call->user.name), verb_name(verb), resource,
		       STR_ARG(route->group), where);
}

int auth_authorize(struct call *call, const struct route *route, enum verb verb, struct str method,
		   struct str path, struct err *err)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

	if (is_known(&call->user))
		return 0;
	if (route->class == ROUTE_RESOURCE && verb != VERB_COUNT)
		return refuse_resource(call, route, verb, err);
	if (is_open(path))
		return 0;
	for (size_t i = 0; i < method.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)method.ptr[i]));
	return err_set(err, ERR_FORBIDDEN, "forbidden: User \"%.*s\" cannot %s path \"%.*s\"",
		       STR_ARG(call->user.name), buf_text(&lower), STR_ARG(path));
}
