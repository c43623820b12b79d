/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_runtime_internal.h - shared by crun (agent_runtime.c) and podman (agent_podman.c). */
#ifndef NODE_AGENT_RUNTIME_INTERNAL_H
#define NODE_AGENT_RUNTIME_INTERNAL_H

#include "base/vec.h"
#include "node/runtime/agent_runtime.h"
#include "node/runtime/bundle.h"
#include "node/runtime/image.h"

#define RUNTIME_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Folder in runtime_folder() in which volumes that users have named are mounted for the runtime. */
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
/* Args without a command, for the command of an image. */
int runtime_args(const struct agent_runtime_container *in, struct image_words *ret,
		 struct err *err) MUST_CHECK;
/* The mounts that were planned for a process, without the one that hides the node's folder, which an image does
 * not show; and resolv.conf, which the machine's files would have. */
void runtime_mounts(const struct agent_runtime_container *in, const struct plan_container *plan,
		    struct bundle *bundle);
/* Moves the mounts that users have named to `ret`, for the supervisor to mount before the start where no container
 * can change them; the bundle then takes them from there. `ret` has space for all mounts and one more. Returns
 * their number. */
size_t runtime_stage(const struct agent_runtime_container *in, const char *folder,
		     struct bundle *bundle, struct plan_mount *ret);
/* The device files that exist; none for a privileged container, which sees all. */
struct image_words runtime_devices(const struct agent_runtime_container *in);
/* The runtime's folder of a container, in the pod's folder. */
const char *runtime_folder(const char *pod_folder, struct str container, struct arena *arena);
/* Sets the error of an image that is missing and never pulled; returns -1. */
int runtime_never_pulled(const struct agent_runtime_container *in, const char **ret_reason,
			 struct err *err);

#endif
