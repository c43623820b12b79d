/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler as a service with the API server, in one process on the virtual loop: what it writes and
 * how often; that bindings, evictions and statuses which fail leave the model exact and are made up
 * for; that it comes to the same end whatever the network does. */
#include "scheduler/scheduler.h"

#include <string.h>

#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/list.h"
#include "base/time.h"
#include "client/faults.h"
#include "quoted.h"
#include "sched/cluster/cluster.h"

/* --- a transport that spoils one sort of request ------------------------------------------------ */

struct spoiler {
	struct transport transport;
	struct transport *inner;
	struct loop *loop;
	struct list list;
	/* What: a verb of a resource, with a sub-resource; how often; and the answer. */
	enum client_verb verb;
	enum resource_id resource;
	const char *sub;
	unsigned times;
	int code; /* 0: the connection is lost, though the server may have acted */
	enum err_code reason;
	unsigned spoilt;
};

struct spoilt {
	struct list link;
	struct spoiler *spoiler;
	const struct transport_ask *ask;
	struct loop_timer *timer;
};

static void spoilt_free(struct spoilt *spoilt)
{
	list_remove(&spoilt->link);
	loop_timer_free(spoilt->timer);
	mem_free(spoilt);
}

static void on_spoilt(struct loop_timer *timer, void *arg)
{
	struct spoilt *spoilt = arg;
	const struct transport_ask *ask = spoilt->ask;
	struct transport_answer answer = {
		.code = spoilt->spoiler->code, .retry_after_us = -1, .maybe_done = true};

	(void)timer;
	(void)err_set(&answer.err, spoilt->spoiler->reason, "spoilt");
	spoilt_free(spoilt);
	ask->sink->answered(ask->arg, &answer);
}

static bool is_meant(const struct spoiler *s, const struct client_ask *ask)
{
	return s->times && ask->verb == s->verb && ask->resource == &resources[s->resource] &&
	       str_is(ask->sub, s->sub);
}

/* What is not meant passes, under the inner transport's own token. */
static void *spoil_send(struct transport *transport, const struct transport_ask *ask)
{
	struct spoiler *s = container_of(transport, struct spoiler, transport);
	struct spoilt *spoilt;

	if (!is_meant(s, &ask->ask))
		return s->inner->ops->send(s->inner, ask);
	spoilt = mem_new(struct spoilt);
	spoilt->spoiler = s;
	spoilt->ask = ask;
	list_push(&s->list, &spoilt->link);
	s->times--;
	s->spoilt++;
	spoilt->timer = loop_timer_new(s->loop, on_spoilt, spoilt);
	loop_timer_set(spoilt->timer, TIME_MILLISECOND);
	return spoilt;
}

static void spoil_cancel(struct transport *transport, void *token)
{
	struct spoiler *s = container_of(transport, struct spoiler, transport);

	LIST_EACH(&s->list, struct spoilt, link, spoilt)
		if (spoilt == token) {
			spoilt_free(spoilt);
			return;
		}
	s->inner->ops->cancel(s->inner, token);
}

static void spoil_free(struct transport *transport)
{
	struct spoiler *s = container_of(transport, struct spoiler, transport);

	LIST_EACH(&s->list, struct spoilt, link, spoilt)
		spoilt_free(spoilt);
	transport_free(TAKE(s->inner));
}

/* --- the API server --------------------------------------------------------------------------------- */

struct home {
	struct world w;
	struct faults faults;
	struct spoiler spoiler;
	struct client *client;
	struct scheduler *scheduler;
};

static const char config[] = "actions: \"enqueue, allocate, preempt, backfill\"\n"
			     "tiers:\n"
			     "- plugins: [{name: priority}, {name: gang}, {name: conformance}]\n"
			     "- plugins: [{name: overcommit}, {name: drf, enablePreemptable: "
			     "false}, {name: predicates}, {name: proportion}]\n";

static void start(struct home *h)
{
	static const struct transport_ops ops = {spoil_send, spoil_cancel, spoil_free};
	struct err err;

	h->spoiler.transport.ops = &ops;
	h->spoiler.loop = h->w.loop;
	list_init(&h->spoiler.list);
	h->spoiler.inner =
		faults_new(h->w.loop, direct_new(h->w.api, &(struct direct_user){.name = "sched"}),
			   &h->faults);
	h->client = client_new(h->w.loop, &h->spoiler.transport, NULL);
	h->scheduler = scheduler_new(h->w.loop, h->client,
				     &(struct scheduler_options){.config = str_from(config)}, &err);
	ok(h->scheduler != NULL, "the scheduler starts");
}

