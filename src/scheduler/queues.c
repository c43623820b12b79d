/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/queues.c - the queues that must be there: the root, and the one for jobs that name none.
 * They are asked for until they exist; nothing is scheduled before, unless the permission to create them is
 * missing: then someone else creates them, or has. */
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "scheduler/internal.h"

#include "base/banned.h"

#define RETRY (TIME_SECOND)

enum { QUEUE_ROOT = 1, QUEUE_DEFAULT = 2 };

static void on_retry(struct loop_timer *timer, void *arg);
static void make(struct scheduler *scheduler, const char *name, bool reclaimable);

static unsigned bit_of(struct str name)
{
	return str_is(name, "root") ? QUEUE_ROOT : QUEUE_DEFAULT;
}

static void try_again(struct scheduler *scheduler)
{
	if (!scheduler->queue_retry)
		scheduler->queue_retry = loop_timer_new(scheduler->loop, on_retry, scheduler);
	loop_timer_set(scheduler->queue_retry, RETRY);
}

static void on_opened(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;
	struct scheduler *scheduler = write->scheduler;

	scheduler->queues_unanswered--;
	if (!result->err || result->err->code == ERR_NOT_FOUND)
		return;
	log_warn(scheduler->log, "a first queue cannot be opened, trying again",
		 LOG_STR("why", result->err->text));
	/* Which of them does not matter: to open it twice does no harm. */
	scheduler->queues_unopened = scheduler->queues_made;
	try_again(scheduler);
}

/* A queue that was made a moment ago is open; later its controller says what it is. */
static void open_queue(struct scheduler *scheduler, struct str name)
{
	AUTO(json_doc_unref) struct json_doc *patch = json_doc_new();
	struct json root = json_new_obj(patch);

	json_doc_set_root(patch, root);
	json_set_str(patch, json_ensure_obj(patch, root, "status"), "state", STR("Open"));
	scheduler->queues_unanswered++;
	scheduler_patch_status(scheduler, RESOURCE_QUEUES, name, patch, on_opened);
}

static void on_read(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;
	struct scheduler *scheduler = write->scheduler;
	struct json queue = result->doc && !result->err ? json_doc_root(result->doc) : JSON_NONE;
	struct str name = json_str(json_get(json_get(queue, "metadata"), "name"));

	scheduler->queues_unanswered--;
	if (result->err && client_is_transient(result->err->code)) {
		/* So that it is created, and read, again. */
		scheduler->queues_missing |= bit_of(str_from(write->name));
		try_again(scheduler);
	} else if (name.len && !json_str(json_get(json_get(queue, "status"), "state")).len) {
		scheduler->queues_made |= bit_of(name);
		open_queue(scheduler, name);
	}
}

/* It is there, but it may have been created by a request whose answer was lost, or by a scheduler that was
 * stopped before it opened the queue. A queue that has a state is left alone. */
static void read_queue(struct scheduler *scheduler, struct str name)
{
	struct write *write =
		scheduler_write_new(scheduler, WRITE_OTHER, str_none(), name, str_none());

	scheduler->queues_unanswered++;
	write->request = client_send(scheduler->client,
				     &(struct client_ask){.verb = CLIENT_GET,
							  .resource = &resources[RESOURCE_QUEUES],
							  .name = name,
							  .done = on_read,
							  .arg = write});
}

static void on_retry(struct loop_timer *timer, void *arg)
{
	struct scheduler *scheduler = arg;
	unsigned unopened = scheduler->queues_unopened;
	unsigned wanted =
		(scheduler->queues_missing | scheduler->queues_denied) & ~scheduler->queues_asked;

	(void)timer;
	scheduler->queues_unopened = 0;
	if (unopened & QUEUE_ROOT)
		open_queue(scheduler, STR("root"));
	if (unopened & QUEUE_DEFAULT)
		open_queue(scheduler, str_from(scheduler->default_queue));
	if (wanted & QUEUE_ROOT)
		make(scheduler, "root", false);
	if (wanted & QUEUE_DEFAULT)
		make(scheduler, scheduler->default_queue, true);
}

static void on_made(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;
	struct scheduler *scheduler = write->scheduler;
	unsigned bit = bit_of(str_from(write->name));
	enum err_code code = result->err ? result->err->code : ERR_NONE;

	scheduler->queues_unanswered--;
	scheduler->queues_asked &= ~bit;
	if (code == ERR_NONE || code == ERR_ALREADY_EXISTS || code == ERR_FORBIDDEN) {
		scheduler->queues_missing &= ~bit;
		scheduler_request_cycle(scheduler);
	}
	if (code == ERR_NONE) {
		scheduler->queues_denied &= ~bit;
		scheduler->queues_made |= bit;
		open_queue(scheduler, str_from(write->name));
	} else if (code == ERR_ALREADY_EXISTS) {
		scheduler->queues_denied &= ~bit;
		read_queue(scheduler, str_from(write->name));
	} else {
		if (code == ERR_FORBIDDEN)
			scheduler->queues_denied |= bit;
		else
			log_warn(scheduler->log, "a first queue cannot be made, trying again",
				 LOG_STR("why", result->err->text));
		try_again(scheduler);
	}
}

static void make(struct scheduler *scheduler, const char *name, bool reclaimable)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json spec;
	struct write *write =
		scheduler_write_new(scheduler, WRITE_OTHER, str_none(), str_from(name), str_none());

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("scheduling.volcano.sh/v1beta1"));
	json_set_str(doc, root, "kind", STR("Queue"));
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "name", str_from(name));
	spec = json_ensure_obj(doc, root, "spec");
	json_set_int(doc, spec, "weight", 1);
	json_set_bool(doc, spec, "reclaimable", reclaimable);
	scheduler->queues_unanswered++;
	scheduler->queues_asked |= bit_of(str_from(name));
	write->request =
		client_create(scheduler->client, &resources[RESOURCE_QUEUES], doc, on_made, write);
}

void scheduler_make_queues(struct scheduler *scheduler)
{
	scheduler->queues_missing =
		bit_of(STR("root")) | bit_of(str_from(scheduler->default_queue));
	make(scheduler, "root", false);
	if (!str_is(STR("root"), scheduler->default_queue))
		make(scheduler, scheduler->default_queue, true);
}

bool scheduler_has_tried_queues(const struct scheduler *scheduler)
{
	return scheduler->queues_unanswered == 0;
}
