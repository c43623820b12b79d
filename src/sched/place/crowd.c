/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/crowd.c - see the header.
 *
 * 1. A job of a crowd is in no list of the cluster's; `job->crowd` and `job->crowd_at` say where it is.
 * 2. While a crowd is `ordered`, its jobs are a heap by the order of the hooks. Events take jobs out
 *    without knowing that order: then it is made again when somebody asks for the first.
 * 3. `tried` is the relief at which one of them was refused last: it holds for all, and for later relief where
 *    there is still no node with the cpu that they lack. */
#include "sched/place/crowd.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sched/session/hooks.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* What makes jobs alike; no byte of it is left unset. */
struct likeness {
	uint64_t namespace; /* hash */
	uint64_t need;      /* of minResources, likewise; 0: has none */
	uint64_t roles;     /* likewise; 0: no role has a minimum, or it is not let in yet */
	uint32_t queue;     /* id */
	uint32_t class;     /* id; of its tasks, once it is let in */
	int32_t priority;
	int32_t min;
	uint32_t pending;
	uint32_t stage;
};

struct crowd {
	struct likeness likeness; /* the key */
	VEC(struct job *) jobs;
	bool ordered;
	struct shortage shortage; /* as of a job, of each of them */
	uint64_t tried;
};

/* --- likeness -------------------------------------------------------------------------------- */

/* Of one class, all of them waiting, and nothing about them that a class does not tell? */
static const struct class *class_of_all(const struct job *job)
{
	const struct class *class = NULL;

	if (job->tally.count[TASK_PENDING] != job->tally.total)
		return NULL;
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		if ((class && class != task->class) || !task->ours || task->gated ||
		    task->nominated || task->class->empty || task->class->terms->has_claims)
			return NULL;
		class = task->class;
	}
	return class;
}

/* Minimums of roles, and how many tasks each has: all of them wait. */
static uint64_t hash_roles(const struct job *job)
{
	uint64_t hash = 1;

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
				 .stage = waits_outside ? CROWD_ENTER : CROWD_PLACE,
				 .namespace = hash_str(job_namespace(job), 1)};
	if (job->policy_count || job_topology(job) || !resources_is_empty(&job->allocated))
		return false;
	if (waits_outside ? !job->has_min_resources : job->phase != PODGROUP_INQUEUE)
		return false;
	if (job->has_min_resources)
		ret->need = hash_bytes(job->min_resources.at,
				       job->min_resources.len * sizeof(int64_t), 1);
	class = waits_outside ? NULL : class_of_all(job);
	ret->class = class ? class->id : 0;
	ret->roles = waits_outside ? 0 : hash_roles(job);
	return waits_outside || class;
}

/* --- the heap -------------------------------------------------------------------------------- */

static void put(struct crowd *crowd, size_t at, struct job *job)
{
	crowd->jobs.ptr[at] = job;
	job->crowd_at = (uint32_t)at;
}

