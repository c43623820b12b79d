/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/fair.c - fair queueing over users and their connections.
 *
 * Each user, and each flow of a user, has a clock that the time of its jobs is charged to. What has
 * jobs waiting is in a heap by its clock; the smallest is next, among the users and then among that
 * user's flows. A clock that has stood still while nothing waited is set to that of the last one
 * served: being idle earns no credit, and a user who has just returned is not at a disadvantage.
 * Among the flows of a user the time that the next job is expected to take counts as well: else a
 * long job on a new connection would be served before short requests.
 *
 * 1. A flow is in its user's heap exactly while it has jobs, a user in the heap of all exactly while
 *    it has such flows.
 * 2. The timer is set while any job waits. It is due at once: timers come after descriptors in a turn,
 *    when all that has arrived is known, and before the answers are sent.
 * 3. A job is out of its queue before it is called, and not touched afterwards. */
#include "apiserver/request/fair.h"

#include <assert.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "loop/loop.h"

#include "base/banned.h"

struct rank {
	struct heap_node node;
	int64_t clock;   /* microseconds, from the floor that it started at */
	int64_t cost;    /* of a flow: what its next job is expected to add */
	uint64_t number; /* among equals: who came first */
};

struct fair_user {
	struct rank rank;
	struct fair *fair;
	struct heap waiting; /* flows */
	int64_t floor;       /* the clock of the flow that was served last */
	size_t flows;
	size_t held[FAIR_USE_COUNT];
	char *name;
};

struct fair_flow {
	struct rank rank;
	struct fair_user *user;
	struct list jobs;
	size_t refs;
	size_t held[FAIR_USE_COUNT];
};

struct fair {
	struct loop *loop;
	struct fair_limits limits;
	struct map *users; /* by name */
	struct heap waiting;
	int64_t floor;
	uint64_t numbers;
	struct loop_timer *turn;
	struct fair_stats stats;
};

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct rank *x = container_of(a, const struct rank, node);
	const struct rank *y = container_of(b, const struct rank, node);

	int64_t first = x->clock + x->cost;
	int64_t second = y->clock + y->cost;

	return first != second ? first < second : x->number < y->number;
}

static loop_timer_fn on_turn;

struct fair *fair_new(struct loop *loop, const struct fair_limits *limits)
{
	struct fair *fair = mem_new(struct fair);

	fair->loop = loop;
	fair->limits = *limits;
	fair->users = map_new(loop_random_u64(loop));
	fair->turn = loop_timer_new(loop, on_turn, fair);
	heap_init(&fair->waiting, is_before);
	return fair;
}

void fair_free(struct fair *fair)
{
	if (!fair)
		return;
	assert(map_len(fair->users) == 0);
	loop_timer_free(fair->turn);
	heap_done(&fair->waiting);
	map_free(fair->users);
	mem_free(fair);
}

/* --- flows ----------------------------------------------------------------------------------- */

static struct fair_user *user_get(struct fair *fair, struct str name)
{
	struct fair_user *user = map_get(fair->users, name);

	if (user)
		return user;
	user = mem_new(struct fair_user);
	user->fair = fair;
	user->name = str_dup(name);
	user->rank.clock = fair->floor;
	heap_init(&user->waiting, is_before);
	map_put(fair->users, str_of(user->name, name.len), user);
	return user;
}

static void user_free(struct fair_user *user)
{
	map_remove(user->fair->users, str_from(user->name));
	heap_done(&user->waiting);
	mem_free(user->name);
	mem_free(user);
}

struct fair_flow *fair_flow_new(struct fair *fair, struct str name)
{
	struct fair_flow *flow = mem_new(struct fair_flow);

	flow->user = user_get(fair, name);
	flow->user->flows++;
	flow->rank.clock = flow->user->floor;
	flow->refs = 1;
	list_init(&flow->jobs);
	return flow;
}

struct fair_flow *fair_flow_ref(struct fair_flow *flow)
{
	flow->refs++;
	return flow;
}

void fair_flow_unref(struct fair_flow *flow)
{
	if (!flow || --flow->refs)
		return;
	assert(list_is_empty(&flow->jobs));
	for (size_t use = 0; use < FAIR_USE_COUNT; use++)
		assert(flow->held[use] == 0);
	if (--flow->user->flows == 0)
		user_free(flow->user);
	mem_free(flow);
}

bool fair_flow_is_of(const struct fair_flow *flow, struct str user)
{
	return str_is(user, flow->user->name);
}

/* --- time ------------------------------------------------------------------------------------ */

/* It has something to do again. */
static void wait_in(struct fair *fair, struct heap *heap, struct rank *rank, int64_t floor)
{
	if (heap_node_is_in(&rank->node))
		return;
	if (rank->clock < floor)
		rank->clock = floor;
	rank->number = fair->numbers++;
	heap_push(heap, &rank->node);
}

