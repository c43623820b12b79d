/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_pressure.c - a machine that runs short of memory, disk or process numbers gets rid of pods.
 *
 * Every LOOK the machine is asked how much is left. A threshold that is crossed is told in the conditions of
 * every node of the machine, and one pod goes; the next one when that has ended, and not before PRESSURE_PAUSE,
 * so that it is seen what the first has freed. What pods use is only found out when one has to go: by their
 * control groups where they have some, else by their processes; files are counted off the thread. For want of
 * disk, what pods have left behind that have ended goes first.
 * node/machine/pressure.h decides.
 *
 * Always true: one look at what pods use is under way at most, and it holds the documents that it is about. */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "model/pod/pod.h"
#include "model/value/duration.h"
#include "model/value/quantity.h"
#include "node/agent/agent_internal.h"
#include "node/machine/cgroup.h"
#include "node/machine/machine.h"
#include "node/machine/pressure.h"
#include "node/machine/proc_use.h"
#include "node/volume/atomic_folder.h"

#include "base/banned.h"

#define LOOK (2 * TIME_SECOND)
/* A pod that does not end holds up the next eviction no longer than this. */
#define PATIENCE (30 * TIME_SECOND)

struct agent_pressure {
	struct agent *agent; /* NULL: it has gone, while a look was under way */
	struct loop_timer *timer;
	char *folder;
	struct pressure_limits limits;
	int64_t transition;
	struct pressure_state state;
	int64_t since[PRESSURE_SIGNAL_COUNT]; /* wall: when its condition last changed */
	struct pressure_node node;
	char victim[40]; /* uid of who went last */
	int64_t victim_at;
	bool busy;
	bool blind; /* the machine could not be looked at; told once */
};

struct row {
	struct json_doc *doc;
	const char *uid;
	const char *folder;
	struct pressure_pod pod;
	struct pressure_use *containers;
	size_t n_containers;
	struct proc_use *processes; /* of the pod, then of each container; NULL: groups have told */
};

struct look {
	struct agent_pressure *pressure;
	struct arena *arena;
	enum pressure_signal signal;
	VEC(struct row) rows;
};

static void look_free(struct look *look)
{
	for (size_t i = 0; i < look->rows.len; i++)
		json_doc_unref(look->rows.ptr[i].doc);
	vec_done(&look->rows);
	arena_free(look->arena);
	mem_free(look);
}

/* --- what pods use: on a worker --- */

static void count_processes(struct look *look)
{
	VEC(struct proc_use) all = {0};
	size_t at = 0;

	for (size_t i = 0; i < look->rows.len; i++)
		for (size_t k = 0;
		     look->rows.ptr[i].processes && k <= look->rows.ptr[i].n_containers; k++)
			vec_push(&all, look->rows.ptr[i].processes[k]);
	if (all.len)
		proc_use_read("/proc", all.ptr, all.len);
	for (size_t i = 0; i < look->rows.len; i++) {
		struct row *row = &look->rows.ptr[i];

		for (size_t k = 0; row->processes && k <= row->n_containers; k++, at++) {
			struct pressure_use *use = k == 0 ? &row->pod.use : &row->containers[k - 1];

			use->used[PRESSURE_MEMORY] = all.ptr[at].memory;
			use->used[PRESSURE_PIDS] = all.ptr[at].processes;
		}
	}
	vec_done(&all);
}

static void look_work(void *arg)
{
	struct look *look = arg;

	if (look->signal != PRESSURE_DISK) {
		count_processes(look);
		return;
	}
	for (size_t i = 0; i < look->rows.len; i++)
		look->rows.ptr[i].pod.use.used[PRESSURE_DISK] =
			tree_size(look->rows.ptr[i].folder, 0);
}

/* --- who has to go --- */

static int64_t asked(const struct container *container, const char *resource)
{
	const struct resource_list *list = &container->resources.requests;

	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i].name, resource))
			return quantity_value(&list->ptr[i].value);
	return 0;
}

