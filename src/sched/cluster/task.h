/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/task.h - a task: the scheduler's view of one pod.
 *
 * The cluster owns tasks. Their status, node and everything counted from these change in one place
 * only, sched/cluster/ledger.h; the other fields change when the pod does. What pods have in common is in
 * their class (sched/cluster/class.h), so that a task is small. */
#ifndef SCHED_TASK_H
#define SCHED_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"

struct class;
struct fit;
struct task_devices;
struct job;
struct label_set;
struct node_info;
struct sub_job;

enum task_status {
	TASK_PENDING,   /* no node */
	TASK_ALLOCATED, /* in a session only: has been given idle capacity */
	TASK_PIPELINED, /* in a session only: has been given capacity that is being released */
	TASK_BINDING,   /* decided; the service is binding it */
	TASK_BOUND,
	TASK_RUNNING,
	TASK_RELEASING, /* evicted, or being deleted */
	TASK_SUCCEEDED,
	TASK_FAILED,
	TASK_UNKNOWN,
	TASK_STATUS_COUNT
};
extern const char *const task_status_names[TASK_STATUS_COUNT];

#define TASK_BIT(status) (1U << (status))
enum {
	TASKS_ALLOCATED = TASK_BIT(TASK_ALLOCATED) | TASK_BIT(TASK_BINDING) | TASK_BIT(TASK_BOUND) |
			  TASK_BIT(TASK_RUNNING),
	TASKS_READY = TASKS_ALLOCATED | TASK_BIT(TASK_SUCCEEDED),
	TASKS_VALID = TASKS_READY | TASK_BIT(TASK_PIPELINED) | TASK_BIT(TASK_PENDING),
	TASKS_EVICTABLE = TASK_BIT(TASK_BOUND) | TASK_BIT(TASK_RUNNING),
	TASKS_COMPLETED = TASK_BIT(TASK_SUCCEEDED) | TASK_BIT(TASK_FAILED),
	TASKS_SCHEDULED = TASK_BIT(TASK_BOUND) | TASK_BIT(TASK_RUNNING) | TASKS_COMPLETED,
	/* Those that have a node: they take capacity on it, now or soon. Only pods that were deleted or lost
	 * before they were bound have none. */
	TASKS_PLACED = TASKS_ALLOCATED | TASK_BIT(TASK_PIPELINED) | TASK_BIT(TASK_RELEASING) |
		       TASK_BIT(TASK_UNKNOWN),
};

/* How many tasks are in each status. */
struct tally {
	uint32_t count[TASK_STATUS_COUNT];
	uint32_t waiting_empty; /* of the pending ones: ask for no resources */
	uint32_t total;
};
uint32_t tally_of(const struct tally *tally, unsigned statuses);

/* What a session has found out about a task; forgotten when the next one begins. */
enum {
	TASK_STATUS_BITS = 4,
	TASK_STATUS_MASK = (1 << TASK_STATUS_BITS) - 1,
	TASK_SLOT_BITS = 26,
	TASK_SLOT_MASK = (1 << TASK_SLOT_BITS) - 1,
};
struct task_note {
	const struct fit *fit; /* why it fits nowhere; in the session's arena */
	uint32_t session;      /* the note is of this one */
	/* How the last attempt that was undone had left it: "could have been placed, had the gang been
	 * complete". TASK_PENDING: there was none. */
	uint32_t undone : TASK_STATUS_BITS;
	uint32_t undone_evicting : 1;
	uint32_t undone_held : 1; /* reported as if it still had that place: see evict_within() */
	uint32_t undone_node : TASK_SLOT_BITS; /* its slot */
};

struct task {
	struct list job_link;  /* among its job's tasks of the same status */
	struct list node_link; /* among its node's tasks */
	struct job *job;       /* NULL: of no group; then it only takes capacity */
	struct sub_job *sub;
	struct node_info *node; /* while it is placed */
	struct class *class;
	struct label_set *labels;
	int64_t created;
	int64_t started; /* status.startTime; 0: not known */
	int64_t cooled; /* when its time to cool down after it was scheduled is over; 0: has none */
	struct task_devices *devices; /* cards that it holds (device.h); NULL: none */
	struct task_note note;
	uint32_t namespace; /* symbols */
	uint32_t role;
	uint32_t reserved_node;  /* name of the node that is reserved for it (reservation.h) */
	uint32_t nominated;      /* name of the node that status.nominatedNodeName says */
	uint32_t reported;       /* hash of the PodScheduled condition that the API has; 0: none */
	uint32_t reported_words; /* ... without its numbers; 0: not known */
	uint32_t reported_until; /* see defer() in decisions.c */
	int32_t priority;
	int32_t index;  /* the number at the end of its name; -1: none */
	uint8_t status; /* enum task_status; changed by the ledger */
	uint8_t seen;   /* the status that the API has reported */
	bool ours;      /* carries one of our scheduler names */
	bool preemptable : 1;
	bool never_preempts : 1;  /* spec.preemptionPolicy: Never */
	bool system : 1;          /* of kube-system, or critical by its class: never evicted */
	bool gated : 1;           /* has scheduling gates */
	bool queue_gate : 1;      /* ... and only Volcano's own */
	bool queue_gate_wish : 1; /* is annotated to have that taken away by us */
	bool any_zone : 1;        /* may use nodes of every revocable zone (tdm) */
	bool leaving : 1;         /* has a deletion timestamp, or its eviction has been decided */
	bool evicting : 1;        /* in a statement: placed with evictions of others */
	uint16_t namespace_len;   /* of the key */
	uint16_t key_len;
	uint16_t uid_len;
	char text[]; /* "namespace/name", NUL, uid, NUL */
};

static inline struct str task_key(const struct task *task)
{
	return str_of(task->text, task->key_len);
}
static inline struct str task_name(const struct task *task)
{
	return str_skip(task_key(task), task->namespace_len + 1);
}
static inline struct str task_namespace(const struct task *task)
{
	return str_of(task->text, task->namespace_len);
}
static inline struct str task_uid(const struct task *task)
{
	return str_of(task->text + task->key_len + 1, task->uid_len);
}
static inline bool task_is(const struct task *task, unsigned statuses)
{
	return TASK_BIT(task->status) & statuses;
}

/* Without a hook's opinion: the smaller number in the name, then the older, then by namespace and name. */
int task_order(const struct task *a, const struct task *b);

#endif
