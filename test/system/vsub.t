#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# vsub.t - vsub and `vcctl job logs` with real processes: output, exit codes, arrays, followers.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
export HOME="$tmp" VOLCANO_HOME="$tmp/.volcano"
unset KUBECONFIG
trap '"$BIN/volcano" down --pods >/dev/null 2>&1; clean_up' EXIT
vcctl() { timeout 120 "$BIN/vcctl" "$@"; }
vsub() { timeout 120 "$BIN/vsub" "$@"; }
# shows COMMAND...: what it prints; if that takes long, the error output says what it waits for.
shows() { "$@" 2>"$tmp/hints" || { cat "$tmp/hints" && false; }; }
passes "it starts" "$BIN/volcano" up -d --listen 127.0.0.1:0 --node-resources cpu=8

# script NAME: a small one, from the input.
script() { cat >"$tmp/$1"; }
script code <<'EOF'
exit "$VSUB_PROCID"
EOF
script given <<'EOF'
echo "$A $B $HOME"
EOF
script number <<'EOF'
echo "n=$VSUB_ARRAY_TASK_ID"
EOF
script talk <<'EOF'
echo begun
read -r line <"$1"
echo "heard $line"
EOF
script again <<'EOF'
[ -e "$1" ] || { touch "$1" && exit 1; }
EOF

passes "a command runs" shows vsub --wait -- echo "a  b"
is "its words arrive as they are" "$output" "a  b"
vsub --wait -- sh -c 'exit 7' >/dev/null 2>&1
is "its exit code comes back" "$?" 7
vsub --wait -n 3 -- sh "$tmp/code" >/dev/null 2>&1
is "of several the highest" "$?" 2
cd "$tmp" || exit 1
passes "it runs where one is" shows vsub --wait -- pwd
is "and says where" "$output" "$tmp"
cd - >/dev/null || exit 1
passes "it sees what it is given" shows vsub --wait -e A=1,B=two -- sh "$tmp/given"
is "and its home directory" "$output" "1 two $tmp"
output=$(vsub --wait -J late -t 10s -- sleep 100 2>&1)
is "a time limit is kept, with an exit code of its own" "$?" 124
has "and is named" "$output" "job late was stopped at its time limit of 10s (--time)"
passes "later, too" vcctl job explain late --short
has "by explain" "$output" "pod late-task-0 was stopped at its time limit of 10s"
cat >"$tmp/dollars" <<'EOF'
echo $$
echo $(echo hi)
echo $((6 * 7))
echo '$(HOME)'
echo $$$$
EOF
while read -r text <&9; do
	passes "a command with a dollar: $text" shows vsub --wait --wrap "$text >$tmp/dollar"
	is "is not changed" "$(sed -E 's/[0-9]+/N/' "$tmp/dollar")" "$(sh -c "$text" | sed -E 's/[0-9]+/N/')"
done 9<"$tmp/dollars"
passes "a variable with a dollar" shows vsub --wait -e "A=\$(HOME)\$\$,B=\$HOME" -- sh "$tmp/given"
is "is not changed" "$output" "\$(HOME)\$\$ \$HOME $tmp"

cd "$tmp" || exit 1
passes "-o" vsub --wait -J file -o out.txt -- sh -c 'echo out; echo err >&2'
is "is the file that the output goes to" "$(tr '\n' ' ' <out.txt)" "out err "
passes "of an array" vsub --wait -J files -o '%x-%a.txt' --array 3-4 -- sh "$tmp/number"
is "one per element" "$(cat files-3.txt files-4.txt | tr '\n' ' ')" "n=3 n=4 "
passes "of several at once" vsub --wait -J pack -o 'pack-%a.txt' --array 1-3%1 -t 60s -- sh "$tmp/number"
is "too" "$(cat pack-1.txt pack-2.txt pack-3.txt | tr '\n' ' ')" "n=1 n=2 n=3 "
cd - >/dev/null || exit 1

fails "a script that is not there" vsub "$tmp/none.sh"
has "is not submitted" "$output" "cannot run $tmp/none.sh"
fails "nor a program" vsub no-such-program
has "which nothing here is called" "$output" "cannot run no-such-program"
fails "nor a file that is no script" vsub "$tmp/code"
has "with advice" "$output" "$tmp/code does not begin with \"#!\""
fails "nothing to run" vsub
has "is an error of its own" "$output" "nothing to run: give a command after \"--\", a script, or --wrap TEXT"
fails "with flags" vsub --cpus 2
has "as well" "$output" "nothing to run"
script whole.py <<'EOF'
#!/usr/bin/env python3
import os, sys
if __name__ == "__main__":
    print(os.path.basename(__file__), os.path.dirname(__file__) == sys.path[0], *sys.argv[1:])
