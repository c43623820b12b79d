/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_probes.c - probes and hooks of a pod's containers.
 *
 * A probe runs periodically as long as a run of the container lasts; a result counts when it came as many times in
 * a row as its threshold says. The startup probe runs first; the others wait until it has passed. pod_life decides
 * what results mean. A hook runs once: postStart when a run has begun, and its failure ends the run; preStop
 * before the container is stopped, within the grace period.
 *
 * Always true: an answer counts only for the request that it belongs to, and only while that run lasts. */
#include <stdio.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "node/agent/agent_internal.h"
#include "node/agent/network_probe.h"
#include "node/runtime/agent_runtime.h"
#include "pod/pod_messages.h"

#include "base/banned.h"

#define ANSWER_DELAY (2 * TIME_SECOND)
#define GRACE_LEAST (2 * TIME_SECOND) /* grace period that a preStop hook leaves at least */

enum kind { STARTUP, LIVENESS, READINESS, POST_START, PRE_STOP, KIND_COUNT };

static const struct {
	const char *field; /* in the container, or in its lifecycle */
	const char *name;
} kinds[KIND_COUNT] = {
	[STARTUP] = {"startupProbe", "Startup"},       [LIVENESS] = {"livenessProbe", "Liveness"},
	[READINESS] = {"readinessProbe", "Readiness"}, [POST_START] = {"postStart", "PostStart"},
	[PRE_STOP] = {"preStop", "PreStop"},
};

struct probe {
	struct agent_pod *pod;
	size_t container;
	enum kind kind;
	bool running;  /* it belongs to the current run, and has not ended */
	bool asking;   /* a command is running */
	bool doubtful; /* its answer may have been lost */
	uint64_t id;   /* id of that command */
	unsigned good; /* in a row */
	unsigned bad;
	int64_t stop_at; /* of preStop: the end of the grace period */
	struct network_probe *check;
	struct loop_timer *timer;
};

struct agent_probes {
	size_t len;
	struct probe *list; /* KIND_COUNT per container */
	uint64_t last_id;
	unsigned *runs; /* per container: the run whose probes are active, + 1; 0: none */
};

static struct json spec_of(const struct probe *probe)
{
	struct json container = agent_container(probe->pod, probe->container);

	if (probe->kind >= POST_START)
		container = json_get(container, "lifecycle");
	return json_get(container, kinds[probe->kind].field);
}

static int64_t seconds_of(const struct probe *probe, const char *field, int64_t fallback)
{
	struct json value = json_get(spec_of(probe), field);

	return time_span(json_is_i64(value) && json_int(value) >= 0 ? json_int(value) : fallback);
}

static unsigned times_of(const struct probe *probe, const char *field, unsigned fallback)
{
	int64_t value = json_int(json_get(spec_of(probe), field));

	return value > 0 ? (unsigned)value : fallback;
}

static int64_t timeout_of(const struct probe *probe)
{
	return probe->kind < POST_START ? seconds_of(probe, "timeoutSeconds", 1)
					: probe->pod->life->grace_us;
}

/* --- asking --- */

static void answered(struct probe *probe, bool passed, struct str text);

static void on_check(void *arg, bool passed, struct str text)
{
	struct probe *probe = arg;

	answered(probe, passed, text);
}

struct args {
	VEC(struct str) words;
};

/* Adds the words with which a runtime runs a command in a container, if containers run in images. */
static void add_runtime(const struct agent_pod *pod, size_t container, struct arena *arena,
			struct args *args)
{
	const struct agent_runtime *runtime = agent_sandboxes_runtime(pod->agent->sandboxes);
	struct str words[AGENT_RUNTIME_WORDS];
	size_t count = 0;

	if (runtime)
		count = agent_runtime_exec(
			runtime, pod, json_str(json_get(agent_container(pod, container), "name")),
			arena, words);
	for (size_t i = 0; i < count; i++)
		vec_push(&args->words, words[i]);
}

