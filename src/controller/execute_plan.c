/* SPDX-License-Identifier: Apache-2.0 */
/* controller/execute_plan.c - executes a plan.
 *
 * A window moves over the list of writes: `next` is the first that was not sent. It does not leave a
 * stage while a write of that stage is under way. Each write that is under way has a slot, which
 * its answer comes back to. */
#include "controller/execute_plan.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "client/client.h"
#include "client/recorder.h"
#include "client/resource.h"

#include "base/banned.h"

enum {
	REPORTS_MAX = 64,     /* states remembered */
	MESSAGE_ROOM = 900,   /* of an event's message, which may have 1024 bytes */
	FAILURES_SHOWN = 100, /* kept of those that failed in a stage */
};

struct slot {
	struct execution *execution;
	size_t write;
	struct client_request *request; /* NULL: free */
};

/* A write that failed. */
struct failure {
	size_t write;
	bool ending; /* of the namespace */
	struct err err;
};

struct execution {
	struct execution_options options;
	struct plan plan;
	struct slot *slots;
	size_t slot_count;
	size_t under_way;
	size_t next;
	size_t noted; /* events recorded */
	enum execution_end end;
	VEC(struct failure *) failures;
};

/* --- events ---------------------------------------------------------------------------------- */

void execution_reports_done(struct execution_reports *reported)
{
	vec_done(&reported->hashes);
}

/* Was the state reported before? Remembers it otherwise. */
static bool was_reported(struct execution_reports *reported, const struct plan_note *note)
{
	struct str state = note->same.len > 0 ? note->same : note->message;
	uint64_t hash = hash_str(state, hash_str(note->uid, hash_str(str_from(note->reason), 0)));

	if (!reported)
		return false;
	for (size_t i = 0; i < reported->hashes.len; i++)
		if (reported->hashes.ptr[i] == hash)
			return true;
	if (reported->hashes.len == REPORTS_MAX)
		vec_remove(&reported->hashes, 0);
	vec_push(&reported->hashes, hash);
	return false;
}

static void report(const struct execution_options *options, const struct plan_note *note)
{
	struct recorder_object object = {
		.api_version = str_from(plan_kinds[note->kind].api_version),
		.kind = str_from(plan_kinds[note->kind].kind),
		.namespace = note->namespace,
		.name = note->name,
		.uid = note->uid,
	};

	if (!options->recorder || (note->steady && was_reported(options->reported, note)))
		return;
	recorder_event(options->recorder, &object, note->warning ? "Warning" : "Normal",
		       note->reason, note->message);
}

void execution_report(const struct execution_options *options, const struct plan *plan)
{
	for (size_t i = 0; i < plan->notes.len; i++)
		report(options, &plan->notes.ptr[i]);
}

/* The events that wait for stages before this one. */
static void report_until(struct execution *execution, unsigned stage)
{
	const struct plan *plan = &execution->plan;

	while (execution->noted < plan->notes.len &&
	       plan->notes.ptr[execution->noted].stage <= stage)
		report(&execution->options, &plan->notes.ptr[execution->noted++]);
}

