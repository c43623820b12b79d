#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-restart.t - `volcano up` again with other nodes and other resources: what is not declared any more is removed,
# its pods are evicted, and their jobs continue elsewhere. Nodes of others stay, and are watched.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
up() { passes "it starts with $*" volcano up -d --listen 127.0.0.1:0 "$@"; }
down() { passes "it stops" volcano down; }
nodes() { kubectl get nodes -l volcano.sh/instance -o jsonpath='{range .items[*]}{.metadata.name}{" "}{end}'; }
count() { kubectl get nodes -l volcano.sh/instance -o name | wc -l; }
capacity() { kubectl get nodes -l volcano.sh/instance -o jsonpath="{.items[*].status.$1}"; }
ready() { kubectl get node "$1" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'; }
running() { kubectl get pods -l volcano.sh/job-name=work --field-selector status.phase=Running -o name | wc -l; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
# pod NAME NODE RESOURCE
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {nodeName: $2, restartPolicy: Never, terminationGracePeriodSeconds: 1," \
		"  containers: [{name: c, image: x, resources: {limits: {${3:+$3: 1}}}, command: [sleep, '1000']}]}"
}

# A job with a pod on each of three nodes. A pod that gets SIGTERM writes a line to a file.
up --nodes 3 --node-resources example.com/old=2,cpu=4
settles "three nodes" 3 count
cat >"$tmp/job.yaml" <<EOF
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: work}
spec:
  schedulerName: volcano
  minAvailable: 3
  tasks:
  - name: t
    replicas: 3
    template:
      spec:
        restartPolicy: Never
        terminationGracePeriodSeconds: 60
        containers:
        - name: c
          image: x
          command: [sh, -c, 'trap "echo \$HOSTNAME >>$tmp/ended; exit 1" TERM; sleep 1000 & wait']
          resources: {requests: {cpu: 1}}
          volumeMounts: [{name: v, mountPath: $tmp}]
        volumes: [{name: v, hostPath: {path: $tmp}}]
EOF
passes "a job" kubectl create -f "$tmp/job.yaml"
settles "its pods run" 3 running
first=$(kubectl get pods -l volcano.sh/job-name=work -o jsonpath='{.items[*].metadata.uid}')
# A node that someone else registered, and one by hand.
for name in foreign by-hand; do
	printf '%s\n' "apiVersion: v1" "kind: Node" "metadata: {name: $name}" | kubectl create -f - >/dev/null
done
passes "a foreign node reports" kubectl patch node foreign --subresource status --type merge -p \
	'{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","lastHeartbeatTime":"2026-01-01T00:00:00Z"}]}}'
passes "a node by hand is ready" kubectl patch node by-hand --subresource status --type merge -p \
	'{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
host=$(nodes)
host=${host%%-0 *}
passes "someone adds a resource" kubectl patch node "$host-0" --subresource status --type merge -p \
	'{"status":{"capacity":{"example.com/foreign":"3"}}}'
down

# Other nodes, other resources.
up --nodes 1 --node-resources example.com/new=2,cpu=4
settles "only the declared node is left" "$host " nodes
is "it is ready" "$(ready "$host")" True
has "with what is declared" "$(capacity capacity)" '"example.com/new":"2"'
case $(capacity capacity)$(capacity allocatable) in *example.com/old*) stale=yes ;; *) stale=no ;; esac
is "and nothing else" $stale no
settles "the pods of the job run again" 3 running
case " $(kubectl get pods -l volcano.sh/job-name=work -o jsonpath='{.items[*].metadata.uid}') " in
*" ${first%% *} "*) same=yes ;; *) same=no ;; esac
is "as new pods" $same no
is "after the old ones got SIGTERM" "$(wc -l <"$tmp/ended")" 3
is "the leases are those of the nodes" "$(kubectl get leases -n kube-node-lease -o name)" "lease.coordination.k8s.io/$host"
comes "an event says why" "is no longer declared" kubectl get events -o wide
settles "the foreign node does not answer" Unknown ready foreign
is "but stays" "$(kubectl get node foreign -o name)" node/foreign
is "a node that was made by hand is left alone" "$(ready by-hand)" True
comes "a node that does not answer is tainted" node.kubernetes.io/unreachable:NoExecute \
	kubectl get node foreign -o jsonpath='{range .spec.taints[*]}{.key}:{.effect} {end}'

# A device gets another name on the same node, with a pod that was bound and never started.
passes "someone adds a resource again" kubectl patch node "$host" --subresource status --type merge -p \
	'{"status":{"capacity":{"example.com/foreign":"3"}}}'
down
up --nodes 1 --node-resources example.com/third=1,cpu=4
has "a renamed device has its new name" "$(capacity allocatable)" '"example.com/third":"1"'
case $(capacity capacity)$(capacity allocatable) in *example.com/new*) stale=yes ;; *) stale=no ;; esac
is "and not its old one" $stale no
has "what others added stays" "$(capacity capacity)" '"example.com/foreign":"3"'
is "the pods of the job ran on" "$(running)" 3
pod late "$host" example.com/new | kubectl create -f - >/dev/null
settles "a pod that was bound for the old device fails" Failed field late .status.phase
is "and says why" "$(field late .status.reason)" OutOfexample.com/new

# The node is deleted by mistake.
before=$(field work-t-0 .metadata.uid)
passes "its Node object is deleted" kubectl delete node "$host"
settles "it registers again" True ready "$host"
is "its pods ran on" "$(field work-t-0 .metadata.uid) $(running)" "$before 3"

# Killed in the middle of it.
down
up --nodes 2 --node-resources cpu=4
comes "one of two nodes" "$host-1" nodes
pid=$(cat "$home/lock")
kill -KILL "$pid"
tail --pid="$pid" -f /dev/null
up --nodes 3 --node-resources cpu=4
settles "three nodes, although it was killed" "$host-0 $host-1 $host-2 " nodes
settles "the pods run there" 3 running
down

# No node at all: nothing runs on.
up --nodes 0
settles "no node" "" nodes
settles "no pod runs" 0 running
down
up --simulate-nodes 20
settles "simulated nodes" 20 count
settles "run the job" 3 running
down
up --simulate-nodes 1
settles "one is left" "node-00000 " nodes
settles "and runs it" 3 running
passes "it stops" volcano down --pods
finish