static void ask(struct probe *probe)
{
	struct agent_pod *pod = probe->pod;
	struct json spec = spec_of(probe);
	struct json command = json_get(json_get(spec, "exec"), "command");
	int64_t timeout = timeout_of(probe);

	network_probe_free(TAKE(probe->check));
	if (json_is_absent(json_get(spec, "exec"))) {
		probe->check = network_probe_new(
			pod->agent->loop,
			&(struct network_probe_request){
				.action = spec,
				.container = agent_container(pod, probe->container),
				.address = pod->pod_ip,
				.timeout_us = timeout},
			on_check, probe);
		return;
	}
	if (pod->supervisor) {
		AUTO(arena_free) struct arena *arena = arena_new(0);
		struct args args = {0};

		add_runtime(pod, probe->container, arena, &args);
		for (struct json_iter it = json_iter(command); json_next(&it);)
			vec_push(&args.words, json_str(it.value));
		probe->id = ++pod->probes->last_id;
		probe->asking = true;
		probe->doubtful = false;
		/* As with a kubelet, the command of a postStart hook has no time limit. */
		supervisor_exec(pod->supervisor, probe->id, probe->container,
				probe->kind == POST_START ? 0 : timeout, args.words.ptr,
				args.words.len);
		vec_done(&args.words);
	}
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct probe *probe = arg;

	(void)timer;
	if (!probe->running)
		return;
	if (probe->asking && probe->doubtful) { /* the answer would have arrived by now */
		probe->asking = false;
		if (probe->kind < POST_START)
			ask(probe);
		else
			answered(probe, true, STR(""));
		return;
	}
	if (probe->kind == PRE_STOP && json_is(json_get(spec_of(probe), "sleep"), JSON_OBJ))
		answered(probe, true, STR(""));
	else if (!probe->asking)
		ask(probe);
}

/* --- hearing --- */

static void report_failure(const struct probe *probe, const char *reason, struct str text)
{
	struct recorder_object object =
		recorder_object_of(json_doc_root(probe->pod->doc), STR("v1"), STR("Pod"));

	recorder_eventf(probe->pod->agent->recorder, &object, "Warning", reason,
			probe->kind < POST_START ? "%s probe failed: %.*s" : "%s hook failed: %.*s",
			kinds[probe->kind].name, STR_ARG(text));
}

static void stop_now(struct probe *probe)
{
	int64_t left = probe->stop_at - loop_uptime(probe->pod->agent->loop);

	if (probe->pod->supervisor)
		supervisor_stop(probe->pod->supervisor, probe->container,
				left > GRACE_LEAST ? left : GRACE_LEAST);
}

static void start_probe(struct agent_pod *pod, size_t container, enum kind kind);

/* A threshold was reached. */
static void apply(struct probe *probe, bool passed)
{
	struct life_container *c = &probe->pod->life->containers[probe->container];

	if (probe->kind == READINESS) {
		c->ready = passed;
	} else if (!passed) {
		c->wants_restart = true;
		c->grace_us = seconds_of(probe, "terminationGracePeriodSeconds",
					 probe->pod->life->grace_us / TIME_SECOND);
		probe->running = false;
	} else if (probe->kind == STARTUP) {
		probe->running = false;
		c->started = true;
		start_probe(probe->pod, probe->container, LIVENESS);
		start_probe(probe->pod, probe->container, READINESS);
	}
	agent_pod_touch(probe->pod);
}

static void hook_answered(struct probe *probe, bool passed, struct str text)
{
	struct life_container *c = &probe->pod->life->containers[probe->container];

	probe->running = false;
	if (!passed)
		report_failure(probe,
			       probe->kind == POST_START ? "FailedPostStartHook"
							 : "FailedPreStopHook",
			       text);
	if (probe->kind == PRE_STOP)
		stop_now(probe);
	else if (!passed)
		c->wants_restart = true;
	agent_pod_touch(probe->pod);
}

static void answered(struct probe *probe, bool passed, struct str text)
{
	probe->asking = false;
	if (!probe->running)
		return;
	if (probe->kind >= POST_START) {
		hook_answered(probe, passed, text);
		return;
	}
	loop_timer_set(probe->timer, seconds_of(probe, "periodSeconds", 10));
	probe->good = passed ? probe->good + 1 : 0;
	probe->bad = passed ? 0 : probe->bad + 1;
	if (!passed)
		report_failure(probe, "Unhealthy", text);
	if (probe->good >= times_of(probe, "successThreshold", 1))
		apply(probe, true);
	else if (probe->bad >= times_of(probe, "failureThreshold", 3))
		apply(probe, false);
}

/* Why a command failed. The event of a probe has what the command printed, as that of a kubelet; the exit code
 * comes first for a hook, and alone for a command that printed nothing. */
static struct str failure_of(const struct probe *probe, int code, struct str output,
			     struct arena *arena)
{
	struct str text = str_trim(output);

	if (code == POD_EXEC_TIMED_OUT)
		return STR("command timed out");
	if (code == POD_EXEC_NOT_STARTED || (text.len && probe->kind < POST_START))
		return output;
	return str_from(arena_printf(arena, "command exited with code %d%s%.*s", code,
				     text.len ? ": " : "", STR_ARG(text)));
}

void agent_probes_done(struct agent_pod *pod, uint64_t id, int code, struct str output)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; pod->probes && i < pod->probes->len; i++) {
		struct probe *probe = &pod->probes->list[i];

		if (!probe->asking || probe->id != id)
			continue;
		answered(probe, code == 0, failure_of(probe, code, output, arena));
		return;
	}
}

