/* SPDX-License-Identifier: Apache-2.0 */
/* coverage.h - what the scenarios of jobs have shown, and what is to be shown.
 *
 * To be shown are: every row of the table of states; every Command in every phase; every move from
 * phase to phase that follows from counts; for policies of jobs and of tasks every event with every
 * action, `*` and exit codes with every action, `*` on every event, a delay of each, a list; every
 * argument of every plugin; and the examples that docs of Volcano's life cycle are made of. What is
 * missing is named, and fails. */
#ifndef LIFECYCLE_TEST_COVERAGE_H
#define LIFECYCLE_TEST_COVERAGE_H

#include "lifecycle/job_state.h"
#include "scenario_job.h"
#include "tap.h"

enum { RULES_MAX = 64, LEVELS = 2, PLUGIN_ARGS_MAX = 40, EXAMPLES_MAX = 16 };

/* The row of a policy: its event, BUS_ANY, or BUS_EVENT_NONE for one by exit code. */
struct coverage {
	bool rules[RULES_MAX];
	bool commands[VCJOB_PHASE_COUNT][BUS_ACTION_COUNT + 1];
	bool moves[VCJOB_PHASE_COUNT][VCJOB_PHASE_COUNT];
	bool policies[LEVELS][BUS_EVENT_COUNT][BUS_ACTION_COUNT];
	bool delays[LEVELS][BUS_EVENT_COUNT];
	bool stars[LEVELS][BUS_EVENT_COUNT];
	bool lists[LEVELS];
	bool plugins[PLUGIN_ARGS_MAX];
	bool examples[EXAMPLES_MAX];
};

static const char *const coverage_levels[LEVELS] = {"a job", "a task"};

/* Each argument of each plugin, and each plugin without one. */
static const struct {
	const char *plugin;
	const char *arg; /* NULL: none is given */
} coverage_plugins[] = {
	{"env", NULL},
	{"svc", NULL},
	{"svc", "publish-not-ready-addresses"},
	{"svc", "disable-network-policy"},
	{"ssh", NULL},
	{"ssh", "ssh-key-file-path"},
	{"ssh", "ssh-private-key"},
	{"ssh", "ssh-public-key"},
	{"ssh", "ssh-port"},
	{"tensorflow", NULL},
	{"tensorflow", "ps"},
	{"tensorflow", "worker"},
	{"tensorflow", "chief"},
	{"tensorflow", "evaluator"},
	{"tensorflow", "port"},
	{"pytorch", NULL},
	{"pytorch", "master"},
	{"pytorch", "worker"},
	{"pytorch", "port"},
	{"pytorch", "wait-master-enabled"},
	{"pytorch", "wait-master-timeout"},
	{"pytorch", "wait-master-image"},
	{"mpi", NULL},
	{"mpi", "master"},
	{"mpi", "worker"},
	{"mpi", "port"},
	{"ray", NULL},
	{"ray", "head"},
	{"ray", "headContainer"},
	{"ray", "worker"},
	{"ray", "workerContainer"},
	{"ray", "port"},
	{"ray", "dashboardPort"},
	{"ray", "clientPort"},
	{"hcclrank", NULL},
	{"hcclrank", "master"},
	{"hcclrank", "worker"},
};

/* A scenario says `example NAME`, and goes through just these phases. */
static const struct {
	const char *name;
	const char *phases;
} coverage_examples[] = {
	{"normal", "Pending Running Completed"},
	{"enough", "Pending Running Completed"},
	{"too-few", "Pending Running Failed"},
	{"restart", "Pending Running Restarting Pending Running Restarting Pending Running "
		    "Restarting Failed"},
	{"abort", "Pending Running Aborting Aborted"},
	{"terminate", "Pending Running Terminating Terminated"},
	{"complete", "Pending Running Completing Completed"},
	{"restart-pod", "Pending Running Restarting Pending Running"},
	{"unknown", "Pending Running Restarting Pending Running"},
	{"suspend", "Pending Running Aborting Aborted Restarting Pending Running"},
	{"to-zero", "Pending Running Pending Running"},
};

