/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_pull.h - images that a runtime with a store of its own (podman) has, or is told to pull.
 *
 * Each image is asked for once, however many pods want it, by commands that are children of the loop; a
 * pod that wants it asks again until there is an answer, and is woken when the image is there. At most a
 * few commands of each class (question, pull, other) run at once; the rest wait. */
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
/* Programs that run go on, and their results are dropped; commands that wait are dropped. Takes NULL. */
void agent_pull_free(struct agent_pull *self);

enum agent_pull_how { PULL_HOW_MISSING, PULL_HOW_ALWAYS, PULL_HOW_NEVER };
enum agent_pull_is { PULL_IS_THERE, PULL_IS_COMING, PULL_IS_ABSENT, PULL_HAS_FAILED };

/* PULL_IS_ABSENT: of an image that is never pulled. PULL_HAS_FAILED gives what the runtime says, in the arena;
 * asking again is another try. */
enum agent_pull_is agent_pull_ask(struct agent_pull *self, struct str image,
				  enum agent_pull_how how, struct arena *arena,
				  const char **ret_why);

/* Run a command (a program's path or name first, NULL last); how it ends is not reported. */
void agent_pull_run(struct agent_pull *self, const char *const *argv);

#endif
