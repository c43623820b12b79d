/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/conf_file.h - the scheduler's configuration from a file, read again when it changes.
 *
 * The folder is watched, so that a file that is replaced is seen, and the swapped links of a mounted
 * ConfigMap as well. A file that was deleted, cannot be read or makes no sense is reported in the log, and
 * what held before holds on. */
#ifndef SCHEDULER_CONF_FILE_H
#define SCHEDULER_CONF_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"

struct conf_file;
struct log;
struct loop;
struct scheduler;

/* The text, for scheduler_new(). */
int conf_file_read(const char *path, struct buf *to, struct err *err) MUST_CHECK;

/* Watch it for a scheduler, which is lent and outlives this. */
struct conf_file *conf_file_watch(struct loop *loop, const char *path, struct scheduler *scheduler,
				  struct log *log, struct err *err) MUST_CHECK;
/* Takes NULL. */
void conf_file_free(struct conf_file *file);
DEFINE_AUTO(struct conf_file *, conf_file_free);

#endif
