/* SPDX-License-Identifier: Apache-2.0 */
/* controller/hypernode_discoverer.c - see the header.
 *
 * `label` follows nodes and HyperNodes. `ufm` asks a UFM over HTTP, now and at each interval: first for the Secret with
 * the account, so that a new password counts the next time, then for the ports. What came is kept until a worker has made
 * objects of it; a failure is kept as a text, and makes HyperNodes stale. */
#include "controller/hypernode_discoverer.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/recorder.h"
#include "controller/cache.h"
#include "controller/controller.h"
#include "controller/worker.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/tls.h"
#include "json/yaml.h"
#include "lifecycle/hypernode_discovery.h"
#include "loop/loop.h"

#include "base/banned.h"

#define CONFIG_KEY "volcano-controller.conf"
#define UFM_PORTS "/ufmRest/resources/ports"
enum { UFM_BODY_MAX = 100 * 1024 * 1024 };
static const int64_t ufm_time = INT64_C(30) * 1000 * 1000;

struct discoverer {
	struct controller_base *base;
	struct cache *const *caches;
	discoverer_nodes_fn *nodes;
	void *nodes_arg;
	struct informer *config_maps;
	struct worker *worker;
	bool started;

	struct json_doc *conf; /* the last good configuration; NULL: none */
	struct discovery_config config;

	struct loop_timer *timer; /* until UFM is asked again */
	struct http_client *http;
	struct http_call *call;
	struct client_request *secret;
	struct json_doc *answer; /* of UFM, not yet made objects of */
	char *failure;           /* why there is none */
};

/* --- configuration ----------------------------------------------------------------------------- */

static const struct discovery_source *find_source(const struct discoverer *d, const char *name)
{
	for (size_t i = 0; i < d->config.sources.len; i++)
		if (d->config.sources.ptr[i].enabled && str_is(d->config.sources.ptr[i].name, name))
			return &d->config.sources.ptr[i];
	return NULL;
}

static void report(struct discoverer *d, struct json config_map, const char *text)
{
	struct recorder_object object = recorder_object_of(config_map, STR("v1"), STR("ConfigMap"));

	log_warn(d->base->log, "the discovery of HyperNodes cannot be as configured",
		 LOG_STR("error", text));
	recorder_event(d->base->recorder, &object, "Warning", "InvalidDiscovery", str_from(text));
}

static void stop_ufm(struct discoverer *d)
{
	loop_timer_stop(d->timer);
	client_cancel(d->secret);
	d->secret = NULL;
	http_call_cancel(d->call);
	d->call = NULL;
	http_client_free(d->http);
	d->http = NULL;
}

static void run_sources(struct discoverer *d)
{
	stop_ufm(d);
	if (!d->started)
		return;
	if (find_source(d, "label"))
		worker_wake(d->worker, STR("label"));
	if (find_source(d, "ufm"))
		loop_timer_set(d->timer, 0);
}

static void set_config(struct discoverer *d, struct json_doc *conf,
		       const struct discovery_config *config)
{
	discovery_config_done(&d->config);
	json_doc_unref(d->conf);
	d->conf = conf;
	d->config = *config;
	run_sources(d);
}

static void check_names(struct discoverer *d, struct json config_map)
{
	for (size_t i = 0; i < d->config.sources.len; i++) {
		struct str name = d->config.sources.ptr[i].name;
		AUTO(mem_free) char *text = NULL;

		if (str_is(name, "label") || str_is(name, "ufm"))
			continue;
		text = mem_printf(
			"networkTopologyDiscovery[%zu].source: \"%.*s\" is not known; label "
			"and ufm are",
			i, STR_ARG(name));
		report(d, config_map, text);
	}
}

static void config_seen(void *arg, const struct informer_object *object)
{
	struct discoverer *d = arg;
	struct json root = json_doc_root(object->doc);
	struct str text = json_str(json_get(json_get(root, "data"), CONFIG_KEY));
	struct discovery_config config = {0};
	struct json_doc *conf = NULL;
	struct err err;

	if (text.len) {
		conf = yaml_parse(text, NULL, &err);
		if (!conf || discovery_config_read(json_doc_root(conf), &config, &err) < 0) {
			json_doc_unref(conf);
			report(d, root, err.text);
			return;
		}
	}
	set_config(d, conf, &config);
	check_names(d, root);
}

static void config_gone(void *arg, const struct informer_object *object)
{
	const struct discovery_config none = {0};

	(void)object;
	set_config(arg, NULL, &none);
}

/* --- asking a UFM -------------------------------------------------------------------------------- */

