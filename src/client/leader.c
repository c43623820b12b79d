/* SPDX-License-Identifier: Apache-2.0 */
/* client/leader.c - leader election.
 *
 * One attempt: read the lease (a leader that knows its version skips that), evaluate it, write it.
 * The next attempt follows after retry_us, of a candidate after a second at most, with jitter so that
 * candidates do not act at the same time.
 *
 * 1. A lease belongs to another candidate until it has not changed for its own duration, by our
 *    clock, since we first saw its current state.
 * 2. `renewed` is when the last successful write was sent, not when its answer came: others cannot
 *    have seen it earlier. Leading ends renew_us later, even if a request is in flight.
 * 3. A write names the version it is based on, or creates: of two candidates one fails. A leader
 *    whose write conflicts (another client has set a label on the lease) reads it and retries at
 *    once, one time: it cannot afford to wait for the next period. */
#include "client/leader.h"

#include <assert.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/client.h"
#include "loop/loop.h"

#include "base/banned.h"

#define CANDIDATE_RETRY (TIME_SECOND)

struct leader {
	struct client *client;
	struct loop *loop;
	struct leader_options options;
	char *texts[3];
	struct client_request *request;
	struct loop_timer *retry;
	struct loop_timer *deadline; /* leading ends */
	struct json_doc *lease;      /* as last read or written; NULL: not known */
	int64_t seen;                /* since when it is unchanged, by loop_uptime() */
	int64_t begun;               /* when the write in flight was sent */
	int64_t renewed;
	bool leads;
	bool reread;       /* read it at once, because the last write conflicted */
	struct buf holder; /* as last reported */
	void (*released)(void *arg);
	void *released_arg;
	struct loop_defer release;
	bool releasing;
};

static void ask_lease(struct leader *leader);
static void release_now(struct leader *leader);

static struct str holder_of(const struct json_doc *lease)
{
	return json_str(json_get(json_get(json_doc_root(lease), "spec"), "holderIdentity"));
}

static bool is_own(const struct leader *leader, const struct json_doc *lease)
{
	return str_eq(holder_of(lease), leader->options.identity);
}

/* --- changes --- */

/* A candidate looks at least once per second, so that a lease that is released is taken soon. */
static void try_later(struct leader *leader)
{
	int64_t retry = leader->leads || leader->options.retry_us < CANDIDATE_RETRY
				? leader->options.retry_us
				: CANDIDATE_RETRY;
	int64_t jitter = (int64_t)loop_random_below(leader->loop, (uint64_t)retry / 5 + 1);

	leader->reread = false;
	if (!leader->releasing)
		loop_timer_set(leader->retry, retry + (leader->leads ? 0 : jitter));
}

static void stop_leading(struct leader *leader)
{
	if (!leader->leads)
		return;
	leader->leads = false;
	loop_timer_stop(leader->deadline);
	log_warn(leader->options.log, "stopped leading", LOG_VIEW("lease", leader->options.name));
	leader->options.stopped(leader->options.arg);
}

/* Stores the current state of the lease. */
static void note_lease(struct leader *leader, struct json_doc *lease)
{
	struct json old = json_get(json_doc_root(leader->lease), "spec");
	struct json new = json_get(json_doc_root(lease), "spec");
	struct str holder = holder_of(lease);

	if (!leader->lease || !json_eq(old, new))
		leader->seen = loop_uptime(leader->loop);
	json_doc_ref(lease);
	json_doc_unref(leader->lease);
	leader->lease = lease;
	if (str_eq(holder, buf_str(&leader->holder)))
		return;
	buf_clear(&leader->holder);
	buf_put_str(&leader->holder, holder);
	if (holder.len && leader->options.changed)
		leader->options.changed(leader->options.arg, holder);
}

static void forget_lease(struct leader *leader)
{
	json_doc_unref(TAKE(leader->lease));
}

/* Does it belong to another candidate, and is it still valid? */
static bool is_taken(const struct leader *leader)
{
	struct json spec = json_get(json_doc_root(leader->lease), "spec");
	int64_t duration = time_span(json_int(json_get(spec, "leaseDurationSeconds")));

	return holder_of(leader->lease).len && !is_own(leader, leader->lease) &&
	       leader->seen + duration > loop_uptime(leader->loop);
}

