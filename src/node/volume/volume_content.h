/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/volume_content.h - the files of volumes with content from the API: config maps, secrets, the
 * downward API, and projections of several of them. Pure; node/volume/atomic_folder.h writes them. */
#ifndef NODE_VOLUME_CONTENT_H
#define NODE_VOLUME_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "model/pod/volume.h"
#include "node/pod/sandbox.h"
#include "node/volume/atomic_folder.h"

/* Is it such a volume? */
bool volume_content_is(const struct volume *volume);

/* The files, in the arena. Of two with the same path the later one counts. Errors have a kubelet's texts:
 * ERR_NOT_FOUND for objects that may still be created. */
int volume_content(const struct sandbox *sandbox, const struct volume *volume, struct arena *arena,
		   struct atomic_folder_file **ret, size_t *ret_len, struct err *err) MUST_CHECK;

#endif
