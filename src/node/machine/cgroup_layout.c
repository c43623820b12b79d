/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/cgroup_layout.c - mounts and groups from /proc.
 *
 * The root of a mount (mountinfo.h) is the part of the hierarchy that is mounted: in a container it is the
 * container's own group, and /proc/self/cgroup (outside of a cgroup namespace) begins with it.
 * A line of /proc/self/cgroup: `4:memory:/user/a`, or `0::/user/a` in version 2. */
#include "node/machine/cgroup_layout.h"

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "node/machine/mountinfo.h"

#include "base/banned.h"

enum { PROC_FILE_MAX = 4 * 1024 * 1024, VALUE_MAX = 64 * 1024 };

static const char *const names[CGROUP_CONTROLLER_COUNT] = {
	[CGROUP_CPU] = "cpu",
	[CGROUP_CPUACCT] = "cpuacct",
	[CGROUP_MEMORY] = "memory",
	[CGROUP_PIDS] = "pids",
};

const char *cgroup_controller_name(enum cgroup_controller controller)
{
	return names[controller];
}

void cgroup_layout_done(struct cgroup_layout *layout)
{
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		mem_free(TAKE(layout->mount[i]));
		mem_free(TAKE(layout->self[i]));
	}
	layout->version = CGROUP_NONE;
}

/* Is `word` one of a comma-separated list? */
static bool list_has(struct str list, char separator, const char *word)
{
	struct str part;

	while (str_split(&list, separator, &part))
		if (str_is(str_trim(part), word))
			return true;
	return false;
}

/* The group of this process in a hierarchy, relative to its mount. */
static char *self_group(struct str groups, const char *controller, struct str mount_root)
{
	struct str line;

	while (str_split(&groups, '\n', &line)) {
		struct str rest = line;
		struct str number, list;

		if (!str_split(&rest, ':', &number) || !str_split(&rest, ':', &list))
			continue;
		if (controller ? !list_has(list, ',', controller)
			       : !str_is(number, "0") || list.len > 0)
			continue;
		if (mount_root.len > 1 && str_starts(rest, mount_root))
			rest = str_skip(rest, mount_root.len);
		return rest.len ? str_dup(rest) : mem_strdup("/");
	}
	return mem_strdup("/");
}

static void take_v1(struct cgroup_layout *layout, const struct mount_line *mount, const char *root,
		    struct str groups)
{
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		if (layout->mount[i] || !list_has(mount->options, ',', names[i]))
			continue;
		layout->version = CGROUP_V1;
		layout->mount[i] = mem_printf("%s%.*s", root, STR_ARG(mount->point));
		layout->self[i] = self_group(groups, names[i], mount->root);
	}
}

/* cpu.stat is in every group of version 2, so that it needs no controller cpuacct. */
static void take_v2(struct cgroup_layout *layout, const struct mount_line *mount, const char *root,
		    struct str groups)
{
	AUTO(buf_done) struct buf given = BUF_INIT(VALUE_MAX);
	AUTO(mem_free) char *self = self_group(groups, NULL, mount->root);
	AUTO(mem_free)
	char *path = mem_printf("%s%.*s/cgroup.controllers", root, STR_ARG(mount->point));

	if (layout->version != CGROUP_NONE || fd_read_file(path, &given, NULL) < 0)
		return;
	for (size_t i = 0; i < CGROUP_CONTROLLER_COUNT; i++) {
		if (!list_has(str_trim(buf_str(&given)), ' ', names[i]))
			continue;
		layout->version = CGROUP_V2;
		layout->mount[i] = mem_printf("%s%.*s", root, STR_ARG(mount->point));
		layout->self[i] = mem_strdup(self);
	}
}

static int read_proc(const char *proc, const char *name, struct buf *to, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/self/%s", proc, name);

	return fd_read_file(path, to, err);
}

int cgroup_layout_read(const char *proc, const char *root, struct cgroup_layout *ret,
		       struct err *err)
{
	AUTO(buf_done) struct buf mounts = BUF_INIT(PROC_FILE_MAX);
	AUTO(buf_done) struct buf groups = BUF_INIT(PROC_FILE_MAX);
	struct cgroup_layout layout = {0};
	struct mount_line mount;

	if (read_proc(proc, "mountinfo", &mounts, err) < 0 ||
	    read_proc(proc, "cgroup", &groups, NULL) < 0)
		return mounts.len ? (*ret = layout, 0) : -1;
	for (int version = 1; version <= 2; version++) {
		struct str rest = buf_str(&mounts);

		while (mountinfo_next(&rest, &mount)) {
			if (version == 1 && str_is(mount.fstype, "cgroup"))
				take_v1(&layout, &mount, root, buf_str(&groups));
			if (version == 2 && str_is(mount.fstype, "cgroup2"))
				take_v2(&layout, &mount, root, buf_str(&groups));
		}
	}
	*ret = layout;
	return 0;
}

