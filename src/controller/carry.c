/* SPDX-License-Identifier: Apache-2.0 */
/* controller/carry.c - carrying out a plan.
 *
 * A window moves over the list of writes: `next` is the first that was not sent. It does not leave a
 * stage while a write of that stage is under way. Each write that is under way has a slot, which
 * its answer comes back to. */
#include "controller/carry.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "client/client.h"
#include "client/recorder.h"
#include "client/resource.h"

#include "base/banned.h"

enum {
	TOLD_MAX = 64,        /* states remembered */
	MESSAGE_ROOM = 900,   /* of an event's message, which may have 1024 bytes */
	FAILURES_SHOWN = 100, /* kept of those that failed in a stage */
};

struct slot {
	struct carry *carry;
	size_t write;
	struct client_request *request; /* NULL: free */
};

/* A write that failed. */
struct failure {
	size_t write;
	bool ending; /* of the namespace */
	struct err err;
};

struct carry {
	struct carry_options options;
	struct plan plan;
	struct slot *slots;
	size_t slot_count;
	size_t under_way;
	size_t next;
	size_t noted; /* events recorded */
	enum carry_end end;
	VEC(struct failure *) failures;
};

/* --- events ---------------------------------------------------------------------------------- */

void carry_told_done(struct carry_told *told)
{
	vec_done(&told->hashes);
}

/* Was the state told of? Remembers it otherwise. */
static bool was_told(struct carry_told *told, const struct plan_note *note)
{
	struct str state = note->same.len > 0 ? note->same : note->message;
	uint64_t hash = hash_str(state, hash_str(note->uid, hash_str(str_from(note->reason), 0)));

	if (!told)
		return false;
	for (size_t i = 0; i < told->hashes.len; i++)
		if (told->hashes.ptr[i] == hash)
			return true;
	if (told->hashes.len == TOLD_MAX)
		vec_remove(&told->hashes, 0);
	vec_push(&told->hashes, hash);
	return false;
}

static void tell(const struct carry_options *options, const struct plan_note *note)
{
	struct recorder_object object = {
		.api_version = str_from(plan_kinds[note->kind].api_version),
		.kind = str_from(plan_kinds[note->kind].kind),
		.namespace = note->namespace,
		.name = note->name,
		.uid = note->uid,
	};

	if (!options->recorder || (note->steady && was_told(options->told, note)))
		return;
	recorder_event(options->recorder, &object, note->warning ? "Warning" : "Normal",
		       note->reason, note->message);
}

void carry_tell(const struct carry_options *options, const struct plan *plan)
{
	for (size_t i = 0; i < plan->notes.len; i++)
		tell(options, &plan->notes.ptr[i]);
}

/* The events that wait for stages before this one. */
static void tell_until(struct carry *carry, unsigned stage)
{
	const struct plan *plan = &carry->plan;

	while (carry->noted < plan->notes.len && plan->notes.ptr[carry->noted].stage <= stage)
		tell(&carry->options, &plan->notes.ptr[carry->noted++]);
}

