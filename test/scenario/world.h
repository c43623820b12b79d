/* SPDX-License-Identifier: Apache-2.0 */
/* world.h - a cluster without an API server: objects as documents, a scheduler that runs on them, and
 * what a kubelet would make of its decisions. For tests of the pure scheduler.
 *
 * Time is virtual: world_settle() lets cycles run at a fifth of a second until nothing has changed for
 * three seconds. */
#ifndef TEST_SCHED_WORLD_H
#define TEST_SCHED_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "sched/session/session.h"

struct object {
	char *key; /* "Pod default/p" */
	enum cluster_kind kind;
	struct json_doc *doc;
	int64_t deleted; /* when its deletion began; 0: not */
};

struct world_event {
	char *object; /* "PodGroup default/pg1" */
	char *type;   /* "Normal Scheduled" */
	char *message;
};

struct world {
	struct cluster *cluster;
	struct config *config;
	uint64_t configs;
	struct session_options options;
	struct map *objects;
	struct map *
		known; /* "default/p" -> its group ("default/pg1", "-"), of pods that no step deleted */
	struct map *nodes; /* names of all that there ever were */
	VEC(struct world_event) events;
	int64_t now;
	int64_t linger; /* how long a deleted pod takes to go */
	uint64_t uids;
	bool ordered; /* groups and queues are a second apart */
	bool spoiled; /* some objects make no sense, and are set aside */
	bool exited;  /* the scheduler would have ended */
	bool unsettled;
	struct json http; /* replies of a server (scheduling cases, README); lent */
	size_t binds;
	size_t evictions;
	char *wrong; /* what cluster_check() said first */
};

struct world *world_new(const struct cluster_options *options) __attribute__((returns_nonnull));
void world_free(struct world *world);
DEFINE_AUTO(struct world *, world_free);

/* Read a configuration; one that is refused leaves the one before. */
int world_configure(struct world *world, struct str text, struct err *err);
/* A manifest is created or replaced; the document is copied. */
int world_apply(struct world *world, struct json manifest, struct err *err);
void world_delete(struct world *world, struct str kind, struct str namespace, struct str name);
/* A JSON merge patch. */
int world_patch(struct world *world, struct str kind, struct str namespace, struct str name,
		struct json patch, struct err *err);
struct object *world_find(const struct world *world, struct str kind, struct str namespace,
			  struct str name);
/* Run cycles until it comes to rest. */
void world_settle(struct world *world);

#endif
