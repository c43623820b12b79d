/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/execute.c - executing what a cycle decided: binding, evicting, and the statuses that
 * follow.
 *
 * Every write is one request with a struct write until its end; nothing waits for anything else but
 * the steps of one eviction. A failure is given back to the model (cluster_bind_failed(),
 * cluster_evict_failed()), or the object is read again so that the next cycle decides again. Tasks are
 * looked up again by name and uid when an answer comes: they may have been deleted meanwhile. */
#include <assert.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "model/core/conditions.h"
#include "model/volcano/wait_reason.h"
#include "sched/device/cards.h"
#include "sched/report/explain.h"
#include "scheduler/internal.h"

#include "base/banned.h"

struct write *scheduler_write_new(struct scheduler *scheduler, enum write_kind kind,
				  struct str namespace, struct str name, struct str uid)
{
	struct write *write = mem_new(struct write);

	write->scheduler = scheduler;
	write->kind = kind;
	write->namespace = str_dup(namespace);
	write->name = str_dup(name);
	write->uid = str_dup(uid);
	list_push(&scheduler->writes, &write->link);
	write->begun = loop_stopwatch(scheduler->loop);
	scheduler->stats.in_flight++;
	scheduler->stats.writes++;
	return write;
}

void scheduler_write_free(struct write *write)
{
	if (!write)
		return;
	list_remove(&write->link);
	write->scheduler->stats.in_flight--;
	mem_free(write->namespace);
	mem_free(write->name);
	mem_free(write->uid);
	mem_free(write->node);
	mem_free(write);
}

void scheduler_drop_writes(struct scheduler *scheduler)
{
	while (!list_is_empty(&scheduler->writes)) {
		struct write *write = container_of(scheduler->writes.next, struct write, link);

		client_cancel(write->request);
		scheduler_write_free(write);
	}
}

/* The task that a write is about, or NULL if it was deleted. */
static struct task *write_task(const struct write *write)
{
	struct task *task = cluster_find_task(write->scheduler->cluster, str_from(write->namespace),
					      str_from(write->name));

	return task && str_eq(task_uid(task), str_from(write->uid)) ? task : NULL;
}

static struct recorder_object pod_object(struct str namespace, struct str name, struct str uid)
{
	return (struct recorder_object){.api_version = STR("v1"),
					.kind = STR("Pod"),
					.namespace = namespace,
					.name = name,
					.uid = uid};
}

static struct recorder_object task_object(const struct task *task)
{
	return pod_object(task_namespace(task), task_name(task), task_uid(task));
}

static struct recorder_object job_object(const struct job *job)
{
	return (struct recorder_object){.api_version = STR("scheduling.volcano.sh/v1beta1"),
					.kind = STR("PodGroup"),
					.namespace = job_namespace(job),
					.name = job_name(job),
					.uid = str_from(job->uid)};
}

/* --- patches ----------------------------------------------------------------------------------- */

static struct json_doc *new_patch(void)
{
	struct json_doc *doc = json_doc_new();

	json_doc_set_root(doc, json_new_obj(doc));
	return doc;
}

static void set_time(struct json_doc *doc, struct json object, const char *key, int64_t time)
{
	char text[TIME_TEXT_SIZE];

	json_set_str(doc, object, key, str_from(time_print(time, text)));
}

/* A patch that touches only what it names; the pod must still be the one that was decided about. */
static void set_uid(struct json_doc *patch, struct str uid)
{
	json_set_str(patch, json_ensure_obj(patch, json_doc_root(patch), "metadata"), "uid", uid);
}

static struct json add_condition(struct scheduler *scheduler, struct json_doc *patch,
				 const char *type, const char *status)
{
	struct json condition = json_new_obj(patch);
	struct json of = json_ensure_obj(patch, json_doc_root(patch), "status");

	json_append(patch, json_ensure_arr(patch, of, "conditions"), condition);
	json_set_str(patch, condition, "type", str_from(type));
	json_set_str(patch, condition, "status", str_from(status));
	set_time(patch, condition, "lastTransitionTime", loop_now(scheduler->loop));
	return condition;
}

