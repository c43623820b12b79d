/* SPDX-License-Identifier: Apache-2.0 */
/* controller/worker.c - keys, looks and plans of the small controllers.
 *
 * A key has an entry from its first plan with something to write or to report until its object is deleted
 * and nothing is under way: what was reported, and the plan that is being executed. */
#include "controller/worker.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/workqueue.h"
#include "controller/cache.h"
#include "controller/controller.h"
#include "controller/execute_plan.h"
#include "loop/loop.h"

#include "base/banned.h"

#define WAIT_FIRST (10 * TIME_MILLISECOND)
#define WAIT_MOST (10 * TIME_SECOND)
/* A plan that is refused is tried again at least this often. */
#define RETRY_MOST (60 * TIME_SECOND)

struct entry {
	struct worker *worker;
	char *key;
	struct execution *execution; /* while a plan is executed */
	struct execution_reports reported;
	int64_t wait;
	bool forgotten; /* to go when nothing is under way any more */
};

struct worker {
	struct worker_options options;
	struct workqueue *queue;
	struct map *early;   /* keys before the start */
	struct map *entries; /* key: struct entry */
};

static void reconcile(void *arg, struct str key);

struct worker *worker_new(const struct worker_options *options)
{
	struct worker *worker = mem_new(struct worker);

	worker->options = *options;
	worker->early = map_new(loop_random_u64(options->base->loop));
	worker->entries = map_new(loop_random_u64(options->base->loop));
	return worker;
}

static void entry_free(struct entry *entry)
{
	execution_cancel(entry->execution);
	execution_reports_done(&entry->reported);
	mem_free(entry->key);
	mem_free(entry);
}

static void forget_early(struct worker *worker)
{
	size_t at = 0;
	void *key;

	while (map_next(worker->early, &at, NULL, &key))
		mem_free(key);
	map_free(worker->early);
	worker->early = NULL;
}

void worker_free(struct worker *worker)
{
	size_t at = 0;
	void *entry;

	if (!worker)
		return;
	workqueue_free(worker->queue);
	while (map_next(worker->entries, &at, NULL, &entry))
		entry_free(entry);
	map_free(worker->entries);
	if (worker->early)
		forget_early(worker);
	mem_free(worker);
}

/* --- keys ------------------------------------------------------------------------------------ */

void worker_wake(struct worker *worker, struct str key)
{
	char *copy;

	if (worker->queue) {
		workqueue_add(worker->queue, key);
	} else if (!map_get(worker->early, key)) {
		copy = str_dup(key);
		(void)map_put(worker->early, str_of(copy, key.len), copy);
	}
}

void worker_wake_object(struct worker *worker, struct str namespace, struct str name)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	if (namespace.len) {
		buf_put_str(&key, namespace);
		buf_putc(&key, '/');
	}
	buf_put_str(&key, name);
	worker_wake(worker, buf_str(&key));
}

void worker_split(struct str key, struct str *ret_namespace, struct str *ret_name)
{
	ptrdiff_t slash = str_find_byte(key, '/', 0);

	*ret_namespace = slash < 0 ? STR("") : str_slice(key, 0, (size_t)slash);
	*ret_name = slash < 0 ? key : str_skip(key, (size_t)slash + 1);
}

void worker_start(struct worker *worker)
{
	const struct controller_base *base = worker->options.base;
	struct str key;
	size_t at = 0;
	void *copy;

	worker->queue =
		workqueue_new(base->loop, &(struct workqueue_options){
						  .work = reconcile,
						  .arg = worker,
						  .workers = base->options.workers,
						  .max_us = RETRY_MOST,
						  .resource = &resources[worker->options.of],
						  .component = "controllers",
					  });
	while (map_next(worker->early, &at, &key, &copy))
		workqueue_add(worker->queue, key);
	forget_early(worker);
}

/* --- entries --------------------------------------------------------------------------------- */

static struct entry *entry_of(struct worker *worker, struct str key)
{
	struct entry *entry = map_get(worker->entries, key);

	if (entry)
		return entry;
	entry = mem_new(struct entry);
	entry->worker = worker;
	entry->key = str_dup(key);
	(void)map_put(worker->entries, str_of(entry->key, key.len), entry);
	return entry;
}

static void drop(struct entry *entry)
{
	(void)map_remove(entry->worker->entries, str_from(entry->key));
	entry_free(entry);
}

void worker_forget(struct worker *worker, struct str key)
{
	struct entry *entry = map_get(worker->entries, key);

	if (!entry)
		return;
	if (entry->execution)
		entry->forgotten = true;
	else
		drop(entry);
}

/* --- looks ----------------------------------------------------------------------------------- */

static void written(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	struct entry *entry = arg;
	struct cache *const *caches = entry->worker->options.caches;
	const struct worker_options *options = &entry->worker->options;
	struct cache *cache = caches ? caches[write->kind] : NULL;

	if (cache && write->verb == PLAN_DELETE && !doc)
		cache_remove(cache, write->namespace, write->name, write->uid);
	else if (cache && write->verb != PLAN_DELETE && doc)
		cache_put(cache, doc);
	if (options->written)
		options->written(options->arg, write, doc);
}

/* Something else was there, or had changed meanwhile: no failure, but no haste either. */
static int64_t next_wait(struct entry *entry)
{
	entry->wait = entry->wait ? 2 * entry->wait : WAIT_FIRST;
	if (entry->wait > WAIT_MOST)
		entry->wait = WAIT_MOST;
	return entry->wait;
}

static void carried_out(void *arg, enum execution_end end)
{
	struct entry *entry = arg;
	struct worker *worker = entry->worker;
	struct str key = str_from(entry->key);

	entry->execution = NULL;
	if (end == EXECUTION_FAILED) {
		workqueue_retry(worker->queue, key);
	} else if (end == EXECUTION_DENIED) {
		workqueue_done_after(worker->queue, key, EXECUTION_DENIED_PAUSE);
	} else if (end == EXECUTION_AGAIN) {
		workqueue_done_after(worker->queue, key, next_wait(entry));
	} else {
		entry->wait = 0;
		workqueue_done_after(worker->queue, key, 0);
	}
	if (entry->forgotten)
		drop(entry);
}

static void rest(struct worker *worker, struct str key, int64_t next_at)
{
	int64_t now = loop_now(worker->options.base->loop);

	if (next_at)
		workqueue_done_after(worker->queue, key, next_at > now ? next_at - now : 0);
	else
		workqueue_done(worker->queue, key);
}

static void reconcile(void *arg, struct str key)
{
	struct worker *worker = arg;
	const struct controller_base *base = worker->options.base;
	AUTO(plan_done) struct plan plan;
	struct execution_options options = {
		.client = base->client,
		.recorder = base->recorder,
		.written = written,
		.done = carried_out,
	};
	struct entry *entry;
	struct err err;

	plan_init(&plan);
	if (worker->options.reconcile(worker->options.arg, key, &plan, &err) < 0) {
		AUTO(mem_free) char *name = str_dup(key);

		log_warn(base->log, "cannot be looked at", LOG_STR("key", name),
			 LOG_STR("error", err.text));
		workqueue_retry(worker->queue, key);
		return;
	}
	if (plan_is_empty(&plan)) {
		rest(worker, key, plan.next_at);
		return;
	}
	entry = entry_of(worker, key);
	options.reported = &entry->reported;
	options.arg = entry;
	if (plan.writes.len == 0) {
		execution_report(&options, &plan);
		rest(worker, key, plan.next_at);
		return;
	}
	entry->execution = execution_start(&options, &plan);
}
