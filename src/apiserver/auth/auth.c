/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/auth.c - who is calling. Tokens are few and looked at one by one, each in constant
 * time. */
#include "apiserver/auth/auth.h"

#include <ctype.h>

#include "apiserver/api_internal.h"
#include "apiserver/auth/access.h"
#include "apiserver/auth/token.h"
#include "apiserver/request/route.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"
#include "base/vec.h"
#include "http/stream.h"
#include "model/value/fieldselector.h"

#include "base/banned.h"

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

enum { MORE_GROUPS = 3 };

/* A copy of the user, with space for more groups. */
static struct user user_copy(struct arena *arena, struct str name, const struct str *groups,
			     size_t count, struct str **ret_more)
{
	struct str *copy = arena_calloc(arena, count + MORE_GROUPS, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = arena_str(arena, groups[i]);
	*ret_more = copy + count;
	return (struct user){.name = arena_str(arena, name), .groups = copy, .group_count = count};
}

/* Someone whom the administrator has given a certificate or a token: in addition to the groups that
 * these name, they are a user, unless they are an administrator. */
static struct user user_known(struct arena *arena, struct str name, const struct str *groups,
			      size_t count)
{
	struct str *more;
	struct user user = user_copy(arena, name, groups, count, &more);

	if (!user_has_group(&user, GROUP_ADMINISTRATORS)) {
		*more++ = GROUP_USERS;
		user.group_count++;
	}
	*more = GROUP_AUTHENTICATED;
	user.group_count++;
	return user;
}

void auth_add_token(struct auth *auth, struct str token, const struct user *user)
{
	struct token added = {
		.text = arena_str(auth->memory, token),
		.user = user_known(auth->memory, user->name, user->groups, user->group_count),
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
	return user_known(arena, str_from(peer->name), groups, peer->group_count);
}

static struct user user_anonymous(struct arena *arena)
{
	struct str *more;
	struct user user = user_copy(arena, USER_ANONYMOUS, NULL, 0, &more);

	*more = GROUP_UNAUTHENTICATED;
	user.group_count = 1;
	return user;
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
	*ret = user_anonymous(arena);
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
	auth_add_token(auth, fields[TOKEN],
		       &(struct user){.name = fields[USER],
				      .groups = groups.ptr,
				      .group_count = groups.len});
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

/* A namespace is in itself, as for kube-apiserver. */
static struct str namespace_of(struct str group, struct str plural, struct str namespace,
			       struct str name)
{
	return !group.len && str_is(plural, "namespaces") && name.len ? name : namespace;
}

/* What the user cannot do, in Kubernetes' words. `why` may be empty. */
static int refuse_resource(struct call *call, const struct access *access, const struct buf *why,
			   struct err *err)
{
	struct str name = access->name;
	const char *dot = access->group.len ? "." : "";
	const char *where = access->namespace.len
				    ? arena_printf(call->arena, "in the namespace \"%.*s\"",
						   STR_ARG(access->namespace))
				    : "at the cluster scope";
	const char *which = name.len ? arena_printf(call->arena, " \"%.*s\"", STR_ARG(name)) : "";

	call->error.name = arena_str(call->arena, name);
	call->error.kind = arena_str(call->arena, access->plural);
	call->error.group = arena_str(call->arena, access->group);
	return err_set(err, ERR_FORBIDDEN,
		       "%.*s%s%.*s%s is forbidden: User \"%.*s\" cannot %.*s resource "
		       "\"%.*s%s%.*s\" in API group \"%.*s\" %s%s%s",
		       STR_ARG(access->plural), dot, STR_ARG(access->group), which,
		       STR_ARG(call->user.name), STR_ARG(access->verb), STR_ARG(access->plural),
		       access->sub.len ? "/" : "", STR_ARG(access->sub), STR_ARG(access->group),
		       where, why->len ? ": " : "", buf_text(why));
}

int auth_check(struct call *call, const struct access *access, struct err *err)
{
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;

	if (access_is_allowed_by(call->api, &call->user, access, NULL))
		return 0;
	(void)access_is_allowed_by(call->api, &call->user, access, &why);
	if (str_is_none(access->path))
		return refuse_resource(call, access, &why, err);
	return err_set(err, ERR_FORBIDDEN, "forbidden: User \"%.*s\" cannot %.*s path \"%.*s\"",
		       STR_ARG(call->user.name), STR_ARG(access->verb), STR_ARG(access->path));
}

static struct str lower_case(struct call *call, struct str text)
{
	char *lower = arena_alloc(call->arena, text.len + 1);

	for (size_t i = 0; i < text.len; i++)
		lower[i] = (char)tolower((unsigned char)text.ptr[i]);
	return str_of(lower, text.len);
}

/* What a method is called that is no verb of the API at this place. */
static struct str method_verb(struct call *call, struct str method, bool named)
{
	static const char *const names[][2] = {
		{"POST", "create"}, {"PUT", "update"}, {"PATCH", "patch"}};

	if (str_is(method, "HEAD"))
		return named ? STR("get") : STR("list");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(method, names[i][0]))
			return str_from(names[i][1]);
	return lower_case(call, method);
}

/* The one object that a list, a watch or a removal is about by its field selector; none: there may be more. */
static struct str selected_name(struct call *call, enum verb verb, const struct query *query)
{
	struct str text = query_get(query, STR("fieldSelector"));
	struct field_selector selector;
	const struct str *name;
	struct err err;

	if ((verb != VERB_LIST && verb != VERB_WATCH && verb != VERB_DELETE_COLLECTION) ||
	    !text.len || field_selector_parse(text, call->arena, &selector, &err) < 0)
		return STR("");
	name = field_selector_exact(&selector, STR("metadata.name"));
	return name ? arena_str(call->arena, *name) : STR("");
}

int auth_authorize(struct call *call, const struct route *route, enum verb verb,
		   const struct auth_request *request, struct err *err)
{
	struct str method = request->method;
	const struct query *query = request->query;
	struct access access = {.verb = lower_case(call, method), .path = request->path};

	if (route->class == ROUTE_RESOURCE)
		access = (struct access){
			.verb = verb == VERB_COUNT ? method_verb(call, method, route->name.len > 0)
						   : str_from(verb_name(verb)),
			.group = route->group,
			.plural = route->plural,
			.sub = route->sub,
			.namespace = namespace_of(route->group, route->plural, route->namespace,
						  route->name),
			.name = route->name.len ? route->name : selected_name(call, verb, query),
		};
	return auth_check(call, &access, err);
}

int auth_authorize_call(struct call *call, struct err *err)
{
	const struct kind *kind = call->kind;

	return auth_check(call,
			  &(struct access){
				  .verb = str_from(verb_name(call->verb)),
				  .group = kind->group,
				  .plural = kind->plural,
				  .sub = call->sub,
				  .namespace = namespace_of(kind->group, kind->plural,
							    call->namespace, call->name),
				  .name = call->name,
			  },
			  err);
}
