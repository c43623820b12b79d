/* SPDX-License-Identifier: Apache-2.0 */
/* flags/flag_value.h - values of flags, by their type. For the files of this folder. */
#ifndef FLAGS_FLAG_VALUE_H
#define FLAGS_FLAG_VALUE_H

#include "flags/command_line.h"

/* 0, or -1 and what is wrong with it: `invalid argument "x" for "-n, --name" flag: ...`. `text` ends in a
 * NUL. */
int flag_check(const struct flag *flag, struct str text, struct err *err) MUST_CHECK;
/* "string", "int", ...: what help calls its value; "" for FLAG_BOOL. */
const char *flag_noun(const struct flag *flag);
/* Does the default say anything that help should show? */
bool flag_shows_default(const struct flag *flag);

#endif
