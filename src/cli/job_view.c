/* SPDX-License-Identifier: Apache-2.0 */
/* cli/job_view.c - `vcctl job view`: a job from its metadata to its events.
 *
 * The text is a table: a row is a depth, what stands before the value, and where the value is.
 * Two more kinds of rows walk lists and leave out what is zero. */
#include "base/arena.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/object_list.h"
#include "json/pointer.h"
#include "model/core/meta.h"
#include "model/value/quantity.h"

#include "base/banned.h"

enum view_form {
	VIEW_TITLE,    /* no value */
	VIEW_TEXT,     /* a string, or "" */
	VIEW_NUMBER,   /* an integer, or 0 */
	VIEW_COUNT,    /* the same; left out if it is 0 */
	VIEW_JSON,     /* an object on one line, or <none> */
	VIEW_WORDS,    /* [a b] */
	VIEW_TIME,     /* as Go prints one */
	VIEW_QUANTITY, /* a quantity, or 0 */
	VIEW_LINES,    /* a list of strings, a line each */
	VIEW_EACH,     /* the rows of `below` for each element */
};

struct view_row {
	int depth;
	const char *before;
	enum view_form form;
	const char *at; /* a JSON pointer */
	const struct view_row *below;
};

static const struct view_row view_port[] = {
	{6, "Container Port:\t", VIEW_NUMBER, "/containerPort", NULL},
	{6, "Name:          \t", VIEW_TEXT, "/name", NULL},
	{0},
};

static const struct view_row view_container[] = {
	{5, "Command:", VIEW_LINES, "/command", NULL},
	{5, "Image:\t", VIEW_TEXT, "/image", NULL},
	{5, "Name: \t", VIEW_TEXT, "/name", NULL},
	{5, "Ports:", VIEW_EACH, "/ports", view_port},
	{5, "Resources:", VIEW_TITLE, NULL, NULL},
	{6, "Limits:", VIEW_TITLE, NULL, NULL},
	{7, "Cpu:   \t", VIEW_QUANTITY, "/resources/limits/cpu", NULL},
	{7, "Memory:\t", VIEW_QUANTITY, "/resources/limits/memory", NULL},
	{6, "Requests:", VIEW_TITLE, NULL, NULL},
	{7, "Cpu:   \t", VIEW_QUANTITY, "/resources/requests/cpu", NULL},
	{7, "Memory:\t", VIEW_QUANTITY, "/resources/requests/memory", NULL},
	{6, "Working Dir:\t", VIEW_TEXT, "/workingDir", NULL},
	{0},
};

static const struct view_row view_secret[] = {
	{5, "Name:     \t", VIEW_TEXT, "/name", NULL},
	{0},
};

#define NOTE "/template/metadata/annotations/"
static const struct view_row view_task[] = {
	{2, "Name:\t", VIEW_TEXT, "/name", NULL},
	{2, "Replicas:\t", VIEW_NUMBER, "/replicas", NULL},
	{2, "Template:", VIEW_TITLE, NULL, NULL},
	{3, "Metadata:", VIEW_TITLE, NULL, NULL},
	{4, "Annotations:", VIEW_TITLE, NULL, NULL},
	{5, "Cri . Cci . Io / Container - Type:          \t", VIEW_TEXT,
	 NOTE "cri.cci.io~1container-type", NULL},
	{5, "Kubernetes . Io / Availablezone:            \t", VIEW_TEXT,
	 NOTE "kubernetes.io~1availablezone", NULL},
	{5, "Network . Alpha . Kubernetes . Io / Network:\t", VIEW_TEXT,
	 NOTE "network.alpha.kubernetes.io~1network", NULL},
	{4, "Creation Timestamp:\t", VIEW_TIME, "/template/metadata/creationTimestamp", NULL},
	{3, "Spec:", VIEW_TITLE, NULL, NULL},
	{4, "Containers:", VIEW_EACH, "/template/spec/containers", view_container},
	{4, "Image Pull Secrets:", VIEW_EACH, "/template/spec/imagePullSecrets", view_secret},
	{4, "Restart Policy:   \t", VIEW_TEXT, "/template/spec/restartPolicy", NULL},
	{0},
};

