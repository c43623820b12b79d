/* SPDX-License-Identifier: Apache-2.0 */
/* controller/job_commands.c - Commands for jobs.
 *
 * A Command and its job are watched apart, so that either may be heard of first: a Command without a
 * job is looked at again when it is a second old, and only then taken away. */
#include "controller/job_commands.h"

#include "base/mem.h"
#include "base/time.h"
#include "controller/cache.h"
#include "controller/controller.h"
#include "controller/job_entries.h"
#include "controller/worker.h"
#include "loop/loop.h"
#include "model/volcano/command.h"

#include "base/banned.h"

#define PATIENCE TIME_SECOND

struct strays {
	struct controller_base *base;
	struct cache *const *caches;
	const struct entries *entries;
	struct worker *worker;
};

static struct json target_of(struct json object)
{
	return json_get(object, "target");
}

bool job_commands_keep(struct json object)
{
	struct json target = target_of(object);

	return str_is(json_str(json_get(target, "kind")), "Job") &&
	       str_is(json_str(json_get(target, "apiVersion")), "batch.volcano.sh/v1alpha1");
}

void job_commands_group(struct json object, struct buf *to)
{
	struct json namespace = json_get(json_get(object, "metadata"), "namespace");

	buf_printf(to, "%.*s/%.*s", STR_ARG(json_str(namespace)),
		   STR_ARG(json_str(json_get(target_of(object), "name"))));
}

/* --- which one is next ----------------------------------------------------------------------- */

static bool is_older(struct json a, struct json b)
{
	struct json l = json_get(a, "metadata"), r = json_get(b, "metadata");
	int order = str_cmp(json_str(json_get(l, "creationTimestamp")),
			    json_str(json_get(r, "creationTimestamp")));

	return order < 0 || (order == 0 && cache_version(a) < cache_version(b));
}

/* Was it meant for a job of the same name that is no more? */
static bool is_for_another(struct json command, struct str uid)
{
	struct json owners = json_get(json_get(command, "metadata"), "ownerReferences");
	struct str meant = json_str(json_get(target_of(command), "uid"));
	struct json_iter it = json_iter(owners);

	while (!str_eq(meant, uid) && json_next(&it))
		if (str_eq(json_str(json_get(it.value, "uid")), meant))
			return true;
	return false;
}

struct json job_commands_next(const struct cache *commands, const struct entry *entry)
{
	struct json meta = json_get(json_doc_root(entry->doc), "metadata");
	struct str uid = json_str(json_get(meta, "uid"));
	struct json_doc *oldest = NULL;
	struct json_doc *doc;
	size_t at = 0;

	while ((doc = cache_group_next(commands, str_from(entry->key), &at)))
		if (!is_for_another(json_doc_root(doc), uid) &&
		    (!oldest || is_older(json_doc_root(doc), json_doc_root(oldest))))
			oldest = doc;
	return oldest ? json_doc_root(oldest) : JSON_NONE;
}

/* --- strays ---------------------------------------------------------------------------------- */

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct strays *self = arg;
	const struct entry *entry = entries_find(self->entries, key);
	int64_t now = loop_now(self->base->loop);
	struct json_doc *doc;
	size_t at = 0;

	if (entry && entry->doc)
		return 0;
	while ((doc = cache_group_next(self->caches[PLAN_COMMAND], key, &at))) {
		struct command command;

		if (type_decode(&command_type, json_doc_root(doc), plan->arena, &command, err) < 0)
			return err_wrap(err, "command");
		if (now < command.meta.creation_timestamp + PATIENCE)
			plan_step_at(plan, command.meta.creation_timestamp + PATIENCE);
		else
			plan_delete(plan, PLAN_COMMAND, &command.meta);
	}
	return 0;
}

struct strays *strays_new(struct controller_base *base, struct cache *const *caches,
			  const struct entries *entries)
{
	struct strays *self = mem_new(struct strays);

	self->base = base;
	self->caches = caches;
	self->entries = entries;
	self->worker = worker_new(&(struct worker_options){.base = base,
							   .reconcile = reconcile,
							   .arg = self,
							   .of = RESOURCE_VCJOBS,
							   .caches = caches});
	return self;
}

void strays_free(struct strays *strays)
{
	if (!strays)
		return;
	worker_free(strays->worker);
	mem_free(strays);
}

void strays_wake(struct strays *strays, struct str key)
{
	worker_wake(strays->worker, key);
}

void strays_start(struct strays *strays)
{
	worker_start(strays->worker);
}
