/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component_node.c - the node component: this machine, and simulated nodes.
 *
 * By itself it runs one real node; with --simulate-nodes only those, unless --nodes asks for both. The registry
 * removes nodes that an earlier start declared. The component is ready when no node takes pods that is not
 * declared any more, and the nodes of this machine are written with what they have now: what starts after it
 * (component.c) never sees the old ones. Simulated nodes are made while the rest runs. */
#include "programs/volcano/component_node.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "apiserver/server.h"
#include "apiserver/verb/podlog.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/uuid.h"
#include "client/client.h"
#include "http/address.h"
#include "loop/loop.h"
#include "node/agent/agent.h"
#include "node/pod/pod_log.h"
#include "node/registry/registry.h"
#include "node/simulated/simulated.h"
#include "node/simulated/simulated_status.h"
#include "programs/volcano/settings.h"

#include "base/banned.h"

/* How long others wait for the nodes: a disk may be full, and nothing written. */
#define PATIENCE (10 * TIME_SECOND)

enum { HOST_NAME_SIZE = 64 };

struct node_component {
	struct loop *loop;
	struct apiserver *apiserver;
	char *folder;
	char *instance;
	size_t n_simulated;
	struct client *registry_client;
	struct registry *registry;
	struct client *simulated_client;
	struct simulated *simulated;
	struct client *client;
	struct agent *agent;
	struct loop_timer *patience;
	bool waited; /* long enough */
	struct loop_defer stopped;
	struct log *log;
};

static void close_all(struct node_component *self)
{
	registry_free(TAKE(self->registry));
	client_free(TAKE(self->registry_client));
	loop_timer_free(TAKE(self->patience));
	if (self->agent && self->apiserver)
		api_set_log_source(apiserver_api(self->apiserver), NULL, NULL);
	agent_free(TAKE(self->agent));
	client_free(TAKE(self->client));
	simulated_free(TAKE(self->simulated));
	client_free(TAKE(self->simulated_client));
}

/* --- output of containers, for the API --- */

static void *log_open(void *arg, const struct log_request *request, struct err *err)
{
	struct node_component *self = arg;

	return agent_open_log(self->agent,
			      &(struct agent_log_request){.uid = request->uid,
							  .container = request->container,
							  .previous = request->previous,
							  .timestamps = request->timestamps,
							  .since = request->since,
							  .tail_lines = request->tail_lines},
			      err);
}

static enum log_state log_read(void *log, struct buf *to, size_t most)
{
	static const enum log_state states[] = {
		[POD_LOG_MORE] = LOG_MORE, [POD_LOG_WAIT] = LOG_WAIT, [POD_LOG_END] = LOG_END};

	return states[pod_log_read(log, to, most)];
}

static void log_follow(void *log, void (*wake)(void *arg), void *arg)
{
	pod_log_follow(log, wake, arg);
}

static void log_close(void *log)
{
	pod_log_close(log);
}

static const struct log_source log_source = {log_open, log_read, log_follow, log_close};

/* --- the machine --- */

/* The machine's name, as a node may be called: small letters, digits, '-' and '.'. */
static void read_host_name(char name[HOST_NAME_SIZE])
{
	size_t len;

	if (gethostname(name, HOST_NAME_SIZE - 1) < 0)
		name[0] = '\0';
	name[HOST_NAME_SIZE - 1] = '\0';
	for (char *at = name; *at; at++) {
		*at = (char)tolower((unsigned char)*at);
		if (!isalnum((unsigned char)*at) && *at != '.')
			*at = '-';
	}
	len = strlen(name);
	while (len && !isalnum((unsigned char)name[len - 1]))
		name[--len] = '\0';
	if (!len || !isalnum((unsigned char)name[0]))
		(void)snprintf(name, HOST_NAME_SIZE, "localhost");
}

/* volcano-pod, in the folder of this program. For mem_free(). */
static char *find_program(struct err *err)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct str folder;

	if (len < 0) {
		(void)err_errno(err, errno, "/proc/self/exe");
		return NULL;
	}
	folder = str_of(path, (size_t)len);
	folder = str_slice(folder, 0, (size_t)str_rfind_byte(folder, '/'));
	return mem_printf("%.*s/volcano-pod", STR_ARG(folder));
}

/* A pod takes a descriptor or two. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* The address at which pods reach the server of this process; none if it listens on all addresses.
 * */
static void read_address(const struct apiserver *apiserver, char text[ADDRESS_TEXT_SIZE],
			 struct agent_options *options)
{
	struct str whole;
	ptrdiff_t colon;

	if (!apiserver)
		return;
	whole = str_from(address_print(apiserver_address(apiserver), text));
	colon = str_rfind_byte(whole, ':');
	if (colon <= 0 || text[0] == '[' || str_starts(whole, STR("0.0.0.0")))
		return;
	text[colon] = '\0';
	options->api_host = text;
	options->api_port = text + colon + 1;
}

static int listen_also(void *arg, const char *address, struct err *err)
{
	return apiserver_listen_also(arg, str_from(address), err);
}

