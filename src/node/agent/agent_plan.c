/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_plan.c - the sandbox of one pod: its folder, volumes, network, devices and control groups, and
 * the plan that names them.
 *
 * Everything is made from the newest documents each time a plan is needed. If something is missing, the error has
 * the text of a kubelet; the pod is reconciled again when an object of its namespace has changed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/pod/pod.h"
#include "node/agent/agent_sandboxes.h"
#include "node/machine/cgroup.h"
#include "node/machine/devices.h"
#include "node/pod/container_env.h"
#include "node/pod/hosts.h"
#include "node/runtime/agent_runtime.h"
#include "node/volume/atomic_folder.h"
#include "node/volume/host_path.h"
#include "node/volume/pod_volumes.h"

#include "base/banned.h"

enum { LOG_BYTES = 10 * 1024 * 1024, LOG_FILES = 5, MODE_FOLDER = 0711, MODE_WORK = 0777 };

/* --- one pod --- */

/* What the functions that make a pod's sandbox share, for one call. */
struct job {
	struct agent_sandboxes *sandboxes;
	struct agent_pod *pod;
	struct arena *arena;
	struct pod view;
	struct sandbox sandbox;
	struct pod_volumes_place place;
	VEC(struct json) services;
	const char *netns;
	const char *hosts; /* content of its hosts file; NULL: it is in its folder */
	bool own_dns;
	bool in_memory; /* small files of its containers are in memory */
	struct agent_access_use access;
	const char *access_source;   /* NULL: it has none */
	struct devices_view devices; /* the container that is being planned */
};

static struct json find_object(void *arg, enum sandbox_kind kind, struct str namespace,
			       struct str name)
{
	struct job *job = arg;
	struct json_doc *doc =
		informer_get(job->sandboxes->sources[kind].informer, namespace, name);

	return json_doc_root(doc);
}

static int get_token(void *arg, const struct token_projection *token, struct str *ret,
		     struct err *err)
{
	struct job *job = arg;

	return agent_tokens_get(job->sandboxes->tokens, job->pod, token, ret, err);
}

static void add_service(void *arg, struct json service)
{
	struct job *job = arg;

	vec_push(&job->services, service);
}

static void add_services(struct job *job)
{
	struct json_doc *doc;

	agent_sandboxes_services(job->sandboxes, job->view.meta.namespace, add_service, job);
	if (!str_is(job->view.meta.namespace, "default")) {
		doc = informer_get(job->sandboxes->services, STR("default"), STR("kubernetes"));
		if (doc)
			vec_push(&job->services, json_doc_root(doc));
	}
}

static void job_done(struct job *job)
{
	vec_done(&job->services);
	arena_free(job->arena);
}
DEFINE_AUTO_IN_PLACE(struct job, job_done);

static int job_begin(struct agent_sandboxes *self, struct agent_pod *pod, struct job *ret,
		     struct err *err)
{
	uint32_t namespaces = self->machine.namespaces;

	*ret = (struct job){.sandboxes = self, .pod = pod, .arena = arena_new(0)};
	if (type_decode(&pod_type, json_doc_root(pod->doc), ret->arena, &ret->view, err) < 0)
		return -1;
	add_services(ret);
	ret->sandbox = (struct sandbox){
		.pod = &ret->view,
		.find = find_object,
		.token = get_token,
		.arg = ret,
		.node_name = ret->view.spec.node_name,
		.host_ip = str_from(pod->host_ip),
		.pod_ip = str_from(pod->pod_ip),
		.hostname = hosts_name(&ret->view),
		.allocatable = json_get(json_doc_root(self->status), "allocatable"),
		.api_host = str_from(self->api_host),
		.api_port = str_from(self->api_port),
		.services = ret->services.ptr,
		.n_services = ret->services.len,
		.default_user = pod_identity_default(&self->identity, ret->view.meta.namespace),
	};
	(void)agent_access_take(&ret->view, ret->arena, &ret->access);
	ret->place = (struct pod_volumes_place){
		.folder = pod->folder,
		.claims = self->claims,
		.hidden = self->hidden,
		.can_mount = self->machine.root && (namespaces & MACHINE_MOUNT),
		.namespaces = namespaces & MACHINE_MOUNT,
	};
	ret->in_memory = ret->place.namespaces && !self->runtime;
	return 0;
}

