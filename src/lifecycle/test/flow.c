/* SPDX-License-Identifier: Apache-2.0 */
/* JobFlows and JobTemplates: flows from their start to their end, step by step, and once more for
 * each write with a controller that crashes after it. */
#include "lifecycle/flow_lifecycle.h"
#include "others.h"
#include "world.h"

#include "base/banned.h"

/* Pods answer where the test says so, by a template of the kind's name. */
static bool answers(void *arg, enum flow_probe probe, struct str job, struct json entry)
{
	(void)job;
	(void)entry;
	return world_find(arg, PLAN_JOBTEMPLATE, probe == FLOW_PROBE_HTTP ? STR("h") : STR("t")) !=
	       NULL;
}

static void step_flow(struct world *world)
{
	struct world_object *object = world_find(world, PLAN_JOBFLOW, STR("f"));
	AUTO(json_doc_unref) struct json_doc *kept = NULL;
	struct flow_world input = {.find = world_lookup, .arg = world, .now = world->now};
	AUTO(plan_done) struct plan plan;
	struct err err;

	if (!object)
		return;
	kept = json_doc_ref(object->doc);
	input.flow = json_doc_root(kept);
	if (world_find(world, PLAN_JOBTEMPLATE, STR("n")))
		input.answers = answers; /* there is a network */
	plan_init(&plan);
	if (!ok(flow_step(&input, &plan, &err) == 0, "a step"))
		printf("#   %s\n", err.text);
	world_execute(world, &plan);
}

static void settle(struct world *world)
{
	size_t writes;
	int turns = 0;

	do {
		writes = world->writes;
		step_flow(world);
	} while (world->writes > writes && ++turns < 50 && !world->refuse[0]);
}

static void put(struct world *world, enum plan_kind_id kind, const char *text)
{
	(void)world_create(world, kind, doc_of(text));
}

static void put_templates(struct world *world, const char *names)
{
	for (; *names; names++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "{'metadata':{'name':'%c','namespace':'n'},'spec':{'tasks':[{'name':'t',"
			 "'replicas':2}]}}",
			 *names);
		put(world, PLAN_JOBTEMPLATE, text);
	}
}

static void set_phase(struct world *world, const char *job, const char *phase)
{
	AUTO(mem_free)
	char *patch = mem_printf("{\"status\":{\"state\":{\"phase\":\"%s\"}}}", phase);

	world_merge(world, world_find(world, PLAN_JOB, str_from(job)), patch);
}

static char *status_of(struct world *world)
{
	static const char *const lists[] = {"pendingJobs",   "runningJobs",    "failedJobs",
					    "completedJobs", "terminatedJobs", "unKnowJobs"};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json status = json_get(world_get(world, PLAN_JOBFLOW, "f"), "status");

	buf_put_str(&text, json_str(json_get(json_get(status, "state"), "phase")));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(status, lists[i]));

		while (json_next(&it))
			buf_printf(&text, " %.4s:%.*s", lists[i], STR_ARG(json_str(it.value)));
	}
	return buf_take(&text);
}

#define FLOW(spec) "{'metadata':{'name':'f','namespace':'n'},'spec':{" spec "}}"

/* What is done, with what it leads to. "job=Phase" sets a phase, "-job" deletes it, "+a" adds a
 * template, ">b" a flow after a, "" only steps. */
struct script {
	const char *about;
	const char *templates;
	const char *flow;
	struct {
		const char *act;
		const char *status;
	} steps[8];
};

