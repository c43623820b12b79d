/* SPDX-License-Identifier: Apache-2.0 */
/* Every sort of write that the scheduler and the controllers make, refused with every sort of answer for as long as
 * it lasts: how often it is asked for, and how many requests there are besides. Nothing may be in a hot
 * loop; and once the server takes the write, everything ends where it should. */
#include "client/refusals.h"

#include <stdlib.h>

#include "base/map.h"
#include "client/leader.h"
#include "whole.h"

/* What is refused, and what has been counted. */
struct refuser {
	enum client_verb verb;
	enum resource_id resource;
	const char *sub;
	enum err_code code; /* ERR_NONE: nothing is refused */
	uint64_t refused;
	uint64_t asked; /* of every sort */
	uint64_t writes;
	struct map *names; /* that were refused */
};

static void forget_names(struct refuser *r)
{
	size_t at = 0;
	void *copy;

	while (map_next(r->names, &at, NULL, &copy))
		mem_free(copy);
	map_free(r->names);
}

static bool refuse(void *arg, const struct client_ask *ask, struct transport_answer *ret)
{
	struct refuser *r = arg;
	struct str name = ask->name;

	r->asked++;
	r->writes +=
		ask->verb != CLIENT_GET && ask->verb != CLIENT_LIST && ask->verb != CLIENT_WATCH;
	if (!r->code || ask->verb != r->verb || ask->resource != &resources[r->resource] ||
	    !str_is(ask->sub, r->sub))
		return false;
	if (!name.len && ask->body)
		name = json_str(json_get(json_get(json_doc_root(ask->body), "metadata"), "name"));
	if (!map_get(r->names, name)) {
		char *copy = str_dup(name);

		(void)map_put(r->names, str_from(copy), copy);
	}
	r->refused++;
	ret->code = err_http(r->code);
	(void)err_set(&ret->err, r->code, "refused by the test");
	return true;
}

/* --- a world in which every sort of write happens -------------------------------------------------- */

#define SPEC(cpu)                                                                \
	"'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'," \
	"'resources':{'requests':{'cpu':'" cpu "'}}}]}"
#define TASKS(count, seconds, cpu)                                                          \
	"'tasks':[{'name':'t','replicas':" count ",'template':{'metadata':{'annotations':{" \
	"'run-seconds':'" seconds "'}}," SPEC(cpu) "}}]"
#define JOB(name, more)                                                                           \
	"{'metadata':{'name':'" name "','namespace':'a'},'spec':{'schedulerName':'volcano'," more \
	"}}"

static const struct {
	enum resource_id resource;
	const char *body;
} objects[] = {
	{RESOURCE_PRIORITYCLASSES, "{'metadata':{'name':'high'},'value':1000}"},
	{RESOURCE_HYPERNODES, "{'metadata':{'name':'h'},'spec':{'tier':1,'members':[{'type':'Node',"
			      "'selector':{'exactMatch':{'name':'node-00000'}}}]}}"},
	{RESOURCE_QUEUES, "{'metadata':{'name':'q'},'spec':{'weight':1}}"},
	{RESOURCE_VCJOBS, JOB("low", "'minAvailable':1," TASKS("4", "100000", "1"))},
	{RESOURCE_VCJOBS, JOB("plug", "'minAvailable':1,'plugins':{'ssh':[],'svc':[]},"
				      "'volumes':[{'mountPath':'/v','volumeClaim':{'accessModes':["
				      "'ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}"
				      "}}]," TASKS("1", "2", "0"))},
	{RESOURCE_VCJOBS,
	 JOB("short",
	     "'minAvailable':1,'ttlSecondsAfterFinished':1,'plugins':{'ssh':[],'svc':[]},"
	     "'policies':[{'event':'PodFailed','action':'RestartJob'}]," TASKS("1", "2", "0"))},
	{RESOURCE_JOBTEMPLATES,
	 "{'metadata':{'name':'x','namespace':'a'},'spec':{'minAvailable':1," TASKS("1", "2",
										    "0") "}}"},
	{RESOURCE_JOBFLOWS, "{'metadata':{'name':'f','namespace':'a'},'spec':{'jobRetainPolicy':"
			    "'delete','flows':[{'name':'x'}]}}"},
	{RESOURCE_VCCRONJOBS,
	 "{'metadata':{'name':'c','namespace':'a'},'spec':{'schedule':'* * * * *',"
	 "'concurrencyPolicy':'Forbid','successfulJobsHistoryLimit':1,'jobTemplate':{'spec':{'"
	 "minAvailable':1," TASKS("1", "2", "0") "}}}}"},
	{RESOURCE_PODS, "{'metadata':{'name':'pod','namespace':'a'},'spec':{'schedulerName':"
			"'volcano','containers':[{'name':'c','image':'x'}]}}"},
	{RESOURCE_VCJOBS,
	 JOB("high", "'minAvailable':2,'priorityClassName':'high'," TASKS("2", "100000", "1"))},
	{RESOURCE_VCJOBS, JOB("wide", "'minAvailable':9," TASKS("9", "100000", "1"))},
	{RESOURCE_COMMANDS,
	 "{'metadata':{'name':'close','namespace':'a'},'action':'CloseQueue','target':{"
	 "'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'Queue','name':'q','uid':'x'}}"},
	{RESOURCE_COMMANDS,
	 "{'metadata':{'name':'abort','namespace':'a'},'action':'AbortJob','target':{"
	 "'apiVersion':'batch.volcano.sh/v1alpha1','kind':'Job','name':'plug','uid':'x'}}"},
};

