/* SPDX-License-Identifier: Apache-2.0 */
/* Work off the thread, on a real loop: while every other lane is stuck, the API server commits and the job
 * controller goes on with jobs that need nothing from them; a hundred jobs that wait for their key pairs
 * delay no other job. A worker is stuck at a pipe until the test opens it; nothing sleeps. */
#include <poll.h>
#include <unistd.h>

#include "apiserver/crd/install.h"
#include "apiserver/request/direct.h"
#include "apiserver/test/world.h"
#include "client/client.h"
#include "controller/controller.h"

enum { SSH_JOBS = 120 };

#define NS "/api/v1/namespaces"
#define QUEUES "/apis/scheduling.volcano.sh/v1beta1/queues"
#define JOBS "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs"
#define JOB                                                                                        \
	"{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"queue\":\"q\",\"plugins\":{%s},\"tasks\":[{"  \
	"\"replicas\":1,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]" \
	"}}}]}}"

static int gate[2];
static int ended;

static void wait_at_gate(void *arg)
{
	struct pollfd fd = {.fd = gate[0], .events = POLLIN};

	(void)arg;
	while (poll(&fd, 1, -1) < 0)
		continue;
}

static void on_ended(void *arg)
{
	(void)arg;
	ended++;
}

/* All workers of all lanes but that of commits. */
static void block_lanes(struct loop *loop)
{
	int failed = 0;

	for (int lane = 0; lane < LOOP_LANE_COUNT; lane++) {
		struct loop_lane_stats stats;

		loop_lane_stats(loop, (enum loop_lane)lane, &stats);
		for (size_t i = 0; lane != LOOP_LANE_COMMIT && i < stats.workers; i++)
			failed += loop_work(loop, (enum loop_lane)lane, wait_at_gate, on_ended,
					    NULL, NULL);
	}
	ok(failed == 0, "all lanes but that of commits are stuck");
}

static int post(struct world *w, const char *method, const char *path, const char *body)
{
	struct answer answer = ask(w, method, path, body);

	answer_done(&answer);
	return answer.code;
}

static bool has(struct world *w, const char *key)
{
	return store_get(w->store, str_from(key)) != NULL;
}

static size_t queued(struct loop *loop, enum loop_lane lane)
{
	struct loop_lane_stats stats;

	loop_lane_stats(loop, lane, &stats);
	return stats.queued;
}

static void test_jobs(struct world *w)
{
	char name[32], body[512];
	int made = 0;

	for (int i = 0; i < SSH_JOBS; i++) {
		snprintf(name, sizeof(name), "ssh%d", i);
		snprintf(body, sizeof(body), JOB, name, "\"ssh\":[]");
		made += post(w, "POST", JOBS, body) == 201;
	}
	ok(made == SSH_JOBS, "%d jobs that want key pairs are accepted", made);
	while (queued(w->loop, LOOP_LANE_KEYS) < SSH_JOBS)
		loop_turn(w->loop, -1);
	ok(ended == 0, "and ask for them, each once: %zu wait", queued(w->loop, LOOP_LANE_KEYS));
	snprintf(body, sizeof(body), JOB, "plain", "");
	ok(post(w, "POST", JOBS, body) == 201, "a job that wants none");
	while (store_count(w->store, STR("scheduling.volcano.sh/podgroups/a/plain-")) == 0)
		loop_turn(w->loop, -1);
	ok(ended == 0 && !has(w, "/secrets/a/ssh0-ssh"),
	   "gets its group while the others wait for their pairs");
}

int main(void)
{
	struct err err;
	struct world w = {.loop = loop_new(&err)};
	struct client *client;
	struct controllers *controllers;

	if (!w.loop || pipe(gate) < 0)
		return 1;
	w.store = store_open(w.loop, &(struct store_options){.folder = NULL}, &err);
	w.api = api_new(&(struct api_options){.loop = w.loop, .store = w.store});
	api_start(w.api, &(struct api_place){.root_ca = "PEM", .token_key = "secret"});
	ok(install_definitions(w.api, &err) == 0, "Volcano's kinds are there");
	block_lanes(w.loop);
	ok(post(&w, "POST", NS, "{\"metadata\":{\"name\":\"a\"}}") == 201 &&
		   post(&w, "POST", NS "/a/configmaps", "{\"metadata\":{\"name\":\"c\"}}") == 201 &&
		   ended == 0,
	   "a ConfigMap is committed while they are");
	ok(post(&w, "POST", QUEUES, "{\"metadata\":{\"name\":\"q\"},\"spec\":{}}") == 201 &&
		   post(&w, "PATCH merge", QUEUES "/q/status",
			"{\"status\":{\"state\":\"Open\"}}") == 200,
	   "(a queue)");
	client = client_new(w.loop, direct_new(w.api, &(struct direct_user){.name = "controllers"}),
			    NULL);
	controllers = controllers_new(w.loop, client, &(struct controllers_options){0}, &err);
	test_jobs(&w);
	ok(write(gate[1], "x", 1) == 1, "(the gate opens)");
	while (!has(&w, "/secrets/a/ssh0-ssh"))
		loop_turn(w.loop, -1);
	ok(ended > 0, "then the key pairs are made");
	controllers_free(controllers);
	client_free(client);
	world_free(&w);
	return tap_done();
}
