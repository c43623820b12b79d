/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/plugin.h - what a plugin is: one const table of hooks.
 *
 * To add a plugin: write sched/plugin/<name>.c with one `const struct plugin_type <name>_plugin`,
 * add a row to sched/plugin/plugins.c, and a scenario to test/data/sched. A plugin does no I/O and reads no
 * clock; it sees the session (p->ssn) and the model, and changes neither but through its own state.
 *
 * Hooks come in a few shapes, each with one rule for combining the answers of several plugins:
 *
 *	order	compare two things	the first answer that is not 0 decides, tier by tier; then the
 *					default order (age, who came first)
 *	test	yes or no		all must say yes; OVERUSED: one yes is enough; STARVING: all of
 *					the first tier that has an opinion
 *	vote	permit, abstain, reject	a reject ends with no; a permit ends with yes at the end of its
 *					tier; if all abstain: yes
 *	guard	may this task be evicted now, for that one?	all must permit, whatever the tiers
 *	filter	a task on a node	verdicts are added up; one that eviction cannot change ends it
 *	score	a task on a node	sum of weighted, normalised scores
 *	domain	a limit: the lowest counts; a score: the sum
 *	pick	add tasks to a list	union in a tier; the first tier with any wins
 *	note	is reported			each is called, in order; undoing calls them in reverse
 *
 * A plugin is asked where it has the hook and its switch in the configuration is on. Guards look at
 * the model as it stands: a statement that has evicted four tasks of a job asks about the fifth with
 * four gone, so that a guard needs no counters of its own.
 *
 * Extension points of Volcano that need no hook here: Simulate*, since trials run on the model itself;
 * BestNode, TargetJob, ReservedNodes, ClusterOrder, which nothing has ever called or set. */
#ifndef SCHED_PLUGIN_H
#define SCHED_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "sched/report/reason.h"

struct domain;
struct job;
struct network_topology;
struct node_info;
struct node_set;
struct plugin;
struct queue_info;
struct resources;
struct session;
struct sub_job;
struct task;

/* --- arguments ------------------------------------------------------------------------------- */

/* The plugin's `arguments` in the configuration. A value of another type than asked for is reported in
 * `notes` and the default stays, as upstream has it; so is an argument that no plugin asked for. */
struct plugin_args {
	struct json object;
	VEC(char *) notes;    /* for the log */
	VEC(uint64_t) wanted; /* names that were asked for, by hash */
};
/* Of any type; absent where it is not there. */
struct json args_get(struct plugin_args *args, const char *name);
int64_t args_int(struct plugin_args *args, const char *name, int64_t fallback);
double args_real(struct plugin_args *args, const char *name, double fallback);
bool args_bool(struct plugin_args *args, const char *name, bool fallback);
struct str args_str(struct plugin_args *args, const char *name, struct str fallback);

/* --- shapes ---------------------------------------------------------------------------------- */

enum job_test { JOB_VALID, JOB_READY, JOB_STARVING, JOB_TEST_COUNT };
enum job_vote { JOB_ENQUEUEABLE, JOB_PIPELINED, JOB_VOTE_COUNT };
enum sub_test { SUB_READY, SUB_TEST_COUNT };
enum sub_vote { SUB_PIPELINED, SUB_VOTE_COUNT };
enum vote { VOTE_REJECT = -1, VOTE_ABSTAIN, VOTE_PERMIT };

/* May a queue hold more? The least of all answers counts. Work that is within its share goes first;
 * then what is left over is lent, so that no job waits while capacity is idle (specification, part 11). */
enum allowance {
	ALLOWANCE_NONE,   /* past a limit, or closed: never */
	ALLOWANCE_BORROW, /* past its share: when no other job can use the capacity */
	ALLOWANCE_OWN,
};

enum evict_kind {
	EVICT_PREEMPT,
	EVICT_RECLAIM,
	EVICT_GANG_PREEMPT,
	EVICT_GANG_RECLAIM,
	EVICT_COUNT
};
/* For which job pods are evicted. */
struct evict_ask {
	enum evict_kind kind;
	struct job *job;
	struct task *task; /* the first that needs the capacity; NULL: the job as a whole */
	bool rest; /* the victim's gang is broken and goes whole: no share keeps what is left of it */
};

