/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/usage_source.c - see the header. A fetch is one node: its two values one after the other, or the list of
 * all nodes. Its request is cancelled when the source goes or is configured again, so that no answer comes late. */
#include "scheduler/usage_source.h"

#include "base/buf.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/http_client.h"
#include "http/tls.h"
#include "model/pod/pod_total.h"
#include "model/value/duration.h"
#include "model/value/quantity.h"
#include "scheduler/internal.h"

#include "base/banned.h"

enum { AT_ONCE = 16, MOST_BODY = 10 * 1024 * 1024 };
#define INTERVAL (30 * TIME_SECOND)
#define PATIENCE (60 * TIME_SECOND)
#define NOT_READY (100 * TIME_MILLISECOND)

struct usage_source {
	struct scheduler *scheduler;
	char *text; /* of the configuration that holds; NULL: none */
	enum { SOURCE_NONE, SOURCE_PROMETHEUS, SOURCE_ADAPTOR, SOURCE_METRICS_API } type;
	int64_t interval;
	struct http_client *http; /* of SOURCE_PROMETHEUS */
	struct loop_timer *timer;
	struct list fetches;
	size_t fetching;
	VEC(char *) waiting; /* nodes of this round */
	bool failed;         /* something in this round, which has been logged */
};

struct fetch {
	struct list link;
	struct usage_source *source;
	char *node; /* NULL: all of them */
	enum usage_kind kind;
	struct node_usage usage;
	struct http_call *call;
	struct client_request *request;
};

static void fetch_more(struct usage_source *source);
static void send(struct fetch *fetch);

static void fetch_free(struct fetch *fetch)
{
	list_remove(&fetch->link);
	fetch->source->fetching--;
	mem_free(fetch->node);
	mem_free(fetch);
}

static void fail(struct fetch *fetch, const char *why)
{
	struct usage_source *source = fetch->source;

	if (!source->failed)
		log_warn(source->scheduler->log, "the load of nodes cannot be fetched",
			 LOG_STR("node", fetch->node ? fetch->node : "all"), LOG_STR("why", why));
	source->failed = true;
	fetch_free(fetch);
	fetch_more(source);
}

/* A value has come; ask for the next, or hand both over. */
static void take(struct fetch *fetch, double percent, bool known)
{
	struct usage_source *source = fetch->source;

	fetch->usage.percent[fetch->kind] = percent;
	fetch->usage.known[fetch->kind] = known;
	if (++fetch->kind < USAGE_COUNT) {
		send(fetch);
		return;
	}
	if (!fetch->usage.at)
		fetch->usage.at = loop_now(source->scheduler->loop);
	cluster_set_usage(source->scheduler->cluster, str_from(fetch->node), &fetch->usage);
	scheduler_request_cycle(source->scheduler);
	fetch_free(fetch);
	fetch_more(source);
}

/* --- Prometheus ------------------------------------------------------------------------------ */

static void on_answer(struct http_call *call, void *arg)
{
	struct fetch *fetch = arg;
	double percent = 0;
	bool known = false;
	struct err err;

	fetch->call = NULL;
	if (http_call_status(call) != 200)
		(void)err_set(&err, ERR_UNAVAILABLE, "Prometheus answers with status %d",
			      http_call_status(call));
	if (http_call_status(call) != 200 ||
	    usage_read_answer(http_call_body(call), &percent, &known, &err) < 0)
		fail(fetch, err.text);
	else
		take(fetch, percent, known);
}

static void on_failed(struct http_call *call, const struct err *err, enum http_sent sent, void *arg)
{
	struct fetch *fetch = arg;

	(void)call;
	(void)sent;
	fetch->call = NULL;
	fail(fetch, err->text);
}

static void ask_prometheus(struct fetch *fetch)
{
	static const struct http_call_events events = {.end = on_answer, .failed = on_failed};
	AUTO(buf_done) struct buf target = BUF_UNBOUNDED;

	usage_put_target(fetch->kind, str_from(fetch->node), &target);
	fetch->call = http_client_call(fetch->source->http,
				       &(struct http_call_options){.method = STR("GET"),
								   .target = buf_str(&target),
								   .deadline_us = PATIENCE,
								   .max_body = MOST_BODY,
								   .events = &events,
								   .arg = fetch});
}

/* --- APIs of the cluster --------------------------------------------------------------------- */

static int64_t time_of(struct json text, int64_t now)
{
	int64_t at;

	return json_is(text, JSON_STR) && time_parse(json_str(text), &at, NULL) == 0 ? at : now;
}

