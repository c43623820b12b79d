/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent_tokens.c - tokens of accounts, for the volumes of pods.
 *
 * A token is asked for once an account, audience and life time, and shared by all pods that want the same;
 * it is asked for anew when four fifths of its time have passed. Who wants one that is on its way gets
 * ERR_UNAVAILABLE, and is looked at again when it has come. */
#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "model/volume.h"
#include "node/agent_internal.h"

#include "base/banned.h"

#define RETRY (5 * TIME_SECOND)

struct token {
	struct agent_tokens *tokens;
	struct client_request *request;
	char *text; /* NULL: none yet */
	int64_t renew_at;
	char why[256]; /* there is none */
	char *namespace;
	char *account;
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

void agent_tokens_free(struct agent_tokens *tokens)
{
	size_t at = 0;
	void *value;

	if (!tokens)
		return;
	while (map_next(tokens->list, &at, NULL, &value)) {
		struct token *token = value;

		client_cancel(token->request);
		mem_free(token->text);
		mem_free(token->namespace);
		mem_free(token->account);
		mem_free(token->audience);
		mem_free(token->key);
		mem_free(token);
	}
	map_free(tokens->list);
	mem_free(tokens);
}

static void on_token(void *arg, const struct client_result *result)
{
	struct token *token = arg;
	struct agent *agent = token->tokens->agent;
	struct str text =
		json_str(json_get(json_get(json_doc_root(result->doc), "status"), "token"));
	int64_t now = loop_uptime(agent->loop);

	token->request = NULL;
	if (result->err || !text.len) {
		(void)snprintf(token->why, sizeof(token->why), "%.200s",
			       result->err ? result->err->text : "the server gave none");
		token->renew_at = now + RETRY;
		return;
	}
	mem_free(token->text);
	token->text = str_dup(text);
	token->renew_at = now + time_span(token->seconds) / 5 * 4;
	agent_room_retry(agent->room, str_from(token->namespace));
}

static void ask(struct token *token)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json spec;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("authentication.k8s.io/v1"));
	json_set_str(doc, root, "kind", STR("TokenRequest"));
	spec = json_ensure_obj(doc, root, "spec");
	json_set_int(doc, spec, "expirationSeconds", token->seconds);
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

int agent_tokens_get(struct agent_tokens *tokens, const struct agent_pod *pod,
		     const struct token_projection *wanted, struct str *ret, struct err *err)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");
	struct str account = json_str(json_get(spec, "serviceAccountName"));
	struct str namespace =
		json_str(json_get(json_get(json_doc_root(pod->doc), "metadata"), "namespace"));
	int64_t seconds = wanted->expiration_seconds > 0 ? wanted->expiration_seconds : 3600;
	AUTO(mem_free)
	char *key = mem_printf("%.*s/%.*s/%.*s/%lld", STR_ARG(namespace), STR_ARG(account),
			       STR_ARG(wanted->audience), (long long)seconds);
	struct token *token = map_get(tokens->list, str_from(key));

	if (!token) {
		token = mem_new(struct token);
		token->tokens = tokens;
		token->namespace = str_dup(namespace);
		token->account = account.len ? str_dup(account) : mem_strdup("default");
		token->audience = str_dup(wanted->audience);
		token->seconds = seconds;
		token->key = TAKE(key);
		(void)map_put(tokens->list, str_from(token->key), token);
	}
	if (!token->request && loop_uptime(tokens->agent->loop) >= token->renew_at)
		ask(token);
	if (!token->text && token->request)
		return err_set(err, ERR_UNAVAILABLE, "it is being asked for");
	if (!token->text)
		return err_set(err, ERR_NOT_FOUND, "%s", token->why);
	*ret = str_from(token->text);
	return 0;
}
