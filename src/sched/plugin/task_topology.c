/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/task_topology.c - roles of a job that want to be together, or apart (scheduler
 * specification, 6.17).
 *
 * Annotations of the PodGroup name groups of roles. From them the tasks of a job are put into buckets,
 * each for tasks that should share a node: those that have a node make the bucket of that node, the
 * others join the bucket that they like best, or begin one. Buckets order tasks (the fullest first) and
 * score nodes: how much of the bucket is there, and how much of the rest has capacity.
 *
 * A plan is made for each job that has tasks to place when a session opens, and follows placements
 * while it lasts; undoing one takes it back. A job whose annotations name a role that it does not have,
 * or one twice in a group, has no plan: the plugin says nothing about it. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/report/object_warnings.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define AFFINITY_NOTE "volcano.sh/task-topology-affinity"
#define ANTI_NOTE "volcano.sh/task-topology-anti-affinity"
#define ORDER_NOTE "volcano.sh/task-topology-task-order"

/* A role that takes part. */
struct member {
	uint32_t role; /* symbol */
	int rank;      /* the highest of what it takes part in; 0: nothing but an order */
	size_t order;  /* by the user; the larger goes first */
};
/* What is worth more when tasks are sorted. */
enum { RANK_APART = 1, RANK_SELF, RANK_TOGETHER, RANK_SELF_APART };

/* Tasks of a bucket that are alike. */
struct alike {
	const struct class *class;
	size_t count;
};
struct presence {
	uint32_t slot;
	size_t count;
};
struct bucket {
	size_t index;
	size_t waiting;
	size_t bound;
	uint32_t *roles;     /* how many tasks of each member, placed or not */
	int64_t *request;    /* of those that wait, by dimension */
	double weight;       /* the same as one number */
	struct alike *alike; /* those that wait; has space for all of the job */
	size_t alike_len;
	struct presence *nodes; /* where the others are */
	size_t node_len;
};

struct entry {
	struct task *task;
	size_t member;
	struct bucket *bucket;
};
struct plan {
	const struct job *job;
	struct member *members;
	size_t member_count;
	int8_t *liking;        /* [member][member]: 1 where they like each other */
	int8_t *apart;         /* the same, for roles that do not */
	struct entry *entries; /* by address of the task, once they are in buckets */
	size_t entry_count;
	struct bucket **buckets;
	size_t bucket_count;
	size_t largest;    /* bucket, when the plan was made */
	uint32_t *on_node; /* [slot][member]: placed in this session; NULL: none yet */
};

struct topology {
	int64_t weight;
	struct arena *arena;
	VEC(struct plan *) plans; /* by address of the job */
};

static int topology_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct topology *t = mem_new(struct topology);

	(void)err;
	t->weight = args_int(args, "task-topology.weight", 1);
	t->arena = arena_new(0);
	p->state = t;
	return 0;
}

static void topology_free(struct plugin *p)
{
	struct topology *t = p->state;

	if (!t)
		return;
	vec_done(&t->plans);
	arena_free(t->arena);
	mem_free(t);
}

/* --- annotations ----------------------------------------------------------------------------- */

static struct str note_of(const struct cluster *cluster, const struct job *job, const char *key)
{
	uint32_t symbol = symbols_find(cluster->symbols, str_from(key));
	uint32_t value = symbol && job->notes ? label_set_get(job->notes, symbol) : SYMBOL_NONE;

	return value ? symbols_text(cluster->symbols, value) : str_none();
}

static size_t parts_of(struct str text, char by)
{
	struct str rest = text, part;
	size_t count = 0;

	while (str_split(&rest, by, &part))
		count++;
	return count;
}

/* The place of a role among the members, made if it is new. */
static size_t member_of(struct plan *plan, uint32_t role)
{
	size_t i = 0;

	while (i < plan->member_count && plan->members[i].role != role)
		i++;
	if (i == plan->member_count)
		plan->members[plan->member_count++] = (struct member){.role = role};
	return i;
}

static bool has_role(const struct job *job, uint32_t role)
{
	for (size_t i = 0; role && i < job->roles.len; i++)
		if (job->roles.ptr[i].name == role)
			return job->roles.ptr[i].tally.total > 0;
	return false;
}

/* Report what is wrong with an annotation; not while pods are still to come, since a role
 * that is missing may be one of theirs. */
