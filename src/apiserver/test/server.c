/* SPDX-License-Identifier: Apache-2.0 */
/* The server over HTTPS: access, errors about bodies and media types, and what happens at each limit.
 */
#include "apiserver/server.h"

#include <sys/stat.h>

#include "apiserver/test/https_client.h"
#include "base/limits.h"
#include "base/time.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static void check(struct https_client *client, const char *method, const char *target,
		  const char *body, const char *want)
{
	struct reply reply = https_request(client, method, target, body);
	char line[128];

	ok(str_is(str_from(reply_line(&reply, line)), want), "%s %.60s: %s", method, target, want);
	if (!str_is(str_from(line), want))
		printf("#   %s %s %.*s\n", line, reply.failure, STR_ARG(buf_str(&reply.text)));
	reply_done(&reply);
}

/* --- who may --- */

static void test_who(struct site *site)
{
	static const char *const wrong[] = {"authorization", "Bearer unknown", NULL};
	struct https_client *nobody = https_client_of(site, TLS_ALPN_ANY, true);
	struct reply reply;
	char line[128];

	check(nobody, "GET", "/readyz", NULL, "200");
	check(nobody, "GET", "/livez", NULL, "200");
	check(nobody, "GET", "/version", NULL, "200");
	check(nobody, "GET", MAPS, NULL, "403 Forbidden");
	check(nobody, "GET", "/apis", NULL, "403 Forbidden");
	check(nobody, "GET", "/metrics", NULL, "403 Forbidden");
	check(nobody, "POST", MAPS, "{}", "403 Forbidden");
	https_start(nobody, "GET", "/readyz", wrong, str_none(), &reply);
	https_wait(nobody, &reply);
	is(reply_line(&reply, line), "401 Unauthorized");
	reply_done(&reply);
	https_start(nobody, "GET", "/version",
		    (const char *const[]){"impersonate-user", "jane", NULL}, str_none(), &reply);
	https_wait(nobody, &reply);
	is(reply_line(&reply, line), "403 Forbidden");
	reply_done(&reply);
	https_client_free(nobody);
}

/* One request with more warnings than an answer has header fields, and longer ones. */
static void test_warnings(struct https_client *admin)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;

	buf_puts(&body,
		 "{\"metadata\":{\"name\":\"many\"},\"spec\":{\"containers\":[{\"name\":\"c\","
		 "\"image\":\"i\",\"env\":[");
	for (int i = 0; i < 700; i++)
		buf_printf(&body, "%s{\"name\":\"V%d\",\"value\":\"1\"}", i ? "," : "", i % 350);
	buf_puts(&body, "]}]}}");
	check(admin, "POST", "/api/v1/namespaces/default/pods?dryRun=All", buf_text(&body), "201");
	buf_clear(&body);
	buf_puts(&body, "{\"metadata\":{\"name\":\"many\"},\"");
	for (int i = 0; i < 100000; i++)
		buf_puts(&body, "\xC3\xA9");
	buf_puts(&body, "\":1,\"data\":{");
	for (int i = 0; i < 700; i++)
		buf_printf(&body, "%s\"k\":\"v\",\"x%d\":\"w\"", i ? "," : "", i);
	buf_puts(&body, "}}");
	check(admin, "POST", MAPS "?dryRun=All&fieldValidation=Warn", buf_text(&body), "201");
	check(admin, "GET", "/readyz", NULL, "200");
}