static const struct {
	enum client_verb verb;
	enum resource_id resource;
	const char *sub;
} writes[] = {
	/* of the scheduler */
	{CLIENT_CREATE, RESOURCE_PODS, "binding"},
	{CLIENT_PATCH, RESOURCE_PODS, "status"},
	{CLIENT_PATCH, RESOURCE_PODGROUPS, ""},
	{CLIENT_PATCH, RESOURCE_QUEUES, "status"},
	{CLIENT_CREATE, RESOURCE_QUEUES, ""},
	/* of both */
	{CLIENT_CREATE, RESOURCE_EVENTS, ""},
	{CLIENT_PATCH, RESOURCE_EVENTS, ""},
	{CLIENT_DELETE, RESOURCE_PODS, ""},
	/* of the controllers */
	{CLIENT_CREATE, RESOURCE_PODS, ""},
	{CLIENT_PATCH, RESOURCE_PODS, ""},
	{CLIENT_UPDATE, RESOURCE_VCJOBS, "status"},
	{CLIENT_UPDATE, RESOURCE_VCJOBS, ""},
	{CLIENT_CREATE, RESOURCE_VCJOBS, ""},
	{CLIENT_DELETE, RESOURCE_VCJOBS, ""},
	{CLIENT_CREATE, RESOURCE_PODGROUPS, ""},
	{CLIENT_DELETE, RESOURCE_PODGROUPS, ""},
	{CLIENT_CREATE, RESOURCE_SERVICES, ""},
	{CLIENT_DELETE, RESOURCE_SERVICES, ""},
	{CLIENT_CREATE, RESOURCE_CONFIGMAPS, ""},
	{CLIENT_DELETE, RESOURCE_CONFIGMAPS, ""},
	{CLIENT_CREATE, RESOURCE_SECRETS, ""},
	{CLIENT_DELETE, RESOURCE_SECRETS, ""},
	{CLIENT_CREATE, RESOURCE_NETWORKPOLICIES, ""},
	{CLIENT_DELETE, RESOURCE_NETWORKPOLICIES, ""},
	{CLIENT_CREATE, RESOURCE_PVCS, ""},
	{CLIENT_DELETE, RESOURCE_COMMANDS, ""},
	{CLIENT_PATCH, RESOURCE_QUEUES, ""},
	{CLIENT_UPDATE, RESOURCE_JOBFLOWS, "status"},
	{CLIENT_UPDATE, RESOURCE_JOBTEMPLATES, "status"},
	{CLIENT_UPDATE, RESOURCE_VCCRONJOBS, "status"},
	{CLIENT_PATCH, RESOURCE_HYPERNODES, "status"},
};

static const enum err_code codes[] = {
	ERR_BAD_REQUEST,       ERR_UNAUTHORIZED, ERR_FORBIDDEN,   ERR_NOT_FOUND,
	ERR_CONFLICT,          ERR_GONE,         ERR_TOO_LARGE,   ERR_INVALID,
	ERR_TOO_MANY_REQUESTS, ERR_INTERNAL,     ERR_UNAVAILABLE,
};

/* Of one object and sort, in the first minute: pauses double from 50 ms. There may be two writers. */
enum { MOST_EACH = 24, MOST_WRITES = 50, MOST_READS = 150 };

