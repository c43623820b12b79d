/* SPDX-License-Identifier: Apache-2.0 */
/* Leader election against the server in the same process: never two, always one in the end. */
#include "client/leader.h"

#include "base/time.h"
#include "client/faults.h"
#include "client_world.h"

enum { CANDIDATES = 3 };

struct candidate {
	struct faults faults;
	struct client *client;
	struct leader *leader;
	int starts;
	int stops;
	int released;
	char other[32];
};

static void on_started(void *arg)
{
	((struct candidate *)arg)->starts++;
}

static void on_stopped(void *arg)
{
	((struct candidate *)arg)->stops++;
}

static void on_changed(void *arg, struct str identity)
{
	struct candidate *candidate = arg;

	snprintf(candidate->other, sizeof(candidate->other), "%.*s", STR_ARG(identity));
}

static void on_released(void *arg)
{
	((struct candidate *)arg)->released++;
}

static void join(struct world *w, struct candidate *candidate, const char *identity)
{
	struct transport *direct = direct_new(w->api, &(struct direct_user){.name = identity});

	*candidate = (struct candidate){0};
	candidate->client =
		client_new(w->loop, faults_new(w->loop, direct, &candidate->faults), NULL);
	candidate->leader = leader_new(candidate->client, &(struct leader_options){
								  .namespace = STR("a"),
								  .name = STR("boss"),
								  .identity = str_from(identity),
								  .started = on_started,
								  .stopped = on_stopped,
								  .changed = on_changed,
								  .arg = candidate,
							  });
}

static void leave(struct candidate *candidate)
{
	leader_free(candidate->leader);
	client_free(candidate->client);
}

static void make_namespace(struct world *w)
{
	AUTO(json_doc_unref) struct json_doc *doc = doc_of("{\"metadata\":{\"name\":\"a\"}}");
	struct got got = {0};

	client_create(w->client, &resources[RESOURCE_NAMESPACES], doc, got_it, &got);
	world_wait(w, &got);
	json_doc_unref(got.doc);
}

/* Gives how long it took until `*count` was reached, or -1. */
static int64_t until(struct world *w, const int *count, int want)
{
	int64_t from = loop_uptime(w->loop);

	loop_drain(w->loop);
	while (*count < want && loop_uptime(w->loop) - from < TIME_HOUR)
		(void)loop_turn(w->loop, TIME_SECOND);
	return *count < want ? -1 : loop_uptime(w->loop) - from;
}

static void test_handing_over(void)
{
	struct world w;
	struct candidate a, b;
	struct got got = {0};
	int64_t took;

	world_open(&w, 1, 0);
	make_namespace(&w);
	join(&w, &a, "a");
	ok(until(&w, &a.starts, 1) == 0, "who is alone leads at once");
	join(&w, &b, "b");
	(void)until(&w, &b.starts, 1);
	ok(leader_leads(a.leader) && !leader_leads(b.leader) && !b.starts,
	   "the second waits as long as the first renews");
	is(b.other, "a");
	loop_set_wall_clock(w.loop, loop_now(w.loop) + 5 * TIME_HOUR);
	(void)until(&w, &b.starts, 1);
	ok(!b.starts, "a clock that jumps changes nothing");
	leader_release(a.leader, on_released, &a);
	ok(a.stops == 1, "who gives it up has stopped before");
	took = until(&w, &b.starts, 1);
	ok(a.released == 1 && took >= 0 && took < 4 * TIME_SECOND,
	   "the next one need not wait for the lease to run out");
	(void)world_ask(&w, &got,
			&(struct client_ask){.verb = CLIENT_GET,
					     .resource = &resources[RESOURCE_LEASES],
					     .namespace = STR("a"),
					     .name = STR("boss")});
	is(text_at(got.doc, "spec.holderIdentity"), "b");
	is(text_at(got.doc, "spec.leaseTransitions"), "1");
	is(text_at(got.doc, "spec.leaseDurationSeconds"), "15");
	leave(&a);
	join(&w, &a, "a");
	leave(&b);
	took = until(&w, &a.starts, 1);
	ok(took > 10 * TIME_SECOND && took < 20 * TIME_SECOND,
	   "of one that just vanished, the lease runs out first");
	a.faults.cut = true;
	took = until(&w, &a.stops, 1);
	ok(took > 7 * TIME_SECOND && took <= 10 * TIME_SECOND,
	   "a leader that cannot renew stops before another one can start");
	a.faults.cut = false;
	ok(until(&w, &a.starts, 2) >= 0, "and leads again when it can");
	json_doc_unref(got.doc);
	leave(&a);
	world_close(&w);
}

