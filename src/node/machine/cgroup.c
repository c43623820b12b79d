/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/cgroup.c - the tree of groups on disk.
 *
 * In version 1 every controller has its own hierarchy, and two may share one; a group is then a folder in each. In
 * version 2 a group is one folder, and the folder above has to delegate its controllers (cgroup.subtree_control).
 * Files are small and are written as a whole.
 *
 * A kill first forbids new processes (pids.max), so that no process can escape by fork(). */
#include "node/machine/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"

#include "base/banned.h"

enum {
	VALUE_MAX = 1024 * 1024,
	DEPTH_MAX = 32, /* depth of groups that a pod may make in its own */
	KILL_PASSES = 16,
	PERIOD_US = 100000,
	QUOTA_MIN_US = 1000,
	SHARES_MIN = 2,
	SHARES_MAX = 262144,
};

/* The kernel refuses more. */
#define QUOTA_MAX_US ((INT64_C(1) << 44) - 1)

struct cgroup_tree {
	enum cgroup_version version;
	char *base[CGROUP_CONTROLLER_COUNT]; /* folder of the tree; NULL: not available */
	char *lacks;
};

/* --- files --- */

static int write_value(const char *folder, const char *file, const char *value, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", folder, file);
	AUTO(fd_close) int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		return err_errno(err, errno, "writing %s to %s", value, path);
	return 0;
}

/* For files that an older kernel may lack. */
static void try_value(const char *folder, const char *file, const char *value)
{
	(void)write_value(folder, file, value, NULL);
}

/* --- the tree --- */

static int make_folder(const char *path, struct err *err)
{
	if (mkdir(path, 0755) == 0)
		return 0;
	if (errno != EEXIST || access(path, W_OK) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* Delegates a controller from a folder of version 2. */
static bool hand_down(const char *folder, enum cgroup_controller controller)
{
	AUTO(buf_done) struct buf text = BUF_INIT(VALUE_MAX);
	AUTO(mem_free) char *value = mem_printf("+%s", cgroup_controller_name(controller));
	struct str rest, word;

	if (write_value(folder, "cgroup.subtree_control", value, NULL) == 0)
		return true;
	if (!cgroup_read_value(folder, "cgroup.subtree_control", &text))
		return false;
	rest = str_trim(buf_str(&text));
	while (str_split(&rest, ' ', &word))
		if (str_is(word, cgroup_controller_name(controller)))
			return true;
	return false;
}

/* Tries the folder `above` as the parent of the tree, in version 2. */
static bool settle(struct cgroup_tree *tree, const struct cgroup_layout *layout, const char *above,
		   const char *name)
{
	AUTO(mem_free) char *base = mem_printf("%s/%s", above, name);
	bool any = false;

	if (make_folder(base, NULL) < 0)
		return false;
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		if (!layout->mount[i] || !hand_down(above, (enum cgroup_controller)i))
			continue;
		tree->base[i] = mem_strdup(base);
		any = true;
	}
	if (!any)
		(void)rmdir(base);
	return any;
}

/* At the top, else in the nearest group above that this user owns: this process's own group has processes, and so
 * cannot have groups. */
static void open_v2(struct cgroup_tree *tree, const struct cgroup_layout *layout, const char *name)
{
	const char *mount = NULL, *self = NULL;
	struct str group;

	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT && !mount; i++) {
		mount = layout->mount[i];
		self = layout->self[i];
	}
	if (!mount || settle(tree, layout, mount, name))
		return;
	group = str_from(self);
	while (group.len > 1) {
		ptrdiff_t slash = str_rfind_byte(group, '/');
		AUTO(mem_free) char *above = NULL;

		group = str_slice(group, 0, slash > 0 ? (size_t)slash : 0);
		above = mem_printf("%s%.*s", mount, STR_ARG(group));
		if (settle(tree, layout, above, name))
			return;
	}
}

