#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# manual.t - the commands of the manual, typed: every command works, and prints what is shown. One page:
#   BIN=build/bin PAGES=docs/jobs.md sh test/system/manual.t
# shellcheck disable=SC2086
exec python3 test/system/pages.py "$BIN" ${PAGES:-$(ls docs/*.md docs/design/*.md)}
