/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of pods, as the node's agent asks the API server for them: each is bound to its pod, is renewed
 * before its time is over, and is forgotten with the pod. */
#include "apiserver/auth/token.h"
#include "apiserver/test/client_world.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/time.h"
#include "model/pod/volume.h"
#include "node/agent/agent_internal.h"

struct bench {
	struct world w;
	struct agent agent;
	struct agent_tokens *tokens;
	struct token_projection wanted;
};

static void settle(struct bench *b)
{
	store_flush(b->w.store);
	loop_drain(b->w.loop);
}

static void pass(struct bench *b, int64_t us)
{
	int64_t end = loop_uptime(b->w.loop) + us;

	while (loop_uptime(b->w.loop) < end)
		(void)loop_turn(b->w.loop, end - loop_uptime(b->w.loop));
	settle(b);
}

static struct json_doc *make_pod(struct bench *b, const char *name)
{
	AUTO(json_doc_unref)
	struct json_doc *pod = doc_of("{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"containers\":[{"
				      "\"name\":\"c\",\"image\":\"i\"}]}}",
				      name);
	struct got got = {0};

	(void)world_ask(&b->w, &got,
			&(struct client_ask){.verb = CLIENT_CREATE,
					     .resource = &resources[RESOURCE_PODS],
					     .namespace = STR("default"),
					     .body = pod});
	if (got.reason) {
		printf("Bail out! %s\n", got.text);
		exit(1);
	}
	return got.doc;
}

static void remove_pod(struct bench *b, const char *name)
{
	struct got got = {0};

	(void)world_ask(&b->w, &got,
			&(struct client_ask){.verb = CLIENT_DELETE,
					     .resource = &resources[RESOURCE_PODS],
					     .namespace = STR("default"),
					     .name = str_from(name),
					     .grace_seconds = &(int64_t){0}});
	json_doc_unref(got.doc);
}

static struct agent_pod pod_of(struct bench *b, struct json_doc *doc)
{
	struct agent_pod pod = {.agent = &b->agent, .doc = doc};
	struct json uid = json_get(json_get(json_doc_root(doc), "metadata"), "uid");

	(void)snprintf(pod.uid, sizeof(pod.uid), "%.*s", STR_ARG(json_str(uid)));
	return pod;
}

/* The token's text, in memory of its own. */
static char *get(struct bench *b, const struct agent_pod *pod)
{
	struct str text = str_none();
	struct err err = {0};

	for (int tries = 0; tries < 100; tries++) {
		if (agent_tokens_get(b->tokens, pod, &b->wanted, &text, &err) == 0)
			return str_dup(text);
		if (err.code != ERR_UNAVAILABLE)
			break;
		settle(b);
	}
	printf("# %s\n", err.text);
	return mem_strdup("");
}

/* The pod that a token is bound to: "name/uid"; "" where it is refused. */
static char *bound_to(struct bench *b, const char *token)
{
	AUTO(json_doc_unref)
	struct json_doc *claims = token_read(b->w.api, str_from(token), JSON_NONE);
	struct json pod = claims ? json_get(json_get(json_doc_root(claims), "kubernetes.io"), "pod")
				 : JSON_NONE;

	return claims ? mem_printf("%.*s/%.*s", STR_ARG(json_str(json_get(pod, "name"))),
				   STR_ARG(json_str(json_get(pod, "uid"))))
		      : mem_strdup("");
}

static void test_life(struct bench *b)
{
	AUTO(json_doc_unref) struct json_doc *one_doc = make_pod(b, "one");
	AUTO(json_doc_unref) struct json_doc *two_doc = make_pod(b, "two");
	struct agent_pod one = pod_of(b, one_doc);
	struct agent_pod two = pod_of(b, two_doc);
	AUTO(mem_free) char *first = get(b, &one);
	AUTO(mem_free) char *same = get(b, &one);
	AUTO(mem_free) char *other = get(b, &two);
	AUTO(mem_free) char *owner = bound_to(b, first);
	AUTO(mem_free) char *want = mem_printf("one/%s", one.uid);

	is(owner, want);
	is(same, first);
	ok(strcmp(first, other) != 0, "pods of one account have tokens of their own");
	pass(b, 47 * TIME_MINUTE);
	AUTO(mem_free) char *still = get(b, &one);

	is(still, first);
	pass(b, 2 * TIME_MINUTE);
	AUTO(mem_free) char *next = get(b, &one);

	ok(*next && strcmp(next, first) != 0,
	   "it is renewed when four fifths of its time have passed");
	pass(b, 20 * TIME_MINUTE);
	AUTO(mem_free) char *old_owner = bound_to(b, first);
	AUTO(mem_free) char *new_owner = bound_to(b, next);

	is(old_owner, "");
	is(new_owner, want);
	agent_tokens_leave(b->tokens, &one);
	agent_tokens_leave(b->tokens, &one);
	remove_pod(b, "one");
	AUTO(mem_free) char *gone = bound_to(b, next);

	is(gone, "");
	AUTO(mem_free) char *kept = bound_to(b, other);

	is(kept, ""); /* its time is over, and nothing asked for the next */
	AUTO(mem_free) char *two_next = get(b, &two);
	AUTO(mem_free) char *two_owner = bound_to(b, two_next);

	ok(*two_owner, "the other pod's was renewed as well");
}

/* A pod that the API does not know gets none, but the reason. */
static void test_unknown(struct bench *b)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = doc_of("{\"metadata\":{\"name\":\"none\",\"namespace\":\"default\","
				      "\"uid\":\"u\"}}");
	struct agent_pod pod = pod_of(b, doc);
	struct str text;
	struct err err = {0};

	ok(agent_tokens_get(b->tokens, &pod, &b->wanted, &text, &err) < 0 &&
		   err.code == ERR_UNAVAILABLE,
	   "it is asked for");
	settle(b);
	ok(agent_tokens_get(b->tokens, &pod, &b->wanted, &text, &err) < 0 &&
		   err.code == ERR_NOT_FOUND,
	   "there is none");
	is(err.text, "pods \"none\" not found");
	agent_tokens_leave(b->tokens, &pod);
}

int main(void)
{
	struct bench b = {.wanted = {.expiration_seconds = 3600}};

	world_open(&b.w, 1, 0);
	api_start(b.w.api, &(struct api_place){.root_ca = "PEM", .token_key = "secret"});
	settle(&b);
	b.agent = (struct agent){.loop = b.w.loop, .client = b.w.client, .pods = map_new(1)};
	b.tokens = agent_tokens_new(&b.agent);
	test_life(&b);
	test_unknown(&b);
	agent_tokens_free(b.tokens);
	map_free(b.agent.pods);
	world_close(&b.w);
	return tap_done();
}
