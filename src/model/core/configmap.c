/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/configmap.c - config maps: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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
const struct type configmap_type = {
	TYPE("ConfigMap", "v1", struct configmap, configmap_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

static size_t validate_keys(struct json configmap, const char *which, struct causes *causes)
{
	struct path path = path_member(NULL, str_from(which));
	bool bytes = str_is(STR("binaryData"), which);
	AUTO(json_index_done)
	struct json_index binary =
		json_index_make(bytes ? JSON_NONE : json_get(configmap, "binaryData"));
	struct json_iter it = json_iter(json_get(configmap, which));
	size_t size = 0;

	while (json_next(&it)) {
		struct path at = path_key(&path, it.key);

		name_validate(NAME_CONFIG_KEY, it.key, &at, causes);
		if (!json_is_absent(json_index_get(&binary, it.key)))
			causes_invalid_str(causes, &at, it.key,
					   "duplicate of key present in binaryData");
		size += bytes ? rules_bytes_len(it.value) : json_str(it.value).len;
	}
	return size;
}

void configmap_validate_create(struct json configmap, struct causes *causes)
{
	struct path whole = path_key(NULL, STR(""));
	size_t size = validate_keys(configmap, "data", causes);

	size += validate_keys(configmap, "binaryData", causes);
	if (size > RULES_DATA_MAX)
		causes_too_long(causes, &whole, RULES_DATA_MAX);
}

void configmap_validate_update(struct json configmap, struct json old, struct causes *causes)
{
	static const char *const fixed[] = {"data", "binaryData"};

	rules_fixed_data(configmap, old, fixed, ARRAY_LEN(fixed), causes);
	rules_meta(configmap, NAME_DNS_SUBDOMAIN, true, causes);
	configmap_validate_create(configmap, causes);
}
