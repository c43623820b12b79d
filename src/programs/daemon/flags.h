/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/flags.h - the flags of daemons, as upstream's are read: --name value, --name=value,
 * -name=value, switches also bare, "_" for "-"; a table says what there is. */
#ifndef PROGRAMS_DAEMON_FLAGS_H
#define PROGRAMS_DAEMON_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"

enum daemon_flag_type {
	DAEMON_TEXT,     /* const char * */
	DAEMON_TEXTS,    /* struct daemon_texts: may be given more than once, with commas */
	DAEMON_NUMBER,   /* int64_t */
	DAEMON_SWITCH,   /* bool */
	DAEMON_DURATION, /* int64_t, microseconds */
};

struct daemon_texts VEC_FIELDS(struct str);

struct daemon_flag {
	const char *name;
	enum daemon_flag_type type;
	void *value; /* holds the default; NULL: known, checked and not used */
	const char *about;
};

/* `args` ends in NULL and must live on. The tables are searched one after the other; an unknown flag
 * or a value that is none is ERR_BAD_REQUEST, and names it. */
int daemon_flags_parse(char **args, const struct daemon_flag *const *tables, const size_t *counts,
		       size_t table_count, struct err *err) MUST_CHECK;
/* One line a flag. */
void daemon_flags_print(const struct daemon_flag *flags, size_t count, struct buf *to);

#endif
