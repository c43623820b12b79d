/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns_apps.c - the columns of controllers of pods: those of the core, apps, autoscaling and batch. */
#include "apiserver/kind/cell.h"
#include "apiserver/kind/columns.h"
#include "base/time.h"
#include "model/group/autoscaling.h"
#include "model/value/duration.h"

#include "base/banned.h"

/* What the template of pods at a path has in it. */
#define COLUMNS_TEMPLATE(template, ...)                                                   \
	COLUMN("Containers", "string", "The containers of its pods", .cell = cell_names,  \
	       .path = template ".spec.containers", __VA_ARGS__),                         \
		COLUMN("Images", "string", "The images of its pods", .cell = cell_images, \
		       .path = template ".spec.containers", __VA_ARGS__)
#define COLUMN_COUNT(title, what, where) \
	COLUMN(title, "integer", what, .cell = cell_int, .path = (where))
#define COLUMN_SELECTOR(where, ...)                                                    \
	COLUMN("Selector", "string", "How it chooses its pods", .cell = cell_selector, \
	       .path = (where), WIDE, __VA_ARGS__)

/* Of those that keep a number of pods. */
#define COLUMNS_REPLICAS                                                                       \
	COLUMN_NAME, COLUMN_COUNT("Desired", "How many pods it should have", "spec.replicas"), \
		COLUMN_COUNT("Current", "How many pods it has", "status.replicas"),            \
		COLUMN_COUNT("Ready", "How many of them are ready", "status.readyReplicas"),   \
		COLUMN_AGE, COLUMNS_TEMPLATE("spec.template", WIDE)

static struct json ready_of(const struct kind_column *column, struct json object,
			    struct json_doc *doc, int64_t now)
{
	(void)column;
	(void)now;
	return json_new_printf(doc, "%d/%d",
			       (int)json_int(cell_follow(object, "status.readyReplicas")),
			       (int)json_int(cell_follow(object, "spec.replicas")));
}

const struct kind_column columns_podtemplate[] = {
	COLUMN_NAME,
	COLUMNS_TEMPLATE("template", .priority = 0),
	COLUMN("Pod Labels", "string", "The labels of its pods", .cell = cell_labels,
	       .path = "template.metadata.labels"),
	COLUMN_END,
};

const struct kind_column columns_replicationcontroller[] = {
	COLUMNS_REPLICAS,
	COLUMN("Selector", "string", "How it chooses its pods", .cell = cell_labels,
	       .path = "spec.selector", WIDE),
	COLUMN_END,
};

const struct kind_column columns_replicaset[] = {
	COLUMNS_REPLICAS,
	COLUMN_SELECTOR("spec.selector", .none = "<none>"),
	COLUMN_END,
};

