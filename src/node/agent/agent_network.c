/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_network.c - addresses and names of the agent's pods.
 *
 * A pod that others are meant to reach (it has a subdomain, a hostname or ports) gets a network namespace on the
 * node's bridge if the machine permits that; any other gets an address 127.x.y.z of the machine's loopback, which
 * takes a thousandth of the time (docs/design/017-node.md has the measurement). The bridge is made for the first
 * pod that needs it. Addresses in use and pods with names are recorded when pods are added and removed: a node
 * knows many more pods, most of which have ended, than run on it.
 *
 * Every pod's hosts file names the pod itself and the pods of its namespace that have a hostname and a subdomain.
 * It is made in memory, from the pod's plan, when the pod is prepared, and sent again, at most once per turn, when
 * such a pod is added or removed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "model/pod/pod.h"
#include "node/agent/agent_internal.h"
#include "node/net/network.h"
#include "node/pod/hosts.h"

#include "base/banned.h"

enum {
	MACHINE_FILE_BYTES = 1024 * 1024,
	HOSTS_MOST_BYTES = 256 * 1024, /* in a plan */
	LOOPBACK_NETS = 254,
	LOOPBACK_HOSTS = 1 << 16,
};

#define LOOPBACK "127.0.0.1"

struct agent_network {
	struct agent *agent;
	char *folder;
	bool may_bridge;
	bool changed; /* hosts files have to be written again */
	struct network *bridge;
	int (*listen_also)(void *arg, const char *address, struct err *err);
	void *listen_arg;
	bool serves;   /* the API server listens on the bridge, too */
	char *lacks;   /* why there is no bridge; NULL: there is one, or it was not needed yet */
	unsigned net;  /* 127.NET.0.0: differs per node folder */
	unsigned next; /* the next host to try */
	uint64_t taken[LOOPBACK_HOSTS / 64]; /* one bit per host */
	VEC(struct agent_pod *) named;       /* pods in the network that have a subdomain */
	struct loop_defer defer;
};

struct agent_network *agent_network_new(struct agent *agent, const struct agent_options *options,
					bool may_bridge)
{
	struct agent_network *self = mem_new(struct agent_network);

	self->agent = agent;
	self->folder = mem_strdup(options->folder);
	self->listen_also = options->listen_also;
	self->listen_arg = options->listen_arg;
	self->may_bridge = may_bridge;
	self->net = 1 + (unsigned)(hash_fnv1a_64(str_from(options->folder)) % LOOPBACK_NETS);
	self->next = 2;
	return self;
}

void agent_network_free(struct agent_network *self)
{
	if (!self)
		return;
	loop_defer_cancel(self->agent->loop, &self->defer);
	network_close(self->bridge);
	vec_done(&self->named);
	mem_free(self->lacks);
	mem_free(self->folder);
	mem_free(self);
}

/* --- addresses --- */

static bool is_meant_to_be_reached(const struct pod *view)
{
	if (view->spec.subdomain.len || view->spec.hostname.len)
		return true;
	for (size_t i = 0; i < view->spec.containers.len; i++)
		if (view->spec.containers.ptr[i].ports.len)
			return true;
	for (size_t i = 0; i < view->spec.init_containers.len; i++)
		if (view->spec.init_containers.ptr[i].ports.len)
			return true;
	return false;
}

/* Pods on the bridge do not reach the machine's loopback. */
static void serve_bridge(struct agent_network *self)
{
	struct err err;

	if (!self->listen_also)
		return;
	self->serves =
		self->listen_also(self->listen_arg, network_host_address(self->bridge), &err) == 0;
	if (!self->serves)
		log_warn(self->agent->log, "pods on the bridge cannot reach the API server",
			 LOG_STR("why", err.text));
}

const char *agent_network_api(const struct agent_network *self, const struct agent_pod *pod)
{
	return pod->on_bridge && self->serves ? network_host_address(self->bridge) : NULL;
}

/* The bridge; NULL: it cannot be made, which is reported once. */
static struct network *open_bridge(struct agent_network *self)
{
	struct err err = {0};

	if (self->bridge || !self->may_bridge)
		return self->bridge;
	self->bridge = network_open(
		&(struct network_options){.folder = self->folder, .bridge = true}, &err);
	if (self->bridge && network_has_bridge(self->bridge)) {
		serve_bridge(self);
		if (network_lacks(self->bridge)) {
			log_info(self->agent->log, network_lacks(self->bridge));
			agent_nodes_touch(self->agent->nodes);
		}
		return self->bridge;
	}
	self->lacks = self->bridge ? mem_strdup(network_lacks(self->bridge))
				   : mem_printf("pods share the machine's network: %s", err.text);
	log_warn(self->agent->log, self->lacks);
	network_close(TAKE(self->bridge));
	self->may_bridge = false;
	agent_nodes_touch(self->agent->nodes);
	return NULL;
}

