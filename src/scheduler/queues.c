/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/queues.c - the queues that must be there: the root, and the one for jobs that name none.
 * They are asked for until they exist; nothing is scheduled before. */
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "scheduler/internal.h"

#include "base/banned.h"

#define RETRY (TIME_SECOND)

static void on_retry(struct loop_timer *timer, void *arg)
{
	struct scheduler *scheduler = arg;

	(void)timer;
	scheduler->queues_asked = 0;
	scheduler_make_queues(scheduler);
}

/* A queue that was made a moment ago is open; later its controller says what it is. */
static void open_queue(struct scheduler *scheduler, struct json queue)
{
	AUTO(json_doc_unref) struct json_doc *patch = json_doc_new();
	struct json root = json_new_obj(patch);

	json_doc_set_root(patch, root);
	json_set_str(patch, json_ensure_obj(patch, root, "status"), "state", STR("Open"));
	(void)client_send(scheduler->client,
			  &(struct client_ask){
				  .verb = CLIENT_PATCH,
				  .patch = CLIENT_PATCH_MERGE,
				  .resource = &resources[RESOURCE_QUEUES],
				  .name = json_str(json_get(json_get(queue, "metadata"), "name")),
				  .sub = STR("status"),
				  .body = patch,
				  .discard = true,
			  });
}

static void on_made(void *arg, const struct client_result *result)
{
	struct scheduler *scheduler = arg;

	if (!result->err && result->doc)
		open_queue(scheduler, json_doc_root(result->doc));
	if (!result->err || result->err->code == ERR_ALREADY_EXISTS) {
		scheduler->queues_asked--;
		scheduler_wake(scheduler);
		return;
	}
	log_warn(scheduler->log, "a first queue cannot be made, trying again",
		 LOG_STR("why", result->err->text));
	if (!scheduler->queue_retry)
		scheduler->queue_retry = loop_timer_new(scheduler->loop, on_retry, scheduler);
	loop_timer_set(scheduler->queue_retry, RETRY);
}

static void make(struct scheduler *scheduler, const char *name, bool reclaimable)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json spec;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("scheduling.volcano.sh/v1beta1"));
	json_set_str(doc, root, "kind", STR("Queue"));
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "name", str_from(name));
	spec = json_ensure_obj(doc, root, "spec");
	json_set_int(doc, spec, "weight", 1);
	json_set_bool(doc, spec, "reclaimable", reclaimable);
	scheduler->queues_asked++;
	(void)client_create(scheduler->client, &resources[RESOURCE_QUEUES], doc, on_made,
			    scheduler);
}

void scheduler_make_queues(struct scheduler *scheduler)
{
	make(scheduler, "root", false);
	make(scheduler, scheduler->default_queue, true);
}
