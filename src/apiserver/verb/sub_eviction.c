/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/verb/sub_eviction.c - evicts a pod if its disruption budget allows it.
 *
 * A pod that does not run (any more, or yet) is deleted whatever the budget says. One that runs but
 * is not ready is deleted if the budget allows that or has enough healthy pods without it. For any
 * other the budget
 * must have a disruption left: it is counted down and the pod noted in it, in the write before the
 * removal, until the budget's reconciler (reconcile_budgets.c) has seen the pod go. The pod itself gets the
 * condition DisruptionTarget first. */
#include <inttypes.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "apiserver/kind/content.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/request/options.h"
#include "apiserver/verb/edit.h"
#include "apiserver/verb/sub.h"
#include "base/arena.h"
#include "base/time.h"
#include "json/strategic.h"
#include "model/core/conditions.h"
#include "model/core/meta.h"
#include "model/group/disruption.h"
#include "model/rules/causes.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum { DISRUPTED_MAX = 2000, RETRY_SECONDS = 10 };

static const struct kind eviction_kind = {
	.group = STR_INIT("policy"),
	.version = STR_INIT("v1"),
	.name = STR_INIT("Eviction"),
	.api_version = STR_INIT("policy/v1"),
	.content = &content_typed,
	.type = &eviction_type,
};

/* --- the request ----------------------------------------------------------------------------- */

/* The older version is the same object. */
static void take_older_version(struct call *call)
{
	struct json_doc *doc;

	if (!call->body.doc ||
	    !str_is(json_str(json_get(json_doc_root(call->body.doc), "apiVersion")),
		    "policy/v1beta1"))
		return;
	doc = json_doc_thaw(json_doc_root(call->body.doc));
	json_set_str(doc, json_doc_root(doc), "apiVersion", STR("policy/v1"));
	json_doc_unref(call->body.doc);
	call->body.doc = doc;
}

/* [a b] of ["a","b"] */
static const char *list_as_go(struct call *call, struct str list)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(list, NULL, &err);

	json_print_go(json_doc_root(doc), &text);
	return arena_strdup(call->arena, buf_text(&text));
}

/* The options of the removal are in the eviction; only whether it is a dry run may be said twice. */
static int take_options(struct call *call, struct json eviction, struct err *err)
{
	struct json options = json_get(eviction, "deleteOptions");
	struct str dry_run = call->options.dry_run;
	struct str asked;

	if (!json_is(options, JSON_OBJ))
		return 0;
	if (options_from_body(call, options, err) < 0)
		return -1;
	asked = call->options.dry_run;
	if (dry_run.len && asked.len && !str_eq(dry_run, asked))
		return err_set(err, ERR_UNKNOWN,
			       "Non-matching dry-run options in request and content: %s and %s",
			       list_as_go(call, dry_run), list_as_go(call, asked));
	if (!asked.len)
		call->options.dry_run = dry_run;
	return 0;
}

static int check_eviction(struct call *call, struct json eviction, struct err *err)
{
	struct str name = json_str(json_get(json_get(eviction, "metadata"), "name"));

	if (admit_namespace(&(struct admission){.call = call, .object = eviction}, err) < 0)
		return -1;
	if (!str_eq(name, call->name))
		return err_set(err, ERR_BAD_REQUEST,
			       "name in URL does not match name in Eviction object");
	return take_options(call, eviction, err);
}

/* --- budgets --------------------------------------------------------------------------------- */

/* What is known of the pod's budget. */
struct budget {
	const struct kind *kind;
	struct json_doc *doc; /* NULL: none */
	size_t count;
};

static void find_budget(struct call *call, struct json pod, struct budget *ret)
{
	struct store *store = api_store(call->api);
	struct json labels = json_get(json_get(pod, "metadata"), "labels");
	struct str prefix = api_key(call->arena, ret->kind, call->namespace, str_none());
	struct store_newest_walk walk = store_newest_walk(store, prefix);
	struct object *newest;

	while ((newest = store_newest_next(&walk))) {
		struct err err;
		AUTO(json_doc_unref) struct json_doc *doc = json_parse(newest->text, NULL, &err);
		struct json selector =
			doc ? json_get(json_get(json_doc_root(doc), "spec"), "selector")
			    : JSON_NONE;

		if (!json_is(selector, JSON_OBJ) || !rules_selects(selector, labels))
			continue;
		ret->count++;
		if (!ret->doc)
			ret->doc = TAKE(doc);
	}
}