static const struct script scripts[] = {
	{"one after the other",
	 "ab",
	 FLOW("'flows':[{'name':'a'},{'name':'b','dependsOn':{'targets':['a']}}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Pending", "Pending pend:f-a"},
	  {"f-a=Running", "Running runn:f-a"},
	  {"f-a=Completing", "Running"},
	  {"f-a=Completed", "Running comp:f-a unKn:f-b"},
	  {"f-b=Running", "Running runn:f-b comp:f-a"},
	  {"f-b=Completed", "Succeed comp:f-a comp:f-b"}}},
	{"a failed job ends it",
	 "ab",
	 FLOW("'flows':[{'name':'a'},{'name':'b','dependsOn':{'targets':['a']}}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Running", "Running runn:f-a"},
	  {"f-a=Failed", "Failed fail:f-a"},
	  {"f-a=Completed", "Failed fail:f-a"}}},
	{"a job that was terminated before any ran ends it",
	 "a",
	 FLOW("'flows':[{'name':'a'}]"),
	 {{"", "Pending unKn:f-a"}, {"f-a=Terminated", "Failed term:f-a"}}},
	{"one that was terminated later leaves it running",
	 "a",
	 FLOW("'flows':[{'name':'a'}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Running", "Running runn:f-a"},
	  {"f-a=Terminated", "Running term:f-a"}}},
	{"an aborted job is not known",
	 "a",
	 FLOW("'flows':[{'name':'a'}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Running", "Running runn:f-a"},
	  {"f-a=Aborted", "Running unKn:f-a"}}},
	{"without flows it has succeeded", "", FLOW("'flows':[]"), {{"", "Succeed"}}},
	{"a template that is missing is named, and waited for",
	 "a",
	 FLOW("'flows':[{'name':'a'},{'name':'b'}]"),
	 {{"", "Pending unKn:f-a unKn:f-b"},
	  {"f-a=Completed", "Running comp:f-a unKn:f-b"},
	  {"+b", "Running comp:f-a unKn:f-b"},
	  {"f-b=Completed", "Succeed comp:f-a comp:f-b"}}},
	{"a job that is deleted is not made again",
	 "a",
	 FLOW("'flows':[{'name':'a'}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Running", "Running runn:f-a"},
	  {"-f-a", "Running unKn:f-a"}}},
	{"a flow that is added when the others are done is made",
	 "ab",
	 FLOW("'flows':[{'name':'a'}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Completed", "Succeed comp:f-a"},
	  {">b", "Succeed comp:f-a unKn:f-b"},
	  {"f-b=Completed", "Succeed comp:f-a comp:f-b"}}},
	{"the same template twice is one job, and never enough",
	 "a",
	 FLOW("'flows':[{'name':'a'},{'name':'a'}]"),
	 {{"", "Pending unKn:f-a"}, {"f-a=Completed", "Running comp:f-a"}}},
	{"a probe of task phases starts the next job earlier",
	 "ab",
	 FLOW("'flows':[{'name':'a'},{'name':'b','dependsOn':{'targets':['a'],'probe':{"
	      "'taskStatusList':[{'taskName':'t','phase':'Running'}]}}}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Running", "Running runn:f-a"},
	  {"f-a~1", "Running runn:f-a"},
	  {"f-a~2", "Running runn:f-a unKn:f-b"}}},
	{"a TCP probe that cannot be sent waits for completion",
	 "ab",
	 FLOW("'flows':[{'name':'a'},{'name':'b','dependsOn':{'targets':['a'],'probe':{"
	      "'tcpSocketList':[{'taskName':'t','port':1}],"
	      "'taskStatusList':[{'taskName':'t','phase':'Running'}]}}}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a~2", "Pending unKn:f-a"},
	  {"f-a=Completed", "Running comp:f-a unKn:f-b"}}},
	{"a probe by HTTP and TCP starts the next job when both answer",
	 "abn",
	 FLOW("'flows':[{'name':'a'},{'name':'b','dependsOn':{'targets':['a'],'probe':{"
	      "'httpGetList':[{'taskName':'t','port':80}],"
	      "'tcpSocketList':[{'taskName':'t','port':1}]}}}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Running", "Running runn:f-a"},
	  {"+h", "Running runn:f-a"},
	  {"+t", "Running runn:f-a unKn:f-b"}}},
	{"jobs are deleted where that is wanted",
	 "a",
	 FLOW("'jobRetainPolicy':'delete','flows':[{'name':'a'}]"),
	 {{"", "Pending unKn:f-a"},
	  {"f-a=Completed", "Succeed comp:f-a"},
	  {"", "Succeed comp:f-a"}}},
};

