/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/volcano_backup.c - `volcano backup`: have the one that runs copy its store. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"
#include "json/doc.h"
#include "programs/volcano/ask.h"
#include "programs/volcano/home.h"
#include "programs/volcano/settings.h"
#include "programs/volcano/volcano_commands.h"

#include "base/banned.h"

/* The server has another working directory, and follows no links: the folder above the copy is resolved
 * here, its own name stays as it is. */
static int put_absolute(const char *folder, struct buf *to, struct err *err)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;
	struct str name = str_from(folder);
	AUTO(mem_free) char *above = NULL;
	char *real;

	while (name.len > 1 && name.ptr[name.len - 1] == '/')
		name.len--;
	above = str_dup(str_slice(name, 0, (size_t)(str_rfind_byte(name, '/') + 1)));
	real = realpath(above[0] ? above : ".", NULL);
	if (!real)
		return err_errno(err, errno, "%s", above[0] ? above : "the working directory");
	buf_printf(&path, "%s/%.*s", str_is(str_from(real), "/") ? "" : real,
		   STR_ARG(str_skip(name, (size_t)(str_rfind_byte(name, '/') + 1))));
	free(real); /* the C library's */
	url_encode_query(buf_str(&path), to);
	return 0;
}

int backup_run(void *program, struct err *err)
{
	struct settings *settings = program;
	AUTO(buf_done) struct buf target = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	pid_t pid;

	if (!settings->to)
		return err_set(err, ERR_BAD_REQUEST, "say where: --to FOLDER");
	pid = home_holder(settings->folder, err);
	if (pid < 0)
		return -1;
	if (!pid)
		return err_set(err, ERR_NOT_FOUND,
			       "volcano is not running in %s; copy its folder store as it is",
			       settings->folder);
	buf_puts(&target, "/backup?folder=");
	if (put_absolute(settings->to, &target, err) < 0)
		return -1;
	doc = ask_server(settings->folder, "POST", buf_text(&target), err);
	if (!doc)
		return -1;
	printf("the store at revision %" PRId64 " is in %.*s\n",
	       json_int(json_get(json_doc_root(doc), "revision")),
	       STR_ARG(json_str(json_get(json_doc_root(doc), "folder"))));
	return 0;
}
