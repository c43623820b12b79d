/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/pod_volumes.h - a pod's volumes on disk, and where its containers find them.
 *
 *	folder/volumes/NAME	content, emptyDir, ephemeral; in memory: a file system of its own
 *	claims/NAMESPACE/NAME-UID	a claim without a volume of its own, kept until the claim goes
 *
 * Who may mount (root) gets them by bind mounts in a container's own mount namespace; there the
 * node's own folder, with the store, the keys and other pods in it, is hidden. Without mount
 * namespaces volumes are symbolic links, where nothing is in the way of them, and refused by name
 * where something is. */
#ifndef NODE_POD_VOLUMES_H
#define NODE_POD_VOLUMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "model/pod/container.h"
#include "node/pod/container_env.h"
#include "node/pod/sandbox.h"
#include "pod/pod_plan.h"

struct volumes_place {
	const char *folder; /* the pod's, which is there */
	const char *claims; /* of all pods; made when it is needed */
	const char *hidden; /* the node's own folder, hidden from containers; NULL: nothing */
	const char *memory; /* where volumes in memory go that cannot be mounted; NULL: /dev/shm */
	bool can_mount;     /* this process may mount */
	bool namespaces;    /* containers have mount namespaces */
};

/* Make what is missing, and bring content up to date: for the start of a pod, and whenever something
 * that it refers to has changed. Fails with kubelet's words for a FailedMount, naming the volume:
 * `MountVolume.SetUp failed for volume "v" : configmap "c" not found`. */
int volumes_make(const struct sandbox *sandbox, const struct volumes_place *place,
		 bool *ret_changed, struct err *err) MUST_CHECK;

struct volumes_mounts {
	const struct plan_mount *ptr;
	size_t len;
};
/* What a container's volumeMounts become, in the order in which they are to be made, what hides the
 * node's folder last. The result is in the arena. */
int volumes_mounts(const struct sandbox *sandbox, const struct volumes_place *place,
		   const struct container *container, const struct container_env *env,
		   struct arena *arena, struct volumes_mounts *ret, struct err *err) MUST_CHECK;

/* Without mount namespaces: the links that stand for a container's mounts. They go with
 * volumes_remove(). */
int volumes_link(const struct volumes_place *place, const struct plan_mount *mounts, size_t len,
		 struct err *err) MUST_CHECK;

/* The first emptyDir that has outgrown its sizeLimit, as kubelet says it; NULL: none. */
const char *volumes_over_limit(const struct sandbox *sandbox, const struct volumes_place *place,
			       struct arena *arena);

/* The end of the pod's volumes; those of claims stay. May be called again after a failure. */
int volumes_remove(const struct volumes_place *place, struct err *err) MUST_CHECK;
/* The end of a claim: its folder, if it has one. */
int volumes_remove_claim(const char *claims, struct json claim, struct err *err) MUST_CHECK;

#endif
