/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/configmap.c - config maps: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/configmap.h"

#include "json/index.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

#define VIEW struct configmap
static const struct field configmap_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"immutable", F_BOOL, AT(immutable), F_POINTER},
	{"data", F_LABELS, AT(data)},
	{"binaryData", F_MAP(F_BYTES), AT(binary_data)},
};
#undef VIEW

/* `context` is the index of binaryData. */
static void check_not_binary(const struct rule_at *at)
{
	const struct json_index *binary = at->context;

	if (!json_is_absent(json_index_get(binary, at->path->name)))
		rule_invalid_str(at, NULL, at->path->name,
				 "duplicate of key present in binaryData");
}

static const struct rule data_rules[] = {
	{R_EACH(R_KEY(CONFIG_KEY), R_CHECK(check_not_binary))},
};

static void check_data(const struct rule_at *at)
{
	static const struct rules rules = RULES_OF(data_rules);
	AUTO(json_index_done)
	struct json_index binary = json_index_make(json_get(at->up->value, "binaryData"));
	struct rule_at data = *at;

	data.context = &binary;
	rules_check(&rules, &data);
}

/* Upstream reports the size about a field without a name. */
static void check_size(const struct rule_at *at)
{
	struct path nameless = path_key(NULL, STR(""));
	struct json_iter it = json_iter(json_get(at->value, "data"));
	size_t size = 0;

	while (json_next(&it))
		size += json_str(it.value).len;
	for (it = json_iter(json_get(at->value, "binaryData")); json_next(&it);)
		size += rules_bytes_len(it.value);
	if (size > RULES_DATA_MAX)
		causes_too_long(at->causes, &nameless, RULES_DATA_MAX);
}

static const struct rule configmap_rules[] = {
	{"data", R_CHECK(check_data)},
	{"binaryData", R_EACH(R_KEY(CONFIG_KEY))},
	{R_CHECK(check_size)},
};

static const struct rule update_rules[] = {
	{"immutable", R_WHEN(rule_was_immutable), R_ALWAYS, R_CHECK(rule_stays_immutable)},
	{"data", R_WHEN(rule_was_immutable), R_FIXED(RULE_DATA_FIXED)},
	{"binaryData", R_WHEN(rule_was_immutable), R_FIXED(RULE_DATA_FIXED)},
	{R_CHECK(rule_meta)},
	{R_OBJECT(configmap_rules)},
};

const struct type configmap_type = {
	TYPE("ConfigMap", "v1", struct configmap, configmap_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(configmap_rules),
	TYPE_UPDATE(update_rules),
};
