/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_internal.h - what the files of the agent share:
 *
 *	agent.c		pods, and folders of former pods
 *	agent_nodes.c	Node objects, heartbeats
 *	agent_fit.c	rejects pods that request more than their node has
 *	agent_pod.c	one pod, from its binding to its end
 *	agent_events.c	events of its containers
 *	agent_sandboxes.c	sandboxes of pods: the machine, and the objects that pods refer to
 *	agent_plan.c	the sandbox and the plan of one pod
 *	agent_runtime.c	containers in images
 *	agent_network.c	addresses and names of pods
 *	agent_tokens.c	tokens of accounts
 *	agent_access.c	access of pods to the API server
 *	agent_devices.c	which devices pods have
 *	agent_groups.c	control groups
 *	agent_conditions.c	what the machine does not permit
 *	agent_probes.c	probes and hooks
 *	agent_message.c	termination messages
 *	agent_limits.c	evicts pods with volumes over their limit
 *	agent_pressure.c	evicts pods when the machine runs short of a resource
 *	pod_scan.c	measures pods on a worker, for the two before */
#ifndef NODE_AGENT_INTERNAL_H
#define NODE_AGENT_INTERNAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/recorder.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "node/agent/agent.h"
#include "node/machine/pressure.h"
#include "node/pod/pod_life.h"
#include "node/pod/supervisor_client.h"

struct agent_limits;
struct agent_network;
struct agent_nodes;
struct agent_pressure;
struct agent_probes;
struct agent_sandboxes;
struct cgroup_limits;
struct cgroup_tree;
struct cgroup_use;
struct machine;
struct plan_container;
struct pod;
struct agent_tokens;
struct folder_watches;
struct token_projection;

struct agent {
	struct loop *loop;
	struct client *client;
	struct log *log;
	char *folder; /* D/pods */
	struct agent_nodes *nodes;
	struct agent_sandboxes *sandboxes;
	struct agent_limits *limits;
	struct agent_pressure *pressure;
	struct launcher *launcher;
	struct remover *remover; /* of folders */
	struct recorder *recorder;
	struct informer *informer;
	struct map *pods;               /* by uid */
	struct folder_watches *watches; /* of clients that follow output */
	struct heap timers;             /* of pods */
	struct loop_timer *timer;
	struct agent_stats stats;
	size_t starting; /* pods that were launched, and whose status was not written since */
};

struct agent_pod {
	struct agent *agent;
	struct json_doc *doc; /* the newest version */
	struct life *life;
	struct supervisor *supervisor;
	struct agent_probes *probes; /* NULL: it has none */
	char *folder;
	struct heap_node timer;
	int64_t due; /* by loop_uptime(); INT64_MAX: nothing is planned */
	int64_t start_wall;
	int64_t retry_at;   /* a failed start is not retried before */
	unsigned retries;   /* of it */
	int64_t hold_until; /* by loop_uptime(): its status is not written before, except its end */
	struct client_request *request;
	struct json_doc *sent;    /* the status that is being written */
	struct json_doc *written; /* the last one that was written */
	struct loop_defer defer;
	VEC(uint64_t) references; /* what it refers to (agent_sandboxes.c) */
	int64_t *oom_kills;       /* per container: the known ones */
	char **messages;          /* per container: its termination message */
	char *devices;            /* its devices (devices.h); NULL: none */
	uint64_t hosts;           /* hash of the names that its supervisor has; 0: none */
	char host_ip[48];
	char pod_ip[48];
	bool has_cgroup;
	bool starting;   /* counted in agent.starting */
	bool in_network; /* has an address */
	bool on_bridge;
	bool is_noted;    /* by the network: its address is taken */
	bool refresh;     /* something that it refers to has changed */
	bool finished;    /* it has ended, and nothing will start */
	bool knows;       /* its supervisor has sent all records */
	bool pull_failed; /* its image could not be pulled, which was reported */
	bool has_plan;    /* its folder and the content were made */
	bool adopted;     /* an earlier agent has started it */
	bool over;        /* its end is in the API */
	bool quit;        /* its supervisor was asked to end */
	bool stale;       /* objects that its plan was made from have changed */
	bool replans;     /* its supervisor ends; the next one gets a new plan */
	bool reclaimed; /* it has ended, and its files were deleted because disk space was short */
	bool removed;   /* it is being deleted from the API */
	bool forgotten; /* it is no longer in the API */
	char waiting_reason[64];
	char waiting_message[512];
	char uid[40];
};

/* --- agent_nodes.c --- */

