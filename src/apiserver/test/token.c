/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of service accounts: asked for, known again, and no longer good. */
#include "apiserver/token.h"

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