/* A minute with the write refused, from a new start on. */
static void count(struct whole *h, struct refuser *r, enum err_code code)
{
	whole_stop_scheduler(h);
	whole_stop_controllers(h);
	forget_names(r);
	r->names = map_new(1);
	r->code = code;
	r->refused = r->asked = r->writes = 0;
	whole_start_scheduler(h);
	whole_start_controllers(h);
	world_pass(&h->w, TIME_MINUTE);
	ok(r->refused <= MOST_EACH * map_len(r->names),
	   "%s %.*s/%s, %d: asked for %llu times for %zu objects", refusals_verb(r->verb),
	   STR_ARG(resources[r->resource].plural), r->sub, err_http(code),
	   (unsigned long long)r->refused, map_len(r->names));
	ok(r->writes < MOST_WRITES * (map_len(r->names) + 3) && r->asked - r->writes < MOST_READS,
	   "... of %llu writes, %llu requests", (unsigned long long)r->writes,
	   (unsigned long long)r->asked);
}

static void test_write(size_t row)
{
	struct refuser r = {.verb = writes[row].verb,
			    .resource = writes[row].resource,
			    .sub = writes[row].sub,
			    .names = map_new(1)};
	struct whole h = {.scheduling = {.gate = refuse, .arg = &r},
			  .controlling = {.gate = refuse, .arg = &r}};
	uint64_t refused = 0;

	whole_open(&h, 1);
	r.code = ERR_INTERNAL;
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		whole_make(&h, objects[i].resource, objects[i].body);
		world_pass(&h.w, 3 * TIME_SECOND);
	}
	refused = r.refused;
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		count(&h, &r, codes[i]);
		refused += r.refused;
	}
	printf("# %s %.*s/%s\n", refusals_verb(r.verb), STR_ARG(resources[r.resource].plural),
	       r.sub);
	/* The event of a state is written again only if it comes back within minutes. */
	ok(refused > 0 || r.resource == RESOURCE_EVENTS, "the write happens in this world");
	r.code = ERR_NONE;
	world_pass(&h.w, 3 * TIME_MINUTE);
	is(whole_at(&h, RESOURCE_VCJOBS, "high", "status.running"), "2");
	is(whole_at(&h, RESOURCE_JOBFLOWS, "f", "status.state.phase"), "Succeed");
	ok(*whole_at(&h, RESOURCE_VCJOBS, "short", "metadata.deletionTimestamp"),
	   "a job is deleted when its time is over");
	is(whole_at(&h, RESOURCE_VCJOBS, "plug", "status.state.phase"), "Aborted");
	is(whole_at(&h, RESOURCE_PODS, "pod", "status.phase"), "Running");
	is(whole_at(&h, RESOURCE_QUEUES, "q", "status.state"), "Closed");
	whole_close(&h);
	forget_names(&r);
}

/* --- leader election ------------------------------------------------------------------------------ */

static void on_lead(void *arg)
{
	++*(int *)arg;
}

static void test_leader(enum client_verb verb)
{
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		struct refuser r = {
			.verb = verb, .resource = RESOURCE_LEASES, .sub = "", .names = map_new(1)};
		struct whole_part part = {.gate = refuse, .arg = &r};
		struct whole h = {.scheduling = part};
		struct leader *leader;
		int leads = 0;

		world_open(&h.w, 3, 0);
		whole_make(&h, RESOURCE_NAMESPACES, "{'metadata':{'name':'a'}}");
		whole_connect(&h, &h.scheduling, "scheduler");
		r.code = verb == CLIENT_CREATE ? codes[i] : ERR_NONE;
		leader = leader_new(h.scheduling.client,
				    &(struct leader_options){.namespace = STR("a"),
							     .name = STR("l"),
							     .identity = STR("one"),
							     .started = on_lead,
							     .stopped = on_lead,
							     .arg = &leads});
		world_pass(&h.w, 5 * TIME_SECOND);
		r.code = codes[i];
		r.asked = 0;
		world_pass(&h.w, TIME_MINUTE);
		ok(r.asked <= 3 * 60, "%s leases, %d: %llu requests in a minute",
		   refusals_verb(verb), err_http(codes[i]), (unsigned long long)r.asked);
		r.code = ERR_NONE;
		world_pass(&h.w, 20 * TIME_SECOND);
		ok(leader_leads(leader) && leads > 0, "then it leads");
		leader_free(leader);
		client_free(h.scheduling.client);
		world_close(&h.w);
		forget_names(&r);
	}
}

int main(int argc, char **argv)
{
	/* One of them, to find a fault. */
	size_t only = argc > 1 ? strtoul(argv[1], NULL, 10) : ARRAY_LEN(writes);

	for (size_t i = 0; i < ARRAY_LEN(writes); i++)
		if (only == ARRAY_LEN(writes) || i == only)
			test_write(i);
	test_leader(CLIENT_CREATE);
	test_leader(CLIENT_UPDATE);
	return tap_done();
}
