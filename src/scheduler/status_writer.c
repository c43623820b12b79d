/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/status_writer.c - see status_writer.h. Two maps by "namespace/name", one timer for both; one of queues by
 * name, with a timer of its own: it runs while a queue was reported of within the last QUEUE_PAUSE. */
#include "scheduler/status_writer.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "scheduler/internal.h"

#include "base/banned.h"

/* So long nothing new must have come; and so long the oldest news waits at most. */
#define QUIET (500 * TIME_MILLISECOND)
#define PATIENCE (5 * TIME_SECOND)
#define QUEUE_PAUSE (100 * TIME_MILLISECOND)

struct status_writer {
	struct scheduler *scheduler;
	struct map *pods;
	struct map *groups;
	struct map *queues;
	struct loop_timer *timer;
	struct loop_timer *queue_timer;
	int64_t since; /* by loop_uptime(): the oldest news that is not due later; 0: none */
};

static void pod_free(struct status_pod *pod)
{
	if (!pod)
		return;
	mem_free(pod->key);
	mem_free(pod->namespace);
	mem_free(pod->name);
	mem_free(pod->uid);
	mem_free(pod->reason);
	mem_free(pod->message);
	for (size_t i = 0; i < ALSO_MAX; i++)
		mem_free(pod->also[i]);
	mem_free(pod->nominated);
	mem_free(pod);
}
DEFINE_AUTO(struct status_pod *, pod_free);

static void group_free(struct status_group *group)
{
	if (!group)
		return;
	for (size_t i = 0; i < STATUS_CONDITIONS; i++) {
		mem_free(group->conditions[i].type);
		mem_free(group->conditions[i].reason);
		mem_free(group->conditions[i].message);
	}
	mem_free(group->key);
	mem_free(group->namespace);
	mem_free(group->name);
	mem_free(group->uid);
	mem_free(group->event_reason);
	mem_free(group->event_message);
	for (size_t i = 0; i < ALSO_MAX; i++)
		mem_free(group->also[i]);
	mem_free(group->reasons);
	mem_free(group);
}
DEFINE_AUTO(struct status_group *, group_free);

static void queue_free(struct status_queue *queue)
{
	if (!queue)
		return;
	mem_free(queue->name);
	json_doc_unref(queue->patch);
	mem_free(queue);
}

static void set_text(char **to, const char *text)
{
	mem_free(*to);
	*to = text ? mem_strdup(text) : NULL;
}

/* --- reports ----------------------------------------------------------------------------------- */

/* Is it due? Else when the next piece is goes into *next, if that is sooner. */
static bool is_due(int64_t due, int64_t now, int64_t *next)
{
	if (due <= now)
		return true;
	if (due < *next)
		*next = due;
	return false;
}

static int64_t report_groups(struct status_writer *writer, int64_t now, int64_t next)
{
	size_t at = 0;
	void *value;

	while (map_next(writer->groups, &at, NULL, &value)) {
		AUTO(group_free) struct status_group *group = NULL;

		if (!is_due(((const struct status_group *)value)->due, now, &next))
			continue;
		group = value;
		map_remove(writer->groups, str_from(group->key));
		scheduler_report_group(writer->scheduler, group);
	}
	return next;
}

static int64_t report_pods(struct status_writer *writer, int64_t now, int64_t next)
{
	size_t at = 0;
	void *value;

	while (map_next(writer->pods, &at, NULL, &value)) {
		AUTO(pod_free) struct status_pod *pod = NULL;

		if (!is_due(((const struct status_pod *)value)->due, now, &next))
			continue;
		pod = value;
		map_remove(writer->pods, str_from(pod->key));
		scheduler_report_pod(writer->scheduler, pod);
	}
	return next;
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct status_writer *writer = arg;
	int64_t now = loop_now(writer->scheduler->loop);
	int64_t next = report_pods(writer, now, report_groups(writer, now, INT64_MAX));

	writer->since = 0;
	if (next < INT64_MAX)
		loop_timer_set(timer, next - now);
}

static void plan(struct status_writer *writer, int64_t due)
{
	int64_t now = loop_uptime(writer->scheduler->loop);
	int64_t left;

	if (due) {
		if (!loop_timer_is_set(writer->timer))
			loop_timer_set(writer->timer, due - loop_now(writer->scheduler->loop));
		return;
	}
	if (!writer->since)
		writer->since = now;
	left = writer->since + PATIENCE - now;
	loop_timer_set(writer->timer, left < QUIET ? left : QUIET);
}

