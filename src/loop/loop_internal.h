/* SPDX-License-Identifier: Apache-2.0 */
/* loop/loop_internal.h - the parts of a loop, one struct and one file each.
 *
 * struct loop holds every part by value; a part's functions take the loop, because parts use each
 * other: a child is a descriptor watch on a real loop and a deferred call on a virtual one. The two
 * kinds of loop differ (`is_virtual`) in five places: clock.c (time stands still), random.c (the
 * seed), signal.c and child.c (injected), work.c (work runs on the calling thread).
 *
 * A watch that is removed during a turn is freed at the end of the turn, because the turn may still
 * have its address: fn == NULL marks it, and loop.c frees it. */
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
	LOOP_BATCH = 256,      /* events fetched per turn */
	LOOP_LANE_WORKERS = 4, /* most threads per lane, started when there is work for them */
	LOOP_POOL_BYTES = 512, /* random bytes fetched at a time */
	/* Longest time of a phase; the rest waits for the next turn. */
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
	sigset_t unblock; /* of these, the ones that were not blocked before the first watch */
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
	size_t under_way; /* submitted, `done` not called yet; used by the loop's thread only */
};

/* `lock` protects all that threads share. */
struct loop_works {
	pthread_mutex_t lock;
	struct loop_lane_state lanes[LOOP_LANE_COUNT];
	struct list posted; /* lock: for the loop */
	struct list due; /* taken from `posted`, to be called now; used by the loop's thread only */
	bool quit;       /* lock */
	int wake;        /* eventfd, readable while `posted` has something */
	struct loop_fd *watch;
	size_t under_way; /* of all lanes */
};

struct loop {
	bool is_virtual;
	bool turning;
	bool stopping;
	struct loop_stats stats;
	int64_t phase_at; /* real: when the phase of the turn began */
	int64_t cpu_at;   /* real: CPU time of the thread when the last turn ended */
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
/* The current time; on a real loop this is not the time of the turn. */
int64_t loop_clock_uptime(const struct loop *loop);
/* CPU time of this thread; 0 on a virtual loop. */
int64_t loop_clock_cpu(const struct loop *loop);
/* Begins a turn: reads the clock, or advances it by `passed` on a virtual loop. */
void loop_clock_turn(struct loop *loop, int64_t passed);

void loop_chance_init(struct loop *loop, uint64_t seed);

void loop_fds_init(struct loop *loop);
int loop_fds_open(struct loop *loop, struct err *err) MUST_CHECK;
void loop_fds_done(struct loop *loop);
/* Does it watch any descriptor other than the one for posts? */
bool loop_fds_has_any(const struct loop *loop);
/* Fetches events into the batch, waiting for at most `wait_us`. The previous batch must have been
 * run. */
void loop_fds_fetch(struct loop *loop, int64_t wait_us);
/* How many events of the batch have not been run yet. */
size_t loop_fds_left(const struct loop *loop);
bool loop_fds_run(struct loop *loop);
/* May the phase continue after one of its calls was made? */
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
