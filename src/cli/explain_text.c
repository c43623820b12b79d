/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain_text.c - see explain_text.h. A row for each phase of a job says how its line begins; what a job
 * waits for is collected once, as a list of reasons (explain_wait.c). */
#include "cli/explain_text.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/macro.h"
#include "base/time.h"
#include "base/uuid.h"
#include "cli/explain_internal.h"
#include "cli/phase.h"
#include "model/value/duration.h"

#include "base/banned.h"

enum { EVENTS_MAX = 16, PODS_MAX = 12, EVICTIONS_MAX = 8, NAMES_MAX = 4 };

/* --- small things ------------------------------------------------------------------------------- */

static struct json status_of(struct json object, const char *key)
{
	return json_get(json_get(object, "status"), key);
}

static struct json spec_of(struct json object, const char *key)
{
	return json_get(json_get(object, "spec"), key);
}

static struct str meta_of(struct json object, const char *key)
{
	return json_str(json_get(json_get(object, "metadata"), key));
}

static void put_age(const struct explain *e, struct str time, struct buf *to)
{
	char text[DURATION_TEXT_SIZE];
	int64_t then;
	struct err err;

	if (time_parse(time, &then, &err) < 0)
		buf_puts(to, "some time");
	else
		buf_puts(to, duration_print_age(e->facts->now - then, text));
}

static void put_pods(int64_t count, struct buf *to)
{
	buf_printf(to, "%lld pod%s", (long long)count, count == 1 ? "" : "s");
}

static int64_t replicas(struct json job)
{
	struct json_iter it = json_iter(spec_of(job, "tasks"));
	int64_t sum = 0;

	while (json_next(&it))
		sum += json_int(json_get(it.value, "replicas"));
	return sum;
}

/* When the job came to the phase that it is in. */
struct str explain_phase_since(struct json job)
{
	struct json_iter it = json_iter(status_of(job, "conditions"));
	struct str phase = json_str(json_get(status_of(job, "state"), "phase"));
	struct str since = json_str(json_get(status_of(job, "state"), "lastTransitionTime"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "status")), phase))
			since = json_str(json_get(it.value, "lastTransitionTime"));
	return since.len ? since : meta_of(job, "creationTimestamp");
}

struct str explain_event_time(struct json event)
{
	static const char *const keys[] = {"lastTimestamp", "eventTime", "firstTimestamp"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_str(json_get(event, keys[i])).len)
			return json_str(json_get(event, keys[i]));
	return meta_of(event, "creationTimestamp");
}

static struct str message_of(struct json event)
{
	return str_trim(json_str(json_get(event, "message")));
}

/* --- failures ----------------------------------------------------------------------------------- */

static bool last_failure(const struct explain *e, struct pod_failure *ret)
{
	bool any = false;

	for (size_t i = 0; i < e->pods.len; i++) {
		struct pod_failure failure;

		if (!pod_failure_of(e->pods.ptr[i].pod, &failure) ||
		    (any && str_cmp(failure.time, ret->time) <= 0))
			continue;
		*ret = failure;
		any = true;
	}
	if (!any)
		return false;
	pod_failure_add_events(ret, e->facts->events);
	if (!ret->message.len && str_eq(ret->pod, e->facts->output_pod))
		ret->message = e->facts->output;
	return true;
}

struct pod_problem_facts explain_problem_facts(const struct explain *e)
{
	return (struct pod_problem_facts){.events = e->facts->events,
					  .nodes = e->facts->nodes,
					  .now = e->facts->now,
					  .output_pod = e->facts->output_pod,
					  .output = e->facts->output};
}

static void put_failure(const struct pod_failure *failure, struct buf *to)
{
	buf_printf(to, "pod %.*s", STR_ARG(failure->pod));
	pod_failure_put_container(failure, to);
	buf_putc(to, ' ');
	pod_failure_print(failure, to);
}

/* "; restarted twice; pod x failed with exit code 3" */
static void put_history(const struct explain *e, struct buf *to)
{
	int64_t retries = json_int(status_of(e->facts->job, "retryCount"));
	struct pod_failure failure;

	if (retries == 1)
		buf_puts(to, "; it was restarted once");
	else if (retries > 1)
		buf_printf(to, "; it was restarted %lld times", (long long)retries);
	if (last_failure(e, &failure)) {
		buf_puts(to, "; ");
		put_failure(&failure, to);
	}
}

