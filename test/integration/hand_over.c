/* SPDX-License-Identifier: Apache-2.0 */
/* From one leader to the next: how long it takes, that a new scheduler decides nothing before it knows what is there, that
 * after an outage everything goes on within seconds, and that kinds which are not installed stop nothing. */
#include "client/leader.h"
#include "whole.h"

/* --- candidates ----------------------------------------------------------------------------------- */

struct candidate {
	struct client *client;
	struct leader *leader;
	bool leads;
};

static void on_started(void *arg)
{
	((struct candidate *)arg)->leads = true;
}

static void on_stopped(void *arg)
{
	((struct candidate *)arg)->leads = false;
}

static void on_released(void *arg)
{
	*(bool *)arg = true;
}

static void stand(struct world *w, struct candidate *c, const char *name)
{
	c->client = world_client(w, name);
	c->leader = leader_new(c->client, &(struct leader_options){.namespace = STR("a"),
								   .name = STR("l"),
								   .identity = str_from(name),
								   .started = on_started,
								   .stopped = on_stopped,
								   .arg = c});
}

static void leave(struct candidate *c)
{
	leader_free(TAKE(c->leader));
	client_free(TAKE(c->client));
}

/* How long until it leads. */
static int64_t wait_for_lead(struct world *w, const struct candidate *c)
{
	int64_t began = loop_uptime(w->loop);

	while (!c->leads && loop_uptime(w->loop) < began + TIME_MINUTE)
		world_pass(w, 10 * TIME_MILLISECOND);
	return loop_uptime(w->loop) - began;
}

static void test_leaders(void)
{
	struct whole h = {0};
	int64_t longest = 0;

	world_open(&h.w, 5, 0);
	whole_make(&h, RESOURCE_NAMESPACES, "{'metadata':{'name':'a'}}");
	for (int i = 0; i < 20; i++) {
		struct candidate old = {0}, new = {0};
		bool released = false;
		int64_t took;

		stand(&h.w, &old, "old");
		(void)wait_for_lead(&h.w, &old);
		stand(&h.w, &new, "new");
		world_pass(&h.w, 3 * TIME_SECOND + i * 97 * TIME_MILLISECOND);
		leader_release(old.leader, on_released, &released);
		took = wait_for_lead(&h.w, &new);
		longest = took > longest ? took : longest;
		leave(&old);
		released = false;
		leader_release(new.leader, on_released, &released);
		while (!released)
			world_pass(&h.w, TIME_MILLISECOND);
		leave(&new);
	}
	printf("# at most %lld ms\n", (long long)(longest / TIME_MILLISECOND));
	ok(longest < 2 * TIME_SECOND, "a lease that is released is taken within 2 s");
	{
		struct candidate old = {0}, new = {0};
		int64_t took;

		stand(&h.w, &old, "old");
		(void)wait_for_lead(&h.w, &old);
		stand(&h.w, &new, "new");
		world_pass(&h.w, 3 * TIME_SECOND);
		leave(&old); /* it crashes */
		took = wait_for_lead(&h.w, &new);
		ok(took <= 17 * TIME_SECOND,
		   "one that is not is taken when it has expired (%lld ms)",
		   (long long)(took / TIME_MILLISECOND));
		leave(&new);
	}
	world_close(&h.w);
}

/* --- a new scheduler ------------------------------------------------------------------------------ */

struct faulty {
	bool no_pods; /* they cannot be listed */
	bool down;
	bool no_kinds; /* some kinds are not installed */
	uint64_t binds;
	uint64_t deletes;
};

