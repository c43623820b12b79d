#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# vc-bench.t - vc-bench lists, measures and refuses. How fast anything is is not
# judged here: sizes and times are as small as they can be.
. test/system/tap.sh

value() { echo "$output" | sed -n "s/^$1: //p"; }

passes "without arguments it lists" "$BIN/vc-bench"
has "the benchmarks" "$output" "map "
benches=$(echo "$output" | sed -n '/^Available/,/^$/s/^  \([a-z-]*\) .*/\1/p' | grep -vx all)
has "all of them" "$(echo "$benches" | tr '\n' ' ')" "arena bind"
passes "and with --help" "$BIN/vc-bench" --help
passes "a benchmark has help" "$BIN/vc-bench" map --help
has "with its options" "$output" "--size"

for bench in $benches; do
	[ "$bench" != run ] || continue # below: it starts real processes
	passes "$bench runs" "$BIN/vc-bench" "$bench" --size 100 --seconds 0
	is "$bench says what it is" "$(value bench)" "$bench"
	has "$bench runs at three sizes" "$(value sizes)" "1 10 100 "
	case $bench in
	apiserver-memory) has "$bench prints what stays allocated, by size" "$output" "rss_before_kb@10: " ;;
	apiserver-start) has "$bench reports its times, by size" "$output" "restart_ms@10: " ;;
	apiserver-watch) has "$bench reports a delivery's cost, by size" "$output" "cpu_ns_per_delivery@10: " ;;
	bind) has "$bench reports what the scheduler gets compared with a bare loop, by size" "$output" "ratio@10: " ;;
	react) has "$bench reports what most pods wait, by size" "$output" "bound_p99_ms@10: " ;;
	*)
		has "$bench reports a cost" "$output" "_ns: "
		has "$bench reports how it grows" "$output" "_growth: "
		;;
	esac
	has "$bench reports its memory" "$output" "peak_rss_kb: "
	is "$bench prints nothing but keys and values" \
		"$(echo "$output" | grep -cv '^[a-z0-9_]*\(@[0-9]*\)\{0,1\}: ')" 0
done

# At a server that runs already nothing is left behind.
# shellcheck source=test/system/home.sh
. test/system/home.sh
passes "a server starts" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --components apiserver,controllers,scheduler
passes "bind uses it" "$BIN/vc-bench" bind --size 10 --pods-per-node 2 --in-flight 8 --kubeconfig "$KUBECONFIG"
has "with the memory of the scheduler" "$output" "scheduler_peak_rss_kb: "
has "and the watches that the server has ended: none" "$output" "scheduler_watches_ended: 0.00"
settles "its namespaces are deleted" "" sh -c "'$KUBECTL_NEW' get namespaces -o name | grep bench"
is "so are its nodes" "$("$KUBECTL_NEW" get nodes -o name | grep bench)" ""
is "its pods, and its groups" "$("$KUBECTL_NEW" get pods,podgroups -A -o name)" ""
passes "the server stops" "$BIN/volcano" down --data-dir "$home"
fails "a file that is not there is an error" "$BIN/vc-bench" bind --size 1 --kubeconfig "$tmp/none"
has "that names it" "$output" "$tmp/none"

passes "run runs jobs as users do" "$BIN/vc-bench" run --size 10 --seconds 0
for key in spawns_per_second array_per_second jobs_per_second; do has "it reports $key" "$output" "$key: "; done

fails "an unknown benchmark" "$BIN/vc-bench" nothing
has "is named" "$output" '"nothing"'
fails "an unknown option" "$BIN/vc-bench" map --nothing 1
has "is named as well" "$output" "--nothing"
fails "a size must be a number" "$BIN/vc-bench" map --size=many
fails "and not 0" "$BIN/vc-bench" map --size 0
fails "a time must be one" "$BIN/vc-bench" map --seconds -1
fails "an option needs its dashes" "$BIN/vc-bench" map size
finish
