/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk_internal.h - what the files of the disk share. */
#ifndef APISERVER_DISK_INTERNAL_H
#define APISERVER_DISK_INTERNAL_H

#include "apiserver/store/disk.h"

/* A new store with these objects in a folder that is there and empty. `name` is what errors call it. */
int disk_fill(const char *folder, const char *name, const struct disk_batch *batch,
	      struct err *err) MUST_CHECK;

#endif
