#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# faults.t - gangs through a network and a server that misbehave: no pod is bound twice, no node is over-committed, no
# gang stays in part, every job completes. First with faults alone, then the leaders and the API server are killed as well. By
# hand, ten minutes and 5,000 pods:
#   python3 test/system/faults.py build/bin /tmp/faults --kill --seconds 600 --pods 5000 --nodes 60 --seed 42
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

passes "with a faulty network everything ends as it should" \
	python3 test/system/faults.py "$BIN" "$tmp/faults" --seconds 15 --pods 120 --nodes 4
printf '%s\n' "$output" | sed 's/^/#   /'
passes "also when leaders and the server are killed" \
	python3 test/system/faults.py "$BIN" "$tmp/kills" --kill --seconds 30 --pods 120 --nodes 4 --seed 2
printf '%s\n' "$output" | sed 's/^/#   /'
finish