/* Amounts of a queue; lent, NULL where the plugin has none. */
struct queue_report {
	const struct resources *deserved;
	const struct resources *capability;
	const struct resources *limit; /* what it can hold at most */
};

enum scope {
	SCOPE_PROFILE, /* depends on the task's terms and the node's profile (and name) alone */
	SCOPE_NODE,    /* ... on the class, and what is on the node */
	SCOPE_CLUSTER, /* ... on anything: other nodes, the job, the queue */
};

/* Does a row concern tasks like this one? Where it does not, it is not asked about its nodes. */
typedef bool applies_fn(const struct plugin *p, const struct task *task);

/* What a row looks at in addition to the class of a task, as a number: for rows that are not of SCOPE_CLUSTER and yet
 * depend on the queue, say. If it changes, nodes are tested again. */
typedef uint64_t row_key_fn(const struct plugin *p, const struct task *task);

struct filter_row {
	const char *name;
	enum scope scope;
	applies_fn *applies; /* NULL: always */
	verdict (*test)(const struct plugin *p, const struct task *task,
			const struct node_info *node);
	/* The same, not of SCOPE_PROFILE, for the slots below `count` at once: add to the verdict of each,
	 * of which those are 0 at first that nothing is known of. Slots without a node may get anything. */
	void (*all)(const struct plugin *p, const struct task *task, uint32_t count,
		    verdict *verdicts);
	row_key_fn *key; /* NULL: nothing */
};

enum normalise {
	NORMALISE_NONE, /* as it is */
	NORMALISE_UP,   /* 100 x score / largest; 0 where the largest is 0 */
	NORMALISE_DOWN, /* 100 - that; 100 where the largest is 0 */
};
struct score_row {
	const char *name;
	enum scope scope;
	enum normalise normalise;
	applies_fn *applies;
	row_key_fn *key;
	double (*weight)(const struct plugin *p); /* NULL: 1; 0 switches the row off */
	/* One node. */
	double (*score)(const struct plugin *p, const struct task *task,
			const struct node_info *node);
	/* The same, of SCOPE_NODE, for the slots below `count` at once: add `weight` times the score of
	 * each. For rows that are asked about every node; slots without a node may get anything. */
	void (*all)(const struct plugin *p, const struct task *task, uint32_t count, double weight,
		    double *scores);
	/* Of SCOPE_CLUSTER, all candidates at once: add the weighted score of each. */
	void (*batch)(const struct plugin *p, const struct task *task,
		      struct node_info *const *nodes, size_t count, double *scores);
};

struct task_list {
	struct task **ptr;
	size_t len;
	size_t size;
};

/* --- the table ------------------------------------------------------------------------------- */

struct plugin_type {
	const char *name;
	bool timed; /* its answers change with time alone: no job may be blocked (cluster.h) */
	/* With enableHierarchy it knows what a queue may take back from others, as every plugin with
	 * `preemptive` does: without one that knows, no queue reclaims. */
	bool shares_in_tree;
	bool alike; /* sees no more of a job that waits than job_group.h says */

	/* Once for each configuration that names it: read the arguments. ERR_INVALID refuses the
	 * configuration. What it gives is p->state; may be NULL for a plugin without. */
	int (*new)(struct plugin *p, struct plugin_args *args, struct err *err);
	void (*free)(struct plugin *p);
	/* Before any plugin opens: for what changes the model that others sum up. */
	void (*prepare)(struct plugin *p);
	void (*open)(struct plugin *p);  /* a session begins: p->ssn is set */
	void (*close)(struct plugin *p); /* ... ends */

