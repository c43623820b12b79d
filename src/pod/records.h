/* SPDX-License-Identifier: Apache-2.0 */
/* pod/records.h - the records of a pod's containers, kept with its folder.
 *
 * Each is an attribute of the folder (user.volcano.I, I the number of the container): that takes a fiftieth of the
 * time that a file of its own does where many were deleted lately (docs/design/017-node.md), and most pods are short.
 * Where the file system has no such attributes, or no room for them, they are lines of RECORD_SIZE bytes in the file
 * RECORD_FILE. */
#ifndef POD_RECORDS_H
#define POD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"

struct record;

#define RECORD_FILE "state"

/* `folder` is a descriptor of it, not of O_PATH. Best effort: on a full disk nothing is kept. */
void records_put(int folder, size_t index, const struct record *record);
/* False: nothing is known of that container. */
bool records_get(int folder, size_t index, struct record *ret) MUST_CHECK;

#endif