/* An unready pod is not what the budget counts on. */
static bool is_free_to_go(struct json pod, struct json budget)
{
	struct json status = json_get(budget, "status");
	struct json policy = json_get(json_get(budget, "spec"), "unhealthyPodEvictionPolicy");
	int64_t desired = json_int(json_get(status, "desiredHealthy"));

	return !meta_has_condition(pod, "Ready") &&
	       (str_is(json_str(policy), "AlwaysAllow") ||
		(json_int(json_get(status, "currentHealthy")) >= desired && desired > 0));
}

static const char *why_none_is_left(struct call *call, struct json budget, struct str name)
{
	struct json status = json_get(budget, "status");
	int64_t current = json_int(json_get(status, "currentHealthy"));
	int64_t desired = json_int(json_get(status, "desiredHealthy"));
	struct json_iter it = json_iter(json_get(status, "conditions"));
	struct str reason = str_none();
	struct str message = str_none();

	while (json_next(&it)) {
		if (!str_is(json_str(json_get(it.value, "type")), "DisruptionAllowed") ||
		    !str_is(json_str(json_get(it.value, "status")), "False"))
			continue;
		reason = json_str(json_get(it.value, "reason"));
		message = json_str(json_get(it.value, "message"));
	}
	if (message.len && str_is(reason, "SyncFailed"))
		return arena_printf(call->arena,
				    "The disruption budget %.*s does not allow evicting pods "
				    "currently because it failed sync: %.*s",
				    STR_ARG(name), STR_ARG(message));
	if (current <= desired)
		return arena_printf(call->arena,
				    "The disruption budget %.*s needs %" PRId64
				    " healthy pods and has %" PRId64 " currently",
				    STR_ARG(name), desired, current);
	if (message.len)
		return arena_printf(call->arena,
				    "The disruption budget %.*s does not allow evicting pods "
				    "currently (%.*s): %.*s",
				    STR_ARG(name), STR_ARG(reason), STR_ARG(message));
	return arena_printf(call->arena,
			    "The disruption budget %.*s does not allow evicting pods currently",
			    STR_ARG(name));
}

static int refuse(struct call *call, const char *cause, struct err *err)
{
	call_note_cause(call, &(struct call_cause){.reason = "DisruptionBudget", .message = cause});
	return err_set(err, ERR_TOO_MANY_REQUESTS,
		       "Cannot evict pod as it would violate the pod's disruption budget.");
}

static int forbid(struct call *call, struct str name, const char *why, const char *cause,
		  struct err *err)
{
	call_note_cause(call, &(struct call_cause){
				      .reason = "DisruptionBudget",
				      .message = arena_printf(call->arena,
							      "The disruption budget %.*s does not "
							      "allow evicting pods currently: %s",
							      STR_ARG(name), cause)});
	call->error.name = name;
	call->error.group = STR("policy");
	call->error.kind = STR("poddisruptionbudget");
	return err_set(err, ERR_FORBIDDEN, "poddisruptionbudget.policy \"%.*s\" is forbidden: %s",
		       STR_ARG(name), why);
}

static int check_budget(struct call *call, struct json budget, struct err *err)
{
	struct json metadata = json_get(budget, "metadata");
	struct json status = json_get(budget, "status");
	struct str name = json_str(json_get(metadata, "name"));
	int64_t allowed = json_int(json_get(status, "disruptionsAllowed"));

	if (json_int(json_get(status, "observedGeneration")) <
	    json_int(json_get(metadata, "generation"))) {
		call->answer.retry_after = RETRY_SECONDS;
		return refuse(call,
			      arena_printf(call->arena,
					   "The disruption budget %.*s is still being processed "
					   "by the server.",
					   STR_ARG(name)),
			      err);
	}
	if (allowed < 0)
		return forbid(call, name, "pdb disruptions allowed is negative",
			      "pdb disruptions allowed is negative", err);
	if (json_len(json_get(status, "disruptedPods")) > DISRUPTED_MAX)
		return forbid(call, name,
			      "DisruptedPods map too big - too many evictions not confirmed by PDB "
			      "controller",
			      "too many pending evictions not confirmed by PDB controller", err);
	if (allowed == 0)
		return refuse(call, why_none_is_left(call, budget, name), err);
	return 0;
}