const char *agent_network_lacks(const struct agent_network *self)
{
	return self->bridge ? network_lacks(self->bridge) : self->lacks;
}

bool agent_network_has_bridge(const struct agent_network *self)
{
	return self->may_bridge;
}

void agent_network_adopt(struct agent_network *self, const struct agent_pod *pod)
{
	if (pod->on_bridge)
		(void)open_bridge(self);
}

/* The number of an address in the loopback network of this node; false: it is of another network. */
static bool host_of(const struct agent_network *self, const char *address, unsigned *ret)
{
	int64_t parts[4];
	struct str rest = str_from(address);
	struct str word;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (!str_split(&rest, '.', &word) ||
		    number_parse_range(word, 0, UINT8_MAX, &parts[i], NULL) < 0)
			return false;
	*ret = (unsigned)(parts[2] << 8 | parts[3]);
	return parts[0] == 127 && parts[1] == (int64_t)self->net;
}

static bool is_taken(const struct agent_network *self, unsigned host)
{
	return self->taken[host / 64] >> host % 64 & 1;
}

static struct str subdomain_of(const struct agent_pod *pod)
{
	return json_str(json_get(json_get(json_doc_root(pod->doc), "spec"), "subdomain"));
}

void agent_network_note(struct agent_network *self, struct agent_pod *pod)
{
	unsigned host;

	if (!pod->in_network || pod->is_noted)
		return;
	pod->is_noted = true;
	if (host_of(self, pod->pod_ip, &host))
		self->taken[host / 64] |= UINT64_C(1) << host % 64;
	if (subdomain_of(pod).len)
		vec_push(&self->named, pod);
}

static void unnote(struct agent_network *self, struct agent_pod *pod)
{
	unsigned host;

	if (!pod->is_noted)
		return;
	pod->is_noted = false;
	if (host_of(self, pod->pod_ip, &host))
		self->taken[host / 64] &= ~(UINT64_C(1) << host % 64);
	for (size_t i = 0; i < self->named.len; i++)
		if (self->named.ptr[i] == pod) {
			vec_remove(&self->named, i);
			break;
		}
}

static int join_loopback(struct agent_network *self, struct agent_pod *pod, struct err *err)
{
	for (unsigned tried = 0; tried < LOOPBACK_HOSTS; tried++) {
		unsigned host = self->next;

		self->next = host + 1 < LOOPBACK_HOSTS - 1 ? host + 1 : 2;
		if (is_taken(self, host))
			continue;
		(void)snprintf(pod->pod_ip, sizeof(pod->pod_ip), "127.%u.%u.%u", self->net,
			       host >> 8, host & 255U);
		return 0;
	}
	return err_set(err, ERR_UNAVAILABLE, "all addresses of pods are taken");
}

static int join_bridge(struct agent_network *self, struct agent_pod *pod, struct arena *arena,
		       const char **ret_netns, struct err *err)
{
	AUTO(network_pod_done) struct network_pod made = {0};

	if (network_pod_make(self->bridge, pod->uid, false, &made, err) < 0)
		return err_wrap(err, "network");
	(void)snprintf(pod->pod_ip, sizeof(pod->pod_ip), "%s", made.address);
	(void)snprintf(pod->host_ip, sizeof(pod->host_ip), "%s",
		       network_host_address(self->bridge));
	*ret_netns = made.netns ? arena_strdup(arena, made.netns) : NULL;
	pod->on_bridge = true;
	return 0;
}

int agent_network_join(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
		       struct arena *arena, const char **ret_netns, struct err *err)
{
	bool reached = !view->spec.host_network && is_meant_to_be_reached(view);

	*ret_netns = NULL;
	if (reached && (!pod->in_network || pod->on_bridge) && open_bridge(self)) {
		if (join_bridge(self, pod, arena, ret_netns, err) < 0)
			return -1;
	} else if (!pod->in_network) {
		(void)snprintf(pod->host_ip, sizeof(pod->host_ip), LOOPBACK);
		(void)snprintf(pod->pod_ip, sizeof(pod->pod_ip), LOOPBACK);
		if (!view->spec.host_network && join_loopback(self, pod, err) < 0)
			return -1;
	}
	pod->in_network = true;
	agent_network_note(self, pod);
	if (view->spec.subdomain.len && view->spec.hostname.len)
		agent_network_changed(self);
	return 0;
}

/* Of a pod whose addresses neither the API nor a supervisor has. */
static bool has_namespace(const struct agent_pod *pod)
{
	AUTO(mem_free) char *netns = mem_printf("%s/netns", pod->folder);

	return access(netns, F_OK) == 0;
}

