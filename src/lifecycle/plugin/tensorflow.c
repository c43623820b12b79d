/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/tensorflow.c - TF_CONFIG: the members of the cluster, and which one a container
 * is.
 *
 * A job with a single pod is not a cluster and does not get it. */
#include "lifecycle/job_plugin.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

enum { DEFAULT_PORT = 2222, ROLE_COUNT = 4 };

struct tf_args {
	struct str tasks[ROLE_COUNT]; /* in the order in which the cluster lists them */
	int64_t port;
};
static const char *const roles[ROLE_COUNT] = {"ps", "worker", "chief", "evaluator"};

static struct tf_args read_args(const struct plugin_run *run)
{
	struct tf_args args = {.port = DEFAULT_PORT};
	struct plugin_arg flags[ROLE_COUNT + 1] = {{"port", PLUGIN_ARG_NUMBER, &args.port}};

	for (size_t i = 0; i < ROLE_COUNT; i++) {
		args.tasks[i] = str_from(roles[i]);
		flags[i + 1] = (struct plugin_arg){roles[i], PLUGIN_ARG_TEXT, &args.tasks[i]};
	}
	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	return args;
}

/* A role's hosts; unlike elsewhere, a host that the template names is listed once per replica. */
static void put_role(const struct vcjob *job, const struct tf_args *args, size_t role,
		     struct json_doc *doc, struct json cluster)
{
	const struct vcjob_task *task = plugin_task(job, args->tasks[role]);

	for (size_t i = 0; i < role; i++)
		if (str_eq(args->tasks[i], args->tasks[role]))
			return; /* a task is listed in its first role */
	for (int32_t i = 0; task && i < task->replicas; i++) {
		AUTO(buf_done) struct buf host = BUF_UNBOUNDED;

		plugin_put_address(job, task, i, &host);
		buf_printf(&host, ":%lld", (long long)args->port);
		json_append(doc, json_ensure_arr(doc, cluster, roles[role]),
			    json_new_str(doc, buf_str(&host)));
	}
}

/* The role of a task's pods; a task with several roles has the first of these. */
static struct str type_of(const struct tf_args *args, struct str task)
{
	static const size_t order[ROLE_COUNT] = {2, 1, 0, 3}; /* chief, worker, ps, evaluator */

	for (size_t i = 0; i < ROLE_COUNT; i++)
		if (str_eq(args->tasks[order[i]], task))
			return str_from(roles[order[i]]);
	return task;
}

static void put_config(const struct vcjob *job, const struct tf_args *args,
		       const struct plugin_pod *pod, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json cluster, task;

	json_doc_set_root(doc, root);
	cluster = json_ensure_obj(doc, root, "cluster");
	for (size_t i = 0; i < ROLE_COUNT; i++)
		put_role(job, args, i, doc, cluster);
	task = json_ensure_obj(doc, root, "task");
	json_set_str(doc, task, "type", type_of(args, pod->task->name));
	json_set_int(doc, task, "index", pod->index);
	json_print(root, JSON_COMPACT, to);
}

static int tensorflow_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	const struct vcjob_spec *spec = &run->job->spec;
	struct tf_args args = read_args(run);
	struct plugin_walk walk = {.init = false};
	AUTO(buf_done) struct buf config = BUF_UNBOUNDED;

	(void)err;
	if (spec->tasks.len == 1 && spec->tasks.ptr[0].replicas == 1)
		return 0;
	put_config(run->job, &args, pod, &config);
	while (plugin_container(pod, &walk))
		plugin_add_env(pod->doc, walk.container, STR("TF_CONFIG"), buf_str(&config));
	return 0;
}

const struct plugin plugin_tensorflow = {
	.pod = tensorflow_pod,
};
