/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/metrics.c - numbers for /metrics.
 *
 * What the store and the HTTP server count themselves is asked for when the page is; only the
 * requests are counted here. */
#include "apiserver/metrics.h"

#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/store/backups.h"
#include "apiserver/store/store.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "http/http_server.h"
#include "loop/loop.h"

#include "base/banned.h"

struct counted {
	enum verb verb;
	int code;
	uint64_t count;
};

/* Verbs and codes that have occurred: a few dozen at most. */
struct metrics {
	VEC(struct counted) requests;
};

struct metrics *metrics_new(void)
{
	return mem_new(struct metrics);
}

void metrics_free(struct metrics *metrics)
{
	if (!metrics)
		return;
	vec_done(&metrics->requests);
	mem_free(metrics);
}

void metrics_count(struct metrics *metrics, enum verb verb, int code)
{
	for (size_t i = 0; i < metrics->requests.len; i++) {
		struct counted *counted = &metrics->requests.ptr[i];

		if (counted->verb == verb && counted->code == code) {
			counted->count++;
			return;
		}
	}
	vec_push(&metrics->requests, (struct counted){verb, code, 1});
}

static void put_head(struct buf *to, const char *name, const char *type, const char *help)
{
	buf_printf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_requests(const struct metrics *metrics, struct buf *to)
{
	put_head(to, "apiserver_request_total", "counter", "Requests answered, by verb and code.");
	for (size_t i = 0; i < metrics->requests.len; i++) {
		const struct counted *counted = &metrics->requests.ptr[i];

		buf_printf(to, "apiserver_request_total{verb=\"%s\",code=\"%d\"} %" PRIu64 "\n",
			   counted->verb == VERB_COUNT ? "" : verb_name(counted->verb),
			   counted->code, counted->count);
	}
}

static void put_objects(const struct api *api, struct buf *to)
{
	const struct kind *kind;
	size_t at = 0;

	put_head(to, "apiserver_storage_objects", "gauge", "Stored objects, by resource.");
	while ((kind = kinds_next(api_kinds(api), &at)))
		if (kind->stored == kind && kind->verbs & 1u << VERB_LIST)
			buf_printf(to, "apiserver_storage_objects{resource=\"%.*s\"} %zu\n",
				   STR_ARG(kind->resource),
				   store_count(api_store(api), kind->prefix));
}

enum lane_value { LANE_QUEUED, LANE_RUNNING, LANE_WAIT, LANE_LONGEST, LANE_DONE, LANE_REFUSED };

static double lane_value(const struct loop_lane_stats *stats, enum lane_value value)
{
	switch (value) {
	case LANE_QUEUED:
		return (double)stats->queued;
	case LANE_RUNNING:
		return (double)stats->running;
	case LANE_WAIT:
		return (double)stats->waiting_us / (double)TIME_SECOND;
	case LANE_LONGEST:
		return (double)stats->longest_wait_us / (double)TIME_SECOND;
	case LANE_DONE:
		return (double)stats->done;
	case LANE_REFUSED:
		break;
	}
	return (double)stats->refused;
}

/* Work off the loop's thread, by class. */
static void put_lanes(const struct api *api, struct buf *to)
{
	static const struct {
		const char *name, *type, *help;
	} rows[] = {
		[LANE_QUEUED] = {"loop_lane_queued", "gauge", "Pieces of work that wait."},
		[LANE_RUNNING] = {"loop_lane_running", "gauge", "Pieces of work that run."},
		[LANE_WAIT] = {"loop_lane_wait_seconds", "gauge",
			       "For how long the first in the queue has waited."},
		[LANE_LONGEST] = {"loop_lane_longest_wait_seconds", "gauge",
				  "The longest that a piece has waited since the start."},
		[LANE_DONE] = {"loop_lane_done_total", "counter", "Pieces of work done."},
		[LANE_REFUSED] = {"loop_lane_refused_total", "counter",
				  "Pieces refused because the queue was full."},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		put_head(to, rows[i].name, rows[i].type, rows[i].help);
		for (int lane = 0; lane < LOOP_LANE_COUNT; lane++) {
			struct loop_lane_stats stats;

			loop_lane_stats(api_loop(api), (enum loop_lane)lane, &stats);
			buf_printf(to, "%s{lane=\"%s\"} %.6g\n", rows[i].name, stats.name,
				   lane_value(&stats, (enum lane_value)i));
		}
	}
}

static void put_backups(const struct backups *backups, struct buf *to)
{
	struct backups_stats stats;

	backups_stats(backups, &stats);
	const struct {
		const char *name, *type, *help;
		int64_t value;
	} rows[] = {
		{"store_backup_last_timestamp_seconds", "gauge",
		 "When the newest scheduled backup was begun; 0: there is none.",
		 stats.last / TIME_SECOND},
		{"store_backup_failing", "gauge", "1 when the last scheduled backup failed.",
		 stats.error != NULL},
		{"store_backups_total", "counter", "Scheduled backups written since the start.",
		 (int64_t)stats.done},
		{"store_backup_failures_total", "counter", "Those that failed.",
		 (int64_t)stats.failed},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		put_head(to, rows[i].name, rows[i].type, rows[i].help);
		buf_printf(to, "%s %" PRId64 "\n", rows[i].name, rows[i].value);
	}
}

struct histogram {
	const char *name;
	const char *help;
	const uint64_t *within;
	int64_t sum_us;
	uint64_t count;
};

static void put_histogram(const struct histogram *histogram, struct buf *to)
{
	const char *name = histogram->name;
	uint64_t sum = 0;

	put_head(to, name, "histogram", histogram->help);
	for (size_t i = 0; i < LOOP_STEPS; i++) {
		sum += histogram->within[i];
		buf_printf(to, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name,
			   (double)loop_steps_us[i] / (double)TIME_SECOND, sum);
	}
	buf_printf(to, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.6f\n%s_count %" PRIu64 "\n",
		   name, histogram->count, name, (double)histogram->sum_us / (double)TIME_SECOND,
		   name, histogram->count);
}

/* How long the loop was kept from everything else, turn by turn, and what of that it has computed. */
static void put_turns(const struct loop_stats *loop, struct buf *to)
{
	put_histogram(&(struct histogram){"loop_turn_duration_seconds",
					  "How long each turn of the loop took.", loop->within,
					  loop->busy_us, loop->turns},
		      to);
	put_histogram(&(struct histogram){"loop_turn_cpu_seconds",
					  "How long each turn of the loop has computed.",
					  loop->cpu_within, loop->cpu_us, loop->turns},
		      to);
	put_head(to, "loop_turn_longest_cpu_seconds", "gauge",
		 "The longest that a turn of the loop has computed since the start.");
	buf_printf(to, "loop_turn_longest_cpu_seconds %.6f\n",
		   (double)loop->longest_cpu_us / (double)TIME_SECOND);
}

void metrics_print(const struct metrics *metrics, const struct api *api,
		   const struct http_server *server, struct buf *to)
{
	struct http_server_stats http;
	struct store_stats store;
	struct loop_stats loop;
	struct fair_stats fair;

	loop_stats(api_loop(api), &loop);
	fair_stats(api_fair(api), &fair);
	http_server_stats(server, &http);
	store_stats(api_store(api), &store);
	const struct {
		const char *name, *type, *help;
		int64_t value;
	} rows[] = {
		{"apiserver_current_inflight_requests", "gauge",
		 "Requests that are being worked on, watches aside.", (int64_t)api->in_flight},
		{"apiserver_registered_watchers", "gauge", "Watches that stand.",
		 (int64_t)api->watchers},
		{"apiserver_waiting_jobs", "gauge", "Requests and pieces of answers that wait.",
		 (int64_t)fair.waiting},
		{"apiserver_user_rejected_total", "counter",
		 "Requests refused because their user had too many.", (int64_t)fair.refused},
		{"loop_longest_turn_microseconds", "gauge", "The longest turn of the loop so far.",
		 loop.longest_us},
		{"http_server_waiting_bytes", "gauge", "Bytes of answers that wait to be taken.",
		 (int64_t)http.waiting},
		{"http_server_stalled_total", "counter",
		 "Connections ended because they took nothing of what waited.",
		 (int64_t)http.stalled},
		{"http_server_connections", "gauge", "Connections that are open.",
		 (int64_t)http.connections},
		{"http_server_connections_total", "counter", "Connections accepted.",
		 (int64_t)http.accepted},
		{"http_server_refused_total", "counter",
		 "Requests refused before they reached the API.", (int64_t)http.refused},
		{"store_revision", "gauge", "The revision of the state that readers see.",
		 store_revision(api_store(api))},
		{"store_compacted_revision", "gauge", "The oldest revision a watch can start from.",
		 store_compacted(api_store(api))},
		{"store_failed", "gauge", "1 while writes are refused.",
		 store_failure(api_store(api)) != NULL},
		{"store_suspended", "gauge",
		 "1 while they are refused only until the disk takes them again.",
		 store_is_suspended(api_store(api))},
		{"store_objects", "gauge", "Objects of all kinds.", (int64_t)store.objects},
		{"store_object_bytes", "gauge", "Memory that they take.",
		 (int64_t)store.object_bytes},
		{"store_history_events", "gauge", "Events kept for watches that start in the past.",
		 (int64_t)store.history_events},
		{"store_history_bytes", "gauge", "Memory that they take.",
		 (int64_t)store.history_bytes},
		{"store_writes_total", "counter", "Writes made durable.", (int64_t)store.writes},
		{"store_commits_total", "counter", "Transactions that did so.",
		 (int64_t)store.commits},
		{"store_disk_bytes", "gauge", "Size of the store's files.", store.disk_bytes},
	};

	put_requests(metrics, to);
	put_objects(api, to);
	put_lanes(api, to);
	if (api_backups(api))
		put_backups(api_backups(api), to);
	put_turns(&loop, to);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		put_head(to, rows[i].name, rows[i].type, rows[i].help);
		buf_printf(to, "%s %" PRId64 "\n", rows[i].name, rows[i].value);
	}
}