static const struct container *container_at(const struct pod *pod, size_t index)
{
	size_t n_init = pod->spec.init_containers.len;

	return index < n_init ? &pod->spec.init_containers.ptr[index]
			      : &pod->spec.containers.ptr[index - n_init];
}

/* --- a container's part of the plan --- */

/* Does the container need a root of its own, because the target of a mount is missing on the machine? Below /dev and /run, which are empty after a restart of the
 * machine, it may be made. */
static bool needs_root(const struct job *job, const struct plan_container *container)
{
	static const char *const volatile_folders[] = {"/dev", "/run", "/var/run"};

	for (size_t i = 0; i < container->n_mounts; i++) {
		struct str target = str_from(container->mounts[i].target);
		bool fine = access(target.ptr, F_OK) == 0 ||
			    host_path_is_in(target, str_from(job->sandboxes->hidden));

		for (size_t k = 0; k < ARRAY_LEN(volatile_folders); k++)
			fine = fine || host_path_is_in(target, str_from(volatile_folders[k]));
		if (!fine)
			return true;
	}
	return false;
}

/* An ordinary user cannot make targets on the machine, and always needs a root. All are built at the same path,
 * each in the mount namespace of its container. */
static int set_root(struct job *job, const struct container *container, struct plan_container *ret,
		    struct err *err)
{
	const struct security_context *own = container->security_context;

	ret->read_only_root = own && own->read_only_root.value;
	if (job->sandboxes->machine.root && !ret->read_only_root && !needs_root(job, ret))
		return 0;
	ret->root = arena_printf(job->arena, "%s/root", job->sandboxes->hidden);
	return folder_make(ret->root, 0755, err);
}

/* Only root may enter the node's folder, but a pod's user has to reach its working directory. */
static const char *work_of(const struct job *job)
{
	return job->sandboxes->machine.root && job->in_memory
		       ? AGENT_WORK
		       : arena_printf(job->arena, "%s/work", job->pod->folder);
}

static int set_mounts(struct job *job, size_t index, const struct container_env *env,
		      struct plan_container *ret, struct err *err)
{
	struct pod_volumes_mounts mounts;

	if (pod_volumes_mounts(&job->sandbox, &job->place, container_at(&job->view, index), env,
			       job->arena, &mounts, err) < 0)
		return -1;
	if (!job->place.namespaces && !job->sandboxes->runtime)
		return pod_volumes_link(&job->place, mounts.ptr, mounts.len, err);
	agent_mounts_make(
		&(struct agent_mounts){
			.pod = job->pod,
			.container = container_at(&job->view, index),
			.volumes = &mounts,
			.devices = &job->devices,
			.hidden = job->sandboxes->hidden,
			.hosts = job->hosts,
			.has_resolv = job->netns || job->own_dns,
			.access = job->access_source,
			.access_target =
				job->access_source ? job->access.targets[index] : str_none(),
			.in_memory = job->in_memory,
			.work = work_of(job),
		},
		job->arena, ret);
	if (job->sandboxes->runtime)
		return 0;
	return set_root(job, container_at(&job->view, index), ret, err);
}

/* For the only container of a pod: with several, the pod's group has the limit. */
static int set_group(struct job *job, const struct container *container, struct plan_container *ret,
		     struct err *err)
{
	bool alone = job->pod->life->n_containers == 1;
	struct cgroup_limits limits =
		cgroup_limits_of(container, alone ? job->sandboxes->pod_max_pids : 0);

