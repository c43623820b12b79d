/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduler and controllers with exactly the permissions that Volcano gives them: everything works, nothing is
 * reported as missing. And with less: they run without what the permission is for, report it, and use it
 * within seconds once it is granted. */
#include "roles.h"

#include "base/buf.h"
#include "whole.h"

struct bounded {
	struct whole h;
	struct role scheduler;
	struct role controllers;
};

static void open_bounded(struct bounded *b, size_t nodes, const char *scheduler_lacks,
			 const char *controllers_lack)
{
	*b = (struct bounded){
		.scheduler = {.user = "system:serviceaccount:volcano-system:volcano-scheduler",
			      .rules = role_scheduler,
			      .revoked = scheduler_lacks},
		.controllers = {.user = "system:serviceaccount:volcano-system:volcano-controllers",
				.rules = role_controllers,
				.revoked = controllers_lack},
	};
	b->h.scheduling = (struct whole_part){.gate = role_gate, .arg = &b->scheduler};
	b->h.controlling = (struct whole_part){.gate = role_gate, .arg = &b->controllers};
	whole_open(&b->h, nodes);
}

/* "list pods, patch podgroups/status": for the next call only. */
static const char *missing(const struct client *client)
{
	static char text[500];
	AUTO(buf_done) struct buf all = BUF_UNBOUNDED;
	struct client_denial denial;
	size_t at = 0;

	while (client_next_denial(client, &at, &denial))
		buf_printf(&all, "%s%s %.*s%s%.*s", all.len ? ", " : "", denial.verb,
			   STR_ARG(denial.resource->plural), denial.sub.len ? "/" : "",
			   STR_ARG(denial.sub));
	snprintf(text, sizeof(text), "%s", buf_text(&all));
	return text;
}

#define POD_SPEC(cpu)                                                            \
	"'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'," \
	"'resources':{'requests':{'cpu':'" cpu "'}}}]}"
#define TEMPLATE(seconds, cpu) \
	"'template':{'metadata':{'annotations':{'run-seconds':'" seconds "'}}," POD_SPEC(cpu) "}"
#define JOB(name, more)                                                                           \
	"{'metadata':{'name':'" name "','namespace':'a'},'spec':{'schedulerName':'volcano'," more \
	"}}"
#define TASK(count, seconds, cpu) \
	"'tasks':[{'name':'t','replicas':" count "," TEMPLATE(seconds, cpu) "}]"

static void test_jobs(void)
{
	struct bounded b;

	open_bounded(&b, 2, NULL, NULL);
	whole_make(&b.h, RESOURCE_VCJOBS,
		   JOB("j", "'minAvailable':3,'plugins':{'ssh':[],'svc':[],'env':[]},"
			    "'volumes':[{'mountPath':'/v','volumeClaim':{'accessModes':["
			    "'ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}]," TASK(
				    "3", "5", "1")));
	world_pass(&b.h.w, 3 * TIME_SECOND);
	is(whole_at(&b.h, RESOURCE_NETWORKPOLICIES, "j", "metadata.name"), "j");
	is(whole_at(&b.h, RESOURCE_SECRETS, "j-ssh", "metadata.name"), "j-ssh");
	whole_make(&b.h, RESOURCE_VCJOBS, JOB("plain", "'minAvailable':2," TASK("2", "3", "1")));
	whole_comes(&b.h, RESOURCE_VCJOBS, "plain", "status.state.phase", "Completed");
	whole_make(
		&b.h, RESOURCE_VCJOBS,
		JOB("keys", "'minAvailable':2,'plugins':{'ssh':[],'svc':[]}," TASK("2", "3", "1")));
	whole_comes(&b.h, RESOURCE_VCJOBS, "keys", "status.state.phase", "Completed");
	is(whole_at(&b.h, RESOURCE_SECRETS, "keys-ssh", "metadata.name"), "NotFound");
	is(whole_at(&b.h, RESOURCE_NETWORKPOLICIES, "keys", "metadata.name"), "NotFound");
	is(whole_at(&b.h, RESOURCE_SERVICES, "keys", "metadata.name"), "NotFound");
	is(missing(b.h.scheduling.client), "");
	is(missing(b.h.controlling.client), "");
	ok(controllers_synced(b.h.controllers) && controllers_are_ready(b.h.controllers),
	   "all controllers run");
	whole_close(&b.h);
}

