#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing that was acknowledged is lost, whenever the process is killed; and a
# folder that is in use, damaged or not to be written to is refused.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

passes "killed 120 times, nothing is lost" "$STORE_WRITER" kill "$tmp/store" 120 1
printf '%s\n' "$output" | sed 's/^/#   /'
finish
