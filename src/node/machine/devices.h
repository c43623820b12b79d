/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/devices.h - which devices a pod gets; no device belongs to two pods.
 *
 * A device has a number: devices that were found have the machine's numbers, devices that are only declared
 * (--node-resources nvidia.com/gpu=4) count from the start of the node's part. A text in the pod's folder says which
 * ones it has, for agents that start later:
 *
 *	nvidia.com/gpu=0,3;amd.com/gpu=1
 *
 * Containers take theirs from it in order: sidecars, then the others; an init container, which has ended before the
 * others start, takes those after the sidecars'. Pure. */
#ifndef NODE_DEVICES_H
#define NODE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "model/pod/pod.h"
#include "node/machine/machine.h"
#include "pod/pod_plan.h"

/* A node's part of the machine's devices. */
struct devices_node {
	const struct machine *machine;
	const struct machine_division *division;
	size_t index;
};

/* Choose devices for a pod, from those in no text of `taken` (NULLs are skipped); empty if it requests none.
 * ERR_UNAVAILABLE: too few are free at present. */
int devices_choose(const struct devices_node *node, const struct pod *pod, const char *const *taken,
		   size_t n_taken, struct buf *ret, struct err *err) MUST_CHECK;

/* What one container (init containers first) of a pod with `text` sees of its devices. */
struct devices_view {
	/* "NVIDIA_VISIBLE_DEVICES=0,3"; ends in NULL. */
	const char *const *env;
	size_t n_env;
	/* Mounts that hide every other device (PLAN_WITHOUT). */
	const struct plan_mount *mounts;
	size_t n_mounts;
	/* For a container with a /dev of its own: the files of its devices, and those that their driver shares,
	 * which may be missing. */
	const char *const *files;
	size_t n_files;
};
/* `hide`: mounts are possible. Libraries count what they can open: with mounts they find the container's devices
 * as 0, 1, ...; without, variables have the machine's numbers. Everything is in the arena. */
void devices_see(const struct machine *machine, const struct pod *pod, size_t container,
		 const char *text, bool hide, struct arena *arena, struct devices_view *ret);

/* The environment, in which variables of `view` replace those of the same name. */
const char *const *devices_env(const char *const *env, size_t *n_env,
			       const struct devices_view *view, struct arena *arena);

#endif
