/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/node.c - nodes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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

/* The first of podCIDRs is podCIDR: either gives the other, and where they differ the older field counts alone. */
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
const struct type node_type = {
	TYPE("Node", "v1", struct node, node_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

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

/* A kubelet is not configured this way any more: what is there stays, nothing is added. */
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

/* Is there one before it with the same key and effect? */
static bool is_doubled(struct json taint, struct name_set *seen)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_str(&text, json_str(json_get(taint, "key")));
	buf_putc(&text, ':');
	buf_put_str(&text, json_str(json_get(taint, "effect")));
	return !name_set_add_copy(seen, buf_str(&text));
}

static void tell_double_taint(struct json taint, const struct path *path, struct causes *causes)
{
	static const struct rules_go rows[] = {
		{"Key", "key", "\"\""},
		{"Value", "value", "\"\""},
		{"Effect", "effect", "\"\""},
		{"TimeAdded", "timeAdded", "null"},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	rules_print_go(taint, rows, ARRAY_LEN(rows), &text);
	causes_add(causes, CAUSE_DUPLICATE, path,
		   "Duplicate value: %s: taints must be unique by key and effect pair",
		   buf_text(&text));
}

static void validate_taint(struct json taint, const struct path *path, struct causes *causes)
{
	static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
	struct path key = path_member(path, STR("key"));
	struct path value = path_member(path, STR("value"));
	struct path effect = path_member(path, STR("effect"));

	name_validate(NAME_QUALIFIED, json_str(json_get(taint, "key")), &key, causes);
	name_validate(NAME_LABEL_VALUE, json_str(json_get(taint, "value")), &value, causes);
	rules_one_of_required(json_get(taint, "effect"), effects, ARRAY_LEN(effects), &effect,
			      causes);
}

/* Upstream tells of them below metadata. */
static void validate_taints(struct json node, struct causes *causes)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct path meta = path_member(NULL, STR("metadata"));
	struct path path = path_member(&meta, STR("taints"));
	struct json_iter it = json_iter(json_get(json_get(node, "spec"), "taints"));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		validate_taint(it.value, &at, causes);
		if (is_doubled(it.value, &seen))
			tell_double_taint(it.value, &at, causes);
	}
}

static void validate_amounts(struct json node, const char *which, struct causes *causes)
{
	struct path status = path_member(NULL, STR("status"));
	struct path list = path_member(&status, str_from(which));
	struct json_iter it = json_iter(json_get(json_get(node, "status"), which));

	while (json_next(&it)) {
		struct path at = path_member(&list, it.key);

		rules_amount(it.key, it.value, &at, causes);
	}
}

static void validate_networks(struct json networks, struct causes *causes)
{
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("podCIDRs"));
	struct json_iter it = json_iter(networks);
	size_t six = 0;
	bool valid = true;

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		valid = rules_cidr(json_str(it.value), &at, causes) && valid;
		six += rules_is_ipv6(json_str(it.value));
	}
	if (json_len(networks) > 1 && valid && (json_len(networks) > 2 || six != 1))
		causes_invalid(causes, &path, networks,
			       "may specify no more than one CIDR for each IP family");
}

void node_validate_create(struct json node, struct causes *causes)
{
	validate_taints(node, causes);
	validate_amounts(node, "capacity", causes);
	validate_amounts(node, "allocatable", causes);
	validate_networks(json_get(json_get(node, "spec"), "podCIDRs"), causes);
}

static void validate_addresses(struct json addresses, struct causes *causes)
{
	static const struct rules_go rows[] = {
		{"Type", "type", "\"\""},
		{"Address", "address", "\"\""},
	};
	struct path status = path_member(NULL, STR("status"));
	struct path path = path_member(&status, STR("addresses"));
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(addresses);

	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct path at = path_index(&path, it.index);

		json_print(it.value, JSON_CANONICAL, &text);
		if (name_set_add_copy(&seen, buf_str(&text)))
			continue;
		buf_clear(&text);
		rules_print_go(it.value, rows, ARRAY_LEN(rows), &text);
		causes_add(causes, CAUSE_DUPLICATE, &at, "Duplicate value: %s", buf_text(&text));
	}
}

static void validate_networks_update(struct json new, struct json old, struct causes *causes)
{
	static const char detail[] =
		"node updates may not change podCIDR except from \"\" to valid";
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("podCIDRs"));
	struct json_iter olds = json_iter(old);
	struct json_iter news = json_iter(new);

	if (json_len(old) && json_len(old) != json_len(new)) {
		causes_forbidden(causes, &path, detail);
		return;
	}
	while (json_next(&olds) && json_next(&news))
		if (!json_eq(olds.value, news.value))
			causes_forbidden(causes, &path, detail);
}

void node_validate_status(struct json node, struct json old, struct causes *causes)
{
	struct json spec = json_get(node, "spec");
	struct json old_spec = json_get(old, "spec");
	struct path path = path_member(NULL, STR("spec"));
	struct path provider = path_member(&path, STR("providerID"));
	struct path external = path_member(&path, STR("externalID"));

	validate_amounts(node, "capacity", causes);
	validate_amounts(node, "allocatable", causes);
	validate_addresses(json_get(json_get(node, "status"), "addresses"), causes);
	validate_networks_update(json_get(spec, "podCIDRs"), json_get(old_spec, "podCIDRs"),
				 causes);
	if (!rules_is_empty(json_get(old_spec, "providerID")) &&
	    !rules_same(json_get(spec, "providerID"), json_get(old_spec, "providerID")))
		causes_forbidden(
			causes, &provider,
			"node updates may not change providerID except from \"\" to valid");
	validate_taints(node, causes);
	if (!rules_same(json_get(spec, "externalID"), json_get(old_spec, "externalID")))
		causes_forbidden(causes, &external, "may not be updated");
}

void node_validate_update(struct json node, struct json old, struct causes *causes)
{
	rules_meta(node, NAME_DNS_SUBDOMAIN, false, causes);
	node_validate_create(node, causes);
	node_validate_status(node, old, causes);
}
