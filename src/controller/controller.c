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

struct controllers {
	struct controller_base base;
	void *selves[ARRAY_LEN(rows)]; /* NULL: not to run */
	size_t unsynced;
	bool ready;
};

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
								 .log = base->log});
	return base->informers[resource];
}

static void on_synced(void *arg)
{
	struct controllers *all = arg;

	if (--all->unsynced > 0)
		return;
	all->ready = true;
	log_info(all->base.log, "controllers know what is there");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (all->selves[i])
			rows[i]->ready(all->selves[i]);
}

static void start_informers(struct controllers *all)
{
	for (size_t i = 0; i < RESOURCE_COUNT; i++) {
		if (!all->base.informers[i])
			continue;
		informer_listen(all->base.informers[i],
				&(struct informer_events){.synced = on_synced}, all);
		all->unsynced++;
	}
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
	if (all->base.options.max_requeue == 0)
		all->base.options.max_requeue = CONTROLLER_MAX_REQUEUE;
	all->base.recorder = recorder_new(
		client, &(struct recorder_options){.component = STR("vc-controller-manager")});
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (is_on(options->controllers, rows[i]->name))
			all->selves[i] = rows[i]->new (&all->base);
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
		if (all->selves[i])
			rows[i]->free(all->selves[i]);
	recorder_free(all->base.recorder);
	mem_free(all);
}

bool controllers_synced(const struct controllers *all)
{
	return all->ready;
}

void controllers_print_metrics(const struct controllers *all, struct buf *to)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (all->selves[i] && rows[i]->print_metrics)
			rows[i]->print_metrics(all->selves[i], to);
}
