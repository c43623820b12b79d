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

struct view {
	const struct queue_world *world;
	struct plan *plan;
	struct queue queue;
	enum queue_state parent; /* QUEUE_STATE_NONE: unknown, or no parent */
};

static bool is_shut(enum queue_state state)
{
	return state == QUEUE_CLOSED || state == QUEUE_CLOSING;
}

static bool is_root(const struct view *view)
{
	return str_is(view->queue.meta.name, "root");
}

static bool was_closed_by_parent(const struct view *view)
{
	struct json annotations = json_get(json_get(view->world->queue, "metadata"), "annotations");

	return str_is(json_str(json_get(annotations, KEY_CLOSED_BY_PARENT)), "true");
}

/* --- writes ---------------------------------------------------------------------------------- */

static void set_parent(struct view *view)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "spec"), "parent", STR("root"));
	plan_patch(view->plan, PLAN_QUEUE, &view->queue.meta, PLAN_MERGE_PATCH, doc);
}

static void set_state(struct view *view, enum queue_state state)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "status"), "state",
		     str_from(queue_state_names[state]));
	plan_patch_status(view->plan, PLAN_QUEUE, &view->queue.meta, PLAN_MERGE_PATCH, doc);
}

static void set_closed_by_parent(struct view *view, const char *value)
{
	struct json annotations = json_get(json_get(view->world->queue, "metadata"), "annotations");
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
	plan_patch(view->plan, PLAN_QUEUE, &view->queue.meta, PLAN_MERGE_PATCH, doc);
}

static void open_queue(struct view *view)
{
	set_state(view, QUEUE_OPEN);
	plan_next_stage(view->plan);
	set_closed_by_parent(view, "false");
}

static void close_queue(struct view *view)
{
	set_state(view, view->world->groups ? QUEUE_CLOSING : QUEUE_CLOSED);
	plan_next_stage(view->plan);
	plan_normal(view->plan, PLAN_QUEUE, &view->queue.meta, "CloseQueue", "Close queue succeed");
}

static int delete_command(struct view *view, struct json command, struct err *err)
{
	struct command decoded;

	if (type_decode(&command_type, command, view->plan->arena, &decoded, err) < 0)
		return err_wrap(err, "command");
	plan_next_stage(view->plan);
	plan_delete(view->plan, PLAN_COMMAND, &decoded.meta);
	return 0;
}

/* --- decisions ------------------------------------------------------------------------------- */

/* Executes the oldest Command. False: it has to wait. */
static bool obey(struct view *view, struct str action)
{
	enum queue_state state = view->queue.status.state;

	if (str_is(action, bus_action_names[BUS_OPEN_QUEUE]) && state != QUEUE_OPEN) {
		if (is_shut(view->parent))
			return view->world->command_count > 1;
		open_queue(view);
	} else if (str_is(action, bus_action_names[BUS_CLOSE_QUEUE]) && !is_shut(state) &&
		   !is_root(view)) {
		close_queue(view);
	}
	return true;
}

/* The change that follows from its parent and its podgroups. */
static void follow(struct view *view)
{
	enum queue_state state = view->queue.status.state;

	if (!is_shut(state) && is_shut(view->parent)) {
		set_closed_by_parent(view, "true");
		plan_next_stage(view->plan);
		close_queue(view);
	} else if (state == QUEUE_OPEN && was_closed_by_parent(view)) {
		set_closed_by_parent(view, "false");
	} else if (is_shut(state) && view->parent == QUEUE_OPEN && was_closed_by_parent(view)) {
		open_queue(view);
	} else if (state == QUEUE_CLOSING && view->world->groups == 0) {
		set_state(view, QUEUE_CLOSED);
	}
}

static int forget(struct view *view, struct err *err)
{
	for (size_t i = 0; i < view->world->command_count; i++)
		if (delete_command(view, view->world->commands[i], err) < 0)
			return -1;
	return 0;
}

int queue_step(const struct queue_world *world, struct plan *plan, struct err *err)
{
	struct view view = {.world = world, .plan = plan};
	struct queue parent = {0};
	struct json command;

	if (json_is_absent(world->queue))
		return forget(&view, err);
	if (type_decode(&queue_type, world->queue, plan->arena, &view.queue, err) < 0 ||
	    (!json_is_absent(world->parent) &&
	     type_decode(&queue_type, world->parent, plan->arena, &parent, err) < 0))
		return err_wrap(err, "queue");
	view.parent = parent.status.state;
	if (!is_root(&view) && !view.queue.spec.parent.len)
		set_parent(&view);
	if (view.queue.status.state == QUEUE_STATE_NONE) {
		set_state(&view, QUEUE_OPEN);
		return 0;
	}
	if (!world->command_count) {
		if (!is_root(&view))
			follow(&view);
		return 0;
	}
	command = world->commands[0];
	if (!obey(&view, json_str(json_get(command, "action"))))
		return 0;
	return delete_command(&view, command, err);
}
