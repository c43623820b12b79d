/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_runtime.c - containers in images: the plan of a process becomes that of a runtime's program.
 *
 * The supervisor runs `crun run` or `podman run` in place of the container's program. Both stay, pass signals
 * on and end with the container's exit code, so that logs, restarts, grace periods and probes are as for a
 * process. crun gets a bundle (bundle.h): its root is an overlay of the image's files and of a folder
 * that takes what the container writes, mounted in the mount namespace of that run, so that nothing is left
 * to unmount. Limits are kept by the control groups that crun is started in. podman is in agent_podman.c.
 *
 *	pods/UID/bundles/NAME/config.json	what crun reads
 *	pods/UID/bundles/NAME/root		where the overlay is mounted
 *	pods/UID/bundles/NAME/upper, work	what the container has written; new with every run
 *	pods/UID/bundles/NAME/state		crun's own, in memory: ends with the run
 *	pods/UID/bundles/NAME/stage		volumes that users have named, mounted there for that run
 *	pods/UID/bundles/NAME/errors		why the last run could not be started, written by crun */
#include "node/runtime/agent_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "model/pod/pod.h"
#include "node/agent/agent_internal.h"
#include "node/pod/container_env.h"
#include "node/pod/pod_identity.h"
#include "node/runtime/agent_podman.h"
#include "node/runtime/agent_runtime_internal.h"
#include "node/runtime/bundle.h"
#include "node/runtime/image.h"
#include "node/runtime/oci.h"
#include "node/volume/atomic_folder.h"

#include "base/banned.h"

enum {
	MODE_CONFIG = 0600,
	ERRORS_MAX_BYTES = 64 * 1024,
	EXIT_NOT_STARTED = 128, /* as with containerd */
};
#define ERRORS "errors"

struct agent_runtime {
	enum oci_runtime kind;
	char *program;
	char *images;
	struct agent_podman *podman; /* NULL: crun */
};

struct agent_runtime *agent_runtime_new(struct agent *agent, const struct agent_options *options,
					struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct agent_runtime *self;
	enum oci_runtime kind;
	const char *program;

	if (oci_parse(options->runtime, &kind, err) < 0)
		return NULL;
	program = oci_find(kind, options->path ? options->path : "", arena, err);
	if (!program)
		return NULL;
	self = mem_new(struct agent_runtime);
	self->kind = kind;
	self->program = mem_strdup(program);
	self->images = mem_printf("%s/images", options->folder);
	if (kind == OCI_PODMAN)
		self->podman = agent_podman_new(agent, options, program);
	return self;
}

void agent_runtime_free(struct agent_runtime *self)
{
	if (!self)
		return;
	agent_podman_free(self->podman);
	mem_free(self->program);
	mem_free(self->images);
	mem_free(self);
}

const char *agent_runtime_name(const struct agent_runtime *self)
{
	return oci_name(self->kind);
}

bool agent_runtime_has_own_namespaces(const struct agent_runtime *self)
{
	return self->kind == OCI_PODMAN;
}

/* --- words --- */

struct image_words runtime_words_take(struct runtime_words *words)
{
	size_t len = words->list.len;
	const char **list = arena_calloc(words->arena, len + 1, sizeof(*list));

	if (len)
		memcpy(list, words->list.ptr, len * sizeof(*list));
	vec_done(&words->list);
	return (struct image_words){list, len};
}

struct str runtime_name_of(const char *variable)
{
	struct str text = str_from(variable);
	ptrdiff_t equals = str_find_byte(text, '=', 0);

	return equals < 0 ? text : str_slice(text, 0, (size_t)equals);
}

static bool has_name(const struct image_words *list, struct str name)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(runtime_name_of(list->ptr[i]), name))
			return true;
	return false;
}

int runtime_args(const struct agent_runtime_container *in, struct image_words *ret, struct err *err)
{
	const struct strs *args = &in->container->args;
	struct runtime_words words = {.arena = in->arena};
	int rc = 0;

	for (size_t i = 0; i < args->len && rc == 0; i++) {
		struct str text;

		rc = container_env_expand(in->env, args->ptr[i], false, in->arena, &text, err);
		if (rc == 0)
			vec_push(&words.list, text.ptr);
	}
	*ret = runtime_words_take(&words);
	return rc;
}

