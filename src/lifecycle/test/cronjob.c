/* SPDX-License-Identifier: Apache-2.0 */
/* CronJobs: what is due when, how runs meet, what is kept, and that a run is made once whenever the
 * controller dies. Time starts at 2026-01-01 00:00:00. */
#include "lifecycle/cronjob_lifecycle.h"
#include "model/core/meta.h"
#include "model/value/zone.h"
#include "others.h"
#include "world.h"

#include "base/banned.h"

#define START (INT64_C(1767225600) * TIME_SECOND)

static struct json find_job(void *arg, struct str name)
{
	return world_lookup(arg, PLAN_JOB, name);
}

static bool is_ours(struct json job, struct str uid)
{
	struct json_iter it = json_iter(json_get(json_get(job, "metadata"), "ownerReferences"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "uid")), uid))
			return true;
	return false;
}

static void step(struct world *world)
{
	struct world_object *object = world_find(world, PLAN_VCCRONJOB, STR("c"));
	AUTO(json_doc_unref) struct json_doc *kept = json_doc_ref(object->doc);
	struct cronjob_world input = {
		.cron = json_doc_root(kept), .find_job = find_job, .arg = world, .now = world->now};
	VEC(struct json) jobs = {0};
	VEC(struct json_doc *) lent = {0};
	AUTO(plan_done) struct plan plan;
	struct str uid = meta_uid(input.cron);
	struct err err;

	plan_init(&plan);
	input.zone_missing = str_is(cronjob_zone(input.cron), "No/Where");
	for (size_t i = 0; i < world->objects.len; i++) {
		struct world_object *job = &world->objects.ptr[i];

		if (job->kind != PLAN_JOB || !is_ours(json_doc_root(job->doc), uid))
			continue;
		vec_push(&lent, json_doc_ref(job->doc));
		vec_push(&jobs, json_doc_root(job->doc));
	}
	input.jobs = jobs.ptr;
	input.job_count = jobs.len;
	world->next_at = 0;
	if (!ok(cronjob_step(&input, &plan, &err) == 0, "a step"))
		printf("#   %s\n", err.text);
	world->next_at = plan.next_at;
	world_execute(world, &plan);
	for (size_t i = 0; i < lent.len; i++)
		json_doc_unref(lent.ptr[i]);
	vec_done(&lent);
	vec_done(&jobs);
}

static void settle(struct world *world)
{
	size_t writes;

	do {
		writes = world->writes;
		step(world);
	} while (world->writes > writes && !world->refuse[0]);
}

/* Go on to a time, looking whenever that was asked for. */
static void run_until(struct world *world, int64_t time)
{
	for (int i = 0; i < 1000; i++) {
		settle(world);
		if (!world->next_at || world->next_at > time)
			break;
		if (world->next_at > world->now)
			world->now = world->next_at;
	}
	world->now = time;
	settle(world);
}

static void begin(struct world *world, size_t crash, const char *spec)
{
	AUTO(mem_free)
	char *text = mem_printf("{'metadata':{'name':'c','namespace':'n'},'spec':{%s,"
				"'jobTemplate':{'metadata':{'labels':{'a':'b'},'annotations':{'x':"
				"'y'}},'spec':{'queue':'q'}}}}",
				spec);

	world_init(world);
	world->now = START;
	world->crash = crash;
	(void)world_create(world, PLAN_VCCRONJOB, doc_of(text));
}

/* "c-0=Running* c-1=Completed last=0:01 won=0:01": jobs by minute, those in the active list marked;
 * times in minutes and seconds. */