static const struct view_row view_job[] = {
	{0, "Name:       \t", VIEW_TEXT, "/metadata/name", NULL},
	{0, "Namespace:  \t", VIEW_TEXT, "/metadata/namespace", NULL},
	{0, "Labels:     \t", VIEW_JSON, "/metadata/labels", NULL},
	{0, "Annotations:\t", VIEW_JSON, "/metadata/annotations", NULL},
	{0, "API Version:\t", VIEW_TITLE, NULL, NULL},
	{0, "Kind:       \t", VIEW_TITLE, NULL, NULL},
	{0, "Metadata:", VIEW_TITLE, NULL, NULL},
	{1, "Creation Timestamp:\t", VIEW_TIME, "/metadata/creationTimestamp", NULL},
	{1, "Generate Name:     \t", VIEW_TEXT, "/metadata/generateName", NULL},
	{1, "Generation:        \t", VIEW_NUMBER, "/metadata/generation", NULL},
	{1, "Resource Version:  \t", VIEW_TEXT, "/metadata/resourceVersion", NULL},
	{1, "UID:               \t", VIEW_TEXT, "/metadata/uid", NULL},
	{0, "Spec:", VIEW_TITLE, NULL, NULL},
	{1, "Min Available:     \t", VIEW_NUMBER, "/spec/minAvailable", NULL},
	{1, "Plugins:", VIEW_TITLE, NULL, NULL},
	{2, "Env:\t", VIEW_WORDS, "/spec/plugins/env", NULL},
	{2, "Ssh:\t", VIEW_WORDS, "/spec/plugins/ssh", NULL},
	{1, "Scheduler Name:    \t", VIEW_TEXT, "/spec/schedulerName", NULL},
	{1, "Tasks:", VIEW_EACH, "/spec/tasks", view_task},
	{0, "Status:", VIEW_TITLE, NULL, NULL},
	{1, "Succeeded:    \t", VIEW_COUNT, "/status/succeeded", NULL},
	{1, "Pending:      \t", VIEW_COUNT, "/status/pending", NULL},
	{1, "Running:      \t", VIEW_COUNT, "/status/running", NULL},
	{1, "Failed:       \t", VIEW_COUNT, "/status/failed", NULL},
	{1, "Terminating:  \t", VIEW_COUNT, "/status/terminating", NULL},
	{1, "Unknown:      \t", VIEW_COUNT, "/status/unknown", NULL},
	{1, "RetryCount:   \t", VIEW_COUNT, "/status/retryCount", NULL},
	{1, "Min Available:\t", VIEW_COUNT, "/status/minAvailable", NULL},
	{1, "Version:      \t", VIEW_COUNT, "/status/version", NULL},
	{1, "State:", VIEW_TITLE, NULL, NULL},
	{2, "Phase:\t", VIEW_TEXT, "/status/state/phase", NULL},
	{0},
};

/* --- values ------------------------------------------------------------------------------------- */

static void put_time(struct str text, struct buf *to)
{
	struct time_fields t = {.year = 1, .month = 1, .day = 1};
	int64_t time;
	struct err err;

	if (time_parse(text, &time, &err) == 0)
		time_split(time, &t);
	buf_printf(to, "%04d-%02d-%02d %02d:%02d:%02d +0000 UTC", t.year, t.month, t.day, t.hour,
		   t.minute, t.second);
}

static void put_quantity(struct json value, struct buf *to)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	char canonical[QUANTITY_TEXT_SIZE];
	struct quantity quantity;
	struct err err;

	if (json_is(value, JSON_STR))
		buf_put_str(&text, json_str(value));
	else
		json_print(value, JSON_COMPACT, &text);
	if (!text.len || quantity_parse(buf_str(&text), &quantity, &err) < 0)
		buf_putc(to, '0');
	else
		buf_puts(to, quantity_canonical(&quantity, canonical));
}

static void put_words(struct json list, struct buf *to)
{
	struct json_iter it = json_iter(list);

	buf_putc(to, '[');
	while (json_next(&it))
		buf_printf(to, "%s%.*s", it.index ? " " : "", STR_ARG(json_str(it.value)));
	buf_putc(to, ']');
}

static void put_value(enum view_form form, struct json value, struct buf *to)
{
	switch (form) {
	case VIEW_TEXT:
		buf_put_str(to, json_str(value));
		break;
	case VIEW_NUMBER:
	case VIEW_COUNT:
		buf_put_int(to, json_int(value));
		break;
	case VIEW_JSON:
		if (json_len(value))
			json_print(value, JSON_CANONICAL, to);
		else
			buf_puts(to, "<none>");
		break;
	case VIEW_WORDS:
		put_words(value, to);
		break;
	case VIEW_TIME:
		put_time(json_str(value), to);
		break;
	case VIEW_QUANTITY:
		put_quantity(value, to);
		break;
	case VIEW_TITLE:
	case VIEW_LINES:
	case VIEW_EACH:
		break;
	}
}

static void put_indent(int depth, struct buf *to)
{
	buf_printf(to, "%*s", 2 * depth, "");
}

/* A list of lists is walked one level at a time: the table's depth bounds it. */
static void put_rows(const struct view_row *rows, struct json object, struct buf *to)
{
	for (const struct view_row *row = rows; row->before; row++) {
		struct json value =
			row->at ? json_pointer_get(object, str_from(row->at)) : JSON_NONE;
		struct json_iter it = json_iter(value);

		if (row->form == VIEW_COUNT && json_int(value) <= 0)
			continue;
		put_indent(row->depth, to);
		buf_puts(to, row->before);
		put_value(row->form, value, to);
		buf_putc(to, '\n');
		while (row->form == VIEW_LINES && json_next(&it)) {
			put_indent(row->depth + 1, to);
			buf_printf(to, "%.*s\n", STR_ARG(json_str(it.value)));
		}
		while (row->form == VIEW_EACH && json_next(&it))
			put_rows(row->below, it.value, to);
	}
}

