/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/netns.h - network namespaces that are kept by a file. */
#ifndef NODE_NETNS_H
#define NODE_NETNS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"

/* A new namespace, kept by a file at `path` (which is made) until netns_remove(). Descriptors of the
 * namespace and of a NETLINK_ROUTE socket in it are the caller's. */
int netns_make(const char *path, int *ret_fd, int *ret_socket, struct err *err) MUST_CHECK;
/* A missing file is no error. */
int netns_remove(const char *path, struct err *err) MUST_CHECK;
/* Is a namespace kept there? */
bool netns_is(const char *path);

#endif
