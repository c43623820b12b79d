/* SPDX-License-Identifier: Apache-2.0 */
/* base/quarantine.h - objects that crashed a component twice are set aside at the next start.
 *
 *	quarantine_enter(q, "scheduler", STR("/pods/"), namespace, name);
 *	...						what may crash
 *	quarantine_leave(q);
 *
 * While an object is processed, its key is in a page of memory that is shared with a file of the data
 * directory. If the process crashes, a signal handler records that in the page. A process that was
 * killed from outside records nothing. The next quarantine_open() counts that crash for the key; at
 * QUARANTINE_CRASHES the object is set aside: the code that passes objects to components skips it
 * (quarantine_has()). It stays in the API, where it can be read, changed and deleted; a change or a
 * deletion releases it.
 *
 * Keys are those of the store: "<group>/<plural>/<namespace>/<name>"; a prefix is the part up to and
 * including the second slash. Every function accepts NULL, a quarantine that is always empty. */
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
	const char *component; /* the one that crashed last */
	int signal;
	unsigned crashes;
};

/* Reads the files of the folder and counts a crash that the previous process recorded there.
 * *ret_crashed (may be NULL) is the row of that crash, valid until the next change; its key is NULL if
 * there was none. From now on crashes of this process are recorded. */
struct quarantine *quarantine_open(const char *folder, struct quarantine_row *ret_crashed,
				   struct err *err) MUST_CHECK;
/* Opens the list only to read it and to release objects: counts nothing and records no crashes. */
struct quarantine *quarantine_read(const char *folder, struct err *err) MUST_CHECK;
void quarantine_close(struct quarantine *q);
DEFINE_AUTO(struct quarantine *, quarantine_close);

/* Call these before and after an object is processed; one object at a time. The key is copied,
 * which takes about ten nanoseconds. */
void quarantine_enter(struct quarantine *q, const char *component, struct str prefix,
		      struct str namespace, struct str name);
void quarantine_enter_key(struct quarantine *q, const char *component, struct str key);
void quarantine_leave(struct quarantine *q);

/* Is the object set aside? */
bool quarantine_has(const struct quarantine *q, struct str prefix, struct str namespace,
		    struct str name);
bool quarantine_has_key(const struct quarantine *q, struct str key);
/* Forgets the crashes of an object, because it was changed or deleted or is to be tried again. False if
 * it had none. */
bool quarantine_release(struct quarantine *q, struct str key);

/* Iterates over all objects that caused a crash, set aside or not:
 *	size_t at = 0; struct quarantine_row row;
 *	while (quarantine_next(q, &at, &row)) ... */
bool quarantine_next(const struct quarantine *q, size_t *at, struct quarantine_row *ret);

#endif
