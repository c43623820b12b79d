/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/proc_use.c - walks over /proc once, then counts every process for those of its ancestors that are
 * in the list.
 *
 * A line of /proc/PID/stat: `12 (some name) S 1 ...`; the name may contain any characters. After it the second
 * word is the parent and the 22nd the pages in memory. */
#include "node/machine/proc_use.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"

#include "base/banned.h"

enum { STAT_BYTES = 4096, WORD_PARENT = 2, WORD_PAGES = 22, DEPTH_MAX = 1000 };

struct process {
	int64_t pid, parent, pages;
};
struct table {
	VEC(struct process) list; /* by pid */
};

static bool read_process(const char *proc, int64_t pid, struct process *ret)
{
	AUTO(mem_free) char *path = mem_printf("%s/%lld/stat", proc, (long long)pid);
	AUTO(buf_done) struct buf text = BUF_INIT(STAT_BYTES);
	struct str rest, word;
	ptrdiff_t end;

	if (fd_read_file(path, &text, NULL) < 0)
		return false;
	end = str_rfind_byte(buf_str(&text), ')');
	if (end < 0)
		return false;
	rest = str_trim(str_skip(buf_str(&text), (size_t)end + 1));
	*ret = (struct process){.pid = pid};
	for (int i = 1; str_split(&rest, ' ', &word); i++) {
		if (i == WORD_PARENT && number_parse_i64(word, &ret->parent, NULL) < 0)
			return false;
		if (i == WORD_PAGES)
			return number_parse_i64(word, &ret->pages, NULL) == 0;
	}
	return false;
}

static int by_pid(const void *left, const void *right)
{
	int64_t l = ((const struct process *)left)->pid, r = ((const struct process *)right)->pid;

	return l < r ? -1 : l > r;
}

static int is_number(const struct dirent *entry)
{
	return entry->d_name[0] > '0' && entry->d_name[0] <= '9';
}

static void read_table(const char *proc, struct table *table)
{
	struct dirent **names = NULL;
	int count = scandir(proc, &names, is_number, NULL);
	struct process process;
	int64_t pid;

	for (int i = 0; i < count; i++) {
		if (number_parse_i64(str_from(names[i]->d_name), &pid, NULL) == 0 &&
		    read_process(proc, pid, &process))
			vec_push(&table->list, process);
		free(names[i]); /* defined by the C library */
	}
	free((void *)names);
	if (table->list.len)
		qsort(table->list.ptr, table->list.len, sizeof(process), by_pid);
}

static const struct process *find(const struct table *table, int64_t pid)
{
	struct process key = {.pid = pid};

	return table->list.len
		       ? bsearch(&key, table->list.ptr, table->list.len, sizeof(key), by_pid)
		       : NULL;
}

/* The first process of an entry of the list; sorted by it. */
struct root {
	int64_t pid;
	struct proc_use *use;
};

static int by_root(const void *left, const void *right)
{
	int64_t l = ((const struct root *)left)->pid, r = ((const struct root *)right)->pid;

	return l < r ? -1 : l > r;
}

/* Add a process to every entry that begins at `at`. */
static void add(const struct root *roots, size_t len, int64_t at, const struct process *process)
{
	int64_t page = sysconf(_SC_PAGESIZE);
	size_t low = 0, high = len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (roots[middle].pid < at)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < len && roots[low].pid == at; low++) {
		roots[low].use->memory += process->pages * page;
		roots[low].use->processes++;
	}
}

void proc_use_read(const char *proc, struct proc_use *list, size_t len)
{
	struct root *roots = mem_calloc(len + 1, sizeof(*roots));
	struct table table = {0};

	read_table(proc, &table);
	for (size_t i = 0; i < len; i++) {
		const struct process *process = find(&table, list[i].pid);

		list[i].memory = list[i].processes = 0;
		roots[i] = (struct root){list[i].pid, &list[i]};
		if (list[i].siblings)
			roots[i].pid = process ? process->parent : 0;
	}
	qsort(roots, len, sizeof(*roots), by_root);
	for (size_t i = 0; i < table.list.len; i++) {
		const struct process *at = &table.list.ptr[i];

		for (int depth = 0; at && at->pid > 1 && depth < DEPTH_MAX; depth++) {
			add(roots, len, at->pid, &table.list.ptr[i]);
			at = find(&table, at->parent);
		}
	}
	vec_done(&table.list);
	mem_free(roots);
}
