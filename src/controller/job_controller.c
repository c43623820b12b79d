/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_controller.c - the job controller: calls lifecycle/job_lifecycle.h for each job that something happened
 * to, and executes the plans.
 *
 * One key a job ("namespace/name") in a work queue, so that each is looked at once at a time and a
 * large job does not stand in the way of a small one: a plan makes a few hundred pods at most, and the
 * job then queues up again after the others.
 *
 * What the server answers to a write is taken in at once, so that the next look sees it. That matters:
 * a pod that the status counts and that is not there is an evicted one. For the same reason nothing is
 * looked at before everything that is there has been heard of.
 *
 * The watch may report a write before its answer comes. That is no news either: events that come while a
 * plan is executed are counted, the answers to its writes are taken off again, and only if something
 * is left the job is looked at once more. */
#include "base/buf.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/workqueue.h"
#include "controller/cache.h"
#include "controller/controller.h"
#include "controller/controller_rows.h"
#include "controller/execute_plan.h"
#include "controller/job_admission.h"
#include "controller/job_commands.h"
#include "controller/job_entries.h"
#include "controller/job_metrics.h"
#include "controller/lookups.h"
#include "http/sshkey.h"
#include "lifecycle/job_lifecycle.h"
#include "loop/loop.h"
#include "model/core/meta.h"

#include "base/banned.h"

#define WAIT_FIRST (10 * TIME_MILLISECOND)
#define WAIT_MOST (10 * TIME_SECOND)
#define KEY_AGAIN TIME_SECOND
#define RETRY_FIRST (5 * TIME_MILLISECOND)
#define RETRY_LAST (100 * TIME_SECOND)
enum { RETRY_MOST = 30 };

struct job_controller {
	struct controller_base *base;
	struct entries *entries;
	struct cache *caches[PLAN_KIND_COUNT]; /* NULL: kinds that are not watched */
	struct lookups *lookups;               /* those, if they are needed */
	struct workqueue *queue;               /* NULL until everything is known */
	struct list keys;                      /* key pairs that are being made */
	struct strays *strays;                 /* Commands for jobs that are not there */
	uint64_t steps;
	uint64_t writes;
	struct job_metrics metrics;
};

/* A key pair that is being made on a worker. */
struct key_work {
	struct list link;
	struct job_controller *controller; /* NULL: it was freed */
	char *job;
	struct sshkey key;
	struct err err;
	int result;
};

static void wake(struct job_controller *self, struct entry *entry)
{
	if (!entry || !self->queue)
		return;
	if (entry->busy)
		entry->events++;
	else
		workqueue_add(self->queue, str_from(entry->key));
}

static void wake_name(struct job_controller *self, struct str namespace, struct str name)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	buf_put_str(&key, namespace);
	buf_putc(&key, '/');
	buf_put_str(&key, name);
	wake(self, entries_find(self->entries, buf_str(&key)));
}

/* --- the ends of a look ---------------------------------------------------------------------- */

/* No plan is under way any more; handle the events that came meanwhile. */
static void leave(struct job_controller *self, struct entry *entry)
{
	entry->busy = false;
	if (entry->events > 0)
		workqueue_add(self->queue, str_from(entry->key));
	entry->events = 0;
	entries_drop(self->entries, entry);
}

static void rest(struct job_controller *self, struct entry *entry, int64_t next_at)
{
	struct str key = str_from(entry->key);
	int64_t now = loop_now(self->base->loop);

	if (next_at > 0)
		workqueue_done_after(self->queue, key, next_at > now ? next_at - now : 0);
	else
		workqueue_done(self->queue, key);
	leave(self, entry);
}

/* Something else was there, or had changed meanwhile: that is no failure, but no haste either. */
static void wait_a_while(struct job_controller *self, struct entry *entry)
{
	entry->wait_us = entry->wait_us == 0 ? WAIT_FIRST : 2 * entry->wait_us;
	if (entry->wait_us > WAIT_MOST)
		entry->wait_us = WAIT_MOST;
	workqueue_done_after(self->queue, str_from(entry->key), entry->wait_us);
	leave(self, entry);
}

/* The server said no. Pauses double, counted from the first failure: what happens around a job makes
 * it look again before its pause is over, and must not make the next one longer. */
