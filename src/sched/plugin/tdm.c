/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/tdm.c - nodes that are lent to batch work at certain hours (scheduler specification, 6.9).
 *
 * A node is of the revocable zone that its label says; the arguments say from when to when each zone
 * is active. While it is, pods that are marked for it may use its nodes, and would rather; when it is
 * not, no pod may, and with the action shuffle those that are there leave, as many of a job at a time
 * as its budget allows. Elsewhere pods that may be revoked free capacity for those that may not.
 *
 * Hours are those of the clocks here (session_options.zone). A zone that is active over midnight is so
 * until the morning. Of a job without a budget one pod goes at a time, and of one that has fewer than
 * its budget's minimum none does. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "model/value/zone.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define ZONE_PREFIX "tdm.revocable-zone."
#define EVICT_PERIOD "tdm.evict.period"
#define ZONE_LABEL "volcano.sh/revocable-zone"
#define MIN_AVAILABLE "volcano.sh/jdb-min-available"
#define MAX_UNAVAILABLE "volcano.sh/jdb-max-unavailable"

struct hours {
	char *zone;
	char *text;       /* "10:00-21:00" */
	char *wrong;      /* why it makes no sense; NULL: it does */
	int64_t from, to; /* seconds of the day */
	bool active;      /* in this session */
};

struct tdm {
	VEC(struct hours) zones;
	int64_t period;
	int64_t evicted; /* when victims were asked for last; 0: never */
	uint32_t label;  /* symbol; SYMBOL_NONE: no node has it */
	uint64_t key;    /* which zones are active */
};

static const double top = 100; /* of a score */

/* --- arguments ------------------------------------------------------------------------------- */

enum { MINUTE = 60, HOUR = 3600, HOURS_A_DAY = 24 };

/* What Go says of a time that is not of that form. */
static char *no_clock(struct str text, struct str rest, const char *want)
{
	return mem_printf("parsing time \"%.*s\" as \"15:04\": cannot parse \"%.*s\" as \"%s\"",
			  STR_ARG(text), STR_ARG(rest), want);
}

static bool has_digits(struct str text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i >= text.len || text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

/* "9:30", "09:30". What is wrong with it, or NULL and its seconds. */
static char *read_clock(struct str text, int64_t *ret)
{
	size_t len = has_digits(text, 2) ? 2 : 1;
	int64_t hour = 0, minute = 0;
	struct str rest;

	if (!has_digits(text, 1))
		return no_clock(text, text, "15");
	rest = str_skip(text, len);
	if (number_parse_range(str_slice(text, 0, len), 0, HOURS_A_DAY - 1, &hour, NULL) < 0)
		return mem_printf("parsing time \"%.*s\": hour out of range", STR_ARG(text));
	if (!str_starts(rest, STR(":")))
		return no_clock(text, rest, ":");
	rest = str_skip(rest, 1);
	if (!has_digits(rest, 2))
		return no_clock(text, rest, "04");
	if (number_parse_range(str_slice(rest, 0, 2), 0, MINUTE - 1, &minute, NULL) < 0)
		return mem_printf("parsing time \"%.*s\": minute out of range", STR_ARG(text));
	rest = str_skip(rest, 2);
	if (rest.len)
		return mem_printf("parsing time \"%.*s\": extra text: \"%.*s\"", STR_ARG(text),
				  STR_ARG(rest));
	*ret = hour * HOUR + minute * MINUTE;
	return NULL;
}

static void read_hours(struct hours *hours)
{
	struct str text = str_trim(str_from(hours->text));
	ptrdiff_t dash = str_find_byte(text, '-', 0);

	if (dash < 0 || str_find_byte(text, '-', (size_t)dash + 1) >= 0) {
		hours->wrong = mem_printf("revocable zone %s format error", hours->text);
		return;
	}
	hours->wrong = read_clock(str_slice(text, 0, (size_t)dash), &hours->from);
	if (!hours->wrong)
		hours->wrong = read_clock(str_skip(text, (size_t)dash + 1), &hours->to);
}

static int add_zone(struct tdm *tdm, struct plugin_args *args, struct str key, struct err *err)
{
	AUTO(mem_free) char *name = str_dup(key);
	struct json value = args_get(args, name);
	struct hours hours = {0};

	if (!json_is(value, JSON_STR))
		return err_set(err, ERR_INVALID, "argument %s: must be a text such as 10:00-21:00",
			       name);
	hours.zone = str_dup(str_skip(key, sizeof(ZONE_PREFIX) - 1));
	hours.text = str_dup(json_str(value));
	read_hours(&hours);
	if (hours.wrong)
		vec_push(&args->notes, mem_printf("argument %s: \"%s\" is no time such as "
						  "10:00-21:00: the zone is never active",
						  name, hours.text));
	vec_push(&tdm->zones, hours);
	return 0;
}

static int read_period(struct tdm *tdm, struct plugin_args *args, struct err *err)
{
	struct json value = args_get(args, EVICT_PERIOD);
	int64_t nanoseconds;

	tdm->period = MINUTE * TIME_SECOND;
	if (json_is_absent(value))
		return 0;
	if (!json_is(value, JSON_STR))
		return err_set(err, ERR_INVALID,
			       "argument " EVICT_PERIOD ": must be a text such as 1m");
	if (duration_parse(json_str(value), &nanoseconds, NULL) < 0)
		vec_push(&args->notes,
			 mem_printf("argument " EVICT_PERIOD
				    ": is no duration such as 1m; the default stays"));
	else
		tdm->period = nanoseconds / DURATION_MICROSECOND;
	return 0;
}

static int tdm_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct json_iter it = json_iter(args->object);
	struct tdm *tdm = mem_new(struct tdm);

	p->state = tdm;
	while (json_next(&it))
		if (str_starts(it.key, STR(ZONE_PREFIX)) && add_zone(tdm, args, it.key, err) < 0)
			return -1;
	return read_period(tdm, args, err);
}

