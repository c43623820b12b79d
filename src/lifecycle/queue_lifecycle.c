/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/queue_lifecycle.c - one step of a queue's life.
 *
 * A step makes at most one change of state, so that each can be observed. The annotation that says
 * why a queue was closed is written before it is closed, and removed after it was opened. If the
 * controller stops in between, an open queue has the annotation; the next step removes it, or
 * closes the queue. */
#include "lifecycle/queue_lifecycle.h"

#include "lifecycle/keys.h"
#include "model/volcano/command.h"
#include "model/volcano/queue.h"

#include "base/banned.h"

struct look {
	const struct queue_world *world;
	struct plan *plan;
	struct queue queue;
	enum queue_state parent; /* QUEUE_STATE_NONE: unknown, or no parent */
};

static bool is_shut(enum queue_state state)
{
	return state == QUEUE_CLOSED || state == QUEUE_CLOSING;
}

static bool is_root(const struct look *look)
{
	return str_is(look->queue.meta.name, "root");
}

static bool was_closed_by_parent(const struct look *look)
{
	struct json annotations = json_get(json_get(look->world->queue, "metadata"), "annotations");

	return str_is(json_str(json_get(annotations, KEY_CLOSED_BY_PARENT)), "true");
}

/* --- writes ---------------------------------------------------------------------------------- */

static void set_parent(struct look *look)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "spec"), "parent", STR("root"));
	plan_patch(look->plan, PLAN_QUEUE, &look->queue.meta, PLAN_MERGE_PATCH, doc);
}

static void set_state(struct look *look, enum queue_state state)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "status"), "state",
		     str_from(queue_state_names[state]));
	plan_patch_status(look->plan, PLAN_QUEUE, &look->queue.meta, PLAN_MERGE_PATCH, doc);
}

static void set_closed_by_parent(struct look *look, const char *value)
{
	struct json annotations = json_get(json_get(look->world->queue, "metadata"), "annotations");
	struct json_doc *doc;
	struct json root;

	if (str_is(json_str(json_get(annotations, KEY_CLOSED_BY_PARENT)), value))
		return;
	doc = json_doc_new();
	root = json_new_obj(doc);
	json_doc_set_root(doc, root);
	json_set_str(doc,
		     json_ensure_obj(doc, json_ensure_obj(doc, root, "metadata"), "annotations"),
		     KEY_CLOSED_BY_PARENT, str_from(value));
	plan_patch(look->plan, PLAN_QUEUE, &look->queue.meta, PLAN_MERGE_PATCH, doc);
}

static void open_queue(struct look *look)
{
	set_state(look, QUEUE_OPEN);
	plan_next_stage(look->plan);
	set_closed_by_parent(look, "false");
}

static void close_queue(struct look *look)
{
	set_state(look, look->world->groups ? QUEUE_CLOSING : QUEUE_CLOSED);
	plan_next_stage(look->plan);
	plan_normal(look->plan, PLAN_QUEUE, &look->queue.meta, "CloseQueue", "Close queue succeed");
}

static int delete_command(struct look *look, struct json command, struct err *err)
{
	struct command view;

	if (type_decode(&command_type, command, look->plan->arena, &view, err) < 0)
		return err_wrap(err, "command");
	plan_next_stage(look->plan);
	plan_delete(look->plan, PLAN_COMMAND, &view.meta);
	return 0;
}

/* --- decisions ------------------------------------------------------------------------------- */

/* Executes the oldest Command. False: it has to wait. */
static bool obey(struct look *look, struct str action)
{
	enum queue_state state = look->queue.status.state;

	if (str_is(action, bus_action_names[BUS_OPEN_QUEUE]) && state != QUEUE_OPEN) {
		if (is_shut(look->parent))
			return look->world->command_count > 1;
		open_queue(look);
	} else if (str_is(action, bus_action_names[BUS_CLOSE_QUEUE]) && !is_shut(state) &&
		   !is_root(look)) {
		close_queue(look);
	}
	return true;
}

/* The change that follows from its parent and its podgroups. */
static void follow(struct look *look)
{
	enum queue_state state = look->queue.status.state;

	if (!is_shut(state) && is_shut(look->parent)) {
		set_closed_by_parent(look, "true");
		plan_next_stage(look->plan);
		close_queue(look);
	} else if (state == QUEUE_OPEN && was_closed_by_parent(look)) {
		set_closed_by_parent(look, "false");
	} else if (is_shut(state) && look->parent == QUEUE_OPEN && was_closed_by_parent(look)) {
		open_queue(look);
	} else if (state == QUEUE_CLOSING && look->world->groups == 0) {
		set_state(look, QUEUE_CLOSED);
	}
}

static int forget(struct look *look, struct err *err)
{
	for (size_t i = 0; i < look->world->command_count; i++)
		if (delete_command(look, look->world->commands[i], err) < 0)
			return -1;
	return 0;
}

int queue_step(const struct queue_world *world, struct plan *plan, struct err *err)
{
	struct look look = {.world = world, .plan = plan};
	struct queue parent = {0};
	struct json command;

	if (json_is_absent(world->queue))
		return forget(&look, err);
	if (type_decode(&queue_type, world->queue, plan->arena, &look.queue, err) < 0 ||
	    (!json_is_absent(world->parent) &&
	     type_decode(&queue_type, world->parent, plan->arena, &parent, err) < 0))
		return err_wrap(err, "queue");
	look.parent = parent.status.state;
	if (!is_root(&look) && !look.queue.spec.parent.len)
		set_parent(&look);
	if (look.queue.status.state == QUEUE_STATE_NONE) {
		set_state(&look, QUEUE_OPEN);
		return 0;
	}
	if (!world->command_count) {
		if (!is_root(&look))
			follow(&look);
		return 0;
	}
	command = world->commands[0];
	if (!obey(&look, json_str(json_get(command, "action"))))
		return 0;
	return delete_command(&look, command, err);
}