/* One event for all that failed in the stage with the same reason as failure `at`. */
static void tell_failure(struct carry *carry, size_t at)
{
	const struct plan_write *first = &carry->plan.writes.ptr[carry->failures.ptr[at]->write];
	struct plan_note note = {
		.warning = true,
		.reason = first->fail_reason,
		.kind = carry->plan.about_kind,
		.namespace = carry->plan.about_namespace,
		.name = carry->plan.about_name,
		.uid = carry->plan.about_uid,
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (carry->failures.ptr[at]->ending && first->ending_text) {
		note.reason = "NamespaceTerminating";
		buf_puts(&text, first->ending_text);
	} else if (!first->fail_list) {
		buf_printf(&text, "%s%s", first->fail_text, carry->failures.ptr[at]->err.text);
	} else {
		buf_printf(&text, "%s[", first->fail_text);
		for (size_t i = at; i < carry->failures.len && text.len < MESSAGE_ROOM; i++) {
			const struct failure *failure = carry->failures.ptr[i];
			const struct plan_write *write = &carry->plan.writes.ptr[failure->write];

			if (write->fail_reason != first->fail_reason)
				continue;
			buf_printf(&text, "%sfailed to %s pod %.*s, err: <%s: %s>",
				   i > at ? " " : "", plan_verb_names[write->verb],
				   STR_ARG(write->name), err_reason(failure->err.code),
				   failure->err.text);
		}
		buf_putc(&text, ']');
	}
	note.message = buf_str(&text);
	tell(&carry->options, &note);
}

static void tell_failures(struct carry *carry)
{
	for (size_t i = 0; i < carry->failures.len; i++) {
		const char *reason =
			carry->plan.writes.ptr[carry->failures.ptr[i]->write].fail_reason;
		bool first = reason != NULL && carry->plan.about_name.len > 0;

		for (size_t k = 0; k < i && first; k++)
			first = carry->plan.writes.ptr[carry->failures.ptr[k]->write].fail_reason !=
				reason;
		if (first)
			tell_failure(carry, i);
	}
}

/* --- writes ---------------------------------------------------------------------------------- */

static void carry_free(struct carry *carry)
{
	for (size_t i = 0; i < carry->failures.len; i++)
		mem_free(carry->failures.ptr[i]);
	vec_done(&carry->failures);
	plan_done(&carry->plan);
	mem_free(carry->slots);
	mem_free(carry);
}

void carry_cancel(struct carry *carry)
{
	if (!carry)
		return;
	for (size_t i = 0; i < carry->slot_count; i++)
		client_cancel(carry->slots[i].request);
	carry_free(carry);
}

static void finish(struct carry *carry)
{
	if (carry->end != CARRY_FAILED && carry->failures.len > 0)
		carry->end = CARRY_FAILED;
	if (carry->end == CARRY_DONE)
		tell_until(carry, UINT32_MAX);
	tell_failures(carry);
	carry->options.done(carry->options.arg, carry->end);
	carry_free(carry);
}

/* What an error means for the plan; true: nothing, it is as if it had gone well. */
static bool is_fine(const struct plan_write *write, enum err_code code)
{
	return write->verb == PLAN_DELETE && code == ERR_NOT_FOUND;
}

static bool is_in_the_way(const struct plan_write *write, enum err_code code)
{
	if (code == ERR_CONFLICT)
		return true;
	if (write->verb == PLAN_CREATE)
		return code == ERR_ALREADY_EXISTS;
	return code == ERR_NOT_FOUND;
}

/* Does the Status say that nothing can be made in the namespace any more? */
static bool is_ending(const struct json_doc *status)
{
	struct json details = status ? json_get(json_doc_root(status), "details") : JSON_NONE;
	struct json_iter it = json_iter(json_get(details, "causes"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "reason")), "NamespaceTerminating"))
			return true;
	return false;
}

static void note_error(struct carry *carry, size_t at, const struct client_result *result)
{
	const struct err *err = result->err;
	const struct plan_write *write = &carry->plan.writes.ptr[at];
	struct failure *failure;

	if (is_in_the_way(write, err->code) || err->code == ERR_UNAVAILABLE) {
		if (carry->end == CARRY_DONE)
			carry->end = CARRY_AGAIN;
		return;
	}
	carry->end = CARRY_FAILED;
	if (carry->options.failed)
		carry->options.failed(carry->options.arg, write, err);
	if (carry->failures.len == FAILURES_SHOWN)
		return;
	failure = mem_new(struct failure);
	failure->write = at;
	failure->ending = is_ending(result->doc);
	failure->err = *err;
	vec_push(&carry->failures, failure);
}

static void advance(struct carry *carry);

static void answered(void *arg, const struct client_result *result)
{
	struct slot *slot = arg;
	struct carry *carry = slot->carry;
	const struct plan_write *write = &carry->plan.writes.ptr[slot->write];

	slot->request = NULL;
	carry->under_way--;
	if (!result->err)
		carry->options.written(carry->options.arg, write, result->doc);
	else if (is_fine(write, result->err->code))
		carry->options.written(carry->options.arg, write, NULL);
	else
		note_error(carry, slot->write, result);
	advance(carry);
}

