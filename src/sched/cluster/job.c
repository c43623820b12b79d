/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/job.c - the rules that count a job's tasks (scheduler specification, 1.18 and 1.19).
 *
 * A role's minimum counts only where the job's own minimum is at least their sum: otherwise the
 * user has asked for less than the roles say, and the job's minimum is what was meant. */
#include "sched/cluster/job.h"

#include "base/hash.h"
#include "sched/cluster/class.h"

#include "base/banned.h"

static bool roles_count(const struct job *job)
{
	return job->min_available >= job->role_min_total;
}

/* Does each role with a minimum have that many tasks in these statuses? */
static bool roles_have(const struct job *job, unsigned statuses, bool with_empty)
{
	for (size_t i = 0; roles_count(job) && i < job->roles.len; i++) {
		const struct role *role = &job->roles.ptr[i];
		uint32_t have = tally_of(&role->tally, statuses);

		if (with_empty)
			have += role->tally.waiting_empty;
		if (role->min > 0 && have < (uint32_t)role->min)
			return false;
	}
	return true;
}

static bool any_sub(const struct sub_job *sub)
{
	return sub->tally.total > 0;
}

/* Does each policy with a minimum have that many sub-groups of which `is` holds? */
static bool groups_have(const struct job *job, bool (*is)(const struct sub_job *))
{
	for (size_t i = 0; i < job->policy_count; i++) {
		int32_t have = 0;

		if (job->policies[i].min_groups <= 0)
			continue;
		LIST_EACH(&job->subs, struct sub_job, link, sub)
			if (sub->policy == &job->policies[i] && is(sub))
				have++;
		if (have < job->policies[i].min_groups)
			return false;
	}
	return true;
}

static bool has(const struct tally *tally, unsigned statuses, int32_t min)
{
	return (int64_t)tally_of(tally, statuses) + tally->waiting_empty >= min;
}

bool job_count_is_ready(const struct job *job)
{
	return has(&job->tally, TASKS_READY, job->min_available);
}

bool job_is_ready(const struct job *job)
{
	/* The count first: to look at all sub-groups costs more, and is asked after each of them. */
	return job_count_is_ready(job) && roles_have(job, TASKS_READY, true) &&
	       groups_have(job, sub_job_is_ready);
}

bool job_is_pipelined(const struct job *job)
{
	unsigned statuses = TASKS_READY | TASK_BIT(TASK_PIPELINED);

	return has(&job->tally, statuses, job->min_available) && roles_have(job, statuses, true) &&
	       groups_have(job, sub_job_is_pipelined);
}

bool job_is_starving(const struct job *job)
{
	return (int64_t)tally_of(&job->tally, TASKS_READY | TASK_BIT(TASK_PIPELINED)) <
	       job->min_available;
}

bool job_roles_are_valid(const struct job *job)
{
	return roles_have(job, TASKS_VALID, false);
}

bool job_groups_are_valid(const struct job *job)
{
	return groups_have(job, any_sub);
}

bool sub_job_is_ready(const struct sub_job *sub)
{
	return has(&sub->tally, TASKS_READY, sub->min_available);
}

bool sub_job_is_pipelined(const struct sub_job *sub)
{
	return has(&sub->tally, TASKS_READY | TASK_BIT(TASK_PIPELINED), sub->min_available);
}

int32_t sub_job_priority(const struct sub_job *sub)
{
	return sub->priority;
}

void job_rate_subs(struct job *job)
{
	LIST_EACH(&job->subs, struct sub_job, link, sub)
		sub->priority = 0;
	for (int s = 0; s < TASK_STATUS_COUNT; s++)
		LIST_EACH(&job->tasks[s], struct task, job_link, task)
			if (task->sub && task->priority > task->sub->priority)
				task->sub->priority = task->priority;
}

