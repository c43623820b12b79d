/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_podman.c - the plan of a process becomes that of `podman run`.
 *
 * podman has images and namespaces of its own, and gets everything as options (oci.h). If crun is installed, it starts
 * podman's containers without control groups: they stay in those that podman was started in, which are the pod's, so
 * that requests, limits and running out of memory are as for processes. crun refuses to work on a machine with control
 * groups of both versions, even if it uses none: they are hidden from it there. For root they are hidden in the mount
 * namespace of the run, which the supervisor makes; for an ordinary user in one of podman's own.
 *
 *	pods/UID/bundles/NAME/pid	number of the container's first process; exists if its program could be started
 *	pods/UID/bundles/NAME/main	for an ordinary user: the process number of podman
 *	pods/UID/bundles/NAME/stage	volumes that users have named, mounted there for that run
 *	pods/UID/bundles/NAME/mounts	for an ordinary user: a plan of those, for `volcano-pod stage`
 *
 * podman ends with 125, 126 or 127 if it could not start a program, but a program may end with these codes, too:
 * without the file `pid` it was podman, and the last line of the log says why. */
#include "node/runtime/agent_podman.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "model/pod/pod.h"
#include "node/agent/agent_internal.h"
#include "node/pod/container_env.h"
#include "node/runtime/agent_pull.h"
#include "node/runtime/agent_runtime_internal.h"
#include "node/runtime/oci.h"
#include "node/volume/atomic_folder.h"

#include "base/banned.h"

#define PID_FILE "pid"
#define MAIN_FILE "main"
#define MOUNTS_FILE "mounts"
#define CGROUPS "/sys/fs/cgroup"
/* Runs the following words in a mount namespace without control groups; $0 is the file for the process number. */
static const char hide_groups[] = "echo $$ >\"$0\"; mount -t tmpfs none " CGROUPS " && exec \"$@\"";
/* The same without hiding anything. */
static const char record_pid[] = "echo $$ >\"$0\"; exec \"$@\"";
/* `podman unshare` ends at once on SIGTERM, without its child: this passes SIGTERM on to the child only. */
static const char forward[] =
	"rm -f \"$0\"; setsid \"$@\" & c=$!; trap 'kill -TERM \"$(cat \"$0\")\"' TERM; "
	"while wait $c; code=$?; kill -0 $c 2>/dev/null; do :; done; exit $code";

/* Chooses the user of a container on a root node whose pod names none: the image's user if it is a number, or a
 * name if root is permitted ($3), else $2. A name may be root's in that image. $0 is podman, $1 the image; the
 * first of the other words that is USER_WORD becomes the option; with $4 a user other than root also gets
 * no-new-privileges. */
#define USER_WORD "--user=?"
static const char choose_user[] =
	"u=$(\"$0\" image inspect --format '{{.User}}' -- \"$1\") || u=; d=$2; "
	"case ${u%%:*} in '' | 0* | root) [ \"$3\" = yes ] && [ -n \"$u\" ] && d=$u ;; "
	"*[!0-9]*) [ \"$3\" = yes ] && d=$u ;; *) d=$u ;; esac; "
	"p=$4; case ${d%%:*} in 0* | root) p=no ;; esac; shift 4; "
	"n=; for w do shift; if [ -z \"$n\" ] && [ \"$w\" = '" USER_WORD
	"' ]; then n=1 w=--user=$d; "
	"[ \"$p\" = no ] || set -- \"$@\" --security-opt=no-new-privileges; fi; "
	"set -- \"$@\" \"$w\"; done; exec \"$@\"";

enum { EXIT_PODMAN_FIRST = 125, EXIT_PODMAN_LAST = 127 };

struct agent_podman {
	char *program;
	char *starter; /* crun; NULL: podman's own choice */
	char *home;    /* home directory of the node's user; NULL: unknown */
	char *stager;  /* volcano-pod */
	bool hides;    /* control groups are hidden from crun */
	struct agent_pull *pull;
};

/* An image was pulled: refreshes the pods that wait. */
static void on_image(void *arg)
{
	struct agent *agent = arg;
	size_t at = 0;
	void *value;

	while (map_next(agent->pods, &at, NULL, &value)) {
		struct agent_pod *pod = value;

		if (!pod->has_plan)
			agent_pod_refresh(pod);
	}
}

