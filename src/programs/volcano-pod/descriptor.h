/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/descriptor.h - open descriptors that a child sends to its supervisor, over a socket of
 * packets. */
#ifndef PROGRAMS_VOLCANO_POD_DESCRIPTOR_H
#define PROGRAMS_VOLCANO_POD_DESCRIPTOR_H

#include "base/err.h"
#include "base/macro.h"

/* Sends a descriptor; `kind` says what it is. The caller keeps `fd`. */
int descriptor_send(int socket, char kind, int fd, struct err *err) MUST_CHECK;
/* Takes one that has arrived. The caller closes it; -1: none has arrived. */
int descriptor_receive(int socket, char *ret_kind) MUST_CHECK;

#endif
