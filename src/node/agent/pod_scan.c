/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/pod_scan.c - see pod_scan.h. One scan at a time; a scan that is under way when its owner ends frees
 * what is left. */
#include "node/agent/pod_scan.h"

#include "base/arena.h"
#include "base/mem.h"
#include "node/agent/agent_internal.h"

#include "base/banned.h"

struct pod_scan {
	struct agent *agent; /* NULL: freed while a scan was under way */
	const struct pod_scan_ops *ops;
	void *owner;
	bool busy;
};

static void run_free(struct pod_scan_run *run)
{
	for (size_t i = 0; i < run->rows.len; i++)
		json_doc_unref(run->rows.ptr[i].doc);
	vec_done(&run->rows);
	arena_free(run->arena);
	mem_free(run);
}

static void on_worker(void *arg)
{
	struct pod_scan_run *run = arg;

	run->scan->ops->measure(run);
}

static void on_measured(void *arg)
{
	struct pod_scan_run *run = arg;
	struct pod_scan *scan = run->scan;

	scan->busy = false;
	if (scan->agent)
		scan->ops->done(scan->owner, run);
	else
		mem_free(scan);
	run_free(run);
}

static void add_row(struct pod_scan_run *run, const struct agent_pod *pod)
{
	const struct pod_scan_ops *ops = run->scan->ops;
	struct pod_scan_row row = {.uid = arena_strdup(run->arena, pod->uid),
				   .folder = arena_strdup(run->arena, pod->folder)};

	if (type_decode(&pod_type, json_doc_root(pod->doc), run->arena, &row.view, NULL) < 0)
		return;
	row.doc = json_doc_ref(pod->doc);
	if (ops->add)
		ops->add(run, pod, &row);
	vec_push(&run->rows, row);
}

void pod_scan_start(struct pod_scan *scan, int kind)
{
	struct pod_scan_run *run;
	struct err err;
	size_t at = 0;
	void *value;

	if (scan->busy)
		return;
	run = mem_new(struct pod_scan_run);
	run->scan = scan;
	run->arena = arena_new(0);
	run->kind = kind;
	while (map_next(scan->agent->pods, &at, NULL, &value))
		if (agent_pod_stays(value) && (!scan->ops->wants || scan->ops->wants(value)))
			add_row(run, value);
	scan->busy = run->rows.len > 0 && loop_work(scan->agent->loop, LOOP_LANE_FILES, on_worker,
						    on_measured, run, &err) == 0;
	if (!scan->busy)
		run_free(run);
}

bool pod_scan_is_busy(const struct pod_scan *scan)
{
	return scan->busy;
}

struct pod_scan *pod_scan_new(struct agent *agent, const struct pod_scan_ops *ops, void *owner)
{
	struct pod_scan *scan = mem_new(struct pod_scan);

	scan->agent = agent;
	scan->ops = ops;
	scan->owner = owner;
	return scan;
}

void pod_scan_free(struct pod_scan *scan)
{
	if (!scan)
		return;
	scan->agent = NULL;
	if (!scan->busy)
		mem_free(scan);
}
