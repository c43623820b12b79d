#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-adopt.t - what an agent must know of pods that another one has started: who ran out of memory and who did not,
# which control groups go, and that the server is where pods look for it.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
wait_for() { kubectl wait --for="$1" --timeout=120s "$2"; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
# again: volcano is killed, and comes back to the same port
again() {
	pid=$(cat "$home/lock")
	kill -KILL "$pid"
	tail --pid="$pid" -f /dev/null
}
port() { volcano status -o json | sed -n 's/.*"url": "https:[^"]*:\([0-9]*\)".*/\1/p'; }
# pod NAME POLICY SCRIPT [CONTAINER FIELDS]
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {schedulerName: volcano, restartPolicy: $2, terminationGracePeriodSeconds: 1, automountServiceAccountToken: true," \
		"  containers: [{name: c, image: x, ${4-} command: [sh, -c, '$3']}]}" "---"
}

passes "it starts" volcano up -d --listen 127.0.0.1:0
settles "there is a node" True kubectl get nodes -o jsonpath='{.items[*].status.conditions[?(@.type=="Ready")].status}'
limits=$(kubectl get nodes -o jsonpath='{.items[0].status.conditions[?(@.type=="PodLimits")].status}')
port=$(port)
ask="curl -sS -m 60 --cacert /var/run/secrets/kubernetes.io/serviceaccount/ca.crt https://\$KUBERNETES_SERVICE_HOST:\$KUBERNETES_SERVICE_PORT/livez"
{
	pod hears Never "until grep -q named.sub /etc/hosts; do sleep 0.1; done"
	pod asks Never "touch $tmp/asks; until [ -e $tmp/ask ]; do sleep 0.1; done; $ask" 'ports: [{containerPort: 80}],'
	if [ "$limits" = True ]; then
		pod away Never "touch $tmp/away; until [ -e $tmp/go ]; do sleep 0.1; done; exec tail /dev/zero" \
			'resources: {limits: {memory: 32Mi}},'
		pod before OnFailure "[ -e been ] || { touch been; exec tail /dev/zero; }; until [ -e $tmp/end ]; do sleep 0.1; done; exit 3" 'resources: {limits: {memory: 32Mi}},'
	fi
} >"$tmp/pods.yaml"
passes "pods" kubectl create -f "$tmp/pods.yaml"
passes "one runs" wait_for condition=Ready pod/asks
passes "one waits for a name" wait_for condition=Ready pod/hears
if [ "$limits" = True ]; then
	passes "one waits" wait_for condition=Ready pod/away
	passes "one runs out of memory" wait_for 'jsonpath={.status.containerStatuses[0].lastState.terminated.reason}=OOMKilled' pod/before
	passes "and runs again" wait_for condition=Ready pod/before
	uids=$(kubectl get pods -o jsonpath='{.items[*].metadata.uid}')
	uid=$(field away .metadata.uid)
	processes() { find /sys/fs/cgroup -path "*/pod$uid/*" -name cgroup.procs -exec cat {} + 2>/dev/null; }
fi
again
if [ "$limits" = True ]; then
	touch "$tmp/go"
	settles "one runs out of memory while volcano is away" "" processes
fi
# Nothing keeps its port free: a connection of another program may have it for a moment.
comes "it comes back" "volcano is ready" volcano up -d --listen "127.0.0.1:$port"
pod named Never "exec sleep 1000" | sed 's/^spec: {/spec: {hostname: named, subdomain: sub, /' | kubectl create -f - >/dev/null
settles "one finds a name that has come since" Succeeded field hears .status.phase
touch "$tmp/ask"
settles "one asks the server" Succeeded field asks .status.phase
is "which answers" "$(kubectl logs asks)" ok
if [ "$limits" = True ]; then
	settles "what happened meanwhile is known" Failed field away .status.phase
	is "with its reason" "$(field away '.status.containerStatuses[0].state.terminated.reason')" OOMKilled
	touch "$tmp/end"
	passes "who ends otherwise" \
		wait_for 'jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}=3' pod/before
	is "is not said to have run out of memory once more" \
		"$(field before '.status.containerStatuses[0].lastState.terminated.reason')" Error
	passes "they go" kubectl delete pods --all --timeout=60s
	groups() { for uid in $uids; do find /sys/fs/cgroup -type d -name "pod$uid" 2>/dev/null; done; }
	settles "with their control groups" "" groups
fi
passes "it stops" volcano down --pods

# ---- next to a volcano-pod of another version ----
mkdir "$tmp/bin"
ln "$BIN/volcano" "$tmp/bin/volcano" 2>/dev/null || cp "$BIN/volcano" "$tmp/bin/volcano"
printf '#!/bin/sh\nexit 2\n' >"$tmp/bin/volcano-pod"
chmod +x "$tmp/bin/volcano-pod"
home=$tmp/stale
BIN=$tmp/bin
KUBECONFIG=$home/kubeconfig
passes "it starts next to a volcano-pod of another version" volcano up -d --listen 127.0.0.1:0
settles "there is a node" True kubectl get nodes -o jsonpath='{.items[*].status.conditions[?(@.type=="Ready")].status}'
pod sees Never true | kubectl create -f - >/dev/null
comes "a pod says what to do" "is of another version: install both from one build" \
	field sees '.status.containerStatuses[0].state.waiting.message'
comes "so does the log" "is of another version: install both from one build" cat "$home/volcano.log"
passes "it stops" volcano down --pods
finish