void agent_network_leave(struct agent_network *self, struct agent_pod *pod)
{
	bool left = !pod->in_network && has_namespace(pod);
	struct err err;

	if (!pod->in_network && !left)
		return;
	unnote(self, pod);
	if ((pod->on_bridge || left) && open_bridge(self) &&
	    network_pod_remove(self->bridge, pod->uid, &err) < 0) {
		log_warn(self->agent->log, "cannot take a pod off the network",
			 LOG_STR("pod", pod->uid), LOG_STR("error", err.text));
		return;
	}
	pod->in_network = false;
	if (subdomain_of(pod).len)
		agent_network_changed(self);
}

/* --- names --- */

static void read_machine_file(const char *path, struct buf *to)
{
	struct err err;

	if (fd_read_file(path, to, &err) < 0)
		buf_clear(to); /* a machine without resolv.conf */
}

struct world {
	VEC(struct hosts_pod) pods;
	VEC(struct json) services;
};

static void world_done(struct world *world)
{
	vec_done(&world->pods);
	vec_done(&world->services);
}
DEFINE_AUTO_IN_PLACE(struct world, world_done);

static void add_service(void *arg, struct json service)
{
	struct world *world = arg;

	vec_push(&world->services, service);
}

static void look_around(struct agent_network *self, struct str namespace, struct world *ret)
{
	for (size_t i = 0; i < self->named.len; i++) {
		const struct agent_pod *pod = self->named.ptr[i];
		struct json root = json_doc_root(pod->doc);

		if (str_eq(json_str(json_get(json_get(root, "metadata"), "namespace")), namespace))
			vec_push(&ret->pods, (struct hosts_pod){root, str_from(pod->pod_ip)});
	}
	agent_sandboxes_services(self->agent->sandboxes, namespace, add_service, ret);
}

static void print_hosts(struct agent_network *self, const struct agent_pod *pod,
			const struct pod *view, struct buf *to)
{
	AUTO(world_done) struct world world = {0};
	AUTO(buf_done) struct buf machine = BUF_INIT(MACHINE_FILE_BYTES);
	struct hosts_world around;

	look_around(self, view->meta.namespace, &world);
	around = (struct hosts_world){world.pods.ptr, world.pods.len, world.services.ptr,
				      world.services.len, agent_network_api(self, pod)};
	if (view->spec.host_network)
		read_machine_file("/etc/hosts", &machine);
	hosts_print(view, str_from(pod->pod_ip), &around, buf_str(&machine), to);
}

static int write_file(const struct agent_pod *pod, const char *name, struct str text,
		      struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", pod->folder, name);
	bool changed;

	return hosts_write(path, text, &changed, err);
}

static int write_resolv(const struct agent_pod *pod, const struct pod *view, struct err *err)
{
	AUTO(buf_done) struct buf machine = BUF_INIT(MACHINE_FILE_BYTES);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!pod->on_bridge && !view->spec.dns_config && !str_is(view->spec.dns_policy, "None"))
		return 0; /* it has the machine's names */
	read_machine_file("/etc/resolv.conf", &machine);
	hosts_print_resolv(view, buf_str(&machine), &text);
	return write_file(pod, "resolv.conf", buf_str(&text), err);
}

int agent_network_write(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
			struct arena *arena, const char **ret_hosts, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	print_hosts(self, pod, view, &text);
	*ret_hosts = NULL;
	if (arena && text.len <= HOSTS_MOST_BYTES) {
		*ret_hosts = arena_str(arena, buf_str(&text)).ptr;
		pod->hosts = hash_bytes(text.ptr, text.len, 0);
	} else if (write_file(pod, "hosts", buf_str(&text), err) < 0) {
		return -1;
	}
	return write_resolv(pod, view, err);
}

/* If the pod's hosts file is in its folder, because it is large or an earlier agent made it, it is written there. */
int agent_network_rewrite(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
			  struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(mem_free) char *path = mem_printf("%s/hosts", pod->folder);
	uint64_t hash;

	print_hosts(self, pod, view, &text);
	if (access(path, F_OK) == 0)
		return write_file(pod, "hosts", buf_str(&text), err);
	hash = hash_bytes(text.ptr, text.len, 0);
	if (pod->supervisor && hash != pod->hosts) {
		supervisor_hosts(pod->supervisor, buf_str(&text));
		pod->hosts = hash;
	}
	return 0;
}

static void on_changed(void *arg)
{
	struct agent_network *self = arg;
	size_t at = 0;
	void *value;

	self->changed = false;
	while (map_next(self->agent->pods, &at, NULL, &value)) {
		struct agent_pod *pod = value;

		if (pod->in_network && pod->has_plan && !pod->over)
			agent_sandboxes_rewrite_hosts(self->agent->sandboxes, pod);
	}
}

void agent_network_changed(struct agent_network *self)
{
	if (self->changed)
		return;
	self->changed = true;
	loop_defer(self->agent->loop, &self->defer, on_changed, self);
}
