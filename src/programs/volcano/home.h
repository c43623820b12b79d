/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/home.h - the data directory: which process uses it, and where it is
 * reached.
 *
 *	lock		held (flock) by the running `volcano up`; its process number is in it
 *	run.json	address, url and start of the one that runs; gone when it has ended
 *	kubeconfig	for its users (apiserver/server.h), with store/ and pki/
 *	volcano.log	what it says when it runs in the background */
#ifndef PROGRAMS_VOLCANO_HOME_H
#define PROGRAMS_VOLCANO_HOME_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macro.h"

struct json_doc;

/* Makes the folder, also those above it, and gives its absolute path, for mem_free(). */
char *home_make(const char *folder, struct err *err) MUST_CHECK;
/* A path in it, for mem_free(). */
char *home_path(const char *folder, const char *name) __attribute__((returns_nonnull));

/* Take it: the descriptor holds the lock until it is closed. ERR_ALREADY_EXISTS if another process has
 * it. */
int home_lock(const char *folder, struct err *err) MUST_CHECK;
/* The process that has it; 0: none; -1: unknown, as for the folder of another user. */
pid_t home_holder(const char *folder, struct err *err) MUST_CHECK;

/* What runs there, as run.json says; the caller's. ERR_NOT_FOUND where nothing does. */
struct json_doc *home_read_run(const char *folder, struct err *err) MUST_CHECK;
int home_write_run(const char *folder, const struct json_doc *doc, struct err *err) MUST_CHECK;
void home_remove_run(const char *folder);

#endif
