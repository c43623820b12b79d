#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme.t - what the README's tour tells to type, typed: every command works, in this order, on a home of the
# test's own; and some of what it promises is there to be seen.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
export HOME="$tmp" VOLCANO_HOME="$tmp/.volcano" PATH="$BIN:$PATH" LC_ALL=C.UTF-8
unset KUBECONFIG
trap 'volcano down --pods >/dev/null 2>&1; clean_up' EXIT

fence=$(printf '\140\140\140')
sed -n "/^## A tour/,/^## And/{/^${fence}sh\$/,/^$fence\$/{/^$fence/!p}}" README.md >"$tmp/tour"
has "the README has a tour" "$(cat "$tmp/tour")" "vsub --wait -- echo hello"
while read -r line; do
	case $line in
	*PATH=*) continue ;; # ours is
	"volcano up "*) line="$line --listen 127.0.0.1:0" ;;
	esac
	passes "$line" timeout 120 sh -c "$line"
	# Where the machine is busy, whoever waits is told so after a few seconds.
	output=$(printf '%s\n' "$output" | sed '/^job [^ ]* waits; `vcctl job explain .* says what for$/d')
	case $line in
	*"echo hello") is "the output is shown" "$output" hello ;;
	*task.host) has "tasks know one another" "$output" "task/1 | cat-" ;;
	*square.sh) has "an array has its numbers" "$output" "3 squared is 9" ;;
	*"explain late") has "it says what it waits for" "$output" "late waits: " ;;
	*"logs late") is "it has run at last" "$output" "at last" ;;
	*"explain many") has "it says who was evicted, and for whom" "$output" "evicted by reclaim for job default/paper" ;;
	*"echo first") has "what is urgent runs first" "$output" "task/1 | first" ;;
	*"jobflow list") has "the flow has succeeded" "$output" Succeed ;;
	esac
done <"$tmp/tour"
left() { grep -lzs "${tmp%?}[${tmp#"${tmp%?}"}]/" /proc/[0-9]*/cmdline | wc -l; }
settles "nothing is left" 0 left
finish