static void tdm_free(struct plugin *p)
{
	struct tdm *tdm = p->state;

	for (size_t i = 0; tdm && i < tdm->zones.len; i++) {
		mem_free(tdm->zones.ptr[i].zone);
		mem_free(tdm->zones.ptr[i].text);
		mem_free(tdm->zones.ptr[i].wrong);
	}
	if (tdm)
		vec_done(&tdm->zones);
	mem_free(tdm);
}

/* --- zones ----------------------------------------------------------------------------------- */

/* The minute at its end belongs to it with its first second. */
static bool is_active(const struct hours *hours, int64_t second)
{
	if (hours->wrong)
		return false;
	if (hours->from < hours->to)
		return hours->from <= second && second <= hours->to;
	return hours->from <= second || second <= hours->to;
}

static void tdm_open(struct plugin *p)
{
	struct tdm *tdm = p->state;
	struct time_fields clock;

	zone_split(p->ssn->options.zone, p->ssn->now, &clock);
	tdm->label = symbols_find(p->ssn->cluster->symbols, STR(ZONE_LABEL));
	tdm->key = 1;
	for (size_t i = 0; i < tdm->zones.len; i++) {
		struct hours *hours = &tdm->zones.ptr[i];

		hours->active =
			is_active(hours, clock.hour * HOUR + clock.minute * MINUTE + clock.second);
		tdm->key = hash_bytes(&hours->active, sizeof(hours->active), tdm->key);
	}
}

/* The revocable zone of a node; none: an ordinary one. */
static struct str zone_of(const struct plugin *p, const struct node_info *node)
{
	const struct tdm *tdm = p->state;
	uint32_t zone = tdm->label ? label_set_get(node->labels, tdm->label) : SYMBOL_NONE;

	return zone ? symbols_text(p->ssn->cluster->symbols, zone) : str_none();
}