static void stop(struct home *h)
{
	scheduler_free(TAKE(h->scheduler));
	client_free(TAKE(h->client));
}

static void make(struct home *h, enum resource_id resource, const char *body)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(body);
	struct got got = {0};

	(void)world_ask(&h->w, &got,
			&(struct client_ask){
				.verb = CLIENT_CREATE,
				.resource = &resources[resource],
				.namespace = resources[resource].namespaced ? STR("a") : str_none(),
				.body = doc});
	if (got.code != 201)
		ok(false, "made: %s: %s", body, got.text);
	json_doc_unref(got.doc);
}

static void merge(struct home *h, enum resource_id resource, const char *name, const char *sub,
		  const char *body)
{
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(body);
	struct got got = {0};

	(void)world_ask(&h->w, &got,
			&(struct client_ask){
				.verb = CLIENT_PATCH,
				.patch = CLIENT_PATCH_MERGE,
				.resource = &resources[resource],
				.namespace = resources[resource].namespaced ? STR("a") : str_none(),
				.name = str_from(name),
				.sub = str_from(sub),
				.body = doc});
	if (got.code != 200)
		ok(false, "changed %s: %s", name, got.text);
	json_doc_unref(got.doc);
}

static void remove_pod(struct home *h, const char *name)
{
	const int64_t now = 0;
	struct got got = {0};

	(void)world_ask(&h->w, &got,
			&(struct client_ask){.verb = CLIENT_DELETE,
					     .resource = &resources[RESOURCE_PODS],
					     .namespace = STR("a"),
					     .name = str_from(name),
					     .grace_seconds = &now});
	json_doc_unref(got.doc);
}

static void make_node(struct home *h, const char *name, int cpus)
{
	AUTO(mem_free)
	char *body = mem_printf("{'metadata':{'name':'%s'}}", name);
	AUTO(mem_free)
	char *status =
		mem_printf("{'status':{'allocatable':{'cpu':'%d','memory':'64Gi','pods':'110'"
			   "},'capacity':{'cpu':'%d','memory':'64Gi','pods':'110'},"
			   "'conditions':[{'type':'Ready','status':'True'}]}}",
			   cpus, cpus);

	make(h, RESOURCE_NODES, body);
	merge(h, RESOURCE_NODES, name, "", "{'spec':{'taints':null}}");
	merge(h, RESOURCE_NODES, name, "status", status);
}

static void make_gang(struct home *h, const char *name, int pods, int cpu, const char *more)
{
	AUTO(mem_free)
	char *group = mem_printf("{'metadata':{'name':'%s'},'spec':{'minMember':%d,'queue':"
				 "'default'%s}}",
				 name, pods, more);

	make(h, RESOURCE_PODGROUPS, group);
	for (int i = 0; i < pods; i++) {
		AUTO(mem_free)
		char *pod = mem_printf("{'metadata':{'name':'%s-%d','annotations':{"
				       "'scheduling.k8s.io/group-name':'%s'}},'spec':{"
				       "'schedulerName':'volcano','containers':[{'name':'c',"
				       "'image':'i','resources':{'requests':{'cpu':'%d'}}}]%s}}",
				       name, i, name, cpu, more);

		make(h, RESOURCE_PODS, pod);
	}
}

static const char *at(struct home *h, enum resource_id resource, const char *name, const char *path)
{
	return world_at(&h->w, resource, name, path);
}

static void pass(struct home *h, int64_t time)
{
	world_pass(&h->w, time);
}

static bool is_exact(const struct home *h)
{
	AUTO(mem_free) char *wrong = cluster_check(scheduler_cluster(h->scheduler));

	if (wrong)
		printf("# %s\n", wrong);
	return !wrong;
}

static void open_home(struct home *h, uint64_t seed)
{
	struct err err;

	memset(h, 0, sizeof(*h));
	world_open(&h->w, seed, 0);
	if (install_definitions(h->w.api, &err) < 0)
		printf("Bail out! %s\n", err.text);
	make(h, RESOURCE_NAMESPACES, "{'metadata':{'name':'a'}}");
	make(h, RESOURCE_PRIORITYCLASSES, "{'metadata':{'name':'high'},'value':1000}");
	make_node(h, "n1", 4);
}

