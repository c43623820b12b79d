/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/job_group.c - see the header.
 *
 * 1. A job of a group is in no list of the cluster's; `job->job_group` and `job->job_group_at` say where it is.
 * 2. While a group is `ordered`, its jobs are a heap by the order of the hooks. Events take jobs out
 *    without knowing that order: then it is made again when the first is asked for.
 * 3. `tried` is the cluster's `unblocks` when one of them was refused last. That holds for all of them, also later
 *    if there is still no node with the resource that they lack. */
#include "sched/place/job_group.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sched/device/device.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

/* What makes jobs alike; no byte of it is left unset. */
struct likeness {
	uint64_t namespace; /* hash */
	uint64_t need;      /* the same of minResources; 0: has none */
	uint64_t roles; /* the same of roles; 0: no role has a minimum, or it is not admitted yet */
	uint32_t queue; /* id */
	uint32_t class; /* id; of its tasks, once it is admitted */
	int32_t priority;
	int32_t min;
	uint32_t pending;
	uint32_t stage;
};

struct job_group {
	struct likeness likeness; /* the key */
	VEC(struct job *) jobs;
	bool ordered;
	struct shortage shortage; /* as of a job, of each of them */
	uint64_t tried;
};

/* --- likeness -------------------------------------------------------------------------------- */

/* Of one class, all of them waiting, and nothing about them that a class does not show? */
static const struct class *class_of_all(const struct job *job)
{
	const struct class *class = NULL;

	if (job->tally.count[TASK_PENDING] != job->tally.total)
		return NULL;
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		if ((class && class != task->class) || !task->ours || task->gated ||
		    task->nominated || task->class->empty || task->class->terms->has_claims ||
		    (task->class->ask && task->class->ask->apart))
			return NULL;
		class = task->class;
	}
	return class;
}

/* Minimums of roles, and how many tasks each has: all of them wait. */
static uint64_t hash_roles(const struct job *job)
{
	uint64_t hash = hash_secret();

	if (!job->role_min_total)
		return 0;
	for (size_t i = 0; i < job->roles.len; i++) {
		const struct role *role = &job->roles.ptr[i];
		uint32_t parts[] = {role->name, (uint32_t)role->min, role->tally.total};

		hash = hash_bytes(parts, sizeof(parts), hash);
	}
	return hash;
}

static bool find_likeness(const struct job *job, struct likeness *ret)
{
	const struct class *class = NULL;
	bool waits_outside = job_is_pending(job);

	*ret = (struct likeness){.queue = job->queue->id,
				 .priority = job->priority,
				 .min = job->min_available,
				 .pending = job->tally.count[TASK_PENDING],
				 .stage = waits_outside ? JOB_GROUP_ADMIT : JOB_GROUP_PLACE,
				 .namespace = hash_str(job_namespace(job), hash_secret())};
	if (job->policy_count || job_topology(job) || !resources_is_empty(&job->allocated))
		return false;
	if (waits_outside ? !job->has_min_resources : job->phase != PODGROUP_INQUEUE)
		return false;
	if (job->has_min_resources)
		ret->need = hash_bytes(job->min_resources.at,
				       job->min_resources.len * sizeof(int64_t), hash_secret());
	class = waits_outside ? NULL : class_of_all(job);
	ret->class = class ? class->id : 0;
	ret->roles = waits_outside ? 0 : hash_roles(job);
	return waits_outside || class;
}

/* --- the heap -------------------------------------------------------------------------------- */

static void put(struct job_group *group, size_t at, struct job *job)
{
	group->jobs.ptr[at] = job;
	job->job_group_at = (uint32_t)at;
}