static void send_pod_status(struct write *write, struct json_doc *patch, client_done_fn *done)
{
	set_uid(patch, str_from(write->uid));
	write->request = client_send(write->scheduler->client,
				     &(struct client_ask){.verb = CLIENT_PATCH,
							  .patch = CLIENT_PATCH_STRATEGIC,
							  .resource = &resources[RESOURCE_PODS],
							  .namespace = str_from(write->namespace),
							  .name = str_from(write->name),
							  .sub = STR("status"),
							  .body = patch,
							  .discard = true,
							  .done = done,
							  .arg = write});
}

/* --- binding ----------------------------------------------------------------------------------- */

static void on_other(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;

	if (result->err && result->err->code != ERR_NOT_FOUND)
		log_warn(write->scheduler->log, "a status cannot be written",
			 LOG_STR("namespace", write->namespace), LOG_STR("name", write->name),
			 LOG_STR("why", result->err->text));
}

/* PodScheduled=False, with whatever the reason is. */
static void report_pod(struct scheduler *scheduler, struct recorder_object pod, const char *reason,
		       const char *message, const char *nominated)
{
	AUTO(json_doc_unref) struct json_doc *patch = new_patch();
	struct json condition = add_condition(scheduler, patch, "PodScheduled", "False");
	struct write *write =
		scheduler_write_new(scheduler, WRITE_OTHER, pod.namespace, pod.name, pod.uid);

	json_set_str(patch, condition, "reason", str_from(reason));
	json_set_str(patch, condition, "message", str_from(message));
	if (nominated)
		json_set_str(patch, json_ensure_obj(patch, json_doc_root(patch), "status"),
			     "nominatedNodeName", str_from(nominated));
	send_pod_status(write, patch, on_other);
	scheduler->stats.pod_writes++;
	recorder_event(scheduler->recorder, &pod, "Warning", "FailedScheduling", str_from(message));
}

void scheduler_report_pod(struct scheduler *scheduler, const struct status_pod *pod)
{
	struct recorder_object object =
		pod_object(str_from(pod->namespace), str_from(pod->name), str_from(pod->uid));

	report_pod(scheduler, object, pod->reason, pod->message, pod->nominated);
	for (size_t i = 0; i < ALSO_MAX && pod->also[i]; i++)
		recorder_event(scheduler->recorder, &object, "Warning", "FailedScheduling",
			       str_from(pod->also[i]));
}

void scheduler_bind_failed(struct scheduler *scheduler, struct task *task, const char *why)
{
	scheduler->stats.bind_failures++;
	cluster_bind_failed(scheduler->cluster, task);
	if (why)
		report_pod(scheduler, task_object(task), "SchedulerError", why, NULL);
	scheduler_request_cycle(scheduler);
}

static void on_bound(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;
	struct scheduler *scheduler = write->scheduler;
	struct recorder_object pod =
		pod_object(str_from(write->namespace), str_from(write->name), str_from(write->uid));
	struct task *task = write_task(write);
	AUTO(mem_free) char *message = NULL;

	if (!result->err) {
		numbers_observe(scheduler->numbers, METRIC_STAGE, "Bind", NULL,
				loop_stopwatch(scheduler->loop) - write->begun);
		if (task)
			numbers_observe(scheduler->numbers, METRIC_TASK, "Bound", NULL,
					loop_now(scheduler->loop) - task->created);
		recorder_eventf(scheduler->recorder, &pod, "Normal", "Scheduled",
				"Successfully assigned %s/%s to %s", write->namespace, write->name,
				write->node);
		return;
	}
	log_warn(scheduler->log, "a pod cannot be bound", LOG_STR("namespace", write->namespace),
		 LOG_STR("name", write->name), LOG_STR("node", write->node),
		 LOG_STR("why", result->err->text));
	if (!task)
		return;
	message = mem_printf("failed to bind to node %s: %s", write->node, result->err->text);
	scheduler_bind_failed(scheduler, task, result->err->code == ERR_NOT_FOUND ? NULL : message);
}

/* What the pod has to carry from the moment that it is bound, or NULL. */
static struct json_doc *annotations_of(const struct scheduler *scheduler, const struct task *task)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!task->devices)
		return NULL;
	doc = json_doc_new();
	json_doc_set_root(doc, json_new_obj(doc));
	return cards_annotate(scheduler->cluster, task, loop_now(scheduler->loop), doc,
			      json_doc_root(doc))
		       ? TAKE(doc)
		       : NULL;
}

