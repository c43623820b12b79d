/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/pages.c - pages other than resources. To add a page: a function, and a row in
 * pages[]. */
#include "apiserver/request/pages.h"

#include <inttypes.h>

#include "apiserver/api.h"
#include "apiserver/metrics.h"
#include "apiserver/openapi/discovery.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/reconcile/aside.h"
#include "apiserver/request/backup.h"
#include "apiserver/request/call.h"
#include "apiserver/request/media.h"
#include "apiserver/request/route.h"
#include "apiserver/store/backups.h"
#include "apiserver/store/store.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/time.h"
#include "base/url.h"
#include "http/chunk.h"
#include "http/field.h"
#include "http/headers.h"
#include "http/http_server.h"
#include "loop/loop.h"

#include "base/banned.h"

/* The release of Kubernetes whose behaviour clients may expect. */
#define KUBERNETES_MAJOR "1"
#define KUBERNETES_MINOR "34"
#define KUBERNETES_VERSION "v1.34.11"

/* After so long a piece of work counts as slow. */
#define SLOW_LANE (10 * TIME_SECOND)

static void answer_plain(struct call *call, int code, struct str text)
{
	call_answer_text(call, code, chunk_new(text.ptr, text.len), "text/plain; charset=utf-8");
}

void pages_not_found(struct call *call)
{
	answer_plain(call, 404, STR("404 page not found\n"));
}

/* --- health ---------------------------------------------------------------------------------- */

static const char *check_ping(struct api *api)
{
	(void)api;
	return NULL;
}

static const char *check_store(struct api *api)
{
	return store_failure(api_store(api));
}

static const char *check_shutdown(struct api *api)
{
	return api_is_stopping(api) ? "process is shutting down" : NULL;
}

/* What /healthz, /livez and /readyz look at; each can be asked for alone (/readyz/store). */
static const struct check {
	const char *name;
	const char *(*failure)(struct api *api);
	bool ready_only; /* a server that only lacks this is alive */
} checks[] = {
	{"ping", check_ping, false},        {"log", check_ping, false},
	{"etcd", check_store, true},        {"store", check_store, true},
	{"shutdown", check_shutdown, true},
};

static bool is_excluded(const struct query *query, const char *name)
{
	for (size_t i = 0; i < query->count; i++)
		if (str_is(query->pairs[i].name, "exclude") && str_is(query->pairs[i].value, name))
			return true;
	return false;
}

/* Look at what is asked for; gives how many have failed. */
static size_t run_checks(const struct pages_request *page, bool live, struct buf *text)
{
	const struct query *query = http_request_query(page->request);
	size_t failed = 0;

	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		const char *why = checks[i].failure(page->call->api);

		if (live && checks[i].ready_only)
			continue;
		if (is_excluded(query, checks[i].name)) {
			buf_printf(text, "[+]%s excluded: ok\n", checks[i].name);
		} else if (why) {
			buf_printf(text, "[-]%s failed: %s\n", checks[i].name, why);
			failed++;
		} else {
			buf_printf(text, "[+]%s ok\n", checks[i].name);
		}
	}
	return failed;
}

/* A line per class of work off the thread. A class that is stuck delays nothing else, so it does not make
 * the server unready: it is only shown. */
static void put_lanes(struct loop *loop, struct buf *text)
{
	for (int lane = 0; lane < LOOP_LANE_COUNT; lane++) {
		struct loop_lane_stats stats;

		loop_lane_stats(loop, (enum loop_lane)lane, &stats);
		bool slow = stats.waiting_us >= SLOW_LANE || stats.running_us >= SLOW_LANE;

		buf_printf(text,
			   "[+]lane-%s %s: %zu queued, %zu running for up to %" PRId64
			   " ms, longest wait %" PRId64 " ms\n",
			   stats.name, slow ? "slow" : "ok", stats.queued, stats.running,
			   stats.running_us / TIME_MILLISECOND,
			   (stats.longest_wait_us > stats.waiting_us ? stats.longest_wait_us
								     : stats.waiting_us) /
				   TIME_MILLISECOND);
	}
}