/* A status that replaces one that was due sooner is written sooner. */
static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void on_queue_timer(struct loop_timer *timer, void *arg);

struct status_writer *status_writer_new(struct scheduler *scheduler)
{
	struct status_writer *writer = mem_new(struct status_writer);

	writer->scheduler = scheduler;
	writer->pods = map_new(loop_random_u64(scheduler->loop));
	writer->groups = map_new(loop_random_u64(scheduler->loop));
	writer->queues = map_new(loop_random_u64(scheduler->loop));
	writer->queue_timer = loop_timer_new(scheduler->loop, on_queue_timer, writer);
	writer->timer = loop_timer_new(scheduler->loop, on_timer, writer);
	return writer;
}

void status_writer_free(struct status_writer *writer)
{
	size_t at = 0;
	void *value;

	if (!writer)
		return;
	while (map_next(writer->pods, &at, NULL, &value))
		pod_free(value);
	at = 0;
	while (map_next(writer->groups, &at, NULL, &value))
		group_free(value);
	at = 0;
	while (map_next(writer->queues, &at, NULL, &value))
		queue_free(value);
	map_free(writer->pods);
	map_free(writer->groups);
	map_free(writer->queues);
	loop_timer_free(writer->timer);
	loop_timer_free(writer->queue_timer);
	mem_free(writer);
}

/* --- pods -------------------------------------------------------------------------------------- */

void status_writer_forget_pod(struct status_writer *writer, const struct task *task)
{
	pod_free(map_remove(writer->pods, task_key(task)));
}

void status_writer_add_pod(struct status_writer *writer, const struct decision *decision)
{
	const struct task *task = decision->task;
	struct status_pod *pod = mem_new(struct status_pod);
	AUTO(pod_free) struct status_pod *old = NULL;

	pod->key = str_dup(task_key(task));
	pod->namespace = str_dup(task_namespace(task));
	pod->name = str_dup(task_name(task));
	pod->uid = str_dup(task_uid(task));
	set_text(&pod->reason, decision->reason);
	set_text(&pod->message, decision->message);
	for (size_t i = 0; i < ALSO_MAX; i++)
		set_text(&pod->also[i], decision->also[i]);
	set_text(&pod->nominated, decision->nominated);
	old = map_remove(writer->pods, str_from(pod->key));
	pod->due = old ? sooner(old->due, decision->not_before) : decision->not_before;
	/* A reservation that was not read yet is part of what is reported. */
	if (old && !pod->nominated)
		pod->nominated = TAKE(old->nominated);
	(void)map_put(writer->pods, str_from(pod->key), pod);
	plan(writer, pod->due);
}

/* --- groups ------------------------------------------------------------------------------------ */

static struct status_group *group_of(struct status_writer *writer, const struct job *job,
				     int64_t due)
{
	struct status_group *group = map_get(writer->groups, job_key(job));

	if (group && str_is(str_from(job->uid), group->uid)) {
		group->due = sooner(group->due, due);
		plan(writer, group->due);
		return group;
	}
	plan(writer, due);
	group_free(map_remove(writer->groups, job_key(job)));
	group = mem_new(struct status_group);
	group->key = str_dup(job_key(job));
	group->namespace = str_dup(job_namespace(job));
	group->name = str_dup(job_name(job));
	group->uid = mem_strdup(job->uid);
	group->due = due;
	(void)map_put(writer->groups, str_from(group->key), group);
	return group;
}

/* One condition of a type: in its place, or in one that is free. */
static void add_condition(struct status_group *group, const struct group_condition_text *text)
{
	size_t at = 0;

	while (at + 1 < STATUS_CONDITIONS && group->conditions[at].type &&
	       !str_is(str_from(group->conditions[at].type), text->type))
		at++;
	set_text(&group->conditions[at].type, text->type);
	set_text(&group->conditions[at].reason, text->reason);
	set_text(&group->conditions[at].message, text->message);
}

