/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/pod_volumes.h - a pod's volumes on disk, and their mounts in containers.
 *
 *	folder/volumes/NAME	content, emptyDir, ephemeral; in memory: a file system of its own
 *	claims/NAMESPACE/NAME-UID	a claim without a volume of its own, kept until the claim is deleted
 *
 * They are bind mounts in a container's own mount namespace, in which the node's own folder, with the store, the keys and
 * other pods, is hidden. Without mount namespaces volumes are symbolic links; a volume is refused by name if something
 * else is at the path of its link. */
#ifndef NODE_VOLUMES_H
#define NODE_VOLUMES_H

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

struct pod_volumes_place {
	const char *folder; /* the pod's folder, which exists */
	const char *claims; /* of all pods; made when it is needed */
	const char *hidden; /* the node's own folder, hidden from containers; NULL: nothing */
	const char *memory; /* folder of volumes in memory that cannot be mounted; NULL: /dev/shm */
	bool can_mount;     /* this process may mount */
	bool namespaces;    /* containers have mount namespaces */
};

/* Make missing volumes and update their content: at the start of a pod, and whenever an object that it refers to
 * has changed. Errors have a kubelet's text for FailedMount, and name the volume: `MountVolume.SetUp failed for
 * volume "v" : configmap "c" not found`. */
int pod_volumes_make(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		     bool *ret_changed, struct err *err) MUST_CHECK;

struct pod_volumes_mounts {
	const struct plan_mount *ptr;
	size_t len;
};
/* The mounts of a container's volumeMounts, in the order in which they have to be made; the one that hides the
 * node's folder is last. In the arena. */
int pod_volumes_mounts(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		       const struct container *container, const struct container_env *env,
		       struct arena *arena, struct pod_volumes_mounts *ret,
		       struct err *err) MUST_CHECK;

/* Without mount namespaces: make the links that stand for a container's mounts. pod_volumes_remove() deletes them. */
int pod_volumes_link(const struct pod_volumes_place *place, const struct plan_mount *mounts,
		     size_t len, struct err *err) MUST_CHECK;

/* The message about the first emptyDir that is larger than its sizeLimit, with a kubelet's text; NULL: none. */
const char *pod_volumes_over_limit(const struct sandbox *sandbox,
				   const struct pod_volumes_place *place, struct arena *arena);

/* Remove the pod's volumes; those of claims stay. May be called again after a failure. */
int pod_volumes_remove(const struct pod_volumes_place *place, struct err *err) MUST_CHECK;
/* Remove the folder of a claim, if it has one. */
int pod_volumes_remove_claim(const char *claims, struct json claim, struct err *err) MUST_CHECK;

#endif
