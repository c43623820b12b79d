/* SPDX-License-Identifier: Apache-2.0 */
/* world.h - a cluster in memory for tests of the job controller: objects, a clock, and a driver that
 * executes plans, and stops in the middle of one on request.
 *
 * One namespace, one job. What the scheduler and the nodes do is done by world_environment(): a
 * podgroup is admitted, a pod runs. */
#ifndef LIFECYCLE_TEST_WORLD_H
#define LIFECYCLE_TEST_WORLD_H

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/pointer.h"
#include "lifecycle/job_lifecycle.h"
#include "lifecycle/keys.h"

enum { WORLD_STEPS_MAX = 2000 };

struct world_object {
	char *key; /* "pods/j-a-0" */
	enum plan_kind_id kind;
	struct json_doc *doc;
};

struct world {
	VEC(struct world_object) objects; /* in order of creation */
	int64_t now;
	unsigned uids;
	unsigned version;
	size_t writes;   /* executed so far */
	size_t crash;    /* the controller crashes after this many writes; 0: never */
	bool manual;     /* only the test admits groups and starts pods */
	bool eager;      /* ... or this happens between any two steps of the controller */
	bool grace;      /* deleted pods stay until the test removes them */
	bool keyless;    /* no key pair is made */
	char refuse[64]; /* creating these is refused: "pods" */
	bool give_up;
	size_t batch;
	int64_t next_at;
	size_t stuck;      /* creates that found something there */
	struct buf phases; /* "Pending Running", as they were recorded */
	struct buf events; /* a line each */
	struct buf log;    /* one line per write */
	struct err err;
	/* Called after each step: whether a Command was executed, and what was decided. May be
	 * NULL. */
	void (*seen)(void *arg, bool commanded, const struct job_cause *cause);
	void *seen_arg;
};

#define TEST_FN __attribute__((unused)) static

TEST_FN void world_init(struct world *world)
{
	*world = (struct world){
		.now = 1000000 * TIME_SECOND,
		.phases = BUF_UNBOUNDED,
		.events = BUF_UNBOUNDED,
		.log = BUF_UNBOUNDED,
	};
}

TEST_FN void world_done(struct world *world)
{
	for (size_t i = 0; i < world->objects.len; i++) {
		mem_free(world->objects.ptr[i].key);
		json_doc_unref(world->objects.ptr[i].doc);
	}
	vec_done(&world->objects);
	buf_done(&world->phases);
	buf_done(&world->events);
	buf_done(&world->log);
}
DEFINE_AUTO_IN_PLACE(struct world, world_done);

TEST_FN struct world_object *world_find(struct world *world, enum plan_kind_id kind,
					struct str name)
{
	for (size_t i = 0; i < world->objects.len; i++) {
		struct world_object *object = &world->objects.ptr[i];
		struct json meta = json_get(json_doc_root(object->doc), "metadata");

		if (object->kind == kind && str_eq(json_str(json_get(meta, "name")), name))
			return object;
	}
	return NULL;
}

TEST_FN struct json world_get(struct world *world, enum plan_kind_id kind, const char *name)
{
	struct world_object *object = world_find(world, kind, str_from(name));

	return object ? json_doc_root(object->doc) : JSON_NONE;
}

TEST_FN void world_remove(struct world *world, struct world_object *object)
{
	size_t at = (size_t)(object - world->objects.ptr);

	mem_free(object->key);
	json_doc_unref(object->doc);
	vec_remove(&world->objects, at);
}

/* Note a phase that has not been there before it. */
static void world_note_phase(struct world *world, struct json job)
{
	struct str phase = json_str(json_get(json_get(json_get(job, "status"), "state"), "phase"));

	if (phase.len == 0 || str_ends(buf_str(&world->phases), phase))
		return;
	if (world->phases.len > 0)
		buf_putc(&world->phases, ' ');
	buf_put_str(&world->phases, phase);
}

static void world_stamp(struct world *world, struct json_doc *doc)
{
	struct json meta = json_ensure_obj(doc, json_doc_root(doc), "metadata");

	json_set(doc, meta, STR("resourceVersion"), json_new_printf(doc, "%u", ++world->version));
}

/* Put an object there; takes `doc`, which must be mutable. False: it is there. */
TEST_FN bool world_create(struct world *world, enum plan_kind_id kind, struct json_doc *doc)
{
	struct json meta = json_ensure_obj(doc, json_doc_root(doc), "metadata");
	struct str name = json_str(json_get(meta, "name"));
	char text[TIME_TEXT_SIZE];

	if (world_find(world, kind, name)) {
		json_doc_unref(doc);
		return false;
	}
	json_set(doc, meta, STR("uid"), json_new_printf(doc, "uid-%u", ++world->uids));
	json_set_str(doc, meta, "creationTimestamp", str_from(time_print(world->now, text)));
	world_stamp(world, doc);
	if (kind == PLAN_POD)
		json_set_str(doc, json_ensure_obj(doc, json_doc_root(doc), "status"), "phase",
			     STR("Pending"));
	vec_push(&world->objects,
		 (struct world_object){
			 mem_printf("%s/%.*s", plan_kinds[kind].plural, STR_ARG(name)), kind, doc});
	return true;
}