void scheduler_bind(struct scheduler *scheduler, const struct task *task, const char *node)
{
	struct write *write = scheduler_write_new(scheduler, WRITE_BIND, task_namespace(task),
						  task_name(task), task_uid(task));
	AUTO(json_doc_unref) struct json_doc *notes = annotations_of(scheduler, task);

	write->node = mem_strdup(node);
	write->request = client_bind(
		scheduler->client,
		&(struct client_bind){.namespace = task_namespace(task),
				      .name = task_name(task),
				      .uid = task_uid(task),
				      .node = str_from(node),
				      .annotations = notes ? json_doc_root(notes) : JSON_NONE},
		on_bound, write);
	scheduler->stats.binds++;
}

static void bind(struct scheduler *scheduler, const struct decision *decision)
{
	struct volume_reservation first;

	numbers_observe(scheduler->numbers, METRIC_TASK, "Assumed", NULL,
			loop_now(scheduler->loop) - decision->task->created);
	if (volumes_get_reservation(scheduler->cluster, decision->task, 0, &first))
		scheduler_bind_claims(scheduler, decision->task, decision->node);
	else
		scheduler_bind(scheduler, decision->task, decision->node);
}

/* --- evicting ---------------------------------------------------------------------------------- */

static void on_evicted(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;
	struct task *task = write_task(write);

	if (!result->err || result->err->code == ERR_NOT_FOUND)
		return;
	log_warn(write->scheduler->log, "a pod cannot be evicted",
		 LOG_STR("namespace", write->namespace), LOG_STR("name", write->name),
		 LOG_STR("why", result->err->text));
	if (task)
		cluster_evict_failed(write->scheduler->cluster, task);
	scheduler_request_cycle(write->scheduler);
}

/* The pod says why it goes before it does. */
static void on_written(void *arg, const struct client_result *result)
{
	struct write *write = arg;

	if (result->err) {
		on_evicted(arg, result);
		return;
	}
	write->request = client_send(write->scheduler->client,
				     &(struct client_ask){.verb = CLIENT_DELETE,
							  .resource = &resources[RESOURCE_PODS],
							  .namespace = str_from(write->namespace),
							  .name = str_from(write->name),
							  .precondition_uid = str_from(write->uid),
							  .discard = true,
							  .done = on_evicted,
							  .arg = write});
}

static void evict(struct scheduler *scheduler, const struct decision *decision)
{
	const struct task *task = decision->task;
	struct recorder_object pod = task_object(task);
	AUTO(json_doc_unref) struct json_doc *patch = new_patch();
	AUTO(mem_free)
	char *why = mem_printf("Pod is evicted, because of %s", decision->reason);
	struct write *write =
		scheduler_write_new(scheduler, WRITE_EVICT, pod.namespace, pod.name, pod.uid);
	struct json condition = add_condition(scheduler, patch, "Ready", "False");

	json_set_str(patch, condition, "reason", STR("Evict"));
	json_set_str(patch, condition, "message", str_from(why));
	condition = add_condition(scheduler, patch, "DisruptionTarget", "True");
	json_set_str(patch, condition, "reason", STR("PreemptionByScheduler"));
	json_set(patch, condition, STR("message"),
		 json_new_printf(patch, "%s: %s", scheduler->name, decision->message));
	send_pod_status(write, patch, on_written);
	scheduler->stats.evictions++;
	recorder_event(scheduler->recorder, &pod, "Warning", "Evict", str_from(why));
	recorder_event(scheduler->recorder, &pod, "Normal", "Preempted",
		       str_from(decision->message));
	if (task->job && task->job->grouped) {
		struct recorder_object group = job_object(task->job);

		recorder_event(scheduler->recorder, &group, "Normal", "Evict",
			       str_from(decision->reason));
	}
}

/* --- statuses ---------------------------------------------------------------------------------- */

