/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/benches.h - every benchmark, one file each; the table is in vc-bench.c. */
#ifndef PROGRAMS_BENCH_BENCHES_H
#define PROGRAMS_BENCH_BENCHES_H

#include "programs/bench/bench.h"

bench_fn bench_apiserver_direct;
bench_fn bench_apiserver_https;
bench_fn bench_apiserver_start;
bench_fn bench_apiserver_watch;
bench_fn bench_arena;
bench_fn bench_bind;
bench_fn bench_client;
bench_fn bench_evict;
bench_fn bench_http;
bench_fn bench_jobs;
bench_fn bench_json;
bench_fn bench_loop;
bench_fn bench_map;
bench_fn bench_omap;
bench_fn bench_quantity;
bench_fn bench_react;
bench_fn bench_resources;
bench_fn bench_run_true;
bench_fn bench_schedule;
bench_fn bench_store;
bench_fn bench_timers;
bench_fn bench_vec;

#endif
