/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_life.c - decides the next steps of a pod.
 *
 * The rules are those of a kubelet (computePodActions and getPhase), as functions of the current state. Only the
 * steps that were taken and the back-off of restarts are remembered.
 *
 * Always true: each step is returned once per run; nothing is started in a pod that has to end; a pod is finished
 * only when nothing of it runs. */
#include "node/pod/pod_life.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/time.h"

#include "base/banned.h"

#define BACKOFF_FIRST (10 * TIME_SECOND)
#define BACKOFF_MOST (5 * TIME_MINUTE)
#define GRACE_DEFAULT (30 * TIME_SECOND)
#define NEVER INT64_MAX

const char *const life_phase_names[LIFE_PHASE_COUNT] = {"Pending", "Running", "Succeeded",
							"Failed"};

/* --- reading --- */

static int64_t seconds_of(struct json value, int64_t fallback)
{
	return json_is_i64(value) ? time_span(json_int(value)) : fallback;
}

static enum life_restart restart_of(struct str policy)
{
	if (str_is(policy, "Never"))
		return LIFE_NEVER;
	return str_is(policy, "OnFailure") ? LIFE_ON_FAILURE : LIFE_ALWAYS;
}

static void read_container(struct json spec, bool init, struct life_container *ret)
{
	*ret = (struct life_container){
		.init = init,
		.sidecar = init && str_is(json_str(json_get(spec, "restartPolicy")), "Always"),
		.has_startup = !json_is_absent(json_get(spec, "startupProbe")),
		.has_readiness = !json_is_absent(json_get(spec, "readinessProbe")),
		.grace_us = -1,
	};
}

struct life *life_new(struct json pod)
{
	struct json spec = json_get(pod, "spec");
	struct json init = json_get(spec, "initContainers");
	struct json others = json_get(spec, "containers");
	struct life *life = mem_new(struct life);

	life->restart = restart_of(json_str(json_get(spec, "restartPolicy")));
	life->grace_us = seconds_of(json_get(spec, "terminationGracePeriodSeconds"), GRACE_DEFAULT);
	life->deadline_us = seconds_of(json_get(spec, "activeDeadlineSeconds"), 0);
	life->n_init = json_len(init);
	life->n_containers = life->n_init + json_len(others);
	life->containers = mem_calloc(life->n_containers + 1, sizeof(*life->containers));
	for (struct json_iter it = json_iter(init); json_next(&it);)
		read_container(it.value, true, &life->containers[it.index]);
	for (struct json_iter it = json_iter(others); json_next(&it);)
		read_container(it.value, false, &life->containers[life->n_init + it.index]);
	return life;
}

void life_free(struct life *life)
{
	if (!life)
		return;
	mem_free(life->containers);
	mem_free(life);
}

void life_verdict_done(struct life_verdict *verdict)
{
	vec_done(&verdict->steps);
}

/* --- what happens to it --- */

void life_observe(struct life *life, size_t container, const struct record *record, int64_t now)
{
	struct life_container *c = &life->containers[container];
	bool new_run = record->run != c->record.run || c->record.state == RECORD_NEW;

	if (new_run && record->state != RECORD_NEW) {
		c->last_oom = c->oom;
		c->oom = c->unknown = c->stop_requested = c->wants_restart = false;
		c->started = c->ready = false;
	}
	if (record->state != RECORD_NEW)
		c->start_requested = false;
	if (record->state == RECORD_ENDED && (new_run || c->record.state != RECORD_ENDED)) {
		c->ended_at = now;
		c->started = c->ready = false;
	}
	c->record = *record;
}

void life_end_pod(struct life *life, enum life_end end, const char *reason, const char *message)
{
	if (life->end != LIFE_GOES_ON)
		return;
	life->end = end;
	(void)snprintf(life->reason, sizeof(life->reason), "%s", reason);
	(void)snprintf(life->message, sizeof(life->message), "%s", message);
}

void life_delete(struct life *life, int64_t grace_us)
{
	if (life->end == LIFE_GOES_ON)
		life->end = LIFE_DELETED;
	life_hurry(life, grace_us);
}

void life_hurry(struct life *life, int64_t grace_us)
{
	if (grace_us >= life->grace_us)
		return;
	life->grace_us = grace_us;
	for (size_t i = 0; i < life->n_containers; i++)
		life->containers[i].stop_requested = false; /* again, with a shorter grace period */
}

void life_ask_again(struct life *life, size_t container)
{
	struct life_container *c = &life->containers[container];

	c->start_requested = false;
	c->backoff_us = c->backoff_us_before;
	c->backoff_at = c->backoff_at_before;
}

/* --- questions --- */

static bool is_running(const struct life_container *c)
{
	return c->record.state == RECORD_RUNNING || c->start_requested;
}

static bool has_failed(const struct life_container *c)
{
	return c->record.state == RECORD_ENDED &&
	       (c->record.now.exit_code != 0 || c->unknown || c->wants_restart);
}

