/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_build.c - the documents of a job's pods and other objects.
 *
 * A pod is a copy of its task's template with labels and annotations for its task, its index and the
 * version and retry of the job. Names that are random in upstream derive from the job's uid here, so
 * that a second attempt creates the same name. */
#include "base/hash.h"
#include "base/time.h"
#include "lifecycle/job_internal.h"
#include "lifecycle/job_plugin.h"
#include "lifecycle/keys.h"

#include "base/banned.h"

enum { SUFFIX_LEN = 12 };

void job_build_suffix(const struct vcjob *job, struct str text, size_t count, struct buf *to)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	uint64_t number = hash_checksum(job->meta.uid.ptr, job->meta.uid.len) ^ hash_fnv1a_64(text);

	for (size_t i = 0; i < count; i++) {
		buf_putc(to, letters[number % (sizeof(letters) - 1)]);
		number /= sizeof(letters) - 1;
	}
}

struct json job_build_owners(const struct job_view *view, struct json_doc *doc)
{
	struct json ret = json_new_arr(doc);

	json_append(doc, ret, plan_owner_new(doc, PLAN_JOB, &view->job->meta));
	return ret;
}

struct json_doc *job_build_owned(const struct job_view *view, enum plan_kind_id kind,
				 struct str name)
{
	struct json meta;
	struct json_doc *doc = plan_object_new(kind, name, view->job->meta.namespace, &meta);

	json_set(doc, meta, STR("ownerReferences"), job_build_owners(view, doc));
	return doc;
}

static void copy_label(struct json_doc *doc, struct json to, const struct labels *from,
		       const char *key)
{
	const struct label *found = labels_find(from, str_from(key));

	if (found)
		json_set_str(doc, to, key, found->value);
}

static void set_number(struct json_doc *doc, struct json to, const char *key, int64_t value)
{
	json_set(doc, to, str_from(key), json_new_printf(doc, "%lld", (long long)value));
}

static void put_labels(const struct job_view *view, const struct vcjob_task *task, int32_t index,
		       struct json_doc *doc, struct json to)
{
	const struct vcjob *job = view->job;

	set_number(doc, to, KEY_TASK_INDEX, index);
	json_set_str(doc, to, KEY_JOB_NAME, job->meta.name);
	json_set_str(doc, to, KEY_TASK_SPEC, task->name);
	json_set_str(doc, to, KEY_JOB_NAMESPACE, job->meta.namespace);
	json_set_str(doc, to, KEY_QUEUE_NAME, job->spec.queue);
	copy_label(doc, to, &job->meta.labels, KEY_PREEMPTABLE);
	copy_label(doc, to, &job->meta.labels, KEY_COOLDOWN_TIME);
	if (view->forwarded)
		json_set_str(doc, to, KEY_JOB_FORWARDING, STR("true"));
	if (task->partition_policy) {
		int32_t size = task->partition_policy->partition_size;

		set_number(doc, to, KEY_PARTITION_ID, size > 0 ? index / size : 0);
	}
}

static void put_annotations(const struct job_view *view, const struct vcjob_task *task,
			    int32_t index, struct json_doc *doc, struct json to)
{
	const struct vcjob *job = view->job;
	const struct labels *from = &job->meta.annotations;
	AUTO(buf_done) struct buf group = BUF_UNBOUNDED;

	job_group_name(&job->meta, &group);
	set_number(doc, to, KEY_TASK_INDEX, index);
	json_set_str(doc, to, KEY_TASK_SPEC, task->name.len > 0 ? task->name : STR("default"));
	json_set_str(doc, to, KEY_GROUP_NAME, buf_str(&group));
	json_set_str(doc, to, KEY_JOB_NAME, job->meta.name);
	json_set_str(doc, to, KEY_QUEUE_NAME, job->spec.queue);
	set_number(doc, to, KEY_JOB_VERSION, job->status.version);
	json_set(doc, to, STR(KEY_TEMPLATE_UID),
		 json_new_printf(doc, "%.*s-%.*s", STR_ARG(job->meta.name), STR_ARG(task->name)));
	set_number(doc, to, KEY_JOB_RETRY_COUNT, job->status.retry_count);
	if (task->topology_policy != NUMA_POLICY_UNSET)
		json_set_str(doc, to, KEY_NUMA_POLICY,
			     str_from(numa_policy_names[task->topology_policy]));
	copy_label(doc, to, from, KEY_PREEMPTABLE);
	copy_label(doc, to, from, KEY_COOLDOWN_TIME);
	copy_label(doc, to, from, KEY_REVOCABLE_ZONE);
	copy_label(doc, to, from,
		   labels_find(from, STR(KEY_JDB_MIN_AVAILABLE)) ? KEY_JDB_MIN_AVAILABLE
								 : KEY_JDB_MAX_UNAVAILABLE);
	if (view->forwarded)
		json_set_str(doc, to, KEY_JOB_FORWARDING, STR("true"));
}