static void on_custom_value(void *arg, const struct client_result *result)
{
	struct fetch *fetch = arg;
	struct json item =
		result->doc ? json_at(json_get(json_doc_root(result->doc), "items"), 0) : JSON_NONE;
	static const double percent = 100, milli = 1000;
	struct quantity value;

	fetch->request = NULL;
	if (result->err) {
		fail(fetch, result->err->text);
		return;
	}
	if (pod_total_read(json_get(item, "value"), &value) < 0) {
		take(fetch, 0, false);
		return;
	}
	fetch->usage.at =
		time_of(json_get(item, "timestamp"), loop_now(fetch->source->scheduler->loop));
	take(fetch, (double)quantity_milli(&value) / milli * percent, true);
}

static void ask_adaptor(struct fetch *fetch)
{
	static const char *const names[USAGE_COUNT] = {
		[USAGE_CPU] = "node_cpu_usage_avg", [USAGE_MEMORY] = "node_memory_usage_avg"};
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

	buf_printf(&path, "/apis/custom.metrics.k8s.io/v1beta2/nodes/%s/%s", fetch->node,
		   names[fetch->kind]);
	fetch->request = client_send(fetch->source->scheduler->client,
				     &(struct client_ask){.verb = CLIENT_RAW,
							  .method = STR("GET"),
							  .path = buf_str(&path),
							  .attempts = 1,
							  .low_priority = true,
							  .done = on_custom_value,
							  .arg = fetch});
}

static double percent_of(const struct cluster *cluster, const struct node_info *node, int dim,
			 struct json amount, bool *ret_known)
{
	int64_t whole = columns_get(&cluster->columns, CAPACITY_ALLOCATABLE, dim, node->slot);
	static const double percent = 100;
	struct quantity used;

	*ret_known = whole > 0 && pod_total_read(amount, &used) == 0;
	if (!*ret_known)
		return 0;
	return percent * (double)(dim == DIM_CPU ? quantity_milli(&used) : quantity_value(&used)) /
	       (double)whole;
}

static void take_metrics(struct usage_source *source, struct json item)
{
	struct cluster *cluster = source->scheduler->cluster;
	struct str name = json_str(json_get(json_get(item, "metadata"), "name"));
	const struct node_info *node = cluster_find_node(cluster, name);
	struct json used = json_get(item, "usage");
	struct node_usage usage = {
		.at = time_of(json_get(item, "timestamp"), loop_now(source->scheduler->loop))};

	if (!node)
		return;
	usage.percent[USAGE_CPU] =
		percent_of(cluster, node, DIM_CPU, json_get(used, "cpu"), &usage.known[USAGE_CPU]);
	usage.percent[USAGE_MEMORY] = percent_of(
		cluster, node, DIM_MEMORY, json_get(used, "memory"), &usage.known[USAGE_MEMORY]);
	cluster_set_usage(cluster, name, &usage);
}

static void on_metrics(void *arg, const struct client_result *result)
{
	struct fetch *fetch = arg;
	struct usage_source *source = fetch->source;
	struct json_iter it;

	fetch->request = NULL;
	if (result->err) {
		fail(fetch, result->err->text);
		return;
	}
	it = json_iter(json_get(json_doc_root(result->doc), "items"));
	while (json_next(&it))
		take_metrics(source, it.value);
	scheduler_request_cycle(source->scheduler);
	fetch_free(fetch);
}

static void ask_metrics_api(struct fetch *fetch)
{
	static const struct resource nodes = {.group = STR_INIT("metrics.k8s.io"),
					      .version = STR_INIT("v1beta1"),
					      .plural = STR_INIT("nodes"),
					      .kind = STR_INIT("NodeMetrics")};

	fetch->request = client_send(fetch->source->scheduler->client,
				     &(struct client_ask){.verb = CLIENT_LIST,
							  .resource = &nodes,
							  .attempts = 1,
							  .low_priority = true,
							  .done = on_metrics,
							  .arg = fetch});
}

/* --- rounds ---------------------------------------------------------------------------------- */

static void send(struct fetch *fetch)
{
	if (fetch->source->type == SOURCE_PROMETHEUS)
		ask_prometheus(fetch);
	else if (fetch->source->type == SOURCE_ADAPTOR)
		ask_adaptor(fetch);
	else
		ask_metrics_api(fetch);
}

