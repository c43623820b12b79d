/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_tokens.c - tokens of service accounts, for the volumes of pods.
 *
 * Each pod gets its own tokens, one per audience and lifetime, which are bound to it: the server rejects them when
 * the pod was deleted. A token is renewed after four fifths of its lifetime, and the pod's volumes are then
 * updated. While a token is being requested its pod gets ERR_UNAVAILABLE, and is reconciled when the token has
 * arrived.
 *
 * Always true: a token is deleted with its pod (agent_tokens_leave()). */
#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "model/pod/volume.h"
#include "node/agent/agent_internal.h"

#include "base/banned.h"

#define RETRY (5 * TIME_SECOND)
enum { SECONDS = 3600 };

struct token {
	struct agent_tokens *tokens;
	struct client_request *request;
	struct loop_timer *timer; /* until it is renewed, or requested again */
	char *text;               /* NULL: none yet */
	char why[256];            /* there is none */
	char *namespace;
	char *account;
	char *pod;
	char *uid; /* the pod's */
	char *audience;
	int64_t seconds;
	char *key;
};

struct agent_tokens {
	struct agent *agent;
	struct map *list;
};

struct agent_tokens *agent_tokens_new(struct agent *agent)
{
	struct agent_tokens *tokens = mem_new(struct agent_tokens);

	tokens->agent = agent;
	tokens->list = map_new(loop_random_u64(agent->loop));
	return tokens;
}

static void token_free(struct token *token)
{
	client_cancel(token->request);
	loop_timer_free(token->timer);
	mem_free(token->text);
	mem_free(token->namespace);
	mem_free(token->account);
	mem_free(token->pod);
	mem_free(token->uid);
	mem_free(token->audience);
	mem_free(token->key);
	mem_free(token);
}

void agent_tokens_free(struct agent_tokens *tokens)
{
	size_t at = 0;
	void *value;

	if (!tokens)
		return;
	while (map_next(tokens->list, &at, NULL, &value))
		token_free(value);
	map_free(tokens->list);
	mem_free(tokens);
}

/* One of a pod's tokens; NULL: it has none. */
static struct token *find_of(const struct agent_tokens *tokens, struct str uid)
{
	size_t at = 0;
	void *value;

	while (map_next(tokens->list, &at, NULL, &value)) {
		struct token *token = value;

		if (str_is(uid, token->uid))
			return token;
	}
	return NULL;
}

void agent_tokens_leave(struct agent_tokens *tokens, const struct agent_pod *pod)
{
	struct token *token;

	while (map_len(tokens->list) && (token = find_of(tokens, str_from(pod->uid)))) {
		(void)map_remove(tokens->list, str_from(token->key));
		token_free(token);
	}
}

static void on_token(void *arg, const struct client_result *result)
{
	struct token *token = arg;
	struct agent *agent = token->tokens->agent;
	struct str text =
		json_str(json_get(json_get(json_doc_root(result->doc), "status"), "token"));
	struct agent_pod *pod = map_get(agent->pods, str_from(token->uid));

	token->request = NULL;
	if (result->err || !text.len) {
		(void)snprintf(token->why, sizeof(token->why), "%.200s",
			       result->err ? result->err->text : "the server gave none");
		loop_timer_set(token->timer, RETRY);
	} else {
		mem_free(token->text);
		token->text = str_dup(text);
		loop_timer_set(token->timer, time_span(token->seconds) / 5 * 4);
	}
	if (pod && (!result->err || !token->text))
		agent_pod_refresh(pod); /* the token, or why there is none */
}

static void ask(struct token *token)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json spec;
	struct json reference;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("authentication.k8s.io/v1"));
	json_set_str(doc, root, "kind", STR("TokenRequest"));
	spec = json_ensure_obj(doc, root, "spec");
	json_set_int(doc, spec, "expirationSeconds", token->seconds);
	reference = json_ensure_obj(doc, spec, "boundObjectRef");
	json_set_str(doc, reference, "kind", STR("Pod"));
	json_set_str(doc, reference, "apiVersion", STR("v1"));
	json_set_str(doc, reference, "name", str_from(token->pod));
	json_set_str(doc, reference, "uid", str_from(token->uid));
	if (*token->audience)
		json_append(doc, json_ensure_arr(doc, spec, "audiences"),
			    json_new_str(doc, str_from(token->audience)));
	token->request = client_send(token->tokens->agent->client,
				     &(struct client_ask){
					     .verb = CLIENT_CREATE,
					     .resource = &resources[RESOURCE_SERVICEACCOUNTS],
					     .namespace = str_from(token->namespace),
					     .name = str_from(token->account),
					     .sub = STR("token"),
					     .body = doc,
					     .done = on_token,
					     .arg = token,
				     });
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct token *token = arg;

	(void)timer;
	if (!token->request)
		ask(token);
}

static struct token *make(struct agent_tokens *tokens, const struct agent_pod *pod,
			  const struct token_projection *wanted, const char *key)
{
	struct json root = json_doc_root(pod->doc);
	struct json meta = json_get(root, "metadata");
	struct str account = json_str(json_get(json_get(root, "spec"), "serviceAccountName"));
	struct token *token = mem_new(struct token);

	token->tokens = tokens;
	token->timer = loop_timer_new(tokens->agent->loop, on_timer, token);
	token->namespace = str_dup(json_str(json_get(meta, "namespace")));
	token->account = account.len ? str_dup(account) : mem_strdup("default");
	token->pod = str_dup(json_str(json_get(meta, "name")));
	token->uid = mem_strdup(pod->uid);
	token->audience = str_dup(wanted->audience);
	token->seconds = wanted->expiration_seconds > 0 ? wanted->expiration_seconds : SECONDS;
	token->key = mem_strdup(key);
	(void)map_put(tokens->list, str_from(token->key), token);
	return token;
}

int agent_tokens_get(struct agent_tokens *tokens, const struct agent_pod *pod,
		     const struct token_projection *wanted, struct str *ret, struct err *err)
{
	AUTO(mem_free)
	char *key = mem_printf("%s/%.*s/%lld", pod->uid, STR_ARG(wanted->audience),
			       (long long)wanted->expiration_seconds);
	struct token *token = map_get(tokens->list, str_from(key));

	if (!token) {
		token = make(tokens, pod, wanted, key);
		ask(token);
	}
	if (!token->text && (token->request || !token->why[0]))
		return err_set(err, ERR_UNAVAILABLE, "it is being asked for");
	if (!token->text)
		return err_set(err, ERR_NOT_FOUND, "%s", token->why);
	*ret = str_from(token->text);
	return 0;
}
