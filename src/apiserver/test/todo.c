/* SPDX-License-Identifier: Apache-2.0 */
/* Names of things to look at: each once, in order, soon or later. */
#include "apiserver/reconcile/todo.h"

#include "base/buf.h"
#include "base/time.h"
#include "loop/loop.h"
#include "tap.h"

struct seen {
	struct todo *todo;
	struct buf text;
	size_t count;
};

static void look(void *arg, struct str name)
{
	struct seen *seen = arg;

	buf_printf(&seen->text, "%.*s ", STR_ARG(name));
	seen->count++;
	if (str_is(name, "again"))
		todo_add(seen->todo, STR("once"));
}

int main(void)
{
	struct err err;
	AUTO(loop_free) struct loop *loop = loop_new_virtual(1, 0, &err);
	struct seen seen = {.text = BUF_UNBOUNDED};
	char name[24];

	seen.todo = todo_new(loop, look, &seen);
	todo_add(seen.todo, STR("a"));
	todo_add(seen.todo, STR("b"));
	todo_add(seen.todo, STR("a"));
	loop_drain(loop);
	is(buf_text(&seen.text), "a b ");
	buf_clear(&seen.text);

	todo_add_after(seen.todo, STR("late"), 3 * TIME_SECOND);
	todo_add_after(seen.todo, STR("early"), TIME_SECOND);
	todo_add_after(seen.todo, STR("late"), 2 * TIME_SECOND);
	todo_add_after(seen.todo, STR("early"), 9 * TIME_SECOND);
	loop_drain(loop);
	is(buf_text(&seen.text), "");
	loop_run(loop);
	is(buf_text(&seen.text), "early late ");
	ok(loop_uptime(loop) == 2 * TIME_SECOND, "the earlier time counts");
	buf_clear(&seen.text);

	todo_add_after(seen.todo, STR("now"), TIME_HOUR);
	todo_add(seen.todo, STR("now"));
	todo_add(seen.todo, STR("again"));
	loop_drain(loop);
	is(buf_text(&seen.text), "now again once ");
	ok(todo_len(seen.todo) == 0, "nothing is left");

	buf_clear(&seen.text);
	ok(todo_soonest(seen.todo) == INT64_MAX, "nothing is due");
	todo_hurry(seen.todo);
	todo_add_after(seen.todo, STR("second"), 2 * TIME_HOUR);
	todo_add_after(seen.todo, STR("first"), TIME_HOUR);
	ok(todo_soonest(seen.todo) == TIME_HOUR, "the first is due in an hour");
	todo_hurry(seen.todo);
	loop_drain(loop);
	is(buf_text(&seen.text), "first ");
	ok(todo_soonest(seen.todo) == 2 * TIME_HOUR, "the second when it was");
	todo_hurry(seen.todo);
	loop_drain(loop);

	seen.count = 0;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		todo_add(seen.todo, str_from(name));
	}
	(void)loop_turn(loop, 0);
	ok(seen.count > 0 && seen.count < 1000, "a turn does a bounded number");
	loop_drain(loop);
	ok(seen.count == 1000, "and the next turns the rest");
	todo_add(seen.todo, STR("left"));
	todo_add_after(seen.todo, STR("after"), TIME_HOUR);
	todo_free(seen.todo);
	buf_done(&seen.text);
	return tap_done();
}
