#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# simulated-nodes.t - `volcano up --simulate-nodes`: nodes are ready, pods run and end, also across
# a restart.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# A pod on a node, with annotations.
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1, annotations: {$3}}" \
		"spec: {nodeName: $2, terminationGracePeriodSeconds: 30, containers: [{name: c, image: x}]}"
}

passes "it starts" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 3
passes "the last node comes" kubectl wait --for=create --timeout=60s node/node-00002
for node in node-00000 node-00001 node-00002; do
	passes "$node is ready" kubectl wait --for=condition=Ready --timeout=60s node/$node
done
is "there are three" "$(kubectl get nodes -o name | wc -l)" 3
is "they are of a size" \
	"$(kubectl get node node-00000 -o jsonpath='{.status.allocatable}')" \
	'{"cpu":"32","ephemeral-storage":"1Ti","memory":"256Gi","pods":"110"}'

{
	pod stays node-00000 ""
	echo ---
	pod good node-00001 'run-seconds: "0.2"'
	echo ---
	pod bad node-00002 'run-seconds: "0", run-exit-code: "3"'
	echo ---
	pod long node-00002 'run-seconds: "2"'
} >"$tmp/pods.yaml"
passes "pods are made" kubectl create --validate=false -f "$tmp/pods.yaml"
passes "one runs" kubectl wait --for=condition=Ready --timeout=60s pod/stays
settles "nothing keeps pods away" "" kubectl get nodes -o jsonpath='{.items[*].spec.taints}'
passes "one ends well" kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s pod/good
passes "one fails" kubectl wait --for=jsonpath='{.status.phase}'=Failed --timeout=60s pod/bad
is "with its code" "$(kubectl get pod bad \
	-o jsonpath='{.status.containerStatuses[0].state.terminated.exitCode}')" 3

passes "it stops" "$BIN/volcano" down --data-dir "$home"
passes "and starts again" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 3
passes "what was running ends in its time" \
	kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s pod/long
passes "a pod that is deleted goes at once" kubectl delete pod stays --timeout=60s
passes "it stops again" "$BIN/volcano" down --data-dir "$home"
finish
