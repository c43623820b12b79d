/* SPDX-License-Identifier: Apache-2.0 */
/* client/kubeconfig.h - which server to use, and as which user: kubeconfig files as kubectl reads
 * them, and the service account files of a pod.
 *
 *	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
 *	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
 *	if (kubeconfig_load_list(config, getenv("KUBECONFIG"), err) < 0 ||
 *	    kubeconfig_select(config, &(struct kubeconfig_choice){0}, &access, err) < 0) ...
 *
 * Nothing here reads the environment; programs pass it in. Errors name the file and the
 * field: `/home/marie/.kube/config: users[1].user.token: must be a string, not a number`. */
#ifndef CLIENT_KUBECONFIG_H
#define CLIENT_KUBECONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct arena;

/* Appends a file's content; ERR_NOT_FOUND if there is none. */
typedef int kubeconfig_read_fn(void *arg, const char *path, struct buf *to, struct err *err);

/* Where files come from; tests and simulations have their own. NULL: the disk. */
struct kubeconfig_files {
	kubeconfig_read_fn *read;
	void *arg;
};

/* ---- the merged content of files ---- */

struct kubeconfig;

/* Empty. `files` is copied. */
struct kubeconfig *kubeconfig_new(const struct kubeconfig_files *files)
	__attribute__((returns_nonnull));
void kubeconfig_free(struct kubeconfig *config);
DEFINE_AUTO(struct kubeconfig *, kubeconfig_free);

/* Merge a file's text. As with kubectl, an earlier file wins: a cluster, user or context whose name
 * is already known is ignored as a whole. Relative paths in it start at the folder of `path`. After
 * an error the configuration must not be used. */
int kubeconfig_add(struct kubeconfig *config, struct str text, const char *path,
		   struct err *err) MUST_CHECK;
/* A file that must exist (--kubeconfig). */
int kubeconfig_load(struct kubeconfig *config, const char *path, struct err *err) MUST_CHECK;
/* Files with colons between them ($KUBECONFIG); missing files are skipped. */
int kubeconfig_load_list(struct kubeconfig *config, const char *paths, struct err *err) MUST_CHECK;

/* The name in current-context, "" if there is none. Lent. */
const char *kubeconfig_current(const struct kubeconfig *config);

/* ---- what a client needs ---- */

struct kubeconfig_list {
	const char *const *ptr;
	size_t len;
};

/* A header of impersonation with its values. */
struct kubeconfig_extra {
	const char *key;
	struct kubeconfig_list values;
};

/* A program that prints credentials (client.authentication.k8s.io). */
struct kubeconfig_exec {
	const char *api_version;
	const char *command; /* with a slash in it: a path, already resolved */
	struct kubeconfig_list args;
	struct kubeconfig_list env; /* "NAME=value" */
	const char *install_hint;
	const char *interactive_mode; /* Never, IfAvailable or Always */
	bool provide_cluster_info;
};

/* Texts are "" if nothing is set, and live as long as the struct. For each file name the current
 * content of the file is stored as well; the file may be read again later. */
struct kubeconfig_access {
	const char *server;
	const char *namespace; /* never "" */
	const char *tls_server_name;
	const char *proxy_url;
	const char *ca; /* PEM */
	const char *ca_file;
	const char *client_cert; /* PEM */
	const char *client_cert_file;
	const char *client_key; /* PEM */
	const char *client_key_file;
	const char *token;
	const char *token_file;
	const char *username;
	const char *password;
	const char *as; /* impersonation */
	const char *as_uid;
	struct kubeconfig_list as_groups;
	const struct kubeconfig_extra *as_extra;
	size_t as_extra_len;
	const struct kubeconfig_exec *exec; /* NULL: none */
	bool insecure;                      /* do not verify the server */
	bool disable_compression;
	struct arena *memory;
};

void kubeconfig_access_done(struct kubeconfig_access *access);
DEFINE_AUTO_IN_PLACE(struct kubeconfig_access, kubeconfig_access_done);

/* As kubectl's flags: each one that is set replaces the value of the file. */
struct kubeconfig_choice {
	const char *context; /* instead of current-context */
	const char *cluster;
	const char *user;
	const char *namespace;
};

/* ERR_NOT_FOUND if no context is chosen, ERR_INVALID if the chosen entries do not exist, are
 * inconsistent, or name a file that cannot be read. */
int kubeconfig_select(const struct kubeconfig *config, const struct kubeconfig_choice *choice,
		      struct kubeconfig_access *ret, struct err *err) MUST_CHECK;

/* A server by its URL and nothing else: no user, and the machine's CAs are trusted. */
void kubeconfig_for_server(const char *url, struct kubeconfig_access *ret);

/* The configuration inside a pod: $KUBERNETES_SERVICE_HOST, $KUBERNETES_SERVICE_PORT and the folder
 * with token, ca.crt and namespace. */
struct kubeconfig_pod {
	const char *host; /* NULL or "": not in a pod */
	const char *port;
	const char *folder; /* NULL: KUBECONFIG_POD_FOLDER */
	struct kubeconfig_files files;
};
#define KUBECONFIG_POD_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

/* ERR_NOT_FOUND if this is not a pod. */
int kubeconfig_in_pod(const struct kubeconfig_pod *pod, struct kubeconfig_access *ret,
		      struct err *err) MUST_CHECK;

/* A file with just this cluster, user and context, each called `name`. Of `access` it takes
 * server, namespace, ca, client_cert, client_key, token and insecure. */
void kubeconfig_print(const struct kubeconfig_access *access, const char *name, struct buf *to);

#endif
