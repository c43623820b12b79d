/* SPDX-License-Identifier: Apache-2.0 */
/* pod/records.c - the records of a pod's containers, kept with its folder.
 *
 * Always true: a record is replaced as a whole, by one call; if there is an attribute, it is newer than the line
 * in the file. */
#include "pod/records.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "pod/record.h"

#include "base/banned.h"

enum { NAME_BYTES = 40, LINE_BYTES = RECORD_SIZE - 1 };

static void name_of(size_t index, char name[NAME_BYTES])
{
	(void)snprintf(name, NAME_BYTES, "user.volcano.%zu", index);
}

static bool put_line(int folder, size_t index, const char text[RECORD_SIZE])
{
	AUTO(fd_close)
	int fd = openat(folder, RECORD_FILE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd >= 0 && pwrite(fd, text, LINE_BYTES, (off_t)(index * LINE_BYTES)) == LINE_BYTES;
}

void records_put(int folder, size_t index, const struct record *record)
{
	char text[RECORD_SIZE];
	char name[NAME_BYTES];

	record_print(record, text);
	name_of(index, name);
	if (fsetxattr(folder, name, text, str_trim(str_from(text)).len, 0) < 0 &&
	    put_line(folder, index, text))
		(void)fremovexattr(folder, name); /* otherwise it would count as newer */
}

static bool get_line(int folder, size_t index, char text[RECORD_SIZE])
{
	AUTO(fd_close) int fd = openat(folder, RECORD_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 && pread(fd, text, LINE_BYTES, (off_t)(index * LINE_BYTES)) == LINE_BYTES;
}

bool records_get(int folder, size_t index, struct record *ret)
{
	char text[RECORD_SIZE];
	char name[NAME_BYTES];
	ssize_t len;

	name_of(index, name);
	len = fgetxattr(folder, name, text, sizeof(text));
	if (len < 0 && get_line(folder, index, text))
		len = LINE_BYTES;
	return len >= 0 && record_parse(str_of(text, (size_t)len), ret, NULL) == 0;
}
