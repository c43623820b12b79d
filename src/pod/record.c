/* SPDX-License-Identifier: Apache-2.0 */
/* pod/record.c - what a supervisor knows of one container, as a line of text.
 *
 *	running 0 pid 4711 now 1767225600000000 0 0 0 0 0 last 0 0 0 0 0 0 : a message
 *
 * padded with blanks to a fixed length: a new line replaces the old one by a single small write. */
#include "pod/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#include "base/banned.h"

static const char *const state_names[RECORD_STATE_COUNT] = {"new", "running", "ended"};

void record_print(const struct record *record, char text[RECORD_SIZE])
{
	const struct record_run *now = &record->now;
	const struct record_run *last = &record->last;
	int len = snprintf(text, RECORD_SIZE,
			   "%s %u pid %" PRId64 " now %" PRId64 " %" PRId64
			   " %d %d %d %d last %" PRId64 " %" PRId64 " %d %d %d %d : %s",
			   state_names[record->state], record->run, record->pid, now->started,
			   now->ended, now->exit_code, now->signal, now->start_failed,
			   now->deadline, last->started, last->ended, last->exit_code, last->signal,
			   last->start_failed, last->deadline, record->message);

	for (int i = 0; i < len; i++)
		if (text[i] == '\n' || text[i] == '\0')
			text[i] = ' ';
	memset(text + len, ' ', (size_t)(RECORD_SIZE - 2 - len));
	text[RECORD_SIZE - 2] = '\n';
	text[RECORD_SIZE - 1] = '\0';
}

/* The next word as a number. */
static int64_t next_number(struct str *rest, int64_t min, int64_t max, bool *good)
{
	struct str word;
	int64_t value = 0;

	if (!str_split(rest, ' ', &word) || number_parse_range(word, min, max, &value, NULL) < 0)
		*good = false;
	return value;
}

static void next_word(struct str *rest, const char *want, bool *good)
{
	struct str word;

	if (!str_split(rest, ' ', &word) || !str_is(word, want))
		*good = false;
}

static void parse_run(struct str *rest, const char *name, struct record_run *ret, bool *good)
{
	next_word(rest, name, good);
	ret->started = next_number(rest, 0, INT64_MAX, good);
	ret->ended = next_number(rest, 0, INT64_MAX, good);
	ret->exit_code = (int)next_number(rest, 0, 255, good);
	ret->signal = (int)next_number(rest, 0, 127, good);
	ret->start_failed = next_number(rest, 0, 1, good);
	ret->deadline = next_number(rest, 0, 1, good);
}

int record_parse(struct str text, struct record *ret, struct err *err)
{
	struct record record = {.state = RECORD_STATE_COUNT};
	struct str rest = str_trim(text);
	struct str word;
	bool good = str_split(&rest, ' ', &word);

	for (unsigned i = 0; good && i < RECORD_STATE_COUNT; i++)
		if (str_is(word, state_names[i]))
			record.state = (enum record_state)i;
	good = good && record.state != RECORD_STATE_COUNT;
	record.run = (unsigned)next_number(&rest, 0, UINT32_MAX, &good);
	next_word(&rest, "pid", &good);
	record.pid = next_number(&rest, 0, INT32_MAX, &good);
	parse_run(&rest, "now", &record.now, &good);
	parse_run(&rest, "last", &record.last, &good);
	next_word(&rest, ":", &good);
	if (!good || rest.len >= RECORD_MESSAGE_SIZE)
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is no record of a container",
			       STR_ARG(str_slice(text, 0, 80)));
	if (rest.len)
		memcpy(record.message, rest.ptr, rest.len);
	*ret = record;
	return 0;
}
