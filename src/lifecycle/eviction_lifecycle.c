/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/eviction_lifecycle.c - pods that cannot stay where they are.
 *
 * As in Kubernetes an evicted pod has the condition DisruptionTarget, which says why. A pod whose node is
 * lost has failed, unless a Volcano job owns it: a job replaces an evicted pod, but counts a failed one as a
 * failure. Pods that have finished are not evicted for a taint: that would free nothing. */
#include "lifecycle/eviction_lifecycle.h"

#include <stdlib.h>

#include "base/time.h"
#include "lifecycle/job_lifecycle.h"
#include "model/core/taints.h"

#include "base/banned.h"

#define QUARANTINE (40 * TIME_SECOND)
#define OUT_OF_SERVICE "node.kubernetes.io/out-of-service"

/* --- reading --- */

void eviction_pod_read(struct json pod, struct eviction_pod *ret)
{
	struct json meta = json_get(pod, "metadata");
	struct json spec = json_get(pod, "spec");
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));

	*ret = (struct eviction_pod){
		.namespace = json_str(json_get(meta, "namespace")),
		.name = json_str(json_get(meta, "name")),
		.uid = json_str(json_get(meta, "uid")),
		.tolerations = json_get(spec, "tolerations"),
		.has_node = json_str(json_get(spec, "nodeName")).len > 0,
		.finished = str_is(phase, "Succeeded") || str_is(phase, "Failed"),
		.deleting = !json_is_absent(json_get(meta, "deletionTimestamp")),
		.has_grace = json_int(json_get(meta, "deletionGracePeriodSeconds")) > 0,
		.of_job = job_controller_of(pod).len > 0,
	};
	if (time_parse(json_str(json_get(meta, "creationTimestamp")), &ret->created, NULL) < 0)
		ret->created = 0;
}

void eviction_node_read(struct json node, struct eviction_node *ret)
{
	struct json_iter it = json_iter(json_get(json_get(node, "status"), "conditions"));

	*ret = (struct eviction_node){.taints = json_get(json_get(node, "spec"), "taints"),
				      .exists = !json_is_absent(node)};
	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "Ready"))
			ret->ready = str_is(json_str(json_get(it.value, "status")), "True");
	it = json_iter(ret->taints);
	while (json_next(&it)) {
		if (str_is(json_str(json_get(it.value, "effect")), "NoExecute"))
			ret->no_execute = true;
		if (str_is(json_str(json_get(it.value, "key")), OUT_OF_SERVICE))
			ret->out_of_service = true;
	}
}

bool eviction_node_threatens(const struct eviction_node *node)
{
	return !node->exists || node->no_execute || node->out_of_service;
}

/* --- writing --- */

struct verdict {
	const char *reason;  /* of the condition */
	const char *message; /* of the condition */
	bool node_lost;      /* no node will end it: it is marked as failed and removed */
};

static struct meta meta_of(const struct eviction_pod *pod)
{
	return (struct meta){.namespace = pod->namespace, .name = pod->name, .uid = pod->uid};
}

static struct json_doc *make_patch(const struct eviction_pod *pod, const struct verdict *verdict,
				   int64_t wall)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json condition = json_new_obj(doc);
	struct json status;
	char time[TIME_TEXT_SIZE];

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "uid", pod->uid);
	status = json_ensure_obj(doc, root, "status");
	if (verdict->node_lost && !pod->of_job)
		json_set_str(doc, status, "phase", STR("Failed"));
	json_set_str(doc, condition, "type", STR("DisruptionTarget"));
	json_set_str(doc, condition, "status", STR("True"));
	json_set_str(doc, condition, "reason", str_from(verdict->reason));
	json_set_str(doc, condition, "message", str_from(verdict->message));
	json_set_str(doc, condition, "lastTransitionTime", str_from(time_print(wall, time)));
	json_append(doc, json_ensure_arr(doc, status, "conditions"), condition);
	return doc;
}

static void evict(const struct eviction_pod *pod, const struct verdict *verdict, int64_t wall,
		  struct plan *plan)
{
	struct meta meta = meta_of(pod);

