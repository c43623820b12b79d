/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: once each, never at the same time, none forgotten, later each time they fail. */
#include "client/workqueue.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"
#include "loop/loop.h"
#include "tap.h"

struct world {
	struct loop *loop;
	struct workqueue *queue;
	char log[400];
	bool keep; /* do not end keys at once */
};

static void note(struct world *w, struct str key)
{
	size_t len = strlen(w->log);

	snprintf(w->log + len, sizeof(w->log) - len, "%.*s ", STR_ARG(key));
}

static void work(void *arg, struct str key)
{
	struct world *w = arg;

	note(w, key);
	if (!w->keep)
		workqueue_done(w->queue, key);
}

static void open_world(struct world *w, size_t workers)
{
	*w = (struct world){.loop = loop_new_virtual(1, 0, NULL)};
	w->queue = workqueue_new(w->loop, &(struct workqueue_options){
						  .work = work,
						  .arg = w,
						  .workers = workers,
					  });
}

static void close_world(struct world *w)
{
	workqueue_free(w->queue);
	loop_free(w->loop);
}

static void test_order(void)
{
	struct world w;
	struct workqueue_stats stats;

	open_world(&w, 2);
	workqueue_add(w.queue, STR("b"));
	workqueue_add(w.queue, STR("a"));
	workqueue_add(w.queue, STR("b"));
	workqueue_add_after(w.queue, STR("late"), TIME_SECOND);
	workqueue_add_after(w.queue, STR("sooner"), TIME_MILLISECOND);
	workqueue_add_after(w.queue, STR("late"), 2 * TIME_SECOND);
	workqueue_add_after(w.queue, STR("a"), TIME_SECOND);
	is(w.log, "");
	loop_drain(w.loop);
	is(w.log, "b a ");
	loop_run(w.loop);
	is(w.log, "b a sooner late ");
	ok(loop_uptime(w.loop) == TIME_SECOND, "of two delays the shorter counts");
	workqueue_stats(w.queue, &stats);
	ok(!stats.ready && !stats.delayed && !stats.active && stats.added == 7, "all is done");
	close_world(&w);
}

static void test_one_at_a_time(void)
{
	struct world w;

	open_world(&w, 2);
	w.keep = true;
	workqueue_add(w.queue, STR("a"));
	loop_drain(w.loop);
	workqueue_add(w.queue, STR("a"));
	workqueue_add(w.queue, STR("a"));
	workqueue_add_after(w.queue, STR("a"), TIME_SECOND);
	loop_run(w.loop);
	is(w.log, "a ");
	workqueue_done(w.queue, STR("a"));
	loop_drain(w.loop);
	is(w.log, "a a ");
	workqueue_done(w.queue, STR("a"));
	loop_run(w.loop);
	is(w.log, "a a ");
	workqueue_add(w.queue, STR("x"));
	workqueue_add(w.queue, STR("y"));
	workqueue_add(w.queue, STR("z"));
	loop_drain(w.loop);
	is(w.log, "a a x y ");
	workqueue_done_after(w.queue, STR("x"), 5 * TIME_SECOND);
	loop_run(w.loop);
	is(w.log, "a a x y z ");
	workqueue_done(w.queue, STR("y"));
	loop_drain(w.loop);
	is(w.log, "a a x y z x ");
	close_world(&w);
}

static void test_failures(void)
{
	struct world w;
	int64_t waits[20];
	bool doubles = true;

	open_world(&w, 1);
	w.keep = true;
	workqueue_add(w.queue, STR("a"));
	loop_drain(w.loop);
	for (int i = 0; i < 20; i++) {
		int64_t from = loop_uptime(w.loop);

		w.log[0] = '\0';
		workqueue_retry(w.queue, STR("a"));
		loop_run(w.loop);
		waits[i] = loop_uptime(w.loop) - from;
		doubles = doubles && !strcmp(w.log, "a ");
	}
	for (int i = 1; i < 17; i++)
		doubles = doubles && waits[i] == 2 * waits[i - 1];
	ok(doubles && waits[0] == 5 * TIME_MILLISECOND, "each failure doubles the pause");
	ok(waits[19] == 1000 * TIME_SECOND, "up to a bound");
	ok(workqueue_failures(w.queue, STR("a")) == 20, "failures are counted");
	workqueue_done(w.queue, STR("a"));
	ok(workqueue_failures(w.queue, STR("a")) == 0, "until it goes well");
	workqueue_add(w.queue, STR("a"));
	loop_drain(w.loop);
	workqueue_retry(w.queue, STR("a"));
	w.log[0] = '\0';
	workqueue_add(w.queue, STR("a"));
	loop_drain(w.loop);
	is(w.log, "a ");
	close_world(&w);
}

/* Random adds and ends: a key that was added after its work began is worked on again, and none is
 * worked on twice at once. */
struct model {
	struct loop *loop;
	struct workqueue *queue;
	bool active[10];
	bool wanted[10];
	bool broken;
	int worked;
};

static void model_work(void *arg, struct str key)
{
	struct model *model = arg;
	int i = key.ptr[0] - '0';

	model->broken = model->broken || model->active[i];
	model->active[i] = true;
	model->wanted[i] = false;
	model->worked++;
}

static void model_end(struct model *model, int i, struct str key)
{
	if (!model->active[i])
		return;
	model->active[i] = false;
	switch (loop_random_below(model->loop, 3)) {
	case 0:
		workqueue_done(model->queue, key);
		break;
	case 1:
		model->wanted[i] = true;
		workqueue_retry(model->queue, key);
		break;
	default:
		model->wanted[i] = true;
		workqueue_done_after(model->queue, key, 100);
	}
}

static void test_model(uint64_t seed)
{
	struct model model = {.loop = loop_new_virtual(seed, 0, NULL)};
	bool quiet = true;

	model.queue = workqueue_new(
		model.loop,
		&(struct workqueue_options){.work = model_work, .arg = &model, .workers = 3});
	for (int step = 0; step < 2000; step++) {
		int i = (int)loop_random_below(model.loop, 10);
		char name[2] = {(char)('0' + i), '\0'};

		if (loop_random_below(model.loop, 2)) {
			model.wanted[i] = true;
			workqueue_add_after(model.queue, str_from(name),
					    (int64_t)loop_random_below(model.loop, 3) * 1000);
		} else {
			model_end(&model, i, str_from(name));
		}
		(void)loop_turn(model.loop, (int64_t)loop_random_below(model.loop, 2000));
	}
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 10; i++) {
			char name[2] = {(char)('0' + i), '\0'};

			if (model.active[i])
				workqueue_done(model.queue, str_from(name));
			model.active[i] = false;
		}
		while (loop_turn(model.loop, TIME_HOUR))
			;
	}
	for (int i = 0; i < 10; i++)
		quiet = quiet && !model.wanted[i];
	ok(!model.broken && quiet && model.worked > 100, "seed %llu: none twice, none forgotten",
	   (unsigned long long)seed);
	workqueue_free(model.queue);
	loop_free(model.loop);
}

int main(void)
{
	test_order();
	test_one_at_a_time();
	test_failures();
	for (uint64_t seed = 1; seed <= 10; seed++)
		test_model(seed);
	return tap_done();
}
