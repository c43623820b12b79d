/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine of jobs: the table is whole, and is the one that test/data/lifecycle/states.md
 * shows. (The scenarios test the evaluations.) */
#include "lifecycle/job_state.h"

#include <stdio.h>

#include "tap.h"

#include "base/banned.h"

static void test_whole(void)
{
	for (int phase = VCJOB_PENDING; phase < VCJOB_PHASE_COUNT; phase++) {
		const struct job_rule *other =
			job_rule_find((enum vcjob_phase)phase, BUS_ACTION_COUNT);

		ok(other->phase == (enum vcjob_phase)phase && other->action == BUS_ACTION_COUNT,
		   "%s says what any other action does", vcjob_phase_names[phase]);
	}
	for (size_t i = 1; i < job_rule_count; i++)
		if (job_rules[i].phase != job_rules[i - 1].phase)
			ok(job_rules[i - 1].action == BUS_ACTION_COUNT,
			   "any other action comes last of %s",
			   vcjob_phase_names[job_rules[i - 1].phase]);
	ok(job_rule_find(VCJOB_PHASE_NONE, BUS_ABORT_JOB)->next == VCJOB_ABORTING,
	   "a job without a phase is one that is Pending");
}

/* An action that was recorded and is asked for again does nothing more: a Command may be seen again
 * after a crash. */
static void test_again(void)
{
	for (size_t i = 0; i < job_rule_count; i++) {
		const struct job_rule *rule = &job_rules[i];

		if (rule->next == VCJOB_PHASE_NONE || rule->reaction == JOB_REACT_TARGET)
			continue;
		ok(job_rule_find(rule->next, rule->action)->reaction == JOB_REACT_STAY,
		   "%s on %s, and again", bus_action_names[rule->action],
		   vcjob_phase_names[rule->phase]);
	}
}

static void test_shown(void)
{
	static const char *const paths[] = {"../test/data/lifecycle/states.md",
					    "test/data/lifecycle/states.md"};
	AUTO(buf_done) struct buf table = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf shown = BUF_UNBOUNDED;
	FILE *file = NULL;
	char chunk[4096];
	size_t got;

	for (size_t i = 0; i < ARRAY_LEN(paths) && !file; i++)
		file = fopen(paths[i], "re");
	ok(file != NULL, "the table is shown");
	if (!file)
		return;
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_put(&shown, chunk, got);
	fclose(file);
	job_rules_print(&table);
	ok(str_find(buf_str(&shown), buf_str(&table), 0) >= 0, "as it is");
	if (str_find(buf_str(&shown), buf_str(&table), 0) < 0)
		tap_show("table", buf_text(&table));
}

int main(void)
{
	test_whole();
	test_again();
	test_shown();
	return tap_done();
}
