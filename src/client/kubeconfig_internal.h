/* SPDX-License-Identifier: Apache-2.0 */
/* client/kubeconfig_internal.h - shared by the files of kubeconfig: entries as they were read. */
#ifndef CLIENT_KUBECONFIG_INTERNAL_H
#define CLIENT_KUBECONFIG_INTERNAL_H

#include "client/kubeconfig.h"

struct map;

/* Texts are "" if nothing is set; paths are resolved, data is decoded. */
struct kubeconfig_cluster {
	const char *server;
	const char *tls_server_name;
	const char *proxy_url;
	const char *ca_file;
	const char *ca;
	bool insecure;
	bool disable_compression;
};

struct kubeconfig_user {
	const char *cert_file;
	const char *cert;
	const char *key_file;
	const char *key;
	const char *token;
	const char *token_file;
	const char *username;
	const char *password;
	const char *as;
	const char *as_uid;
	struct kubeconfig_list as_groups;
	struct kubeconfig_extra *as_extra;
	size_t as_extra_len;
	struct kubeconfig_exec *exec;
	bool auth_provider;
};

struct kubeconfig_context {
	const char *cluster;
	const char *user;
	const char *namespace;
};

struct kubeconfig_entry {
	const char *name;
	const char *where; /* "/path/of/file: users[1].user" */
	union {
		struct kubeconfig_cluster cluster;
		struct kubeconfig_user user;
		struct kubeconfig_context context;
	};
};

struct kubeconfig {
	struct kubeconfig_files files;
	struct arena *memory;
	struct map *clusters; /* of struct kubeconfig_entry, by name */
	struct map *users;
	struct map *contexts;
	const char *current;
};

/* Appends a file's content, read through `files`. */
int kubeconfig_read(const struct kubeconfig_files *files, const char *path, struct buf *to,
		    struct err *err) MUST_CHECK;

#endif
