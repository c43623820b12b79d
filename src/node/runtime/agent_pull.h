/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_pull.h - images of a runtime with a store of its own (podman): checks for them, and pulls
 * them.
 *
 * Each image is checked once, however many pods want it, by commands that are children of the loop. A pod asks
 * again until there is an answer, and is notified when the image is present. At most a few commands of each class
 * (check, pull, other) run at once; the rest wait. */
#ifndef NODE_AGENT_PULL_H
#define NODE_AGENT_PULL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct agent_pull;
struct loop;

/* `woken` is called on the loop when an image is present. `home`: home directory of the node's user; may be NULL. */
struct agent_pull *agent_pull_new(struct loop *loop, const char *program, const char *home,
				  void (*woken)(void *arg), void *arg);
/* Running programs continue, and their results are dropped; commands that wait are dropped. Takes NULL. */
void agent_pull_free(struct agent_pull *self);

enum agent_pull_how { PULL_HOW_MISSING, PULL_HOW_ALWAYS, PULL_HOW_NEVER };
enum agent_pull_is { PULL_IS_THERE, PULL_IS_COMING, PULL_IS_ABSENT, PULL_HAS_FAILED };

/* PULL_IS_ABSENT: the image is missing and never pulled. PULL_HAS_FAILED gives the runtime's message, in the
 * arena; the next call tries again. */
enum agent_pull_is agent_pull_ask(struct agent_pull *self, struct str image,
				  enum agent_pull_how how, struct arena *arena,
				  const char **ret_why);

/* Run a command (a program's path or name first, NULL last); how it ends is not reported. */
void agent_pull_run(struct agent_pull *self, const char *const *argv);

#endif