static void warn(const struct plugin *p, const struct job *job, const char *note, struct str role,
		 const char *what)
{
	AUTO(mem_free)
	char *text =
		mem_printf("annotation %s is passed over, and with it what the others say: role "
			   "\"%.*s\" %s",
			   note, STR_ARG(role), what);

	if (tally_of(&job->tally, TASKS_VALID) >= (uint32_t)job->min_available &&
	    job_roles_are_valid(job))
		object_warnings_set(p->ssn->cluster->warnings, WARNING_GROUP, WARNING_PLUGIN,
				    job_key(job), text);
}

/* Roles with commas between them: all of the job, none twice. Makes them members. */
static bool read_group(const struct plugin *p, struct plan *plan, const char *note, struct str text)
{
	const struct cluster *cluster = p->ssn->cluster;
	struct str rest = text, name, again, other;

	while (str_split(&rest, ',', &name)) {
		uint32_t role = symbols_find(cluster->symbols, name);

		if (!name.len)
			continue;
		if (!has_role(plan->job, role)) {
			warn(p, plan->job, note, name, "is not in the job");
			return false;
		}
		for (again = rest; str_split(&again, ',', &other);)
			if (str_eq(name, other)) {
				warn(p, plan->job, note, name, "is named twice");
				return false;
			}
		(void)member_of(plan, role);
	}
	return true;
}

static bool read_groups(const struct plugin *p, struct plan *plan, const char *note)
{
	struct str rest = note_of(p->ssn->cluster, plan->job, note), group;

	while (str_split(&rest, ';', &group))
		if (!read_group(p, plan, note, group))
			return false;
	return true;
}

static void raise_rank(struct member *member, int rank)
{
	if (rank > member->rank)
		member->rank = rank;
}

/* A group of one speaks of the role itself; a larger one of its roles to each other. */
static void apply_group(const struct cluster *cluster, struct plan *plan, struct str group,
			bool apart)
{
	bool self = parts_of(group, ',') == 1;
	struct str rest = group, name;

	while (str_split(&rest, ',', &name)) {
		struct str again = group, other;
		size_t a;

		if (!name.len)
			continue;
		a = member_of(plan, symbols_find(cluster->symbols, name));
		if (apart)
			raise_rank(&plan->members[a], self ? RANK_SELF_APART : RANK_APART);
		else
			raise_rank(&plan->members[a], self ? RANK_SELF : RANK_TOGETHER);
		while (str_split(&again, ',', &other)) {
			size_t b;

			if (!other.len || (!self && str_eq(name, other)))
				continue;
			b = member_of(plan, symbols_find(cluster->symbols, other));
			(apart ? plan->apart : plan->liking)[a * plan->job->roles.len + b] = 1;
		}
	}
}

static void apply_groups(const struct cluster *cluster, struct plan *plan, struct str text,
			 bool apart)
{
	struct str rest = text, group;

	while (str_split(&rest, ';', &group))
		apply_group(cluster, plan, group, apart);
}

static void apply_order(const struct cluster *cluster, struct plan *plan, struct str text)
{
	size_t left = parts_of(text, ',');
	struct str rest = text, name;

	for (; str_split(&rest, ',', &name); left--)
		if (name.len)
			plan->members[member_of(plan, symbols_find(cluster->symbols, name))].order =
				left;
}

/* False: there is nothing to plan by, or it makes no sense. */
static bool read_notes(const struct plugin *p, struct plan *plan)
{
	const struct cluster *cluster = p->ssn->cluster;
	struct topology *t = p->state;
	struct str together = note_of(cluster, plan->job, AFFINITY_NOTE);
	struct str apart = note_of(cluster, plan->job, ANTI_NOTE);
	struct str order = note_of(cluster, plan->job, ORDER_NOTE);
	size_t roles = plan->job->roles.len;

	if (!together.len && !apart.len && !order.len) {
		object_warnings_set(p->ssn->cluster->warnings, WARNING_GROUP, WARNING_PLUGIN,
				    job_key(plan->job), NULL);
		return false;
	}
	plan->members = arena_calloc(t->arena, roles + 1, sizeof(*plan->members));
	plan->liking = arena_calloc(t->arena, roles * roles + 1, 1);
	plan->apart = arena_calloc(t->arena, roles * roles + 1, 1);
	if (!read_groups(p, plan, AFFINITY_NOTE) || !read_groups(p, plan, ANTI_NOTE) ||
	    !read_group(p, plan, ORDER_NOTE, order))
		return false;
	object_warnings_set(p->ssn->cluster->warnings, WARNING_GROUP, WARNING_PLUGIN,
			    job_key(plan->job), NULL);
	apply_groups(cluster, plan, together, false);
	apply_groups(cluster, plan, apart, true);
	apply_order(cluster, plan, order);
	return true;
}

/* --- buckets --------------------------------------------------------------------------------- */