static void serve_check(const struct pages_request *page, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		const char *why;

		if (!str_is(name, checks[i].name))
			continue;
		why = checks[i].failure(page->call->api);
		if (why)
			call_answer_text(page->call, 500, chunk_new(why, str_from(why).len),
					 "text/plain; charset=utf-8");
		else
			answer_plain(page->call, 200, STR("ok"));
		return;
	}
	pages_not_found(page->call);
}

static void serve_health(const struct pages_request *page)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str rest = str_skip(page->path, 1);
	struct str base = rest;

	if (str_split(&rest, '/', &base) && rest.len) {
		serve_check(page, rest);
		return;
	}
	size_t failed = run_checks(page, str_is(base, "livez"), &text);

	put_lanes(api_loop(page->call->api), &text);
	if (failed) {
		buf_printf(&text, "%.*s check failed\n", STR_ARG(base));
		answer_plain(page->call, 500, buf_str(&text));
	} else if (query_has(http_request_query(page->request), STR("verbose"))) {
		buf_printf(&text, "%.*s check passed\n", STR_ARG(base));
		answer_plain(page->call, 200, buf_str(&text));
	} else {
		answer_plain(page->call, 200, STR("ok"));
	}
}

/* --- version, numbers, index ----------------------------------------------------------------- */

static struct json new_root(struct json_doc *doc)
{
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	return root;
}

static void serve_version(const struct pages_request *page)
{
	static const char *const members[][2] = {
		{"major", KUBERNETES_MAJOR},
		{"minor", KUBERNETES_MINOR},
		{"emulationMajor", KUBERNETES_MAJOR},
		{"emulationMinor", KUBERNETES_MINOR},
		{"minCompatibilityMajor", KUBERNETES_MAJOR},
		{"minCompatibilityMinor", "33"},
		{"gitVersion", KUBERNETES_VERSION "+volcano-" VOLCANO_VERSION},
		{"gitCommit", ""},
		{"gitTreeState", "clean"},
		{"buildDate", "1970-01-01T00:00:00Z"},
		{"goVersion", "none"},
		{"compiler", "c17"},
		{"platform", "linux/amd64"},
	};
	struct json_doc *doc = json_doc_new();
	struct json root = new_root(doc);

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		json_set_str(doc, root, members[i][0], str_from(members[i][1]));
	page->call->options.pretty = OPTION_TRUE;
	call_answer_doc(page->call, 200, doc);
}

static void serve_metrics(const struct pages_request *page)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	metrics_print(page->metrics, page->call->api, http_request_server(page->request), &text);
	call_answer_text(page->call, 200, chunk_take(&text),
			 "text/plain; version=0.0.4; charset=utf-8");
}

static void put_backups(struct json_doc *doc, struct json root, const struct backups *backups)
{
	struct json object = json_ensure_obj(doc, root, "backups");
	struct backups_stats stats;
	char text[TIME_TEXT_SIZE];

	backups_stats(backups, &stats);
	json_set_str(doc, object, "folder", str_from(stats.folder));
	json_set_int(doc, object, "everySeconds", stats.every_us / TIME_SECOND);
	json_set_int(doc, object, "keep", stats.keep);
	if (stats.last)
		json_set_str(doc, object, "last", str_from(time_print(stats.last, text)));
	if (stats.error)
		json_set_str(doc, object, "error", str_from(stats.error));
	json_set_int(doc, object, "written", (int64_t)stats.done);
	json_set_int(doc, object, "failed", (int64_t)stats.failed);
}

