/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/crowd.h - jobs that wait and are alike: what one of them cannot have, none of them can.
 *
 * They share a queue, a namespace, a priority and a phase, hold nothing, and ask for the same: before they
 * are let in, the same minResources; then the same number of tasks of one class, in the same roles, with
 * the same minimums. Names of minResources that only quotas know do not count. Plugins that see no more of a job than that say so (plugin_type.alike); with any
 * other configured there are no crowds.
 *
 * Jobs of a crowd sleep. When there has been relief, an action takes the first of them, as jobs are
 * ordered, and the next one each time that one had luck; the first without it ends the matter for all.
 * So a cycle costs what it places, and not what waits. */
#ifndef SCHED_CROWD_H
#define SCHED_CROWD_H

#include <stdbool.h>
#include <stddef.h>

struct cluster;
struct crowd;
struct job;
struct session;

/* What an action looks for: jobs that are to be let in, or to be placed. */
enum crowd_stage { CROWD_ENTER, CROWD_PLACE, CROWD_STAGE_COUNT };

/* A job that was refused in this session goes to sleep among its like; false if it has none. */
bool crowd_join(struct session *ssn, struct job *job);
/* Something has happened to a job: it is awake, and of no crowd. */
void crowd_leave(struct cluster *cluster, struct job *job);
/* All of them are awake. */
void crowds_wake(struct cluster *cluster);
/* So many at most of those that have not been looked at since something moved, after a look at so many; true if
 * there were none (cluster_refresh()). */
bool crowds_refresh(struct cluster *cluster, size_t looks, size_t wakes);

/* The first of each crowd that has not been tried since the last relief, one a call; NULL: that was all.
 * It is active from then on. `at` begins with 0. */
struct job *crowds_next(struct session *ssn, enum crowd_stage stage, size_t *at);
/* A job that crowds_next() or this gave had luck: the next one of its like, or NULL. */
struct job *crowd_follow(struct session *ssn, const struct job *job);
/* The session is at its end: crowds without jobs go. */
void crowds_tidy(struct cluster *cluster);
void crowds_free(struct cluster *cluster);

#endif
