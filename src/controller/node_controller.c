/* SPDX-License-Identifier: Apache-2.0 */
/* controller/node_controller.c - lifecycle/node_lifecycle.h for each node, on one machine: a cluster has a controller of Kubernetes
 * for that.
 *
 * Leases are renewed often and nothing has to be done about it: an answer is only noted, and the check that
 * is planned finds it. */
#include "base/map.h"
#include "base/mem.h"
#include "client/informer.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/node_lifecycle.h"
#include "loop/loop.h"

#include "base/banned.h"

#define LEASES "kube-node-lease"

/* Of a node, a lease, or both. */
struct row {
	struct node_health health;
	char *name;
};

struct node_controller {
	struct controller_base *base;
	struct worker *worker;
	struct map *rows; /* by name */
};

/* --- rows ------------------------------------------------------------------------------------ */

static void row_free(struct row *row)
{
	mem_free(row->name);
	mem_free(row);
}

static struct row *ensure_row(struct node_controller *self, struct str name)
{
	struct row *row = map_get(self->rows, name);

	if (row)
		return row;
	row = mem_new(struct row);
	row->name = str_dup(name);
	(void)map_put(self->rows, str_from(row->name), row);
	return row;
}

static void drop_unused(struct node_controller *self, struct row *row)
{
	if (row->health.exists || row->health.lease)
		return;
	(void)map_remove(self->rows, str_from(row->name));
	row_free(row);
}

/* --- events ---------------------------------------------------------------------------------- */

static void on_node(void *arg, const struct informer_object *object)
{
	struct node_controller *self = arg;

	node_observe(&ensure_row(self, object->name)->health, json_doc_root(object->doc),
		     loop_uptime(self->base->loop));
	worker_wake(self->worker, object->name);
}

static void on_node_deleted(void *arg, const struct informer_object *object)
{
	struct node_controller *self = arg;
	struct row *row = map_get(self->rows, object->name);

	worker_forget(self->worker, object->name);
	if (!row)
		return;
	node_observe(&row->health, JSON_NONE, 0);
	drop_unused(self, row);
}

static void on_lease(void *arg, const struct informer_object *object)
{
	struct node_controller *self = arg;
	struct row *row;

	if (!str_is(object->namespace, LEASES))
		return;
	row = ensure_row(self, object->name);
	node_observe_lease(&row->health, json_doc_root(object->doc), loop_uptime(self->base->loop));
	if (row->health.exists && !row->health.check_at)
		worker_wake(self->worker, object->name);
}

static void on_lease_deleted(void *arg, const struct informer_object *object)
{
	struct node_controller *self = arg;
	struct row *row =
		str_is(object->namespace, LEASES) ? map_get(self->rows, object->name) : NULL;

	if (!row)
		return;
	node_observe_lease(&row->health, JSON_NONE, 0);
	drop_unused(self, row);
}

/* The watch repeats it later; until then the next look must see it. */
static void on_written(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	struct node_controller *self = arg;
	struct row *row = map_get(self->rows, write->name);

	if (row && doc)
		node_observe(&row->health, json_doc_root(doc), loop_uptime(self->base->loop));
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct node_controller *self = arg;
	struct row *row = map_get(self->rows, key);

	(void)err;
	if (row)
		node_step(&row->health, key, loop_uptime(self->base->loop),
			  loop_now(self->base->loop), plan);
	return 0;
}

/* --- life ------------------------------------------------------------------------------------ */

static void *node_new(struct controller_base *base)
{
	struct node_controller *self;

	if (!base->options.home)
		return NULL;
	self = mem_new(struct node_controller);
	self->base = base;
	self->rows = map_new(loop_random_u64(base->loop));
	self->worker = worker_new(&(struct worker_options){.base = base,
							   .reconcile = reconcile,
							   .arg = self,
							   .of = RESOURCE_NODES,
							   .written = on_written});
	informer_listen(controller_informer(base, RESOURCE_NODES),
			&(struct informer_events){
				.added = on_node, .updated = on_node, .deleted = on_node_deleted},
			self);
	informer_listen(controller_informer(base, RESOURCE_LEASES),
			&(struct informer_events){.added = on_lease,
						  .updated = on_lease,
						  .deleted = on_lease_deleted},
			self);
	return self;
}

static void node_ready(void *arg)
{
	worker_start(((struct node_controller *)arg)->worker);
}

static void node_free(void *arg)
{
	struct node_controller *self = arg;
	size_t at = 0;
	void *row;

	worker_free(self->worker);
	while (map_next(self->rows, &at, NULL, &row))
		row_free(row);
	map_free(self->rows);
	mem_free(self);
}

const struct controller controller_node = {
	.name = "node-lifecycle-controller",
	.new = node_new,
	.ready = node_ready,
	.free = node_free,
};
