/* SPDX-License-Identifier: Apache-2.0 */
/* cli/pod_problem.c - see pod_problem.h. */
#include "cli/pod_problem.h"

#include <string.h>

#include "base/arena.h"
#include "base/macro.h"
#include "base/time.h"
#include "model/value/duration.h"

#include "base/banned.h"

static struct json status_of(struct json object, const char *key)
{
	return json_get(json_get(object, "status"), key);
}

static struct str name_of(struct json object)
{
	return json_str(json_get(json_get(object, "metadata"), "name"));
}

static struct str kept(struct buf *text, struct arena *arena)
{
	return str_from(arena_printf(arena, "%s", buf_text(text)));
}

/* --- how a container ended ---------------------------------------------------------------------- */

static bool is_lost(const struct pod_failure *failure)
{
	return str_is(failure->reason, "ContainerStatusUnknown");
}

static void put_clock(struct str time, struct buf *to)
{
	if (time.len >= sizeof("2026-01-02T09:14") - 1)
		buf_printf(to, " at %.*s UTC", 5, time.ptr + sizeof("2026-01-02T") - 1);
}

static void put_message(const struct pod_failure *failure, struct buf *to)
{
	struct str message = str_trim(failure->message);

	if (message.len)
		buf_printf(to, "; last output: %.*s", STR_ARG(message));
}

/* A time limit as people write it: 2h, 1h30m, 90s is 1m30s. */
static void put_limit(int64_t seconds, struct buf *to)
{
	static const struct {
		int64_t seconds;
		char letter;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		int64_t count = seconds / units[i].seconds;

		if (count)
			buf_printf(to, "%lld%c", (long long)count, units[i].letter);
		seconds %= units[i].seconds;
	}
}

/* The node has a reason of its own for fields that it does not support. */
static bool is_unsupported(const struct pod_failure *failure)
{
	return str_is(failure->reason, "Unsupported") && failure->message.len > 0;
}

static bool could_not_start(const struct pod_failure *failure)
{
	return str_is(failure->reason, "StartError") ||
	       str_is(failure->reason, "ContainerCannotRun");
}

/* A cause that is known from more than the exit code; false: there is none. */
static bool put_cause(const struct pod_failure *failure, struct buf *to)
{
	if (failure->time_limit) {
		buf_puts(to, "was stopped at its time limit of ");
		put_limit(failure->time_limit, to);
		buf_puts(to,
			 failure->by_vsub ? " (asked for by --time)" : " (activeDeadlineSeconds)");
	} else if (str_is(failure->reason, "OOMKilled")) {
		buf_puts(to, "was killed: it used more than its memory limit");
		if (failure->memory_limit.len)
			buf_printf(to, " of %.*s", STR_ARG(failure->memory_limit));
	} else if (is_lost(failure)) {
		buf_puts(to, "was lost when the machine or its node agent restarted");
		put_clock(failure->time, to);
	} else if (failure->probe.len) {
		buf_printf(to, "was killed: its %s probe failed",
			   str_is(failure->probe, "Startup") ? "startup" : "liveness");
		if (failure->probe_output.len)
			buf_printf(to, " (%.*s)", STR_ARG(failure->probe_output));
	} else if (is_unsupported(failure)) {
		buf_printf(to, "could not start: this node does not support %.*s",
			   STR_ARG(str_trim(failure->message)));
	} else if (could_not_start(failure)) {
		buf_puts(to, "could not start");
		if (failure->message.len)
			buf_printf(to, ": %.*s", STR_ARG(str_trim(failure->message)));
	} else {
		return false;
	}
	return true;
}

void pod_failure_put_container(const struct pod_failure *failure, struct buf *to)
{
	if ((failure->init || failure->several) && failure->container.len)
		buf_printf(to, ": %s `%.*s`", failure->init ? "init container" : "container",
			   STR_ARG(failure->container));
}

