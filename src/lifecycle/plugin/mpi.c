/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin/mpi.c - passes the hosts of the workers to the master of an MPI job (MPI_HOST).
 *
 * It needs svc and ssh, which admission adds to such jobs. */
#include "lifecycle/job_plugin.h"
#include "lifecycle/plugin_args.h"

#include "base/banned.h"

enum { DEFAULT_PORT = 22 };

struct mpi_args {
	struct str master;
	struct str worker;
	int64_t port;
};

static struct mpi_args read_args(const struct plugin_run *run)
{
	struct mpi_args args = {STR("master"), STR("worker"), DEFAULT_PORT};
	const struct plugin_arg flags[] = {
		{"master", PLUGIN_ARG_TEXT, &args.master},
		{"worker", PLUGIN_ARG_TEXT, &args.worker},
		{"port", PLUGIN_ARG_NUMBER, &args.port},
	};

	plugin_args_parse(run->args, flags, ARRAY_LEN(flags));
	return args;
}

static int mpi_pod(struct plugin_run *run, struct plugin_pod *pod, struct err *err)
{
	struct mpi_args args = read_args(run);
	const struct vcjob_task *worker = plugin_task(run->job, args.worker);
	bool master = str_eq(pod->task->name, args.master);
	struct plugin_walk walk = {.init = true};
	AUTO(buf_done) struct buf hosts = BUF_UNBOUNDED;

	(void)err;
	if (master && !worker)
		return 0;
	for (int32_t i = 0; worker && i < plugin_host_count(worker); i++) {
		if (i > 0)
			buf_putc(&hosts, ',');
		plugin_put_address(run->job, worker, i, &hosts);
	}
	while (plugin_container(pod, &walk)) {
		if (master)
			plugin_add_env(pod->doc, walk.container, STR("MPI_HOST"), buf_str(&hosts));
		plugin_add_port(pod->doc, walk.container, "mpijob-port", args.port);
	}
	return 0;
}

const struct plugin plugin_mpi = {
	.pod = mpi_pod,
};
