/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/object_warnings.c - see the header. For an object without a warning the cost is a look at each annotation that exists
 * a rule for, and no memory. */
#include "sched/report/object_warnings.h"

#include "base/buf.h"
#include "base/macro.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/value/duration.h"
#include "model/volcano/vcjob.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum { LOST_PATIENCE = 5000000 }; /* microseconds */

struct object_warning {
	enum warning_kind kind;
	enum warning_topic topic;
	int64_t due; /* when to report it */
	char *key;   /* "namespace/name", or "name" */
	char *map_key;
	char *text;
	bool reported;
};

struct object_warnings {
	struct map *all;   /* by map_key */
	size_t unreported; /* at most so many; those that are not due yet are among them */
};

/* --- rules ----------------------------------------------------------------------------------- */

static bool is_bool(struct str text)
{
	bool value;

	return number_parse_bool(text, &value, NULL) == 0;
}

static bool is_priority(struct str text)
{
	int64_t value;

	return number_parse_range(text, INT32_MIN, INT32_MAX, &value, NULL) == 0;
}

static bool is_duration(struct str text)
{
	int64_t nanoseconds;

	return duration_parse(text, &nanoseconds, NULL) == 0;
}

static bool is_time_to_wait(struct str text)
{
	int64_t nanoseconds;

	return duration_parse(text, &nanoseconds, NULL) == 0 && nanoseconds > 0;
}

/* Volcano takes a number below 0 for none, without a word. */
static bool is_amount(struct str text)
{
	int64_t value;

	return number_parse_i64(text, &value, NULL) == 0 && value >= 0;
}

static bool is_weight_path(struct str text)
{
	struct str rest = text, part;
	double weight;

	while (str_split(&rest, '/', &part))
		if (number_parse_double(part, &weight, NULL) < 0 || weight < 1)
			return false;
	return text.len > 0;
}

static bool is_strategy(struct str text)
{
	return str_is(text, "LeastAllocated") || str_is(text, "MostAllocated");
}

static bool is_weights(struct str text)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(text, NULL, NULL);
	struct json_iter it = json_iter(doc ? json_doc_root(doc) : JSON_NONE);

	if (!doc || !json_is(json_doc_root(doc), JSON_OBJ))
		return false;
	while (json_next(&it))
		if (!json_is_i64(it.value))
			return false;
	return true;
}

struct rule {
	const char *key;
	bool (*good)(struct str text);
	const char *what;
	bool by_label; /* a label of that name counts as well */
};
static bool is_numa_policy(struct str text)
{
	for (int i = 0; i < NUMA_POLICY_COUNT; i++)
		if (str_is(text, numa_policy_names[i]))
			return true;
	return false;
}

static const struct rule pod_rules[] = {
	{"volcano.sh/numa-topology-policy", is_numa_policy,
	 "policy: none, best-effort, restricted or single-numa-node", false},
	{"volcano.sh/task-priority", is_priority, "priority: a whole number of 32 bits", false},
	{"volcano.sh/preemptable", is_bool, "truth: true or false", true},
	{"volcano.sh/cooldown-time", is_duration, "duration such as 5m", true},
	{"volcano.sh/resource-strategy-scoring-type", is_strategy,
	 "strategy: LeastAllocated or MostAllocated", false},
	{"volcano.sh/resource-strategy-weight", is_weights,
	 "JSON object of whole numbers such as {\"cpu\": 2}", false},
};
static const struct rule group_rules[] = {
	{"volcano.sh/sla-waiting-time", is_time_to_wait, "time to wait such as 1h30m", false},
	{"sla-waiting-time", is_time_to_wait, "time to wait such as 1h30m", false},
	{"volcano.sh/preemptable", is_bool, "truth: true or false", true},
};

static const struct rule node_rules[] = {
	{"volcano.sh/oversubscription-cpu", is_amount, "whole number of thousandths of a cpu",
	 false},
	{"volcano.sh/oversubscription-memory", is_amount, "whole number of bytes", false},
};
static const struct rule queue_rules[] = {
	{"volcano.sh/hierarchy-weights", is_weight_path,
	 "list of weights of at least 1 such as 1/50/50", false},
};
static const struct rules {
	const struct rule *at;
	size_t len;
} rules_of[WARNING_KIND_COUNT] = {
	[WARNING_POD] = {pod_rules, ARRAY_LEN(pod_rules)},
	[WARNING_GROUP] = {group_rules, ARRAY_LEN(group_rules)},
	[WARNING_NODE] = {node_rules, ARRAY_LEN(node_rules)},
	[WARNING_QUEUE] = {queue_rules, ARRAY_LEN(queue_rules)},
};

static void check_value(const struct rule *rule, const char *sort, struct json value,
			struct buf *to)
{
	if (!json_is(value, JSON_STR) || rule->good(json_str(value)))
		return;
	buf_printf(to, "%s%s %s is passed over: \"%.*s\" is no %s", to->len ? "; " : "", sort,
		   rule->key, STR_ARG(json_str(value)), rule->what);
}

/* --- keeping --------------------------------------------------------------------------------- */

static void warning_free(struct object_warning *warning)
{
	if (!warning)
		return;
	mem_free(warning->key);
	mem_free(warning->map_key);
	mem_free(warning->text);
	mem_free(warning);
}

struct object_warnings *object_warnings_new(void)
{
	struct object_warnings *warnings = mem_new(struct object_warnings);

	warnings->all = map_new(0);
	return warnings;
}

void object_warnings_free(struct object_warnings *warnings)
{
	size_t at = 0;
	void *value;

	if (!warnings)
		return;
	while (map_next(warnings->all, &at, NULL, &value))
		warning_free(value);
	map_free(warnings->all);
	mem_free(warnings);
}

