/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub_token.c - POST serviceaccounts/NAME/token: a token for an account, for some time, bound to
 * a pod if that is asked for. Nothing is stored. */
#include "apiserver/api_internal.h"
#include "apiserver/auth/token.h"
#include "apiserver/kind/content.h"
#include "apiserver/verb/sub.h"
#include "base/arena.h"
#include "base/time.h"
#include "base/uuid.h"
#include "loop/loop.h"
#include "model/core/meta.h"
#include "model/group/review.h"
#include "model/rules/causes.h"

#include "base/banned.h"

enum { SECONDS_MIN = 600 };
#define SECONDS_MAX (INT64_C(1) << 32)

static const struct kind request_kind = {
	.group = STR_INIT("authentication.k8s.io"),
	.version = STR_INIT("v1"),
	.name = STR_INIT("TokenRequest"),
	.api_version = STR_INIT("authentication.k8s.io/v1"),
	.content = &content_typed,
	.type = &token_request_type,
};

static bool is_invalid(struct call *call, struct json spec)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct path path = path_member(NULL, STR("spec"));
	struct path at = path_member(&path, STR("expirationSeconds"));
	int64_t seconds = json_int(json_get(spec, "expirationSeconds"));

	if (seconds < SECONDS_MIN)
		causes_invalid_int(&causes, &at, seconds,
				   "may not specify a duration less than 10 minutes");
	if (seconds > SECONDS_MAX)
		causes_invalid_int(&causes, &at, seconds,
				   "may not specify a duration larger than 2^32 seconds");
	if (causes.len == 0)
		return false;
	call_answer_invalid(call, request_kind.group, request_kind.name, str_none(), &causes);
	return true;
}

/* The pod that it is to be bound to; none if it is to none. */
static int bind_to(struct call *call, struct json reference, struct token_claims *claims,
		   struct err *err)
{
	const struct kind *pods = kinds_find(api_kinds(call->api), STR(""), STR("v1"), STR("pods"));
	struct str name = arena_str(call->arena, json_str(json_get(reference, "name")));
	struct str uid = json_str(json_get(reference, "uid"));
	AUTO(json_doc_unref) struct json_doc *pod = NULL;
	struct json spec;

	if (!json_is(reference, JSON_OBJ))
		return 0;
	if (!str_is(json_str(json_get(reference, "kind")), "Pod"))
		return err_set(err, ERR_BAD_REQUEST, "cannot bind token to object of type %.*s",
			       STR_ARG(json_str(json_get(reference, "kind"))));
	pod = api_read_newest(call->api, pods, call->namespace, name);
	if (!pod) {
		call->error.name = name;
		call->error.kind = STR("pods");
		return err_set(err, ERR_NOT_FOUND, "pods \"%.*s\" not found", STR_ARG(name));
	}
	spec = json_get(json_doc_root(pod), "spec");
	if (!str_eq(json_str(json_get(spec, "serviceAccountName")), call->name))
		return err_set(err, ERR_BAD_REQUEST,
			       "cannot bind token for serviceaccount \"%.*s\" to pod running with "
			       "different serviceaccount name.",
			       STR_ARG(call->name));
	claims->pod = name;
	claims->pod_uid = arena_str(call->arena, meta_uid(json_doc_root(pod)));
	if (!uid.len || str_eq(uid, claims->pod_uid))
		return 0;
	call->error.kind = STR("pods");
	return call_err_conflict(
		call, name,
		arena_printf(
			call->arena,
			"the UID in the bound object reference (%.*s) does not match the UID in "
			"record. The object might have been deleted and then recreated",
			STR_ARG(uid)),
		err);
}

static void put_metadata(struct call *call, struct json_doc *doc, struct json request)
{
	struct json metadata = json_ensure_obj(doc, request, "metadata");
	uint8_t bytes[16];
	char uid[UUID_TEXT_SIZE];
	char time[TIME_TEXT_SIZE];

	loop_random(api_loop(call->api), bytes, sizeof(bytes));
	json_set_str(doc, metadata, "name", call->name);
	json_set_str(doc, metadata, "namespace", call->namespace);
	json_set_str(doc, metadata, "uid", str_from(uuid_print(bytes, uid)));
	json_set_str(doc, metadata, "creationTimestamp",
		     str_from(time_print(api_now(call->api), time)));
}

static void answer(struct call *call, struct json_doc *doc, struct token_claims *claims)
{
	struct json request = json_doc_root(doc);
	struct json spec = json_get(request, "spec");
	struct json status = json_new_obj(doc);
	AUTO(buf_done) struct buf token = BUF_UNBOUNDED;
	char time[TIME_TEXT_SIZE];

	if (json_len(json_get(spec, "audiences")) == 0)
		json_append(doc, json_ensure_arr(doc, spec, "audiences"),
			    json_new_str(doc, STR(TOKEN_ISSUER)));
	if (json_is_absent(json_get(spec, "boundObjectRef")))
		json_set(doc, spec, STR("boundObjectRef"), json_new_null(doc));
	claims->audiences = json_get(spec, "audiences");
	claims->issued = api_now(call->api);
	claims->expires = time_after(claims->issued,
				     time_span(json_int(json_get(spec, "expirationSeconds"))));
	token_print(call->api, claims, &token);
	put_metadata(call, doc, request);
	json_set_str(doc, status, "token", buf_str(&token));
	json_set_str(doc, status, "expirationTimestamp",
		     str_from(time_print(claims->expires, time)));
	json_set(doc, request, STR("status"), status);
	call_answer_doc(call, 201, json_doc_ref(doc));
}

void sub_serve_token(struct call *call)
{
	struct object *object = store_newest(api_store(call->api), call_key(call, call->name));
	struct token_claims claims = {.namespace = call->namespace, .account = call->name};
	AUTO(json_doc_unref) struct json_doc *account = NULL;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err;

	doc = sub_decode(call, &request_kind, &err);
	if (doc && !object)
		(void)call_err_not_found(call, call->name, &err);
	else if (doc && !call->api->token_key)
		(void)err_set(&err, ERR_UNAVAILABLE, "this server has no key to sign tokens with");
	if (!doc || !object || !call->api->token_key) {
		call_answer_err(call, &err);
		return;
	}
	account = json_parse(object->text, NULL, &err);
	claims.account_uid = meta_uid(json_doc_root(account));
	if (is_invalid(call, json_get(json_doc_root(doc), "spec")))
		return;
	if (bind_to(call, json_get(json_get(json_doc_root(doc), "spec"), "boundObjectRef"), &claims,
		    &err) < 0)
		call_answer_err(call, &err);
	else
		answer(call, doc, &claims);
}
