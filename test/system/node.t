#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node.t - this machine as a node: jobs and pods as real processes, their output, codes, restarts and ends.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
wait_for() { kubectl wait --for="$1" --timeout=60s "$2"; }
phase() { wait_for "jsonpath={.status.phase}=$1" "$2"; }
# field POD PATH
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
# processes of this home that are still there
processes() { grep -lzs "^MARK=$tmp\$" /proc/[0-9]*/environ | wc -l; }

passes "it starts" volcano up -d --listen 127.0.0.1:0
comes "a node comes" node/ kubectl get nodes -o name
node=${output#node/}
passes "the machine is a node" wait_for condition=Ready "node/$node"
has "it knows its CPUs" "$(kubectl get node "$node" -o jsonpath='{.status.capacity}')" '"cpu":'

# ---- a job ----
kubectl create -f - >/dev/null <<'YAML'
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: job}
spec:
  minAvailable: 2
  tasks:
  - name: t
    replicas: 2
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: x, command: [sh, -c, 'echo "I am $NAME"'], env: [{name: NAME, value: worker}]}]
YAML
passes "a job is completed" wait_for 'jsonpath={.status.state.phase}=Completed' vcjob/job
is "its output is kept" "$(kubectl logs job-t-0)" "I am worker"

# ---- pods ----
# pod NAME POLICY SCRIPT [MORE OF THE SPEC]
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" "spec:" \
		"  {nodeName: $node, restartPolicy: $2, ${4-}" \
		"  containers: [{name: c, image: x, env: [{name: MARK, value: $tmp}]," \
		"    command: [sh, -c, '$3']}]}" "---"
}
{
	pod fails Never 'echo one; echo two >&2; exit 3'
	pod missing Never '' 'initContainers: [{name: i, image: x, command: [no-such-program]}],'
	pod order Never 'cat one' "initContainers: [
		{name: i, image: x, command: [sh, -c, 'echo 1 >one']},
		{name: j, image: x, command: [sh, -c, 'echo 2 >>one']}],"
	pod again OnFailure 'if [ -e been ]; then echo second; exit 0; fi; echo first; touch been; exit 1'
	pod late Never 'exec sleep 1000' 'activeDeadlineSeconds: 1, terminationGracePeriodSeconds: 1,'
	pod stays Always 'trap "echo bye; exit 0" TERM; echo up; sleep 1000 & wait'
	pod resists Always 'trap "" TERM; (setsid sh -c "trap \"\" TERM; sleep 1000" &); echo up; while :; do sleep 1000; done' \
		'terminationGracePeriodSeconds: 1,'
	pod sidecar Never 'until [ -e up ]; do sleep 0.05; done; echo main' "initContainers: [{name: s, image: x,
		restartPolicy: Always, command: [sh, -c, 'trap \"exit 0\" TERM; echo sidecar; touch up; sleep 1000 & wait']}],"
	pod idles Never '' | sed '/command:/d; s/{name: c, image: x, .*/{name: c, image: x}]}/'
} >"$tmp/pods.yaml"
passes "pods are made" kubectl create -f "$tmp/pods.yaml"

passes "one that fails has failed" phase Failed pod/fails
is "with its code" "$(field fails '.status.containerStatuses[0].state.terminated.exitCode')" 3
is "and its reason" "$(field fails '.status.containerStatuses[0].state.terminated.reason')" Error
is "both streams are kept, in order" "$(kubectl logs fails)" "one
two"
is "the last line" "$(kubectl logs fails --tail 1)" two
has "with the time" "$(kubectl logs fails --tail 1 --timestamps)" "Z two"
is "nothing of before" "$(kubectl logs fails --since-time=2100-01-01T00:00:00Z)" ""

passes "a program that is not there is reported" phase Failed pod/missing
has "by its name" "$(field missing '.status.initContainerStatuses[0].state.terminated.message')" \
	"exec: \"no-such-program\": executable file not found in \$PATH"
passes "init containers come first, in order" phase Succeeded pod/order
is "one after the other" "$(kubectl logs order -c c)" "1
2"
passes "what fails is started again" phase Succeeded pod/again
is "once" "$(field again '.status.containerStatuses[0].restartCount')" 1
is "the output of before is kept" "$(kubectl logs again --previous)" first
is "in addition to that of now" "$(kubectl logs again)" second
is "and how it ended" "$(field again '.status.containerStatuses[0].lastState.terminated.exitCode')" 1
passes "a deadline ends it" phase Failed pod/late
is "with the reason" "$(field late .status.reason)" DeadlineExceeded
passes "a sidecar ends with the others" phase Succeeded pod/sidecar
is "after it was there" "$(kubectl logs sidecar -c s)" sidecar

passes "one without a command runs" wait_for condition=Ready pod/idles
comes "and says that it does nothing" "it idles" kubectl describe pod idles
passes "it goes" kubectl delete pod idles --timeout=60s
passes "one that stays runs" wait_for condition=Ready pod/stays
mkfifo "$tmp/follow"
kubectl logs -f stays >"$tmp/follow" &
exec 8<"$tmp/follow"
read -r line <&8
is "its output is followed" "$line" up
passes "it is deleted" kubectl delete pod stays --timeout=60s
is "to the end" "$(cat <&8)" bye
exec 8<&-
passes "one that resists runs" wait_for condition=Ready pod/resists
passes "it is deleted all the same" kubectl delete pod resists --timeout=60s
is "nothing is left of it" "$(processes)" 0
folders() { find "$home/pods" -mindepth 1 -maxdepth 1 | wc -l; }
settles "nor its folder" "$(kubectl get pods -o name | wc -l)" folders

