/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/token.c - tokens of service accounts: HEADER.CLAIMS.MAC, each in base64 as it goes into URLs.
 *
 * Nothing of a token is looked at before its MAC is found right. */
#include "apiserver/auth/token.h"

#include <assert.h>

#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/time.h"
#include "base/uuid.h"
#include "http/mac.h"
#include "loop/loop.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define HEADER "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"

enum { TOKEN_MAX = 8 * 1024 };

/* --- base64 without padding, with - and _ --- */

static void put_part(struct buf *to, struct str bytes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	base64_print(&text, bytes.ptr, bytes.len);
	for (size_t i = 0; i < text.len && text.ptr[i] != '='; i++)
		buf_putc(to, text.ptr[i] == '+' ? '-' : text.ptr[i] == '/' ? '_' : text.ptr[i]);
}

static int read_part(struct str part, struct buf *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < part.len; i++)
		buf_putc(&text, part.ptr[i] == '-' ? '+' : part.ptr[i] == '_' ? '/' : part.ptr[i]);
	while (text.len % 4)
		buf_putc(&text, '=');
	return base64_parse(buf_str(&text), to, NULL);
}

/* --- making --- */

static struct json named(struct json_doc *doc, struct str name, struct str uid)
{
	struct json object = json_new_obj(doc);

	json_set_str(doc, object, "name", name);
	json_set_str(doc, object, "uid", uid);
	return object;
}

static void put_id(struct api *api, struct json_doc *doc, struct json claims)
{
	uint8_t bytes[16];
	char text[UUID_TEXT_SIZE];

	loop_random(api_loop(api), bytes, sizeof(bytes));
	json_set_str(doc, claims, "jti", str_from(uuid_print(bytes, text)));
}

static void print_claims(struct api *api, const struct token_claims *from, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json claims = json_new_obj(doc);
	struct json own = json_new_obj(doc);

	json_doc_set_root(doc, claims);
	json_set(doc, claims, STR("aud"), json_new_copy(doc, from->audiences));
	json_set_int(doc, claims, "exp", from->expires / TIME_SECOND);
	json_set_int(doc, claims, "iat", from->issued / TIME_SECOND);
	json_set_str(doc, claims, "iss", STR(TOKEN_ISSUER));
	put_id(api, doc, claims);
	json_set_str(doc, own, "namespace", from->namespace);
	if (from->pod.len)
		json_set(doc, own, STR("pod"), named(doc, from->pod, from->pod_uid));
	json_set(doc, own, STR("serviceaccount"), named(doc, from->account, from->account_uid));
	json_set(doc, claims, STR("kubernetes.io"), own);
	json_set_int(doc, claims, "nbf", from->issued / TIME_SECOND);
	json_set(doc, claims, STR("sub"),
		 json_new_printf(doc, "system:serviceaccount:%.*s:%.*s", STR_ARG(from->namespace),
				 STR_ARG(from->account)));
	json_print(claims, JSON_COMPACT, to);
}

static struct str key_of(const struct api *api)
{
	return str_from(api->token_key);
}

void token_print(struct api *api, const struct token_claims *claims, struct buf *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	size_t start = to->len;
	uint8_t mac[MAC_BYTES];

	assert(key_of(api).len);
	print_claims(api, claims, &text);
	put_part(to, STR(HEADER));
	buf_putc(to, '.');
	put_part(to, buf_str(&text));
	mac_sha256(key_of(api), str_skip(buf_str(to), start), mac);
	buf_putc(to, '.');
	put_part(to, str_of((const char *)mac, sizeof(mac)));
}

/* --- knowing again --- */

static bool is_ours(struct api *api, struct str token, struct str *ret_claims)
{
	ptrdiff_t last = str_rfind_byte(token, '.');
	ptrdiff_t first = str_find_byte(token, '.', 0);
	AUTO(buf_done) struct buf shown = BUF_INIT(TOKEN_MAX);
	uint8_t mac[MAC_BYTES];

	if (!key_of(api).len || token.len > TOKEN_MAX || first < 0 || last <= first)
		return false;
	if (read_part(str_skip(token, (size_t)last + 1), &shown) < 0 || shown.len != MAC_BYTES)
		return false;
	mac_sha256(key_of(api), str_slice(token, 0, (size_t)last), mac);
	*ret_claims = str_slice(token, (size_t)first + 1, (size_t)last);
	return mac_is_same(mac, (const uint8_t *)shown.ptr);
}

static bool is_there(struct api *api, const char *plural, struct str namespace, struct json claim)
{
	const struct kind *kind = kinds_find(api_kinds(api), STR(""), STR("v1"), str_from(plural));
	AUTO(json_doc_unref)
	struct json_doc *doc = api_read(api, kind, namespace, json_str(json_get(claim, "name")));
	struct json uid =
		json_get(json_get(doc ? json_doc_root(doc) : JSON_NONE, "metadata"), "uid");

	return doc && str_eq(json_str(uid), json_str(json_get(claim, "uid")));
}

static bool is_for(struct json claims, struct json audiences)
{
	struct json_iter it = json_iter(audiences);
	struct json own = json_get(claims, "aud");

	if (!json_len(audiences))
		return json_has_str(own, STR(TOKEN_ISSUER));
	while (json_next(&it))
		if (json_has_str(own, json_str(it.value)))
			return true;
	return false;
}

static bool is_good(struct api *api, struct json claims, struct json audiences)
{
	struct json own = json_get(claims, "kubernetes.io");
	struct str namespace = json_str(json_get(own, "namespace"));
	struct json pod = json_get(own, "pod");
	int64_t now = api_now(api) / TIME_SECOND;

	return json_int(json_get(claims, "exp")) > now &&
	       json_int(json_get(claims, "nbf")) <= now && is_for(claims, audiences) &&
	       is_there(api, "serviceaccounts", namespace, json_get(own, "serviceaccount")) &&
	       (json_is_absent(pod) || is_there(api, "pods", namespace, pod));
}

struct json_doc *token_read(struct api *api, struct str token, struct json audiences)
{
	AUTO(buf_done) struct buf text = BUF_INIT(TOKEN_MAX);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct str part;
	struct err err;

	if (is_ours(api, token, &part) && read_part(part, &text) == 0)
		doc = json_parse(buf_str(&text), NULL, &err);
	return doc && is_good(api, json_doc_root(doc), audiences) ? TAKE(doc) : NULL;
}

int token_identify(struct api *api, struct str token, struct arena *arena, struct user *ret,
		   struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = token_read(api, token, JSON_NONE);
	struct str *groups = arena_calloc(arena, 3, sizeof(*groups));
	struct json own;

	if (!doc)
		return err_set(err, ERR_UNAUTHORIZED, "Unauthorized");
	own = json_get(json_doc_root(doc), "kubernetes.io");
	groups[0] = STR("system:serviceaccounts");
	groups[1] = str_from(arena_printf(arena, "system:serviceaccounts:%.*s",
					  STR_ARG(json_str(json_get(own, "namespace")))));
	groups[2] = STR("system:authenticated");
	*ret = (struct user){
		.name = arena_str(arena, json_str(json_get(json_doc_root(doc), "sub"))),
		.groups = groups,
		.group_count = 3};
	return 0;
}