static char *map_key_of(enum warning_kind kind, enum warning_topic topic, struct str key)
{
	return mem_printf("%d %d %.*s", (int)kind, (int)topic, STR_ARG(key));
}

/* What is reported as a warning already stays; NULL: it, or nothing at all, is. */
static struct object_warning *renew(struct object_warnings *warnings, enum warning_kind kind,
				    enum warning_topic topic, struct str key, const char *text)
{
	AUTO(mem_free) char *map_key = NULL;
	struct object_warning *warning;

	if (!text && !map_len(warnings->all))
		return NULL;
	map_key = map_key_of(kind, topic, key);
	warning = map_get(warnings->all, str_from(map_key));
	if (warning && text && str_is(str_from(text), warning->text))
		return NULL;
	map_remove(warnings->all, str_from(map_key));
	warning_free(warning);
	if (!text)
		return NULL;
	warning = mem_new(struct object_warning);
	warning->kind = kind;
	warning->topic = topic;
	warning->key = str_dup(key);
	warning->text = mem_strdup(text);
	warning->map_key = TAKE(map_key);
	(void)map_put(warnings->all, str_from(warning->map_key), warning);
	warnings->unreported++;
	return warning;
}

void object_warnings_set(struct object_warnings *warnings, enum warning_kind kind,
			 enum warning_topic topic, struct str key, const char *text)
{
	(void)renew(warnings, kind, topic, key, text);
}

/* Is it unknown where it belongs? */
static bool is_lost(const struct task *task)
{
	return task->ours && task->status == TASK_PENDING && (!task->job || !task->job->grouped);
}

void object_warnings_set_lost(struct object_warnings *warnings, const struct task *task)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct object_warning *warning;

	if (!is_lost(task))
		return;
	if (task->job)
		buf_printf(&text,
			   "PodGroup %.*s, which annotation scheduling.k8s.io/group-name names, "
			   "does not exist: create it",
			   STR_ARG(job_name(task->job)));
	else
		buf_puts(&text, "the pod is of no PodGroup, and no controller has made one for it: "
				"is vc-controller-manager running?");
	warning = renew(warnings, WARNING_POD, WARNING_LOST, task_key(task), buf_text(&text));
	if (warning)
		warning->due = task->created + LOST_PATIENCE;
}

void object_warnings_check(struct object_warnings *warnings, enum warning_kind kind, struct str key,
			   struct json notes, struct json labels)
{
	const struct rules *rules = &rules_of[kind];
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < rules->len; i++) {
		const struct rule *rule = &rules->at[i];

		check_value(rule, "annotation", json_get(notes, rule->key), &text);
		if (rule->by_label)
			check_value(rule, "label", json_get(labels, rule->key), &text);
	}
	object_warnings_set(warnings, kind, WARNING_READ, key, text.len ? buf_text(&text) : NULL);
}

void object_warnings_forget(struct object_warnings *warnings, enum warning_kind kind,
			    struct str key)
{
	for (int topic = 0; topic < WARNING_TOPIC_COUNT; topic++)
		object_warnings_set(warnings, kind, (enum warning_topic)topic, key, NULL);
}

/* --- reports --------------------------------------------------------------------------------- */

bool object_warnings_are_unreported(const struct object_warnings *warnings)
{
	return warnings->unreported > 0;
}

/* Whose it is; false: it was deleted. */
static bool find_object(const struct cluster *cluster, const struct object_warning *warning,
			struct decision *ret)
{
	const struct node_info *node;

	switch (warning->kind) {
	case WARNING_POD:
		ret->task = map_get(cluster->tasks, str_from(warning->key));
		return ret->task;
	case WARNING_GROUP:
		ret->job = map_get(cluster->jobs, str_from(warning->key));
		return ret->job;
	case WARNING_QUEUE:
		ret->queue = cluster_find_queue(cluster, str_from(warning->key));
		return ret->queue;
	case WARNING_NODE:
	case WARNING_KIND_COUNT:
		break;
	}
	node = cluster_find_node(cluster, str_from(warning->key));
	ret->node = node ? node->text.ptr : NULL;
	return node;
}

static const char *const reason_of[WARNING_TOPIC_COUNT] = {
	[WARNING_READ] = "InvalidAnnotation",  [WARNING_PLUGIN] = "InvalidAnnotation",
	[WARNING_NETWORK] = "InvalidTopology", [WARNING_LOST] = "FailedScheduling",
	[WARNING_USAGE] = "NoUsageSamples",
};

/* False: it does not hold any more. */
static bool report(struct session *ssn, const struct object_warning *warning)
{
	struct decision d = {.kind = DECIDE_EVENT,
			     .type = "Warning",
			     .reason = reason_of[warning->topic],
			     .at_once = true};

	if (!find_object(ssn->cluster, warning, &d) ||
	    (warning->topic == WARNING_LOST && (!d.task || !is_lost(d.task))))
		return false;
	d.message = arena_strdup(ssn->arena, warning->text);
	vec_push(&ssn->decisions.all, d);
	return true;
}

void object_warnings_report(struct session *ssn)
{
	struct object_warnings *warnings = ssn->cluster->warnings;
	size_t at = 0;
	void *value;

	if (!warnings->unreported)
		return;
	warnings->unreported = 0;
	while (map_next(warnings->all, &at, NULL, &value)) {
		struct object_warning *warning = value;

		if (warning->reported)
			continue;
		if (warning->due > ssn->now) {
			warnings->unreported++;
			continue;
		}
		warning->reported = report(ssn, warning);
		if (warning->reported)
			continue;
		map_remove(warnings->all, str_from(warning->map_key));
		warning_free(warning);
	}
}
