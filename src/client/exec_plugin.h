/* SPDX-License-Identifier: Apache-2.0 */
/* client/exec_plugin.h - a program that prints credentials (client.authentication.k8s.io), as
 * kubectl runs it: $KUBERNETES_EXEC_INFO describes the request, and its standard output is an
 * ExecCredential. It gets no standard input; its standard error is ours. */
#ifndef CLIENT_EXEC_PLUGIN_H
#define CLIENT_EXEC_PLUGIN_H

#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "client/kubeconfig.h"

struct exec_plugin;
struct loop;

/* What it printed; valid during the call. */
struct exec_credential {
	const char *token; /* "" if there is none; the same for the others */
	const char *cert;  /* PEM */
	const char *key;
	int64_t expires; /* microseconds since 1970; 0: never */
};

struct exec_plugin_options {
	const struct kubeconfig_access *access; /* its `exec`, and the cluster */
	const char *const *environment;
	int64_t timeout_us;
	/* Called once, from the loop; either `credential` or `err` is NULL. */
	void (*done)(void *arg, const struct exec_credential *credential, const struct err *err);
	void *arg;
};

/* Start it. The struct is freed by exec_plugin_free() only. */
struct exec_plugin *exec_plugin_run(struct loop *loop, const struct exec_plugin_options *options,
				    struct err *err) MUST_CHECK;
/* Ends the program if it still runs. Allowed in `done`. Takes NULL. */
void exec_plugin_free(struct exec_plugin *plugin);
DEFINE_AUTO(struct exec_plugin *, exec_plugin_free);

/* Read an ExecCredential. Texts live as long as the document. For tests and exec_plugin.c. */
struct json_doc;
int exec_credential_read(const struct json_doc *doc, const char *api_version,
			 struct exec_credential *ret, struct err *err) MUST_CHECK;

#endif
