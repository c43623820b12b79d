/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster_group.c - PodGroups to jobs, and their sub-groups (scheduler specification, 1.18 and
 * 1.19). */
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/value/duration.h"
#include "model/volcano/wait_reason.h"
#include "sched/cluster/cluster_internal.h"
#include "sched/place/job_group.h"
#include "sched/report/explain.h"
#include "sched/report/object_warnings.h"

#include "base/banned.h"

#define PREEMPTABLE "volcano.sh/preemptable"
#define PODS_REJECTED "volcano.sh/pods-rejected"

/* What sub-groups, topologies and quotas need of the PodGroup's document. */
struct group_extra {
	struct json_doc *doc;
	struct arena *arena;
	struct podgroup view;
};

/* --- life ------------------------------------------------------------------------------------ */

static void sub_job_init(struct sub_job *sub, struct job *job)
{
	sub->job = job;
	list_push(&job->subs, &sub->link);
}

struct job *cluster_make_job(struct cluster *cluster, struct str key, size_t namespace_len)
{
	struct job *job = map_get(cluster->jobs, key);

	if (job)
		return job;
	job = mem_zalloc(sizeof(*job) + key.len + 1);
	memcpy(job->key, key.ptr, key.len);
	job->key_len = (uint32_t)key.len;
	job->namespace_len = (uint32_t)namespace_len;
	list_init(&job->queue_link);
	list_init(&job->active_link);
	list_init(&job->admitted_link);
	list_init(&job->subs);
	for (int i = 0; i < TASK_STATUS_COUNT; i++)
		list_init(&job->tasks[i]);
	sub_job_init(&job->main, job);
	map_put(cluster->jobs, job_key(job), job);
	return job;
}

static void drop_extra(struct group_extra *extra)
{
	if (!extra)
		return;
	arena_free(extra->arena);
	json_doc_unref(extra->doc);
	mem_free(extra);
}

static void free_subs(struct job *job)
{
	LIST_EACH(&job->subs, struct sub_job, link, sub) {
		if (sub == &job->main)
			continue;
		list_remove(&sub->link);
		mem_free((char *)sub->values.ptr);
		mem_free(sub);
	}
}

void cluster_free_job(struct cluster *cluster, struct job *job)
{
	if (job->queue)
		ledger_move_job(cluster, job, NULL);
	resources_count(&cluster->inqueue_whole, &job->inqueue_whole, -1);
	list_remove(&job->admitted_link);
	job_group_leave(cluster, job);
	if (list_is_linked(&job->active_link)) {
		list_remove(&job->active_link);
		if (job->blocked == cluster->unblocks)
			cluster->blocked_count--;
		else
			cluster->active_count--;
	}
	map_remove(cluster->jobs, job_key(job));
	free_subs(job);
	mem_free(job->policies);
	drop_extra(job->extra);
	for (size_t i = 0; i < job->roles.len; i++)
		symbols_drop(cluster->symbols, job->roles.ptr[i].name);
	vec_done(&job->roles);
	symbols_drop(cluster->symbols, job->queue_name);
	symbols_drop(cluster->symbols, job->priority_class);
	label_sets_drop(cluster->label_sets, job->notes);
	resources_done(&job->allocated);
	resources_done(&job->pending);
	resources_done(&job->min_resources);
	resources_done(&job->inqueue);
	resources_done(&job->inqueue_whole);
	resources_done(&job->elastic);
	mem_free(job->uid);
	mem_free(job->why);
	mem_free(job);
}

void cluster_drop_job(struct cluster *cluster, struct job *job)
{
	if (!job->grouped && !job->tally.total)
		cluster_free_job(cluster, job);
}

/* --- sub-groups ------------------------------------------------------------------------------ */

/* The values of a policy's keys in a task's labels, joined by "-"; false when one is missing. */
static bool put_values(const struct cluster *cluster, const struct sub_policy *policy,
		       const struct task *task, struct buf *to)
{
	for (size_t i = 0; i < policy->keys.len; i++) {
		uint32_t key = symbols_find(cluster->symbols, policy->keys.ptr[i]);
		uint32_t value = key ? label_set_get(task->labels, key) : SYMBOL_NONE;

		if (!value)
			return false;
		if (i)
			buf_putc(to, '-');
		buf_put_str(to, symbols_text(cluster->symbols, value));
	}
	return policy->keys.len > 0;
}

static bool captures(const struct cluster *cluster, const struct sub_policy *policy,
		     const struct task *task, struct buf *values)
{
	AUTO(arena_free) struct arena *arena = NULL;
	struct label space[LABELS_MAX];
	struct labels labels = label_set_view(task->labels, cluster->symbols, space);
	struct selector selector;

	buf_clear(values);
	if (policy->selector) {
		arena = arena_new(0);
		if (selector_from_object(policy->selector, arena, &selector, NULL) < 0 ||
		    !selector_matches(&selector, &labels))
			return false;
	}
	return put_values(cluster, policy, task, values);
}

