/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/daemon_pages.c - see daemon_pages.h. */
#include "programs/daemon/daemon_pages.h"

#include "base/time.h"
#include "base/url.h"
#include "client/client.h"
#include "http/http_server.h"

#include "base/banned.h"

static void put_permission(const struct client_denial *denial, struct buf *to)
{
	buf_printf(to, "%s:%.*s", denial->verb, STR_ARG(denial->resource->plural));
	if (denial->resource->group.len)
		buf_printf(to, ".%.*s", STR_ARG(denial->resource->group));
	if (denial->sub.len)
		buf_printf(to, "/%.*s", STR_ARG(denial->sub));
}

static void put_caches(const struct daemon_state *state, struct buf *to)
{
	struct str rest = state->why;
	struct str line;

	if (state->ready) {
		buf_puts(to, "[+]caches ok\n");
		return;
	}
	if (!rest.len)
		rest = STR("not complete");
	while (str_split(&rest, '\n', &line))
		if (line.len)
			buf_printf(to, "[-]caches failed: %.*s\n", STR_ARG(line));
}

/* A line per check and per missing permission. */
static void put_checks(const struct daemon_state *state, struct buf *to)
{
	struct client_denial denial;
	char since[TIME_TEXT_SIZE];
	size_t at = 0;

	buf_puts(to, "[+]ping ok\n");
	if (state->elects)
		buf_printf(to, "[+]leader ok: %s\n",
			   state->works ? "leading" : "another replica leads");
	if (state->works)
		put_caches(state, to);
	while (client_next_denial(state->client, &at, &denial)) {
		buf_puts(to, "[-]permission:");
		put_permission(&denial, to);
		buf_printf(to, " failed: missing since %s: %.*s\n",
			   time_print(denial.since_us, since), STR_ARG(denial.text));
	}
}

static bool is_verbose(struct http_request *request)
{
	const struct query *query = http_request_query(request);

	for (size_t i = 0; i < query->count; i++)
		if (str_is(query->pairs[i].name, "verbose"))
			return true;
	return false;
}

static void serve_ready(struct http_request *request, const struct daemon_state *state)
{
	bool passed = !state->works || state->ready;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (passed && !is_verbose(request)) {
		buf_puts(&text, "ok");
	} else {
		put_checks(state, &text);
		buf_printf(&text, "readyz check %s\n", passed ? "passed" : "failed");
	}
	http_reply(request, passed ? 200 : 500, STR("text/plain; charset=utf-8"), buf_str(&text));
}

void daemon_pages_serve(struct http_request *request, const struct daemon_state *state)
{
	struct str path = http_request_path(request);

	if (str_is(path, "/readyz"))
		serve_ready(request, state);
	else if (str_is(path, "/healthz") || str_is(path, "/livez"))
		http_reply(request, 200, STR("text/plain; charset=utf-8"), STR("ok"));
	else
		http_reply(request, 404, STR("text/plain; charset=utf-8"),
			   STR("404 page not found\n"));
}

void daemon_pages_print_metrics(const struct daemon_state *state, struct buf *to)
{
	struct client_denial denial;
	struct client_stats stats;
	size_t at = 0;

	client_stats(state->client, &stats);
	buf_printf(to,
		   "# HELP volcano_client_requests_total requests sent\n"
		   "# TYPE volcano_client_requests_total counter\n"
		   "volcano_client_requests_total %llu\n"
		   "# HELP volcano_client_requests_in_flight requests without an answer\n"
		   "# TYPE volcano_client_requests_in_flight gauge\n"
		   "volcano_client_requests_in_flight %zu\n"
		   "# HELP volcano_client_requests_in_flight_limit requests that may be in flight\n"
		   "# TYPE volcano_client_requests_in_flight_limit gauge\n"
		   "volcano_client_requests_in_flight_limit %zu\n"
		   "# HELP volcano_client_writes_held writes that wait because they were refused\n"
		   "# TYPE volcano_client_writes_held gauge\n"
		   "volcano_client_writes_held %zu\n"
		   "# HELP volcano_missing_permissions permissions that the server denies\n"
		   "# TYPE volcano_missing_permissions gauge\n",
		   (unsigned long long)stats.sent, stats.in_flight, stats.limit, stats.held);
	while (client_next_denial(state->client, &at, &denial))
		buf_printf(to,
			   "volcano_missing_permissions{verb=\"%s\",resource=\"%.*s\","
			   "subresource=\"%.*s\",group=\"%.*s\"} 1\n",
			   denial.verb, STR_ARG(denial.resource->plural), STR_ARG(denial.sub),
			   STR_ARG(denial.resource->group));
}