/* What `volcano status` shows. */
static void serve_status(const struct pages_request *page)
{
	struct api *api = page->call->api;
	struct json_doc *doc = json_doc_new();
	struct json root = new_root(doc);
	struct json objects;
	struct store_stats stats;
	const struct kind *kind;
	size_t at = 0;

	store_stats(api_store(api), &stats);
	json_set_str(doc, root, "version", STR(VOLCANO_VERSION));
	json_set_str(doc, root, "kubernetesVersion", STR(KUBERNETES_VERSION));
	json_set_int(doc, root, "uptimeSeconds", loop_uptime(api_loop(api)) / TIME_SECOND);
	json_set_bool(doc, root, "ready", !store_failure(api_store(api)));
	if (store_failure(api_store(api)))
		json_set_str(doc, root, "problem",
			     str_from(arena_printf(page->call->arena, "writes are %s: %s",
						   store_is_suspended(api_store(api))
							   ? "suspended"
							   : "refused until the next start",
						   store_failure(api_store(api)))));
	json_set_int(doc, root, "revision", store_revision(api_store(api)));
	json_set_int(doc, root, "storeBytes", stats.disk_bytes);
	if (api_backups(api))
		put_backups(doc, root, api_backups(api));
	objects = json_ensure_obj(doc, root, "objects");
	while ((kind = kinds_next(api_kinds(api), &at))) {
		size_t count = store_count(api_store(api), kind->prefix);

		if (kind->stored == kind && count)
			json_set(doc, objects, kind->resource, json_new_int(doc, (int64_t)count));
	}
	aside_encode(api, doc, root);
	call_answer_doc(page->call, 200, doc);
}

static pages_fn serve_index;

/* --- the table ------------------------------------------------------------------------------- */

/* PAGE_BELOW: and everything below it. PAGE_POST: it asks for something to be done. PAGE_GET: HEAD is
 * refused, as by upstream's router. */
enum { PAGE_BELOW = 1, PAGE_POST = 2, PAGE_GET = 4 };

static const struct {
	const char *path;
	unsigned how;
	pages_fn *serve;
} pages[] = {
	{"/", 0, serve_index},
	{"/backup", PAGE_POST, backup_serve},
	{"/healthz", PAGE_BELOW, serve_health},
	{"/livez", PAGE_BELOW, serve_health},
	{"/metrics", 0, serve_metrics},
	{"/openapi/v2", 0, openapi_serve_v2},
	{"/openapi/v3", PAGE_BELOW, openapi_serve_v3},
	{"/readyz", PAGE_BELOW, serve_health},
	{"/statusz", 0, serve_status},
	{"/version", PAGE_GET, serve_version},
};

static void serve_index(const struct pages_request *page)
{
	struct json_doc *doc = json_doc_new();
	struct json list = json_ensure_arr(doc, new_root(doc), "paths");

	json_append(doc, list, json_new_str(doc, STR("/api")));
	json_append(doc, list, json_new_str(doc, STR("/apis")));
	for (size_t i = 1; i < ARRAY_LEN(pages); i++)
		json_append(doc, list, json_new_str(doc, str_from(pages[i].path)));
	call_answer_doc(page->call, 200, doc);
}

static bool page_fits(size_t row, struct str path)
{
	struct str base = str_from(pages[row].path);
	struct str rest = str_skip(path, base.len);

	if (str_eq(path, base))
		return true;
	return str_starts(path, base) && rest.len && rest.ptr[0] == '/' &&
	       (pages[row].how & PAGE_BELOW || rest.len == 1);
}

static void refuse_method(const struct pages_request *page)
{
	struct err err;

	(void)err_set(&err, ERR_METHOD_NOT_ALLOWED,
		      "the server does not allow this method on the requested resource");
	call_answer_err(page->call, &err);
}

static bool is_allowed(const struct pages_request *page, unsigned how)
{
	enum http_method method = http_request_method(page->request);

	if (how & PAGE_POST)
		return method == HTTP_METHOD_POST;
	return method == HTTP_METHOD_GET || (method == HTTP_METHOD_HEAD && !(how & PAGE_GET));
}

