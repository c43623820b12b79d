/* SPDX-License-Identifier: Apache-2.0 */
/* loop/loop_internal.h - the parts of a loop, one struct and one file each.
 *
 * struct loop holds every part by value; a part's functions take the loop, since the parts meet in
 * it: a child is a descriptor watch on a real loop and a deferred call on a virtual one. What the
 * twins do differently is asked by `is_virtual` in five places: clock.c (time stands still),
 * random.c (the seed), signal.c and child.c (injected), work.c (in line).
 *
 * What is removed during a turn is not freed before the turn's end, since the turn may still hold
 * its address: it is marked by fn == NULL and swept by loop.c. */
#ifndef LOOP_LOOP_INTERNAL_H
#define LOOP_LOOP_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "base/err.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/macro.h"
#include "loop/loop.h"

struct map;

enum {
	LOOP_BATCH = 256,      /* events fetched a turn */
	LOOP_LANE_WORKERS = 4, /* threads of a lane at most, started when there is work for them */
	LOOP_POOL_BYTES = 512, /* random bytes fetched at a time */
	/* Of a phase: what is left then waits for the next turn. */
	LOOP_PHASE_US = 4000,
};

/* No timer, or no bound on a wait. */
#define LOOP_NEVER INT64_MAX

struct loop_clock {
	int64_t origin; /* real: the monotonic clock when the loop was made */
	int64_t uptime; /* as of this turn */
	int64_t wall;   /* real: as of this turn; virtual: the wall clock at uptime 0 */
};

struct loop_chance {
	uint64_t state[4]; /* virtual: the generator */
	uint8_t pool[LOOP_POOL_BYTES];
	size_t left; /* unused bytes, at the pool's end */
};

struct loop_fds {
	int epoll;
	size_t count;  /* watches, with the loop's own */
	uint64_t made; /* watches ever: their numbers order a virtual loop's events */
	struct list dead;
	size_t next, fetched; /* the part of the batch that is still to be run */
	struct epoll_event batch[LOOP_BATCH];
};

struct loop_timers {
	struct heap heap;
	size_t count; /* set or not */
	uint64_t set; /* settings ever: the order of timers due at the same time */
};

struct loop_signals {
	struct list watches;
	struct list dead;
	sigset_t watched;
	sigset_t unblock; /* out of these, what was not blocked when the first watch came */
	sigset_t raised;  /* virtual: to be delivered */
	struct loop_defer deliver;
	int fd;
	struct loop_fd *watch;
};

/* A class of work: its queue and its workers. */
struct loop_lane_state {
	struct loop *loop;
	enum loop_lane lane;
	pthread_cond_t more;
	struct list todo;                  /* lock: for the workers */
	struct list running;               /* lock: oldest first */
	size_t todo_len;                   /* lock */
	size_t running_len;                /* lock */
	size_t idle;                       /* lock: workers that wait */
	int64_t longest_wait, longest_run; /* lock */
	uint64_t done, refused;            /* lock */
	pthread_t threads[LOOP_LANE_WORKERS];
	size_t thread_count;
	size_t under_way; /* handed in, `done` not called yet: of the loop's thread */
};

/* All that threads share lies under `lock`. */
struct loop_works {
	pthread_mutex_t lock;
	struct loop_lane_state lanes[LOOP_LANE_COUNT];
	struct list posted; /* lock: for the loop */
	struct list due;    /* taken from `posted`, to be called now: of the loop's thread */
	bool quit;          /* lock */
	int wake;           /* eventfd, readable while `posted` has something */
	struct loop_fd *watch;
	size_t under_way; /* of all lanes */
};

struct loop {
	bool is_virtual;
	bool turning;
	bool stopping;
	struct loop_stats stats;
	int64_t phase_at; /* real: when the phase of the turn began */
	int64_t cpu_at;   /* real: what the thread had computed when the last turn ended */
	struct loop_clock clock;
	struct loop_chance chance;
	struct loop_fds fds;
	struct loop_timers timers;
	struct loop_signals signals;
	struct loop_works works;
	struct list defers;
	struct map *children; /* by the bytes of the pid */
	struct quarantine *quarantine;
};

void loop_clock_init(struct loop *loop, int64_t start);
/* The time right now, which is not the turn's on a real loop. */
int64_t loop_clock_uptime(const struct loop *loop);
/* What this thread has computed; 0 on a virtual loop. */
int64_t loop_clock_cpu(const struct loop *loop);
/* Begin a turn's time: read the clock, or let `passed` go by on a virtual loop. */
void loop_clock_turn(struct loop *loop, int64_t passed);

void loop_chance_init(struct loop *loop, uint64_t seed);

void loop_fds_init(struct loop *loop);
int loop_fds_open(struct loop *loop, struct err *err) MUST_CHECK;
void loop_fds_done(struct loop *loop);
/* Does it watch any but the one that posts come by? */
bool loop_fds_has_any(const struct loop *loop);
/* Fetch events into the batch, which has been run, waiting for at most `wait_us`. */
void loop_fds_fetch(struct loop *loop, int64_t wait_us);
/* How many events of the batch have not been run yet. */
size_t loop_fds_left(const struct loop *loop);
bool loop_fds_run(struct loop *loop);
/* May the phase go on, one of its calls having been made? */
static inline bool loop_phase_has_time(const struct loop *loop, bool ran)
{
	return !ran || !loop_is_late(loop);
}
void loop_fds_sweep(struct loop *loop);

void loop_timers_init(struct loop *loop);
void loop_timers_done(struct loop *loop);
/* When the next is due, in uptime, or LOOP_NEVER. */
int64_t loop_timers_next(const struct loop *loop);
bool loop_timers_run(struct loop *loop);

void loop_defers_init(struct loop *loop);
void loop_defers_done(struct loop *loop);
bool loop_defers_run(struct loop *loop);

void loop_signals_init(struct loop *loop);
void loop_signals_done(struct loop *loop);
void loop_signals_sweep(struct loop *loop);

void loop_children_init(struct loop *loop);
void loop_children_done(struct loop *loop);

void loop_works_init(struct loop *loop);
int loop_works_open(struct loop *loop, struct err *err) MUST_CHECK;
void loop_works_done(struct loop *loop);
bool loop_works_has_posted(struct loop *loop);

#endif
