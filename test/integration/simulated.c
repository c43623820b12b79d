/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated nodes with the API server in one process: what becomes of nodes and pods. */
#include "node/simulated/simulated.h"

#include "apiserver/test/client_world.h"
#include "base/time.h"
#include "client/faults.h"

struct simulation {
	struct world w;
	struct client *client;
	struct faults faults;
	struct simulated *simulated;
};

static void start(struct simulation *s, size_t nodes)
{
	struct transport *direct = direct_new(s->w.api, &(struct direct_user){.name = "node"});

	s->client = client_new(s->w.loop, faults_new(s->w.loop, direct, &s->faults), NULL);
	s->simulated =
		simulated_new(s->w.loop, s->client, &(struct simulated_options){.nodes = nodes});
}

static void stop(struct simulation *s)
{
	simulated_free(s->simulated);
	client_free(s->client);
}

static void open_world(struct simulation *s, uint64_t seed, size_t nodes)
{
	AUTO(json_doc_unref) struct json_doc *namespace = doc_of("{\"metadata\":{\"name\":\"a\"}}");
	struct got got = {0};

	world_open(&s->w, seed, 0);
	s->faults = (struct faults){0};
	client_create(s->w.client, &resources[RESOURCE_NAMESPACES], namespace, got_it, &got);
	world_wait(&s->w, &got);
	json_doc_unref(got.doc);
	start(s, nodes);
	world_pass(&s->w, 0);
}

static void close_world(struct simulation *s)
{
	stop(s);
	world_close(&s->w);
}

/* A pod on a node (none: ""), with annotations as JSON members. */
static void make_pod(struct simulation *s, const char *name, const char *node,
		     const char *annotations)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = doc_of(
		"{\"metadata\":{\"name\":\"%s\",\"namespace\":\"a\",\"annotations\":{%s}},\"spec\":"
		"{\"nodeName\":\"%s\",\"initContainers\":[{\"name\":\"i\",\"image\":\"x\"}],"
		"\"containers\":[{\"name\":\"c\",\"image\":\"x\"},{\"name\":\"d\",\"image\":\"y\"}]"
		"}}",
		name, annotations, node);

	client_create(s->w.client, &resources[RESOURCE_PODS], doc, NULL, NULL);
}

static const char *pod_at(struct simulation *s, const char *name, const char *path)
{
	return world_at(&s->w, RESOURCE_PODS, name, path);
}

static void test_nodes(void)
{
	struct simulation s;
	struct got got = {0};
	struct simulated_stats stats;
	int64_t version;

	open_world(&s, 1, 300);
	ok(simulated_is_ready(s.simulated), "the nodes are there");
	(void)world_ask(&s.w, &got,
			&(struct client_ask){.verb = CLIENT_GET,
					     .resource = &resources[RESOURCE_NODES],
					     .name = STR("node-00299")});
	is(text_at(got.doc, "status.allocatable"),
	   "{\"cpu\":\"32\",\"memory\":\"256Gi\",\"ephemeral-storage\":\"1Ti\","
	   "\"pods\":\"110\"}");
	is(text_at(got.doc, "spec.taints"), "");
	json_doc_unref(got.doc);
	version = store_revision(s.w.store);
	stop(&s);
	start(&s, 300);
	world_pass(&s.w, 0);
	simulated_stats(s.simulated, &stats);
	ok(simulated_is_ready(s.simulated) && stats.nodes == 300, "after a restart as well");
	ok(store_revision(s.w.store) == version, "without a write");
	close_world(&s);
}

static void test_pods(void)
{
	struct simulation s;
	struct simulated_stats stats;

	open_world(&s, 2, 2);
	make_pod(&s, "plain", "node-00001", "");
	make_pod(&s, "unbound", "", "\"run-seconds\":\"1\"");
	make_pod(&s, "elsewhere", "node-00002", "\"run-seconds\":\"1\"");
	make_pod(&s, "good", "node-00000", "\"run-seconds\":\"2.5\"");
	make_pod(&s, "bad", "node-00000", "\"run-seconds\":\"1\",\"run-exit-code\":\"7\"");
	make_pod(&s, "odd", "node-00000", "\"run-seconds\":\"soon\"");
	world_pass(&s.w, 0);
	is(pod_at(&s, "plain", "status.phase"), "Running");
	is(pod_at(&s, "plain", "status.hostIP"), "172.16.0.2");
	is(pod_at(&s, "plain", "status.startTime"), "2026-01-01T00:00:00Z");
	is(pod_at(&s, "plain", "status.containerStatuses"),
	   "[{\"name\":\"c\",\"image\":\"x\",\"imageID\":\"\",\"ready\":true,\"restartCount\":0,"
	   "\"state\":{\"running\":{\"startedAt\":\"2026-01-01T00:00:00Z\"}},\"started\":true,"
	   "\"lastState\":{}},{\"name\":\"d\",\"image\":\"y\",\"imageID\":\"\",\"ready\":true,"
	   "\"restartCount\":0,\"state\":{\"running\":{\"startedAt\":\"2026-01-01T00:00:00Z\"}},"
	   "\"started\":true,\"lastState\":{}}]");
	is(pod_at(&s, "unbound", "status.phase"), "Pending");
	is(pod_at(&s, "elsewhere", "status.phase"), "Pending");
	world_pass(&s.w, TIME_SECOND);
	is(pod_at(&s, "bad", "status.phase"), "Failed");
	is(pod_at(&s, "good", "status.phase"), "Running");
	world_pass(&s.w, TIME_SECOND + TIME_SECOND / 2 - 1);
	is(pod_at(&s, "good", "status.phase"), "Running");
	world_pass(&s.w, 2);
	is(pod_at(&s, "good", "status.phase"), "Succeeded");
	world_pass(&s.w, TIME_HOUR);
	is(pod_at(&s, "plain", "status.phase"), "Running");
	is(pod_at(&s, "odd", "status.phase"), "Running");
	simulated_stats(s.simulated, &stats);
	ok(stats.starts == 4 && stats.ends == 2 && stats.pods == 4 && stats.failures == 0,
	   "one write per transition");
	client_delete(s.w.client, &resources[RESOURCE_PODS], STR("a"), STR("plain"), NULL, NULL);
	world_pass(&s.w, 0);
	is(pod_at(&s, "plain", "status.phase"), "NotFound");
	simulated_stats(s.simulated, &stats);
	ok(stats.removed == 1 && stats.pods == 3, "a bound pod that is deleted disappears at once");
	close_world(&s);
}