# ---- what pods run in ----
kubectl create configmap settings --from-literal=a=one >/dev/null
kubectl create secret generic keys --from-literal=s=hidden >/dev/null
cat >"$tmp/limits.yaml" <<YAML
apiVersion: v1
kind: Pod
metadata: {name: volumes}
spec:
  nodeName: $node
  restartPolicy: Never
  volumes: [{name: c, configMap: {name: settings}}, {name: s, secret: {secretName: keys}}, {name: e, emptyDir: {}}]
  initContainers: [{name: i, image: x, command: [sh, -c, 'echo shared >/scratch/f'], volumeMounts: [{name: e, mountPath: /scratch}]}]
  containers:
  - name: c
    image: x
    command: [sh, -c, 'cat /settings/a /keys/s /scratch/f; echo; echo "\$A \$S \$NAME"; echo said >/dev/termination-log; exit 4']
    volumeMounts: [{name: c, mountPath: /settings}, {name: s, mountPath: /keys}, {name: e, mountPath: /scratch}]
    env:
    - {name: A, valueFrom: {configMapKeyRef: {name: settings, key: a}}}
    - {name: S, valueFrom: {secretKeyRef: {name: keys, key: s}}}
    - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
---
apiVersion: v1
kind: Pod
metadata: {name: probed}
spec:
  nodeName: $node
  terminationGracePeriodSeconds: 5
  containers:
  - name: c
    image: x
    command: [sh, -c, 'echo run; sleep 1000 & wait']
    startupProbe: {exec: {command: [sh, -c, 'touch started']}, periodSeconds: 1}
    readinessProbe: {exec: {command: [test, -e, started]}, periodSeconds: 1}
    lifecycle:
      postStart: {exec: {command: [touch, $tmp/post]}}
      preStop: {exec: {command: [touch, $tmp/pre]}}
---
apiVersion: v1
kind: Pod
metadata: {name: unwell}
spec:
  nodeName: $node
  terminationGracePeriodSeconds: 1
  containers:
  - name: c
    image: x
    command: [sh, -c, 'echo run; sleep 1000 & wait']
    livenessProbe: {tcpSocket: {port: 1}, periodSeconds: 1, failureThreshold: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: waits}
spec:
  nodeName: $node
  restartPolicy: Never
  containers:
  - name: c
    image: x
    command: [printenv, A]
    env: [{name: A, valueFrom: {configMapKeyRef: {name: later, key: a}}}]
YAML
passes "pods with more are made" kubectl create -f "$tmp/limits.yaml"
passes "one reads its volumes" phase Failed pod/volumes
is "in files and variables" "$(kubectl logs volumes -c c)" "onehiddenshared

one hidden volumes"
is "and leaves a message" "$(field volumes '.status.containerStatuses[0].state.terminated.message')" said
pod hears Never 'until grep -q named.sub /etc/hosts; do sleep 0.1; done; grep -c localhost /etc/hosts; exit 5' |
	kubectl create -f - >/dev/null
passes "one waits for a name" wait_for condition=Ready pod/hears
pod named Never 'exec sleep 1000' 'hostname: named, subdomain: sub, terminationGracePeriodSeconds: 1,' | kubectl create -f - >/dev/null
passes "it finds it when a pod has it" phase Failed pod/hears
is "in addition to those that it knew" "$(field hears '.status.containerStatuses[0].state.terminated.exitCode') $(kubectl logs hears)" "5 2"
passes "the pod with the name goes" kubectl delete pod named --timeout=60s
passes "probes say that it is ready" wait_for condition=Ready pod/probed
passes "its hook has run" test -e "$tmp/post"
passes "it is deleted" kubectl delete pod probed --timeout=60s
passes "its other hook has run, too" test -e "$tmp/pre"
# How often by now depends on when it is looked at.
passes "what does not answer is ended" wait_for \
	'jsonpath={.status.containerStatuses[0].lastState.terminated}' pod/unwell
passes "and runs again" wait_for 'jsonpath={.status.containerStatuses[0].state.running}' pod/unwell
passes "which is counted" [ "$(field unwell '.status.containerStatuses[0].restartCount')" -ge 1 ]
passes "it goes" kubectl delete pod unwell --timeout=60s
passes "what waits says for what" wait_for \
	'jsonpath={.status.containerStatuses[0].state.waiting.reason}=CreateContainerConfigError' pod/waits
has "by name" "$(field waits '.status.containerStatuses[0].state.waiting.message')" 'configmap "later" not found'
kubectl create configmap later --from-literal=a=came >/dev/null
passes "and goes on when it comes" phase Succeeded pod/waits
is "with it" "$(kubectl logs waits)" came

# ---- killed ----
pod before Never 'echo one; while [ ! -e '"$tmp"'/go ]; do sleep 0.05; done; echo two; exit 5' >"$tmp/pod.yaml"
passes "a pod is made" kubectl create -f "$tmp/pod.yaml"
passes "it runs" wait_for condition=Ready pod/before
pid=$(cat "$home/lock")
kill -KILL "$pid"
tail --pid="$pid" -f /dev/null # until it has ended
touch "$tmp/go"
passes "after volcano was killed it starts again" volcano up -d --listen 127.0.0.1:0
passes "what ran has run on" phase Failed pod/before
is "with its code" "$(field before '.status.containerStatuses[0].state.terminated.exitCode')" 5
is "without a restart" "$(field before '.status.containerStatuses[0].restartCount')" 0
is "and all of its output" "$(kubectl logs before)" "one
two"
pod longer Always 'exec sleep 1000' >"$tmp/pod.yaml"
passes "one more runs" kubectl create -f "$tmp/pod.yaml"
passes "for long" wait_for condition=Ready pod/longer
passes "it stops" volcano down
has "and says what runs on" "$output" "1 pod runs on"
passes "that is ended as well" volcano down --pods
is "nothing is left" "$(processes)" 0
finish
