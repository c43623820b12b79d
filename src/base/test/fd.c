/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "tap.h"

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
	unlink(path);
	ok(rmdir(folder) == 0, "nothing else was left behind");
	return tap_done();
}
