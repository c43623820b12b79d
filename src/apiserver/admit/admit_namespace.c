/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_namespace.c - nothing is created in a namespace that does not exist or is
 * being deleted, and the initial namespaces cannot be deleted.
 *
 * Asked before anything else of a new object, so that what is wrong with the object does not hide
 * that there is no place for it; of bindings and evictions of pods too, which are made as well. */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "base/arena.h"

#include "base/banned.h"

static int admit_namespace_removal(const struct admission *admission, struct err *err)
{
	static const char *const kept[] = {"default", "kube-system", "kube-public"};
	struct call *call = admission->call;

	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (str_is(call->name, kept[i]))
			return call_err_forbidden(call, call->name,
						  "this namespace may not be deleted", err);
	return 0;
}

int admit_namespace(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;
	const struct kind *namespaces =
		kinds_find(api_kinds(call->api), STR(""), STR("v1"), STR("namespaces"));
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!call->kind->namespaced)
		return 0;
	doc = api_read_newest(call->api, namespaces, str_none(), call->namespace);
	if (!doc) {
		call->error.name = call->namespace;
		call->error.kind = STR("namespaces");
		call->error.group = STR("");
		return err_set(err, ERR_NOT_FOUND, "namespaces \"%.*s\" not found",
			       STR_ARG(call->namespace));
	}
	if (json_is_absent(json_get(json_get(json_doc_root(doc), "metadata"), "deletionTimestamp")))
		return 0;
	call_note_cause(call, &(struct call_cause){
				      .reason = "NamespaceTerminating",
				      .message = arena_printf(call->arena,
							      "namespace %.*s is being terminated",
							      STR_ARG(call->namespace)),
				      .field = "metadata.namespace"});
	return admit_forbidden(admission, err,
			       "unable to create new content in namespace %.*s because it is being "
			       "terminated",
			       STR_ARG(call->namespace));
}

const struct admitter admitter_namespace = {
	.name = "NamespaceLifecycle", .verbs = ADMIT_CREATE, .change = admit_namespace};

const struct admitter admitter_namespace_removal = {.name = "NamespaceLifecycle",
						    .verbs = ADMIT_DELETE,
						    .group = "",
						    .plural = "namespaces",
						    .check = admit_namespace_removal};
