/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_internal.h - what the files of the agent share:
 *
 *	agent.c		the pods that there are, and the folders of those that were
 *	agent_nodes.c	Node objects, heartbeats
 *	agent_fit.c	pods that are larger than their node
 *	agent_pod.c	one pod, from its binding to its end
 *	agent_heard.c	what is heard of its containers
 *	agent_sandboxes.c	sandboxes of pods: the machine, and what pods refer to
 *	agent_plan.c	the sandbox and the plan of one pod
 *	agent_runtime.c	containers in images
 *	agent_network.c	addresses and names of pods
 *	agent_tokens.c	tokens of accounts
 *	agent_access.c	what lets a pod ask the API server
 *	agent_devices.c	which devices pods have
 *	agent_groups.c	control groups
 *	agent_conditions.c	what the machine does not permit
 *	agent_probes.c	probes and hooks
 *	agent_message.c	what a container says at its end
 *	agent_limits.c	volumes that outgrow their limits
 *	agent_pressure.c	a machine that runs short of something
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
	struct folder_watches *watches; /* of those who follow output */
	struct heap timers;             /* of pods */
	struct loop_timer *timer;
	struct agent_stats stats;
	size_t starting; /* pods that were launched, and of which nothing was written since */
};

struct agent_pod {
	struct agent *agent;
	struct json_doc *doc; /* the newest */
	struct life *life;
	struct supervisor *supervisor;
	struct agent_probes *probes; /* NULL: it has none */
	char *folder;
	struct heap_node timer;
	int64_t due; /* by loop_uptime(); INT64_MAX: nothing is planned */
	int64_t start_wall;
	int64_t retry_at;   /* a start that failed is not tried again before */
	unsigned retries;   /* of it */
	int64_t hold_until; /* by loop_uptime(): its status is not written before, but its end */
	struct client_request *request;
	struct json_doc *sent;    /* the status that is on its way */
	struct json_doc *written; /* the last one that got there */
	struct loop_defer defer;
	VEC(uint64_t) references; /* what it refers to (agent_sandboxes.c) */
	int64_t *oom_kills;       /* a container: those that are known */
	char **messages;          /* a container: what it said at its end */
	char *devices;            /* those that it has (devices.h); NULL: none */
	uint64_t hosts;           /* a hash of the names that were told; 0: of none */
	char host_ip[48];
	char pod_ip[48];
	bool has_cgroup;
	bool starting;   /* counts in agent.starting */
	bool in_network; /* has an address */
	bool on_bridge;
	bool is_noted;    /* by the network: its address is taken */
	bool refresh;     /* something that it refers to has changed */
	bool finished;    /* nothing runs, and nothing will */
	bool knows;       /* what its supervisor has to tell has been told */
	bool pull_failed; /* its image could not be had, which it has been told */
	bool has_plan;    /* the folder and what is in it are there */
	bool adopted;     /* an earlier agent has started it */
	bool over;        /* its end is in the API */
	bool quit;        /* its supervisor was told to go */
	bool stale;       /* what its plan was made from has changed */
	bool replans;     /* its supervisor goes, for one with a new plan */
	bool reclaimed;   /* over, and its files have been removed for want of disk */
	bool removed;     /* it is being taken out of the API, as its deletion wants */
	bool forgotten;   /* it is no longer in the API */
	char waiting_reason[64];
	char waiting_message[512];
	char uid[40];
};

/* --- agent_nodes.c --- */

struct agent_nodes *agent_nodes_new(struct agent *agent, const struct agent_options *options);
void agent_nodes_free(struct agent_nodes *nodes);
bool agent_nodes_are_ready(const struct agent_nodes *nodes);
size_t agent_nodes_len(const struct agent_nodes *nodes);
/* What is to be said of them has changed. */
void agent_nodes_touch(struct agent_nodes *nodes);
/* A node was changed by others; NULL: it was deleted. */
void agent_nodes_changed(struct agent_nodes *nodes, struct str name, const struct json_doc *doc);
/* Which of them it is; -1: none. */
ptrdiff_t agent_nodes_find(const struct agent_nodes *nodes, struct str name);

