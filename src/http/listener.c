/* SPDX-License-Identifier: Apache-2.0 */
/* http/listener.c - accepts up to a few dozen connections per turn.
 *
 * A spare descriptor is kept open: when the process has none left, it is closed for a moment to
 * accept the waiting connection and close it, so that the client gets an error at once. */
#include "http/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { ACCEPT_ROUNDS = 64, BACKLOG = 4096 };

struct listener {
	struct loop *loop;
	struct loop_fd *watch;
	struct loop_timer *rest; /* until accepting is tried again */
	int fd;
	int spare;
	struct address address;
	char *file; /* of a Unix socket that we made; NULL: none */
	listener_accept_fn *fn;
	void *arg;
	bool paused;
	bool resting;
	bool accepting; /* the callback is on the stack: memory stays until it returns */
	bool freed;
};

static void update_interest(struct listener *listener)
{
	loop_fd_set(listener->watch, listener->paused || listener->resting ? 0 : LOOP_READ);
}

static void on_rested(struct loop_timer *timer, void *arg)
{
	struct listener *listener = arg;

	(void)timer;
	listener->resting = false;
	update_interest(listener);
}

/* No descriptor left: closes the waiting connection and stops accepting for a moment. */
static void shed(struct listener *listener)
{
	fd_close(fd_take(&listener->spare));
	fd_close(accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	listener->resting = true;
	update_interest(listener);
	loop_timer_set(listener->rest, 50 * TIME_MILLISECOND);
}

static void on_waiting(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct listener *listener = arg;
	int on = 1;

	(void)watch;
	(void)events;
	listener->accepting = true;
	for (int i = 0; i < ACCEPT_ROUNDS && !listener->freed && !listener->paused; i++) {
		int got = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (got >= 0) {
			if (!address_is_unix(&listener->address))
				(void)setsockopt(got, IPPROTO_TCP, TCP_NODELAY, &on,
						 sizeof(on)); /* failure only costs speed */
			listener->fn(got, listener->arg);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			   errno == ENOMEM) {
			shed(listener);
			break;
		} else if (errno != EINTR && errno != ECONNABORTED) {
			break; /* EAGAIN, or a connection that was closed before it was accepted */
		}
	}
	listener->accepting = false;
	if (listener->freed)
		mem_free(listener);
}

struct listener *listener_adopt(struct loop *loop, int fd, listener_accept_fn *fn, void *arg,
				struct err *err)
{
	AUTO(listener_free) struct listener *listener = mem_new(struct listener);

	listener->loop = loop;
	listener->fd = fd;
	listener->fn = fn;
	listener->arg = arg;
	listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	listener->address.len = sizeof(listener->address.sockaddr);
	if (getsockname(fd, (struct sockaddr *)&listener->address.sockaddr,
			&listener->address.len) < 0) {
		err_errno(err, errno, "getsockname");
		return NULL;
	}
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
		err_errno(err, errno, "fcntl");
		return NULL;
	}
	listener->rest = loop_timer_new(loop, on_rested, listener);
	listener->watch = loop_fd_add(loop, fd, LOOP_READ, on_waiting, listener, err);
	if (!listener->watch)
		return NULL;
	return TAKE(listener);
}

/* A socket file may be replaced only if no process listens on it. */
static void remove_dead_socket(const struct address *address, const char *path)
{
	AUTO(fd_close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat status;

	if (fd < 0 || lstat(path, &status) < 0 || !S_ISSOCK(status.st_mode))
		return;
	if (connect(fd, (const struct sockaddr *)&address->sockaddr, address->len) < 0 &&
	    errno == ECONNREFUSED)
		(void)unlink(path); /* if it fails, bind() reports it */
}

static int open_socket(const struct address *address, const char *file, struct err *err)
{
	const struct sockaddr *to = (const struct sockaddr *)&address->sockaddr;
	AUTO(fd_close) int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[ADDRESS_TEXT_SIZE];
	int on = 1;
	mode_t mask;
	int rc;

	address_print(address, text);
	if (fd < 0)
		return err_errno(err, errno, "listen on %s", text);
	if (!file)
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on,
				 sizeof(on)); /* if it fails, bind() reports it */
	else
		remove_dead_socket(address, file);
	mask = umask(0177);
	rc = bind(fd, to, address->len);
	umask(mask);
	if (rc < 0 || listen(fd, BACKLOG) < 0)
		return err_errno(err, errno, "listen on %s", text);
	return fd_take(&fd);
}

struct listener *listener_new(struct loop *loop, const struct address *address,
			      listener_accept_fn *fn, void *arg, struct err *err)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&address->sockaddr;
	const char *file =
		address_is_unix(address) && un->sun_path[0] != '\0' ? un->sun_path : NULL;
	struct listener *listener;
	int fd;

	if (address->len == 0) {
		err_set(err, ERR_BAD_REQUEST, "no address to listen on");
		return NULL;
	}
	fd = open_socket(address, file, err);
	if (fd < 0)
		return NULL;
	listener = listener_adopt(loop, fd, fn, arg, err);
	if (listener && file)
		listener->file = mem_strdup(file);
	return listener;
}

void listener_free(struct listener *listener)
{
	if (!listener)
		return;
	loop_fd_remove(listener->watch);
	loop_timer_free(listener->rest);
	fd_close(listener->fd);
	fd_close(listener->spare);
	if (listener->file)
		(void)unlink(listener->file); /* it may already be removed */
	mem_free(listener->file);
	listener->freed = true;
	if (!listener->accepting)
		mem_free(listener);
}

const struct address *listener_address(const struct listener *listener)
{
	return &listener->address;
}

void listener_pause(struct listener *listener)
{
	listener->paused = true;
	update_interest(listener);
}

void listener_resume(struct listener *listener)
{
	listener->paused = false;
	update_interest(listener);
}
