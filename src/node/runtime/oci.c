/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/oci.c - a plan as the options of `podman run`.
 *
 * The command of a container replaces the image's entry point, its arguments the image's command, as in
 * Kubernetes. Variables are passed by name and value; the runtime's own process has none of them. */
#include "node/runtime/oci.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "model/value/quantity.h"

#include "base/banned.h"

static const char *const runtime_names[OCI_RUNTIME_COUNT] = {
	[OCI_PODMAN] = "podman", [OCI_CRUN] = "crun"};

const char *oci_name(enum oci_runtime runtime)
{
	return runtime_names[runtime];
}

int oci_parse(const char *name, enum oci_runtime *ret, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(runtime_names); i++)
		if (str_is(str_from(name), runtime_names[i])) {
			*ret = (enum oci_runtime)i;
			return 0;
		}
	return err_set(err, ERR_BAD_REQUEST, "\"%s\" is not a runtime: one of podman, crun", name);
}

const char *oci_find(enum oci_runtime runtime, const char *path, struct arena *arena,
		     struct err *err)
{
	struct str rest = str_from(path);
	struct str folder;

	while (str_split(&rest, ':', &folder)) {
		const char *file =
			arena_printf(arena, "%.*s/%s", STR_ARG(folder), runtime_names[runtime]);

		if (folder.len && access(file, X_OK) == 0)
			return file;
	}
	(void)err_set(err, ERR_NOT_FOUND,
		      "%s is not installed; install it, or run without --runtime",
		      runtime_names[runtime]);
	return NULL;
}

struct words {
	struct arena *arena;
	VEC(const char *) list;
};

static void add(struct words *words, const char *word)
{
	vec_push(&words->list, word);
}

static void add_pair(struct words *words, const char *option, const char *value)
{
	add(words, option);
	add(words, value);
}

/* A comma ends a value in --mount, and there is no way to write one. */
static int add_mount(struct words *words, const struct plan_mount *mount, struct err *err)
{
	const char *ro = mount->read_only ? ",readonly" : "";

	if (mount->fstype) {
		if (str_is(str_from(mount->fstype), "tmpfs"))
			add_pair(words, "--mount",
				 arena_printf(words->arena, "type=tmpfs,destination=%s",
					      mount->target));
		return 0;
	}
	if (str_find_byte(str_from(mount->source), ',', 0) >= 0 ||
	    str_find_byte(str_from(mount->target), ',', 0) >= 0)
		return err_set(err, ERR_INVALID,
			       "mountPath %s: a comma cannot be passed to a container runtime",
			       mount->target);
	add_pair(words, "--mount",
		 arena_printf(words->arena, "type=bind,source=%s,destination=%s%s", mount->source,
			      mount->target, ro));
	return 0;
}

static void add_identity(struct words *words, const struct oci_container *container)
{
	const struct plan_identity *identity = &container->plan->identity;
	const struct security_context *own = container->container->security_context;
	const struct capabilities *list = own ? own->capabilities : NULL;

	if (identity->uid < 0 && container->user)
		add(words, container->user);
	if (identity->uid >= 0)
		add_pair(words, "--user",
			 arena_printf(words->arena, "%" PRId64 ":%" PRId64, identity->uid,
				      identity->gid < 0 ? 0 : identity->gid));
	for (size_t i = 0; i < identity->n_groups; i++)
		add_pair(words, "--group-add",
			 arena_printf(words->arena, "%" PRIu32, identity->groups[i]));
	if (identity->no_new_privs)
		add_pair(words, "--security-opt", "no-new-privileges");
	if (own && own->privileged.value)
		add(words, "--privileged");
	if (own && own->read_only_root.value)
		add(words, "--read-only");
	for (size_t i = 0; list && i < list->drop.len; i++)
		add_pair(words, "--cap-drop", arena_str(words->arena, list->drop.ptr[i]).ptr);
	for (size_t i = 0; list && i < list->add.len; i++)
		add_pair(words, "--cap-add", arena_str(words->arena, list->add.ptr[i]).ptr);
}

/* At most what the node itself may have, which is podman's default. */
static void add_ulimits(struct words *words, const struct plan_identity *identity)
{
	const struct {
		const char *name;
		int64_t value;
	} rows[] = {
		{"nofile", identity->max_files},
		{"nproc", identity->max_processes},
		{"core", identity->core_size},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].value >= 0)
			add_pair(words, "--ulimit",
				 arena_printf(words->arena, "%s=%" PRId64 ":%" PRId64, rows[i].name,
					      rows[i].value, rows[i].value));
}

