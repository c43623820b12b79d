/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns_core.c - the columns of the kinds of the core, but for pods (columns_pod.c). */
#include <stdlib.h>

#include "apiserver/kind/cell.h"
#include "apiserver/kind/columns.h"
#include "base/arena.h"

#include "base/banned.h"

enum { ENDPOINTS_SHOWN = 3 };

/* --- config maps, secrets, accounts, namespaces ---------------------------------------------- */

/* The member of the condition that the column has as its path, of the condition Healthy. */
static struct json component_health(const struct kind_column *column, struct json object,
				    struct json_doc *doc, int64_t now)
{
	struct json_iter it = json_iter(json_get(object, "conditions"));
	bool is_status = str_is(str_from(column->path), "status");

	(void)now;
	while (json_next(&it)) {
		struct str value = json_str(json_get(it.value, column->path));

		if (!str_is(json_str(json_get(it.value, "type")), "Healthy"))
			continue;
		if (is_status)
			value = str_is(value, "True") ? STR("Healthy") : STR("Unhealthy");
		return json_new_str(doc, value);
	}
	return json_new_str(doc, is_status ? STR("Unknown") : STR(""));
}

const struct kind_column columns_componentstatus[] = {
	COLUMN_NAME,
	COLUMN("Status", "string", "Whether it is well", .cell = component_health,
	       .path = "status"),
	COLUMN("Message", "string", "What it says of it", .cell = component_health,
	       .path = "message"),
	COLUMN("Error", "string", "What is wrong", .cell = component_health, .path = "error"),
	COLUMN_END,
};

static struct json configmap_data(const struct kind_column *column, struct json object,
				  struct json_doc *doc, int64_t now)
{
	(void)column;
	(void)now;
	return json_new_uint(
		doc, json_len(json_get(object, "data")) + json_len(json_get(object, "binaryData")));
}

