/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/control_groups.c - see control_groups.h. The agent decides which folders to make and what
 * to write (cgroup_describe()); this file does it, in the same order. */
#include "programs/volcano-pod/control_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "pod/pod_plan.h"

#include "base/banned.h"

enum { MODE_GROUP = 0755 };

static int write_value(const char *path, const char *value, struct err *err)
{
	AUTO(fd_close) int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		return err_errno(err, errno, "control group: writing %s to %s", value, path);
	return 0;
}

int control_groups_make(const struct plan_container *container, struct err *err)
{
	for (size_t i = 0; i < container->n_group_folders; i++)
		if (mkdir(container->group_folders[i], MODE_GROUP) < 0 && errno != EEXIST)
			return err_errno(err, errno, "control group: %s",
					 container->group_folders[i]);
	for (size_t i = 0; i + 1 < container->n_group_values; i += 2)
		if (write_value(container->group_values[i], container->group_values[i + 1], err) <
		    0)
			return -1;
	return 0;
}

bool control_groups_remove(const struct pod_plan *plan)
{
	size_t all = 0, gone = 0;

	for (size_t i = plan->n_containers; i-- > 0;) {
		const struct plan_container *container = &plan->containers[i];

		all += container->n_group_folders;
		for (size_t k = container->n_group_folders; k-- > 0;)
			gone += rmdir(container->group_folders[k]) == 0 || errno == ENOENT;
	}
	return all && gone == all;
}