/* An object as deep as may be sent is deeper in a list, and has managed fields as deep. */
static void test_deep(struct https_client *admin)
{
	static const char crd[] =
		"{\"metadata\":{\"name\":\"deeps.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":"
		"\"Cluster\",\"names\":{\"plural\":\"deeps\",\"kind\":\"Deep\"},\"versions\":[{"
		"\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
		"\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";
	static const char *const yaml[] = {"accept", "application/yaml", NULL};
	static const char *const paths[] = {"/apis/x.io/v1/deeps", "/apis/x.io/v1/deeps/d",
					    "/apis/x.io/v1/deeps?pretty=true"};
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	struct reply reply;

	check(admin, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd, "201");
	buf_puts(&body,
		 "{\"apiVersion\":\"x.io/v1\",\"kind\":\"Deep\",\"metadata\":{\"name\":\"d\"},"
		 "\"a\":");
	for (int i = 0; i < LIMIT_OBJECT_DEPTH - 1; i++)
		buf_puts(&body, "{\"a\":");
	buf_puts(&body, "1");
	for (int i = 0; i < LIMIT_OBJECT_DEPTH; i++)
		buf_putc(&body, '}');
	do
		reply = https_request(admin, "POST", paths[0], buf_text(&body));
	while (reply.code == 404 && (reply_done(&reply), true));
	ok(reply.code == 201, "an object as deep as may be");
	reply_done(&reply);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		https_start(admin, "GET", paths[i], i < 2 ? yaml : NULL, str_none(), &reply);
		https_wait(admin, &reply);
		ok(reply.code == 200, "is read in every form");
		reply_done(&reply);
	}
	check(admin, "PATCH", "/apis/x.io/v1/deeps/d", "{\"b\":1}", "200");
	check(admin, "DELETE", "/apis/x.io/v1/deeps/d", NULL, "200");
	check(admin, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/deeps.x.io",
	      NULL, "200");
}

/* With a certificate of another CA. */
static void test_stranger(struct site *site)
{
	struct cert_request ask = {.name = "kubernetes-admin",
				   .groups = (const char *const[]){"system:masters"},
				   .group_count = 1,
				   .now = loop_now(site->loop),
				   .lifetime = TIME_DAY};
	AUTO(cert_pair_done) struct cert_pair ca = {0};
	AUTO(cert_pair_done) struct cert_pair own = {0};
	struct https_client *stranger;
	struct err err;

	if (cert_new_ca(&ask, &ca, &err) < 0 || cert_new_client(&ca, &ask, &own, &err) < 0)
		bail_out(err.text);
	stranger = https_client_with(site, TLS_ALPN_ANY, str_from(own.cert), str_from(own.key));
	check(stranger, "GET", MAPS, NULL, "401 Unauthorized");
	check(stranger, "GET", "/version", NULL, "401 Unauthorized");
	https_client_free(stranger);
}

static void test_impersonation(struct https_client *admin)
{
	static const char *const as[] = {"impersonate-user", "system:anonymous", NULL};
	static const char *const groups[] = {"impersonate-group", "x", NULL};
	struct reply reply;
	char line[128];

	https_start(admin, "GET", MAPS, as, str_none(), &reply);
	https_wait(admin, &reply);
	is(reply_line(&reply, line), "403 Forbidden");
	reply_done(&reply);
	https_start(admin, "GET", MAPS, groups, str_none(), &reply);
	https_wait(admin, &reply);
	is(reply_line(&reply, line), "400 BadRequest");
	reply_done(&reply);
}

/* --- forms --- */

static struct reply ask_as(struct https_client *client, const char *target, const char *name,
			   const char *value)
{
	const char *fields[] = {name, value, NULL};
	struct reply reply;

	https_start(client, "GET", target, fields, str_none(), &reply);
	https_wait(client, &reply);
	return reply;
}

static void test_forms(struct site *site, struct https_client *admin)
{
	struct https_client *old = https_client_of(site, TLS_ALPN_HTTP1, false);
	struct reply reply;

	check(admin, "POST", MAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}", "201");
	reply = ask_as(admin, MAPS "/a", "accept", "application/yaml");
	is(reply.type, "application/yaml");
	ok(str_find(buf_str(&reply.text), STR("\ndata:\n  k: v\n"), 0) > 0, "an answer in YAML");
	reply_done(&reply);
	reply = ask_as(admin, MAPS "/a", "accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
	ok(str_is(json_str(json_get(json_doc_root(reply.doc), "kind")), "Table"), "as Table");
	reply_done(&reply);
	reply = ask_as(old, MAPS "/a?pretty=true", "accept", "*/*");
	ok(str_find(buf_str(&reply.text), STR("\n  \"data\": {\n"), 0) > 0, "indented by two");
	reply_done(&reply);
	reply = ask_as(admin, MAPS "/a", "accept", "text/xml");
	ok(reply.code == 406, "a form that is not there: 406");
	reply_done(&reply);
	check(old, "GET", MAPS "/a", NULL, "200");
	https_client_free(old);
}

/* Discovery has no other form; what does not exist is not found; other pages have one form, whatever is
 * asked for. */
static void test_pages(struct https_client *admin)
{
	static const char *const as_list[] = {
		"accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", NULL};
	static const struct {
		const char *path;
		int code;
	} pages[] = {{"/version", 200},      {"/readyz", 200}, {"/api", 406},
		     {"/apis", 406},         {"/none", 404},   {"/api/v1.pods", 404},
		     {"/apis/apps/v1", 406}, {"/metrics", 200}};

	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		struct reply reply;

		https_start(admin, "GET", pages[i].path, as_list, str_none(), &reply);
		https_wait(admin, &reply);
		ok(reply.code == pages[i].code, "%s as another form: %d", pages[i].path,
		   reply.code);
		reply_done(&reply);
	}
}

