/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/plugin_args.h - the arguments of job plugins, in the syntax of Go's flag package.
 *
 * `-name value`, `--name value`, `-name=value`; a boolean flag needs no value. Parsing ends at the
 * first word that is not a flag, at an unknown flag and at an invalid value; what was parsed before
 * counts. */
#ifndef LIFECYCLE_PLUGIN_ARGS_H
#define LIFECYCLE_PLUGIN_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/field/view.h"

enum plugin_arg_type { PLUGIN_ARG_TEXT, PLUGIN_ARG_NUMBER, PLUGIN_ARG_SWITCH };

struct plugin_arg {
	const char *name;
	enum plugin_arg_type type;
	void *value; /* struct str, int64_t, bool; initially the default */
};

/* Texts are borrowed from the arguments. */
void plugin_args_parse(const struct strs *args, const struct plugin_arg *flags, size_t count);

#endif
