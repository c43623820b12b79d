/* SPDX-License-Identifier: Apache-2.0 */
/* Why jobs are where they are: the line for every phase and source of reasons, one page in full. */
#include "base/arena.h"
#include "base/time.h"
#include "cli/explain_text.h"
#include "cli/pods.h"
#include "quoted.h"
#include "tap.h"

#include "base/banned.h"

#define NOW "2026-01-02T10:00:00Z"
#define META(name) "'metadata':{'name':'" name "','creationTimestamp':'2026-01-02T09:50:00Z'}"
#define SPEC "'spec':{'queue':'research','minAvailable':2,'tasks':[{'name':'w','replicas':3}]}"
#define JOB(status) "{" META("train") "," SPEC ",'status':{" status "}}"
#define PENDING                                                          \
	"'state':{'phase':'Pending'},'conditions':[{'status':'Pending'," \
	"'lastTransitionTime':'2026-01-02T09:50:00Z'}]"
#define PHASE(name, time)                                                  \
	"'state':{'phase':'" name "'},'conditions':[{'status':'" name "'," \
	"'lastTransitionTime':'" time "'}]"
#define OPEN "{'spec':{'weight':2},'status':{'state':'Open'}}"
#define TOLD                                                                                      \
	"{'metadata':{'name':'train-1','annotations':{'scheduling.volcano.sh/reasons':"           \
	"'[{\\'cause\\':\\'QueueCapability\\',\\'text\\':\\'queue research is at its capability " \
	"for nvidia.com/gpu: 64 of 64, needs 8 more\\',\\'since\\':\\'2026-01-02T09:56:40Z\\',"   \
	"\\'advice\\':\\'end a job of queue "                                                     \
	"research\\'},{\\'cause\\':\\'Nodes\\',\\'text\\':\\'no "                                 \
	"node has capacity\\',\\'since\\':\\'2026-01-02T09:59:00Z\\'}]'}},"                       \
	"'spec':{'minResources':{'count/pods':'2','cpu':'4','limits.cpu':'4','nvidia.com/"        \
	"gpu':'8',"                                                                               \
	"'pods':'2','requests.cpu':'4'}},'status':{'phase':'Inqueue'}}"
#define MISSING                                                                                 \
	"{'metadata':{'name':'train-1','annotations':{'scheduling.volcano.sh/reasons':"         \
	"'[{\\'cause\\':\\'NotEnoughTasks\\',\\'text\\':\\'pods that exist: 0, at least 2 are " \
	"needed\\'}]'}},'status':{'phase':'Inqueue'}}"
#define FAILED_POD                                                                           \
	"{'metadata':{'name':'train-w-1','labels':{'volcano.sh/task-spec':'w',"              \
	"'volcano.sh/task-index':'1'}},'spec':{'nodeName':'n1'},'status':{'phase':'Failed'," \
	"'containerStatuses':[{'name':'m','state':{'terminated':{'exitCode':137,"            \
	"'reason':'OOMKilled','finishedAt':'2026-01-02T09:59:30Z'}}}]}}"
#define RESTARTED_POD                                                                         \
	"{'metadata':{'name':'train-w-0','labels':{'volcano.sh/task-spec':'w',"               \
	"'volcano.sh/task-index':'0'}},'spec':{'nodeName':'n0'},'status':{'phase':'Running'," \
	"'containerStatuses':[{'name':'m','state':{'running':{}},'lastState':{'terminated':{" \
	"'exitCode':3,'reason':'Error','finishedAt':'2026-01-02T09:59:00Z'}}}]}}"
#define UNSCHEDULED_POD                                                                \
	"{'metadata':{'name':'train-w-0'},'status':{'phase':'Pending','conditions':[{" \
	"'type':'PodScheduled','status':'False','reason':'Unschedulable',"             \
	"'message':'0/2 nodes are available','lastTransitionTime':'2026-01-02T09:58:00Z'}]}}"

