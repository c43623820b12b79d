#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-left.t - nothing is left of pods, whichever process is killed: pods that are deleted while no node is there, supervisors
# and launchers that die of SIGKILL, with volcano there and without it, containers that leave daemons running, and a
# machine that has restarted. Processes, control groups, network namespaces, mounts and folders are counted.
# node-left-user.t does it as an ordinary user.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
kubectl() { "$KUBECTL_NEW" "$@"; }
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
export HOME="$tmp" KUBECONFIG="$home/kubeconfig"
trap 'volcano down --pods >/dev/null 2>&1; clean_up' EXIT
up() { volcano up -d --listen 127.0.0.1:0 "$@"; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
uid_of() { field "$1" .metadata.uid; }
# Those of a pod carry its mark: a program cannot lose what it was started with.
processes() {
	for of; do grep -lzsx "MARK=$tmp/$of" /proc/[0-9]*/environ; done | wc -l
}
# What the machine has of the pods with these uids, one a word.
left() {
	for uid in $1; do
		find /sys/fs/cgroup -type d -name "pod$uid" 2>/dev/null
		grep -hos "[^ ]*${uid}[^ ]*" /proc/self/mountinfo
		[ ! -e "$home/pods/$uid" ] || echo "$home/pods/$uid"
	done | sort -u
}
# kills PID...: and waits until they have ended
kills() {
	for pid; do kill -KILL "$pid"; done
	for pid; do tail --pid="$pid" -f /dev/null; done
}
# The process that holds a pod: its folder is where it is.
supervisor_of() {
	for link in /proc/[0-9]*/cwd; do
		[ "$(readlink "$link" 2>/dev/null)" != "$home/pods/$1" ] || basename "$(dirname "$link")"
	done
}
launcher() {
	cat "/proc/$(cat "$home/lock")/task/"*/children | tr ' ' '\n' | while read -r pid; do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != volcano-pod ] || echo "$pid"
	done
}
# Three processes out of their session, without a parent.
daemons='(setsid sh -c "(setsid sleep 1000 &) ; sleep 1000" >/dev/null 2>&1 &);'
# container NAME MARK SCRIPT [FIELDS]
container() {
	echo "{name: $1, image: x, env: [{name: MARK, value: $tmp/$2}], ${4-} command: [sh, -c, '$3']}"
}
# pod NAME POLICY FIELDS CONTAINER...
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {schedulerName: volcano, restartPolicy: $2, terminationGracePeriodSeconds: 1, $3" \
		"  containers: ["
	shift 3
	for one; do printf '    %s,\n' "$one"; done
	printf '%s\n' "  ]}" "---"
}
are_ready() { kubectl wait --for=condition=Ready --timeout=120s "$@"; }
ask='resources: {requests: {cpu: 1m}, limits: {memory: 64Mi}},'
memory='volumes: [{name: m, emptyDir: {medium: Memory}}],'
mounted='volumeMounts: [{name: m, mountPath: /mnt}],'
stays="touch /mnt/x 2>/dev/null; $daemons exec sleep 1000"

passes "it starts" up
[ "$failures" -eq 0 ] || finish
{
	pod stays Never "" "$(container c stays "$daemons exec sleep 1000" "$ask")"
	pod single Never "$memory" "$(container c single "$stays" "$ask $mounted ports: [{containerPort: 80}],")"
	pod several Never "$memory" "$(container a several "$stays" "$ask $mounted ports: [{containerPort: 80}],")" \
		"$(container b several "$stays" "$ask")"
	pod bare Never "" "$(container a bare "$stays")" "$(container b bare "$stays")"
	pod killed Never "$memory" "$(container a killed "$stays" "$ask $mounted")" "$(container b killed "$stays")"
} >"$tmp/pods.yaml"
passes "pods" kubectl create -f "$tmp/pods.yaml"
passes "which run" are_ready pod --all
settles "with what they have left behind, four processes a container" 32 processes stays single several bare killed

# ---- deleted while no node is there ----
killed=$(uid_of killed)
gone="$(uid_of single) $(uid_of several) $(uid_of bare) $killed"
kills "$(cat "$home/lock")"
kills "$(supervisor_of "$killed")"
passes "only the API server comes back" up --components apiserver
passes "pods are deleted, and no agent is notified" \
	kubectl delete pods single several bare killed --force --grace-period=0 --timeout=60s
passes "it stops" volcano down
passes "all of it comes back" up
settles "no process of theirs is left" 0 processes single several bare killed
settles "nor anything else" "" left "$gone"
is "who was not deleted has all of his" "$(processes stays)" 4
is "and was not started again" "$(field stays '.status.containerStatuses[0].restartCount')" 0

# ---- a container that ends next to one that does not ----
{
	pod neighbour Never "" "$(container ends ends "$daemons exit 3")" "$(container c neighbour "$daemons exec sleep 1000")"
	pod again Always "" "$(container c again "$daemons exec sleep 1000" "$ask")" "$(container d other "$daemons exec sleep 1000")"
	pod never Never "" "$(container c never "$daemons exec sleep 1000")"
} | kubectl create -f - >/dev/null
settles "one ends" 3 field neighbour '.status.containerStatuses[?(@.name=="ends")].state.terminated.exitCode'
settles "and leaves nothing" 0 processes ends
settles "the other one has all of his" 4 processes neighbour
passes "others run" are_ready pod/again

# ---- supervisors that are killed ----
settles "with all of theirs" 12 processes again other never
kills "$(supervisor_of "$(uid_of again)")"
settles "who is to be started again is" 1 field again '.status.containerStatuses[0].restartCount'
settles "as often as he is there" 8 processes again other
kills "$(supervisor_of "$(uid_of never)")"
settles "who is not is not" "Failed 137" field never '.status.phase} {.status.containerStatuses[0].state.terminated.exitCode'
settles "and nothing of his is left" 0 processes never

# ---- the launcher ----
launcher=$(launcher)
kills "$launcher"
is "who runs runs on" "$(processes stays again other)" 12
pod later Never "" "$(container c later "$daemons exec sleep 1000")" | kubectl create -f - >/dev/null
passes "there is another launcher, and pods start" are_ready pod/later
fails "it is another one" test "$launcher" = "$(launcher)"

# ---- volcano goes, pods stay; a supervisor is killed meanwhile ----
again=$(uid_of again)
passes "volcano stops" volcano down
has "and says who does not" "$output" "pods run on"
is "who runs runs on" "$(processes stays again other later)" 16
kills "$(supervisor_of "$again")"
passes "it comes back" up
settles "who is to be started again is" 2 field again '.status.containerStatuses[0].restartCount'
settles "as often as he is there" 8 processes again other

# ---- pods with networks of their own: the later one has copies of the mounts of the earlier one ----
port='ports: [{containerPort: 80}],'
pod first Always "" "$(container c first "exec sleep 1000" "$port")" | kubectl create -f - >/dev/null
passes "one runs" are_ready pod/first
pod second Never "" "$(container c second "exec sleep 1000" "$port")" | kubectl create -f - >/dev/null
passes "then another one" are_ready pod/second
first=$(uid_of first) second=$(processes second)
kills "$(supervisor_of "$first")"
settles "the first one's supervisor is killed, and he is started again" \
	1 field first '.status.containerStatuses[0].restartCount'
is "the second one runs on" "$(processes second)" "$second"
passes "volcano stops" volcano down
kills "$(supervisor_of "$first")"
passes "it comes back" up
settles "who was lost meanwhile is started again" 2 field first '.status.containerStatuses[0].restartCount'
is "the second one runs on" "$(processes second) $(field second .status.phase)" "$second Running"

# ---- a machine that has restarted: no process, no mount, no control group ----
all=$(kubectl get pods -o jsonpath='{.items[*].metadata.uid}')
kills "$(cat "$home/lock")"
for uid in $all; do
	for of in $(supervisor_of "$uid"); do kills "$of"; done
done
grep -lzs "^MARK=$tmp/" /proc/[0-9]*/environ | cut -d / -f 3 | while read -r pid; do kill -KILL "$pid" 2>/dev/null; done
settles "everything has ended" 0 processes stays neighbour again other later
for uid in $all; do
	for place in $(left "$uid"); do
		case $place in
		/sys/fs/cgroup/*) find "$place" -depth -type d -exec rmdir '{}' ';' ;;
		*) ! grep -qs " $place " /proc/self/mountinfo || umount -l "$place" ;;
		esac
	done
done
passes "it starts" up
settles "who is to be started again is" 3 field again '.status.containerStatuses[0].restartCount'
settles "as often as he is there" 8 processes again other
settles "who is not has failed" "Failed Failed" \
	kubectl get pods stays later -o jsonpath='{.items[*].status.phase}'
is "and nothing of theirs runs" "$(processes stays later)" 0

# ---- the end ----
passes "pods are deleted" kubectl delete pods --all --timeout=120s
settles "no process is left" 0 processes stays neighbour again other never later
settles "nor anything else" "" left "$all"
passes "it stops" volcano down --pods
finish
