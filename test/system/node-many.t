#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-many.t - a thousand pods on one machine: they run, survive volcano's death, and go without a trace.
# (Under a sanitizer a supervisor takes some hundred times its size: then there are fewer.)
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
pods=1000
ldd "$BIN/volcano-pod" >/dev/null 2>&1 && pods=100
processes() { grep -lzs "^MARK=$tmp\$" /proc/[0-9]*/environ | wc -l; }
wait_for() { kubectl wait --for="jsonpath={.status.$1}=$2" --timeout=200s vcjob/many; }

passes "it starts" volcano up -d --listen 127.0.0.1:0
cat >"$tmp/job.yaml" <<YAML
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: many}
spec:
  minAvailable: $pods
  tasks:
  - name: t
    replicas: $pods
    template:
      spec:
        restartPolicy: Never
        terminationGracePeriodSeconds: 10
        containers: [{name: c, image: x, command: [sleep, '1000'], env: [{name: MARK, value: $tmp}]}]
YAML
passes "a job is made" kubectl create -f "$tmp/job.yaml"
passes "all of it runs" wait_for running "$pods"
is "each as a process" "$(processes)" "$pods"
if [ $pods -eq 1000 ]; then
	most=0
	for process in /proc/[0-9]*; do
		case $(readlink "$process/exe") in */volcano-pod) ;; *) continue ;; esac
		case $(readlink "$process/cwd") in "$home"/*) ;; *) continue ;; esac
		size=$(awk '/^VmRSS/ { print $2 }' "$process/status" 2>/dev/null)
		[ "${size:-0}" -gt "$most" ] && most=$size
	done
	passes "no supervisor takes a megabyte (the largest: $most kB)" test "$most" -gt 0 -a "$most" -lt 1024
fi
pid=$(cat "$home/lock")
kill -KILL "$pid"
tail --pid="$pid" -f /dev/null # until it has ended
passes "after volcano was killed it starts again" volcano up -d --listen 127.0.0.1:0
passes "all of it still runs" wait_for running "$pods"
is "the same processes" "$(processes)" "$pods"
is "without a restart" "$(kubectl get pods --no-headers | awk '$3 != "Running" || $4 != 0' | wc -l)" 0
passes "the job is deleted, with its pods" kubectl delete vcjob many --cascade=foreground --timeout=200s
is "they were deleted" "$(kubectl get pods -o name | wc -l)" 0
is "no process is left" "$(processes)" 0
passes "it stops" volcano down --pods
finish