static void try_later(struct job_controller *self, struct entry *entry)
{
	int64_t now = loop_now(self->base->loop);
	int64_t pause;

	if (entry->failing_since == 0)
		entry->failing_since = now;
	pause = now - entry->failing_since;
	if (pause < RETRY_FIRST)
		pause = RETRY_FIRST;
	workqueue_done_after(self->queue, str_from(entry->key),
			     pause < RETRY_LAST ? pause : RETRY_LAST);
	leave(self, entry);
}

/* --- executing plans ------------------------------------------------------------------------- */

/* A status was written. */
static void count_status(struct job_controller *self, struct entry *entry)
{
	entry->counted_at = loop_now(self->base->loop);
	entry->completed += entry->enters == VCJOB_COMPLETED;
	entry->failed += entry->enters == VCJOB_FAILED;
}

/* The event of the write came before its answer. */
static void take_off(struct entry *entry)
{
	if (entry->events > 0)
		entry->events--;
}

static void pod_written(struct job_controller *self, struct entry *entry,
			const struct plan_write *write, struct json_doc *doc)
{
	struct informer *pods = self->base->informers[RESOURCE_PODS];
	struct json root = doc ? json_doc_root(doc) : JSON_NONE;
	uint64_t seen = 0;

	if (write->verb == PLAN_DELETE) {
		if (doc)
			entries_mark_pod(self->entries, write->namespace, write->name, write->uid);
		else
			(void)entries_remove_pod(self->entries, write->namespace, write->name,
						 write->uid);
		return;
	}
	/* A pod that was created and already deleted must not come back. */
	if (number_parse_u64(informer_version(pods), &seen, NULL) == 0 &&
	    cache_version(root) <= seen) {
		if (write->verb == PLAN_CREATE)
			take_off(entry);
		return;
	}
	(void)entries_put_pod(self->entries, root);
}

static void job_written(struct job_controller *self, struct entry *entry, struct json_doc *doc)
{
	if (entry->version == cache_version(json_doc_root(doc)))
		take_off(entry);
	(void)entries_put_job(self->entries, doc);
}

static void other_written(struct job_controller *self, struct entry *entry,
			  const struct plan_write *write, struct json_doc *doc)
{
	struct cache *cache = self->caches[write->kind];
	const struct json_doc *known = cache_get(cache, write->namespace, write->name);

	/* of these kinds only podgroups wake their jobs */
	if (write->kind == PLAN_PODGROUP && known &&
	    cache_version(json_doc_root(known)) == cache_version(json_doc_root(doc)))
		take_off(entry);
	cache_put(cache, doc);
}

static enum resource_id resource_of(enum plan_kind_id kind)
{
	const struct resource *resource = resource_find(str_from(plan_kinds[kind].api_version),
							str_from(plan_kinds[kind].kind));

	return (enum resource_id)(resource - resources);
}

/* Kinds that are not watched, or cannot be. */
static bool is_read_on_demand(const struct job_controller *self, enum plan_kind_id kind)
{
	if (!self->caches[kind])
		return kind == PLAN_SECRET || kind == PLAN_NETWORKPOLICY;
	return informer_denied(self->base->informers[resource_of(kind)]);
}

static void written(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	struct entry *entry = arg;
	struct job_controller *self = entry->controller;

	self->writes++;
	if (write->kind == PLAN_POD) {
		pod_written(self, entry, write, doc);
		if (write->verb == PLAN_CREATE && entry->pods_answer == JOB_PODS_UNKNOWN)
			entry->pods_answer = JOB_PODS_CREATED;
		if (write->verb == PLAN_CREATE && entry->doc)
			job_metrics_observe(&self->metrics, json_doc_root(entry->doc),
					    loop_now(self->base->loop));
	} else if (write->kind == PLAN_JOB && doc) {
		job_written(self, entry, doc);
		if (write->verb == PLAN_UPDATE_STATUS)
			count_status(self, entry);
	} else if (self->caches[write->kind] && write->verb == PLAN_DELETE) {
		cache_remove(self->caches[write->kind], write->namespace, write->name, write->uid);
	} else if (self->caches[write->kind] && doc) {
		other_written(self, entry, write, doc);
	}
	if (is_read_on_demand(self, write->kind))
		lookups_put(self->lookups, resource_of(write->kind), write->namespace, write->name,
			    doc);
}

