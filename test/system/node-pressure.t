#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-pressure.t - a machine that runs short of disk or memory: conditions, taints, who is evicted, what is
# refused, and back to normal. The disk is a small one in memory, and a file of the test's fills it.
# shellcheck source=test/system/tap.sh
if [ -z "${OWN_MOUNTS-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=yes exec unshare -m sh "$0"
fi
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
mkdir "$home"
trap 'volcano down --pods >/dev/null 2>&1; umount "$home" 2>/dev/null; clean_up' EXIT
wait_for() { kubectl wait --for="$1" --timeout=60s "$2"; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
condition() { kubectl get nodes -o jsonpath="{.items[0].status.conditions[?(@.type==\"$1\")].status}"; }
taints() { kubectl get nodes -o jsonpath='{.items[0].spec.taints[*].key}'; }
node_is_there() {
	comes "there is a node" node/ kubectl get nodes -o name
	node=$(kubectl get nodes -o jsonpath='{.items[0].metadata.name}')
}
# pod NAME SCRIPT [CONTAINER FIELDS [SPEC FIELDS]]
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {schedulerName: volcano, restartPolicy: Never, ${4-}" \
		"  containers: [{name: c, image: x, ${3-} command: [sh, -c, '$2']}]}" "---"
}
fill() { head -c "$1" /dev/zero >"$home/ballast"; }
M=1048576

for limit in 'disk<1' 'nodefs.available<200%' 'memory.available'; do
	fails "$limit is refused" volcano up --eviction-hard "$limit"
	has "by its name" "$output" "--eviction-hard"
done

if [ -n "${OWN_MOUNTS-}" ] && mount -t tmpfs -o size=200m tmpfs "$home" 2>/dev/null; then
	passes "it starts on a small disk" volcano up -d --listen 127.0.0.1:0 \
		--eviction-hard 'memory.available<0,pid.available<0,nodefs.available<50%' --eviction-pressure-transition-period 1s
	node_is_there
	passes "the node is well" wait_for condition=Ready "node/$node"
	is "its disk is" "$(condition DiskPressure)" False
	{
		pod small "head -c $M /dev/urandom >f; touch $tmp/small; sleep 1000" \
			'resources: {requests: {ephemeral-storage: 50Mi}},' 'terminationGracePeriodSeconds: 500,'
		pod big "head -c $((60 * M)) /dev/zero >f; touch $tmp/big; trap \"\" TERM; sleep 1000 & wait; sleep 1000" \
			'' 'terminationGracePeriodSeconds: 500,'
	} | kubectl create -f - >/dev/null
	settles "two pods write" "$(printf '%s\n' "$tmp/big" "$tmp/small")" ls "$tmp/big" "$tmp/small"
	fill $((60 * M))
	passes "when the disk is full, who takes more than it asked for goes" \
		wait_for 'jsonpath={.status.phase}=Failed' pod/big
	is "with the reason" "$(field big .status.reason)" Evicted
	has "that says what and how much" "$(field big .status.message)" \
		"The node was low on resource: ephemeral-storage. Threshold quantity: 100Mi, available: "
	has "and by whom" "$(field big .status.message)" "request is 0, has larger consumption of ephemeral-storage. "
	comes "there is an event" "low on resource: ephemeral-storage" kubectl events --for pod/big
	settles "the node gets well" False condition DiskPressure
	is "who keeps to what it asked for stays" "$(field small .status.phase)" Running

	fill $((160 * M))
	settles "when that does not help, the node says so" True condition DiskPressure
	comes "and takes no new pods" node.kubernetes.io/disk-pressure taints
	passes "everybody has to go" wait_for 'jsonpath={.status.phase}=Failed' pod/small
	pod forced true '' "nodeName: $node," | kubectl create -f - >/dev/null
	passes "one that comes all the same is refused" wait_for 'jsonpath={.status.phase}=Failed' pod/forced
	is "in a kubelet's words" "$(field forced '.status.reason}: {.status.message')" \
		"Evicted: The node had condition: [DiskPressure]. "
	pod waits true | kubectl create -f - >/dev/null
	comes "others wait, and say for what" "untolerated taint" field waits '.status.conditions[*].message'
	rm "$home/ballast"
	settles "with space the node is well again" False condition DiskPressure
	settles "and takes pods" '' taints
	passes "such as the one that waited" wait_for 'jsonpath={.status.phase}=Succeeded' pod/waits
	passes "it stops" volcano down --pods
fi

passes "it starts where memory is never enough" volcano up -d --listen 127.0.0.1:0 \
	--eviction-hard 'memory.available<1000Ti,nodefs.available<0'
node_is_there
settles "the node says so" True condition MemoryPressure
comes "and is tainted" node.kubernetes.io/memory-pressure taints
{
	pod over "x=\$(head -c 20000000 /dev/zero | tr \"\\0\" x); sleep 1000; echo \$x" 'resources: {requests: {cpu: 1m}},' \
		"nodeName: $node, terminationGracePeriodSeconds: 1,"
	pod nothing true '' "nodeName: $node,"
} >"$tmp/pods.yaml"
passes "pods come all the same" kubectl create -f "$tmp/pods.yaml"
passes "who asks for nothing is refused" wait_for 'jsonpath={.status.phase}=Failed' pod/nothing
is "in a kubelet's words" "$(field nothing .status.message)" "The node had condition: [MemoryPressure]. "
passes "who uses more than it asked for is evicted" wait_for 'jsonpath={.status.phase}=Failed' pod/over
is "with the reason" "$(field over .status.reason)" Evicted
has "and what it used" "$(field over .status.message)" "The node was low on resource: memory. Threshold quantity: 1000Ti, available: "
passes "it stops" volcano down --pods
finish
