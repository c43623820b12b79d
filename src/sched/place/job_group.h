/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/job_group.h - identical pending jobs: what one of them cannot have, none of them can.
 *
 * They share a queue, a namespace, a priority and a phase, hold nothing, and ask for the same: before they
 * are admitted, the same minResources; then the same number of tasks of one class, in the same roles, with
 * the same minimums. Names of minResources that only quotas know do not count. Plugins that see no more of a job than that say so (plugin_type.alike); with any
 * other configured there are no job groups.
 *
 * Jobs of a group are blocked. After capacity was freed, an action tries the first of them, as jobs are
 * ordered, and the next one after each success; the first failure counts for all of them.
 * So the cost of a cycle depends on what it places, and not on what waits. */
#ifndef SCHED_JOB_GROUP_H
#define SCHED_JOB_GROUP_H

#include <stdbool.h>
#include <stddef.h>

struct cluster;
struct group;
struct job;
struct session;

/* What an action looks for: jobs that are to be admitted, or to be placed. */
enum job_group_stage { JOB_GROUP_ADMIT, JOB_GROUP_PLACE, JOB_GROUP_STAGE_COUNT };

/* A job that was refused in this session joins the group of identical jobs; false if it cannot. */
bool job_group_join(struct session *ssn, struct job *job);
/* Something has happened to a job: it is active, and in no group. */
void job_group_leave(struct cluster *cluster, struct job *job);
/* Unblocks all of them. */
void job_groups_unblock(struct cluster *cluster);
/* So many at most of those that have not been looked at since something moved, after a look at so many; true if
 * there were none (cluster_refresh()). */
bool job_groups_refresh(struct cluster *cluster, size_t looks, size_t max);

/* The first of each group that was not tried since jobs were unblocked last, one per call; NULL: that was all.
 * It is active from then on. `at` begins with 0. */
struct job *job_groups_next(struct session *ssn, enum job_group_stage stage, size_t *at);
/* A job that job_groups_next() or this gave was placed: the next one of its group, or NULL. */
struct job *job_group_follow(struct session *ssn, const struct job *job);
/* The session is at its end: frees groups without jobs. */
void job_groups_tidy(struct cluster *cluster);
void job_groups_free(struct cluster *cluster);

#endif
