/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/host_path.h - paths of the machine as volumes. */
#ifndef NODE_HOST_PATH_H
#define NODE_HOST_PATH_H

#include "base/err.h"
#include "base/macro.h"
#include "model/pod/volume.h"

/* Is there what the type says, or can it be made? In kubelet's words where it is not. What is in `hidden` (the node's
 * own folder; may be NULL) is refused, however the path leads there; so it is once more when it is mounted. */
int host_path_check(const struct host_path_volume *volume, const char *hidden,
		    struct err *err) MUST_CHECK;

/* Is `path` the folder itself or below it? By their text. */
bool host_path_is_in(struct str path, struct str folder);

#endif
