#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-supervisors.t - supervisors of pods: only the agent reaches them, a pod whose supervisor could not be started
# or was killed is started again, and nothing is said to run that does not. node-supervisors-user.t does it as an ordinary
# user.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
wait_for() { kubectl wait --for="$1" --timeout=60s "$2"; }
phase() { wait_for "jsonpath={.status.phase}=$1" "pod/$2"; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
# processes of a pod that are there
processes() { grep -lzs "^MARK=$tmp/$1\$" /proc/[0-9]*/environ | wc -l; }
launcher() { pgrep -P "$(cat "$home/lock")" -f 'volcano-pod launch'; }
# The supervisor of a pod: the process that is in its folder.
supervisor() {
	uid=$(field "$1" .metadata.uid)
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/cwd")" != "$home/pods/$uid" ] || echo "${process#/proc/}"
	done 2>/dev/null
}
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" "spec:" \
		"  {nodeName: $node, restartPolicy: $2, terminationGracePeriodSeconds: 1, ${4-}" \
		"  containers: [{name: c, image: x, env: [{name: MARK, value: $tmp/$1}]," \
		"    command: [sh, -c, '$3']}]}" "---"
}

chmod 755 "$tmp"
mkdir -m 777 "$tmp/open"
passes "it starts" volcano up -d --listen 127.0.0.1:0
comes "a node comes" node/ kubectl get nodes -o name
node=${output#node/}

# ---- who may reach them ----
{
	pod stays Always 'echo up; exec sleep 1000'
	pod looks Never "grep -c $home /proc/net/unix; ls $home/control 2>&1 | grep -c -e secret -e -; exit 0" \
		'hostNetwork: true,'
} | kubectl create -f - >/dev/null
passes "a pod runs" wait_for condition=Ready pod/stays
passes "another one on the machine's network looks around" phase Succeeded looks
is "and sees no socket and no secret" "$(kubectl logs looks)" "0
0"
folder=$home/pods/$(field stays .metadata.uid)
is "nor is there a name that all can reach" \
	"$(grep -c "@.*$(printf %x/%x "$(stat -c %d "$folder")" "$(stat -c %i "$folder")")" /proc/net/unix)" 0
is "the node's folder for them is closed" "$(stat -c %a "$home/control" "$home/control/secret" | tr '\n' ' ')" "700 600 "
is "nobody listens while there is an agent" "$(find "$home/control" -type s)" ""

# ---- volcano goes and comes back ----
old=$(supervisor stays)
pid=$(cat "$home/lock")
kill -KILL "$pid"
tail --pid="$pid" -f /dev/null # until it has ended
settles "without an agent they listen" 1 sh -c "find '$home/control' -type s | wc -l"
passes "it starts again" volcano up -d --listen 127.0.0.1:0
passes "the pod is there" wait_for condition=Ready pod/stays
is "without a restart" "$(field stays '.status.containerStatuses[0].restartCount') $(processes stays)" "0 1"
is "its supervisor is the same" "$(supervisor stays)" "$old"
settles "and listens no more" "" find "$home/control" -type s

# ---- a supervisor that is killed ----
passes "its supervisor is killed" kill -KILL "$old"
passes "it is started again" wait_for 'jsonpath={.status.containerStatuses[0].restartCount}=1' pod/stays
passes "and runs" wait_for condition=Ready pod/stays
settles "as one process" 1 processes stays
# Stopped, it says nothing and answers nothing: what it holds is not started a second time.
one=$(supervisor stays)
passes "its supervisor is stopped" kill -STOP "$one"
process=$(grep -lzs "^MARK=$tmp/stays\$" /proc/[0-9]*/environ)
process=${process#/proc/}
passes "its process is killed" kill -KILL "${process%/environ}"
passes "its supervisor goes on" kill -CONT "$one"
passes "it is started again" wait_for 'jsonpath={.status.containerStatuses[0].restartCount}=2' pod/stays
settles "once" 1 processes stays

# ---- a connection that breaks ----
# break_at SUPERVISOR: shut the socket to its agent, which it was started with, from outside. 77: the kernel does not
# permit that; $tmp/break says why it failed.
break_at() {
	python3 -c '
import ctypes, errno, os, socket, sys
pidfd_getfd = 438
fd = ctypes.CDLL(None, use_errno=True).syscall(pidfd_getfd, os.pidfd_open(int(sys.argv[1])), 3, 0)
if fd < 0:
    print(os.strerror(ctypes.get_errno()), file=sys.stderr)
    sys.exit(77 if ctypes.get_errno() in (errno.EPERM, errno.ENOSYS) else 1)
socket.socket(fileno=fd).shutdown(socket.SHUT_RDWR)' "$1" 2>"$tmp/break"
}
back() { grep -c 'connection to the supervisor.*it is back' "$home/volcano.log"; }
kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: hooked}
spec:
  nodeName: $node
  terminationGracePeriodSeconds: 100
  containers:
  - name: c
    image: x
    env: [{name: MARK, value: $tmp/hooked}]
    command: [sleep, '1000']
    readinessProbe: {exec: {command: ['true']}, periodSeconds: 1}
    lifecycle:
      preStop: {exec: {command: [sh, -c, 'touch $tmp/open/stopping; until [ -e $tmp/open/stop ]; do sleep 0.05; done']}}
YAML
passes "a pod with probe and hook runs" wait_for condition=Ready pod/hooked
broken=0
break_at "$(supervisor hooked)" || broken=$?
if [ "$broken" -eq 0 ]; then
	one=$(supervisor hooked)
	settles "a connection that breaks is made again" 1 back
	is "nothing was ended" "$(field hooked '.status.containerStatuses[0].restartCount') $(processes hooked) $(supervisor hooked)" "0 1 $one"
	process=$(grep -lzs "^MARK=$tmp/hooked\$" /proc/[0-9]*/environ)
	process=${process#/proc/}
	kill -KILL "${process%/environ}"
	passes "its end is heard" wait_for 'jsonpath={.status.containerStatuses[0].restartCount}=1' pod/hooked
	passes "and probes go on" wait_for condition=Ready pod/hooked
elif [ "$broken" -eq 77 ]; then
	result 0 "a connection that breaks # SKIP pidfd_getfd: $(tail -n 1 "$tmp/break")"
else
	result 1 "a connection breaks" "$(cat "$tmp/break")"
fi
kubectl delete pod hooked --wait=false >/dev/null
settles "a hook of its end runs" yes sh -c "[ -e '$tmp/open/stopping' ] && echo yes"
touch "$tmp/open/stop"
passes "and it goes" kubectl wait --for=delete --timeout=60s pod/hooked

# ---- one that cannot be started ----
# What was asked of the launcher is lost when it is killed, at a moment at which something else is planned for the pod:
# that its containers are being created is written half a second later.
{
	pod first Never 'echo came'
	pod again OnFailure "if [ -e been ]; then echo second; exit 0; fi; echo first; until [ -e $tmp/open/go ]; do sleep 0.05; done; touch been; exit 1"
} >"$tmp/two.yaml"
kill -STOP "$(launcher)"
kubectl create -f "$tmp/two.yaml" >/dev/null
comes "pods are asked for" ContainerCreating kubectl get pods
kill -KILL "$(launcher)"
passes "they start when the launcher is there again" phase Succeeded first
passes "both" wait_for condition=Ready pod/again
kubectl label pod again changed=yes >/dev/null # it gets another supervisor when it is started again
kill -STOP "$(launcher)"
touch "$tmp/open/go"
comes "one has failed" Error kubectl get pod again
kill -KILL "$(launcher)"
passes "it is started again, too" phase Succeeded again
is "once" "$(field again '.status.containerStatuses[0].restartCount') $(kubectl logs again)" "1 second"

# ---- another process has the lock ----
kubectl delete pod stays --timeout=60s >/dev/null
pod held Always "echo up; until [ -e $tmp/open/fail ]; do sleep 0.05; done; rm $tmp/open/fail; exit 1" | kubectl create -f - >/dev/null
passes "one more runs" wait_for condition=Ready pod/held
uid=$(field held .metadata.uid)
kill -KILL "$(supervisor held)"
mkfifo "$tmp/held"
flock "$home/pods/$uid" sh -c "echo >$tmp/held; exec sleep 1000" &
holder=$!
read -r _ <"$tmp/held"
settles "while another process has its folder nothing is said to run" "" field held '.status.containerStatuses[0].state.running'
settles "and nothing does" 0 processes held
pkill -KILL -P "$holder"
passes "then it does" wait_for condition=Ready pod/held
settles "as one process" 1 processes held
passes "it stops" volcano down --pods
settles "nothing is left" 0 processes held
is "nor a socket" "$(find "$home/control" -type s)" ""
finish
