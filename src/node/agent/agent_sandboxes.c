/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_sandboxes.c - the sandboxes of the agent's pods: the machine, and the objects that pods refer
 * to.
 *
 * Informers keep the objects that pods may refer to. When an object of a pod's namespace was created or has
 * changed, the pod is reconciled; changed content of a volume is written for the pods that mount it. */
#include "node/agent/agent_sandboxes.h"

#include <sys/stat.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/pod/pod.h"
#include "node/machine/cgroup.h"
#include "node/pod/unsupported.h"
#include "node/runtime/agent_runtime.h"
#include "node/volume/pod_volumes.h"

#include "base/banned.h"

enum { MODE_FOLDER = 0711 };

static const enum resource_id sandbox_resources[SANDBOX_KIND_COUNT] = {
	[SANDBOX_CONFIG_MAP] = RESOURCE_CONFIGMAPS,
	[SANDBOX_SECRET] = RESOURCE_SECRETS,
	[SANDBOX_CLAIM] = RESOURCE_PVCS,
	[SANDBOX_VOLUME] = RESOURCE_PVS,
};

/* --- the beginning and the end of a pod --- */

/* Of a pod that is no longer in the API only the folder is known. */
bool agent_sandboxes_leave(struct agent_sandboxes *self, struct agent_pod *pod)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");
	bool orphan = json_is_absent(spec);
	bool gone;
	struct pod_volumes_place place = {
		.folder = pod->folder, .claims = self->claims, .can_mount = self->machine.root};
	struct err err;

	agent_network_leave(self->network, pod);
	agent_devices_leave(pod);
	agent_tokens_leave(self->tokens, pod);
	if (self->runtime)
		agent_runtime_leave(self->runtime, pod);
	gone = agent_groups_remove(self->cgroups, pod);
	if ((orphan || json_len(json_get(spec, "volumes"))) && pod_volumes_remove(&place, &err) < 0)
		log_warn(self->agent->log, "cannot remove volumes", LOG_STR("error", err.text));
	return gone;
}

void agent_sandboxes_adopt(struct agent_sandboxes *self, struct agent_pod *pod)
{
	agent_groups_adopt(self->cgroups, pod);
	agent_network_adopt(self->network, pod);
}

struct cgroup_tree *agent_sandboxes_groups(const struct agent_sandboxes *self)
{
	return self->cgroups;
}

const struct machine *agent_sandboxes_machine(const struct agent_sandboxes *self)
{
	return &self->machine;
}

struct agent_network *agent_sandboxes_network(const struct agent_sandboxes *self)
{
	return self->network;
}

const struct pressure_limits *agent_sandboxes_limits(const struct agent_sandboxes *self)
{
	return &self->division.limits;
}

/* --- what pods refer to --- */

static uint64_t reference(enum sandbox_kind kind, struct str namespace, struct str name)
{
	uint64_t part = hash_bytes(namespace.ptr, namespace.len, (uint64_t)kind + 1);

	return hash_bytes(name.ptr, name.len, part);
}

struct reference_job {
	struct agent_pod *pod;
	struct str namespace;
};

static void add_reference(void *arg, enum sandbox_kind kind, struct str name, bool optional)
{
	struct reference_job *job = arg;

	(void)optional;
	vec_push(&job->pod->references,
		 reference(kind, kind == SANDBOX_VOLUME ? STR("") : job->namespace, name));
}

void agent_sandboxes_note(struct agent_sandboxes *self, struct agent_pod *pod)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct pod view;

	agent_network_note(self->network, pod);
	if (type_decode(&pod_type, json_doc_root(pod->doc), arena, &view, NULL) < 0)
		return; /* its plan reports the error */
	sandbox_references(&view, add_reference, &(struct reference_job){pod, view.meta.namespace});
}

void agent_sandboxes_found(struct agent_sandboxes *self, struct agent_pod *pod)
{
	agent_network_note(self->network, pod);
}

static void on_changed(void *arg, const struct informer_object *object)
{
	struct source *source = arg;
	struct agent *agent = source->sandboxes->agent;
	uint64_t wanted = reference(source->kind, object->namespace, object->name);
	size_t at = 0;
	void *value;

	while (map_next(agent->pods, &at, NULL, &value)) {
		struct agent_pod *pod = value;

		for (size_t i = 0; i < pod->references.len; i++)
			if (pod->references.ptr[i] == wanted) {
				agent_pod_refresh(pod);
				break;
			}
	}
}

void agent_sandboxes_services(const struct agent_sandboxes *self, struct str namespace,
			      void (*fn)(void *arg, struct json service), void *arg)
{
	struct informer_walk walk = {.namespace = namespace};
	struct json_doc *doc;

	while ((doc = informer_next(self->services, &walk)))
		fn(arg, json_doc_root(doc));
}

void agent_sandboxes_retry(struct agent_sandboxes *self, struct str namespace)
{
	size_t at = 0;
	void *value;

	while (map_next(self->agent->pods, &at, NULL, &value)) {
		struct agent_pod *pod = value;
		struct json meta = json_get(json_doc_root(pod->doc), "metadata");

		if (str_eq(json_str(json_get(meta, "namespace")), namespace))
			agent_pod_refresh(pod);
	}
}

static void on_services_synced(void *arg)
{
	struct agent_sandboxes *self = arg;

	if (agent_sandboxes_is_ready(self))
		agent_touch_all(self->agent);
}

static void on_synced(void *arg)
{
	struct source *source = arg;

	on_services_synced(source->sandboxes);
}

/* --- life --- */

