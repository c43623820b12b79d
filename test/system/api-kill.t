#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# api-kill.t - nothing that the server acknowledged is lost, and no watcher is misled, whenever the
# server is killed.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

passes "killed 100 times under eight writers, nothing is lost" \
	python3 test/system/api-kill.py "$BIN/volcano" "$tmp/home" 100 1
printf '%s\n' "$output" | tail -5 | sed 's/^/#   /'
finish
