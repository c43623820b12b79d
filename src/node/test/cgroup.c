/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/cgroup.h: on the machine's own control groups where they may be made, and on made-up folders for
 * version 2. */
#include "node/machine/cgroup.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "folder.h"
#include "pods.h"
#include "tap.h"

/* --- limits --- */

static void test_limits(void)
{
	static const struct {
		const char *spec;
		struct cgroup_limits want;
	} rows[] = {
		{"containers: [{name: a}]", {0, 0, 0, 9, false, false, false}},
		{"containers: [{name: a, resources: {limits: {cpu: 500m, memory: 1Mi}}}]",
		 {500, 500, 1 << 20, 9, false, false, false}},
		{"containers: [{name: a, resources: {requests: {cpu: 1}, limits: {cpu: 2}}}, "
		 "{name: b, resources: {requests: {cpu: 250m}}}]",
		 {1250, 0, 0, 9, false, false, false}},
		{"containers: [{name: a, resources: {limits: {memory: 1Mi}}}, {name: b, resources: "
		 "{limits: {memory: 2Mi}}}]",
		 {0, 0, 3 << 20, 9, false, false, false}},
		{"initContainers: [{name: i, resources: {requests: {cpu: 3}, limits: {memory: "
		 "8Mi}}}], containers: [{name: a, resources: {requests: {cpu: 1}, limits: {memory: "
		 "1Mi}}}]",
		 {3000, 0, 8 << 20, 9, false, false, false}},
		{"initContainers: [{name: i, resources: {limits: {memory: 2Mi}}}, {name: s, "
		 "restartPolicy: Always, resources: {requests: {cpu: 1}, limits: {memory: 4Mi}}}], "
		 "containers: [{name: a, resources: {requests: {cpu: 1}, limits: {memory: 1Mi}}}]",
		 {2000, 0, 6 << 20, 9, false, false, false}},
		{"containers: [{name: a, resources: {requests: {cpu: 1}, limits: {memory: "
		 "9223372036854775807, cpu: 9223372036854775807}}}, {name: b, resources: "
		 "{requests: "
		 "{cpu: 1}, limits: {memory: 9223372036854775807, cpu: 9223372036854775807}}}]",
		 {2000, INT64_MAX, INT64_MAX, 9, false, false, false}},
		{"initContainers: [{name: i}], containers: [{name: a, resources: {limits: {memory: "
		 "1Mi}}}]",
		 {0, 0, 0, 9, false, false, false}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(pods_close) struct pods pods;
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct cgroup_limits got;

		buf_printf(&text, "spec: {%s}\n", rows[i].spec);
		pods_open(&pods, buf_text(&text), NULL);
		got = cgroup_limits_of_pod(&pods.pod, 9);
		ok(got.cpu_request == rows[i].want.cpu_request &&
			   got.cpu_limit == rows[i].want.cpu_limit &&
			   got.memory_limit == rows[i].want.memory_limit &&
			   got.processes == rows[i].want.processes && !got.as_one,
		   "%s", rows[i].spec);
		got = cgroup_limits_of(&pods.pod.spec.containers.ptr[0], 9);
		ok(got.as_one, "a container of it ends as one");
	}
}

/* --- version 2, made up --- */

/* Files that the kernel would make in a group. */
static void fill_group(struct folder *in, const char *group)
{
	static const char *const files[] = {
		"cgroup.subtree_control", "cgroup.procs", "cpu.weight",     "cpu.max", "memory.max",
		"memory.oom.group",       "pids.max",     "memory.swap.max"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		folder_write(in, arena_printf(in->arena, "%s/%s", group, files[i]), "");
}

static struct cgroup_tree *open_v2(struct folder *in, const char *self)
{
	AUTO(cgroup_layout_done) struct cgroup_layout layout = {.version = CGROUP_V2};

	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		if (i == CGROUP_CPUACCT)
			continue;
		layout.mount[i] = mem_strdup(in->path);
		layout.self[i] = mem_strdup(self);
	}
	return cgroup_tree_open(&layout, "volcano");
}

static void test_v2(void)
{
	struct cgroup_limits limits = {1500, 500, 64 << 20, 99, true, false, false};
	struct cgroup_path path = {"node-1", "u", "main"};
	struct cgroup_use use;
	const char *const *procs;
	struct cgroup_tree *tree;
	struct err err = {0};
	struct folder in;

	folder_open(&in);
	fill_group(&in, ".");
	fill_group(&in, "volcano");
	fill_group(&in, "volcano/node-1");
	fill_group(&in, "volcano/node-1/podu");
	fill_group(&in, "volcano/node-1/podu/main");
	tree = open_v2(&in, "/");
	ok(cgroup_has(tree, CGROUP_CPU) && cgroup_has(tree, CGROUP_MEMORY) &&
		   cgroup_has(tree, CGROUP_PIDS),
	   "version 2 has its controllers");
	ok(!cgroup_lacks(tree), "nothing is lacking");
	ok(cgroup_make(tree, &path, &limits, &err) == 0, "a group %s", err.text);
	is(folder_read(&in, "volcano/node-1/podu/main/cpu.weight"), "59");
	is(folder_read(&in, "volcano/node-1/podu/main/cpu.max"), "50000 100000");
	is(folder_read(&in, "volcano/node-1/podu/main/memory.max"), "67108864");
	is(folder_read(&in, "volcano/node-1/podu/main/memory.oom.group"), "1");
	is(folder_read(&in, "volcano/node-1/podu/main/memory.swap.max"), "0");
	is(folder_read(&in, "volcano/node-1/podu/main/pids.max"), "99");
	is(folder_read(&in, "volcano/node-1/podu/cgroup.subtree_control"), "+pids");
	ok(cgroup_make(tree, &path, &(struct cgroup_limits){0}, &err) == 0, "without limits %s",
	   err.text);
	is(folder_read(&in, "volcano/node-1/podu/main/cpu.weight"), "1");
	ok(strncmp(folder_read(&in, "volcano/node-1/podu/main/cpu.max"), "max", 3) == 0 &&
		   strncmp(folder_read(&in, "volcano/node-1/podu/main/memory.max"), "max", 3) == 0,
	   "no bound is max");
	ok(cgroup_procs(tree, &path, in.arena, &procs) == 1, "one file to join all controllers by");
	is(procs[0], folder_at(&in, "volcano/node-1/podu/main/cgroup.procs"));

	folder_write(&in, "volcano/node-1/podu/main/cpu.stat", "usage_usec 5\nuser_usec 4\n");
	folder_write(&in, "volcano/node-1/podu/main/memory.current", "1000\n");
	folder_write(&in, "volcano/node-1/podu/main/memory.peak", "2000\n");
	folder_write(&in, "volcano/node-1/podu/main/memory.stat", "anon 1\ninactive_file 400\n");
	folder_write(&in, "volcano/node-1/podu/main/memory.events", "oom 2\noom_kill 3\n");
	folder_write(&in, "volcano/node-1/podu/main/pids.current", "7\n");
	cgroup_use(tree, &path, &use);
	ok(use.cpu_us == 5 && use.memory == 600 && use.memory_peak == 2000 && use.oom_kills == 3 &&
		   use.processes == 7,
	   "what it uses");
	cgroup_use(tree, &(struct cgroup_path){"node-1", "u", "other"}, &use);
	ok(use.cpu_us == -1 && use.memory == -1 && use.oom_kills == -1,
	   "what is not there is not known");
	cgroup_tree_close(tree);
	folder_close(&in);
}

/* A machine with version 2 is made of plain files here, but the process is a real one. */
static void test_v2_kill(void)
{
	struct cgroup_path pod = {.node = "node-1", .pod = "u"};
	struct cgroup_tree *tree;
	struct folder in;
	int status = 0;
	pid_t pid;

	folder_open(&in);
	fill_group(&in, ".");
	fill_group(&in, "volcano");
	fill_group(&in, "volcano/node-1");
	fill_group(&in, "volcano/node-1/podu");
	fill_group(&in, "volcano/node-1/podu/main");
	folder_write(&in, "volcano/node-1/podu/cgroup.kill", "");
	tree = open_v2(&in, "/");
	ok(cgroup_kill(tree, &pod) == 0, "a new group has no processes");
	pid = fork();
	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	folder_write(&in, "volcano/node-1/podu/main/cgroup.procs",
		     arena_printf(in.arena, "%ld\n", (long)pid));
	ok(cgroup_kill(tree, &pod) == 1, "the group of a container is found below its pod's");
	ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	   "its process is killed");
	is(folder_read(&in, "volcano/node-1/podu/pids.max"), "0");
	is(folder_read(&in, "volcano/node-1/podu/cgroup.kill"), "1");
	cgroup_tree_close(tree);
	folder_close(&in);
}