static void open_v1(struct cgroup_tree *tree, const struct cgroup_layout *layout, const char *name)
{
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		AUTO(mem_free) char *top = NULL;
		AUTO(mem_free) char *own = NULL;

		if (!layout->mount[i])
			continue;
		top = mem_printf("%s/%s", layout->mount[i], name);
		own = mem_printf("%s%s/%s", layout->mount[i], layout->self[i], name);
		if (make_folder(top, NULL) == 0)
			tree->base[i] = TAKE(top);
		else if (make_folder(own, NULL) == 0)
			tree->base[i] = TAKE(own);
		if (tree->base[i])
			try_value(tree->base[i], "memory.use_hierarchy", "1");
	}
}

static char *describe_lacks(const struct cgroup_tree *tree, const struct cgroup_layout *layout)
{
	static const struct {
		enum cgroup_controller controller;
		const char *what;
	} rows[] = {
		{CGROUP_CPU, "cpu requests and limits"},
		{CGROUP_MEMORY, "memory limits"},
		{CGROUP_PIDS, "limits on processes"},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	bool denied = false;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (tree->base[rows[i].controller])
			continue;
		buf_printf(&text, "%s%s", text.len ? ", " : "", rows[i].what);
		denied = denied || layout->mount[rows[i].controller];
	}
	if (text.len == 0)
		return NULL;
	return mem_printf("%s of pods are not kept: %s", buf_text(&text),
			  denied ? "this user may not make control groups"
				 : "this machine has no control groups for them");
}

struct cgroup_tree *cgroup_tree_open(const struct cgroup_layout *layout, const char *name)
{
	struct cgroup_tree *tree = mem_new(struct cgroup_tree);

	tree->version = layout->version;
	if (tree->version == CGROUP_V1)
		open_v1(tree, layout, name);
	if (tree->version == CGROUP_V2)
		open_v2(tree, layout, name);
	tree->lacks = describe_lacks(tree, layout);
	return tree;
}

void cgroup_tree_close(struct cgroup_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++)
		mem_free(tree->base[i]);
	mem_free(tree->lacks);
	mem_free(tree);
}

bool cgroup_has(const struct cgroup_tree *tree, enum cgroup_controller controller)
{
	return tree->base[controller] != NULL;
}

const char *cgroup_lacks(const struct cgroup_tree *tree)
{
	return tree->lacks;
}

/* --- groups --- */

static char *folder_of(const struct cgroup_tree *tree, size_t controller,
		       const struct cgroup_path *path)
{
	return mem_printf("%s%s%s%s%s%s%s", tree->base[controller], path->node ? "/" : "",
			  path->node ? path->node : "", path->pod ? "/pod" : "",
			  path->pod ? path->pod : "", path->container ? "/" : "",
			  path->container ? path->container : "");
}

/* Does an earlier controller have the same hierarchy? */
static bool is_shared(const struct cgroup_tree *tree, size_t controller)
{
	for (size_t i = 0; i < controller; i++)
		if (tree->base[i] && str_is(str_from(tree->base[i]), tree->base[controller]))
			return true;
	return false;
}

/* In version 1 nothing is delegated. */
static bool hand_all_down(const struct cgroup_tree *tree, const char *folder)
{
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT && tree->version == CGROUP_V2; i++)
		if (tree->base[i] && !hand_down(folder, (enum cgroup_controller)i))
			return false;
	return true;
}

/* Makes a folder below the base, with those on the way, each of which delegates its controllers. Mostly only the
 * last one is missing. */
static int make_group(const struct cgroup_tree *tree, size_t controller, char *folder,
		      bool *ret_fresh, struct err *err)
{
	char *end = folder + strlen(tree->base[controller]);

	*ret_fresh = tree->version == CGROUP_V1 && mkdir(folder, 0755) == 0;
	if (*ret_fresh)
		return 0;
	while (*end == '/') {
		bool handed;
		char kept;
		int ret;

		*end = '\0';
		handed = hand_all_down(tree, folder);
		*end = '/';
		if (!handed)
			return err_set(err, ERR_INTERNAL, "%s: gets no controllers", folder);
		end += 1 + strcspn(end + 1, "/");
		kept = *end;
		*end = '\0';
		ret = make_folder(folder, err);
		*end = kept;
		if (ret < 0)
			return -1;
	}
	return 0;
}