/* --- what is seen ---------------------------------------------------------------------------- */

static void cover_policy(struct coverage *all, const struct job_cause *cause)
{
	const struct vcjob_policy *policy = cause->policy;
	enum bus_event row = cause->event;
	bool star = policy->event == BUS_ANY;

	for (size_t i = 0; i < policy->events.len; i++)
		star = star || policy->events.ptr[i] == BUS_ANY;
	if (policy->exit_code.set)
		row = BUS_EVENT_NONE;
	else if (star)
		row = BUS_ANY;
	if (policy->action >= BUS_ACTION_COUNT)
		return;
	all->policies[cause->of_task][row][policy->action] = true;
	if (policy->timeout.set)
		all->delays[cause->of_task][row] = true;
	if (star)
		all->stars[cause->of_task][cause->event] = true;
	if (policy->events.len > 1)
		all->lists[cause->of_task] = true;
}

/* One step of the controller. */
static void cover_step(void *arg, bool commanded, const struct job_cause *cause)
{
	struct coverage *all = arg;

	if (!cause->rule)
		return;
	all->rules[cause->rule - job_rules] = true;
	if (commanded)
		all->commands[cause->rule->phase][cause->action] = true;
	else if (cause->policy)
		cover_policy(all, cause);
}

static enum vcjob_phase cover_phase(struct str name)
{
	for (int i = VCJOB_PENDING; i < VCJOB_PHASE_COUNT; i++)
		if (str_is(name, vcjob_phase_names[i]))
			return (enum vcjob_phase)i;
	return VCJOB_PHASE_NONE;
}

/* The end of a run. */
static void cover_end(struct coverage *all, struct run *run)
{
	struct str phases = buf_str(&run->world.phases);
	enum vcjob_phase last = VCJOB_PHASE_NONE;

	for (struct str word = next_word(&phases); word.len > 0; word = next_word(&phases)) {
		enum vcjob_phase phase = cover_phase(word);

		all->moves[last][phase] = true;
		last = phase;
	}
}

/* "plugin svc --x=y": the words after the first. */
static void cover_plugin(struct coverage *all, struct str rest)
{
	struct str name = next_word(&rest);
	bool bare = str_trim(rest).len == 0;

	for (size_t i = 0; i < ARRAY_LEN(coverage_plugins); i++) {
		struct str words = rest;

		if (!str_is(name, coverage_plugins[i].plugin))
			continue;
		if (!coverage_plugins[i].arg) {
			all->plugins[i] = all->plugins[i] || bare;
			continue;
		}
		for (struct str word = next_word(&words); word.len > 0; word = next_word(&words)) {
			ptrdiff_t equals = str_find_byte(word, '=', 0);

			while (str_starts(word, STR("-"))) {
				word = str_skip(word, 1);
				equals -= equals > 0;
			}
			if (equals > 0)
				word = str_slice(word, 0, (size_t)equals);
			all->plugins[i] |= str_is(word, coverage_plugins[i].arg);
		}
	}
}

/* False: there is no such example. */
static bool cover_example(struct coverage *all, struct run *run, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(coverage_examples); i++) {
		if (!str_is(name, coverage_examples[i].name))
			continue;
		all->examples[i] = true;
		if (!str_is(buf_str(&run->world.phases), coverage_examples[i].phases))
			complain(run, "example %.*s: phases \"%s\", not \"%s\"", STR_ARG(name),
				 buf_text(&run->world.phases), coverage_examples[i].phases);
		return true;
	}
	return false;
}

/* --- what is missing ------------------------------------------------------------------------- */

static void lack(struct buf *missing, bool shown, const char *format, ...) PRINTF(3, 4);
static void lack(struct buf *missing, bool shown, const char *format, ...)
{
	va_list args;

	if (shown)
		return;
	va_start(args, format);
	buf_vprintf(missing, format, args);
	va_end(args);
	buf_putc(missing, '\n');
}

