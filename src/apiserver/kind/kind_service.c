/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_service.c - what is special about services: the server gives them addresses, and
 * ports on the nodes.
 *
 * There is no other state than the services: used addresses and ports are read from the existing
 * services, including staged ones. An address is drawn at random; if it is in use, the next free
 * one is taken. The lower part of each range is left for addresses that users choose, as in
 * kube-apiserver.
 *
 * Always true: no two services have the same address, or the same port on the nodes (but for ports
 * of different protocols that were asked for). */
#include "apiserver/kind/kind_service.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "apiserver/api.h"
#include "apiserver/kind/kind_rules.h"
#include "apiserver/request/call.h"
#include "apiserver/store/store.h"
#include "base/arena.h"
#include "loop/loop.h"
#include "model/core/service.h"
#include "model/field/path.h"
#include "model/rules/causes.h"

#include "base/banned.h"

enum {
	NETWORK = 10 << 24 | 96 << 16, /* 10.96.0.0/12 */
	NETWORK_SIZE = 1 << 20,
	NETWORK_CHOSEN = 256, /* the lower part, left to those who choose */
	PORT_FIRST = 30000,
	PORT_COUNT = 2768,
	PORT_CHOSEN = 86,
};

/* What other services have: one bit each. */
struct taken {
	uint8_t addresses[NETWORK_SIZE / 8];
	uint8_t ports[PORT_COUNT / 8 + 1];
};

static bool has_bit(const uint8_t *bits, uint32_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

static void set_bit(uint8_t *bits, uint32_t at)
{
	bits[at / 8] |= (uint8_t)(1U << at % 8);
}

/* --- what is taken --------------------------------------------------------------------------- */

/* Its place in the network, or -1. */
static int64_t address_index(struct str text)
{
	char copy[INET_ADDRSTRLEN];
	struct in_addr address;
	int64_t index;

	if (!text.len || text.len >= sizeof(copy))
		return -1;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = 0;
	if (inet_pton(AF_INET, copy, &address) != 1)
		return -1;
	index = (int64_t)ntohl(address.s_addr) - NETWORK;
	return index >= 0 && index < NETWORK_SIZE ? index : -1;
}

static void take_port(struct taken *taken, struct json port)
{
	int64_t index = json_int(port) - PORT_FIRST;

	if (index >= 0 && index < PORT_COUNT)
		set_bit(taken->ports, (uint32_t)index);
}

static void take_service(struct taken *taken, struct object *object, struct str but)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json_iter it;
	struct json spec;
	int64_t address = address_index(object_field(object, STR("spec.clusterIP")));

	if (str_eq(object->key, but))
		return;
	if (address >= 0)
		set_bit(taken->addresses, (uint32_t)address);
	if (str_is(object_field(object, STR("spec.type")), "ClusterIP"))
		return;
	doc = json_parse(object->text, NULL, &err);
	spec = doc ? json_get(json_doc_root(doc), "spec") : JSON_NONE;
	take_port(taken, json_get(spec, "healthCheckNodePort"));
	for (it = json_iter(json_get(spec, "ports")); json_next(&it);)
		take_port(taken, json_get(it.value, "nodePort"));
}

/* By all services but this one; in the call's arena. */
static struct taken *taken_by_others(struct call *call, struct json service)
{
	struct taken *taken = arena_new_of(call->arena, struct taken);
	struct store *store = api_store(call->api);
	struct str name = json_str(json_get(json_get(service, "metadata"), "name"));
	struct str own = api_key(call->arena, call->kind, call->namespace, name);
	struct store_newest_walk walk = store_newest_walk(store, call->kind->prefix);
	struct object *object;

	while ((object = store_newest_next(&walk)))
		take_service(taken, object, own);
	return taken;
}

/* --- giving ---------------------------------------------------------------------------------- */

/* A free number at or after a random one, from `first` on; then before it; -1 if all are in use. */
static int64_t draw(struct call *call, uint8_t *bits, uint32_t first, uint32_t count)
{
	uint32_t start = first + (uint32_t)loop_random_below(api_loop(call->api), count - first);

	for (uint32_t i = 0; i < count - 1; i++) {
		uint32_t at = 1 + (start - 1 + i) % (count - 1);

		if (!has_bit(bits, at)) {
			set_bit(bits, at);
			return at;
		}
	}
	return -1;
}

static int give_address(struct call *call, struct json_doc *doc, struct json spec,
			struct taken *taken, struct err *err)
{
	int64_t index = draw(call, taken->addresses, NETWORK_CHOSEN, NETWORK_SIZE - 1);
	struct in_addr address = {htonl((uint32_t)(NETWORK + index))};
	char text[INET_ADDRSTRLEN] = "";
	struct json list = json_new_arr(doc);

	if (index < 0)
		return err_set(err, ERR_INTERNAL, "failed to allocate a serviceIP: range is full");
	(void)inet_ntop(AF_INET, &address, text, sizeof(text));
	json_set_str(doc, spec, "clusterIP", str_from(text));
	json_append(doc, list, json_new_str(doc, str_from(text)));
	json_set(doc, spec, STR("clusterIPs"), list);
	return 0;
}

static int give_port(struct call *call, struct json_doc *doc, struct json object, const char *key,
		     struct taken *taken, struct err *err)
{
	int64_t index;

