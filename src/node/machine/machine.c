/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/machine.c - reads what the machine has.
 *
 * Namespaces are tried, not guessed from versions and settings: a child that shares the memory of this process is
 * started in them and ends at once. It is no fork: nothing is copied, and this process waits for it. */
#include "node/machine/machine.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"

#include "base/banned.h"

enum { FILE_MAX = 4 * 1024 * 1024, CHILD_STACK = 64 * 1024, CPUS_MAX = 8192 };

/* --- files --- */

/* The text of a file, trimmed, in the arena; empty if it cannot be read. */
static struct str read_text(struct arena *arena, const char *path)
{
	AUTO(buf_done) struct buf text = BUF_INIT(FILE_MAX);

	if (fd_read_file(path, &text, NULL) < 0)
		return str_none();
	return arena_str(arena, str_trim(buf_str(&text)));
}

static int64_t read_number(struct arena *arena, const char *path)
{
	int64_t value;

	return number_parse_i64(read_text(arena, path), &value, NULL) < 0 ? 0 : value;
}

static const char *or_empty(struct str text)
{
	return text.ptr ? text.ptr : "";
}

/* --- amounts --- */

static int64_t count_cpus(void)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	int64_t count = 1;

	if (set && sched_getaffinity(0, size, set) == 0)
		count = CPU_COUNT_S(size, set);
	CPU_FREE(set);
	return count;
}

/* "MemTotal:       24681472 kB" */
static int64_t read_memory(struct arena *arena, const char *proc)
{
	struct str rest = read_text(arena, arena_printf(arena, "%s/meminfo", proc));
	struct str line;
	int64_t value;

	while (str_split(&rest, '\n', &line)) {
		if (!str_starts(line, STR("MemTotal:")))
			continue;
		line = str_trim(str_skip(line, 9));
		line = str_slice(line, 0, line.len - (str_ends(line, STR(" kB")) ? 3 : 0));
		if (number_parse_i64(line, &value, NULL) == 0)
			return value * 1024;
	}
	return 0;
}

static int64_t less(int64_t value, int64_t bound)
{
	return bound > 0 && bound < value ? bound : value;
}

/* --- folders of the system --- */

/* Called for each entry of a folder. */
struct search {
	struct machine *machine;
	const struct machine_paths *paths;
	const struct device_kind *kind;
};
typedef void entry_fn(const struct search *search, const char *name);

/* Calls `fn` for each entry, in the order of their numbers. */
static void each_entry(const struct search *search, const char *folder, entry_fn *fn)
{
	struct dirent **entries = NULL;
	int len = scandir(folder, &entries, NULL, versionsort);

	for (int i = 0; i < len; i++) {
		fn(search, entries[i]->d_name);
		mem_free(entries[i]);
	}
	mem_free(entries);
}

/* Makes space for one more in an array of the arena. */
static void *grow(struct arena *arena, const void *old, size_t len, size_t size)
{
	void *grown = arena_calloc(arena, len + 1, size);

	if (len)
		memcpy(grown, old, len * size);
	return grown;
}

/* "hugepages-2048kB" */
static void take_hugepages(const struct search *search, const char *name)
{
	struct machine *machine = search->machine;
	struct str size = str_from(name);
	int64_t kilobytes, count;

	if (!str_starts(size, STR("hugepages-")) || !str_ends(size, STR("kB")))
		return;
	size = str_slice(size, 10, size.len - 2);
	if (number_parse_i64(size, &kilobytes, NULL) < 0)
		return;
	count = read_number(machine->arena,
			    arena_printf(machine->arena, "%s/kernel/mm/hugepages/%s/nr_hugepages",
					 search->paths->sys, name));
	machine->hugepages = grow(machine->arena, machine->hugepages, machine->n_hugepages,
				  sizeof(machine->hugepages[0]));
	machine->hugepages[machine->n_hugepages++] =
		(struct machine_hugepages){kilobytes * 1024, count};
}

/* --- devices --- */

/* A device file of a driver: the name up to its number, and for render nodes the vendor of the card. To add a kind
 * of device, add a row. */