/* --- agent_fit.c --- */

/* False: it asks for more than its node has; gives a reason and a message in a kubelet's words. */
bool agent_fits(const struct agent_pod *pod, struct buf *ret_reason, struct buf *ret_message);

/* --- agent_pod.c --- */

struct agent_pod *agent_pod_new(struct agent *agent, struct str uid, struct json_doc *doc);
/* A new version of it. */
void agent_pod_update(struct agent_pod *pod, struct json_doc *doc);
/* It is no longer in the API: end it, and free it when that is done. */
void agent_pod_forget(struct agent_pod *pod);
/* Its time has come. */
void agent_pod_wake(struct agent_pod *pod);
void agent_pod_free(struct agent_pod *pod);

/* Does it run, and has nobody decided that it ends? Only such a pod can be evicted. */
bool agent_pod_stays(const struct agent_pod *pod);
/* It has taken too much: it ends, and has failed. */
void agent_pod_evict(struct agent_pod *pod, const char *message);
/* Look at it in this turn or the next. */
void agent_pod_touch(struct agent_pod *pod);
/* Something that it refers to has changed. */
void agent_pod_refresh(struct agent_pod *pod);
/* Something has failed: try again after a second, two, four, ... a minute. */
void agent_pod_retry(struct agent_pod *pod);
void agent_pod_warn(const struct agent_pod *pod, const char *what, const char *error);

/* --- agent_heard.c --- */

/* For supervisors, with a pod as their argument. */
extern const struct supervisor_events agent_pod_events;
/* What the supervisor wrote down, once it is gone: whatever ran has died with it. */
void agent_pod_read_records(struct agent_pod *pod);
void agent_pod_set_addresses(struct agent_pod *pod, struct str own, struct str host);

/* --- agent_sandboxes.c, agent_plan.c --- */

struct agent_sandboxes *agent_sandboxes_new(struct agent *agent,
					    const struct agent_options *options, struct err *err);
void agent_sandboxes_free(struct agent_sandboxes *self);
DEFINE_AUTO(struct agent_sandboxes *, agent_sandboxes_free);
/* What pods refer to is known. */
bool agent_sandboxes_is_ready(const struct agent_sandboxes *self);
struct unsupported_world;
void agent_sandboxes_world(const struct agent_sandboxes *self, struct unsupported_world *ret);
/* Containers run in images; NULL: they do not. */
struct agent_runtime;
const struct agent_runtime *agent_sandboxes_runtime(const struct agent_sandboxes *self);
/* What the machine has, of one node. */
void agent_sandboxes_put_status(const struct agent_sandboxes *self, size_t index,
				struct json_doc *doc, struct json status);

/* What the machine permits and what it does not, as conditions of its nodes. */
enum { AGENT_SANDBOX_CONDITIONS = 3 };
void agent_sandboxes_conditions(const struct agent_sandboxes *self,
				struct pressure_condition ret[AGENT_SANDBOX_CONDITIONS]);

struct agent_plan {
	int64_t deadline_us;
	struct buf text;
	const char *reason; /* of a failure: why containers wait; NULL: they are being created */
};
static inline void agent_plan_done(struct agent_plan *plan)
{
	buf_done(&plan->text);
}
DEFINE_AUTO_IN_PLACE(struct agent_plan, agent_plan_done);
/* Make everything that a pod's containers need, in its folder and beside it; gives its plan's text.
 * ERR_NOT_FOUND: something is missing that may still come; ERR_UNAVAILABLE: it is on its way. */
int agent_sandboxes_plan(struct agent_sandboxes *self, struct agent_pod *pod,
			 struct agent_plan *ret, struct err *err) MUST_CHECK;