void pod_failure_print(const struct pod_failure *failure, struct buf *to)
{
	enum { SIGNALS = 128, SIGNALS_MAX = 64, NOT_FOUND = 127, NOT_EXECUTABLE = 126 };
	int64_t code = failure->exit_code;

	if (put_cause(failure, to))
		return;
	if (!code) {
		buf_puts(to, "failed");
		if (failure->reason.len)
			buf_printf(to, " (%.*s)", STR_ARG(failure->reason));
		if (failure->message.len)
			buf_printf(to, ": %.*s", STR_ARG(str_trim(failure->message)));
		return;
	}
	if (code > SIGNALS && code <= SIGNALS + SIGNALS_MAX)
		buf_printf(to, "was ended by signal %lld (exit code %lld)",
			   (long long)(code - SIGNALS), (long long)code);
	else
		buf_printf(to, "exited with code %lld", (long long)code);
	if (code == NOT_FOUND)
		buf_puts(to, " (its command was not found)");
	if (code == NOT_EXECUTABLE)
		buf_puts(to, " (its command cannot be executed)");
	if (failure->reason.len && !str_is(failure->reason, "Error"))
		buf_printf(to, " (%.*s)", STR_ARG(failure->reason));
	put_message(failure, to);
}

const char *pod_failure_advice(const struct pod_failure *failure)
{
	if (failure->time_limit)
		return "Ask for more time (--time of vsub, activeDeadlineSeconds in a manifest)";
	if (str_is(failure->reason, "OOMKilled"))
		return "Raise its memory limit (--mem of vsub, resources.limits.memory in a "
		       "manifest)";
	if (is_lost(failure))
		return "Submit it again; with --requeue, vsub submits jobs that run again by "
		       "themselves";
	if (failure->probe.len)
		return "Correct the probe, or give the container more time (initialDelaySeconds, "
		       "failureThreshold)";
	if (is_unsupported(failure))
		return "Change that field of the job, and submit it again";
	if (could_not_start(failure))
		return "Correct the command or the working directory of the job";
	if (str_is(failure->reason, "Evicted"))
		return "Ask for what the job really uses, or free space on the node";
	if (failure->exit_code == 127 || failure->exit_code == 126)
		return "Correct the command of the job";
	if (failure->init)
		return "Look at the output of that container (vcctl job logs --container)";
	return "Look at its output (vcctl job logs)";
}

/* --- failures again and again ------------------------------------------------------------------- */

static void put_times(int64_t count, struct buf *to)
{
	static const char *const words[] = {
		"", " once", " twice", " three times", " four times", " five times"};

	if (count > 0 && count < (int64_t)ARRAY_LEN(words))
		buf_puts(to, words[count]);
	else
		buf_printf(to, " %lld times", (long long)count);
}

/* "back-off 20s restarting failed container": when that is over, from now; false: it is not known. */
static bool next_try(struct str message, struct str failed, int64_t now, int64_t *ret)
{
	static const char word[] = "back-off ";
	ptrdiff_t at = str_find(message, STR("back-off "), 0);
	int64_t pause, then;
	struct str text;
	struct err err;

	if (at < 0)
		return false;
	text = str_skip(message, (size_t)at + strlen(word));
	if (str_find_byte(text, ' ', 0) > 0)
		text = str_slice(text, 0, (size_t)str_find_byte(text, ' ', 0));
	if (duration_parse(text, &pause, &err) < 0 || time_parse(failed, &then, &err) < 0)
		return false;
	*ret = then + pause / 1000 - now; /* durations are in nanoseconds */
	return *ret > 0;
}

/* "exited with code 7 three times", "was killed three times: it used more than ..." */
static void put_end(const struct pod_failure *failure, int64_t count, struct buf *to)
{
	static const char killed[] = "was killed";
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct pod_failure plain = *failure;
	struct str end;

	if (!could_not_start(failure))
		plain.message = str_none();
	pod_failure_print(&plain, &text);
	end = buf_str(&text);
	if (str_starts(end, str_from(killed))) {
		buf_puts(to, killed);
		put_times(count, to);
		buf_put_str(to, str_skip(end, strlen(killed)));
		return;
	}
	buf_put_str(to, end);
	put_times(count, to);
}

/* If the container wrote no message, the last line that it printed. */
static void add_output(struct pod_failure *failure, const struct pod_problem_facts *facts)
{
	if (!failure->message.len && str_eq(failure->pod, facts->output_pod))
		failure->message = facts->output;
}

static struct str brief_of(const char *before, const struct pod_failure *failure,
			   struct arena *arena)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct pod_failure plain = *failure;

	if (!could_not_start(failure))
		plain.message = str_none();
	buf_puts(&text, before);
	pod_failure_print(&plain, &text);
	return kept(&text, arena);
}

