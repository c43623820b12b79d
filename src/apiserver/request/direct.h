/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/direct.h - a client's way to the server in the same process.
 *
 *	struct client *client = client_new(loop, direct_new(api, &(struct direct_user){
 *		.name = "system:kube-scheduler" }), NULL);
 *
 * The same routes, checks, admission and store as over HTTP, but without printing and parsing for
 * the transport: a body is passed as a document, and results are decoded from the stored text once,
 * on demand. The client must be freed before the API. */
#ifndef APISERVER_DIRECT_H
#define APISERVER_DIRECT_H

#include <stddef.h>

struct api;
struct transport;

/* Who asks. Texts are copied. */
struct direct_user {
	const char *name;
	const char *const *groups; /* NULL: system:masters and system:authenticated */
	size_t group_count;
};

struct transport *direct_new(struct api *api, const struct direct_user *user)
	__attribute__((returns_nonnull));

#endif
