/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/watch/watcher.h - a call that has become a watch. */
#ifndef APISERVER_WATCHER_H
#define APISERVER_WATCHER_H

struct api;
struct kind;
struct watcher;

/* Stops it, without a further word to its call. */
void watcher_free(struct watcher *watcher);
/* Its reader has taken so much that more can be sent. */
void watcher_can_send(struct watcher *watcher);
/* Every watch of the API ends, in a later turn. */
void watchers_end(struct api *api);
/* End all watches of a kind that goes, in every version. */
void watchers_end_kind(struct api *api, const struct kind *kind);

#endif