static void on_group(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;

	if (!result->err)
		return;
	if (result->err->code != ERR_NOT_FOUND)
		log_warn(write->scheduler->log, "a podgroup's status cannot be written",
			 LOG_STR("namespace", write->namespace), LOG_STR("name", write->name),
			 LOG_STR("why", result->err->text));
	scheduler_reread(write->scheduler, CLUSTER_PODGROUP, str_from(write->namespace),
			 str_from(write->name));
}

static struct json_doc *known_group(const struct scheduler *scheduler, const char *namespace,
				    const char *name)
{
	return informer_get(scheduler->feeds[CLUSTER_PODGROUP].informer, str_from(namespace),
			    str_from(name));
}

/* The conditions as they are, with those that changed: a list is written as a whole. */
static void set_conditions(struct scheduler *scheduler, struct json_doc *patch, struct json status,
			   const struct status_group *group)
{
	struct json_doc *known = known_group(scheduler, group->namespace, group->name);
	struct json old = known ? json_get(json_get(json_doc_root(known), "status"), "conditions")
				: JSON_NONE;
	struct json list;

	if (!group->conditions[0].type)
		return;
	list = json_len(old) ? json_new_copy(patch, old) : json_new_arr(patch);
	json_set(patch, status, STR("conditions"), list);
	recent_conditions_complete(scheduler->recent, str_from(group->uid), patch, list);
	for (size_t i = 0; i < STATUS_CONDITIONS && group->conditions[i].type; i++) {
		struct condition condition = {.type = str_from(group->conditions[i].type),
					      .status = STR("True"),
					      .reason = str_from(group->conditions[i].reason),
					      .message = str_from(group->conditions[i].message)};

		/* Taken out first, so that its time is that of the change. */
		(void)conditions_remove(patch, list, condition.type);
		(void)conditions_set(patch, list, &condition, loop_now(scheduler->loop));
		json_set(patch, json_at(list, json_len(list) - 1), STR("transitionID"),
			 json_new_printf(patch, "%08x", group->session));
	}
	recent_conditions_remember(scheduler->recent, str_from(group->uid), list,
				   loop_uptime(scheduler->loop));
}

static void set_status(struct scheduler *scheduler, struct json_doc *patch,
		       const struct status_group *group)
{
	struct json status = json_ensure_obj(patch, json_doc_root(patch), "status");

	json_set_str(patch, status, "phase", str_from(podgroup_phase_names[group->phase]));
	json_set_int(patch, status, "running", group->running);
	json_set_int(patch, status, "succeeded", group->succeeded);
	json_set_int(patch, status, "failed", group->failed);
	set_conditions(scheduler, patch, status, group);
}

/* Does the group say so already? */
static bool has_reasons(const struct json_doc *known, const char *reasons)
{
	struct json meta = known ? json_get(json_doc_root(known), "metadata") : JSON_NONE;

	return str_is(json_str(json_get(json_get(meta, "annotations"), WAIT_REASONS_ANNOTATION)),
		      reasons);
}

/* Status and reasons in one write: a PodGroup has no status sub-resource. */
static void write_group(struct scheduler *scheduler, const struct status_group *group)
{
	AUTO(json_doc_unref) struct json_doc *patch = new_patch();
	struct json meta = json_ensure_obj(patch, json_doc_root(patch), "metadata");
	bool reported =
		!group->reasons ||
		has_reasons(known_group(scheduler, group->namespace, group->name), group->reasons);
	struct write *write;

	if (reported && !group->has_status)
		return;
	write = scheduler_write_new(scheduler, WRITE_GROUP, str_from(group->namespace),
				    str_from(group->name), str_from(group->uid));
	set_uid(patch, str_from(group->uid));
	if (!reported)
		json_set(patch, json_ensure_obj(patch, meta, "annotations"),
			 STR(WAIT_REASONS_ANNOTATION),
			 *group->reasons ? json_new_str(patch, str_from(group->reasons))
					 : json_new_null(patch));
	if (group->has_status)
		set_status(scheduler, patch, group);
	write->request = client_send(
		scheduler->client, &(struct client_ask){.verb = CLIENT_PATCH,
							.patch = CLIENT_PATCH_MERGE,
							.resource = &resources[RESOURCE_PODGROUPS],
							.namespace = str_from(group->namespace),
							.name = str_from(group->name),
							.body = patch,
							.discard = true,
							.done = on_group,
							.arg = write});
	scheduler->stats.group_writes++;
}