static void close_home(struct home *h)
{
	stop(h);
	world_close(&h->w);
}

/* It goes while what it asks for first is under way, after so many turns; its client stays. */
static void test_short_life(int turns)
{
	struct home h;

	open_home(&h, 1);
	h.faults.delay_us = 1000;
	start(&h);
	for (int i = 0; i < turns; i++)
		(void)loop_turn(h.w.loop, TIME_SECOND);
	scheduler_free(TAKE(h.scheduler));
	pass(&h, 2 * TIME_SECOND);
	ok(true, "it may go after %d turns", turns);
	close_home(&h);
}

/* --- what it writes ------------------------------------------------------------------------------ */

static void test_writes(void)
{
	struct scheduler_stats stats;
	struct home h;

	open_home(&h, 1);
	h.faults.delay_us = 50 * TIME_MILLISECOND;
	start(&h);
	while (!scheduler_is_ready(h.scheduler) && loop_turn(h.w.loop, TIME_SECOND))
		;
	scheduler_stats(h.scheduler, &stats);
	ok(stats.cycles == 0, "there is no cycle before everything is known");
	h.faults.delay_us = 0;
	pass(&h, TIME_SECOND);
	make_gang(&h, "g", 4, 1, "");
	pass(&h, 2 * TIME_SECOND);
	ok(strcmp(at(&h, RESOURCE_PODS, "g-3", "spec.nodeName"), "n1") == 0, "a gang is bound");
	for (int i = 0; i < 4; i++) {
		AUTO(mem_free) char *name = mem_printf("g-%d", i);

		merge(&h, RESOURCE_PODS, name, "status", "{'status':{'phase':'Running'}}");
	}
	pass(&h, 2 * TIME_SECOND);
	is(at(&h, RESOURCE_PODGROUPS, "g", "status.phase"), "Running");
	scheduler_stats(h.scheduler, &stats);
	ok(stats.binds == 4 && stats.pod_writes == 0, "a pod that is placed costs one write: %llu",
	   (unsigned long long)stats.writes);
	ok(stats.group_writes <= 3, "a group costs one write per phase: %llu",
	   (unsigned long long)stats.group_writes);

	make_gang(&h, "w", 2, 1, "");
	pass(&h, 2 * TIME_SECOND);
	ok(strstr(at(&h, RESOURCE_PODGROUPS, "w", "metadata.annotations"), "needs") != NULL,
	   "one that waits says why");
	scheduler_stats(h.scheduler, &stats);
	pass(&h, 60 * TIME_SECOND);
	{
		struct scheduler_stats later;

		scheduler_stats(h.scheduler, &later);
		ok(later.writes == stats.writes, "and does not say it again");
	}
	remove_pod(&h, "g-0");
	remove_pod(&h, "g-1");
	pass(&h, 3 * TIME_SECOND);
	ok(strcmp(at(&h, RESOURCE_PODS, "w-1", "spec.nodeName"), "n1") == 0,
	   "until there is capacity");
	ok(strstr(at(&h, RESOURCE_PODGROUPS, "w", "metadata.annotations"), "reasons") == NULL,
	   "then its reasons go");
	ok(is_exact(&h), "the model is exact");
	close_home(&h);
}

/* --- what it does not write ---------------------------------------------------------------------- */

/* Events of this type about an object. */
static size_t count_events(struct home *h, const char *type, const char *name)
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
		count += str_is(json_str(json_get(it.value, "type")), type) &&
			 str_is(json_str(json_get(json_get(it.value, "involvedObject"), "name")),
				name);
	json_doc_unref(got.doc);
	return count;
}

static void make_group(struct home *h, const char *name)
{
	AUTO(mem_free)
	char *group = mem_printf("{'metadata':{'name':'%s'},'spec':{'minMember':1,'queue':"
				 "'default'}}",
				 name);

	make(h, RESOURCE_PODGROUPS, group);
}

static void make_pod(struct home *h, const char *name)
{
	AUTO(mem_free)
	char *pod =
		mem_printf("{'metadata':{'name':'%s','annotations':{"
			   "'scheduling.k8s.io/group-name':'%s'}},'spec':{"
			   "'schedulerName':'volcano','containers':[{'name':'c','image':'i'}]}}",
			   name, name);

	make(h, RESOURCE_PODS, pod);
}

static void end_pod(struct home *h, const char *name)
{
	merge(h, RESOURCE_PODS, name, "status", "{'status':{'phase':'Succeeded'}}");
}