static const struct {
	const char *about;
	const char *job;
	const char *group;
	const char *queue;
	const char *pods;
	const char *line;
} cases[] = {
	{"what the scheduler says comes first", JOB(PENDING), TOLD, OPEN, "[]",
	 "train: queue research is at its capability for nvidia.com/gpu: 64 of 64, needs 8 "
	 "more (for 3m20s; 1 more reason below)"},
	{"else the condition of the podgroup", JOB(PENDING),
	 "{'status':{'phase':'Inqueue','conditions':[{'type':'Unschedulable','status':'True',"
	 "'reason':'NotEnoughResources','message':'3/3 tasks in gang unschedulable',"
	 "'lastTransitionTime':'2026-01-02T09:59:00Z'}]}}",
	 OPEN, "[]", "train: 3/3 tasks in gang unschedulable (for 60s)"},
	{"a condition that no longer holds is no reason", JOB(PENDING),
	 "{'status':{'phase':'Inqueue','conditions':[{'type':'Unschedulable','status':'False',"
	 "'message':'old'}]}}",
	 OPEN, "[" UNSCHEDULED_POD "]", "train: 0/2 nodes are available (for 2m)"},
	{"an annotation that is no JSON is passed over", JOB(PENDING),
	 "{'metadata':{'annotations':{'scheduling.volcano.sh/reasons':'[{'}},'status':{}}", OPEN,
	 "[]", "train: queue `research` has not admitted it yet (for 10m)"},
	{"a queue that is closed", JOB(PENDING), "{'status':{'phase':'Pending'}}",
	 "{'status':{'state':'Closed'}}", "[]", "train: queue `research` is Closed (for 10m)"},
	{"a queue that is not there", JOB(PENDING), "{}", NULL, "[]",
	 "train: queue `research` does not exist (for 10m)"},
	{"no podgroup yet", JOB(PENDING), NULL, OPEN, "[]",
	 "train: the job controller has not created its PodGroup yet (for 10m)"},
	{"pods that are placed", JOB(PENDING), "{'status':{'phase':'Running'}}", OPEN,
	 "[{'metadata':{'name':'train-w-0'},'spec':{'nodeName':'n'},'status':{'phase':'Pending'}}]",
	 "train: starting: 1 of 1 pods have a node (for 10m)"},
	{"a container that cannot start", JOB(PENDING), "{'status':{'phase':'Running'}}", OPEN,
	 "[{'metadata':{'name':'train-w-0'},'spec':{'nodeName':'n'},'status':{'phase':'Pending',"
	 "'startTime':'2026-01-02T09:59:00Z','containerStatuses':[{'name':'m','state':{'waiting':{"
	 "'reason':'ErrImagePull','message':'no such image'}}}]}}]",
	 "train: `train-w-0` cannot start: no such image (for 60s)"},
	{"a job without a status", "{" META("train") "," SPEC "}", NULL, OPEN, "[]",
	 "train: the job controller has not created its PodGroup yet (for 10m)"},
	{"a job that runs",
	 JOB(PHASE("Running", "2026-01-02T09:55:00Z") ",'running':2,'succeeded':1"), NULL, OPEN,
	 "[]", "train has been running for 5m: 2 of 3 pods run, 1 done"},
	{"one of which a part waits",
	 JOB(PHASE("Running", "2026-01-02T09:55:00Z") ",'running':2,'pending':1"), TOLD, OPEN, "[]",
	 "train has been running for 5m: 2 of 3 pods run, 1 waits: queue research is at its "
	 "capability for nvidia.com/gpu: 64 of 64, needs 8 more"},
	{"one whose container was restarted",
	 JOB(PHASE("Running", "2026-01-02T09:55:00Z") ",'running':3,'retryCount':2"), NULL, OPEN,
	 "[" RESTARTED_POD "]",
	 "train has been running for 5m: 3 of 3 pods run; it was restarted 2 times; pod train-w-0 "
	 "exited with code 3"},
	{"a job that has ended well",
	 JOB(PHASE("Completed", "2026-01-02T09:00:00Z") ",'succeeded':3"), NULL, OPEN, "[]",
	 "train completed 60m ago: 3 of 3 pods succeeded"},
	{"one whose counts were cleared", JOB(PHASE("Completed", "2026-01-02T09:00:00Z")), NULL,
	 OPEN, "[{'metadata':{'name':'train-w-0'},'status':{'phase':'Succeeded'}}]",
	 "train completed 60m ago: 1 of 3 pods succeeded"},
	{"a job that has failed", JOB(PHASE("Failed", "2026-01-02T09:59:40Z") ",'retryCount':1"),
	 NULL, OPEN, "[" RESTARTED_POD "," FAILED_POD "]",
	 "train failed 20s ago: pod train-w-1 was killed: it used more than its memory limit; it "
	 "had been restarted 1 time"},
	{"a job that is suspended", JOB(PHASE("Aborted", "2026-01-02T09:59:40Z")), NULL, OPEN, "[]",
	 "train was suspended 20s ago; `vcctl job resume train` runs it again"},
	{"a job that is being restarted", JOB(PHASE("Restarting", "2026-01-02T09:59:55Z")), NULL,
	 OPEN, "[]", "train has been Restarting for 5s"},
};

static int64_t now(void)
{
	int64_t time = 0;
	struct err err;

	(void)!time_parse(STR(NOW), &time, &err);
	return time;
}