struct str pod_failure_brief(const struct pod_failure *failure, struct arena *arena)
{
	return brief_of("", failure, arena);
}

static bool find_loop(struct json pod, const struct pod_problem_facts *facts, struct arena *arena,
		      struct pod_problem *ret)
{
	static const char *const lists[] = {"initContainerStatuses", "containerStatuses"};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct pod_failure failure;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(status_of(pod, lists[i]));

		while (json_next(&it)) {
			struct json waiting = json_get(json_get(it.value, "state"), "waiting");
			int64_t count = json_int(json_get(it.value, "restartCount"));
			bool waits =
				str_is(json_str(json_get(waiting, "reason")), "CrashLoopBackOff");
			char age[DURATION_TEXT_SIZE];
			int64_t next;

			if ((!waits && count < 1) || !pod_failure_of(pod, &failure) ||
			    !failure.restarted)
				continue;
			pod_failure_add_events(&failure, facts->events);
			add_output(&failure, facts);
			buf_printf(&text, "restarting after failures: `%.*s`",
				   STR_ARG(name_of(pod)));
			pod_failure_put_container(&failure, &text);
			buf_putc(&text, ' ');
			ret->brief = brief_of("restarting: ", &failure, arena);
			ret->cause = STR("CrashLoop");
			ret->since = failure.time;
			ret->advice = str_from(pod_failure_advice(&failure));
			put_end(&failure, count + waits, &text);
			if (waits && next_try(json_str(json_get(waiting, "message")), failure.time,
					      facts->now, &next))
				buf_printf(&text, ", next try in %s",
					   duration_print_age(next, age));
			else if (!waits)
				buf_puts(&text, ", and runs again");
			if (!could_not_start(&failure))
				put_message(&failure, &text);
			ret->text = kept(&text, arena);
			return true;
		}
	}
	return false;
}

/* --- containers that cannot start --------------------------------------------------------------- */

struct missing_kind {
	const char *word;
	const char *noun;
};
static const struct missing_kind missing_kinds[] = {
	{"secret \"", "secret"},
	{"configmap \"", "config map"},
	{"persistentvolumeclaim \"", "volume claim"},
	{"persistentvolume \"", "volume"},
	{"serviceaccount \"", "service account"},
};

/* "the secret `s` does not exist", from `secret "s" not found`. */
static bool put_missing(struct str message, struct buf *to, const char **ret_noun)
{
	for (size_t i = 0; i < ARRAY_LEN(missing_kinds); i++) {
		const struct missing_kind *kind = &missing_kinds[i];
		ptrdiff_t at = str_find(message, str_from(kind->word), 0);
		struct str rest;
		ptrdiff_t end;

		if (at < 0)
			continue;
		rest = str_skip(message, (size_t)at + strlen(kind->word));
		end = str_find_byte(rest, '"', 0);
		if (end < 0 || !str_starts(str_skip(rest, (size_t)end), STR("\" not found")))
			continue;
		buf_printf(to, "the %s `%.*s` does not exist", kind->noun, (int)end, rest.ptr);
		*ret_noun = kind->noun;
		return true;
	}
	return false;
}

/* What stands between two texts; false: they are not there. */
static bool cut(struct str text, const char *before, const char *after, struct str *ret)
{
	ptrdiff_t at = str_find(text, str_from(before), 0);
	ptrdiff_t end;

	if (at < 0)
		return false;
	*ret = str_skip(text, (size_t)at + strlen(before));
	end = *after ? str_find(*ret, str_from(after), 0) : (ptrdiff_t)ret->len;
	if (end < 0)
		return false;
	*ret = str_trim(str_slice(*ret, 0, (size_t)end));
	return ret->len > 0;
}

/* "the config map `settings` has no key `a`", from `couldn't find key a in ConfigMap default/settings`. */
static bool put_missing_key(struct str message, struct buf *to, struct pod_problem *ret)
{
	static const char *const kinds[][2] = {{"ConfigMap", "config map"}, {"Secret", "secret"}};
	struct str key, kind, name;

	if (!cut(message, "couldn't find key ", " in ", &key) ||
	    !cut(message, " in ", " ", &kind) || !cut(message, "/", "", &name))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_is(kind, kinds[i][0])) {
			buf_printf(to, "the %s `%.*s` has no key `%.*s`", kinds[i][1],
				   STR_ARG(name), STR_ARG(key));
			ret->advice = STR("Add the key, or name another one in the job");
			return true;
		}
	return false;
}