	if (!job->pod->has_cgroup)
		return 0;
	return agent_groups_plan(job->sandboxes->cgroups, job->pod, &limits, job->arena, ret, err);
}

static bool is_default(const struct job *job, const struct plan_container *container)
{
	return job->sandbox.default_user > 0 &&
	       container->identity.uid == job->sandbox.default_user;
}

/* A container that names no user may run as one that cannot enter its folder. */
static void set_cwd(struct job *job, const struct container *container, struct plan_container *ret)
{
	ret->cwd = container->working_dir.len ? arena_str(job->arena, container->working_dir).ptr
					      : work_of(job);
	if (is_default(job, ret))
		ret->other_cwd = "/";
}

/* Seals kernel files of a container that is a process of the machine. Only root could write most of them; an
 * ordinary user's control groups belong to that user. */
static void set_seals(struct job *job, const struct container *container,
		      struct plan_container *ret)
{
	const struct security_context *own = container->security_context;

	if (job->sandboxes->runtime || !job->place.namespaces || (own && own->privileged.value))
		return;
	ret->seals_sys = true;
	ret->seals_proc = job->sandboxes->machine.root &&
			  (ret->identity.uid <= 0 || ret->identity.gid <= 0 ||
			   !ret->identity.no_new_privs || ret->identity.n_groups);
}

/* A privileged container sees every device, as with a kubelet. */
static void see_devices(struct job *job, size_t index)
{
	const struct security_context *own = container_at(&job->view, index)->security_context;
	bool hide = job->place.namespaces && !(own && own->privileged.value);

	devices_see(&job->sandboxes->machine, &job->view, index, job->pod->devices, hide,
		    job->arena, &job->devices);
}

/* A kubelet waits longer after each attempt, and uses another reason then. */
static int put_in_image(struct job *job, const struct container *container,
			const struct container_env *env, struct plan_container *ret,
			const char **ret_reason, struct err *err)
{
	const struct agent_runtime_container in = {
		.pod = &job->view,
		.container = container,
		.env = env,
		.arena = job->arena,
		.folder = job->pod->folder,
		.uid_text = job->pod->uid,
		.hidden = job->sandboxes->hidden,
		.netns = job->netns,
		.hostname = arena_str(job->arena, job->sandbox.hostname).ptr,
		.devices = job->devices.files,
		.n_devices = job->devices.n_files,
		.is_root = job->sandboxes->machine.root,
		.can_mount = job->place.namespaces,
		.uid = job->sandboxes->identity.uid,
		.gid = job->sandboxes->identity.gid,
		.default_user = job->sandbox.default_user,
		.allow_root = job->sandboxes->identity.allow_root,
	};

	if (agent_runtime_wrap(job->sandboxes->runtime, &in, ret, ret_reason, err) == 0)
		return 0;
	if (*ret_reason && strcmp(*ret_reason, "ErrImagePull") != 0)
		return -1;
	if (job->pod->pull_failed) {
		enum err_code code = *ret_reason ? ERR_NOT_FOUND : ERR_UNAVAILABLE;

		*ret_reason = "ImagePullBackOff";
		return err_set(err, code, "Back-off pulling image \"%.*s\"",
			       STR_ARG(container->image));
	}
	job->pod->pull_failed = *ret_reason != NULL;
	return -1;
}

