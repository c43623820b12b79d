/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/endpoint.c - see endpoint.h. A request is a visit: it reads its body, decides, and answers in the same turn
 * if it is allowed. Before it is refused, the objects that the rule looked up are read from the API server: the
 * informers may not have seen a queue that was created a moment ago.
 *
 * What must stay true: a visit ends once, by its answer or by `aborted`; the reads of a visit that ended are
 * cancelled. */
#include "webhook/endpoint.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/client.h"
#include "http/headers.h"
#include "http/http_server.h"
#include "http/tls.h"
#include "loop/loop.h"
#include "webhook/cluster_view.h"
#include "webhook/review.h"
#include "webhook/review_metrics.h"

#include "base/banned.h"

#define READ_DEADLINE (2 * TIME_SECOND)
#define TEXT STR("text/plain; charset=utf-8")
#define JSON STR("application/json")

struct endpoint {
	struct endpoint_options options;
	struct http_server *server;
	struct address bound;
	bool has_tls;
};

struct visit;
struct refresh {
	struct visit *visit;
	size_t at; /* in the visit's reads */
	struct client_request *request;
};

struct visit {
	struct endpoint *endpoint;
	struct http_request *request;
	const struct admission_hook *hook;
	int64_t started;
	struct arena *arena;
	struct review review;
	struct view_reads reads;
	struct refresh refreshes[VIEW_READS];
	size_t pending;
};

static void visit_free(struct visit *visit)
{
	for (size_t i = 0; i < VIEW_READS; i++)
		client_cancel(visit->refreshes[i].request);
	view_reads_done(&visit->reads);
	review_done(&visit->review);
	arena_free(visit->arena);
	mem_free(visit);
}

static void visit_observe(const struct visit *visit, enum review_outcome outcome)
{
	const struct endpoint_options *options = &visit->endpoint->options;

	review_metrics_observe(options->metrics, visit->hook, outcome,
			       loop_stopwatch(options->loop) - visit->started);
}

/* Ends the visit. */
static void fail(struct visit *visit, int status, const char *text)
{
	AUTO(mem_free) char *line = mem_printf("%s\n", text);

	log_info(visit->endpoint->options.log, "request refused",
		 LOG_STR("path", visit->hook->path), LOG_INT("code", status), LOG_STR("err", text));
	visit_observe(visit, REVIEW_FAILED);
	http_reply(visit->request, status, TEXT, str_from(line));
	visit_free(visit);
}

/* --- deciding -------------------------------------------------------------------------------- */

static void decide(struct visit *visit, bool again);

static void on_refreshed(void *arg, const struct client_result *result)
{
	struct refresh *refresh = arg;
	struct visit *visit = refresh->visit;

	refresh->request = NULL;
	if (!result->err)
		view_reads_refresh(&visit->reads, refresh->at, result->doc);
	else if (result->err->code == ERR_NOT_FOUND)
		view_reads_refresh(&visit->reads, refresh->at, NULL);
	if (--visit->pending == 0)
		decide(visit, true);
}

static void look_again(struct visit *visit)
{
	visit->pending = visit->reads.len;
	for (size_t i = 0; i < visit->reads.len; i++) {
		struct refresh *refresh = &visit->refreshes[i];

		*refresh = (struct refresh){.visit = visit, .at = i};
		refresh->request =
			client_send(visit->endpoint->options.client,
				    &(struct client_ask){.verb = CLIENT_GET,
							 .resource = visit->reads.rows[i].resource,
							 .name = visit->reads.rows[i].name,
							 .deadline_us = READ_DEADLINE,
							 .attempts = 1,
							 .done = on_refreshed,
							 .arg = refresh});
	}
}

static void decide(struct visit *visit, bool again)
{
	AUTO(buf_done) struct buf answer = BUF_UNBOUNDED;
	struct admission_setup setup = {.config = *visit->endpoint->options.config,
					.world = view_reads_world(&visit->reads)};
	enum review_outcome outcome = review_decide(&visit->review, visit->hook, &setup, &answer);

	if (outcome == REVIEW_REFUSED && !again && visit->reads.len) {
		look_again(visit);
		return;
	}
	visit_observe(visit, outcome);
	http_reply(visit->request, 200, JSON, buf_str(&answer));
	visit_free(visit);
}

/* --- reading --------------------------------------------------------------------------------- */

static void on_body(struct http_request *request, struct str body, void *arg)
{
	struct visit *visit = arg;
	struct err err;

	(void)request;
	if (review_parse(body, visit->arena, &visit->review, &err) < 0) {
		fail(visit, err_http(err.code), err.text);
		return;
	}
	decide(visit, false);
}