struct agent_podman *agent_podman_new(struct agent *agent, const struct agent_options *options,
				      const char *program)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct agent_podman *self = mem_new(struct agent_podman);
	struct err err;
	const char *starter = oci_find(OCI_CRUN, options->path ? options->path : "", arena, &err);

	self->program = mem_strdup(program);
	self->starter = starter ? mem_strdup(starter) : NULL;
	self->home = options->home ? mem_strdup(options->home) : NULL;
	self->stager = mem_strdup(options->program);
	self->hides = starter && access(CGROUPS "/unified", F_OK) == 0;
	self->pull = agent_pull_new(agent->loop, program, options->home, on_image, agent);
	return self;
}

void agent_podman_free(struct agent_podman *self)
{
	if (!self)
		return;
	agent_pull_free(self->pull);
	mem_free(self->program);
	mem_free(self->starter);
	mem_free(self->home);
	mem_free(self->stager);
	mem_free(self);
}

/* --- words --- */

static const char *name_of(const char *uid, struct str container, struct arena *arena)
{
	return arena_printf(arena, "volcano-%s-%.*s", uid, STR_ARG(container));
}

/* Adds what goes before podman if its starter must not see control groups. `main`: file for the number of its
 * process. */
static void add_hiding(const struct agent_podman *self, bool is_root, const char *main,
		       struct runtime_words *words)
{
	const char *const list[] = {"unshare", "-m", "/bin/sh", "-c", hide_groups, main};

	if (!self->hides)
		return;
	if (!is_root) {
		vec_push(&words->list, self->program);
		vec_push(&words->list, "unshare");
	}
	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		vec_push(&words->list, list[i]);
}

/* --- images --- */

/* Variables that the pod does not name are left to the image. */
static struct image_words named_env(const struct agent_runtime_container *in,
				    const struct plan_container *plan)
{
	struct runtime_words words = {.arena = in->arena};

	for (size_t i = 0; i < plan->n_env; i++)
		if (!container_env_is_common(in->env, runtime_name_of(plan->env[i])))
			vec_push(&words.list, plan->env[i]);
	return runtime_words_take(&words);
}

/* ERR_UNAVAILABLE: the image is being pulled. */
static int get_image(const struct agent_podman *self, const struct agent_runtime_container *in,
		     const char **ret_reason, struct err *err)
{
	static const enum agent_pull_how hows[PULL_POLICY_COUNT] = {
		[PULL_DEFAULT] = PULL_HOW_MISSING,
		[PULL_ALWAYS] = PULL_HOW_ALWAYS,
		[PULL_IF_NOT_PRESENT] = PULL_HOW_MISSING,
		[PULL_NEVER] = PULL_HOW_NEVER,
	};
	struct str image = in->container->image;
	const char *why = "";

	switch (agent_pull_ask(self->pull, image, hows[in->container->pull_policy], in->arena,
			       &why)) {
	case PULL_IS_THERE:
		return 0;
	case PULL_IS_COMING:
		*ret_reason = NULL;
		return err_set(err, ERR_UNAVAILABLE, "Pulling image \"%.*s\"", STR_ARG(image));
	case PULL_IS_ABSENT:
		return runtime_never_pulled(in, ret_reason, err);
	case PULL_HAS_FAILED:
		break;
	}
	*ret_reason = "ErrImagePull";
	return err_set(err, ERR_NOT_FOUND, "failed to pull image \"%.*s\": %s", STR_ARG(image),
		       why);
}

/* --- a container --- */

/* How podman is run. */
struct run {
	const char *folder; /* its own */
	struct image_words argv;
	struct plan_mount *mounts; /* of the process */
	size_t n_mounts;
};

static int set_argv(const struct agent_podman *self, const struct agent_runtime_container *in,
		    const struct plan_container *plan, struct run *ret, struct err *err)
{
	const struct pod_plan surroundings = {.netns = in->netns, .hostname = in->hostname};
	struct image_words devices = runtime_devices(in);
	struct image_words env = named_env(in, plan);
	struct plan_container inner = *plan;
	struct bundle kept = {0};
	struct image_words args;

	runtime_mounts(in, plan, &kept);
	ret->mounts = arena_calloc(in->arena, kept.n_mounts + 2, sizeof(*ret->mounts));
	ret->n_mounts = runtime_stage(in, ret->folder, &kept, ret->mounts);
	inner.env = env.ptr;
	inner.n_env = env.len;
	inner.mounts = kept.mounts;
	inner.n_mounts = kept.n_mounts;
	if (runtime_args(in, &args, err) < 0)
		return -1;
	return oci_argv(
		&(struct oci_container){
			.program = self->program,
			.starter = self->starter,
			.image = arena_str(in->arena, in->container->image).ptr,
			.name = name_of(in->uid_text, in->container->name, in->arena),
			.pid_file = arena_printf(in->arena, "%s/" PID_FILE, ret->folder),
			.host_pid = in->pod->spec.host_pid,
			.user = in->default_user > 0 ? USER_WORD : NULL,
			.pod = &surroundings,
			.plan = &inner,
			.devices = devices.ptr,
			.n_devices = devices.len,
			.args = args.ptr,
			.n_args = args.len,
			.container = in->container},
		in->arena, &ret->argv.ptr, &ret->argv.len, err);
}