struct agent_nodes *agent_nodes_new(struct agent *agent, const struct agent_options *options);
void agent_nodes_free(struct agent_nodes *nodes);
bool agent_nodes_are_ready(const struct agent_nodes *nodes);
size_t agent_nodes_len(const struct agent_nodes *nodes);
/* Their status has changed. */
void agent_nodes_touch(struct agent_nodes *nodes);
/* A node was changed by others; NULL: it was deleted. */
void agent_nodes_changed(struct agent_nodes *nodes, struct str name, const struct json_doc *doc);
/* The index of a node; -1: it is none of the agent's. */
ptrdiff_t agent_nodes_find(const struct agent_nodes *nodes, struct str name);

/* --- agent_fit.c --- */

/* False: it requests more than its node has; gives a reason and a message with a kubelet's texts. */
bool agent_fits(const struct agent_pod *pod, struct buf *ret_reason, struct buf *ret_message);

/* --- agent_pod.c --- */

struct agent_pod *agent_pod_new(struct agent *agent, struct str uid, struct json_doc *doc);
/* Takes a new version of the pod. */
void agent_pod_update(struct agent_pod *pod, struct json_doc *doc);
/* The pod was deleted from the API: end it, then free it. */
void agent_pod_forget(struct agent_pod *pod);
/* The time that was planned for it has come. */
void agent_pod_on_time(struct agent_pod *pod);
void agent_pod_free(struct agent_pod *pod);

/* Does it run without a decision to end it? Only such a pod can be evicted. */
bool agent_pod_stays(const struct agent_pod *pod);
/* Evict the pod: it ends, and has failed. */
void agent_pod_evict(struct agent_pod *pod, const char *message);
/* Reconcile it in this turn or the next. */
void agent_pod_touch(struct agent_pod *pod);
/* An object that it refers to has changed. */
void agent_pod_refresh(struct agent_pod *pod);
/* Something has failed: retry after 1, 2, 4, ... 60 seconds. */
void agent_pod_retry(struct agent_pod *pod);
void agent_pod_warn(const struct agent_pod *pod, const char *what, const char *error);

/* --- agent_events.c --- */

/* Callbacks for supervisors; their argument is a pod. */
extern const struct supervisor_events agent_pod_events;
/* Read the records of a supervisor that has ended: what ran has died with it. */
void agent_pod_read_records(struct agent_pod *pod);
void agent_pod_set_addresses(struct agent_pod *pod, struct str own, struct str host);

/* --- agent_sandboxes.c, agent_plan.c --- */

struct agent_sandboxes *agent_sandboxes_new(struct agent *agent,
					    const struct agent_options *options, struct err *err);
void agent_sandboxes_free(struct agent_sandboxes *self);
DEFINE_AUTO(struct agent_sandboxes *, agent_sandboxes_free);
/* The informers of objects that pods refer to are complete. */
bool agent_sandboxes_is_ready(const struct agent_sandboxes *self);
struct unsupported_world;
void agent_sandboxes_world(const struct agent_sandboxes *self, struct unsupported_world *ret);
/* The runtime of images; NULL: containers are processes on the machine's files. */
struct agent_runtime;
const struct agent_runtime *agent_sandboxes_runtime(const struct agent_sandboxes *self);
/* What one node of the machine has. */
void agent_sandboxes_put_status(const struct agent_sandboxes *self, size_t index,
				struct json_doc *doc, struct json status);

/* What the machine permits and what it does not, as conditions of its nodes. */
enum { AGENT_SANDBOX_CONDITIONS = 3 };
void agent_sandboxes_conditions(const struct agent_sandboxes *self,
				struct pressure_condition ret[AGENT_SANDBOX_CONDITIONS]);

struct agent_plan {
	int64_t deadline_us;
	struct buf text;
	const char *
		reason; /* reason why containers wait after a failure; NULL: they are being created */
};
static inline void agent_plan_done(struct agent_plan *plan)
{
	buf_done(&plan->text);
}
DEFINE_AUTO_IN_PLACE(struct agent_plan, agent_plan_done);
/* Make everything that a pod's containers need, and the text of its plan. ERR_NOT_FOUND: an object is missing that
 * may still be created; ERR_UNAVAILABLE: something is being fetched. */
int agent_sandboxes_plan(struct agent_sandboxes *self, struct agent_pod *pod,
			 struct agent_plan *ret, struct err *err) MUST_CHECK;
/* Record which objects it refers to. */
void agent_sandboxes_note(struct agent_sandboxes *self, struct agent_pod *pod);
/* Called when its address becomes known. */
void agent_sandboxes_found(struct agent_sandboxes *self, struct agent_pod *pod);
/* Update its volumes. */
void agent_sandboxes_refresh(struct agent_sandboxes *self, struct agent_pod *pod);
/* Reconcile the pods of a namespace. */
void agent_sandboxes_retry(struct agent_sandboxes *self, struct str namespace);
/* For a pod that an earlier agent has started. */
void agent_sandboxes_adopt(struct agent_sandboxes *self, struct agent_pod *pod);
/* Its last process has ended: release what it used. False: something could not be removed yet. May be called
 * again. */
