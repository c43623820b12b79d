/* SPDX-License-Identifier: Apache-2.0 */
/* controller/controller.c - starts and stops the controllers that controller_rows.h lists. */
#include "controller/controller.h"

#include "base/log.h"
#include "base/mem.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/recorder.h"
#include "controller/controller_rows.h"
#include "loop/loop.h"

#include "base/banned.h"

#define CONTROLLER_ADDRESS(name) &controller_##name,
static const struct controller *const rows[] = {CONTROLLERS(CONTROLLER_ADDRESS)};

/* A controller runs from when it knows what is there of the kinds that it needs. */
struct runner {
	struct controllers *all;
	void *self; /* NULL: not to run */
	bool needs[RESOURCE_COUNT];
	bool ready;
};

struct controllers {
	struct controller_base base;
	struct runner runners[ARRAY_LEN(rows)];
	size_t unready;
};

/* Kinds of which a controller can do without: without the permission to list them, it goes on as if there
 * were none, or reads single ones. */
static const bool optional[RESOURCE_COUNT] = {
	[RESOURCE_COMMANDS] = true,     [RESOURCE_PRIORITYCLASSES] = true,
	[RESOURCE_PVCS] = true,         [RESOURCE_SERVICES] = true,
	[RESOURCE_CONFIGMAPS] = true,   [RESOURCE_REPLICASETS] = true,
	[RESOURCE_STATEFULSETS] = true,
};

/* Without one of these, the program does not do what it is there for. */
static const enum resource_id essential[] = {RESOURCE_PODS, RESOURCE_VCJOBS, RESOURCE_PODGROUPS,
					     RESOURCE_QUEUES};

const char *controllers_name(size_t index)
{
	return index < ARRAY_LEN(rows) ? rows[index]->name : NULL;
}

/* --- which ----------------------------------------------------------------------------------- */

/* Is a controller on? The first word that names it decides, else "*". */
static bool is_on(const char *list, const char *name)
{
	struct str rest = str_from(list ? list : "*");
	struct str word;
	bool all = false;

	while (str_split(&rest, ',', &word)) {
		word = str_trim(word);
		if (str_is(word, "*"))
			all = true;
		else if (str_is(word, name))
			return true;
		else if (word.len > 0 && str_is(str_skip(word, 1), name))
			return word.ptr[0] == '+';
	}
	return all;
}

static struct str bare(struct str word)
{
	word = str_trim(word);
	return word.len > 0 && (word.ptr[0] == '+' || word.ptr[0] == '-') ? str_skip(word, 1)
									  : word;
}

/* No name twice. Names that are not there are those of controllers that upstream has besides. */
static int check_list(const char *list, struct err *err)
{
	struct str rest = str_from(list);
	struct str word;

	while (str_split(&rest, ',', &word)) {
		struct str others = rest;
		struct str other;

		while (str_split(&others, ',', &other))
			if (str_eq(bare(word), bare(other)))
				return err_set(err, ERR_BAD_REQUEST,
					       "--controllers: \"%.*s\" is there twice",
					       STR_ARG(bare(word)));
	}
	return 0;
}

/* --- life ------------------------------------------------------------------------------------ */

struct informer *controller_informer(struct controller_base *base, enum resource_id resource)
{
	if (!base->informers[resource])
		base->informers[resource] = informer_new(
			base->client, &(struct informer_options){.resource = &resources[resource],
								 .optional = optional[resource],
								 .log = base->log});
	base->needs[resource] = true;
	return base->informers[resource];
}

static bool knows_all(const struct runner *runner)
{
	for (size_t i = 0; i < RESOURCE_COUNT; i++)
		if (runner->needs[i] && !informer_synced(runner->all->base.informers[i]))
			return false;
	return true;
}

static void on_synced(void *arg)
{
	struct controllers *all = arg;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct runner *runner = &all->runners[i];

		if (!runner->self || runner->ready || !knows_all(runner))
			continue;
		runner->ready = true;
		all->unready--;
		log_info(all->base.log, "a controller knows what is there",
			 LOG_STR("controller", rows[i]->name));
		rows[i]->ready(runner->self);
	}
}

static void start_informers(struct controllers *all)
{
	for (size_t i = 0; i < RESOURCE_COUNT; i++)
		if (all->base.informers[i])
			informer_listen(all->base.informers[i],
					&(struct informer_events){.synced = on_synced}, all);
	for (size_t i = 0; i < RESOURCE_COUNT; i++)
		if (all->base.informers[i])
			informer_start(all->base.informers[i]);
}

struct controllers *controllers_new(struct loop *loop, struct client *client,
				    const struct controllers_options *options, struct err *err)
{
	struct controllers *all;

	if (options->controllers && check_list(options->controllers, err) < 0)
		return NULL;
	all = mem_new(struct controllers);
	all->base = (struct controller_base){
		.loop = loop, .client = client, .log = options->log, .options = *options};
	if (all->base.options.workers == 0)
		all->base.options.workers = CONTROLLER_WORKERS;
	if (!all->base.options.config_namespace)
		all->base.options.config_namespace = "volcano-system";
	if (!all->base.options.config_name)
		all->base.options.config_name = "volcano-controller-configmap";
	if (all->base.options.max_requeue == 0)
		all->base.options.max_requeue = CONTROLLER_MAX_REQUEUE;
	all->base.recorder = recorder_new(
		client, &(struct recorder_options){.component = STR("vc-controller-manager")});
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		all->runners[i].all = all;
		all->base.needs = all->runners[i].needs;
		if (is_on(options->controllers, rows[i]->name))
			all->runners[i].self = rows[i]->new (&all->base);
		all->unready += all->runners[i].self != NULL;
	}
	start_informers(all);
	return all;
}

void controllers_free(struct controllers *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < RESOURCE_COUNT; i++)
		informer_free(all->base.informers[i]);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (all->runners[i].self)
			rows[i]->free(all->runners[i].self);
	recorder_free(all->base.recorder);
	mem_free(all);
}

bool controllers_synced(const struct controllers *all)
{
	return all->unready == 0;
}

/* Synced, or denied where it can be done without. */
static bool is_settled(const struct controllers *all, size_t resource)
{
	const struct informer *informer = all->base.informers[resource];

	for (size_t i = 0; i < ARRAY_LEN(essential); i++)
		if (essential[i] == resource)
			return !informer || informer_synced(informer);
	return !informer || informer_synced(informer) || informer_denied(informer);
}

bool controllers_are_ready(const struct controllers *all)
{
	for (size_t i = 0; i < RESOURCE_COUNT; i++)
		if (!is_settled(all, i))
			return false;
	return true;
}

void controllers_print_metrics(const struct controllers *all, struct buf *to)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (all->runners[i].self && rows[i]->print_metrics)
			rows[i]->print_metrics(all->runners[i].self, to);
}