/* Replace an object's document by a changed one; takes it. */
TEST_FN void world_replace(struct world *world, struct world_object *object, struct json_doc *doc)
{
	json_doc_unref(object->doc);
	object->doc = doc;
	world_stamp(world, doc);
	if (object->kind == PLAN_JOB)
		world_note_phase(world, json_doc_root(doc));
}

/* Change an object by a merge patch. */
TEST_FN void world_merge(struct world *world, struct world_object *object, const char *patch)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(patch), NULL, NULL);

	if (object && doc)
		world_replace(world, object,
			      json_merge_apply(json_doc_root(object->doc), json_doc_root(doc)));
}

TEST_FN void world_delete(struct world *world, struct world_object *object)
{
	char text[TIME_TEXT_SIZE];
	char *patch;

	if (!object)
		return;
	if (object->kind != PLAN_POD || !world->grace) {
		world_remove(world, object);
		return;
	}
	patch = mem_printf("{\"metadata\":{\"deletionTimestamp\":\"%s\"}}",
			   time_print(world->now, text));
	world_merge(world, object, patch);
	mem_free(patch);
}

/* --- executing a plan ------------------------------------------------------------------------ */

static int world_update(struct world *world, struct world_object *object,
			const struct plan_write *write)
{
	struct json root = json_doc_root(write->doc);
	struct json_doc *doc;

	if (!object)
		return err_set(&world->err, ERR_NOT_FOUND, "not found");
	if (!str_eq(json_str(json_get(json_get(root, "metadata"), "resourceVersion")),
		    json_str(json_get(json_get(json_doc_root(object->doc), "metadata"),
				      "resourceVersion"))))
		return err_set(&world->err, ERR_CONFLICT, "conflict");
	if (write->verb == PLAN_UPDATE_STATUS) {
		doc = json_doc_thaw(json_doc_root(object->doc));
		json_set(doc, json_doc_root(doc), STR("status"),
			 json_new_copy(doc, json_get(root, "status")));
	} else {
		struct json status = json_get(json_doc_root(object->doc), "status");

		doc = json_doc_thaw(root);
		if (!json_is_absent(status))
			json_set(doc, json_doc_root(doc), STR("status"),
				 json_new_copy(doc, status));
	}
	world_replace(world, object, doc);
	return 0;
}

static int world_patch(struct world *world, struct world_object *object,
		       const struct plan_write *write)
{
	struct json root = json_doc_root(write->doc);
	struct json_doc *doc;

	if (!object)
		return err_set(&world->err, ERR_NOT_FOUND, "not found");
	if (write->patch == PLAN_JSON_PATCH)
		doc = json_patch_apply(json_doc_root(object->doc), root, &world->err);
	else
		doc = json_merge_apply(json_doc_root(object->doc), root);
	if (!doc)
		return -1;
	world_replace(world, object, doc);
	return 0;
}

static int world_write(struct world *world, const struct plan_write *write)
{
	struct world_object *object = world_find(world, write->kind, write->name);
	struct json meta = object ? json_get(json_doc_root(object->doc), "metadata") : JSON_NONE;

	buf_printf(&world->log, "%s %s %.*s\n", plan_verb_names[write->verb],
		   plan_kinds[write->kind].plural, STR_ARG(write->name));
	switch (write->verb) {
	case PLAN_CREATE:
		if (strcmp(world->refuse, plan_kinds[write->kind].plural) == 0)
			return err_set(&world->err, ERR_FORBIDDEN, "refused");
		if (!world_create(world, write->kind, json_doc_thaw(json_doc_root(write->doc))))
			world->stuck++;
		return 0;
	case PLAN_UPDATE:
	case PLAN_UPDATE_STATUS:
		return world_update(world, object, write);
	case PLAN_PATCH:
	case PLAN_PATCH_STATUS:
		return world_patch(world, object, write);
	default:
		if (write->uid.len > 0 && object &&
		    !str_eq(json_str(json_get(meta, "uid")), write->uid))
			return err_set(&world->err, ERR_CONFLICT, "another one");
		world_delete(world, object);
		return 0;
	}
}

static void world_record(struct world *world, const struct plan_note *note)
{
	AUTO(buf_done) struct buf line = BUF_UNBOUNDED;

	buf_printf(&line, "%s %s %.*s\n", note->warning ? "Warning" : "Normal", note->reason,
		   STR_ARG(note->message));
	if (note->steady && str_find(buf_str(&world->events), buf_str(&line), 0) >= 0)
		return;
	buf_put_str(&world->events, buf_str(&line));
}