/* --- limits of this process --- */

bool cgroup_read_value(const char *folder, const char *file, struct buf *to)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", folder, file);

	buf_clear(to);
	return fd_read_file(path, to, NULL) == 0;
}

int64_t cgroup_read_number(const char *folder, const char *file)
{
	AUTO(buf_done) struct buf text = BUF_INIT(VALUE_MAX);
	int64_t value;

	if (!cgroup_read_value(folder, file, &text) ||
	    number_parse_i64(str_trim(buf_str(&text)), &value, NULL) < 0)
		return -1;
	return value;
}

int64_t cgroup_read_member(const char *folder, const char *file, const char *name)
{
	AUTO(buf_done) struct buf text = BUF_INIT(VALUE_MAX);
	struct str rest, line, word;
	int64_t value;

	if (!cgroup_read_value(folder, file, &text))
		return -1;
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		if (str_split(&line, ' ', &word) && str_is(word, name) &&
		    number_parse_i64(str_trim(line), &value, NULL) == 0)
			return value;
	return -1;
}

int64_t cgroup_read_working_set(enum cgroup_version version, const char *folder)
{
	bool v2 = version == CGROUP_V2;
	int64_t used = cgroup_read_number(folder, v2 ? "memory.current" : "memory.usage_in_bytes");
	int64_t inactive = cgroup_read_member(folder, "memory.stat",
					      v2 ? "inactive_file" : "total_inactive_file");

	if (used < 0 || inactive < 0)
		return used;
	return used > inactive ? used - inactive : 0;
}

static int64_t folder_cpu(enum cgroup_version version, const char *folder)
{
	AUTO(buf_done) struct buf text = BUF_INIT(VALUE_MAX);
	int64_t quota = -1, period = -1;
	struct str rest, word;

	if (version == CGROUP_V1) {
		quota = cgroup_read_number(folder, "cpu.cfs_quota_us");
		period = cgroup_read_number(folder, "cpu.cfs_period_us");
	} else if (cgroup_read_value(folder, "cpu.max", &text)) {
		rest = str_trim(buf_str(&text));
		if (!str_split(&rest, ' ', &word) || number_parse_i64(word, &quota, NULL) < 0 ||
		    number_parse_i64(rest, &period, NULL) < 0)
			return 0;
	}
	return quota > 0 && period > 0 ? quota * 1000 / period : 0;
}

/* "No limit" is the largest multiple of a page in version 1. */
static int64_t folder_memory(enum cgroup_version version, const char *folder)
{
	int64_t value = cgroup_read_number(folder, version == CGROUP_V1 ? "memory.limit_in_bytes"
									: "memory.max");

	return value > 0 && value < INT64_MAX / 2 ? value : 0;
}

/* One more than what is left, so that a full group counts. */
static int64_t folder_left(enum cgroup_version version, const char *folder)
{
	int64_t limit = folder_memory(version, folder);
	int64_t used = cgroup_read_working_set(version, folder);

	if (limit == 0 || used < 0)
		return 0;
	return used < limit ? limit - used + 1 : 1;
}

static int64_t smallest(const struct cgroup_layout *layout, enum cgroup_controller controller,
			int64_t (*read)(enum cgroup_version version, const char *folder))
{
	struct str self = str_from(layout->self[controller]);
	int64_t least = 0;

	if (!layout->mount[controller])
		return 0;
	for (;;) {
		AUTO(mem_free)
		char *folder = mem_printf("%s%.*s", layout->mount[controller], STR_ARG(self));
		int64_t value = read(layout->version, folder);
		ptrdiff_t slash = str_rfind_byte(self, '/');

		if (value > 0 && (least == 0 || value < least))
			least = value;
		if (self.len == 0 || slash < 0)
			return least;
		self = str_slice(self, 0, (size_t)slash);
	}
}

int64_t cgroup_layout_cpu_limit(const struct cgroup_layout *layout)
{
	return smallest(layout, CGROUP_CPU, folder_cpu);
}

int64_t cgroup_layout_memory_limit(const struct cgroup_layout *layout)
{
	return smallest(layout, CGROUP_MEMORY, folder_memory);
}

int64_t cgroup_layout_memory_left(const struct cgroup_layout *layout)
{
	return smallest(layout, CGROUP_MEMORY, folder_left) - 1;
}