static void test_gzip(struct https_client *admin)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	struct reply reply;

	buf_puts(&body, "{\"metadata\":{\"name\":\"big\"},\"data\":{\"k\":\"");
	for (int i = 0; i < 200 * 1024; i++)
		buf_putc(&body, 'x');
	buf_puts(&body, "\"}}");
	check(admin, "POST", MAPS, buf_text(&body), "201");
	reply = ask_as(admin, MAPS "/big", "accept-encoding", "gzip");
	is(reply.encoding, "gzip");
	ok(reply.text.len < 4096, "a large answer is sent compressed");
	reply_done(&reply);
	reply = ask_as(admin, MAPS "/big", "accept-encoding", "identity");
	is(reply.encoding, "");
	reply_done(&reply);
}

/* --- limits of a request --- */

static void test_sizes(struct https_client *admin)
{
	AUTO(buf_done) struct buf body = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf target = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf deep = BUF_UNBOUNDED;

	buf_puts(&body, "{\"metadata\":{\"name\":\"b\"},\"data\":{\"k\":\"");
	while (body.len <= LIMIT_BODY_BYTES)
		buf_puts(&body, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	buf_puts(&body, "\"}}");
	check(admin, "POST", MAPS, buf_text(&body), "413 RequestEntityTooLarge");
	check(admin, "PATCH", MAPS "/a", buf_text(&body), "413 RequestEntityTooLarge");
	for (int i = 0; i <= LIMIT_JSON_DEPTH; i++)
		buf_puts(&deep, "[");
	for (int i = 0; i <= LIMIT_JSON_DEPTH; i++)
		buf_puts(&deep, "]");
	check(admin, "POST", MAPS, buf_text(&deep), "400 BadRequest");
	buf_puts(&target, MAPS "?labelSelector=");
	while (target.len < LIMIT_URL_BYTES)
		buf_puts(&target, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	check(admin, "GET", buf_text(&target), NULL, "414");
	check(admin, "GET", MAPS "/a", NULL, "200");
}

/* Header fields: the tests of http/ have them in both protocols. */
static void test_patch_size(struct https_client *admin)
{
	AUTO(buf_done) struct buf patch = BUF_UNBOUNDED;
	static const char *const json_patch[] = {"content-type", "application/json-patch+json",
						 NULL};
	struct reply reply;

	buf_putc(&patch, '[');
	for (int i = 0; i <= LIMIT_PATCH_OPS; i++)
		buf_printf(&patch, "%s{\"op\":\"test\",\"path\":\"/kind\",\"value\":\"ConfigMap\"}",
			   i ? "," : "");
	buf_putc(&patch, ']');
	https_start(admin, "PATCH", MAPS "/a", json_patch, buf_str(&patch), &reply);
	https_wait(admin, &reply);
	ok(reply.code == 413, "a patch of more operations than allowed: %d", reply.code);
	reply_done(&reply);
}

/* --- limits of the server --- */

/* A further client waits until one that is idle has been closed for it. */
static void test_connections(void)
{
	struct site site = site_open(&(struct apiserver_options){.max_connections = 2});
	struct https_client *clients[4];
	int served = 0;

	for (size_t i = 0; i < ARRAY_LEN(clients); i++) {
		struct reply reply;

		clients[i] = https_client_of(&site, TLS_ALPN_HTTP2, false);
		reply = https_request(clients[i], "GET", "/api/v1/namespaces", NULL);
		served += reply.code == 200;
		reply_done(&reply);
	}
	ok(served == ARRAY_LEN(clients), "%d clients are served over 2 connections, one by one",
	   served);
	for (size_t i = 0; i < ARRAY_LEN(clients); i++)
		https_client_free(clients[i]);
	site_close(&site);
}

enum { AT_ONCE = 12 };

static void test_in_flight(void)
{
	struct site site = site_open(&(struct apiserver_options){.max_in_flight = 3});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_HTTP2, false);
	struct reply replies[AT_ONCE];
	int made = 0;
	int refused = 0;

	check(admin, "GET", "/api/v1/namespaces", NULL, "200"); /* connected */
	for (int i = 0; i < AT_ONCE; i++) {
		AUTO(mem_free) char *body = mem_printf("{\"metadata\":{\"name\":\"c-%d\"}}", i);

		https_start(admin, "POST", MAPS, NULL, str_from(body), &replies[i]);
	}
	for (int i = 0; i < AT_ONCE; i++) {
		char line[128];

		https_wait(admin, &replies[i]);
		(void)reply_line(&replies[i], line);
		made += replies[i].code == 201;
		refused += str_is(str_from(line), "429 TooManyRequests") &&
			   strcmp(replies[i].retry_after, "1") == 0;
		reply_done(&replies[i]);
	}
	/* large ones wait for their workers before they count */
	ok(made >= 3 && (refused > 0) == !WORLD_LARGE_BYTES && made + refused == AT_ONCE,
	   "of %d writes at once %d are made, and %d rejected for now", AT_ONCE, made, refused);
	check(admin, "GET", MAPS, NULL, "200");
	https_client_free(admin);
	site_close(&site);
}

/* One connection has more under way than its user may have: it is rejected for now, and another
 * connection of the same user with few requests is served. */
static void test_user_in_flight(void)
{
	struct site site = site_open(&(struct apiserver_options){
		.user_in_flight = 3, .user_body_bytes = 4 * 1024 * 1024});
	struct https_client *flood = https_client_of(&site, TLS_ALPN_HTTP2, false);
	struct https_client *other = https_client_of(&site, TLS_ALPN_HTTP1, false);
	AUTO(buf_done) struct buf large = BUF_UNBOUNDED;
	struct reply replies[AT_ONCE];
	struct reply small;
	int good = 0;
	int refused = 0;

	check(flood, "GET", "/api/v1/namespaces", NULL, "200");
	check(other, "GET", "/api/v1/namespaces", NULL, "200");
	for (int i = 0; i < AT_ONCE; i++) {
		AUTO(mem_free) char *body = mem_printf("{\"metadata\":{\"name\":\"u-%d\"}}", i);

		https_start(flood, "POST", MAPS, NULL, str_from(body), &replies[i]);
	}
	https_start(other, "GET", "/api/v1/namespaces", NULL, str_none(), &small);
	https_wait(other, &small);
	ok(small.code == 200, "another connection of the user is served: %d", small.code);
	reply_done(&small);
	for (int i = 0; i < AT_ONCE; i++) {
		https_wait(flood, &replies[i]);
		good += replies[i].code == 201;
		refused += replies[i].code == 429 && strcmp(replies[i].retry_after, "1") == 0;
		reply_done(&replies[i]);
	}
	ok(good >= 3 && refused > 0 && good + refused == AT_ONCE,
	   "of %d writes of one user %d are made, and %d rejected for now", AT_ONCE, good, refused);

	buf_puts(&large, "{\"metadata\":{\"name\":\"large\"},\"data\":{\"k\":\"");
	while (large.len < LIMIT_BODY_BYTES - 1000)
		buf_puts(&large, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	buf_puts(&large, "\"}}");
	for (int i = 0; i < 2; i++)
		https_start(flood, "POST", MAPS "?dryRun=All", NULL, buf_str(&large), &replies[i]);
	for (int i = 0; i < 2; i++)
		https_wait(flood, &replies[i]);
	ok(replies[0].code != 429 && replies[1].code == 429,
	   "of two bodies of 3 MB one is more than the user may have: %d %d", replies[0].code,
	   replies[1].code);
	for (int i = 0; i < 2; i++)
		reply_done(&replies[i]);
	check(flood, "GET", "/api/v1/namespaces", NULL, "200");
	https_client_free(other);
	https_client_free(flood);
	site_close(&site);
}

/* A list that is too large in one piece can be had in pages; the bound is lowered to see that. */
static void test_list_size(void)
{
	struct site site = site_open(&(struct apiserver_options){.list_bytes = 8 * 1024});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_HTTP2, false);
	AUTO(buf_done) struct buf value = BUF_UNBOUNDED;
	struct reply reply;

	for (int i = 0; i < 3000; i++)
		buf_putc(&value, 'x');
	for (int i = 0; i < 3; i++) {
		AUTO(mem_free)
		char *body =
			mem_printf("{\"metadata\":{\"name\":\"large-%d\"},\"data\":{\"k\":\"%s\"}}",
				   i, buf_text(&value));

		check(admin, "POST", MAPS, body, "201");
	}
	reply = https_request(admin, "GET", MAPS, NULL);
	ok(reply.code == 413 &&
		   str_find(buf_str(&reply.text),
			    STR("the list is larger than 8192 bytes; ask for it in pages (limit)"),
			    0) >= 0,
	   "a list that is too large is refused, and says what to do: %s", buf_text(&reply.text));
	reply_done(&reply);
	reply = ask_as(admin, MAPS "?includeObject=Object", "accept",
		       "application/json;as=Table;v=v1;g=meta.k8s.io");
	ok(reply.code == 413, "so is a Table with whole objects: %d", reply.code);
	reply_done(&reply);
	reply = ask_as(admin, MAPS, "accept",
		       "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
	ok(reply.code == 200, "what is small enough is not: %d", reply.code);
	reply_done(&reply);
	check(admin, "GET", MAPS "?limit=1", NULL, "200");
	check(admin, "GET", MAPS "/large-1", NULL, "200");
	https_client_free(admin);
	site_close(&site);
}

/* --- watches --- */

struct watching {
	struct http_call *call;
	int code;
	size_t bytes;
	size_t events;
	bool ended;
};

static void on_watch_head(struct http_call *call, void *arg)
{
	((struct watching *)arg)->code = http_call_status(call);
}

static void on_watch_data(struct http_call *call, struct str data, void *arg)
{
	struct watching *watching = arg;

	(void)call;
	watching->bytes += data.len;
	for (size_t i = 0; i < data.len; i++)
		watching->events += data.ptr[i] == '\n';
}

static void on_watch_end(struct http_call *call, void *arg)
{
	struct watching *watching = arg;

	(void)call;
	watching->ended = true;
	watching->call = NULL;
}

static void on_watch_failed(struct http_call *call, const struct err *err, enum http_sent sent,
			    void *arg)
{
	(void)err;
	(void)sent;
	on_watch_end(call, arg);
}

static const struct http_call_events watch_events = {.head = on_watch_head,
						     .data = on_watch_data,
						     .end = on_watch_end,
						     .failed = on_watch_failed};

static void watch_start(struct https_client *client, struct watching *watching)
{
	*watching = (struct watching){0};
	watching->call = http_client_call(
		client->http, &(struct http_call_options){
				      .method = STR("GET"),
				      .target = STR(MAPS "?watch=true&labelSelector=slow"),
				      .long_lived = true,
				      .events = &watch_events,
				      .arg = watching,
			      });
	while (!watching->code && !watching->ended)
		(void)loop_turn(client->site->loop, -1);
}

static void test_watchers(void)
{
	struct site site = site_open(&(struct apiserver_options){.max_watchers = 2});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_HTTP2, false);
	struct watching first;
	struct watching second;
	struct watching third;

	watch_start(admin, &first);
	watch_start(admin, &second);
	watch_start(admin, &third);
	ok(first.code == 200 && second.code == 200 && third.code == 429,
	   "one watch more than the limit is rejected for now");
	while (!third.ended)
		(void)loop_turn(site.loop, -1);
	http_call_cancel(first.call);
	do
		watch_start(admin, &third);
	while (third.code == 429); /* until the server has seen that the first one has ended */
	ok(third.code == 200, "when one has ended another one is accepted");
	http_call_cancel(second.call);
	http_call_cancel(third.call);
	https_client_free(admin);
	site_close(&site);
}

enum { SLOW_ROUNDS = 25, SLOW_EVENTS = 10 * SLOW_ROUNDS, SLOW_BYTES = 64 * 1024 };

/* Ten writes at once, so that they share commits. */
static bool write_round(struct https_client *admin, int round)
{
	static const char *const merge[] = {"content-type", "application/merge-patch+json", NULL};
	struct reply replies[10];
	bool good = true;

	for (int i = 0; i < 10; i++) {
		AUTO(buf_done) struct buf body = BUF_UNBOUNDED;

		buf_printf(&body, "{\"data\":{\"i\":\"%d\",\"k\":\"", 10 * round + i);
		for (int at = 0; at < SLOW_BYTES; at += 16)
			buf_puts(&body, "yyyyyyyyyyyyyyyy");
		buf_puts(&body, "\"}}");
		https_start(admin, "PATCH", MAPS "/s", merge, buf_str(&body), &replies[i]);
	}
	for (int i = 0; i < 10; i++) {
		https_wait(admin, &replies[i]);
		good = good && replies[i].code == 200;
		reply_done(&replies[i]);
	}
	return good;
}

/* One reads, the other does not for a while: it gets everything all the same, from the history, and
 * no other client notices. */
static void test_slow_watcher(void)
{
	struct site site = site_open(&(struct apiserver_options){.watcher_bytes = 2 * 1024 * 1024});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_HTTP2, false);
	struct https_client *sleeper = https_client_of(&site, TLS_ALPN_HTTP1, false);
	struct watching fast;
	struct watching slow;
	int good = 0;

	watch_start(admin, &fast);
	watch_start(sleeper, &slow);
	http_call_pause(slow.call);
	check(admin, "POST", MAPS, "{\"metadata\":{\"name\":\"s\",\"labels\":{\"slow\":\"1\"}}}",
	      "201");
	for (int i = 0; i < SLOW_ROUNDS; i++)
		good += write_round(admin, i);
	ok(good == SLOW_ROUNDS, "writing goes on while one watcher sleeps");
	while (fast.events < SLOW_EVENTS + 1 && !fast.ended)
		(void)loop_turn(site.loop, -1);
	ok(fast.events == SLOW_EVENTS + 1 && !fast.ended, "a reader gets all of %d events",
	   SLOW_EVENTS + 1);
	http_call_resume(slow.call);
	while (slow.events < SLOW_EVENTS + 1 && !slow.ended)
		(void)loop_turn(site.loop, -1);
	ok(slow.events == SLOW_EVENTS + 1 && !slow.ended,
	   "a late reader gets all of them as well: %zu", slow.events);
	http_call_cancel(slow.call);
	http_call_cancel(fast.call);
	https_client_free(sleeper);
	https_client_free(admin);
	site_close(&site);
}