static void test_end(void)
{
	struct simulation s;

	open_world(&s, 3, 1);
	make_pod(&s, "bad", "node-00000", "\"run-seconds\":\"0\",\"run-exit-code\":\"3\"");
	world_pass(&s.w, 0);
	is(pod_at(&s, "bad", "status.phase"), "Failed");
	ok(strstr(pod_at(&s, "bad", "status.containerStatuses"), "\"exitCode\":3"),
	   "the containers report the code");
	ok(strstr(pod_at(&s, "bad", "status.conditions"), "\"reason\":\"PodFailed\""),
	   "the conditions why it is not ready");
	close_world(&s);
}

/* What was running goes on after a restart, by what stands in the status. */
static void test_restart(void)
{
	struct simulation s;

	open_world(&s, 4, 1);
	make_pod(&s, "p", "node-00000", "\"run-seconds\":\"10\"");
	make_pod(&s, "q", "node-00000", "\"run-seconds\":\"20\"");
	world_pass(&s.w, 3 * TIME_SECOND);
	stop(&s);
	client_delete(s.w.client, &resources[RESOURCE_PODS], STR("a"), STR("q"), NULL, NULL);
	make_pod(&s, "r", "node-00000", "");
	world_pass(&s.w, 4 * TIME_SECOND);
	is(pod_at(&s, "p", "status.phase"), "Running");
	start(&s, 1);
	world_pass(&s.w, 2 * TIME_SECOND);
	is(pod_at(&s, "p", "status.phase"), "Running");
	is(pod_at(&s, "q", "status.phase"), "NotFound");
	is(pod_at(&s, "r", "status.phase"), "Running");
	is(pod_at(&s, "r", "status.podIP"), "10.0.0.3");
	world_pass(&s.w, 2 * TIME_SECOND);
	is(pod_at(&s, "p", "status.phase"), "Succeeded");
	close_world(&s);
}

/* How long a pod runs has nothing to do with what the clock on the wall is set to meanwhile. */
static void test_clock(void)
{
	static const int64_t jumps[] = {-TIME_HOUR, TIME_DAY};
	struct simulation s;

	open_world(&s, 5, 1);
	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		const char *name = i ? "forth" : "back";

		make_pod(&s, name, "node-00000", "\"run-seconds\":\"10\"");
		world_pass(&s.w, 3 * TIME_SECOND);
		loop_set_wall_clock(s.w.loop, loop_now(s.w.loop) + jumps[i]);
		world_pass(&s.w, 6 * TIME_SECOND);
		is(pod_at(&s, name, "status.phase"), "Running");
		world_pass(&s.w, 2 * TIME_SECOND);
		is(pod_at(&s, name, "status.phase"), "Succeeded");
	}
	ok(simulated_is_ready(s.simulated), "the nodes are still there");
	close_world(&s);
}

/* Everything comes to its end, whatever is lost on the way. */
static void test_faults(uint64_t seed)
{
	enum { PODS = 60 };
	struct simulation s;
	struct got got = {0};
	struct json_iter it;
	int ended = 0;

	open_world(&s, seed, 3);
	s.faults = (struct faults){.refuse = 100,
				   .lose_ask = 100,
				   .lose_answer = 100,
				   .conflict = 100,
				   .end_watch = 50,
				   .expire = 200,
				   .delay_us = 50000};
	for (int i = 0; i < PODS; i++) {
		char name[16], node[16];

		snprintf(name, sizeof(name), "p%d", i);
		snprintf(node, sizeof(node), "node-0000%d", i % 3);
		make_pod(&s, name, node, "\"run-seconds\":\"1\"");
		if (i % 10 == 0)
			client_delete(s.w.client, &resources[RESOURCE_PODS], STR("a"),
				      str_from(name), NULL, NULL);
		if (i == PODS / 2) {
			stop(&s);
			start(&s, 3);
		}
		world_pass(&s.w, 50 * TIME_MILLISECOND);
	}
	world_pass(&s.w, 10 * TIME_MINUTE);
	(void)world_ask(
		&s.w, &got,
		&(struct client_ask){.verb = CLIENT_LIST, .resource = &resources[RESOURCE_PODS]});
	it = json_iter(json_get(json_doc_root(got.doc), "items"));
	while (json_next(&it))
		ended += str_is(json_str(json_get(json_get(it.value, "status"), "phase")),
				"Succeeded");
	ok(ended == PODS - PODS / 10 &&
		   json_len(json_get(json_doc_root(got.doc), "items")) == (size_t)ended,
	   "seed %llu: %d ended, the others were deleted", (unsigned long long)seed, ended);
	json_doc_unref(got.doc);
	close_world(&s);
}

int main(void)
{
	test_nodes();
	test_pods();
	test_end();
	test_restart();
	test_clock();
	for (uint64_t seed = 10; seed < 16; seed++)
		test_faults(seed);
	return tap_done();
}