/* --- writing --- */

/* The lease must be read before the next write. */
static void on_not_written(struct leader *leader, const struct err *err)
{
	bool at_once = leader->leads && !leader->reread && err && err->code == ERR_CONFLICT;

	log_debug(leader->options.log, "lease not written",
		  LOG_STR("error", err ? err->text : "no answer"));
	forget_lease(leader);
	if (leader->releasing) {
		release_now(leader);
	} else if (at_once) {
		leader->reread = true;
		ask_lease(leader);
	} else {
		try_later(leader);
	}
}

static void on_written(void *arg, const struct client_result *result)
{
	struct leader *leader = arg;
	bool led = leader->leads;

	leader->request = NULL;
	if (result->err || !result->doc) {
		on_not_written(leader, result->err);
		return;
	}
	note_lease(leader, result->doc);
	if (leader->releasing) {
		release_now(leader);
		return;
	}
	leader->renewed = leader->begun;
	leader->leads = true;
	loop_timer_set(leader->deadline,
		       leader->renewed + leader->options.renew_us - loop_uptime(leader->loop));
	try_later(leader);
	if (!led) {
		log_info(leader->options.log, "leading", LOG_VIEW("lease", leader->options.name));
		leader->options.started(leader->options.arg);
	}
}

static void set_time(struct leader *leader, struct json_doc *doc, struct json spec, const char *key)
{
	char text[TIME_TEXT_SIZE];

	json_set_str(doc, spec, key, str_from(time_print_micro(loop_now(leader->loop), text)));
}

/* The lease to write: ours, or (release) without a holder. */
static struct json_doc *make_lease(struct leader *leader, bool release)
{
	struct json_doc *doc =
		leader->lease ? json_doc_thaw(json_doc_root(leader->lease)) : json_doc_new();
	struct json root = leader->lease ? json_doc_root(doc) : json_new_obj(doc);
	bool own = leader->lease && is_own(leader, leader->lease);
	struct json meta, spec;

	if (!leader->lease)
		json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("coordination.k8s.io/v1"));
	json_set_str(doc, root, "kind", STR("Lease"));
	meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, meta, "name", leader->options.name);
	json_set_str(doc, meta, "namespace", leader->options.namespace);
	spec = json_ensure_obj(doc, root, "spec");
	if (!own)
		json_set_int(doc, spec, "leaseTransitions",
			     leader->lease ? json_int(json_get(spec, "leaseTransitions")) + 1 : 0);
	json_set_int(doc, spec, "leaseDurationSeconds",
		     release ? 1 : leader->options.duration_us / TIME_SECOND);
	if (!own || release)
		set_time(leader, doc, spec, "acquireTime");
	set_time(leader, doc, spec, "renewTime");
	if (release)
		(void)json_remove(doc, spec, STR("holderIdentity"));
	else
		json_set_str(doc, spec, "holderIdentity", leader->options.identity);
	return doc;
}

static void write_lease(struct leader *leader, bool release, client_done_fn *done)
{
	AUTO(json_doc_unref) struct json_doc *doc = make_lease(leader, release);

	leader->begun = loop_uptime(leader->loop);
	leader->request = client_send(
		leader->client, &(struct client_ask){
					.verb = leader->lease ? CLIENT_UPDATE : CLIENT_CREATE,
					.resource = &resources[RESOURCE_LEASES],
					.namespace = leader->options.namespace,
					.name = leader->lease ? leader->options.name : str_none(),
					.body = doc,
					.deadline_us = leader->options.renew_us,
					.attempts = 1,
					.own_pace = true,
					.done = done,
					.arg = leader,
				});
}

/* --- attempts --- */

static void on_read(void *arg, const struct client_result *result)
{
	struct leader *leader = arg;
	enum err_code code = result->err ? result->err->code : ERR_NONE;

	leader->request = NULL;
	if (leader->releasing) {
		release_now(leader);
		return;
	}
	if (code == ERR_NONE && result->doc)
		note_lease(leader, result->doc);
	else if (code == ERR_NOT_FOUND)
		forget_lease(leader);
	if ((code != ERR_NONE && code != ERR_NOT_FOUND) || (leader->lease && is_taken(leader))) {
		if (leader->lease && leader->leads && is_taken(leader))
			stop_leading(leader); /* another candidate has taken it */
		try_later(leader);
		return;
	}
	write_lease(leader, false, on_written);
}

