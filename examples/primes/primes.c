/* SPDX-License-Identifier: Apache-2.0 */
/* primes - counts the primes below a number, with as many machines as there are.
 *
 *	primes coordinator LIMIT [FILE]   hands out ranges, adds up what comes back; keeps the last range
 *	                                  until the file is there: who shows it off sets the pace
 *	primes worker NUMBER              counts primes in ranges until there are no more
 *	primes speed                      numbers that one CPU checks per second, about
 *
 * The coordinator is found by the name that Volcano's svc plugin puts into the environment of every pod
 * of the job, $VC_COORDINATOR_HOSTS. They speak lines over TCP:
 *
 *	worker       hello NUMBER
 *	coordinator  range FROM TO        or: done
 *	worker       count N
 *
 * A worker that goes away, for whatever reason, loses nothing: its range goes to another one, and when
 * it comes back it is given new ones. The coordinator ends when every number has been looked at. */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	PORT = 7117,
	WORKERS_MAX = 64,
	LINE_BYTES = 128,
	RANGE = 1 << 24,
	PIECE = 1 << 18,
	TRIES = 600,
	LOOK_MS = 100
};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static int64_t number(const char *text)
{
	char *end;
	int64_t value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || value < 0) {
		(void)fprintf(stderr, "primes: \"%s\" is no number\n", text);
		exit(EXIT_FAILURE);
	}
	return value;
}

/* 1,234,567 */
static const char *pretty(int64_t value, char text[32])
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%" PRId64, value);
	int to = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			text[to++] = ',';
		text[to++] = digits[i];
	}
	text[to] = 0;
	return text;
}

/* The addresses of the coordinator, by its name. */
static struct addrinfo *find_coordinator(int flags)
{
	const char *hosts = getenv("VC_COORDINATOR_HOSTS");
	struct addrinfo hints = {
		.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
	struct addrinfo *found = NULL;
	char port[16];

	(void)snprintf(port, sizeof(port), "%d", PORT);
	if (getaddrinfo(hosts && *hosts ? hosts : "localhost", port, &hints, &found) != 0)
		return NULL;
	return found;
}

/* --- counting ----------------------------------------------------------------------------------- */

/* Primes in [from, to), by a sieve of odd numbers: those below the root strike out their multiples. */
static int64_t count_piece(int64_t from, int64_t to)
{
	char struck[PIECE] = {0};
	int64_t count = from <= 2 && 2 < to;

	for (int64_t p = 3; p * p < to; p += 2) {
		int64_t first = (from + p - 1) / p * p;

		if (first < p * p)
			first = p * p;
		if (first % 2 == 0)
			first += p;
		for (int64_t i = first; i < to; i += 2 * p)
			struck[i - from] = 1;
	}
	for (int64_t i = from | 1; i < to; i += 2)
		count += i > 1 && !struck[i - from];
	return count;
}

/* Piece by piece, each of which fits into the cache. */
static int64_t count_primes(int64_t from, int64_t to)
{
	int64_t count = 0;

	for (; from < to; from += PIECE)
		count += count_piece(from, from + PIECE < to ? from + PIECE : to);
	return count;
}

/* --- the worker --------------------------------------------------------------------------------- */

/* The coordinator may not be up yet: gangs start together, but none is first. */
static FILE *connect_to_coordinator(void)
{
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};

