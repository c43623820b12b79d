/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster_pod.c - pods to tasks (scheduler specification, 1.13 to 1.15).
 *
 * A pod is read from its document without decoding it whole; what it has in common with others is
 * in its class. Two things about the order of events:
 *
 * 1. A pod without a node that comes while its task is being bound is old news, and is passed over.
 * 2. Deleting takes out the task as the model has it, so that what was being bound gives its capacity
 *    back. */
#include <limits.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "sched/cluster/cluster_internal.h"
#include "sched/device/cards.h"
#include "sched/report/object_warnings.h"

#include "base/banned.h"

#define GROUP_NAME "scheduling.k8s.io/group-name"
#define TASK_SPEC "volcano.sh/task-spec"
#define TASK_PRIORITY "volcano.sh/task-priority"
#define PREEMPTABLE "volcano.sh/preemptable"
#define REVOCABLE_ZONE "volcano.sh/revocable-zone"
#define COOLDOWN_TIME "volcano.sh/cooldown-time"
#define QUEUE_GATE "scheduling.volcano.sh/queue-allocation-gate"

/* What is read of a pod, before it becomes one. */
struct facts {
	struct json meta, spec, status, labels, notes;
	struct str namespace, name, uid;
	enum task_status status_now;
	bool ours;
	bool evicted; /* by us, and the API does not say so yet */
};

static int64_t time_of(struct json text)
{
	int64_t at = 0;

	if (!json_is(text, JSON_STR) || time_parse(json_str(text), &at, NULL) < 0)
		return 0;
	return at;
}

static struct str note_or_label(const struct facts *f, const char *key)
{
	struct json value = json_get(f->notes, key);

	return json_str(json_is(value, JSON_STR) ? value : json_get(f->labels, key));
}

static bool is_true(struct str text)
{
	bool value;

	return number_parse_bool(text, &value, NULL) == 0 && value;
}

static enum task_status status_of(struct json pod)
{
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));
	bool leaving = !json_is_absent(json_get(json_get(pod, "metadata"), "deletionTimestamp"));
	bool bound = json_str(json_get(json_get(pod, "spec"), "nodeName")).len > 0;

	if (str_is(phase, "Running"))
		return leaving ? TASK_RELEASING : TASK_RUNNING;
	if (!phase.len || str_is(phase, "Pending")) {
		if (leaving)
			return TASK_RELEASING;
		return bound ? TASK_BOUND : TASK_PENDING;
	}
	if (str_is(phase, "Succeeded"))
		return TASK_SUCCEEDED;
	return str_is(phase, "Failed") ? TASK_FAILED : TASK_UNKNOWN;
}

