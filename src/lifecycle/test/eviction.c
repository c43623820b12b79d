/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that cannot stay: each row is a pod, its node, how long that has been so, and the plan that follows. */
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "lifecycle/eviction_lifecycle.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

#define WALL INT64_C(1767225600000000)
#define POD(meta, spec, phase)                                                           \
	"{'metadata':{'namespace':'ns','name':'p','uid':'u'" meta "},'spec':{" spec "}," \
	"'status':{'phase':'" phase "'}}"
#define ON "'nodeName':'n'"
#define TOLERATES(seconds)                                                                     \
	ON ",'tolerations':[{'key':'k','operator':'Exists','effect':'NoExecute','tolerationSe" \
	   "conds':" seconds "}]"
#define ALWAYS ON ",'tolerations':[{'operator':'Exists'}]"
#define DELETED ",'deletionTimestamp':'2026-01-01T00:00:00Z','deletionGracePeriodSeconds':30"
#define HELD ",'deletionTimestamp':'2026-01-01T00:00:00Z','deletionGracePeriodSeconds':0"
#define OF_JOB                                                                               \
	",'ownerReferences':[{'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','name':" \
	"'j','uid':'x','controller':true}]"
#define NODE(ready, taints)                                                                    \
	"{'metadata':{'name':'n'},'spec':{'taints':[" taints "]},'status':{'conditions':[{'ty" \
	"pe':'Ready','status':'" ready "'}]}}"
#define TAINT "{'key':'k','effect':'NoExecute'}"
#define OUT_OF_SERVICE "{'key':'node.kubernetes.io/out-of-service','effect':'NoExecute'}"
#define GC                           \
	"0 patch-status pods ns/p\n" \
	"1 delete-at-once pods ns/p\n"
#define EVICTED                                                                     \
	"0 event Normal TaintManagerEviction ns/p: Marking for deletion Pod ns/p\n" \
	"0 patch-status pods ns/p\n"                                                \
	"1 delete pods ns/p\n"

static const struct {
	const char *about;
	const char *pod;
	const char *node; /* NULL: it does not exist */
	int64_t for_seconds;
	const char *plan;
	int64_t next_after;
} rows[] = {
	{"a pod on a good node stays", POD("", ON, "Running"), NODE("True", ""), 999, "", 0},
	{"a pod of a missing node waits for it", POD("", ON, "Running"), NULL, 39, "", 1},
	{"for 40 seconds", POD("", ON, "Running"), NULL, 40, GC, 0},
	{"also one that was not started", POD("", ON, "Pending"), NULL, 40, GC, 0},
	{"also one that is being deleted", POD(DELETED, ON, "Running"), NULL, 40, GC, 0},
	{"also one that has finished, whose status stays", POD("", ON, "Succeeded"), NULL, 40,
	 "0 delete-at-once pods ns/p\n", 0},
	{"one that finalizers hold is left to them", POD(HELD, ON, "Running"), NULL, 99, "", 0},
	{"a pod without a node stays", POD("", "", "Pending"), NULL, 99, "", 0},
	{"unless it was deleted", POD(DELETED, "", "Pending"), NULL, 0,
	 "0 delete-at-once pods ns/p\n", 0},
	{"a taint evicts at once", POD("", ON, "Running"), NODE("True", TAINT), 0, EVICTED, 0},
	{"but not who tolerates it for a while", POD("", TOLERATES("300"), "Running"),
	 NODE("True", TAINT), 299, "", 1},
	{"until that is over", POD("", TOLERATES("300"), "Running"), NODE("True", TAINT), 300,
	 EVICTED, 0},
	{"no time is no time", POD("", TOLERATES("0"), "Running"), NODE("True", TAINT), 0, EVICTED,
	 0},
	{"nor less than none", POD("", TOLERATES("-5"), "Running"), NODE("True", TAINT), 0, EVICTED,
	 0},
	{"the largest time does not come", POD("", TOLERATES("9223372036854775807"), "Running"),
	 NODE("True", TAINT), 1000000, "", -1},
	{"nor who tolerates everything", POD("", ALWAYS, "Running"), NODE("True", TAINT), 999, "",
	 0},
	{"one taint of two suffices", POD("", TOLERATES("300"), "Running"),
	 NODE("True", TAINT ",{'key':'l','effect':'NoExecute'}"), 0, EVICTED, 0},
	{"other effects evict no pod", POD("", ON, "Running"),
	 NODE("True", "{'key':'k','effect':'NoSchedule'}"), 999, "", 0},
	{"who has finished stays", POD("", ON, "Failed"), NODE("True", TAINT), 999, "", 0},
	{"who is being deleted is not deleted again", POD(DELETED, ON, "Running"),
	 NODE("Unknown", TAINT), 999, "", 0},
	{"unless its node is out of service", POD(DELETED, ON, "Running"),
	 NODE("Unknown", OUT_OF_SERVICE), 0, "0 delete-at-once pods ns/p\n", 0},
	{"which one that is ready is not", POD(DELETED, ON, "Running"),
	 NODE("True", OUT_OF_SERVICE), 0, "", 0},
};