static void test_others(void)
{
	struct bounded b;

	open_bounded(&b, 2, NULL, NULL);
	whole_make(&b.h, RESOURCE_JOBTEMPLATES,
		   "{'metadata':{'name':'x','namespace':'a'},'spec':{'minAvailable':1," TASK(
			   "1", "2", "1") "}}");
	whole_make(&b.h, RESOURCE_JOBTEMPLATES,
		   "{'metadata':{'name':'y','namespace':'a'},'spec':{'minAvailable':1," TASK(
			   "1", "2", "1") "}}");
	whole_make(&b.h, RESOURCE_JOBFLOWS,
		   "{'metadata':{'name':'f','namespace':'a'},'spec':{'jobRetainPolicy':'retain',"
		   "'flows':[{'name':'x'},{'name':'y','dependsOn':{'targets':['x']}}]}}");
	whole_comes(&b.h, RESOURCE_JOBFLOWS, "f", "status.state.phase", "Succeed");
	whole_make(&b.h, RESOURCE_VCCRONJOBS,
		   "{'metadata':{'name':'c','namespace':'a'},'spec':{'schedule':'* * * * *',"
		   "'jobTemplate':{'spec':{'minAvailable':1," TASK("1", "2", "1") "}}}}");
	world_pass(&b.h.w, 3 * TIME_MINUTE);
	ok(!str_is(str_from(whole_at(&b.h, RESOURCE_VCCRONJOBS, "c", "status.lastSuccessfulTime")),
		   ""),
	   "the cron job has run");
	is(missing(b.h.scheduling.client), "");
	is(missing(b.h.controlling.client), "");
	whole_close(&b.h);
}

static void test_preemption(void)
{
	struct bounded b;

	open_bounded(&b, 1, NULL, NULL);
	whole_make(&b.h, RESOURCE_PRIORITYCLASSES, "{'metadata':{'name':'high'},'value':1000}");
	whole_make(&b.h, RESOURCE_VCJOBS, JOB("low", "'minAvailable':1," TASK("4", "1000", "1")));
	whole_comes(&b.h, RESOURCE_VCJOBS, "low", "status.running", "4");
	whole_make(
		&b.h, RESOURCE_VCJOBS,
		JOB("high", "'minAvailable':2,'priorityClassName':'high'," TASK("2", "1000", "1")));
	whole_comes(&b.h, RESOURCE_VCJOBS, "high", "status.running", "2");
	is(whole_at(&b.h, RESOURCE_QUEUES, "default", "status.allocated.cpu"), "4");
	is(missing(b.h.scheduling.client), "");
	is(missing(b.h.controlling.client), "");
	whole_close(&b.h);
}

static void test_plain_pods(void)
{
	struct bounded b;

	open_bounded(&b, 1, NULL, NULL);
	whole_make(&b.h, RESOURCE_BATCHJOBS,
		   "{'metadata':{'name':'bj','namespace':'a','annotations':{"
		   "'scheduling.volcano.sh/group-min-member':'2'}},'spec':{'suspend':true,"
		   "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c',"
		   "'image':'x'}]}}}}");
	for (int i = 0; i < 2; i++) {
		AUTO(mem_free)
		char *uid = mem_strdup(whole_at(&b.h, RESOURCE_BATCHJOBS, "bj", "metadata.uid"));
		AUTO(mem_free)
		char *body = mem_printf(
			"{'metadata':{'name':'p%d','namespace':'a','ownerReferences':[{"
			"'apiVersion':'batch/v1','kind':'Job','name':'bj','uid':'%s',"
			"'controller':true}]},'spec':{'schedulerName':'volcano','containers':["
			"{'name':'c','image':'x'}]}}",
			i, uid);

		whole_make(&b.h, RESOURCE_PODS, body);
	}
	whole_comes(&b.h, RESOURCE_PODS, "p1", "status.phase", "Running");
	whole_comes(&b.h, RESOURCE_PODS, "p0", "status.phase", "Running");
	{
		AUTO(mem_free)
		char *group = mem_printf("podgroup-%s",
					 whole_at(&b.h, RESOURCE_BATCHJOBS, "bj", "metadata.uid"));

		is(whole_at(&b.h, RESOURCE_PODGROUPS, group, "spec.minMember"), "2");
	}
	is(missing(b.h.controlling.client), "");
	whole_close(&b.h);
}

