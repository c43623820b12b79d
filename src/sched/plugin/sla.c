/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/sla.c - jobs that have waited long enough go in, and keep the capacity they find
 * (scheduler specification, 6.8).
 *
 * A job's own annotation goes before the argument of the plugin. A job that is over its time is
 * permitted to enter its queue and to hold capacity for a gang that is not complete. A permission counts
 * against rejects of later tiers only: sla belongs into the first. */
#include "base/mem.h"
#include "model/value/duration.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define WAITING_TIME "sla-waiting-time"

struct sla {
	int64_t waiting_time; /* of jobs that have none of their own; 0: forever */
};

static int sla_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct sla *sla = mem_new(struct sla);
	struct str text = args_str(args, WAITING_TIME, str_none());
	int64_t nanoseconds = 0;

	(void)err;
	if (!str_is_none(text) &&
	    (duration_parse(text, &nanoseconds, NULL) < 0 || nanoseconds <= 0))
		vec_push(&args->notes,
			 mem_printf("argument " WAITING_TIME ": \"%.*s\" is no time to wait; "
				    "jobs without one of their own have none",
				    STR_ARG(text)));
	else
		sla->waiting_time = nanoseconds / DURATION_MICROSECOND;
	p->state = sla;
	return 0;
}

static void sla_free(struct plugin *p)
{
	mem_free(p->state);
}

/* When its time is over; INT64_MAX: never. */
static int64_t deadline_of(const struct plugin *p, const struct job *job)
{
	const struct sla *sla = p->state;
	int64_t time = job->waiting_time ? job->waiting_time : sla->waiting_time;

	return !time || time > INT64_MAX - job->created ? INT64_MAX : job->created + time;
}

static int sla_job_order(const struct plugin *p, const struct job *a, const struct job *b)
{
	int64_t left = deadline_of(p, a), right = deadline_of(p, b);

	return (left > right) - (left < right);
}

static enum vote sla_vote(const struct plugin *p, const struct job *job, struct reason *why)
{
	(void)why;
	return deadline_of(p, job) <= p->ssn->now ? VOTE_PERMIT : VOTE_ABSTAIN;
}

const struct plugin_type sla_plugin = {
	.name = "sla",
	.timed = true,
	.new = sla_new,
	.free = sla_free,
	.job_order = sla_job_order,
	.job_vote = {[JOB_ENQUEUEABLE] = sla_vote, [JOB_PIPELINED] = sla_vote},
};
