/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/machine.h on made-up machines, and on the one that the test runs on. */
#include "node/machine/machine.h"

#include "folder.h"
#include "tap.h"

static void make_machine(struct folder *in)
{
	folder_write(in, "proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
	folder_write(in, "proc/self/mountinfo",
		     "30 1 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
	folder_write(in, "proc/self/cgroup", "0::/some/where\n");
	folder_write(in, "proc/sys/kernel/pid_max", "4194304\n");
	folder_write(in, "proc/sys/kernel/random/boot_id", "b00t\n");
	folder_write(in, "etc/os-release", "NAME=x\nPRETTY_NAME=\"A System 7\"\n");
	folder_write(in, "etc/machine-id", "abcd\n");
	folder_write(in, "sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
	folder_write(in, "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "5\n");
	folder_write(in, "sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0\n");
	for (int i = 0; i < 11; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "dev/nvidia%d", i);
		folder_write(in, name, "");
	}
	folder_write(in, "dev/nvidiactl", "");
	folder_write(in, "dev/nvidia-uvm", "");
	folder_write(in, "dev/dri/renderD128", "");
	folder_write(in, "dev/dri/renderD129", "");
	folder_write(in, "dev/dri/card0", "");
	folder_write(in, "sys/class/drm/renderD128/device/vendor", "0x1002\n");
	folder_write(in, "sys/class/drm/renderD129/device/vendor", "0x1234\n");
}

static int open_machine(struct folder *in, struct machine *ret, struct err *err)
{
	return machine_open(&(struct machine_paths){.proc = folder_at(in, "proc"),
						    .sys = folder_at(in, "sys"),
						    .dev = folder_at(in, "dev"),
						    .root = in->path,
						    .folder = in->path,
						    .no_namespaces = true},
			    ret, err);
}

static const char *amount(struct json status, const char *which, const char *name)
{
	return json_str(json_get(json_get(status, which), name)).ptr;
}

static void test_found(void)
{
	AUTO(machine_close) struct machine machine = {0};
	struct folder in;
	struct err err = {0};

	folder_open(&in);
	make_machine(&in);
	ok(open_machine(&in, &machine, &err) == 0, "a machine is looked at %s", err.text);
	ok(machine.memory == INT64_C(16) << 30, "memory is MemTotal");
	ok(machine.processes == 4194304, "as many processes as the kernel has numbers");
	ok(machine.n_hugepages == 2 && machine.hugepages[0].size == 2 << 20 &&
		   machine.hugepages[0].count == 5,
	   "huge pages by size");
	ok(machine.n_devices == 12, "eleven cards of one maker, one of another, no control files");
	is(machine.devices[10].id, "10");
	is(machine.devices[11].resource, "amd.com/gpu");
	is(machine.os_image, "A System 7");
	is(machine.machine_id, "abcd");
	is(machine.boot_id, "b00t");
	ok(machine.cgroups.version == CGROUP_V2, "control groups of version 2");
	is(machine.cgroups.self[CGROUP_MEMORY], "/some/where");
	ok(!machine.cgroups.mount[CGROUP_CPUACCT], "... which has no cpuacct");
	folder_close(&in);
}

static void test_bounded(void)
{
	AUTO(machine_close) struct machine machine = {0};
	struct folder in;
	struct err err = {0};

	folder_open(&in);
	make_machine(&in);
	folder_write(&in, "sys/fs/cgroup/some/memory.max", "1073741824\n");
	folder_write(&in, "sys/fs/cgroup/some/where/memory.max", "max\n");
	folder_write(&in, "sys/fs/cgroup/some/where/cpu.max", "50000 100000\n");
	ok(open_machine(&in, &machine, &err) == 0, "a machine within a group %s", err.text);
	ok(machine.memory == 1 << 30, "memory is what a group above allows");
	ok(machine.cpu == 500, "cpu is what the own group allows");
	folder_close(&in);
}

static void test_hybrid(void)
{
	AUTO(machine_close) struct machine machine = {0};
	struct folder in;
	struct err err = {0};

	folder_open(&in);
	make_machine(&in);
	folder_write(&in, "proc/self/mountinfo",
		     "30 1 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup rw\n"
		     "31 1 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup "
		     "rw,cpu,cpuacct\n"
		     "32 1 0:29 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	folder_write(&in, "proc/self/cgroup", "2:memory:/docker/1/sub\n1:cpu,cpuacct:/\n0::/\n");
	folder_write(&in, "sys/fs/cgroup/unified/cgroup.controllers", "\n");
	folder_write(&in, "sys/fs/cgroup/memory/sub/memory.limit_in_bytes", "536870912\n");
	folder_write(&in, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	ok(open_machine(&in, &machine, &err) == 0, "both versions %s", err.text);
	ok(machine.cgroups.version == CGROUP_V1, "the controllers are in version 1");
	is(machine.cgroups.self[CGROUP_MEMORY], "/sub");
	ok(!machine.cgroups.mount[CGROUP_PIDS], "one that is not mounted is not there");
	ok(machine.memory == 512 << 20, "the limit of version 1 counts, \"no limit\" does not");
	folder_close(&in);
}

static void test_divide(void)
{
	AUTO(machine_close) struct machine machine = {0};
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct machine_division division = {.nodes = 2, .limits = pressure_limits_default};
	struct json first = json_new_obj(doc), second = json_new_obj(doc);
	struct folder in;
	struct err err = {0};

	folder_open(&in);
	make_machine(&in);
	ok(open_machine(&in, &machine, &err) == 0, "a machine to divide %s", err.text);
	machine.cpu = 5000;
	ok(machine_amounts_parse(machine.arena, "example.com/x=4, pods=7", &division.resources,
				 &division.n_resources, &err) == 0 &&
		   machine_amounts_parse(machine.arena, "cpu=500m,memory=1Gi", &division.reserved,
					 &division.n_reserved, &err) == 0,
	   "amounts as text %s", err.text);
	machine_put_status(&machine, &division, 0, doc, first);
	machine_put_status(&machine, &division, 1, doc, second);
	is(amount(first, "capacity", "cpu"), "2500m");
	is(amount(first, "allocatable", "cpu"), "2");
	is(amount(first, "capacity", "memory"), "8Gi");
	is(amount(second, "allocatable", "memory"), "7114Mi"); /* - 1Gi - 50Mi - 2 huge pages */
	is(amount(first, "capacity", "hugepages-2Mi"), "6Mi");
	is(amount(second, "capacity", "hugepages-2Mi"), "4Mi");
	is(amount(first, "capacity", "nvidia.com/gpu"), "6");
	is(amount(second, "allocatable", "nvidia.com/gpu"), "5");
	is(amount(second, "capacity", "amd.com/gpu"), "0");
	is(amount(second, "capacity", "example.com/x"), "4");
	is(amount(second, "allocatable", "example.com/x"), "4");
	is(amount(first, "capacity", "pods"), "7");
	is(amount(first, "nodeInfo", "osImage"), "A System 7");
	folder_close(&in);
}

static void test_amounts(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"gpu", "\"gpu\" is not NAME=AMOUNT"},
		{"=4", "\"=4\" is not NAME=AMOUNT"},
		{"a=1,b=2x", "\"b=2x\": \"2x\" is not an amount such as 4, 500m or 16Gi"},
		{"a=-1", "\"a=-1\": \"-1\" is not an amount such as 4, 500m or 16Gi"},
		{"a=1,a=2", "\"a\" is there twice"},
	};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct machine_amount *list = NULL;
	size_t len = 9;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = {0};

		ok(machine_amounts_parse(arena, rows[i].text, &list, &len, &err) < 0,
		   "%s is refused", rows[i].text);
		is(err.text, rows[i].error);
	}
	ok(machine_amounts_parse(arena, NULL, &list, &len, NULL) == 0 && len == 0, "none is none");
}

static void test_share(void)
{
	for (size_t total = 0; total < 20; total++)
		for (size_t nodes = 1; nodes < 8; nodes++) {
			size_t next = 0, first, len;

			for (size_t i = 0; i < nodes; i++) {
				machine_share(total, nodes, i, &first, &len);
				if (first != next)
					break;
				next += len;
			}
			if (next != total)
				ok(false, "%zu of %zu nodes is shared out whole", total, nodes);
		}
	ok(true, "shares follow one another and make the whole");
}

static void test_this(void)
{
	AUTO(machine_close) struct machine machine = {0};
	struct machine_lacks lacks[MACHINE_LACKS_MAX];
	struct err err = {0};

	ok(machine_open(&(struct machine_paths){0}, &machine, &err) == 0,
	   "this machine is looked at %s", err.text);
	ok(machine.cpu > 0 && machine.memory > 0 && machine.disk > 0, "it has something");
	ok(machine_lacks(&machine, lacks) <= MACHINE_LACKS_MAX, "it says what is not permitted");
	machine.root = false;
	machine.namespaces = 0;
	ok(machine_lacks(&machine, lacks) == 2, "an ordinary user without namespaces lacks both");
	is(lacks[0].reason, "NoMountNamespaces");
	is(lacks[1].reason, "NotRoot");
	machine.root = true;
	ok(machine_lacks(&machine, lacks) == 2, "root without namespaces as well");
	is(lacks[1].reason, "NoNetworkNamespaces");
	ok(!machine.root || !(machine.namespaces & MACHINE_USER), "root needs no users' namespace");
	printf("# cpu %ld, memory %ld, namespaces %x\n", (long)machine.cpu, (long)machine.memory,
	       machine.namespaces);
}

int main(void)
{
	test_found();
	test_bounded();
	test_hybrid();
	test_divide();
	test_amounts();
	test_share();
	test_this();
	return tap_done();
}
