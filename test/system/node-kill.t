#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-kill.t - volcano is killed with SIGKILL, 50 times, while jobs run: nothing is started again, no line of
# output and no exit code is lost, and at the end no process is left.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
pods=8 kills=50
processes() { grep -lzs "^MARK=$tmp\$" /proc/[0-9]*/environ | wc -l; }

passes "it starts" volcano up -d --listen 127.0.0.1:0
# Each pod counts until it gets the signal to end, then ends with a code of its own.
cat >"$tmp/job.yaml" <<YAML
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: job}
spec:
  minAvailable: $pods
  plugins: {env: []}
  tasks:
  - name: t
    replicas: $pods
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: c
          image: x
          env: [{name: MARK, value: $tmp}]
          resources: {requests: {cpu: 1m}}
          command: [sh, -c, 'i=0; while [ ! -e $tmp/go ]; do echo "line \$i"; i=\$((i + 1)); sleep 0.1; done; echo "last \$i"; exit \$((10 + VC_TASK_INDEX))']
YAML
passes "a job is made" kubectl create -f "$tmp/job.yaml"
passes "it runs" kubectl wait --for='jsonpath={.status.state.phase}=Running' --timeout=60s vcjob/job
started=$(kubectl get pods -o jsonpath='{.items[*].status.containerStatuses[0].state.running.startedAt}')

killed=0 begun=$(date +%s)
while [ $killed -lt $kills ]; do
	# On a machine that is busy with other things, at least ten times.
	[ $killed -ge 10 ] && [ $(($(date +%s) - begun)) -gt 90 ] && kills=$((killed + 1)) && touch "$tmp/go"
	pid=$(cat "$home/lock")
	kill -KILL "$pid"
	tail --pid="$pid" -f /dev/null # until it has ended
	volcano up -d --listen 127.0.0.1:0 >"$tmp/up" 2>&1 || break
	killed=$((killed + 1))
	[ $killed -eq $((kills - 1)) ] && touch "$tmp/go" # the last time they end while it is away, or coming
done
is "killed $kills times, it always comes back" "$killed" "$kills"
passes "the job ends" kubectl wait --for='jsonpath={.status.state.phase}=Failed' --timeout=60s vcjob/job
i=0 whole=0 codes=0 again=0
while [ $i -lt $pods ]; do
	# Every number in order, from 0 to the last.
	kubectl logs "job-t-$i" | awk '$2 != NR - 1 { bad = 1 } END { exit bad || $1 != "last" || NR < 10 }' &&
		whole=$((whole + 1))
	status=$(kubectl get pod "job-t-$i" -o jsonpath='{.status.containerStatuses[0].state.terminated.exitCode} {.status.containerStatuses[0].restartCount}')
	[ "${status%% *}" = $((10 + i)) ] && codes=$((codes + 1))
	[ "${status##* }" = 0 ] || again=$((again + 1))
	i=$((i + 1))
done
is "no line of output is lost" "$whole" "$pods"
is "no exit code is lost" "$codes" "$pods"
is "nothing was started again" "$again" 0
is "it ran since the beginning" \
	"$(kubectl get pods -o jsonpath='{.items[*].status.containerStatuses[0].state.terminated.startedAt}')" "$started"
is "no process is left" "$(processes)" 0
# Control groups, of which the one that made them is long dead.
uids=$(kubectl get pods -o jsonpath='{.items[*].metadata.uid}')
groups() { for uid in $uids; do find /sys/fs/cgroup -type d -name "pod$uid" 2>/dev/null; done; }
settles "no control group is left" "" groups
passes "it stops" volcano down --pods
finish
