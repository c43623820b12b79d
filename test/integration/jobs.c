/* SPDX-License-Identifier: Apache-2.0 */
/* The job controller with the API server and simulated nodes in one process, in virtual time.
 *
 * A few lines stand in for the scheduler: podgroups are admitted, pods are bound. The last test lets
 * asks, answers and watches be lost by chance, and the controller die and start again, and looks at
 * the end only: every job as if nothing had happened. */
#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/time.h"
#include "client/faults.h"
#include "client/informer.h"
#include "controller/controller.h"
#include "node/simulated/simulated.h"

enum { SEEDS = 6 };

struct cluster {
	struct world w;
	struct faults faults;
	struct client *client; /* of the controllers, with faults */
	struct controllers *controllers;
	struct simulated *nodes;
	struct informer *groups;
	struct informer *pods;
	size_t binds;
	size_t binds_before_small; /* when the pod of the job "small" was seen */
	size_t job_writes;         /* versions of jobs that were seen */
	struct informer *jobs;
	int max_requeue; /* 0: never */
};

/* --- the scheduler's part -------------------------------------------------------------------- */

static void see_group(void *arg, const struct informer_object *object)
{
	struct cluster *c = arg;
	struct json status = json_get(json_doc_root(object->doc), "status");
	AUTO(json_doc_unref) struct json_doc *patch = NULL;

	if (json_str(json_get(status, "phase")).len > 0)
		return;
	patch = doc_of("{\"status\":{\"phase\":\"Inqueue\"}}");
	client_send(c->w.client, &(struct client_ask){.verb = CLIENT_PATCH,
						      .patch = CLIENT_PATCH_MERGE,
						      .resource = &resources[RESOURCE_PODGROUPS],
						      .namespace = object->namespace,
						      .name = object->name,
						      .body = patch});
}

static void see_pod(void *arg, const struct informer_object *object)
{
	struct cluster *c = arg;
	struct json spec = json_get(json_doc_root(object->doc), "spec");

	if (json_str(json_get(spec, "nodeName")).len > 0)
		return;
	if (str_starts(object->name, STR("small-")))
		c->binds_before_small = c->binds;
	c->binds++;
	client_bind(c->w.client,
		    &(struct client_bind){.namespace = object->namespace,
					  .name = object->name,
					  .node = STR("node-00000")},
		    NULL, NULL);
}

static void see_job(void *arg, const struct informer_object *object)
{
	struct cluster *c = arg;

	(void)object;
	c->job_writes++;
}

static struct informer *listen(struct cluster *c, enum resource_id resource,
			       void (*see)(void *arg, const struct informer_object *object))
{
	struct informer *informer = informer_new(
		c->w.client, &(struct informer_options){.resource = &resources[resource]});

	informer_listen(informer, &(struct informer_events){.added = see, .updated = see}, c);
	informer_start(informer);
	return informer;
}

/* --- the cluster ----------------------------------------------------------------------------- */

static void start_controllers(struct cluster *c)
{
	struct transport *direct =
		direct_new(c->w.api, &(struct direct_user){.name = "controllers"});
	struct err err;

	c->client = client_new(c->w.loop, faults_new(c->w.loop, direct, &c->faults), NULL);
	c->controllers = controllers_new(
		c->w.loop, c->client,
		&(struct controllers_options){.max_requeue = c->max_requeue ? c->max_requeue : -1},
		&err);
	if (!c->controllers) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
}

static void stop_controllers(struct cluster *c)
{
	controllers_free(TAKE(c->controllers));
	client_free(TAKE(c->client));
}

static void create(struct cluster *c, enum resource_id resource, struct json_doc *doc)
{
	struct got got = {0};

	client_create(c->w.client, &resources[resource], doc, got_it, &got);
	world_wait(&c->w, &got);
	if (got.reason)
		printf("# %s\n", got.text);
	json_doc_unref(got.doc);
	json_doc_unref(doc);
}