/* A path of the machine that is not there, or is something else: "hostPath type check failed, PATH is not a ...". */
static bool put_host_path(struct str message, struct buf *to, struct pod_problem *ret)
{
	struct str path, kind;

	if (!cut(message, "hostPath type check failed, ", " is not a ", &path))
		return false;
	if (str_find(message, STR("No such file or directory"), 0) >= 0)
		buf_printf(to, "`%.*s` does not exist on the node", STR_ARG(path));
	else if (cut(message, " is not a ", ",", &kind) || cut(message, " is not a ", "", &kind))
		buf_printf(to, "`%.*s` on the node is not a %.*s", STR_ARG(path), STR_ARG(kind));
	ret->advice = STR("Create it on the machine, or correct the volume of the job");
	return true;
}

/* A message that starts with the words of a kubelet about a volume: what follows them, after the name of the
 * volume. */
static void put_message_of_volume(struct str message, struct buf *to, struct pod_problem *ret)
{
	struct str volume, rest;

	if (cut(message, "failed for volume \"", "\"", &volume) &&
	    cut(message, "\" : ", "", &rest)) {
		buf_printf(to, "volume `%.*s`: ", STR_ARG(volume));
		if (!put_host_path(rest, to, ret))
			buf_put_str(to, rest);
	} else {
		buf_put_str(to, str_trim(message));
	}
}

static void say_cannot(struct json pod, struct str message, struct arena *arena,
		       struct pod_problem *ret)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const char *noun = NULL;
	size_t named;

	buf_printf(&text, "`%.*s` cannot start: ", STR_ARG(name_of(pod)));
	named = text.len;
	if (put_missing(message, &text, &noun))
		ret->advice = str_from(arena_printf(
			arena,
			"Create the %s in the namespace of the job, or remove it from the job",
			noun));
	else if (!put_missing_key(message, &text, ret))
		put_message_of_volume(message, &text, ret);
	if (str_find(message, STR("--allow-root-pods"), 0) >= 0)
		ret->advice = STR("Remove that from the job, or start volcano with "
				  "--allow-root-pods");
	ret->text = kept(&text, arena);
	ret->brief = str_from(arena_printf(arena, "cannot start: %s", buf_text(&text) + named));
	ret->since = json_str(status_of(pod, "startTime"));
}

static const struct {
	const char *reason;
	const char *advice;
} start_rows[] = {
	{"ErrImagePull", "Correct the name of the image, or make it available on the node"},
	{"ImagePullBackOff", "Correct the name of the image, or make it available on the node"},
	{"InvalidImageName", "Correct the name of the image"},
	{"ErrImageNeverPull", "Make the image available on the node, or allow it to be pulled"},
	{"CreateContainerConfigError", "Create what is missing, or correct the job"},
	{"RunContainerError", "Correct the command of the job"},
	{"CreateContainerError", "Correct the command, the user or the mounts of the job"},
};

static bool find_stuck(struct json pod, struct arena *arena, struct pod_problem *ret)
{
	static const char *const lists[] = {"initContainerStatuses", "containerStatuses"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(status_of(pod, lists[i]));

		while (json_next(&it)) {
			struct json waiting = json_get(json_get(it.value, "state"), "waiting");
			struct str reason = json_str(json_get(waiting, "reason"));
			struct str message = str_trim(json_str(json_get(waiting, "message")));

			if (!reason.len || str_is(reason, "ContainerCreating") ||
			    str_is(reason, "PodInitializing") || str_is(reason, "CrashLoopBackOff"))
				continue;
			ret->cause = STR("CannotStart");
			for (size_t row = 0; row < ARRAY_LEN(start_rows); row++)
				if (str_is(reason, start_rows[row].reason))
					ret->advice = str_from(start_rows[row].advice);
			say_cannot(pod, message.len ? message : reason, arena, ret);
			return true;
		}
	}
	return false;
}

/* A volume that cannot be mounted is only in an event. */
static bool find_unmounted(struct json pod, struct json events, struct arena *arena,
			   struct pod_problem *ret)
{
	struct json_iter it = json_iter(events);
	struct json last = JSON_NONE;

