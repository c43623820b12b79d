/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/pytorch.c - the variables of torch.distributed: the master's host, the world
 * size, and the rank of a container.
 *
 * On request, workers wait in an init container until the master accepts connections. */
#include "lifecycle/job_plugin.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

#define WAIT_NAME "wait-for-master"

enum { DEFAULT_PORT = 23456, DEFAULT_TIMEOUT = 300, TRY_SECONDS = 2 };

struct torch_args {
	struct str master;
	struct str worker;
	int64_t port;
	bool wait;
	int64_t timeout;
	struct str image;
};

static struct torch_args read_args(const struct plugin_run *run)
{
	struct torch_args args = {
		.master = STR("master"),
		.worker = STR("worker"),
		.port = DEFAULT_PORT,
		.timeout = DEFAULT_TIMEOUT,
		.image = STR("busybox:1.36.1"),
	};
	const struct plugin_arg flags[] = {
		{"master", PLUGIN_ARG_TEXT, &args.master},
		{"worker", PLUGIN_ARG_TEXT, &args.worker},
		{"port", PLUGIN_ARG_NUMBER, &args.port},
		{"wait-master-enabled", PLUGIN_ARG_SWITCH, &args.wait},
		{"wait-master-timeout", PLUGIN_ARG_NUMBER, &args.timeout},
		{"wait-master-image", PLUGIN_ARG_TEXT, &args.image},
	};

	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	return args;
}

static void set_number(struct plugin_pod *pod, struct json container, struct str name, int64_t n)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_int(&text, n);
	plugin_add_env(pod->doc, container, name, buf_str(&text));
}

static bool has_wait(const struct plugin_pod *pod)
{
	struct json_iter it = json_iter(json_get(pod->spec, "initContainers"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "name")), WAIT_NAME))
			return true;
	return false;
}

static void add_wait(struct plugin_pod *pod, const struct torch_args *args, struct str master)
{
	struct json container, command;

	if (has_wait(pod))
		return;
	container = plugin_append(pod->doc, pod->spec, "initContainers");
	json_set_str(pod->doc, container, "name", STR(WAIT_NAME));
	json_set_str(pod->doc, container, "image", args->image);
	command = json_ensure_arr(pod->doc, container, "command");
	json_append(pod->doc, command, json_new_str(pod->doc, STR("sh")));
	json_append(pod->doc, command, json_new_str(pod->doc, STR("-c")));
	json_append(pod->doc, command,
		    json_new_printf(pod->doc,
				    "left=%lld\n"
				    "host=%.*s\n"
				    "port=%lld\n"
				    "until nc -z $host $port 2>/dev/null ||"
				    " (: </dev/tcp/$host/$port) 2>/dev/null; do\n"
				    "\tif [ $left -le 0 ]; then\n"
				    "\t\techo \"$host does not listen on port $port\"\n"
				    "\t\texit 1\n"
				    "\tfi\n"
				    "\techo \"$host port $port: not yet, $left seconds left\"\n"
				    "\tleft=$((left - %d))\n"
				    "\tsleep %d\n"
				    "done\n",
				    (long long)args->timeout, STR_ARG(master),
				    (long long)args->port, TRY_SECONDS, TRY_SECONDS));
}

/* Masters have rank 0, workers the ranks after it; if one task is both, its pods are numbered in order.
 */
static int64_t rank_of(const struct plugin_pod *pod, const struct vcjob_task *master,
		       const struct vcjob_task *worker)
{
	if (pod->task != worker)
		return 0;
	return worker == master ? pod->index : (int64_t)pod->index + 1;
}

static void pytorch_containers(struct plugin_run *run, struct plugin_pod *pod)
{
	struct torch_args args = read_args(run);
	const struct vcjob_task *master = plugin_task(run->job, args.master);
	const struct vcjob_task *worker = plugin_task(run->job, args.worker);
	AUTO(buf_done) struct buf address = BUF_UNBOUNDED;

	if (!master || !args.wait || pod->task != worker || rank_of(pod, master, worker) == 0)
		return;
	plugin_put_address(run->job, master, 0, &address);
	add_wait(pod, &args, buf_str(&address));
}

static int pytorch_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct torch_args args = read_args(run);
	const struct vcjob_task *master = plugin_task(run->job, args.master);
	const struct vcjob_task *worker = plugin_task(run->job, args.worker);
	struct plugin_walk walk = {.init = false};
	AUTO(buf_done) struct buf address = BUF_UNBOUNDED;
	int64_t world = 0;

	(void)err;
	if (!master)
		return 0;
	if (worker && worker != master)
		world += worker->replicas;
	world += master->replicas;
	plugin_put_address(run->job, master, 0, &address);
	while (plugin_container(pod, &walk)) {
		plugin_add_port(pod->doc, walk.container, "pytorchjob-port", args.port);
		plugin_add_env(pod->doc, walk.container, STR("MASTER_ADDR"), buf_str(&address));
		set_number(pod, walk.container, STR("MASTER_PORT"), args.port);
		set_number(pod, walk.container, STR("WORLD_SIZE"), world);
		if (pod->task == master || pod->task == worker)
			set_number(pod, walk.container, STR("RANK"), rank_of(pod, master, worker));
	}
	return 0;
}

const struct plugin plugin_pytorch = {
	.containers = pytorch_containers,
	.pod = pytorch_pod,
};
