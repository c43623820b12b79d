/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_loop.c - the real loop: what an event costs, however many descriptors are watched.
 *
 * token: one byte goes round a ring of socket pairs; each step is a read, a write and a wake-up.
 * defer, post, work: a call through each of the queues, one at a time; `work` goes to a thread and
 * back. These are latencies, so they are measured by the wall's clock. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

struct ring {
	struct loop *loop;
	size_t count;
	size_t left; /* steps until the loop is stopped */
	struct station {
		struct ring *ring;
		struct station *next;
		int fds[2]; /* read here, written to by the station before */
		struct loop_fd *watch;
	} stations[];
};

static void on_token(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct station *station = arg;
	char token;

	(void)watch;
	(void)events;
	if (read(fd, &token, 1) != 1 || write(station->next->fds[1], &token, 1) != 1)
		return;
	if (--station->ring->left == 0)
		loop_stop(station->ring->loop);
}

static struct ring *ring_new(struct loop *loop, size_t count, struct err *err)
{
	struct ring *ring = mem_zalloc(sizeof(*ring) + count * sizeof(ring->stations[0]));

	ring->loop = loop;
	ring->count = count;
	for (size_t i = 0; i < count; i++) {
		struct station *station = &ring->stations[i];

		station->ring = ring;
		station->next = &ring->stations[(i + 1) % count];
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, station->fds) < 0)
			bench_require(false, (err_errno(err, errno, "socket pair %zu", i), err));
		station->watch =
			loop_fd_add(loop, station->fds[0], LOOP_READ, on_token, station, err);
		bench_require(station->watch != NULL, err);
	}
	return ring;
}

static void ring_free(struct ring *ring)
{
	for (size_t i = 0; i < ring->count; i++) {
		loop_fd_remove(ring->stations[i].watch);
		fd_close(ring->stations[i].fds[0]);
		fd_close(ring->stations[i].fds[1]);
	}
	mem_free(ring);
}

struct chain {
	struct loop *loop;
	struct loop_defer defer;
	size_t left;
	void (*next)(struct chain *chain);
};

static void on_link(void *arg)
{
	struct chain *chain = arg;

	if (--chain->left > 0)
		chain->next(chain);
	else
		loop_stop(chain->loop);
}

static void on_work(void *arg)
{
	(void)arg;
}

static void next_defer(struct chain *chain)
{
	loop_defer(chain->loop, &chain->defer, on_link, chain);
}

static void next_post(struct chain *chain)
{
	loop_post(chain->loop, on_link, chain);
}

static void next_work(struct chain *chain)
{
	if (loop_work(chain->loop, LOOP_LANE_FILES, on_work, on_link, chain, NULL) < 0)
		loop_stop(chain->loop); /* never: one piece at a time */
}

static void measure_chain(struct bench_run *run, struct loop *loop, const char *name,
			  void (*next)(struct chain *chain))
{
	enum { LINKS = 100 };
	struct chain chain = {.loop = loop, .next = next};

	bench_phase_wall(run, name);
	while (bench_round(run, LINKS)) {
		chain.left = LINKS;
		chain.next(&chain);
		loop_run(loop);
	}
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit); /* or socketpair() will say so */
	}
}

static void measure_loop(struct bench_run *run)
{
	struct err err = {0};
	AUTO(loop_free) struct loop *loop = loop_new(&err);

	bench_require(loop != NULL, &err);
	raise_limit();
	size_t heap = bench_heap();
	struct ring *ring = ring_new(loop, bench_size(run), &err);

	bench_value(run, "bytes_per_watch", (double)(bench_heap() - heap) / (double)ring->count);
	bool sent = write(ring->stations[0].fds[1], "x", 1) == 1;

	bench_require(sent, &(struct err){.text = "the token could not be sent"});
	bench_phase(run, "token");
	while (bench_round(run, ring->count)) {
		ring->left = ring->count;
		loop_run(loop);
	}
	ring_free(ring);
	measure_chain(run, loop, "defer", next_defer);
	measure_chain(run, loop, "post", next_post);
	measure_chain(run, loop, "work", next_work);
}

const struct bench bench_loop = {
	.name = "loop",
	.about = "the event loop: an event among watched sockets, deferred, posted, worked "
		 "on",
	.item = "watches",
	.size = 1000,
	.run = measure_loop,
};
