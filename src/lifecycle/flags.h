/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/flags.h - the arguments of job plugins, in the syntax of Go's flag package.
 *
 * `-name value`, `--name value`, `-name=value`; a switch may stand bare. Reading ends at the first
 * word that is no flag, at one that is not known and at a value that is none; what was read before
 * counts. */
#ifndef LIFECYCLE_FLAGS_H
#define LIFECYCLE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/field/view.h"

enum flag_type { FLAG_TEXT, FLAG_NUMBER, FLAG_SWITCH };

struct flag {
	const char *name;
	enum flag_type type;
	void *value; /* struct str, int64_t, bool; holds the default */
};

/* Texts are lent by the arguments. */
void flags_parse(const struct strs *args, const struct flag *flags, size_t count);

#endif