int runtime_never_pulled(const struct agent_runtime_container *in, const char **ret_reason,
			 struct err *err)
{
	*ret_reason = "ErrImageNeverPull";
	return err_set(err, ERR_NOT_FOUND,
		       "Container image \"%.*s\" is not present with pull policy of Never",
		       STR_ARG(in->container->image));
}

/* --- crun --- */

/* Command and args replace those of the image, as in Kubernetes. */
static int set_argv(const struct agent_runtime_container *in, const struct image *image,
		    struct bundle *bundle, struct err *err)
{
	struct runtime_words words = {.arena = in->arena};
	struct image_words args;

	if (in->env->argc) {
		bundle->argv = (struct image_words){in->env->argv, in->env->argc};
		return 0;
	}
	if (runtime_args(in, &args, err) < 0)
		return -1;
	for (size_t i = 0; i < image->entrypoint.len; i++)
		vec_push(&words.list, image->entrypoint.ptr[i]);
	if (!args.len)
		args = image->command;
	for (size_t i = 0; i < args.len; i++)
		vec_push(&words.list, args.ptr[i]);
	bundle->argv = runtime_words_take(&words);
	return bundle->argv.len ? 0
				: err_set(err, ERR_INVALID,
					  "no command specified: neither the container nor its "
					  "image has one");
}

/* Variables of the pod replace those of the image, which replace the defaults of the node. */
static void set_env(const struct agent_runtime_container *in, const struct image *image,
		    const struct plan_container *plan, struct bundle *bundle)
{
	struct runtime_words words = {.arena = in->arena};
	const struct image_words own = {plan->env, plan->n_env};
	const char *passwd = arena_printf(in->arena, "%s/etc/passwd", image->root);

	for (size_t i = 0; i < own.len; i++) {
		struct str name = runtime_name_of(own.ptr[i]);
		bool common = container_env_is_common(in->env, name);

		if (common && has_name(&image->env, name))
			continue;
		if (common && str_is(name, "HOME"))
			vec_push(&words.list,
				 arena_printf(in->arena, "HOME=%s",
					      pod_identity_home_directory(
						      passwd, bundle->identity.uid, in->arena)));
		else
			vec_push(&words.list, own.ptr[i]);
	}
	for (size_t i = 0; i < image->env.len; i++) {
		struct str name = runtime_name_of(image->env.ptr[i]);

		if (!has_name(&own, name) || container_env_is_common(in->env, name))
			vec_push(&words.list, image->env.ptr[i]);
	}
	bundle->env = runtime_words_take(&words);
}

static void set_identity(const struct agent_runtime_container *in, const struct image *image,
			 const struct plan_container *plan, struct bundle *bundle)
{
	const struct security_context *own = in->container->security_context;
	struct plan_identity *who = &bundle->identity;

	*who = plan->identity;
	if (who->uid < 0 && in->default_user > 0 &&
	    (image->uid < 0 || (image->uid == 0 && !in->allow_root))) {
		who->uid = in->default_user;
		who->gid = who->gid < 0 ? in->default_user : who->gid;
	}
	if (who->gid < 0)
		who->gid = who->uid < 0 && image->gid >= 0 ? image->gid : 0;
	if (who->uid < 0)
		who->uid = image->uid >= 0 ? image->uid : 0;
	if (own && own->allow_escalation.set)
		who->no_new_privs = !own->allow_escalation.value;
	else if (in->is_root)
		who->no_new_privs = who->uid > 0;
	bundle->privileged = own && own->privileged.value;
	bundle->read_only = own && own->read_only_root.value;
	bundle->outer_uid = bundle->outer_gid = -1;
	if (in->is_root)
		return;
	/* There is only one user; crun needs it to be root in the container, to run other commands. */
	who->uid = who->gid = 0;
	who->n_groups = 0;
	bundle->outer_uid = in->uid;
	bundle->outer_gid = in->gid;
}

void runtime_mounts(const struct agent_runtime_container *in, const struct plan_container *plan,
		    struct bundle *bundle)
{
	static const char resolv[] = "/etc/resolv.conf";
	struct plan_mount *list = arena_calloc(in->arena, plan->n_mounts + 1, sizeof(*list));
	const char *work = arena_printf(in->arena, "%s/work", in->folder);
	bool has_resolv = access(resolv, R_OK) < 0;

