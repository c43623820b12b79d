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
# $tmp is a folder of the test's own, which pods may write to; $output is what the last passes or fails printed.
# Whatever was started is ended, and $tmp deleted, however the test ends. No test
# sleeps: start waits for the line that a server prints when it is ready. What one writer
# reports after another (an event, a condition, the count of a queue) is asked for with
# comes or settles, never with has or is: the order is not guaranteed. They ask again and
# again, with pauses of at most a fifth of a second.
# Bounds are generous: they are for what never comes, not for what is slow.
set -u
count=0 failures=0 servers='' ready='' output=''
tmp=$(mktemp -d)
chmod 1777 "$tmp" # pods of root are not root, and find there what tests give them
export tmp ready output

clean_up() {
	for pid in $servers; do kill "$pid" 2>/dev/null; done
	wait
	# Homes of a test that was cut short.
	for home in "$tmp"/*/ "$tmp"/.volcano/; do
		[ ! -e "$home/lock" ] || ! kill -0 "$(cat "$home/lock")" 2>/dev/null ||
			"$BIN/volcano" down --pods --data-dir "$home" >/dev/null 2>&1
	done
	rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# A detail as comments. Of a long one only what lies around the line that has most of the words in
# $WANT, or its beginning and end if none has any; of a long line as well. What is left out is reported.
shorten() {
	awk '
	function hits(text,   i, n) {
		for (i in word) n += length(word[i]) > 2 && index(text, word[i]) > 0
		return n
	}
	function cut(text,   i, at, from) {
		if (length(text) <= 500) return text
		for (i in word)
			if (!at && length(word[i]) > 2) at = index(text, word[i])
		from = at > 200 ? at - 200 : 1
		if (from + 400 > length(text)) from = length(text) - 399
		return sprintf("(%d characters) %s (%d characters)", from - 1, substr(text, from, 400),
			length(text) - from - 399)
	}
	function show(from, to) { for (; from <= to; from++) print "#   " cut(line[from]) }
	function leave(n) { if (n > 0) print "#   ... " n " lines left out ..." }
	BEGIN { split(ENVIRON["WANT"], word, /[^A-Za-z0-9_-]+/) }
	{ line[NR] = $0; if (NR > 1 && hits($0) > most) { most = hits($0); best = NR } }
	END {
		if (NR <= 24) { show(1, NR); exit }
		if (!best) { show(1, 10); leave(NR - 20); show(NR - 9, NR); exit }
		show(1, 1)
		first = best - 10 > 2 ? best - 10 : 2
		last = best + 9 < NR ? best + 9 : NR
		leave(first - 2); show(first, last); leave(NR - last)
	}'
}

# result TRUTH TEXT [DETAIL [WANT]]
result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		failures=$((failures + 1))
		echo "not ok $count - $2"
		printf '%s\n' "${3-}" | WANT=${4-} shorten
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
	case $2 in *"$3"*) result 0 "$1" ;; *) result 1 "$1" "no \"$3\" in:
$2" "$3" ;; esac
}

# asks TEST: runs the command until its output passes the test, for two minutes at most.
contains() { case $output in *"$want"*) ;; *) false ;; esac }
equals() { [ "$output" = "$want" ]; }
asks() {
	test=$1 what=$2 want=$3 pause=0.02
	shift 3
	end=$(($(date +%s) + 120))
	until
		output=$("$@" 2>&1 </dev/null)
		"$test" || [ "$(date +%s)" -ge "$end" ]
	do
		sleep "$pause" # the program that is waited for needs the CPU
		pause=$(case $pause in 0.02) echo 0.05 ;; 0.05) echo 0.1 ;; *) echo 0.2 ;; esac)
	done
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