static int64_t shares_of(int64_t milli)
{
	int64_t shares = number_multiply(milli, 1024) / 1000;

	if (shares < SHARES_MIN)
		return SHARES_MIN;
	return shares > SHARES_MAX ? SHARES_MAX : shares;
}

static int64_t quota_of(int64_t milli)
{
	int64_t quota = number_multiply(milli, PERIOD_US) / 1000;

	if (quota < QUOTA_MIN_US)
		return QUOTA_MIN_US;
	return quota > QUOTA_MAX_US ? QUOTA_MAX_US : quota;
}

/* A file of a version 1 group, and its content. */
struct value {
	const char *file;
	char text[32];
};
enum { VALUES_MAX = 2 };

static void put_value(struct value *value, const char *file, int64_t number)
{
	value->file = file;
	(void)snprintf(value->text, sizeof(value->text), "%" PRId64, number);
}

/* A new group has no limits, which need not be written. */
static size_t values_of(size_t controller, const struct cgroup_limits *limits, bool fresh,
			struct value ret[VALUES_MAX])
{
	size_t len = 0;

	switch ((enum cgroup_controller)controller) {
	case CGROUP_CPU:
		put_value(&ret[len++], "cpu.shares", shares_of(limits->cpu_request));
		if (limits->cpu_limit || !fresh)
			put_value(&ret[len++], "cpu.cfs_quota_us",
				  limits->cpu_limit ? quota_of(limits->cpu_limit) : -1);
		break;
	case CGROUP_MEMORY:
		if (limits->memory_limit || !fresh)
			put_value(&ret[len++], "memory.limit_in_bytes",
				  limits->memory_limit ? limits->memory_limit : -1);
		break;
	case CGROUP_PIDS:
		if (limits->processes || !fresh)
			put_value(&ret[len++], "pids.max", limits->processes);
		if (len && !limits->processes)
			(void)snprintf(ret[0].text, sizeof(ret[0].text), "max");
		break;
	case CGROUP_CPUACCT:
	case CGROUP_CONTROLLER_COUNT:
		break;
	}
	return len;
}

static int set_v1(size_t controller, const char *folder, const struct cgroup_limits *limits,
		  bool fresh, struct err *err)
{
	struct value values[VALUES_MAX];
	size_t len = values_of(controller, limits, fresh, values);

	for (size_t i = 0; i < len; i++) {
		/* a kernel without bandwidth control has no such file */
		bool needed = controller != CGROUP_CPU || i == 0 || limits->cpu_limit;

		if (write_value(folder, values[i].file, values[i].text, needed ? err : NULL) < 0 &&
		    needed)
			return -1;
	}
	return 0;
}

static int set_cpu(const char *folder, const struct cgroup_limits *limits, struct err *err)
{
	int64_t shares = shares_of(limits->cpu_request);
	int64_t quota = limits->cpu_limit ? quota_of(limits->cpu_limit) : -1;
	char value[64];

	(void)snprintf(value, sizeof(value), "%" PRId64,
		       1 + (shares - SHARES_MIN) * 9999 / (SHARES_MAX - SHARES_MIN));
	if (write_value(folder, "cpu.weight", value, err) < 0)
		return -1;
	(void)snprintf(value, sizeof(value), "%" PRId64 " %d", quota, PERIOD_US);
	return write_value(folder, "cpu.max", quota < 0 ? "max" : value, err);
}

static int set_memory(const char *folder, const struct cgroup_limits *limits, struct err *err)
{
	char value[64] = "max";

	if (limits->memory_limit) {
		(void)snprintf(value, sizeof(value), "%" PRId64, limits->memory_limit);
		try_value(folder, "memory.swap.max", "0");
	}
	return write_value(folder, "memory.max", value, err);
}

static int set_processes(const char *folder, const struct cgroup_limits *limits, struct err *err)
{
	char value[64] = "max";

	if (limits->processes)
		(void)snprintf(value, sizeof(value), "%" PRId64, limits->processes);
	return write_value(folder, "pids.max", value, err);
}