/* Takes the name. */
static void fetch_start(struct usage_source *source, char *node)
{
	struct fetch *fetch = mem_new(struct fetch);

	fetch->source = source;
	fetch->node = node;
	list_push(&source->fetches, &fetch->link);
	source->fetching++;
	send(fetch);
}

static void fetch_more(struct usage_source *source)
{
	while (source->waiting.len && source->fetching < AT_ONCE)
		fetch_start(source, source->waiting.ptr[--source->waiting.len]);
}

static void start_round(struct usage_source *source)
{
	const struct cluster *cluster = source->scheduler->cluster;

	source->failed = false;
	if (source->type == SOURCE_METRICS_API) {
		fetch_start(source, NULL);
		return;
	}
	for (size_t i = cluster->nodes.len; i-- > 0;)
		if (cluster->nodes.ptr[i] && cluster->nodes.ptr[i]->there)
			vec_push(&source->waiting, str_dup(cluster->nodes.ptr[i]->text));
	fetch_more(source);
}

static void on_due(struct loop_timer *timer, void *arg)
{
	struct usage_source *source = arg;

	if (!scheduler_is_ready(source->scheduler)) {
		loop_timer_set(timer, NOT_READY);
		return;
	}
	loop_timer_set(timer, source->interval);
	if (!source->fetching)
		start_round(source);
}

/* --- life ------------------------------------------------------------------------------------ */

struct usage_source *usage_source_new(struct scheduler *scheduler)
{
	struct usage_source *source = mem_new(struct usage_source);

	source->scheduler = scheduler;
	list_init(&source->fetches);
	source->timer = loop_timer_new(scheduler->loop, on_due, source);
	return source;
}

static void stop(struct usage_source *source)
{
	while (!list_is_empty(&source->fetches)) {
		struct fetch *fetch = container_of(source->fetches.next, struct fetch, link);

		http_call_cancel(fetch->call);
		client_cancel(fetch->request);
		fetch_free(fetch);
	}
	for (size_t i = 0; i < source->waiting.len; i++)
		mem_free(source->waiting.ptr[i]);
	vec_clear(&source->waiting);
	loop_timer_stop(source->timer);
	http_client_free(source->http);
	source->http = NULL;
	source->type = SOURCE_NONE;
}

void usage_source_free(struct usage_source *source)
{
	if (!source)
		return;
	stop(source);
	loop_timer_free(source->timer);
	vec_done(&source->waiting);
	mem_free(source->text);
	mem_free(source);
}

static struct http_client *connect_to(struct usage_source *source, struct json metrics,
				      struct err *err)
{
	bool insecure = str_is(json_str(json_get(metrics, "tls.insecureSkipVerify")), "true") ||
			json_bool(json_get(metrics, "tls.insecureSkipVerify"));
	struct str address = json_str(json_get(metrics, "address"));
	AUTO(tls_unref) struct tls *tls = NULL;

	if (str_starts(address, STR("https:"))) {
		tls = tls_client_new(&(struct tls_client_options){.insecure = insecure}, err);
		if (!tls)
			return NULL;
	}
	return http_client_new(source->scheduler->loop,
			       &(struct http_client_options){.url = address, .tls = tls}, err);
}

static int64_t interval_of(struct json metrics)
{
	int64_t nanoseconds;

	if (duration_parse(json_str(json_get(metrics, "interval")), &nanoseconds, NULL) < 0 ||
	    nanoseconds < DURATION_MICROSECOND)
		return INTERVAL;
	return nanoseconds / DURATION_MICROSECOND;
}

static void start(struct usage_source *source, struct json metrics)
{
	struct str type = json_str(json_get(metrics, "type"));
	struct err err;

	source->interval = interval_of(metrics);
	if (str_is(type, "prometheus")) {
		source->http = connect_to(source, metrics, &err);
		if (!source->http) {
			log_error(source->scheduler->log, "metrics.address cannot be used",
				  LOG_STR("why", err.text));
			return;
		}
		source->type = SOURCE_PROMETHEUS;
	} else if (str_is(type, "prometheus_adaptor")) {
		source->type = SOURCE_ADAPTOR;
	} else if (str_is(type, "metrics_api")) {
		source->type = SOURCE_METRICS_API;
	}
	if (source->type != SOURCE_NONE)
		loop_timer_set(source->timer, 0);
}

void usage_source_configure(struct usage_source *source, struct json metrics)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(metrics, JSON_CANONICAL, &text);
	if (source->text && str_is(buf_str(&text), source->text))
		return;
	stop(source);
	mem_free(source->text);
	source->text = buf_take(&text);
	start(source, metrics);
}
