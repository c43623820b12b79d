#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-full.t - a disk for pods that takes no more: pods run on, what they print is dropped and counted, and pods that
# come meanwhile wait. The disk is a small one in memory, and a file of the test's fills it. node-full-user.t does it as
# an ordinary user, in a data directory ($FULL_HOME) that has such a disk.
# shellcheck source=test/system/tap.sh
if [ -z "${OWN_MOUNTS-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=yes exec unshare -m sh "$0"
fi
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
if [ -n "${FULL_HOME-}" ]; then
	home=$FULL_HOME
	export KUBECONFIG="$home/kubeconfig"
else
	mkdir -p "$home/pods"
	if [ -z "${OWN_MOUNTS-}" ] || ! mount -t tmpfs -o size=8m,mode=711 tmpfs "$home/pods" 2>"$tmp/why"; then
		result 0 "a full disk # SKIP a small one cannot be mounted: $(cat "$tmp/why" 2>/dev/null)"
		finish
	fi
	trap 'volcano down --pods >/dev/null 2>&1; umount "$home/pods"; clean_up' EXIT
fi
wait_for() { kubectl wait --for="$1" --timeout=60s "$2"; }
# pod NAME SCRIPT
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {schedulerName: volcano, restartPolicy: Never, terminationGracePeriodSeconds: 1," \
		"  containers: [{name: c, image: x, command: [sh, -c, '$2']}]}" "---"
}

passes "it starts" volcano up -d --listen 127.0.0.1:0
pod prints "echo first; touch $tmp/begun; until [ -e $tmp/full ]; do sleep 0.1; done; seq 1 200000; touch $tmp/printed; until [ -e $tmp/go ]; do sleep 0.1; done; echo last; exit 7" |
	kubectl create -f - >/dev/null
settles "a pod prints" "$tmp/begun" ls "$tmp/begun"
head -c 20000000 /dev/zero >"$home/pods/ballast" 2>/dev/null
touch "$tmp/full"
settles "it is not held up by a full disk" "$tmp/printed" ls "$tmp/printed"
settles "and runs on" Running kubectl get pod prints -o jsonpath='{.status.phase}'
pod comes 'echo here' | kubectl create -f - >/dev/null
comes "a pod that comes meanwhile says what is wrong" "No space left on device" \
	kubectl get pod comes -o jsonpath='{.status.containerStatuses[0].state.waiting.message}'
pid=$(cat "$home/lock")
passes "volcano lives" kill -0 "$pid"
rm "$home/pods/ballast"
touch "$tmp/go"
passes "with space the first one ends" wait_for 'jsonpath={.status.phase}=Failed' pod/prints
is "with its code" "$(kubectl get pod prints -o jsonpath='{.status.containerStatuses[0].state.terminated.exitCode}')" 7
kubectl logs prints >"$tmp/log"
is "what it printed before is kept" "$(head -n 1 "$tmp/log")" first
has "what was dropped is reported" "$(cat "$tmp/log")" "bytes of output were lost"
is "what it printed later is kept" "$(tail -n 1 "$tmp/log")" last
passes "the other one runs" wait_for 'jsonpath={.status.phase}=Succeeded' pod/comes
is "as if nothing had been" "$(kubectl logs comes)" here
passes "it stops" volcano down --pods
finish
