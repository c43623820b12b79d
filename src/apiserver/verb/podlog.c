/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/podlog.c - the output of containers, as a stream.
 *
 * A log is read in pieces, one per turn, as long as its reader keeps up; while too much waits to be
 * sent, reading pauses. One that is followed goes on until its container has ended or the reader has
 * disconnected.
 *
 * Always true: what was sent is at most limitBytes; the source's log is closed exactly once. */
#include "apiserver/verb/podlog.h"

#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/chunk.h"
#include "loop/loop.h"
#include "model/rules/causes.h"

#include "base/banned.h"

#define PAUSE (10 * TIME_MILLISECOND)

enum { PIECE_BYTES = 128 * 1024, QUEUE_BYTES = 1024 * 1024 };

struct podlog {
	struct list link; /* among those of the API */
	struct call *call;
	const struct log_source *source;
	void *log;
	struct loop_timer *timer;
	struct loop_defer next;
	bool follow;
	bool ending;
	int64_t left; /* bytes that may still be sent; below 0: no bound */
};

void api_set_log_source(struct api *api, const struct log_source *source, void *arg)
{
	api->log_source = source;
	api->log_source_arg = arg;
}

/* --- sending --- */

static void close_now(void *arg)
{
	struct podlog *podlog = arg;

	podlog->call->sink->ended(podlog->call); /* frees the call, and with it this */
}

static void end(struct podlog *podlog)
{
	struct loop *loop = api_loop(podlog->call->api);

	if (podlog->ending)
		return;
	podlog->ending = true;
	loop_timer_stop(podlog->timer);
	loop_defer_cancel(loop, &podlog->next);
	loop_defer(loop, &podlog->next, close_now, podlog);
}

/* Gives how many bytes wait to be taken. */
static size_t send_piece(struct podlog *podlog, struct buf *piece)
{
	struct call *call = podlog->call;
	AUTO(chunk_unref) struct chunk *text = NULL;

	if (podlog->left >= 0 && (int64_t)piece->len > podlog->left)
		buf_truncate(piece, (size_t)podlog->left);
	if (podlog->left >= 0)
		podlog->left -= (int64_t)piece->len;
	if (!piece->len)
		return 0;
	text = chunk_take(piece);
	return call->sink->event(call, &(struct call_event){.text = text});
}

static void pump(void *arg)
{
	struct podlog *podlog = arg;
	struct loop *loop = api_loop(podlog->call->api);
	AUTO(buf_done) struct buf piece = BUF_INIT(PIECE_BYTES);
	enum log_state state;
	size_t queued;

	if (podlog->ending)
		return;
	state = podlog->source->read(podlog->log, &piece, PIECE_BYTES);
	queued = send_piece(podlog, &piece);
	if (state == LOG_END || (state == LOG_WAIT && !podlog->follow) || podlog->left == 0)
		end(podlog);
	else if (queued > QUEUE_BYTES)
		loop_timer_set(podlog->timer, PAUSE);
	else if (state == LOG_MORE)
		loop_defer(loop, &podlog->next, pump, podlog);
}

/* Go on when the reader has taken what waits. */
static void on_timer(struct loop_timer *timer, void *arg)
{
	struct podlog *podlog = arg;
	struct call *call = podlog->call;

	if (call->sink->queued && call->sink->queued(call) > QUEUE_BYTES)
		loop_timer_set(timer, PAUSE);
	else
		pump(podlog);
}

static void resume(void *arg)
{
	struct podlog *podlog = arg;

	if (!podlog->ending && !loop_timer_is_set(podlog->timer))
		loop_defer(api_loop(podlog->call->api), &podlog->next, pump, podlog);
}

void podlog_free(struct podlog *podlog)
{
	loop_defer_cancel(api_loop(podlog->call->api), &podlog->next);
	loop_timer_free(podlog->timer);
	list_remove(&podlog->link);
	podlog->source->close(podlog->log);
	mem_free(podlog);
}

void podlogs_end(struct api *api)
{
	LIST_EACH(&api->podlogs, struct podlog, link, podlog)
		end(podlog);
}

static void start(struct call *call, void *log)
{
	struct api *api = call->api;
	struct podlog *podlog = mem_new(struct podlog);

	podlog->call = call;
	podlog->source = api->log_source;
	podlog->log = log;
	podlog->follow = call->options.follow == OPTION_TRUE;
	podlog->left = call->options.limit_bytes > 0 ? call->options.limit_bytes : -1;
	podlog->timer = loop_timer_new(api_loop(api), on_timer, podlog);
	list_push(&api->podlogs, &podlog->link);
	call->work.podlog = podlog;
	call_become_stream(call);
	call->answer.content_type = "text/plain";
	call_answer_watch(call);
	if (podlog->follow)
		podlog->source->follow(log, resume, podlog);
	loop_defer(api_loop(api), &podlog->next, pump, podlog);
}

/* --- what is asked --- */

static bool is_set(int64_t number)
{
	return number != CALL_UNSET;
}