/* One disruption less; the pod is recorded until it was deleted. */
static void count_down(struct call *call, const struct budget *budget)
{
	struct json_doc *doc = json_doc_thaw(json_doc_root(budget->doc));
	struct json status = json_get(json_doc_root(doc), "status");
	int64_t left = json_int(json_get(status, "disruptionsAllowed")) - 1;
	struct condition none = {.type = STR("DisruptionAllowed"),
				 .status = STR("False"),
				 .reason = STR("InsufficientPods")};
	char text[TIME_TEXT_SIZE];

	json_set_int(doc, status, "disruptionsAllowed", left);
	none.observed_generation.set = true;
	none.observed_generation.value = json_int(json_get(status, "observedGeneration"));
	if (left == 0)
		(void)conditions_set(doc, json_ensure_arr(doc, status, "conditions"), &none,
				     api_now(call->api));
	json_set(doc, json_ensure_obj(doc, status, "disruptedPods"), call->name,
		 json_new_str(doc, str_from(time_print(api_now(call->api), text))));
	self_update(call->api, budget->kind, doc);
}

/* May it go, as far as budgets are concerned? */
static int pass_budget(struct call *call, struct json pod, struct err *err)
{
	struct budget budget = {.kind = kinds_find(api_kinds(call->api), STR("policy"), STR("v1"),
						   STR("poddisruptionbudgets"))};
	int result = 0;

	find_budget(call, pod, &budget);
	if (budget.count > 1)
		result = err_set(err, ERR_UNKNOWN,
				 "This pod has more than one PodDisruptionBudget, which the "
				 "eviction subresource does not support.");
	else if (budget.doc && !is_free_to_go(pod, json_doc_root(budget.doc)))
		result = check_budget(call, json_doc_root(budget.doc), err);
	if (result == 0 && budget.doc && !is_free_to_go(pod, json_doc_root(budget.doc)) &&
	    !call->options.dry_run.len)
		count_down(call, &budget);
	json_doc_unref(budget.doc);
	return result;
}

/* --- the pod --------------------------------------------------------------------------------- */

/* Deleting a pod that does not run disrupts nothing. */
static bool needs_no_budget(struct json pod)
{
	static const char *const phases[] = {"Succeeded", "Failed", "Pending"};
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));

	for (size_t i = 0; i < ARRAY_LEN(phases); i++)
		if (str_is(phase, phases[i]))
			return true;
	return !json_is_absent(json_get(json_get(pod, "metadata"), "deletionTimestamp"));
}

/* The pod with its condition. */
static bool set_target(struct edit *edit)
{
	const struct sub_condition target = {"DisruptionTarget", "EvictionByEvictionAPI",
					     "Eviction API: evicting"};
	struct call *call = edit->call;

	edit_decode_old(edit);
	edit->doc = json_doc_thaw(json_doc_root(edit->old));
	sub_set_pod_condition(edit->doc, json_doc_root(edit->doc), &target, call_now(call));
	if (edit->split)
		stage_print(call, edit->doc, &edit->made);
	return true;
}

/* Its budget is asked and its condition written in one turn; then it is a removal like any other. */
static bool evict(struct edit *edit)
{
	struct call *call = edit->call;
	struct json pod = json_doc_root(edit->old);
	struct object *newest;
	struct err err;

	if (edit_is_stale(edit))
		return edit_restart(edit);
	if (delete_check_preconditions(call, pod, edit->stored->revision, &err) < 0 ||
	    (!needs_no_budget(pod) && pass_budget(call, pod, &err) < 0))
		return edit_refuse(edit, &err);
	newest = stage_mark(call, edit->doc, edit->stored, edit->made.ready ? &edit->made : NULL);
	if (call->options.precondition_version.len)
		call->options.precondition_version =
			str_from(arena_printf(call->arena, "%" PRId64, newest->revision));
	sub_answer_status(call, 201);
	call->verb = VERB_DELETE;
	edit_become(edit, edit_delete);
	return true;
}

void sub_serve_eviction(struct call *call)
{
	static const struct edit_step steps[] = {
		{edit_find, false}, {set_target, true}, {evict, false}, {NULL, false}};
	struct json_doc *eviction;
	struct err err;

	take_older_version(call);
	eviction = sub_decode(call, &eviction_kind, &err);
	json_doc_unref(call->body.doc);
	call->body.doc = eviction; /* the options of the removal are in it */
	if (!eviction || check_eviction(call, json_doc_root(eviction), &err) < 0)
		call_answer_err(call, &err);
	else
		edit_run(&(struct edit){.call = call, .next = steps});
}