	if (!pod->finished) {
		(void)plan_patch_status(plan, PLAN_POD, &meta, PLAN_STRATEGIC_PATCH,
					make_patch(pod, verdict, wall));
		plan_next_stage(plan);
	}
	plan_delete(plan, PLAN_POD, &meta)->at_once = verdict->node_lost;
}

static void remove_pod(const struct eviction_pod *pod, struct plan *plan)
{
	struct meta meta = meta_of(pod);

	plan_delete(plan, PLAN_POD, &meta)->at_once = true;
}

/* --- deciding --- */

/* True: the time has come. */
static bool is_due(int64_t due, struct eviction_time time, struct plan *plan)
{
	if (time.uptime >= due)
		return true;
	plan_step_at(plan, time_after(time.wall, due - time.uptime));
	return false;
}

static int read_lists(const struct eviction_pod *pod, const struct eviction_node *node,
		      struct arena *arena, struct taints *taints, struct tolerations *tolerations,
		      struct err *err)
{
	*taints = (struct taints){
		arena_calloc(arena, json_len(node->taints) + 1, sizeof(*taints->ptr)), 0};
	*tolerations = (struct tolerations){
		arena_calloc(arena, json_len(pod->tolerations) + 1, sizeof(*tolerations->ptr)), 0};
	for (struct json_iter it = json_iter(node->taints); json_next(&it); taints->len++)
		if (type_decode(&taint_type, it.value, arena, &taints->ptr[taints->len], err) < 0)
			return err_wrap(err, "taints of the node");
	for (struct json_iter it = json_iter(pod->tolerations); json_next(&it); tolerations->len++)
		if (type_decode(&toleration_type, it.value, arena,
				&tolerations->ptr[tolerations->len], err) < 0)
			return err_wrap(err, "spec.tolerations");
	return 0;
}

static int check_taints(const struct eviction_pod *pod, const struct eviction_node *node,
			struct eviction_time time, struct plan *plan, struct err *err)
{
	static const struct verdict verdict = {
		"DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", false};
	struct meta meta = meta_of(pod);
	struct taints taints;
	struct tolerations tolerations;
	int64_t seconds;

	if (read_lists(pod, node, plan->arena, &taints, &tolerations, err) < 0)
		return -1;
	seconds = taints_seconds(&taints, &tolerations);
	if (seconds < 0 || !is_due(time_after(time.since, time_span(seconds)), time, plan))
		return 0;
	plan_normal(plan, PLAN_POD, &meta, "TaintManagerEviction",
		    "Marking for deletion Pod %.*s/%.*s", STR_ARG(pod->namespace),
		    STR_ARG(pod->name));
	evict(pod, &verdict, time.wall, plan);
	return 0;
}

int eviction_step(const struct eviction_pod *pod, const struct eviction_node *node,
		  struct eviction_time time, struct plan *plan, struct err *err)
{
	static const struct verdict lost = {"DeletionByPodGC", "PodGC: node no longer exists",
					    true};

	if (pod->deleting && !pod->has_grace)
		return 0; /* it waits for its finalizers */
	if (!pod->has_node) {
		if (pod->deleting)
			remove_pod(pod, plan);
	} else if (!node->exists) {
		if (is_due(time.since + QUARANTINE, time, plan))
			evict(pod, &lost, time.wall, plan);
	} else if (pod->deleting) {
		if (!node->ready && node->out_of_service)
			remove_pod(pod, plan);
	} else if (!pod->finished && node->no_execute) {
		return check_taints(pod, node, time, plan, err);
	}
	return 0;
}

/* --- finished pods --- */

static int by_age(const void *a, const void *b)
{
	const struct eviction_pod *left = a, *right = b;

	if (left->created != right->created)
		return left->created < right->created ? -1 : 1;
	return str_cmp(left->uid, right->uid);
}

void eviction_finished_step(struct eviction_pod *pods, size_t len, size_t count, struct plan *plan)
{
	size_t most = count < EVICTION_BATCH ? count : EVICTION_BATCH;

	qsort(pods, len, sizeof(*pods), by_age);
	for (size_t i = 0; i < len && i < most; i++)
		remove_pod(&pods[i], plan);
}