/* A group whose pod comes a moment later, as those of jobs do, and goes when the pod is done. */
static void test_short_jobs(void)
{
	struct scheduler_stats before, after;
	struct got got = {0};
	struct home h;

	open_home(&h, 2);
	start(&h);
	pass(&h, TIME_SECOND);
	make_group(&h, "g");
	pass(&h, 50 * TIME_MILLISECOND);
	is(at(&h, RESOURCE_PODGROUPS, "g", "status.phase"), "Inqueue");
	make_pod(&h, "g");
	pass(&h, 50 * TIME_MILLISECOND);
	is(at(&h, RESOURCE_PODGROUPS, "g", "status.phase"), "Running");
	pass(&h, 10 * TIME_SECOND);
	ok(count_events(&h, "Normal", "g") == 2, "pod and group say that they are placed");
	ok(count_events(&h, "Warning", "g") == 0, "and no longer that they wait");

	scheduler_stats(h.scheduler, &before);
	end_pod(&h, "g");
	pass(&h, 50 * TIME_MILLISECOND);
	(void)world_ask(&h.w, &got,
			&(struct client_ask){.verb = CLIENT_DELETE,
					     .resource = &resources[RESOURCE_PODGROUPS],
					     .namespace = STR("a"),
					     .name = STR("g")});
	json_doc_unref(got.doc);
	pass(&h, 10 * TIME_SECOND);
	scheduler_stats(h.scheduler, &after);
	ok(after.group_writes == before.group_writes,
	   "the end of a group that goes is not written");

	make_group(&h, "stays");
	make_pod(&h, "stays");
	pass(&h, TIME_SECOND);
	end_pod(&h, "stays");
	pass(&h, 2 * TIME_SECOND);
	is(at(&h, RESOURCE_PODGROUPS, "stays", "status.phase"), "Completed");
	close_home(&h);
}

/* Pods one by one, a cycle for each. */
static void test_queue_writes(void)
{
	enum { PODS = 20 };
	struct scheduler_stats before, after;
	struct home h;
	uint64_t queue_writes;

	open_home(&h, 3);
	start(&h);
	pass(&h, TIME_SECOND);
	scheduler_stats(h.scheduler, &before);
	for (int i = 0; i < PODS; i++) {
		AUTO(mem_free) char *name = mem_printf("p%d", i);

		make_group(&h, name);
		make_pod(&h, name);
		pass(&h, 10 * TIME_MILLISECOND);
		if (i == 0)
			is(at(&h, RESOURCE_QUEUES, "default", "status.allocated.pods"), "1");
	}
	pass(&h, TIME_SECOND);
	scheduler_stats(h.scheduler, &after);
	ok(after.binds - before.binds == PODS && after.cycles - before.cycles >= PODS,
	   "%d pods are placed in as many cycles", PODS);
	is(at(&h, RESOURCE_QUEUES, "default", "status.allocated.pods"), "20");
	queue_writes = (after.writes - before.writes) - (after.binds - before.binds) -
		       (after.group_writes - before.group_writes) -
		       (after.pod_writes - before.pod_writes);
	ok(queue_writes <= 10, "what two queues hold is written %llu times",
	   (unsigned long long)queue_writes);
	close_home(&h);
}

/* --- what fails ---------------------------------------------------------------------------------- */

static const struct {
	const char *about;
	int code;
	enum err_code reason;
} failures[] = {
	{"a conflict", 409, ERR_CONFLICT},
	{"not found", 404, ERR_NOT_FOUND},
	{"an error of the server", 500, ERR_INTERNAL},
	{"a time-out", 504, ERR_TIMEOUT},
	{"a lost connection", 0, ERR_UNAVAILABLE},
};

static void test_failed_binding(size_t i)
{
	struct scheduler_stats stats;
	struct home h;

	open_home(&h, i + 1);
	start(&h);
	h.spoiler.verb = CLIENT_CREATE;
	h.spoiler.resource = RESOURCE_PODS;
	h.spoiler.sub = "binding";
	h.spoiler.times = 2;
	h.spoiler.code = failures[i].code;
	h.spoiler.reason = failures[i].reason;
	pass(&h, TIME_SECOND);
	make_gang(&h, "g", 4, 1, "");
	pass(&h, 10 * TIME_SECOND);
	ok(h.spoiler.spoilt > 0 && is_exact(&h), "%s when binding: the model is exact",
	   failures[i].about);
	for (int pod = 0; pod < 4; pod++) {
		AUTO(mem_free) char *name = mem_printf("g-%d", pod);

		is(at(&h, RESOURCE_PODS, name, "spec.nodeName"), "n1");
	}
	scheduler_stats(h.scheduler, &stats);
	ok(stats.in_flight == 0, "and nothing is under way forever");
	close_home(&h);
}