static char *state_of(struct world *world)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json status = json_get(world_get(world, PLAN_VCCRONJOB, "c"), "status");
	static const char *const times[] = {"lastScheduleTime", "lastSuccessfulTime"};

	for (size_t i = 0; i < world->objects.len; i++) {
		struct json root = json_doc_root(world->objects.ptr[i].doc);
		struct json meta = json_get(root, "metadata");
		struct json_iter it = json_iter(json_get(status, "active"));
		long long minute;

		if (world->objects.ptr[i].kind != PLAN_JOB)
			continue;
		minute = strtoll(json_str(json_get(meta, "name")).ptr + 2, NULL, 10);
		buf_printf(&text, "%lld=%.*s", minute - START / TIME_MINUTE,
			   STR_ARG(json_str(json_get(json_get(json_get(root, "status"), "state"),
						     "phase"))));
		while (json_next(&it))
			if (str_eq(json_str(json_get(it.value, "uid")),
				   json_str(json_get(meta, "uid"))))
				buf_putc(&text, '*');
		buf_putc(&text, ' ');
	}
	buf_printf(&text, "active=%zu", json_len(json_get(status, "active")));
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		int64_t time;

		if (time_parse(json_str(json_get(status, times[i])), &time, NULL) == 0)
			buf_printf(&text, " %.5s=%d:%02d", times[i] + 4,
				   (int)((time - START) / TIME_MINUTE),
				   (int)((time - START) / TIME_SECOND % 60));
	}
	return buf_take(&text);
}

static void set_phase(struct world *world, int minute, const char *phase)
{
	char name[40];
	char text[TIME_TEXT_SIZE];
	AUTO(mem_free)
	char *patch = mem_printf("{\"status\":{\"state\":{\"phase\":\"%s\",\"lastTransitionTime\":"
				 "\"%s\"}}}",
				 phase, time_print(world->now, text));

	snprintf(name, sizeof(name), "c-%lld", (long long)(START / TIME_MINUTE + minute));
	world_merge(world, world_find(world, PLAN_JOB, str_from(name)), patch);
}

/* "30" waits until that second; "0=Completed" sets the phase of the run of a minute; "-0" deletes it;
 * "{...}" is merged into the CronJob. */
static void act(struct world *world, const char *what)
{
	const char *equals = strchr(what, '=');

	if (*what == '{') {
		AUTO(json_doc_unref) struct json_doc *patch = doc_of(what);
		AUTO(mem_free) char *text = json_text(json_doc_root(patch), JSON_COMPACT);

		world_merge(world, world_find(world, PLAN_VCCRONJOB, STR("c")), text);
		settle(world);
	} else if (*what == '-') {
		AUTO(mem_free)
		char *name = mem_printf(
			"c-%lld", (long long)(START / TIME_MINUTE) + strtoll(what + 1, NULL, 10));

		world_delete(world, world_find(world, PLAN_JOB, str_from(name)));
		settle(world);
	} else if (equals) {
		set_phase(world, (int)strtol(what, NULL, 10), equals + 1);
		settle(world);
	} else {
		run_until(world, START + strtoll(what, NULL, 10) * TIME_SECOND);
	}
}

struct script {
	const char *about;
	const char *spec;
	struct {
		const char *act;
		const char *state;
	} steps[8];
	const char *events;
};

#define CREATED(minute) "Normal SuccessfulCreate Created job c-" minute " for CronJob n/c\n"
#define SAW(minute) "Normal SawCompletedJob Saw completed job: c-" minute " in active, remove\n"