	/* order */
	int (*job_order)(const struct plugin *p, const struct job *a, const struct job *b);
	int (*queue_order)(const struct plugin *p, const struct queue_info *a,
			   const struct queue_info *b);
	int (*task_order)(const struct plugin *p, const struct task *a, const struct task *b);
	int (*sub_job_order)(const struct plugin *p, const struct sub_job *a,
			     const struct sub_job *b);
	/* Whose tasks go first, for a job of queue `of`? */
	int (*victim_queue_order)(const struct plugin *p, const struct queue_info *a,
				  const struct queue_info *b, const struct queue_info *of);
	/* test; `why` is set with a no */
	bool (*job_test[JOB_TEST_COUNT])(const struct plugin *p, const struct job *job,
					 struct reason *why);
	bool (*sub_test[SUB_TEST_COUNT])(const struct plugin *p, const struct sub_job *sub);
	bool (*overused)(const struct plugin *p, const struct queue_info *queue);
	/* May the queue take from others for these tasks? */
	bool (*preemptive)(const struct plugin *p, const struct queue_info *queue,
			   struct task *const *tasks, size_t count);
	enum allowance (*allocatable)(const struct plugin *p, const struct queue_info *queue,
				      const struct task *task, struct reason *why);
	/* vote; `why` is set with a reject */
	enum vote (*job_vote[JOB_VOTE_COUNT])(const struct plugin *p, const struct job *job,
					      struct reason *why);
	enum vote (*sub_vote[SUB_VOTE_COUNT])(const struct plugin *p, const struct sub_job *sub);
	/* guard */
	bool (*evictable[EVICT_COUNT])(const struct plugin *p, const struct evict_ask *ask,
				       const struct task *victim);
	/* filter, score */
	const char *(*pre_filter)(const struct plugin *p, const struct task *task); /* NULL: fine */
	const struct filter_row *filters; /* the last one has no name */
	const struct score_row *scores;   /* the same */
	/* domains of the network (hypernodes.h): the highest tier that a topology allows; INT64_MAX: any. If no plugin
	 * answers, topologies have no effect; else the lowest answer counts. */
	int64_t (*domain_limit)(const struct plugin *p, const struct network_topology *topology);
	/* Of two domains of a tier that hold these tasks: the sum of what they ask for. The higher is better. */
	double (*domain_score)(const struct plugin *p, const struct domain *domain,
			       const struct resources *request);
	/* pick */
	void (*victims)(const struct plugin *p, struct task_list *to); /* shuffle */
	/* What it says of a queue, as of the last session; for those who ask from outside. */
	void (*report)(const struct plugin *p, const struct queue_info *queue,
		       struct queue_report *to);
	/* note */
	void (*job_enqueued)(const struct plugin *p, struct job *job);
	int (*placed)(const struct plugin *p, struct task *task); /* -1 undoes the placement */
	void (*unplaced)(const struct plugin *p, struct task *task);
};

/* What a configuration may switch, by the bit of its switch. */
enum plugin_switch {
	SWITCH_JOB_ORDER,
	SWITCH_HIERARCHY,
	SWITCH_JOB_READY,
	SWITCH_JOB_PIPELINED,
	SWITCH_TASK_ORDER,
	SWITCH_PREEMPTABLE,
	SWITCH_RECLAIMABLE,
	SWITCH_PREEMPTIVE,
	SWITCH_QUEUE_ORDER,
	SWITCH_CLUSTER_ORDER,
	SWITCH_PREDICATE,
	SWITCH_BEST_NODE,
	SWITCH_NODE_ORDER,
	SWITCH_TARGET_JOB,
	SWITCH_RESERVED_NODES,
	SWITCH_JOB_ENQUEUED,
	SWITCH_VICTIM,
	SWITCH_JOB_STARVING,
	SWITCH_OVERUSED,
	SWITCH_ALLOCATABLE,
	SWITCH_HYPERNODE_ORDER,
	SWITCH_SUB_JOB_READY,
	SWITCH_SUB_JOB_PIPELINED,
	SWITCH_SUB_JOB_ORDER,
	SWITCH_HYPERNODE_GRADIENT,
	SWITCH_COUNT,
	SWITCH_ALWAYS = SWITCH_COUNT,
};

/* A plugin as a configuration has it. */
struct plugin {
	const struct plugin_type *type;
	void *state;
	struct session *ssn; /* while one is open */
	uint32_t on;         /* switches, a bit each */
	uint32_t tier;
	/* For `new` to set: with these arguments, what others get may help who waits: no job may
	 * be blocked (cluster.h). */
	bool restless;
	int64_t max_domains; /* the same: evictions are tried in so many domains; 0: says nothing */
};
static inline bool plugin_is_on(const struct plugin *p, enum plugin_switch which)
{
	return which == SWITCH_ALWAYS || p->on >> which & 1;
}

/* Plugins in addition to those that are built in: of shared objects (plugin_module.h). */
struct plugin_types {
	const struct plugin_type *const *ptr;
	size_t len;
};

/* Those that are built in, by name; sched/plugin/plugins.c. */
const struct plugin_type *plugin_type_find(struct str name);

#endif
