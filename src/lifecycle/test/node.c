/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes answer: rows of what happens at which second, and what becomes of the node. */
#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "lifecycle/node_lifecycle.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

#define WALL INT64_C(1767225600000000)
#define NODE(conditions)                                                                   \
	"{'metadata':{'name':'n','uid':'u','resourceVersion':'7'},'status':{'conditions':" \
	"[" conditions "]}}"
#define READY(beat)                                                                         \
	NODE("{'type':'Ready','status':'True','reason':'KubeletReady','lastHeartbeatTime':" \
	     "'" beat "'}")
#define BY_HAND NODE("{'type':'Ready','status':'True'}")
#define UNKNOWN NODE("{'type':'Ready','status':'Unknown','reason':'x','lastHeartbeatTime':'b'}")
#define LEASE(renewed) "{'spec':{'renewTime':'" renewed "'}}"
#define DECLARED                       \
	"0 patch-status nodes n\n"     \
	"1 event Normal NodeNotReady " \
	"n: Node n status is now: NodeNotReady\n"

struct event {
	int64_t at; /* seconds */
	const char *node;
	const char *lease;
};

static const struct {
	const char *about;
	struct event events[6]; /* the last one has neither a node nor a lease: it is looked at */
	const char *plan;
	int64_t next_after; /* seconds after the last event; 0: not */
} rows[] = {
	{"a node that has just posted is looked at when its time is over",
	 {{1, READY("a"), NULL}, {2, NULL, NULL}},
	 "",
	 39},
	{"one that is silent for 40 seconds is unknown",
	 {{1, READY("a"), NULL}, {41, NULL, NULL}},
	 DECLARED,
	 0},
	{"one that renews its lease is not",
	 {{1, READY("a"), LEASE("1")}, {30, NULL, LEASE("2")}, {41, NULL, NULL}},
	 "",
	 29},
	{"nor is one that posts its status",
	 {{1, READY("a"), NULL}, {30, READY("b"), NULL}, {41, NULL, NULL}},
	 "",
	 29},
	{"the same renewal again is no sign of life",
	 {{1, READY("a"), LEASE("1")}, {30, READY("a"), LEASE("1")}, {41, NULL, NULL}},
	 DECLARED,
	 0},
	{"a renewal with an earlier time is one",
	 {{1, READY("a"), LEASE("9")}, {30, NULL, LEASE("1")}, {41, NULL, NULL}},
	 "",
	 29},
	{"one that is unknown already stays so", {{1, UNKNOWN, NULL}, {41, NULL, NULL}}, "", 0},
	{"a node by hand is left alone", {{1, BY_HAND, NULL}, {400, NULL, NULL}}, "", 0},
	{"so is one without conditions", {{1, NODE(""), NULL}, {400, NULL, NULL}}, "", 0},
	{"one with a lease is watched", {{1, BY_HAND, LEASE("1")}, {41, NULL, NULL}}, DECLARED, 0},
	{"even if it never posted a condition",
	 {{1, NODE(""), LEASE("1")}, {41, NULL, NULL}},
	 DECLARED,
	 0},
	{"one that is made again begins again",
	 {{1, READY("a"), NULL}, {30, "gone", NULL}, {35, READY("a"), NULL}, {41, NULL, NULL}},
	 "",
	 34},
};

static void happen(struct node_health *health, const struct event *event)
{
	AUTO(json_doc_unref) struct json_doc *node = event->node ? quoted_doc(event->node) : NULL;
	AUTO(json_doc_unref)
	struct json_doc *lease = event->lease ? quoted_doc(event->lease) : NULL;

	if (event->node)
		node_observe(health, node ? json_doc_root(node) : JSON_NONE,
			     event->at * TIME_SECOND);
	if (event->lease)
		node_observe_lease(health, json_doc_root(lease), event->at * TIME_SECOND);
}

static void check_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		AUTO(plan_done) struct plan plan;
		struct node_health health = {0};
		const struct event *event = rows[i].events;

		for (; event->node || event->lease; event++)
			happen(&health, event);
		plan_init(&plan);
		node_step(&health, STR("n"), event->at * TIME_SECOND, WALL, &plan);
		plan_print(&plan, &text);
		ok(str_is(buf_str(&text), rows[i].plan), "%s", rows[i].about);
		ok(plan.next_at ==
			   (rows[i].next_after ? WALL + rows[i].next_after * TIME_SECOND : 0),
		   "and when it is looked at again");
	}
}

/* The process was stopped: no answer could arrive. */
static void check_late(void)
{
	struct node_health health = {0};

	happen(&health, &(struct event){1, READY("a"), NULL});
	for (int64_t at = 2; at < 300; at += 200) {
		AUTO(plan_done) struct plan plan;

		plan_init(&plan);
		node_step(&health, STR("n"), at * TIME_SECOND, WALL, &plan);
		ok(plan.writes.len == 0 && plan.next_at,
		   "a check that comes late declares no node");
	}
}

static void check_patch(void)
{
	struct node_health health = {0};
	AUTO(plan_done) struct plan plan;
	AUTO(mem_free) char *text = NULL;

	happen(&health, &(struct event){1, READY("a"), NULL});
	plan_init(&plan);
	node_step(&health, STR("n"), 41 * TIME_SECOND, WALL, &plan);
	text = json_text(json_doc_root(plan.writes.ptr[0].doc), JSON_COMPACT);
	ok(strstr(text, "\"uid\":\"u\",\"resourceVersion\":\"7\""),
	   "only the version that was looked at is changed");
	ok(strstr(text,
		  "{\"type\":\"Ready\",\"status\":\"Unknown\",\"reason\":"
		  "\"NodeStatusUnknown\",\"message\":\"Kubelet stopped posting node status.\""),
	   "what it posted is unknown");
	ok(strstr(text, "{\"type\":\"PIDPressure\",\"status\":\"Unknown\",\"reason\":"
			"\"NodeStatusNeverUpdated\""),
	   "what it never posted as well");
}

int main(void)
{
	check_rows();
	check_late();
	check_patch();
	return tap_done();
}