static const struct script scripts[] = {
	{"every minute",
	 "'schedule':'* * * * *'",
	 {{"59", "active=0"},
	  {"61", "1=* active=1 Sched=1:00"},
	  {"1=Completed", "1=Completed active=0 Sched=1:00 Succe=1:01"},
	  {"121", "1=Completed 2=* active=1 Sched=2:00 Succe=1:01"},
	  {"2=Failed", "1=Completed 2=Failed active=0 Sched=2:00 Succe=1:01"}},
	 CREATED("29453761") SAW("29453761") CREATED("29453762") SAW("29453762")},
	{"every few seconds is once a minute",
	 "'schedule':'@every 3s'",
	 {{"4", "0=* active=1 Sched=0:03"},
	  {"0=Completed", "0=Completed active=0 Sched=0:03 Succe=0:04"},
	  {"50", "0=Completed active=0 Sched=0:03 Succe=0:04"},
	  {"61", "0=Completed 1=* active=1 Sched=1:00 Succe=0:04"}},
	 NULL},
	{"concurrent runs",
	 "'schedule':'* * * * *','concurrencyPolicy':'Allow'",
	 {{"121", "1=* 2=* active=2 Sched=2:00"}},
	 NULL},
	{"one at a time",
	 "'schedule':'* * * * *','concurrencyPolicy':'Forbid'",
	 {{"121", "1=* active=1 Sched=1:00"},
	  {"1=Completed", "1=Completed 2=* active=1 Sched=2:00 Succe=2:01"}},
	 CREATED("29453761") "Warning ForbidConcurrent Skipping job creation because another job "
			     "is "
			     "already running\n" SAW("29453761") CREATED("29453762")},
	{"the newer replaces the older",
	 "'schedule':'* * * * *','concurrencyPolicy':'Replace'",
	 {{"61", "1=* active=1 Sched=1:00"}, {"121", "2=* active=1 Sched=2:00"}},
	 CREATED("29453761") "Warning ReplaceConcurrent Replacing active job for CronJob\n"
			     "Normal SuccessfulDelete Deleted job \"c-29453761\"\n" CREATED(
				     "29453762")},
	{"so many are kept",
	 "'schedule':'* * * * *','successfulJobsHistoryLimit':1,'failedJobsHistoryLimit':0",
	 {{"61", "1=* active=1 Sched=1:00"},
	  {"1=Completed", "1=Completed active=0 Sched=1:00 Succe=1:01"},
	  {"121", "1=Completed 2=* active=1 Sched=2:00 Succe=1:01"},
	  {"2=Completed", "2=Completed active=0 Sched=2:00 Succe=2:01"},
	  {"181", "2=Completed 3=* active=1 Sched=3:00 Succe=2:01"},
	  {"3=Failed", "2=Completed active=0 Sched=3:00 Succe=2:01"}},
	 NULL},
	{"terminated ones are kept",
	 "'schedule':'* * * * *','failedJobsHistoryLimit':0,'successfulJobsHistoryLimit':0",
	 {{"61", "1=* active=1 Sched=1:00"}, {"1=Terminated", "1=Terminated active=0 Sched=1:00"}},
	 NULL},
	{"suspended, and then not",
	 "'schedule':'* * * * *','suspend':true",
	 {{"200", "active=0"}, {"{'spec':{'suspend':false}}", "3=* active=1 Sched=3:00"}},
	 NULL},
	{"too late is too late",
	 "'schedule':'* * * * *','suspend':true,'startingDeadlineSeconds':10",
	 {{"200", "active=0"},
	  {"{'spec':{'suspend':false}}", "active=0"},
	  {"241", "4=* active=1 Sched=4:00"}},
	 NULL},
	{"of many that were missed the latest is made up for",
	 "'schedule':'* * * * *','suspend':true",
	 {{"12000", "active=0"}, {"{'spec':{'suspend':false}}", "200=* active=1 Sched=200:00"}},
	 "Warning TooManyMissedTimes too many missed start times. Set or decrease "
	 ".spec.startingDeadlineSeconds or check clock skew\n" CREATED("29453960")},
	{"a run that a user deletes",
	 "'schedule':'0 * * * *'",
	 {{"3601", "60=* active=1 Sched=60:00"},
	  {"-60", "active=1 Sched=60:00"},
	  {"3620", "active=0 Sched=60:00"}},
	 NULL},
	{"a zone that is not there",
	 "'schedule':'* * * * *','timeZone':'No/Where'",
	 {{"61", "active=0"}, {"121", "active=0"}},
	 "Warning InvalidTimeZone Invalid time zone \"No/Where\": unknown time zone No/Where\n"},
	{"a schedule that cannot be read",
	 "'schedule':'soon'",
	 {{"61", "active=0"}},
	 "Warning UnParseableCronJobSchedule unparseable schedule for cronjob: soon\n"},
};

static size_t run_script(const struct script *script, size_t crash)
{
	AUTO(world_done) struct world world;

	begin(&world, crash, script->spec);
	for (size_t i = 0; i < ARRAY_LEN(script->steps) && script->steps[i].act; i++) {
		AUTO(mem_free) char *got = NULL;

		act(&world, script->steps[i].act);
		got = state_of(&world);
		if (!ok(strcmp(got, script->steps[i].state) == 0, "%s: %s, dying at %zu",
			script->about, script->steps[i].act, crash))
			printf("#   got  %s\n#   want %s\n", got, script->steps[i].state);
	}
	if (script->events && !crash)
		tap_is(buf_text(&world.events), script->events, __FILE__, __LINE__, script->about);
	return world.writes;
}