enum { INITIAL_OBJECTS = 24, INITIAL_BYTES = 1000 * 1000 };

static void fill_initial(struct https_client *admin)
{
	AUTO(buf_done) struct buf value = BUF_UNBOUNDED;

	for (int i = 0; i < INITIAL_BYTES; i++)
		buf_putc(&value, 'x');
	for (int i = 0; i < INITIAL_OBJECTS; i++) {
		AUTO(mem_free)
		char *body =
			mem_printf("{\"metadata\":{\"name\":\"i%d\",\"labels\":{\"slow\":\"1\"}},"
				   "\"data\":{\"k\":\"%s\"}}",
				   i, buf_text(&value));

		check(admin, "POST", MAPS, body, "201");
	}
}

/* The state that a watch starts from may be larger than what the server would queue. */
static void test_large_initial(void)
{
	struct site site = site_open(&(struct apiserver_options){0});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_HTTP2, false);
	struct https_client *old = https_client_of(&site, TLS_ALPN_HTTP1, false);
	struct watching watching;

	fill_initial(admin);
	for (int i = 0; i < 2; i++) {
		watch_start(i ? admin : old, &watching);
		http_call_pause(watching.call);
		check(i ? old : admin, "GET", "/healthz", NULL, "200");
		http_call_resume(watching.call);
		while (watching.events < INITIAL_OBJECTS && !watching.ended)
			(void)loop_turn(site.loop, -1);
		ok(watching.events == INITIAL_OBJECTS && !watching.ended &&
			   watching.bytes > (size_t)INITIAL_OBJECTS * INITIAL_BYTES,
		   "%s: a watch gets all %d objects of 1 MB", i ? "HTTP/2" : "HTTP/1.1",
		   INITIAL_OBJECTS);
		http_call_cancel(watching.call);
	}
	https_client_free(old);
	https_client_free(admin);
	site_close(&site);
}