/* Remember what it refers to. */
void agent_sandboxes_note(struct agent_sandboxes *self, struct agent_pod *pod);
/* Its address is known only now. */
void agent_sandboxes_found(struct agent_sandboxes *self, struct agent_pod *pod);
/* Bring its volumes up to date. */
void agent_sandboxes_refresh(struct agent_sandboxes *self, struct agent_pod *pod);
/* Look again at the pods of a namespace. */
void agent_sandboxes_retry(struct agent_sandboxes *self, struct str namespace);
/* One that an earlier agent has started. */
void agent_sandboxes_adopt(struct agent_sandboxes *self, struct agent_pod *pod);
/* Its last process has ended. False: not all of it could be taken away yet. May be called again. */
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

/* Take the volume, and its mounts, out of a pod: they are not made as any other. False: it has none. */
struct agent_access_use {
	struct volume *volume;
	struct str *targets; /* a container, init containers first: where it goes; none: nowhere */
};
bool agent_access_take(struct pod *view, struct arena *arena, struct agent_access_use *ret);
/* Make it, or bring it up to date; gives its folder, in the arena. */
int agent_access_make(const struct agent_pod *pod, const struct sandbox *sandbox,
		      const struct agent_access_use *use, struct arena *arena,
		      const char **ret_source, struct err *err) MUST_CHECK;

/* --- agent_devices.c --- */

struct devices_node;

/* Choose those that it asks for, once. ERR_UNAVAILABLE: others still have them; it is looked at again. */
int agent_devices_take(struct agent_pod *pod, const struct pod *view,
		       const struct devices_node *node, struct err *err) MUST_CHECK;
/* Those that an earlier agent gave it. */
void agent_devices_find(struct agent_pod *pod);
/* When its last process has ended. May be called again. */
void agent_devices_leave(struct agent_pod *pod);

/* --- agent_groups.c --- */

/* May it run in control groups of its own? One that asks for nothing is only held to a number of processes. */
bool agent_groups_wanted(const struct cgroup_tree *tree, const struct agent_pod *pod);
/* What must be there before its containers are. `processes`: how many it may have; 0: any number. */
int agent_groups_make(struct cgroup_tree *tree, struct agent_pod *pod, const struct pod *view,
		      int64_t processes, struct err *err) MUST_CHECK;
/* The group of a container, made, or told to the supervisor, which makes it. */
int agent_groups_plan(struct cgroup_tree *tree, const struct agent_pod *pod,
		      const struct cgroup_limits *limits, struct arena *arena,
		      struct plan_container *ret, struct err *err) MUST_CHECK;
/* End what is in them: its supervisor was killed. */
void agent_groups_kill(const struct cgroup_tree *tree, const struct agent_pod *pod);
/* False: they stay, since processes in there are still ending. May be called again. */
bool agent_groups_remove(const struct cgroup_tree *tree, struct agent_pod *pod);
/* One that an earlier agent has started. */
void agent_groups_adopt(const struct cgroup_tree *tree, struct agent_pod *pod);
/* What the groups of a pod, or of one of its containers, use; all -1 where it has none. */
void agent_groups_use(const struct cgroup_tree *tree, const struct agent_pod *pod,
		      struct str container, struct cgroup_use *ret);
/* Has a container run out of memory since that was asked last? */
bool agent_groups_ran_out(const struct cgroup_tree *tree, struct agent_pod *pod, size_t container,
			  struct str name);

/* --- agent_network.c --- */

struct agent_network *agent_network_new(struct agent *agent, const struct agent_options *options,
					bool may_bridge);
void agent_network_free(struct agent_network *self);
/* Why pods share the machine's network, or what theirs lacks; NULL: nothing is lacking, as far as was tried. */
const char *agent_network_lacks(const struct agent_network *self);
bool agent_network_has_bridge(const struct agent_network *self);
/* Where a pod finds the API server, whose name is then AGENT_API_NAME; NULL: where everybody does. */
#define AGENT_API_NAME "kubernetes.default.svc"
const char *agent_network_api(const struct agent_network *self, const struct agent_pod *pod);
/* A pod that an earlier agent has started. */
void agent_network_adopt(struct agent_network *self, const struct agent_pod *pod);
/* Give it its address and its network namespace, or find those that it has. */
int agent_network_join(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
		       struct arena *arena, const char **ret_netns, struct err *err) MUST_CHECK;