static bool has_started(const struct life_container *c)
{
	return c->record.state == RECORD_RUNNING && (!c->has_startup || c->started);
}

static bool restarts(const struct life *life, const struct life_container *c)
{
	if (life->end != LIFE_GOES_ON || c->record.state != RECORD_ENDED)
		return false;
	if (c->sidecar || life->restart == LIFE_ALWAYS)
		return c->sidecar || !c->init || has_failed(c);
	return life->restart == LIFE_ON_FAILURE && has_failed(c);
}

static bool any_running(const struct life *life, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (is_running(&life->containers[i]))
			return true;
	return false;
}

/* The main containers have started: init containers are complete. */
static bool others_begun(const struct life *life)
{
	for (size_t i = life->n_init; i < life->n_containers; i++)
		if (life->containers[i].record.state != RECORD_NEW ||
		    life->containers[i].start_requested)
			return true;
	return false;
}

/* No main container runs or will run again. */
static bool others_done(const struct life *life)
{
	for (size_t i = life->n_init; i < life->n_containers; i++) {
		const struct life_container *c = &life->containers[i];

		if (c->record.state != RECORD_ENDED || c->start_requested || restarts(life, c))
			return false;
	}
	return true;
}

static bool init_failed(const struct life *life)
{
	for (size_t i = 0; i < life->n_init; i++) {
		const struct life_container *c = &life->containers[i];

		if (!c->sidecar && !c->start_requested && has_failed(c) && !restarts(life, c))
			return true;
	}
	return false;
}

bool life_is_initialized(const struct life *life)
{
	if (others_begun(life))
		return true;
	for (size_t i = 0; i < life->n_init; i++) {
		const struct life_container *c = &life->containers[i];

		if (c->sidecar ? !has_started(c) : c->record.state != RECORD_ENDED || has_failed(c))
			return false;
	}
	return true;
}

bool life_is_ready(const struct life *life, size_t container)
{
	const struct life_container *c = &life->containers[container];

	if (c->init && !c->sidecar)
		return c->record.state == RECORD_ENDED && !has_failed(c);
	return has_started(c) && (!c->has_readiness || c->ready);
}

/* --- deciding --- */

static void request_stop(struct life *life, struct life_verdict *verdict, size_t i)
{
	struct life_container *c = &life->containers[i];
	int64_t grace = c->wants_restart && c->grace_us >= 0 ? c->grace_us : life->grace_us;

	if (!is_running(c) || c->stop_requested)
		return;
	c->stop_requested = true;
	vec_push(&verdict->steps,
		 (struct life_step){.verb = LIFE_STOP, .container = i, .grace_us = grace});
}

static void request_start(struct life *life, struct life_verdict *verdict, size_t i)
{
	struct life_container *c = &life->containers[i];
	unsigned run = c->record.state == RECORD_NEW ? 0 : c->record.run + 1;

	c->start_requested = true;
	vec_push(&verdict->steps,
		 (struct life_step){.verb = LIFE_START, .container = i, .run = run});
}

/* When a container that has ended may be restarted. A container that ran long enough, or was never restarted, need
 * not wait. */
static int64_t restart_at(const struct life_container *c)
{
	if (!c->backoff_us || c->ended_at - c->backoff_at > 2 * BACKOFF_MOST)
		return c->ended_at;
	return c->ended_at + c->backoff_us;
}

static void restart(struct life *life, struct life_verdict *verdict, size_t i, int64_t now)
{
	struct life_container *c = &life->containers[i];
	int64_t due = restart_at(c);

	if (due > now) {
		if (due < verdict->wake)
			verdict->wake = due;
		return;
	}
	c->backoff_us_before = c->backoff_us;
	c->backoff_at_before = c->backoff_at;
	if (!c->backoff_us || c->ended_at - c->backoff_at > 2 * BACKOFF_MOST)
		c->backoff_us = BACKOFF_FIRST;
	else
		c->backoff_us = c->backoff_us * 2 < BACKOFF_MOST ? c->backoff_us * 2 : BACKOFF_MOST;
	c->backoff_at = now;
	request_start(life, verdict, i);
}

/* Starts or restarts a container, or stops it because of a probe. */
static void keep_up(struct life *life, struct life_verdict *verdict, size_t i, int64_t now)
{
	struct life_container *c = &life->containers[i];

	if (c->start_requested)
		return;
	if (c->record.state == RECORD_NEW)
		request_start(life, verdict, i);
	else if (c->record.state == RECORD_RUNNING && c->wants_restart)
		request_stop(life, verdict, i);
	else if (restarts(life, c))
		restart(life, verdict, i, now);
}

/* True when the main containers may run. */
static bool advance_init(struct life *life, struct life_verdict *verdict, int64_t now)
{
	bool begun = others_begun(life);

	for (size_t i = 0; i < life->n_init; i++) {
		struct life_container *c = &life->containers[i];

		if (begun && !c->sidecar)
			continue;
		if (!c->sidecar && c->record.state == RECORD_ENDED && !c->start_requested &&
		    !has_failed(c))
			continue;
		keep_up(life, verdict, i, now);
		if (!begun && !(c->sidecar && has_started(c)))
			return false;
	}
	return true;
}