/* --- the line ----------------------------------------------------------------------------------- */

static void line_waits(struct explain *e, struct buf *to)
{
	const struct reason *first;

	explain_find_reasons(e);
	first = &e->reasons.ptr[0];
	e->advice = first->help;
	buf_printf(to, "%.*s: %.*s", STR_ARG(e->name), STR_ARG(str_trim(first->text)));
	buf_puts(to, " (for ");
	put_age(e, first->since.len ? first->since : explain_phase_since(e->facts->job), to);
	if (e->reasons.len > 1)
		buf_printf(to, "; %zu more reason%s below", e->reasons.len - 1,
			   e->reasons.len > 2 ? "s" : "");
	buf_putc(to, ')');
	if (!str_is(first->code, "CrashLoop") && !str_is(first->code, "DependencyFailed"))
		put_history(e, to);
}

/* A pod of it that runs fails again and again, cannot start, or is on a node that does not answer. */
static bool line_problem(struct explain *e, struct buf *to)
{
	struct pod_problem_facts facts = explain_problem_facts(e);
	struct pod_problem problem;
	struct json job = e->facts->job;

	if (!pod_problem_find(&e->pods, &facts, e->arena, &problem))
		return false;
	e->advice = problem.advice;
	buf_printf(to, "%.*s: %.*s (%lld of ", STR_ARG(e->name), STR_ARG(problem.text),
		   (long long)json_int(status_of(job, "running")));
	put_pods(replicas(job), to);
	buf_puts(to, " running)");
	return true;
}

static bool has_readiness_probe(struct json pod, struct str container)
{
	struct json_iter it = json_iter(spec_of(pod, "containers"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), container))
			return json_is(json_get(it.value, "readinessProbe"), JSON_OBJ);
	return false;
}

/* Does a container run whose readiness probe has not succeeded? */
static bool is_unready(struct json pod)
{
	struct json_iter it = json_iter(status_of(pod, "containerStatuses"));

	while (json_next(&it))
		if (json_is(json_get(json_get(it.value, "state"), "running"), JSON_OBJ) &&
		    !json_bool(json_get(it.value, "ready")) &&
		    has_readiness_probe(pod, json_str(json_get(it.value, "name"))))
			return true;
	return false;
}

/* ", 2 not ready (readiness probe)"; false: all are ready. */
static bool put_unready(const struct explain *e, struct buf *to)
{
	int64_t count = 0;

	for (size_t i = 0; i < e->pods.len; i++)
		count += is_unready(e->pods.ptr[i].pod);
	if (count)
		buf_printf(to, ", %lld not ready (the readiness probe fails)", (long long)count);
	return count > 0;
}

static void line_runs(struct explain *e, struct buf *to)
{
	struct json job = e->facts->job;
	int64_t waiting = json_int(status_of(job, "pending"));
	struct pod_failure failure;

	if (line_problem(e, to))
		return;
	buf_printf(to, "%.*s has been running for ", STR_ARG(e->name));
	put_age(e, explain_phase_since(job), to);
	buf_printf(to, ": %lld of ", (long long)json_int(status_of(job, "running")));
	put_pods(replicas(job), to);
	buf_puts(to, json_int(status_of(job, "running")) == 1 ? " runs" : " run");
	if (json_int(status_of(job, "succeeded")))
		buf_printf(to, ", %lld done", (long long)json_int(status_of(job, "succeeded")));
	if (json_int(status_of(job, "failed")))
		buf_printf(to, ", %lld failed", (long long)json_int(status_of(job, "failed")));
	if (waiting > 0 && explain_find_some(e)) {
		buf_printf(to, ", %lld wait%s: %.*s", (long long)waiting, waiting == 1 ? "s" : "",
			   STR_ARG(str_trim(e->reasons.ptr[0].text)));
		e->advice = e->reasons.ptr[0].help;
	}
	if (!e->advice.len && put_unready(e, to))
		e->advice = STR("Wait until the program answers its readiness probe, or correct "
				"the probe");
	put_history(e, to);
	if (!e->advice.len && json_int(status_of(job, "failed")) && last_failure(e, &failure))
		e->advice = str_from(pod_failure_advice(&failure));
}