static void sift_up(const struct session *ssn, struct job_group *group, size_t at)
{
	struct job *job = group->jobs.ptr[at];

	while (at && hook_job_order(ssn, job, group->jobs.ptr[(at - 1) / 2]) < 0) {
		put(group, at, group->jobs.ptr[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(group, at, job);
}

static void sift_down(const struct session *ssn, struct job_group *group, size_t at)
{
	struct job **jobs = group->jobs.ptr, *job = jobs[at];

	for (size_t child; (child = 2 * at + 1) < group->jobs.len; at = child) {
		if (child + 1 < group->jobs.len &&
		    hook_job_order(ssn, jobs[child + 1], jobs[child]) < 0)
			child++;
		if (hook_job_order(ssn, jobs[child], job) >= 0)
			break;
		put(group, at, jobs[child]);
	}
	put(group, at, job);
}

static void order(const struct session *ssn, struct job_group *group)
{
	for (size_t i = group->jobs.len / 2; !group->ordered && i-- > 0;)
		sift_down(ssn, group, i);
	group->ordered = true;
}

/* The first job is active again, and remembers its group for job_group_follow(). */
static struct job *take_first(struct session *ssn, struct job_group *group)
{
	struct job *first, *last;

	if (!group->jobs.len)
		return NULL;
	order(ssn, group);
	first = group->jobs.ptr[0];
	last = group->jobs.ptr[--group->jobs.len];
	if (last != first) {
		put(group, 0, last);
		sift_down(ssn, group, 0);
	}
	ssn->cluster->group_count--;
	first->job_group = NULL;
	first->came_from = group;
	first->came_session = ssn->id;
	cluster_touch_job(ssn->cluster, first);
	return first;
}

/* --- coming and going ------------------------------------------------------------------------ */

static struct str key_of(const struct likeness *likeness)
{
	return str_of((const char *)likeness, sizeof(*likeness));
}

bool job_group_join(struct session *ssn, struct job *job)
{
	struct cluster *cluster = ssn->cluster;
	struct likeness likeness;
	struct job_group *group;

	if (!ssn->config->job_groups || !find_likeness(job, &likeness))
		return false;
	group = map_get(cluster->job_groups, key_of(&likeness));
	if (!group) {
		group = mem_new(struct job_group);
		group->likeness = likeness;
		map_put(cluster->job_groups, key_of(&group->likeness), group);
	}
	list_remove(&job->active_link);
	cluster->active_count--;
	cluster->group_count++;
	job->blocked = 0;
	job->job_group = group;
	vec_push(&group->jobs, job);
	put(group, group->jobs.len - 1, job);
	if (group->ordered)
		sift_up(ssn, group, group->jobs.len - 1);
	group->tried = cluster->unblocks;
	group->shortage = job->shortage;
	return true;
}

void job_group_leave(struct cluster *cluster, struct job *job)
{
	struct job_group *group = job->job_group;
	struct job *last;

	if (!group)
		return;
	last = group->jobs.ptr[--group->jobs.len];
	if (last != job) {
		put(group, job->job_group_at, last);
		group->ordered = false;
	}
	job->job_group = NULL;
	cluster->group_count--;
}

void job_groups_unblock(struct cluster *cluster)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->job_groups, &at, NULL, &value)) {
		struct job_group *group = value;

		while (group->jobs.len)
			cluster_touch_job(cluster, group->jobs.ptr[group->jobs.len - 1]);
	}
}

/* Returns how many are active now. */
static size_t refresh(struct cluster *cluster, struct job_group *group, size_t max)
{
	size_t touched = 0;

	for (size_t i = group->jobs.len; i-- > 0 && touched < max;) {
		if (group->jobs.ptr[i]->looked == cluster->moves)
			continue;
		cluster_touch_job(cluster, group->jobs.ptr[i]);
		touched++;
	}
	return touched;
}

bool job_groups_refresh(struct cluster *cluster, size_t looks, size_t max)
{
	size_t groups = map_len(cluster->job_groups), touched = 0, looked = 0;
	bool all = true;
	void *value;

	while (groups-- > 0) {
		struct job_group *group;

		if (!map_next(cluster->job_groups, &cluster->refresh_at, NULL, &value)) {
			cluster->refresh_at = 0;
			if (!map_next(cluster->job_groups, &cluster->refresh_at, NULL, &value))
				break;
		}
		group = value;
		looked += group->jobs.len;
		touched += refresh(cluster, group, max - touched);
		if (touched == max || looked >= looks) {
			all = false;
			break;
		}
	}
	return all && !touched;
}

/* --- for actions ----------------------------------------------------------------------------- */

struct job *job_groups_next(struct session *ssn, enum job_group_stage stage, size_t *at)
{
	struct cluster *cluster = ssn->cluster;
	void *value;

	while (map_next(cluster->job_groups, at, NULL, &value)) {
		struct job_group *group = value;
		bool still_short;

		if (group->likeness.stage != stage || group->tried == cluster->unblocks ||
		    !group->jobs.len)
			continue;
		still_short = cluster_is_still_short(cluster, &group->shortage, group->tried);
		group->tried = cluster->unblocks;
		if (!still_short)
			return take_first(ssn, group);
	}
	return NULL;
}

struct job *job_group_follow(struct session *ssn, const struct job *job)
{
	return job->came_from && job->came_session == ssn->id ? take_first(ssn, job->came_from)
							      : NULL;
}

void job_groups_tidy(struct cluster *cluster)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(cluster->job_groups, &at, &key, &value)) {
		struct job_group *group = value;

		if (group->jobs.len)
			continue;
		map_remove(cluster->job_groups, key);
		vec_done(&group->jobs);
		mem_free(group);
	}
}

void job_groups_free(struct cluster *cluster)
{
	job_groups_unblock(cluster);
	job_groups_tidy(cluster);
	map_free(cluster->job_groups);
}
