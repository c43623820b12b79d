/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/oci.h - container runtimes that may be installed, and what is asked of podman.
 *
 * The supervisor runs the runtime's program in place of the container's: `podman run` stays in the
 * foreground, passes signals and output on and ends with the container's exit code, so that everything
 * else is as for a process. Mounts, environment, users, limits and the network become options. Pure, but
 * for oci_find(). What crun is told is in bundle.h. */
#ifndef NODE_OCI_H
#define NODE_OCI_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "model/pod/container.h"
#include "pod/pod_plan.h"

enum oci_runtime { OCI_PODMAN, OCI_CRUN, OCI_RUNTIME_COUNT };

/* By the name that --runtime has. */
int oci_parse(const char *name, enum oci_runtime *ret, struct err *err) MUST_CHECK;
const char *oci_name(enum oci_runtime runtime);
/* The program, by a PATH; in the arena. ERR_NOT_FOUND says what to install. */
const char *oci_find(enum oci_runtime runtime, const char *path, struct arena *arena,
		     struct err *err) MUST_CHECK;

struct oci_container {
	const char *program; /* of the runtime */
	/* What starts containers for podman without control groups of its own: those that podman was started in
	 * keep its limits. NULL: what podman is set up with, and podman's control groups. */
	const char *starter;
	const char
		*pid_file; /* written when the container's program could be started; NULL: none */
	const char *const *devices; /* files of the machine */
	size_t n_devices;
	bool host_pid;
	const char *image;
	const char *
		user; /* a word that stands for the option of who it runs as; NULL: as the plan's identity says */
	const char *name;        /* unique on the machine: "volcano-UID-CONTAINER" */
	const char *const *args; /* where the plan has no command: for the image's */
	size_t n_args;
	const struct pod_plan *pod;
	const struct plan_container *plan; /* with argv, env, mounts, identity as for a process */
	const struct container *container;
};
/* The words to run in place of plan->argv: in the arena. What a runtime's options cannot say is
 * refused by name. */
int oci_argv(const struct oci_container *container, struct arena *arena, const char *const **ret,
	     size_t *ret_len, struct err *err) MUST_CHECK;

#endif
