#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# growth.t - no list and no map of any kind costs more than in proportion to its length. By hand, with more elements:
#   python3 test/system/growth.py build/bin/volcano /tmp/growth 30000 all
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

passes "every list and map of every kind grows in proportion" \
	python3 test/system/growth.py "$BIN/volcano" "$tmp/home" 2000
printf '%s\n' "$output" | sed 's/^/#   /'
passes "so do replaces, patches, applies and reads of large lists and maps" \
	python3 test/system/growth.py "$BIN/volcano" "$tmp/more" 8000 ConfigMap PodDisruptionBudget HyperNode
printf '%s\n' "$output" | sed 's/^/#   /'
finish