static void failed(void *arg, const struct plan_write *write, const struct err *err)
{
	struct entry *entry = arg;

	if (write->kind == PLAN_POD && write->verb == PLAN_CREATE &&
	    !client_is_transient(err->code))
		entry->pods_answer = JOB_PODS_REJECTED;
}

static void done(void *arg, enum execution_end end)
{
	struct entry *entry = arg;
	struct job_controller *self = entry->controller;
	int64_t next_at = entry->more ? loop_now(self->base->loop) : entry->next_at;

	entry->execution = NULL;
	switch (end) {
	case EXECUTION_DONE:
		entry->wait_us = 0;
		entry->failing_since = 0;
		rest(self, entry, next_at);
		break;
	case EXECUTION_AGAIN:
		wait_a_while(self, entry);
		break;
	case EXECUTION_FAILED:
		try_later(self, entry);
		break;
	case EXECUTION_DENIED:
		workqueue_done_after(self->queue, str_from(entry->key), EXECUTION_DENIED_PAUSE);
		leave(self, entry);
		break;
	}
}

/* --- key pairs -------------------------------------------------------------------------------
 * A job that waits for its pair does not keep a place in the work queue: a hundred of them delay no one
 * else. */

static void make_key(void *arg)
{
	struct key_work *work = arg;

	work->result = sshkey_new(SSHKEY_RSA, "", &work->key, &work->err);
}

static void key_made(void *arg)
{
	struct key_work *work = arg;
	struct job_controller *self = work->controller;
	struct entry *entry = self ? entries_find(self->entries, str_from(work->job)) : NULL;

	if (self)
		list_remove(&work->link);
	if (entry && work->result == 0) {
		mem_free(entry->private_pem);
		mem_free(entry->public_line);
		entry->private_pem = TAKE(work->key.private_pem);
		entry->public_line = TAKE(work->key.public_line);
	} else if (entry) {
		log_error(self->base->log, "no key pair", LOG_STR("job", work->job),
			  LOG_STR("err", work->err.text));
	}
	if (entry) {
		entry->awaits_key = false;
		workqueue_add_after(self->queue, str_from(entry->key),
				    work->result == 0 ? 0 : KEY_AGAIN);
	}
	sshkey_done(&work->key);
	mem_free(work->job);
	mem_free(work);
}

/* False: there are too many of them, try again later. */
static bool want_key(struct job_controller *self, struct entry *entry)
{
	struct key_work *work;
	struct err err;

	if (entry->awaits_key)
		return true;
	work = mem_new(struct key_work);
	work->controller = self;
	work->job = mem_strdup(entry->key);
	if (loop_work(self->base->loop, LOOP_LANE_KEYS, make_key, key_made, work, &err) < 0) {
		mem_free(work->job);
		mem_free(work);
		return false;
	}
	list_push(&self->keys, &work->link);
	entry->awaits_key = true;
	return true;
}

/* --- a look ---------------------------------------------------------------------------------- */

struct look_up {
	struct job_controller *self;
	struct str namespace;
	struct str key;
	bool unknown; /* something has to be read first */
};

static struct json find(void *arg, enum plan_kind_id kind, struct str name)
{
	struct look_up *look = arg;
	struct str namespace = plan_kinds[kind].namespaced ? look->namespace : STR("");
	struct json found = JSON_NONE;
	struct json_doc *doc;

	if (is_read_on_demand(look->self, kind)) {
		if (!lookups_get(look->self->lookups, resource_of(kind), namespace, name, look->key,
				 &found))
			look->unknown = true;
		return found;
	}
	doc = cache_get(look->self->caches[kind], namespace, name);
	return doc ? json_doc_root(doc) : JSON_NONE;
}

/* Has it failed for as long as `max_requeue` pauses take? */
static bool gives_up(const struct job_controller *self, const struct entry *entry)
{
	int most = self->base->options.max_requeue;

	return most >= 0 && entry->failing_since > 0 &&
	       loop_now(self->base->loop) - entry->failing_since >=
		       RETRY_FIRST * ((INT64_C(1) << (most < RETRY_MOST ? most : RETRY_MOST)) - 1);
}

