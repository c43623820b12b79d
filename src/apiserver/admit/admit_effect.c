/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_effect.c - objects and fields that this server stores and does nothing about. To add one: a
 * row; when it works: remove the row.
 *
 * What merely has no effect is accepted with a warning that says so. What promises safety (nothing passes
 * unless a webhook has agreed; versions are converted by a webhook) is refused, since ignoring it does harm;
 * an object that was stored so earlier may still be changed, with the warning.
 *
 * A server that keeps to Kubernetes' rules alone (api_options.plain) does not warn: it may be there for
 * controllers of others. It refuses all the same. */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"

#include "base/banned.h"

/* The field of the object that has no effect, in the arena; NULL: none has. */
typedef const char *field_fn(struct json object, struct arena *arena);

struct effect {
	const char *group;
	const char *plural;
	field_fn *find; /* NULL: the object as a whole */
	bool refused;
	const char *why;
};

/* --- fields ---------------------------------------------------------------------------------- */

/* The default of failurePolicy is Fail. */
static const char *find_failing_webhook(struct json object, struct arena *arena)
{
	struct json_iter it = json_iter(json_get(object, "webhooks"));

	while (json_next(&it))
		if (!str_is(json_str(json_get(it.value, "failurePolicy")), "Ignore"))
			return arena_printf(arena, "webhooks[%zu].failurePolicy", it.index);
	return NULL;
}

static bool converts(struct json object)
{
	struct json strategy =
		json_get(json_get(json_get(object, "spec"), "conversion"), "strategy");

	return str_is(json_str(strategy), "Webhook");
}

/* With one version there is nothing to convert. */
static const char *find_conversion(struct json object, struct arena *arena)
{
	(void)arena;
	return converts(object) && json_len(json_get(json_get(object, "spec"), "versions")) > 1
		       ? "spec.conversion.strategy"
		       : NULL;
}

static const char *find_idle_conversion(struct json object, struct arena *arena)
{
	return converts(object) && !find_conversion(object, arena) ? "spec.conversion.strategy"
								   : NULL;
}

/* --- the table ------------------------------------------------------------------------------- */

#define NO_PODS "no controller of this server makes pods for it"
#define NO_DRIVERS "no storage drivers are called"
#define NO_WEBHOOKS "this server does not call admission webhooks"

static const struct effect effects[] = {
	{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", find_failing_webhook,
	 true,
	 NO_WEBHOOKS ", and Fail (the default) asks that nothing passes without them. Set it to "
		     "Ignore to store the configuration without effect"},
	{"admissionregistration.k8s.io", "validatingwebhookconfigurations", find_failing_webhook,
	 true,
	 NO_WEBHOOKS ", and Fail (the default) asks that nothing passes without them. Set it to "
		     "Ignore to store the configuration without effect"},
	{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", NULL, false, NO_WEBHOOKS},
	{"admissionregistration.k8s.io", "validatingwebhookconfigurations", NULL, false,
	 NO_WEBHOOKS},
	{"apiextensions.k8s.io", "customresourcedefinitions", find_conversion, true,
	 "this server does not call conversion webhooks, and objects of one version would lose "
	 "fields when they are read or written as another. Use the strategy None, or one version"},
	{"apiextensions.k8s.io", "customresourcedefinitions", find_idle_conversion, false,
	 "this server does not call conversion webhooks"},
	{"", "replicationcontrollers", NULL, false, NO_PODS},
	{"apps", "daemonsets", NULL, false, NO_PODS},
	{"apps", "deployments", NULL, false, NO_PODS},
	{"apps", "replicasets", NULL, false, NO_PODS},
	{"apps", "statefulsets", NULL, false, NO_PODS},
	{"autoscaling", "horizontalpodautoscalers", NULL, false,
	 "no controller of this server scales anything"},
	{"certificates.k8s.io", "certificatesigningrequests", NULL, false,
	 "no controller of this server issues certificates"},
	{"batch", "cronjobs", NULL, false, NO_PODS "; use a CronJob of batch.volcano.sh"},
	{"batch", "jobs", NULL, false, NO_PODS "; use a Job of batch.volcano.sh"},
	{"networking.k8s.io", "ingresses", NULL, false, "this server has no ingress controller"},
	{"networking.k8s.io", "networkpolicies", NULL, false, "no traffic is restricted"},
	{"storage.k8s.io", "csidrivers", NULL, false, NO_DRIVERS},
	{"storage.k8s.io", "csinodes", NULL, false, NO_DRIVERS},
	{"storage.k8s.io", "csistoragecapacities", NULL, false, NO_DRIVERS},
	{"storage.k8s.io", "volumeattachments", NULL, false, NO_DRIVERS},
};

static bool concerns(const struct effect *effect, const struct kind *kind)
{
	/* the first letter rules most out, and this is asked of every write */
	return kind->plural.ptr[0] == effect->plural[0] && str_is(kind->plural, effect->plural) &&
	       str_is(kind->group, effect->group);
}

static int admit_effect(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;

	for (size_t i = 0; i < ARRAY_LEN(effects); i++) {
		const struct effect *effect = &effects[i];
		const char *field = NULL;

		if (!concerns(effect, call->kind))
			continue;
		if (effect->find && !(field = effect->find(admission->object, call->arena)))
			continue;
		if (effect->refused && field && !effect->find(admission->old, call->arena))
			return admit_forbidden(admission, err, "%s: %s", field, effect->why);
		if (call->api->options.plain)
			continue;
		if (field)
			call_warn(call, "%s has no effect: %s", field, effect->why);
		else
			call_warn(call, "%.*s has no effect: %s", STR_ARG(call->kind->name),
				  effect->why);
	}
	return 0;
}

const struct admitter admitter_effect = {
	.name = "Effect", .verbs = ADMIT_CREATE | ADMIT_UPDATE, .check = admit_effect};