/* Each permission that an upstream role has, taken away: what runs without it still runs, nothing is asked
 * for often, and it is used soon after it is granted. */
static void test_less(void)
{
	static const struct {
		const char *scheduler;
		const char *controllers;
		const char *shown; /* of either */
		bool runs;         /* a job does meanwhile */
	} rows[] = {
		{"list hypernodes", NULL, "list hypernodes", true},
		{"list nodeshards", NULL, "list nodeshards", true},
		{"list poddisruptionbudgets", NULL, "list poddisruptionbudgets", true},
		{"watch resourcequotas", NULL, "watch resourcequotas", true},
		{"list podgroups", NULL, "list podgroups", false},
		{"update podgroups", NULL, "patch podgroups", false},
		{"update pods/status", NULL, "", true},
		{"create queues", NULL, "create queues", true},
		{"create events", NULL, "create events", true},
		{"create pods/binding", NULL, "create pods/binding", false},
		{NULL, "list commands", "list commands", true},
		{NULL, "list services", "list services", true},
		{NULL, "list configmaps", "list configmaps", true},
		{NULL, "list jobflows", "list jobflows", true},
		{NULL, "list hypernodes", "list hypernodes", true},
		{NULL, "list cronjobs", "list cronjobs", true},
		{NULL, "list pods", "list pods", false},
		{NULL, "create pods", "create pods", false},
		{NULL, "update jobs/status", "update jobs/status", false},
		{NULL, "create podgroups", "create podgroups", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct role *role;
		struct client *client;
		struct bounded b;
		uint64_t asked;

		open_bounded(&b, 1, rows[i].scheduler, rows[i].controllers);
		printf("# without %s\n",
		       rows[i].scheduler ? rows[i].scheduler : rows[i].controllers);
		role = rows[i].scheduler ? &b.scheduler : &b.controllers;
		client = rows[i].scheduler ? b.h.scheduling.client : b.h.controlling.client;
		whole_make(&b.h, RESOURCE_VCJOBS,
			   JOB("j", "'minAvailable':1,'plugins':{'svc':[]}," TASK("1", "2", "1")));
		world_pass(&b.h.w, 20 * TIME_SECOND);
		is(missing(client), rows[i].shown);
		ok(str_is(str_from(whole_at(&b.h, RESOURCE_VCJOBS, "j", "status.state.phase")),
			  "Completed") == rows[i].runs,
		   "a job %s", rows[i].runs ? "runs" : "does not run");
		asked = role->asked;
		world_pass(&b.h.w, TIME_MINUTE);
		printf("# %llu requests in a minute\n", (unsigned long long)(role->asked - asked));
		ok(role->asked - asked < 150, "few requests are made meanwhile");
		role->revoked = NULL;
		whole_make(&b.h, RESOURCE_VCJOBS,
			   JOB("k", "'minAvailable':1," TASK("1", "1", "1")));
		world_pass(&b.h.w, 5 * TIME_SECOND);
		is(missing(client), "");
		world_pass(&b.h.w, 5 * TIME_SECOND);
		is(whole_at(&b.h, RESOURCE_VCJOBS, "j", "status.state.phase"), "Completed");
		is(whole_at(&b.h, RESOURCE_VCJOBS, "k", "status.state.phase"), "Completed");
		ok(controllers_synced(b.h.controllers), "everything runs once it is granted");
		whole_close(&b.h);
	}
}

int main(void)
{
	test_jobs();
	test_others();
	test_preemption();
	test_plain_pods();
	test_less();
	return tap_done();
}
