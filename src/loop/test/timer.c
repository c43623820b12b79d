/* SPDX-License-Identifier: Apache-2.0 */
/* Timers: order, setting and stopping from callbacks, and a comparison with a naive model over
 * random steps. */
#include <time.h>

#include "base/macro.h"
#include "loop/test/twins.h"
#include "random.h"

struct note {
	char text[64];
	struct loop *loop;
};

struct mark {
	struct note *note;
	struct loop_timer *timer;
	struct loop_timer *victim;
	int again; /* set itself so many times more */
	char letter;
};

static void on_mark(struct loop_timer *timer, void *arg)
{
	struct mark *mark = arg;
	size_t len = strlen(mark->note->text);

	if (len + 1 < sizeof(mark->note->text)) {
		mark->note->text[len] = mark->letter;
		mark->note->text[len + 1] = '\0';
	}
	if (mark->again-- > 0)
		loop_timer_set(timer, 0);
	if (mark->victim)
		loop_timer_free(TAKE(mark->victim));
}

/* Set within a turn, so that all count from the same time. */
static void set_all(void *arg)
{
	struct mark *marks = arg;

	loop_timer_set(marks[0].timer, 3000);
	loop_timer_set(marks[1].timer, 1000);
	loop_timer_set(marks[2].timer, 2000);
	loop_timer_set(marks[3].timer, 500);
	loop_timer_set(marks[4].timer, 1500);
	ok(loop_timer_is_set(marks[0].timer), "now it is");
	loop_timer_stop(marks[3].timer);
	loop_timer_stop(marks[3].timer);
	loop_timer_set(marks[4].timer, 4000);
}

static void test_order(struct loop *loop)
{
	struct note note = {.loop = loop};
	struct loop_defer defer = {0};
	struct mark marks[5];

	for (int i = 0; i < 5; i++) {
		marks[i] = (struct mark){.note = &note, .letter = (char)('a' + i)};
		marks[i].timer = loop_timer_new(loop, on_mark, &marks[i]);
	}
	ok(!loop_timer_is_set(marks[0].timer), "a new timer is not set");
	loop_defer(loop, &defer, set_all, marks);
	while (strlen(note.text) < 4)
		loop_turn(loop, -1);
	is(note.text, "bcae");
	ok(!loop_timer_is_set(marks[0].timer), "called once a setting");
	ok(!loop_turn(loop, 0), "nothing is left to do");
	for (int i = 0; i < 5; i++)
		loop_timer_free(marks[i].timer);
	loop_timer_free(NULL);
	ok(true, "freeing nothing is fine");
}

static void test_same_time(struct loop *loop)
{
	struct note note = {.loop = loop};
	struct mark marks[20];

	/* One turn, one time: all are due at once. */
	for (int i = 0; i < 20; i++) {
		marks[i] = (struct mark){.note = &note, .letter = (char)('a' + i)};
		marks[i].timer = loop_timer_new(loop, on_mark, &marks[i]);
		loop_timer_set(marks[i].timer, i % 2 ? -5 : 0);
	}
	loop_drain(loop);
	is(note.text, "abcdefghijklmnopqrst");
	for (int i = 0; i < 20; i++)
		loop_timer_free(marks[i].timer);
}

static void test_in_callbacks(struct loop *loop)
{
	struct note note = {.loop = loop};
	struct mark a = {.note = &note, .letter = 'a'};
	struct mark b = {.note = &note, .letter = 'b', .again = 2};
	struct mark c = {.note = &note, .letter = 'c'};

	a.timer = loop_timer_new(loop, on_mark, &a);
	b.timer = loop_timer_new(loop, on_mark, &b);
	c.timer = loop_timer_new(loop, on_mark, &c);
	a.victim = c.timer;
	loop_timer_set(a.timer, 0);
	loop_timer_set(b.timer, 0);
	loop_timer_set(c.timer, 0);
	ok(loop_turn(loop, -1), "a turn runs what is due");
	is(note.text, "ab");
	ok(loop_timer_is_set(b.timer),
	   "a timer set to 0 from its callback waits for the next turn");
	loop_drain(loop);
	is(note.text, "abbb");
	a.victim = a.timer;
	loop_timer_set(a.timer, 0);
	loop_drain(loop);
	is(note.text, "abbba");
	loop_timer_free(b.timer);
}

static void test_never(struct loop *loop)
{
	struct note note = {.loop = loop};
	struct mark a = {.note = &note, .letter = 'a'};

	a.timer = loop_timer_new(loop, on_mark, &a);
	loop_turn(loop, 10);
	loop_timer_set(a.timer, INT64_MAX);
	ok(loop_timer_is_set(a.timer) && !loop_turn(loop, 0), "a time past all times never comes");
	loop_timer_free(a.timer);
}