/* The controller clears its counts when a job has ended: then the pods that are left show them. */
static int64_t succeeded(const struct explain *e)
{
	int64_t counted = json_int(status_of(e->facts->job, "succeeded"));
	int64_t seen = 0;

	for (size_t i = 0; i < e->pods.len; i++)
		seen += str_is(json_str(status_of(e->pods.ptr[i].pod, "phase")), "Succeeded");
	return counted > seen ? counted : seen;
}

static void line_completed(struct explain *e, struct buf *to)
{
	struct json job = e->facts->job;

	buf_printf(to, "%.*s completed ", STR_ARG(e->name));
	put_age(e, explain_phase_since(job), to);
	buf_printf(to, " ago: %lld of ", (long long)succeeded(e));
	put_pods(replicas(job), to);
	buf_puts(to, " succeeded");
	put_history(e, to);
}

static void line_failed(struct explain *e, struct buf *to)
{
	struct str message = json_str(json_get(status_of(e->facts->job, "state"), "message"));
	struct pod_failure failure;
	int64_t retries = json_int(status_of(e->facts->job, "retryCount"));
	int64_t allowed = json_int(spec_of(e->facts->job, "maxRetry"));
	struct reason rejected;

	buf_printf(to, "%.*s failed ", STR_ARG(e->name));
	put_age(e, explain_phase_since(e->facts->job), to);
	buf_puts(to, " ago");
	if (last_failure(e, &failure)) {
		buf_puts(to, ": ");
		put_failure(&failure, to);
		e->advice = str_from(pod_failure_advice(&failure));
		if (succeeded(e))
			buf_printf(to, "; %lld of %lld pods succeeded", (long long)succeeded(e),
				   (long long)replicas(e->facts->job));
	} else if (explain_find_rejected(e, &rejected)) {
		buf_printf(to, ": %.*s", STR_ARG(rejected.text));
		e->advice = rejected.help;
	} else if (message.len) {
		buf_printf(to, ": %.*s", STR_ARG(message));
	}
	/* The last retry is counted, but not run. */
	if (retries && allowed && retries >= allowed)
		buf_printf(to, "; it ran %lld time%s, and no retries are left", (long long)retries,
			   retries == 1 ? "" : "s");
	else if (retries)
		buf_printf(to, "; it had been restarted %lld time%s", (long long)retries,
			   retries == 1 ? "" : "s");
}

static void line_aborted(struct explain *e, struct buf *to)
{
	struct pod_failure failure;

	if (phase_may_abort(e->facts->job) && last_failure(e, &failure)) {
		buf_printf(to, "%.*s was stopped ", STR_ARG(e->name));
		put_age(e, explain_phase_since(e->facts->job), to);
		buf_puts(to, " ago, as its policy (AbortJob) says: ");
		put_failure(&failure, to);
		e->advice =
			str_from(arena_printf(e->arena, "%s; `vcctl job resume %.*s` runs it again",
					      pod_failure_advice(&failure), STR_ARG(e->name)));
		return;
	}
	buf_printf(to, "%.*s was suspended ", STR_ARG(e->name));
	put_age(e, explain_phase_since(e->facts->job), to);
	buf_printf(to, " ago; `vcctl job resume %.*s` runs it again", STR_ARG(e->name));
	put_history(e, to);
}

/* Anything that takes a moment, and anything unknown. */
static void line_other(struct explain *e, struct buf *to)
{
	buf_printf(to, "%.*s has been %.*s for ", STR_ARG(e->name),
		   STR_ARG(e->phase.len ? e->phase : STR("new")));
	put_age(e, explain_phase_since(e->facts->job), to);
	put_history(e, to);
}