void scheduler_report_group(struct scheduler *scheduler, const struct status_group *group)
{
	struct recorder_object object = {.api_version = STR("scheduling.volcano.sh/v1beta1"),
					 .kind = STR("PodGroup"),
					 .namespace = str_from(group->namespace),
					 .name = str_from(group->name),
					 .uid = str_from(group->uid)};

	write_group(scheduler, group);
	if (group->event_reason)
		recorder_event(scheduler->recorder, &object, "Warning", group->event_reason,
			       str_from(group->event_message));
	for (size_t i = 0; i < ALSO_MAX && group->event_reason && group->also[i]; i++)
		recorder_event(scheduler->recorder, &object, "Warning", group->event_reason,
			       str_from(group->also[i]));
}

/* A phase is reported at once, but for the last one; counts and conditions alone may wait for more of them. A group
 * that runs or is over does not wait any more, whatever was to be said of it. */
static void decide_group(struct scheduler *scheduler, const struct decision *decision,
			 uint32_t session)
{
	AUTO(mem_free) char *namespace = str_dup(job_namespace(decision->job));
	AUTO(mem_free) char *name = str_dup(job_name(decision->job));
	struct json_doc *known = known_group(scheduler, namespace, name);
	struct str phase =
		known ? json_str(json_get(json_get(json_doc_root(known), "status"), "phase"))
		      : str_none();

	status_writer_add_group(scheduler->status_writer, decision, session);
	if (decision->no_status || str_is(phase, podgroup_phase_names[decision->phase]))
		return;
	if (decision->phase == PODGROUP_RUNNING || decision->phase == PODGROUP_COMPLETED)
		status_writer_forget_event(scheduler->status_writer, decision->job);
	if (decision->phase != PODGROUP_COMPLETED)
		status_writer_flush_group(scheduler->status_writer, decision->job);
}

void scheduler_patch_status(struct scheduler *scheduler, enum resource_id kind, struct str name,
			    struct json_doc *patch, client_done_fn *done)
{
	struct write *write =
		scheduler_write_new(scheduler, WRITE_OTHER, str_none(), name, str_none());

	write->request =
		client_send(scheduler->client, &(struct client_ask){.verb = CLIENT_PATCH,
								    .patch = CLIENT_PATCH_MERGE,
								    .resource = &resources[kind],
								    .name = name,
								    .sub = STR("status"),
								    .body = patch,
								    .discard = true,
								    .done = done,
								    .arg = write});
}

void scheduler_report_queue(struct scheduler *scheduler, struct str name, struct json_doc *patch)
{
	scheduler_patch_status(scheduler, RESOURCE_QUEUES, name, patch, on_other);
}

static void decide_queue(struct scheduler *scheduler, const struct decision *decision)
{
	AUTO(json_doc_unref) struct json_doc *patch = new_patch();
	struct json status = json_ensure_obj(patch, json_doc_root(patch), "status");
	struct json allocated;

	allocated = resources_encode(&decision->allocated, scheduler->cluster->dims, patch);
	json_set(patch, status, STR("allocated"), allocated);
	/* A merge keeps what is not named: what is no longer held has to be. */
	for (size_t i = 0; i < dims_len(scheduler->cluster->dims); i++) {
		struct str name = dims_name(scheduler->cluster->dims, (int)i);

		if (json_is_absent(json_get_str(allocated, name)))
			json_set(patch, allocated, name, json_new_null(patch));
	}
	status_writer_add_queue(scheduler->status_writer, decision->queue->text, patch);
}

#define GATE "scheduling.volcano.sh/queue-allocation-gate"

/* Volcano's own gate is the only one left. */
static void ungate(struct scheduler *scheduler, const struct task *task)
{
	AUTO(json_doc_unref) struct json_doc *patch = new_patch();
	struct json spec = json_ensure_obj(patch, json_doc_root(patch), "spec");
	struct json gate = json_new_obj(patch);
	struct write *write = scheduler_write_new(scheduler, WRITE_OTHER, task_namespace(task),
						  task_name(task), task_uid(task));

	json_append(patch, json_ensure_arr(patch, spec, "schedulingGates"), gate);
	json_set_str(patch, gate, "$patch", STR("delete"));
	json_set_str(patch, gate, "name", STR(GATE));
	set_uid(patch, task_uid(task));
	write->request = client_send(scheduler->client,
				     &(struct client_ask){.verb = CLIENT_PATCH,
							  .patch = CLIENT_PATCH_STRATEGIC,
							  .resource = &resources[RESOURCE_PODS],
							  .namespace = task_namespace(task),
							  .name = task_name(task),
							  .body = patch,
							  .discard = true,
							  .done = on_other,
							  .arg = write});
}

