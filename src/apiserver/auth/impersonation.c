/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/impersonation.c - see impersonation.h. All fields are gathered first, then each is checked with the
 * rights of the user who asks; only then does the call get the other user. */
#include "apiserver/auth/impersonation.h"

#include "apiserver/auth/access.h"
#include "apiserver/auth/auth.h"
#include "apiserver/request/call.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/url.h"
#include "base/vec.h"
#include "http/headers.h"

#include "base/banned.h"

#define AUTHENTICATION "authentication.k8s.io"
#define EXTRA STR("impersonate-extra-")

enum { MORE_GROUPS = 3 };

struct wanted {
	struct str name;
	VEC(struct str) groups;
	VEC(struct user_extra) extra;
	struct str uid;
};

static void wanted_done(struct wanted *wanted)
{
	vec_done(&wanted->groups);
	vec_done(&wanted->extra);
}
DEFINE_AUTO_IN_PLACE(struct wanted, wanted_done);

/* The key of an extra field; what is wrongly encoded stays as it is. */
static struct str extra_key(struct call *call, struct str encoded)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct err err;

	if (url_decode_path(encoded, &key, &err) < 0)
		return arena_str(call->arena, encoded);
	return arena_str(call->arena, buf_str(&key));
}

static void read_fields(struct call *call, const struct headers *headers, struct wanted *ret)
{
	ret->name = headers_get(headers, STR("impersonate-user"));
	ret->uid = headers_get(headers, STR("impersonate-uid"));
	for (size_t i = 0; i < headers_count(headers); i++) {
		struct str name = headers_name(headers, i);

		if (str_is(name, "impersonate-group"))
			vec_push(&ret->groups, headers_value(headers, i));
		else if (str_starts(name, EXTRA))
			vec_push(&ret->extra,
				 ((struct user_extra){extra_key(call, str_skip(name, EXTRA.len)),
						      headers_value(headers, i)}));
	}
}

/* Without a user it is not known whom to act as. As Go prints the references that kube-apiserver makes of the fields. */
static int refuse_nameless(const struct wanted *wanted, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const char *gap = "";

	for (size_t i = 0; i < wanted->groups.len; i++, gap = " ")
		buf_printf(&text, "%s{Group  %.*s    }", gap, STR_ARG(wanted->groups.ptr[i]));
	for (size_t i = 0; i < wanted->extra.len; i++, gap = " ")
		buf_printf(&text, "%s{UserExtra  %.*s  " AUTHENTICATION "/v1  %.*s}", gap,
			   STR_ARG(wanted->extra.ptr[i].value), STR_ARG(wanted->extra.ptr[i].key));
	if (wanted->uid.len)
		buf_printf(&text, "%s{UID  %.*s  " AUTHENTICATION "/v1  }", gap,
			   STR_ARG(wanted->uid));
	return err_set(err, ERR_BAD_REQUEST, "requested [%s] without impersonating a user",
		       buf_text(&text));
}

static int check_name(struct call *call, struct str name, struct err *err)
{
	struct user user = {.name = name};
	struct str namespace = user_account_namespace(&user);
	struct access access = {.verb = STR("impersonate"),
				.group = STR(""),
				.plural = STR("users"),
				.sub = STR(""),
				.namespace = STR(""),
				.name = name};

	if (namespace.len) {
		access.plural = STR("serviceaccounts");
		access.namespace = namespace;
		access.name = str_skip(name, USER_ACCOUNT_PREFIX.len + namespace.len + 1);
	}
	return auth_check(call, &access, err);
}

static int check_other(struct call *call, const char *plural, struct str sub, struct str name,
		       struct err *err)
{
	bool group = str_is(STR("groups"), plural);
	struct access access = {.verb = STR("impersonate"),
				.group = group ? STR("") : STR(AUTHENTICATION),
				.plural = str_from(plural),
				.sub = sub,
				.namespace = STR(""),
				.name = name};

	return auth_check(call, &access, err);
}

static int check(struct call *call, const struct wanted *wanted, struct err *err)
{
	if (check_name(call, wanted->name, err) < 0)
		return -1;
	for (size_t i = 0; i < wanted->groups.len; i++)
		if (check_other(call, "groups", STR(""), wanted->groups.ptr[i], err) < 0)
			return -1;
	for (size_t i = 0; i < wanted->extra.len; i++)
		if (check_other(call, "userextras", wanted->extra.ptr[i].key,
				wanted->extra.ptr[i].value, err) < 0)
			return -1;
	return wanted->uid.len ? check_other(call, "uids", STR(""), wanted->uid, err) : 0;
}

/* Everyone is in one of two groups, authenticated or not, unless the fields say which. */
static struct str base_group(const struct wanted *wanted)
{
	bool anonymous = str_eq(wanted->name, USER_ANONYMOUS);
	struct user user = {.groups = wanted->groups.ptr, .group_count = wanted->groups.len};

	if (user_has_group(&user, GROUP_UNAUTHENTICATED) ||
	    (!anonymous && user_has_group(&user, GROUP_AUTHENTICATED)))
		return str_none();
	return anonymous ? GROUP_UNAUTHENTICATED : GROUP_AUTHENTICATED;
}

static void put_user(struct call *call, const struct wanted *wanted)
{
	struct arena *arena = call->arena;
	size_t count = wanted->groups.len;
	struct str *groups = arena_calloc(arena, count + MORE_GROUPS, sizeof(*groups));
	struct user_extra *extra = arena_calloc(arena, wanted->extra.len + 1, sizeof(*extra));
	struct user user = {.name = arena_str(arena, wanted->name), .groups = groups};
	struct str namespace = user_account_namespace(&user);
	struct str base = base_group(wanted);

	for (size_t i = 0; i < count; i++)
		groups[i] = arena_str(arena, wanted->groups.ptr[i]);
	if (namespace.len && !count) {
		groups[count++] = GROUP_ACCOUNTS;
		groups[count++] = str_from(arena_printf(arena, "%.*s:%.*s", STR_ARG(GROUP_ACCOUNTS),
							STR_ARG(namespace)));
	}
	if (base.len)
		groups[count++] = base;
	user.group_count = count;
	for (size_t i = 0; i < wanted->extra.len; i++)
		extra[i] = (struct user_extra){wanted->extra.ptr[i].key,
					       arena_str(arena, wanted->extra.ptr[i].value)};
	user.extra = extra;
	user.extra_count = wanted->extra.len;
	if (wanted->uid.len)
		user.uid = arena_str(arena, wanted->uid);
	call->user = user;
}

int impersonation_apply(struct call *call, const struct headers *headers, struct err *err)
{
	AUTO(wanted_done) struct wanted wanted = {0};

	read_fields(call, headers, &wanted);
	if (!wanted.name.len && !wanted.groups.len && !wanted.extra.len && !wanted.uid.len)
		return 0;
	if (!wanted.name.len)
		return refuse_nameless(&wanted, err);
	if (check(call, &wanted, err) < 0)
		return -1;
	put_user(call, &wanted);
	return 0;
}
