/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/notify.h - tell a service manager how it goes (systemd's sd_notify protocol: a
 * datagram to a Unix socket). */
#ifndef PROGRAMS_VOLCANO_NOTIFY_H
#define PROGRAMS_VOLCANO_NOTIFY_H

/* Send a state such as "READY=1" to the socket, which is what $NOTIFY_SOCKET names: a path, or
 * '@' and an abstract name. NULL and "": nobody listens. Failure is nobody's concern. */
void notify_send(const char *socket_name, const char *state);

#endif
