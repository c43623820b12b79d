#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# schedule.t - gangs of pods by kubectl: bound, waiting with a reason, bound when there is capacity.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# waits_for WHAT PATH VALUE
waits_for() { kubectl wait "$1" --for="jsonpath={$2}=$3" --timeout=60s; }

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
	comes "its pods were bound by the scheduler" event \
		kubectl get events --field-selector reason=Scheduled,involvedObject.name=small-0 -o name
	comes "the group says that it was placed" "tasks in gang are ready to be scheduled" \
		kubectl get podgroup small -o json

	# 40 cpus in two nodes of 32 fit once, not twice.
	{ group first 2; pod first-0 first 20; pod first-1 first 20; } >"$tmp/first.yaml"
	{ group second 2; pod second-0 second 20; pod second-1 second 20; } >"$tmp/second.yaml"
	passes "a large gang is made" kubectl apply -f "$tmp/first.yaml"
	passes "and runs" waits_for podgroup/first .status.running 2
	passes "a second one is made" kubectl apply -f "$tmp/second.yaml"
	passes "it waits" waits_for podgroup/second '.status.conditions[?(@.type=="Unschedulable")].status' True
	comes "and says why" "tasks in gang unschedulable" kubectl get podgroup second -o json
	is "none of its pods has a node" "$(kubectl get pods second-0 second-1 -o 'jsonpath={.items[*].spec.nodeName}')" ""
	comes "nor does it hide why" FailedScheduling kubectl describe pod second-0
	passes "the first one goes" kubectl delete pod first-0 first-1
	passes "the second one runs" waits_for podgroup/second .status.running 2
	passes "the queue knows what it gave" waits_for queue/default .status.allocated.cpu 40

	# Pods that nothing but a queue, or a group that is not there, keeps back.
	pod lost nowhere 1 >"$tmp/lost.yaml"
	{ group huge 1; pod huge-0 huge 100; } >"$tmp/huge.yaml"
	passes "a pod whose group is not there, and one that is too large" \
		kubectl apply -f "$tmp/lost.yaml" -f "$tmp/huge.yaml"
	comes "the first says that" "PodGroup nowhere, which annotation" kubectl describe pod lost
	comes "the second that it can never start" "needs 100 CPUs on one node, the largest has 32" kubectl describe pod huge-0
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
comes "a configuration that makes no sense is refused" 'the last one holds on' cat "$tmp/log"
has "with its reason" "$output" dance
passes "it stops" volcano down

# Nodes are objects that the test makes, and it is their kubelet; a scheduler of two names.
home=$tmp/bare
KUBECONFIG="$home/kubeconfig"
node() { # NAME CPUS
	cat <<-END
	---
	apiVersion: v1
	kind: Node
	metadata: {name: $1, labels: {kubernetes.io/hostname: $1}}
	status:
	  capacity: {cpu: "$2", memory: 64Gi, pods: "110"}
	  allocatable: {cpu: "$2", memory: 64Gi, pods: "110"}
	  conditions: [{type: Ready, status: "True"}]
	END
}
runs() { # POD...
	for one; do
		kubectl patch pod "$one" --subresource=status -p '{"status": {"phase": "Running"}}' || return
	done
}
at_node() { waits_for "pod/$1" .spec.nodeName "$2"; }
configure() { # ACTIONS
	cat >"$tmp/conf.new" <<-END
	actions: "$1"
	tiers:
	- plugins: [{name: priority}, {name: gang}, {name: conformance}]
	- plugins: [{name: predicates}, {name: nodeorder}]
	END
	mv "$tmp/conf.new" "$tmp/conf"
}
passes "a server starts without scheduler and nodes" \
	volcano up -d --listen 127.0.0.1:0 --components apiserver,controllers
node n1 4 >"$tmp/node.yaml"
passes "a node is made" kubectl apply -f "$tmp/node.yaml"
passes "it is ready" kubectl taint node n1 node.kubernetes.io/not-ready:NoSchedule-
configure "enqueue"
"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --scheduler-conf "$tmp/conf" \
	--scheduler-name volcano --scheduler-name second 2>"$tmp/log2" &
servers="$servers $!"
passes "the first queues come" kubectl wait queue/root queue/default --for=create --timeout=60s
passes "and are opened" waits_for queue/default .status.state Open

