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

# At an address of its own: other programs that count on this machine have another.
VC_COORDINATOR_HOSTS=127.$(($$ / 65536 % 100 + 100)).$(($$ / 256 % 256)).$(($$ % 256))
count_primes() {
	export VC_COORDINATOR_HOSTS
	"$EXAMPLES/primes" coordinator 1000000 & "$EXAMPLES/primes" worker 0 && wait
}
passes "primes are counted" count_primes
has "all of them" "$output" "there are 78,498 primes below 1,000,000"

passes "the demo runs" tools/demo "$BIN/.."
has "its second gang waits, and says what for" "$output" "second: waiting for GPUs: needs 3, 1 of 4 is free"
has "a worker that was killed comes back" "$output" "worker 1 is lost; its range goes to another one"
has "all is as expected" "$output" "both results right; nothing left running"

finish