/* A client sets a label on a lease that is being renewed. */
static void test_meddling(void)
{
	const struct client_ask get = {.verb = CLIENT_GET,
				       .resource = &resources[RESOURCE_LEASES],
				       .namespace = STR("a"),
				       .name = STR("boss")};
	AUTO(json_doc_unref) struct json_doc *labelled = NULL;
	struct client_ask put = get;
	struct candidate a;
	struct got got = {0};
	struct world w;
	char before[64];
	int64_t from;

	world_open(&w, 1, 0);
	make_namespace(&w);
	join(&w, &a, "a");
	(void)until(&w, &a.starts, 1);
	(void)world_ask(&w, &got, &get);
	labelled = json_doc_thaw(json_doc_root(got.doc));
	json_set_str(
		labelled,
		json_ensure_obj(labelled, json_get(json_doc_root(labelled), "metadata"), "labels"),
		"by", STR("hand"));
	put.verb = CLIENT_UPDATE;
	put.body = labelled;
	(void)world_ask(&w, &got, &put);
	snprintf(before, sizeof(before), "%s", text_at(got.doc, "spec.renewTime"));
	from = loop_uptime(w.loop);
	while (loop_uptime(w.loop) - from < 3 * TIME_SECOND)
		(void)loop_turn(w.loop, TIME_SECOND / 10);
	(void)world_ask(&w, &got, &get);
	is(text_at(got.doc, "metadata.labels.by"), "hand");
	ok(strcmp(text_at(got.doc, "spec.renewTime"), before) > 0 && a.starts == 1 && !a.stops,
	   "a leader whose write meets another version reads it, and renews in the same period");
	json_doc_unref(got.doc);
	leave(&a);
	world_close(&w);
}

static void test_storm(uint64_t seed)
{
	static const char *const names[] = {"a", "b", "c"};
	struct world w;
	struct candidate candidates[CANDIDATES];
	bool two = false;
	int led = 0;
	int starts = 0;
	enum { STEPS = 4000 };

	world_open(&w, seed, 0);
	make_namespace(&w);
	for (int i = 0; i < CANDIDATES; i++) {
		join(&w, &candidates[i], names[i]);
		candidates[i].faults = (struct faults){.refuse = 50,
						       .lose_ask = 100,
						       .lose_answer = 100,
						       .delay_us = 3 * TIME_SECOND};
	}
	for (int step = 0; step < STEPS; step++) {
		int leaders = 0;
		struct candidate *any = &candidates[loop_random_below(w.loop, CANDIDATES)];

		if (loop_random_below(w.loop, 100) == 0)
			any->faults.cut = !any->faults.cut;
		(void)loop_turn(w.loop, TIME_SECOND);
		for (int i = 0; i < CANDIDATES; i++)
			leaders += leader_leads(candidates[i].leader);
		two = two || leaders > 1;
		led += leaders;
	}
	for (int i = 0; i < CANDIDATES; i++) {
		starts += candidates[i].starts;
		leave(&candidates[i]);
	}
	ok(!two && led > STEPS / 4 && starts > 1, "seed %llu: never two (%d turns led, %d leaders)",
	   (unsigned long long)seed, led, starts);
	world_close(&w);
}

int main(void)
{
	test_handing_over();
	test_meddling();
	for (uint64_t seed = 1; seed <= 8; seed++)
		test_storm(seed);
	return tap_done();
}