	for (int i = 0; i < TRIES; i++) {
		struct addrinfo *found = find_coordinator(0);
		int fd = found ? socket(found->ai_family, found->ai_socktype, 0) : -1;

		if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0) {
			freeaddrinfo(found);
			return fdopen(fd, "r+");
		}
		if (fd >= 0)
			(void)close(fd);
		if (found)
			freeaddrinfo(found);
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

static int work(const char *name)
{
	FILE *coordinator = connect_to_coordinator();
	char line[LINE_BYTES];
	int64_t ranges = 0;

	if (!coordinator)
		die("the coordinator cannot be reached");
	(void)printf("worker %s counts for %s\n", name,
		     getenv("VC_COORDINATOR_HOSTS") ? getenv("VC_COORDINATOR_HOSTS") : "localhost");
	(void)fflush(stdout);
	(void)fprintf(coordinator, "hello %s\n", name);
	(void)fflush(coordinator);
	while (fgets(line, sizeof(line), coordinator) && strncmp(line, "range ", 6) == 0) {
		char *rest;
		int64_t from = strtoll(line + 6, &rest, 10);
		int64_t to = strtoll(rest, NULL, 10);

		(void)fprintf(coordinator, "count %" PRId64 "\n", count_primes(from, to));
		(void)fflush(coordinator);
		ranges++;
	}
	(void)fclose(coordinator);
	if (strncmp(line, "done", 4) != 0) {
		(void)fprintf(stderr, "the coordinator closed the connection\n");
		return EXIT_FAILURE;
	}
	(void)printf("done: %" PRId64 " ranges\n", ranges);
	return EXIT_SUCCESS;
}

/* --- the coordinator ---------------------------------------------------------------------------- */

struct worker {
	int fd; /* -1: none */
	char name[16];
	char line[LINE_BYTES];
	size_t len;
	int64_t from; /* the range that it counts; -1: none */
};

struct job {
	int64_t limit;
	const char *file;          /* the last range waits for it; NULL: it does not */
	int64_t next;              /* the first number that was not handed out yet */
	int64_t lost[WORKERS_MAX]; /* where ranges begin that have to be given again */
	size_t lost_count;
	int64_t looked_at; /* numbers that are done */
	int64_t count;
	int reported; /* tenths that were printed */
	struct worker workers[WORKERS_MAX];
};

static int64_t end_of(const struct job *job, int64_t from)
{
	return from + RANGE < job->limit ? from + RANGE : job->limit;
}

/* Is the last range to be kept for now? */
static bool holds_back(const struct job *job)
{
	return job->file && end_of(job, job->next) == job->limit && access(job->file, F_OK) < 0;
}

static void give_range(struct job *job, struct worker *worker)
{
	char line[LINE_BYTES];
	int len;

	worker->from = -1;
	if (job->lost_count) {
		worker->from = job->lost[--job->lost_count];
	} else if (job->next < job->limit && !holds_back(job)) {
		worker->from = job->next;
		job->next = end_of(job, job->next);
	}
	if (worker->from < 0)
		return; /* it waits: another one may be lost, or the last be kept */
	len = snprintf(line, sizeof(line), "range %" PRId64 " %" PRId64 "\n", worker->from,
		       end_of(job, worker->from));
	/* One that has ended is noticed when it is read from. */
	(void)send(worker->fd, line, (size_t)len, MSG_NOSIGNAL);
}

/* A worker that waits may take what there is at once. */
static void give_waiting(struct job *job)
{
	for (size_t i = 0; i < WORKERS_MAX; i++)
		if (job->workers[i].fd >= 0 && job->workers[i].name[0] && job->workers[i].from < 0)
			give_range(job, &job->workers[i]);
}

static void lose_worker(struct job *job, struct worker *worker)
{
	(void)close(worker->fd);
	worker->fd = -1;
	if (worker->from >= 0)
		job->lost[job->lost_count++] = worker->from;
	if (worker->name[0] && job->looked_at < job->limit)
		(void)printf("worker %s is lost; its range goes to another one\n", worker->name);
	give_waiting(job);
}

static void tell_progress(struct job *job)
{
	char below[32], count[32];
	int tenths = (int)(job->looked_at * 10 / job->limit);

	if (tenths == job->reported || tenths == 10)
		return;
	job->reported = tenths;
	(void)printf("%d0 %%: %s numbers looked at, %s primes so far\n", tenths,
		     pretty(job->looked_at, below), pretty(job->count, count));
}

static void take_line(struct job *job, struct worker *worker, const char *line)
{
	if (strncmp(line, "hello ", 6) == 0) {
		(void)snprintf(worker->name, sizeof(worker->name), "%.15s", line + 6);
		(void)printf("worker %s is here\n", worker->name);
	} else if (strncmp(line, "count ", 6) == 0 && worker->from >= 0) {
		job->count += number(line + 6);
		job->looked_at += end_of(job, worker->from) - worker->from;
		tell_progress(job);
	}
	give_range(job, worker);
}

static void read_worker(struct job *job, struct worker *worker)
{
	ssize_t got = recv(worker->fd, worker->line + worker->len,
			   sizeof(worker->line) - worker->len - 1, 0);
	char *end;

	if (got <= 0) {
		lose_worker(job, worker);
		return;
	}
	worker->len += (size_t)got;
	worker->line[worker->len] = 0;
	while ((end = strchr(worker->line, '\n'))) {
		*end = 0;
		take_line(job, worker, worker->line);
		worker->len -= (size_t)(end + 1 - worker->line);
		memmove(worker->line, end + 1, worker->len + 1);
	}
	if (worker->len == sizeof(worker->line) - 1)
		lose_worker(job, worker); /* not one of ours */
}

static void take_worker(struct job *job, int listener)
{
	int fd = accept(listener, NULL, NULL);

	for (size_t i = 0; fd >= 0 && i < WORKERS_MAX; i++) {
		if (job->workers[i].fd >= 0)
			continue;
		job->workers[i] = (struct worker){.fd = fd, .from = -1};
		return;
	}
	if (fd >= 0)
		(void)close(fd);
}

static int listen_for_workers(void)
{
	struct addrinfo *found = find_coordinator(AI_PASSIVE);
	int yes = 1;
	int fd = found ? socket(found->ai_family, found->ai_socktype, 0) : -1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, WORKERS_MAX) < 0)
		die("the coordinator cannot listen at its name");
	freeaddrinfo(found);
	return fd;
}

