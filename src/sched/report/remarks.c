/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/remarks.c - see the header. Objects without a remark cost a look at each annotation that there is
 * a rule for, and no memory. */
#include "sched/report/remarks.h"

#include "base/buf.h"
#include "base/macro.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/value/duration.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum { LOST_PATIENCE = 5000000 }; /* microseconds */

struct remark {
	enum remark_kind kind;
	enum remark_topic topic;
	int64_t due; /* when to tell of it */
	char *key;   /* "namespace/name", or "name" */
	char *map_key;
	char *text;
	bool told;
};

struct remarks {
	struct map *all; /* by map_key */
	size_t untold;   /* at most so many; those that are not due yet are among them */
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
static const struct rule pod_rules[] = {
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
} rules_of[REMARK_KIND_COUNT] = {
	[REMARK_POD] = {pod_rules, ARRAY_LEN(pod_rules)},
	[REMARK_GROUP] = {group_rules, ARRAY_LEN(group_rules)},
	[REMARK_NODE] = {node_rules, ARRAY_LEN(node_rules)},
	[REMARK_QUEUE] = {queue_rules, ARRAY_LEN(queue_rules)},
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

static void remark_free(struct remark *remark)
{
	if (!remark)
		return;
	mem_free(remark->key);
	mem_free(remark->map_key);
	mem_free(remark->text);
	mem_free(remark);
}

struct remarks *remarks_new(void)
{
	struct remarks *remarks = mem_new(struct remarks);

	remarks->all = map_new(0);
	return remarks;
}

void remarks_free(struct remarks *remarks)
{
	size_t at = 0;
	void *value;

	if (!remarks)
		return;
	while (map_next(remarks->all, &at, NULL, &value))
		remark_free(value);
	map_free(remarks->all);
	mem_free(remarks);
}

static char *map_key_of(enum remark_kind kind, enum remark_topic topic, struct str key)
{
	return mem_printf("%d %d %.*s", (int)kind, (int)topic, STR_ARG(key));
}

/* What is remarked already stays; NULL: it, or nothing at all, is. */
static struct remark *renew(struct remarks *remarks, enum remark_kind kind, enum remark_topic topic,
			    struct str key, const char *text)
{
	AUTO(mem_free) char *map_key = NULL;
	struct remark *remark;

	if (!text && !map_len(remarks->all))
		return NULL;
	map_key = map_key_of(kind, topic, key);
	remark = map_get(remarks->all, str_from(map_key));
	if (remark && text && str_is(str_from(text), remark->text))
		return NULL;
	map_remove(remarks->all, str_from(map_key));
	remark_free(remark);
	if (!text)
		return NULL;
	remark = mem_new(struct remark);
	remark->kind = kind;
	remark->topic = topic;
	remark->key = str_dup(key);
	remark->text = mem_strdup(text);
	remark->map_key = TAKE(map_key);
	(void)map_put(remarks->all, str_from(remark->map_key), remark);
	remarks->untold++;
	return remark;
}

void remarks_set(struct remarks *remarks, enum remark_kind kind, enum remark_topic topic,
		 struct str key, const char *text)
{
	(void)renew(remarks, kind, topic, key, text);
}

/* Does nobody know where it belongs? */
static bool is_lost(const struct task *task)
{
	return task->ours && task->status == TASK_PENDING && (!task->job || !task->job->grouped);
}

void remarks_set_lost(struct remarks *remarks, const struct task *task)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct remark *remark;

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
	remark = renew(remarks, REMARK_POD, REMARK_LOST, task_key(task), buf_text(&text));
	if (remark)
		remark->due = task->created + LOST_PATIENCE;
}

void remarks_check(struct remarks *remarks, enum remark_kind kind, struct str key,
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
	remarks_set(remarks, kind, REMARK_READ, key, text.len ? buf_text(&text) : NULL);
}

void remarks_forget(struct remarks *remarks, enum remark_kind kind, struct str key)
{
	for (int topic = 0; topic < REMARK_TOPIC_COUNT; topic++)
		remarks_set(remarks, kind, (enum remark_topic)topic, key, NULL);
}

/* --- telling --------------------------------------------------------------------------------- */

bool remarks_are_untold(const struct remarks *remarks)
{
	return remarks->untold > 0;
}

/* Whose it is; false: it has gone. */
static bool find_object(const struct cluster *cluster, const struct remark *remark,
			struct decision *ret)
{
	const struct node_info *node;

	switch (remark->kind) {
	case REMARK_POD:
		ret->task = map_get(cluster->tasks, str_from(remark->key));
		return ret->task;
	case REMARK_GROUP:
		ret->job = map_get(cluster->jobs, str_from(remark->key));
		return ret->job;
	case REMARK_QUEUE:
		ret->queue = cluster_find_queue(cluster, str_from(remark->key));
		return ret->queue;
	case REMARK_NODE:
	case REMARK_KIND_COUNT:
		break;
	}
	node = cluster_find_node(cluster, str_from(remark->key));
	ret->node = node ? node->text.ptr : NULL;
	return node;
}

static const char *const reason_of[REMARK_TOPIC_COUNT] = {
	[REMARK_READ] = "InvalidAnnotation",
	[REMARK_PLUGIN] = "InvalidAnnotation",
	[REMARK_LOST] = "FailedScheduling",
};

/* False: it does not hold any more. */
static bool tell(struct session *ssn, const struct remark *remark)
{
	struct decision d = {.kind = DECIDE_EVENT,
			     .type = "Warning",
			     .reason = reason_of[remark->topic],
			     .at_once = true};

	if (!find_object(ssn->cluster, remark, &d) ||
	    (remark->topic == REMARK_LOST && (!d.task || !is_lost(d.task))))
		return false;
	d.message = arena_strdup(ssn->arena, remark->text);
	vec_push(&ssn->outcome.decisions, d);
	return true;
}

void remarks_tell(struct session *ssn)
{
	struct remarks *remarks = ssn->cluster->remarks;
	size_t at = 0;
	void *value;

	if (!remarks->untold)
		return;
	remarks->untold = 0;
	while (map_next(remarks->all, &at, NULL, &value)) {
		struct remark *remark = value;

		if (remark->told)
			continue;
		if (remark->due > ssn->now) {
			remarks->untold++;
			continue;
		}
		remark->told = tell(ssn, remark);
		if (remark->told)
			continue;
		map_remove(remarks->all, str_from(remark->map_key));
		remark_free(remark);
	}
}
