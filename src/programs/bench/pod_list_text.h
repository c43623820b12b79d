/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/pod_list_text.h - a list of pods as a real cluster's server sends it: pods of Volcano jobs,
 * bound and running, with managed fields; about 4.2 kB of compact JSON each. */
#ifndef PROGRAMS_BENCH_POD_LIST_TEXT_H
#define PROGRAMS_BENCH_POD_LIST_TEXT_H

#include <stddef.h>

#include "base/buf.h"

void pod_list_print(size_t count, struct buf *to);

#endif
