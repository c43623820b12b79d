/* SPDX-License-Identifier: Apache-2.0 */
/* admission/policies.c - the rules of lifecycle policies: an event of a job and the action that
 * follows.
 *
 * The first invalid policy ends the walk. The errors so far are reported as a list, followed by the
 * valid events and actions. Upstream accepts any action in a policy by exit code, and any code but
 * 0; here the same rules apply to all policies. */
#include "admission/policies.h"

#include <stdint.h>

#include "base/vec.h"
#include "model/rules/causes.h"
#include "model/volcano/command.h"

#include "base/banned.h"

/* In the order of the messages, by name. */
static const enum bus_event events[] = {
	BUS_ANY,         BUS_JOB_UPDATED,    BUS_POD_EVICTED, BUS_POD_FAILED,
	BUS_POD_PENDING, BUS_TASK_COMPLETED, BUS_TASK_FAILED, BUS_JOB_UNKNOWN,
};
static const enum bus_action actions[] = {
	BUS_ABORT_JOB,   BUS_COMPLETE_JOB, BUS_RESTART_JOB, BUS_RESTART_PARTITION,
	BUS_RESTART_POD, BUS_RESTART_TASK, BUS_RESUME_JOB,  BUS_TERMINATE_JOB,
};

/* One walk over a list. */
struct walk {
	const char *field;
	struct buf errors; /* one line each */
	size_t error_count;
	VEC(struct str) events; /* of the policies so far */
	VEC(int64_t) codes;
};

static void walk_done(struct walk *walk)
{
	buf_done(&walk->errors);
	vec_done(&walk->events);
	vec_done(&walk->codes);
}
DEFINE_AUTO_IN_PLACE(struct walk, walk_done);

static void PRINTF(2, 3) add_error(struct walk *walk, const char *format, ...)
{
	va_list args;

	walk->error_count++;
	buf_puts(&walk->errors, "\t* ");
	va_start(args, format);
	buf_vprintf(&walk->errors, format, args);
	va_end(args);
	buf_putc(&walk->errors, '\n');
}

static void add_invalid(struct walk *walk, struct str value, const char *what)
{
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	causes_quote(&quoted, value);
	add_error(walk, "%s: Invalid value: %s: invalid policy %s", walk->field, buf_text(&quoted),
		  what);
}

static bool is_event(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (str_is(name, bus_event_names[events[i]]))
			return true;
	return false;
}

static bool is_action(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (str_is(name, bus_action_names[actions[i]]))
			return true;
	return false;
}

static bool has_event(const struct walk *walk, struct str event, size_t from)
{
	for (size_t i = from; i < walk->events.len; i++)
		if (str_eq(walk->events.ptr[i], event))
			return true;
	return false;
}

/* False if the walk must end. An event that is listed twice in one policy counts once. */
static bool add_event(struct walk *walk, struct str event, struct str action, size_t own)
{
	if (has_event(walk, event, own))
		return true;
	if (!is_event(event)) {
		add_invalid(walk, event, "event");
		return false;
	}
	if (!is_action(action)) {
		add_invalid(walk, action, "action");
		return false;
	}
	if (has_event(walk, event, 0)) {
		add_error(walk, "duplicate event %.*s  across different policy", STR_ARG(event));
		return false;
	}
	vec_push(&walk->events, event);
	return true;
}

static bool add_events(struct walk *walk, struct json policy)
{
	struct json_iter it = json_iter(json_get(policy, "events"));
	struct str action = json_str(json_get(policy, "action"));
	struct str event = json_str(json_get(policy, "event"));
	size_t own = walk->events.len;

	while (json_next(&it))
		if (!add_event(walk, json_str(it.value), action, own))
			return false;
	return !event.len || add_event(walk, event, action, own);
}

static bool add_code(struct walk *walk, struct json policy)
{
	int64_t code = json_int(json_get(policy, "exitCode"));
	struct str action = json_str(json_get(policy, "action"));

	if (code <= 0) {
		add_error(walk, "%lld is not a valid error code", (long long)code);
		return false;
	}
	for (size_t i = 0; i < walk->codes.len; i++)
		if (walk->codes.ptr[i] == code) {
			add_error(walk, "duplicate exitCode %lld", (long long)code);
			return false;
		}
	if (!is_action(action)) {
		add_invalid(walk, action, "action");
		return false;
	}
	vec_push(&walk->codes, code);
	return true;
}

static bool add_policy(struct walk *walk, struct json policy)
{
	bool by_event =
		json_str(json_get(policy, "event")).len || json_len(json_get(policy, "events"));
	bool by_code = json_is(json_get(policy, "exitCode"), JSON_INT);

	if (by_event && by_code) {
		add_error(walk, "must not specify event and exitCode simultaneously");
		return false;
	}
	if (!by_event && !by_code) {
		add_error(walk, "either event and exitCode should be specified");
		return false;
	}
	return by_event ? add_events(walk, policy) : add_code(walk, policy);
}

static void put_words(struct buf *to)
{
	buf_puts(to, " valid events are [");
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		buf_printf(to, "%s%s", i ? " " : "", bus_event_names[events[i]]);
	buf_puts(to, "], valid actions are [");
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		buf_printf(to, "%s%s", i ? " " : "", bus_action_names[actions[i]]);
	buf_puts(to, "];");
}

void policies_validate(struct json policies, const char *field, struct buf *to)
{
	AUTO(walk_done) struct walk walk = {.field = field, .errors = BUF_UNBOUNDED};
	struct json_iter it = json_iter(policies);

	while (json_next(&it) && add_policy(&walk, it.value))
		;
	if (walk.events.len > 1 && has_event(&walk, STR("*"), 0))
		add_error(&walk, "if there's * here, no other policy should be here");
	if (!walk.error_count)
		return;
	buf_printf(to, "%zu error%s occurred:\n%s\n", walk.error_count,
		   walk.error_count > 1 ? "s" : "", buf_text(&walk.errors));
	put_words(to);
}