static const struct {
	const char *phase;
	void (*line)(struct explain *e, struct buf *to);
	size_t colour; /* offset of it in the facts */
} lines[] = {
	{"", line_waits, offsetof(struct explain_facts, busy)},
	{"Pending", line_waits, offsetof(struct explain_facts, busy)},
	{"Running", line_runs, offsetof(struct explain_facts, good)},
	{"Completed", line_completed, offsetof(struct explain_facts, good)},
	{"Failed", line_failed, offsetof(struct explain_facts, bad)},
	{"Terminated", line_failed, offsetof(struct explain_facts, bad)},
	{"Aborted", line_aborted, offsetof(struct explain_facts, busy)},
};

static void put_line(struct explain *e, struct buf *to)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		if (!str_is(e->phase, lines[i].phase))
			continue;
		buf_puts(to, *(const char *const *)(const void *)((const char *)e->facts +
								  lines[i].colour));
		lines[i].line(e, to);
		buf_puts(to, e->facts->plain);
		return;
	}
	line_other(e, to);
}

/* --- the detail --------------------------------------------------------------------------------- */

/* A group also says what quotas count: the same amounts under more names, and the number of its pods. */
static bool is_for_quotas(struct str resource)
{
	return str_is(resource, "pods") || str_starts(resource, STR("count/")) ||
	       str_starts(resource, STR("requests.")) || str_starts(resource, STR("limits."));
}

static void put_needs(struct json list, struct buf *to)
{
	struct json_iter it = json_iter(list);
	const char *before = "\n  needs   ";

	while (json_next(&it)) {
		if (is_for_quotas(it.key))
			continue;
		buf_printf(to, "%s%.*s ", before, STR_ARG(it.key));
		before = ", ";
		if (json_is(it.value, JSON_STR))
			buf_put_str(to, json_str(it.value));
		else
			json_print(it.value, JSON_COMPACT, to);
	}
}

static void put_gang(const struct explain *e, struct buf *to)
{
	struct json job = e->facts->job;

	buf_printf(to, "  phase   %.*s since ", STR_ARG(e->phase.len ? e->phase : STR("(none)")));
	buf_put_str(to, explain_phase_since(job));
	buf_printf(to, "\n  queue   %.*s", STR_ARG(json_str(spec_of(job, "queue"))));
	if (!json_is_absent(e->facts->queue))
		buf_printf(to, " (%.*s, weight %lld)",
			   STR_ARG(json_str(status_of(e->facts->queue, "state"))),
			   (long long)json_int(spec_of(e->facts->queue, "weight")));
	buf_printf(to, "\n  gang    %lld of ", (long long)json_int(spec_of(job, "minAvailable")));
	put_pods(replicas(job), to);
	buf_puts(to, " must run at the same time");
	put_needs(spec_of(e->facts->group, "minResources"), to);
	buf_putc(to, '\n');
}

static void put_reasons(const struct explain *e, struct buf *to)
{
	if (!e->reasons.len)
		return;
	buf_printf(to, "\n%sWhat it waits for%s\n", e->facts->bold, e->facts->plain);
	for (size_t i = 0; i < e->reasons.len; i++) {
		const struct reason *reason = &e->reasons.ptr[i];

		buf_printf(to, "  %zu. %.*s\n     %s", i + 1, STR_ARG(str_trim(reason->text)),
			   e->facts->faint);
		buf_printf(to, "%.*s", STR_ARG(reason->code));
		if (reason->since.len) {
			buf_printf(to, "%sfor ", reason->code.len ? ", " : "");
			put_age(e, reason->since, to);
		}
		buf_printf(to, "%s\n", e->facts->plain);
		if (reason->help.len && i > 0)
			buf_printf(to, "     what would help: %.*s\n", STR_ARG(reason->help));
	}
}

static void put_pod(const struct explain *e, const struct pod_place *place, struct buf *to)
{
	struct str node = json_str(spec_of(place->pod, "nodeName"));
	struct pod_failure failure;

	buf_printf(to, "  %.*s  %.*s", STR_ARG(place->name),
		   STR_ARG(json_str(status_of(place->pod, "phase"))));
	if (node.len)
		buf_printf(to, " on %.*s", STR_ARG(node));
	if (pod_failure_of(place->pod, &failure)) {
		buf_puts(to, failure.restarted ? ", before that exit code " : ", exit code ");
		buf_put_int(to, failure.exit_code);
		if (failure.reason.len)
			buf_printf(to, " (%.*s)", STR_ARG(failure.reason));
		if (failure.time.len) {
			buf_putc(to, ' ');
			put_age(e, failure.time, to);
			buf_puts(to, " ago");
		}
	}
	buf_putc(to, '\n');
}