static int make_container(struct job *job, size_t index, struct plan_container *ret,
			  const char **ret_reason, struct err *err)
{
	const struct container *container = container_at(&job->view, index);
	AUTO(container_env_done) struct container_env env = {0};
	const char *home;
	int64_t uid;

	*ret_reason = "CreateContainerConfigError";
	ret->name = arena_str(job->arena, container->name).ptr;
	if (pod_identity_make(&job->view, container, &job->sandboxes->identity, job->arena,
			      &ret->identity, err) < 0)
		return -1;
	uid = ret->identity.uid >= 0 ? ret->identity.uid : job->sandboxes->identity.uid;
	home = is_default(job, ret) && !container->working_dir.len && !job->sandboxes->runtime
		       ? work_of(job)
		       : pod_identity_home_directory("/etc/passwd", uid, job->arena);
	if (container_env_make(&job->sandbox, container, home, job->arena, &env, err) < 0)
		return -1;
	ret->argv = env.argv;
	ret->argc = env.argc;
	see_devices(job, index);
	ret->n_env = env.n_env;
	ret->env = devices_env(env.env, &ret->n_env, &job->devices, job->arena);
	ret->tty = container->tty;
	ret->stdin_open = container->stdin;
	set_cwd(job, container, ret);
	set_seals(job, container, ret);
	*ret_reason = "CreateContainerError";
	if (set_mounts(job, index, &env, ret, err) < 0 || set_group(job, container, ret, err) < 0)
		return -1;
	return job->sandboxes->runtime ? put_in_image(job, container, &env, ret, ret_reason, err)
				       : 0;
}

/* --- the plan --- */

/* A pod is not started if there is no space for its output: files for it are made only with some space left. */
static int make_folder(struct job *job, struct err *err)
{
	const char *folder = job->pod->folder;
	struct statvfs disk;

	if (folder_make(folder, MODE_FOLDER, err) < 0)
		return -1;
	if (statvfs(folder, &disk) == 0 && disk.f_blocks > 0 &&
	    (job->sandboxes->machine.root ? disk.f_bfree : disk.f_bavail) == 0)
		return err_errno(err, ENOSPC, "%s", folder);
	return 0;
}

/* The working directory of containers that name none. */
static int make_work(struct job *job, struct err *err)
{
	const char *work = arena_printf(job->arena, "%s/work", job->pod->folder);

	for (size_t i = 0; i < job->pod->life->n_containers; i++)
		if (!container_at(&job->view, i)->working_dir.len)
			return folder_make(work, MODE_WORK, err);
	return 0;
}

static int make_network(struct job *job, struct err *err)
{
	struct agent_network *network = job->sandboxes->network;
	struct str policy = job->view.spec.dns_policy;

	if (agent_network_join(network, job->pod, &job->view, job->arena, &job->netns, err) < 0)
		return -1;
	job->own_dns = job->view.spec.dns_config || str_is(policy, "None");
	job->sandbox.pod_ip = str_from(job->pod->pod_ip);
	job->sandbox.host_ip = str_from(job->pod->host_ip);
	if (agent_network_api(network, job->pod))
		job->sandbox.api_host = STR(AGENT_API_NAME);
	if (!job->place.namespaces)
		return 0;
	return agent_network_write(network, job->pod, &job->view,
				   job->in_memory ? job->arena : NULL, &job->hosts, err);
}

static int make_messages(struct job *job, struct err *err)
{
	for (size_t i = 0; i < job->pod->life->n_containers && !job->in_memory; i++) {
		const struct container *container = container_at(&job->view, i);

		if (agent_message_clear(job->pod, container->name, job->arena, err) < 0)
			return -1;
	}
	return 0;
}

/* Without mount namespaces kube-api-access cannot be mounted. */
static int make_volumes(struct job *job, struct err *err)
{
	bool changed;

	if (job->access.volume && job->place.namespaces &&
	    agent_access_make(job->pod, &job->sandbox, &job->access, job->arena,
			      &job->access_source, err) < 0)
		return err_wrap(err, "MountVolume.SetUp failed for volume \"kube-api-access\" ");
	if (job->view.spec.volumes.len == 0)
		return 0;
	return pod_volumes_make(&job->sandbox, &job->place, &changed, err);
}

static int make_devices(struct job *job, struct err *err)
{
	ptrdiff_t index = agent_nodes_find(job->sandboxes->agent->nodes, job->sandbox.node_name);

	if (index < 0)
		return err_set(err, ERR_UNAVAILABLE, "node %.*s is no longer declared",
			       STR_ARG(job->sandbox.node_name));
	return agent_devices_take(job->pod, &job->view,
				  &(struct devices_node){&job->sandboxes->machine,
							 &job->sandboxes->division, (size_t)index},
				  err);
}

