/* SPDX-License-Identifier: Apache-2.0 */
/* base/quarantine.h - objects that crashed a component twice are set aside at the next start.
 *
 *	quarantine_enter(q, "scheduler", STR("/pods/"), namespace, name);
 *	...						what may crash
 *	quarantine_leave(q);
 *
 * While an object is processed, its key is in a page of memory that is shared with a file of the data
 * directory. A signal handler notes in it that the process crashed (a process that was killed from
 * outside did not). The next quarantine_open() counts that crash for the key; at QUARANTINE_CRASHES the
 * object is set aside: whoever feeds components asks quarantine_has() and leaves it out. It stays in the
 * API, where it can be read, changed and deleted; a change or a deletion releases it.
 *
 * Keys are those of the store: "<group>/<plural>/<namespace>/<name>"; a prefix is the part up to and with
 * the second slash. Every function takes NULL, which never has anything. */
#ifndef BASE_QUARANTINE_H
#define BASE_QUARANTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

enum { QUARANTINE_CRASHES = 2 };

struct quarantine;

struct quarantine_row {
	const char *key;
	const char *component; /* that crashed last */
	int signal;
	unsigned crashes;
};

/* Reads what the folder has, and counts a crash that the process before left there; *ret_crashed (may be
 * NULL) is the row of that one, until the next change, or has a NULL key. From now on crashes of this
 * process are noted. */
struct quarantine *quarantine_open(const char *folder, struct quarantine_row *ret_crashed,
				   struct err *err) MUST_CHECK;
/* The same without noting crashes and without counting: to look, and to release. */
struct quarantine *quarantine_read(const char *folder, struct err *err) MUST_CHECK;
void quarantine_close(struct quarantine *q);
DEFINE_AUTO(struct quarantine *, quarantine_close);

/* This object is being processed; one at a time. Copies, about ten nanoseconds. */
void quarantine_enter(struct quarantine *q, const char *component, struct str prefix,
		      struct str namespace, struct str name);
void quarantine_enter_key(struct quarantine *q, const char *component, struct str key);
void quarantine_leave(struct quarantine *q);

/* Is it set aside? */
bool quarantine_has(const struct quarantine *q, struct str prefix, struct str namespace,
		    struct str name);
bool quarantine_has_key(const struct quarantine *q, struct str key);
/* It was changed, deleted, or is to be tried again: forget its crashes. False where there were none. */
bool quarantine_release(struct quarantine *q, struct str key);

/* Those that have crashed something, set aside or not:
 *	size_t at = 0; struct quarantine_row row;
 *	while (quarantine_next(q, &at, &row)) ... */
bool quarantine_next(const struct quarantine *q, size_t *at, struct quarantine_row *ret);

#endif