/* Whom an event is about. */
static struct recorder_object object_of(const struct decision *decision)
{
	if (decision->task)
		return task_object(decision->task);
	if (decision->job)
		return job_object(decision->job);
	if (decision->queue)
		return recorder_object_of(json_doc_root(decision->queue->doc),
					  STR("scheduling.volcano.sh/v1beta1"), STR("Queue"));
	/* As the kubelet has it, a node's name stands for its uid. */
	return (struct recorder_object){.api_version = STR("v1"),
					.kind = STR("Node"),
					.name = str_from(decision->node),
					.uid = str_from(decision->node)};
}

static void report_event(struct scheduler *scheduler, const struct decision *decision)
{
	struct recorder_object object = object_of(decision);

	recorder_event(scheduler->recorder, &object, decision->type, decision->reason,
		       str_from(decision->message));
}

static void record(struct scheduler *scheduler, const struct decision *decision)
{
	if (decision->at_once) {
		report_event(scheduler, decision);
		return;
	}
	/* Why a pod waits is reported with its condition, later. */
	if (decision->task && str_is(str_from(decision->reason), "FailedScheduling"))
		return;
	if (decision->job && !decision->task && str_is(str_from(decision->type), "Warning")) {
		status_writer_add_event(scheduler->status_writer, decision);
		return;
	}
	if (decision->job && !decision->task)
		status_writer_forget_event(scheduler->status_writer, decision->job);
	report_event(scheduler, decision);
}

/* A job of which nothing waits any more; all its bindings follow one another. */
static void measure_job(struct scheduler *scheduler, const struct job *job,
			const struct job *before)
{
	if (job && job != before && !job->tally.count[TASK_PENDING])
		numbers_observe(scheduler->numbers, METRIC_JOB, NULL, NULL,
				loop_now(scheduler->loop) - job->created);
}

/* A job with reserved capacity is reported before pods are evicted for it, so that the next scheduler knows. */
static void report_reservations(struct scheduler *scheduler, const struct session *ssn)
{
	for (size_t i = 0; ssn->decisions.evictions && i < ssn->decisions.all.len; i++) {
		const struct decision *decision = &ssn->decisions.all.ptr[i];

		if (decision->kind != DECIDE_POD || !decision->nominated)
			continue;
		status_writer_forget_pod(scheduler->status_writer, decision->task);
		report_pod(scheduler, task_object(decision->task), decision->reason,
			   decision->message, decision->nominated);
	}
}

void scheduler_execute(struct scheduler *scheduler, const struct session *ssn)
{
	const struct job *bound = NULL;

	report_reservations(scheduler, ssn);
	for (size_t i = 0; i < ssn->decisions.all.len; i++) {
		const struct decision *decision = &ssn->decisions.all.ptr[i];

		switch (decision->kind) {
		case DECIDE_BIND:
			status_writer_forget_pod(scheduler->status_writer, decision->task);
			bind(scheduler, decision);
			measure_job(scheduler, decision->task->job, bound);
			bound = decision->task->job;
			break;
		case DECIDE_EVICT:
			evict(scheduler, decision);
			break;
		case DECIDE_UNGATE:
			ungate(scheduler, decision->task);
			break;
		case DECIDE_GROUP:
			decide_group(scheduler, decision, ssn->id);
			break;
		case DECIDE_POD:
			if (!ssn->decisions.evictions || !decision->nominated)
				status_writer_add_pod(scheduler->status_writer, decision);
			break;
		case DECIDE_EVENT:
			record(scheduler, decision);
			break;
		case DECIDE_QUEUE:
			decide_queue(scheduler, decision);
			break;
		case DECISION_KIND_COUNT:
			break;
		}
	}
}