static int coordinate(int64_t limit, const char *file)
{
	static struct job job;
	int listener = listen_for_workers();
	char below[32], count[32];

	job.limit = limit;
	job.file = file;
	for (size_t i = 0; i < WORKERS_MAX; i++)
		job.workers[i].fd = -1;
	while (job.looked_at < job.limit) {
		struct pollfd polls[WORKERS_MAX + 1] = {{.fd = listener, .events = POLLIN}};

		for (size_t i = 0; i < WORKERS_MAX; i++)
			polls[i + 1] = (struct pollfd){.fd = job.workers[i].fd, .events = POLLIN};
		(void)fflush(stdout);
		if (poll(polls, WORKERS_MAX + 1, file ? LOOK_MS : -1) < 0 && errno != EINTR)
			die("poll");
		for (size_t i = 0; i < WORKERS_MAX; i++)
			if (polls[i + 1].fd >= 0 && polls[i + 1].revents)
				read_worker(&job, &job.workers[i]);
		if (polls[0].revents)
			take_worker(&job, listener);
		give_waiting(&job);
	}
	for (size_t i = 0; i < WORKERS_MAX; i++)
		if (job.workers[i].fd >= 0)
			(void)send(job.workers[i].fd, "done\n", 5, MSG_NOSIGNAL);
	(void)printf("there are %s primes below %s\n", pretty(job.count, count),
		     pretty(job.limit, below));
	return EXIT_SUCCESS;
}

static int measure(void)
{
	struct timespec begin, end;
	int64_t numbers = 0;
	double seconds;

	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		numbers += count_primes(1000000000 + numbers, 1000000000 + numbers + PIECE) ? PIECE
											    : 0;
		(void)clock_gettime(CLOCK_MONOTONIC, &end);
		seconds = (double)(end.tv_sec - begin.tv_sec) +
			  (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	} while (seconds < 0.5);
	(void)printf("%.0f\n", (double)numbers / seconds);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "speed") == 0)
		return measure();
	if ((argc == 3 || argc == 4) && strcmp(argv[1], "coordinator") == 0)
		return coordinate(number(argv[2]), argc == 4 ? argv[3] : NULL);
	if (argc == 3 && strcmp(argv[1], "worker") == 0)
		return work(argv[2]);
	(void)fprintf(stderr, "usage: primes coordinator LIMIT [FILE] | worker NUMBER | speed\n");
	return EXIT_FAILURE;
}