/* podman of an ordinary user leaves every mount namespace but its own: the mounts are made in that one. */
static int write_mounts(const struct agent_runtime_container *in, const struct run *run,
			const char *path, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct plan_container container = {.name = "mounts",
						 .mounts = run->mounts,
						 .n_mounts = run->n_mounts,
						 .identity = plan_identity_none};
	const struct pod_plan plan = {.uid = in->uid_text,
				      .namespace_ = "",
				      .name = "",
				      .folder = in->folder,
				      .hidden = in->hidden,
				      .containers = &container,
				      .n_containers = 1};

	if (pod_plan_encode(&plan, &text, err) < 0)
		return -1;
	return fd_write_file(path, text.ptr, text.len, 0600, err);
}

/* Adds what goes before podman of an ordinary user that needs mounts: podman's namespaces, and `volcano-pod
 * stage`, which makes the mounts. */
static int add_stage(const struct agent_podman *self, const struct agent_runtime_container *in,
		     const struct run *run, struct runtime_words *words, struct err *err)
{
	const char *main = arena_printf(in->arena, "%s/" MAIN_FILE, run->folder);
	const char *path = arena_printf(in->arena, "%s/" MOUNTS_FILE, run->folder);
	const char *const before[] = {"/bin/sh", "-c", forward, main};
	const char *const plain[] = {self->program, "unshare", "/bin/sh", "-c", record_pid, main};
	const char *const stage[] = {self->stager, "stage", path};

	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		vec_push(&words->list, before[i]);
	add_hiding(self, false, main, words);
	for (size_t i = 0; !self->hides && i < ARRAY_LEN(plain); i++)
		vec_push(&words->list, plain[i]);
	if (!run->n_mounts)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(stage); i++)
		vec_push(&words->list, stage[i]);
	return write_mounts(in, run, path, err);
}

static void add_choice(const struct agent_podman *self, const struct agent_runtime_container *in,
		       struct runtime_words *words)
{
	const struct security_context *own = in->container->security_context;
	const char *const before[] = {
		"/bin/sh",
		"-c",
		choose_user,
		self->program,
		arena_str(in->arena, in->container->image).ptr,
		arena_printf(in->arena, "%" PRId64 ":%" PRId64, in->default_user, in->default_user),
		in->allow_root ? "yes" : "no",
		own && own->allow_escalation.value ? "no" : "yes",
	};

	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		vec_push(&words->list, before[i]);
}

/* podman itself: runs as the node, with the limits of the container unless podman sets them. */
static int set_podman(const struct agent_podman *self, const struct agent_runtime_container *in,
		      struct run *run, struct plan_container *plan, struct err *err)
{
	struct runtime_words words = {.arena = in->arena};
	const char **env = arena_calloc(in->arena, 3, sizeof(*env));
	struct image_words all;
	int rc = 0;

	env[0] = RUNTIME_PATH;
	if (self->home)
		env[1] = arena_printf(in->arena, "HOME=%s", self->home);
	if (!in->is_root && (self->hides || run->n_mounts))
		rc = add_stage(self, in, run, &words, err);
	if (self->hides && in->is_root)
		run->mounts[run->n_mounts++] = (struct plan_mount){
			.target = CGROUPS, .fstype = "tmpfs", .read_only = true};
	if (in->default_user > 0 && plan->identity.uid < 0)
		add_choice(self, in, &words);
	for (size_t i = 0; i < run->argv.len; i++)
		vec_push(&words.list, run->argv.ptr[i]);
	all = runtime_words_take(&words);
	*plan = (struct plan_container){
		.name = plan->name,
		.argv = all.ptr,
		.argc = all.len,
		.env = env,
		.n_env = self->home ? 2 : 1,
		.cwd = "/",
		.mounts = run->mounts,
		.n_mounts = in->is_root ? run->n_mounts : 0,
		.cgroups = plan->cgroups,
		.n_cgroups = self->starter ? plan->n_cgroups : 0,
		.group_folders = plan->group_folders,
		.n_group_folders = self->starter ? plan->n_group_folders : 0,
		.group_values = plan->group_values,
		.n_group_values = self->starter ? plan->n_group_values : 0,
		.identity = plan_identity_none,
		.tty = plan->tty,
		.stdin_open = plan->stdin_open,
	};
	return rc;
}