/* A gang of higher priority comes to a full node. */
static void test_failed_eviction(size_t i, enum client_verb verb, const char *sub)
{
	struct home h;

	open_home(&h, 20 + i);
	start(&h);
	pass(&h, TIME_SECOND);
	make_gang(&h, "lo", 1, 4, "");
	pass(&h, 2 * TIME_SECOND);
	merge(&h, RESOURCE_PODGROUPS, "lo", "", "{'spec':{'minMember':0}}");
	merge(&h, RESOURCE_PODS, "lo-0", "status", "{'status':{'phase':'Running'}}");
	h.spoiler.verb = verb;
	h.spoiler.resource = RESOURCE_PODS;
	h.spoiler.sub = sub;
	make_gang(&h, "hi", 1, 4, ",'priorityClassName':'high'");
	/* The first status is that of the pod for which capacity is freed. */
	h.spoiler.times = verb == CLIENT_PATCH ? 2 : 1;
	h.spoiler.code = failures[i].code;
	h.spoiler.reason = failures[i].reason;
	pass(&h, 10 * TIME_SECOND);
	ok(is_exact(&h), "%s when evicting: the model is exact", failures[i].about);
	if (strcmp(at(&h, RESOURCE_PODS, "lo-0", "metadata.name"), "lo-0") == 0) {
		/* Nothing is written for a pod that is said to be deleted. */
		ok(failures[i].code == 404 ||
			   strstr(at(&h, RESOURCE_PODS, "lo-0", "status.conditions"),
				  "evicted by preempt for job a/hi") != NULL,
		   "the victim says for whom it goes");
		remove_pod(&h, "lo-0");
	}
	pass(&h, 5 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "hi-0", "spec.nodeName"), "n1");
	ok(is_exact(&h), "and exact in the end");
	close_home(&h);
}

/* The scheduler that takes over knows for which job a pod was evicted, and evicts no other pod. */
static void test_successor(void)
{
	struct scheduler_stats stats;
	struct home h;

	open_home(&h, 30);
	start(&h);
	pass(&h, TIME_SECOND);
	make_gang(&h, "lo", 1, 4, "");
	pass(&h, 2 * TIME_SECOND);
	merge(&h, RESOURCE_PODGROUPS, "lo", "", "{'spec':{'minMember':0}}");
	merge(&h, RESOURCE_PODS, "lo-0", "status", "{'status':{'phase':'Running'}}");
	make_gang(&h, "hi", 1, 4, ",'priorityClassName':'high'");
	pass(&h, 100 * TIME_MILLISECOND);
	ok(strstr(at(&h, RESOURCE_PODS, "lo-0", "metadata"), "deletionTimestamp") != NULL,
	   "somebody goes for a gang of higher priority");
	is(at(&h, RESOURCE_PODS, "hi-0", "status.nominatedNodeName"), "n1");
	stop(&h);
	start(&h);
	pass(&h, 5 * TIME_SECOND);
	remove_pod(&h, "lo-0");
	pass(&h, 5 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "hi-0", "spec.nodeName"), "n1");
	scheduler_stats(h.scheduler, &stats);
	ok(stats.evictions == 0 && is_exact(&h), "a successor finishes that");
	close_home(&h);
}

static bool has_event(struct home *h, const char *reason, const char *word)
{
	struct got got = {0};
	struct json_iter it;
	bool found = false;

	(void)world_ask(&h->w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[RESOURCE_EVENTS],
					     .namespace = STR("a")});
	it = json_iter(got.doc ? json_get(json_doc_root(got.doc), "items") : JSON_NONE);
	while (json_next(&it))
		found |= str_is(json_str(json_get(it.value, "reason")), reason) &&
			 str_find(json_str(json_get(it.value, "message")), str_from(word), 0) >= 0;
	json_doc_unref(got.doc);
	return found;
}

