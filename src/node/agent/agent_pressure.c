/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_pressure.c - evicts pods when the machine runs short of memory, disk space or process numbers.
 *
 * A timer reads how much the machine has left. A threshold that is crossed is reported in the conditions of every
 * node of the machine, and one pod is evicted; the next one after the first has ended, and not before
 * PRESSURE_PAUSE, so that what the first has freed is counted. What pods use is measured only when one has to be
 * evicted (pod_scan.h): by their control groups if they have some, else by their processes; files are counted on a
 * worker. If disk space is short, the files of pods that have ended are deleted first. node/machine/pressure.h
 * decides. */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/value/duration.h"
#include "model/value/quantity.h"
#include "node/agent/agent_internal.h"
#include "node/agent/pod_scan.h"
#include "node/machine/cgroup.h"
#include "node/machine/machine.h"
#include "node/machine/pressure.h"
#include "node/machine/proc_use.h"
#include "node/volume/atomic_folder.h"

#include "base/banned.h"

#define PERIOD (2 * TIME_SECOND)
/* A pod that does not end delays the next eviction by this at most. */
#define PATIENCE (30 * TIME_SECOND)

struct agent_pressure {
	struct agent *agent;
	struct loop_timer *timer;
	struct pod_scan *scan;
	char *folder;
	struct pressure_limits limits;
	int64_t transition;
	struct pressure_state state;
	int64_t since[PRESSURE_SIGNAL_COUNT]; /* wall: when its condition last changed */
	struct pressure_node node;
	char victim[40]; /* uid of the pod that was evicted last */
	int64_t victim_at;
	bool blind; /* the machine could not be read; logged once */
};

/* The data of a row. */
struct usage {
	struct pressure_pod pod;
	struct pressure_use *containers;
	size_t n_containers;
	struct proc_use *
		processes; /* of the pod, then of each container; NULL: control groups have said it */
};

static struct usage *usage_of(const struct pod_scan_run *run, size_t row)
{
	return run->rows.ptr[row].data;
}

/* --- what pods use: on a worker --- */

static void count_processes(struct pod_scan_run *run)
{
	VEC(struct proc_use) all = {0};
	size_t at = 0;

	for (size_t i = 0; i < run->rows.len; i++) {
		const struct usage *usage = usage_of(run, i);

		for (size_t k = 0; usage->processes && k <= usage->n_containers; k++)
			vec_push(&all, usage->processes[k]);
	}
	if (all.len)
		proc_use_read("/proc", all.ptr, all.len);
	for (size_t i = 0; i < run->rows.len; i++) {
		struct usage *usage = usage_of(run, i);

		for (size_t k = 0; usage->processes && k <= usage->n_containers; k++, at++) {
			struct pressure_use *use =
				k == 0 ? &usage->pod.use : &usage->containers[k - 1];

			use->used[PRESSURE_MEMORY] = all.ptr[at].memory;
			use->used[PRESSURE_PIDS] = all.ptr[at].processes;
		}
	}
	vec_done(&all);
}

static void measure(struct pod_scan_run *run)
{
	if (run->kind != PRESSURE_DISK) {
		count_processes(run);
		return;
	}
	for (size_t i = 0; i < run->rows.len; i++)
		usage_of(run, i)->pod.use.used[PRESSURE_DISK] =
			folder_size(run->rows.ptr[i].folder, 0);
}

/* --- which pod to evict --- */

static int64_t requested(const struct container *container, const char *resource)
{
	const struct resource_list *list = &container->resources.requests;

	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i].name, resource))
			return quantity_value(&list->ptr[i].value);
	return 0;
}

/* By all containers that run at once, or by the init container that requests more. */
static int64_t requested_by_pod(const struct pod *pod, const char *resource)
{
	int64_t sidecars = 0, most = 0, sum;

	for (size_t i = 0; i < pod->spec.init_containers.len; i++) {
		const struct container *container = &pod->spec.init_containers.ptr[i];
		int64_t sum_now = number_add(sidecars, requested(container, resource));

		if (container_is_sidecar(container))
			sidecars = sum_now;
		else if (sum_now > most)
			most = sum_now;
	}
	sum = sidecars;
	for (size_t i = 0; i < pod->spec.containers.len; i++)
		sum = number_add(sum, requested(&pod->spec.containers.ptr[i], resource));
	return sum > most ? sum : most;
}

