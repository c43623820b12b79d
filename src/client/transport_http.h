/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport_http.h - a server over HTTP or HTTPS, as a kubeconfig describes it.
 *
 *	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
 *	if (kubeconfig_select(config, &choice, &access, err) < 0) ...
 *	transport = transport_http_new(loop, &(struct transport_http_options){
 *		.access = &access, .environment = (const char *const *)environ }, err);
 *	client = client_new(loop, transport, NULL);
 *
 * HTTP/2 with many requests on few connections, watches on connections of their own. For
 * credentials see client/credentials.h. */
#ifndef CLIENT_TRANSPORT_HTTP_H
#define CLIENT_TRANSPORT_HTTP_H

#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "client/kubeconfig.h"
#include "http/http_client.h"

struct loop;
struct transport;

struct transport_http_options {
	struct kubeconfig_access *access; /* taken, also on failure: it is empty afterwards */
	struct kubeconfig_files files;    /* to read files that change again */
	/* The environment of a program that prints credentials, "NAME=value", NULL-terminated;
	 * borrowed for the life of the transport. NULL: empty. */
	const char *const *environment;
	/* Reads the access again, so that new connections use a renewed client certificate. NULL: it
	 * never changes. Called before a request, at most every `reload_us` (0: ten minutes); after
	 * an error nothing changes. */
	int (*reload)(void *arg, struct kubeconfig_access *ret, struct err *err);
	void *reload_arg;
	int64_t reload_us;
	/* Called with each warning of an answer, valid during the call; NULL: warnings are ignored. */
	void (*warning)(void *arg, struct str text);
	void *warning_arg;
	struct str user_agent; /* copied; none: "volcano/<version>" */
	/* Where sockets come from, for tests and simulated networks; NULL: the network. */
	http_dial_fn *dial;
	void *dial_arg;
};

/* ERR_INVALID if the access cannot be used: a bad URL, certificates that cannot be read, a proxy
 * (not supported). Nothing is connected yet. */
struct transport *transport_http_new(struct loop *loop,
				     const struct transport_http_options *options,
				     struct err *err) MUST_CHECK;

#endif
