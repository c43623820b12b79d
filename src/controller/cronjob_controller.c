/* SPDX-License-Identifier: Apache-2.0 */
/* controller/cronjob_controller.c - the CronJob controller: lifecycle/cronjob_lifecycle.h for each CronJob, when it or one
 * of its jobs changes, and when it is due, by a clock that may be set.
 *
 * Zones are read from tzdata when they are first named, and kept. Jobs are kept that a CronJob
 * controls or that are named like a run, so that a foreign job in the way is seen. So is the schedule
 * that each had when it was last looked at, since times before a change were not missed. */
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "client/zone_file.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/cronjob_lifecycle.h"
#include "loop/loop.h"
#include "model/core/meta.h"
#include "model/value/zone.h"

#include "base/banned.h"

/* At the latest: the clock may be set, and what was far away is due. */
#define CHECK_INTERVAL (10 * TIME_SECOND)

struct known_zone {
	char *name;
	struct zone *zone; /* NULL: UTC, or not there */
	bool missing;
};

/* The jobs of a CronJob. */
struct runs {
	char *key; /* of the CronJob */
	VEC(char *) names;
};

/* The schedule of a CronJob. */
struct known_schedule {
	char *key;  /* of the CronJob */
	char *text; /* with its zone */
	int64_t changed;
};

struct cronjob_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* cron jobs, jobs */
	struct map *runs;                      /* key: struct runs */
	struct map *zones;                     /* name: struct known_zone */
	struct map *schedules;                 /* key: struct known_schedule */
};

/* --- zones ----------------------------------------------------------------------------------- */

static const struct known_zone *zone_of(struct cronjob_controller *self, struct str name)
{
	struct known_zone *zone = map_get(self->zones, name);

	if (zone)
		return zone;
	zone = mem_new(struct known_zone);
	zone->name = str_dup(name);
	zone->zone = name.len && !str_is(name, "UTC") ? zone_file_read(name) : NULL;
	zone->missing = name.len && !str_is(name, "UTC") && !zone->zone;
	(void)map_put(self->zones, str_of(zone->name, name.len), zone);
	return zone;
}

/* --- schedules ------------------------------------------------------------------------------- */

static void schedule_free(struct known_schedule *schedule)
{
	mem_free(schedule->key);
	mem_free(schedule->text);
	mem_free(schedule);
}

static void forget_schedule(struct cronjob_controller *self, struct str key)
{
	struct known_schedule *schedule = map_get(self->schedules, key);

	if (!schedule)
		return;
	(void)map_remove(self->schedules, key);
	schedule_free(schedule);
}

/* When it got the schedule that it has; 0: it has had it since it was first seen. */
static int64_t note_schedule(struct cronjob_controller *self, struct str key, struct json cron)
{
	struct known_schedule *schedule = map_get(self->schedules, key);
	struct json spec = json_get(cron, "spec");
	AUTO(mem_free)
	char *text = mem_printf("%.*s %.*s", STR_ARG(json_str(json_get(spec, "timeZone"))),
				STR_ARG(json_str(json_get(spec, "schedule"))));

	if (!schedule) {
		schedule = mem_new(struct known_schedule);
		schedule->key = str_dup(key);
		(void)map_put(self->schedules, str_of(schedule->key, key.len), schedule);
	} else if (!str_is(str_from(text), schedule->text)) {
		schedule->changed = loop_now(self->base->loop);
	}
	mem_free(schedule->text);
	schedule->text = TAKE(text);
	return schedule->changed;
}

/* --- jobs ------------------------------------------------------------------------------------ */

/* The name of the CronJob that controls it; none: no CronJob does. */
static struct str cron_of(struct json job)
{
	struct json_iter it = json_iter(json_get(json_get(job, "metadata"), "ownerReferences"));

	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller")) &&
		    str_is(json_str(json_get(it.value, "kind")), "CronJob") &&
		    str_is(json_str(json_get(it.value, "apiVersion")),
			   plan_kinds[PLAN_VCCRONJOB].api_version))
			return json_str(json_get(it.value, "name"));
	return str_none();
}

static bool is_run(struct json job)
{
	struct str name = meta_name(job);
	ptrdiff_t dash = str_rfind_byte(name, '-');
	size_t digits = 0;

	if (!str_is_none(cron_of(job)))
		return true;
	for (size_t i = (size_t)dash + 1; dash > 0 && i < name.len; i++)
		digits = name.ptr[i] >= '0' && name.ptr[i] <= '9' ? digits + 1 : name.len;
	return dash > 0 && digits == name.len - (size_t)dash - 1 && digits >= 8;
}

static ptrdiff_t find_run(const struct runs *runs, struct str name)
{
	for (size_t i = 0; i < runs->names.len; i++)
		if (str_is(name, runs->names.ptr[i]))
			return (ptrdiff_t)i;
	return -1;
}

static void runs_free(struct runs *runs)
{
	for (size_t i = 0; i < runs->names.len; i++)
		mem_free(runs->names.ptr[i]);
	vec_done(&runs->names);
	mem_free(runs->key);
	mem_free(runs);
}

static void note_run(struct cronjob_controller *self, struct str key, struct str name, bool gone)
{
	struct runs *runs = map_get(self->runs, key);
	ptrdiff_t at = runs ? find_run(runs, name) : -1;

	if (!runs && !gone) {
		runs = mem_new(struct runs);
		runs->key = str_dup(key);
		(void)map_put(self->runs, str_of(runs->key, key.len), runs);
	}
	if (at < 0 && !gone)
		vec_push(&runs->names, str_dup(name));
	if (at >= 0 && gone) {
		mem_free(runs->names.ptr[at]);
		vec_remove_swap(&runs->names, (size_t)at);
		if (runs->names.len == 0) {
			(void)map_remove(self->runs, key);
			runs_free(runs);
		}
	}
}

