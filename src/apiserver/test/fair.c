/* SPDX-License-Identifier: Apache-2.0 */
/* Whose job is next, and what a user may hold. */
#include "apiserver/request/fair.h"

#include "base/buf.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "tap.h"

struct job {
	struct fair_job job;
	struct fair_flow *flow;
	struct buf *seen;
	char letter;
	int again; /* how often it is queued from its own call */
	struct fair_job *cancels;
};

static void on_job(void *arg)
{
	struct job *job = arg;

	buf_putc(job->seen, job->letter);
	if (job->cancels)
		fair_cancel(job->cancels);
	if (job->again-- > 0)
		fair_run(job->flow, &job->job, on_job, job);
}

static void test_order(struct loop *loop)
{
	static const struct fair_limits none;
	AUTO(fair_free) struct fair *fair = fair_new(loop, &none);
	AUTO(buf_done) struct buf seen = BUF_UNBOUNDED;
	struct fair_flow *alice = fair_flow_new(fair, STR("alice"));
	struct fair_flow *more = fair_flow_new(fair, STR("alice"));
	struct fair_flow *bob = fair_flow_new(fair, STR("bob"));
	struct job first = {.flow = alice, .seen = &seen, .letter = 'a'};
	struct job greedy = {.flow = alice, .seen = &seen, .letter = 'g', .again = 9};
	struct job other = {.flow = more, .seen = &seen, .letter = 'm', .again = 2};
	struct job modest = {.flow = bob, .seen = &seen, .letter = 'b', .again = 2};
	struct job late = {.flow = bob, .seen = &seen, .letter = 'l'};
	struct fair_stats stats;

	fair_run(alice, &first.job, on_job, &first);
	is(buf_text(&seen), "");
	loop_drain(loop);
	is(buf_text(&seen), "a");
	buf_clear(&seen);
	fair_run(alice, &greedy.job, on_job, &greedy);
	fair_run(more, &other.job, on_job, &other);
	fair_run(bob, &modest.job, on_job, &modest);
	is(buf_text(&seen), "");
	fair_stats(fair, &stats);
	ok(stats.waiting == 3 && stats.users == 2, "what waits is counted");
	loop_drain(loop);
	/* bob has had no time yet; then both users in turns, and alice's connections in turns */
	is(buf_text(&seen), "bmbgbmgmgggggggg");
	buf_clear(&seen);

	greedy.again = 5;
	fair_run(alice, &greedy.job, on_job, &greedy);
	fair_run(bob, &late.job, on_job, &late);
	loop_drain(loop);
	ok(str_starts(buf_str(&seen), STR("lg")), "who has had less goes first: %s",
	   buf_text(&seen));
	buf_clear(&seen);

	fair_run(alice, &greedy.job, on_job, &greedy);
	greedy.again = 0;
	first.cancels = &late.job;
	fair_run(bob, &first.job, on_job, &first);
	fair_run(bob, &late.job, on_job, &late);
	fair_cancel(&greedy.job);
	fair_cancel(&greedy.job);
	loop_drain(loop);
	is(buf_text(&seen), "a");
	fair_stats(fair, &stats);
	ok(stats.waiting == 0, "nothing waits");
	fair_flow_unref(alice);
	fair_flow_unref(more);
	fair_flow_unref(bob);
	fair_stats(fair, &stats);
	ok(stats.users == 0, "a user without connections is forgotten");
}

/* Many connections of a user, each with one long job, and one that asks for little all the time. */
static void test_cost(struct loop *loop)
{
	static const struct fair_limits none;
	AUTO(fair_free) struct fair *fair = fair_new(loop, &none);
	AUTO(buf_done) struct buf seen = BUF_UNBOUNDED;
	struct fair_flow *flows[5];
	struct job jobs[5];

	for (int i = 0; i < 5; i++) {
		flows[i] = fair_flow_new(fair, STR("alice"));
		jobs[i] = (struct job){.flow = flows[i], .seen = &seen, .letter = (char)('A' + i)};
		jobs[i].job.cost = i < 4 ? 1000 : 0;
	}
	jobs[4].again = 3;
	fair_run(flows[4], &jobs[4].job, on_job, &jobs[4]);
	loop_drain(loop);
	buf_clear(&seen);
	jobs[4].again = 3;
	for (int i = 0; i < 5; i++)
		fair_run(flows[i], &jobs[i].job, on_job, &jobs[i]);
	loop_drain(loop);
	is(buf_text(&seen), "EEEEABCD");
	for (int i = 0; i < 5; i++)
		fair_flow_unref(flows[i]);
}

static void test_held(struct loop *loop)
{
	AUTO(fair_free)
	struct fair *fair = fair_new(
		loop, &(struct fair_limits){.user = {[FAIR_CALLS] = 2, [FAIR_BODY_BYTES] = 100}});
	struct fair_flow *alice = fair_flow_new(fair, STR("alice"));
	struct fair_flow *more = fair_flow_new(fair, STR("alice"));
	struct fair_flow *bob = fair_flow_new(fair, STR("bob"));
	struct fair_stats stats;

	ok(fair_take(alice, FAIR_CALLS, 1) && fair_take(alice, FAIR_CALLS, 1), "up to the limit");
	ok(!fair_take(alice, FAIR_CALLS, 1), "and no further");
	ok(fair_take(more, FAIR_CALLS, 1), "but another connection gets one call");
	ok(!fair_take(more, FAIR_CALLS, 1), "and no second one");
	ok(fair_take(bob, FAIR_CALLS, 1), "another user has a limit of their own");
	ok(fair_take(alice, FAIR_BODY_BYTES, 100) && !fair_take(more, FAIR_BODY_BYTES, 1),
	   "bytes are those of all connections of a user");
	ok(!fair_take(bob, FAIR_BODY_BYTES, SIZE_MAX), "more than there can be is refused");
	ok(fair_take(bob, FAIR_WATCHES, 1000), "what has no limit is counted only");
	fair_stats(fair, &stats);
	ok(stats.refused == 4, "refusals are counted");
	fair_give(alice, FAIR_CALLS, 2);
	fair_give(alice, FAIR_BODY_BYTES, 100);
	fair_give(more, FAIR_CALLS, 1);
	fair_give(bob, FAIR_CALLS, 1);
	fair_give(bob, FAIR_WATCHES, 1000);
	ok(fair_take(more, FAIR_BODY_BYTES, 1), "what was given back can be taken");
	fair_give(more, FAIR_BODY_BYTES, 1);
	ok(fair_flow_is_of(bob, STR("bob")) && !fair_flow_is_of(bob, STR("alice")),
	   "a flow knows whose it is");
	fair_flow_unref(fair_flow_ref(alice));
	fair_flow_unref(alice);
	fair_flow_unref(more);
	fair_flow_unref(bob);
}

int main(void)
{
	struct err err;
	AUTO(loop_free) struct loop *loop = loop_new_virtual(1, 0, &err);

	test_order(loop);
	test_cost(loop);
	test_held(loop);
	return tap_done();
}
