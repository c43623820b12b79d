/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that no webhook has filled in or checked: the controllers apply the same defaults and the same rules, jobs that
 * would have been refused say why and are not started, and nothing is repeated forever. */
#include <string.h>

#include "whole.h"

#define SPEC                                                                                  \
	"'template':{'metadata':{'annotations':{'run-seconds':'2'}},'spec':{'restartPolicy':" \
	"'Never','containers':[{'name':'c','image':'x'}]}}"
#define JOB(name, spec) "{'metadata':{'name':'" name "','namespace':'a'},'spec':{" spec "}}"

static void open_plain(struct whole *h)
{
	*h = (struct whole){.plain = true};
	whole_open(h, 1);
}

static const char *phase(struct whole *h, const char *job)
{
	return whole_at(h, RESOURCE_VCJOBS, job, "status.state.phase");
}

static void test_defaults(void)
{
	struct whole h;

	open_plain(&h);
	whole_make(&h, RESOURCE_VCJOBS, JOB("bare", "'tasks':[{'replicas':2," SPEC "}]"));
	world_pass(&h.w, 2 * TIME_SECOND);
	is(whole_at(&h, RESOURCE_PODS, "bare-default0-0", "spec.schedulerName"), "volcano");
	is(whole_at(&h, RESOURCE_PODS, "bare-default0-1", "metadata.name"), "bare-default0-1");
	whole_comes(&h, RESOURCE_VCJOBS, "bare", "status.state.phase", "Completed");
	is(whole_at(&h, RESOURCE_VCJOBS, "bare", "status.minAvailable"), "2");
	whole_make(
		&h, RESOURCE_VCJOBS,
		JOB("two", "'tasks':[{'replicas':1," SPEC "},{'name':'b','replicas':1," SPEC "}]"));
	whole_comes(&h, RESOURCE_VCJOBS, "two", "status.state.phase", "Completed");
	whole_make(&h, RESOURCE_VCJOBS,
		   JOB("mpi",
		       "'plugins':{'pytorch':[]},'tasks':[{'name':'master','replicas':1," SPEC
		       "}]"));
	world_pass(&h.w, TIME_SECOND);
	is(whole_at(&h, RESOURCE_SERVICES, "mpi", "spec.clusterIP"), "None");
	whole_comes(&h, RESOURCE_VCJOBS, "mpi", "status.state.phase", "Completed");
	whole_close(&h);
}

/* What a webhook refuses is not started; when it is corrected, it is. */
static void test_invalid(void)
{
	static const struct {
		const char *spec;
		const char *why;
	} rows[] = {
		{"'tasks':[]", "No task specified in job spec"},
		{"'tasks':[{'name':'t','replicas':1," SPEC "},{'name':'t','replicas':1," SPEC "}]",
		 "duplicated task name t;"},
		{"'minAvailable':5,'tasks':[{'name':'t','replicas':1," SPEC "}]",
		 "job 'minAvailable' should not be greater than total replicas in tasks;"},
		{"'plugins':{'ganng':[]},'tasks':[{'name':'t','replicas':1," SPEC "}]",
		 "unable to find job plugin: ganng;"},
		{"'policies':[{'event':'PodFailed','action':'Dance'}],'tasks':[{'name':'t',"
		 "'replicas':1," SPEC "}]",
		 "invalid policy action"},
		{"'tasks':[{'name':'a','replicas':1,'dependsOn':{'name':['b']}," SPEC "},{'name':"
		 "'b','replicas':1,'dependsOn':{'name':['a']}," SPEC "}]",
		 "doesn't form a directed acyclic graph"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free)
		char *body = mem_printf("{'metadata':{'name':'bad','namespace':'a'},'spec':{%s}}",
					rows[i].spec);
		struct client_stats before, after;
		struct whole h;
		int64_t version;

		open_plain(&h);
		if (whole_ask(&h, CLIENT_CREATE, RESOURCE_VCJOBS, "", body) != 201) {
			ok(true, "the schema refuses it: %s", rows[i].why);
			whole_close(&h);
			continue;
		}
		world_pass(&h.w, 10 * TIME_SECOND);
		is(phase(&h, "bad"), "Pending");
		is(whole_at(&h, RESOURCE_VCJOBS, "bad", "status.state.reason"), "InvalidJob");
		ok(strstr(whole_at(&h, RESOURCE_VCJOBS, "bad", "status.state.message"),
			  rows[i].why) != NULL,
		   "the job says: %s", rows[i].why);
		version = store_revision(h.w.store);
		client_stats(h.controlling.client, &before);
		world_pass(&h.w, 2 * TIME_MINUTE);
		client_stats(h.controlling.client, &after);
		ok(store_revision(h.w.store) == version && after.sent - before.sent < 5,
		   "nothing is written while nothing changes");
		ok(whole_ask(&h, CLIENT_PATCH, RESOURCE_VCJOBS, "bad",
			     "{'spec':{'minAvailable':1,'plugins':null,'policies':null,'tasks':[{"
			     "'name':'t','replicas':1," SPEC "}]}}") == 200,
		   "it is corrected");
		whole_comes(&h, RESOURCE_VCJOBS, "bad", "status.state.phase", "Completed");
		is(whole_at(&h, RESOURCE_VCJOBS, "bad", "status.state.reason"), "");
		whole_close(&h);
	}
}

/* A queue that comes later, and one without `reclaimable`. */
static void test_queues(void)
{
	struct whole h;

	open_plain(&h);
	whole_make(&h, RESOURCE_VCJOBS,
		   JOB("early", "'queue':'late','tasks':[{'name':'t','replicas':1," SPEC "}]"));
	world_pass(&h.w, 10 * TIME_SECOND);
	is(phase(&h, "early"), "Pending");
	whole_make(&h, RESOURCE_QUEUES, "{'metadata':{'name':'late'},'spec':{}}");
	whole_comes(&h, RESOURCE_VCJOBS, "early", "status.state.phase", "Completed");
	whole_close(&h);
}

int main(void)
{
	test_defaults();
	test_invalid();
	test_queues();
	return tap_done();
}