/* What an ordinary user has: a group that was delegated to it. */
static void test_delegated(void)
{
	enum { NOBODY = 65534 };
	bool is_root = geteuid() == 0;
	struct cgroup_tree *tree;
	const char *const *procs;
	struct folder in;

	if (is_root) /* who may write everywhere */
		assert(setresuid(NOBODY, NOBODY, 0) == 0);
	folder_open(&in);
	fill_group(&in, "user/mine");
	fill_group(&in, "user/volcano");
	fill_group(&in, "user");
	assert(chmod(in.path, 0555) == 0);
	tree = open_v2(&in, "/user/mine");
	ok(cgroup_has(tree, CGROUP_MEMORY), "the tree is next to the own group");
	ok(cgroup_procs(tree, &(struct cgroup_path){0}, in.arena, &procs) == 1, "one file");
	is(procs[0], folder_at(&in, "user/volcano/cgroup.procs"));
	cgroup_tree_close(tree);
	assert(chmod(folder_at(&in, "user"), 0555) == 0);
	assert(chmod(folder_at(&in, "user/mine"), 0555) == 0);
	assert(chmod(folder_at(&in, "user/volcano"), 0555) == 0);
	tree = open_v2(&in, "/user/mine");
	is(cgroup_lacks(tree),
	   "cpu requests and limits, memory limits, limits on processes of pods "
	   "are not kept: this user may not make control groups");
	cgroup_tree_close(tree);
	assert(chmod(in.path, 0755) == 0 && chmod(folder_at(&in, "user"), 0755) == 0 &&
	       chmod(folder_at(&in, "user/mine"), 0755) == 0 &&
	       chmod(folder_at(&in, "user/volcano"), 0755) == 0);
	folder_close(&in);
	if (is_root)
		assert(setresuid(0, 0, 0) == 0);
}

