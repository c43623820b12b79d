/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/claim_binding.c - before a pod is bound, its claims are: a volume that is there gets the claim, or
 * the claim gets the node, and the provisioner makes a volume for it. Then the pod waits until the
 * API shows all of its claims bound.
 *
 * Nothing is taken back when that fails: the claim keeps what it got, and the next cycle goes by it. */
#include "base/log.h"
#include "base/mem.h"
#include "model/core/claims.h"
#include "scheduler/internal.h"

#include "base/banned.h"

struct claim_wait {
	struct list link;
	struct scheduler *scheduler;
	char *namespace;
	char *name;
	char *uid;
	char *node;
	size_t writing; /* reservations whose write has not been answered */
	bool asked;     /* the API has shown all of them */
	int64_t begun;
	struct loop_timer *timer;
};

static void wait_free(struct claim_wait *wait)
{
	if (!wait)
		return;
	list_remove(&wait->link);
	loop_timer_free(wait->timer);
	mem_free(wait->namespace);
	mem_free(wait->name);
	mem_free(wait->uid);
	mem_free(wait->node);
	mem_free(wait);
}
DEFINE_AUTO(struct claim_wait *, wait_free);

void scheduler_drop_claims(struct scheduler *scheduler)
{
	while (!list_is_empty(&scheduler->claims))
		wait_free(container_of(scheduler->claims.next, struct claim_wait, link));
}

/* The task, if it is still the one and still waits. */
static struct task *wait_task(const struct claim_wait *wait)
{
	struct task *task = cluster_find_task(wait->scheduler->cluster, str_from(wait->namespace),
					      str_from(wait->name));

	return task && str_eq(task_uid(task), str_from(wait->uid)) && task->status == TASK_BINDING
		       ? task
		       : NULL;
}

static void fail(struct claim_wait *waiting, const char *why)
{
	AUTO(wait_free) struct claim_wait *wait = waiting;
	struct task *task = wait_task(wait);
	AUTO(mem_free)
	char *text = mem_printf("execute preBind for pod %s/%s failed: %s, resync the task",
				wait->namespace, wait->name, why);

	log_warn(wait->scheduler->log, "claims of a pod cannot be bound",
		 LOG_STR("namespace", wait->namespace), LOG_STR("name", wait->name),
		 LOG_STR("why", why));
	if (task)
		scheduler_bind_failed(wait->scheduler, task, text);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	(void)timer;
	fail(arg, "timed out waiting for claims to be bound");
}

static void check(struct claim_wait *waiting)
{
	AUTO(wait_free) struct claim_wait *wait = waiting;
	struct scheduler *scheduler = wait->scheduler;
	const struct task *task = wait_task(wait);

	if (!task)
		return;
	switch (volumes_state(scheduler->cluster, task)) {
	case VOLUMES_READY:
		numbers_observe(scheduler->numbers, METRIC_STAGE, "PreBind", NULL,
				loop_stopwatch(scheduler->loop) - wait->begun);
		numbers_observe(scheduler->numbers, METRIC_TASK, "PreBound", NULL,
				loop_now(scheduler->loop) - task->created);
		scheduler_bind(scheduler, task, wait->node);
		return;
	case VOLUMES_LOST:
		fail(TAKE(wait), "a claim was deleted");
		return;
	case VOLUMES_ASKED:
		wait->asked = true;
		break;
	case VOLUMES_UNASKED:
		if (wait->asked) {
			fail(TAKE(wait), "no volume can be made for a claim on that node");
			return;
		}
	}
	(void)TAKE(wait);
}

void scheduler_check_claims(struct scheduler *scheduler)
{
	LIST_EACH(&scheduler->claims, struct claim_wait, link, wait)
		if (!wait->writing)
			check(wait);
}

/* --- writing ------------------------------------------------------------------------------------ */

