/* SPDX-License-Identifier: Apache-2.0 */
/* The same as races.c, with every write in steps that others can come between (verb/edit.h): the answers must
 * be the same. */
#define WORLD_LARGE_BYTES 1
#include "apiserver/test/races.c"
