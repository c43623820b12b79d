#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# podman.t - containers in images by podman itself, with an image made of busybox; podman-user.t does it as an ordinary
# user. images.t holds what podman is asked for, where there is none.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# shellcheck source=test/system/images.sh
. test/system/images.sh
as_root='securityContext: {runAsUser: 0},'
[ "$who" = root ] || as_root=
limits=no # who may not limit them must not start hungry ones
[ "$who" = user ] || ! [ -w /sys/fs/cgroup ] || limits=yes
phase() { kubectl wait --for="jsonpath={.status.phase}=$1" --timeout=120s "pod/$2"; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
waits() { field "$1" '.status.containerStatuses[0].state.waiting.reason'; }
ended() { field "$1" ".status.containerStatuses[0].state.terminated.$2"; }
processes() { grep -lzs "^MARK=$tmp\$" /proc/[0-9]*/environ | wc -l; }
skip() {
	result 0 "podman # SKIP $*"
	finish
}

# ---- an image ----
image=localhost/volcano-test:$$
own_podman || skip "it is not installed"
image_files "$tmp/image" sh cat echo sleep id touch ls grep tail true
printf '%s\n' 'root:x:0:0::/:/bin/sh' 'someone:x:1234:77::/data:/bin/sh' >"$tmp/image/etc/passwd"
import_image "$image" -c "CMD [\"/bin/sh\", \"-c\", \"echo \$COLOUR in \$PWD\"]" -c 'ENV PATH=/bin' -c 'ENV COLOUR=blue' \
	-c 'WORKDIR /data' || skip "it cannot import an image: $(tail -n 1 "$tmp/import")"

# ---- pods ----
chmod 755 "$tmp"
up() { volcano up -d --listen 127.0.0.1:0 --runtime podman --allow-root-pods; }
passes "it starts" up
comes "a node comes" node/ kubectl get nodes -o name
node=${output#node/}
# pod NAME POLICY FIELDS [MORE OF THE SPEC]: a container with these fields.
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" "spec:" \
		"  {nodeName: $node, restartPolicy: $2, terminationGracePeriodSeconds: ${grace-5}, ${4-}" \
		"  containers: [{name: c, image: '${from-$image}', $3}]}" "---"
}
kubectl create configmap settings --from-literal=colour=green >/dev/null
{
	pod plain Never ''
	pod files Never "workingDir: /v, command: [/bin/sh, -c, 'cat /etc/settings/colour; echo; echo \$COLOUR; touch x && ls /v;
		grep -q localhost /etc/hosts && echo hosts; ls $home 2>&1; id -u; echo err >&2; echo dying >/dev/termination-log; exit 3'],
		env: [{name: COLOUR, value: red}], volumeMounts: [{name: s, mountPath: /etc/settings}, {name: e, mountPath: /v}]" \
		'volumes: [{name: s, configMap: {name: settings}}, {name: e, emptyDir: {}}],'
	pod absent Never 'command: [/no/such/program]'
	pod locked Never 'command: [/etc/passwd]'
	pod same Never 'command: [/bin/sh, -c, "exit 127"]'
	pod again OnFailure "$as_root volumeMounts: [{name: e, mountPath: /v}],
		command: [/bin/sh, -c, 'ls /new /v/been; [ -e /v/been ] && exit 0; touch /new /v/been; exit 1']" \
		'volumes: [{name: e, emptyDir: {}}],'
	pod stays Always "env: [{name: MARK, value: $tmp}], readinessProbe: {exec: {command: [cat, /etc/passwd]}, timeoutSeconds: 20},
		command: [/bin/sh, -c, 'trap \"echo bye; exit 7\" TERM; echo up; while :; do sleep 0.1; done']"
	grace=1 pod resists Always "env: [{name: MARK, value: $tmp}],
		command: [/bin/sh, -c, 'trap \"\" TERM; echo up; sleep 1000 & while :; do sleep 1000; done']"
	[ "$limits" = no ] || pod hungry Never "resources: {limits: {memory: 32Mi}}, command: [/bin/busybox, tail, /dev/zero]"
	from=localhost/none:1 pod never Never 'command: [/bin/sh], imagePullPolicy: Never'
	from=127.0.0.1:1/none:1 pod missing Never 'command: [/bin/sh]'
} >"$tmp/pods.yaml"
passes "pods are made" kubectl create -f "$tmp/pods.yaml"

passes "an image runs by itself" phase Succeeded plain
is "with its command, variables and folder" "$(kubectl logs plain)" "blue in /data"
passes "fields of a pod" phase Failed files
is "are kept, and the node's folder is not there" "$(kubectl logs files | sed "s|$home|HOME|; s/^\(1[89]\|2[01]\)[0-9]\{8\}\$/OWN/")" "green
red
x
hosts
ls: HOME: No such file or directory
$([ "$who" = root ] && echo OWN || echo 0)
err"
is "so is its code" "$(ended files exitCode)" 3
is "and what it says at its end" "$(ended files message)" dying
passes "a program that the image does not have" phase Failed absent
is "could not be started" "$(ended absent exitCode) $(ended absent reason)" "128 StartError"
has "and says why" "$(ended absent message)" /no/such/program
passes "one that may not be run" phase Failed locked
is "could not, either" "$(ended locked exitCode) $(ended locked reason)" "128 StartError"
has "as is reported" "$(ended locked message)" ermission
passes "one that ends with such a code itself" phase Failed same
is "did start" "$(ended same exitCode) $(ended same reason)" "127 Error"
passes "a container that fails runs again" phase Succeeded again
is "with its volumes, but new files" "$(kubectl logs again | sort -r)" "ls: /new: No such file or directory
/v/been"
passes "a probe runs in the container" kubectl wait --for=condition=Ready --timeout=120s pod/stays
if [ "$limits" = yes ]; then
	passes "limits are kept" phase Failed hungry
	is "and reported" "$(ended hungry reason)" OOMKilled
fi
settles "an image may be forbidden to be pulled" ErrImageNeverPull waits never
comes "one that cannot be pulled is waited for" ImagePull waits missing

# ---- the end ----
restart_volcano
comes "one that resists is there" up kubectl logs resists
delete_stays
passes "all go" kubectl delete pod --all --timeout=120s
is "with all that they have started" "$(processes)" 0
passes "it stops" volcano down --pods
settles "podman has none of them any more" "" podman ps -aq
finish