/* Tasks that wait, of roles that have not failed. */
static int64_t could_become_ready(const struct job *job, bool (*failed)(void *, uint32_t),
				  void *arg)
{
	int64_t count = 0;

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (!failed(arg, task->role))
			count++;
	return count;
}

/* Would its sub-group be whole no more, and be missed? */
static bool is_missed(const struct task *victim)
{
	const struct sub_policy *policy = victim->sub->policy;
	int64_t whole = 0;

	if (!policy || policy->min_groups <= 0 || !sub_job_is_ready(victim->sub) ||
	    tally_of(&victim->sub->tally, TASKS_READY) > (uint32_t)victim->sub->min_available)
		return false;
	LIST_EACH(&victim->job->subs, struct sub_job, link, sub)
		whole += sub->policy == policy && sub_job_is_ready(sub);
	return whole <= policy->min_groups;
}

bool job_can_spare(const struct task *victim)
{
	struct job *job = victim->job;
	int64_t ready = job_ready_count(job);
	const struct role *role = job_find_role(job, victim->role);

	if (ready < job->min_available)
		return true;
	if (ready == job->min_available || is_missed(victim))
		return false;
	return !role || role->min <= 0 || job->min_available < job->role_min_total ||
	       tally_of(&role->tally, TASKS_READY) != (uint32_t)role->min;
}

bool job_goes_on(const struct job *job, const struct sub_job *sub,
		 bool (*failed)(void *arg, uint32_t role), void *arg)
{
	if (job->min_available >= 0 && (uint32_t)job->min_available == job->tally.total)
		return false;
	if ((int64_t)sub->min_available >= sub->tally.total)
		return false;
	if (job->policy_count)
		return true;
	if (!roles_count(job))
		return job_ready_count(job) + could_become_ready(job, failed, arg) >=
		       job->min_available;
	for (size_t i = 0; i < job->roles.len; i++) {
		const struct role *role = &job->roles.ptr[i];

		if (role->min > 0 && failed(arg, role->name) &&
		    tally_of(&role->tally, TASKS_READY) + role->tally.waiting_empty <
			    (uint32_t)role->min)
			return false;
	}
	return true;
}

struct role *job_find_role(struct job *job, uint32_t role)
{
	for (size_t i = 0; i < job->roles.len; i++)
		if (job->roles.ptr[i].name == role)
			return &job->roles.ptr[i];
	return NULL;
}

uint32_t job_text_hash(struct str reason, struct str message)
{
	return (uint32_t)(hash_str(reason, 1) ^ hash_str(message, 2)) | 1;
}

/* How many pods a group has in what state changes while it is placed, and is nothing that they wait for. */
static struct str without_counts(struct str message)
{
	ptrdiff_t at =
		str_starts(message, STR("pod group is ")) ? str_find(message, STR("; "), 0) : -1;

	return at < 0 ? message : str_skip(message, (size_t)at);
}

uint32_t job_words_hash(struct str message)
{
	static const char digits[] = "0123456789", units[] = ".mKMGTPEi"; /* 500m, 19.2Gi */
	struct str rest = without_counts(message);
	uint64_t hash = 1;

	while (rest.len) {
		size_t len = 0;

		while (len < rest.len && !strchr(digits, rest.ptr[len]))
			len++;
		hash = hash_bytes(rest.ptr, len, hash);
		while (len < rest.len && strchr(digits, rest.ptr[len]))
			len++;
		while (len < rest.len && strchr(units, rest.ptr[len]))
			len++;
		rest = str_skip(rest, len);
	}
	return (uint32_t)hash | 1;
}

int job_order(const struct job *a, const struct job *b)
{
	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	if (a->arrival != b->arrival)
		return a->arrival < b->arrival ? -1 : 1;
	return str_cmp(job_key(a), job_key(b));
}

int sub_job_order(const struct sub_job *a, const struct sub_job *b)
{
	if (a->match_index != b->match_index)
		return a->match_index < b->match_index ? -1 : 1;
	return str_cmp(a->values, b->values);
}