static int set_v2(size_t controller, const char *folder, const struct cgroup_limits *limits,
		  struct err *err)
{
	switch ((enum cgroup_controller)controller) {
	case CGROUP_CPU:
		return limits->bare ? 0 : set_cpu(folder, limits, err);
	case CGROUP_MEMORY:
		return set_memory(folder, limits, err);
	case CGROUP_PIDS:
		return set_processes(folder, limits, err);
	case CGROUP_CPUACCT:
	case CGROUP_CONTROLLER_COUNT:
		break;
	}
	return 0;
}

int cgroup_make(const struct cgroup_tree *tree, const struct cgroup_path *path,
		const struct cgroup_limits *limits, struct err *err)
{
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		AUTO(mem_free) char *folder = NULL;
		bool fresh = false;

		if (!tree->base[i] ||
		    (limits->bare && tree->version == CGROUP_V1 && i != CGROUP_PIDS))
			continue;
		folder = folder_of(tree, i, path);
		if (!is_shared(tree, i) && make_group(tree, i, folder, &fresh, err) < 0)
			return err_wrap(err, "control group");
		if ((tree->version == CGROUP_V1 ? set_v1(i, folder, limits, fresh, err)
						: set_v2(i, folder, limits, err)) < 0)
			return err_wrap(err, "control group");
		if (tree->version == CGROUP_V2 && limits->as_one && i == CGROUP_MEMORY)
			try_value(folder, "memory.oom.group", "1");
	}
	return 0;
}

static void describe_values(const char *folder, size_t controller,
			    const struct cgroup_limits *limits, struct arena *arena,
			    struct cgroup_work *ret)
{
	struct value values[VALUES_MAX];
	size_t len = values_of(controller, limits, true, values);

	for (size_t i = 0; i < len; i++) {
		ret->values[ret->n_values++] = arena_printf(arena, "%s/%s", folder, values[i].file);
		ret->values[ret->n_values++] = arena_strdup(arena, values[i].text);
	}
}

/* Makes the group above if it is missing. */
static bool has_node(const struct cgroup_tree *tree, size_t controller, const char *name)
{
	AUTO(mem_free)
	char *folder = folder_of(tree, controller, &(struct cgroup_path){.node = name});
	bool fresh;

	return access(folder, F_OK) == 0 || make_group(tree, controller, folder, &fresh, NULL) == 0;
}

/* Does a pod need a group of this controller, in version 1? CPU use of pods is not read, and memory use of a pod
 * without requests is counted by its processes (proc_use.h). */
static bool is_needed(size_t controller, const struct cgroup_limits *limits)
{
	switch ((enum cgroup_controller)controller) {
	case CGROUP_CPU:
		return !limits->bare;
	case CGROUP_MEMORY:
		return limits->has_memory || limits->memory_limit;
	case CGROUP_PIDS:
		return limits->processes != 0;
	case CGROUP_CPUACCT:
	case CGROUP_CONTROLLER_COUNT:
		break;
	}
	return false;
}

/* Two controllers may share one. */
static void describe_folder(const char *folder, struct arena *arena, struct cgroup_work *ret)
{
	for (size_t i = 0; i < ret->n_folders; i++)
		if (str_is(str_from(folder), ret->folders[i]))
			return;
	ret->folders[ret->n_folders++] = arena_strdup(arena, folder);
}

bool cgroup_describe(const struct cgroup_tree *tree, const struct cgroup_path *pod,
		     const struct cgroup_limits *limits, struct arena *arena,
		     struct cgroup_work *ret)
{
	enum { FOLDERS_MAX = CGROUP_CONTROLLER_COUNT, TEXTS_MAX = 2 * VALUES_MAX * FOLDERS_MAX };

	*ret = (struct cgroup_work){
		.folders = arena_calloc(arena, FOLDERS_MAX, sizeof(*ret->folders)),
		.values = arena_calloc(arena, TEXTS_MAX, sizeof(*ret->values)),
		.procs = arena_calloc(arena, FOLDERS_MAX, sizeof(*ret->procs)),
	};
	if (tree->version != CGROUP_V1)
		return false;
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		AUTO(mem_free) char *folder = NULL;

