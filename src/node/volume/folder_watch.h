/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/folder_watch.h - watches for changes in folders, all by one descriptor.
 *
 * The kernel takes many milliseconds to close an inotify descriptor, during which the caller waits; to remove one
 * folder from it takes almost no time. */
#ifndef NODE_FOLDER_WATCH_H
#define NODE_FOLDER_WATCH_H

#include "base/macro.h"

struct folder_watch;
struct folder_watches;
struct loop;

struct folder_watches *folder_watches_new(struct loop *loop) __attribute__((returns_nonnull));
/* Every watch has a reference, too. Takes NULL. */
void folder_watches_unref(struct folder_watches *watches);
DEFINE_AUTO(struct folder_watches *, folder_watches_unref);

/* `changed` is called from the loop after a file in the folder was written, made or moved there, the folder was
 * removed, or its attributes have changed (records.h); once for changes that come together. NULL: the kernel
 * permits no more of them. */
struct folder_watch *folder_watch_new(struct folder_watches *watches, const char *folder,
				      void (*changed)(void *arg), void *arg);
/* Allowed in `changed`. Takes NULL. */
void folder_watch_free(struct folder_watch *watch);

#endif