static void serve_page(const struct pages_request *page)
{
	size_t i = 0;

	while (i < ARRAY_LEN(pages) && !page_fits(i, page->path))
		i++;
	if (i == ARRAY_LEN(pages))
		pages_not_found(page->call);
	else if (is_allowed(page, pages[i].how))
		pages[i].serve(page);
	else
		refuse_method(page);
}

/* --- discovery ------------------------------------------------------------------------------- */

#define AGGREGATED "APIGroupDiscoveryList"

/* The version of the aggregated document that the client would rather have than a plain one; none:
 * it does not want one. */
static struct str aggregated_version(struct str accept)
{
	struct field_media media;

	while (field_next_media(&accept, &media)) {
		struct str version = field_param(media.params, STR("v"));

		if (!str_is(media.subtype, "json") && !str_is(media.subtype, "*"))
			continue;
		if (!field_param(media.params, STR("as")).len)
			break;
		if (str_is(field_param(media.params, STR("as")), AGGREGATED) &&
		    str_is(field_param(media.params, STR("g")), "apidiscovery.k8s.io") &&
		    (str_is(version, "v2") || str_is(version, "v2beta1")))
			return version;
	}
	return str_none();
}

/* True: answered. */
static bool serve_aggregated(const struct pages_request *page)
{
	struct call *call = page->call;
	enum route_class class = page->route->class;
	struct str version = aggregated_version(http_request_header(page->request, STR("accept")));

	if (!version.len || (class != ROUTE_CORE && class != ROUTE_GROUPS))
		return false;
	call->answer.json_type =
		arena_printf(call->arena, "application/json;g=apidiscovery.k8s.io;v=%.*s;as=%s",
			     STR_ARG(version), AGGREGATED);
	headers_put(http_reply_headers(page->request), STR("vary"), STR("Accept"));
	call_answer_doc(call, 200,
			discovery_aggregated(api_kinds(call->api), class == ROUTE_CORE, version));
	return true;
}

static void serve_discovery(const struct pages_request *page)
{
	const struct kinds *kinds = api_kinds(page->call->api);
	const struct route *route = page->route;
	struct str accept = http_request_header(page->request, STR("accept"));
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err;

	if (serve_aggregated(page))
		return;
	if (route->class == ROUTE_CORE)
		doc = discovery_core(http_request_header(page->request, STR("host")));
	else if (route->class == ROUTE_GROUPS)
		doc = discovery_groups(kinds);
	else if (route->class == ROUTE_GROUP)
		doc = discovery_group(kinds, route->group);
	else
		doc = discovery_version(kinds, route->group, route->version);
	if (doc && media_negotiate(page->call, accept, &err) < 0) {
		call_answer_err(page->call, &err);
	} else if (doc) {
		call_answer_doc(page->call, 200, TAKE(doc));
	} else if (!kinds_has_built_in(kinds, route->group)) {
		pages_not_found(page->call);
	} else {
		(void)err_set(&err, ERR_NOT_FOUND,
			      "the server could not find the requested resource");
		call_answer_err(page->call, &err);
	}
}

static void refuse_route(const struct pages_request *page)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text,
		   "Internal Server Error: \"%.*s\": failed to create RequestInfo: unable to "
		   "determine kind and namespace from url, %.*s\n",
		   STR_ARG(page->path), STR_ARG(page->path));
	answer_plain(page->call, 500, buf_str(&text));
}

void pages_serve(const struct pages_request *page)
{
	if (page->route->class == ROUTE_OTHER)
		serve_page(page);
	else if (page->route->class == ROUTE_WRONG)
		refuse_route(page);
	else if (page->route->class == ROUTE_NONE)
		pages_not_found(page->call);
	else if (!is_allowed(page,
			     page->route->class == ROUTE_GROUPS || page->route->class == ROUTE_GROUP
				     ? 0
				     : PAGE_GET))
		refuse_method(page);
	else
		serve_discovery(page);
}