/* What the queue controller does. */
static void open_queue(struct cluster *c)
{
	AUTO(json_doc_unref)
	struct json_doc *patch = doc_of("{\"status\":{\"state\":\"Open\"}}");
	struct got got = {0};

	create(c, RESOURCE_QUEUES, doc_of("{\"metadata\":{\"name\":\"default\"},\"spec\":{}}"));
	(void)world_ask(&c->w, &got,
			&(struct client_ask){.verb = CLIENT_PATCH,
					     .patch = CLIENT_PATCH_MERGE,
					     .resource = &resources[RESOURCE_QUEUES],
					     .name = STR("default"),
					     .sub = STR("status"),
					     .body = patch});
	json_doc_unref(got.doc);
}

static void open_cluster(struct cluster *c, uint64_t seed)
{
	struct err err;

	*c = (struct cluster){0};
	world_open(&c->w, seed, 0);
	if (install_definitions(c->w.api, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	api_start(c->w.api, &(struct api_place){0});
	create(c, RESOURCE_NAMESPACES, doc_of("{\"metadata\":{\"name\":\"a\"}}"));
	open_queue(c);
	c->nodes = simulated_new(c->w.loop, c->w.client,
				 &(struct simulated_options){.nodes = 1, .pods = "9999"});
	c->groups = listen(c, RESOURCE_PODGROUPS, see_group);
	c->pods = listen(c, RESOURCE_PODS, see_pod);
	c->jobs = listen(c, RESOURCE_VCJOBS, see_job);
	start_controllers(c);
	world_pass(&c->w, 0);
}

static void close_cluster(struct cluster *c)
{
	stop_controllers(c);
	informer_free(c->jobs);
	informer_free(c->groups);
	informer_free(c->pods);
	simulated_free(c->nodes);
	world_close(&c->w);
}

/* A job of one task; `annotations` of its pods and `rest` of the spec as JSON members. */
static void submit(struct cluster *c, const char *name, int pods, const char *annotations,
		   const char *rest)
{
	create(c, RESOURCE_VCJOBS,
	       doc_of("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"a\"},\"spec\":{"
		      "\"minAvailable\":"
		      "%d,\"queue\":\"default\",\"schedulerName\":\"volcano\",%s\"tasks\":[{"
		      "\"name\":"
		      "\"t\",\"replicas\":%d,\"minAvailable\":%d,\"template\":{\"metadata\":{"
		      "\"annotations\":{%s}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":["
		      "{"
		      "\"name\":\"m\",\"image\":\"i\"}]}}}]}}",
		      name, pods, rest, pods, pods, annotations));
}

static void command(struct cluster *c, const char *job, const char *action)
{
	create(c, RESOURCE_COMMANDS,
	       doc_of("{\"metadata\":{\"generateName\":\"c-\",\"namespace\":\"a\"},\"action\":\"%"
		      "s\","
		      "\"target\":{\"apiVersion\":\"batch.volcano.sh/v1alpha1\",\"kind\":\"Job\","
		      "\"name\":\"%s\",\"uid\":\"\"}}",
		      action, job));
}

static const char *job_at(struct cluster *c, const char *name, const char *path)
{
	return world_at(&c->w, RESOURCE_VCJOBS, name, path);
}

static size_t count_of(struct cluster *c, enum resource_id resource)
{
	struct got got = {0};
	size_t count;

	(void)world_ask(&c->w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[resource],
					     .namespace = STR("a")});
	count = json_len(json_get(json_doc_root(got.doc), "items"));
	json_doc_unref(got.doc);
	return count;
}

/* An annotation of the only podgroup; "" where it has none. */
static const char *group_note(struct cluster *c, const char *key)
{
	static char text[64];
	struct got got = {0};
	struct json group;

	(void)world_ask(&c->w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[RESOURCE_PODGROUPS],
					     .namespace = STR("a")});
	group = json_at(json_get(json_doc_root(got.doc), "items"), 0);
	(void)snprintf(text, sizeof(text), "%.*s",
		       STR_ARG(json_str(json_get(
			       json_get(json_get(group, "metadata"), "annotations"), key))));
	json_doc_unref(got.doc);
	return text;
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_run(void)
{
	struct cluster c;
	AUTO(buf_done) struct buf metrics = BUF_UNBOUNDED;

	open_cluster(&c, 1);
	submit(&c, "j", 3, "\"run-seconds\":\"1\"", "");
	world_pass(&c.w, TIME_SECOND / 2);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	is(job_at(&c, "j", "status.running"), "3");
	world_pass(&c.w, 2 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Completed");
	ok(count_of(&c, RESOURCE_PODS) == 3, "the pods are still there");
	ok(count_of(&c, RESOURCE_PODGROUPS) == 0, "the podgroup was deleted");
	ok(c.job_writes <= 6, "the job was written %zu times", c.job_writes - 1);
	controllers_print_metrics(c.controllers, &metrics);
	ok(strstr(buf_text(&metrics), "volcano_job_completed_phase_count{job_name=\"a/"
				      "j\",queue_name=\"default\"} 1\n") &&
		   strstr(buf_text(&metrics), "creation_latency_milliseconds_count 3\n"),
	   "metrics count it");
	close_cluster(&c);
}

static void test_restart(void)
{
	struct cluster c;

	open_cluster(&c, 2);
	submit(&c, "j", 2, "\"run-seconds\":\"1\",\"run-exit-code\":\"3\"",
	       "\"maxRetry\":3,\"policies\":[{\"event\":\"PodFailed\",\"action\":\"RestartJob\"}]"
	       ",");
	world_pass(&c.w, 20 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Failed");
	is(job_at(&c, "j", "status.retryCount"), "3");
	ok(c.binds == 6, "three times two pods ran: %zu", c.binds);
	close_cluster(&c);
}

static void test_commands(void)
{
	struct cluster c;

	open_cluster(&c, 3);
	submit(&c, "j", 2, "", "\"plugins\":{\"svc\":[],\"env\":[]},");
	world_pass(&c.w, TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	ok(count_of(&c, RESOURCE_SERVICES) == 1 && count_of(&c, RESOURCE_NETWORKPOLICIES) == 1,
	   "the objects of plugins are there");
	command(&c, "j", "AbortJob");
	world_pass(&c.w, TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Aborted");
	ok(count_of(&c, RESOURCE_COMMANDS) == 0, "the command was deleted");
	ok(count_of(&c, RESOURCE_PODS) == 0, "so are the pods");
	ok(count_of(&c, RESOURCE_SERVICES) == 0, "so are the objects of plugins");
	command(&c, "j", "ResumeJob");
	world_pass(&c.w, TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	is(job_at(&c, "j", "status.retryCount"), "1");
	ok(count_of(&c, RESOURCE_PODS) == 2, "the pods are back");
	close_cluster(&c);
}

/* Commands whose job is not there, and those that someone has written by hand. */
static void test_stray_commands(void)
{
	struct cluster c;

	open_cluster(&c, 8);
	command(&c, "j", "AbortJob");
	submit(&c, "j", 1, "", "");
	world_pass(&c.w, 2 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Aborted");
	command(&c, "nobody", "AbortJob");
	world_pass(&c.w, 3 * TIME_SECOND);
	ok(count_of(&c, RESOURCE_COMMANDS) == 0, "a command for no job is deleted");
	create(&c, RESOURCE_COMMANDS,
	       doc_of("{\"metadata\":{\"name\":\"x\",\"namespace\":\"a\"},\"action\":\"ResumeJob\","
		      "\"target\":{\"apiVersion\":\"batch.volcano.sh/v1alpha1\",\"kind\":\"Job\","
		      "\"name\":\"j\",\"uid\":\"not-looked-up\"}}"));
	world_pass(&c.w, 2 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	stop_controllers(&c);
	command(&c, "gone", "AbortJob");
	start_controllers(&c);
	world_pass(&c.w, 3 * TIME_SECOND);
	ok(count_of(&c, RESOURCE_COMMANDS) == 0, "so is one that came while no controller ran");
	close_cluster(&c);
}

/* A job is deleted and another one of its name comes while the old pods are still there. */
static void test_again(void)
{
	struct cluster c;

	open_cluster(&c, 7);
	submit(&c, "j", 3, "", "\"plugins\":{\"svc\":[]},");
	world_pass(&c.w, TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	client_send(c.w.client, &(struct client_ask){.verb = CLIENT_DELETE,
						     .resource = &resources[RESOURCE_VCJOBS],
						     .namespace = STR("a"),
						     .name = STR("j"),
						     .propagation = CLIENT_BACKGROUND});
	submit(&c, "j", 2, "\"run-seconds\":\"1\"", "\"plugins\":{\"svc\":[]},");
	world_pass(&c.w, 30 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Completed");
	ok(count_of(&c, RESOURCE_PODS) == 2, "only its own pods are there");
	close_cluster(&c);
}

static void test_ssh(void)
{
	struct cluster c;

	open_cluster(&c, 4);
	submit(&c, "j", 2, "", "\"plugins\":{\"ssh\":[]},");
	world_pass(&c.w, 2 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	ok(count_of(&c, RESOURCE_SECRETS) == 1, "a key pair was made");
	close_cluster(&c);
}

/* Pods that are refused: the job waits for minutes whatever happens around it, then it is ended. */
static void test_refused(void)
{
	struct cluster c;

	open_cluster(&c, 6);
	stop_controllers(&c);
	c.max_requeue = 15;
	start_controllers(&c);
	create(&c, RESOURCE_QUOTAS,
	       doc_of("{\"metadata\":{\"name\":\"q\",\"namespace\":\"a\"},\"spec\":{\"hard\":{"
		      "\"pods\":"
		      "\"0\"}}}"));
	submit(&c, "j", 1, "", "");
	for (int i = 0; i < 60; i++) {
		AUTO(json_doc_unref)
		struct json_doc *patch = doc_of("{\"metadata\":{\"labels\":{\"n\":\"%d\"}}}", i);

		world_pass(&c.w, TIME_SECOND);
		client_send(c.w.client,
			    &(struct client_ask){.verb = CLIENT_PATCH,
						 .patch = CLIENT_PATCH_MERGE,
						 .resource = &resources[RESOURCE_VCJOBS],
						 .namespace = STR("a"),
						 .name = STR("j"),
						 .body = patch});
	}
	is(job_at(&c, "j", "status.state.phase"), "Pending");
	is(group_note(&c, "volcano.sh/pods-rejected"), "true");
	world_pass(&c.w, 600 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Terminated");
	close_cluster(&c);
}

/* The mark that nothing is reserved for rejected pods goes when they can be created. */
static void test_accepted_later(void)
{
	struct cluster c;

	open_cluster(&c, 9);
	create(&c, RESOURCE_QUOTAS,
	       doc_of("{\"metadata\":{\"name\":\"q\",\"namespace\":\"a\"},\"spec\":{\"hard\":{"
		      "\"pods\":\"0\"}}}"));
	submit(&c, "j", 1, "", "");
	world_pass(&c.w, TIME_SECOND);
	is(group_note(&c, "volcano.sh/pods-rejected"), "true");
	client_send(c.w.client, &(struct client_ask){.verb = CLIENT_DELETE,
						     .resource = &resources[RESOURCE_QUOTAS],
						     .namespace = STR("a"),
						     .name = STR("q")});
	world_pass(&c.w, 20 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	is(group_note(&c, "volcano.sh/pods-rejected"), "");
	close_cluster(&c);
}

static long steps(struct cluster *c)
{
	static const char key[] = "\nvolcano_controller_job_steps_total ";
	AUTO(buf_done) struct buf metrics = BUF_UNBOUNDED;
	const char *at;

	controllers_print_metrics(c->controllers, &metrics);
	at = strstr(buf_text(&metrics), key);
	return at ? strtol(at + sizeof(key) - 1, NULL, 10) : -1;
}

/* Its record and podgroup; its pod; that it runs; that it has ended; what is left of it. A look costs
 * about as much as a write, and a job of one pod should not cost more of them. */
static void test_looks(void)
{
	struct cluster c;

	open_cluster(&c, 1);
	submit(&c, "j", 1, "\"run-seconds\":\"1\"", "");
	world_pass(&c.w, TIME_SECOND / 2);
	is(job_at(&c, "j", "status.state.phase"), "Running");
	ok(steps(&c) <= 4, "it runs after %ld looks", steps(&c));
	world_pass(&c.w, 2 * TIME_SECOND);
	is(job_at(&c, "j", "status.state.phase"), "Completed");
	ok(steps(&c) <= 8, "it is over after %ld", steps(&c));
	close_cluster(&c);
}

/* What is allocated to a queue changes with every pod, and is no reason to look at its jobs. */
static void test_queue_status(void)
{
	struct cluster c;
	long before;

	open_cluster(&c, 8);
	for (int i = 0; i < 5; i++) {
		char name[16];

		snprintf(name, sizeof(name), "j-%d", i);
		submit(&c, name, 1, "", "");
	}
	world_pass(&c.w, TIME_SECOND);
	before = steps(&c);
	for (int i = 0; i < 10; i++) {
		AUTO(json_doc_unref)
		struct json_doc *patch = doc_of("{\"status\":{\"allocated\":{\"cpu\":\"%d\"}}}", i);
		struct got got = {0};

		ok(world_ask(&c.w, &got,
			     &(struct client_ask){.verb = CLIENT_PATCH,
						  .patch = CLIENT_PATCH_MERGE,
						  .resource = &resources[RESOURCE_QUEUES],
						  .name = STR("default"),
						  .sub = STR("status"),
						  .body = patch}) == 200,
		   "a queue's status changes");
		json_doc_unref(got.doc);
		world_pass(&c.w, TIME_SECOND);
	}
	ok(before > 0 && steps(&c) == before, "nobody looks at its jobs");
	close_cluster(&c);
}

/* The controller makes pods of the large job a few hundred at a time; the small one, which comes last,
 * waits for one such batch and not for the job. */
static void test_large(void)
{
	struct cluster c;

	open_cluster(&c, 5);
	submit(&c, "large", 3000, "\"run-seconds\":\"600\"", "");
	submit(&c, "small", 1, "\"run-seconds\":\"1\"", "");
	world_pass(&c.w, 5 * TIME_SECOND);
	is(job_at(&c, "small", "status.state.phase"), "Completed");
	ok(c.binds_before_small < 1100, "a large job does not delay a small one: %zu of its pods",
	   c.binds_before_small);
	world_pass(&c.w, 60 * TIME_SECOND);
	is(job_at(&c, "large", "status.running"), "3000");
	ok(c.job_writes < 60, "both were written %zu times", c.job_writes);
	close_cluster(&c);
}

static void test_faults(uint64_t seed)
{
	struct cluster c;
	char name[32];

	open_cluster(&c, seed);
	c.faults = (struct faults){.refuse = 10,
				   .lose_ask = 10,
				   .lose_answer = 10,
				   .conflict = 10,
				   .end_watch = 5,
				   .expire = 5,
				   .delay_us = (int64_t)(seed % 3) * 100 * TIME_MILLISECOND};
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "ok-%d", i);
		submit(&c, name, 3, "\"run-seconds\":\"1\"", "");
		snprintf(name, sizeof(name), "bad-%d", i);
		submit(&c, name, 2, "\"run-seconds\":\"1\",\"run-exit-code\":\"1\"",
		       "\"maxRetry\":2,\"policies\":[{\"event\":\"PodFailed\",\"action\":"
		       "\"RestartJob\"}],");
		snprintf(name, sizeof(name), "stop-%d", i);
		submit(&c, name, 2, "", "");
	}
	for (int i = 0; i < 40; i++) {
		world_pass(&c.w, (int64_t)loop_random_below(c.w.loop, 400) * TIME_MILLISECOND);
		stop_controllers(&c);
		start_controllers(&c);
		if (i == 20)
			for (int k = 0; k < 6; k++) {
				snprintf(name, sizeof(name), "stop-%d", k);
				command(&c, name, "AbortJob");
			}
	}
	c.faults = (struct faults){0};
	world_pass(&c.w, 120 * TIME_SECOND);
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "ok-%d", i);
		is(job_at(&c, name, "status.state.phase"), "Completed");
		snprintf(name, sizeof(name), "bad-%d", i);
		is(job_at(&c, name, "status.state.phase"), "Failed");
		is(job_at(&c, name, "status.retryCount"), "2");
		snprintf(name, sizeof(name), "stop-%d", i);
		is(job_at(&c, name, "status.state.phase"), "Aborted");
	}
	ok(count_of(&c, RESOURCE_PODGROUPS) == 0, "seed %d: no podgroup is left", (int)seed);
	close_cluster(&c);
}

int main(void)
{
	test_run();
	test_looks();
	test_restart();
	test_commands();
	test_stray_commands();
	test_again();
	test_ssh();
	test_refused();
	test_accepted_later();
	test_queue_status();
	test_large();
	for (uint64_t seed = 100; seed < 100 + SEEDS; seed++)
		test_faults(seed);
	return tap_done();
}
