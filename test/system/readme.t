#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme.t - the commands of the README, typed: every command works, in this order, and prints what is shown.
exec python3 test/system/pages.py "$BIN" README.md