static void set_use(struct pressure_use *use, const struct agent_sandboxes *sandbox,
		    const struct agent_pod *pod, struct str container)
{
	struct cgroup_use group;

	agent_groups_use(agent_sandboxes_groups(sandbox), pod, container, &group);
	use->used[PRESSURE_MEMORY] = group.memory;
	use->used[PRESSURE_DISK] = -1;
	use->used[PRESSURE_PIDS] = group.processes;
}

/* What control groups do not say is counted by processes. */
static void add_processes(struct pod_scan_run *run, struct usage *usage,
			  const struct agent_pod *pod)
{
	usage->processes =
		arena_calloc(run->arena, usage->n_containers + 1, sizeof(*usage->processes));
	for (size_t i = 0; i < usage->n_containers; i++) {
		int64_t pid = pod->life->containers[pod->life->n_init + i].record.pid;

		usage->processes[i + 1].pid = pid;
		if (pid)
			usage->processes[0] = (struct proc_use){.pid = pid, .siblings = true};
	}
}

static void add_usage(struct pod_scan_run *run, const struct agent_pod *pod,
		      struct pod_scan_row *row)
{
	const struct agent_sandboxes *sandbox = pod->agent->sandboxes;
	const struct pod *view = &row->view;
	struct usage *usage = arena_calloc(run->arena, 1, sizeof(*usage));

	row->data = usage;
	usage->pod.priority = view->spec.priority.value;
	usage->pod.use.asked[PRESSURE_MEMORY] = requested_by_pod(view, "memory");
	usage->pod.use.asked[PRESSURE_DISK] = requested_by_pod(view, "ephemeral-storage");
	set_use(&usage->pod.use, sandbox, pod, str_none());
	usage->n_containers = view->spec.containers.len;
	usage->containers =
		arena_calloc(run->arena, usage->n_containers + 1, sizeof(*usage->containers));
	for (size_t i = 0; i < usage->n_containers; i++) {
		const struct container *container = &view->spec.containers.ptr[i];

		usage->containers[i].name = container->name;
		usage->containers[i].asked[PRESSURE_MEMORY] = requested(container, "memory");
		usage->containers[i].asked[PRESSURE_DISK] =
			requested(container, "ephemeral-storage");
		set_use(&usage->containers[i], sandbox, pod, container->name);
	}
	if (run->kind != PRESSURE_DISK && usage->pod.use.used[run->kind] < 0)
		add_processes(run, usage, pod);
}

static void evict(struct agent_pressure *self, enum pressure_signal signal,
		  const struct usage *usage, struct agent_pod *pod)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	bool whole = signal == PRESSURE_DISK; /* files are the pod's, not a container's */
	int64_t now = loop_uptime(self->agent->loop);

	pressure_message(
		&(struct pressure_why){
			signal, pressure_threshold(&self->limits, signal, self->node.total[signal]),
			self->node.available[signal], whole ? &usage->pod.use : usage->containers,
			whole ? 1 : usage->n_containers},
		&text);
	log_warn(self->agent->log, "evicting a pod", LOG_STR("pod", pod->uid),
		 LOG_STR("why", buf_text(&text)));
	agent_pod_evict(pod, buf_text(&text));
	pressure_evicted(&self->state, now);
	(void)snprintf(self->victim, sizeof(self->victim), "%s", pod->uid);
	self->victim_at = now;
}

static bool read_machine(struct agent_pressure *self);

/* The machine is read again: the pods were measured some time ago, and the pressure may have ended by itself. */
static void on_measured(void *owner, struct pod_scan_run *run)
{
	struct agent_pressure *self = owner;
	enum pressure_signal signal = (enum pressure_signal)run->kind;
	struct pressure_pod *pods = arena_calloc(run->arena, run->rows.len + 1, sizeof(*pods));
	ssize_t chosen;

	if (!read_machine(self) || !pressure_is_under(&self->limits, &self->node, signal))
		return;
	for (size_t i = 0; i < run->rows.len; i++) {
		const struct agent_pod *pod =
			map_get(self->agent->pods, str_from(run->rows.ptr[i].uid));

		pods[i] = usage_of(run, i)->pod;
		pods[i].ended = !pod || !agent_pod_stays(pod);
	}
	chosen = pressure_choose(signal, pods, run->rows.len);
	if (chosen >= 0)
		evict(self, signal, usage_of(run, (size_t)chosen),
		      map_get(self->agent->pods, str_from(run->rows.ptr[chosen].uid)));
}