/* Root can read every process that it sees, and so other pods. Pods of an ordinary user are separated by their
 * user namespaces. */
static bool may_part_processes(const struct job *job)
{
	const struct machine *machine = &job->sandboxes->machine;

	return machine->root && job->place.namespaces && (machine->namespaces & MACHINE_PID) &&
	       !job->view.spec.host_pid;
}

int agent_sandboxes_plan(struct agent_sandboxes *self, struct agent_pod *pod,
			 struct agent_plan *ret, struct err *err)
{
	AUTO(job_done) struct job job = {0};
	size_t count = pod->life->n_containers;
	bool own = !self->runtime || !agent_runtime_has_own_namespaces(self->runtime);
	struct plan_container *containers;

	ret->reason = "CreateContainerError";
	if (job_begin(self, pod, &job, err) < 0 || make_folder(&job, err) < 0 ||
	    make_work(&job, err) < 0 || make_network(&job, err) < 0)
		return -1;
	ret->reason = NULL; /* waits for its volumes, as with a kubelet */
	if (make_volumes(&job, err) < 0 || make_devices(&job, err) < 0)
		return -1;
	ret->reason = "CreateContainerError";
	if (agent_groups_make(self->cgroups, pod, &job.view, self->pod_max_pids, err) < 0 ||
	    make_messages(&job, err) < 0)
		return -1;
	containers = arena_calloc(job.arena, count + 1, sizeof(*containers));
	for (size_t i = 0; i < count; i++)
		if (make_container(&job, i, &containers[i], &ret->reason, err) < 0)
			return -1;
	return pod_plan_encode(
		&(struct pod_plan){
			.uid = pod->uid,
			.namespace_ = arena_str(job.arena, job.view.meta.namespace).ptr,
			.name = arena_str(job.arena, job.view.meta.name).ptr,
			.hostname = arena_str(job.arena, job.sandbox.hostname).ptr,
			.address = arena_printf(job.arena, "%s %s", pod->pod_ip, pod->host_ip),
			.folder = pod->folder,
			.hidden = self->hidden,
			.netns = job.netns,
			.mount_namespace = (own || self->machine.root) && job.place.namespaces,
			.user_namespace = own && (self->machine.namespaces & MACHINE_USER),
			.pid_namespace = own && may_part_processes(&job),
			.uts_namespace = own && (self->machine.namespaces & MACHINE_UTS) &&
					 !job.view.spec.host_network,
			.deadline_us = ret->deadline_us,
			.grace_us = pod->life->grace_us,
			.log_size = LOG_BYTES,
			.log_files = LOG_FILES,
			.containers = containers,
			.n_containers = count,
			.n_init = pod->life->n_init,
		},
		&ret->text, err);
}

/* --- changes while it runs --- */

void agent_sandboxes_refresh(struct agent_sandboxes *self, struct agent_pod *pod)
{
	AUTO(job_done) struct job job = {0};
	struct err err;

	if (job_begin(self, pod, &job, &err) < 0 || make_volumes(&job, &err) < 0)
		log_warn(self->agent->log, "cannot bring volumes up to date",
			 LOG_STR("pod", pod->uid), LOG_STR("error", err.text));
}

void agent_sandboxes_rewrite_hosts(struct agent_sandboxes *self, struct agent_pod *pod)
{
	AUTO(job_done) struct job job = {0};
	struct err err;

	if (!(self->machine.namespaces & MACHINE_MOUNT))
		return; /* they have the machine's names */
	if (job_begin(self, pod, &job, &err) < 0 ||
	    agent_network_rewrite(self->network, pod, &job.view, &err) < 0)
		log_warn(self->agent->log, "cannot write a hosts file", LOG_STR("pod", pod->uid),
			 LOG_STR("error", err.text));
}