static bool are_options_invalid(struct call *call)
{
	const struct call_options *options = &call->options;
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct path tail = path_member(NULL, STR("tailLines"));
	struct path limit = path_member(NULL, STR("limitBytes"));
	struct path since = path_member(NULL, STR("sinceSeconds"));
	struct path none = path_member(NULL, STR(""));

	if (is_set(options->tail_lines) && options->tail_lines < 0)
		causes_invalid_int(&causes, &tail, options->tail_lines,
				   "must be greater than or equal to 0");
	if (is_set(options->limit_bytes) && options->limit_bytes < 1)
		causes_invalid_int(&causes, &limit, options->limit_bytes, "must be greater than 0");
	if (is_set(options->since_seconds) && options->since_time.len)
		causes_forbidden(&causes, &none,
				 "at most one of `sinceTime` or `sinceSeconds` may be specified");
	else if (is_set(options->since_seconds) && options->since_seconds < 1)
		causes_invalid_int(&causes, &since, options->since_seconds,
				   "must be greater than 0");
	if (causes.len == 0)
		return false;
	call_answer_invalid(call, STR(""), STR("PodLogOptions"), call->name, &causes);
	return true;
}

static void print_names(struct json containers, struct buf *to)
{
	for (struct json_iter it = json_iter(containers); json_next(&it);)
		buf_printf(to, "%s%.*s", it.index ? " " : "",
			   STR_ARG(json_str(json_get(it.value, "name"))));
}

static bool has_container(struct json spec, struct str name)
{
	static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (struct json_iter it = json_iter(json_get(spec, lists[i])); json_next(&it);)
			if (str_eq(json_str(json_get(it.value, "name")), name))
				return true;
	return false;
}

/* The one that is named, or the only one. */
static int find_container(struct call *call, struct json spec, struct str *ret, struct err *err)
{
	struct json containers = json_get(spec, "containers");
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	*ret = call->options.container;
	if (ret->len && !has_container(spec, *ret))
		return err_set(err, ERR_BAD_REQUEST, "container %.*s is not valid for pod %.*s",
			       STR_ARG(*ret), STR_ARG(call->name));
	if (ret->len)
		return 0;
	if (json_len(containers) == 1) {
		*ret = json_str(json_get(json_at(containers, 0), "name"));
		return 0;
	}
	buf_printf(&text, "a container name must be specified for pod %.*s, choose one of: [",
		   STR_ARG(call->name));
	print_names(containers, &text);
	buf_putc(&text, ']');
	if (json_len(json_get(spec, "initContainers"))) {
		buf_puts(&text, " or one of the init containers: [");
		print_names(json_get(spec, "initContainers"), &text);
		buf_putc(&text, ']');
	}
	return err_set(err, ERR_BAD_REQUEST, "%s", buf_text(&text));
}

static int find_since(struct call *call, int64_t *ret, struct err *err)
{
	const struct call_options *options = &call->options;

	*ret = 0;
	if (options->since_time.len)
		return time_parse(options->since_time, ret, err);
	if (is_set(options->since_seconds))
		*ret = time_after(api_now(call->api), -time_span(options->since_seconds));
	return 0;
}

static void *open_log(struct call *call, struct json pod, struct err *err)
{
	struct api *api = call->api;
	struct json spec = json_get(pod, "spec");
	struct log_request *request = arena_new_of(call->arena, struct log_request);

	*request = (struct log_request){
		.namespace = call->namespace,
		.pod = call->name,
		.uid = json_str(json_get(json_get(pod, "metadata"), "uid")),
		.node = json_str(json_get(spec, "nodeName")),
		.previous = call->options.previous == OPTION_TRUE,
		.timestamps = call->options.timestamps == OPTION_TRUE,
		.tail_lines = is_set(call->options.tail_lines) ? call->options.tail_lines : -1,
	};
	if (find_container(call, spec, &request->container, err) < 0 ||
	    find_since(call, &request->since, err) < 0)
		return NULL;
	if (!request->node.len) {
		err->code = ERR_NONE; /* nothing is wrong: there is nothing yet */
		return NULL;
	}
	if (!api->log_source) {
		(void)err_set(err, ERR_UNAVAILABLE,
			      "the output of pod %.*s cannot be read: no node of this server keeps "
			      "output",
			      STR_ARG(call->name));
		return NULL;
	}
	return api->log_source->open(api->log_source_arg, request, err);
}

void podlog_serve(struct call *call)
{
	struct object *object = store_get(api_store(call->api), call_key(call, call->name));
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(buf_done) struct buf nothing = BUF_INIT(0);
	void *log;

	if (are_options_invalid(call))
		return;
	if (call->account.flow && fair_is_over(call->account.flow, FAIR_WATCHES)) {
		(void)err_set(&err, ERR_TOO_MANY_REQUESTS,
			      "too many requests, please try again later");
		call->answer.retry_after = 1;
		call_answer_err(call, &err);
		return;
	}
	if (!object) {
		(void)call_err_not_found(call, call->name, &err);
		call_answer_err(call, &err);
		return;
	}
	doc = json_parse(object->text, NULL, &err);
	log = open_log(call, json_doc_root(doc), &err);
	if (log)
		start(call, log);
	else if (err.code == ERR_NONE)
		call_answer_text(call, 204, chunk_take(&nothing), "text/plain");
	else
		call_answer_err(call, &err);
}