/* Its next job is another one, or it has nothing to do any more. */
static void flow_next(struct fair_flow *flow)
{
	struct fair_user *user = flow->user;
	struct list *first = list_first(&flow->jobs);

	if (first) {
		flow->rank.cost = container_of(first, struct fair_job, link)->cost;
		heap_update(&user->waiting, &flow->rank.node);
		return;
	}
	heap_remove(&user->waiting, &flow->rank.node);
	if (!heap_first(&user->waiting))
		heap_remove(&user->fair->waiting, &user->rank.node);
}

static void charge(struct heap *heap, struct rank *rank, int64_t time)
{
	rank->clock += time;
	if (heap_node_is_in(&rank->node))
		heap_update(heap, &rank->node);
}

/* Calls it, and charges its time to the flow; `flow` may be freed here. */
static void call(struct fair_flow *flow, fair_job_fn *fn, void *arg)
{
	struct fair *fair = flow->user->fair;
	int64_t before = loop_stopwatch(fair->loop);
	int64_t took;

	(void)fair_flow_ref(flow);
	fn(arg);
	took = loop_stopwatch(fair->loop) - before;
	if (took <= 0)
		took = 1; /* so that a loop whose clock stands still takes turns as well */
	charge(&flow->user->waiting, &flow->rank, took);
	charge(&fair->waiting, &flow->user->rank, took);
	fair_flow_unref(flow);
}

static bool run_next(struct fair *fair)
{
	struct heap_node *first = heap_first(&fair->waiting);
	struct fair_user *user;
	struct fair_flow *flow;
	struct fair_job *job;
	struct list *node;

	if (!first)
		return false;
	user = container_of(container_of(first, struct rank, node), struct fair_user, rank);
	flow = container_of(container_of(heap_first(&user->waiting), struct rank, node),
			    struct fair_flow, rank);
	node = list_pop(&flow->jobs);
	if (!node)
		return false; /* cannot be: it is in the heap */
	job = container_of(node, struct fair_job, link);
	fair->floor = user->rank.clock;
	user->floor = flow->rank.clock;
	fair->stats.waiting--;
	fair->stats.jobs++;
	job->flow = NULL;
	flow_next(flow);
	call(flow, job->fn, job->arg);
	return true;
}

static void schedule(struct fair *fair)
{
	if (!loop_timer_is_set(fair->turn))
		loop_timer_set(fair->turn, 0);
}

static void on_turn(struct loop_timer *timer, void *arg)
{
	struct fair *fair = arg;

	(void)timer;
	while (run_next(fair) && !loop_is_late(fair->loop))
		continue;
	if (heap_first(&fair->waiting))
		schedule(fair);
}

void fair_run(struct fair_flow *flow, struct fair_job *job, fair_job_fn *fn, void *arg)
{
	struct fair_user *user = flow->user;
	struct fair *fair = user->fair;

	assert(!job->flow);
	job->flow = flow;
	job->fn = fn;
	job->arg = arg;
	if (list_is_empty(&flow->jobs))
		flow->rank.cost = job->cost;
	list_push(&flow->jobs, &job->link);
	wait_in(fair, &user->waiting, &flow->rank, user->floor);
	wait_in(fair, &fair->waiting, &user->rank, fair->floor);
	fair->stats.waiting++;
	schedule(fair);
}

void fair_cancel(struct fair_job *job)
{
	struct fair_flow *flow = job->flow;

	if (!flow)
		return;
	job->flow = NULL;
	list_remove(&job->link);
	flow->user->fair->stats.waiting--;
	flow_next(flow);
}

/* --- what is held ---------------------------------------------------------------------------- */

bool fair_take(struct fair_flow *flow, enum fair_use use, size_t amount)
{
	struct fair_user *user = flow->user;
	size_t limit = user->fair->limits.user[use];
	bool first = use == FAIR_CALLS && flow->held[use] == 0;

	if (limit && !first && (amount > limit || user->held[use] > limit - amount)) {
		user->fair->stats.refused++;
		return false;
	}
	fair_add(flow, use, amount);
	return true;
}

void fair_add(struct fair_flow *flow, enum fair_use use, size_t amount)
{
	flow->user->held[use] += amount;
	flow->held[use] += amount;
}

bool fair_is_over(const struct fair_flow *flow, enum fair_use use)
{
	size_t limit = flow->user->fair->limits.user[use];

	return limit && flow->user->held[use] > limit;
}

void fair_give(struct fair_flow *flow, enum fair_use use, size_t amount)
{
	assert(flow->held[use] >= amount && flow->user->held[use] >= amount);
	flow->held[use] -= amount;
	flow->user->held[use] -= amount;
}

void fair_stats(const struct fair *fair, struct fair_stats *ret)
{
	*ret = fair->stats;
	ret->users = map_len(fair->users);
}