struct device_kind {
	const char *folder; /* below /dev */
	const char *prefix;
	const char *vendor; /* NULL: any */
	const char *resource;
};
static const struct device_kind device_kinds[] = {
	{"", "nvidia", NULL, "nvidia.com/gpu"},
	{"/dri", "renderD", "0x1002", "amd.com/gpu"},
	{"/dri", "renderD", "0x8086", "gpu.intel.com/i915"},
	{"", "davinci", NULL, "huawei.com/Ascend910"},
	{"", "cambricon_dev", NULL, "cambricon.com/mlu"},
};

static bool is_of_vendor(const struct search *search, const char *name)
{
	struct arena *arena = search->machine->arena;
	struct str is = read_text(arena, arena_printf(arena, "%s/class/drm/%s/device/vendor",
						      search->paths->sys, name));

	return str_is(is, search->kind->vendor);
}

static void take_device(const struct search *search, const char *name)
{
	struct machine *machine = search->machine;
	struct str rest = str_from(name);
	uint64_t number;

	if (!str_starts(rest, str_from(search->kind->prefix)))
		return;
	rest = str_skip(rest, strlen(search->kind->prefix));
	if (rest.len == 0 || rest.ptr[0] == '+' || number_parse_u64(rest, &number, NULL) < 0 ||
	    (search->kind->vendor && !is_of_vendor(search, name)))
		return;
	machine->devices = grow(machine->arena, machine->devices, machine->n_devices,
				sizeof(machine->devices[0]));
	machine->devices[machine->n_devices++] = (struct machine_device){
		.resource = search->kind->resource,
		.path = arena_printf(machine->arena, "%s%s/%s", search->paths->dev,
				     search->kind->folder, name),
		.id = arena_printf(machine->arena, "%" PRIu64, number),
	};
}

static void find_devices(struct machine *machine, const struct machine_paths *paths)
{
	for (size_t i = 0; i < ARRAY_LEN(device_kinds); i++) {
		struct search search = {machine, paths, &device_kinds[i]};

		each_entry(&search,
			   arena_printf(machine->arena, "%s%s", paths->dev, search.kind->folder),
			   take_device);
	}
}

/* --- what is permitted --- */

static int end_at_once(void *arg)
{
	(void)arg;
	return 0;
}

/* Mounts of a pod must not appear on the machine. In a plain chroot, whose root is no mount, that cannot be
 * guaranteed. */
static int part_mounts(void *arg)
{
	(void)arg;
	return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0;
}

/* A PID namespace is useful only with a /proc of its own. */
static int mount_proc(void *arg)
{
	(void)arg;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	       mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0;
}

