/* SPDX-License-Identifier: Apache-2.0 */
/* loop/file_watch.h - reports that a file may have changed.
 *
 * The folder is watched, so that a file that is replaced is seen, and the swapped links of a mounted
 * ConfigMap or Secret as well. Changes come in bursts (a file is written, closed, renamed): the
 * callback is called once, a moment after the last of them. It may be called without a change. */
#ifndef LOOP_FILE_WATCH_H
#define LOOP_FILE_WATCH_H

#include "base/err.h"
#include "base/macro.h"

struct file_watch;
struct loop;

typedef void file_watch_fn(void *arg);

/* The folder must exist, the file need not. */
struct file_watch *file_watch_new(struct loop *loop, const char *path, file_watch_fn *changed,
				  void *arg, struct err *err) MUST_CHECK;
/* Takes NULL; allowed in the callback. */
void file_watch_free(struct file_watch *watch);
DEFINE_AUTO(struct file_watch *, file_watch_free);

#endif
