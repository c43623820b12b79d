/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/node.c - nodes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/node.h"

#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

static const struct field config_map_node_config_source_fields[] = {
	{"namespace", F_STR, F_ALWAYS, F_REQUIRED},
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
	{"uid", F_STR, F_GO("types.UID")},
	{"resourceVersion", F_STR},
	{"kubeletConfigKey", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type config_map_node_config_source_type = {
	TYPE_KNOWN("ConfigMapNodeConfigSource", "v1", config_map_node_config_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_config_source_fields[] = {
	{"configMap", F_OBJECT(config_map_node_config_source)},
};
static const struct type node_config_source_type = {
	TYPE_KNOWN("NodeConfigSource", "v1", node_config_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

/* The first of podCIDRs is podCIDR: each one sets the other, and if they differ the older field wins. */
static void fill_node_spec(struct json_doc *doc, struct json spec)
{
	struct json first = json_get(spec, "podCIDR");
	struct json all = json_get(spec, "podCIDRs");

	if (json_len(all) && rules_is_empty(first)) {
		json_set_str(doc, spec, "podCIDR", json_str(json_at(all, 0)));
	} else if (!rules_is_empty(first) && (!json_len(all) || !json_eq(first, json_at(all, 0)))) {
		(void)json_remove(doc, spec, STR("podCIDRs"));
		all = json_ensure_arr(doc, spec, "podCIDRs");
		json_append(doc, all, json_new_copy(doc, first));
	}
}

#define VIEW struct node_spec
static const struct field node_spec_fields[] = {
	{"podCIDR", F_STR, AT(pod_cidr)},
	{"podCIDRs", F_LIST(F_STR), AT(pod_cidrs), F_LIST_SET, F_MERGE},
	{"providerID", F_STR, AT(provider_id)},
	{"unschedulable", F_BOOL, AT(unschedulable)},
	{"taints", F_LIST(F_OBJECT(taint)), AT(taints), F_LIST_ATOMIC},
	{"configSource", F_OBJECT(node_config_source)},
	{"externalID", F_STR},
};
#undef VIEW
const struct type node_spec_type = {
	TYPE("NodeSpec", "v1", struct node_spec, node_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_node_spec,
};

#define VIEW struct node_condition
static const struct field node_condition_fields[] = {
	{"type", F_STR, AT(type), F_ALWAYS, F_REQUIRED, F_GO("v1.NodeConditionType")},
	{"status", F_STR, AT(status), F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastHeartbeatTime", F_TIME, AT(last_heartbeat_time), F_ALWAYS},
	{"lastTransitionTime", F_TIME, AT(last_transition_time), F_ALWAYS},
	{"reason", F_STR, AT(reason)},
	{"message", F_STR, AT(message)},
};
#undef VIEW
const struct type node_condition_type = {
	TYPE("NodeCondition", "v1", struct node_condition, node_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node_address
static const struct field node_address_fields[] = {
	{"type", F_STR, AT(type), F_ALWAYS, F_REQUIRED, F_GO("v1.NodeAddressType")},
	{"address", F_STR, AT(address), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type node_address_type = {
	TYPE("NodeAddress", "v1", struct node_address, node_address_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field daemon_endpoint_fields[] = {
	{"Port", F_INT32, F_ALWAYS, F_REQUIRED},
};
static const struct type daemon_endpoint_type = {
	TYPE_KNOWN("DaemonEndpoint", "v1", daemon_endpoint_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_daemon_endpoints_fields[] = {
	{"kubeletEndpoint", F_OBJECT(daemon_endpoint), F_DEFAULT("{}")},
};
static const struct type node_daemon_endpoints_type = {
	TYPE_KNOWN("NodeDaemonEndpoints", "v1", node_daemon_endpoints_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_swap_status_fields[] = {
	{"capacity", F_INT64, F_POINTER},
};
static const struct type node_swap_status_type = {
	TYPE_KNOWN("NodeSwapStatus", "v1", node_swap_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct node_system_info
static const struct field node_system_info_fields[] = {
	{"machineID", F_STR, AT(machine_id), F_ALWAYS, F_REQUIRED},
	{"systemUUID", F_STR, F_ALWAYS, F_REQUIRED},
	{"bootID", F_STR, F_ALWAYS, F_REQUIRED},
	{"kernelVersion", F_STR, AT(kernel_version), F_ALWAYS, F_REQUIRED},
	{"osImage", F_STR, AT(os_image), F_ALWAYS, F_REQUIRED},
	{"containerRuntimeVersion", F_STR, AT(container_runtime_version), F_ALWAYS, F_REQUIRED},
	{"kubeletVersion", F_STR, AT(kubelet_version), F_ALWAYS, F_REQUIRED},
	{"kubeProxyVersion", F_STR, F_ALWAYS, F_REQUIRED},
	{"operatingSystem", F_STR, AT(operating_system), F_ALWAYS, F_REQUIRED},
	{"architecture", F_STR, AT(architecture), F_ALWAYS, F_REQUIRED},
	{"swap", F_OBJECT(node_swap_status)},
};
#undef VIEW
const struct type node_system_info_type = {
	TYPE("NodeSystemInfo", "v1", struct node_system_info, node_system_info_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct container_image
static const struct field container_image_fields[] = {
	{"names", F_LIST(F_STR), AT(names), F_ALWAYS, F_LIST_ATOMIC},
	{"sizeBytes", F_INT64, AT(size_bytes)},
};
#undef VIEW
const struct type container_image_type = {
	TYPE("ContainerImage", "v1", struct container_image, container_image_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field attached_volume_fields[] = {
	{"name", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.UniqueVolumeName")},
	{"devicePath", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type attached_volume_type = {
	TYPE_KNOWN("AttachedVolume", "v1", attached_volume_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_config_status_fields[] = {
	{"assigned", F_OBJECT(node_config_source)},
	{"active", F_OBJECT(node_config_source)},
	{"lastKnownGood", F_OBJECT(node_config_source)},
	{"error", F_STR},
};
static const struct type node_config_status_type = {
	TYPE_KNOWN("NodeConfigStatus", "v1", node_config_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_runtime_handler_features_fields[] = {
	{"recursiveReadOnlyMounts", F_BOOL, F_POINTER},
	{"userNamespaces", F_BOOL, F_POINTER},
};
static const struct type node_runtime_handler_features_type = {
	TYPE_KNOWN("NodeRuntimeHandlerFeatures", "v1", node_runtime_handler_features_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_runtime_handler_fields[] = {
	{"name", F_STR, F_ALWAYS},
	{"features", F_OBJECT(node_runtime_handler_features)},
};
static const struct type node_runtime_handler_type = {
	TYPE_KNOWN("NodeRuntimeHandler", "v1", node_runtime_handler_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field node_features_fields[] = {
	{"supplementalGroupsPolicy", F_BOOL, F_POINTER},
};
static const struct type node_features_type = {
	TYPE_KNOWN("NodeFeatures", "v1", node_features_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static void fill_node_status(struct json_doc *doc, struct json status)
{
	if (json_is_absent(json_get(status, "allocatable")) &&
	    json_len(json_get(status, "capacity")))
		json_set(doc, status, STR("allocatable"),
			 json_new_copy(doc, json_get(status, "capacity")));
}

#define VIEW struct node_status
static const struct field node_status_fields[] = {
	{"capacity", F_RESOURCES, AT(capacity), F_GO("v1.ResourceList")},
	{"allocatable", F_RESOURCES, AT(allocatable), F_GO("v1.ResourceList")},
	{"phase", F_STR, AT(phase), F_GO("v1.NodePhase")},
	{"conditions", F_LIST(F_OBJECT(node_condition)), AT(conditions), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"addresses", F_LIST(F_OBJECT(node_address)), AT(addresses), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"daemonEndpoints", F_OBJECT(node_daemon_endpoints), F_DEFAULT("{}")},
	{"nodeInfo", F_OBJECT(node_system_info), AT(node_info), F_DEFAULT("{}")},
	{"images", F_LIST(F_OBJECT(container_image)), AT(images), F_LIST_ATOMIC},
	{"volumesInUse", F_LIST(F_STR, F_GO("v1.UniqueVolumeName")), F_LIST_ATOMIC},
	{"volumesAttached", F_LIST(F_OBJECT(attached_volume)), F_LIST_ATOMIC},
	{"config", F_OBJECT(node_config_status)},
	{"runtimeHandlers", F_LIST(F_OBJECT(node_runtime_handler)), F_LIST_ATOMIC},
	{"features", F_OBJECT(node_features)},
};
#undef VIEW
const struct type node_status_type = {
	TYPE("NodeStatus", "v1", struct node_status, node_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_node_status,
};

#define VIEW struct node
static const struct field node_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(node_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(node_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW

/* --- on views -------------------------------------------------------------------------------- */

const struct node_condition *node_find_condition(const struct node *node, struct str type)
{
	for (size_t i = 0; i < node->status.conditions.len; i++)
		if (str_eq(node->status.conditions.ptr[i].type, type))
			return &node->status.conditions.ptr[i];
	return NULL;
}

bool node_is_ready(const struct node *node)
{
	const struct node_condition *ready = node_find_condition(node, STR("Ready"));

	return ready && str_is(ready->status, "True");
}

void node_print_status(const struct node *node, struct buf *to)
{
	const struct node_condition *ready = node_find_condition(node, STR("Ready"));

	if (!ready)
		buf_puts(to, "Unknown");
	else
		buf_puts(to, str_is(ready->status, "True") ? "Ready" : "NotReady");
	if (node->spec.unschedulable)
		buf_puts(to, ",SchedulingDisabled");
}

/* The labels are sorted, and all roles of one form come together. */
void node_print_roles(const struct node *node, struct buf *to)
{
	struct str prefix = STR("node-role.kubernetes.io/");
	bool any = false;

	for (size_t i = 0; i < node->meta.labels.len; i++) {
		const struct label *label = &node->meta.labels.ptr[i];
		struct str role = str_none();

		if (str_starts(label->key, prefix))
			role = str_skip(label->key, prefix.len);
		else if (str_is(label->key, "kubernetes.io/role"))
			role = label->value;
		if (!role.len)
			continue;
		if (any)
			buf_putc(to, ',');
		buf_put_str(to, role);
		any = true;
	}
	if (!any)
		buf_puts(to, "<none>");
}

/* --- rules ----------------------------------------------------------------------------------- */

#define NOT_READY "node.kubernetes.io/not-ready"

/* No longer used to configure a kubelet: an existing value stays, a new one is dropped. */
static void drop_config(struct json_doc *doc, struct json part, struct json old, const char *member)
{
	if (json_is_absent(json_get(old, member)) && json_is(part, JSON_OBJ))
		(void)json_remove(doc, part, str_from(member));
}

void node_prepare_update(struct json_doc *doc, struct json node, struct json old)
{
	drop_config(doc, json_get(node, "spec"), json_get(old, "spec"), "configSource");
}

void node_prepare_status(struct json_doc *doc, struct json node, struct json old)
{
	drop_config(doc, json_get(node, "status"), json_get(old, "status"), "config");
}

void node_prepare_create(struct json_doc *doc, struct json node)
{
	struct json taints = json_ensure_arr(doc, json_ensure_obj(doc, node, "spec"), "taints");
	struct json_iter it = json_iter(taints);
	struct json taint;

	drop_config(doc, json_get(node, "spec"), JSON_NONE, "configSource");
	drop_config(doc, json_get(node, "status"), JSON_NONE, "config");
	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "key")), NOT_READY) &&
		    str_is(json_str(json_get(it.value, "effect")), "NoSchedule"))
			return;
	taint = json_new_obj(doc);
	json_set_str(doc, taint, "key", STR(NOT_READY));
	json_set_str(doc, taint, "effect", STR("NoSchedule"));
	json_append(doc, taints, taint);
}

static void check_taint_once(const struct rule_at *at)
{
	static const struct rules_go rows[] = {
		{"Key", "key", "\"\""},
		{"Value", "value", "\"\""},
		{"Effect", "effect", "\"\""},
		{"TimeAdded", "timeAdded", "null"},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_str(&text, rule_text(at->value, "key"));
	buf_putc(&text, ':');
	buf_put_str(&text, rule_text(at->value, "effect"));
	if (name_set_add_copy(at->seen, buf_str(&text)))
		return;
	buf_clear(&text);
	rules_print_go(at->value, rows, ARRAY_LEN(rows), &text);
	rule_add(at, NULL, CAUSE_DUPLICATE,
		 "Duplicate value: %s: taints must be unique by key and effect pair",
		 buf_text(&text));
}

static void check_address_once(const struct rule_at *at)
{
	static const struct rules_go rows[] = {
		{"Type", "type", "\"\""},
		{"Address", "address", "\"\""},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(at->value, JSON_CANONICAL, &text);
	if (name_set_add_copy(at->seen, buf_str(&text)))
		return;
	buf_clear(&text);
	rules_print_go(at->value, rows, ARRAY_LEN(rows), &text);
	rule_add(at, NULL, CAUSE_DUPLICATE, "Duplicate value: %s", buf_text(&text));
}

static void check_families(const struct rule_at *at)
{
	struct json_iter it = json_iter(at->value);
	size_t six = 0;

	while (json_next(&it)) {
		if (!rules_is_cidr(json_str(it.value)))
			return;
		six += rules_is_ipv6(json_str(it.value));
	}
	if (json_len(at->value) > 1 && (json_len(at->value) > 2 || six != 1))
		rule_invalid(at, NULL, "may specify no more than one CIDR for each IP family");
}

static void check_networks_kept(const struct rule_at *at)
{
	static const char detail[] =
		"node updates may not change podCIDR except from \"\" to valid";
	struct json_iter olds = json_iter(at->old);
	struct json_iter news = json_iter(at->value);

	if (json_len(at->old) && json_len(at->old) != json_len(at->value)) {
		rule_forbidden(at, NULL, detail);
		return;
	}
	while (json_next(&olds) && json_next(&news))
		if (!json_eq(olds.value, news.value))
			rule_forbidden(at, NULL, detail);
}

static bool had_provider(const struct rule_at *at)
{
	return !rules_is_empty(json_get(at->old, "providerID"));
}

static const struct rule taint_rules[] = {
	{"key", R_ALWAYS, R_FORMAT(QUALIFIED)},
	{"value", R_ALWAYS, R_FORMAT(LABEL_VALUE)},
	{"effect", R_REQUIRED, R_TEXTS("NoSchedule", "PreferNoSchedule", "NoExecute")},
	{R_CHECK(check_taint_once)},
};
/* Upstream reports taints below metadata. */
static const struct rule taints_rules[] = {
	{"taints", R_EACH(R_OBJECT(taint_rules))},
};
static const struct rule amount_rules[] = {
	{"capacity", R_DOTTED, R_EACH(R_CHECK(rule_amount))},
	{"allocatable", R_DOTTED, R_EACH(R_CHECK(rule_amount))},
};
static const struct rule network_rules[] = {
	{"podCIDRs", R_EACH(R_CHECK(rule_cidr))},
	{"podCIDRs", R_CHECK(check_families)},
};
static const struct rule node_rules[] = {
	{"spec", R_AS("metadata"), R_OBJECT(taints_rules)},
	{"status", R_OBJECT(amount_rules)},
	{"spec", R_OBJECT(network_rules)},
};

static const struct rule address_rules[] = {
	{"addresses", R_EACH(R_CHECK(check_address_once))},
};
static const struct rule spec_update_rules[] = {
	{"podCIDRs", R_ALWAYS, R_CHECK(check_networks_kept)},
	{"providerID", R_WHEN(had_provider),
	 R_FIXED("node updates may not change providerID except from \"\" to valid")},
};
static const struct rule external_rules[] = {
	{"externalID", R_FIXED("may not be updated")},
};
static const struct rule status_rules[] = {
	{"status", R_OBJECT(amount_rules)},
	{"status", R_OBJECT(address_rules)},
	{"spec", R_ALWAYS, R_OBJECT(spec_update_rules)},
	{"spec", R_AS("metadata"), R_OBJECT(taints_rules)},
	{"spec", R_ALWAYS, R_OBJECT(external_rules)},
};
static const struct rule update_rules[] = {
	{R_CHECK(rule_meta_cluster)},
	{R_OBJECT(node_rules)},
	{R_OBJECT(status_rules)},
};

const struct type node_type = {
	TYPE("Node", "v1", struct node, node_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(node_rules),
	TYPE_UPDATE(update_rules),
	TYPE_STATUS(status_rules),
};
