/* SPDX-License-Identifier: Apache-2.0 */
/* pod/pod_messages.c - how an agent and the supervisor of a pod find one another.
 *
 * Sockets are reached through /proc/self/fd, so that no path is too long. Their folder belongs to the node, has
 * mode 0700 and is hidden from pods; a process that connects also has to know the secret, and to run as the same
 * user or as root.
 *
 * Always true: the lock of a pod's folder is released with the process that took it; the lock alone decides
 * whether there is a supervisor. */
#include "pod/pod_messages.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"

#include "base/banned.h"

#define HELD "held" /* locked if the file system has no locks for folders */

enum { BACKLOG = 4 };

/* --- who holds a pod --- */

int pod_folder_lock(int folder, int *ret_lock)
{
	AUTO(fd_close) int file = -1;

	*ret_lock = -1;
	if (flock(folder, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK || errno == EINTR)
		return -1;
	file = openat(folder, HELD, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file < 0 || flock(file, LOCK_EX | LOCK_NB) < 0)
		return -1;
	*ret_lock = fd_take(&file);
	return 0;
}

/* False: it cannot be locked. If the lock is free, this takes it for a moment: a process that wants to hold it
 * retries. */
static bool test_lock(int fd, bool *ret_held)
{
	int rc = flock(fd, LOCK_SH | LOCK_NB);

	*ret_held = rc < 0 && errno == EWOULDBLOCK;
	return rc == 0 || *ret_held; /* released with the descriptor */
}

bool pod_folder_is_locked(const char *folder)
{
	AUTO(fd_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO(fd_close) int file = -1;
	bool held = false;

	if (fd < 0 || test_lock(fd, &held))
		return held;
	file = openat(fd, HELD, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	return file >= 0 && test_lock(file, &held) && held;
}

/* --- sockets --- */

const char *pod_socket_name(const char *folder)
{
	const char *slash = strrchr(folder, '/');

	return slash ? slash + 1 : folder;
}

/* The address of the socket in the folder of which `control` is a descriptor. */
static socklen_t address_of(int control, const char *name, struct sockaddr_un *ret)
{
	int len;

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	len = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", control, name);
	if (len <= 0 || (size_t)len >= sizeof(ret->sun_path))
		return 0;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len + 1);
}

static int open_control(const char *control, struct err *err)
{
	int fd = open(control, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		(void)err_errno(err, errno, "%s", control);
	return fd;
}

int pod_socket_listen(const char *control, const char *name, struct err *err)
{
	AUTO(fd_close) int dir = open_control(control, err);
	AUTO(fd_close)
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;
	socklen_t len;

	if (dir < 0)
		return -1;
	len = address_of(dir, name, &address);
	(void)unlinkat(dir, name,
		       0); /* a killed supervisor has left it; this process holds the pod */
	if (!len || fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 ||
	    fchmodat(dir, name, 0600, 0) < 0 || listen(fd, BACKLOG) < 0)
		return err_errno(err, len ? errno : ENAMETOOLONG, "%s/%s", control, name);
	return fd_take(&fd);
}

void pod_socket_remove(const char *control, const char *name)
{
	AUTO(fd_close) int dir = open_control(control, NULL);

	if (dir >= 0)
		(void)unlinkat(dir, name, 0);
}

/* Is the other end the owner of the folder, or root? */
static bool is_owners(int dir, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	struct stat info;

	return fstat(dir, &info) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == info.st_uid || peer.uid == geteuid() || peer.uid == 0);
}

int pod_socket_read_secret(const char *control, char ret[POD_SOCKET_SECRET_SIZE], struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/" POD_SOCKET_SECRET, control);
	AUTO(buf_done) struct buf text = BUF_INIT(POD_SOCKET_SECRET_SIZE + 64);
	struct str secret;

	if (fd_read_file(path, &text, err) < 0)
		return -1;
	secret = str_trim(buf_str(&text));
	if (secret.len != POD_SOCKET_SECRET_SIZE - 1)
		return err_set(err, ERR_INVALID, "%s does not hold a secret of %d digits", path,
			       POD_SOCKET_SECRET_SIZE - 1);
	(void)snprintf(ret, POD_SOCKET_SECRET_SIZE, "%.*s", STR_ARG(secret));
	return 0;
}

/* Does not wait if too many have connected already. */
int pod_socket_connect(const char *control, const char *name, struct err *err)
{
	AUTO(fd_close) int dir = open_control(control, err);
	AUTO(fd_close)
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char secret[POD_SOCKET_SECRET_SIZE];
	struct sockaddr_un address;
	socklen_t len;
	char text[POD_SOCKET_SECRET_SIZE + sizeof(POD_SOCKET_AGENT)];
	int size;

	if (dir < 0 || pod_socket_read_secret(control, secret, err) < 0)
		return -1;
	len = address_of(dir, name, &address);
	if (!len || fd < 0 || connect(fd, (struct sockaddr *)&address, len) < 0) {
		int number = !len ? ENAMETOOLONG : errno == ECONNREFUSED ? ENOENT : errno;

		return err_errno(err, number, "the supervisor of %s", name);
	}
	if (!is_owners(dir, fd))
		return err_set(err, ERR_FORBIDDEN, "the supervisor of %s is another user's", name);
	size = snprintf(text, sizeof(text), POD_SOCKET_AGENT "%s", secret);
	if (fcntl(fd, F_SETFL, 0) < 0 || send(fd, text, (size_t)size, MSG_NOSIGNAL) < 0)
		return err_errno(err, errno, "the supervisor of %s", name);
	return fd_take(&fd);
}

/* Takes the same time wherever the texts differ. */
bool pod_socket_is_agent(const char *message, size_t len, const char *secret)
{
	const size_t head = sizeof(POD_SOCKET_AGENT) - 1;
	unsigned char differs = 0;

	if (len != head + POD_SOCKET_SECRET_SIZE - 1 ||
	    memcmp(message, POD_SOCKET_AGENT, head) != 0)
		return false;
	for (size_t i = 0; i < POD_SOCKET_SECRET_SIZE - 1; i++)
		differs |= (unsigned char)(message[head + i] ^ secret[i]);
	return differs == 0;
}
