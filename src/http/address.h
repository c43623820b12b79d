/* SPDX-License-Identifier: Apache-2.0 */
/* http/address.h - where to listen or connect: an IP address with a port, or a Unix socket.
 *
 *	127.0.0.1:6443    [::1]:6443    :6443 (every interface)    unix:/run/volcano.sock
 *
 * Only numeric addresses are accepted here; stream_connect() resolves names. */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct address {
	struct sockaddr_storage sockaddr;
	socklen_t len; /* 0: none */
};

enum { ADDRESS_TEXT_SIZE = 128 };

/* Port 0 lets the kernel choose. A path that starts with '@' is in Linux's abstract name space. */
int address_parse(struct str text, struct address *ret, struct err *err) MUST_CHECK;
/* An IP number, without brackets, and a port. */
int address_parse_ip(struct str ip, int port, struct address *ret, struct err *err) MUST_CHECK;
/* Prints it in the form that address_parse() reads; "" for none. Returns `text`. */
const char *address_print(const struct address *address, char text[ADDRESS_TEXT_SIZE]);
/* The port, or 0 if there is none. */
int address_port(const struct address *address);
bool address_is_unix(const struct address *address);
/* Can only processes of this machine reach it? (Loopback or Unix socket.) */
bool address_is_local(const struct address *address);

#endif