/* All that run at once, or the init container that needs more. */
static int64_t asked_by_pod(const struct pod *pod, const char *resource)
{
	int64_t beside = 0, most = 0, sum;

	for (size_t i = 0; i < pod->spec.init_containers.len; i++) {
		const struct container *container = &pod->spec.init_containers.ptr[i];
		int64_t amount = asked(container, resource);

		if (container_is_sidecar(container))
			beside += amount;
		else if (beside + amount > most)
			most = beside + amount;
	}
	sum = beside;
	for (size_t i = 0; i < pod->spec.containers.len; i++)
		sum += asked(&pod->spec.containers.ptr[i], resource);
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

/* What its groups do not tell its processes do. */
static void ask_processes(struct look *look, struct row *row, const struct agent_pod *pod)
{
	row->processes = arena_calloc(look->arena, row->n_containers + 1, sizeof(*row->processes));
	for (size_t i = 0; i < row->n_containers; i++) {
		int64_t pid = pod->life->containers[pod->life->n_init + i].record.pid;

		row->processes[i + 1].pid = pid;
		if (pid)
			row->processes[0] = (struct proc_use){.pid = pid, .beside = true};
	}
}

static void add_row(struct look *look, const struct agent_pod *pod)
{
	const struct agent_sandboxes *sandbox = pod->agent->sandboxes;
	struct row row = {.uid = arena_strdup(look->arena, pod->uid),
			  .folder = arena_strdup(look->arena, pod->folder)};
	struct pod view;

	if (type_decode(&pod_type, json_doc_root(pod->doc), look->arena, &view, NULL) < 0)
		return;
	row.doc = json_doc_ref(pod->doc);
	row.pod.priority = view.spec.priority.value;
	row.pod.use.asked[PRESSURE_MEMORY] = asked_by_pod(&view, "memory");
	row.pod.use.asked[PRESSURE_DISK] = asked_by_pod(&view, "ephemeral-storage");
	set_use(&row.pod.use, sandbox, pod, str_none());
	row.n_containers = view.spec.containers.len;
	row.containers = arena_calloc(look->arena, row.n_containers + 1, sizeof(*row.containers));
	for (size_t i = 0; i < row.n_containers; i++) {
		const struct container *container = &view.spec.containers.ptr[i];

		row.containers[i].name = container->name;
		row.containers[i].asked[PRESSURE_MEMORY] = asked(container, "memory");
		row.containers[i].asked[PRESSURE_DISK] = asked(container, "ephemeral-storage");
		set_use(&row.containers[i], sandbox, pod, container->name);
	}
	if (look->signal != PRESSURE_DISK && row.pod.use.used[look->signal] < 0)
		ask_processes(look, &row, pod);
	vec_push(&look->rows, row);
}

static void evict(struct agent_pressure *self, const struct look *look, const struct row *row,
		  struct agent_pod *pod)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	enum pressure_signal signal = look->signal;
	bool whole = signal == PRESSURE_DISK; /* files are the pod's, not a container's */
	int64_t now = loop_uptime(self->agent->loop);

	pressure_message(
		&(struct pressure_why){
			signal, pressure_threshold(&self->limits, signal, self->node.total[signal]),
			self->node.available[signal], whole ? &row->pod.use : row->containers,
			whole ? 1 : row->n_containers},
		&text);
	log_warn(self->agent->log, "evicting a pod", LOG_STR("pod", pod->uid),
		 LOG_STR("why", buf_text(&text)));
	agent_pod_evict(pod, buf_text(&text));
	pressure_evicted(&self->state, now);
	(void)snprintf(self->victim, sizeof(self->victim), "%s", pod->uid);
	self->victim_at = now;
}

static bool look_at_machine(struct agent_pressure *self);

/* What was found is some time ago, and the pressure may have gone by itself. */
static void choose(struct agent_pressure *self, const struct look *look)
{
	struct pressure_pod *pods = arena_calloc(look->arena, look->rows.len + 1, sizeof(*pods));
	ssize_t chosen;

	if (!look_at_machine(self) || !pressure_is_under(&self->limits, &self->node, look->signal))
		return;
	for (size_t i = 0; i < look->rows.len; i++) {
		const struct agent_pod *pod =
			map_get(self->agent->pods, str_from(look->rows.ptr[i].uid));

		pods[i] = look->rows.ptr[i].pod;
		pods[i].ended = !pod || !agent_pod_stays(pod);
	}
	chosen = pressure_choose(look->signal, pods, look->rows.len);
	if (chosen >= 0)
		evict(self, look, &look->rows.ptr[chosen],
		      map_get(self->agent->pods, str_from(look->rows.ptr[chosen].uid)));
}

static void look_done(void *arg)
{
	struct look *look = arg;
	struct agent_pressure *self = look->pressure;

	self->busy = false;
	if (self->agent)
		choose(self, look);
	else
		mem_free(self);
	look_free(look);
}

static void look_at_pods(struct agent_pressure *self, enum pressure_signal signal)
{
	struct look *look = mem_new(struct look);
	struct err err;
	size_t at = 0;
	void *value;

	look->pressure = self;
	look->arena = arena_new(0);
	look->signal = signal;
	while (map_next(self->agent->pods, &at, NULL, &value))
		if (agent_pod_stays(value))
			add_row(look, value);
	if (!look->rows.len) {
		look_free(look);
		return;
	}
	self->busy = loop_work(self->agent->loop, LOOP_LANE_FILES, look_work, look_done, look,
			       &err) == 0;
	if (!self->busy)
		look_free(look); /* the timer comes again */
}

/* What pods that have ended have left behind, but for their logs, goes before anybody who runs. */
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
		if (tree_size(work, 1) <= 0)
			continue;
		any = true;
		agent_remove_folder(self->agent, work);
	}
	return any;
}

/* --- the machine --- */

static bool look_at_machine(struct agent_pressure *self)
{
	struct err err;

	if (pressure_look(
		    &(struct pressure_place){
			    "/proc", self->folder,
			    &agent_sandboxes_machine(self->agent->sandboxes)->cgroups},
		    &self->node, &err) == 0) {
		self->blind = false;
		return true;
	}
	if (!self->blind)
		log_warn(self->agent->log, "cannot see what the machine has left",
			 LOG_STR("error", err.text));
	self->blind = true;
	return false;
}

static bool victim_has_gone(const struct agent_pressure *self)
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

	loop_timer_set(timer, LOOK);
	if (!look_at_machine(self))
		return;
	if (observe(self))
		agent_nodes_touch(self->agent->nodes);
	signal = pressure_wants(&self->state, &self->limits, &self->node,
				loop_uptime(self->agent->loop));
	if (signal == PRESSURE_SIGNAL_COUNT || self->busy || !victim_has_gone(self))
		return;
	if (signal == PRESSURE_DISK && reclaim(self))
		pressure_evicted(&self->state,
				 loop_uptime(self->agent->loop)); /* see what it frees */
	else
		look_at_pods(self, signal);
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
	if (look_at_machine(self))
		(void)observe(self); /* the first status of the nodes is to know */
	self->timer = loop_timer_new(agent->loop, on_timer, self);
	loop_timer_set(self->timer, LOOK);
	return self;
}

void agent_pressure_free(struct agent_pressure *self)
{
	if (!self)
		return;
	loop_timer_free(self->timer);
	mem_free(self->folder);
	self->agent = NULL;
	if (!self->busy)
		mem_free(self);
}