	if (json_int(json_get(object, key)))
		return 0;
	index = draw(call, taken->ports, PORT_CHOSEN, PORT_COUNT);
	if (index < 0)
		return err_set(err, ERR_INTERNAL, "failed to allocate a nodePort: range is full");
	json_set_int(doc, object, key, PORT_FIRST + index);
	return 0;
}

static bool wants_health_port(struct json spec)
{
	return str_is(json_str(json_get(spec, "type")), "LoadBalancer") &&
	       str_is(json_str(json_get(spec, "externalTrafficPolicy")), "Local");
}

static int give(struct call *call, struct json_doc *doc, struct json service, struct err *err)
{
	struct json spec = json_get(service, "spec");
	struct json_iter it = json_iter(json_get(spec, "ports"));
	bool ports = service_needs_node_ports(service);
	bool address = service_needs_address(service) &&
		       !json_str(json_get(spec, "clusterIP")).len &&
		       json_len(json_get(spec, "ports"));
	struct taken *taken;

	if (!address && !ports)
		return 0;
	taken = taken_by_others(call, service);
	if (address && give_address(call, doc, spec, taken, err) < 0)
		return -1;
	while (json_next(&it))
		take_port(taken, json_get(it.value, "nodePort"));
	for (it = json_iter(json_get(spec, "ports")); ports && json_next(&it);)
		if (give_port(call, doc, it.value, "nodePort", taken, err) < 0)
			return -1;
	if (wants_health_port(spec))
		return give_port(call, doc, spec, "healthCheckNodePort", taken, err);
	return 0;
}

/* --- ops ------------------------------------------------------------------------------------- */

static int prepare_create(struct call *call, struct json_doc *doc, struct json service,
			  struct err *err)
{
	if (kind_ruled_prepare_create(call, doc, service, err) < 0)
		return -1;
	return give(call, doc, service, err);
}

static int prepare_update(struct call *call, struct json_doc *doc, struct json service,
			  struct json old, struct err *err)
{
	if (kind_ruled_prepare_update(call, doc, service, old, err) < 0)
		return -1;
	return call->sub.len ? 0 : give(call, doc, service, err);
}

static void check_address(const struct taken *taken, struct json spec, struct causes *causes)
{
	struct path up = path_member(NULL, STR("spec"));
	struct path path = path_member(&up, STR("clusterIPs"));
	struct str text = json_str(json_get(spec, "clusterIP"));
	int64_t index = address_index(text);

	if (index < 0 || has_bit(taken->addresses, (uint32_t)index))
		causes_invalid(causes, &path, json_get(spec, "clusterIPs"),
			       "failed to allocate IP %.*s: %s", STR_ARG(text),
			       index < 0 ? "the provided network does not match the current range"
					 : "provided IP is already allocated");
}

static void check_ports(const struct taken *taken, struct json spec, struct causes *causes)
{
	struct path up = path_member(NULL, STR("spec"));
	struct path list = path_member(&up, STR("ports"));
	struct json_iter it = json_iter(json_get(spec, "ports"));

	while (json_next(&it)) {
		struct path at = path_index(&list, it.index);
		struct path path = path_member(&at, STR("nodePort"));
		int64_t port = json_int(json_get(it.value, "nodePort"));
		int64_t index = port - PORT_FIRST;

		if (!port)
			continue;
		if (index < 0 || index >= PORT_COUNT)
			causes_invalid_int(causes, &path, port,
					   "provided port is not in the valid range. The range of "
					   "valid ports is 30000-32767");
		else if (has_bit(taken->ports, (uint32_t)index))
			causes_invalid_int(causes, &path, port,
					   "provided port is already allocated");
	}
}

/* A requested address or port must be free. Reported only for a service that is valid otherwise,
 * because upstream allocates after validation. */
static void check_free(struct call *call, struct json service, struct causes *causes)
{
	struct json spec = json_get(service, "spec");
	struct taken *taken;

	if (causes->len || !service_needs_address(service))
		return;
	taken = taken_by_others(call, service);
	if (json_str(json_get(spec, "clusterIP")).len)
		check_address(taken, spec, causes);
	if (!causes->len && service_needs_node_ports(service))
		check_ports(taken, spec, causes);
}

/* Are all of them about addresses? These were given before the families were looked at; upstream gives them later. */
static bool are_of_addresses(const struct causes *causes)
{
	for (size_t i = 0; i < causes->len; i++)
		if (!str_starts(str_from(causes->ptr[i].field), STR("spec.clusterIPs")))
			return false;
	return true;
}

static void validate_create(struct call *call, struct json service, struct causes *causes)
{
	AUTO(causes_done) struct causes lacking = CAUSES_INIT;

	kind_ruled_validate_create(call, service, causes);
	service_check_families(service, &lacking);
	if (lacking.len && are_of_addresses(causes)) {
		lacking.warned = causes->warned;
		causes_done(causes);
		*causes = lacking;
		lacking = (struct causes)CAUSES_INIT;
		return;
	}
	check_free(call, service, causes);
}

static void validate_update(struct call *call, struct json service, struct json old,
			    struct causes *causes)
{
	kind_ruled_validate_update(call, service, old, causes);
	if (!call->sub.len && !causes->len)
		service_check_families(service, causes);
	if (!call->sub.len && !json_eq(json_get(service, "spec"), json_get(old, "spec")))
		check_free(call, service, causes);
}

const struct kind_ops kind_service_ops = {
	.reads_others = true,
	.prepare_create = prepare_create,
	.prepare_update = prepare_update,
	.validate_create = validate_create,
	.validate_update = validate_update,
	.warn = kind_ruled_warn,
};