static int64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void test_not_early(struct loop *loop)
{
	struct note note = {.loop = loop};
	struct mark a = {.note = &note, .letter = 'a'};
	int64_t begin = monotonic();
	bool late = true;

	a.timer = loop_timer_new(loop, on_mark, &a);
	for (int i = 0; i < 10; i++) {
		int64_t set = monotonic();

		loop_timer_set(a.timer, 700);
		while (loop_timer_is_set(a.timer))
			loop_turn(loop, -1);
		late = late && monotonic() - set >= 699; /* each clock reading cuts off a part */
	}
	ok(late, "no timer is early (10 of 700 us in %ld us)", (long)(monotonic() - begin));
	loop_timer_free(a.timer);
}

/* The model: an array, searched from end to end. */
enum { MODEL_TIMERS = 24, MODEL_STEPS = 40000 };

struct model {
	struct loop *loop;
	uint64_t dice;
	uint64_t settings;
	uint64_t phase_end; /* settings from here on belong to a later turn */
	bool good;
	size_t fired;
	struct model_timer {
		struct model *model;
		struct loop_timer *timer;
		bool set;
		int64_t due;
		uint64_t number;
	} timers[MODEL_TIMERS];
};

static uint64_t roll(struct model *model, uint64_t below)
{
	return random_below(&model->dice, below);
}

static struct model_timer *model_next(struct model *model)
{
	struct model_timer *next = NULL;

	for (int i = 0; i < MODEL_TIMERS; i++) {
		struct model_timer *t = &model->timers[i];

		if (t->set && (!next || t->due < next->due ||
			       (t->due == next->due && t->number < next->number)))
			next = t;
	}
	return next;
}

static void model_change(struct model *model)
{
	struct model_timer *t = &model->timers[roll(model, MODEL_TIMERS)];

	if (roll(model, 4) == 0) {
		loop_timer_stop(t->timer);
		t->set = false;
	} else {
		int64_t after = (int64_t)roll(model, 12) - 2;

		loop_timer_set(t->timer, after);
		t->set = true;
		t->due = loop_uptime(model->loop) + (after > 0 ? after : 0);
		t->number = model->settings++;
	}
	model->good = model->good && loop_timer_is_set(t->timer) == t->set;
}

static void on_model(struct loop_timer *timer, void *arg)
{
	struct model_timer *t = arg;
	struct model *model = t->model;

	model->good = model->good && timer == t->timer && t == model_next(model) &&
		      t->due <= loop_uptime(model->loop) && t->number < model->phase_end;
	t->set = false;
	model->fired++;
	for (uint64_t i = roll(model, 3); i > 0; i--)
		model_change(model);
}

static void model_turn(struct model *model)
{
	int64_t wait = (int64_t)roll(model, 8) - 1;
	int64_t end = loop_uptime(model->loop) + wait;
	struct model_timer *next = model_next(model);
	size_t fired = model->fired;

	if (next && (wait < 0 || next->due < end))
		end = next->due;
	else if (wait < 0)
		end = loop_uptime(model->loop);
	if (end < loop_uptime(model->loop))
		end = loop_uptime(model->loop);
	model->phase_end = model->settings;
	bool ran = loop_turn(model->loop, wait);

	next = model_next(model);
	model->good = model->good && ran == (model->fired > fired) &&
		      loop_uptime(model->loop) == end &&
		      (!next || next->due > end || next->number >= model->phase_end);
}

static void test_model(struct loop *loop)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct model model = {.loop = loop, .dice = seed, .good = true};

		for (int i = 0; i < MODEL_TIMERS; i++) {
			model.timers[i].model = &model;
			model.timers[i].timer = loop_timer_new(loop, on_model, &model.timers[i]);
		}
		for (int step = 0; step < MODEL_STEPS && model.good; step++)
			if (roll(&model, 3) == 0)
				model_turn(&model);
			else
				model_change(&model);
		ok(model.good, "seed %d: timers do as the model does (%zu calls)", (int)seed,
		   model.fired);
		for (int i = 0; i < MODEL_TIMERS; i++)
			loop_timer_free(model.timers[i].timer);
	}
}

static void leak_timer(struct loop *loop)
{
	(void)loop_timer_new(loop, on_mark, NULL);
	loop_free(loop);
}

int main(void)
{
	on_both(test_order);
	on_both(test_same_time);
	on_both(test_in_callbacks);
	on_both(test_never);
	on_real(test_not_early);
	on_virtual(test_model);
	ok(aborts(leak_timer, true), "a timer that is still there is found");
	return tap_done();
}