static void sift_up(const struct session *ssn, struct crowd *crowd, size_t at)
{
	struct job *job = crowd->jobs.ptr[at];

	while (at && hook_job_order(ssn, job, crowd->jobs.ptr[(at - 1) / 2]) < 0) {
		put(crowd, at, crowd->jobs.ptr[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(crowd, at, job);
}

static void sift_down(const struct session *ssn, struct crowd *crowd, size_t at)
{
	struct job **jobs = crowd->jobs.ptr, *job = jobs[at];

	for (size_t child; (child = 2 * at + 1) < crowd->jobs.len; at = child) {
		if (child + 1 < crowd->jobs.len &&
		    hook_job_order(ssn, jobs[child + 1], jobs[child]) < 0)
			child++;
		if (hook_job_order(ssn, jobs[child], job) >= 0)
			break;
		put(crowd, at, jobs[child]);
	}
	put(crowd, at, job);
}

static void order(const struct session *ssn, struct crowd *crowd)
{
	for (size_t i = crowd->jobs.len / 2; !crowd->ordered && i-- > 0;)
		sift_down(ssn, crowd, i);
	crowd->ordered = true;
}

/* The first is awake; it remembers its crowd's likeness by being asked again. */
static struct job *take_first(struct session *ssn, struct crowd *crowd)
{
	struct job *first, *last;

	if (!crowd->jobs.len)
		return NULL;
	order(ssn, crowd);
	first = crowd->jobs.ptr[0];
	last = crowd->jobs.ptr[--crowd->jobs.len];
	if (last != first) {
		put(crowd, 0, last);
		sift_down(ssn, crowd, 0);
	}
	ssn->cluster->crowd_count--;
	first->crowd = NULL;
	first->came_from = crowd;
	first->came_session = ssn->id;
	cluster_touch_job(ssn->cluster, first);
	return first;
}

/* --- coming and going ------------------------------------------------------------------------ */

static struct str key_of(const struct likeness *likeness)
{
	return str_of((const char *)likeness, sizeof(*likeness));
}

bool crowd_join(struct session *ssn, struct job *job)
{
	struct cluster *cluster = ssn->cluster;
	struct likeness likeness;
	struct crowd *crowd;

	if (!ssn->config->crowds || !find_likeness(job, &likeness))
		return false;
	crowd = map_get(cluster->crowds, key_of(&likeness));
	if (!crowd) {
		crowd = mem_new(struct crowd);
		crowd->likeness = likeness;
		map_put(cluster->crowds, key_of(&crowd->likeness), crowd);
	}
	list_remove(&job->active_link);
	cluster->active_count--;
	cluster->crowd_count++;
	job->asleep = 0;
	job->crowd = crowd;
	vec_push(&crowd->jobs, job);
	put(crowd, crowd->jobs.len - 1, job);
	if (crowd->ordered)
		sift_up(ssn, crowd, crowd->jobs.len - 1);
	crowd->tried = cluster->relief;
	crowd->shortage = job->shortage;
	return true;
}

void crowd_leave(struct cluster *cluster, struct job *job)
{
	struct crowd *crowd = job->crowd;
	struct job *last;

	if (!crowd)
		return;
	last = crowd->jobs.ptr[--crowd->jobs.len];
	if (last != job) {
		put(crowd, job->crowd_at, last);
		crowd->ordered = false;
	}
	job->crowd = NULL;
	cluster->crowd_count--;
}

void crowds_wake(struct cluster *cluster)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->crowds, &at, NULL, &value)) {
		struct crowd *crowd = value;

		while (crowd->jobs.len)
			cluster_touch_job(cluster, crowd->jobs.ptr[crowd->jobs.len - 1]);
	}
}

/* Returns how many are awake now. */
static size_t refresh(struct cluster *cluster, struct crowd *crowd, size_t wakes)
{
	size_t woken = 0;

	for (size_t i = crowd->jobs.len; i-- > 0 && woken < wakes;) {
		if (crowd->jobs.ptr[i]->looked == cluster->moves)
			continue;
		cluster_touch_job(cluster, crowd->jobs.ptr[i]);
		woken++;
	}
	return woken;
}

bool crowds_refresh(struct cluster *cluster, size_t looks, size_t wakes)
{
	size_t crowds = map_len(cluster->crowds), woken = 0, looked = 0;
	bool all = true;
	void *value;

	while (crowds-- > 0) {
		struct crowd *crowd;

		if (!map_next(cluster->crowds, &cluster->refresh_at, NULL, &value)) {
			cluster->refresh_at = 0;
			if (!map_next(cluster->crowds, &cluster->refresh_at, NULL, &value))
				break;
		}
		crowd = value;
		looked += crowd->jobs.len;
		woken += refresh(cluster, crowd, wakes - woken);
		if (woken == wakes || looked >= looks) {
			all = false;
			break;
		}
	}
	return all && !woken;
}

/* --- for actions ----------------------------------------------------------------------------- */

struct job *crowds_next(struct session *ssn, enum crowd_stage stage, size_t *at)
{
	struct cluster *cluster = ssn->cluster;
	void *value;

	while (map_next(cluster->crowds, at, NULL, &value)) {
		struct crowd *crowd = value;
		bool hopeless;

		if (crowd->likeness.stage != stage || crowd->tried == cluster->relief ||
		    !crowd->jobs.len)
			continue;
		hopeless = cluster_is_hopeless(cluster, &crowd->shortage, crowd->tried);
		crowd->tried = cluster->relief;
		if (!hopeless)
			return take_first(ssn, crowd);
	}
	return NULL;
}

struct job *crowd_follow(struct session *ssn, const struct job *job)
{
	return job->came_from && job->came_session == ssn->id ? take_first(ssn, job->came_from)
							      : NULL;
}

void crowds_tidy(struct cluster *cluster)
{
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(cluster->crowds, &at, &key, &value)) {
		struct crowd *crowd = value;

		if (crowd->jobs.len)
			continue;
		map_remove(cluster->crowds, key);
		vec_done(&crowd->jobs);
		mem_free(crowd);
	}
}

void crowds_free(struct cluster *cluster)
{
	crowds_wake(cluster);
	crowds_tidy(cluster);
	map_free(cluster->crowds);
}