static struct informer *watch(struct agent *agent, enum resource_id id,
			      const struct informer_events *events, void *arg)
{
	struct informer *informer = informer_new(agent->client, &(struct informer_options){
									.resource = &resources[id],
									.store = true,
									.log = agent->log,
								});

	informer_listen(informer, events, arg);
	informer_start(informer);
	return informer;
}

static void start_informers(struct agent_sandboxes *self)
{
	static const struct informer_events events = {
		.added = on_changed, .updated = on_changed, .synced = on_synced};
	static const struct informer_events of_services = {.synced = on_services_synced};

	for (unsigned i = 0; i < SANDBOX_KIND_COUNT; i++) {
		self->sources[i].sandboxes = self;
		self->sources[i].kind = (enum sandbox_kind)i;
		self->sources[i].informer =
			watch(self->agent, sandbox_resources[i], &events, &self->sources[i]);
	}
	self->services = watch(self->agent, RESOURCE_SERVICES, &of_services, self);
}

/* Without mount namespaces, pods that are not root use their volumes and working directory at their path on the
 * machine. Everything else in the node's folder has modes of its own. */
static void open_folder(const struct agent_sandboxes *self, const char *folder)
{
	AUTO(mem_free) char *pods = mem_printf("%s/pods", folder);

	if (!self->machine.root || (self->machine.namespaces & MACHINE_MOUNT))
		return;
	(void)chmod(folder, MODE_FOLDER); /* these pods report themselves what they cannot reach */
	(void)chmod(pods, MODE_FOLDER);
}

struct agent_sandboxes *agent_sandboxes_new(struct agent *agent,
					    const struct agent_options *options, struct err *err)
{
	AUTO(agent_sandboxes_free) struct agent_sandboxes *self = mem_new(struct agent_sandboxes);

	self->agent = agent;
	self->arena = arena_new(0);
	self->claims = mem_printf("%s/claims", options->folder);
	self->hidden = mem_strdup(options->folder);
	self->api_host = options->api_host ? mem_strdup(options->api_host) : NULL;
	self->api_port = options->api_port ? mem_strdup(options->api_port) : NULL;
	if (machine_open(&(struct machine_paths){.folder = options->folder}, &self->machine, err) <
	    0)
		return NULL;
	self->division = (struct machine_division){.nodes = options->nodes ? options->nodes : 1,
						   .limits = pressure_limits_default};
	if (pressure_limits_parse(options->eviction, &self->division.limits, err) < 0)
		return NULL;
	if (machine_amounts_parse(self->arena, options->resources, &self->division.resources,
				  &self->division.n_resources, err) < 0)
		return NULL;
	if (machine_amounts_parse(self->arena, options->reserved, &self->division.reserved,
				  &self->division.n_reserved, err) < 0)
		return NULL;
	if (options->runtime && !(self->runtime = agent_runtime_new(agent, options, err)))
		return NULL;
	self->status = json_doc_new();
	json_doc_set_root(self->status, json_new_obj(self->status));
	machine_put_status(&self->machine, &self->division, 0, self->status,
			   json_doc_root(self->status));
	open_folder(self, options->folder);
	self->cgroups = cgroup_tree_open(&self->machine.cgroups, "volcano");
	self->identity = pod_identity_node_here(self->machine.memory);
	self->identity.allow_root = options->allow_root_pods;
	self->identity.images = options->runtime != NULL;
	self->pod_max_pids = options->pod_max_pids;
	self->tokens = agent_tokens_new(agent);
	self->network = agent_network_new(
		agent, options, self->machine.root && (self->machine.namespaces & MACHINE_NET));
	start_informers(self);
	return TAKE(self);
}

void agent_sandboxes_free(struct agent_sandboxes *self)
{
	if (!self)
		return;
	for (unsigned i = 0; i < SANDBOX_KIND_COUNT; i++)
		informer_free(self->sources[i].informer);
	informer_free(self->services);
	agent_tokens_free(self->tokens);
	agent_network_free(self->network);
	agent_runtime_free(self->runtime);
	json_doc_unref(self->status);
	cgroup_tree_close(self->cgroups);
	machine_close(&self->machine);
	arena_free(self->arena);
	mem_free(self->claims);
	mem_free(self->hidden);
	mem_free(self->api_host);
	mem_free(self->api_port);
	mem_free(self);
}

bool agent_sandboxes_is_ready(const struct agent_sandboxes *self)
{
	for (unsigned i = 0; i < SANDBOX_KIND_COUNT; i++)
		if (!informer_synced(self->sources[i].informer))
			return false;
	return self->services && informer_synced(self->services);
}

void agent_sandboxes_world(const struct agent_sandboxes *self, struct unsupported_world *ret)
{
	*ret = (struct unsupported_world){
		.root = self->machine.root,
		.runtime = self->runtime != NULL,
		.namespaces = self->machine.namespaces & MACHINE_MOUNT,
	};
}

const struct agent_runtime *agent_sandboxes_runtime(const struct agent_sandboxes *self)
{
	return self->runtime;
}

void agent_sandboxes_put_status(const struct agent_sandboxes *self, size_t index,
				struct json_doc *doc, struct json status)
{
	struct json info;

	machine_put_status(&self->machine, &self->division, index, doc, status);
	info = json_ensure_obj(doc, status, "nodeInfo");
	json_set(doc, info, STR("containerRuntimeVersion"),
		 json_new_printf(doc, "%s://" VOLCANO_VERSION,
				 self->runtime ? agent_runtime_name(self->runtime) : "process"));
	json_set_str(doc, info, "kubeletVersion", STR("v" VOLCANO_VERSION));
}
