/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of service accounts: asked for, known again, and no longer good. */
#include "apiserver/auth/token.h"

#include "apiserver/test/world.h"
#include "base/time.h"

#define NS "/api/v1/namespaces/default"
#define TOKEN NS "/serviceaccounts/default/token"
#define SPEC(spec) "{\"spec\":{" spec "}}"

static const struct step asked[] = {
	{"POST", TOKEN, SPEC("\"audiences\":[\"x\"],\"expirationSeconds\":3600"), 201,
	 "/spec/boundObjectRef", "null"},
	{"POST", TOKEN, SPEC(""), 201, "/spec/expirationSeconds", "3600"},
	{"POST", TOKEN, SPEC(""), 201, "/status/expirationTimestamp", "2026-01-02T04:04:05Z"},
	{"POST", TOKEN, SPEC("\"expirationSeconds\":5"), 422, "/details/causes/0/message",
	 "Invalid value: 5: may not specify a duration less than 10 minutes"},
	{"POST", NS "/serviceaccounts/none/token", SPEC(""), 404, "/message",
	 "serviceaccounts \"none\" not found"},
	{"POST", TOKEN,
	 SPEC("\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":"
	      "\"none\"}"),
	 404, "/message", "pods \"none\" not found"},
	{"POST", NS "/pods",
	 "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}"
	 "]"
	 "}}",
	 201, "/kind", "Pod"},
};

/* A token, in memory of its own. */
static char *make(struct world *w, const char *body)
{
	AUTO(answer_done) struct answer answer = ask(w, "POST", TOKEN, body);

	return str_dup(json_str(json_get(json_get(json_doc_root(answer.doc), "status"), "token")));
}

static const char *who(struct world *w, const char *token)
{
	static char name[100];
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct user user = {.name = STR("")};
	struct err err = {.code = ERR_NONE};

	if (token_identify(w->api, str_from(token), arena, &user, &err) < 0)
		return err_reason(err.code);
	snprintf(name, sizeof(name), "%.*s %.*s", STR_ARG(user.name), STR_ARG(user.groups[1]));
	return name;
}

/* What a review says of a token. */
static char *review(struct world *w, const char *token, const char *audiences, const char *member)
{
	AUTO(mem_free)
	char *body = mem_printf("{\"spec\":{\"token\":\"%s\"%s}}", token, audiences);
	AUTO(answer_done)
	struct answer answer = ask(w, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", body);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json status = json_get(json_doc_root(answer.doc), "status");

	json_print(json_get(status, member), JSON_COMPACT, &text);
	return buf_take(&text);
}

static void test_review(struct world *w, const char *plain, const char *other, const char *bound)
{
	static const char for_x[] = ",\"audiences\":[\"x\",\"y\"]";
	AUTO(mem_free) char *user = review(w, bound, "", "user");
	AUTO(mem_free) char *good = review(w, plain, "", "authenticated");
	AUTO(mem_free) char *whom = review(w, plain, "", "audiences");
	AUTO(mem_free) char *wrong = review(w, other, "", "error");
	AUTO(mem_free) char *right = review(w, other, for_x, "audiences");
	AUTO(mem_free) char *not_for = review(w, plain, for_x, "error");

	ok(strstr(user, "{\"username\":\"system:serviceaccount:default:default\",\"uid\":\"") &&
		   strstr(user, "\"groups\":[\"system:serviceaccounts\",\"system:serviceaccounts:"
				"default\",\"system:authenticated\"]") &&
		   strstr(user, "authentication.kubernetes.io/pod-name\":[\"p\"]") &&
		   strstr(user, "authentication.kubernetes.io/credential-id\":[\"JTI="),
	   "a review says whose token it is: %s", user);
	is(good, "true");
	is(whom, "[\"" TOKEN_ISSUER "\"]");
	is(wrong, "\"invalid bearer token\"");
	is(right, "[\"x\"]");
	is(not_for, "\"invalid bearer token\"");
}

static void remove_object(struct world *w, const char *path)
{
	json_doc_unref(ask(w, "DELETE", path, NULL).doc);
	world_settle(w);
}

int main(void)
{
	struct world w = world_new();

	world_steps(&w, asked, ARRAY_LEN(asked));
	AUTO(mem_free) char *plain = make(&w, SPEC(""));
	AUTO(mem_free) char *other = make(&w, SPEC("\"audiences\":[\"x\"]"));
	AUTO(mem_free)
	char *bound = make(&w, SPEC("\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
				    "\"name\":\"p\"}"));
	is(who(&w, plain), "system:serviceaccount:default:default system:serviceaccounts:default");
	is(who(&w, other), "Unauthorized");
	is(who(&w, bound), "system:serviceaccount:default:default system:serviceaccounts:default");
	test_review(&w, plain, other, bound);
	is(who(&w, ""), "Unauthorized");
	is(who(&w, "a.b.c"), "Unauthorized");
	world_restart(&w);
	is(who(&w, plain), "system:serviceaccount:default:default system:serviceaccounts:default");
	remove_object(&w, NS "/pods/p");
	is(who(&w, bound), "Unauthorized");
	for (size_t i = 0, len = strlen(plain); i + 1 < len; i += 17) {
		char was = plain[i];

		plain[i] = was == 'A' ? 'B' : 'A';
		if (strcmp(who(&w, plain), "Unauthorized") != 0)
			ok(false, "a token with another byte at %zu", i);
		plain[i] = was;
	}
	world_wait(&w, 2 * TIME_HOUR);
	is(who(&w, plain), "Unauthorized");
	AUTO(mem_free) char *late = make(&w, SPEC(""));
	remove_object(&w, NS "/serviceaccounts/default");
	is(who(&w, late), "Unauthorized"); /* another account has the name now */
	world_free(&w);
	return tap_done();
}
