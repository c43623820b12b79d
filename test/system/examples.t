#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples.t - every example runs and shows what it says it shows.
. test/system/tap.sh

passes "the tour runs" "$EXAMPLES/tour" examples/tour/job.json
has "it adds quantities exactly" "$output" "5 pods needs cpu 7700m and memory 11280Mi"
has "it shows where JSON is wrong" "$output" "400 BadRequest: invalid JSON at line 1, column 28"
has "it shows which field is wrong" "$output" "400 BadRequest: spec.tasks[1].cpu: quantities must"
has "it lets a day pass" "$output" ": 1440 timers in "
fails "a file that is not there is an error" "$EXAMPLES/tour" "$tmp/nothing.json"
has "with its name" "$output" "nothing.json: No such file or directory"

passes "the demo runs" tools/demo "$BIN/.."
has "its first gang runs to its end" "$output" "gang is Completed"
has "its second one waits, and then runs too" "$output" "large is Completed"

finish