/* Not CLONE_VFORK alone: the stack is on this process's own, and must stay until the child has ended. */
static bool can_have(int flags, int (*act)(void *arg))
{
	AUTO(mem_free) char *stack = mem_alloc(CHILD_STACK);
	pid_t pid = clone(act, stack + CHILD_STACK, CLONE_VM | CLONE_VFORK | flags, NULL);
	int status = -1;

	if (pid < 0)
		return false;
	while (waitpid(pid, &status, (int)__WCLONE) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static uint32_t try_namespaces(bool root)
{
	static const struct {
		int flags;
		uint32_t is;
		int (*act)(void *arg);
	} rows[] = {
		{CLONE_NEWNS, MACHINE_MOUNT, part_mounts},
		{CLONE_NEWUTS, MACHINE_UTS, end_at_once},
		{CLONE_NEWPID | CLONE_NEWNS, MACHINE_PID, mount_proc},
		{CLONE_NEWNET, MACHINE_NET, end_at_once},
	};
	uint32_t found = 0;
	int within = 0;

	if (!root && can_have(CLONE_NEWUSER, end_at_once)) {
		within = CLONE_NEWUSER;
		found |= MACHINE_USER;
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (can_have(within | rows[i].flags, rows[i].act))
			found |= rows[i].is;
	return found;
}

/* --- what it is --- */

/* The value of a line `NAME="value"` of os-release. */
static const char *os_name(struct arena *arena, const char *root)
{
	struct str rest = read_text(arena, arena_printf(arena, "%s/etc/os-release", root));
	struct str line;

	while (str_split(&rest, '\n', &line)) {
		if (!str_starts(line, STR("PRETTY_NAME=")))
			continue;
		line = str_trim(str_skip(line, 12));
		if (line.len >= 2 && line.ptr[0] == '"')
			line = str_slice(line, 1, line.len - 1);
		return arena_str(arena, line).ptr;
	}
	return "Linux";
}

static const char *go_architecture(struct arena *arena, const char *machine)
{
	static const struct {
		const char *here, *go;
	} rows[] = {
		{"x86_64", "amd64"},    {"aarch64", "arm64"},   {"armv7l", "arm"},
		{"ppc64le", "ppc64le"}, {"riscv64", "riscv64"}, {"s390x", "s390x"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(str_from(machine), rows[i].here))
			return rows[i].go;
	return arena_strdup(arena, machine);
}

static void read_system(struct machine *machine, const struct machine_paths *paths)
{
	struct arena *arena = machine->arena;
	struct utsname names;

	machine->kernel = machine->architecture = machine->hostname = "";
	if (uname(&names) == 0) {
		machine->kernel = arena_strdup(arena, names.release);
		machine->architecture = go_architecture(arena, names.machine);
		machine->hostname = arena_strdup(arena, names.nodename);
	}
	machine->os_image = os_name(arena, paths->root);
	machine->machine_id =
		or_empty(read_text(arena, arena_printf(arena, "%s/etc/machine-id", paths->root)));
	machine->boot_id = or_empty(
		read_text(arena, arena_printf(arena, "%s/sys/kernel/random/boot_id", paths->proc)));
}

static int read_amounts(struct machine *machine, const struct machine_paths *paths, struct err *err)
{
	struct search search = {.machine = machine, .paths = paths};
	struct statvfs disk;

	if (statvfs(paths->folder, &disk) < 0)
		return err_errno(err, errno, "%s", paths->folder);
	machine->disk = (int64_t)(disk.f_frsize * disk.f_blocks);
	machine->cpu = less(count_cpus() * 1000, cgroup_layout_cpu_limit(&machine->cgroups));
	machine->memory = less(read_memory(machine->arena, paths->proc),
			       cgroup_layout_memory_limit(&machine->cgroups));
	if (machine->memory == 0)
		return err_set(err, ERR_INTERNAL,
			       "%s/meminfo does not say how much memory there is", paths->proc);
	machine->processes = read_number(
		machine->arena, arena_printf(machine->arena, "%s/sys/kernel/pid_max", paths->proc));
	each_entry(&search, arena_printf(machine->arena, "%s/kernel/mm/hugepages", paths->sys),
		   take_hugepages);
	find_devices(machine, paths);
	return 0;
}

int machine_open(const struct machine_paths *paths, struct machine *ret, struct err *err)
{
	AUTO(machine_close) struct machine machine = {.arena = arena_new(0)};
	struct machine_paths in = *paths;

	in.root = in.root ? in.root : "";
	in.proc = in.proc ? in.proc : "/proc";
	in.sys = in.sys ? in.sys : "/sys";
	in.dev = in.dev ? in.dev : "/dev";
	in.folder = in.folder ? in.folder : "/";
	if (cgroup_layout_read(in.proc, in.root, &machine.cgroups, err) < 0 ||
	    read_amounts(&machine, &in, err) < 0)
		return err_wrap(err, "looking at the machine");
	read_system(&machine, &in);
	machine.root = geteuid() == 0;
	machine.namespaces = in.no_namespaces ? 0 : try_namespaces(machine.root);
	*ret = machine;
	machine = (struct machine){0};
	return 0;
}

void machine_close(struct machine *machine)
{
	cgroup_layout_done(&machine->cgroups);
	arena_free(TAKE(machine->arena));
}

size_t machine_lacks(const struct machine *machine, struct machine_lacks ret[MACHINE_LACKS_MAX])
{
	bool mounts = machine->namespaces & MACHINE_MOUNT;
	size_t len = 0;

	if (!mounts)
		ret[len++] = (struct machine_lacks){
			MACHINE_LACKS_ISOLATION, "NoMountNamespaces",
			"pods see the machine's files: the machine does not permit mount "
			"namespaces, so volumes are symbolic links, and /etc/hosts is the "
			"machine's"};
	if (!machine->root)
		ret[len++] = (struct machine_lacks){
			MACHINE_LACKS_NETWORK, "NotRoot",
			"pods run as the user of the node, on loopback addresses: only "
			"root can change users and make networks"};
	else if (!(machine->namespaces & MACHINE_NET))
		ret[len++] = (struct machine_lacks){
			MACHINE_LACKS_NETWORK, "NoNetworkNamespaces",
			"pods share the machine's network: the machine does not permit network "
			"namespaces"};
	return len;
}