/* The last sidecar first; each after those that were started after it have ended. */
static void stop_sidecars(struct life *life, struct life_verdict *verdict)
{
	for (size_t i = life->n_init; i-- > 0;) {
		if (!is_running(&life->containers[i]))
			continue;
		request_stop(life, verdict, i);
		return;
	}
}

static void stop_all(struct life *life, struct life_verdict *verdict)
{
	for (size_t i = life->n_init; i < life->n_containers; i++)
		request_stop(life, verdict, i);
	if (!any_running(life, life->n_init, life->n_containers))
		stop_sidecars(life, verdict);
}

static void check_deadline(struct life *life, struct life_verdict *verdict, int64_t now)
{
	bool past = false;

	for (size_t i = 0; i < life->n_containers; i++)
		past = past || life->containers[i].record.now.deadline;
	if (!life->deadline_us || life->end != LIFE_GOES_ON)
		return;
	if (past || (!life->deadline_kept && now >= life->started_at + life->deadline_us))
		life_end_pod(life, LIFE_DEADLINE, "DeadlineExceeded",
			     "Pod was active on the node longer than the specified deadline");
	else if (!life->deadline_kept && life->started_at + life->deadline_us < verdict->wake)
		verdict->wake = life->started_at + life->deadline_us;
}

void life_decide(struct life *life, int64_t now, struct life_verdict *ret)
{
	vec_clear(&ret->steps);
	ret->wake = NEVER;
	check_deadline(life, ret, now);
	if (life->end != LIFE_GOES_ON) {
		stop_all(life, ret);
	} else if (init_failed(life) || others_done(life)) {
		stop_sidecars(life, ret);
	} else if (advance_init(life, ret, now)) {
		for (size_t i = life->n_init; i < life->n_containers; i++)
			keep_up(life, ret, i, now);
	}
	ret->finished = !any_running(life, 0, life->n_containers) &&
			(life->end != LIFE_GOES_ON || init_failed(life) || others_done(life));
	if (ret->finished)
		ret->wake = NEVER;
}

/* --- how it is seen --- */

void life_view(const struct life *life, size_t container, int64_t now, struct life_view *ret)
{
	const struct life_container *c = &life->containers[container];
	const struct record *record = &c->record;

	*ret = (struct life_view){
		.ready = life_is_ready(life, container),
		.started = has_started(c),
		.restarts = record->run,
		.now = record->now,
		.last = record->last,
		.has_last = record->run > 0,
		.oom = c->oom,
		.last_oom = c->last_oom,
	};
	if (record->state == RECORD_RUNNING) {
		ret->state = LIFE_STATE_RUNNING;
	} else if (record->state == RECORD_NEW) {
		ret->state = LIFE_STATE_WAITING;
		ret->reason = life->n_init ? "PodInitializing" : "ContainerCreating";
	} else if (restarts(life, c) && !c->start_requested && restart_at(c) > now) {
		ret->state = LIFE_STATE_WAITING;
		ret->reason = "CrashLoopBackOff";
		ret->backoff_us = c->backoff_us;
		ret->has_last = true;
		ret->last = record->now;
		ret->last_oom = c->oom;
	} else {
		ret->state = LIFE_STATE_TERMINATED;
	}
}

/* Of main containers: how many run, have ended, have succeeded, have not started. */
struct tally {
	size_t running, ended, good, waiting;
};

static struct tally count_others(const struct life *life)
{
	struct tally tally = {0};

	for (size_t i = life->n_init; i < life->n_containers; i++) {
		const struct life_container *c = &life->containers[i];

		tally.running += c->record.state == RECORD_RUNNING;
		tally.waiting += c->record.state == RECORD_NEW;
		tally.ended += c->record.state == RECORD_ENDED;
		tally.good += c->record.state == RECORD_ENDED && !has_failed(c);
	}
	return tally;
}

enum life_phase life_phase(const struct life *life)
{
	struct tally tally = count_others(life);
	bool running = any_running(life, 0, life->n_containers);

	if (life->end == LIFE_REFUSED)
		return LIFE_FAILED;
	if (life->end == LIFE_DEADLINE || life->end == LIFE_EVICTED)
		return running ? (tally.waiting ? LIFE_PENDING : LIFE_RUNNING) : LIFE_FAILED;
	if (init_failed(life))
		return running ? LIFE_PENDING : LIFE_FAILED;
	if (life->end == LIFE_DELETED && !running)
		return tally.ended && tally.good == life->n_containers - life->n_init
			       ? LIFE_SUCCEEDED
			       : LIFE_FAILED;
	if (!life_is_initialized(life) || tally.waiting)
		return LIFE_PENDING;
	if (tally.running || !others_done(life) || running)
		return LIFE_RUNNING;
	return tally.good == tally.ended ? LIFE_SUCCEEDED : LIFE_FAILED;
}