/* False: the controller died. */
static bool world_execute(struct world *world, const struct plan *plan)
{
	size_t note = 0;
	bool failed = false;

	for (size_t i = 0; i < plan->writes.len; i++) {
		const struct plan_write *write = &plan->writes.ptr[i];

		if (failed && i > 0 && plan->writes.ptr[i - 1].stage != write->stage)
			return true;
		for (; note < plan->notes.len && plan->notes.ptr[note].stage <= write->stage;
		     note++)
			world_record(world, &plan->notes.ptr[note]);
		if (world_write(world, write) < 0) {
			failed = true;
			world->stuck++;
			/* An event needs something that it is about. */
			if (write->fail_reason && plan->about_name.len > 0)
				buf_printf(&world->events, "Warning %s %s%s\n", write->fail_reason,
					   write->fail_text, world->err.text);
		}
		if (++world->writes == world->crash)
			return false;
	}
	for (; note < plan->notes.len && !failed; note++)
		world_record(world, &plan->notes.ptr[note]);
	return true;
}

static struct json world_lookup(void *arg, enum plan_kind_id kind, struct str name)
{
	struct world_object *object = world_find(arg, kind, name);

	return object ? json_doc_root(object->doc) : JSON_NONE;
}

/* One step of the controller. True: it wrote something. */
TEST_FN bool world_step(struct world *world)
{
	struct world_object *job = world_find(world, PLAN_JOB, STR("j"));
	struct job_ssh_key key = {STR("private\n"), STR("public\n")};
	VEC(struct job_pod *) pods = {0};
	VEC(struct json) commands = {0};
	struct job_outcome outcome = {0};
	struct job_world input = {0};
	size_t writes = world->writes;
	AUTO(plan_done) struct plan plan;

	if (!job)
		return false;
	plan_init(&plan);
	for (size_t i = 0; i < world->objects.len; i++) {
		struct json root = json_doc_root(world->objects.ptr[i].doc);
		struct job_pod *pod = NULL;

		if (world->objects.ptr[i].kind == PLAN_COMMAND)
			vec_push(&commands, root);
		if (world->objects.ptr[i].kind == PLAN_POD)
			pod = job_pod_new(root);
		if (pod)
			vec_push(&pods, pod);
	}
	input = (struct job_world){
		.job = json_doc_root(job->doc),
		.pods = (const struct job_pod *const *)pods.ptr,
		.pod_count = pods.len,
		.commands = commands.ptr,
		.command_count = commands.len,
		.find = world_lookup,
		.arg = world,
		.ssh_key = world->keyless ? NULL : &key,
		.now = world->now,
		.batch = world->batch,
		.give_up = world->give_up,
	};
	/* What is lent to the step must live while its plan is executed. */
	AUTO(json_doc_unref) struct json_doc *kept = json_doc_ref(job->doc);

	(void)kept;
	world->now += TIME_MILLISECOND;
	world->next_at = 0;
	if (job_step(&input, &plan, &outcome, &world->err) == 0) {
		world->next_at = plan.next_at;
		if (world->seen)
			world->seen(world->seen_arg, commands.len > 0, &outcome.cause);
		world_execute(world, &plan);
	}
	for (size_t i = 0; i < pods.len; i++)
		mem_free(pods.ptr[i]);
	vec_done(&pods);
	vec_done(&commands);
	return world->writes > writes;
}

/* What the scheduler and the nodes do. True: something changed. */
TEST_FN bool world_environment(struct world *world)
{
	bool changed = false;

	for (size_t i = 0; i < world->objects.len; i++) {
		struct world_object *object = &world->objects.ptr[i];
		struct json root = json_doc_root(object->doc);
		struct str phase = json_str(json_get(json_get(root, "status"), "phase"));

		if (object->kind == PLAN_PODGROUP && phase.len == 0)
			world_merge(world, object, "{\"status\":{\"phase\":\"Inqueue\"}}");
		else if (object->kind == PLAN_POD && str_is(phase, "Pending") &&
			 json_is_absent(
				 json_get(json_get(root, "metadata"), "deletionTimestamp")) &&
			 !str_is_none(job_controller_of(root)))
			world_merge(world, object,
				    "{\"status\":{\"phase\":\"Running\",\"containerStatuses\":"
				    "[{\"name\":\"m\",\"ready\":true,\"restartCount\":0}]}}");
		else
			continue;
		changed = true;
	}
	return changed;
}

/* Runs until nothing is left to do. False: that never happens. */
TEST_FN bool world_settle(struct world *world)
{
	for (int i = 0; i < WORLD_STEPS_MAX; i++) {
		size_t stuck = world->stuck;

		if (world_step(world) && world->stuck == stuck) {
			if (world->eager)
				world_environment(world);
			continue;
		}
		if (world->manual || !world_environment(world))
			return true;
	}
	return false;
}

/* Run each script, then again once per write, with a crash at that write. `run` gives the number of writes. */
#define RUN_SCRIPTS(scripts, run)                                                   \
	do {                                                                        \
		for (size_t script_ = 0; script_ < ARRAY_LEN(scripts); script_++) { \
			size_t writes_ = (run)(&(scripts)[script_], 0);             \
                                                                                    \
			for (size_t crash_ = 1; crash_ <= writes_; crash_++)        \
				(void)(run)(&(scripts)[script_], crash_);           \
		}                                                                   \
	} while (0)

#endif
