/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/host_path.h - paths of the machine as volumes. */
#ifndef NODE_HOST_PATH_H
#define NODE_HOST_PATH_H

#include "base/err.h"
#include "base/macro.h"
#include "model/pod/volume.h"

/* Does the path have this type, or can it be made? Errors have a kubelet's texts. A path in `hidden` (the node's
 * own folder; may be NULL) is refused, however it leads there; it is checked again when it is mounted. */
int host_path_check(const struct host_path_volume *volume, const char *hidden,
		    struct err *err) MUST_CHECK;

/* Is `path` the folder itself or below it? Compares the texts only. */
bool host_path_is_in(struct str path, struct str folder);

#endif