const struct kind_column columns_configmap[] = {
	COLUMN_NAME,
	COLUMN("Data", "string",
	       "Data contains the configuration data. Each key must consist of alphanumeric "
	       "characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the "
	       "BinaryData field. The keys stored in Data must not overlap with the keys in the "
	       "BinaryData field, this is enforced during validation process.",
	       .cell = configmap_data),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_secret[] = {
	COLUMN_NAME,
	COLUMN("Type", "string", "What kind of secret it is", .cell = cell_text, .path = "type"),
	COLUMN("Data", "string", "How many entries it has", .cell = cell_len, .path = "data"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_serviceaccount[] = {
	COLUMN_NAME,
	COLUMN("Secrets", "string", "How many secrets it may use", .cell = cell_len,
	       .path = "secrets"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_namespace[] = {
	COLUMN_NAME,
	COLUMN("Status", "string", "Whether it is active or on its way out", .cell = cell_text,
	       .path = "status.phase"),
	COLUMN_AGE,
	COLUMN_END,
};

/* --- endpoints and services ------------------------------------------------------------------ */

/* The first few of a list, and how many more there are. */
struct few {
	struct buf text;
	size_t count;
};

static void few_add(struct few *few, struct str ip, struct json port)
{
	if (++few->count > ENDPOINTS_SHOWN)
		return;
	cell_separate(&few->text, ",");
	if (json_is_absent(port))
		buf_put_str(&few->text, ip);
	else
		buf_printf(&few->text, str_find_byte(ip, ':', 0) >= 0 ? "[%.*s]:%d" : "%.*s:%d",
			   STR_ARG(ip), (int)json_int(port));
}

static void add_subset(struct few *few, struct json subset)
{
	struct json ports = json_get(subset, "ports");
	size_t count = json_len(ports);
	struct json_iter at = json_iter(ports);

	for (size_t i = 0; i < (count ? count : 1); i++) {
		struct json port = json_get(json_next_value(&at), "port");
		struct json_iter it = json_iter(json_get(subset, "addresses"));

		while (json_next(&it))
			few_add(few, json_str(json_get(it.value, "ip")), port);
	}
}

static struct json endpoints_addresses(const struct kind_column *column, struct json object,
				       struct json_doc *doc, int64_t now)
{
	struct few few = {BUF_UNBOUNDED, 0};
	struct json subsets = json_get(object, "subsets");
	struct json_iter it = json_iter(subsets);
	struct json cell;

	(void)column;
	(void)now;
	while (json_next(&it))
		add_subset(&few, it.value);
	if (few.count > ENDPOINTS_SHOWN)
		buf_printf(&few.text, " + %zu more...", few.count - ENDPOINTS_SHOWN);
	cell = json_len(subsets) ? cell_take(doc, &few.text) : json_new_str(doc, STR("<none>"));
	buf_done(&few.text);
	return cell;
}

const struct kind_column columns_endpoints[] = {
	COLUMN_NAME,
	COLUMN("Endpoints", "string", "Addresses and ports of the pods of the service",
	       .cell = endpoints_addresses),
	COLUMN_AGE,
	COLUMN_END,
};

static struct json service_address(const struct kind_column *column, struct json object,
				   struct json_doc *doc, int64_t now)
{
	struct json first = json_at(json_get(json_get(object, "spec"), "clusterIPs"), 0);

	(void)column;
	(void)now;
	return json_new_str(doc, json_is_absent(first) ? STR("<none>") : json_str(first));
}

static void print_list(struct json list, struct buf *to)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		cell_separate(to, ",");
		buf_put_str(to, json_str(it.value));
	}
}

/* The column's path leads to what load balancers have given. */
static struct json service_outside(const struct kind_column *column, struct json object,
				   struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json spec = json_get(object, "spec");
	struct str type = json_str(json_get(spec, "type"));
	bool balanced = str_is(type, "LoadBalancer");

	if (str_is(type, "ExternalName"))
		return json_new_str(doc, json_str(json_get(spec, "externalName")));
	if (balanced)
		buf_put_str(&text, json_str(cell_points(column, object, doc, now)));
	print_list(json_get(spec, "externalIPs"), &text);
	if (!text.len)
		buf_puts(&text, balanced ? "<pending>" : "<none>");
	return cell_take(doc, &text);
}

static struct json service_ports(const struct kind_column *column, struct json object,
				 struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json_iter it = json_iter(json_get(json_get(object, "spec"), "ports"));

	(void)column;
	(void)now;
	while (json_next(&it)) {
		int on_nodes = (int)json_int(json_get(it.value, "nodePort"));

		cell_separate(&text, ",");
		buf_printf(&text, "%d", (int)json_int(json_get(it.value, "port")));
		if (on_nodes > 0)
			buf_printf(&text, ":%d", on_nodes);
		buf_printf(&text, "/%.*s", STR_ARG(json_str(json_get(it.value, "protocol"))));
	}
	if (!text.len)
		buf_puts(&text, "<none>");
	return cell_take(doc, &text);
}

const struct kind_column columns_service[] = {
	COLUMN_NAME,
	COLUMN("Type", "string", "How it is reached", .cell = cell_text, .path = "spec.type"),
	COLUMN("Cluster-IP", "string", "Its address in the cluster", .cell = service_address),
	COLUMN("External-IP", "string", "Its addresses outside", .cell = service_outside,
	       .path = "status.loadBalancer.ingress"),
	COLUMN("Port(s)", "string", "The ports that it serves", .cell = service_ports),
	COLUMN_AGE,
	COLUMN("Selector", "string", "The labels of its pods", .cell = cell_labels,
	       .path = "spec.selector", WIDE),
	COLUMN_END,
};

/* --- nodes ----------------------------------------------------------------------------------- */

static struct json node_status_cell(const struct kind_column *column, struct json object,
				    struct json_doc *doc, int64_t now)
{
	struct json_iter it = json_iter(json_get(json_get(object, "status"), "conditions"));
	const char *status = "Unknown";
	bool closed = json_bool(json_get(json_get(object, "spec"), "unschedulable"));

	(void)column;
	(void)now;
	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "Ready"))
			status = str_is(json_str(json_get(it.value, "status")), "True")
					 ? "Ready"
					 : "NotReady";
	return json_new_printf(doc, "%s%s", status, closed ? ",SchedulingDisabled" : "");
}

#define ROLE_PREFIX "node-role.kubernetes.io/"

static struct json node_roles(const struct kind_column *column, struct json object,
			      struct json_doc *doc, int64_t now)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json labels = json_get(json_get(object, "metadata"), "labels");
	struct str *roles = arena_calloc(arena, json_len(labels) + 1, sizeof(*roles));
	struct json_iter it = json_iter(labels);
	size_t len = 0;

	(void)column;
	(void)now;
	while (json_next(&it)) {
		struct str role = str_none();

		if (str_starts(it.key, STR(ROLE_PREFIX)))
			role = str_skip(it.key, sizeof(ROLE_PREFIX) - 1);
		else if (str_is(it.key, "kubernetes.io/role"))
			role = json_str(it.value);
		if (role.len)
			roles[len++] = role;
	}
	cell_print_set(roles, len, &text);
	return json_new_str(doc, len ? buf_str(&text) : STR("<none>"));
}

