/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind_crd.c - what is special about CustomResourceDefinitions as objects: what is filled
 * in, their rules, and that they are removed in steps. What they bring about is in definition.c. */
#include "apiserver/api.h"
#include "apiserver/call.h"
#include "apiserver/crd.h"
#include "apiserver/definition.h"
#include "apiserver/kind_row.h"
#include "model/crd.h"

#include "base/banned.h"

static int prepare_create(struct call *call, struct json_doc *doc, struct json object,
			  struct err *err)
{
	(void)err;
	crd_prepare_status(doc, object);
	crd_prepare(doc, object);
	if (call->internal) /* one of our own: it works from its first version on */
		(void)definitions_settle(call->api, doc, object);
	return 0;
}

static int prepare_update(struct call *call, struct json_doc *doc, struct json object,
			  struct json old, struct err *err)
{
	(void)old;
	(void)err;
	if (!call->sub.len)
		crd_prepare(doc, object);
	return 0;
}

/* Our own are sound: a test has tried them all, and a start is to be fast. */
static void validate_create(struct call *call, struct json object, struct causes *causes)
{
	if (!call->internal)
		crd_validate(object, JSON_NONE, causes);
}

static void validate_update(struct call *call, struct json object, struct json old,
			    struct causes *causes)
{
	(void)call;
	crd_validate(object, old, causes);
}

/* A second request finds it marked, and changes nothing. */
static bool start_removal(struct call *call, struct json_doc *doc, struct json object)
{
	if (json_is_absent(json_get(json_get(object, "metadata"), "deletionTimestamp")))
		crd_start_removal(doc, object, api_now(call->api));
	return true;
}

static const struct kind_ops ops = {
	.prepare_create = prepare_create,
	.prepare_update = prepare_update,
	.validate_create = validate_create,
	.validate_update = validate_update,
	.start_removal = start_removal,
};

static const struct kind rows[] = {
	{ROW("apiextensions.k8s.io", "v1", "customresourcedefinitions", "customresourcedefinition",
	     "CustomResourceDefinition", crd_type),
	 .status = true, .generation = true, .version_on_update = true,
	 .short_names = NAMES("crd", "crds"), .categories = NAMES("api-extensions"),
	 .subs = kind_subs_status, .ops = &ops},
};

const struct kind_group kind_group_definitions = {rows, ARRAY_LEN(rows)};