static void send(struct carry *carry, struct slot *slot)
{
	static const enum client_patch patches[PLAN_PATCH_COUNT] = {
		[PLAN_MERGE_PATCH] = CLIENT_PATCH_MERGE,
		[PLAN_JSON_PATCH] = CLIENT_PATCH_JSON,
		[PLAN_APPLY_PATCH] = CLIENT_PATCH_APPLY,
		[PLAN_STRATEGIC_PATCH] = CLIENT_PATCH_STRATEGIC,
	};
	static const enum client_propagation propagations[PLAN_PROPAGATION_COUNT] = {
		[PLAN_BACKGROUND] = CLIENT_BACKGROUND,
		[PLAN_FOREGROUND] = CLIENT_FOREGROUND,
		[PLAN_ORPHAN] = CLIENT_ORPHAN,
	};
	static const struct {
		enum client_verb verb;
		struct str sub;
	} verbs[PLAN_VERB_COUNT] = {
		[PLAN_CREATE] = {CLIENT_CREATE, STR_INIT("")},
		[PLAN_UPDATE] = {CLIENT_UPDATE, STR_INIT("")},
		[PLAN_UPDATE_STATUS] = {CLIENT_UPDATE, STR_INIT("status")},
		[PLAN_PATCH] = {CLIENT_PATCH, STR_INIT("")},
		[PLAN_PATCH_STATUS] = {CLIENT_PATCH, STR_INIT("status")},
		[PLAN_DELETE] = {CLIENT_DELETE, STR_INIT("")},
	};
	static const int64_t no_grace = 0;
	const struct plan_write *write = &carry->plan.writes.ptr[carry->next];
	const struct plan_kind *kind = &plan_kinds[write->kind];
	struct client_ask ask = {
		.verb = verbs[write->verb].verb,
		.sub = verbs[write->verb].sub,
		.resource = resource_find(str_from(kind->api_version), str_from(kind->kind)),
		.namespace = write->namespace,
		.name = write->verb == PLAN_CREATE ? str_none() : write->name,
		.body = write->doc,
		.patch = patches[write->patch],
		.force = write->patch == PLAN_APPLY_PATCH,
		.propagation = write->verb == PLAN_DELETE ? propagations[write->propagation]
							  : CLIENT_PROPAGATION_UNSET,
		.precondition_uid = write->uid,
		.grace_seconds = write->at_once ? &no_grace : NULL,
		.done = answered,
		.arg = slot,
	};

	slot->carry = carry;
	slot->write = carry->next++;
	slot->request = client_send(carry->options.client, &ask);
	carry->under_way++;
}

static struct slot *free_slot(struct carry *carry)
{
	for (size_t i = 0; i < carry->slot_count; i++)
		if (!carry->slots[i].request)
			return &carry->slots[i];
	return NULL;
}

/* Send what may be sent now; end where nothing is left. */
static void advance(struct carry *carry)
{
	const struct plan *plan = &carry->plan;

	for (;;) {
		struct slot *slot;
		bool new_stage;

		if (carry->next == plan->writes.len)
			break;
		new_stage = carry->next == 0 || plan->writes.ptr[carry->next].stage !=
							plan->writes.ptr[carry->next - 1].stage;
		if (new_stage && carry->next > 0 &&
		    (carry->under_way > 0 || carry->end != CARRY_DONE))
			break;
		slot = free_slot(carry);
		if (!slot)
			return;
		if (new_stage)
			tell_until(carry, plan->writes.ptr[carry->next].stage);
		send(carry, slot);
	}
	if (carry->under_way == 0)
		finish(carry);
}

static void nobody(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	(void)arg;
	(void)write;
	(void)doc;
}

struct carry *carry_start(const struct carry_options *options, struct plan *plan)
{
	struct carry *carry = mem_new(struct carry);
	size_t most = options->in_flight ? options->in_flight : CARRY_IN_FLIGHT;

	carry->options = *options;
	if (!carry->options.written)
		carry->options.written = nobody;
	carry->plan = *plan;
	plan_init(plan);
	carry->slot_count = carry->plan.writes.len < most ? carry->plan.writes.len : most;
	carry->slots = mem_calloc(carry->slot_count, sizeof(*carry->slots));
	advance(carry);
	return carry;
}