static void ufm_ended(struct discoverer *d, struct json_doc *answer, char *failure)
{
	const struct discovery_source *source = find_source(d, "ufm");

	json_doc_unref(d->answer);
	mem_free(d->failure);
	d->answer = answer;
	d->failure = failure;
	if (failure)
		log_warn(d->base->log, "a UFM could not be asked", LOG_STR("error", failure));
	if (source)
		loop_timer_set(d->timer, source->interval);
	worker_wake(d->worker, STR("ufm"));
}

static void ufm_answered(struct http_call *call, void *arg)
{
	struct discoverer *d = arg;
	struct err err;
	struct json_doc *answer;

	d->call = NULL;
	if (http_call_status(call) != 200) {
		ufm_ended(d, NULL,
			  mem_printf("the UFM answered with status %d", http_call_status(call)));
		return;
	}
	answer = json_parse(http_call_body(call), NULL, &err);
	ufm_ended(d, answer,
		  answer ? NULL : mem_printf("the answer of the UFM is not JSON: %s", err.text));
}

static void ufm_failed(struct http_call *call, const struct err *err, enum http_sent sent,
		       void *arg)
{
	struct discoverer *d = arg;

	(void)call;
	(void)sent;
	d->call = NULL;
	ufm_ended(d, NULL, mem_printf("the UFM did not answer: %s", err->text));
}

static int open_http(struct discoverer *d, const struct discovery_source *source, struct err *err)
{
	struct str endpoint = json_str(json_get(source->config, "endpoint"));
	bool bare = str_find(endpoint, STR("://"), 0) < 0;
	AUTO(mem_free)
	char *url = mem_printf("%s%.*s", bare ? "https://" : "", STR_ARG(endpoint));
	AUTO(tls_unref) struct tls *tls = NULL;

	if (d->http)
		return 0;
	if (!endpoint.len)
		return err_set(err, ERR_INVALID, "config.endpoint: required");
	if (str_starts(str_from(url), STR("https://"))) {
		tls = tls_client_new(
			&(struct tls_client_options){
				.insecure =
					json_bool(json_get(source->config, "insecureSkipVerify"))},
			err);
		if (!tls)
			return -1;
	}
	d->http = http_client_new(d->base->loop,
				  &(struct http_client_options){.url = str_from(url), .tls = tls},
				  err);
	return d->http ? 0 : -1;
}

/* The value of a key of a Secret. */
static int read_secret(struct json secret, const char *key, struct buf *to, struct err *err)
{
	struct json value = json_get(json_get(secret, "data"), key);

	if (!json_str(value).len)
		return err_set(err, ERR_INVALID, "the Secret has no %s", key);
	return base64_parse(json_str(value), to, err);
}

static int ask_ports(struct discoverer *d, struct json secret, struct err *err)
{
	static const struct http_call_events events = {.end = ufm_answered, .failed = ufm_failed};
	const struct discovery_source *source = find_source(d, "ufm");
	AUTO(buf_done) struct buf account = BUF_UNBOUNDED, coded = BUF_UNBOUNDED;
	AUTO(headers_done) struct headers headers = HEADERS_INIT;

	if (!source)
		return 0;
	if (read_secret(secret, "username", &account, err) < 0)
		return -1;
	buf_putc(&account, ':');
	if (read_secret(secret, "password", &account, err) < 0 || open_http(d, source, err) < 0)
		return -1;
	base64_print(&coded, account.ptr, account.len);
	headers_printf(&headers, STR("authorization"), "Basic %.*s", STR_ARG(buf_str(&coded)));
	headers_put(&headers, STR("accept"), STR("application/json"));
	d->call = http_client_call(d->http, &(struct http_call_options){.method = STR("GET"),
									.target = STR(UFM_PORTS),
									.headers = &headers,
									.deadline_us = ufm_time,
									.max_body = UFM_BODY_MAX,
									.events = &events,
									.arg = d});
	return 0;
}

static void secret_came(void *arg, const struct client_result *result)
{
	struct discoverer *d = arg;
	struct err err;

	d->secret = NULL;
	if (result->err)
		ufm_ended(
			d, NULL,
			mem_printf("the Secret of the UFM cannot be read: %s", result->err->text));
	else if (ask_ports(d, json_doc_root(result->doc), &err) < 0)
		ufm_ended(d, NULL, mem_printf("%s", err.text));
}

static void ask_ufm(struct loop_timer *timer, void *arg)
{
	struct discoverer *d = arg;
	const struct discovery_source *source = find_source(d, "ufm");

	(void)timer;
	if (!source || d->secret || d->call)
		return;
	if (!source->secret_name.len) {
		ufm_ended(d, NULL, mem_strdup("credentials.secretRef.name: required"));
		return;
	}
	d->secret = client_send(
		d->base->client,
		&(struct client_ask){.verb = CLIENT_GET,
				     .resource = &resources[RESOURCE_SECRETS],
				     .namespace =
					     source->secret_namespace.len
						     ? source->secret_namespace
						     : str_from(d->base->options.config_namespace),
				     .name = source->secret_name,
				     .done = secret_came,
				     .arg = d});
}

