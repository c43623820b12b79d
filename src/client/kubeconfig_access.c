/* SPDX-License-Identifier: Apache-2.0 */
/* client/kubeconfig_access.c - from a configuration to what a client needs: choosing a context,
 * checking that its parts fit together, reading the files that it names.
 *
 * The checks are those of kubectl: what it rejects is rejected here, with messages of our own that
 * name the field. */
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "client/kubeconfig.h"
#include "client/kubeconfig_internal.h"
#include "json/doc.h"
#include "json/yaml.h"

#include "base/banned.h"

void kubeconfig_access_done(struct kubeconfig_access *access)
{
	arena_free(access->memory);
	*access = (struct kubeconfig_access){0};
}

static struct kubeconfig_access new_access(void)
{
	return (struct kubeconfig_access){
		.server = "",
		.namespace = "default",
		.tls_server_name = "",
		.proxy_url = "",
		.ca = "",
		.ca_file = "",
		.client_cert = "",
		.client_cert_file = "",
		.client_key = "",
		.client_key_file = "",
		.token = "",
		.token_file = "",
		.username = "",
		.password = "",
		.as = "",
		.as_uid = "",
		.memory = arena_new(0),
	};
}

/* ---- copies: what is selected outlives the configuration ---- */

static const char *copy(struct arena *memory, const char *text)
{
	return arena_strdup(memory, text);
}

static struct kubeconfig_list copy_list(struct arena *memory, struct kubeconfig_list list)
{
	const char **texts = arena_calloc(memory, list.len + 1, sizeof(*texts));

	for (size_t i = 0; i < list.len; i++)
		texts[i] = copy(memory, list.ptr[i]);
	return (struct kubeconfig_list){texts, list.len};
}

static const struct kubeconfig_exec *copy_exec(struct arena *memory,
					       const struct kubeconfig_exec *from)
{
	struct kubeconfig_exec *exec = NULL;

	if (!from)
		return NULL;
	exec = arena_new_of(memory, struct kubeconfig_exec);
	exec->api_version = copy(memory, from->api_version);
	exec->command = copy(memory, from->command);
	exec->args = copy_list(memory, from->args);
	exec->env = copy_list(memory, from->env);
	exec->install_hint = copy(memory, from->install_hint);
	exec->interactive_mode = copy(memory, from->interactive_mode);
	exec->provide_cluster_info = from->provide_cluster_info;
	return exec;
}

static const struct kubeconfig_extra *copy_extra(struct arena *memory,
						 const struct kubeconfig_user *user)
{
	struct kubeconfig_extra *extra =
		arena_calloc(memory, user->as_extra_len + 1, sizeof(*extra));

	for (size_t i = 0; i < user->as_extra_len; i++) {
		extra[i].key = copy(memory, user->as_extra[i].key);
		extra[i].values = copy_list(memory, user->as_extra[i].values);
	}
	return extra;
}

/* ---- files ---- */

static int read_text(const struct kubeconfig_files *files, const char *path, struct arena *memory,
		     const char **ret, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_PEM_BYTES);

	if (path[0] == '\0')
		return 0;
	if (kubeconfig_read(files, path, &text, err) < 0)
		return -1;
	*ret = arena_str(memory, buf_str(&text)).ptr;
	return 0;
}

/* A file that the configuration names: if it cannot be read, the configuration is invalid. */
static int read_named(const struct kubeconfig_files *files, const char *path, const char *field,
		      struct kubeconfig_access *access, const char **ret, struct err *err)
{
	struct err why = {0};

	if (read_text(files, path, access->memory, ret, &why) < 0)
		return err_set(err, ERR_INVALID, "%s: %s", field, why.text);
	return 0;
}

/* A token is a line; Kubernetes cuts blanks and line breaks off. */
static const char *trimmed(struct arena *memory, const char *text)
{
	return arena_str(memory, str_trim(str_from(text))).ptr;
}

/* ---- clusters ---- */

static int use_cluster(const struct kubeconfig *config, const struct kubeconfig_cluster *cluster,
		       struct kubeconfig_access *to, struct err *err)
{
	if (cluster->server[0] == '\0')
		return err_set(err, ERR_INVALID, "server: must be set");
	if (cluster->ca_file[0] && cluster->ca[0])
		return err_set(err, ERR_INVALID,
			       "certificate-authority: must not be set together with "
			       "certificate-authority-data");
	if (cluster->insecure && (cluster->ca_file[0] || cluster->ca[0]))
		return err_set(err, ERR_INVALID,
			       "insecure-skip-tls-verify: must not be set together with a "
			       "certificate authority");
	to->server = copy(to->memory, cluster->server);
	to->tls_server_name = copy(to->memory, cluster->tls_server_name);
	to->proxy_url = copy(to->memory, cluster->proxy_url);
	to->ca_file = copy(to->memory, cluster->ca_file);
	to->ca = copy(to->memory, cluster->ca);
	to->insecure = cluster->insecure;
	to->disable_compression = cluster->disable_compression;
	return read_named(&config->files, to->ca_file, "certificate-authority", to, &to->ca, err);
}

/* ---- users ---- */

