/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent_pull.h - images that a runtime with a store of its own (podman) has, or is told to pull.
 *
 * Each image is asked for off the thread, once however many pods want it; whoever wants it asks again until
 * there is an answer, and is woken when the image is there. */
#ifndef NODE_AGENT_PULL_H
#define NODE_AGENT_PULL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct agent_pull;
struct loop;

/* `woken` is called on the loop when an image has come. `home`: of the node's user; may be NULL. */
struct agent_pull *agent_pull_new(struct loop *loop, const char *program, const char *home,
				  void (*woken)(void *arg), void *arg);
/* What is under way goes on, and nobody hears of it. Takes NULL. */
void agent_pull_free(struct agent_pull *self);

enum agent_pull_how { PULL_HOW_MISSING, PULL_HOW_ALWAYS, PULL_HOW_NEVER };
enum agent_pull_is { PULL_IS_THERE, PULL_IS_COMING, PULL_IS_ABSENT, PULL_HAS_FAILED };

/* PULL_IS_ABSENT: of an image that is never pulled. PULL_HAS_FAILED gives what the runtime says, in the arena;
 * asking again is another try. */
enum agent_pull_is agent_pull_ask(struct agent_pull *self, struct str image,
				  enum agent_pull_how how, struct arena *arena,
				  const char **ret_why);

/* Run a command (a program's path or name first, NULL last), off the thread; nobody hears how it ended. */
void agent_pull_run(struct agent_pull *self, const char *const *argv);

#endif
