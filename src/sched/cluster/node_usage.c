/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/node_usage.c - see the header. A node whose load has changed is looked at again, and jobs that wait are
 * tried, since a threshold may have kept them. */
#include "sched/cluster/node_usage.h"

#include "base/number.h"
#include "base/time.h"
#include "base/url.h"
#include "json/doc.h"
#include "sched/cluster/cluster.h"
#include "sched/cluster/ledger.h"

#include "base/banned.h"

static bool is_same(const struct node_usage *a, const struct node_usage *b)
{
	for (int i = 0; i < USAGE_COUNT; i++)
		if (a->known[i] != b->known[i] || a->percent[i] != b->percent[i])
			return false;
	return a->at && b->at;
}

void cluster_set_usage(struct cluster *cluster, struct str name, const struct node_usage *usage)
{
	struct node_info *node = cluster_find_node(cluster, name);
	bool same;

	if (!node)
		return;
	same = is_same(&node->usage, usage);
	node->usage = *usage;
	cluster->usage_reports++;
	if (same)
		return;
	ledger_note_change(cluster, node);
	cluster->events++;
	cluster_unblock(cluster);
}

bool node_usage_is_current(const struct node_usage *usage, int64_t now)
{
	return usage->at && usage->known[USAGE_CPU] && usage->known[USAGE_MEMORY] &&
	       now - usage->at <= USAGE_STALE_SECONDS * (int64_t)TIME_SECOND;
}

void usage_put_target(enum usage_kind kind, struct str node, struct buf *to)
{
	AUTO(buf_done) struct buf query = BUF_UNBOUNDED;

	if (kind == USAGE_CPU)
		buf_printf(&query,
			   "avg_over_time(clamp_min(100 - 100 * avg by (instance) "
			   "(rate(node_cpu_seconds_total{mode=\"idle\",instance=\"%.*s\"}[5m])), "
			   "0)[10m:30s])",
			   STR_ARG(node));
	else
		buf_printf(&query,
			   "100 * avg_over_time((1 - "
			   "node_memory_MemAvailable_bytes{instance=\"%.*s\"} / "
			   "node_memory_MemTotal_bytes{instance=\"%.*s\"})[10m:30s])",
			   STR_ARG(node), STR_ARG(node));
	buf_puts(to, "/api/v1/query?query=");
	url_encode_query(buf_str(&query), to);
}

int usage_read_answer(struct str body, double *ret, bool *ret_known, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(body, NULL, err);
	struct json root = doc ? json_doc_root(doc) : JSON_NONE;
	struct json rows = json_get(json_get(root, "data"), "result");
	struct json value = json_at(json_get(json_at(rows, 0), "value"), 1);
	double number;

	if (!doc)
		return -1;
	if (!str_is(json_str(json_get(root, "status")), "success") || !json_is(rows, JSON_ARR))
		return err_set(err, ERR_INVALID, "is no answer of Prometheus to a query: %.*s",
			       STR_ARG(json_str(json_get(root, "error"))));
	*ret_known = false;
	if (!json_len(rows))
		return 0;
	if (number_parse_double(json_str(value), &number, NULL) < 0)
		return err_set(err, ERR_INVALID, "data.result[0].value: is no number");
	if (number != number) /* the source has divided by nothing */
		return 0;
	*ret = number < 0 ? 0 : number;
	*ret_known = true;
	return 0;
}