static struct sub_job *make_sub(struct job *job, const struct sub_policy *policy, struct str values)
{
	struct str rest = values, first;
	struct sub_job *sub;

	LIST_EACH(&job->subs, struct sub_job, link, known)
		if (known->policy == policy && str_eq(known->values, values))
			return known;
	sub = mem_new(struct sub_job);
	sub_job_init(sub, job);
	sub->policy = policy;
	sub->values = str_of(str_dup(values), values.len);
	sub->min_available = policy->size;
	if (!str_split(&rest, '-', &first) || number_parse_i64(first, &sub->match_index, NULL) < 0)
		sub->match_index = 0;
	return sub;
}

struct sub_job *cluster_sub_job_of(struct cluster *cluster, struct job *job,
				   const struct task *task)
{
	AUTO(buf_done) struct buf values = BUF_INIT(SIZE_MAX);

	for (size_t i = 0; i < job->policy_count; i++)
		if (captures(cluster, &job->policies[i], task, &values))
			return make_sub(job, &job->policies[i], buf_str(&values));
	return &job->main;
}

/* --- the PodGroup ---------------------------------------------------------------------------- */

static bool is_volcano_note(void *arg, struct str key)
{
	(void)arg;
	return (str_find(key, STR("volcano.sh/"), 0) >= 0 &&
		!str_is(key, WAIT_REASONS_ANNOTATION)) ||
	       str_is(key, "sla-waiting-time");
}

static void set_symbol(struct cluster *cluster, uint32_t *symbol, struct str text)
{
	uint32_t now = symbols_take(cluster->symbols, text);

	symbols_drop(cluster->symbols, *symbol);
	*symbol = now;
}

static void set_roles(struct cluster *cluster, struct job *job, const struct podgroup *view)
{
	for (size_t i = 0; i < job->roles.len; i++)
		job->roles.ptr[i].min = 0;
	job->role_min_total = 0;
	for (size_t i = 0; i < view->spec.min_task_member.len; i++) {
		uint32_t name =
			symbols_take(cluster->symbols, view->spec.min_task_member.ptr[i].key);
		struct role *role = job_find_role(job, name);

		if (role) {
			symbols_drop(cluster->symbols, name);
		} else {
			vec_push(&job->roles, (struct role){.name = name});
			role = &job->roles.ptr[job->roles.len - 1];
		}
		role->min = view->spec.min_task_member.ptr[i].value;
		job->role_min_total += role->min;
	}
}

static int64_t waiting_time_of(const struct podgroup *view)
{
	struct str text = labels_get(&view->meta.annotations, STR("volcano.sh/sla-waiting-time"));
	int64_t nanoseconds;

	if (!text.len)
		text = labels_get(&view->meta.annotations, STR("sla-waiting-time"));
	if (duration_parse(text, &nanoseconds, NULL) < 0 || nanoseconds <= 0)
		return 0;
	return nanoseconds / 1000;
}

static struct opt_bool preemptable_of(const struct podgroup *view)
{
	const struct label *found = labels_find(&view->meta.annotations, STR(PREEMPTABLE));
	struct opt_bool ret = {0};

	if (!found)
		found = labels_find(&view->meta.labels, STR(PREEMPTABLE));
	if (!found)
		return ret;
	ret.set = true;
	if (number_parse_bool(found->value, &ret.value, NULL) < 0)
		ret.value = false;
	return ret;
}

static void set_status(struct job *job, const struct podgroup *view)
{
	static const char *const types[] = {
		[GROUP_UNSCHEDULABLE] = "Unschedulable", [GROUP_SCHEDULED] = "Scheduled"};

	job->phase = view->status.phase ? view->status.phase : PODGROUP_PENDING;
	job->reported_phase = view->status.phase;
	job->reported_counts[0] = view->status.running;
	job->reported_counts[1] = view->status.succeeded;
	job->reported_counts[2] = view->status.failed;
	explain_read(job, labels_get(&view->meta.annotations, STR(WAIT_REASONS_ANNOTATION)));
	memset(job->reported, 0, sizeof(job->reported));
	for (size_t i = 0; i < view->status.conditions.len; i++)
		for (size_t j = 0; j < GROUP_CONDITION_COUNT; j++) {
			const struct podgroup_condition *c = &view->status.conditions.ptr[i];

			if (str_is(c->type, types[j]))
				job->reported[j] = job_text_hash(c->reason, c->message);
		}
}