/* The job as it is meant, if no webhook has filled it in. */
static struct json complete_job(const struct job_controller *self, struct entry *entry)
{
	if (!entry->complete)
		entry->complete =
			job_admission_default(entry->doc, &self->base->options.scheduler_names);
	return json_doc_root(entry->complete);
}

/* Ask what to do; 0 or -1. *ret_unknown: something has to be read first, the plan is worth nothing. */
static int step(struct job_controller *self, struct entry *entry, struct plan *plan,
		struct job_outcome *outcome, bool *ret_unknown, struct err *err)
{
	struct json job = complete_job(self, entry);
	struct json command = job_commands_next(self->caches[PLAN_COMMAND], entry);
	struct look_up look = {self, meta_namespace(job), str_from(entry->key), false};
	struct job_ssh_key key = {str_from(entry->private_pem), str_from(entry->public_line)};
	const struct job_pod **pods = mem_calloc(entry->pods.len + 1, sizeof(*pods));
	struct job_world world = {
		.job = job,
		.pods = pods,
		.pod_count = entries_collect(entry, pods),
		.commands = &command,
		.command_count = !json_is_absent(command),
		.find = find,
		.arg = &look,
		.ssh_key = entry->private_pem ? &key : NULL,
		.now = loop_now(self->base->loop),
		.counted_at = entry->counted_at,
		.pods_answer = entry->pods_answer,
		.give_up = gives_up(self, entry),
	};
	struct str why;
	int result;

	self->steps++;
	if (!self->base->options.admitted && !job_is_started(job) &&
	    !job_admission_check(job, plan->arena, &why))
		result = job_reject(&world, why, plan, outcome, err);
	else
		result = job_step(&world, plan, outcome, err);
	*ret_unknown = look.unknown;
	if (!look.unknown)
		entry->pods_answer = JOB_PODS_UNKNOWN;
	mem_free(pods);
	return result;
}

static bool is_in(const struct entry *entry, enum vcjob_phase phase)
{
	struct json status = json_get(json_doc_root(entry->doc), "status");

	return str_is(json_str(json_get(json_get(status, "state"), "phase")),
		      vcjob_phase_names[phase]);
}

/* What a user asks first when a job has been restarted or ended: by whom? */
static void tell_cause(const struct job_controller *self, struct str key,
		       const struct job_cause *cause)
{
	const char *why = "Command";

	if (!cause->rule || cause->action >= BUS_ACTION_COUNT)
		return;
	if (cause->policy)
		why = cause->policy->exit_code.set ? "exit code" : bus_event_names[cause->event];
	log_debug(self->base->log, "an action of a job", LOG_VIEW("job", key),
		  LOG_STR("action", bus_action_names[cause->action]), LOG_STR("cause", why),
		  LOG_STR("policy", !cause->policy   ? "-"
				    : cause->of_task ? "task"
						     : "job"));
}

static void report_unreadable(const struct job_controller *self, struct entry *entry,
			      const struct err *err)
{
	struct json job = json_doc_root(entry->doc);
	struct meta meta = {
		.namespace = meta_namespace(job), .name = meta_name(job), .uid = meta_uid(job)};
	AUTO(plan_done) struct plan plan;

	plan_init(&plan);
	plan_warning(&plan, PLAN_JOB, &meta, "InvalidJob", "The job cannot be read: %s", err->text);
	plan_steady(&plan);
	execution_report(&(struct execution_options){.recorder = self->base->recorder,
						     .reported = &entry->reported},
			 &plan);
}

