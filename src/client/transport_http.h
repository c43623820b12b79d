/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport_http.h - a server over HTTP or HTTPS, as a kubeconfig describes it.
 *
 * HTTP/2 with many requests on few connections, watches on connections of their own. Credentials:
 * client certificates, tokens, files with tokens (read again every minute), user and password,
 * impersonation, and programs that print credentials (exec plugins), which are run again shortly
 * before their credentials expire and after a 401; requests wait for them. */
#ifndef CLIENT_TRANSPORT_HTTP_H
#define CLIENT_TRANSPORT_HTTP_H

#include "base/err.h"
#include "base/macro.h"
#include "client/kubeconfig.h"
#include "http/client.h"

struct loop;
struct transport;

struct transport_http_options {
	struct kubeconfig_access access; /* read during the call; what is needed is copied */
	struct kubeconfig_files files;   /* where token files are read again from */
	/* The environment that an exec plugin starts from, "NAME=value", NULL-terminated; may be
	 * NULL. PATH is looked up in it. */
	const char *const *environment;
	struct str user_agent; /* none: "volcano/<version>" */
	/* Where sockets come from, for tests and simulated networks; NULL: the network. */
	http_dial_fn *dial;
	void *dial_arg;
};

/* ERR_INVALID where the access cannot be used: a bad URL, certificates that cannot be read. Nothing
 * is connected yet. */
struct transport *transport_http_new(struct loop *loop,
				     const struct transport_http_options *options,
				     struct err *err) MUST_CHECK;

#endif
