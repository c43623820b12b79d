/* SPDX-License-Identifier: Apache-2.0 */
/* node/simulated/simulated_status.c - documents that a simulated node writes.
 *
 * A patch of a pod names the pod's uid: a later pod of the same name is not changed. Conditions are merged by
 * type, so that those of others stay. */
#include "node/simulated/simulated_status.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "base/time.h"
#include "model/value/quantity.h"
#include "node/registry/registry.h"
#include "node/simulated/simulated.h"

#include "base/banned.h"

#define PREFIX "node-"
enum { NODE_DIGITS = 5, POD_ADDRESSES = 1 << 24, NODE_ADDRESSES = 1 << 20 };

/* --- names and addresses --- */

const char *simulated_node_name(size_t index, char text[SIMULATED_NAME_SIZE])
{
	(void)snprintf(text, SIMULATED_NAME_SIZE, PREFIX "%0*zu", NODE_DIGITS, index);
	return text;
}

int64_t simulated_node_index(struct str name)
{
	char text[SIMULATED_NAME_SIZE];
	int64_t index;

	if (!str_starts(name, STR(PREFIX)) ||
	    number_parse_i64(str_skip(name, sizeof(PREFIX) - 1), &index, NULL) < 0 || index < 0 ||
	    !str_is(name, simulated_node_name((size_t)index, text)))
		return -1;
	return index;
}

const char *simulated_pod_ip(uint32_t number, char text[SIMULATED_IP_SIZE])
{
	number %= POD_ADDRESSES;
	(void)snprintf(text, SIMULATED_IP_SIZE, "10.%u.%u.%u", number >> 16 & 255U,
		       number >> 8 & 255U, number & 255U);
	return text;
}

const char *simulated_node_ip(size_t index, char text[SIMULATED_IP_SIZE])
{
	uint32_t number = (uint32_t)((index + 1) % NODE_ADDRESSES);

	(void)snprintf(text, SIMULATED_IP_SIZE, "172.%u.%u.%u", 16U + (number >> 16 & 15U),
		       number >> 8 & 255U, number & 255U);
	return text;
}

uint32_t simulated_pod_number(struct str ip)
{
	uint32_t number = 0;
	struct str part;
	int64_t value;
	int parts = 0;

	for (; str_split(&ip, '.', &part); parts++) {
		if (number_parse_range(part, 0, 255, &value, NULL) < 0 ||
		    (parts == 0 && value != 10))
			return 0;
		number = parts ? number << 8 | (uint32_t)value : 0;
	}
	return parts == 4 ? number : 0;
}

/* --- nodes --- */

static struct json new_root(struct json_doc *doc)
{
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	return root;
}

/* A new object at the end of a list. */
static struct json append_obj(struct json_doc *doc, struct json list)
{
	struct json item = json_new_obj(doc);

	json_append(doc, list, item);
	return item;
}

static void set_text(struct json_doc *doc, struct json object, const char *key, const char *value)
{
	json_set_str(doc, object, key, str_from(value));
}

static const char *const dimensions[] = {"cpu", "memory", "ephemeral-storage", "pods"};

static const char *amount_of(const struct simulated_options *options, size_t i)
{
	static const char *const defaults[] = {"32", "256Gi", "1Ti", "110"};
	const char *given[] = {options->cpu, options->memory, NULL, options->pods};

	return given[i] ? given[i] : defaults[i];
}

static void put_node_conditions(struct json_doc *doc, struct json status, int64_t now)
{
	static const struct {
		const char *type, *status, *reason, *message;
	} rows[] = {
		{"MemoryPressure", "False", "KubeletHasSufficientMemory",
		 "the node is simulated and has sufficient memory available"},
		{"DiskPressure", "False", "KubeletHasNoDiskPressure",
		 "the node is simulated and has no disk pressure"},
		{"PIDPressure", "False", "KubeletHasSufficientPID",
		 "the node is simulated and has sufficient PID available"},
		{"Ready", "True", "KubeletReady", "the node is simulated and ready"},
	};
	struct json list = json_ensure_arr(doc, status, "conditions");
	char time[TIME_TEXT_SIZE];

	time_print(now, time);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json item = append_obj(doc, list);

		set_text(doc, item, "type", rows[i].type);
		set_text(doc, item, "status", rows[i].status);
		set_text(doc, item, "lastHeartbeatTime", time);
		set_text(doc, item, "lastTransitionTime", time);
		set_text(doc, item, "reason", rows[i].reason);
		set_text(doc, item, "message", rows[i].message);
	}
}

