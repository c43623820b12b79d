/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/benches.h - every benchmark of vc-bench, in the order of the alphabet.
 *
 * To add one: its file with a `const struct bench bench_<name>`, its row here, its file name (and the
 * modules that it needs) in meson.build, and its results in docs/benchmarks.md. bench.h shows how it
 * measures; bench_map.c and bench_loop.c are examples. Its opening comment says what each phase is. */
#ifndef PROGRAMS_BENCH_BENCHES_H
#define PROGRAMS_BENCH_BENCHES_H

#include "base/macro.h"
#include "programs/bench/bench.h"

#define BENCHES(row) \
	ROWS( \
	row(apiserver_direct) \
	row(apiserver_https) \
	row(apiserver_memory) \
	row(apiserver_start) \
	row(apiserver_watch) \
	row(arena) \
	row(bind) \
	row(client) \
	row(evict) \
	row(http) \
	row(jobs) \
	row(json) \
	row(loop) \
	row(map) \
	row(omap) \
	row(quantity) \
	row(react) \
	row(resources) \
	row(run_true) \
	row(schedule) \
	row(store) \
	row(timers) \
	row(vec) \
	row(webhook))

#define BENCH_DECLARE(name) extern const struct bench bench_##name;
BENCHES(BENCH_DECLARE)
#undef BENCH_DECLARE

#endif