/* It has an address already, from an earlier agent. */
void agent_network_note(struct agent_network *self, struct agent_pod *pod);
/* When its last process has ended. May be called again. */
void agent_network_leave(struct agent_network *self, struct agent_pod *pod);
/* hosts and resolv.conf in the pod's folder; with an arena hosts are given as a text in it instead, if they are short
 * enough, else as NULL. */
int agent_network_write(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
			struct arena *arena, const char **ret_hosts, struct err *err) MUST_CHECK;
/* The names of a pod that runs: in its folder, or told to its supervisor. */
int agent_network_rewrite(struct agent_network *self, struct agent_pod *pod, const struct pod *view,
			  struct err *err) MUST_CHECK;
/* A pod with a name came or went: hosts files are written again. */
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
/* Is a preStop hook running that ends this container? */
bool agent_probes_is_stopping(const struct agent_pod *pod, size_t container);
/* A container is to end: true where its preStop hook does that when it has run. */
bool agent_probes_stop(struct agent_pod *pod, size_t container, int64_t grace_us);

/* --- agent_message.c --- */

/* The file that a container finds at its terminationMessagePath. */
const char *agent_message_path(const struct agent_pod *pod, struct str container,
			       struct arena *arena);
int agent_message_clear(const struct agent_pod *pod, struct str container, struct arena *arena,
			struct err *err) MUST_CHECK;
/* What it said at its end, for mem_free(); NULL: nothing. `failed`: it has, so that the end of its output
 * will do where its policy wants that. */
char *agent_read_message(const struct agent_pod *pod, size_t container, bool failed);
/* The last lines that its current run has printed, 2 KiB at most; likewise. */
char *agent_read_log_end(const struct agent_pod *pod, size_t container, int64_t lines);
/* The document of a container, init containers first. */
struct json agent_container(const struct agent_pod *pod, size_t index);

/* --- agent_mounts.c --- */

struct devices_view;
struct plan_container;
struct volumes_mounts;

/* Where containers that name no folder begin, on a node of root's. */
#define AGENT_WORK "/run/volcano/work"

struct agent_mounts {
	const struct agent_pod *pod;
	const struct container *container;
	const struct volumes_mounts *volumes;
	const struct devices_view *devices;
	const char *hidden;       /* the node's own folder */
	const char *hosts;        /* of the hosts file in memory; NULL: it is in the pod's folder */
	bool has_resolv;          /* it has a resolv.conf of its own in the pod's folder */
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
/* By the wall clock: since when a condition is as it is. */
int64_t agent_pressure_since(const struct agent_pressure *self, enum pressure_signal signal);

/* --- agent_tokens.c --- */

struct agent_tokens *agent_tokens_new(struct agent *agent);
void agent_tokens_free(struct agent_tokens *tokens);
/* A token of the pod's account that is bound to the pod. ERR_UNAVAILABLE: it is on its way, and the pod is
 * refreshed when it has come. */
int agent_tokens_get(struct agent_tokens *tokens, const struct agent_pod *pod,
		     const struct token_projection *wanted, struct str *ret,
		     struct err *err) MUST_CHECK;
/* Its last process has ended: its tokens are not renewed. May be called again. */
void agent_tokens_leave(struct agent_tokens *tokens, const struct agent_pod *pod);

/* --- agent.c --- */

/* Look at every pod. */
void agent_touch_all(struct agent *agent);
void agent_plan_wake(struct agent_pod *pod, int64_t due);
/* A pod that is forgotten and has ended: its folder goes, and itself. */
void agent_drop(struct agent_pod *pod);
/* Remove a folder with all that is in it, off the thread. */
void agent_remove_folder(struct agent *agent, const char *folder);

#endif