static void put_node_status(struct json_doc *doc, struct json root,
			    const struct simulated_options *options, size_t index, int64_t now)
{
	struct json status = json_ensure_obj(doc, root, "status");
	struct json capacity = json_ensure_obj(doc, status, "capacity");
	struct json allocatable = json_ensure_obj(doc, status, "allocatable");
	struct json addresses = json_ensure_arr(doc, status, "addresses");
	struct json address;
	char ip[SIMULATED_IP_SIZE];
	char name[SIMULATED_NAME_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(dimensions); i++) {
		set_text(doc, capacity, dimensions[i], amount_of(options, i));
		set_text(doc, allocatable, dimensions[i], amount_of(options, i));
	}
	put_node_conditions(doc, status, now);
	address = append_obj(doc, addresses);
	set_text(doc, address, "type", "InternalIP");
	set_text(doc, address, "address", simulated_node_ip(index, ip));
	address = append_obj(doc, addresses);
	set_text(doc, address, "type", "Hostname");
	set_text(doc, address, "address", simulated_node_name(index, name));
}

struct json_doc *simulated_node(const struct simulated_options *options, size_t index, int64_t now)
{
	struct json_doc *doc = json_doc_new();
	struct json root = new_root(doc);
	struct json meta = json_ensure_obj(doc, root, "metadata");
	struct json labels = json_ensure_obj(doc, meta, "labels");
	char name[SIMULATED_NAME_SIZE];

	set_text(doc, root, "apiVersion", "v1");
	set_text(doc, root, "kind", "Node");
	set_text(doc, meta, "name", simulated_node_name(index, name));
	set_text(doc, labels, "kubernetes.io/hostname", name);
	set_text(doc, labels, "kubernetes.io/os", "linux");
	set_text(doc, labels, "kubernetes.io/arch", "amd64");
	if (options->instance)
		set_text(doc, labels, NODE_INSTANCE_LABEL, options->instance);
	put_node_status(doc, root, options, index, now);
	return doc;
}

static struct json ready_condition(struct json status)
{
	struct json_iter it = json_iter(json_get(status, "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "Ready"))
			return it.value;
	return JSON_NONE;
}

bool simulated_node_is_given_up(struct json node)
{
	struct json ready = ready_condition(json_get(node, "status"));

	return str_is(json_str(json_get(ready, "reason")), "NodeStatusUnknown");
}

/* The same amount, however it is written: the server keeps 100000 as 100k. */
static bool is_amount(struct str text, const char *wanted)
{
	struct quantity left, right;

	if (quantity_parse(text, &left, NULL) < 0 ||
	    quantity_parse(str_from(wanted), &right, NULL) < 0)
		return str_is(text, wanted);
	return quantity_cmp(&left, &right) == 0;
}

/* Does the node have the wanted size, and is it ready? Heartbeats are not compared. */
static bool has_status(struct json node, const struct simulated_options *options)
{
	struct json status = json_get(node, "status");
	struct json allocatable = json_get(status, "allocatable");

	for (size_t i = 0; i < ARRAY_LEN(dimensions); i++)
		if (!is_amount(json_str(json_get(allocatable, dimensions[i])),
			       amount_of(options, i)))
			return false;
	return str_is(json_str(json_get(ready_condition(status), "status")), "True");
}

struct json_doc *simulated_node_status_patch(const struct simulated_options *options, size_t index,
					     struct json node, int64_t now)
{
	struct json_doc *doc;

	if (has_status(node, options))
		return NULL;
	doc = json_doc_new();
	put_node_status(doc, new_root(doc), options, index, now);
	return doc;
}

static bool is_not_ready_taint(struct json taint)
{
	return str_is(json_str(json_get(taint, "key")), "node.kubernetes.io/not-ready") &&
	       str_is(json_str(json_get(taint, "effect")), "NoSchedule");
}

/* The list is replaced as a whole: the version makes sure that no one else has changed it. */
struct json_doc *simulated_node_taint_patch(struct json node)
{
	struct json taints = json_get(json_get(node, "spec"), "taints");
	struct json version = json_get(json_get(node, "metadata"), "resourceVersion");
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = new_root(doc);
	struct json rest = json_new_arr(doc);
	struct json_iter it = json_iter(taints);
	bool found = false;

	while (json_next(&it)) {
		if (is_not_ready_taint(it.value))
			found = true;
		else
			json_append(doc, rest, json_new_copy(doc, it.value));
	}
	if (!found)
		return NULL;
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "resourceVersion",
		     json_str(version));
	json_add(doc, json_ensure_obj(doc, root, "spec"), STR("taints"),
		 json_len(rest) ? rest : json_new_null(doc));
	return TAKE(doc);
}

/* --- pods --- */

static struct json new_pod_patch(struct json_doc *doc, struct str uid, const char *phase)
{
	struct json root = new_root(doc);
	struct json status;

	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "uid", uid);
	status = json_ensure_obj(doc, root, "status");
	set_text(doc, status, "phase", phase);
	return status;
}