/* The first address of the type that the column names in its path. */
static struct json node_address(const struct kind_column *column, struct json object,
				struct json_doc *doc, int64_t now)
{
	struct json_iter it = json_iter(json_get(json_get(object, "status"), "addresses"));

	(void)now;
	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), column->path))
			return json_new_str(doc, json_str(json_get(it.value, "address")));
	return json_new_str(doc, STR("<none>"));
}

const struct kind_column columns_node[] = {
	COLUMN_NAME,
	COLUMN("Status", "string", "Whether it is ready and takes pods", .cell = node_status_cell),
	COLUMN("Roles", "string", "What it is for, by its labels", .cell = node_roles),
	COLUMN_AGE,
	COLUMN("Version", "string", "The version of its kubelet", .cell = cell_text,
	       .path = "status.nodeInfo.kubeletVersion"),
	COLUMN("Internal-IP", "string", "Its address in the cluster", .cell = node_address,
	       .path = "InternalIP", WIDE),
	COLUMN("External-IP", "string", "Its address outside", .cell = node_address,
	       .path = "ExternalIP", WIDE),
	COLUMN("OS-Image", "string", "The operating system that it runs", .cell = cell_text,
	       .path = "status.nodeInfo.osImage", .none = "<unknown>", WIDE),
	COLUMN("Kernel-Version", "string", "The kernel that it runs", .cell = cell_text,
	       .path = "status.nodeInfo.kernelVersion", .none = "<unknown>", WIDE),
	COLUMN("Container-Runtime", "string", "What runs its containers", .cell = cell_text,
	       .path = "status.nodeInfo.containerRuntimeVersion", .none = "<unknown>", WIDE),
	COLUMN_END,
};

/* --- volumes and claims ---------------------------------------------------------------------- */

static void print_modes(struct json modes, struct buf *to)
{
	static const char *const names[][2] = {{"ReadWriteOnce", "RWO"},
					       {"ReadOnlyMany", "ROX"},
					       {"ReadWriteMany", "RWX"},
					       {"ReadWriteOncePod", "RWOP"}};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!json_has_str(modes, str_from(names[i][0])))
			continue;
		cell_separate(to, ",");
		buf_puts(to, names[i][1]);
	}
}

static struct json access_modes(const struct kind_column *column, struct json object,
				struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	(void)now;
	print_modes(cell_follow(object, column->path), &text);
	return cell_take(doc, &text);
}

/* A claim has neither modes nor a size before it has a volume. */
static bool is_bound(struct json claim)
{
	return json_str(cell_follow(claim, "spec.volumeName")).len > 0;
}

static struct json claim_modes(const struct kind_column *column, struct json object,
			       struct json_doc *doc, int64_t now)
{
	return is_bound(object) ? access_modes(column, object, doc, now)
				: json_new_str(doc, STR(""));
}

static struct json claim_capacity(const struct kind_column *column, struct json object,
				  struct json_doc *doc, int64_t now)
{
	return is_bound(object) ? cell_text(column, object, doc, now) : json_new_str(doc, STR(""));
}

/* The annotation that was there before the field goes first. */
static struct json storage_class(const struct kind_column *column, struct json object,
				 struct json_doc *doc, int64_t now)
{
	struct json old = json_get(cell_follow(object, "metadata.annotations"),
				   "volume.beta.kubernetes.io/storage-class");

	return json_is_absent(old) ? cell_text(column, object, doc, now)
				   : json_new_str(doc, json_str(old));
}

static struct json claim_ref(const struct kind_column *column, struct json object,
			     struct json_doc *doc, int64_t now)
{
	struct json ref = cell_follow(object, "spec.claimRef");