static bool gate(void *arg, const struct client_ask *ask, struct transport_answer *ret)
{
	struct faulty *f = arg;
	bool optional = ask->resource == &resources[RESOURCE_HYPERNODES] ||
			ask->resource == &resources[RESOURCE_NODESHARDS] ||
			ask->resource == &resources[RESOURCE_JOBFLOWS] ||
			ask->resource == &resources[RESOURCE_JOBTEMPLATES] ||
			ask->resource == &resources[RESOURCE_VCCRONJOBS];

	f->binds += ask->verb == CLIENT_CREATE && str_is(ask->sub, "binding");
	f->deletes += ask->verb == CLIENT_DELETE && ask->resource == &resources[RESOURCE_PODS];
	if (f->down) {
		(void)err_set(&ret->err, ERR_UNAVAILABLE, "connection refused");
		return true;
	}
	if (f->no_kinds && optional) {
		ret->code = 404;
		(void)err_set(&ret->err, ERR_NOT_FOUND,
			      "the server could not find the requested resource");
		return true;
	}
	if (!f->no_pods || ask->verb != CLIENT_LIST || ask->resource != &resources[RESOURCE_PODS])
		return false;
	ret->code = 503;
	(void)err_set(&ret->err, ERR_UNAVAILABLE, "starting");
	return true;
}

#define JOB(name, count)                                                                          \
	"{'metadata':{'name':'" name "','namespace':'a'},'spec':{'schedulerName':'volcano',"      \
	"'minAvailable':" count ",'tasks':[{'name':'t','replicas':" count                         \
	",'template':{'metadata':{'annotations':{'run-seconds':'1000'}},'spec':{'restartPolicy':" \
	"'Never','containers':[{'name':'c','image':'x','resources':{'requests':{'cpu':'1'}}}]}}}" \
	"]}}"

static void test_caches(void)
{
	struct faulty f = {0};
	struct whole h = {.scheduling = {.gate = gate, .arg = &f},
			  .controlling = {.gate = gate, .arg = &f}};
	uint64_t binds;

	whole_open(&h, 1);
	whole_make(&h, RESOURCE_VCJOBS, JOB("one", "4"));
	whole_comes(&h, RESOURCE_VCJOBS, "one", "status.running", "4");
	whole_stop_scheduler(&h);
	whole_stop_controllers(&h);
	whole_make(&h, RESOURCE_VCJOBS, JOB("two", "4"));
	f.no_pods = true;
	binds = f.binds;
	whole_start_scheduler(&h);
	whole_start_controllers(&h);
	world_pass(&h.w, TIME_MINUTE);
	ok(f.binds == binds && f.deletes == 0 && !scheduler_is_ready(h.scheduler) &&
		   !controllers_are_ready(h.controllers),
	   "nothing is decided before the pods are known");
	is(whole_at(&h, RESOURCE_VCJOBS, "one", "status.running"), "4");
	f.no_pods = false;
	world_pass(&h.w, 10 * TIME_SECOND);
	ok(scheduler_is_ready(h.scheduler) && controllers_are_ready(h.controllers),
	   "then it goes on");
	ok(f.binds == binds && f.deletes == 0, "a full node stays as it is");
	ok(whole_ask(&h, CLIENT_DELETE, RESOURCE_VCJOBS, "one", NULL) == 200, "a job is deleted");
	whole_close(&h);
}

/* A new job runs soon after an outage. */
static void test_outage(void)
{
	for (int seconds = 2; seconds <= 120; seconds = seconds * 3) {
		struct faulty f = {0};
		struct whole h = {.scheduling = {.gate = gate, .arg = &f},
				  .controlling = {.gate = gate, .arg = &f}};

		whole_open(&h, 1);
		whole_make(&h, RESOURCE_VCJOBS, JOB("one", "1"));
		world_pass(&h.w, 500 * TIME_MILLISECOND);
		f.down = true;
		/* As if the connections broke: everything starts again. */
		whole_stop_scheduler(&h);
		whole_stop_controllers(&h);
		whole_start_scheduler(&h);
		whole_start_controllers(&h);
		whole_make(&h, RESOURCE_VCJOBS, JOB("two", "1"));
		world_pass(&h.w, seconds * TIME_SECOND);
		f.down = false;
		world_pass(&h.w, 8 * TIME_SECOND);
		ok(str_is(str_from(whole_at(&h, RESOURCE_VCJOBS, "two", "status.running")), "1"),
		   "a job runs 8 s after an outage of %d s", seconds);
		whole_close(&h);
	}
}