static void put_condition(struct json_doc *doc, struct json status, const char *type,
			  const char *reason, const char *time)
{
	struct json item = append_obj(doc, json_ensure_arr(doc, status, "conditions"));

	set_text(doc, item, "type", type);
	set_text(doc, item, "status", reason ? "False" : "True");
	set_text(doc, item, "lastTransitionTime", time);
	if (reason)
		set_text(doc, item, "reason", reason);
}

static bool is_scheduled(struct json pod)
{
	struct json_iter it = json_iter(json_get(json_get(pod, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "PodScheduled"))
			return str_is(json_str(json_get(it.value, "status")), "True");
	return false;
}

static struct json put_container(struct json_doc *doc, struct json list, struct json container)
{
	struct json item = append_obj(doc, list);

	json_set_str(doc, item, "name", json_str(json_get(container, "name")));
	json_set_str(doc, item, "image", json_str(json_get(container, "image")));
	set_text(doc, item, "imageID", "");
	json_set_bool(doc, item, "ready", true);
	json_set_int(doc, item, "restartCount", 0);
	return json_ensure_obj(doc, item, "state");
}

static void put_running(struct json_doc *doc, struct json status, struct json spec,
			const char *time)
{
	struct json list = json_ensure_arr(doc, status, "containerStatuses");
	struct json_iter it = json_iter(json_get(spec, "containers"));

	while (json_next(&it)) {
		struct json state = put_container(doc, list, it.value);

		set_text(doc, json_ensure_obj(doc, state, "running"), "startedAt", time);
		json_set_bool(doc, json_at(list, it.index), "started", true);
	}
	it = json_iter(json_get(spec, "initContainers"));
	while (json_next(&it)) {
		struct json state = put_container(
			doc, json_ensure_arr(doc, status, "initContainerStatuses"), it.value);
		struct json end = json_ensure_obj(doc, state, "terminated");

		json_set_int(doc, end, "exitCode", 0);
		set_text(doc, end, "reason", "Completed");
		set_text(doc, end, "startedAt", time);
		set_text(doc, end, "finishedAt", time);
	}
}

struct json_doc *simulated_running(struct json pod, uint32_t number, size_t node, int64_t now)
{
	static const char *const conditions[] = {"Initialized", "Ready", "ContainersReady"};
	struct json_doc *doc = json_doc_new();
	struct str uid = json_str(json_get(json_get(pod, "metadata"), "uid"));
	struct json status = new_pod_patch(doc, uid, "Running");
	char time[TIME_TEXT_SIZE];
	char ip[SIMULATED_IP_SIZE];

	time_print(now, time);
	for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
		put_condition(doc, status, conditions[i], NULL, time);
	if (!is_scheduled(pod)) /* it was created with a nodeName */
		put_condition(doc, status, "PodScheduled", NULL, time);
	set_text(doc, status, "hostIP", simulated_node_ip(node, ip));
	set_text(doc, append_obj(doc, json_ensure_arr(doc, status, "hostIPs")), "ip", ip);
	set_text(doc, status, "podIP", simulated_pod_ip(number, ip));
	set_text(doc, append_obj(doc, json_ensure_arr(doc, status, "podIPs")), "ip", ip);
	set_text(doc, status, "startTime", time);
	put_running(doc, status, json_get(pod, "spec"), time);
	return doc;
}

struct json_doc *simulated_ended(struct str uid, struct json statuses, int64_t exit_code,
				 int64_t now)
{
	struct json_doc *doc = json_doc_new();
	struct json status = new_pod_patch(doc, uid, exit_code ? "Failed" : "Succeeded");
	const char *reason = exit_code ? "PodFailed" : "PodCompleted";
	struct json list = json_new_copy(doc, statuses);
	char time[TIME_TEXT_SIZE];
	struct json_iter it;

	time_print(now, time);
	put_condition(doc, status, "Ready", reason, time);
	put_condition(doc, status, "ContainersReady", reason, time);
	it = json_iter(list);
	while (json_next(&it)) {
		struct json state = json_get(it.value, "state");
		struct json started = json_get(json_get(state, "running"), "startedAt");
		struct json end = json_new_obj(doc);

		json_set_int(doc, end, "exitCode", exit_code);
		set_text(doc, end, "reason", exit_code ? "Error" : "Completed");
		json_set_str(doc, end, "startedAt",
			     json_is(started, JSON_STR) ? json_str(started) : str_from(time));
		set_text(doc, end, "finishedAt", time);
		state = json_new_obj(doc);
		json_add(doc, state, STR("terminated"), end);
		json_set(doc, it.value, STR("state"), state);
		json_set_bool(doc, it.value, "ready", false);
		json_set_bool(doc, it.value, "started", false);
	}
	if (json_is(list, JSON_ARR))
		json_add(doc, status, STR("containerStatuses"), list);
	return doc;
}