bool agent_sandboxes_leave(struct agent_sandboxes *self, struct agent_pod *pod);
struct cgroup_tree *agent_sandboxes_groups(const struct agent_sandboxes *self);
const struct machine *agent_sandboxes_machine(const struct agent_sandboxes *self);
struct agent_network *agent_sandboxes_network(const struct agent_sandboxes *self);
/* What must stay free. */
const struct pressure_limits *agent_sandboxes_limits(const struct agent_sandboxes *self);

/* The services of a namespace, as documents. */
void agent_sandboxes_services(const struct agent_sandboxes *self, struct str namespace,
			      void (*fn)(void *arg, struct json service), void *arg);
void agent_sandboxes_rewrite_hosts(struct agent_sandboxes *self, struct agent_pod *pod);

/* --- agent_access.c --- */

struct sandbox;
struct volume;

/* Remove the volume and its mounts from a pod, since it is not made like others. False: it has none. */
struct agent_access_use {
	struct volume *volume;
	struct str *
		targets; /* per container, init containers first: its mount path; empty: not mounted */
};
bool agent_access_take(struct pod *view, struct arena *arena, struct agent_access_use *ret);
/* Make or update it; gives its folder, in the arena. */
int agent_access_make(const struct agent_pod *pod, const struct sandbox *sandbox,
		      const struct agent_access_use *use, struct arena *arena,
		      const char **ret_source, struct err *err) MUST_CHECK;

/* --- agent_devices.c --- */

struct devices_node;

/* Choose the devices that it requests, once. ERR_UNAVAILABLE: other pods still have them; the pod is reconciled
 * again. */
int agent_devices_take(struct agent_pod *pod, const struct pod *view,
		       const struct devices_node *node, struct err *err) MUST_CHECK;
/* Read the devices that an earlier agent has chosen. */
void agent_devices_find(struct agent_pod *pod);
/* Called when its last process has ended. May be called again. */
void agent_devices_leave(struct agent_pod *pod);

/* --- agent_groups.c --- */

/* May it have control groups of its own? A pod without requests only has a limit of processes. */
bool agent_groups_wanted(const struct cgroup_tree *tree, const struct agent_pod *pod);
/* Make the groups that must exist before its containers. `processes`: the limit of processes; 0: none. */
int agent_groups_make(struct cgroup_tree *tree, struct agent_pod *pod, const struct pod *view,
		      int64_t processes, struct err *err) MUST_CHECK;
/* Make the group of a container, or add it to the plan: then its supervisor makes it. */
int agent_groups_plan(struct cgroup_tree *tree, const struct agent_pod *pod,
		      const struct cgroup_limits *limits, struct arena *arena,
		      struct plan_container *ret, struct err *err) MUST_CHECK;
/* Kill the processes in its groups: its supervisor was killed. */
void agent_groups_kill(const struct cgroup_tree *tree, const struct agent_pod *pod);
/* Remove its groups. False: processes in them are still ending. May be called again. */
bool agent_groups_remove(const struct cgroup_tree *tree, struct agent_pod *pod);
/* For a pod that an earlier agent has started. */
void agent_groups_adopt(const struct cgroup_tree *tree, struct agent_pod *pod);
/* What the groups of a pod, or of one of its containers, use; all -1 without groups. */
void agent_groups_use(const struct cgroup_tree *tree, const struct agent_pod *pod,
		      struct str container, struct cgroup_use *ret);
/* Has a container run out of memory since the last call? */
bool agent_groups_ran_out(const struct cgroup_tree *tree, struct agent_pod *pod, size_t container,
			  struct str name);

/* --- agent_network.c --- */

struct agent_network *agent_network_new(struct agent *agent, const struct agent_options *options,
					bool may_bridge);
void agent_network_free(struct agent_network *self);
/* Why pods share the machine's network, or what their network lacks; NULL: nothing, as far as was tried. */
const char *agent_network_lacks(const struct agent_network *self);
bool agent_network_has_bridge(const struct agent_network *self);
/* The address at which a pod finds the API server, whose name is then AGENT_API_NAME; NULL: the default. */
#define AGENT_API_NAME "kubernetes.default.svc"
const char *agent_network_api(const struct agent_network *self, const struct agent_pod *pod);
/* For a pod that an earlier agent has started. */
void agent_network_adopt(struct agent_network *self, const struct agent_pod *pod);
/* Choose its address and make its network namespace, or find those that it has. */
int agent_network_join(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
		       struct arena *arena, const char **ret_netns, struct err *err) MUST_CHECK;
/* It has an address from an earlier agent. */
void agent_network_note(struct agent_network *self, struct agent_pod *pod);
/* Called when its last process has ended. May be called again. */
void agent_network_leave(struct agent_network *self, struct agent_pod *pod);
/* Write hosts and resolv.conf into the pod's folder. With an arena hosts are given as a text in it instead if they
 * are short enough, else as NULL. */