static void reconcile(void *arg, struct str key)
{
	struct job_controller *self = arg;
	struct entry *entry = entries_find(self->entries, key);
	struct job_outcome outcome;
	struct execution_options options;
	AUTO(plan_done) struct plan plan;
	struct err err;
	bool unknown;

	plan_init(&plan);
	if (!entry || !entry->doc) {
		workqueue_done(self->queue, key);
		return;
	}
	entry->busy = true;
	entry->events = 0;
	if (step(self, entry, &plan, &outcome, &unknown, &err) < 0) {
		/* Set aside until it is changed; others are not touched. */
		log_warn(self->base->log, "a job cannot be read", LOG_VIEW("job", key),
			 LOG_STR("err", err.text));
		report_unreadable(self, entry, &err);
		rest(self, entry, 0);
		return;
	}
	if (unknown) {
		rest(self, entry, 0);
		return;
	}
	tell_cause(self, key, &outcome.cause);
	entry->controller = self;
	entry->more = outcome.more;
	entry->enters = is_in(entry, outcome.phase) ? VCJOB_PHASE_NONE : outcome.phase;
	entry->next_at = plan.next_at;
	options = (struct execution_options){
		.client = self->base->client,
		.recorder = self->base->recorder,
		.reported = &entry->reported,
		.written = written,
		.failed = failed,
		.done = done,
		.arg = entry,
	};
	if (plan.writes.len > 0) {
		entry->execution = execution_start(&options, &plan);
		return;
	}
	execution_report(&options, &plan);
	if (outcome.wants_ssh_key && !want_key(self, entry))
		plan.next_at = loop_now(self->base->loop) + KEY_AGAIN;
	rest(self, entry, plan.next_at);
}

/* --- what happens ---------------------------------------------------------------------------- */

static void job_changed(void *arg, const struct informer_object *object)
{
	struct job_controller *self = arg;

	wake(self, entries_put_job(self->entries, object->doc));
}

/* Of a deleted object; none if only its name is known. */
static struct str last_uid(const struct informer_object *object)
{
	return object->doc ? meta_uid(json_doc_root(object->doc)) : str_none();
}

static void job_gone(void *arg, const struct informer_object *object)
{
	struct job_controller *self = arg;
	struct str uid = last_uid(object);
	struct entry *entry =
		entries_remove_job(self->entries, object->namespace, object->name, uid);

	if (!entry)
		return;
	strays_wake(self->strays, str_from(entry->key));
	entries_drop(self->entries, entry);
}

static void pod_changed(void *arg, const struct informer_object *object)
{
	struct job_controller *self = arg;

	wake(self, entries_put_pod(self->entries, json_doc_root(object->doc)));
}

static void pod_gone(void *arg, const struct informer_object *object)
{
	struct job_controller *self = arg;
	struct str uid = last_uid(object);
	struct entry *entry =
		entries_remove_pod(self->entries, object->namespace, object->name, uid);

	wake(self, entry);
	if (entry)
		entries_drop(self->entries, entry);
}

/* An object that a job owns: wake the job. */
static void owned_changed(void *arg, struct str namespace, struct str name, struct json object,
			  bool gone)
{
	struct json_iter it = json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));

	(void)name;
	(void)gone;
	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "kind")), "Job"))
			wake_name(arg, namespace, json_str(json_get(it.value, "name")));
}

static void command_changed(void *arg, struct str namespace, struct str name, struct json object,
			    bool gone)
{
	struct job_controller *self = arg;
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct entry *entry;

	(void)namespace;
	(void)name;
	if (gone)
		return;
	job_commands_group(object, &key);
	entry = entries_find(self->entries, buf_str(&key));
	if (entry && entry->doc)
		wake(self, entry);
	else
		strays_wake(self->strays, buf_str(&key));
}

static bool forwards(struct json queue)
{
	return json_len(json_get(json_get(queue, "spec"), "extendClusters")) > 0;
}

/* Jobs look whether their queue is there and where it sends them; its status changes all the time. */
static bool queue_matters(struct json old, struct json object)
{
	return forwards(old) != forwards(object);
}

/* A queue has come, changed or gone: its jobs look again. That is rare. */
static void queue_changed(void *arg, struct str namespace, struct str name, struct json object,
			  bool gone)
{
	struct job_controller *self = arg;
	struct entry *entry;
	size_t at = 0;

	(void)namespace;
	(void)object;
	(void)gone;
	while (self->queue && (entry = entries_next(self->entries, &at))) {
		struct json spec =
			entry->doc ? json_get(json_doc_root(entry->doc), "spec") : JSON_NONE;

		if (str_eq(json_str(json_get(spec, "queue")), name))
			wake(self, entry);
	}
}

static bool is_of_job(struct json object)
{
	return !str_is_none(job_controller_of(object));
}

/* --- life ------------------------------------------------------------------------------------ */

