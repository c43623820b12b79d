/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/holders.c - see the header. */
#include "sched/report/holders.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "base/uuid.h"
#include "model/volcano/wait_reason.h"
#include "sched/report/words.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum { CACHE_SIZE = 32 };
#define CACHE_TIME TIME_SECOND

struct cached {
	uint64_t queue;     /* its arrival; 0: any */
	uint64_t namespace; /* hash; 0: any */
	int dim;
	bool reserved;
	bool set;
	uint64_t moves;
	uint64_t used; /* when it was asked for last */
	int64_t time;
	struct holders holders; /* texts are its own */
};
struct holders_cache {
	uint64_t uses;
	struct cached at[CACHE_SIZE];
};

static void forget(struct holders *holders)
{
	for (size_t i = 0; i < holders->len; i++) {
		mem_free((char *)holders->at[i].job.ptr);
		mem_free((char *)holders->at[i].namespace.ptr);
		mem_free((char *)holders->at[i].user.ptr);
	}
	*holders = (struct holders){0};
}

void holders_cache_free(struct holders_cache *cache)
{
	for (size_t i = 0; cache && i < CACHE_SIZE; i++)
		forget(&cache->at[i].holders);
	mem_free(cache);
}

/* --- counting ----------------------------------------------------------------------------------- */

struct str holder_name(const struct job *job)
{
	struct str name = job_name(job);
	size_t tail = UUID_TEXT_SIZE; /* with the '-' before it */

	if (name.len <= tail || name.ptr[name.len - tail] != '-' ||
	    !uuid_is_valid(str_skip(name, name.len - tail + 1)))
		return name;
	if (!str_is(str_slice(name, 0, name.len - tail), "podgroup"))
		return str_slice(name, 0, name.len - tail);
	for (int status = 0; status < TASK_STATUS_COUNT; status++)
		LIST_EACH(&job->tasks[status], struct task, job_link, task)
			return task_name(task);
	return name;
}

static int64_t pods_of(const struct job *job)
{
	return (int64_t)tally_of(&job->tally, TASKS_PLACED);
}

/* What a job that does not run yet has reserved: by being admitted, or by waiting for evicted pods. */
static int64_t reserved_by(const struct job *job, int dim)
{
	int64_t sum = 0;

	if (list_is_linked(&job->admitted_link)) {
		sum = resources_get(&job->inqueue_whole, dim) - resources_get(&job->allocated, dim);
		return sum > 0 ? sum : 0;
	}
	LIST_EACH(&job->tasks[TASK_PIPELINED], struct task, job_link, task)
		sum = number_add(sum, resources_get(class_charge(task->class), dim));
	return sum;
}

static int64_t amount_of(const struct job *job, const struct holders_query *query)
{
	if (query->queue && (!job->queue || !queue_is_below(job->queue, query->queue)))
		return 0;
	if (query->namespace.len && !str_eq(job_namespace(job), query->namespace))
		return 0;
	if (query->reserved)
		return reserved_by(job, query->dim);
	return query->dim == DIM_PODS ? pods_of(job) : resources_get(&job->allocated, query->dim);
}

struct rank {
	const struct job *job;
	int64_t uses;
};

/* Larger amounts first; of equal ones the older job, so that the order does not change by chance. */
static bool is_before(const struct rank *a, const struct rank *b)
{
	if (a->uses != b->uses)
		return a->uses > b->uses;
	return job_order(a->job, b->job) < 0;
}

struct str holder_user(const struct cluster *cluster, const struct job *job)
{
	uint32_t key = symbols_find(cluster->symbols, STR(SUBMITTER_ANNOTATION));
	uint32_t value = key && job->notes ? label_set_get(job->notes, key) : SYMBOL_NONE;

	return value ? symbols_text(cluster->symbols, value) : str_none();
}

static struct str keep(struct str text)
{
	return text.len ? str_of(str_dup(text), text.len) : str_none();
}

static void count(const struct cluster *cluster, const struct holders_query *query,
		  struct holders *ret)
{
	enum { LAST_PLACE = HOLDERS_MAX - 1 };
	struct rank best[HOLDERS_MAX] = {0};
	size_t at = 0;
	void *value;

	while (map_next(cluster->jobs, &at, NULL, &value)) {
		struct rank now = {value, amount_of(value, query)};
		size_t place;

		if (now.uses <= 0)
			continue;
		for (place = ret->len; place > 0 && is_before(&now, &best[place - 1]); place--)
			;
		if (ret->len == HOLDERS_MAX) {
			ret->more++;
			ret->more_use =
				number_add(ret->more_use,
					   place == HOLDERS_MAX ? now.uses : best[LAST_PLACE].uses);
		}
		if (place == HOLDERS_MAX)
			continue;
		for (size_t i = ret->len < HOLDERS_MAX ? ret->len : LAST_PLACE; i > place; i--)
			best[i] = best[i - 1];
		best[place] = now;
		ret->len += ret->len < HOLDERS_MAX;
	}
	for (size_t i = 0; i < ret->len && best[i].job; i++)
		ret->at[i] = (struct holder){.job = keep(holder_name(best[i].job)),
					     .namespace = keep(job_namespace(best[i].job)),
					     .user = keep(holder_user(cluster, best[i].job)),
					     .uses = best[i].uses,
					     .priority = best[i].job->priority};
}