static const struct pod_scan_ops scan_ops = {
	.add = add_usage, .measure = measure, .done = on_measured};

/* Deletes the files of pods that have ended, except their logs. True: there were some. */
static bool reclaim(struct agent_pressure *self)
{
	bool any = false;
	size_t at = 0;
	void *value;

	while (map_next(self->agent->pods, &at, NULL, &value)) {
		struct agent_pod *pod = value;
		AUTO(mem_free) char *work = mem_printf("%s/work", pod->folder);

		if (!pod->over || pod->supervisor || pod->reclaimed)
			continue;
		pod->reclaimed = true;
		if (folder_size(work, 1) <= 0)
			continue;
		any = true;
		agent_remove_folder(self->agent, work);
	}
	return any;
}

/* --- the machine --- */

static bool read_machine(struct agent_pressure *self)
{
	struct err err;

	if (pressure_read(
		    &(struct pressure_place){
			    "/proc", self->folder,
			    &agent_sandboxes_machine(self->agent->sandboxes)->cgroups},
		    &self->node, &err) == 0) {
		self->blind = false;
		return true;
	}
	if (!self->blind)
		log_warn(self->agent->log, "cannot read what the machine has left",
			 LOG_STR("error", err.text));
	self->blind = true;
	return false;
}

static bool victim_has_ended(const struct agent_pressure *self)
{
	const struct agent_pod *pod = map_get(self->agent->pods, str_from(self->victim));

	return !pod || (pod->over && !pod->supervisor) ||
	       loop_uptime(self->agent->loop) - self->victim_at >= PATIENCE;
}

/* True: a condition has changed. */
static bool observe(struct agent_pressure *self)
{
	struct pressure_state before = self->state;
	int64_t now = loop_uptime(self->agent->loop);

	if (!pressure_observe(&self->state, &self->limits, &self->node, now, self->transition))
		return false;
	for (unsigned i = 0; i < PRESSURE_SIGNAL_COUNT; i++) {
		if (before.under[i] == self->state.under[i])
			continue;
		self->since[i] = loop_now(self->agent->loop);
		log_warn(self->agent->log, "a condition of the node has changed",
			 LOG_STR("condition",
				 pressure_condition((enum pressure_signal)i, false)->type),
			 LOG_STR("status", self->state.under[i] ? "True" : "False"),
			 LOG_INT("available", self->node.available[i]));
	}
	return true;
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct agent_pressure *self = arg;
	enum pressure_signal signal;

	loop_timer_set(timer, PERIOD);
	if (!read_machine(self))
		return;
	if (observe(self))
		agent_nodes_touch(self->agent->nodes);
	signal = pressure_wants(&self->state, &self->limits, &self->node,
				loop_uptime(self->agent->loop));
	if (signal == PRESSURE_SIGNAL_COUNT || pod_scan_is_busy(self->scan) ||
	    !victim_has_ended(self))
		return;
	if (signal == PRESSURE_DISK && reclaim(self))
		pressure_evicted(&self->state,
				 loop_uptime(self->agent->loop)); /* wait for what this frees */
	else
		pod_scan_start(self->scan, (int)signal);
}

/* --- life --- */

const struct pressure_state *agent_pressure_state(const struct agent_pressure *self)
{
	return &self->state;
}

int64_t agent_pressure_since(const struct agent_pressure *self, enum pressure_signal signal)
{
	return self->since[signal];
}

struct agent_pressure *agent_pressure_new(struct agent *agent, const struct agent_options *options,
					  const struct pressure_limits *limits)
{
	struct agent_pressure *self = mem_new(struct agent_pressure);

	self->agent = agent;
	self->folder = mem_strdup(options->folder);
	self->limits = *limits;
	self->transition =
		options->transition_us >= 0 ? options->transition_us : PRESSURE_TRANSITION;
	for (unsigned i = 0; i < PRESSURE_SIGNAL_COUNT; i++)
		self->since[i] = loop_now(agent->loop);
	if (read_machine(self))
		(void)observe(self); /* for the first status of the nodes */
	self->scan = pod_scan_new(agent, &scan_ops, self);
	self->timer = loop_timer_new(agent->loop, on_timer, self);
	loop_timer_set(self->timer, PERIOD);
	return self;
}

void agent_pressure_free(struct agent_pressure *self)
{
	if (!self)
		return;
	loop_timer_free(self->timer);
	pod_scan_free(self->scan);
	mem_free(self->folder);
	mem_free(self);
}