/* The kinds that are watched to be looked up. */
static const struct {
	enum plan_kind_id kind;
	enum resource_id resource;
	cache_keep_fn *keep;
	struct cache_events events; /* for the controller, whose address is filled in */
} looked_up[] = {
	{PLAN_PODGROUP, RESOURCE_PODGROUPS, is_of_job, {.changed = owned_changed}},
	{PLAN_COMMAND, RESOURCE_COMMANDS, job_commands_keep, {.changed = command_changed}},
	{PLAN_QUEUE, RESOURCE_QUEUES, NULL, {.changed = queue_changed, .matters = queue_matters}},
	{PLAN_PRIORITYCLASS, RESOURCE_PRIORITYCLASSES, NULL, {0}},
	{PLAN_CLAIM, RESOURCE_PVCS, NULL, {0}},
	{PLAN_SERVICE, RESOURCE_SERVICES, NULL, {0}},
	{PLAN_CONFIGMAP, RESOURCE_CONFIGMAPS, is_of_job, {0}},
};

static void on_known(void *arg, struct str key)
{
	struct job_controller *self = arg;

	wake(self, entries_find(self->entries, key));
}

static void *job_new(struct controller_base *base)
{
	struct job_controller *self = mem_new(struct job_controller);

	self->base = base;
	self->lookups = lookups_new(base->client, on_known, self);
	self->entries = entries_new();
	list_init(&self->keys);
	for (size_t i = 0; i < ARRAY_LEN(looked_up); i++) {
		struct cache_events events = looked_up[i].events;
		struct cache *cache;

		events.arg = self;
		cache = cache_new(looked_up[i].keep, &events);
		self->caches[looked_up[i].kind] = cache;
		cache_listen(cache, controller_informer(base, looked_up[i].resource));
	}
	cache_group_by(self->caches[PLAN_COMMAND], job_commands_group);
	self->strays = strays_new(base, self->caches, self->entries);
	informer_listen(controller_informer(base, RESOURCE_VCJOBS),
			&(struct informer_events){
				.added = job_changed, .updated = job_changed, .deleted = job_gone},
			self);
	informer_listen(controller_informer(base, RESOURCE_PODS),
			&(struct informer_events){
				.added = pod_changed, .updated = pod_changed, .deleted = pod_gone},
			self);
	return self;
}

static void job_ready(void *arg)
{
	struct job_controller *self = arg;
	struct entry *entry;
	size_t at = 0;

	self->queue =
		workqueue_new(self->base->loop,
			      &(struct workqueue_options){.work = reconcile,
							  .arg = self,
							  .workers = self->base->options.workers,
							  .resource = &resources[RESOURCE_VCJOBS],
							  .component = "controllers"});
	while ((entry = entries_next(self->entries, &at)))
		if (entry->doc)
			wake(self, entry);
	strays_start(self->strays);
}

static void job_free(void *arg)
{
	struct job_controller *self = arg;

	while (!list_is_empty(&self->keys)) {
		struct key_work *key = container_of(list_first(&self->keys), struct key_work, link);

		list_remove(&key->link);
		key->controller = NULL;
	}
	strays_free(self->strays);
	workqueue_free(self->queue);
	lookups_free(self->lookups);
	entries_free(self->entries);
	for (size_t i = 0; i < PLAN_KIND_COUNT; i++)
		cache_free(self->caches[i]);
	mem_free(self);
}

static void job_print_metrics(const void *arg, struct buf *to)
{
	const struct job_controller *self = arg;

	job_metrics_print(&self->metrics, self->entries, to);
	buf_printf(to,
		   "# HELP volcano_controller_job_steps_total looks at jobs\n"
		   "# TYPE volcano_controller_job_steps_total counter\n"
		   "volcano_controller_job_steps_total %llu\n"
		   "# HELP volcano_controller_job_writes_total writes of the job controller\n"
		   "# TYPE volcano_controller_job_writes_total counter\n"
		   "volcano_controller_job_writes_total %llu\n",
		   (unsigned long long)self->steps, (unsigned long long)self->writes);
}

const struct controller controller_job = {
	.name = "job-controller",
	.new = job_new,
	.ready = job_ready,
	.free = job_free,
	.print_metrics = job_print_metrics,
};