/* Answers that a user does not read count, over all connections. */
static void test_user_waiting(void)
{
	struct site site =
		site_open(&(struct apiserver_options){.user_waiting_bytes = 1024 * 1024});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_HTTP2, false);
	struct https_client *sleeper = https_client_of(&site, TLS_ALPN_HTTP1, false);
	struct watching slow;
	char line[128];
	struct reply reply;

	fill_initial(admin);
	watch_start(sleeper, &slow);
	http_call_pause(slow.call);
	do {
		reply = https_request(admin, "GET", "/version", NULL);
		(void)reply_line(&reply, line);
		reply_done(&reply);
	} while (str_is(str_from(line), "200"));
	is(line, "429 TooManyRequests");
	http_call_resume(slow.call);
	while (slow.events < INITIAL_OBJECTS && !slow.ended)
		(void)loop_turn(site.loop, -1);
	ok(slow.events == INITIAL_OBJECTS, "who reads on gets the rest");
	check(admin, "GET", "/version", NULL, "200");
	http_call_cancel(slow.call);
	https_client_free(sleeper);
	https_client_free(admin);
	site_close(&site);
}

/* --- the end --- */

static void on_stopped(void *arg)
{
	*(bool *)arg = true;
}

static void test_stop(struct site *site, struct https_client *admin)
{
	struct watching watching;
	bool stopped = false;

	watch_start(admin, &watching);
	apiserver_stop(site->server, on_stopped, &stopped);
	while (!stopped || !watching.ended)
		(void)loop_turn(site->loop, -1);
	ok(watching.code == 200, "watches end when the server stops");
}

