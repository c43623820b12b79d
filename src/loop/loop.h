/* SPDX-License-Identifier: Apache-2.0 */
/* loop/loop.h - the event loop: descriptors, timers, signals, children, deferred work, and the only
 * places where time and chance come from.
 *
 * One thread runs one loop; nothing here locks but loop_post() and loop_work(). Each turn reads the clock once, so
 * that every callback of a turn sees the same time.
 *
 * The virtual twin (loop_new_virtual) has the same interface and the same code: its clock stands
 * still while anything is to be done and jumps to the next timer when nothing is, its chance comes
 * from a seed, and its workers run in line. A component that uses nothing but this header runs a
 * simulated day in a second, and twice the same way.
 *
 * Callbacks may add, change and remove any watch, also the one that is being called. Removing is
 * final: the callback is not called again, even if its event had already been seen. */
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
/* Every watch and timer must have been removed, or the loop asserts: nothing is left behind. Work
 * that runs is waited for, work that has not begun is skipped, and the `done` of both is called; deferred
 * and posted calls that were not made yet are dropped. Takes NULL. */
void loop_free(struct loop *loop);
DEFINE_AUTO(struct loop *, loop_free);

/* Run until loop_stop(): the turn it is called in ends as usual, and a stop that comes before
 * loop_run() makes that return at once. A virtual loop also comes back when it is at rest: no timer
 * set, no call deferred or posted, no descriptor ready, so that nothing can happen any more.
 *
 * loop_turn() does one turn: waits for at most `wait_us` (negative: as long as it takes), runs what
 * is due, and says whether anything ran. On a virtual loop it does not wait but lets at most
 * `wait_us` of virtual time pass. In a turn descriptors come first, then timers, then deferred
 * calls; each phase runs what was due when it began, so that none can keep the others waiting. A
 * phase that has lasted 4 ms leaves the rest to the next turn, in the same order.
 *
 * None of these may be called from a callback, but loop_stop(). */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
bool loop_turn(struct loop *loop, int64_t wait_us);
/* Turn until nothing is due, without letting time pass. (Work on a worker is not waited for.) */
void loop_drain(struct loop *loop);
bool loop_is_virtual(const struct loop *loop);

/* Where components note which object they process, for as long as the loop lives; lent. NULL: nowhere. */
void loop_set_quarantine(struct loop *loop, struct quarantine *quarantine);
struct quarantine *loop_quarantine(const struct loop *loop);

/* Time. loop_now() is the wall clock in microseconds since 1970; loop_uptime() never goes back and
 * counts from the loop's start. Timers go by the latter. Both stand still during a turn. */
int64_t loop_now(const struct loop *loop);
int64_t loop_uptime(const struct loop *loop);
/* Uptime read afresh, also within a turn: for measuring how long something took, and nothing else. */
int64_t loop_stopwatch(const struct loop *loop);
/* Has this phase of the turn lasted so long that the rest of it should wait for the next turn? Long
 * work asks between its steps. Never true on a virtual loop. */
bool loop_is_late(const struct loop *loop);
/* How long turns take, without the time that they wait. On a virtual loop they take none. `cpu` counts only
 * what the loop's thread has computed, and so does not grow when other programs use the processor. */
enum { LOOP_STEPS = 9 };
extern const int64_t loop_steps_us[LOOP_STEPS]; /* 1, 5, 10, 20, 50, 100, 200, 500, 1000 ms */
struct loop_stats {
	uint64_t turns;
	uint64_t within
		[LOOP_STEPS]; /* turns that took at most so long, each in the first that fits */
	uint64_t cpu_within[LOOP_STEPS];
	int64_t busy_us;
	int64_t cpu_us;
	int64_t longest_us;
	int64_t longest_cpu_us;
};
/* Since the loop was made, or loop_stats_reset() was called. */
void loop_stats(const struct loop *loop, struct loop_stats *ret);
void loop_stats_reset(struct loop *loop);
/* Virtual only: what the wall clock shows from now on; timers are not touched (a clock that was
 * set). */
void loop_set_wall_clock(struct loop *loop, int64_t now);

/* Chance. From the system, fit for keys and tokens, or on a virtual loop from the seed. */
void loop_random(struct loop *loop, void *bytes, size_t len);
uint64_t loop_random_u64(struct loop *loop);
/* Uniform in [0, below); `below` must not be 0. */
uint64_t loop_random_below(struct loop *loop, uint64_t below);

/* Descriptors. */
enum { LOOP_READ = 1, LOOP_WRITE = 2, LOOP_HANGUP = 4 };
struct loop_fd;
/* `events` says what happened: LOOP_READ and LOOP_WRITE as far as they are asked for; LOOP_HANGUP
 * comes unasked, on error as well, and again each turn until the watch is removed. */
typedef void loop_fd_fn(struct loop_fd *watch, int fd, unsigned events, void *arg);
struct loop_fd *loop_fd_add(struct loop *loop, int fd, unsigned events, loop_fd_fn *fn, void *arg,
			    struct err *err) MUST_CHECK;
/* Ask for other events from now on, or for none (0). */
void loop_fd_set(struct loop_fd *watch, unsigned events);
/* Takes NULL. The descriptor stays open; close it afterwards, not before (that asserts). */
void loop_fd_remove(struct loop_fd *watch);

/* Timers: made once, set as often as wanted. The callback is called once a setting, in the order of
 * their due times; those due at the same time, in the order in which they were set. */