	for (size_t i = 0; i < plan->n_mounts; i++) {
		struct str target = str_from(plan->mounts[i].target);

		if (str_is(target, work) || str_is(target, in->hidden))
			continue;
		has_resolv = has_resolv || str_is(target, resolv);
		list[bundle->n_mounts++] = plan->mounts[i];
	}
	if (!has_resolv)
		list[bundle->n_mounts++] =
			(struct plan_mount){.source = resolv, .target = resolv, .read_only = true};
	bundle->mounts = list;
}

/* The supervisor opens the volumes that users have named, and mounts them for the runtime where no container can
 * change them. */
size_t runtime_stage(const struct agent_runtime_container *in, const char *folder,
		     struct bundle *bundle, struct plan_mount *ret)
{
	struct plan_mount *list = arena_calloc(in->arena, bundle->n_mounts + 1, sizeof(*list));
	const char *stage = arena_printf(in->arena, "%s/" RUNTIME_STAGE, folder);
	size_t len = 0;

	for (size_t i = 0; i < bundle->n_mounts; i++) {
		const char *at;

		list[i] = bundle->mounts[i];
		if (list[i].fstype || !(list[i].foreign || list[i].below))
			continue;
		if (len == 0)
			ret[len++] = (struct plan_mount){
				.target = stage, .fstype = "tmpfs", .options = "mode=0700"};
		at = arena_printf(in->arena, "%s/%zu", stage, i);
		ret[len] = list[i];
		ret[len].read_only = false;
		ret[len++].target = at;
		list[i].source = at;
		list[i].below = NULL;
		list[i].foreign = false;
	}
	bundle->mounts = list;
	return len;
}

struct image_words runtime_devices(const struct agent_runtime_container *in)
{
	const struct security_context *own = in->container->security_context;
	struct runtime_words words = {.arena = in->arena};

	for (size_t i = 0; i < in->n_devices && !(own && own->privileged.value); i++)
		if (access(in->devices[i], F_OK) == 0)
			vec_push(&words.list, in->devices[i]);
	return runtime_words_take(&words);
}

/* At the same path, which also works for an ordinary user. */
static void add_devices(const struct agent_runtime_container *in, struct bundle *bundle)
{
	struct image_words devices = runtime_devices(in);
	struct plan_mount *list =
		arena_calloc(in->arena, bundle->n_mounts + devices.len + 1, sizeof(*list));

	if (bundle->n_mounts)
		memcpy(list, bundle->mounts, bundle->n_mounts * sizeof(*list));
	for (size_t i = 0; i < devices.len; i++)
		list[bundle->n_mounts++] =
			(struct plan_mount){.source = devices.ptr[i], .target = devices.ptr[i]};
	bundle->mounts = list;
}

const char *runtime_folder(const char *folder, struct str container, struct arena *arena)
{
	return arena_printf(arena, "%s/bundles/%.*s", folder, STR_ARG(container));
}

static int write_config(const char *folder, const struct bundle *bundle, struct arena *arena,
			struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const char *path = arena_printf(arena, "%s/config.json", folder);
	AUTO(fd_close)
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, MODE_CONFIG);

	bundle_print(bundle, &text);
	if (fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len)
		return err_errno(err, errno, "%s", path);
	return 0;
}

static int make_folders(const char *folder, struct arena *arena, struct err *err)
{
	static const char *const names[] = {"root", "upper", "work", "state", RUNTIME_STAGE};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (folder_make(arena_printf(arena, "%s/%s", folder, names[i]), RUNTIME_MODE_FOLDER,
				err) < 0)
			return -1;
	return 0;
}

/* Escapes a path in the options of an overlay, in which colons and commas are separators. */
static const char *escape(const char *path, struct arena *arena)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (; *path; path++) {
		if (strchr(":,\\", *path))
			buf_putc(&text, '\\');
		buf_putc(&text, *path);
	}
	return arena_str(arena, buf_str(&text)).ptr;
}

/* The overlay, crun's own state, and an empty folder instead of the machine's control groups: crun refuses to run
 * if those of both versions exist. */
