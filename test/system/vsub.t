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
# shows COMMAND...: what it prints; if that takes long, it is told on the error output what it waits for.
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
is "and its home" "$output" "1 two $tmp"
vsub --wait -t 10s -- sleep 100 >/dev/null 2>&1
is "a bound of time is kept: ended by SIGTERM" "$?" 143

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
passes "it stops, with its pods" "$BIN/volcano" down --pods
finish
