/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/ray.c - starts a Ray cluster: a head with its ports in a service, and workers
 * that join it. The commands of the named containers are replaced. */
#include "lifecycle/job_plugin.h"
#include "lifecycle/keys.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

#define SERVICE_SUFFIX "-head-svc"

enum { PORT_COUNT = 3 };

struct ray_args {
	struct str head;
	struct str head_container;
	struct str worker;
	struct str worker_container;
	int64_t ports[PORT_COUNT];
};
static const char *const port_names[PORT_COUNT] = {"gcs", "dashboard", "client-server"};

static struct ray_args read_args(const struct plugin_run *run)
{
	struct ray_args args = {
		.head = STR("head"),
		.head_container = STR("head"),
		.worker = STR("worker"),
		.worker_container = STR("worker"),
		.ports = {6379, 8265, 10001},
	};
	const struct plugin_arg flags[] = {
		{"head", PLUGIN_ARG_TEXT, &args.head},
		{"headContainer", PLUGIN_ARG_TEXT, &args.head_container},
		{"worker", PLUGIN_ARG_TEXT, &args.worker},
		{"workerContainer", PLUGIN_ARG_TEXT, &args.worker_container},
		{"port", PLUGIN_ARG_NUMBER, &args.ports[0]},
		{"dashboardPort", PLUGIN_ARG_NUMBER, &args.ports[1]},
		{"clientPort", PLUGIN_ARG_NUMBER, &args.ports[2]},
	};

	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	return args;
}

static void ray_ensure(struct plugin_run *run)
{
	struct str name = plugin_name(run, SERVICE_SUFFIX);
	struct ray_args args = read_args(run);
	struct json found = plugin_find(run, PLAN_SERVICE, name);
	struct json_doc *doc;
	struct json spec, selector;

	if (!run->initial || !json_is_absent(found) || run->waits)
		return;
	doc = job_build_owned(run->view, PLAN_SERVICE, name);
	spec = json_ensure_obj(doc, json_doc_root(doc), "spec");
	selector = json_ensure_obj(doc, spec, "selector");
	json_set_str(doc, selector, KEY_JOB_NAME, run->job->meta.name);
	json_set_str(doc, selector, KEY_JOB_NAMESPACE, run->job->meta.namespace);
	json_set_str(doc, selector, KEY_TASK_SPEC, args.head);
	for (size_t i = 0; i < PORT_COUNT; i++) {
		struct json port = plugin_append(doc, spec, "ports");

		json_set_str(doc, port, "name", str_from(port_names[i]));
		json_set_int(doc, port, "port", args.ports[i]);
		json_set_str(doc, port, "targetPort", str_from(port_names[i]));
		json_set_str(doc, port, "protocol", STR("TCP"));
	}
	plan_create(run->view->plan, PLAN_SERVICE, doc);
}

static void set_command(struct plugin_pod *pod, struct json container, struct str command)
{
	struct json words = json_new_arr(pod->doc);

	json_append(pod->doc, words, json_new_str(pod->doc, STR("sh")));
	json_append(pod->doc, words, json_new_str(pod->doc, STR("-c")));
	json_append(pod->doc, words, json_new_str(pod->doc, command));
	json_set(pod->doc, container, STR("command"), words);
}

static int ray_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct ray_args args = read_args(run);
	const struct vcjob_task *head = plugin_task(run->job, args.head);
	bool worker = str_eq(pod->task->name, args.worker);
	struct plugin_walk walk = {.init = false};
	AUTO(buf_done) struct buf command = BUF_UNBOUNDED;

	if (!head)
		return err_set(err, ERR_INVALID, "there is no task %.*s for the head",
			       STR_ARG(args.head));
	if (pod->task == head) {
		buf_printf(&command,
			   "ray start --head --block --dashboard-host=0.0.0.0 --port=%lld"
			   " --dashboard-port=%lld --ray-client-server-port=%lld",
			   (long long)args.ports[0], (long long)args.ports[1],
			   (long long)args.ports[2]);
	} else {
		buf_puts(&command, "ray start --block --address=");
		plugin_put_address(run->job, head, 0, &command);
		buf_printf(&command, ":%lld", (long long)args.ports[0]);
	}
	while (plugin_container(pod, &walk)) {
		struct str name = json_str(json_get(walk.container, "name"));

		if (pod->task == head && str_eq(name, args.head_container)) {
			for (size_t i = 0; i < PORT_COUNT; i++)
				plugin_add_port(pod->doc, walk.container, port_names[i],
						args.ports[i]);
			set_command(pod, walk.container, buf_str(&command));
		} else if (pod->task != head && worker && str_eq(name, args.worker_container)) {
			set_command(pod, walk.container, buf_str(&command));
		}
	}
	return 0;
}

const struct plugin plugin_ray = {
	.objects = {{PLAN_SERVICE, SERVICE_SUFFIX}},
	.ensure = ray_ensure,
	.pod = ray_pod,
};
