#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# limits.t - every limit of the API crossed by several clients at once: each is answered, and one who asks
# for little is served meanwhile. For numbers, by hand on a machine that has nothing else to do:
#   python3 test/system/limits.py build/bin/volcano /tmp/limits 40000 1 64 1000
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

passes "each limit, crossed by 1 and by 8 clients" \
	python3 test/system/limits.py "$BIN/volcano" "$tmp/home" 300 1 8
printf '%s\n' "$output" | sed 's/^/#   /'
finish