{ group wait 2; pod wait-0 wait 3; pod wait-1 wait 3; } >"$tmp/wait.yaml"
passes "a gang is made that needs more than there is" kubectl apply -f "$tmp/wait.yaml"
passes "it is admitted" waits_for podgroup/wait .status.phase Inqueue
configure "enqueue, allocate, preempt"
comes "another configuration is read while it runs" 'read again' cat "$tmp/log2"
passes "the gang says that it waits" \
	waits_for podgroup/wait '.status.conditions[?(@.type=="Unschedulable")].status' True
comes "and why, with numbers" 'needs 6 CPUs, cluster has 4' \
	kubectl get podgroup wait -o 'jsonpath={.metadata.annotations}'
comes "each of its pods, too" Unschedulable kubectl get pod wait-1 -o 'jsonpath={.status.conditions}'
echo 'actions: "dance"' >"$tmp/conf.new"
mv "$tmp/conf.new" "$tmp/conf"
comes "a configuration that makes no sense is refused" 'the last one holds on' cat "$tmp/log2"
node n2 4 >"$tmp/node.yaml"
passes "a second node comes" kubectl apply -f "$tmp/node.yaml"
passes "it is ready as well" kubectl taint node n2 node.kubernetes.io/not-ready:NoSchedule-
passes "the gang is placed by the last good one" \
	kubectl wait pod/wait-0 pod/wait-1 '--for=jsonpath={.spec.nodeName}' --timeout=60s
passes "its pods run" runs wait-0 wait-1
passes "so does the group" waits_for podgroup/wait .status.phase Running
settles "which has nothing to explain any more" "" \
	kubectl get podgroup wait -o 'jsonpath={.metadata.annotations.scheduling\.volcano\.sh/reasons}'

{
	group own 1
	pod own-0 own 1 | sed 's/schedulerName: volcano/schedulerName: second/'
	group strange 1
	pod strange-0 strange 1 | sed 's/schedulerName: volcano/schedulerName: third/'
} >"$tmp/names.yaml"
passes "pods of two more schedulers are made" kubectl apply -f "$tmp/names.yaml"
passes "that of our second name is placed" \
	kubectl wait pod/own-0 '--for=jsonpath={.spec.nodeName}' --timeout=60s
is "the other one is left alone" "$(kubectl get pod strange-0 -o 'jsonpath={.spec.nodeName}')" ""
passes "they go" kubectl delete -f "$tmp/names.yaml" --grace-period=0 --force

cat >"$tmp/high.yaml" <<END
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
END
passes "a class of high priority is made" kubectl apply -f "$tmp/high.yaml"
passes "the gang may be broken up" kubectl patch podgroup wait --type=merge -p '{"spec": {"minMember": 1}}'
{ group first 1; pod first-0 first 4; } |
	sed 's/queue: default/queue: default, priorityClassName: high/; s/schedulerName: volcano/schedulerName: volcano\n  priorityClassName: high/' >"$tmp/first.yaml"
passes "one that is more important comes" kubectl apply -f "$tmp/first.yaml"
comes "somebody goes for it, who says for whom and by what right" \
	"evicted by preempt for job default/first (priority 1000; this job: 0) of the same queue default" \
	kubectl get events --field-selector reason=Preempted -o 'jsonpath={.items[*].message}'
victim=$(kubectl get events --field-selector reason=Preempted -o 'jsonpath={.items[0].involvedObject.name}')
passes "and is deleted" kubectl delete pod "$victim" --grace-period=0 --force
passes "the capacity is its own" kubectl wait pod/first-0 '--for=jsonpath={.spec.nodeName}' --timeout=60s
passes "everything goes" kubectl delete podgroups,pods --all --grace-period=0 --force

cat >"$tmp/claim.yaml" <<END
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: late
  local: {path: /disk}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n2]}]}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: late, resources: {requests: {storage: 1Gi}}}
END
{ group with 1; pod with-0 with 1; } >"$tmp/with.yaml"
echo '  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]' >>"$tmp/with.yaml"
passes "a claim waits for its first pod" kubectl apply -f "$tmp/claim.yaml"
passes "which comes" kubectl apply -f "$tmp/with.yaml"
passes "it goes where a volume is" at_node with-0 n2
passes "the claim has it" waits_for pvc/data .status.phase Bound
settles "and no other" disk kubectl get pvc data -o 'jsonpath={.spec.volumeName}'
passes "it stops" volcano down
finish
