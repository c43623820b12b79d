/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit.c - what may change or refuse a write. To add one: a function in its own file,
 * declared in admit_rows.h, and a row here; the order is that of kube-apiserver. */
#include "apiserver/admit/admit.h"

#include <stdarg.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"

#include "base/banned.h"

enum {
	ON_CREATE = 1 << VERB_CREATE,
	ON_UPDATE = 1 << VERB_UPDATE,
	ON_DELETE = 1 << VERB_DELETE,
};

#define PODS(plugin) .name = (plugin), .group = "", .plural = "pods"
#define CLAIMS(plugin) .name = (plugin), .group = "", .plural = "persistentvolumeclaims"
#define CLASSES(plugin) .name = (plugin), .group = "scheduling.k8s.io", .plural = "priorityclasses"

static const struct admitter admitters[] = {
	{.name = "NamespaceLifecycle", .verbs = ON_CREATE, .change = admit_namespace},
	{.name = "NamespaceLifecycle",
	 .verbs = ON_DELETE,
	 .group = "",
	 .plural = "namespaces",
	 .check = admit_namespace_removal},
	{PODS("LimitRanger"), .verbs = ON_CREATE | ON_UPDATE, .sub = true, .change = admit_limits,
	 .check = admit_limits_check},
	{CLAIMS("LimitRanger"), .verbs = ON_CREATE | ON_UPDATE, .check = admit_limits_check},
	{PODS("ServiceAccount"), .verbs = ON_CREATE, .change = admit_account},
	{.name = "TaintNodesByCondition",
	 .verbs = ON_CREATE,
	 .group = "",
	 .plural = "nodes",
	 .change = admit_node},
	{PODS("Priority"), .verbs = ON_CREATE | ON_UPDATE, .change = admit_priority},
	{CLASSES("Priority"), .verbs = ON_CREATE | ON_UPDATE, .check = admit_priority_class},
	{CLASSES("Priority"), .verbs = ON_DELETE, .check = admit_priority_class_removal},
	{PODS("DefaultTolerationSeconds"), .verbs = ON_CREATE | ON_UPDATE,
	 .change = admit_tolerations},
	{CLAIMS("DefaultStorageClass"), .verbs = ON_CREATE, .change = admit_claim_class},
	{CLAIMS("StorageObjectInUseProtection"), .verbs = ON_CREATE,
	 .change = admit_claim_protection},
	{.name = "StorageObjectInUseProtection",
	 .verbs = ON_CREATE,
	 .group = "",
	 .plural = "persistentvolumes",
	 .change = admit_volume_protection},
	{CLAIMS("PersistentVolumeClaimResize"), .verbs = ON_UPDATE, .check = admit_claim_growth},
	{PODS("RuntimeClass"), .verbs = ON_CREATE, .change = admit_runtime,
	 .check = admit_runtime_check},
	{.name = "Volcano",
	 .verbs = ON_CREATE | ON_UPDATE | ON_DELETE,
	 .change = admit_volcano_change,
	 .check = admit_volcano_check},
	{.name = "Effect", .verbs = ON_CREATE | ON_UPDATE, .check = admit_effect},
	{.name = "ResourceQuota",
	 .verbs = ON_CREATE | ON_UPDATE,
	 .sub = true,
	 .check = admit_quota},
};

/* A patch and a PUT are updates; removing many is removing each. */
static unsigned verb_bit(const struct call *call, struct json old)
{
	if (call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION)
		return ON_DELETE;
	return json_is_absent(old) ? ON_CREATE : ON_UPDATE;
}

static bool concerns(const struct admitter *row, const struct call *call, unsigned verb)
{
	return (row->verbs & verb) && (!call->sub.len || row->sub) &&
	       (!row->group || str_is(call->kind->group, row->group)) &&
	       (!row->plural || str_is(call->kind->plural, row->plural));
}

int admit_forbidden(const struct admission *admission, struct err *err, const char *format, ...)
{
	struct call *call = admission->call;
	struct json body = call->body ? json_get(json_doc_root(call->body), "metadata") : JSON_NONE;
	struct str name = call->name;
	char *why;
	va_list args;

	if (!name.len)
		name = json_str(json_get(json_get(admission->object, "metadata"), "name"));
	if (admission->doc && !call->name.len && !json_str(json_get(body, "name")).len &&
	    json_str(json_get(body, "generateName")).len)
		name = json_str(json_get(body, "generateName"));
	if (!name.len)
		name = STR("Unknown");
	va_start(args, format);
	why = arena_vprintf(call->arena, format, args);
	va_end(args);
	return call_err_forbidden(call, arena_str(call->arena, name), why, err);
}

int admit_change(struct call *call, struct json_doc *doc, struct json old, struct err *err)
{
	struct admission admission = {call, doc, json_doc_root(doc), old};
	unsigned verb = verb_bit(call, old);

	for (size_t i = 0; i < ARRAY_LEN(admitters); i++)
		if (admitters[i].change && concerns(&admitters[i], call, verb) &&
		    admitters[i].change(&admission, err) < 0)
			return -1;
	return 0;
}

int admit_check(struct call *call, struct json object, struct json old, struct err *err)
{
	struct admission admission = {call, NULL, object, old};
	unsigned verb = verb_bit(call, old);

	for (size_t i = 0; i < ARRAY_LEN(admitters); i++)
		if (admitters[i].check && concerns(&admitters[i], call, verb) && !call->internal &&
		    admitters[i].check(&admission, err) < 0)
			return -1;
	return 0;
}