static void add_limit(struct words *words, const struct resource_list *list, const char *name,
		      const char *option)
{
	for (size_t i = 0; i < list->len; i++) {
		int64_t milli = quantity_milli(&list->ptr[i].value);

		if (!str_is(list->ptr[i].name, name))
			continue;
		if (str_is(str_from(name), "cpu"))
			add_pair(words, option,
				 arena_printf(words->arena, "%" PRId64 ".%03" PRId64, milli / 1000,
					      milli % 1000));
		else
			add_pair(words, option,
				 arena_printf(words->arena, "%" PRId64 "b",
					      quantity_value(&list->ptr[i].value)));
	}
}

static void add_surroundings(struct words *words, const struct oci_container *container)
{
	const struct pod_plan *pod = container->pod;

	add_pair(words, "--name", container->name);
	add_pair(words, "--network",
		 pod->netns ? arena_printf(words->arena, "ns:%s", pod->netns) : "host");
	if (pod->netns && pod->hostname)
		add_pair(words, "--hostname", pod->hostname);
	if (container->plan->cwd && container->container->working_dir.len)
		add_pair(words, "--workdir", container->plan->cwd);
	if (container->host_pid)
		add_pair(words, "--pid", "host");
	if (container->plan->tty)
		add(words, "--tty");
	/* Without this option standard input is the machine's own /dev/null, and crun makes the user of the container
	 * the owner of its standard streams. With it, it is an empty pipe. */
	if (!container->plan->tty || container->plan->stdin_open)
		add(words, "--interactive");
	for (size_t i = 0; i < container->plan->n_env; i++)
		add_pair(words, "--env", container->plan->env[i]);
}

/* The entry point is one word; the rest of the command comes before the arguments. */
static void add_command(struct words *words, const struct oci_container *container)
{
	const struct plan_container *plan = container->plan;

	if (plan->argc)
		add_pair(words, "--entrypoint", plan->argv[0]);
	add(words, "--"); /* what follows is no option: users choose the image's name */
	add(words, container->image);
	for (size_t i = 1; i < plan->argc; i++)
		add(words, plan->argv[i]);
	for (size_t i = 0; plan->argc == 0 && i < container->n_args; i++)
		add(words, container->args[i]);
}

/* podman itself, and its control groups. Without a mount there, a container without control groups would have an
 * empty, writable folder in their place. */
static void add_program(struct words *words, const struct oci_container *container)
{
	const struct security_context *own = container->container->security_context;

	add(words, container->program);
	if (container->starter) {
		add_pair(words, "--cgroup-manager", "cgroupfs");
		add_pair(words, "--runtime", container->starter);
	}
	add(words, "run");
	add(words, "--rm");
	add(words, "--replace");
	add_pair(words, "--log-driver", "none"); /* the supervisor keeps the output */
	add_pair(words, "--pull", "never");      /* the agent has pulled it */
	if (container->starter)
		add_pair(words, "--cgroups", "disabled");
	if (container->starter && !(own && own->privileged.value))
		add_pair(words, "--mount",
			 "type=tmpfs,destination=/sys/fs/cgroup,ro,tmpfs-mode=0555,notmpcopyup");
	if (container->pid_file)
		add_pair(words, "--pidfile", container->pid_file);
}

static void add_limits(struct words *words, const struct oci_container *container)
{
	const struct resource_list *limits = &container->container->resources.limits;

	add_ulimits(words, &container->plan->identity);
	if (container->starter)
		return;
	add_limit(words, limits, "cpu", "--cpus");
	add_limit(words, limits, "memory", "--memory");
}

static int fill(struct words *words, const struct oci_container *container, struct err *err)
{
	add_program(words, container);
	add_surroundings(words, container);
	for (size_t i = 0; i < container->plan->n_mounts; i++)
		if (add_mount(words, &container->plan->mounts[i], err) < 0)
			return -1;
	for (size_t i = 0; i < container->n_devices; i++)
		add_pair(words, "--device", container->devices[i]);
	add_identity(words, container);
	add_limits(words, container);
	add_command(words, container);
	return 0;
}

int oci_argv(const struct oci_container *container, struct arena *arena, const char *const **ret,
	     size_t *ret_len, struct err *err)
{
	struct words words = {.arena = arena};
	const char **list;
	int failed = fill(&words, container, err);

	if (failed == 0) {
		list = arena_calloc(arena, words.list.len + 1, sizeof(*list));
		memcpy(list, words.list.ptr, words.list.len * sizeof(*list));
		*ret = list;
		*ret_len = words.list.len;
	}
	vec_done(&words.list);
	return failed;
}
