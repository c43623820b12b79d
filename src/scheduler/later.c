/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/later.c - see later.h. Two maps by "namespace/name", one timer for all. */
#include "scheduler/later.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "scheduler/internal.h"

#include "base/banned.h"

/* So long nothing new must have come; and so long the oldest news waits at most. */
#define QUIET (500 * TIME_MILLISECOND)
#define PATIENCE (5 * TIME_SECOND)

struct later {
	struct scheduler *scheduler;
	struct map *pods;
	struct map *groups;
	struct loop_timer *timer;
	int64_t since; /* by loop_uptime(): the oldest news */
};

static void pod_free(struct later_pod *pod)
{
	if (!pod)
		return;
	mem_free(pod->key);
	mem_free(pod->namespace);
	mem_free(pod->name);
	mem_free(pod->uid);
	mem_free(pod->reason);
	mem_free(pod->message);
	mem_free(pod->nominated);
	mem_free(pod);
}
DEFINE_AUTO(struct later_pod *, pod_free);

static void group_free(struct later_group *group)
{
	if (!group)
		return;
	for (size_t i = 0; i < LATER_CONDITIONS; i++) {
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
	mem_free(group);
}
DEFINE_AUTO(struct later_group *, group_free);

static void set_text(char **to, const char *text)
{
	mem_free(*to);
	*to = text ? mem_strdup(text) : NULL;
}

/* --- telling ----------------------------------------------------------------------------------- */

static void tell_all(struct later *later)
{
	size_t at = 0;
	void *value;

	while (map_next(later->groups, &at, NULL, &value)) {
		scheduler_tell_group(later->scheduler, value);
		group_free(value);
	}
	map_clear(later->groups);
	at = 0;
	while (map_next(later->pods, &at, NULL, &value)) {
		scheduler_tell_pod(later->scheduler, value);
		pod_free(value);
	}
	map_clear(later->pods);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	(void)timer;
	tell_all(arg);
}

static void plan(struct later *later)
{
	int64_t now = loop_uptime(later->scheduler->loop);
	int64_t left;

	if (!loop_timer_is_set(later->timer))
		later->since = now;
	left = later->since + PATIENCE - now;
	loop_timer_set(later->timer, left < QUIET ? left : QUIET);
}

struct later *later_new(struct scheduler *scheduler)
{
	struct later *later = mem_new(struct later);

	later->scheduler = scheduler;
	later->pods = map_new(loop_random_u64(scheduler->loop));
	later->groups = map_new(loop_random_u64(scheduler->loop));
	later->timer = loop_timer_new(scheduler->loop, on_timer, later);
	return later;
}

void later_free(struct later *later)
{
	size_t at = 0;
	void *value;

	if (!later)
		return;
	while (map_next(later->pods, &at, NULL, &value))
		pod_free(value);
	at = 0;
	while (map_next(later->groups, &at, NULL, &value))
		group_free(value);
	map_free(later->pods);
	map_free(later->groups);
	loop_timer_free(later->timer);
	mem_free(later);
}

/* --- pods -------------------------------------------------------------------------------------- */

void later_forget_pod(struct later *later, const struct task *task)
{
	pod_free(map_remove(later->pods, task_key(task)));
}

void later_add_pod(struct later *later, const struct decision *decision)
{
	const struct task *task = decision->task;
	struct later_pod *pod = mem_new(struct later_pod);

	pod->key = str_dup(task_key(task));
	pod->namespace = str_dup(task_namespace(task));
	pod->name = str_dup(task_name(task));
	pod->uid = str_dup(task_uid(task));
	set_text(&pod->reason, decision->reason);
	set_text(&pod->message, decision->message);
	set_text(&pod->nominated, decision->nominated);
	pod_free(map_put(later->pods, str_from(pod->key), pod));
	plan(later);
}

/* --- groups ------------------------------------------------------------------------------------ */

static struct later_group *group_of(struct later *later, const struct job *job)
{
	struct later_group *group = map_get(later->groups, job_key(job));

	plan(later);
	if (group && str_is(str_from(job->uid), group->uid))
		return group;
	group_free(map_remove(later->groups, job_key(job)));
	group = mem_new(struct later_group);
	group->key = str_dup(job_key(job));
	group->namespace = str_dup(job_namespace(job));
	group->name = str_dup(job_name(job));
	group->uid = mem_strdup(job->uid);
	(void)map_put(later->groups, str_from(group->key), group);
	return group;
}

/* One condition of a type: in its place, or in one that is free. */
static void add_condition(struct later_group *group, const struct group_condition_text *text)
{
	size_t at = 0;

	while (at + 1 < LATER_CONDITIONS && group->conditions[at].type &&
	       !str_is(str_from(group->conditions[at].type), text->type))
		at++;
	set_text(&group->conditions[at].type, text->type);
	set_text(&group->conditions[at].reason, text->reason);
	set_text(&group->conditions[at].message, text->message);
}

void later_add_group(struct later *later, const struct decision *decision, uint32_t session)
{
	struct later_group *group = group_of(later, decision->job);

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

void later_add_event(struct later *later, const struct decision *decision)
{
	struct later_group *group = group_of(later, decision->job);

	set_text(&group->event_reason, decision->reason);
	set_text(&group->event_message, decision->message);
}

void later_forget_event(struct later *later, const struct job *job)
{
	struct later_group *group = map_get(later->groups, job_key(job));

	if (!group)
		return;
	set_text(&group->event_reason, NULL);
	set_text(&group->event_message, NULL);
}

void later_tell_group(struct later *later, const struct job *job)
{
	AUTO(group_free) struct later_group *group = map_remove(later->groups, job_key(job));

	if (group)
		scheduler_tell_group(later->scheduler, group);
}