	(void)column;
	(void)now;
	if (!json_is(ref, JSON_OBJ))
		return json_new_str(doc, STR(""));
	return json_new_printf(doc, "%.*s/%.*s", STR_ARG(json_str(json_get(ref, "namespace"))),
			       STR_ARG(json_str(json_get(ref, "name"))));
}

const struct kind_column columns_pv[] = {
	COLUMN_NAME,
	COLUMN("Capacity", "string", "How much it holds", .cell = cell_text,
	       .path = "spec.capacity.storage", .none = "0"),
	COLUMN("Access Modes", "string", "How it may be used", .cell = access_modes,
	       .path = "spec.accessModes"),
	COLUMN("Reclaim Policy", "string", "What happens to it after its claim", .cell = cell_text,
	       .path = "spec.persistentVolumeReclaimPolicy"),
	COLUMN("Status", "string", "Whether it is bound", .cell = cell_state,
	       .path = "status.phase"),
	COLUMN("Claim", "string", "The claim that has it", .cell = claim_ref),
	COLUMN("StorageClass", "string", "Its class", .cell = storage_class,
	       .path = "spec.storageClassName"),
	COLUMN("VolumeAttributesClass", "string", "The class of its attributes", .cell = cell_text,
	       .path = "spec.volumeAttributesClassName", .none = "<unset>"),
	COLUMN("Reason", "string", "Why it is in this state", .cell = cell_text,
	       .path = "status.reason"),
	COLUMN_AGE,
	COLUMN("VolumeMode", "string", "File system or block device", .cell = cell_text,
	       .path = "spec.volumeMode", .none = "<unset>", WIDE),
	COLUMN_END,
};

const struct kind_column columns_pvc[] = {
	COLUMN_NAME,
	COLUMN("Status", "string", "Whether it is bound", .cell = cell_state,
	       .path = "status.phase"),
	COLUMN("Volume", "string", "The volume that it has", .cell = cell_text,
	       .path = "spec.volumeName"),
	COLUMN("Capacity", "string", "How much the volume holds", .cell = claim_capacity,
	       .path = "status.capacity.storage", .none = "0"),
	COLUMN("Access Modes", "string", "How it may be used", .cell = claim_modes,
	       .path = "status.accessModes"),
	COLUMN("StorageClass", "string", "Its class", .cell = storage_class,
	       .path = "spec.storageClassName"),
	COLUMN("VolumeAttributesClass", "string", "The class of its attributes", .cell = cell_text,
	       .path = "spec.volumeAttributesClassName", .none = "<unset>"),
	COLUMN_AGE,
	COLUMN("VolumeMode", "string", "File system or block device", .cell = cell_text,
	       .path = "spec.volumeMode", .none = "<unset>", WIDE),
	COLUMN_END,
};

/* --- quotas ---------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The column's path says which half: "limits", or everything else. */
static struct json quota_amounts(const struct kind_column *column, struct json object,
				 struct json_doc *doc, int64_t now)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json hard = cell_follow(object, "status.hard");
	struct json used = cell_follow(object, "status.used");
	struct str *names = arena_calloc(arena, json_len(hard) + 1, sizeof(*names));
	struct json_iter it = json_iter(hard);
	bool limits = column->path != NULL;
	size_t len = 0;

	(void)now;
	while (json_next(&it))
		if (str_starts(it.key, STR("limits.")) == limits)
			names[len++] = it.key;
	qsort(names, len, sizeof(*names), compare_names);
	for (size_t i = 0; i < len; i++) {
		struct str amount = json_str(json_get_str(used, names[i]));

		cell_separate(&text, ", ");
		buf_printf(&text, "%.*s: %.*s/%.*s", STR_ARG(names[i]),
			   STR_ARG(amount.len ? amount : STR("0")),
			   STR_ARG(json_str(json_get_str(hard, names[i]))));
	}
	return cell_take(doc, &text);
}

const struct kind_column columns_quota[] = {
	COLUMN_NAME,
	COLUMN("Request", "string", "What is requested, of what may be", .cell = quota_amounts),
	COLUMN("Limit", "string", "What is limited to, of what may be", .cell = quota_amounts,
	       .path = "limits"),
	COLUMN_AGE,
	COLUMN_END,
};
