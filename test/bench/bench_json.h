/* SPDX-License-Identifier: Apache-2.0 */
/* test/bench/bench_json.h - how fast JSON is read, printed and copied. */
#ifndef TEST_BENCH_BENCH_JSON_H
#define TEST_BENCH_BENCH_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"

/* Nanoseconds since anything; CPU time is steadier than the wall's. */
typedef int64_t bench_clock_fn(void *arg);

/* A list of `pods` pods: "key: value" lines of the best of `rounds`, in MB of text a second:
 * list_bytes, document_bytes, parse_mb_s (fresh memory), parse_pooled_mb_s (a pool, from the second
 * time on), print_mb_s, thaw_mb_s, freeze_mb_s. */
int bench_json_list(size_t pods, int rounds, bench_clock_fn *clock, void *arg, struct buf *to,
		    struct err *err) MUST_CHECK;

#endif