/* Sort all tasks into sub-groups again. */
static void resort(struct cluster *cluster, struct job *job, struct sub_policy *policies,
		   size_t count)
{
	VEC(struct task *) all = {0};

	for (int s = 0; s < TASK_STATUS_COUNT; s++)
		LIST_EACH(&job->tasks[s], struct task, job_link, task)
			vec_push(&all, task);
	for (size_t i = 0; i < all.len; i++)
		ledger_lift(cluster, all.ptr[i]);
	free_subs(job);
	mem_free(job->policies);
	job->policies = policies;
	job->policy_count = count;
	for (size_t i = 0; i < all.len; i++) {
		all.ptr[i]->sub = cluster_sub_job_of(cluster, job, all.ptr[i]);
		ledger_put(cluster, all.ptr[i]);
	}
	vec_done(&all);
}

static void set_policies(struct cluster *cluster, struct job *job, struct group_extra *extra)
{
	size_t count = extra ? extra->view.spec.sub_group_policy.len : 0;
	struct sub_policy *policies = NULL;

	if (count)
		policies = mem_calloc(count, sizeof(*policies));
	for (size_t i = 0; i < count; i++) {
		const struct podgroup_sub_group *from = &extra->view.spec.sub_group_policy.ptr[i];

		policies[i] = (struct sub_policy){
			.name = from->name,
			.size = from->sub_group_size.set ? from->sub_group_size.value : 1,
			.min_groups = from->min_sub_groups.value,
			.topology = from->network_topology,
			.selector = from->label_selector,
			.keys = from->match_label_keys,
		};
	}
	if (count || job->policy_count)
		resort(cluster, job, policies, count);
	job->main.min_available = job->policy_count ? 1 : job->min_available;
	drop_extra(job->extra);
	job->extra = extra;
}

static void set_queue(struct cluster *cluster, struct job *job, struct str name)
{
	struct str text = name.len ? name : str_from(cluster->default_queue);
	struct queue_info *queue = cluster_find_queue(cluster, text);

	set_symbol(cluster, &job->queue_name, text);
	if (job->queue != queue)
		ledger_move_job(cluster, job, queue);
}

static int32_t priority_of(const struct cluster *cluster, const struct job *job)
{
	int32_t value = 0;
	struct str name = symbols_text(cluster->symbols, job->priority_class);

	if (cluster->no_classes)
		return 0;
	if (!name.len || !cluster_priority(cluster, name, &value))
		(void)cluster_priority(cluster, str_none(), &value); /* the default one, or 0 */
	return value;
}

/* Names of minResources that only quotas know: "limits.cpu", "count/pods". */
static bool has_quota_names(const struct cluster *cluster, const struct podgroup *view)
{
	const struct resource_list *list = &view->spec.min_resources;

	for (size_t i = 0; i < list->len; i++)
		if (dims_find(cluster->dims, list->ptr[i].name) == DIM_NONE)
			return true;
	return false;
}

/* What was reserved for pods that cannot be created is free for others, and back. */
static void set_rejected(struct cluster *cluster, struct job *job, const struct podgroup *view)
{
	bool rejected = labels_find(&view->meta.annotations, STR(PODS_REJECTED)) != NULL;

	if (rejected == job->pods_rejected)
		return;
	job->pods_rejected = rejected;
	cluster->moves++;
	cluster_unblock_for_capacity(cluster);
}

int cluster_apply_group(struct cluster *cluster, struct json_doc *doc, struct err *err)
{
	struct group_extra *extra = mem_new(struct group_extra);
	struct podgroup *view = &extra->view;
	AUTO(mem_free) char *key = NULL;
	AUTO(resources_done) struct resources min = RESOURCES_INIT;
	struct job *job;

	extra->arena = arena_new(0);
	extra->doc = json_doc_ref(doc);
	if (type_decode(&podgroup_type, json_doc_root(doc), extra->arena, view, err) < 0 ||
	    resources_add_list(&min, cluster->dims, DIMS_FIND, &view->spec.min_resources, err) <
		    0) {
		drop_extra(extra);
		return -1;
	}
	key = mem_printf("%.*s/%.*s", STR_ARG(view->meta.namespace), STR_ARG(view->meta.name));
	job = cluster_make_job(cluster, str_from(key), view->meta.namespace.len);
	if (!job->grouped || !str_is(view->meta.uid, job->uid))
		job->arrival = ++cluster->arrivals;
	job->grouped = true;
	if (job->min_available != view->spec.min_member ||
	    !resources_equal(&job->min_resources, &min))
		cluster->moves++; /* it counts for more or less than before */
	mem_free(job->uid);
	job->uid = str_dup(view->meta.uid);
	job->created = view->meta.creation_timestamp;
	job->min_available = view->spec.min_member;
	job->has_min_resources =
		json_is(json_get(json_get(json_doc_root(doc), "spec"), "minResources"), JSON_OBJ);
	resources_copy(&job->min_resources, &min);
	job->waiting_time = waiting_time_of(view);
	job->preemptable = preemptable_of(view);
	set_rejected(cluster, job, view);
	label_sets_drop(cluster->label_sets, job->notes);
	job->notes =
		label_sets_take(cluster->label_sets,
				json_get(json_get(json_doc_root(doc), "metadata"), "annotations"),
				is_volcano_note, NULL);
	object_warnings_check(cluster->warnings, WARNING_GROUP, job_key(job),
			      json_get(json_get(json_doc_root(doc), "metadata"), "annotations"),
			      json_get(json_get(json_doc_root(doc), "metadata"), "labels"));
	set_symbol(cluster, &job->priority_class, view->spec.priority_class_name);
	job->priority = priority_of(cluster, job);
	set_roles(cluster, job, view);
	set_status(job, view);
	set_queue(cluster, job, view->spec.queue);
	if (!view->spec.sub_group_policy.len && !view->spec.network_topology &&
	    !resources_get(&min, DIM_OTHER) && !has_quota_names(cluster, view)) {
		drop_extra(extra);
		extra = NULL;
	}
	set_policies(cluster, job, extra);
	if (job->holding_session) /* it may want less, or come later: others have waited for that */
		cluster_unblock_for_capacity(cluster);
	cluster_touch_job(cluster, job);
	return 0;
}

