/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/oci.h - container runtimes that may be installed, and the options of podman.
 *
 * The supervisor runs the runtime's program in place of the container's: `podman run` stays in the foreground,
 * passes signals and output on and ends with the container's exit code, so that everything else is as for a
 * process. Mounts, environment, users, limits and the network become options. Pure, except oci_find(). bundle.h
 * describes what crun gets. */
#ifndef NODE_OCI_H
#define NODE_OCI_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "model/pod/container.h"
#include "pod/pod_plan.h"

enum oci_runtime { OCI_PODMAN, OCI_CRUN, OCI_RUNTIME_COUNT };

/* Parses the value of --runtime. */
int oci_parse(const char *name, enum oci_runtime *ret, struct err *err) MUST_CHECK;
const char *oci_name(enum oci_runtime runtime);
/* Searches the program in the folders of `path`; in the arena. ERR_NOT_FOUND says what to install. */
const char *oci_find(enum oci_runtime runtime, const char *path, struct arena *arena,
		     struct err *err) MUST_CHECK;

struct oci_container {
	const char *program; /* of the runtime */
	/* The OCI runtime that podman uses, without control groups of podman's: the ones that podman was started
	 * in have the limits. NULL: podman's default runtime and control groups. */
	const char *starter;
	const char
		*pid_file; /* written when the container's program could be started; NULL: none */
	const char *const *devices; /* files of the machine */
	size_t n_devices;
	bool host_pid;
	const char *image;
	const char *user; /* placeholder for the option --user; NULL: as the plan's identity says */
	const char *name; /* unique on the machine: "volcano-UID-CONTAINER" */
	const char *const *args; /* arguments for the image's command, if the plan has no command */
	size_t n_args;
	const struct pod_plan *pod;
	const struct plan_container *plan; /* with argv, env, mounts, identity as for a process */
	const struct container *container;
};
/* The words to run instead of plan->argv, in the arena. Fields that the options of a runtime cannot express are
 * refused by name. */
int oci_argv(const struct oci_container *container, struct arena *arena, const char *const **ret,
	     size_t *ret_len, struct err *err) MUST_CHECK;

#endif