/* As with an older Volcano: some kinds are not there. */
static void test_kinds(void)
{
	struct faulty f = {.no_kinds = true};
	struct whole h = {.scheduling = {.gate = gate, .arg = &f},
			  .controlling = {.gate = gate, .arg = &f}};

	whole_open(&h, 1);
	whole_make(&h, RESOURCE_VCJOBS, JOB("one", "2"));
	whole_comes(&h, RESOURCE_VCJOBS, "one", "status.running", "2");
	ok(controllers_synced(h.controllers), "kinds that are not installed stop no controller");
	f.no_kinds = false;
	whole_make(&h, RESOURCE_JOBTEMPLATES,
		   "{'metadata':{'name':'x','namespace':'a'},'spec':{'minAvailable':1,'tasks':[{"
		   "'name':'t','replicas':1,'template':{'metadata':{'annotations':{'run-seconds':"
		   "'1'}},'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'}]"
		   "}}}]}}");
	whole_make(&h, RESOURCE_JOBFLOWS,
		   "{'metadata':{'name':'f','namespace':'a'},'spec':{"
		   "'jobRetainPolicy':'retain','flows':[{'name':'x'}]}}");
	whole_comes(&h, RESOURCE_JOBFLOWS, "f", "status.state.phase", "Succeed");
	whole_close(&h);
}

/* --- plain pods ----------------------------------------------------------------------------------- */

static size_t count_events(struct whole *h, const char *reason)
{
	struct got got = {0};
	struct json_iter it;
	size_t count = 0;

	(void)world_ask(&h->w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[RESOURCE_EVENTS],
					     .namespace = STR("a")});
	it = json_iter(json_get(json_doc_root(got.doc), "items"));
	while (json_next(&it))
		count += str_is(json_str(json_get(it.value, "reason")), reason);
	json_doc_unref(got.doc);
	return count;
}

static void test_plain_pods(void)
{
	struct whole h = {0};
	struct got got = {0};

	whole_open(&h, 1);
	for (int i = 0; i < 10; i++) {
		AUTO(mem_free)
		char *body = mem_printf("{'metadata':{'name':'p%d','namespace':'a'},'spec':{"
					"'schedulerName':'volcano','containers':[{'name':'c',"
					"'image':'x'}]}}",
					i);

		whole_make(&h, RESOURCE_PODS, body);
	}
	whole_make(&h, RESOURCE_PODS,
		   "{'metadata':{'name':'bound','namespace':'a'},'spec':{'schedulerName':'volcano',"
		   "'nodeName':'node-00000','containers':[{'name':'c','image':'x'}]}}");
	whole_make(&h, RESOURCE_PODS,
		   "{'metadata':{'name':'foreign','namespace':'a'},'spec':{'schedulerName':'other',"
		   "'containers':[{'name':'c','image':'x'}]}}");
	world_pass(&h.w, 20 * TIME_SECOND);
	is(whole_at(&h, RESOURCE_PODS, "p9", "status.phase"), "Running");
	ok(count_events(&h, "Unschedulable") == 0, "no warning about groups whose pods just come");
	(void)world_ask(&h.w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[RESOURCE_PODGROUPS],
					     .namespace = STR("a")});
	ok(json_len(json_get(json_doc_root(got.doc), "items")) == 10,
	   "bound pods and those of another scheduler have no group");
	json_doc_unref(got.doc);
	whole_close(&h);
}

int main(void)
{
	test_leaders();
	test_caches();
	test_outage();
	test_kinds();
	test_plain_pods();
	return tap_done();
}