/* --- making objects ------------------------------------------------------------------------------ */

static int plan_labels(struct discoverer *d, const struct discovery_world *world,
		       struct discovery *found, struct plan *plan, struct err *err)
{
	const struct discovery_source *source = find_source(d, "label");
	int64_t now = loop_now(d->base->loop);

	if (!source)
		return 0;
	if (discovery_by_labels(source->config, world, found, err) < 0) {
		log_warn(d->base->log, "labels give no HyperNodes", LOG_STR("error", err->text));
		discovery_stale(STR("label"), err->text, world, now, plan);
		return 0;
	}
	discovery_plan(STR("label"), found, world, now, plan);
	return 0;
}

static int plan_ufm(struct discoverer *d, const struct discovery_world *world,
		    struct discovery *found, struct plan *plan, struct err *err)
{
	int64_t now = loop_now(d->base->loop);

	if (!find_source(d, "ufm"))
		return 0;
	if (d->failure) {
		discovery_stale(STR("ufm"), d->failure, world, now, plan);
	} else if (d->answer) {
		if (discovery_by_ufm(json_doc_root(d->answer), world, found, err) < 0)
			discovery_stale(STR("ufm"), err->text, world, now, plan);
		else
			discovery_plan(STR("ufm"), found, world, now, plan);
	}
	return 0;
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct discoverer *d = arg;
	struct discovery_world world = {0};
	struct discovery found = {.arena = plan->arena};
	AUTO(mem_free) struct json *nodes = d->nodes(d->nodes_arg, &world.node_count);
	VEC(struct json) hypernodes = {0};
	struct json_doc *doc;
	size_t at = 0;
	int result;

	while ((doc = cache_next(d->caches[PLAN_HYPERNODE], &at)))
		vec_push(&hypernodes, json_doc_root(doc));
	world.nodes = nodes;
	world.hypernodes = hypernodes.ptr;
	world.hypernode_count = hypernodes.len;
	result = str_is(key, "label") ? plan_labels(d, &world, &found, plan, err)
				      : plan_ufm(d, &world, &found, plan, err);
	for (size_t i = 0; i < found.notes.len; i++)
		log_warn(d->base->log, "something is odd about the network",
			 LOG_STR("what", found.notes.ptr[i].ptr));
	discovery_done(&found);
	vec_done(&hypernodes);
	return result;
}

/* --- life ------------------------------------------------------------------------------------------ */

struct discoverer *discoverer_new(struct controller_base *base, struct cache *const *caches,
				  discoverer_nodes_fn *nodes, void *arg)
{
	struct discoverer *d = mem_new(struct discoverer);
	AUTO(mem_free)
	char *field = mem_printf("metadata.name=%s", base->options.config_name);

	d->base = base;
	d->caches = caches;
	d->nodes = nodes;
	d->nodes_arg = arg;
	d->timer = loop_timer_new(base->loop, ask_ufm, d);
	d->worker = worker_new(&(struct worker_options){.base = base,
							.reconcile = reconcile,
							.arg = d,
							.of = RESOURCE_HYPERNODES,
							.caches = caches});
	d->config_maps = informer_new(
		base->client,
		&(struct informer_options){.resource = &resources[RESOURCE_CONFIGMAPS],
					   .namespace = str_from(base->options.config_namespace),
					   .field_selector = str_from(field),
					   .optional = true,
					   .log = base->log});
	informer_listen(d->config_maps,
			&(struct informer_events){.added = config_seen,
						  .updated = config_seen,
						  .deleted = config_gone},
			d);
	return d;
}

void discoverer_start(struct discoverer *d)
{
	d->started = true;
	worker_start(d->worker);
	informer_start(d->config_maps);
}

void discoverer_touch(struct discoverer *d)
{
	if (d->started && find_source(d, "label"))
		worker_wake(d->worker, STR("label"));
	if (d->started && d->answer && find_source(d, "ufm"))
		worker_wake(d->worker, STR("ufm"));
}

void discoverer_free(struct discoverer *d)
{
	if (!d)
		return;
	informer_free(d->config_maps);
	stop_ufm(d);
	loop_timer_free(d->timer);
	worker_free(d->worker);
	discovery_config_done(&d->config);
	json_doc_unref(d->conf);
	json_doc_unref(d->answer);
	mem_free(d->failure);
	mem_free(d);
}