static size_t matrix(const struct plan *plan, size_t a, size_t b)
{
	return a * plan->job->roles.len + b;
}

/* Above 0: the first goes first. */
static int compare_members(const struct plan *plan, size_t a, size_t b)
{
	const struct member *l = &plan->members[a], *r = &plan->members[b];

	if (l->order != r->order)
		return l->order > r->order ? 1 : -1;
	return (l->rank > r->rank) - (l->rank < r->rank);
}

/* Those with a node first, by its name; then by role; then by name. */
static int by_turn(const void *a, const void *b, void *arg)
{
	const struct entry *l = a, *r = b;
	int order;

	if (!l->task->node != !r->task->node)
		return l->task->node ? -1 : 1;
	if (l->task->node && l->task->node != r->task->node)
		return str_cmp(l->task->node->text, r->task->node->text);
	order = l->task->node ? 0 : -compare_members(arg, l->member, r->member);
	return order ? order : str_cmp(task_name(l->task), task_name(r->task));
}

static int by_address(const void *a, const void *b)
{
	const struct entry *l = a, *r = b;

	return (l->task > r->task) - (l->task < r->task);
}

static void collect(const struct plugin *p, struct plan *plan)
{
	struct topology *t = p->state;

	plan->entries = arena_calloc(t->arena, plan->job->tally.total + 1, sizeof(*plan->entries));
	for (int s = TASK_PENDING; s < TASK_STATUS_COUNT; s++) {
		if (!(TASK_BIT(s) & (TASKS_ALLOCATED | TASK_BIT(TASK_PENDING))))
			continue;
		LIST_EACH(&plan->job->tasks[s], struct task, job_link, task)
			for (size_t i = 0; i < plan->member_count; i++)
				if (plan->members[i].role == task->role && plan->members[i].rank)
					plan->entries[plan->entry_count++] =
						(struct entry){.task = task, .member = i};
	}
	qsort_r(plan->entries, plan->entry_count, sizeof(*plan->entries), by_turn, plan);
}

static struct bucket *bucket_new(const struct plugin *p, struct plan *plan)
{
	struct topology *t = p->state;
	struct bucket *bucket = arena_new_of(t->arena, struct bucket);

	bucket->index = plan->bucket_count;
	bucket->roles = arena_calloc(t->arena, plan->member_count, sizeof(*bucket->roles));
	bucket->request = arena_calloc(t->arena, DIMS_MAX, sizeof(*bucket->request));
	plan->buckets[plan->bucket_count++] = bucket;
	return bucket;
}

/* The amounts of a request as one number: a core is worth as much as a GPU and as a GiB, about. */
static double weigh(const struct resources *request)
{
	static const double mebi = 1024.0 * 1024.0;
	static const double milli = 1000.0; /* storage counts in thousandths, as all scalars */
	double sum = 0;

	for (dim_set rest = resources_dims(request); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		double amount = (double)resources_get(request, dim);

		sum += dim == DIM_MEMORY    ? amount / mebi
		       : dim == DIM_STORAGE ? amount * milli
					    : amount;
	}
	return sum;
}

/* Space for one more in an array of the arena, which doubles. */
static void *grow(struct arena *arena, void *at, size_t len, size_t size)
{
	void *more;

	if (len & (len - 1))
		return at;
	more = arena_calloc(arena, len ? 2 * len : 1, size);
	if (len)
		memcpy(more, at, len * size);
	return more;
}

/* One task more that waits, or one less. */
static void count_waiting(struct topology *t, struct bucket *bucket, const struct task *task,
			  int sign)
{
	const struct resources *request = &task->class->request;
	size_t i = 0;

	while (i < bucket->alike_len && bucket->alike[i].class != task->class)
		i++;
	if (i == bucket->alike_len) {
		bucket->alike = grow(t->arena, bucket->alike, i, sizeof(*bucket->alike));
		bucket->alike[bucket->alike_len++] = (struct alike){.class = task->class};
	}
	bucket->alike[i].count += (size_t)(int64_t)sign;
	bucket->waiting += (size_t)(int64_t)sign;
	bucket->weight += sign * weigh(request);
	for (dim_set rest = resources_dims(request); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		bucket->request[dim] += sign * resources_get(request, dim);
	}
}

/* One task more on a node, or one less. */
static void count_bound(struct topology *t, struct bucket *bucket, uint32_t slot, int sign)
{
	size_t i = 0;

	while (i < bucket->node_len && bucket->nodes[i].slot != slot)
		i++;
	if (i == bucket->node_len) {
		bucket->nodes = grow(t->arena, bucket->nodes, i, sizeof(*bucket->nodes));
		bucket->nodes[bucket->node_len++] = (struct presence){.slot = slot};
	}
	bucket->nodes[i].count += (size_t)(int64_t)sign;
	bucket->bound += (size_t)(int64_t)sign;
}