	if (!str_is(json_str(status_of(pod, "phase")), "Pending"))
		return false;
	while (json_next(&it)) {
		struct json about = json_get(it.value, "involvedObject");

		if (str_is(json_str(json_get(it.value, "reason")), "FailedMount") &&
		    str_eq(json_str(json_get(about, "name")), name_of(pod)) &&
		    (json_is_absent(last) ||
		     str_cmp(json_str(json_get(it.value, "lastTimestamp")),
			     json_str(json_get(last, "lastTimestamp"))) > 0))
			last = it.value;
	}
	if (json_is_absent(last))
		return false;
	ret->cause = STR("CannotMount");
	ret->advice = STR("Correct the volume of the job, or create what it refers to");
	say_cannot(pod, json_str(json_get(last, "message")), arena, ret);
	return true;
}

/* --- nodes that do not answer ------------------------------------------------------------------- */

static bool find_silent(const struct pod_places *pods, struct json nodes, struct arena *arena,
			struct pod_problem *ret)
{
	struct json_iter node = json_iter(nodes);

	while (json_next(&node)) {
		struct json_iter condition = json_iter(status_of(node.value, "conditions"));
		int64_t count = 0;

		for (size_t i = 0; i < pods->len; i++)
			count +=
				str_is(json_str(status_of(pods->ptr[i].pod, "phase")), "Running") &&
				str_eq(json_str(json_get(json_get(pods->ptr[i].pod, "spec"),
							 "nodeName")),
				       name_of(node.value));
		while (count && json_next(&condition)) {
			if (!str_is(json_str(json_get(condition.value, "type")), "Ready") ||
			    str_is(json_str(json_get(condition.value, "status")), "True"))
				continue;
			*ret = (struct pod_problem){
				.cause = STR("NodeSilent"),
				.text = str_from(arena_printf(
					arena,
					"node `%.*s` does not answer: %lld of its pods run%s there",
					STR_ARG(name_of(node.value)), (long long)count,
					count == 1 ? "s" : "")),
				.brief = str_from(arena_printf(arena, "node %.*s does not answer",
							       STR_ARG(name_of(node.value)))),
				.advice = STR("Start the node or its agent again; if it does not "
					      "come back, delete the "
					      "pods, and the job starts them elsewhere"),
				.since = json_str(json_get(condition.value, "lastTransitionTime")),
			};
			return true;
		}
	}
	return false;
}

/* A pod that names its node itself, and no such node exists. */
static bool find_nowhere(struct json pod, struct json nodes, struct arena *arena,
			 struct pod_problem *ret)
{
	struct str name = json_str(json_get(json_get(pod, "spec"), "nodeName"));
	struct json_iter it = json_iter(nodes);

	if (!name.len || json_is_absent(nodes) ||
	    !str_is(json_str(status_of(pod, "phase")), "Pending"))
		return false;
	while (json_next(&it))
		if (str_eq(name_of(it.value), name))
			return false;
	*ret = (struct pod_problem){
		.cause = STR("NoSuchNode"),
		.text = str_from(
			arena_printf(arena, "`%.*s` is to run on node `%.*s`, which does not exist",
				     STR_ARG(name_of(pod)), STR_ARG(name))),
		.brief = str_from(arena_printf(arena, "node %.*s does not exist", STR_ARG(name))),
		.advice = STR("Remove nodeName from the job, or name a node that exists"),
	};
	return true;
}

bool pod_problem_find(const struct pod_places *pods, const struct pod_problem_facts *facts,
		      struct arena *arena, struct pod_problem *ret)
{
	*ret = (struct pod_problem){.text = str_none()};
	if (find_silent(pods, facts->nodes, arena, ret))
		return true;
	for (size_t i = 0; i < pods->len; i++)
		if (find_loop(pods->ptr[i].pod, facts, arena, ret))
			return true;
	for (size_t i = 0; i < pods->len; i++)
		if (find_nowhere(pods->ptr[i].pod, facts->nodes, arena, ret) ||
		    find_stuck(pods->ptr[i].pod, arena, ret) ||
		    find_unmounted(pods->ptr[i].pod, facts->events, arena, ret))
			return true;
	return false;
}