struct loop_timer;
typedef void loop_timer_fn(struct loop_timer *timer, void *arg);
struct loop_timer *loop_timer_new(struct loop *loop, loop_timer_fn *fn, void *arg)
	__attribute__((returns_nonnull));
/* Due `after_us` from now (negative counts as 0); replaces an earlier setting. Set to 0 from its
 * own callback it is called in the next turn. */
void loop_timer_set(struct loop_timer *timer, int64_t after_us);
void loop_timer_stop(struct loop_timer *timer);
bool loop_timer_is_set(const struct loop_timer *timer);
/* Takes NULL; allowed in its own callback. */
void loop_timer_free(struct loop_timer *timer);
DEFINE_AUTO(struct loop_timer *, loop_timer_free);

/* Deferred work: called in this turn or a later one, after the current callback has returned, in
 * order. The struct is the caller's and starts zeroed; it may be cancelled, and deferred again or
 * freed from its own callback. One that is queued already keeps its place; `fn` and `arg` must then
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
 * watch exists. What came before the last watch of a number was removed, and was not delivered yet,
 * is dropped. A child inherits what is blocked: clear it in posix_spawnattr_setsigmask().
 * Only one loop of a process should watch a number. */
struct loop_signal;
typedef void loop_signal_fn(struct loop_signal *watch, int signo, void *arg);
struct loop_signal *loop_signal_add(struct loop *loop, int signo, loop_signal_fn *fn, void *arg,
				    struct err *err) MUST_CHECK;
/* Takes NULL. */
void loop_signal_remove(struct loop_signal *watch);
/* Virtual only: as if the process had got it. Twice before it is delivered counts once; without a
 * watch it is dropped. */
void loop_signal_raise(struct loop *loop, int signo);

/* Children: called once, when the process has ended; it has been reaped, and the watch is gone when
 * the callback returns. `status` is as from waitpid(), or LOOP_CHILD_UNKNOWN for a process that is
 * not our child (any may be watched) or that somebody else has reaped. One watch a process. */
enum { LOOP_CHILD_UNKNOWN = -1 };
struct loop_child;
typedef void loop_child_fn(pid_t pid, int status, void *arg);
struct loop_child *loop_child_add(struct loop *loop, pid_t pid, loop_child_fn *fn, void *arg,
				  struct err *err) MUST_CHECK;
/* Stop watching; the process is left alone. Takes NULL; does nothing in the watch's own callback.
 */
void loop_child_remove(struct loop_child *watch);
/* Virtual only: the (pretended) process `pid` ends. As with a real one, that may come before it is
 * watched. */
void loop_child_exit(struct loop *loop, pid_t pid, int status);

/* Work off the thread, in lanes: each class of work has workers and a bounded queue of its own, so that
 * one that is slow or stuck delays only its own class. A program that is waited for is not work: it is a
 * child on the loop (loop_child_add()).
 *
 * `work` runs on a worker of its lane and may touch nothing but its `arg`; `done` runs on the loop
 * afterwards, in a later turn. Pieces of a lane with several workers may end in any order: to keep an
 * order, hand the next piece in from `done`. On a virtual loop `work` runs in line, and the order of the
 * `done` calls comes from the seed. */
enum loop_lane {
	LOOP_LANE_COMMIT,   /* of a store, to disk: one worker that nothing else ever uses */
	LOOP_LANE_RESOLVE,  /* names into addresses */
	LOOP_LANE_KEYS,     /* key pairs: long computations, at low priority */
	LOOP_LANE_FILES,    /* removing and measuring folders */
	LOOP_LANE_BACKUP,   /* copies of a store */
	LOOP_LANE_COMPRESS, /* of large answers: printed in another form, or compressed */
	LOOP_LANE_REQUEST,  /* parsing, completing and checking of large requests */
	LOOP_LANE_COUNT
};
typedef void loop_work_fn(void *arg);
typedef void loop_done_fn(void *arg);
/* -1: the lane's queue is full (ERR_TOO_MANY_REQUESTS); neither is called. */
int loop_work(struct loop *loop, enum loop_lane lane, loop_work_fn *work, loop_done_fn *done,
	      void *arg, struct err *err) MUST_CHECK;
/* Wait until no work of this lane is left: what has not begun is skipped, what runs is waited for, and the
 * `done` of both is called. For those who are about to free what the work reads. Calls of other lanes that
 * arrive meanwhile are made as well. */
void loop_lane_settle(struct loop *loop, enum loop_lane lane);

struct loop_lane_stats {
	const char *name; /* "commit" */
	size_t workers;   /* at most */
	size_t queue_max;
	size_t queued;
	size_t running;
	int64_t waiting_us;      /* for how long the first in the queue has waited */
	int64_t running_us;      /* for how long the oldest piece that runs has run */
	int64_t longest_wait_us; /* in the queue, ever */
	int64_t longest_run_us;  /* ever, of those that have ended */
	uint64_t done;           /* pieces, ever */
	uint64_t refused;        /* because the queue was full, ever */
};
void loop_lane_stats(struct loop *loop, enum loop_lane lane, struct loop_lane_stats *ret);

/* The one call that any thread may make: have `fn` called on the loop, in a later turn. The posts
 * of one thread come in order. */
void loop_post(struct loop *loop, loop_defer_fn *fn, void *arg);

#endif
