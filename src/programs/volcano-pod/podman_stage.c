/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/podman_stage.c - see podman_stage.h. `podman unshare` runs it, since that permits mounting.
 * The plan is in the node's own folder, which no container sees. */
#include "programs/volcano-pod/podman_stage.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "pod/pod_plan.h"
#include "programs/volcano-pod/mounts.h"
#include "programs/volcano-pod/pod_child.h"

#include "base/banned.h"

int podman_stage_run(const char *plan_file, char **argv, struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_PLAN_BYTES);
	struct pod_plan plan;

	if (fd_read_file(plan_file, &text, err) < 0 ||
	    pod_plan_decode(buf_str(&text), arena, &plan, err) < 0)
		return -1;
	if (plan.n_containers == 0)
		return err_set(err, ERR_BAD_REQUEST, "%s: has no container", plan_file);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return err_errno(err, errno, "a mount namespace of its own");
	if (mounts_make(&(struct pod_child_start){.plan = &plan, .container = &plan.containers[0]},
			-1, err) < 0)
		return -1;
	(void)execvp(argv[0], argv);
	return err_errno(err, errno, "%s", argv[0]);
}