/* Without colours. */
static void check_line(struct explain_facts facts, struct arena *arena, const char *want,
		       const char *about)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	facts.now = now();
	facts.bold = facts.faint = facts.good = facts.busy = facts.bad = facts.plain = "";
	explain_line(&facts, arena, &text);
	ok(str_is(buf_str(&text), want), "%s", about);
	if (!str_is(buf_str(&text), want))
		printf("# got  %s\n# want %s\n", buf_text(&text), want);
}

static void test_lines(struct arena *arena)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json_doc_unref) struct json_doc *job = quoted_doc(cases[i].job);
		AUTO(json_doc_unref) struct json_doc *group = quoted_doc(cases[i].group);
		AUTO(json_doc_unref) struct json_doc *queue = quoted_doc(cases[i].queue);
		AUTO(json_doc_unref) struct json_doc *pods = quoted_doc(cases[i].pods);
		struct explain_facts facts = {.job = json_doc_root(job),
					      .group = json_doc_root(group),
					      .queue = json_doc_root(queue),
					      .pods = json_doc_root(pods)};

		check_line(facts, arena, cases[i].line, cases[i].about);
	}
}

/* Pods that the scheduler has not seen: the job's last event, or the pods, say why. */
static const struct {
	const char *about;
	const char *pods;
	const char *events;
	const char *line;
} missing[] = {
	{"pods that are missing", "[]", "[]",
	 "train: pods that exist: 0, at least 2 are needed (for 10m)"},
	{"why they are, where the job's last event says so", "[]",
	 "[{'involvedObject':{'kind':'Job'},'reason':'FailedCreate','message':'Error creating "
	 "pods: "
	 "no PriorityClass with name x','firstTimestamp':'2026-01-02T09:57:00Z',"
	 "'lastTimestamp':'2026-01-02T09:59:00Z'},"
	 "{'involvedObject':{'kind':'Job'},'reason':'FailedCreate','message':'Error creating pods: "
	 "old','lastTimestamp':'2026-01-02T09:55:00Z'}]",
	 "train: its pods cannot be created: the priority class `x` does not exist (for 3m)"},
	{"an event of another kind does not", "[]",
	 "[{'involvedObject':{'kind':'Pod'},'reason':'FailedCreate','message':'x'}]",
	 "train: pods that exist: 0, at least 2 are needed (for 10m)"},
	{"pods that the scheduler does not count",
	 "[{'metadata':{'name':'train-w-0'},'spec':{'schedulerName':'other'},'status':{}}]", "[]",
	 "train: its pods are for the scheduler `other`, which has not placed them (for 10m)"},
};

static void test_missing(struct arena *arena)
{
	AUTO(json_doc_unref) struct json_doc *job = quoted_doc(JOB(PENDING));
	AUTO(json_doc_unref) struct json_doc *group = quoted_doc(MISSING);
	AUTO(json_doc_unref) struct json_doc *queue = quoted_doc(OPEN);

	for (size_t i = 0; i < ARRAY_LEN(missing); i++) {
		AUTO(json_doc_unref) struct json_doc *pods = quoted_doc(missing[i].pods);
		AUTO(json_doc_unref) struct json_doc *events = quoted_doc(missing[i].events);
		struct explain_facts facts = {.job = json_doc_root(job),
					      .group = json_doc_root(group),
					      .queue = json_doc_root(queue),
					      .pods = json_doc_root(pods),
					      .events = json_doc_root(events)};

		check_line(facts, arena, missing[i].line, missing[i].about);
	}
}