static void set_crun_mounts(const struct agent_runtime_container *in, const struct image *image,
			    const char *folder, struct bundle *bundle, struct plan_container *plan)
{
	struct arena *arena = in->arena;
	struct plan_mount *list = arena_calloc(arena, bundle->n_mounts + 5, sizeof(*list));
	size_t len = 0;

	list[len++] = (struct plan_mount){
		.target = arena_printf(arena, "%s/root", folder),
		.fstype = "overlay",
		.options = arena_printf(arena, "lowerdir=%s,upperdir=%s,workdir=%s%s",
					escape(image->root, arena),
					escape(arena_printf(arena, "%s/upper", folder), arena),
					escape(arena_printf(arena, "%s/work", folder), arena),
					in->is_root ? "" : ",userxattr"),
	};
	list[len++] = (struct plan_mount){.target = arena_printf(arena, "%s/state", folder),
					  .fstype = "tmpfs",
					  .options = "mode=0700"};
	if (access("/sys/fs/cgroup", F_OK) == 0)
		list[len++] = (struct plan_mount){
			.target = "/sys/fs/cgroup", .fstype = "tmpfs", .read_only = true};
	len += runtime_stage(in, folder, bundle, list + len);
	plan->mounts = list;
	plan->n_mounts = len;
}

/* crun itself: runs as the node, with the limits of the container, which it passes on. */
static void set_crun(const struct agent_runtime *self, const struct agent_runtime_container *in,
		     const char *folder, struct plan_container *plan)
{
	static const char *const env[] = {RUNTIME_PATH, NULL};
	const char *state = arena_printf(in->arena, "%s/state", folder);
	const char *const words[] = {
		self->program,  "--cgroup-manager=disabled",
		"--root",       state,
		"--log",        arena_printf(in->arena, "%s/" ERRORS, folder),
		"--log-format", "json",
		"run",          "--bundle",
		folder,         plan->name,
	};
	const char **argv = arena_calloc(in->arena, ARRAY_LEN(words) + 1, sizeof(*argv));
	struct plan_identity who = plan_identity_none;

	memcpy(argv, words, sizeof(words));
	plan->argv = argv;
	plan->argc = ARRAY_LEN(words);
	plan->env = env;
	plan->n_env = 1;
	plan->cwd = folder;
	plan->root = NULL;
	plan->read_only_root = false;
	who.max_processes = plan->identity.max_processes;
	who.max_files = plan->identity.max_files;
	who.core_size = plan->identity.core_size;
	who.oom_score_adj = plan->identity.oom_score_adj;
	who.nice = plan->identity.nice;
	plan->identity = who;
}

static int wrap_crun(const struct agent_runtime *self, const struct agent_runtime_container *in,
		     struct plan_container *plan, const char **ret_reason, struct err *err)
{
	const char *folder = runtime_folder(in->folder, in->container->name, in->arena);
	struct bundle bundle = {.tty = plan->tty, .host_pid = in->pod->spec.host_pid};
	struct image image;

	if (image_open(self->images, in->container->image, in->arena, &image, err) < 0) {
		*ret_reason = err->code == ERR_INVALID ? "InvalidImageName" : "ErrImagePull";
		return err->code == ERR_NOT_FOUND && in->container->pull_policy == PULL_NEVER
			       ? runtime_never_pulled(in, ret_reason, err)
			       : -1;
	}
	*ret_reason = "CreateContainerError";
	if (!in->can_mount)
		return err_set(err, ERR_NOT_IMPLEMENTED,
			       "images need mount namespaces, which this machine does not permit");
	if (set_argv(in, &image, &bundle, err) < 0)
		return -1;
	set_identity(in, &image, plan, &bundle);
	set_env(in, &image, plan, &bundle);
	runtime_mounts(in, plan, &bundle);
	add_devices(in, &bundle);
	bundle.root = arena_printf(in->arena, "%s/root", folder);
	bundle.folder = in->container->working_dir.len
				? arena_str(in->arena, in->container->working_dir).ptr
			: image.folder ? image.folder
				       : "/";
	set_crun_mounts(in, &image, folder, &bundle, plan);
	if (make_folders(folder, in->arena, err) < 0 ||
	    write_config(folder, &bundle, in->arena, err) < 0)
		return -1;
	set_crun(self, in, folder, plan);
	return 0;
}

/* --- functions for the agent --- */

