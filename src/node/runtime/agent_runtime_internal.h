/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_runtime_internal.h - what crun (agent_runtime.c) and podman (agent_podman.c) have in common. */
#ifndef NODE_AGENT_RUNTIME_INTERNAL_H
#define NODE_AGENT_RUNTIME_INTERNAL_H

#include "base/vec.h"
#include "node/runtime/agent_runtime.h"
#include "node/runtime/bundle.h"
#include "node/runtime/image.h"

#define RUNTIME_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Where volumes that users have named are mounted for the runtime, in runtime_folder(). */
#define RUNTIME_STAGE "stage"

enum { RUNTIME_MODE_FOLDER = 0755 };

struct runtime_words {
	VEC(const char *) list;
	struct arena *arena;
};
/* Ends the list; it stays in the arena. */
struct image_words runtime_words_take(struct runtime_words *words);

/* "NAME" of "NAME=value". */
struct str runtime_name_of(const char *variable);
/* Args without a command, which only an image can make use of. */
int runtime_args(const struct agent_runtime_container *in, struct image_words *ret,
		 struct err *err) MUST_CHECK;
/* What was planned for a process on the machine's files, without what hides the node's folder: it is not
 * there; and names, which the machine's files would bring. */
void runtime_mounts(const struct agent_runtime_container *in, const struct plan_container *plan,
		    struct bundle *bundle);
/* What users have named among the mounts of a bundle is to be mounted by the supervisor before (`ret`, which has room for
 * as many and one more; how many there are), where nobody can change it; the bundle takes it from there. */
size_t runtime_stage(const struct agent_runtime_container *in, const char *folder,
		     struct bundle *bundle, struct plan_mount *ret);
/* The files of its devices that are there; none for who sees them all. */
struct image_words runtime_devices(const struct agent_runtime_container *in);
/* Of the runtime, in the pod's. */
const char *runtime_folder(const char *pod_folder, struct str container, struct arena *arena);
/* Fails. */
int runtime_never_pulled(const struct agent_runtime_container *in, const char **ret_reason,
			 struct err *err);

#endif