static void act(struct world *world, const char *what)
{
	char job[16];
	const char *equals = strchr(what, '=');
	const char *tilde = strchr(what, '~');

	if (*what == '+') {
		put_templates(world, what + 1);
	} else if (*what == '>') {
		AUTO(mem_free)
		char *patch = mem_printf(
			"{\"spec\":{\"flows\":[{\"name\":\"a\"},{\"name\":\"%s\"}]}}", what + 1);

		world_merge(world, world_find(world, PLAN_JOBFLOW, STR("f")), patch);
	} else if (*what == '-') {
		world_delete(world, world_find(world, PLAN_JOB, str_from(what + 1)));
	} else if (equals) {
		snprintf(job, sizeof(job), "%.*s", (int)(equals - what), what);
		set_phase(world, job, equals + 1);
	} else if (tilde) {
		AUTO(mem_free)
		char *patch = mem_printf("{\"status\":{\"taskStatusCount\":{\"t\":{\"phase\":{"
					 "\"Running\":%s}}}}}",
					 tilde + 1);

		snprintf(job, sizeof(job), "%.*s", (int)(tilde - what), what);
		world_merge(world, world_find(world, PLAN_JOB, str_from(job)), patch);
	}
}

static size_t run_script(const struct script *script, size_t crash)
{
	AUTO(world_done) struct world world;

	world_init(&world);
	world.crash = crash;
	put_templates(&world, script->templates);
	put(&world, PLAN_JOBFLOW, script->flow);
	for (size_t i = 0; i < ARRAY_LEN(script->steps) && script->steps[i].act; i++) {
		AUTO(mem_free) char *got = NULL;

		act(&world, script->steps[i].act);
		settle(&world);
		got = status_of(&world);
		if (!ok(strcmp(got, script->steps[i].status) == 0, "%s: %s, dying at %zu",
			script->about, script->steps[i].act, crash))
			printf("#   got  %s\n#   want %s\n", got, script->steps[i].status);
	}
	return world.writes;
}

static void test_job(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *got = NULL;
	struct json_doc *doc;

	world_init(&world);
	put_templates(&world, "a");
	put(&world, PLAN_JOBFLOW, FLOW("'flows':[{'name':'a'}]"));
	settle(&world);
	doc = json_doc_thaw(world_get(&world, PLAN_JOB, "f-a"));
	json_remove(doc, json_get(json_doc_root(doc), "metadata"), STR("creationTimestamp"));
	got = json_text(json_doc_root(doc), JSON_COMPACT);
	json_doc_unref(doc);
	is(got,
	   "{\"apiVersion\":\"batch.volcano.sh/v1alpha1\",\"kind\":\"Job\",\"metadata\":{\"name\":"
	   "\"f-a\",\"namespace\":\"n\",\"labels\":{\"volcano.sh/createdByJobTemplate\":\"n.a\","
	   "\"volcano.sh/createdByJobFlow\":\"n.f\"},\"annotations\":{"
	   "\"volcano.sh/createdByJobTemplate\":\"n.a\",\"volcano.sh/createdByJobFlow\":\"n.f\"},"
	   "\"ownerReferences\":[{\"apiVersion\":\"flow.volcano.sh/v1alpha1\",\"kind\":\"JobFlow\","
	   "\"name\":\"f\",\"uid\":\"uid-2\",\"controller\":true,\"blockOwnerDeletion\":true}],"
	   "\"uid\":\"uid-3\",\"resourceVersion\":\"3\"},\"spec\":{\"tasks\":[{\"name\":\"t\","
	   "\"replicas\":2}]}}");
	is(buf_text(&world.events), "Normal Created create a job named f-a!\n");
}

/* A first job that is refused leaves no status; a later one does not hold up what is known. */
static void test_refused(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *first = NULL;
	AUTO(mem_free) char *later = NULL;

	world_init(&world);
	put_templates(&world, "ab");
	put(&world, PLAN_JOBFLOW,
	    FLOW("'flows':[{'name':'a'},{'name':'b','dependsOn':{'targets':['a']}}]"));
	snprintf(world.refuse, sizeof(world.refuse), "jobs");
	settle(&world);
	first = status_of(&world);
	is(first, "");
	world.refuse[0] = '\0';
	settle(&world);
	set_phase(&world, "f-a", "Running");
	settle(&world);
	set_phase(&world, "f-a", "Completed");
	snprintf(world.refuse, sizeof(world.refuse), "jobs");
	settle(&world);
	later = status_of(&world);
	is(later, "Running comp:f-a");
}

/* A job of the name with another owner does not belong to the flow, and is not deleted with its
 * jobs. */
