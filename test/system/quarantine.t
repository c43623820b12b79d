#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# quarantine.t - an object that crashed a component twice is set aside at the next start: a log line, an
# event and a line in `volcano status` say so, no component sees it, and a change releases it. And
# `volcano store`, which looks into a store that nothing runs on.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh

begin() { "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 1; }
# A pod that only a node with the label disk=fast may have.
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1, annotations: {run-seconds: '0'}}" \
		"spec: {schedulerName: volcano, restartPolicy: Never, nodeSelector: {disk: fast}," \
		"  containers: [{name: c, image: x}]}" | kubectl create --validate=false -f -
}
# What a process leaves that ended by SIGSEGV in the scheduler while it had the pod `bad`.
crash() {
	{
		printf 'volcano-crash-1\000\013\000\000\000\021\000\000\000scheduler'
		head -c 23 /dev/zero
		printf '/pods/default/bad'
	} >"$home/crash-marker"
}
succeeds() { kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s "pod/$1"; }
set_aside() { volcano status | grep '^set aside'; }

passes "it starts" begin
passes "a pod is made" pod bad
passes "and waits" kubectl wait --for=condition=PodScheduled=false --timeout=60s pod/bad
fails "it is alone with its store" volcano store list
has "which is said" "$output" "already running"
passes "it stops" volcano down
crash
passes "after one crash it starts" begin
is "nothing is set aside" "$(set_aside)" ""
has "the log says what crashed" "$(cat "$home/volcano.log")" 'object=/pods/default/bad component=scheduler signal=SEGV'
kill -SEGV "$(cat "$home/lock")"
comes "a crash that no object is to blame for" "not running" volcano status
passes "does not count: it starts" begin
is "nothing is set aside still" "$(set_aside)" ""
passes "it stops again" volcano down
crash
passes "after the second crash it starts" begin
is "the object is set aside, as the status says" "$(set_aside)" \
	"set aside     /pods/default/bad (crashed scheduler 2 times)"
has "the log" "$(cat "$home/volcano.log")" "is set aside"
comes "and an event" "SetAside" kubectl get events --field-selector involvedObject.name=bad -o jsonpath='{.items[*].reason}'
passes "there is a node for it now" kubectl label node node-00000 disk=fast
passes "a later pod is made" pod good
passes "and runs" succeeds good
is "the one that is set aside was not placed" "$(kubectl get pod bad -o jsonpath='{.spec.nodeName}')" ""
passes "a change releases it" kubectl annotate pod bad tried=again
passes "and it runs" succeeds bad
is "nothing is set aside any more" "$(set_aside)" ""
passes "it stops" volcano down

has "the store has it" "$(volcano store list pods/)" "/pods/default/bad"
has "and shows it" "$(volcano store get pods/default/bad)" '"tried": "again"'
crash
passes "it starts" begin
passes "it stops" volcano down
has "a crash is shown" "$(volcano store list pods/)" "# /pods/default/bad: crashed scheduler, 1 times"
passes "and can be forgotten" volcano store release pods/default/bad
fails "once" volcano store release pods/default/bad
passes "an object can be deleted" volcano store delete pods/default/bad
fails "it no longer exists" volcano store get pods/default/bad
fails "a verb is needed" volcano store
passes "it starts without it" begin
fails "for good" kubectl get pod bad
passes "others are there" kubectl get pod good
passes "it stops at last" volcano down
finish
