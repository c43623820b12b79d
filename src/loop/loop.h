/* SPDX-License-Identifier: Apache-2.0 */
/* loop/loop.h - the event loop: descriptors, timers, signals, children, deferred work, and the only
 * source of time and random numbers.
 *
 * One thread runs one loop; only loop_post() and loop_work() lock. Each turn reads the clock once, so
 * that every callback of a turn sees the same time.
 *
 * A virtual loop (loop_new_virtual) has the same interface and the same code, but its clock stands
 * still while there is anything to do and then jumps to the next timer; its random numbers come
 * from a seed, and work runs on the calling thread. A component that uses only this header runs a
 * simulated day in a second, and each run is the same.
 *
 * Callbacks may add, change and remove any watch, also the one that is being called. After a watch
 * was removed its callback is not called again, even if its event was already fetched. */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/list.h"
#include "base/macro.h"

struct loop;
struct quarantine;

struct loop *loop_new(struct err *err) MUST_CHECK;
/* Virtual time starts at `start` (microseconds since 1970). */
struct loop *loop_new_virtual(uint64_t seed, int64_t start, struct err *err) MUST_CHECK;
/* Every watch and timer must have been removed, or the loop asserts. Running work is waited for, work
 * that has not started is skipped, and `done` of both is called; deferred and posted calls that were not
 * made yet are dropped. Takes NULL. */
void loop_free(struct loop *loop);
DEFINE_AUTO(struct loop *, loop_free);

/* Run until loop_stop(): the turn it is called in ends as usual, and a stop that comes before
 * loop_run() makes that return at once. loop_run() of a virtual loop also returns when the loop is
 * idle: no timer set, no call deferred or posted, no descriptor ready, so that nothing can happen
 * any more.
 *
 * loop_turn() does one turn: waits for at most `wait_us` (negative: without limit), runs what is
 * due, and returns whether anything ran. On a virtual loop it does not wait but lets at most
 * `wait_us` of virtual time pass. In a turn descriptors come first, then timers, then deferred
 * calls; each phase runs what was due when it began, so that no phase can starve the others. A
 * phase that has lasted 4 ms leaves the rest to the next turn, in the same order.
 *
 * Of these only loop_stop() may be called from a callback. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
bool loop_turn(struct loop *loop, int64_t wait_us);
/* Runs turns until nothing is due, without advancing the time. Does not wait for work on other
 * threads. */
void loop_drain(struct loop *loop);
bool loop_is_virtual(const struct loop *loop);

/* The quarantine in which components record the object that they process; borrowed for the life of the
 * loop. NULL: none. */
void loop_set_quarantine(struct loop *loop, struct quarantine *quarantine);
struct quarantine *loop_quarantine(const struct loop *loop);

/* Time. loop_now() is the wall clock in microseconds since 1970; loop_uptime() never goes back and
 * counts from the loop's start. Timers go by the latter. Both stand still during a turn. */
int64_t loop_now(const struct loop *loop);
int64_t loop_uptime(const struct loop *loop);
/* The current uptime, read from the clock also within a turn; only for measuring durations. */
int64_t loop_stopwatch(const struct loop *loop);
/* Has this phase of the turn lasted so long that the rest of it should wait for the next turn? Long
 * work checks this between its steps. Never true on a virtual loop. */
bool loop_is_late(const struct loop *loop);
/* How long turns take, without waiting; 0 on a virtual loop. `cpu` is the CPU time of the loop's thread, so
 * it does not grow when other programs use the CPU. */
enum { LOOP_STEPS = 9 };
extern const int64_t loop_steps_us[LOOP_STEPS]; /* 1, 5, 10, 20, 50, 100, 200, 500, 1000 ms */
struct loop_stats {
	uint64_t turns;
	uint64_t within
		[LOOP_STEPS]; /* turns by duration; each is counted in the first step that is long enough */
	uint64_t cpu_within[LOOP_STEPS];
	int64_t busy_us;
	int64_t cpu_us;
	int64_t longest_us;
	int64_t longest_cpu_us;
};
/* Since the loop was made, or loop_stats_reset() was called. */
void loop_stats(const struct loop *loop, struct loop_stats *ret);
void loop_stats_reset(struct loop *loop);
/* Virtual only: sets the wall clock, as an administrator may; timers do not change. */
void loop_set_wall_clock(struct loop *loop, int64_t now);

/* Random numbers, from the kernel (fit for keys and tokens), or on a virtual loop from the seed. */
void loop_random(struct loop *loop, void *bytes, size_t len);
uint64_t loop_random_u64(struct loop *loop);
/* Uniform in [0, below); `below` must not be 0. */
uint64_t loop_random_below(struct loop *loop, uint64_t below);

/* Descriptors. */
enum { LOOP_READ = 1, LOOP_WRITE = 2, LOOP_HANGUP = 4 };
struct loop_fd;
/* `events` says what happened: LOOP_READ and LOOP_WRITE if they were asked for; LOOP_HANGUP is
 * always delivered, also on errors, and again each turn until the watch is removed. */
typedef void loop_fd_fn(struct loop_fd *watch, int fd, unsigned events, void *arg);
struct loop_fd *loop_fd_add(struct loop *loop, int fd, unsigned events, loop_fd_fn *fn, void *arg,
			    struct err *err) MUST_CHECK;
/* Changes the events to watch for; 0: none. */
void loop_fd_set(struct loop_fd *watch, unsigned events);
/* Takes NULL. The descriptor stays open; close it afterwards, not before (that asserts). */
void loop_fd_remove(struct loop_fd *watch);

/* Timers: made once, set any number of times. The callback is called once per setting, in the order
 * of their due times; those due at the same time, in the order in which they were set. */
