/* SPDX-License-Identifier: Apache-2.0 */
/* Records of containers: what was printed parses to the same, and nothing else parses. */
#include "pod/record.h"

#include "tap.h"

static bool same_run(const struct record_run *a, const struct record_run *b)
{
	return a->started == b->started && a->ended == b->ended && a->exit_code == b->exit_code &&
	       a->signal == b->signal && a->start_failed == b->start_failed &&
	       a->deadline == b->deadline;
}

static bool same(const struct record *a, const struct record *b)
{
	return a->state == b->state && a->run == b->run && a->pid == b->pid &&
	       same_run(&a->now, &b->now) && same_run(&a->last, &b->last) &&
	       strcmp(a->message, b->message) == 0;
}

int main(void)
{
	static const char *const others[] = {"",
					     "new",
					     "gone 0 pid 0 now 0 0 0 0 0 0 last 0 0 0 0 0 0 : ",
					     "new 0 pid -1 now 0 0 0 0 0 0 last 0 0 0 0 0 0 : ",
					     "new 0 pid 1 now 0 0 256 0 0 0 last 0 0 0 0 0 0 : ",
					     "new 0 pid 1 now 0 0 0 0 2 0 last 0 0 0 0 0 0 : ",
					     "new 0 pid 1 now 0 0 0 0 0 0 last 0 0 0 0 0",
					     "new 0 pid 1 now 0 0 0 0 0 0 last 0 0 0 0 0 0"};
	struct record record = {.state = RECORD_ENDED,
				.run = UINT32_MAX,
				.pid = INT32_MAX,
				.now = {INT64_MAX, INT64_MAX, 255, 127, true, true},
				.last = {INT64_MAX, INT64_MAX, 255, 127, true, true}};
	struct record again;
	char text[RECORD_SIZE];
	bool none = true;
	struct err err;

	memset(record.message, 'x', sizeof(record.message) - 1);
	record_print(&record, text);
	ok(strlen(text) == RECORD_SIZE - 1 && text[RECORD_SIZE - 2] == '\n',
	   "a line of fixed length");
	ok(record_parse(str_from(text), &again, &err) == 0 && same(&record, &again),
	   "the largest record is read back");
	record = (struct record){.state = RECORD_RUNNING, .pid = 4711, .now.started = 12};
	record_print(&record, text);
	ok(record_parse(str_from(text), &again, &err) == 0 && same(&record, &again),
	   "so is a small one");
	record.message[0] = 'a';
	record.message[1] = '\n';
	record.message[2] = 'b';
	record_print(&record, text);
	ok(record_parse(str_from(text), &again, &err) == 0 && strcmp(again.message, "a b") == 0,
	   "a message is one line");
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		none = none && record_parse(str_from(others[i]), &again, &err) < 0;
	ok(none, "what looks similar is no record");
	return tap_done();
}