static void job_changed(void *arg, struct str namespace, struct str name, struct json object,
			bool gone)
{
	struct cronjob_controller *self = arg;
	struct str cron = cron_of(object);
	AUTO(mem_free) char *key = NULL;

	if (str_is_none(cron))
		return;
	key = mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(cron));
	note_run(self, str_from(key), name, gone);
	worker_wake(self->worker, str_from(key));
}

/* A job that was made here is known from now on. */
static void job_written(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	if (write->kind == PLAN_JOB && write->verb == PLAN_CREATE && doc)
		job_changed(arg, write->namespace, write->name, json_doc_root(doc), false);
}

static void cron_changed(void *arg, struct str namespace, struct str name, struct json object,
			 bool gone)
{
	struct cronjob_controller *self = arg;

	(void)object;
	(void)gone;
	worker_wake_object(self->worker, namespace, name);
}

/* --- looking --------------------------------------------------------------------------------- */

struct place {
	struct cronjob_controller *controller;
	struct str namespace;
};

static struct json find_job(void *arg, struct str name)
{
	struct place *place = arg;
	struct json_doc *doc =
		cache_get(place->controller->caches[PLAN_JOB], place->namespace, name);

	return doc ? json_doc_root(doc) : JSON_NONE;
}

static bool is_controlled(struct json job, struct str uid)
{
	struct json_iter it = json_iter(json_get(json_get(job, "metadata"), "ownerReferences"));

	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller")) &&
		    str_eq(json_str(json_get(it.value, "uid")), uid))
			return true;
	return false;
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct cronjob_controller *self = arg;
	struct place place = {.controller = self};
	struct cronjob_world world = {
		.find_job = find_job, .arg = &place, .now = loop_now(self->base->loop)};
	const struct runs *runs = map_get(self->runs, key);
	const struct known_zone *zone;
	VEC(struct json) jobs = {0};
	struct json_doc *cron;
	struct str name;
	struct str uid;
	int result;

	worker_split(key, &place.namespace, &name);
	cron = cache_get(self->caches[PLAN_VCCRONJOB], place.namespace, name);
	if (!cron) {
		worker_forget(self->worker, key);
		forget_schedule(self, key);
		return 0;
	}
	world.cron = json_doc_root(cron);
	world.changed = note_schedule(self, key, world.cron);
	uid = meta_uid(world.cron);
	for (size_t i = 0; runs && i < runs->names.len; i++) {
		struct json job = find_job(&place, str_from(runs->names.ptr[i]));

		if (is_controlled(job, uid))
			vec_push(&jobs, job);
	}
	world.jobs = jobs.ptr;
	world.job_count = jobs.len;
	zone = zone_of(self, cronjob_zone(world.cron));
	world.zone = zone->zone;
	world.zone_missing = zone->missing;
	result = cronjob_step(&world, plan, err);
	if (plan->next_at > world.now + CHECK_INTERVAL)
		plan->next_at = world.now + CHECK_INTERVAL;
	vec_done(&jobs);
	return result;
}

/* --- life ------------------------------------------------------------------------------------ */

static void *cronjob_new(struct controller_base *base)
{
	struct cronjob_controller *self = mem_new(struct cronjob_controller);

	self->base = base;
	self->runs = map_new(loop_random_u64(base->loop));
	self->zones = map_new(loop_random_u64(base->loop));
	self->schedules = map_new(loop_random_u64(base->loop));
	self->caches[PLAN_VCCRONJOB] =
		cache_new(NULL, &(struct cache_events){.changed = cron_changed, .arg = self});
	self->caches[PLAN_JOB] =
		cache_new(is_run, &(struct cache_events){.changed = job_changed, .arg = self});
	self->worker = worker_new(&(struct worker_options){
		.base = base,
		.reconcile = reconcile,
		.arg = self,
		.of = RESOURCE_VCCRONJOBS,
		.caches = self->caches,
		.written = job_written,
	});
	cache_listen(self->caches[PLAN_VCCRONJOB], controller_informer(base, RESOURCE_VCCRONJOBS));
	cache_listen(self->caches[PLAN_JOB], controller_informer(base, RESOURCE_VCJOBS));
	return self;
}

static void cronjob_ready(void *arg)
{
	worker_start(((struct cronjob_controller *)arg)->worker);
}

static void cronjob_free(void *arg)
{
	struct cronjob_controller *self = arg;
	size_t at = 0;
	void *value;

	worker_free(self->worker);
	for (size_t i = 0; i < PLAN_KIND_COUNT; i++)
		cache_free(self->caches[i]);
	while (map_next(self->runs, &at, NULL, &value))
		runs_free(value);
	map_free(self->runs);
	at = 0;
	while (map_next(self->zones, &at, NULL, &value)) {
		struct known_zone *zone = value;

		zone_free(zone->zone);
		mem_free(zone->name);
		mem_free(zone);
	}
	map_free(self->zones);
	at = 0;
	while (map_next(self->schedules, &at, NULL, &value))
		schedule_free(value);
	map_free(self->schedules);
	mem_free(self);
}

const struct controller controller_cronjob = {
	.name = "cronjob-controller",
	.new = cronjob_new,
	.ready = cronjob_ready,
	.free = cronjob_free,
};
