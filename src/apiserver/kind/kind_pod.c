/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_pod.c - what is special about pods: a status that the server starts, four ways to
 * change one (itself, its status, its ephemeral containers, its size), warnings, and time to end.
 *
 * The rules are in model/pod/pod_validate.h; this file says when each of them applies. */
#include "apiserver/kind/kind_pod.h"

#include "apiserver/api.h"
#include "apiserver/request/call.h"
#include "model/field/fields.h"
#include "model/pod/pod.h"
#include "model/pod/pod_prepare.h"
#include "model/pod/pod_validate.h"
#include "model/pod/pod_warn.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define EPHEMERAL "ephemeralContainers"

static bool is_sub(const struct call *call, const char *name)
{
	return str_is(call->sub, name);
}

static int prepare_create(struct call *call, struct json_doc *doc, struct json pod, struct err *err)
{
	(void)err;
	pod_prepare_create(doc, pod, api_now(call->api));
	return 0;
}

/* Nothing but the ephemeral containers is taken from the new pod. */
static void prepare_ephemeral(struct json_doc *doc, struct json pod, struct json old)
{
	struct json containers = json_get(json_get(pod, "spec"), EPHEMERAL);
	struct json version = json_get(json_get(pod, "metadata"), "resourceVersion");
	struct json spec = json_new_copy(doc, json_get(old, "spec"));
	struct json metadata = json_new_copy(doc, json_get(old, "metadata"));

	if (json_is_absent(containers))
		(void)json_remove(doc, spec, STR(EPHEMERAL));
	else
		json_set(doc, spec, STR(EPHEMERAL), json_new_copy(doc, containers));
	json_set(doc, metadata, STR("resourceVersion"), json_new_copy(doc, version));
	json_set(doc, pod, STR("spec"), spec);
	json_set(doc, pod, STR("metadata"), metadata);
}

static int prepare_update(struct call *call, struct json_doc *doc, struct json pod, struct json old,
			  struct err *err)
{
	(void)err;
	if (is_sub(call, "status")) {
		pod_prepare_status(doc, pod, old);
		return 0;
	}
	if (is_sub(call, "ephemeralcontainers"))
		prepare_ephemeral(doc, pod, old);
	else if (is_sub(call, "resize"))
		pod_prepare_resize(doc, pod, old);
	pod_prepare_update(doc, pod, old);
	return 0;
}

static void validate_create(struct call *call, struct json pod, struct causes *causes)
{
	(void)call;
	type_validate(&pod_type, pod, causes);
	pod_validate_new(pod, causes);
}

static void validate_update(struct call *call, struct json pod, struct json old,
			    struct causes *causes)
{
	if (is_sub(call, "status")) {
		pod_validate_status(pod, old, causes);
		return;
	}
	rules_meta(pod, NAME_DNS_SUBDOMAIN, true, causes);
	type_validate(&pod_type, pod, causes);
	if (is_sub(call, "ephemeralcontainers"))
		pod_validate_ephemeral(pod, old, causes);
	else if (is_sub(call, "resize"))
		pod_validate_resize(pod, old, causes);
	else
		pod_validate_update(pod, old, causes);
}

static void warn_line(void *arg, const char *text)
{
	struct call *call = arg;

	call_warn(call, "%s", text);
}

static void warn(struct call *call, struct json pod, struct json old)
{
	if (json_is_absent(old))
		pod_warn(pod, warn_line, call);
}

static int64_t grace(struct call *call, struct json pod, int64_t asked)
{
	(void)call;
	return pod_grace(pod, asked);
}

/* A Table marks pods that have ended, so that kubectl can hide them. */
static struct json row_conditions(struct json pod, struct json_doc *doc)
{
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));
	bool succeeded = str_is(phase, "Succeeded");
	struct json list;
	struct json ended;

	if (!succeeded && !str_is(phase, "Failed"))
		return JSON_NONE;
	list = json_new_arr(doc);
	ended = json_new_obj(doc);
	json_set_str(doc, ended, "type", STR("Completed"));
	json_set_str(doc, ended, "status", STR("True"));
	json_set_str(doc, ended, "reason", phase);
	json_set_str(doc, ended, "message",
		     succeeded ? STR("The pod has completed successfully.")
			       : STR("The pod failed."));
	json_append(doc, list, ended);
	return list;
}

const struct kind_ops kind_pod_ops = {
	.prepare_create = prepare_create,
	.prepare_update = prepare_update,
	.validate_create = validate_create,
	.validate_update = validate_update,
	.warn = warn,
	.grace = grace,
	.row_conditions = row_conditions,
};