struct loop_timer;
typedef void loop_timer_fn(struct loop_timer *timer, void *arg);
struct loop_timer *loop_timer_new(struct loop *loop, loop_timer_fn *fn, void *arg)
	__attribute__((returns_nonnull));
/* Due `after_us` from now (negative counts as 0); replaces an earlier setting. Set to 0 from its
 * own callback it is called in the next turn. */
void loop_timer_set(struct loop_timer *timer, int64_t after_us);
void loop_timer_stop(struct loop_timer *timer);
bool loop_timer_is_set(const struct loop_timer *timer);
/* Accepts NULL; allowed in its own callback. */
void loop_timer_free(struct loop_timer *timer);
DEFINE_AUTO(struct loop_timer *, loop_timer_free);

/* Deferred work: called in this turn or a later one, after the current callback has returned, in
 * order. The struct is the caller's and starts zeroed; it may be cancelled, and deferred again or
 * freed from its own callback. One that is already queued keeps its place; `fn` and `arg` must then
 * be the same. */
typedef void loop_defer_fn(void *arg);
struct loop_defer {
	struct list link;
	loop_defer_fn *fn;
	void *arg;
	bool queued;
};
void loop_defer(struct loop *loop, struct loop_defer *defer, loop_defer_fn *fn, void *arg);
void loop_defer_cancel(struct loop *loop, struct loop_defer *defer);

/* Signals: delivered on the loop, to every watch of that number; blocked for the thread while a
 * watch exists. When the last watch of a number is removed, signals that were not delivered yet are
 * dropped. A child inherits the blocked signals: clear it in posix_spawnattr_setsigmask(). Only one
 * loop of a process should watch a number. */
struct loop_signal;
typedef void loop_signal_fn(struct loop_signal *watch, int signo, void *arg);
struct loop_signal *loop_signal_add(struct loop *loop, int signo, loop_signal_fn *fn, void *arg,
				    struct err *err) MUST_CHECK;
/* Takes NULL. */
void loop_signal_remove(struct loop_signal *watch);
/* Virtual only: as if the process had received the signal. Raising it twice before it is delivered
 * counts once; without a watch it is dropped. */
void loop_signal_raise(struct loop *loop, int signo);

/* Children: called once, when the process has ended; it has been reaped, and the watch is freed
 * when the callback returns. `status` is as from waitpid(), or LOOP_CHILD_UNKNOWN for a process
 * that is not our child (any may be watched) or that other code has reaped. At most one watch per
 * process.
 */
enum { LOOP_CHILD_UNKNOWN = -1 };
struct loop_child;
typedef void loop_child_fn(pid_t pid, int status, void *arg);
struct loop_child *loop_child_add(struct loop *loop, pid_t pid, loop_child_fn *fn, void *arg,
				  struct err *err) MUST_CHECK;
/* Stops watching; the process goes on. Takes NULL; does nothing in the watch's own callback.
 */
void loop_child_remove(struct loop_child *watch);
/* Virtual only: the (pretended) process `pid` ends. This may happen before the process is watched,
 * as with a real one. */
void loop_child_exit(struct loop *loop, pid_t pid, int status);

/* Work on other threads. Each lane (class of work) has its own workers and a bounded queue, so that slow
 * or stuck work delays only its own lane. To wait for a program use loop_child_add() instead.
 *
 * `work` runs on a worker of its lane and may touch nothing but its `arg`; `done` runs on the loop
 * afterwards, in a later turn. Pieces of a lane with several workers may end in any order: to keep an
 * order, hand the next piece in from `done`. On a virtual loop `work` runs in line, and the order of the
 * `done` calls comes from the seed. */
enum loop_lane {
	LOOP_LANE_COMMIT,  /* writes of a store to disk; one worker that is used for nothing else */
	LOOP_LANE_RESOLVE, /* names into addresses */
	LOOP_LANE_KEYS,    /* key pairs: long computations, at low priority */
	LOOP_LANE_FILES,   /* removing and measuring folders */
	LOOP_LANE_BACKUP,  /* copies of a store */
	LOOP_LANE_COMPRESS, /* printing large responses in another form, and compressing them */
	LOOP_LANE_REQUEST,  /* parsing, completing and checking of large requests */
	LOOP_LANE_COUNT
};
typedef void loop_work_fn(void *arg);
typedef void loop_done_fn(void *arg);
/* -1: the lane's queue is full (ERR_TOO_MANY_REQUESTS); neither is called. */
int loop_work(struct loop *loop, enum loop_lane lane, loop_work_fn *work, loop_done_fn *done,
	      void *arg, struct err *err) MUST_CHECK;
/* Waits until no work of this lane is left: work that has not started is skipped, running work is waited
 * for, and `done` of both is called. Call it before freeing what the work reads. It also makes calls of
 * other lanes that arrive meanwhile. */
void loop_lane_drain(struct loop *loop, enum loop_lane lane);

struct loop_lane_stats {
	const char *name; /* "commit" */
	size_t workers;   /* at most */
	size_t queue_max;
	size_t queued;
	size_t running;
	int64_t waiting_us;      /* how long the first piece in the queue has waited */
	int64_t running_us;      /* how long the oldest running piece has run */
	int64_t longest_wait_us; /* in the queue, ever */
	int64_t longest_run_us;  /* ever, of those that have ended */
	uint64_t done;           /* pieces, ever */
	uint64_t refused;        /* because the queue was full, ever */
};
void loop_lane_stats(struct loop *loop, enum loop_lane lane, struct loop_lane_stats *ret);

/* The only function that any thread may call: `fn` is called on the loop, in a later turn. The
 * posts of one thread come in order. */
void loop_post(struct loop *loop, loop_defer_fn *fn, void *arg);

#endif
