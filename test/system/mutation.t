#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutation.t - mutated objects of every kind, over four connections, with restarts: the system runs on, and a
# checker that only reads the API finds nothing wrong (mutation.py says what). `./dev fuzz mutation
# SECONDS` does it for longer.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

passes "10000 operations do no harm" python3 test/system/mutation.py "$BIN/volcano" "$tmp/home" 10000 "${SEED:-14}"
printf '%s\n' "$output" | tail -5 | sed 's/^/#   /'
finish