static int start_agent(struct node_component *self, const struct component_world *world,
		       size_t nodes, struct err *err)
{
	char host_name[HOST_NAME_SIZE];
	char address[ADDRESS_TEXT_SIZE];
	struct agent_options options;
	AUTO(mem_free) char *program = find_program(err);
	const char *lacks;

	if (!program)
		return -1;
	raise_file_limit();
	read_host_name(host_name);
	self->client = component_client(world, "system:node:volcano", "volcano-node", err);
	if (!self->client)
		return -1;
	options = (struct agent_options){.folder = world->settings->folder,
					 .program = program,
					 .host_name = host_name,
					 .nodes = nodes,
					 .instance = self->instance,
					 .resources = world->settings->node_resources,
					 .reserved = world->settings->node_reserved,
					 .eviction = world->settings->eviction,
					 .transition_us = world->settings->eviction_transition_us,
					 .runtime = world->settings->runtime,
					 .allow_root_pods = world->settings->allow_root_pods,
					 .pod_max_pids = world->settings->pod_max_pids,
					 .path = secure_getenv("PATH"),
					 .home = secure_getenv("HOME"),
					 .log = world->log};
	read_address(self->apiserver, address, &options);
	if (options.api_host && str_starts(str_from(options.api_host), STR("127."))) {
		options.listen_also = listen_also;
		options.listen_arg = self->apiserver;
	}
	self->agent = agent_new(world->loop, self->client, &options, err);
	if (!self->agent)
		return -1;
	if (self->apiserver)
		api_set_log_source(apiserver_api(self->apiserver), &log_source, self);
	for (size_t i = 0; (lacks = agent_lacks(self->agent, i)); i++)
		buf_printf(world->notes, "note: %s\n", lacks);
	return 0;
}

static int start_simulated(struct node_component *self, const struct component_world *world,
			   size_t nodes, struct err *err)
{
	self->simulated_client =
		component_client(world, "system:node:simulated", "volcano-node", err);
	if (!self->simulated_client)
		return -1;
	self->simulated = simulated_new(world->loop, self->simulated_client,
					&(struct simulated_options){.nodes = nodes,
								    .instance = self->instance,
								    .leases = true,
								    .log = world->log});
	self->n_simulated = nodes;
	log_info(world->log, "simulating nodes", LOG_INT("nodes", nodes));
	return 0;
}

/* --- nodes of an earlier start --- */

static bool is_declared(void *arg, struct str name)
{
	const struct node_component *self = arg;
	int64_t index = simulated_node_index(name);

	return (index >= 0 && (size_t)index < self->n_simulated) ||
	       (self->agent && agent_has_node(self->agent, name));
}

static void on_node_changed(void *arg, struct str name, struct json_doc *doc)
{
	struct node_component *self = arg;

	if (self->agent)
		agent_node_changed(self->agent, name, doc);
}

static bool has_processes(void *arg, struct str uid)
{
	const struct node_component *self = arg;
	AUTO(mem_free) char *folder = mem_printf("%s/pods/%.*s", self->folder, STR_ARG(uid));

	return self->agent && access(folder, F_OK) == 0;
}

static int start_registry(struct node_component *self, const struct component_world *world,
			  struct err *err)
{
	self->registry_client = component_client(world, "system:node:volcano", "volcano-node", err);
	if (!self->registry_client)
		return -1;
	self->registry = registry_new(self->registry_client,
				      &(struct registry_options){.instance = self->instance,
								 .is_declared = is_declared,
								 .changed = on_node_changed,
								 .has_processes = has_processes,
								 .arg = self,
								 .log = world->log});
	return 0;
}

/* Pods that an earlier start left running here are ended by an agent, also where this machine is no node now. */
static bool has_pods(const char *folder)
{
	AUTO(mem_free) char *path = mem_printf("%s/pods", folder);
	DIR *pods = opendir(path);
	const struct dirent *entry;
	bool found = false;

	while (pods && !found && (entry = readdir(pods)))
		found = uuid_is_valid(str_from(entry->d_name));
	if (pods)
		(void)closedir(pods);
	return found;
}

static bool is_written(const struct node_component *self)
{
	return registry_is_settled(self->registry) &&
	       (!self->agent || agent_is_registered(self->agent));
}

static void on_patience(struct loop_timer *timer, void *arg)
{
	struct node_component *self = arg;

	(void)timer;
	self->waited = true;
	if (!is_written(self))
		log_warn(self->log, "the nodes could not be written yet: starting without");
}

void *component_node_start(struct component_world *world, struct err *err)
{
	int64_t simulated = world->settings->simulated_nodes;
	size_t nodes = settings_real_nodes(world->settings);
	struct node_component *self = mem_new(struct node_component);

	self->loop = world->loop;
	self->log = world->log;
	self->apiserver = world->apiserver;
	self->patience = loop_timer_new(world->loop, on_patience, self);
	self->folder = mem_strdup(world->settings->folder);
	self->instance = registry_instance(world->loop, self->folder, err);
	if (!self->instance ||
	    (simulated > 0 && start_simulated(self, world, (size_t)simulated, err) < 0) ||
	    ((nodes > 0 || has_pods(self->folder)) && start_agent(self, world, nodes, err) < 0) ||
	    start_registry(self, world, err) < 0) {
		component_node_free(self);
		return NULL;
	}
	if (self->apiserver)
		loop_timer_set(self->patience, PATIENCE);
	return self;
}

/* A server elsewhere may not be there yet: it is not waited for. */
bool component_node_is_ready(const void *self)
{
	const struct node_component *node = self;

	return !node->apiserver || node->waited || is_written(node);
}

void component_node_stop(void *self, component_done_fn *done, void *arg)
{
	struct node_component *node = self;

	close_all(node);
	loop_defer(node->loop, &node->stopped, done, arg);
}

void component_node_free(void *self)
{
	struct node_component *node = self;

	loop_defer_cancel(node->loop, &node->stopped);
	close_all(node);
	mem_free(node->folder);
	mem_free(node->instance);
	mem_free(node);
}
