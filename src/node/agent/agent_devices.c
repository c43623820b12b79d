/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_devices.c - devices of the agent's pods: chosen when a pod is prepared, recorded in its folder
 * (`devices`), released when its last process has ended.
 *
 * Always true: no two pods have the same device. The record is in the folder before the first process starts, and
 * an agent that finds the pod reads it before it chooses devices for another pod. */
#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "node/agent/agent_internal.h"
#include "node/machine/devices.h"

#include "base/banned.h"

enum { MODE_FILE = 0600, TEXT_BYTES = 64 * 1024 };

static char *path_of(const struct agent_pod *pod)
{
	return mem_printf("%s/devices", pod->folder);
}

int agent_devices_take(struct agent_pod *pod, const struct pod *view,
		       const struct devices_node *node, struct err *err)
{
	struct agent *agent = pod->agent;
	AUTO(buf_done) struct buf text = BUF_INIT(TEXT_BYTES);
	AUTO(mem_free) char *path = path_of(pod);
	VEC(const char *) taken = {0};
	size_t at = 0;
	void *value;
	int rc;

	if (pod->devices)
		return 0;
	while (map_next(agent->pods, &at, NULL, &value))
		if (((struct agent_pod *)value)->devices)
			vec_push(&taken, ((struct agent_pod *)value)->devices);
	rc = devices_choose(node, view, taken.ptr, taken.len, &text, err);
	vec_done(&taken);
	if (rc < 0 || text.len == 0)
		return rc;
	if (fd_write_file(path, text.ptr, text.len, MODE_FILE, err) < 0)
		return -1;
	pod->devices = mem_strdup(buf_text(&text));
	return 0;
}

void agent_devices_find(struct agent_pod *pod)
{
	AUTO(buf_done) struct buf text = BUF_INIT(TEXT_BYTES);
	AUTO(mem_free) char *path = path_of(pod);

	if (!pod->devices && fd_read_file(path, &text, NULL) == 0)
		pod->devices = mem_strdup(buf_text(&text));
}

/* Another pod may wait for them. */
void agent_devices_leave(struct agent_pod *pod)
{
	struct agent *agent = pod->agent;
	size_t at = 0;
	void *value;

	if (!pod->devices)
		return;
	mem_free(TAKE(pod->devices));
	while (map_next(agent->pods, &at, NULL, &value)) {
		struct agent_pod *other = value;

		if (other != pod && !other->has_plan)
			agent_pod_refresh(other);
	}
}