/* What is measured, and what is reported as a warning. */
static void test_told(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	static const char *const wanted[] = {
		"volcano_task_scheduling_latency_milliseconds_count{stage=\"Watched\",} 3\n",
		"volcano_task_scheduling_latency_milliseconds_count{stage=\"Bound\",} 3\n",
		"volcano_scheduling_stage_duration_milliseconds_count{stage=\"Predicate\",} 3\n",
		"volcano_scheduling_stage_duration_milliseconds_count{stage=\"Scoring\",} 3\n",
		"volcano_namespace_share{namespace_name=\"a\"} 0.75\n",
		"volcano_namespace_weight{namespace_name=\"a\"} 1\n",
		"volcano_namespace_weighted_share{namespace_name=\"a\"} 0.75\n",
	};
	struct home h;

	open_home(&h, 31);
	start(&h);
	pass(&h, TIME_SECOND);
	make_gang(&h, "g", 3, 1, "");
	merge(&h, RESOURCE_PODGROUPS, "g", "",
	      "{'metadata':{'annotations':{'sla-waiting-time':'soon'}}}");
	pass(&h, 2 * TIME_SECOND);
	scheduler_print_metrics(h.scheduler, &text);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		ok(strstr(buf_text(&text), wanted[i]) != NULL, "metrics have %s", wanted[i]);
	ok(has_event(&h, "InvalidAnnotation", "sla-waiting-time"),
	   "an annotation that cannot be meant is reported in an event");
	close_home(&h);
}

static void test_failed_group(void)
{
	struct home h;

	open_home(&h, 40);
	start(&h);
	h.spoiler.verb = CLIENT_PATCH;
	h.spoiler.resource = RESOURCE_PODGROUPS;
	h.spoiler.sub = "";
	h.spoiler.times = 3;
	h.spoiler.code = 409;
	h.spoiler.reason = ERR_CONFLICT;
	pass(&h, TIME_SECOND);
	make_gang(&h, "g", 2, 1, "");
	pass(&h, 10 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "g-1", "spec.nodeName"), "n1");
	ok(strstr(at(&h, RESOURCE_PODGROUPS, "g", "status.conditions"), "Scheduled") != NULL,
	   "a status that could not be written is written again");
	ok(is_exact(&h), "the model is exact");
	close_home(&h);
}

/* --- a bad network ------------------------------------------------------------------------------- */

static void test_storm(uint64_t seed)
{
	struct home h;
	size_t bound = 0;

	open_home(&h, seed);
	make_node(&h, "n2", 4);
	h.faults = (struct faults){.refuse = 80,
				   .lose_ask = 80,
				   .lose_answer = 80,
				   .conflict = 80,
				   .end_watch = 50,
				   .expire = 20,
				   .delay_us = 50 * TIME_MILLISECOND};
	start(&h);
	pass(&h, 10 * TIME_SECOND); /* the first queues are made, and opened */
	for (int i = 0; i < 4; i++) {
		AUTO(mem_free) char *name = mem_printf("g%d", i);

		make_gang(&h, name, 2, 1, "");
		pass(&h, 300 * TIME_MILLISECOND);
	}
	pass(&h, 30 * TIME_SECOND);
	h.faults = (struct faults){0};
	pass(&h, 60 * TIME_SECOND);
	for (int i = 0; i < 8; i++) {
		AUTO(mem_free) char *name = mem_printf("g%d-%d", i / 2, i % 2);

		bound += at(&h, RESOURCE_PODS, name, "spec.nodeName")[0] == 'n' &&
			 strcmp(at(&h, RESOURCE_PODS, name, "spec.nodeName"), "null") != 0;
	}
	ok(bound == 8, "all gangs are bound after a storm (%zu of 8, seed %llu)", bound,
	   (unsigned long long)seed);
	ok(is_exact(&h), "and the model is exact");
	/* The next leader begins afresh, and finds nothing to do. */
	stop(&h);
	start(&h);
	pass(&h, 5 * TIME_SECOND);
	ok(is_exact(&h), "so is that of a successor");
	close_home(&h);
}

int main(void)
{
	for (int turns = 0; turns < 40; turns++)
		test_short_life(turns);
	test_writes();
	test_short_jobs();
	test_queue_writes();
	for (size_t i = 0; i < ARRAY_LEN(failures); i++) {
		test_failed_binding(i);
		test_failed_eviction(i, CLIENT_PATCH, "status");
		test_failed_eviction(i, CLIENT_DELETE, "");
	}
	test_successor();
	test_told();
	test_failed_group();
	for (uint64_t seed = 1; seed <= 5; seed++)
		test_storm(seed);
	return tap_done();
}
