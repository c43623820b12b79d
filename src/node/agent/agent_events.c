/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_events.c - events of a pod's containers, from its supervisor, or from what the supervisor has
 * recorded if it has ended.
 *
 * This file only records them in the pod's life (pod_life.h); agent_pod.c decides later in the same turn what
 * follows. Always true: all processes of a supervisor that has ended are ended before anything is started again. */
#include <stdio.h>

#include "base/mem.h"
#include "base/time.h"
#include "node/agent/agent_internal.h"
#include "node/pod/remains.h"
#include "node/runtime/agent_runtime.h"

#include "base/banned.h"

/* How long the write that containers run is delayed: the more pods there are, the longer each takes to end. */
#define HOLD_RUNNING (5 * TIME_MILLISECOND)
#define HOLD_RUNNING_A_POD (TIME_MILLISECOND)
#define HOLD_RUNNING_MOST (100 * TIME_MILLISECOND)

/* A run has ended: reads its termination message, and whether it ran out of memory. */
static void note_end(struct agent_pod *pod, size_t container)
{
	struct life_container *c = &pod->life->containers[container];
	struct str name = json_str(json_get(agent_container(pod, container), "name"));

	if (c->record.now.start_failed)
		return;
	c->oom = agent_groups_ran_out(agent_sandboxes_groups(pod->agent->sandboxes), pod, container,
				      name) &&
		 c->record.now.exit_code != 0;
	mem_free(pod->messages[container]);
	pod->messages[container] = agent_read_message(pod, container, c->record.now.exit_code != 0);
}

static void observe(struct agent_pod *pod, size_t container, const struct record *record)
{
	const struct record *before = &pod->life->containers[container].record;
	bool ended = record->state == RECORD_ENDED &&
		     (before->state != RECORD_ENDED || before->run != record->run);

	life_observe(pod->life, container, record, loop_uptime(pod->agent->loop));
	if (agent_sandboxes_runtime(pod->agent->sandboxes))
		agent_runtime_note_end(agent_sandboxes_runtime(pod->agent->sandboxes), pod,
				       container);
	if (ended)
		note_end(pod, container);
}

/* Only for the first run of a container: restarts are written at once. */
static void hold_running(struct agent_pod *pod, const struct record *record)
{
	int64_t hold = HOLD_RUNNING + (int64_t)pod->agent->starting * HOLD_RUNNING_A_POD;

	if (record->run == 0 && !pod->adopted)
		pod->hold_until = loop_uptime(pod->agent->loop) +
				  (hold < HOLD_RUNNING_MOST ? hold : HOLD_RUNNING_MOST);
}

void agent_pod_set_addresses(struct agent_pod *pod, struct str own, struct str host)
{
	(void)snprintf(pod->host_ip, sizeof(pod->host_ip), "%.*s", STR_ARG(host));
	(void)snprintf(pod->pod_ip, sizeof(pod->pod_ip), "%.*s", STR_ARG(own));
	pod->in_network = own.len > 0;
	pod->on_bridge = own.len > 0 && !str_starts(own, STR("127."));
}

static void on_state(void *arg, size_t container, const struct record *record)
{
	struct agent_pod *pod = arg;

	if (container >= pod->life->n_containers)
		return;
	if (record->state == RECORD_RUNNING &&
	    pod->life->containers[container].record.state != RECORD_RUNNING) {
		pod->agent->stats.starts++;
		hold_running(pod, record);
	}
	if (record->state == RECORD_ENDED)
		pod->hold_until = 0;
	observe(pod, container, record);
	agent_pod_touch(pod);
}

/* The pod's addresses, if the agent that chose them ended before they were in the API. */
static void on_hello(void *arg, struct str pod_ip, struct str host_ip)
{
	struct agent_pod *pod = arg;

	if (pod->in_network || pod->over || !pod->adopted)
		return;
	agent_pod_set_addresses(pod, pod_ip, host_ip);
	agent_sandboxes_found(pod->agent->sandboxes, pod);
}