void agent_probes_found(struct agent_pod *pod)
{
	for (size_t i = 0; pod->probes && i < pod->probes->len; i++) {
		struct probe *probe = &pod->probes->list[i];

		if (!probe->running || !probe->asking)
			continue;
		probe->doubtful = true;
		loop_timer_set(probe->timer, timeout_of(probe) + ANSWER_DELAY);
	}
}

bool agent_probes_is_stopping(const struct agent_pod *pod, size_t container)
{
	return pod->probes && pod->probes->list[container * KIND_COUNT + PRE_STOP].running;
}

/* --- runs --- */

static void start_probe(struct agent_pod *pod, size_t container, enum kind kind)
{
	struct probe *probe = &pod->probes->list[container * KIND_COUNT + kind];

	if (json_is_absent(spec_of(probe)))
		return;
	if (!probe->timer)
		probe->timer = loop_timer_new(pod->agent->loop, on_timer, probe);
	probe->running = true;
	probe->asking = false;
	probe->good = probe->bad = 0;
	loop_timer_set(probe->timer,
		       kind < POST_START ? seconds_of(probe, "initialDelaySeconds", 0) : 0);
}

static void stop_probes(struct agent_pod *pod, size_t container)
{
	for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
		struct probe *probe = &pod->probes->list[container * KIND_COUNT + kind];

		probe->running = probe->asking = false;
		network_probe_free(TAKE(probe->check));
		if (probe->timer)
			loop_timer_stop(probe->timer);
	}
	pod->probes->runs[container] = 0;
}

static bool has_any(const struct agent_pod *pod)
{
	for (size_t i = 0; i < pod->life->n_containers; i++) {
		struct json container = agent_container(pod, i);

		if (!json_is_absent(json_get(container, "lifecycle")))
			return true;
		for (unsigned kind = 0; kind < POST_START; kind++)
			if (!json_is_absent(json_get(container, kinds[kind].field)))
				return true;
	}
	return false;
}

struct agent_probes *agent_probes_new(struct agent_pod *pod)
{
	struct agent_probes *probes;

	if (!has_any(pod))
		return NULL;
	probes = mem_new(struct agent_probes);
	probes->len = pod->life->n_containers * KIND_COUNT;
	probes->list = mem_calloc(probes->len + 1, sizeof(*probes->list));
	probes->runs = mem_calloc(pod->life->n_containers + 1, sizeof(*probes->runs));
	for (size_t i = 0; i < probes->len; i++)
		probes->list[i] = (struct probe){.pod = pod,
						 .container = i / KIND_COUNT,
						 .kind = (enum kind)(i % KIND_COUNT)};
	return probes;
}

void agent_probes_free(struct agent_probes *probes)
{
	if (!probes)
		return;
	for (size_t i = 0; i < probes->len; i++) {
		network_probe_free(probes->list[i].check);
		loop_timer_free(probes->list[i].timer);
	}
	mem_free(probes->list);
	mem_free(probes->runs);
	mem_free(probes);
}

void agent_probes_follow(struct agent_pod *pod)
{
	for (size_t i = 0; pod->probes && i < pod->life->n_containers; i++) {
		struct life_container *c = &pod->life->containers[i];
		unsigned run = c->record.state == RECORD_RUNNING ? c->record.run + 1 : 0;

		if (pod->probes->runs[i] == run)
			continue;
		stop_probes(pod, i);
		pod->probes->runs[i] = run;
		if (!run)
			continue;
		if (!pod->adopted)
			start_probe(pod, i, POST_START);
		if (c->has_startup && !c->started) {
			start_probe(pod, i, STARTUP);
		} else {
			start_probe(pod, i, LIVENESS);
			start_probe(pod, i, READINESS);
		}
	}
}

bool agent_probes_stop(struct agent_pod *pod, size_t container, int64_t grace_us)
{
	struct probe *probe =
		pod->probes ? &pod->probes->list[container * KIND_COUNT + PRE_STOP] : NULL;

	if (!probe || grace_us <= 0 || json_is_absent(spec_of(probe)))
		return false;
	probe->stop_at = loop_uptime(pod->agent->loop) + grace_us;
	if (probe->running) { /* the grace period was shortened */
		stop_now(probe);
		probe->running = false;
		return true;
	}
	start_probe(pod, container, PRE_STOP);
	if (json_is(json_get(spec_of(probe), "sleep"), JSON_OBJ))
		loop_timer_set(probe->timer,
			       time_span(json_int(
				       json_get(json_get(spec_of(probe), "sleep"), "seconds"))));
	return true;
}
