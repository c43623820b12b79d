/* SPDX-License-Identifier: Apache-2.0 */
/* pod/records.h - the records of a pod's containers, kept with its folder.
 *
 * Each is an extended attribute of the folder (user.volcano.I, I is the number of the container): if many files
 * were deleted recently that takes a fiftieth of the time of a file (docs/design/017-node.md), and most pods are
 * short. If the file system has no such attributes, or no space for them, they are lines of RECORD_SIZE bytes in
 * the file RECORD_FILE. */
#ifndef POD_RECORDS_H
#define POD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"

struct record;

#define RECORD_FILE "state"

/* `folder` is a descriptor of it, not of O_PATH. Best effort: on a full disk nothing is kept. */
void records_put(int folder, size_t index, const struct record *record);
/* False: there is no record of that container. */
bool records_get(int folder, size_t index, struct record *ret) MUST_CHECK;

#endif