static void test_page(struct arena *arena)
{
	AUTO(json_doc_unref) struct json_doc *job = quoted_doc(JOB(PENDING));
	AUTO(json_doc_unref) struct json_doc *group = quoted_doc(TOLD);
	AUTO(json_doc_unref) struct json_doc *queue = quoted_doc(OPEN);
	AUTO(json_doc_unref)
	struct json_doc *pods = quoted_doc("[" FAILED_POD "," RESTARTED_POD "]");
	AUTO(json_doc_unref)
	struct json_doc *events = quoted_doc(
		"[{'involvedObject':{'kind':'Job','name':'train'},'reason':'Old','message':'first',"
		"'lastTimestamp':'2026-01-02T09:51:00Z'},"
		"{'involvedObject':{'kind':'Pod','name':'train-w-1'},'reason':'OOM','message':"
		"'killed\\n','count':3,'lastTimestamp':'2026-01-02T09:59:30Z'},"
		"{'involvedObject':{'kind':'Job','name':'train'},'reason':'Same','message':'time',"
		"'lastTimestamp':'2026-01-02T09:51:00Z'}]");
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct explain_facts facts = {.job = json_doc_root(job),
				      .group = json_doc_root(group),
				      .queue = json_doc_root(queue),
				      .pods = json_doc_root(pods),
				      .events = json_doc_root(events),
				      .now = now(),
				      .bold = "<b>",
				      .faint = "<f>",
				      .good = "<g>",
				      .busy = "<y>",
				      .bad = "<r>",
				      .plain = "</>"};

	explain_print(&facts, arena, &text);
	is(buf_text(&text),
	   "<y>train: queue research is at its capability for nvidia.com/gpu: 64 of 64, "
	   "needs 8 more (for 3m20s; 1 more reason below); pod train-w-1 was killed: it used more "
	   "than "
	   "its memory limit</>\n"
	   "What would help: end a job of queue research\n\n"
	   "  phase   Pending since 2026-01-02T09:50:00Z\n"
	   "  queue   research (Open, weight 2)\n"
	   "  gang    2 of 3 pods must run at the same time\n"
	   "  needs   cpu 4, nvidia.com/gpu 8\n\n"
	   "<b>What it waits for</>\n"
	   "  1. queue research is at its capability for nvidia.com/gpu: 64 of 64, needs 8 more\n"
	   "     <f>QueueCapability, for 3m20s</>\n"
	   "  2. no node has capacity\n"
	   "     <f>Nodes, for 60s</>\n\n"
	   "<b>Pods</>\n"
	   "  train-w-0  Running on n0, before that exit code 3 (Error) 60s ago\n"
	   "  train-w-1  Failed on n1, exit code 137 (OOMKilled) 30s ago\n\n"
	   "<b>What happened, the latest first</>\n"
	   "  30s ago  Pod train-w-1: OOM: killed (3 times)\n"
	   "  9m ago  Job train: Old: first\n"
	   "  9m ago  Job train: Same: time\n");
}

/* Six pods, then more events than the list shows. */
static void test_evictions(struct arena *arena)
{
	AUTO(json_doc_unref) struct json_doc *job = quoted_doc(JOB(PENDING));
	AUTO(json_doc_unref) struct json_doc *events = NULL;
	AUTO(buf_done) struct buf list = BUF_UNBOUNDED, text = BUF_UNBOUNDED;
	struct explain_facts facts = {.job = json_doc_root(job),
				      .now = now(),
				      .bold = "",
				      .faint = "",
				      .good = "",
				      .busy = "",
				      .bad = "",
				      .plain = ""};

	buf_puts(&list, "[");
	for (int i = 0; i < 6; i++)
		buf_printf(&list,
			   "{'involvedObject':{'kind':'Pod','name':'train-w-%d'},'reason':"
			   "'Preempted','message':'evicted by reclaim for job %s',"
			   "'lastTimestamp':'2026-01-02T09:51:0%dZ'},",
			   i, i == 2 ? "b-12345678-1234-4234-8234-123456789abc of b-1" : "a", i);
	for (int i = 0; i < 30; i++)
		buf_printf(&list,
			   "%s{'involvedObject':{'kind':'Pod','name':'train-w-0'},'reason':'Newer',"
			   "'message':'%d','lastTimestamp':'2026-01-02T09:59:00Z'}",
			   i ? "," : "", i);
	buf_puts(&list, "]");
	events = quoted_doc(buf_text(&list));
	facts.events = json_doc_root(events);
	explain_print(&facts, arena, &text);
	ok(str_find(buf_str(&text),
		    STR("\nWhat was evicted, and for whom\n"
			"  8m55s ago  train-w-5, train-w-4, train-w-3, train-w-1 and 1 more: "
			"evicted "
			"by reclaim for job a\n"
			"  8m58s ago  train-w-2: evicted by reclaim for job b of b-1\n"
			"\nWhat happened, the latest first\n  60s ago  Pod train-w-0: Newer: 0\n"),
		    0) >= 0,
	   "evictions are listed apart, however much happened since");
	ok(str_find(buf_str(&text), STR("Preempted"), 0) < 0, "and once only");
}

static void test_names(void)
{
	static const struct {
		const char *name;
		bool is_of;
	} names[] = {
		{"train-w-0", true},   {"train-w-17", true},
		{"train-w-", false},   {"train-w", false},
		{"train-x-0", false},  {"train-w-0-1", false},
		{"train-w--1", false}, {"trainer-w-0", false},
		{"train", false},      {"other-w-0", false},
		{"", false},
	};
	AUTO(json_doc_unref)
	struct json_doc *job = quoted_doc(
		"{'metadata':{'name':'train'},'spec':{'tasks':[{'name':'m'},{'name':'w'}]}}");

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		ok(pod_name_is_of(str_from(names[i].name), json_doc_root(job)) == names[i].is_of,
		   "\"%s\" is %sa name of its pods", names[i].name, names[i].is_of ? "" : "not ");
}

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	test_lines(arena);
	test_missing(arena);
	test_page(arena);
	test_evictions(arena);
	test_names();
	return tap_done();
}
