/* SPDX-License-Identifier: Apache-2.0 */
/* controller/task_probe.c - probes of tasks by HTTP and TCP.
 *
 * A round lists the task's pods, then tries all of them at once; it is over when the last has answered
 * or not. What a round used is freed in a later turn, since connections may not be freed from
 * within what they call. */
#include "controller/task_probe.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/resource.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/stream.h"
#include "lifecycle/keys.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { BODY_MAX = 65536, PODS_MAX = 1000 };
#define FORGET_AFTER TIME_MINUTE

struct probe;

/* One pod of a round. */
struct attempt {
	struct probe *probe;
	struct http_client *http;
	struct stream *stream;
};

struct probe {
	struct prober *prober;
	char *key;
	char *asker;
	char *namespace;
	char *selector;
	enum flow_probe kind;
	struct json_doc *entry;
	struct client_request *list; /* while pods are listed */
	struct attempt **attempts;   /* of the round */
	size_t attempt_count;
	size_t open; /* that have not ended */
	bool failed; /* one of them */
	bool good;   /* the last round */
	bool busy;
	int64_t asked;
	int64_t done;
	struct loop_defer clean;
};

struct prober {
	struct loop *loop;
	struct client *client;
	struct map *probes; /* key: struct probe */
	prober_woken_fn *woken;
	void *arg;
};

/* --- life ------------------------------------------------------------------------------------ */

struct prober *prober_new(struct loop *loop, struct client *client, prober_woken_fn *woken,
			  void *arg)
{
	struct prober *prober = mem_new(struct prober);

	prober->loop = loop;
	prober->client = client;
	prober->woken = woken;
	prober->arg = arg;
	prober->probes = map_new(loop_random_u64(loop));
	return prober;
}

static void free_attempts(struct probe *probe)
{
	for (size_t i = 0; i < probe->attempt_count; i++) {
		http_client_free(probe->attempts[i]->http);
		stream_free(probe->attempts[i]->stream);
		mem_free(probe->attempts[i]);
	}
	mem_free(probe->attempts);
	probe->attempts = NULL;
	probe->attempt_count = 0;
}

static void probe_free(struct probe *probe)
{
	if (probe->list)
		client_cancel(probe->list);
	loop_defer_cancel(probe->prober->loop, &probe->clean);
	free_attempts(probe);
	json_doc_unref(probe->entry);
	mem_free(probe->key);
	mem_free(probe->asker);
	mem_free(probe->namespace);
	mem_free(probe->selector);
	mem_free(probe);
}

void prober_free(struct prober *prober)
{
	size_t at = 0;
	void *probe;

	if (!prober)
		return;
	while (map_next(prober->probes, &at, NULL, &probe))
		probe_free(probe);
	map_free(prober->probes);
	mem_free(prober);
}

/* --- a round --------------------------------------------------------------------------------- */

static void clean_up(void *arg)
{
	struct probe *probe = arg;

	free_attempts(probe);
	probe->busy = false;
}

static void end_round(struct probe *probe, bool good)
{
	bool changed = probe->good != good;

	probe->good = good;
	probe->done = loop_now(probe->prober->loop);
	loop_defer(probe->prober->loop, &probe->clean, clean_up, probe);
	if (changed)
		probe->prober->woken(probe->prober->arg, str_from(probe->asker));
}

static void end_attempt(struct attempt *attempt, bool good)
{
	struct probe *probe = attempt->probe;

	probe->failed = probe->failed || !good;
	if (--probe->open == 0)
		end_round(probe, !probe->failed);
}

static void http_ended(struct http_call *call, void *arg)
{
	int status = http_call_status(call);

	end_attempt(arg, status >= 200 && status < 400);
}

static void http_failed(struct http_call *call, const struct err *err, enum http_sent sent,
			void *arg)
{
	(void)call;
	(void)err;
	(void)sent;
	end_attempt(arg, false);
}

static void tcp_opened(struct stream *stream, void *arg)
{
	static const struct stream_events deaf = {0};

	stream_set_events(stream, &deaf, NULL); /* what follows is of no interest */
	end_attempt(arg, true);
}

static void tcp_closed(struct stream *stream, const struct err *err, void *arg)
{
	(void)stream;
	(void)err;
	end_attempt(arg, false);
}

