/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/ask.c - one question to the server of a data folder, as its administrator. */
#include "programs/volcano/ask.h"

#include "base/mem.h"
#include "base/time.h"
#include "client/kubeconfig.h"
#include "http/http_client.h"
#include "http/tls.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/volcano/home.h"

#include "base/banned.h"

#define PATIENCE (60 * TIME_SECOND)

struct answer {
	struct loop *loop;
	struct json_doc *doc; /* NULL: see err */
	struct err err;
};

static void on_end(struct http_call *call, void *arg)
{
	struct answer *answer = arg;

	AUTO(json_doc_unref)
	struct json_doc *doc = json_parse(http_call_body(call), NULL, &answer->err);
	struct str message = doc ? json_str(json_get(json_doc_root(doc), "message")) : str_none();

	if (http_call_status(call) == 200)
		answer->doc = TAKE(doc);
	else if (message.len)
		(void)err_set(&answer->err, ERR_INTERNAL, "%.*s", STR_ARG(message));
	else
		(void)err_set(&answer->err, ERR_INTERNAL, "the server answers %d",
			      http_call_status(call));
	loop_stop(answer->loop);
}

static void on_failed(struct http_call *call, const struct err *err, enum http_sent sent, void *arg)
{
	struct answer *answer = arg;

	(void)call;
	(void)sent;
	answer->err = *err;
	loop_stop(answer->loop);
}

static struct http_client *connect_to(struct loop *loop, const char *path, struct err *err)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	AUTO(tls_unref) struct tls *tls = NULL;

	if (kubeconfig_load(config, path, err) < 0 ||
	    kubeconfig_select(config, &(struct kubeconfig_choice){0}, &access, err) < 0)
		return NULL;
	tls = tls_client_new(
		&(struct tls_client_options){.certificate = str_from(access.client_cert),
					     .key = str_from(access.client_key),
					     .ca = str_from(access.ca)},
		err);
	if (!tls)
		return NULL;
	return http_client_new(
		loop, &(struct http_client_options){.url = str_from(access.server), .tls = tls},
		err);
}

struct json_doc *ask_server(const char *folder, const char *method, const char *target,
			    struct err *err)
{
	static const struct http_call_events events = {.end = on_end, .failed = on_failed};
	AUTO(mem_free) char *path = home_path(folder, "kubeconfig");
	AUTO(loop_free) struct loop *loop = loop_new(err);
	AUTO(http_client_free)
	struct http_client *client = loop ? connect_to(loop, path, err) : NULL;
	struct answer answer = {.loop = loop};

	if (!client)
		return NULL;
	(void)http_client_call(client, &(struct http_call_options){
					       .method = str_from(method),
					       .target = str_from(target),
					       .deadline_us = PATIENCE,
					       .events = &events,
					       .arg = &answer,
				       });
	loop_run(loop);
	if (!answer.doc)
		*err = answer.err;
	return answer.doc;
}