static void put_all_pods(const struct explain *e, struct buf *to)
{
	if (!e->pods.len)
		return;
	buf_printf(to, "\n%sPods%s\n", e->facts->bold, e->facts->plain);
	for (size_t i = 0; i < e->pods.len && i < PODS_MAX; i++)
		put_pod(e, &e->pods.ptr[i], to);
	if (e->pods.len > PODS_MAX)
		buf_printf(to, "  and %zu more: vcctl pod list -j %.*s\n", e->pods.len - PODS_MAX,
			   STR_ARG(e->name));
}

/* The newest before `before`; absent: there is no more. */
static struct json event_before(struct json events, struct str before, struct json last)
{
	struct json_iter it = json_iter(events);
	struct json found = JSON_NONE;
	bool passed = json_is_absent(last);

	while (json_next(&it)) {
		struct str time = explain_event_time(it.value);
		int order = json_is_absent(last) ? -1 : str_cmp(time, before);

		if (it.value.val == last.val) {
			passed = true;
			continue;
		}
		if (order > 0 || (order == 0 && !passed))
			continue;
		if (json_is_absent(found) || str_cmp(time, explain_event_time(found)) > 0)
			found = it.value;
	}
	return found;
}

/* The scheduler says so of every pod that has to go for another job. */
static bool is_eviction(struct json event)
{
	return str_is(json_str(json_get(event, "reason")), "Preempted") &&
	       str_is(json_str(json_get(json_get(event, "involvedObject"), "kind")), "Pod");
}

struct evictions VEC_FIELDS(struct json);

/* Text that may name groups of jobs: NAME-UID, of which the name is what people know. */
static void put_named(struct str text, struct buf *to)
{
	size_t from = 0;

	for (size_t i = 0; i + UUID_TEXT_SIZE <= text.len; i++) {
		if (text.ptr[i] != '-' ||
		    !uuid_is_valid(str_slice(text, i + 1, i + UUID_TEXT_SIZE)))
			continue;
		buf_put_str(to, str_slice(text, from, i));
		from = i + UUID_TEXT_SIZE;
		i = from - 1;
	}
	buf_put_str(to, str_skip(text, from));
}

/* The first of the list, with all that went for the same; takes them out. */
static void put_eviction(const struct explain *e, struct evictions *all, struct buf *to)
{
	struct json first = all->ptr[0];
	size_t count = 0, left = 0;

	buf_puts(to, "  ");
	put_age(e, explain_event_time(first), to);
	buf_puts(to, " ago  ");
	for (size_t i = 0; i < all->len; i++) {
		struct json event = all->ptr[i];

		if (!str_eq(message_of(event), message_of(first)))
			all->ptr[left++] = event;
		else if (count++ < NAMES_MAX)
			buf_printf(to, "%s%.*s", count > 1 ? ", " : "",
				   STR_ARG(json_str(
					   json_get(json_get(event, "involvedObject"), "name"))));
	}
	all->len = left;
	if (count > NAMES_MAX)
		buf_printf(to, " and %zu more", count - NAMES_MAX);
	buf_puts(to, ": ");
	put_named(message_of(first), to);
	buf_putc(to, '\n');
}

static int by_time(const void *left, const void *right)
{
	const struct json *a = left, *b = right;
	int order = str_cmp(explain_event_time(*b), explain_event_time(*a));

	return order ? order
		     : str_cmp(json_str(json_get(json_get(*a, "involvedObject"), "name")),
			       json_str(json_get(json_get(*b, "involvedObject"), "name")));
}

/* Apart from what else happened: however much that is, it does not hide these. */
static void put_evictions(const struct explain *e, struct buf *to)
{
	struct json_iter it = json_iter(e->facts->events);
	struct evictions all = {0};

	while (json_next(&it))
		if (is_eviction(it.value))
			vec_push(&all, it.value);
	if (all.len) {
		qsort(all.ptr, all.len, sizeof(*all.ptr), by_time);
		buf_printf(to, "\n%sWhat was evicted, and for whom%s\n", e->facts->bold,
			   e->facts->plain);
	}
	for (size_t i = 0; i < EVICTIONS_MAX && all.len; i++)
		put_eviction(e, &all, to);
	if (all.len)
		buf_printf(to, "  and %zu more before that\n", all.len);
	vec_done(&all);
}

