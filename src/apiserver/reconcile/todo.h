/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/todo.h - a queue of names to process: each once however often it was added, in order, a
 * limited number per turn of the loop so that a large job does not block other work.
 *
 *	todo = todo_new(loop, look_at_namespace, self);
 *	todo_add(todo, STR("ns"));			soon
 *	todo_add_after(todo, STR("ns"), TIME_SECOND);	not before; one that is due earlier stays so */
#ifndef APISERVER_TODO_H
#define APISERVER_TODO_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct loop;
struct todo;

/* `name` is lent for the call; it may be added again meanwhile. */
typedef void todo_fn(void *arg, struct str name);

struct todo *todo_new(struct loop *loop, todo_fn *fn, void *arg) __attribute__((returns_nonnull));
/* What was not done is forgotten. Not from within its function. Takes NULL. */
void todo_free(struct todo *todo);
DEFINE_AUTO(struct todo *, todo_free);

/* The names are those of objects: keys of the store, or what follows this prefix and a slash. What is set
 * aside (base/quarantine.h) is not looked at. Lent. */
void todo_of_objects(struct todo *todo, struct str prefix);

void todo_add(struct todo *todo, struct str name);
void todo_add_after(struct todo *todo, struct str name, int64_t after_us);
/* The one that is due first among the later ones is due now. */
void todo_hurry(struct todo *todo);
/* Until the first of the later ones is due; INT64_MAX: there is none. */
int64_t todo_soonest(const struct todo *todo);
/* How many wait, the later ones included. */
size_t todo_len(const struct todo *todo);

#endif