static void test_foreign(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *taken = NULL;
	AUTO(mem_free) char *other = NULL;
	AUTO(mem_free) char *own = NULL;

	world_init(&world);
	put_templates(&world, "a");
	put(&world, PLAN_JOB, "{'metadata':{'name':'f-a','namespace':'n'},'spec':{}}");
	put(&world, PLAN_JOBFLOW, FLOW("'jobRetainPolicy':'delete','flows':[{'name':'a'}]"));
	settle(&world);
	set_phase(&world, "f-a", "Completed");
	settle(&world);
	taken = status_of(&world);
	is(taken, "Pending unKn:f-a");
	world_merge(&world, world_find(&world, PLAN_JOB, STR("f-a")),
		    "{\"metadata\":{\"labels\":{\"volcano.sh/createdByJobFlow\":\"n.g\"}}}");
	settle(&world);
	other = status_of(&world);
	is(other, "Pending unKn:f-a");
	world_remove(&world, world_find(&world, PLAN_JOB, STR("f-a")));
	settle(&world);
	set_phase(&world, "f-a", "Completed");
	settle(&world);
	own = status_of(&world);
	is(own, "Succeed comp:f-a");
}

/* A template that says nothing makes a job that the server refuses, and nothing worse. */
static void test_empty_template(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *got = NULL;

	world_init(&world);
	put(&world, PLAN_JOBTEMPLATE, "{'metadata':{'name':'a','namespace':'n'}}");
	put(&world, PLAN_JOBFLOW, FLOW("'flows':[{'name':'a'}]"));
	settle(&world);
	got = status_of(&world);
	is(got, "Pending unKn:f-a");
}

static void test_records(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *got = NULL;

	world_init(&world);
	put_templates(&world, "a");
	put(&world, PLAN_JOBFLOW, FLOW("'flows':[{'name':'a'}]"));
	settle(&world);
	world.now += 10 * TIME_SECOND;
	set_phase(&world, "f-a", "Running");
	settle(&world);
	world.now += 10 * TIME_SECOND;
	world_merge(&world, world_find(&world, PLAN_JOB, STR("f-a")),
		    "{\"status\":{\"state\":{\"phase\":\"Completed\"},\"retryCount\":2,"
		    "\"runningDuration\":\"20s\"}}");
	settle(&world);
	got = json_text(
		json_get(json_get(world_get(&world, PLAN_JOBFLOW, "f"), "status"), "jobStatusList"),
		JSON_COMPACT);
	is(got,
	   "[{\"name\":\"f-a\",\"startTimestamp\":\"1970-01-12T13:46:40Z\",\"state\":\"Completed\","
	   "\"runningHistories\":[{\"startTimestamp\":\"1970-01-12T13:46:50Z\",\"state\":"
	   "\"Running\",\"endTimestamp\":\"1970-01-12T13:47:00Z\"},{\"startTimestamp\":"
	   "\"1970-01-12T13:47:00Z\",\"state\":\"Completed\"}],\"endTimestamp\":"
	   "\"1970-01-12T13:47:00Z\",\"restartCount\":2}]");
}

static void test_template(void)
{
	AUTO(json_doc_unref)
	struct json_doc *template = doc_of("{'metadata':{'name':'a','namespace':'n'},'spec':{}}");
	AUTO(json_doc_unref)
	struct json_doc *list = doc_of("[{'metadata':{'name':'f-a'}},{'metadata':{'name':'h'}}]");
	struct json jobs[2] = {json_at(json_doc_root(list), 0), json_at(json_doc_root(list), 1)};
	AUTO(plan_done) struct plan plan;
	AUTO(mem_free) char *got = NULL;
	struct err err;

	plan_init(&plan);
	ok(template_step(json_doc_root(template), jobs, 0, &plan, &err) == 0 &&
		   plan_is_empty(&plan),
	   "a template without jobs says nothing");
	ok(template_step(json_doc_root(template), jobs, 2, &plan, &err) == 0,
	   "a template lists its jobs");
	got = plan_text(&plan);
	is(got, "0 update-status jobtemplates a {'jobDependsOnList':['f-a','h']}\n");
}

int main(void)
{
	RUN_SCRIPTS(scripts, run_script);
	test_job();
	test_refused();
	test_foreign();
	test_empty_template();
	test_records();
	test_template();
	return tap_done();
}