/* Probe results from before this agent started. */
static void restore_probes(struct agent_pod *pod)
{
	struct json status = json_get(json_doc_root(pod->doc), "status");

	for (size_t i = 0; i < pod->life->n_containers; i++) {
		bool init = i < pod->life->n_init;
		struct json list =
			json_get(status, init ? "initContainerStatuses" : "containerStatuses");
		struct json one = json_at(list, init ? i : i - pod->life->n_init);

		pod->life->containers[i].started = json_bool(json_get(one, "started"));
		pod->life->containers[i].ready = json_bool(json_get(one, "ready"));
	}
}

static void on_ready(void *arg)
{
	struct agent_pod *pod = arg;

	if (pod->adopted && !pod->knows) {
		restore_probes(pod);
		agent_sandboxes_adopt(pod->agent->sandboxes, pod);
	}
	pod->knows = true;
	agent_pod_touch(pod);
}

static void on_done(void *arg, uint64_t id, int code, struct str output)
{
	agent_probes_done(arg, id, code, output);
}

void agent_pod_read_records(struct agent_pod *pod)
{
	struct life *life = pod->life;
	int64_t wall = loop_now(pod->agent->loop);
	struct record *records = mem_calloc(life->n_containers + 1, sizeof(*records));

	supervisor_read_records(pod->folder, records, life->n_containers);
	for (size_t i = 0; i < life->n_containers; i++) {
		bool lost = records[i].state == RECORD_RUNNING;

		if (records[i].state == RECORD_NEW)
			continue;
		if (lost) {
			records[i].state = RECORD_ENDED;
			records[i].pid = 0;
			records[i].now.ended = wall;
			records[i].now.exit_code = 137;
		}
		observe(pod, i, &records[i]);
		if (lost)
			life->containers[i].unknown = true;
	}
	for (size_t i = 0; i < life->n_containers; i++)
		life->containers[i].start_requested = false;
	mem_free(records);
}

static bool is_this(void *arg, const char *uid)
{
	const struct agent_pod *pod = arg;

	return str_is(str_from(uid), pod->uid);
}

/* The supervisor was killed, or cannot be reached: ends its processes, so that none runs in parallel with what is
 * started next. */
static void kill_remains(const struct agent_pod *pod)
{
	supervisor_kill(pod->folder);
	agent_groups_kill(agent_sandboxes_groups(pod->agent->sandboxes), pod);
	(void)remains_kill(pod->agent->folder, is_this, (void *)pod);
}

static void on_lost(void *arg)
{
	struct agent_pod *pod = arg;

	if (supervisor_is_clean(pod->supervisor)) {
		pod->has_cgroup = false;
		pod->oom_kills[0] = 0; /* a new group counts from zero */
	}
	supervisor_free(TAKE(pod->supervisor));
	if (!pod->quit)
		kill_remains(pod);
	if (pod->over)
		(void)agent_sandboxes_leave(pod->agent->sandboxes, pod);
	if (pod->replans) {
		pod->quit = pod->replans = false;
	} else if (!pod->finished && !pod->forgotten) {
		agent_pod_warn(pod, "the supervisor of a pod has ended",
			       pod->knows ? "it has ended" : "it could not be started");
		agent_pod_retry(pod);
	}
	pod->hold_until = 0;
	pod->life->deadline_kept = false;
	agent_pod_read_records(pod);
	pod->knows = true;
	agent_pod_touch(pod);
}

/* Messages that were sent while the connection broke may be lost: they are sent again; the supervisor ignores
 * those that it has received before. */
static void on_found(void *arg)
{
	struct agent_pod *pod = arg;
	struct life *life = pod->life;

	for (size_t i = 0; i < life->n_containers; i++) {
		if (life->containers[i].start_requested)
			life_ask_again(life, i);
		if (!agent_probes_is_stopping(pod, i))
			life->containers[i].stop_requested = false;
	}
	agent_probes_found(pod);
	pod->hosts = 0;
	if (!pod->over && !pod->forgotten)
		agent_sandboxes_rewrite_hosts(pod->agent->sandboxes, pod);
	agent_pod_warn(pod, "the connection to the supervisor of a pod was lost", "it is back");
	agent_pod_touch(pod);
}

const struct supervisor_events agent_pod_events = {on_state, on_ready, on_done,
						   on_lost,  on_hello, on_found};