static void on_too_large(struct http_request *request, void *arg)
{
	(void)request;
	fail(arg, err_http(ERR_TOO_LARGE), "the request body is larger than 3 MiB");
}

static void on_aborted(struct http_request *request, const struct err *why, void *arg)
{
	(void)request;
	(void)why;
	visit_observe(arg, REVIEW_FAILED);
	visit_free(arg);
}

static const struct http_request_events events = {.too_large = on_too_large, .aborted = on_aborted};

static bool is_json(const struct http_request *request)
{
	struct str rest = http_request_header(request, STR("content-type"));
	struct str type = str_none();

	(void)str_split(&rest, ';', &type);
	return str_eq_nocase(str_trim(type), JSON);
}

static bool is_enabled(const struct admission_config *config, struct str path)
{
	for (size_t i = 0; i < config->enabled.len; i++)
		if (str_eq(config->enabled.ptr[i], path))
			return true;
	return config->enabled.len == 0;
}

static void visit_start(struct endpoint *endpoint, struct http_request *request,
			const struct admission_hook *hook)
{
	struct visit *visit = mem_new(struct visit);
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;

	visit->endpoint = endpoint;
	visit->request = request;
	visit->hook = hook;
	visit->started = loop_stopwatch(endpoint->options.loop);
	visit->arena = arena_new(0);
	view_reads_init(&visit->reads, endpoint->options.view, visit->arena);
	http_request_on(request, &events, visit);
	if (http_request_method(request) != HTTP_METHOD_POST) {
		headers_put(http_reply_headers(request), STR("allow"), STR("POST"));
		fail(visit, err_http(ERR_METHOD_NOT_ALLOWED), "a review is sent by POST");
	} else if (!is_json(request)) {
		fail(visit, err_http(ERR_UNSUPPORTED_MEDIA_TYPE),
		     "the content type of a review is application/json");
	} else if (!endpoint->options.is_ready(endpoint->options.arg, &why)) {
		while (why.len && why.ptr[why.len - 1] == '\n')
			buf_truncate(&why, why.len - 1);
		fail(visit, err_http(ERR_UNAVAILABLE), buf_text(&why));
	} else {
		http_request_read_all(request, LIMIT_BODY_BYTES, on_body, visit);
	}
}

static void serve_ready(const struct endpoint *endpoint, struct http_request *request)
{
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	bool ready = endpoint->options.is_ready(endpoint->options.arg, &why);

	http_reply(request, ready ? 200 : 503, TEXT, ready ? STR("ok") : buf_str(&why));
}

static void on_request(struct http_request *request, void *arg)
{
	struct endpoint *endpoint = arg;
	struct str path = http_request_path(request);
	const struct admission_hook *hook = admission_find(path);

	if (hook && is_enabled(endpoint->options.config, path))
		visit_start(endpoint, request, hook);
	else if (str_is(path, "/healthz"))
		http_reply(request, 200, TEXT, STR("ok"));
	else if (str_is(path, "/readyz"))
		serve_ready(endpoint, request);
	else
		http_reply(request, 404, TEXT,
			   hook ? STR("this path is not in --enabled-admission\n")
				: STR("404 page not found\n"));
}

/* --- life ------------------------------------------------------------------------------------ */

struct endpoint *endpoint_new(const struct endpoint_options *options, struct err *err)
{
	AUTO(endpoint_free) struct endpoint *endpoint = mem_new(struct endpoint);

	endpoint->options = *options;
	endpoint->server = http_server_new(
		options->loop,
		&(struct http_server_options){.handler = on_request, .arg = endpoint}, err);
	if (!endpoint->server || http_server_listen(endpoint->server, &options->address, HTTP_TLS,
						    &endpoint->bound, err) < 0)
		return NULL;
	return TAKE(endpoint);
}

void endpoint_free(struct endpoint *endpoint)
{
	if (!endpoint)
		return;
	http_server_free(endpoint->server);
	mem_free(endpoint);
}

void endpoint_set_tls(struct endpoint *endpoint, struct tls *tls)
{
	http_server_set_tls(endpoint->server, tls);
	endpoint->has_tls = true;
}

bool endpoint_has_tls(const struct endpoint *endpoint)
{
	return endpoint->has_tls;
}

const struct address *endpoint_address(const struct endpoint *endpoint)
{
	return &endpoint->bound;
}

void endpoint_drain(struct endpoint *endpoint, int64_t drain_us, void (*done)(void *arg), void *arg)
{
	http_server_shutdown(endpoint->server, drain_us, done, arg);
}
