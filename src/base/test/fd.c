/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

/* What a file must be to be opened as one's own. */
static void test_own(const char *folder)
{
	AUTO(mem_free) char *path = mem_printf("%s/own", folder);
	AUTO(mem_free) char *victim = mem_printf("%s/victim", folder);
	struct stat info;
	struct err err;
	int fd;

	fd = fd_open_own(path, O_WRONLY | O_CREAT | O_APPEND, 0600, &err);
	ok(fd >= 0, "a file of one's own is made");
	fd_close(fd);
	fd = fd_open_own(path, O_WRONLY | O_CREAT | O_APPEND, 0600, &err);
	ok(fd >= 0, "and opened again");
	ok((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "close-on-exec");
	fd_close(fd);
	unlink(path);
	ok(symlink(victim, path) == 0, "a link in its place");
	ok(fd_open_own(path, O_WRONLY | O_CREAT | O_APPEND, 0600, &err) < 0 &&
		   err.code == ERR_FORBIDDEN,
	   "is refused");
	ok(strstr(err.text, "is a symbolic link") != NULL, "by that name");
	ok(stat(victim, &info) < 0, "and what it names is not made");
	unlink(path);
	ok(mkfifo(path, 0600) == 0, "a pipe in its place");
	ok(fd_open_own(path, O_RDWR | O_CREAT, 0600, &err) < 0, "is refused, without waiting");
	unlink(path);
	ok(fd_write_file(victim, "x", 1, 0600, &err) == 0 && link(victim, path) == 0,
	   "another name of a file");
	ok(fd_open_own(path, O_RDWR | O_CREAT, 0600, &err) < 0, "is refused");
	unlink(path);
	unlink(victim);
	if (geteuid() == 0) {
		ok(fd_write_file(path, "x", 1, 0666, &err) == 0 && chown(path, 65534, 65534) == 0,
		   "another user's file");
		ok(fd_open_own(path, O_RDWR | O_CREAT, 0600, &err) < 0 &&
			   strstr(err.text, "belongs to user 65534") != NULL,
		   "is refused");
		unlink(path);
	}
}

static bool is_inherited(int fd)
{
	return !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void test_cloexec(void)
{
	int one = dup(STDIN_FILENO);
	int high = fcntl(one, F_DUPFD, 900);
	struct err err;

	ok(is_inherited(one) && is_inherited(high), "two that are inherited");
	ok(fd_set_cloexec(one, &err) == 0 && !is_inherited(one) && is_inherited(high),
	   "one is not");
	ok(fcntl(one, F_SETFD, 0) == 0 && fd_set_cloexec_from(one + 1, &err) == 0 &&
		   is_inherited(one) && !is_inherited(high),
	   "nor are those from a number on");
	ok(fd_set_cloexec_from(STDERR_FILENO + 1, &err) == 0 && !is_inherited(one) &&
		   is_inherited(STDERR_FILENO),
	   "nor is anything but the streams");
	fd_close(one);
	fd_close(high);
	ok(fd_set_cloexec(one, &err) < 0, "one that is closed: %s", err.text);
}

int main(void)
{
	char folder[] = "/tmp/test-fd.XXXXXX";
	AUTO(buf_done) struct buf content = BUF_INIT(100000);
	AUTO(buf_done) struct buf small = BUF_INIT(4);
	AUTO(mem_free) char *path = NULL;
	AUTO(mem_free) char *missing = NULL;
	struct stat info;
	struct err err;

	ok(mkdtemp(folder) != NULL, "a folder");
	path = mem_printf("%s/file", folder);
	missing = mem_printf("%s/none/file", folder);
	ok(fd_write_file(path, "first", 5, 0600, &err) == 0, "a file is written");
	ok(fd_write_file(path, "second", 6, 0640, &err) == 0, "and replaced");
	ok(stat(path, &info) == 0 && (info.st_mode & 0777) == 0640, "with the mode asked for");
	ok(fd_read_file(path, &content, &err) == 0, "and read");
	is(buf_text(&content), "second");
	ok(fd_read_file(path, &small, &err) < 0 && err.code == ERR_TOO_LARGE && small.len == 0,
	   "within the bound of the buffer");
	ok(fd_read_file(missing, &content, &err) < 0 && err.code == ERR_NOT_FOUND, "missing");
	ok(strstr(err.text, missing) == err.text, "the error names the file");
	ok(fd_read_file(folder, &content, &err) < 0, "a folder is not read");
	ok(fd_write_file(missing, "x", 1, 0600, &err) < 0, "nor written into where it is not");
	ok(fd_take(&(int){3}) == 3, "taken");
	fd_close(-1);
	test_own(folder);
	test_cloexec();
	unlink(path);
	ok(rmdir(folder) == 0, "no other file is left");
	return tap_done();
}