static void on_written(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;

	LIST_EACH(&write->scheduler->claims, struct claim_wait, link, wait)
		if (str_is(str_from(wait->uid), write->uid)) {
			wait->writing--;
			if (result->err)
				fail(wait, result->err->text);
			else if (!wait->writing)
				check(wait);
			return;
		}
}

/* The volume gets the claim, if it is still as it was decided about. */
static struct json_doc *volume_patch(const struct scheduler *scheduler,
				     const struct volume_reservation *reservation)
{
	const struct thing *volume =
		cluster_find_thing(scheduler->cluster, CLUSTER_PV, str_none(), reservation->volume);
	const struct thing *claim = cluster_find_thing(scheduler->cluster, CLUSTER_PVC,
						       reservation->namespace, reservation->claim);
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc), meta, ref;

	json_doc_set_root(doc, root);
	meta = json_ensure_obj(doc, root, "metadata");
	if (volume)
		json_set_str(doc, meta, "resourceVersion",
			     json_str(json_get(json_get(json_doc_root(volume->doc), "metadata"),
					       "resourceVersion")));
	json_set_str(doc, json_ensure_obj(doc, meta, "annotations"), CLAIM_BOUND_BY_CONTROLLER,
		     STR("yes"));
	ref = json_ensure_obj(doc, json_ensure_obj(doc, root, "spec"), "claimRef");
	json_set_str(doc, ref, "apiVersion", STR("v1"));
	json_set_str(doc, ref, "kind", STR("PersistentVolumeClaim"));
	json_set_str(doc, ref, "namespace", reservation->namespace);
	json_set_str(doc, ref, "name", reservation->claim);
	if (claim)
		json_set_str(
			doc, ref, "uid",
			json_str(json_get(json_get(json_doc_root(claim->doc), "metadata"), "uid")));
	return doc;
}

static struct json_doc *claim_patch(const struct volume_reservation *reservation)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc,
		     json_ensure_obj(doc, json_ensure_obj(doc, root, "metadata"), "annotations"),
		     CLAIM_SELECTED_NODE, reservation->node);
	return doc;
}

static void ask(struct claim_wait *wait, const struct task *task,
		const struct volume_reservation *reservation)
{
	struct scheduler *scheduler = wait->scheduler;
	bool made = reservation->volume.len;
	AUTO(json_doc_unref)
	struct json_doc *patch =
		made ? volume_patch(scheduler, reservation) : claim_patch(reservation);
	struct write *write = scheduler_write_new(scheduler, WRITE_CLAIM, task_namespace(task),
						  task_name(task), task_uid(task));

	wait->writing++;
	write->request = client_send(
		scheduler->client,
		&(struct client_ask){.verb = CLIENT_PATCH,
				     .patch = CLIENT_PATCH_MERGE,
				     .resource = &resources[made ? RESOURCE_PVS : RESOURCE_PVCS],
				     .namespace = made ? str_none() : reservation->namespace,
				     .name = made ? reservation->volume : reservation->claim,
				     .body = patch,
				     .discard = true,
				     .done = on_written,
				     .arg = write});
}

void scheduler_bind_claims(struct scheduler *scheduler, const struct task *task, const char *node)
{
	struct claim_wait *wait = mem_new(struct claim_wait);
	struct volume_reservation reservation;

	wait->scheduler = scheduler;
	wait->namespace = str_dup(task_namespace(task));
	wait->name = str_dup(task_name(task));
	wait->uid = str_dup(task_uid(task));
	wait->node = mem_strdup(node);
	wait->begun = loop_stopwatch(scheduler->loop);
	wait->timer = loop_timer_new(scheduler->loop, on_timer, wait);
	loop_timer_set(wait->timer, volumes_patience(scheduler->cluster));
	list_push(&scheduler->claims, &wait->link);
	for (size_t i = 0; volumes_get_reservation(scheduler->cluster, task, i, &reservation); i++)
		if (reservation.first)
			ask(wait, task, &reservation);
}