static void test_none(void)
{
	struct cgroup_layout none = {0};
	struct cgroup_path path = {"n", "u", "c"};
	struct cgroup_tree *tree = cgroup_tree_open(&none, "volcano");
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const char *const *procs;
	struct err err = {0};

	ok(cgroup_make(tree, &path, &(struct cgroup_limits){0}, &err) == 0 &&
		   cgroup_procs(tree, &path, arena, &procs) == 0 &&
		   cgroup_remove(tree, &path, &err) == 0 && cgroup_kill(tree, &path) == -1,
	   "without control groups everything goes on");
	is(cgroup_lacks(tree),
	   "cpu requests and limits, memory limits, limits on processes of pods "
	   "are not kept: this machine has no control groups for them");
	cgroup_tree_close(tree);
}

/* --- the machine's own --- */

/* A process in a group; it writes a byte when it is there, and runs `work`. */
static pid_t start(const char *const *procs, size_t len, void (*work)(void))
{
	int ends[2];
	char byte;
	pid_t pid;

	assert(pipe2(ends, O_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < len; i++) {
			int fd = open(procs[i], O_WRONLY | O_CLOEXEC);

			if (fd < 0 || write(fd, "0", 1) != 1)
				_exit(9);
			(void)close(fd);
		}
		if (write(ends[1], "x", 1) != 1)
			_exit(9);
		work();
		_exit(0);
	}
	(void)close(ends[1]);
	assert(read(ends[0], &byte, 1) == 1);
	(void)close(ends[0]);
	return pid;
}

static void wait_for_ever(void)
{
	for (;;)
		(void)pause();
}

/* A family: the test must end all of it. */
static void fork_and_wait(void)
{
	for (int i = 0; i < 3; i++)
		if (fork() == 0)
			wait_for_ever();
	wait_for_ever();
}