static int check_exec(const struct kubeconfig_exec *exec, struct err *err)
{
	static const char *const modes[] = {"Never", "IfAvailable", "Always"};
	static const char beta[] = "client.authentication.k8s.io/v1beta1";

	if (exec->command[0] == '\0')
		return err_set(err, ERR_INVALID, "exec.command: must be set");
	if (exec->api_version[0] == '\0')
		return err_set(err, ERR_INVALID, "exec.apiVersion: must be set");
	if (exec->interactive_mode[0] == '\0' && strcmp(exec->api_version, beta) == 0)
		return 0; /* the default is IfAvailable */
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		if (strcmp(exec->interactive_mode, modes[i]) == 0)
			return 0;
	return err_set(err, ERR_INVALID,
		       "exec.interactiveMode: must be Never, IfAvailable or Always, not \"%s\"",
		       exec->interactive_mode);
}

static int check_certificates(const struct kubeconfig_user *user, struct err *err)
{
	bool cert = user->cert_file[0] || user->cert[0];
	bool key = user->key_file[0] || user->key[0];

	if (user->cert_file[0] && user->cert[0])
		return err_set(err, ERR_INVALID,
			       "client-certificate: must not be set together with "
			       "client-certificate-data");
	if (user->key_file[0] && user->key[0])
		return err_set(err, ERR_INVALID,
			       "client-key: must not be set together with client-key-data");
	if (cert && !key)
		return err_set(err, ERR_INVALID,
			       "client-key: must be set together with client-certificate");
	return 0;
}

static int check_user(const struct kubeconfig_user *user, struct err *err)
{
	bool token = user->token[0] || user->token_file[0];
	bool basic = user->username[0] || user->password[0];

	if (check_certificates(user, err) < 0)
		return -1;
	if (token && basic)
		return err_set(err, ERR_INVALID,
			       "token: must not be set together with username and password");
	if (user->auth_provider)
		return err_set(
			err, ERR_INVALID,
			"auth-provider: is not supported any more (Kubernetes 1.26); use exec");
	if ((user->as_uid[0] || user->as_groups.len || user->as_extra_len) && !user->as[0])
		return err_set(err, ERR_INVALID,
			       "as: must be set to impersonate a uid, groups or extra fields");
	return user->exec ? check_exec(user->exec, err) : 0;
}

static int use_user(const struct kubeconfig *config, const struct kubeconfig_user *user,
		    struct kubeconfig_access *to, struct err *err)
{
	const char *token = "";

	if (check_user(user, err) < 0)
		return -1;
	to->client_cert = copy(to->memory, user->cert);
	to->client_cert_file = copy(to->memory, user->cert_file);
	to->client_key = copy(to->memory, user->key);
	to->client_key_file = copy(to->memory, user->key_file);
	to->token = copy(to->memory, user->token);
	to->token_file = copy(to->memory, user->token_file);
	to->username = copy(to->memory, user->username);
	to->password = copy(to->memory, user->password);
	to->as = copy(to->memory, user->as);
	to->as_uid = copy(to->memory, user->as_uid);
	to->as_groups = copy_list(to->memory, user->as_groups);
	to->as_extra = copy_extra(to->memory, user);
	to->as_extra_len = user->as_extra_len;
	to->exec = copy_exec(to->memory, user->exec);
	if (read_named(&config->files, to->client_cert_file, "client-certificate", to,
		       &to->client_cert, err) < 0 ||
	    read_named(&config->files, to->client_key_file, "client-key", to, &to->client_key,
		       err) < 0 ||
	    (!to->token[0] &&
	     read_named(&config->files, to->token_file, "tokenFile", to, &token, err) < 0))
		return -1;
	if (!to->token[0])
		to->token = trimmed(to->memory, token);
	return 0;
}

/* ---- contexts ---- */

static const char *chosen(const char *choice, const char *otherwise)
{
	if (!choice || choice[0] == '\0')
		return otherwise;
	return choice;
}

static const struct kubeconfig_entry *find_context(const struct kubeconfig *config,
						   const struct kubeconfig_choice *choice,
						   struct err *err)
{
	struct str name = str_from(chosen(choice->context, config->current));
	const struct kubeconfig_entry *entry = map_get(config->contexts, name);

	if (name.len == 0)
		(void)err_set(err, ERR_NOT_FOUND,
			      "no context is chosen: current-context is not set");
	else if (!entry)
		(void)err_set(err, ERR_INVALID, "context \"%.*s\" does not exist", STR_ARG(name));
	return name.len ? entry : NULL;
}

/* Fills `to`; call kubeconfig_access_done() on it also after a failure. */
static int select_parts(const struct kubeconfig *config, const struct kubeconfig_entry *context,
			const struct kubeconfig_choice *choice, struct kubeconfig_access *to,
			struct err *err)
{
	const char *cluster_name = chosen(choice->cluster, context->context.cluster);
	const char *user_name = chosen(choice->user, context->context.user);
	const struct kubeconfig_entry *cluster = map_get(config->clusters, str_from(cluster_name));
	const struct kubeconfig_entry *user = map_get(config->users, str_from(user_name));