static void test_job(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *got = NULL;
	struct json_doc *doc;

	begin(&world, 0, "'schedule':'* * * * *'");
	run_until(&world, START + 61 * TIME_SECOND);
	doc = json_doc_thaw(world_get(&world, PLAN_JOB, "c-29453761"));
	json_remove(doc, json_get(json_doc_root(doc), "metadata"), STR("creationTimestamp"));
	got = json_text(json_doc_root(doc), JSON_COMPACT);
	json_doc_unref(doc);
	is(got, "{\"apiVersion\":\"batch.volcano.sh/v1alpha1\",\"kind\":\"Job\",\"metadata\":{"
		"\"name\":\"c-29453761\",\"namespace\":\"n\",\"labels\":{\"a\":\"b\"},"
		"\"annotations\":{\"x\":\"y\",\"volcano.sh/cronjob-scheduled-timestamp\":"
		"\"2026-01-01T00:01:00Z\"},\"ownerReferences\":[{\"apiVersion\":"
		"\"batch.volcano.sh/v1alpha1\",\"kind\":\"CronJob\",\"name\":\"c\",\"uid\":"
		"\"uid-1\",\"controller\":true,\"blockOwnerDeletion\":true}],\"uid\":\"uid-2\","
		"\"resourceVersion\":\"2\"},\"spec\":{\"queue\":\"q\"}}");
}

static void test_refused(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *got = NULL;

	begin(&world, 0, "'schedule':'* * * * *'");
	snprintf(world.refuse, sizeof(world.refuse), "jobs");
	world.now = START + 61 * TIME_SECOND;
	step(&world);
	is(buf_text(&world.events), "Warning FailedCreate Failed to create job: refused\n");
	world.refuse[0] = '\0';
	settle(&world);
	got = state_of(&world);
	is(got, "1=* active=1 Sched=1:00");
}

/* A template that says nothing makes a job that the server refuses, and nothing worse. */
static void test_empty(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *got = NULL;

	world_init(&world);
	world.now = START;
	(void)world_create(&world, PLAN_VCCRONJOB,
			   doc_of("{'metadata':{'name':'c','namespace':'n'},'spec':{'schedule':"
				  "'* * * * *','jobTemplate':{}}}"));
	run_until(&world, START + 61 * TIME_SECOND);
	got = state_of(&world);
	is(got, "1=* active=1 Sched=1:00");
}

/* Times of a new schedule that were before it came were not missed. */
static void test_changed(void)
{
	AUTO(json_doc_unref)
	struct json_doc *cron = doc_of("{'metadata':{'name':'c','namespace':'n','uid':'u',"
				       "'creationTimestamp':'2026-01-01T00:00:00Z'},'spec':{"
				       "'schedule':'* * * * *','jobTemplate':{'spec':{}}}}");
	AUTO(world_done) struct world empty;
	struct cronjob_world input = {
		.cron = json_doc_root(cron),
		.find_job = find_job,
		.arg = &empty,
		.changed = START + 150 * TIME_SECOND,
		.now = START + 151 * TIME_SECOND,
	};
	AUTO(plan_done) struct plan plan;
	struct err err;

	world_init(&empty);
	plan_init(&plan);
	ok(cronjob_step(&input, &plan, &err) == 0 && plan.writes.len == 0,
	   "a minute that was over when the schedule came is not made up for");
	ok(plan.next_at > START + 180 * TIME_SECOND && plan.next_at < START + 181 * TIME_SECOND,
	   "the next one is waited for");
	input.now = START + 181 * TIME_SECOND;
	ok(cronjob_step(&input, &plan, &err) == 0 && plan.writes.len == 1, "and run");
}

static void test_foreign(void)
{
	AUTO(world_done) struct world world;
	AUTO(mem_free) char *got = NULL;

	begin(&world, 0, "'schedule':'* * * * *'");
	(void)world_create(&world, PLAN_JOB,
			   doc_of("{'metadata':{'name':'c-29453761','namespace':'n'}}"));
	run_until(&world, START + 61 * TIME_SECOND);
	is(buf_text(&world.events),
	   "Warning ForeignJob Job c-29453761 exists but is not owned by this CronJob (current "
	   "owner: none)\n");
	got = state_of(&world);
	is(got, "1= active=0");
}

int main(void)
{
	RUN_SCRIPTS(scripts, run_script);
	test_job();
	test_refused();
	test_empty();
	test_changed();
	test_foreign();
	return tap_done();
}
