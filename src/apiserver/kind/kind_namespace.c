/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_namespace.c - what is special about namespaces: they end in steps.
 *
 * The finalizers in their spec keep them until their content was deleted (reconcile_namespaces.c) and
 * change only through the sub-resource "finalize". A deletion marks a namespace as Terminating; a further
 * one changes nothing while a finalizer is left. */
#include "apiserver/kind/kind_namespace.h"

#include "apiserver/api.h"
#include "apiserver/kind/kind_rules.h"
#include "apiserver/request/call.h"
#include "base/time.h"
#include "model/core/namespace.h"
#include "model/field/rule.h"

#include "base/banned.h"

static bool is_sub(const struct call *call, const char *name)
{
	return str_is(call->sub, name);
}

static void keep_finalizers(struct json_doc *doc, struct json namespace, struct json old)
{
	struct json finalizers = json_get(json_get(old, "spec"), "finalizers");
	struct json spec = json_ensure_obj(doc, namespace, "spec");

	if (json_is_absent(finalizers))
		(void)json_remove(doc, spec, STR("finalizers"));
	else
		json_set(doc, spec, STR("finalizers"), json_new_copy(doc, finalizers));
}

static int prepare_update(struct call *call, struct json_doc *doc, struct json namespace,
			  struct json old, struct err *err)
{
	if (!is_sub(call, "finalize"))
		keep_finalizers(doc, namespace, old);
	return kind_ruled_prepare_update(call, doc, namespace, old, err);
}

static void validate_update(struct call *call, struct json namespace, struct json old,
			    struct causes *causes)
{
	if (is_sub(call, "finalize"))
		rules_check(&namespace_finalize_rules,
			    &(struct rule_at){.value = namespace, .old = old, .causes = causes});
	else
		kind_ruled_validate_update(call, namespace, old, causes);
}

static bool start_removal(struct call *call, struct json_doc *doc, struct json namespace)
{
	struct json metadata = json_get(namespace, "metadata");
	char text[TIME_TEXT_SIZE];

	if (!json_is_absent(json_get(metadata, "deletionTimestamp")))
		return json_len(json_get(json_get(namespace, "spec"), "finalizers")) > 0;
	json_set_str(doc, metadata, "deletionTimestamp",
		     str_from(time_print(api_now(call->api), text)));
	json_set_str(doc, json_ensure_obj(doc, namespace, "status"), "phase", STR("Terminating"));
	return true;
}

const struct kind_ops kind_namespace_ops = {
	.prepare_create = kind_ruled_prepare_create,
	.prepare_update = prepare_update,
	.validate_create = kind_ruled_validate_create,
	.validate_update = validate_update,
	.start_removal = start_removal,
};

const struct kind_sub kind_namespace_subs[] = {
	{.name = "finalize", .verbs = 1 << VERB_UPDATE},
	{.name = "status", .verbs = VERBS_STATUS},
	{.name = NULL},
};
