/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/devices.h - which devices a pod gets: particular ones, and never one of them for two pods.
 *
 * A device has a number: those that were found are counted as the machine lists them, those that are only
 * declared (--node-resources nvidia.com/gpu=4) from where the node's share begins. What a pod has is a text,
 * kept in its folder, so that an agent that comes later knows it:
 *
 *	nvidia.com/gpu=0,3;amd.com/gpu=1
 *
 * Containers take theirs from it in order: sidecars, then the others; an init container, which has ended
 * before those begin, has what is behind the sidecars'. Pure. */
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

/* A node's share of the machine. */
struct devices_node {
	const struct machine *machine;
	const struct machine_division *division;
	size_t index;
};

/* Choose for a pod, from what no text of `taken` has (NULLs are skipped); nothing where it asks for none.
 * ERR_UNAVAILABLE: too few are free, for now. */
int devices_choose(const struct devices_node *node, const struct pod *pod, const char *const *taken,
		   size_t n_taken, struct buf *ret, struct err *err) MUST_CHECK;

/* What one container (init containers first) of a pod that has `text` sees of them. */
struct devices_view {
	/* "NVIDIA_VISIBLE_DEVICES=0,3"; NULL behind the last. */
	const char *const *env;
	size_t n_env;
	/* Mounts that take every other device away (PLAN_WITHOUT). */
	const struct plan_mount *mounts;
	size_t n_mounts;
	/* For a container with a /dev of its own: the files of its devices, and those that their driver has for all
	 * of them, which need not be there. */
	const char *const *files;
	size_t n_files;
};
/* `hide`: mounts can be had. Libraries count what they can open: with it they find the container's devices as
 * 0, 1, ...; without they are told the machine's numbers. Everything is in the arena. */
void devices_see(const struct machine *machine, const struct pod *pod, size_t container,
		 const char *text, bool hide, struct arena *arena, struct devices_view *ret);

/* The environment with the variables of `view` in place of those of the same name. */
const char *const *devices_env(const char *const *env, size_t *n_env,
			       const struct devices_view *view, struct arena *arena);

#endif