		if (!tree->base[i] || !is_needed(i, limits))
			continue;
		if (!has_node(tree, i, pod->node))
			return false;
		folder = folder_of(tree, i, pod);
		describe_folder(folder, arena, ret);
		describe_values(folder, i, limits, arena, ret);
	}
	for (size_t i = ret->n_folders; i-- > 0;)
		ret->procs[ret->n_procs++] =
			arena_printf(arena, "%s/cgroup.procs", ret->folders[i]);
	return true;
}

size_t cgroup_procs(const struct cgroup_tree *tree, const struct cgroup_path *path,
		    struct arena *arena, const char *const **ret)
{
	const char **list = arena_calloc(arena, CGROUP_CONTROLLER_COUNT + 1, sizeof(*list));
	size_t len = 0;

	for (size_t i = CGROUP_CONTROLLER_COUNT; i-- > 0;) {
		AUTO(mem_free) char *folder = NULL;

		if (!tree->base[i] || is_shared(tree, i))
			continue;
		folder = folder_of(tree, i, path);
		list[len++] = arena_printf(arena, "%s/cgroup.procs", folder);
	}
	*ret = list;
	return len;
}

/* --- use --- */

/* Reads it from the memory controller's folder. */
static int64_t read_oom_kills(const struct cgroup_tree *tree, const char *folder)
{
	return cgroup_read_member(
		folder, tree->version == CGROUP_V2 ? "memory.events" : "memory.oom_control",
		"oom_kill");
}

int64_t cgroup_oom_kills(const struct cgroup_tree *tree, const struct cgroup_path *path)
{
	AUTO(mem_free) char *folder = NULL;

	if (!tree->base[CGROUP_MEMORY])
		return -1;
	folder = folder_of(tree, CGROUP_MEMORY, path);
	return read_oom_kills(tree, folder);
}

static void use_memory(const struct cgroup_tree *tree, const char *folder, struct cgroup_use *ret)
{
	bool v2 = tree->version == CGROUP_V2;

	ret->memory = cgroup_read_working_set(tree->version, folder);
	ret->memory_peak =
		cgroup_read_number(folder, v2 ? "memory.peak" : "memory.max_usage_in_bytes");
	ret->oom_kills = read_oom_kills(tree, folder);
}

void cgroup_use(const struct cgroup_tree *tree, const struct cgroup_path *path,
		struct cgroup_use *ret)
{
	bool v2 = tree->version == CGROUP_V2;
	size_t cpu = v2 ? CGROUP_CPU : CGROUP_CPUACCT;

	*ret = (struct cgroup_use){-1, -1, -1, -1, -1};
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		AUTO(mem_free) char *folder = NULL;

		if (!tree->base[i])
			continue;
		folder = folder_of(tree, i, path);
		if (i == cpu && v2)
			ret->cpu_us = cgroup_read_member(folder, "cpu.stat", "usage_usec");
		else if (i == cpu && cgroup_read_number(folder, "cpuacct.usage") >= 0)
			ret->cpu_us = cgroup_read_number(folder, "cpuacct.usage") / 1000;
		if (i == CGROUP_MEMORY)
			use_memory(tree, folder, ret);
		if (i == CGROUP_PIDS)
			ret->processes = cgroup_read_number(folder, "pids.current");
	}
}

/* --- the end --- */

typedef int group_fn(void *arg, const char *folder);

static bool is_below(const struct dirent *entry)
{
	struct str name = str_from(entry->d_name);

	return entry->d_type == DT_DIR && !str_is(name, ".") && !str_is(name, "..");
}

/* Removes a group and those below it, the lowest first. */
static int each_group(const char *folder, int depth, group_fn *fn, void *arg)
{
	struct dirent **entries = NULL;
	int len = depth < DEPTH_MAX ? scandir(folder, &entries, NULL, NULL) : 0;
	int ret = 0;

	for (int i = 0; i < len; i++) {
		AUTO(mem_free) char *below = mem_printf("%s/%s", folder, entries[i]->d_name);

		if (is_below(entries[i]) && each_group(below, depth + 1, fn, arg) < 0)
			ret = -1;
		mem_free(entries[i]);
	}
	mem_free(entries);
	return fn(arg, folder) < 0 ? -1 : ret;
}