/* False: it cannot even be tried. */
static bool start_http(struct attempt *attempt, struct str ip, int port)
{
	static const struct http_call_events events = {.end = http_ended, .failed = http_failed};
	struct json entry = json_doc_root(attempt->probe->entry);
	struct json header = json_get(entry, "httpHeader");
	struct str path = json_str(json_get(entry, "path"));
	bool v6 = str_find_byte(ip, ':', 0) >= 0;
	AUTO(mem_free)
	char *url =
		mem_printf("http://%s%.*s%s:%d", v6 ? "[" : "", STR_ARG(ip), v6 ? "]" : "", port);
	AUTO(headers_done) struct headers headers = {0};

	attempt->http = http_client_new(
		attempt->probe->prober->loop,
		&(struct http_client_options){.url = str_from(url), .connect_us = PROBE_TIMEOUT},
		NULL);
	if (!attempt->http || (json_str(json_get(header, "name")).len &&
			       headers_add(&headers, json_str(json_get(header, "name")),
					   json_str(json_get(header, "value")), NULL) < 0))
		return false;
	(void)http_client_call(attempt->http, &(struct http_call_options){
						      .method = STR("GET"),
						      .target = path.len ? path : STR("/"),
						      .headers = &headers,
						      .deadline_us = PROBE_TIMEOUT,
						      .max_body = BODY_MAX,
						      .events = &events,
						      .arg = attempt,
					      });
	return true;
}

static bool start_tcp(struct attempt *attempt, struct str ip, int port)
{
	static const struct stream_events events = {.opened = tcp_opened, .closed = tcp_closed};

	attempt->stream = stream_connect(
		attempt->probe->prober->loop,
		&(struct stream_target){.host = ip, .port = port, .timeout_us = PROBE_TIMEOUT},
		&events, attempt);
	return true;
}

static void start_attempt(struct probe *probe, struct str ip)
{
	struct attempt *attempt = mem_new(struct attempt);
	int port = (int)json_int(json_get(json_doc_root(probe->entry), "port"));

	attempt->probe = probe;
	probe->attempts[probe->attempt_count++] = attempt;
	probe->open++;
	if (!(probe->kind == FLOW_PROBE_HTTP ? start_http(attempt, ip, port)
					     : start_tcp(attempt, ip, port))) {
		probe->open--;
		probe->failed = true;
	}
}

static void pods_listed(void *arg, const struct client_result *result)
{
	struct probe *probe = arg;
	struct json items = json_get(result->doc ? json_doc_root(result->doc) : JSON_NONE, "items");
	struct json_iter it = json_iter(items);

	probe->list = NULL;
	probe->failed = result->err != NULL || json_len(items) == 0;
	probe->open = 1; /* this round is not over before all have been started */
	probe->attempts = mem_calloc(json_len(items) + 1, sizeof(*probe->attempts));
	while (!probe->failed && json_next(&it)) {
		struct json status = json_get(it.value, "status");
		struct str ip = json_str(json_get(status, "podIP"));

		if (!ip.len || !str_is(json_str(json_get(status, "phase")), "Running"))
			probe->failed = true; /* one that does not run does not answer */
		else
			start_attempt(probe, ip);
	}
	if (--probe->open == 0)
		end_round(probe, !probe->failed);
}

static void start_round(struct probe *probe)
{
	probe->busy = true;
	probe->list = client_send(probe->prober->client,
				  &(struct client_ask){.verb = CLIENT_LIST,
						       .resource = &resources[RESOURCE_PODS],
						       .namespace = str_from(probe->namespace),
						       .label_selector = str_from(probe->selector),
						       .limit = PODS_MAX,
						       .done = pods_listed,
						       .arg = probe});
}

/* --- asking ---------------------------------------------------------------------------------- */

static void forget_old(struct prober *prober, int64_t now)
{
	struct str key;
	size_t at = 0;
	void *value;

	while (map_next(prober->probes, &at, &key, &value)) {
		struct probe *probe = value;

		if (probe->busy || now - probe->asked < FORGET_AFTER)
			continue;
		(void)map_remove(prober->probes, key);
		probe_free(probe);
	}
}

static struct probe *probe_new(struct prober *prober, const struct probe_question *question,
			       char *key)
{
	struct probe *probe = mem_new(struct probe);

	probe->prober = prober;
	probe->key = key;
	probe->asker = str_dup(question->asker);
	probe->namespace = str_dup(question->namespace);
	probe->kind = question->probe;
	probe->entry = json_doc_freeze(question->entry);
	probe->selector =
		mem_printf(KEY_JOB_NAME "=%.*s," KEY_TASK_SPEC "=%.*s", STR_ARG(question->job),
			   STR_ARG(json_str(json_get(question->entry, "taskName"))));
	(void)map_put(prober->probes, str_from(probe->key), probe);
	return probe;
}

bool prober_answers(struct prober *prober, const struct probe_question *question)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	int64_t now = loop_now(prober->loop);
	struct probe *probe;

	buf_printf(&key, "%.*s %.*s/%.*s %d ", STR_ARG(question->asker),
		   STR_ARG(question->namespace), STR_ARG(question->job), (int)question->probe);
	json_print(question->entry, JSON_CANONICAL, &key);
	probe = map_get(prober->probes, buf_str(&key));
	if (!probe) {
		forget_old(prober, now);
		probe = probe_new(prober, question, buf_take(&key));
	}
	probe->asked = now;
	if (!probe->busy && (!probe->done || now - probe->done >= PROBE_PERIOD))
		start_round(probe);
	return probe->good;
}