static struct json next_event(const struct explain *e, struct json last)
{
	do
		last = event_before(e->facts->events,
				    json_is_absent(last) ? str_none() : explain_event_time(last),
				    last);
	while (!json_is_absent(last) && is_eviction(last));
	return last;
}

static void put_events(const struct explain *e, struct buf *to)
{
	struct json event = next_event(e, JSON_NONE);

	if (json_is_absent(event))
		return;
	buf_printf(to, "\n%sWhat happened, the latest first%s\n", e->facts->bold, e->facts->plain);
	for (size_t i = 0; i < EVENTS_MAX && !json_is_absent(event); i++) {
		struct json about = json_get(event, "involvedObject");
		int64_t count = json_int(json_get(event, "count"));

		buf_puts(to, "  ");
		put_age(e, explain_event_time(event), to);
		buf_printf(to, " ago  %.*s ", STR_ARG(json_str(json_get(about, "kind"))));
		put_named(json_str(json_get(about, "name")), to);
		buf_printf(to, ": %.*s: ", STR_ARG(json_str(json_get(event, "reason"))));
		put_named(str_trim(json_str(json_get(event, "message"))), to);
		if (count > 1)
			buf_printf(to, " (%lld times)", (long long)count);
		buf_putc(to, '\n');
		event = next_event(e, event);
	}
}

/* --- both --------------------------------------------------------------------------------------- */

static struct explain begin(const struct explain_facts *facts, struct arena *arena)
{
	return (struct explain){
		.facts = facts,
		.arena = arena,
		.pods = pod_places_sort(facts->job, facts->pods, arena),
		.name = meta_of(facts->job, "name"),
		.phase = json_str(json_get(status_of(facts->job, "state"), "phase")),
	};
}

static void end(struct explain *e)
{
	vec_done(&e->reasons);
	wait_reasons_done(&e->reported);
}

void explain_line(const struct explain_facts *facts, struct arena *arena, struct buf *to)
{
	struct explain e = begin(facts, arena);

	put_line(&e, to);
	end(&e);
}

void explain_print(const struct explain_facts *facts, struct arena *arena, struct buf *to)
{
	struct explain e = begin(facts, arena);

	put_line(&e, to);
	if (e.advice.len)
		buf_printf(to, "\nWhat would help: %.*s", STR_ARG(e.advice));
	buf_puts(to, "\n\n");
	put_gang(&e, to);
	put_reasons(&e, to);
	put_all_pods(&e, to);
	put_evictions(&e, to);
	put_events(&e, to);
	end(&e);
}

struct str explain_advice(const struct explain_facts *facts, struct arena *arena)
{
	AUTO(buf_done) struct buf line = BUF_UNBOUNDED;
	struct explain e = begin(facts, arena);
	struct str advice;

	put_line(&e, &line);
	advice = str_from(arena_printf(arena, "%.*s", STR_ARG(e.advice)));
	end(&e);
	return advice;
}

bool explain_find_failure(const struct explain_facts *facts, struct arena *arena,
			  struct pod_failure *ret)
{
	struct explain e = begin(facts, arena);
	bool found = last_failure(&e, ret);

	end(&e);
	return found;
}

void explain_print_deleted(const struct explain_facts *facts, struct str name, struct arena *arena,
			   struct buf *to)
{
	struct explain e = {.facts = facts, .arena = arena, .name = name};
	struct json last = event_before(facts->events, str_none(), JSON_NONE);

	buf_printf(to, "%.*s was deleted. The last record, ", STR_ARG(name));
	put_age(&e, explain_event_time(last), to);
	buf_puts(to, " ago: ");
	if (str_is(message_of(last), "pod group is ready"))
		buf_puts(to, "all pods that it needs to start had a node");
	else
		put_named(message_of(last), to);
	buf_putc(to, '\n');
	put_evictions(&e, to);
	put_events(&e, to);
}
