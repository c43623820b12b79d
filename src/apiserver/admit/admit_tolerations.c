/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_tolerations.c - DefaultTolerationSeconds: a pod stays for five minutes on a node that
 * is not ready or cannot be reached, unless it says something about that; and TaintNodesByCondition: a new
 * node takes nothing until it is ready. */
#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"

#include "base/banned.h"

#define NOT_READY "node.kubernetes.io/not-ready"
#define UNREACHABLE "node.kubernetes.io/unreachable"

enum { TOLERATED_SECONDS = 300 };

/* A toleration without key, or without effect, is for all of them. */
static bool tolerates(struct json tolerations, const char *key)
{
	struct json_iter it = json_iter(tolerations);

	while (json_next(&it)) {
		struct str of = json_str(json_get(it.value, "key"));
		struct str effect = json_str(json_get(it.value, "effect"));

		if ((!of.len || str_is(of, key)) && (!effect.len || str_is(effect, "NoExecute")))
			return true;
	}
	return false;
}

static int admit_tolerations(const struct admission *admission, struct err *err)
{
	static const char *const keys[] = {NOT_READY, UNREACHABLE};
	struct json_doc *doc = admission->doc;
	struct json spec = json_get(admission->object, "spec");
	bool there[ARRAY_LEN(keys)];

	(void)err;
	if (!json_is(spec, JSON_OBJ))
		return 0; /* validation reports it */
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		there[i] = tolerates(json_get(spec, "tolerations"), keys[i]);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct json toleration;

		if (there[i])
			continue;
		toleration = json_new_obj(doc);
		json_set_str(doc, toleration, "key", str_from(keys[i]));
		json_set_str(doc, toleration, "operator", STR("Exists"));
		json_set_str(doc, toleration, "effect", STR("NoExecute"));
		json_set_int(doc, toleration, "tolerationSeconds", TOLERATED_SECONDS);
		json_append(doc, json_ensure_arr(doc, spec, "tolerations"), toleration);
	}
	return 0;
}

static int admit_node(const struct admission *admission, struct err *err)
{
	struct json_doc *doc = admission->doc;
	struct json spec = json_ensure_obj(doc, admission->object, "spec");
	struct json_iter it = json_iter(json_get(spec, "taints"));
	struct json taint;

	(void)err;
	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "key")), NOT_READY) &&
		    str_is(json_str(json_get(it.value, "effect")), "NoSchedule"))
			return 0;
	taint = json_new_obj(doc);
	json_set_str(doc, taint, "key", STR(NOT_READY));
	json_set_str(doc, taint, "effect", STR("NoSchedule"));
	json_append(doc, json_ensure_arr(doc, spec, "taints"), taint);
	return 0;
}

const struct admitter admitter_node = {.name = "TaintNodesByCondition",
				       .verbs = ADMIT_CREATE,
				       .group = "",
				       .plural = "nodes",
				       .change = admit_node};

const struct admitter admitter_tolerations = {ADMIT_PODS("DefaultTolerationSeconds"),
					      .verbs = ADMIT_CREATE | ADMIT_UPDATE,
					      .change = admit_tolerations};
