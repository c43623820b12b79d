#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# leaders.t - two schedulers, of which one leads: who loses the lead stops, the other goes on, and no pod is
# bound twice. And what a scheduler reports about itself when it is asked by a signal.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh

# scheduler LOG: in the background, with times that a slow machine cannot miss.
scheduler() {
	"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect-resource-namespace default \
		--leader-elect-lease-duration 120s --leader-elect-renew-deadline 100s \
		--leader-elect-retry-period 1s --cache-dump-dir "$tmp/dump" 2>"$1" &
	servers="$servers $!"
}
logs() { cat "$1"; }
bound() { kubectl get pods -o 'jsonpath={.items[*].spec.nodeName}' | wc -w | tr -d ' '; }
# Pods that were reported more than once to have a node.
bound_twice() {
	kubectl get events --field-selector reason=Scheduled,involvedObject.kind=Pod \
		-o 'jsonpath={range .items[*]}{.involvedObject.name}{"\n"}{end}' | sort | uniq -d
}
holder() { kubectl get lease volcano -o 'jsonpath={.spec.holderIdentity}'; }

mkdir "$tmp/dump"
passes "it starts with nodes, and without a scheduler" \
	volcano up -d --listen 127.0.0.1:0 --simulate-nodes 2 --components apiserver,controllers,node
scheduler "$tmp/first"
first=$!
comes "a scheduler leads" 'msg=leading' logs "$tmp/first"
scheduler "$tmp/second"
comes "another one knows who" "$(holder)" logs "$tmp/second"
gang one 4 >"$tmp/one.yaml"
passes "a gang is made" kubectl apply -f "$tmp/one.yaml"
settles "it is bound" 4 bound

passes "somebody takes the lead" kubectl patch lease volcano --type=merge \
	-p '{"spec": {"holderIdentity": "somebody", "leaseDurationSeconds": 1}}'
gang two 8 >"$tmp/two.yaml"
passes "another gang is made" kubectl apply -f "$tmp/two.yaml"
code=0
wait "$first" || code=$?
is "who has lost the lead ends" "$code" 1
has "and says why" "$(cat "$tmp/first")" "does not lead any more"
comes "the other one leads" 'msg=leading' logs "$tmp/second"
settles "the gang is bound" 12 bound
gang three 4 >"$tmp/three.yaml"
passes "one more is made" kubectl apply -f "$tmp/three.yaml"
settles "it is bound as well" 16 bound
is "no pod was bound twice" "$(bound_twice)" ""

second=${servers##* }
passes "it is asked for its model" kill -USR1 "$second"
comes "which is in a file, whole when that is reported" 'the model is dumped' logs "$tmp/second"
dump=$(cat "$tmp"/dump/snapshot-*.json)
has "with the configuration" "$dump" '{"configuration":{"actions":'
has "with nodes" "$dump" '"futureIdle":{'
has "with queues" "$dump" '{"queues":{'
has "and with jobs" "$dump" '"default/three":{"queue":"default"'
passes "it is asked to log it" kill -USR2 "$second"
comes "which it does" 'msg=job name=default/two' logs "$tmp/second"
comes "with what it takes" 'memory of the model' logs "$tmp/second"
passes "it stops" volcano down
finish