const struct kind_column columns_scale[] = {
	COLUMN("Name", "string", CELL_NAME_DOC, .cell = cell_text, .path = "metadata.name"),
	COLUMN("Desired", "integer", "How many pods are wanted", .cell = cell_int,
	       .path = "spec.replicas"),
	COLUMN("Available", "integer", "How many pods there are", .cell = cell_int,
	       .path = "status.replicas"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_deployment[] = {
	COLUMN_NAME,
	COLUMN("Ready", "string", "How many of its pods are ready", .cell = ready_of),
	COLUMN("Up-to-date", "string", "How many pods have the newest template", .cell = cell_int,
	       .path = "status.updatedReplicas"),
	COLUMN("Available", "string", "How many pods can be counted on", .cell = cell_int,
	       .path = "status.availableReplicas"),
	COLUMN_AGE,
	COLUMNS_TEMPLATE("spec.template", WIDE),
	COLUMN_SELECTOR("spec.selector", .none = ""),
	COLUMN_END,
};

const struct kind_column columns_statefulset[] = {
	COLUMN_NAME, COLUMN("Ready", "string", "How many of its pods are ready", .cell = ready_of),
	COLUMN_AGE,  COLUMNS_TEMPLATE("spec.template", WIDE),
	COLUMN_END,
};

const struct kind_column columns_daemonset[] = {
	COLUMN_NAME,
	COLUMN_COUNT("Desired", "How many nodes should have a pod",
		     "status.desiredNumberScheduled"),
	COLUMN_COUNT("Current", "How many nodes have one", "status.currentNumberScheduled"),
	COLUMN_COUNT("Ready", "How many of them are ready", "status.numberReady"),
	COLUMN_COUNT("Up-to-date", "How many have the newest template",
		     "status.updatedNumberScheduled"),
	COLUMN_COUNT("Available", "How many can be counted on", "status.numberAvailable"),
	COLUMN("Node Selector", "string", "Which nodes it is for", .cell = cell_labels,
	       .path = "spec.template.spec.nodeSelector"),
	COLUMN_AGE,
	COLUMNS_TEMPLATE("spec.template", WIDE),
	COLUMN_SELECTOR("spec.selector", .none = "<none>"),
	COLUMN_END,
};

/* --- revisions ------------------------------------------------------------------------------- */

static struct json controller_of(struct json object)
{
	struct json_iter it = json_iter(cell_follow(object, "metadata.ownerReferences"));

	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller")))
			return it.value;
	return JSON_NONE;
}

/* "statefulset.apps/web" */
static struct json revision_controller(const struct kind_column *column, struct json object,
				       struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json owner = controller_of(object);
	struct str version = json_str(json_get(owner, "apiVersion"));
	ptrdiff_t slash = str_find_byte(version, '/', 0);

	(void)column;
	(void)now;
	if (json_is_absent(owner))
		return json_new_str(doc, STR("<none>"));
	cell_print_lower(json_str(json_get(owner, "kind")), &text);
	if (slash > 0) {
		buf_putc(&text, '.');
		cell_print_lower(str_slice(version, 0, (size_t)slash), &text);
	}
	buf_printf(&text, "/%.*s", STR_ARG(json_str(json_get(owner, "name"))));
	return cell_take(doc, &text);
}

const struct kind_column columns_controllerrevision[] = {
	COLUMN_NAME,
	COLUMN("Controller", "string", "Whose state it is", .cell = revision_controller),
	COLUMN("Revision", "string", "Its number", .cell = cell_int, .path = "revision"),
	COLUMN_AGE,
	COLUMN_END,
};

/* --- jobs ------------------------------------------------------------------------------------ */

static bool has_condition(struct json job, const char *type)
{
	struct json_iter it = json_iter(cell_follow(job, "status.conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return str_is(json_str(json_get(it.value, "status")), "True");
	return false;
}

static struct json job_status(const struct kind_column *column, struct json job,
			      struct json_doc *doc, int64_t now)
{
	/* the first that holds; NULL stands for being removed */
	static const char *const conditions[] = {
		"Complete", "Failed", NULL, "Suspended", "FailureTarget", "SuccessCriteriaMet"};
	bool removed = json_str(cell_follow(job, "metadata.deletionTimestamp")).len > 0;

	(void)column;
	(void)now;
	for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
		if (!conditions[i] && removed)
			return json_new_str(doc, STR("Terminating"));
		if (conditions[i] && has_condition(job, conditions[i]))
			return json_new_str(doc, str_from(conditions[i]));
	}
	return json_new_str(doc, STR("Running"));
}

static struct json job_completions(const struct kind_column *column, struct json job,
				   struct json_doc *doc, int64_t now)
{
	struct json wanted = cell_follow(job, "spec.completions");
	int done = (int)json_int(cell_follow(job, "status.succeeded"));
	int parallel = (int)json_int(cell_follow(job, "spec.parallelism"));

	(void)column;
	(void)now;
	if (json_is(wanted, JSON_INT))
		return json_new_printf(doc, "%d/%d", done, (int)json_int(wanted));
	if (parallel > 1)
		return json_new_printf(doc, "%d/1 of %d", done, parallel);
	return json_new_printf(doc, "%d/1", done);
}

static struct json job_duration(const struct kind_column *column, struct json job,
				struct json_doc *doc, int64_t now)
{
	char text[DURATION_TEXT_SIZE];
	int64_t start;
	int64_t end;

	(void)column;
	if (time_parse(json_str(cell_follow(job, "status.startTime")), &start, NULL) < 0)
		return json_new_str(doc, STR(""));
	if (time_parse(json_str(cell_follow(job, "status.completionTime")), &end, NULL) < 0)
		end = now;
	return json_new_str(doc, str_from(duration_print_age(end - start, text)));
}

const struct kind_column columns_job[] = {
	COLUMN_NAME,
	COLUMN("Status", "string", "How far it is", .cell = job_status),
	COLUMN("Completions", "string", "How many of its pods have succeeded",
	       .cell = job_completions),
	COLUMN("Duration", "string", "How long it has taken", .cell = job_duration),
	COLUMN_AGE,
	COLUMNS_TEMPLATE("spec.template", WIDE),
	COLUMN_SELECTOR("spec.selector", .none = "<none>"),
	COLUMN_END,
};

static struct json cronjob_suspended(const struct kind_column *column, struct json object,
				     struct json_doc *doc, int64_t now)
{
	struct json suspend = cell_follow(object, "spec.suspend");

	(void)column;
	(void)now;
	if (!json_is(suspend, JSON_BOOL))
		return json_new_str(doc, STR("<unset>"));
	return json_new_str(doc, json_bool(suspend) ? STR("True") : STR("False"));
}

const struct kind_column columns_cronjob[] = {
	COLUMN_NAME,
	COLUMN("Schedule", "string", "When it makes jobs", .cell = cell_text,
	       .path = "spec.schedule"),
	COLUMN("Timezone", "string", "Where the schedule's clock hangs", .cell = cell_text,
	       .path = "spec.timeZone", .none = "<none>"),
	COLUMN("Suspend", "boolean", "Whether it rests", .cell = cronjob_suspended),
	COLUMN("Active", "integer", "How many of its jobs run", .cell = cell_len,
	       .path = "status.active"),
	COLUMN("Last Schedule", "string", "When it last made a job", .cell = cell_age,
	       .path = "status.lastScheduleTime", .none = "<none>"),
	COLUMN_AGE,
	COLUMNS_TEMPLATE("spec.jobTemplate.spec.template", WIDE),
	COLUMN_SELECTOR("spec.jobTemplate.spec.selector", .none = "<none>"),
	COLUMN_END,
};

/* --- autoscalers ----------------------------------------------------------------------------- */

/* How the cell of a source of metrics reads: whether it names the resource, what it prints of a target that
 * is an average, and whether it can be a percentage. */
static const struct source {
	const char *type;
	const char *member;
	const char *average_suffix;
	bool named;
} sources[] = {
	{"External", "external", " (avg)", false},
	{"Pods", "pods", "", false},
	{"Object", "object", " (avg)", false},
	{"Resource", "resource", "", true},
	{"ContainerResource", "containerResource", "", true},
};

/* A quantity as it is stored, a percentage with its sign, or what stands for none. */
static void put_amount(struct json holder, const char *key, const char *none, struct buf *to)
{
	struct json value = json_get(holder, key);

	if (json_is(value, JSON_INT))
		buf_printf(to, "%d%%", (int)json_int(value));
	else
		buf_puts(to, json_is(value, JSON_STR) ? json_str(value).ptr : none);
}

static void put_metric(struct json spec, struct json status, struct buf *to)
{
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct json of = json_get(spec, sources[i].member);
		struct json target = json_get(of, "target");
		struct json current = json_get(json_get(status, sources[i].member), "current");
		bool average = !json_is_absent(json_get(target, "averageValue"));
		const char *key = average            ? "averageValue"
				  : sources[i].named ? "averageUtilization"
						     : "value";

		if (!str_is(json_str(json_get(spec, "type")), sources[i].type))
			continue;
		if (sources[i].named)
			buf_printf(to, "%.*s: ", STR_ARG(json_str(json_get(of, "name"))));
		put_amount(current, key, "<unknown>", to);
		buf_putc(to, '/');
		put_amount(target, key, "<auto>", to);
		buf_puts(to, average ? sources[i].average_suffix : "");
		return;
	}
	buf_puts(to, "<unknown type>");
}

/* The first two, and how many more there are. */
static struct json targets_of(const struct kind_column *column, struct json object,
			      struct json_doc *doc, int64_t now)
{
	enum { SHOWN = 2 };
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	bool old = str_is(json_str(json_get(object, "apiVersion")), "autoscaling/v1");
	struct json full = old ? autoscaler_from_v1(object, doc) : object;
	struct json metrics = cell_follow(full, "spec.metrics");
	struct json current = cell_follow(full, "status.currentMetrics");
	struct json_iter it = json_iter(metrics);

	(void)column;
	(void)now;
	if (json_len(metrics) == 0)
		return json_new_str(doc, STR("<none>"));
	while (json_next(&it) && it.index < SHOWN) {
		cell_separate(&text, ", ");
		put_metric(it.value, json_at(current, it.index), &text);
	}
	if (json_len(metrics) > SHOWN)
		buf_printf(&text, " + %zu more...", json_len(metrics) - SHOWN);
	return cell_take(doc, &text);
}

static struct json scaled_of(const struct kind_column *column, struct json object,
			     struct json_doc *doc, int64_t now)
{
	struct json ref = cell_follow(object, "spec.scaleTargetRef");

	(void)column;
	(void)now;
	return json_new_printf(doc, "%.*s/%.*s", STR_ARG(json_str(json_get(ref, "kind"))),
			       STR_ARG(json_str(json_get(ref, "name"))));
}

const struct kind_column columns_autoscaler[] = {
	COLUMN_NAME,
	COLUMN("Reference", "string", "What it scales", .cell = scaled_of),
	COLUMN("Targets", "string", "What is measured, and what it should be", .cell = targets_of),
	COLUMN("MinPods", "string", "The fewest pods", .cell = cell_text,
	       .path = "spec.minReplicas", .none = "<unset>"),
	COLUMN("MaxPods", "string", "The most pods", .cell = cell_int, .path = "spec.maxReplicas"),
	COLUMN("Replicas", "string", "How many pods there are", .cell = cell_int,
	       .path = "status.currentReplicas"),
	COLUMN_AGE,
	COLUMN_END,
};
