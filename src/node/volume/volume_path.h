/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/volume_path.h - the paths of the volumes of node/volume/pod_volumes.h. */
#ifndef NODE_VOLUME_PATH_H
#define NODE_VOLUME_PATH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "node/pod/sandbox.h"

struct volume;
struct pod_volumes_place;

/* All results are for mem_free(). */

/* A volume in memory that cannot be mounted. */
char *volume_path_memory(const struct pod_volumes_place *place, struct str volume)
	__attribute__((returns_nonnull));
/* The folder of a claim that has none of its own. */
char *volume_path_of_claim(const char *claims, struct json claim) __attribute__((returns_nonnull));
/* The folder of a claim, and where it comes from. */
struct volume_claim {
	char *path;
	bool foreign;    /* of a PersistentVolume, whose path a user has named */
	struct str type; /* of its hostPath */
};
int volume_path_claim(const struct sandbox *sandbox, const char *claims, struct str name,
		      struct volume_claim *ret, struct err *err) MUST_CHECK;
/* The path of any volume; `ret_foreign`: users may change where it leads (plan_mount.foreign). */
int volume_path(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		const struct volume *volume, char **ret, bool *ret_foreign,
		struct err *err) MUST_CHECK;
/* For nodes without mounts: a path below a volume that does not leave it by a link at the time of the call;
 * missing folders are made like the volume. */
int volume_path_below(const char *volume, const char *path, char **ret, struct err *err) MUST_CHECK;

#endif
