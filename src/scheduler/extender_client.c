/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/extender_client.c - see the header. An answer, or the end of the time limit, leads to a cycle. Every call
 * belongs to the configuration that holds; extender_client_stop() ends them before it goes. */
#include "scheduler/extender_client.h"

#include <assert.h>

#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/tls.h"
#include "sched/plugin/extender.h"
#include "sched/plugin/outside.h"
#include "scheduler/internal.h"

#include "base/banned.h"

enum { MOST_BODY = 10 * 1024 * 1024 };

struct extender_client {
	struct scheduler *scheduler;
	struct http_client *http;
	char *url; /* of `http` */
	struct list calls;
	int64_t complained;
};

struct extender_call {
	struct list link;
	struct extender_client *client;
	struct outside *outside;
	struct outside_call *of;
	struct http_call *call;
};

struct extender_client *extender_client_new(struct scheduler *scheduler)
{
	struct extender_client *client = mem_new(struct extender_client);

	client->scheduler = scheduler;
	list_init(&client->calls);
	return client;
}

/* At most one line a minute: a server that is down fails every call. */
static void complain(struct extender_client *client, const char *verb, const char *why)
{
	int64_t now = loop_now(client->scheduler->loop);

	if (client->complained && now - client->complained < 60 * (int64_t)TIME_SECOND)
		return;
	client->complained = now;
	log_warn(client->scheduler->log, "the extender does not answer", LOG_STR("verb", verb),
		 LOG_STR("why", why));
}

static void end(struct extender_call *call, int status, struct str body, const char *failure)
{
	struct extender_client *client = call->client;
	struct scheduler *scheduler = client->scheduler;

	if (failure)
		complain(client, outside_call_verb(call->of), failure);
	else if (status != 200)
		complain(client, outside_call_verb(call->of), "the status is not 200");
	outside_end(call->outside, call->of, status, body, failure, loop_now(scheduler->loop));
	list_remove(&call->link);
	mem_free(call);
	scheduler->cluster->events++;
	scheduler_request_cycle(scheduler);
	extender_client_run(client);
}

static void on_answer(struct http_call *call, void *arg)
{
	end(arg, http_call_status(call), http_call_body(call), NULL);
}

static void on_failed(struct http_call *call, const struct err *err, enum http_sent sent, void *arg)
{
	(void)call;
	(void)sent;
	end(arg, 0, str_none(), err->text);
}

static bool connect_to(struct extender_client *client, struct str url)
{
	AUTO(tls_unref) struct tls *tls = NULL;
	struct err err;

	if (client->http && str_is(url, client->url))
		return true;
	if (str_starts(url, STR("https:")))
		tls = tls_client_new(&(struct tls_client_options){.insecure = false}, &err);
	if (tls || !str_starts(url, STR("https:")))
		client->http = http_client_new(
			client->scheduler->loop,
			&(struct http_client_options){.url = url, .tls = tls}, &err);
	if (!client->http) {
		complain(client, "any", err.text);
		return false;
	}
	mem_free(client->url);
	client->url = str_dup(url);
	return true;
}

static void send(struct extender_client *client, struct outside *outside, struct outside_call *of,
		 int64_t timeout)
{
	static const struct http_call_events events = {.end = on_answer, .failed = on_failed};
	AUTO(mem_free) char *target = mem_printf("/%s", outside_call_verb(of));
	AUTO(headers_done) struct headers headers = HEADERS_INIT;
	struct extender_call *call = mem_new(struct extender_call);
	int added;

	added = headers_add(&headers, STR("content-type"), STR("application/json"), NULL);
	assert(added == 0);
	(void)added;
	call->client = client;
	call->outside = outside;
	call->of = of;
	list_push(&client->calls, &call->link);
	call->call = http_client_call(client->http,
				      &(struct http_call_options){.method = STR("POST"),
								  .target = str_from(target),
								  .headers = &headers,
								  .body = outside_call_body(of),
								  .deadline_us = timeout,
								  .max_body = MOST_BODY,
								  .events = &events,
								  .arg = call});
}

void extender_client_run(struct extender_client *client)
{
	struct scheduler *scheduler = client->scheduler;
	struct str url;
	int64_t timeout;
	struct outside *outside = extender_calls(scheduler->config, &url, &timeout);
	struct outside_call *of;

	bool usable = outside && connect_to(client, url);

	while (outside && (of = outside_next(outside))) {
		if (usable)
			send(client, outside, of, timeout);
		else
			outside_end(outside, of, 0, str_none(), "its URL cannot be used",
				    loop_now(scheduler->loop));
	}
}

void extender_client_stop(struct extender_client *client)
{
	while (!list_is_empty(&client->calls)) {
		struct extender_call *call =
			container_of(client->calls.next, struct extender_call, link);

		http_call_cancel(call->call);
		outside_end(call->outside, call->of, 0, str_none(), "the configuration has changed",
			    loop_now(client->scheduler->loop));
		list_remove(&call->link);
		mem_free(call);
	}
	http_client_free(client->http);
	client->http = NULL;
}

void extender_client_free(struct extender_client *client)
{
	if (!client)
		return;
	extender_client_stop(client);
	mem_free(client->url);
	mem_free(client);
}