/* How much a role likes a set of tasks. */
static int64_t liking_of(const struct plan *plan, size_t member, const uint32_t *roles,
			 bool only_apart)
{
	int64_t sum = 0;

	for (size_t i = 0; i < plan->member_count; i++) {
		size_t at = matrix(plan, member, i);

		if (!only_apart && plan->liking[at])
			sum += roles[i];
		if (plan->apart[at])
			sum -= roles[i];
	}
	return sum;
}

static struct bucket *bucket_of_node(const struct plan *plan, const struct node_info *node)
{
	for (size_t i = 0; i < plan->bucket_count; i++)
		if (plan->buckets[i]->node_len && plan->buckets[i]->nodes[0].slot == node->slot)
			return plan->buckets[i];
	return NULL;
}

/* The one that it likes best; of several the one that asks for least. NULL: it likes none. */
static struct bucket *best_bucket(const struct plan *plan, size_t member)
{
	struct bucket *best = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < plan->bucket_count; i++) {
		struct bucket *bucket = plan->buckets[i];
		int64_t liking = liking_of(plan, member, bucket->roles, false);

		if (liking < 0 || (best && liking < most))
			continue;
		if (!best || liking > most || bucket->weight < best->weight) {
			best = bucket;
			most = liking;
		}
	}
	return best;
}

static void fill_buckets(const struct plugin *p, struct plan *plan)
{
	struct topology *t = p->state;

	plan->buckets = arena_calloc(t->arena, plan->entry_count + 1, sizeof(struct bucket *));
	for (size_t i = 0; i < plan->entry_count; i++) {
		struct entry *entry = &plan->entries[i];
		const struct node_info *node = entry->task->node;

		entry->bucket =
			node ? bucket_of_node(plan, node) : best_bucket(plan, entry->member);
		if (!entry->bucket)
			entry->bucket = bucket_new(p, plan);
		entry->bucket->roles[entry->member]++;
		if (node)
			count_bound(t, entry->bucket, node->slot, 1);
		else
			count_waiting(t, entry->bucket, entry->task, 1);
		if (entry->bucket->waiting + entry->bucket->bound > plan->largest)
			plan->largest = entry->bucket->waiting + entry->bucket->bound;
	}
	if (plan->entry_count)
		qsort(plan->entries, plan->entry_count, sizeof(*plan->entries), by_address);
}

static int by_job(const void *a, const void *b)
{
	const struct plan *l = *(struct plan *const *)a, *r = *(struct plan *const *)b;

	return (l->job > r->job) - (l->job < r->job);
}

static void topology_open(struct plugin *p)
{
	struct topology *t = p->state;

	t->plans.len = 0;
	arena_reset(t->arena);
	LIST_EACH(&p->ssn->cluster->active, struct job, active_link, job) {
		struct plan *plan;

		if (!job->grouped || !job->tally.count[TASK_PENDING])
			continue;
		plan = arena_new_of(t->arena, struct plan);
		plan->job = job;
		if (!read_notes(p, plan))
			continue;
		collect(p, plan);
		fill_buckets(p, plan);
		vec_push(&t->plans, plan);
	}
	if (t->plans.len)
		qsort(t->plans.ptr, t->plans.len, sizeof(*t->plans.ptr), by_job);
}

/* --- hooks ----------------------------------------------------------------------------------- */

static struct plan *plan_of(const struct plugin *p, const struct job *job)
{
	const struct topology *t = p->state;
	struct plan key = {.job = job}, *at = &key, **found;

	if (!job || !t->plans.len)
		return NULL;
	found = bsearch(&at, t->plans.ptr, t->plans.len, sizeof(*t->plans.ptr), by_job);
	return found ? *found : NULL;
}

static struct entry *entry_of(const struct plan *plan, const struct task *task)
{
	struct entry key = {.task = (struct task *)task};

	return plan->entry_count ? bsearch(&key, plan->entries, plan->entry_count,
					   sizeof(*plan->entries), by_address)
				 : NULL;
}

static int topology_task_order(const struct plugin *p, const struct task *a, const struct task *b)
{
	const struct plan *left = plan_of(p, a->job), *right = plan_of(p, b->job);
	const struct entry *l, *r;

	if (!left || !right)
		return 0;
	l = entry_of(left, a);
	r = entry_of(right, b);
	if (!l != !r)
		return l ? -1 : 1;
	if (!l || left != right)
		return 0;
	if (l->bucket->waiting != r->bucket->waiting)
		return l->bucket->waiting > r->bucket->waiting ? -1 : 1;
	if (l->bucket == r->bucket)
		return -compare_members(left, l->member, r->member);
	return l->bucket->index < r->bucket->index ? -1 : 1;
}

