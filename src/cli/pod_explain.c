/* SPDX-License-Identifier: Apache-2.0 */
/* cli/pod_explain.c - `vcctl pod explain`: what one pod waits for, or what became of it. */
#include "base/arena.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/pod_problem.h"
#include "loop/loop.h"
#include "model/value/duration.h"
#include "model/volcano/wait_reason.h"

#include "base/banned.h"

#define GROUP_NAME "scheduling.k8s.io/group-name"

static struct str status(struct json pod, const char *key)
{
	return json_str(json_get(json_get(pod, "status"), key));
}

static void put_age(struct cli *cli, struct str since)
{
	char text[DURATION_TEXT_SIZE];
	struct err err;
	int64_t then;

	if (time_parse(since, &then, &err) == 0)
		buf_printf(&cli->out, " (for %s)",
			   duration_print_age(loop_now(cli->loop) - then, text));
}

static void put_advice(struct cli *cli, struct str advice)
{
	if (advice.len)
		buf_printf(&cli->out, "\nWhat would help: %.*s", STR_ARG(advice));
}

/* The condition PodScheduled, if the group says nothing. */
static void put_condition(struct cli *cli, struct json pod)
{
	struct json_iter it = json_iter(json_get(json_get(pod, "status"), "conditions"));
	struct str message = str_none();

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "PodScheduled") &&
		    str_is(json_str(json_get(it.value, "status")), "False"))
			message = json_str(json_get(it.value, "message"));
	buf_put_str(&cli->out, message.len ? str_trim(message)
					   : STR("the scheduler has not looked at it yet"));
}

static bool put_gates(struct cli *cli, struct json pod)
{
	struct json gates = json_get(json_get(pod, "spec"), "schedulingGates");
	struct json_iter it = json_iter(gates);

	if (!json_len(gates))
		return false;
	buf_printf(&cli->out, "held by the scheduling gate%s ", json_len(gates) == 1 ? "" : "s");
	while (json_next(&it))
		buf_printf(&cli->out, "%s%.*s", it.index ? ", " : "",
			   STR_ARG(json_str(json_get(it.value, "name"))));
	put_advice(cli, STR("The program or person that set the gate must remove it"));
	return true;
}

static void put_waiting(struct cli *cli, struct json pod)
{
	struct json metadata = json_get(pod, "metadata");
	struct str group = json_str(json_get(json_get(metadata, "annotations"), GROUP_NAME));
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct wait_reasons reasons;
	struct err err;

	if (put_gates(cli, pod))
		return;
	if (group.len)
		doc = cli_get(cli, RESOURCE_PODGROUPS, json_str(json_get(metadata, "namespace")),
			      group, &err);
	reasons = wait_reasons_of(doc ? json_doc_root(doc) : JSON_NONE, cli->arena);
	if (reasons.len) {
		buf_put_str(&cli->out, reasons.ptr[0].text);
		put_age(cli, reasons.ptr[0].since);
		put_advice(cli, reasons.ptr[0].advice);
	} else {
		put_condition(cli, pod);
	}
	wait_reasons_done(&reasons);
}

static void put_placed(struct cli *cli, struct json pod, struct json events, struct json nodes)
{
	struct pod_place place = pod_place_of(pod);
	const struct pod_places places = {&place, 1};
	struct str phase = status(pod, "phase");
	struct str node = json_str(json_get(json_get(pod, "spec"), "nodeName"));
	const struct pod_problem_facts facts = {
		.events = events, .nodes = nodes, .now = loop_now(cli->loop)};
	struct pod_problem problem;
	struct pod_failure failure;

	if (str_is(phase, "Succeeded")) {
		buf_printf(&cli->out, "succeeded on node `%.*s`", STR_ARG(node));
	} else if (str_is(phase, "Failed") && pod_failure_of(pod, &failure)) {
		pod_failure_add_events(&failure, events);
		if (failure.init || failure.several)
			buf_printf(&cli->out, "%scontainer `%.*s` ", failure.init ? "init " : "",
				   STR_ARG(failure.container));
		pod_failure_print(&failure, &cli->out);
		put_advice(cli, str_from(pod_failure_advice(&failure)));
	} else if (pod_problem_find(&places, &facts, cli->arena, &problem)) {
		buf_put_str(&cli->out, problem.text);
		put_age(cli, problem.since);
		put_advice(cli, problem.advice);
	} else {
		buf_printf(&cli->out, "%s on node `%.*s`",
			   str_is(phase, "Running") ? "runs" : "is starting", STR_ARG(node));
		put_age(cli, status(pod, "startTime"));
	}
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	AUTO(json_doc_unref) struct json_doc *pod = NULL;
	AUTO(json_doc_unref) struct json_doc *events = NULL;
	AUTO(json_doc_unref) struct json_doc *nodes = NULL;
	struct str name = cli_name(cli);
	struct json root;
	struct err none;

	if (!name.len)
		return err_set(err, ERR_BAD_REQUEST,
			       "which pod? `vcctl pod explain NAME`; `vcctl pod list` shows them");
	pod = cli_get(cli, RESOURCE_PODS, cli_namespace(cli), name, err);
	if (!pod)
		return -1;
	root = json_doc_root(pod);
	buf_printf(&cli->out, "%.*s: ", STR_ARG(name));
	if (json_str(json_get(json_get(root, "spec"), "nodeName")).len) {
		events = cli_list(cli, RESOURCE_EVENTS, cli_namespace(cli), str_none(), &none);
		nodes = cli_list(cli, RESOURCE_NODES, str_none(), str_none(), &none);
		put_placed(cli, root, events ? json_get(json_doc_root(events), "items") : JSON_NONE,
			   nodes ? json_get(json_doc_root(nodes), "items") : JSON_NONE);
	} else {
		put_waiting(cli, root);
	}
	buf_putc(&cli->out, '\n');
	return 0;
}

static const struct flag flags[] = {
	CLI_FLAG_NAME("pod"),
	CLI_FLAG_NAMESPACE,
	{.name = NULL},
};

const struct command command_pod_explain = {
	.name = "explain",
	.about = "say what a pod waits for, or what became of it",
	.more = "One line says what the pod waits for, how much is missing, who has it and since "
		"when; of a\n"
		"pod that has a node, whether it runs, why it cannot start, or how it ended. The "
		"next line\n"
		"says what would help.",
	.arguments = "NAME",
	.flags = flags,
	.run = run};