static bool has_name(char *const *names, struct str name)
{
	for (size_t i = 0; names[i]; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

/* The number after the last '-' of a name of at least three parts; -1: none. */
static int32_t index_of(struct str name)
{
	ptrdiff_t last = str_rfind_byte(name, '-');
	int64_t value;

	if (last <= 0 || str_rfind_byte(str_slice(name, 0, (size_t)last), '-') < 0)
		return -1;
	if (number_parse_range(str_skip(name, (size_t)last + 1), 0, INT32_MAX, &value, NULL) < 0)
		return -1;
	return (int32_t)value;
}

static int32_t priority_of(const struct facts *f)
{
	struct json value = json_get(f->spec, "priority");
	struct json note = json_get(f->notes, TASK_PRIORITY);
	int64_t number = json_is(value, JSON_INT) ? json_int(value) : 1;
	int64_t own;

	if (json_is(note, JSON_STR) &&
	    number_parse_range(json_str(note), INT32_MIN, INT32_MAX, &own, NULL) == 0)
		number = own;
	return (int32_t)number;
}

static bool is_system(const struct facts *f)
{
	struct str class = json_str(json_get(f->spec, "priorityClassName"));

	return str_is(class, "system-cluster-critical") || str_is(class, "system-node-critical") ||
	       str_is(f->namespace, "kube-system");
}

static void read_gates(struct task *task, const struct facts *f)
{
	struct json gates = json_get(f->spec, "schedulingGates");
	size_t count = json_len(gates);

	task->gated = count > 0;
	task->queue_gate =
		count == 1 && str_is(json_str(json_get(json_at(gates, 0), "name")), QUEUE_GATE);
	task->queue_gate_wish = is_true(json_str(json_get(f->notes, QUEUE_GATE)));
}

static void read_zone(struct task *task, const struct facts *f)
{
	struct json zone = json_get(f->notes, REVOCABLE_ZONE);

	if (json_is(zone, JSON_STR))
		task->any_zone = str_is(json_str(zone), "*");
	else
		task->any_zone = is_true(json_str(json_get(f->notes, PREEMPTABLE)));
}

/* When a pod that was scheduled then has had its time to cool down; 0: it has none. */
static int64_t cooled_at(const struct facts *f, int64_t scheduled)
{
	struct json label = json_get(f->labels, COOLDOWN_TIME);
	struct json note = json_get(f->notes, COOLDOWN_TIME);
	int64_t nanoseconds;

	if (duration_parse(json_str(json_is(label, JSON_STR) ? label : note), &nanoseconds, NULL) <
		    0 ||
	    nanoseconds <= 0 || !scheduled)
		return 0;
	return scheduled + nanoseconds / DURATION_MICROSECOND;
}

static void read_reported(struct task *task, struct str reason, struct str message)
{
	task->reported = job_text_hash(reason, message);
	if (!task->reported_words && task->status == TASK_PENDING)
		task->reported_words = job_words_hash(message);
}

static void read_condition(struct task *task, const struct facts *f)
{
	struct json_iter it = json_iter(json_get(f->status, "conditions"));

	task->cooled = 0;
	task->reported = 0;
	while (json_next(&it)) {
		if (!str_is(json_str(json_get(it.value, "type")), "PodScheduled"))
			continue;
		if (str_is(json_str(json_get(it.value, "status")), "True"))
			task->cooled =
				cooled_at(f, time_of(json_get(it.value, "lastTransitionTime")));
		else
			read_reported(task, json_str(json_get(it.value, "reason")),
				      json_str(json_get(it.value, "message")));
	}
}

/* What may change about a task except its class, labels, job and place. */
static void read_fields(struct cluster *cluster, struct task *task, const struct facts *f)
{
	struct str preemptable = note_or_label(f, PREEMPTABLE);
	uint32_t nominated =
		symbols_take(cluster->symbols, json_str(json_get(f->status, "nominatedNodeName")));

	task->created = time_of(json_get(f->meta, "creationTimestamp"));
	task->started = time_of(json_get(f->status, "startTime"));
	task->priority = priority_of(f);
	task->ours = f->ours;
	task->preemptable = str_is_none(preemptable) || is_true(preemptable);
	task->never_preempts = str_is(json_str(json_get(f->spec, "preemptionPolicy")), "Never");
	task->system = is_system(f);
	task->leaving = f->evicted || !json_is_absent(json_get(f->meta, "deletionTimestamp"));
	if (!f->evicted)
		task->seen = (uint8_t)f->status_now;
	read_gates(task, f);
	read_zone(task, f);
	read_condition(task, f);
	symbols_drop(cluster->symbols, task->nominated);
	task->nominated = nominated;
}

static void copy_text(char *to, struct str text)
{
	if (text.len && text.ptr)
		memcpy(to, text.ptr, text.len);
}

static struct task *task_new(struct cluster *cluster, const struct facts *f)
{
	size_t key_len = f->namespace.len + 1 + f->name.len;
	struct task *task = mem_zalloc(sizeof(*task) + key_len + f->uid.len + 2);

	list_init(&task->job_link);
	list_init(&task->node_link);
	task->namespace_len = (uint16_t)f->namespace.len;
	task->key_len = (uint16_t)key_len;
	task->uid_len = (uint16_t)f->uid.len;
	copy_text(task->text, f->namespace);
	task->text[f->namespace.len] = '/';
	copy_text(task->text + f->namespace.len + 1, f->name);
	copy_text(task->text + key_len + 1, f->uid);
	task->namespace = symbols_take(cluster->symbols, f->namespace);
	task->index = index_of(f->name);
	return task;
}

static void task_free(struct cluster *cluster, struct task *task)
{
	cards_drop_pieces(task);
	class_drop(cluster, task->class);
	label_sets_drop(cluster->label_sets, task->labels);
	symbols_drop(cluster->symbols, task->namespace);
	symbols_drop(cluster->symbols, task->role);
	symbols_drop(cluster->symbols, task->nominated);
	symbols_drop(cluster->symbols, task->reserved_node);
	mem_free(task);
}

/* Out of all sums. What it was part of is dropped by release(), once it is known to be empty. */
static void detach(struct cluster *cluster, struct task *task)
{
	ledger_lift(cluster, task);
	task->job = NULL;
	task->sub = NULL;
	task->node = NULL;
}

static void release(struct cluster *cluster, struct job *job, struct node_info *node)
{
	if (job) {
		cluster_touch_job(cluster, job);
		cluster_drop_job(cluster, job);
	}
	if (node)
		cluster_drop_node(cluster, node);
}

static void add_role(struct cluster *cluster, struct job *job, uint32_t role)
{
	if (!job_find_role(job, role))
		vec_push(&job->roles, (struct role){.name = symbols_ref(cluster->symbols, role)});
}

static void attach_job(struct cluster *cluster, struct task *task, const struct facts *f)
{
	struct str group = json_str(json_get(f->notes, GROUP_NAME));
	AUTO(mem_free) char *key = NULL;

	if (!group.len || !f->ours)
		return;
	key = mem_printf("%.*s/%.*s", STR_ARG(f->namespace), STR_ARG(group));
	task->job = cluster_make_job(cluster, str_from(key), f->namespace.len);
	add_role(cluster, task->job, task->role);
	task->sub = cluster_sub_job_of(cluster, task->job, task);
	cluster_touch_job(cluster, task->job);
}

/* When the model knows more than the API: a task that is being bound or evicted stays so. */
static void merge_status(const struct task *old, struct facts *f)
{
	if (f->status_now == TASK_PENDING && old->status == TASK_BINDING)
		f->status_now = TASK_BINDING;
	if (old->status == TASK_RELEASING && (TASK_BIT(f->status_now) & TASKS_EVICTABLE)) {
		f->status_now = TASK_RELEASING;
		f->evicted = true;
	}
}

static void place(struct cluster *cluster, struct task *task, const struct facts *f,
		  struct node_info *node)
{
	struct str name = json_str(json_get(f->spec, "nodeName"));
	const struct node_info *was = node;

	task->status = (uint8_t)f->status_now;
	if (task_is(task, TASKS_PLACED)) {
		if (name.len)
			node = cluster_make_node(cluster, name);
		if (!node && task->status != TASK_RELEASING)
			task->status = TASK_UNKNOWN; /* it should have one */
		task->node = node;
	}
	if (task->node != was)
		cards_drop_pieces(task);
	cards_read_pod(task, f->notes, name.len && task->node);
	cards_find_pieces(cluster, task);
	ledger_put(cluster, task);
}

/* Ours to place, or taking capacity on a node. */
static bool is_wanted(const struct facts *f)
{
	return f->ours || json_str(json_get(f->spec, "nodeName")).len;
}

static int read_facts(const struct cluster *cluster, struct json pod, struct facts *f,
		      struct err *err)
{
	*f = (struct facts){.meta = json_get(pod, "metadata")};
	f->spec = json_get(pod, "spec");
	f->status = json_get(pod, "status");
	f->labels = json_get(f->meta, "labels");
	f->notes = json_get(f->meta, "annotations");
	f->namespace = json_str(json_get(f->meta, "namespace"));
	f->name = json_str(json_get(f->meta, "name"));
	f->uid = json_str(json_get(f->meta, "uid"));
	f->status_now = status_of(pod);
	f->ours = has_name(cluster->scheduler_names, json_str(json_get(f->spec, "schedulerName")));
	if (!f->name.len || !f->namespace.len)
		return err_set(err, ERR_INVALID, "metadata: a pod needs a name and a namespace");
	if (f->name.len + f->namespace.len >= UINT16_MAX || f->uid.len > UINT16_MAX)
		return err_set(err, ERR_INVALID, "metadata: a name that is far too long");
	return 0;
}

/* The task with the class and labels that its pod has now. */
static void renew(struct cluster *cluster, struct task *task, const struct facts *f,
		  struct class *class, struct label_set *labels)
{
	class_drop(cluster, task->class);
	label_sets_drop(cluster->label_sets, task->labels);
	task->class = class;
	task->labels = labels;
	symbols_drop(cluster->symbols, task->role);
	task->role = symbols_take(cluster->symbols, note_or_label(f, TASK_SPEC));
	read_fields(cluster, task, f);
	if (f->ours)
		object_warnings_check(cluster->warnings, WARNING_POD, task_key(task), f->notes,
				      f->labels);
	attach_job(cluster, task, f);
}

/* The task of a pod, or a new one; one of an older pod of the same name goes. */
static struct task *make_task(struct cluster *cluster, const struct facts *f)
{
	struct task *task = cluster_find_task(cluster, f->namespace, f->name);

	if (task && !str_eq(task_uid(task), f->uid)) {
		cluster_remove_pod(cluster, task_key(task));
		task = NULL;
	}
	if (!task) {
		task = task_new(cluster, f);
		map_put(cluster->tasks, task_key(task), task);
	}
	return task;
}

int cluster_apply_pod(struct cluster *cluster, struct json pod, struct err *err)
{
	struct facts f;
	struct label_set *labels;
	struct class *class;
	struct task *task;
	struct job *job;
	struct node_info *node;
	uint32_t namespace;
	bool changed, is_new;
	uint8_t status;

	if (read_facts(cluster, pod, &f, err) < 0)
		return -1;
	if (!is_wanted(&f)) {
		AUTO(mem_free)
		char *key = mem_printf("%.*s/%.*s", STR_ARG(f.namespace), STR_ARG(f.name));

		cluster_remove_pod(cluster, str_from(key));
		return 0;
	}
	labels = label_sets_take(cluster->label_sets, f.labels, NULL, NULL);
	namespace = symbols_take(cluster->symbols, f.namespace);
	class = class_take(cluster, pod, labels, namespace, err);
	symbols_drop(cluster->symbols, namespace);
	if (!class) {
		label_sets_drop(cluster->label_sets, labels);
		return -1;
	}
	task = make_task(cluster, &f);
	is_new = !task->class;
	job = task->job;
	node = task->node;
	status = task->status;
	changed = task->class != class || task->labels != labels;
	if (task->class) {
		detach(cluster, task);
		merge_status(task, &f);
	}
	renew(cluster, task, &f, class, labels);
	place(cluster, task, &f, node);
	if (!task->job) /* of others: decisions.c, should their group not come with them */
		object_warnings_set_lost(cluster->warnings, task);
	if (is_new && task->job && task->nominated && task->status == TASK_PENDING)
		task->job->recalls = true;
	if (is_new || changed || task->status != status || task->node != node)
		cluster->moves++;
	/* Others may have waited for it to go, to shrink, or to be called something else. */
	if (node && (changed || task->node != node || task->status == TASK_RELEASING))
		cluster_unblock_for_capacity(cluster);
	release(cluster, job, node);
	return 0;
}

void cluster_remove_pod(struct cluster *cluster, struct str key)
{
	struct task *task = map_remove(cluster->tasks, key);
	struct job *job;
	struct node_info *node;

	if (!task)
		return;
	job = task->job;
	node = task->node;
	object_warnings_forget(cluster->warnings, WARNING_POD, task_key(task));
	detach(cluster, task);
	task_free(cluster, task);
	release(cluster, job, node);
}

void cluster_bind_failed(struct cluster *cluster, struct task *task)
{
	if (task->status != TASK_BINDING)
		return;
	cards_forget_task(cluster, task);
	ledger_move(cluster, task, TASK_PENDING, NULL);
	cluster->events++;
	cluster_unblock_for_capacity(cluster);
	if (task->job)
		cluster_touch_job(cluster, task->job);
}

void cluster_evict_failed(struct cluster *cluster, struct task *task)
{
	if (task->status != TASK_RELEASING)
		return;
	cluster->events++;
	ledger_set_leaving(cluster, task, false);
	ledger_move(cluster, task, task->seen == TASK_BOUND ? TASK_BOUND : TASK_RUNNING,
		    task->node);
	if (task->job)
		cluster_touch_job(cluster, task->job);
}