/* How many of a bucket that wait have to go elsewhere, for the rest to fit on a node. */
static size_t overflow(const struct plugin *p, const struct bucket *bucket, const struct task *task,
		       const struct node_info *node)
{
	const struct columns *cols = &p->ssn->cluster->columns;
	int64_t over[DIMS_MAX];
	size_t out = 0;

	for (int dim = 0; dim < (int)cols->dims; dim++)
		over[dim] = bucket->request[dim] -
			    columns_get(cols, CAPACITY_IDLE, dim, node->slot) -
			    columns_get(cols, CAPACITY_RELEASING, dim, node->slot);
	for (size_t i = 0; i < bucket->alike_len; i++) {
		const struct alike *alike = &bucket->alike[i];
		int64_t spare = (int64_t)alike->count - (alike->class == task->class), most = 0;

		for (dim_set rest = alike->class->dims; rest; rest &= rest - 1) {
			int dim = __builtin_ctzll(rest);
			int64_t each = resources_get(&alike->class->request, dim);
			int64_t want =
				each > 0 && over[dim] > 0 ? (over[dim] + each - 1) / each : 0;

			if (want > most)
				most = want;
		}
		if (most > spare)
			most = spare > 0 ? spare : 0;
		for (dim_set rest = alike->class->dims; most && rest; rest &= rest - 1) {
			int dim = __builtin_ctzll(rest);

			over[dim] -= most * resources_get(&alike->class->request, dim);
		}
		out += (size_t)most;
	}
	return out;
}

static double topology_weight(const struct plugin *p)
{
	return (double)((const struct topology *)p->state)->weight;
}

static double topology_score(const struct plugin *p, const struct task *task,
			     const struct node_info *node)
{
	static const double top = 100;
	const struct plan *plan = plan_of(p, task->job);
	const struct entry *entry = plan ? entry_of(plan, task) : NULL;
	const struct bucket *bucket;
	int64_t score;

	if (!entry || !plan->largest)
		return 0;
	bucket = entry->bucket;
	score = (int64_t)bucket->waiting - (int64_t)overflow(p, bucket, task, node);
	for (size_t i = 0; i < bucket->node_len; i++)
		if (bucket->nodes[i].slot == node->slot)
			score += (int64_t)bucket->nodes[i].count;
	if (plan->on_node)
		score += liking_of(plan, entry->member,
				   &plan->on_node[node->slot * plan->member_count], true);
	return (double)score * top / (double)plan->largest;
}

static bool concerns(const struct plugin *p, const struct task *task)
{
	const struct plan *plan = plan_of(p, task->job);

	return plan && entry_of(plan, task);
}

/* A task that waited gets a node, or loses it again. Evictions, and their undoing, are none of it. */
static void move(const struct plugin *p, const struct task *task, int sign)
{
	struct topology *t = p->state;
	struct plan *plan = plan_of(p, task->job);
	const struct entry *entry = plan ? entry_of(plan, task) : NULL;

	if (!entry || !task_is(task, TASK_BIT(TASK_ALLOCATED) | TASK_BIT(TASK_PIPELINED)))
		return;
	if (!plan->on_node)
		plan->on_node =
			arena_calloc(t->arena, p->ssn->cluster->nodes.len * plan->member_count,
				     sizeof(*plan->on_node));
	plan->on_node[task->node->slot * plan->member_count + entry->member] += (uint32_t)sign;
	count_waiting(t, entry->bucket, task, -sign);
	count_bound(t, entry->bucket, task->node->slot, sign);
}

static int topology_placed(const struct plugin *p, struct task *task)
{
	move(p, task, 1);
	return 0;
}

static void topology_unplaced(const struct plugin *p, struct task *task)
{
	move(p, task, -1);
}

static const struct score_row topology_scores[] = {
	{.name = "task-topology",
	 .scope = SCOPE_CLUSTER,
	 .applies = concerns,
	 .weight = topology_weight,
	 .score = topology_score},
	{.name = NULL},
};

const struct plugin_type task_topology_plugin = {
	.name = "task-topology",
	.new = topology_new,
	.free = topology_free,
	.open = topology_open,
	.task_order = topology_task_order,
	.scores = topology_scores,
	.placed = topology_placed,
	.unplaced = topology_unplaced,
};