/* --- the cache ---------------------------------------------------------------------------------- */

static struct cached *slot_of(struct holders_cache *cache, const struct cached *key)
{
	struct cached *oldest = &cache->at[0];

	for (size_t i = 0; i < CACHE_SIZE; i++) {
		struct cached *at = &cache->at[i];

		if (at->set && at->queue == key->queue && at->namespace == key->namespace &&
		    at->dim == key->dim && at->reserved == key->reserved)
			return at;
		if (at->used < oldest->used)
			oldest = at;
	}
	forget(&oldest->holders);
	*oldest = *key;
	return oldest;
}

const struct holders *holders_find(struct session *ssn, const struct holders_query *query)
{
	struct cluster *cluster = ssn->cluster;
	struct cached key = {.queue = query->queue ? query->queue->arrival + 1 : 0,
			     .namespace = query->namespace.len ? hash_str(query->namespace, 1) : 0,
			     .dim = query->dim,
			     .reserved = query->reserved};
	struct cached *slot;

	if (!cluster->holders)
		cluster->holders = mem_new(struct holders_cache);
	slot = slot_of(cluster->holders, &key);
	slot->used = ++cluster->holders->uses;
	slot->holders.outdated = slot->moves != cluster->moves;
	if (slot->set &&
	    (!slot->holders.outdated || (!ssn->options.refresh && ssn->now >= slot->time &&
					 ssn->now - slot->time < CACHE_TIME)))
		return &slot->holders;
	forget(&slot->holders);
	slot->set = true;
	slot->moves = cluster->moves;
	slot->time = ssn->now;
	count(cluster, query, &slot->holders);
	return &slot->holders;
}

/* --- words -------------------------------------------------------------------------------------- */

static void put_job(const struct holder *holder, const struct job *asker, struct buf *to)
{
	if (str_eq(holder->namespace, job_namespace(asker)))
		words_name(holder->job, to);
	else
		buf_printf(to, "`%.*s/%.*s`", STR_ARG(holder->namespace), STR_ARG(holder->job));
}

static bool is_own(const struct holder *holder, const struct job *asker)
{
	return str_eq(holder->job, holder_name(asker)) &&
	       str_eq(holder->namespace, job_namespace(asker));
}

static void put_more(const struct holders *holders, struct buf *to)
{
	buf_printf(to, " and %zu more job%s", holders->more, holders->more == 1 ? "" : "s");
}

void holders_print(const struct holders *holders, const struct job *asker,
		   const struct reason_names *names, const struct holders_query *query,
		   struct buf *to)
{
	size_t len = holders->len + (holders->more ? 1 : 0);

	for (size_t i = 0; i < holders->len; i++) {
		const struct holder *holder = &holders->at[i];

		words_join(i, len, to);
		if (is_own(holder, asker)) {
			buf_puts(to, "its own pods use ");
		} else {
			put_job(holder, asker, to);
			if (holder->user.len)
				buf_printf(to, " (%.*s)", STR_ARG(holder->user));
			buf_puts(to, query->reserved ? " has reserved " : " uses ");
		}
		words_amount(names, query->dim, holder->uses, to);
		if (!query->reserved && holder->priority > asker->priority)
			buf_puts(to, " with a higher priority");
	}
	if (!holders->more)
		return;
	put_more(holders, to);
	buf_puts(to, query->reserved ? " have reserved " : holders->more == 1 ? " uses " : " use ");
	words_amount(names, query->dim, holders->more_use, to);
}

void holders_print_names(const struct holders *holders, const struct job *asker, struct buf *to)
{
	size_t len = holders->len + (holders->more ? 1 : 0);

	for (size_t i = 0; i < holders->len; i++) {
		words_join(i, len, to);
		if (is_own(&holders->at[i], asker))
			buf_puts(to, "its own pods");
		else
			put_job(&holders->at[i], asker, to);
	}
	if (holders->more)
		put_more(holders, to);
}

uint64_t holders_hash(const struct holders *holders, uint64_t hash)
{
	for (size_t i = 0; i < holders->len; i++)
		hash = hash_str(holders->at[i].job, hash_str(holders->at[i].namespace, hash));
	return hash_bytes(&holders->more, sizeof(holders->more), hash);
}
