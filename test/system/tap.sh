# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# tap.sh - TAP for system tests; a test sources it first and calls finish last.
#
#   passes "it builds" make -s        a check: the command succeeds
#   fails "it refuses" tool --bad     a check: the command ends with an error
#   is "the name" "$got" "$want"      a check: two texts are the same
#   has "it says why" "$got" "word"   a check: the text contains the word
#   comes "it says so" word COMMAND...   a check: in the end the command's output contains the word
#   settles "its node" n1 COMMAND...     a check: in the end the command's output is this
#   start NAME COMMAND...             runs a server; $ready is its first line of output
#   finish                            the plan; exit code
#
# $tmp is a folder of the test's own; $output is what the last passes or fails printed.
# Whatever was started is ended, and $tmp deleted, however the test ends. Nothing here
# sleeps: start waits for the line that a server prints when it is ready. What one writer
# says when another has already been heard (an event, a condition, the count of a queue)
# is asked for with comes or settles, never with has or is: nobody promises an order.
set -u
count=0 failures=0 servers='' ready='' output=''
tmp=$(mktemp -d)
export tmp ready output

clean_up() {
	for pid in $servers; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# result TRUTH TEXT [DETAIL]
result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		failures=$((failures + 1))
		echo "not ok $count - $2"
		printf '%s\n' "${3-}" | sed 's/^/#   /'
	fi
}

passes() {
	what=$1
	shift
	status=0
	output=$("$@" 2>&1 </dev/null) || status=$?
	result "$status" "$what" "exit code $status: $output"
}

fails() {
	what=$1
	shift
	status=0
	output=$("$@" 2>&1 </dev/null) && status=1
	result "$status" "$what" "it succeeded: $output"
}

is() {
	[ "$2" = "$3" ]
	result "$?" "$1" "got:  $2
want: $3"
}

has() {
	case $2 in *"$3"*) result 0 "$1" ;; *) result 1 "$1" "no \"$3\" in: $2" ;; esac
}

# asks TEST: runs the command until its output passes the test, for a minute at most.
contains() { case $output in *"$want"*) ;; *) false ;; esac }
equals() { [ "$output" = "$want" ]; }
asks() {
	test=$1 what=$2 want=$3
	shift 3
	end=$(($(date +%s) + 60))
	until
		output=$("$@" 2>&1 </dev/null)
		"$test" || [ "$(date +%s)" -ge "$end" ]
	do :; done
}
comes() { asks contains "$@"; has "$what" "$output" "$want"; }
settles() { asks equals "$@"; is "$what" "$output" "$want"; }

# The output after the first line goes to $tmp/NAME.out, errors to $tmp/NAME.err.
start() {
	name=$1
	shift
	mkfifo "$tmp/$name.pipe"
	"$@" >"$tmp/$name.pipe" 2>"$tmp/$name.err" </dev/null &
	servers="$servers $!"
	exec 9<"$tmp/$name.pipe"
	read -r ready <&9 || result 1 "$name starts" "$(cat "$tmp/$name.err")"
	cat <&9 >"$tmp/$name.out" &
	exec 9<&-
}

finish() {
	echo "1..$count"
	[ "$failures" -eq 0 ]
	exit
}