static void ask_lease(struct leader *leader)
{
	leader->request =
		client_send(leader->client, &(struct client_ask){
						    .verb = CLIENT_GET,
						    .resource = &resources[RESOURCE_LEASES],
						    .namespace = leader->options.namespace,
						    .name = leader->options.name,
						    .deadline_us = leader->options.renew_us,
						    .attempts = 1,
						    .done = on_read,
						    .arg = leader,
					    });
}

static void try_now(struct leader *leader)
{
	if (leader->leads && leader->lease)
		write_lease(leader, false, on_written);
	else
		ask_lease(leader);
}

static void on_retry(struct loop_timer *timer, void *arg)
{
	(void)timer;
	try_now(arg);
}

static void on_deadline(struct loop_timer *timer, void *arg)
{
	struct leader *leader = arg;

	(void)timer;
	client_cancel(TAKE(leader->request));
	forget_lease(leader);
	try_later(leader);
	stop_leading(leader);
}

/* --- life --- */

struct leader *leader_new(struct client *client, const struct leader_options *options)
{
	struct leader *leader = mem_new(struct leader);
	struct leader_options *own = &leader->options;

	leader->client = client;
	leader->loop = client_loop(client);
	*own = *options;
	leader->texts[0] = str_dup(options->namespace);
	leader->texts[1] = str_dup(options->name);
	leader->texts[2] = str_dup(options->identity);
	own->namespace = str_from(leader->texts[0]);
	own->name = str_from(leader->texts[1]);
	own->identity = str_from(leader->texts[2]);
	if (!own->duration_us)
		own->duration_us = 15 * TIME_SECOND;
	if (!own->renew_us)
		own->renew_us = 10 * TIME_SECOND;
	if (!own->retry_us)
		own->retry_us = 2 * TIME_SECOND;
	assert(own->duration_us > own->renew_us && own->renew_us > own->retry_us);
	assert(own->identity.len);
	leader->holder = (struct buf)BUF_UNBOUNDED;
	leader->retry = loop_timer_new(leader->loop, on_retry, leader);
	leader->deadline = loop_timer_new(leader->loop, on_deadline, leader);
	ask_lease(leader);
	return leader;
}

void leader_free(struct leader *leader)
{
	if (!leader)
		return;
	client_cancel(leader->request);
	loop_timer_free(leader->retry);
	loop_timer_free(leader->deadline);
	loop_defer_cancel(leader->loop, &leader->release);
	json_doc_unref(leader->lease);
	buf_done(&leader->holder);
	for (size_t i = 0; i < ARRAY_LEN(leader->texts); i++)
		mem_free(leader->texts[i]);
	mem_free(leader);
}

static void on_release_written(void *arg, const struct client_result *result)
{
	struct leader *leader = arg;

	(void)result;
	leader->request = NULL;
	leader->released(leader->released_arg);
}

static void on_nothing_to_release(void *arg)
{
	struct leader *leader = arg;

	leader->released(leader->released_arg);
}

/* No request is in flight: releases the lease if it is ours. */
static void release_now(struct leader *leader)
{
	if (leader->lease && is_own(leader, leader->lease))
		write_lease(leader, true, on_release_written);
	else
		loop_defer(leader->loop, &leader->release, on_nothing_to_release, leader);
}

void leader_release(struct leader *leader, void (*released)(void *arg), void *arg)
{
	assert(!leader->releasing);
	leader->releasing = true;
	leader->released = released;
	leader->released_arg = arg;
	loop_timer_stop(leader->retry);
	stop_leading(leader);
	if (!leader->request) /* a write in flight may renew it: wait for its answer first */
		release_now(leader);
}

bool leader_leads(const struct leader *leader)
{
	return leader->leads;
}

struct str leader_identity(const struct leader *leader)
{
	return buf_str(&leader->holder);
}