static void test_again(struct site *site)
{
	AUTO(mem_free) char *key = mem_printf("%s/pki/ca.key", site->folder);
	AUTO(mem_free) char *config = mem_printf("%s/kubeconfig", site->folder);
	struct apiserver_options options = {.folder = site->folder};
	struct https_client *admin;
	struct stat status;
	struct err err;

	apiserver_free(site->server);
	ok(stat(key, &status) == 0 && (status.st_mode & 0777) == 0600, "the CA's key is secret");
	ok(stat(config, &status) == 0 && (status.st_mode & 0777) == 0600, "so is kubeconfig");
	if (address_parse(STR("127.0.0.1:0"), &options.listen, &err) < 0)
		bail_out(err.text);
	site->server = apiserver_new(site->loop, &options, &err);
	if (!site->server)
		bail_out(err.text);
	ok(!apiserver_new(site->loop, &options, &err), "a second one is refused: %s", err.text);
	admin = https_client_of(site, TLS_ALPN_ANY, false);
	check(admin, "GET", MAPS "/a", NULL, "200");
	https_client_free(admin);
}

int main(void)
{
	struct site site = site_open(&(struct apiserver_options){0});
	struct https_client *admin = https_client_of(&site, TLS_ALPN_ANY, false);

	test_who(&site);
	test_stranger(&site);
	test_warnings(admin);
	test_deep(admin);
	test_impersonation(admin);
	test_forms(&site, admin);
	test_pages(admin);
	test_gzip(admin);
	test_sizes(admin);
	test_patch_size(admin);
	test_stop(&site, admin);
	https_client_free(admin);
	test_again(&site);
	site_close(&site);
	test_connections();
	test_in_flight();
	test_user_in_flight();
	test_list_size();
	test_watchers();
	test_slow_watcher();
	test_large_initial();
	test_user_waiting();
	return tap_done();
}
