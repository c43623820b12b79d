/* SPDX-License-Identifier: Apache-2.0 */
/* client/exec_plugin.c - run a program and read the credentials that it prints.
 *
 * It is done when its output has ended and it has been reaped. A program that takes too long or
 * prints too much is killed. The environment is the one that the caller passes plus the variables
 * of the kubeconfig; the command is searched in its PATH. */
#include "client/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "json/doc.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { OUTPUT_MAX_BYTES = 1024 * 1024 };

struct exec_plugin {
	struct loop *loop;
	struct exec_plugin_options options;
	pid_t pid;
	int fd;
	struct loop_fd *watch;
	struct loop_child *child;
	struct loop_timer *timer;
	struct buf output;
	struct err err; /* what went wrong; ERR_NONE so far */
};

/* --- its input --- */

static char *exec_info(const struct kubeconfig_access *access)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json spec, cluster;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "kind", STR("ExecCredential"));
	json_set_str(doc, root, "apiVersion", str_from(access->exec->api_version));
	spec = json_ensure_obj(doc, root, "spec");
	json_set_bool(doc, spec, "interactive", false);
	if (access->exec->provide_cluster_info) {
		cluster = json_ensure_obj(doc, spec, "cluster");
		json_set_str(doc, cluster, "server", str_from(access->server));
		if (access->tls_server_name[0])
			json_set_str(doc, cluster, "tls-server-name",
				     str_from(access->tls_server_name));
		if (access->insecure)
			json_set_bool(doc, cluster, "insecure-skip-tls-verify", true);
	}
	return json_text(root, JSON_COMPACT);
}

/* --- finding the program --- */

static const char *env_get(const char *const *environment, const char *name)
{
	size_t len = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
			return *environment + len + 1;
	return NULL;
}

/* The path of the command, for mem_free(); NULL if it is not found. */
static char *find_command(const struct kubeconfig_exec *exec, const char *const *environment)
{
	struct str paths = str_from(env_get(environment, "PATH"));
	struct str folder;

	if (strchr(exec->command, '/'))
		return mem_strdup(exec->command);
	while (str_split(&paths, ':', &folder)) {
		AUTO(mem_free)
		char *path = mem_printf("%.*s/%s", STR_ARG(folder.len ? folder : STR(".")),
					exec->command);

		if (access(path, X_OK) == 0)
			return TAKE(path);
	}
	return NULL;
}

/* --- running --- */

static int spawn(struct exec_plugin *plugin, const char *path, char *const *argv,
		 char *const *environment, struct err *err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int ends[2];
	int rc;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	(void)sigemptyset(&none);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	(void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&plugin->pid, path, &actions, &attributes, argv, environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	fd_close(ends[1]);
	plugin->fd = ends[0];
	if (rc != 0) {
		plugin->pid = 0;
		return err_errno(err, rc, "%s", path);
	}
	return 0;
}

static void finish(struct exec_plugin *plugin)
{
	struct exec_credential credential;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err = plugin->err;

	if (plugin->watch || plugin->child)
		return;
	loop_timer_stop(plugin->timer);
	if (err.code == ERR_NONE) {
		doc = json_parse(buf_str(&plugin->output), NULL, &err);
		if (doc && exec_credential_read(doc, plugin->options.access->exec->api_version,
						&credential, &err) == 0) {
			plugin->options.done(plugin->options.arg, &credential, NULL);
			return;
		}
	}
	(void)err_wrap(&err, "credentials by %s", plugin->options.access->exec->command);
	plugin->options.done(plugin->options.arg, NULL, &err);
}

static void stop_reading(struct exec_plugin *plugin)
{
	loop_fd_remove(TAKE(plugin->watch));
	fd_close(fd_take(&plugin->fd));
}

/* The first error is reported. */
static void kill_for(struct exec_plugin *plugin, const char *why)
{
	if (plugin->err.code == ERR_NONE)
		(void)err_set(&plugin->err, ERR_UNAUTHORIZED, "%s", why);
	if (plugin->child)
		(void)kill(plugin->pid, SIGKILL);
}

static void on_readable(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct exec_plugin *plugin = arg;
	char data[4096];
	ssize_t got = read(fd, data, sizeof(data));

	(void)watch;
	(void)events;
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got > 0 && buf_add(&plugin->output, data, (size_t)got, NULL) == 0)
		return;
	if (got > 0)
		kill_for(plugin, "it printed too much");
	stop_reading(plugin);
	finish(plugin);
}

static void on_ended(pid_t pid, int status, void *arg)
{
	struct exec_plugin *plugin = arg;
	const char *hint = plugin->options.access->exec->install_hint;

	(void)pid;
	plugin->child = NULL;
	plugin->pid = 0;
	if (plugin->err.code == ERR_NONE && status != 0 && WIFEXITED(status))
		(void)err_set(&plugin->err, ERR_UNAUTHORIZED, "it ended with exit code %d%s%s",
			      WEXITSTATUS(status), hint[0] ? ". " : "", hint);
	else if (plugin->err.code == ERR_NONE && status != 0)
		(void)err_set(&plugin->err, ERR_UNAUTHORIZED, "it was killed");
	finish(plugin);
}

