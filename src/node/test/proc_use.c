/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/proc_use.h on a made-up /proc, and on the real one. */
#include "node/machine/proc_use.h"

#include "folder.h"
#include "tap.h"

static void add(struct folder *in, int pid, const char *name, int parent, int pages)
{
	const char *path = arena_printf(in->arena, "%d/stat", pid);

	folder_write(in, path,
		     arena_printf(in->arena,
				  "%d (%s) S %d 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9 4096 "
				  "%d 18446744073709551615 1 1\n",
				  pid, name, parent, pages));
}

static void test_made_up(void)
{
	int64_t page = sysconf(_SC_PAGESIZE);
	struct folder in;
	struct proc_use list[] = {
		{.pid = 11, .siblings = true}, {.pid = 11}, {.pid = 20}, {.pid = 99}, {.pid = 0}};

	folder_open(&in);
	add(&in, 1, "init", 0, 1000);
	add(&in, 10, "volcano-pod", 1, 1);
	add(&in, 11, "sh", 10, 2);
	add(&in, 12, "a) S 1 (b", 11, 4);
	add(&in, 13, "left behind", 10, 8);
	add(&in, 20, "other", 1, 16);
	folder_write(&in, "meminfo", "MemTotal: 1 kB\n");
	folder_write(&in, "14/stat", "");
	proc_use_read(in.path, list, ARRAY_LEN(list));
	ok(list[0].memory == 15 * page && list[0].processes == 4,
	   "a pod: its supervisor and all below it, including orphans");
	ok(list[1].memory == 6 * page && list[1].processes == 2,
	   "a container: its first process and all below it, whatever their names");
	ok(list[2].memory == 16 * page && list[2].processes == 1, "another one");
	ok(list[3].processes == 0 && list[4].processes == 0, "those that are not there");
	folder_close(&in);
}

static void test_real(void)
{
	struct proc_use self = {.pid = getpid()};

	proc_use_read("/proc", &self, 1);
	ok(self.processes >= 1 && self.memory > 0, "this process");
	proc_use_read("/no/such/folder", &self, 1);
	ok(self.processes == 0, "no /proc");
}

int main(void)
{
	test_made_up();
	test_real();
	return tap_done();
}
