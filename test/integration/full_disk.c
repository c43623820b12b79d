/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that is full for ten minutes under a server with its controllers, in virtual time: writes are refused
 * and then accepted without a restart; no job is given up because of it; what the server itself wanted to write
 * meanwhile is written when it can be; and a restart finds the same state. */
#include "apiserver/crd/install.h"
#include "apiserver/request/direct.h"
#include "apiserver/store/disk_memory.h"
#include "apiserver/test/world.h"
#include "base/time.h"
#include "client/client.h"
#include "controller/controller.h"

#define NS "/api/v1/namespaces"
#define QUEUES "/apis/scheduling.volcano.sh/v1beta1/queues"
#define JOBS "/apis/batch.volcano.sh/v1alpha1/namespaces/a/jobs"
#define NAMED(name) "{\"metadata\":{\"name\":\"" name "\"}}"
#define JOB(name)                                                   \
	"{\"metadata\":{\"name\":\"" name                           \
	"\"},\"spec\":{\"queue\":\"q\",\"tasks\":[{\"replicas\":1," \
	"\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}]}}"

static int post(struct world *w, const char *method, const char *path, const char *body)
{
	struct answer answer = ask(w, method, path, body);

	answer_done(&answer);
	return answer.code;
}

static bool field_is(struct world *w, const char *path, const char *at, const char *want)
{
	AUTO(answer_done) struct answer answer = ask(w, "GET", path, NULL);
	struct str got = json_str(json_pointer_get(json_doc_root(answer.doc), str_from(at)));

	if (str_is(got, want))
		return true;
	printf("# %s %s: %.*s\n", path, at, STR_ARG(got));
	return false;
}

static void pass(struct world *w, int64_t time)
{
	int64_t end = loop_uptime(w->loop) + time;

	while (loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, end - loop_uptime(w->loop));
}

static size_t groups(struct world *w)
{
	return store_count(w->store, STR("scheduling.volcano.sh/podgroups/a/"));
}

static void open_world(struct world *w, struct disk_memory *disk)
{
	struct err err;

	w->store = store_open(w->loop,
			      &(struct store_options){.disk = disk_memory_open(disk, &err)}, &err);
	w->api = api_new(&(struct api_options){.loop = w->loop, .store = w->store});
	api_start(w->api, &(struct api_place){.root_ca = "PEM", .token_key = "secret"});
}

static void test_full(struct world *w, struct disk_memory *disk)
{
	ok(post(w, "POST", NS, NAMED("gone")) == 201 &&
		   post(w, "POST", NS "/gone/configmaps", NAMED("c")) == 201,
	   "(a namespace)");
	ok(post(w, "POST", JOBS, JOB("before")) == 201, "a job is accepted");
	pass(w, TIME_MINUTE);
	ok(groups(w) == 1, "and has its group");
	/* the next job and the end of the namespace are committed, and nothing after them */
	disk_memory_set_faults(disk, &(struct disk_memory_faults){.fail = true, .fail_after = 2});
	ok(post(w, "POST", JOBS, JOB("during")) == 201 &&
		   post(w, "DELETE", NS "/gone", NULL) >= 200,
	   "then the disk is full");
	pass(w, 10 * TIME_MINUTE);
	ok(store_is_suspended(w->store) && groups(w) == 1 &&
		   post(w, "POST", JOBS, JOB("refused")) == 503,
	   "for ten minutes nothing is written");
	disk_memory_set_faults(disk, &(struct disk_memory_faults){0});
	pass(w, TIME_MINUTE);
	ok(!store_failure(w->store) && post(w, "POST", JOBS, JOB("after")) == 201,
	   "with space again, writes are accepted");
	pass(w, TIME_MINUTE);
	ok(groups(w) == 3, "each job has its group (%zu)", groups(w));
	ok(field_is(w, JOBS "/during", "/status/state/phase", "Pending") &&
		   field_is(w, JOBS "/before", "/status/state/phase", "Pending"),
	   "none was given up");
	ok(!store_get(w->store, STR("/namespaces//gone")) &&
		   store_count(w->store, STR("/configmaps/gone/")) == 0,
	   "and the namespace was deleted, with what was in it");
	store_check(w->store);
}

int main(void)
{
	struct err err;
	struct world w = {.loop = loop_new_virtual(1, INT64_C(1767323045000000), &err)};
	struct disk_memory *disk = disk_memory_new();
	struct client *client;
	struct controllers *controllers;
	size_t count;

	open_world(&w, disk);
	ok(install_definitions(w.api, &err) == 0, "Volcano's kinds are there");
	client = client_new(w.loop, direct_new(w.api, &(struct direct_user){.name = "c"}), NULL);
	controllers = controllers_new(w.loop, client, &(struct controllers_options){0}, &err);
	ok(post(&w, "POST", NS, NAMED("a")) == 201 &&
		   post(&w, "POST", QUEUES, "{\"metadata\":{\"name\":\"q\"},\"spec\":{}}") == 201 &&
		   post(&w, "PATCH merge", QUEUES "/q/status",
			"{\"status\":{\"state\":\"Open\"}}") == 200,
	   "(a queue)");
	test_full(&w, disk);
	controllers_free(controllers);
	client_free(client);
	api_free(w.api);
	store_flush(w.store);
	count = store_count(w.store, STR(""));
	store_close(w.store);
	open_world(&w, disk);
	ok(store_count(w.store, STR("")) == count, "a restart finds what was there");
	world_settle(&w);
	world_free(&w);
	disk_memory_free(disk);
	return tap_done();
}