static void on_timeout(struct loop_timer *timer, void *arg)
{
	struct exec_plugin *plugin = arg;

	(void)timer;
	kill_for(plugin, "it took too long");
	if (plugin->watch)
		stop_reading(plugin); /* a grandchild may keep the pipe open */
	finish(plugin);
}

static int start(struct exec_plugin *plugin, struct err *err)
{
	const struct exec_plugin_options *options = &plugin->options;
	const struct kubeconfig_exec *exec = options->access->exec;
	AUTO(mem_free) char *path = find_command(exec, options->environment);
	AUTO(mem_free) char *json = exec_info(options->access);
	AUTO(mem_free) char *info = mem_printf("KUBERNETES_EXEC_INFO=%s", json);
	VEC(char *) argv = {0};
	VEC(char *) environment = {0};
	int rc;

	if (!path)
		return err_set(err, ERR_UNAUTHORIZED, "%s: no such program%s%s", exec->command,
			       exec->install_hint[0] ? ". " : "", exec->install_hint);
	vec_push(&argv, (char *)(uintptr_t)exec->command);
	for (size_t i = 0; i < exec->args.len; i++)
		vec_push(&argv, (char *)(uintptr_t)exec->args.ptr[i]);
	vec_push(&argv, NULL);
	vec_push(&environment, info);
	for (size_t i = 0; i < exec->env.len; i++)
		vec_push(&environment, (char *)(uintptr_t)exec->env.ptr[i]);
	for (const char *const *at = options->environment; at && *at; at++)
		vec_push(&environment, (char *)(uintptr_t)*at);
	vec_push(&environment, NULL);
	rc = spawn(plugin, path, argv.ptr, environment.ptr, err);
	vec_done(&argv);
	vec_done(&environment);
	return rc;
}

struct exec_plugin *exec_plugin_run(struct loop *loop, const struct exec_plugin_options *options,
				    struct err *err)
{
	AUTO(exec_plugin_free) struct exec_plugin *plugin = mem_new(struct exec_plugin);

	plugin->loop = loop;
	plugin->options = *options;
	plugin->fd = -1;
	plugin->output = buf_make(OUTPUT_MAX_BYTES);
	plugin->timer = loop_timer_new(loop, on_timeout, plugin);
	if (start(plugin, err) < 0)
		return NULL;
	plugin->child = loop_child_add(loop, plugin->pid, on_ended, plugin, err);
	plugin->watch = plugin->child
				? loop_fd_add(loop, plugin->fd, LOOP_READ, on_readable, plugin, err)
				: NULL;
	if (!plugin->watch)
		return NULL;
	loop_timer_set(plugin->timer, options->timeout_us);
	return TAKE(plugin);
}

void exec_plugin_free(struct exec_plugin *plugin)
{
	if (!plugin)
		return;
	if (plugin->pid > 0) {
		(void)kill(plugin->pid, SIGKILL);
		loop_child_remove(plugin->child);
		(void)waitpid(plugin->pid, NULL, 0);
	}
	loop_fd_remove(plugin->watch);
	fd_close(plugin->fd);
	loop_timer_free(plugin->timer);
	buf_done(&plugin->output);
	mem_free(plugin);
}

/* --- its output --- */

static const char *text_of(struct json object, const char *key)
{
	struct str text = json_str(json_get(object, key));

	return text.len ? text.ptr : "";
}

int exec_credential_read(const struct json_doc *doc, const char *api_version,
			 struct exec_credential *ret, struct err *err)
{
	struct json root = json_doc_root(doc);
	struct json status = json_get(root, "status");
	const char *expires = text_of(status, "expirationTimestamp");
	struct exec_credential credential = {
		.token = text_of(status, "token"),
		.cert = text_of(status, "clientCertificateData"),
		.key = text_of(status, "clientKeyData"),
	};

	if (strcmp(text_of(root, "kind"), "ExecCredential") != 0)
		return err_set(err, ERR_UNAUTHORIZED, "the output is not an ExecCredential");
	if (strcmp(text_of(root, "apiVersion"), api_version) != 0)
		return err_set(err, ERR_UNAUTHORIZED,
			       "apiVersion: \"%s\" was printed, \"%s\" is configured",
			       text_of(root, "apiVersion"), api_version);
	if (!credential.token[0] && !credential.cert[0])
		return err_set(err, ERR_UNAUTHORIZED,
			       "status: neither token nor clientCertificateData");
	if (!credential.cert[0] != !credential.key[0])
		return err_set(err, ERR_UNAUTHORIZED,
			       "status: clientCertificateData and clientKeyData go together");
	if (expires[0] && time_parse(str_from(expires), &credential.expires, err) < 0) {
		err->code = ERR_UNAUTHORIZED;
		return err_wrap(err, "status.expirationTimestamp");
	}
	*ret = credential;
	return 0;
}