int agent_runtime_wrap(const struct agent_runtime *self, const struct agent_runtime_container *in,
		       struct plan_container *plan, const char **ret_reason, struct err *err)
{
	*ret_reason = "CreateContainerError";
	if (self->podman)
		return agent_podman_wrap(self->podman, in, plan, ret_reason, err);
	return wrap_crun(self, in, plan, ret_reason, err);
}

/* The runtime's program runs, but its container may not yet: a command waits for it, at most ten seconds. $0 is a
 * file that exists when the container runs. */
#define WAIT(test)                                                           \
	"i=0; while [ $i -lt 200 ] && " test "; do sleep 0.05; i=$((i+1)); " \
	"done; exec \"$@\""

size_t agent_runtime_exec(const struct agent_runtime *self, const struct agent_pod *pod,
			  struct str container, struct arena *arena,
			  struct str words[AGENT_RUNTIME_WORDS])
{
	const char *state =
		arena_printf(arena, "%s/state", runtime_folder(pod->folder, container, arena));
	const struct str crun[] = {
		STR("/bin/sh"),
		STR("-c"),
		STR(WAIT("[ ! -s \"$0\" ]")),
		str_from(arena_printf(arena, "%s/%.*s/status", state, STR_ARG(container))),
		str_from(self->program),
		STR("--cgroup-manager=disabled"),
		STR("--root"),
		str_from(state),
		STR("exec"),
		container,
	};

	if (self->podman)
		return agent_podman_exec(self->podman, pod, container, arena, words);
	memcpy(words, crun, sizeof(crun));
	return ARRAY_LEN(crun);
}

/* A line of crun's log: {"msg": ..., "level": "error", "time": ...}; others are warnings. */
static char *error_of(struct str line)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(line, NULL, &err);
	struct json root = json_doc_root(doc);

	return doc && str_is(json_str(json_get(root, "level")), "error")
		       ? str_dup(json_str(json_get(root, "msg")))
		       : NULL;
}

/* Why the program of the last run could not be started, for mem_free(); NULL: it was started, or that is unknown. */
static char *start_error(const struct agent_pod *pod, struct str container)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_INIT(ERRORS_MAX_BYTES);
	const char *folder = runtime_folder(pod->folder, container, arena);
	char *found = NULL;
	struct str rest;
	struct str line;

	if (fd_read_file(arena_printf(arena, "%s/" ERRORS, folder), &text, NULL) < 0)
		return NULL;
	rest = buf_str(&text);
	while (!found && str_split(&rest, '\n', &line))
		found = error_of(line);
	return found;
}

/* If the runtime could not start the program, the exit code is the runtime's and not the program's. */
void agent_runtime_note_end(const struct agent_runtime *self, struct agent_pod *pod,
			    size_t container)
{
	struct str name = json_str(json_get(agent_container(pod, container), "name"));
	struct record *record = &pod->life->containers[container].record;
	AUTO(mem_free) char *text = NULL;

	if (record->state != RECORD_ENDED || record->now.exit_code == 0)
		return;
	text = self->podman ? agent_podman_start_error(pod, container) : start_error(pod, name);
	if (!text)
		return;
	record->now.start_failed = true;
	record->now.exit_code = EXIT_NOT_STARTED;
	(void)snprintf(record->message, sizeof(record->message), "%.*s", RECORD_MESSAGE_SIZE - 1,
		       text);
}

void agent_runtime_renew(const struct agent_runtime *self, struct agent_pod *pod,
			 struct str container)
{
	static const char *const names[] = {"upper", "work"};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const char *folder = runtime_folder(pod->folder, container, arena);

	if (self->podman) {
		agent_podman_renew(pod, container);
		return;
	}
	(void)unlink(arena_printf(arena, "%s/" ERRORS, folder));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *path = arena_printf(arena, "%s/%s", folder, names[i]);
		const char *old = arena_printf(arena, "%s.old", path);
		struct err err;

		if (rename(path, old) < 0)
			continue;
		agent_remove_folder(pod->agent, old);
		(void)!folder_make(path, RUNTIME_MODE_FOLDER,
				   &err); /* the next start reports that */
	}
}

void agent_runtime_leave(const struct agent_runtime *self, const struct agent_pod *pod)
{
	if (self->podman)
		agent_podman_forget(self->podman, pod);
}