int agent_podman_wrap(const struct agent_podman *self, const struct agent_runtime_container *in,
		      struct plan_container *plan, const char **ret_reason, struct err *err)
{
	struct run run = {.folder = runtime_folder(in->folder, in->container->name, in->arena)};

	if (get_image(self, in, ret_reason, err) < 0 ||
	    folder_make(arena_printf(in->arena, "%s/" RUNTIME_STAGE, run.folder),
			RUNTIME_MODE_FOLDER, err) < 0 ||
	    set_argv(self, in, plan, &run, err) < 0)
		return -1;
	return set_podman(self, in, &run, plan, err);
}

/* podman runs, but its container may not yet: a command waits for it, at most ten seconds. $0 is the file with its
 * process number, $1 podman, $4 its name. */
static const char wait_until_there[] =
	"i=0; while [ $i -lt 200 ] && { [ ! -s \"$0\" ] || [ \"$(\"$1\" inspect -f "
	"'{{.State.Running}}' \"$4\" 2>&1)\" != true ]; }; do sleep 0.05; i=$((i+1)); done; "
	"exec \"$@\"";

size_t agent_podman_exec(const struct agent_podman *self, const struct agent_pod *pod,
			 struct str container, struct arena *arena,
			 struct str words[AGENT_RUNTIME_WORDS])
{
	const char *folder = runtime_folder(pod->folder, container, arena);
	const char *const own[] = {
		"/bin/sh",
		"-c",
		wait_until_there,
		arena_printf(arena, "%s/" PID_FILE, folder),
		self->program,
		"exec",
		"--interactive", /* as for the container itself, see oci.c */
		name_of(pod->uid, container, arena),
	};
	struct runtime_words list = {.arena = arena};
	struct image_words all;

	if (geteuid() != 0) /* its podman is not in the mount namespace of the supervisor */
		add_hiding(self, false, "/dev/null", &list);
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		vec_push(&list.list, own[i]);
	all = runtime_words_take(&list);
	assert(all.len <= AGENT_RUNTIME_WORDS);
	for (size_t i = 0; i < all.len; i++)
		words[i] = str_from(all.ptr[i]);
	return all.len;
}

char *agent_podman_start_error(const struct agent_pod *pod, size_t container)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const struct record *record = &pod->life->containers[container].record;
	struct str name = json_str(json_get(agent_container(pod, container), "name"));
	const char *folder = runtime_folder(pod->folder, name, arena);
	AUTO(mem_free) char *line = NULL;
	struct str text;

	if (record->now.exit_code < EXIT_PODMAN_FIRST || record->now.exit_code > EXIT_PODMAN_LAST ||
	    access(arena_printf(arena, "%s/" PID_FILE, folder), F_OK) == 0)
		return NULL;
	line = agent_read_log_end(pod, container, 1);
	text = str_trim(str_from(line ? line : "podman could not start it"));
	return str_dup(str_starts(text, STR("Error: ")) ? str_skip(text, strlen("Error: ")) : text);
}

void agent_podman_renew(const struct agent_pod *pod, struct str container)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	(void)unlink(
		arena_printf(arena, "%s/" PID_FILE, runtime_folder(pod->folder, container, arena)));
}

/* --- the end --- */

/* podman itself executes --rm: a podman that was killed leaves its container. */
static bool was_killed(const struct agent_pod *pod)
{
	for (size_t i = 0; i < pod->life->n_containers; i++)
		if (pod->life->containers[i].record.now.signal == SIGKILL)
			return true;
	return json_is_absent(json_get(json_doc_root(pod->doc), "spec")); /* unknown */
}

static const char remove_named[] = "ids=$(\"$0\" ps -aq --filter \"name=$1\") && [ -n \"$ids\" ] "
				   "&& exec \"$0\" rm -f $ids";

void agent_podman_forget(const struct agent_podman *self, const struct agent_pod *pod)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct runtime_words words = {.arena = arena};
	const char *const own[] = {"/bin/sh", "-c", remove_named, self->program,
				   name_of(pod->uid, STR(""), arena)};

	if (!was_killed(pod))
		return;
	add_hiding(self, geteuid() == 0, "/dev/null", &words);
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		vec_push(&words.list, own[i]);
	agent_pull_run(self->pull, runtime_words_take(&words).ptr);
}