EOF
passes "a script in Python" shows vsub --wait "$tmp/whole.py" a b
is "knows its file and folder" "$output" "whole.py True a b"

script count.sh <<'EOF'
#!/bin/sh
#VSUB -J count --cpus 500m
for i in 1 2 3; do echo "$1 $i"; done
EOF
script number.sh <<'EOF'
#!/bin/sh
echo "n=$VSUB_ARRAY_TASK_ID"
EOF
passes "elements of an array know their numbers" vsub --wait --array 5-9:2 -- sh "$tmp/number.sh"
for line in "task/0 | n=5" "task/2 | n=9"; do has "prints $line" "$output" "$line"; done
passes "a script with an array" vsub --wait --array 5-6 "$tmp/count.sh" line
for line in "task/0 | line 3" "task/1 | line 1"; do has "prints $line" "$output" "$line"; done
is "one pod's output" "$(vcctl job logs count task/1 | tr '\n' ' ')" "line 1 line 2 line 3 "
is "the end of it" "$(vcctl job logs count task/0 --tail 1)" "line 3"
is "of all, in order" "$(vcctl job logs count --tail 1 | tr '\n' ',')" "task/0 | line 3,task/1 | line 3,"
has "with times" "$(vcctl job logs count task/0 --timestamps --tail 1)" "Z line 3"
is "or followed, though it has ended" "$(vcctl job logs -f count task/0 | wc -l)" 3
fails "an index is a number" vcctl job logs count task/x
has "which is said" "$output" '"task/x": must be TASK or TASK/INDEX'
passes "a task that is not there" vcctl job logs count other
has "has no output" "$output" "no output yet"

mkfifo "$tmp/lines"
passes "a job that goes on" vsub -J talk -- sh "$tmp/talk" "$tmp/lines"
timeout 120 "$BIN/vcctl" job logs -f talk >"$tmp/heard" 2>"$tmp/hints" &
follower=$!
passes "is running" vcctl job wait talk --for=Running --timeout=60s
timeout 120 sh -c "echo a word >$tmp/lines"
wait "$follower"
is "its follower hears all, and ends with it" "$(tr '\n' ',' <"$tmp/heard")" "begun,heard a word,"
passes "a gang that retries" vsub -J again --retries 2 --wait -- sh "$tmp/again" "$tmp/been"
passes "says so" vcctl job explain again --short
has "once" "$output" "it was restarted once"
script count-runs <<'EOF'
echo run >>"$1"
exit 1
EOF
vsub -J runs --retries 2 --wait -- sh "$tmp/count-runs" "$tmp/runs" >/dev/null 2>&1
is "a job that always fails" "$?" 1
is "has two more runs" "$(wc -l <"$tmp/runs")" 3
passes "jobs that have ended" vcctl job list -o wide
has "keep their counts" "$(echo "$output" | awk '$1 == "again" { print $8, $9 }')" "0 1"
has "and titles are apart" "$output" "RetryCount "
is "the newer comes first" \
	"$(vcctl job list --sort-by -Creation | awk '$1 == "runs" || $1 == "late" { print $1 }' | tr '\n' ' ')" "runs late "
vsub -J gone --wait -- sleep 600 >/dev/null 2>"$tmp/gone" &
waiter=$!
passes "a job that is waited for" vcctl job wait gone --for=Running --timeout=60s
passes "is cancelled" vcctl job delete -N gone
wait "$waiter" && ended=well || ended=otherwise
is "which ends the wait" "$ended" otherwise
is "with a sentence" "$(grep 'job gone' "$tmp/gone" | tail -n 1)" "job gone was deleted before it ended"
passes "a user may be named" vsub --dry-run --uid 1234 --gid 5678 -- true
has "whom tasks run as" "$output" "runAsUser: 1234"
fails "by a number" vsub --dry-run --uid someone -- true
has "which is said" "$output" '--uid: "someone" is not a whole number'
passes "it stops, with its pods" "$BIN/volcano" down --pods
finish