static void decide(const char *pod_text, const char *node_text, int64_t seconds, struct plan *plan)
{
	AUTO(json_doc_unref) struct json_doc *pod_doc = quoted_doc(pod_text);
	AUTO(json_doc_unref) struct json_doc *node_doc = node_text ? quoted_doc(node_text) : NULL;
	struct eviction_pod pod;
	struct eviction_node node;
	struct err err = {0};

	eviction_pod_read(json_doc_root(pod_doc), &pod);
	eviction_node_read(node_doc ? json_doc_root(node_doc) : JSON_NONE, &node);
	ok(eviction_step(&pod, &node,
			 (struct eviction_time){TIME_HOUR, TIME_HOUR + seconds * TIME_SECOND, WALL},
			 plan, &err) == 0,
	   "it can be decided %s", err.text);
}

static void check_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		AUTO(plan_done) struct plan plan;
		int64_t after = rows[i].next_after;

		plan_init(&plan);
		decide(rows[i].pod, rows[i].node, rows[i].for_seconds, &plan);
		plan_print(&plan, &text);
		ok(str_is(buf_str(&text), rows[i].plan), "%s", rows[i].about);
		if (after < 0)
			ok(plan.next_at > WALL + TIME_DAY, "and far away");
		else
			ok(plan.next_at == (after ? WALL + after * TIME_SECOND : 0),
			   "and when it is looked at again");
	}
}

static const char *patch_of(const char *pod, const char *node, char *text, size_t size)
{
	AUTO(plan_done) struct plan plan;
	AUTO(mem_free) char *printed = NULL;

	plan_init(&plan);
	decide(pod, node, 400, &plan);
	printed = json_text(json_doc_root(plan.writes.ptr[0].doc), JSON_COMPACT);
	(void)snprintf(text, size, "%s", printed);
	return text;
}

static void check_patches(void)
{
	char text[400];

	is(patch_of(POD("", ON, "Running"), NULL, text, sizeof(text)),
	   "{\"metadata\":{\"uid\":\"u\"},\"status\":{\"phase\":\"Failed\",\"conditions\":[{"
	   "\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":\"DeletionByPodGC\","
	   "\"message\":\"PodGC: node no longer exists\",\"lastTransitionTime\":"
	   "\"2026-01-01T00:00:00Z\"}]}}");
	ok(!strstr(patch_of(POD(OF_JOB, ON, "Running"), NULL, text, sizeof(text)), "Failed"),
	   "a job's pod was taken from it: it did not fail");
	ok(strstr(patch_of(POD("", ON, "Running"), NODE("True", TAINT), text, sizeof(text)),
		  "\"reason\":\"DeletionByTaintManager\"") &&
		   !strstr(text, "Failed"),
	   "one that is evicted for a taint is ended by its node");
}

static void check_finished(void)
{
	struct eviction_pod pods[EVICTION_BATCH + 5];
	AUTO(plan_done) struct plan plan;
	AUTO(plan_done) struct plan most;

	for (size_t i = 0; i < ARRAY_LEN(pods); i++)
		pods[i] = (struct eviction_pod){.namespace = STR("ns"),
						.name = i % 2 ? STR("odd") : STR("even"),
						.uid = i % 2 ? STR("b") : STR("a"),
						.created = (int64_t)(ARRAY_LEN(pods) - i) / 2};
	plan_init(&plan);
	plan_init(&most);
	eviction_finished_step(pods, ARRAY_LEN(pods), 3, &plan);
	ok(plan.writes.len == 3, "as many as are too many");
	ok(pods[0].created <= pods[1].created && pods[1].created <= pods[2].created,
	   "the oldest first");
	eviction_finished_step(pods, ARRAY_LEN(pods), ARRAY_LEN(pods), &most);
	ok(most.writes.len == EVICTION_BATCH, "a bounded number at a time");
}

int main(void)
{
	check_rows();
	check_patches();
	check_finished();
	return tap_done();
}