static void eat_memory(void)
{
	size_t size = (size_t)256 << 20;
	char *all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; all != MAP_FAILED && i < size; i += 4096)
		((volatile char *)all)[i] = 1;
}

/* Orphans are ours (test_here): when all have been waited for, none is in the group. */
static bool is_removed(struct cgroup_tree *tree, const struct cgroup_path *path)
{
	struct err err = {0};

	while (waitpid(-1, NULL, 0) > 0)
		continue;
	if (cgroup_remove(tree, path, &err) == 0)
		return true;
	printf("# %s\n", err.text);
	return false;
}

/* What is described is what would be made. */
static void test_described(const struct cgroup_tree *tree, struct arena *arena)
{
	struct cgroup_path pod = {"node-1", "u-3", NULL};
	struct cgroup_limits limits = {500, 1500, 64 << 20, 20, true, false, false};
	struct cgroup_work work;
	struct err err = {0};
	size_t made = 0, written = 0, kept = 0;
	pid_t pid;

	if (!cgroup_describe(tree, &pod, &limits, arena, &work)) {
		ok(true, "described # SKIP groups of version 2 are not");
		return;
	}
	for (size_t i = 0; i < work.n_folders; i++)
		made += mkdir(work.folders[i], 0755) == 0;
	for (size_t i = 0; i + 1 < work.n_values; i += 2) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		AUTO(fd_close) int fd = open(work.values[i], O_WRONLY | O_CLOEXEC);
		struct str value = str_from(work.values[i + 1]);

		written += fd >= 0 && write(fd, value.ptr, value.len) == (ssize_t)value.len;
		kept += fd_read_file(work.values[i], &text, NULL) == 0 &&
			str_eq(str_trim(buf_str(&text)), value);
	}
	ok(work.n_folders && made == work.n_folders && work.n_procs == made,
	   "its folders can be made");
	is(work.procs[work.n_procs - 1], arena_printf(arena, "%s/cgroup.procs", work.folders[0]));
	ok(work.n_values && written == work.n_values / 2 && kept == written,
	   "shares, quota, memory and processes can be written");
	ok(cgroup_remove(tree, &pod, &err) == 0, "it is removed as any other %s", err.text);
	limits = (struct cgroup_limits){.cpu_request = 500};
	ok(cgroup_describe(tree, &pod, &limits, arena, &work) && work.n_folders == 1 &&
		   mkdir(work.folders[0], 0755) == 0,
	   "a pod that requests only CPU has one group");
	pid = start((const char *const *)work.procs, work.n_procs, wait_for_ever);
	ok(cgroup_kill(tree, &pod) == 1 && waitpid(pid, NULL, 0) == pid,
	   "whose processes are found");
	ok(cgroup_remove(tree, &pod, &err) == 0, "which goes as any other %s", err.text);
	limits.has_memory = true;
	ok(cgroup_describe(tree, &pod, &limits, arena, &work) &&
		   work.n_folders == (cgroup_has(tree, CGROUP_MEMORY) ? 2U : 1U),
	   "who asks for memory has one more, which counts what it takes");
	limits = (struct cgroup_limits){.processes = 9, .bare = true};
	ok(cgroup_describe(tree, &pod, &limits, arena, &work) &&
		   work.n_folders == (cgroup_has(tree, CGROUP_PIDS) ? 1U : 0U),
	   "who asks for nothing is only held to a number of processes");
}

static void test_family(struct cgroup_tree *tree, struct arena *arena)
{
	struct cgroup_path path = {"node-1", "u-1", "main"};
	struct cgroup_path pod = {"node-1", "u-1", NULL};
	struct cgroup_limits limits = {500, 1500, 0, 20, false, false, false};
	const char *const *procs;
	struct cgroup_use use;
	struct err err = {0};
	size_t len;
	pid_t pid;

	ok(cgroup_make(tree, &pod, &limits, &err) == 0 &&
		   cgroup_make(tree, &path, &limits, &err) == 0,
	   "a pod and its container %s", err.text);
	len = cgroup_procs(tree, &path, arena, &procs);
	pid = start(procs, len, fork_and_wait);
	cgroup_use(tree, &pod, &use);
	ok(use.processes != 0 && use.oom_kills <= 0, "it uses something");
	ok(cgroup_remove(tree, &pod, &err) < 0 && err.code == ERR_CONFLICT,
	   "not removed while processes are there: %s", err.text);
	ok(cgroup_kill(tree, &pod) >= 1, "its processes are killed");
	ok(waitpid(pid, NULL, 0) == pid, "the first one ends");
	ok(is_removed(tree, &pod), "and all of them: the group can be removed");
	ok(cgroup_kill(tree, &pod) == 0, "none is left");
}

