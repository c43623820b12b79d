/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component.h - what `volcano up` can run in its process: one row each.
 *
 * Components start in the order of the table, each when the one before it is ready, and stop in the other
 * one. To add one: its functions and its row in component.c. */
#ifndef PROGRAMS_VOLCANO_COMPONENT_H
#define PROGRAMS_VOLCANO_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"

struct apiserver;
struct buf;
struct client;
struct log;
struct loop;
struct settings;

/* What a component is started with; lent, and outlives it. */
struct component_world {
	struct loop *loop;
	struct log *log;
	const struct settings *settings; /* `folder` is absolute */
	/* Of this process, once it has started; NULL if it runs elsewhere. */
	struct apiserver *apiserver;
	/* For who started it, a line each: what it cannot do here. */
	struct buf *notes;
};

/* A client of the server: of this process, or the one that the folder's kubeconfig names. */
struct client *component_client(const struct component_world *world, const char *user,
				const char *field_manager, struct err *err) MUST_CHECK;

typedef void component_done_fn(void *arg);

struct component {
	const char *name;
	/* Works when it returns; gives what `stop` and `free` take. NULL: not there yet. */
	void *(*start)(struct component_world *world, struct err *err);
	/* Can users rely on it, once the loop has turned for a while? NULL: from the start. */
	bool (*is_ready)(const void *self);
	/* Orderly; calls `done` in a later turn. */
	void (*stop)(void *self, component_done_fn *done, void *arg);
	/* May turn the loop. */
	void (*free)(void *self);
};

enum { COMPONENT_COUNT = 4 };
extern const struct component components[COMPONENT_COUNT];

/* Which to run, as bits of their places in the table. `list` has commas between names; NULL: all
 * that are there. An unknown name, or one of a component that is not there yet, is an error. */
int component_select(const char *list, unsigned *ret, struct err *err) MUST_CHECK;

#endif
