#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# manual.t - the commands of the manual, typed: every command works, and prints what is shown. One page:
#   BIN=build/bin PAGES=docs/jobs.md sh test/system/manual.t
set -- docs/*.md docs/design/*.md
[ -z "${PAGES-}" ] || set -- "$PAGES"
exec python3 test/system/pages.py "$BIN" "$@"
