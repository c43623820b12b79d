#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-chroot.t - a node in a chroot, as builders of packages use them: pods run, and what is run next to a container
# (probes, hooks) sees the files that the container sees. Once with a root that is a mount and once with one
# that is none, where no mount namespace can be had.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

if [ "$(id -u)" -ne 0 ]; then
	fails "only root can have one" chroot / true
	finish
fi

# In a mount namespace of its own, so that nothing is left of it. KIND is mount or folder.
cat >"$tmp/inside" <<'SCRIPT'
set -eu
kind=$1 tmp=$2
root=$tmp/$kind
mkdir "$root"
[ "$kind" = folder ] || mount --bind "$root" "$root"
for place in /*; do
	[ -d "$place" ] && [ ! -L "$place" ] && [ "$place" != /lost+found ] || continue
	mkdir "$root$place"
	mount --rbind "$place" "$root$place"
done
for place in /*; do [ ! -L "$place" ] || cp -d "$place" "$root/"; done
mkdir "$root/only-here"
mount -t tmpfs tmpfs "$root/only-here"
exec chroot "$root" sh -c '
	home=/only-here/home
	export KUBECONFIG="$home/kubeconfig" HOME="$1"
	trap "\"$BIN/volcano\" down --pods --data-dir \"$home\" >/dev/null" EXIT
	"$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0
	"$KUBECTL_NEW" wait --for=create --timeout=60s --all nodes >/dev/null
	"$KUBECTL_NEW" create -f "$1/pod.yaml"
	"$KUBECTL_NEW" wait --for=condition=Ready --timeout=60s pod/probed || "$KUBECTL_NEW" get events
' chroot "$tmp"
SCRIPT
cat >"$tmp/pod.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: probed}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: c
    image: x
    command: [sh, -c, 'touch here; exec sleep 1000']
    readinessProbe: {exec: {command: [test, -e, here]}, periodSeconds: 1}
YAML
for kind in mount folder; do
	passes "a root that is a $kind" timeout 200 unshare -m --propagation private sh "$tmp/inside" "$kind" "$tmp"
	has "$kind: a probe finds what the container has made" "$output" "pod/probed condition met"
done
has "a folder has no mount namespaces, which is reported" "$output" "note: pods see the machine's files"
finish
