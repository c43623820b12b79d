/* SPDX-License-Identifier: Apache-2.0 */
/* http/dial.c - from a name to a connected socket: a worker thread resolves the name, then its
 * addresses are tried one after the other, within one time limit.
 *
 * A look-up cannot be cancelled: when its stream is freed, it goes on and frees itself at its end.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/mem.h"
#include "http/stream_internal.h"

#include "base/banned.h"

struct lookup {
	struct stream *stream; /* NULL: the stream was freed */
	char *host;
	char port[8];
	struct addrinfo *found;
	int failure;
	int number; /* errno, if the failure is EAI_SYSTEM */
};

struct dial {
	char *host; /* NULL: only `address` */
	int port;
	struct address address; /* the only one, or the one being tried */
	struct lookup *lookup;  /* while it runs */
	struct addrinfo *found, *next;
	struct loop_fd *watch;
	int fd;
	struct err err; /* why the last address failed */
};

struct dial *dial_new(const struct stream_target *target)
{
	struct dial *dial = mem_new(struct dial);

	dial->fd = -1;
	dial->address = target->address;
	dial->port = target->port;
	if (target->address.len == 0)
		dial->host = str_dup(target->host);
	return dial;
}

static void drop_attempt(struct dial *dial)
{
	loop_fd_remove(dial->watch);
	dial->watch = NULL;
	fd_close(fd_take(&dial->fd));
}

void dial_free(struct dial *dial)
{
	if (!dial)
		return;
	drop_attempt(dial);
	if (dial->lookup)
		dial->lookup->stream = NULL;
	if (dial->found)
		freeaddrinfo(dial->found);
	mem_free(dial->host);
	mem_free(dial);
}

/* If the host is an address, it is printed only once. */
static void describe(const struct dial *dial, char *text, size_t size)
{
	char address[ADDRESS_TEXT_SIZE];
	char given[ADDRESS_TEXT_SIZE] = "";

	address_print(&dial->address, address);
	if (dial->host)
		snprintf(given, sizeof(given), strchr(dial->host, ':') ? "[%s]:%d" : "%s:%d",
			 dial->host, dial->port);
	if (!dial->host || str_is(str_from(address), given))
		snprintf(text, size, "%s", address);
	else if (address[0])
		snprintf(text, size, "%s port %d (%s)", dial->host, dial->port, address);
	else
		snprintf(text, size, "%s port %d", dial->host, dial->port);
}

void dial_fail(struct stream *stream, const struct err *why)
{
	struct err err = *why;
	char target[512];

	describe(stream->dial, target, sizeof(target));
	err_wrap(&err, "connect to %s", target);
	stream_fail(stream, &err);
}

static void succeed(struct stream *stream)
{
	struct dial *dial = stream->dial;
	int fd = fd_take(&dial->fd);
	int on = 1;

	loop_fd_remove(dial->watch);
	dial->watch = NULL;
	stream->peer.address = dial->address;
	if (!address_is_unix(&dial->address))
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on,
				 sizeof(on)); /* failure only costs speed */
	stream->dial = NULL;
	dial_free(dial);
	stream_connected(stream, fd);
}

static void try_next(struct stream *stream);

static void on_connect(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct stream *stream = arg;
	struct dial *dial = stream->dial;
	socklen_t len = sizeof(int);
	int number = 0;

	(void)watch;
	(void)events;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &len) < 0)
		number = errno;
	stream_enter(stream);
	if (number == 0) {
		succeed(stream);
	} else {
		err_errno(&dial->err, number, "connection");
		drop_attempt(dial);
		try_next(stream);
	}
	(void)stream_leave(stream); /* nothing follows */
}

/* Starts to connect to dial->address. -1: it failed at once; dial->err says why. */
static int try_address(struct stream *stream)
{
	struct dial *dial = stream->dial;
	const struct sockaddr *to = (const struct sockaddr *)&dial->address.sockaddr;

	dial->fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (dial->fd < 0)
		return err_errno(&dial->err, errno, "socket");
	if (connect(dial->fd, to, dial->address.len) == 0) {
		succeed(stream);
		return 0;
	}
	if (errno != EINPROGRESS) {
		err_errno(&dial->err, errno, "connection");
		fd_close(fd_take(&dial->fd));
		return -1;
	}
	dial->watch =
		loop_fd_add(stream->loop, dial->fd, LOOP_WRITE, on_connect, stream, &dial->err);
	if (!dial->watch) {
		fd_close(fd_take(&dial->fd));
		return -1;
	}
	return 0;
}

static void try_next(struct stream *stream)
{
	struct dial *dial = stream->dial;

	while (dial->next) {
		struct addrinfo *info = dial->next;

		dial->next = info->ai_next;
		if (info->ai_addrlen > sizeof(dial->address.sockaddr))
			continue;
		memcpy(&dial->address.sockaddr, info->ai_addr, info->ai_addrlen);
		dial->address.len = info->ai_addrlen;
		if (try_address(stream) == 0)
			return;
	}
	dial->err.code = ERR_UNAVAILABLE;
	dial_fail(stream, &dial->err);
}

static void look_up(void *arg)
{
	struct lookup *lookup = arg;
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};

	lookup->failure = getaddrinfo(lookup->host, lookup->port, &hints, &lookup->found);
	lookup->number = errno;
}

static void free_lookup(struct lookup *lookup)
{
	if (lookup->found)
		freeaddrinfo(lookup->found);
	mem_free(lookup->host);
	mem_free(lookup);
}

static void looked_up(void *arg)
{
	struct lookup *lookup = arg;
	struct stream *stream = lookup->stream;
	struct err err;

	if (!stream) {
		free_lookup(lookup);
		return;
	}
	stream->dial->lookup = NULL;
	stream_enter(stream);
	if (lookup->failure) {
		if (lookup->failure == EAI_SYSTEM)
			err_errno(&err, lookup->number, "name");
		else
			err_set(&err, ERR_UNAVAILABLE, "%s", gai_strerror(lookup->failure));
		err.code = ERR_UNAVAILABLE;
		dial_fail(stream, &err);
	} else {
		stream->dial->found = stream->dial->next = TAKE(lookup->found);
		try_next(stream);
	}
	(void)stream_leave(stream); /* nothing follows */
	free_lookup(lookup);
}

void dial_start(struct stream *stream)
{
	struct dial *dial = stream->dial;
	struct lookup *lookup;
	struct err err;

	stream->state = STREAM_DIALLING;
	if (dial->host && address_parse_ip(str_from(dial->host), dial->port, &dial->address, NULL))
		dial->address.len = 0;
	if (dial->address.len) {
		if (try_address(stream) < 0) {
			dial->err.code = ERR_UNAVAILABLE;
			dial_fail(stream, &dial->err);
		}
		return;
	}
	lookup = mem_new(struct lookup);
	lookup->stream = stream;
	lookup->host = mem_strdup(dial->host);
	snprintf(lookup->port, sizeof(lookup->port), "%d", dial->port);
	if (loop_work(stream->loop, LOOP_LANE_RESOLVE, look_up, looked_up, lookup, &err) < 0) {
		free_lookup(lookup);
		err.code = ERR_UNAVAILABLE;
		dial_fail(stream, &err);
		return;
	}
	dial->lookup = lookup;
}