/* A pod of which only its uid is known; others of its node stay. */
static void test_unknown(struct cgroup_tree *tree, struct arena *arena)
{
	struct cgroup_path path = {"node-2", "u-4", "main"};
	struct cgroup_path other = {"node-2", "u-5", NULL};
	struct cgroup_limits limits = {.cpu_request = 500, .cpu_limit = 1500, .processes = 20};
	const char *const *procs;
	struct err err = {0};
	size_t len;
	pid_t pid;

	ok(cgroup_make(tree, &path, &limits, &err) == 0 &&
		   cgroup_make(tree, &other, &limits, &err) == 0,
	   "two pods %s", err.text);
	len = cgroup_procs(tree, &path, arena, &procs);
	pid = start(procs, len, fork_and_wait);
	if (cgroup_remove_pod(tree, "u-4", &err) < 0)
		ok(err.code == ERR_CONFLICT, "processes may still be ending: %s", err.text);
	ok(waitpid(pid, NULL, 0) == pid, "its processes are killed");
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	ok(cgroup_remove_pod(tree, "u-4", &err) == 0, "and its groups removed %s", err.text);
	cgroup_procs(tree, &path, arena, &procs);
	ok(access(procs[0], F_OK) < 0, "those of its containers, too");
	cgroup_procs(tree, &other, arena, &procs);
	ok(access(procs[0], F_OK) == 0, "the other pod has its own");
	ok(cgroup_remove_pod(tree, "u-4", &err) == 0, "who is not there is no error");
}

static void test_memory(struct cgroup_tree *tree, struct arena *arena)
{
	struct cgroup_path path = {"node-1", "u-2", "main"};
	struct cgroup_limits limits = {.memory_limit = 64 << 20};
	const char *const *procs;
	struct cgroup_use use;
	struct err err = {0};
	int status = 0;
	size_t len;
	pid_t pid;

	if (!cgroup_has(tree, CGROUP_MEMORY)) {
		ok(true, "out of memory # SKIP no memory controller");
		return;
	}
	ok(cgroup_make(tree, &path, &limits, &err) == 0, "a group of 64Mi %s", err.text);
	len = cgroup_procs(tree, &path, arena, &procs);
	pid = start(procs, len, eat_memory);
	ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	   "who takes 256Mi is killed");
	cgroup_use(tree, &path, &use);
	ok(use.oom_kills == 1, "and counted: %ld", (long)use.oom_kills);
	ok(is_removed(tree, &(struct cgroup_path){"node-1", "u-2", NULL}), "removed");
}

static void test_here(void)
{
	AUTO(cgroup_layout_done) struct cgroup_layout layout = {0};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(cgroup_tree_close) struct cgroup_tree *tree = NULL;
	char name[64];
	struct err err = {0};

	ok(cgroup_layout_read("/proc", "", &layout, &err) == 0, "this machine's layout %s",
	   err.text);
	(void)snprintf(name, sizeof(name), "volcano-test-%ld", (long)getpid());
	tree = cgroup_tree_open(&layout, name);
	if (cgroup_lacks(tree))
		printf("# %s\n", cgroup_lacks(tree));
	if (!cgroup_has(tree, CGROUP_PIDS)) {
		ok(true, "control groups of this machine # SKIP may not be made");
		return;
	}
	assert(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
	test_family(tree, arena);
	test_described(tree, arena);
	test_unknown(tree, arena);
	test_memory(tree, arena);
	ok(is_removed(tree, &(struct cgroup_path){0}), "the tree is removed");
}

int main(void)
{
	test_limits();
	test_v2();
	test_v2_kill();
	test_delegated();
	test_none();
	test_here();
	return tap_done();
}