void status_writer_add_group(struct status_writer *writer, const struct decision *decision,
			     uint32_t session)
{
	int64_t due = decision->not_before;
	struct status_group *group;

	if (!due && !decision->no_status && decision->phase == PODGROUP_COMPLETED)
		due = loop_now(writer->scheduler->loop) + QUIET;
	group = group_of(writer, decision->job, due);
	if (decision->reasons)
		set_text(&group->reasons, decision->reasons);
	if (decision->no_status)
		return;
	group->has_status = true;
	group->phase = decision->phase;
	group->running = decision->running;
	group->succeeded = decision->succeeded;
	group->failed = decision->failed;
	group->session = session;
	for (size_t i = 0; i < ARRAY_LEN(decision->conditions); i++)
		if (decision->conditions[i].type)
			add_condition(group, &decision->conditions[i]);
}

void status_writer_forget_group(struct status_writer *writer, struct str namespace, struct str name)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	buf_printf(&key, "%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
	group_free(map_remove(writer->groups, buf_str(&key)));
}

void status_writer_add_event(struct status_writer *writer, const struct decision *decision)
{
	struct status_group *group = group_of(writer, decision->job, decision->not_before);

	set_text(&group->event_reason, decision->reason);
	set_text(&group->event_message, decision->message);
	/* Without any, those that were not read yet are still true, but for their numbers. */
	for (size_t i = 0; i < ALSO_MAX && decision->also[0]; i++)
		set_text(&group->also[i], decision->also[i]);
}

void status_writer_forget_event(struct status_writer *writer, const struct job *job)
{
	struct status_group *group = map_get(writer->groups, job_key(job));

	if (!group)
		return;
	set_text(&group->event_reason, NULL);
	set_text(&group->event_message, NULL);
	for (size_t i = 0; i < ALSO_MAX; i++)
		set_text(&group->also[i], NULL);
}

/* --- queues ------------------------------------------------------------------------------------ */

static void report_queue(struct status_writer *writer, struct status_queue *queue)
{
	AUTO(json_doc_unref) struct json_doc *patch = TAKE(queue->patch);

	queue->written = loop_uptime(writer->scheduler->loop);
	scheduler_report_queue(writer->scheduler, str_from(queue->name), patch);
}

/* Writes what is due; forgets queues without a change for a while. The timer goes on for the others. */
static void report_queues(struct status_writer *writer, int64_t now)
{
	int64_t next = INT64_MAX;
	size_t at = 0;
	void *value;

	while (map_next(writer->queues, &at, NULL, &value)) {
		struct status_queue *queue = value;

		if (is_due(queue->written + QUEUE_PAUSE, now, &next)) {
			if (!queue->patch) {
				map_remove(writer->queues, str_from(queue->name));
				queue_free(queue);
				continue;
			}
			report_queue(writer, queue);
			(void)is_due(queue->written + QUEUE_PAUSE, now, &next);
		}
	}
	if (next < INT64_MAX)
		loop_timer_set(writer->queue_timer, next - now);
}

static void on_queue_timer(struct loop_timer *timer, void *arg)
{
	struct status_writer *writer = arg;

	(void)timer;
	report_queues(writer, loop_uptime(writer->scheduler->loop));
}

void status_writer_add_queue(struct status_writer *writer, struct str name, struct json_doc *patch)
{
	struct status_queue *queue = map_get(writer->queues, name);
	bool fresh = !queue;

	if (fresh) {
		queue = mem_new(struct status_queue);
		queue->name = str_dup(name);
		(void)map_put(writer->queues, str_from(queue->name), queue);
	}
	json_doc_unref(queue->patch);
	queue->patch = json_doc_ref(patch);
	if (fresh)
		report_queue(writer, queue);
	if (!loop_timer_is_set(writer->queue_timer))
		loop_timer_set(writer->queue_timer, QUEUE_PAUSE);
}

void status_writer_flush(struct status_writer *writer)
{
	(void)report_groups(writer, INT64_MAX, INT64_MAX);
	(void)report_pods(writer, INT64_MAX, INT64_MAX);
	writer->since = 0;
	loop_timer_stop(writer->timer);
}

void status_writer_flush_group(struct status_writer *writer, const struct job *job)
{
	AUTO(group_free) struct status_group *group = map_remove(writer->groups, job_key(job));

	if (group)
		scheduler_report_group(writer->scheduler, group);
}
