#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-descriptors.t - what programs in pods inherit: their standard streams, and nothing of the node's. For containers,
# probes, hooks and init containers, as processes, in crun and in podman; node-descriptors-user.t does it as an ordinary
# user.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# shellcheck source=test/system/images.sh
. test/system/images.sh
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }

# What a program is: the descriptors that it has, without the one that it lists them with; and those of the store
# that any process that it sees has.
image_files "$tmp/image" sh cat echo sleep ls sed grep true tr
cat >"$tmp/image/bin/look" <<'EOF'
#!/bin/sh
echo "$1: $(ls -l /proc/self/fd 2>/dev/null | sed -n 's/.* \([0-9]*\) -> \(.*\)/\1=\2/p' | grep -v '=/proc/[0-9]*/fd$' |
	sed 's/=.*//' | tr '\n' ' ')"
if ls -l /proc/[0-9]*/fd 2>/dev/null | grep -e data.mdb -e /lock; then echo "$1: LEAKED"; fi
EOF
chmod 755 "$tmp" "$tmp/image/bin/look"

# Descriptors of the server itself, without close-on-exec.
inherited() {
	for info in "/proc/$(cat "$home/lock")/fdinfo"/*; do
		[ "${info##*/}" -gt 2 ] || continue
		flags=$(sed -n 's/^flags:\t*//p' "$info" 2>/dev/null)
		case $flags in *2??????) ;; '') ;; *) readlink "$(dirname "$info")/../fd/${info##*/}" ;; esac
	done
}
# Processes other than the server that have something of its folder open.
holders() {
	for process in /proc/[0-9]*; do
		[ "${process#/proc/}" != "$(cat "$home/lock")" ] || continue
		find "$process/fd" '(' -lname "$home/store*" -o -lname "$home/secret" -o -lname "$home/lock" ')' -print 2>/dev/null
	done
}

# look NAME: where the output of a probe or a hook goes is the container's volume.
pod() {
	cat <<YAML
apiVersion: v1
kind: Pod
metadata: {name: $1}
spec:
  nodeName: $node
  terminationGracePeriodSeconds: 20
  volumes: [{name: v, emptyDir: {}}]
  initContainers:
  - {name: i, image: '$image', command: [sh, -c, '$look init'], volumeMounts: [{name: v, mountPath: /v}]}
  containers:
  - name: c
    image: '$image'
    command: [sh, -c, '$look main; until [ -e /v/start -a -e /v/probe ]; do sleep 0.1; done; cat /v/start /v/probe; echo seen;
      trap "cat /v/stop; exit 0" TERM; while :; do sleep 0.1; done']
    volumeMounts: [{name: v, mountPath: /v}]
    readinessProbe: {exec: {command: [sh, -c, '$look probe >/v/p; cat /v/p >/v/probe']}, periodSeconds: 1, timeoutSeconds: 50}
    lifecycle:
      postStart: {exec: {command: [sh, -c, '$look start >/v/s; cat /v/s >/v/start']}}
      preStop: {exec: {command: [sh, -c, '$look stop >/v/stop']}}
YAML
}

# runtime NAME: everything once.
runtime() {
	name=$1
	shift
	exec 7<"$home/secret" # another program's leak: not ours, and no pod's
	passes "$name: it starts" volcano up -d --listen 127.0.0.1:0 "$@"
	exec 7<&-
	comes "$name: a node comes" node/ kubectl get nodes -o name
	node=${output#node/}
	is "$name: the server hands nothing of its own on" "$(inherited | grep "$home" | grep -v secret)" ""
	pod "$name" | kubectl create -f - >/dev/null
	passes "$name: a pod runs" kubectl wait --for=condition=Ready --timeout=120s "pod/$name"
	comes "$name: its commands have run" seen kubectl logs "$name" -c c
	is "$name: its init container has its streams" "$(kubectl logs "$name" -c i)" "init: 0 1 2 "
	is "$name: so have container, hook and probe" "$(kubectl logs "$name" -c c | grep ': ')" "main: 0 1 2 
start: 0 1 2 
probe: 0 1 2 "
	is "$name: only the server has the store open" "$(holders)" ""
	kubectl patch pod "$name" -p '{"metadata":{"finalizers":["test/keep"]}}' >/dev/null
	passes "$name: it is deleted" kubectl delete pod "$name" --wait=false
	comes "$name: the hook of its end has them, too" "stop: 0 1 2 " kubectl logs "$name" -c c
	kubectl patch pod "$name" -p '{"metadata":{"finalizers":null}}' >/dev/null
	passes "$name: it goes" kubectl wait --for=delete --timeout=60s "pod/$name"
	passes "$name: it stops" volcano down --pods
}

mkdir -p "$home"
echo hidden >"$home/secret"
image=x look=$tmp/image/bin/look
runtime process

# ---- crun ----
if ! command -v crun >/dev/null; then
	result 0 "crun # SKIP it is not installed"
elif ! can_overlay; then
	result 0 "crun # SKIP no overlays: $(cat "$tmp/overlay/why")"
else
	mkdir -p "$home/images/box:1"
	cp -a "$tmp/image" "$home/images/box:1/rootfs"
	echo '{"config": {"Env": ["PATH=/bin"]}}' >"$home/images/box:1/config.json"
	image=box:1 look=look
	runtime crun --runtime crun
fi

# ---- podman ----
image=localhost/volcano-look:$$ look=look
if ! own_podman; then
	result 0 "podman # SKIP it is not installed"
elif import_image "$image" -c 'ENV PATH=/bin'; then
	runtime podman --runtime podman
else
	result 0 "podman # SKIP it cannot import an image: $(tail -n 1 "$tmp/import")"
fi
finish