/* One event for all that failed in the stage with the same reason as failure `at`. */
static void report_failure(struct execution *execution, size_t at)
{
	const struct plan_write *first =
		&execution->plan.writes.ptr[execution->failures.ptr[at]->write];
	struct plan_note note = {
		.warning = true,
		.reason = first->fail_reason,
		.kind = execution->plan.about_kind,
		.namespace = execution->plan.about_namespace,
		.name = execution->plan.about_name,
		.uid = execution->plan.about_uid,
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (execution->failures.ptr[at]->ending && first->ending_text) {
		note.reason = "NamespaceTerminating";
		buf_puts(&text, first->ending_text);
	} else if (!first->fail_list) {
		buf_printf(&text, "%s%s", first->fail_text, execution->failures.ptr[at]->err.text);
	} else {
		buf_printf(&text, "%s[", first->fail_text);
		for (size_t i = at; i < execution->failures.len && text.len < MESSAGE_ROOM; i++) {
			const struct failure *failure = execution->failures.ptr[i];
			const struct plan_write *write =
				&execution->plan.writes.ptr[failure->write];

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
	/* It is reported once, however often it is tried. */
	note.steady = client_is_denial(&execution->failures.ptr[at]->err);
	report(&execution->options, &note);
}

static void report_failures(struct execution *execution)
{
	for (size_t i = 0; i < execution->failures.len; i++) {
		const char *reason =
			execution->plan.writes.ptr[execution->failures.ptr[i]->write].fail_reason;
		bool first = reason != NULL && execution->plan.about_name.len > 0;

		for (size_t k = 0; k < i && first; k++)
			first = execution->plan.writes.ptr[execution->failures.ptr[k]->write]
					.fail_reason != reason;
		if (first)
			report_failure(execution, i);
	}
}

/* --- writes ---------------------------------------------------------------------------------- */

static void execution_free(struct execution *execution)
{
	for (size_t i = 0; i < execution->failures.len; i++)
		mem_free(execution->failures.ptr[i]);
	vec_done(&execution->failures);
	plan_done(&execution->plan);
	mem_free(execution->slots);
	mem_free(execution);
}

void execution_cancel(struct execution *execution)
{
	if (!execution)
		return;
	for (size_t i = 0; i < execution->slot_count; i++)
		client_cancel(execution->slots[i].request);
	execution_free(execution);
}

static void finish(struct execution *execution)
{
	if (execution->end == EXECUTION_DONE)
		report_until(execution, UINT32_MAX);
	report_failures(execution);
	execution->options.done(execution->options.arg, execution->end);
	execution_free(execution);
}

/* What an error means for the plan; true: nothing, as if it had succeeded. */
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

static void note_error(struct execution *execution, size_t at, const struct client_result *result)
{
	const struct err *err = result->err;
	const struct plan_write *write = &execution->plan.writes.ptr[at];
	struct failure *failure;

	if (is_in_the_way(write, err->code) || err->code == ERR_UNAVAILABLE) {
		if (execution->end == EXECUTION_DONE)
			execution->end = EXECUTION_AGAIN;
		return;
	}
	if (client_is_denial(err))
		execution->end =
			execution->end == EXECUTION_FAILED ? EXECUTION_FAILED : EXECUTION_DENIED;
	else
		execution->end = EXECUTION_FAILED;
	if (execution->options.failed && execution->end == EXECUTION_FAILED)
		execution->options.failed(execution->options.arg, write, err);
	if (execution->failures.len == FAILURES_SHOWN)
		return;
	failure = mem_new(struct failure);
	failure->write = at;
	failure->ending = is_ending(result->doc);
	failure->err = *err;
	vec_push(&execution->failures, failure);
}

static void advance(struct execution *execution);

static void answered(void *arg, const struct client_result *result)
{
	struct slot *slot = arg;
	struct execution *execution = slot->execution;
	const struct plan_write *write = &execution->plan.writes.ptr[slot->write];

	slot->request = NULL;
	execution->under_way--;
	if (!result->err)
		execution->options.written(execution->options.arg, write, result->doc);
	else if (is_fine(write, result->err->code))
		execution->options.written(execution->options.arg, write, NULL);
	else
		note_error(execution, slot->write, result);
	advance(execution);
}

static void send(struct execution *execution, struct slot *slot)
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
	const struct plan_write *write = &execution->plan.writes.ptr[execution->next];
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

	slot->execution = execution;
	slot->write = execution->next++;
	slot->request = client_send(execution->options.client, &ask);
	execution->under_way++;
}

static struct slot *free_slot(struct execution *execution)
{
	for (size_t i = 0; i < execution->slot_count; i++)
		if (!execution->slots[i].request)
			return &execution->slots[i];
	return NULL;
}

/* Send what may be sent now; end where nothing is left. */
static void advance(struct execution *execution)
{
	const struct plan *plan = &execution->plan;

	for (;;) {
		struct slot *slot;
		bool new_stage;

		if (execution->next == plan->writes.len)
			break;
		new_stage =
			execution->next == 0 || plan->writes.ptr[execution->next].stage !=
							plan->writes.ptr[execution->next - 1].stage;
		if (new_stage && execution->next > 0 &&
		    (execution->under_way > 0 || execution->end != EXECUTION_DONE))
			break;
		slot = free_slot(execution);
		if (!slot)
			return;
		if (new_stage)
			report_until(execution, plan->writes.ptr[execution->next].stage);
		send(execution, slot);
	}
	if (execution->under_way == 0)
		finish(execution);
}

static void nobody(void *arg, const struct plan_write *write, struct json_doc *doc)
{
	(void)arg;
	(void)write;
	(void)doc;
}

struct execution *execution_start(const struct execution_options *options, struct plan *plan)
{
	struct execution *execution = mem_new(struct execution);
	size_t most = options->in_flight ? options->in_flight : EXECUTION_IN_FLIGHT;

	execution->options = *options;
	if (!execution->options.written)
		execution->options.written = nobody;
	execution->plan = *plan;
	plan_init(plan);
	execution->slot_count =
		execution->plan.writes.len < most ? execution->plan.writes.len : most;
	execution->slots = mem_calloc(execution->slot_count, sizeof(*execution->slots));
	advance(execution);
	return execution;
}
