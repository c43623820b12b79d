/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_limits.c - pods whose volumes have outgrown what they may take are evicted.
 *
 * Every LOOK the sizes of emptyDirs that have a limit are counted, off the thread: a volume may hold
 * many files. One look at a time; it holds the documents of the pods that it is about. */
#include "base/mem.h"
#include "base/time.h"
#include "model/pod/pod.h"
#include "node/agent/agent_internal.h"
#include "node/volume/pod_volumes.h"

#include "base/banned.h"

#define LOOK (10 * TIME_SECOND)

struct agent_limits {
	struct agent *agent; /* NULL: it has gone, while a look was under way */
	struct loop_timer *timer;
	bool busy;
};

struct row {
	struct json_doc *doc;
	struct pod view;
	const char *uid;
	const char *folder;
	const char *over; /* what is to be said of it; NULL: nothing */
};

struct look {
	struct agent_limits *limits;
	struct arena *arena;
	VEC(struct row) rows;
};

static void look_free(struct look *look)
{
	for (size_t i = 0; i < look->rows.len; i++)
		json_doc_unref(look->rows.ptr[i].doc);
	vec_done(&look->rows);
	arena_free(look->arena);
	mem_free(look);
}

/* On a worker. */
static void look_work(void *arg)
{
	struct look *look = arg;

	for (size_t i = 0; i < look->rows.len; i++) {
		struct row *row = &look->rows.ptr[i];

		row->over = volumes_over_limit(&(struct sandbox){.pod = &row->view},
					       &(struct volumes_place){.folder = row->folder},
					       look->arena);
	}
}

static void look_done(void *arg)
{
	struct look *look = arg;
	struct agent_limits *limits = look->limits;

	for (size_t i = 0; limits->agent && i < look->rows.len; i++) {
		const struct row *row = &look->rows.ptr[i];
		struct agent_pod *pod = map_get(limits->agent->pods, str_from(row->uid));

		if (row->over && pod && agent_pod_stays(pod))
			agent_pod_evict(pod, row->over);
	}
	limits->busy = false;
	if (!limits->agent)
		mem_free(limits);
	look_free(look);
}

static bool has_limit(const struct agent_pod *pod)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");

	for (struct json_iter it = json_iter(json_get(spec, "volumes")); json_next(&it);)
		if (!json_is_absent(json_get(json_get(it.value, "emptyDir"), "sizeLimit")))
			return true;
	return false;
}

static void add_row(struct look *look, const struct agent_pod *pod)
{
	struct row row = {.uid = arena_strdup(look->arena, pod->uid),
			  .folder = arena_strdup(look->arena, pod->folder)};

	if (type_decode(&pod_type, json_doc_root(pod->doc), look->arena, &row.view, NULL) < 0)
		return;
	row.doc = json_doc_ref(pod->doc);
	vec_push(&look->rows, row);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct agent_limits *limits = arg;
	struct look *look;
	struct err err;
	size_t at = 0;
	void *value;

	loop_timer_set(timer, LOOK);
	if (limits->busy)
		return;
	look = mem_new(struct look);
	look->limits = limits;
	look->arena = arena_new(0);
	while (map_next(limits->agent->pods, &at, NULL, &value))
		if (agent_pod_stays(value) && has_limit(value))
			add_row(look, value);
	if (!look->rows.len) {
		look_free(look);
		return;
	}
	limits->busy = loop_work(limits->agent->loop, LOOP_LANE_FILES, look_work, look_done, look,
				 &err) == 0;
	if (!limits->busy)
		look_free(look); /* the timer comes again */
}

struct agent_limits *agent_limits_new(struct agent *agent)
{
	struct agent_limits *limits = mem_new(struct agent_limits);

	limits->agent = agent;
	limits->timer = loop_timer_new(agent->loop, on_timer, limits);
	loop_timer_set(limits->timer, LOOK);
	return limits;
}

void agent_limits_free(struct agent_limits *limits)
{
	if (!limits)
		return;
	loop_timer_free(limits->timer);
	limits->agent = NULL;
	if (!limits->busy)
		mem_free(limits);
}
