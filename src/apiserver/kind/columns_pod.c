/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns_pod.c - the columns of pods; what the first of them say comes from one summary
 * (model/pod/pod_summary.h). */
#include "apiserver/kind/cell.h"
#include "apiserver/kind/columns.h"
#include "model/pod/pod_summary.h"
#include "model/value/duration.h"

#include "base/banned.h"

/* --- cells ----------------------------------------------------------------------------------- */

static struct json pod_ready(const struct kind_column *column, struct json pod,
			     struct json_doc *doc, int64_t now)
{
	AUTO(pod_summary_done) struct pod_summary s = pod_summary_of(pod);

	(void)column;
	(void)now;
	return json_new_printf(doc, "%zu/%zu", s.ready, s.total);
}

static struct json pod_status_cell(const struct kind_column *column, struct json pod,
				   struct json_doc *doc, int64_t now)
{
	AUTO(pod_summary_done) struct pod_summary s = pod_summary_of(pod);

	(void)column;
	(void)now;
	return cell_take(doc, &s.reason);
}

static struct json pod_restarts(const struct kind_column *column, struct json pod,
				struct json_doc *doc, int64_t now)
{
	AUTO(pod_summary_done) struct pod_summary s = pod_summary_of(pod);
	char text[DURATION_TEXT_SIZE];

	(void)column;
	if (!s.restarts || !s.last_restart)
		return json_new_printf(doc, "%d", (int)s.restarts);
	return json_new_printf(doc, "%d (%s ago)", (int)s.restarts,
			       duration_print_age(now - s.last_restart, text));
}

static struct json pod_ip_cell(const struct kind_column *column, struct json pod,
			       struct json_doc *doc, int64_t now)
{
	struct str ip = json_str(json_get(json_at(cell_follow(pod, "status.podIPs"), 0), "ip"));

	(void)column;
	(void)now;
	return json_new_str(doc, ip.len ? ip : STR("<none>"));
}

static struct json pod_gates(const struct kind_column *column, struct json pod,
			     struct json_doc *doc, int64_t now)
{
	struct json gates = cell_follow(pod, "spec.readinessGates");
	struct json_iter it = json_iter(gates);
	AUTO(buf_done) struct buf type = BUF_UNBOUNDED;
	size_t open = 0;

	(void)column;
	(void)now;
	if (!json_len(gates))
		return json_new_str(doc, STR("<none>"));
	while (json_next(&it)) {
		buf_clear(&type);
		buf_put_str(&type, json_str(json_get(it.value, "conditionType")));
		open += pod_has_condition(pod, buf_text(&type));
	}
	return json_new_printf(doc, "%zu/%zu", open, json_len(gates));
}

const struct kind_column columns_pod[] = {
	COLUMN_NAME,
	COLUMN("Ready", "string", "How many of its containers are ready", .cell = pod_ready),
	COLUMN("Status", "string", "What it is doing, or what holds it up",
	       .cell = pod_status_cell),
	COLUMN("Restarts", "string", "How often its containers were started again, and when last",
	       .cell = pod_restarts),
	COLUMN_AGE,
	COLUMN("IP", "string", "Its address", .cell = pod_ip_cell, WIDE),
	COLUMN("Node", "string", "The node that it is on", .cell = cell_text,
	       .path = "spec.nodeName", .none = "<none>", WIDE),
	COLUMN("Nominated Node", "string", "The node that is being cleared for it",
	       .cell = cell_text, .path = "status.nominatedNodeName", .none = "<none>", WIDE),
	COLUMN("Readiness Gates", "string", "How many of the conditions it waits for hold",
	       .cell = pod_gates, WIDE),
	COLUMN_END,
};