int agent_network_write(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
			struct arena *arena, const char **ret_hosts, struct err *err) MUST_CHECK;
/* Update the names of a running pod: in its folder, or by its supervisor. */
int agent_network_rewrite(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
			  struct err *err) MUST_CHECK;
/* A pod with a name was added or has ended: hosts files are written again. */
void agent_network_changed(struct agent_network *self);

/* --- agent_probes.c --- */

/* NULL: it has neither probes nor hooks. */
struct agent_probes *agent_probes_new(struct agent_pod *pod);
void agent_probes_free(struct agent_probes *probes);
/* Runs have begun or ended. */
void agent_probes_follow(struct agent_pod *pod);
/* A command has ended. */
void agent_probes_done(struct agent_pod *pod, uint64_t id, int code, struct str output);
/* The connection to the supervisor was made again: answers may be missing. */
void agent_probes_found(struct agent_pod *pod);
/* Is a preStop hook running after which this container is stopped? */
bool agent_probes_is_stopping(const struct agent_pod *pod, size_t container);
/* Stop a container: true if its preStop hook was started, after which the container is stopped. */
bool agent_probes_stop(struct agent_pod *pod, size_t container, int64_t grace_us);

/* --- agent_message.c --- */

/* The file that a container finds at its terminationMessagePath. */
const char *agent_message_path(const struct agent_pod *pod, struct str container,
			       struct arena *arena);
int agent_message_clear(const struct agent_pod *pod, struct str container, struct arena *arena,
			struct err *err) MUST_CHECK;
/* The termination message of a container, for mem_free(); NULL: none. `failed`: it has failed, so that the end of
 * its output is used if its policy says so. */
char *agent_read_message(const struct agent_pod *pod, size_t container, bool failed);
/* The last lines that its current run has printed, at most 2 KiB, for mem_free(); NULL: none. */
char *agent_read_log_end(const struct agent_pod *pod, size_t container, int64_t lines);
/* The document of a container, init containers first. */
struct json agent_container(const struct agent_pod *pod, size_t index);

/* --- agent_mounts.c --- */

struct devices_view;
struct plan_container;
struct pod_volumes_mounts;

/* Working directory of containers that name none, on a node that runs as root. */
#define AGENT_WORK "/run/volcano/work"

struct agent_mounts {
	const struct agent_pod *pod;
	const struct container *container;
	const struct pod_volumes_mounts *volumes;
	const struct devices_view *devices;
	const char *hidden; /* the node's own folder */
	const char
		*hosts;  /* content of the hosts file in memory; NULL: it is in the pod's folder */
	bool has_resolv; /* it has a resolv.conf of its own in the pod's folder */
	const char *access;       /* what lets it ask the server, and where that goes */
	struct str access_target; /* none: nowhere */
	bool in_memory;           /* its last words are */
	const char *work;         /* where the folder that it begins in is, if it names none */
};
/* Sets mounts and scratch of the container's plan. */
void agent_mounts_make(const struct agent_mounts *in, struct arena *arena,
		       struct plan_container *ret);

/* --- agent_limits.c --- */

struct agent_limits *agent_limits_new(struct agent *agent);
void agent_limits_free(struct agent_limits *limits);

/* --- agent_pressure.c --- */

struct agent_pressure *agent_pressure_new(struct agent *agent, const struct agent_options *options,
					  const struct pressure_limits *limits);
void agent_pressure_free(struct agent_pressure *self);
const struct pressure_state *agent_pressure_state(const struct agent_pressure *self);
/* When a condition last changed, by the wall clock. */
int64_t agent_pressure_since(const struct agent_pressure *self, enum pressure_signal signal);

/* --- agent_tokens.c --- */

struct agent_tokens *agent_tokens_new(struct agent *agent);
void agent_tokens_free(struct agent_tokens *tokens);
/* A token of the pod's account, bound to the pod. ERR_UNAVAILABLE: it was requested; the pod is refreshed when it
 * has arrived. */
int agent_tokens_get(struct agent_tokens *tokens, const struct agent_pod *pod,
		     const struct token_projection *wanted, struct str *ret,
		     struct err *err) MUST_CHECK;
/* Its last process has ended: its tokens are not renewed. May be called again. */
void agent_tokens_leave(struct agent_tokens *tokens, const struct agent_pod *pod);

/* --- agent.c --- */

/* Reconcile every pod. */
void agent_touch_all(struct agent *agent);
void agent_plan_pod(struct agent_pod *pod, int64_t due);
/* Frees a pod that was deleted and has ended, and deletes its folder. */
void agent_drop(struct agent_pod *pod);
/* Delete a folder with its content, on a worker. */
void agent_remove_folder(struct agent *agent, const char *folder);

#endif