/* The pod replaces an evicted one, and a policy waits for it to run. */
static void put_evicted(const struct job_view *view, const struct job_task_view *task,
			struct json_doc *doc, struct json annotations)
{
	char text[TIME_TEXT_SIZE];

	if (task->awaits &&
	    task->recorded + view->job->status.terminating > task->there + view->deleting)
		json_set_str(doc, annotations, KEY_EVICTED_AT,
			     str_from(time_print_micro(view->world->now, text)));
}

static void put_claims(const struct job_view *view, struct plugin_pod *pod)
{
	const struct vcjob *job = view->job;

	for (size_t i = 0; i < job->spec.volumes.len; i++) {
		const struct vcjob_volume *volume = &job->spec.volumes.ptr[i];
		struct plugin_walk walk = {.init = false};
		AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
		struct json row;
		bool twice = false;

		for (size_t k = 0; k < i; k++)
			twice = twice ||
				str_eq(job->spec.volumes.ptr[k].claim_name, volume->claim_name);
		if (twice)
			continue;
		buf_printf(&name, "%.*s-", STR_ARG(job->meta.name));
		job_build_suffix(job, volume->claim_name, SUFFIX_LEN, &name);
		row = plugin_append(pod->doc, pod->spec, "volumes");
		json_set_str(pod->doc, row, "name", buf_str(&name));
		json_set_str(pod->doc, json_ensure_obj(pod->doc, row, "persistentVolumeClaim"),
			     "claimName", volume->claim_name);
		while (plugin_container(pod, &walk)) {
			row = plugin_append(pod->doc, walk.container, "volumeMounts");
			json_set_str(pod->doc, row, "name", buf_str(&name));
			json_set_str(pod->doc, row, "mountPath", volume->mount_path);
		}
	}
}

static void set_default(struct plugin_pod *pod, const char *key, struct str value)
{
	if (json_str(json_get(pod->spec, key)).len == 0 && value.len > 0)
		json_set_str(pod->doc, pod->spec, key, value);
}

static struct json copy_map(struct json_doc *doc, struct json to, const char *key, struct json from)
{
	if (json_is(json_get(from, key), JSON_OBJ))
		json_set(doc, to, str_from(key), json_new_copy(doc, json_get(from, key)));
	return json_ensure_obj(doc, to, key);
}

struct json_doc *job_build_pod(struct job_view *view, size_t task, int32_t index, struct err *err)
{
	const struct job_task_view *of_task = &view->tasks[task];
	const struct vcjob_task *spec = of_task->spec;
	struct json from = json_get(spec->template, "metadata");
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct plugin_pod pod = {.task = spec, .index = index};
	struct json root, annotations;

	buf_printf(&name, "%.*s-%.*s-%d", STR_ARG(view->job->meta.name), STR_ARG(spec->name),
		   index);
	doc = job_build_owned(view, PLAN_POD, buf_str(&name));
	root = json_doc_root(doc);
	pod.doc = doc;
	pod.name = buf_str(&name);
	pod.meta = json_get(root, "metadata");
	put_labels(view, spec, index, doc, copy_map(doc, pod.meta, "labels", from));
	annotations = copy_map(doc, pod.meta, "annotations", from);
	put_annotations(view, spec, index, doc, annotations);
	put_evicted(view, of_task, doc, annotations);
	if (json_is(json_get(spec->template, "spec"), JSON_OBJ))
		json_set(doc, root, STR("spec"),
			 json_new_copy(doc, json_get(spec->template, "spec")));
	pod.spec = json_ensure_obj(doc, root, "spec");
	set_default(&pod, "schedulerName", view->job->spec.scheduler_name);
	set_default(&pod, "priorityClassName", view->job->spec.priority_class_name);
	put_claims(view, &pod);
	if (plugins_pod(view, &pod, err) < 0)
		return NULL;
	return TAKE(doc);
}
