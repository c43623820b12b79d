/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/home.c - the data directory. */
#include "programs/volcano/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "json/doc.h"

#include "base/banned.h"

enum { RUN_MAX_BYTES = 64 * 1024, LOCK_TRIES = 50, LOCK_PAUSE_MS = 10 };

char *home_path(const char *folder, const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

static bool is_empty(const char *folder)
{
	struct dirent **names = NULL;
	int count = scandir(folder, &names, NULL, NULL);

	for (int i = 0; i < count; i++)
		free(names[i]); /* the C library's */
	free(names);
	return count == 2; /* "." and ".." */
}

/* Who may write into the folder could replace anything in it at any time. A new one, such as a disk that was just
 * mounted, is closed; what was there before is not ours to close. */
static int check_owner(const char *folder, struct err *err)
{
	struct stat status;

	if (stat(folder, &status) < 0)
		return err_errno(err, errno, "%s", folder);
	if (!S_ISDIR(status.st_mode))
		return err_set(err, ERR_BAD_REQUEST, "%s: is not a folder", folder);
	if (status.st_uid != geteuid())
		return err_set(err, ERR_FORBIDDEN,
			       "%s: belongs to user %lu, not to user %lu, who runs volcano; "
			       "choose another --data-dir",
			       folder, (unsigned long)status.st_uid, (unsigned long)geteuid());
	if ((status.st_mode & S_IWOTH) &&
	    !(is_empty(folder) && chmod(folder, 0700) == 0 && is_empty(folder)))
		return err_set(err, ERR_FORBIDDEN,
			       "%s: every user may write there; `chmod o-w %s`, or choose another "
			       "--data-dir",
			       folder, folder);
	return 0;
}

char *home_make(const char *folder, struct err *err)
{
	AUTO(mem_free) char *path = mem_strdup(folder);
	char *absolute;
	char *result;

	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST) {
			(void)err_errno(err, errno, "%s", path);
			return NULL;
		}
		*at = '/';
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST) {
		(void)err_errno(err, errno, "%s", path);
		return NULL;
	}
	absolute = realpath(path, NULL);
	if (!absolute) {
		(void)err_errno(err, errno, "%s", path);
		return NULL;
	}
	result = check_owner(absolute, err) < 0 ? NULL : mem_strdup(absolute);
	free(absolute); /* the C library's */
	return result;
}

/* The process number in the lock's file; 0 if it has none. */
static pid_t read_pid(int fd)
{
	char text[32];
	ssize_t len = pread(fd, text, sizeof(text), 0);
	int64_t pid = 0;

	if (len <= 0 ||
	    number_parse_range(str_trim(str_of(text, (size_t)len)), 1, INT32_MAX, &pid, NULL) < 0)
		return 0;
	return (pid_t)pid;
}

/* One that was just killed holds it until it has ended, which is soon. */
static int lock(int fd)
{
	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (errno != EWOULDBLOCK || tries == LOCK_TRIES)
			return -1;
		(void)poll(NULL, 0, LOCK_PAUSE_MS);
	}
	return 0;
}

int home_lock(const char *folder, struct err *err)
{
	AUTO(mem_free) char *path = home_path(folder, "lock");
	AUTO(fd_close) int fd = fd_open_own(path, O_RDWR | O_CREAT, 0600, err);
	char text[32];
	int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

	if (fd < 0)
		return -1;
	if (lock(fd) < 0) {
		if (errno != EWOULDBLOCK)
			return err_errno(err, errno, "%s", path);
		return err_set(err, ERR_ALREADY_EXISTS,
			       "volcano is already running in %s (process %ld); "
			       "`volcano down --data-dir %s` stops it",
			       folder, (long)read_pid(fd), folder);
	}
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)len, 0) != len)
		return err_errno(err, errno, "%s", path);
	return fd_take(&fd);
}

/* Reading is enough for that: the disk may have turned read-only under the one that runs. */
pid_t home_holder(const char *folder, struct err *err)
{
	AUTO(mem_free) char *path = home_path(folder, "lock");
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, errno, "%s", path);
	if (flock(fd, LOCK_SH | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK ? read_pid(fd) : err_errno(err, errno, "%s", path);
}

struct json_doc *home_read_run(const char *folder, struct err *err)
{
	AUTO(mem_free) char *path = home_path(folder, "run.json");
	AUTO(buf_done) struct buf text = BUF_INIT(RUN_MAX_BYTES);
	struct json_doc *doc;

	if (fd_read_file(path, &text, err) < 0)
		return NULL;
	doc = json_parse(buf_str(&text), NULL, err);
	if (!doc)
		(void)err_wrap(err, "%s", path);
	return doc;
}

int home_write_run(const char *folder, const struct json_doc *doc, struct err *err)
{
	AUTO(mem_free) char *path = home_path(folder, "run.json");
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(json_doc_root(doc), JSON_PRETTY, &text);
	buf_putc(&text, '\n');
	return fd_write_file(path, text.ptr, text.len, 0600, err);
}

void home_remove_run(const char *folder)
{
	AUTO(mem_free) char *path = home_path(folder, "run.json");

	(void)unlink(path); /* the lock shows that nothing runs */
}