	if (!cluster)
		return err_set(err, ERR_INVALID, "%s.cluster: there is no cluster \"%s\"",
			       context->where, cluster_name);
	if (!user && user_name[0])
		return err_set(err, ERR_INVALID, "%s.user: there is no user \"%s\"", context->where,
			       user_name);
	if (use_cluster(config, &cluster->cluster, to, err) < 0)
		return err_wrap(err, "%s", cluster->where);
	if (user && use_user(config, &user->user, to, err) < 0)
		return err_wrap(err, "%s", user->where);
	to->namespace = copy(to->memory, chosen(choice->namespace,
						chosen(context->context.namespace, to->namespace)));
	return 0;
}

int kubeconfig_select(const struct kubeconfig *config, const struct kubeconfig_choice *choice,
		      struct kubeconfig_access *ret, struct err *err)
{
	const struct kubeconfig_entry *context = find_context(config, choice, err);
	struct kubeconfig_access access;

	if (!context)
		return -1;
	access = new_access();
	if (select_parts(config, context, choice, &access, err) < 0) {
		kubeconfig_access_done(&access);
		return -1;
	}
	*ret = access;
	return 0;
}

/* ---- in a pod ---- */

static int fill_from_pod(const struct kubeconfig_pod *pod, const char *folder,
			 struct kubeconfig_access *to, struct err *err)
{
	const bool ipv6 = strchr(pod->host, ':') != NULL;
	const char *home = ""; /* its namespace */
	const char *token = "";

	to->server = arena_printf(to->memory, "https://%s%s%s:%s", ipv6 ? "[" : "", pod->host,
				  ipv6 ? "]" : "", pod->port);
	to->token_file = arena_printf(to->memory, "%s/token", folder);
	to->ca_file = arena_printf(to->memory, "%s/ca.crt", folder);
	if (read_text(&pod->files, to->token_file, to->memory, &token, err) < 0 ||
	    read_text(&pod->files, to->ca_file, to->memory, &to->ca, err) < 0)
		return -1;
	to->token = trimmed(to->memory, token);
	/* without it the pod is taken to be in "default", as client-go does */
	if (read_text(&pod->files, arena_printf(to->memory, "%s/namespace", folder), to->memory,
		      &home, NULL) == 0)
		home = trimmed(to->memory, home);
	if (home[0])
		to->namespace = home;
	return 0;
}

void kubeconfig_for_server(const char *url, struct kubeconfig_access *ret)
{
	*ret = new_access();
	ret->server = copy(ret->memory, url);
}

int kubeconfig_in_pod(const struct kubeconfig_pod *pod, struct kubeconfig_access *ret,
		      struct err *err)
{
	const char *folder = pod->folder ? pod->folder : KUBECONFIG_POD_FOLDER;
	struct kubeconfig_access access;

	if (!pod->host || !pod->host[0] || !pod->port || !pod->port[0])
		return err_set(err, ERR_NOT_FOUND,
			       "not running in a pod of a cluster: KUBERNETES_SERVICE_HOST and "
			       "KUBERNETES_SERVICE_PORT are not set");
	access = new_access();
	if (fill_from_pod(pod, folder, &access, err) < 0) {
		kubeconfig_access_done(&access);
		return err_wrap(err, "service account");
	}
	*ret = access;
	return 0;
}

/* ---- printing ---- */

static void set_data(struct json_doc *doc, struct json object, const char *key, const char *text)
{
	AUTO(buf_done) struct buf data = BUF_UNBOUNDED;

	if (!text || !text[0])
		return;
	base64_print(&data, text, strlen(text));
	json_set_str(doc, object, key, buf_str(&data));
}

/* Adds an element called `name` to a list of the file; returns its content, to be filled in. */
static struct json add_named(struct json_doc *doc, const char *list, const char *member,
			     const char *name)
{
	struct json array = json_ensure_arr(doc, json_doc_root(doc), list);
	struct json item = json_new_obj(doc);

	json_set_str(doc, item, "name", str_from(name));
	json_append(doc, array, item);
	return json_ensure_obj(doc, item, member);
}

void kubeconfig_print(const struct kubeconfig_access *access, const char *name, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc), part;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("v1"));
	json_set_str(doc, root, "kind", STR("Config"));
	json_set_str(doc, root, "current-context", str_from(name));
	part = add_named(doc, "clusters", "cluster", name);
	json_set_str(doc, part, "server", str_from(access->server));
	set_data(doc, part, "certificate-authority-data", access->ca);
	if (access->insecure)
		json_set_bool(doc, part, "insecure-skip-tls-verify", true);
	part = add_named(doc, "users", "user", name);
	set_data(doc, part, "client-certificate-data", access->client_cert);
	set_data(doc, part, "client-key-data", access->client_key);
	if (access->token && access->token[0])
		json_set_str(doc, part, "token", str_from(access->token));
	part = add_named(doc, "contexts", "context", name);
	json_set_str(doc, part, "cluster", str_from(name));
	json_set_str(doc, part, "user", str_from(name));
	if (access->namespace && access->namespace[0])
		json_set_str(doc, part, "namespace", str_from(access->namespace));
	yaml_print(root, to);
}