static const struct hours *find_hours(const struct plugin *p, struct str zone)
{
	const struct tdm *tdm = p->state;

	for (size_t i = 0; i < tdm->zones.len; i++)
		if (str_is(zone, tdm->zones.ptr[i].zone))
			return &tdm->zones.ptr[i];
	return NULL;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static uint64_t tdm_key(const struct plugin *p, const struct task *task)
{
	return ((const struct tdm *)p->state)->key * 2 + task->any_zone;
}

static const char *why_closed(const struct plugin *p, struct str zone, const struct hours *hours)
{
	struct arena *arena = p->ssn->arena;

	if (!hours)
		return arena_printf(arena, "revocable zone %.*s not support", STR_ARG(zone));
	if (hours->wrong)
		return hours->wrong;
	return arena_printf(arena, "current time beyond revocable zone %s:%s", hours->zone,
			    hours->text);
}

static verdict tdm_test(const struct plugin *p, const struct task *task,
			const struct node_info *node)
{
	struct str zone = zone_of(p, node);
	const struct hours *hours = zone.len ? find_hours(p, zone) : NULL;

	if (!zone.len)
		return 0;
	if (!hours || !hours->active)
		return VERDICT_OF(FIT_ZONE_CLOSED,
				  session_text(p->ssn, why_closed(p, zone, hours)));
	return task->any_zone ? 0 : VERDICT(FIT_ZONE_FOREIGN);
}

static double tdm_score(const struct plugin *p, const struct task *task,
			const struct node_info *node)
{
	struct str zone = zone_of(p, node);
	const struct hours *hours = zone.len ? find_hours(p, zone) : NULL;

	return hours && hours->active && task->any_zone ? top : 0;
}

static const struct filter_row tdm_filters[] = {
	{.name = "tdm", .scope = SCOPE_PROFILE, .key = tdm_key, .test = tdm_test},
	{.name = NULL},
};

static const struct score_row tdm_scores[] = {
	{.name = "tdm", .scope = SCOPE_PROFILE, .key = tdm_key, .score = tdm_score},
	{.name = NULL},
};

/* --- budgets --------------------------------------------------------------------------------- */

static struct str note_of(const struct plugin *p, const struct job *job, const char *key)
{
	const struct symbols *symbols = p->ssn->cluster->symbols;
	uint32_t symbol = symbols_find(symbols, str_from(key));
	uint32_t value = symbol && job->notes ? label_set_get(job->notes, symbol) : SYMBOL_NONE;

	return value ? symbols_text(symbols, value) : str_none();
}

enum { PERCENT = 100 };

/* "3", or "30%" of `total`, rounded up; what makes no sense is 0. */
static int64_t amount_of(struct str text, int64_t total)
{
	bool part = text.len && text.ptr[text.len - 1] == '%';
	int64_t number;

	if (number_parse_range(str_slice(text, 0, text.len - part), 0, INT32_MAX, &number, NULL) <
	    0)
		return 0;
	return part ? (total * number + PERCENT - 1) / PERCENT : number;
}

/* How many running pods of a job may go now. */
static int64_t may_go(const struct plugin *p, const struct job *job)
{
	struct str least = note_of(p, job, MIN_AVAILABLE);
	struct str most = note_of(p, job, MAX_UNAVAILABLE);
	int64_t running = job->tally.count[TASK_RUNNING], total = job->tally.total;
	int64_t left;

	if (least.len)
		left = running - amount_of(least, total);
	else if (most.len)
		left = amount_of(most, total) -
		       (total - tally_of(&job->tally, TASKS_COMPLETED) - running);
	else
		left = !job->tally.count[TASK_RELEASING];
	return left > 0 ? left : 0;
}

/* --- evictions ------------------------------------------------------------------------------- */

/* Who may be revoked takes nothing from others; and on lent nodes nothing is in their way. */
static bool tdm_evictable(const struct plugin *p, const struct evict_ask *ask,
			  const struct task *victim)
{
	if (ask->task && (ask->task->preemptable || ask->task->any_zone))
		return false;
	return victim->status == TASK_RUNNING && victim->node && victim->job &&
	       !zone_of(p, victim->node).len && may_go(p, victim->job) > 0;
}

/* Of a job, those that lose least go first. */
static int by_loss(const void *a, const void *b)
{
	const struct task *l = *(struct task *const *)a, *r = *(struct task *const *)b;

	if (l->job != r->job)
		return str_cmp(job_key(l->job), job_key(r->job));
	if (l->priority != r->priority)
		return l->priority < r->priority ? -1 : 1;
	if (l->created != r->created)
		return l->created > r->created ? -1 : 1;
	return str_cmp(task_key(l), task_key(r));
}

static bool is_revoked(const struct plugin *p, const struct node_info *node)
{
	struct str zone = node && node->there ? zone_of(p, node) : str_none();
	const struct hours *hours = zone.len ? find_hours(p, zone) : NULL;

	return hours && !hours->active;
}

static void tdm_victims(const struct plugin *p, struct task_list *to)
{
	const struct cluster *cluster = p->ssn->cluster;
	struct tdm *tdm = p->state;
	struct task_list found = {0};
	const struct job *job = NULL;
	int64_t left = 0;

	if (tdm->evicted && tdm->evicted + tdm->period > p->ssn->now)
		return;
	tdm->evicted = p->ssn->now;
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		if (!is_revoked(p, cluster->nodes.ptr[i]))
			continue;
		LIST_EACH(&cluster->nodes.ptr[i]->tasks, struct task, node_link, task)
			if (task->preemptable && task->status == TASK_RUNNING && task->job &&
			    session_has_job(p->ssn, task->job))
				vec_push(&found, task);
	}
	if (found.len)
		qsort(found.ptr, found.len, sizeof(found.ptr[0]), by_loss);
	for (size_t i = 0; i < found.len; i++) {
		if (found.ptr[i]->job != job) {
			job = found.ptr[i]->job;
			left = may_go(p, job);
		}
		if (left-- > 0)
			vec_push(to, found.ptr[i]);
	}
	vec_done(&found);
}

/* --- jobs ------------------------------------------------------------------------------------ */

static bool is_preemptable(const struct job *job)
{
	return job->preemptable.set && job->preemptable.value;
}

static int tdm_job_order(const struct plugin *p, const struct job *a, const struct job *b)
{
	(void)p;
	return is_preemptable(a) - is_preemptable(b);
}

static enum vote tdm_pipelined(const struct plugin *p, const struct job *job, struct reason *why)
{
	(void)p;
	(void)why;
	return (int64_t)tally_of(&job->tally, TASKS_READY | TASK_BIT(TASK_PIPELINED)) +
				       job->tally.waiting_empty >=
			       job->min_available
		       ? VOTE_PERMIT
		       : VOTE_REJECT;
}

static bool tdm_starving(const struct plugin *p, const struct job *job, struct reason *why)
{
	(void)p;
	(void)why;
	return !is_preemptable(job) && job->tally.count[TASK_PENDING] > 0;
}

const struct plugin_type tdm_plugin = {
	.name = "tdm",
	.timed = true,
	.new = tdm_new,
	.free = tdm_free,
	.open = tdm_open,
	.job_order = tdm_job_order,
	.job_test = {[JOB_STARVING] = tdm_starving},
	.job_vote = {[JOB_PIPELINED] = tdm_pipelined},
	.evictable = {[EVICT_PREEMPT] = tdm_evictable},
	.filters = tdm_filters,
	.scores = tdm_scores,
	.victims = tdm_victims,
};
