/* SPDX-License-Identifier: Apache-2.0 */
/* https_client.h - a whole server in a temporary folder, and clients that come to it over HTTPS, all on
 * one real loop.
 *
 *	struct site site = site_open(&(struct apiserver_options){0});
 *	struct https_client *v = https_client_new(&site, TLS_ALPN_ANY);		the administrator
 *	struct reply r = https_request(v, "POST", "/api/v1/namespaces", "{...}");
 *	struct stream *w = ... see watch_start()
 *	https_client_free(v); site_close(&site); */
#ifndef APISERVER_TEST_HTTPS_CLIENT_H
#define APISERVER_TEST_HTTPS_CLIENT_H

#include <stdio.h>

#include "apiserver/server.h"
#include "apiserver/test/stores.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "client/kubeconfig.h"
#include "http/cert.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/tls.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "tap.h"

/* From how many bytes on a request takes its steps apart; 0: as the server has it. */
#ifndef WORLD_LARGE_BYTES
#define WORLD_LARGE_BYTES 0
#endif

struct site {
	struct loop *loop;
	char *folder;
	struct apiserver *server;
};

struct https_client {
	struct site *site;
	struct http_client *http;
};

/* What came back; `doc` is NULL if it is no JSON. */
struct reply {
	bool done;
	int code;
	char type[128];
	char retry_after[32];
	char encoding[32];
	struct buf text;
	struct json_doc *doc;
	char failure[ERR_TEXT_SIZE];
};

__attribute__((unused)) static struct site site_open(const struct apiserver_options *options)
{
	struct site site = {.loop = real_loop(), .folder = temporary_folder()};
	struct apiserver_options own = *options;
	struct err err;

	own.folder = site.folder;
	own.large_bytes = WORLD_LARGE_BYTES;
	if (address_parse(STR("127.0.0.1:0"), &own.listen, &err) < 0)
		bail_out(err.text);
	site.server = apiserver_new(site.loop, &own, &err);
	if (!site.server)
		bail_out(err.text);
	return site;
}

__attribute__((unused)) static void site_close(struct site *site)
{
	apiserver_free(site->server);
	loop_free(site->loop);
	rm_folder(site->folder);
}

/* A client with this certificate; with none if it is empty. */
__attribute__((unused)) static struct https_client *
https_client_with(struct site *site, enum tls_alpn alpn, struct str certificate, struct str key)
{
	struct https_client *client = mem_new(struct https_client);
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	AUTO(mem_free) char *path = mem_printf("%s/kubeconfig", site->folder);
	struct tls_client_options options = {.alpn = alpn};
	struct err err;

	if (kubeconfig_load(config, path, &err) < 0 ||
	    kubeconfig_select(config, &(struct kubeconfig_choice){0}, &access, &err) < 0)
		bail_out(err.text);
	options.ca = str_from(access.ca);
	options.certificate = certificate;
	options.key = key;
	AUTO(tls_unref) struct tls *tls = tls_client_new(&options, &err);

	if (!tls)
		bail_out(err.text);
	client->site = site;
	client->http = http_client_new(
		site->loop,
		&(struct http_client_options){.url = str_from(access.server), .tls = tls}, &err);
	if (!client->http)
		bail_out(err.text);
	return client;
}

/* The administrator; `anonymous` shows neither certificate nor token. */
__attribute__((unused)) static struct https_client *
https_client_of(struct site *site, enum tls_alpn alpn, bool anonymous)
{
	AUTO(mem_free) char *cert = mem_printf("%s/pki/admin.crt", site->folder);
	AUTO(mem_free) char *key = mem_printf("%s/pki/admin.key", site->folder);
	AUTO(cert_pair_done) struct cert_pair admin = {0};
	struct err err;

	if (anonymous)
		return https_client_with(site, alpn, str_none(), str_none());
	if (cert_pair_load(cert, key, &admin, &err) < 0)
		bail_out(err.text);
	return https_client_with(site, alpn, str_from(admin.cert), str_from(admin.key));
}

__attribute__((unused)) static void https_client_free(struct https_client *client)
{
	http_client_free(client->http);
	mem_free(client);
}

static void copy_field(const struct http_call *call, const char *name, char *to, size_t size)
{
	(void)snprintf(to, size, "%.*s", STR_ARG(http_call_header(call, str_from(name))));
}

static void on_reply_end(struct http_call *call, void *arg)
{
	struct reply *reply = arg;

	reply->done = true;
	reply->code = http_call_status(call);
	copy_field(call, "content-type", reply->type, sizeof(reply->type));
	copy_field(call, "retry-after", reply->retry_after, sizeof(reply->retry_after));
	copy_field(call, "content-encoding", reply->encoding, sizeof(reply->encoding));
	reply->text = buf_make(SIZE_MAX / 4);
	buf_put_str(&reply->text, http_call_body(call));
	reply->doc = json_parse(http_call_body(call), NULL, NULL);
}

static void on_reply_failed(struct http_call *call, const struct err *err, enum http_sent sent,
			    void *arg)
{
	struct reply *reply = arg;

	(void)call;
	(void)sent;
	reply->done = true;
	(void)snprintf(reply->failure, sizeof(reply->failure), "%s", err->text);
}

static const struct http_call_events reply_events = {.end = on_reply_end,
						     .failed = on_reply_failed};

/* `fields` are names and values of header fields in turn, ending in NULL; may be NULL. */
__attribute__((unused)) static void https_start(struct https_client *client, const char *method,
						const char *target, const char *const *fields,
						struct str body, struct reply *reply)
{
	AUTO(headers_done) struct headers headers = HEADERS_INIT;

	*reply = (struct reply){0};
	for (; fields && fields[0]; fields += 2)
		headers_put(&headers, str_from(fields[0]), str_from(fields[1]));
	(void)http_client_call(client->http, &(struct http_call_options){
						     .method = str_from(method),
						     .target = str_from(target),
						     .headers = &headers,
						     .body = body,
						     .events = &reply_events,
						     .arg = reply,
					     });
}

__attribute__((unused)) static void https_wait(struct https_client *client, struct reply *reply)
{
	while (!reply->done)
		(void)loop_turn(client->site->loop, -1);
}

__attribute__((unused)) static struct reply
https_request(struct https_client *client, const char *method, const char *target, const char *body)
{
	static const char *const json[] = {"content-type", "application/json", NULL};
	static const char *const merge[] = {"content-type", "application/merge-patch+json", NULL};
	struct reply reply;

	https_start(client, method, target, strcmp(method, "PATCH") == 0 ? merge : json,
		    str_from(body), &reply);
	https_wait(client, &reply);
	return reply;
}

__attribute__((unused)) static void reply_done(struct reply *reply)
{
	buf_done(&reply->text);
	json_doc_unref(reply->doc);
	reply->doc = NULL;
}

/* Code and, if it is a Status, its reason: "404 NotFound". */
__attribute__((unused)) static const char *reply_line(struct reply *reply, char line[128])
{
	struct str reason =
		reply->doc ? json_str(json_get(json_doc_root(reply->doc), "reason")) : str_none();

	(void)snprintf(line, 128, "%d%s%.*s", reply->code, reason.len ? " " : "", STR_ARG(reason));
	return line;
}

#endif