void cluster_remove_group(struct cluster *cluster, struct str key)
{
	struct job *job = map_get(cluster->jobs, key);

	if (!job || !job->grouped)
		return;
	object_warnings_forget(cluster->warnings, WARNING_GROUP, key);
	job->grouped = false;
	if (job->queue)
		ledger_move_job(cluster, job, NULL);
	cluster_touch_job(cluster, job);
	ledger_count_job(cluster, job);
	cluster_drop_job(cluster, job);
}

void cluster_read_groups_again(struct cluster *cluster)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->jobs, &at, NULL, &value)) {
		struct job *job = value;
		AUTO(resources_done) struct resources min = RESOURCES_INIT;

		if (!job->extra || !resources_get(&job->min_resources, DIM_OTHER) ||
		    resources_add_list(&min, cluster->dims, DIMS_FIND,
				       &job->extra->view.spec.min_resources, NULL) < 0)
			continue;
		resources_copy(&job->min_resources, &min);
		cluster_touch_job(cluster, job);
	}
}

bool job_min_amount(const struct job *job, const struct dims *dims, struct str name, int64_t *ret)
{
	static const int64_t thousand = 1000;
	int dim = dims_find(dims, name);
	const struct resource_list *list =
		job->extra ? &job->extra->view.spec.min_resources : &(struct resource_list){0};

	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->ptr[i].name, name)) {
			*ret = quantity_milli(&list->ptr[i].value);
			return true;
		}
	if (job->extra || dim == DIM_NONE || !resources_get(&job->min_resources, dim))
		return false;
	*ret = resources_get(&job->min_resources, dim);
	if (dim_is_whole(dim))
		*ret = *ret > INT64_MAX / thousand ? INT64_MAX : *ret * thousand;
	return true;
}

const struct network_topology *job_topology(const struct job *job)
{
	return job->extra ? job->extra->view.spec.network_topology : NULL;
}

void cluster_rank_jobs(struct cluster *cluster)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->jobs, &at, NULL, &value)) {
		struct job *job = value;
		int32_t priority = priority_of(cluster, job);

		if (priority != job->priority) {
			job->priority = priority;
			cluster_touch_job(cluster, job);
		}
	}
}

static bool is_unknown(const struct cluster *cluster, struct str name)
{
	return dims_is_scalar_name(name) && !dims_is_ignored(cluster->dims, name) &&
	       dims_find(cluster->dims, name) == DIM_NONE;
}

/* The first name in the lists of requests of some pod, however deep they are. */
static struct str unknown_in(const struct cluster *cluster, struct json value, int depth)
{
	struct json_iter it = json_iter(value);

	while (depth > 0 && json_next(&it)) {
		struct str found = it.key.len && is_unknown(cluster, it.key)
					   ? it.key
					   : unknown_in(cluster, it.value, depth - 1);

		if (found.len)
			return found;
	}
	return str_none();
}

struct str cluster_unknown_resource(const struct cluster *cluster, const struct job *job)
{
	enum { DEEP = 8 };

	for (size_t i = 0; job->extra && i < job->extra->view.spec.min_resources.len; i++) {
		struct str name = job->extra->view.spec.min_resources.ptr[i].name;

		if (is_unknown(cluster, name))
			return name;
	}
	if (!resources_get(&job->pending, DIM_OTHER))
		return str_none();
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (task->class->raw)
			return unknown_in(cluster, json_doc_root(task->class->raw), DEEP);
	return str_none();
}