/* Kills the processes of a group, and adds their number to the count. */
static int kill_group(void *arg, const char *folder)
{
	AUTO(buf_done) struct buf text = BUF_INIT(VALUE_MAX);
	int64_t *count = arg;
	struct str rest, line;
	int64_t pid;

	if (!cgroup_read_value(folder, "cgroup.procs", &text))
		return 0;
	rest = str_trim(buf_str(&text));
	while (str_split(&rest, '\n', &line))
		if (number_parse_i64(line, &pid, NULL) == 0 && pid > 1 &&
		    kill((pid_t)pid, SIGKILL) == 0)
			(*count)++;
	return 0;
}

/* The folder of the group in the hierarchy that is searched for processes, for mem_free(); NULL: the group is in
 * none; `ret_any` says whether there are hierarchies. */
static char *find_hierarchy(const struct cgroup_tree *tree, const struct cgroup_path *path,
			    bool *ret_any)
{
	static const enum cgroup_controller order[] = {CGROUP_PIDS, CGROUP_MEMORY, CGROUP_CPU,
						       CGROUP_CPUACCT};

	*ret_any = false;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		AUTO(mem_free) char *folder = NULL;

		if (!tree->base[order[i]])
			continue;
		*ret_any = true;
		folder = folder_of(tree, order[i], path);
		if (access(folder, F_OK) == 0)
			return TAKE(folder);
	}
	return NULL;
}

int64_t cgroup_kill(const struct cgroup_tree *tree, const struct cgroup_path *path)
{
	bool any;
	AUTO(mem_free) char *folder = find_hierarchy(tree, path, &any);
	int64_t first = 0;

	if (!folder)
		return any ? 0 : -1;
	try_value(folder, "pids.max", "0");
	for (int i = 0; i < KILL_PASSES; i++) {
		int64_t count = 0;

		(void)each_group(folder, 0, kill_group, &count);
		if (i == 0)
			first = count;
		if (count == 0)
			return first;
		try_value(folder, "cgroup.kill", "1");
	}
	return tree->base[CGROUP_PIDS] ? first : -1;
}

static int remove_group(void *arg, const char *folder)
{
	int *number = arg;

	if (rmdir(folder) == 0 || errno == ENOENT)
		return 0;
	*number = errno;
	return -1;
}

int cgroup_remove(const struct cgroup_tree *tree, const struct cgroup_path *path, struct err *err)
{
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		AUTO(mem_free) char *folder = NULL;
		int number = 0;

		if (!tree->base[i] || is_shared(tree, i))
			continue;
		folder = folder_of(tree, i, path);
		if (remove_group(&number, folder) == 0 || /* no groups below to search */
		    each_group(folder, 0, remove_group, &number) == 0)
			continue;
		if (number == EBUSY || number == ENOTEMPTY)
			return err_set(err, ERR_CONFLICT, "%s: has processes", folder);
		return err_errno(err, number, "%s", folder);
	}
	return 0;
}

/* In one hierarchy: the folders of nodes show which ones have the pod. */
static int remove_pod_in(const struct cgroup_tree *tree, size_t controller, const char *pod,
			 struct err *err)
{
	struct dirent **nodes = NULL;
	int len = scandir(tree->base[controller], &nodes, NULL, NULL);
	int ret = 0;

	for (int i = 0; i < len; i++) {
		struct cgroup_path path = {.node = nodes[i]->d_name, .pod = pod};
		AUTO(mem_free) char *folder = folder_of(tree, controller, &path);

		if (ret == 0 && is_below(nodes[i]) && access(folder, F_OK) == 0) {
			(void)cgroup_kill(tree, &path);
			ret = cgroup_remove(tree, &path, err);
		}
		mem_free(nodes[i]);
	}
	mem_free(nodes);
	return ret;
}

int cgroup_remove_pod(const struct cgroup_tree *tree, const char *pod, struct err *err)
{
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++)
		if (tree->base[i] && !is_shared(tree, i) && remove_pod_in(tree, i, pod, err) < 0)
			return -1;
	return 0;
}
