#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# schedule.t - gangs of pods by kubectl: bound, waiting with a reason, bound when there is room.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
export HOME="$tmp" KUBECONFIG="$home/kubeconfig"
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
kubectl() { "$KUBECTL_NEW" "$@"; }
# waits_for WHAT PATH VALUE
waits_for() { kubectl wait "$1" --for="jsonpath={$2}=$3" --timeout=60s; }
trap 'volcano down >/dev/null 2>&1; clean_up' EXIT

# group NAME MIN; pod NAME GROUP CPU [SECONDS]
group() {
	cat <<-END
	---
	apiVersion: scheduling.volcano.sh/v1beta1
	kind: PodGroup
	metadata: {name: $1}
	spec: {minMember: $2, queue: default}
	END
}
pod() {
	run=${4:+", run-seconds: '$4'"}
	cat <<-END
	---
	apiVersion: v1
	kind: Pod
	metadata:
	  name: $1
	  annotations: {scheduling.k8s.io/group-name: $2$run}
	spec:
	  schedulerName: volcano
	  containers: [{name: main, image: busybox, resources: {requests: {cpu: "$3"}}}]
	END
}

# Everything below, with the scheduler in the server's process and in one of its own.
gangs() {
	passes "the first queues come" kubectl wait queue/root queue/default --for=create --timeout=60s
	passes "and are opened" waits_for queue/default .status.state Open
	{ group small 2; pod small-0 small 1 0.1; pod small-1 small 1 0.1; } >"$tmp/small.yaml"
	passes "a gang is made" kubectl apply -f "$tmp/small.yaml"
	passes "and runs to its end" waits_for podgroup/small .status.phase Completed
	has "its pods were bound by the scheduler" \
		"$(kubectl get events --field-selector reason=Scheduled,involvedObject.name=small-0 -o name)" event
	has "the group says that it was placed" "$(kubectl get podgroup small -o json)" \
		"tasks in gang are ready to be scheduled"

	# 40 cpus in two nodes of 32 fit once, not twice.
	{ group first 2; pod first-0 first 20; pod first-1 first 20; } >"$tmp/first.yaml"
	{ group second 2; pod second-0 second 20; pod second-1 second 20; } >"$tmp/second.yaml"
	passes "a large gang is made" kubectl apply -f "$tmp/first.yaml"
	passes "and runs" waits_for podgroup/first .status.running 2
	passes "a second one is made" kubectl apply -f "$tmp/second.yaml"
	passes "it waits" waits_for podgroup/second '.status.conditions[?(@.type=="Unschedulable")].status' True
	has "and says why" "$(kubectl get podgroup second -o json)" "tasks in gang unschedulable"
	is "none of its pods has a node" "$(kubectl get pods second-0 second-1 -o 'jsonpath={.items[*].spec.nodeName}')" ""
	has "nor does it hide why" "$(kubectl describe pod second-0)" "FailedScheduling"
	passes "the first one goes" kubectl delete pod first-0 first-1
	passes "the second one runs" waits_for podgroup/second .status.running 2
	is "the queue knows what it gave" "$(kubectl get queue default -o 'jsonpath={.status.allocated.cpu}')" 40
}

passes "it starts with two nodes" volcano up -d --listen 127.0.0.1:0 --simulate-nodes 2
gangs
passes "it stops" volcano down

home=$tmp/other
KUBECONFIG="$home/kubeconfig"
passes "another starts without a scheduler" \
	volcano up -d --listen 127.0.0.1:0 --simulate-nodes 2 --components apiserver,controllers,node
cat >"$tmp/conf" <<END
actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}]
- plugins: [{name: predicates}, {name: proportion}, {name: nodeorder}]
END
"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --scheduler-conf "$tmp/conf" 2>"$tmp/log" &
servers="$servers $!"
gangs
echo 'actions: "dance"' >"$tmp/conf.new"
mv "$tmp/conf.new" "$tmp/conf"
passes "a configuration that makes no sense is refused" timeout 60 \
	sh -c "until grep -q 'the last one holds on' '$tmp/log'; do :; done"
has "with its reason" "$(cat "$tmp/log")" dance
passes "it stops" volcano down
finish
