/* SPDX-License-Identifier: Apache-2.0 */
/* whole.h - API server, simulated nodes, scheduler and controllers in one process on the virtual loop. The scheduler
 * and the controllers reach the server through gates of their own (gate.h). */
#ifndef WHOLE_H
#define WHOLE_H

#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/time.h"
#include "controller/controller.h"
#include "gate.h"
#include "node/simulated/simulated.h"
#include "quoted.h"
#include "scheduler/scheduler.h"

struct whole_part {
	gate_fn *gate;
	void *arg;
	struct client *client;
};

struct whole {
	struct world w;
	bool plain; /* the server does not apply the rules of Volcano's admission */
	struct client *node_client;
	struct simulated *nodes;
	struct whole_part scheduling;
	struct scheduler *scheduler;
	struct whole_part controlling;
	struct controllers *controllers;
};

static const char whole_config[] =
	"actions: \"enqueue, allocate, preempt, reclaim, backfill\"\n"
	"tiers:\n"
	"- plugins: [{name: priority}, {name: gang}, {name: conformance}]\n"
	"- plugins: [{name: predicates}, {name: proportion}, "
	"{name: nodeorder}]\n";

static inline void whole_connect(struct whole *h, struct whole_part *part, const char *user)
{
	struct transport *direct = direct_new(h->w.api, &(struct direct_user){.name = user});

	if (part->gate)
		direct = gate_new(h->w.loop, direct, part->gate, part->arg);
	part->client = client_new(h->w.loop, direct,
				  &(struct client_options){.field_manager = str_from(user)});
}

static inline void whole_start_scheduler(struct whole *h)
{
	struct err err;

	whole_connect(h, &h->scheduling, "scheduler");
	h->scheduler =
		scheduler_new(h->w.loop, h->scheduling.client,
			      &(struct scheduler_options){.config = str_from(whole_config)}, &err);
	ok(h->scheduler != NULL, "the scheduler starts");
}

static inline void whole_stop_scheduler(struct whole *h)
{
	scheduler_free(TAKE(h->scheduler));
	client_free(TAKE(h->scheduling.client));
}

static inline void whole_start_controllers(struct whole *h)
{
	struct err err;

	whole_connect(h, &h->controlling, "controllers");
	h->controllers = controllers_new(h->w.loop, h->controlling.client,
					 &(struct controllers_options){0}, &err);
	ok(h->controllers != NULL, "the controllers start");
}

static inline void whole_stop_controllers(struct whole *h)
{
	controllers_free(TAKE(h->controllers));
	client_free(TAKE(h->controlling.client));
}

/* The gates are set by the caller; the rest may be anything. Nodes have 4 CPUs. */
static inline void whole_open(struct whole *h, size_t nodes)
{
	AUTO(json_doc_unref) struct json_doc *namespace = quoted_doc("{'metadata':{'name':'a'}}");
	struct got got = {0};
	struct err err;

	world_open_as(&h->w, 3, 0, h->plain);
	ok(install_definitions(h->w.api, &err) == 0, "Volcano's kinds are there");
	client_create(h->w.client, &resources[RESOURCE_NAMESPACES], namespace, got_it, &got);
	world_wait(&h->w, &got);
	json_doc_unref(got.doc);
	h->node_client = world_client(&h->w, "node");
	h->nodes = simulated_new(h->w.loop, h->node_client,
				 &(struct simulated_options){.nodes = nodes, .cpu = "4"});
	whole_start_scheduler(h);
	whole_start_controllers(h);
	world_pass(&h->w, TIME_SECOND);
}

static inline void whole_close(struct whole *h)
{
	whole_stop_controllers(h);
	whole_stop_scheduler(h);
	simulated_free(h->nodes);
	client_free(h->node_client);
	world_close(&h->w);
}

/* A request of a user; gives the code. */
__attribute__((unused)) static int whole_ask(struct whole *h, enum client_verb verb,
					     enum resource_id resource, const char *name,
					     const char *body)
{
	AUTO(json_doc_unref) struct json_doc *doc = body ? quoted_doc(body) : NULL;
	struct got got = {0};
	int code = world_ask(&h->w, &got,
			     &(struct client_ask){.verb = verb,
						  .resource = &resources[resource],
						  .namespace = resources[resource].namespaced
								       ? STR("a")
								       : str_none(),
						  .name = str_from(name),
						  .body = doc,
						  .patch = CLIENT_PATCH_MERGE});

	if (got.reason)
		printf("# %s\n", got.text);
	json_doc_unref(got.doc);
	return code;
}

__attribute__((unused)) static void whole_make(struct whole *h, enum resource_id resource,
					       const char *body)
{
	ok(whole_ask(h, CLIENT_CREATE, resource, "", body) == 201, "made: %.100s", body);
}

/* A field of an object of the namespace "a"; for the next call only. */
__attribute__((unused)) static const char *whole_at(struct whole *h, enum resource_id resource,
						    const char *name, const char *path)
{
	return world_at(&h->w, resource, name, path);
}

/* Waits, ten minutes at most, until a field has this value. */
__attribute__((unused)) static void whole_comes(struct whole *h, enum resource_id resource,
						const char *name, const char *path,
						const char *want)
{
	for (int i = 0; i < 1200 && !str_is(str_from(whole_at(h, resource, name, path)), want); i++)
		world_pass(&h->w, TIME_SECOND / 2);
	ok(str_is(str_from(whole_at(h, resource, name, path)), want), "%s of %s is %s (%s)", path,
	   name, want, whole_at(h, resource, name, path));
}

#endif
