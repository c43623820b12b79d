/* SPDX-License-Identifier: Apache-2.0 */
/* http/listener.h - accepts connections on one address.
 *
 * Sockets come out non-blocking, close-on-exec and without Nagle's delay. When the process has no
 * descriptor left, waiting connections are closed instead of hanging, and accepting stops for a
 * moment instead of spinning. */
#ifndef HTTP_LISTENER_H
#define HTTP_LISTENER_H

#include "base/err.h"
#include "base/macro.h"
#include "http/address.h"

struct listener;
struct loop;

/* Takes the descriptor. */
typedef void listener_accept_fn(int fd, void *arg);

/* A Unix socket's file is made with mode 0600, replaces a dead socket of that name, and is removed
 * by listener_free(). */
struct listener *listener_new(struct loop *loop, const struct address *address,
			      listener_accept_fn *fn, void *arg, struct err *err) MUST_CHECK;
/* Uses a socket that is already listening (from systemd); takes the descriptor. */
struct listener *listener_adopt(struct loop *loop, int fd, listener_accept_fn *fn, void *arg,
				struct err *err) MUST_CHECK;
void listener_free(struct listener *listener);
DEFINE_AUTO(struct listener *, listener_free);

/* The address, with the port that the kernel chose. Lent. */
const struct address *listener_address(const struct listener *listener);

/* Pauses: new connections stay in the kernel's queue. And resumes. */
void listener_pause(struct listener *listener);
void listener_resume(struct listener *listener);

#endif
