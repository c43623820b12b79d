/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/notify.h - report the state to a service manager (systemd's sd_notify protocol: a
 * datagram to a Unix socket). */
#ifndef PROGRAMS_VOLCANO_NOTIFY_H
#define PROGRAMS_VOLCANO_NOTIFY_H

/* Send a state such as "READY=1" to the socket, which is what $NOTIFY_SOCKET names: a path, or
 * '@' and an abstract name. NULL and "": there is no service manager. Failures are ignored. */
void notify_send(const char *socket_name, const char *state);

#endif