static void lack_rules(const struct coverage *all, struct buf *missing)
{
	static const enum vcjob_phase moves[][2] = {
		{VCJOB_PENDING, VCJOB_RUNNING},        {VCJOB_RUNNING, VCJOB_COMPLETED},
		{VCJOB_RUNNING, VCJOB_FAILED},         {VCJOB_RUNNING, VCJOB_PENDING},
		{VCJOB_RESTARTING, VCJOB_FAILED},      {VCJOB_RESTARTING, VCJOB_PENDING},
		{VCJOB_ABORTING, VCJOB_ABORTED},       {VCJOB_COMPLETING, VCJOB_COMPLETED},
		{VCJOB_TERMINATING, VCJOB_TERMINATED},
	};

	for (size_t i = 0; i < job_rule_count; i++)
		lack(missing, all->rules[i], "row %s, %s", vcjob_phase_names[job_rules[i].phase],
		     job_rules[i].action == BUS_ACTION_COUNT
			     ? "any other"
			     : bus_action_names[job_rules[i].action]);
	for (int phase = VCJOB_PENDING; phase < VCJOB_PHASE_COUNT; phase++)
		for (int action = BUS_ABORT_JOB; action <= BUS_ENQUEUE_JOB; action++)
			lack(missing, all->commands[phase][action],
			     "command %s on a job that is %s", bus_action_names[action],
			     vcjob_phase_names[phase]);
	for (size_t i = 0; i < ARRAY_LEN(moves); i++)
		lack(missing, all->moves[moves[i][0]][moves[i][1]], "%s becomes %s",
		     vcjob_phase_names[moves[i][0]], vcjob_phase_names[moves[i][1]]);
}

static void lack_policies(const struct coverage *all, struct buf *missing, int level)
{
	/* What happens to a podgroup is not about one of its tasks. */
	static const enum bus_event rows[] = {
		BUS_EVENT_NONE,  BUS_ANY,         BUS_POD_PENDING,
		BUS_POD_FAILED,  BUS_POD_EVICTED, BUS_TASK_COMPLETED,
		BUS_TASK_FAILED, BUS_JOB_UNKNOWN,
	};
	size_t count = ARRAY_LEN(rows) - (level > 0);
	const char *of = coverage_levels[level];

	for (size_t i = 0; i < count; i++) {
		enum bus_event row = rows[i];
		const char *name = row == BUS_EVENT_NONE ? "exit code" : bus_event_names[row];

		for (int action = BUS_ABORT_JOB; action <= BUS_RESUME_JOB; action++)
			lack(missing, all->policies[level][row][action], "%s -> %s of %s", name,
			     bus_action_names[action], of);
		lack(missing, all->delays[level][row], "%s with a timeout of %s", name, of);
		if (row > BUS_ANY)
			lack(missing, all->stars[level][row], "* of %s on %s", of, name);
	}
	lack(missing, all->lists[level], "several events in a policy of %s", of);
}

static void cover_check(const struct coverage *all)
{
	AUTO(buf_done) struct buf missing = BUF_UNBOUNDED;

	lack_rules(all, &missing);
	for (int level = 0; level < LEVELS; level++)
		lack_policies(all, &missing, level);
	for (size_t i = 0; i < ARRAY_LEN(coverage_plugins); i++)
		lack(&missing, all->plugins[i], "plugin %s %s%s", coverage_plugins[i].plugin,
		     coverage_plugins[i].arg ? "--" : "without arguments",
		     coverage_plugins[i].arg ? coverage_plugins[i].arg : "");
	for (size_t i = 0; i < ARRAY_LEN(coverage_examples); i++)
		lack(&missing, all->examples[i], "example %s", coverage_examples[i].name);
	ok(missing.len == 0, "every row, command, policy, plugin and example is shown");
	if (missing.len > 0)
		tap_show("not shown", buf_text(&missing));
}

#endif