static void put_conditions(struct json status, struct buf *to)
{
	struct json_iter controlled = json_iter(json_get(status, "controlledResources"));
	struct json_iter conditions = json_iter(json_get(status, "conditions"));

	if (json_len(json_get(status, "controlledResources")))
		buf_puts(to, "  Controlled Resources:\n");
	while (json_next(&controlled))
		buf_printf(to, "    %.*s: \t%.*s\n", STR_ARG(controlled.key),
			   STR_ARG(json_str(controlled.value)));
	if (json_len(json_get(status, "conditions")))
		buf_puts(to, "  Conditions:\n    Status\tTransitionTime\n");
	while (json_next(&conditions)) {
		buf_printf(to, "    %.*s \t",
			   STR_ARG(json_str(json_get(conditions.value, "status"))));
		put_time(json_str(json_get(conditions.value, "lastTransitionTime")), to);
		buf_puts(to, " \n");
	}
}

/* --- events ------------------------------------------------------------------------------------- */

static void put_event(struct cli *cli, struct json event, struct buf *to)
{
	AUTO(buf_done) struct buf age = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf from = BUF_UNBOUNDED;
	struct json source = json_get(event, "source");
	int64_t count = json_int(json_get(event, "count"));
	struct str first = json_str(json_get(event, "firstTimestamp"));

	if (!first.len) /* of the newer form */
		first = json_str(json_get(event, "eventTime"));
	if (count > 1) {
		listing_put_age(cli, json_str(json_get(event, "lastTimestamp")), &age);
		buf_printf(&age, " (x%lld over ", (long long)count);
	}
	listing_put_age(cli, first, &age);
	if (count > 1)
		buf_putc(&age, ')');
	buf_put_str(&from, json_str(json_get(source, "component")));
	if (json_str(json_get(source, "host")).len)
		buf_printf(&from, ", %.*s", STR_ARG(json_str(json_get(source, "host"))));
	buf_printf(to, "%-15.*s\t%-40.*s\t%-30s\t%-40s\t%.*s\n",
		   STR_ARG(json_str(json_get(event, "type"))),
		   STR_ARG(json_str(json_get(event, "reason"))), buf_text(&age), buf_text(&from),
		   STR_ARG(str_trim(json_str(json_get(event, "message")))));
}

/* Events are named "<job>.<number>". */
static void put_events(struct cli *cli, struct str job, struct json events, struct buf *to)
{
	struct str prefix = str_from(arena_printf(cli->arena, "%.*s.", STR_ARG(job)));
	struct json_iter it = json_iter(json_get(events, "items"));
	bool any = false;

	while (json_next(&it)) {
		struct str name = meta_name(it.value);

		if (!str_starts(name, prefix))
			continue;
		if (!any)
			buf_printf(to,
				   "Events:\n%-15s\t%-40s\t%-30s\t%-40s\t%s\n%-15s\t%-40s\t%-30s\t%"
				   "-40s\t%s\n",
				   "Type", "Reason", "Age", "Form", "Message", "-------", "-------",
				   "-------", "-------", "-------");
		any = true;
		put_event(cli, it.value, to);
	}
	if (!any)
		buf_puts(to, "Events: \t<none>\n");
}

int job_view(struct cli *cli, struct str namespace, struct str name, struct err *err)
{
	AUTO(json_doc_unref)
	struct json_doc *job = cli_get(cli, RESOURCE_VCJOBS, namespace, name, err);
	AUTO(json_doc_unref) struct json_doc *events = NULL;
	struct err of_events;

	if (!job)
		return -1;
	events = cli_list(cli, RESOURCE_EVENTS, namespace, str_none(), &of_events);
	if (!events) /* without permission for events, the job is still shown */
		cli_warn(cli, "Failed to list events: %s", of_events.text);
	put_rows(view_job, json_doc_root(job), &cli->out);
	put_conditions(json_get(json_doc_root(job), "status"), &cli->out);
	put_events(cli, name, json_doc_root(events), &cli->out);
	return 0;
}

static int run(void *program, struct err *err)
{
	struct cli *cli = program;
	struct str name = cli_name(cli);

	if (!name.len)
		return err_set(
			err, ERR_BAD_REQUEST,
			"job name (specified by --name or -N) is mandatory to view a particular "
			"job");
	return job_view(cli, cli_namespace(cli), name, err);
}

static const struct flag flags[] = {CLI_FLAG_NAME("job"), CLI_FLAG_NAMESPACE, {.name = NULL}};

const struct command command_job_view = {.name = "view",
					 .about = "show a job and what happened to it",
					 .arguments = "[NAME]",
					 .flags = flags,
					 .run = run};
