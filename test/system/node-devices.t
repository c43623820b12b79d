#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-devices.t - devices of a machine: found by their files, given to pods one by one, hidden from all others,
# and remembered. The machine is a /dev of the test's own with files like those of graphics cards.
# shellcheck source=test/system/tap.sh
if [ -z "${OWN_MOUNTS-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=yes exec unshare -m sh "$0"
fi
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# shellcheck source=test/system/images.sh
. test/system/images.sh
wait_for() { kubectl wait --for="$1" --timeout=60s "$2"; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
capacity() { kubectl get nodes -o jsonpath='{.items[0].status.capacity.nvidia\.com/gpu}'; }
# pod NAME SCRIPT [DEVICES]
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {schedulerName: volcano, restartPolicy: Never, terminationGracePeriodSeconds: 1," \
		"  containers: [{name: c, image: '${image-x}', resources: {limits: {${3:+nvidia.com/gpu: $3}}}, command: [sh, -c, '$2']}]}" "---"
}
show="echo \"\$NVIDIA_VISIBLE_DEVICES/\$CUDA_VISIBLE_DEVICES/\$(cd /dev; echo nvidia[0-9]*)\""

# Files of four cards, in addition to what programs need of a /dev. Nothing of the machine's is mounted below $tmp, which
# is deleted in the end.
make_dev() {
	mkdir "$tmp/dev" && mount -t tmpfs tmpfs "$tmp/dev" && mkdir "$tmp/dev/pts" "$tmp/dev/shm" || return 1
	chmod 1777 "$tmp/dev/shm"
	ln -s /proc/self/fd "$tmp/dev/fd"
	for name in null zero full random urandom tty; do cp -R --preserve=mode "/dev/$name" "$tmp/dev/" || return 1; done
	for i in 0 1 2 3; do mknod "$tmp/dev/nvidia$i" c 1 3 || return 1; done
	mount --move "$tmp/dev" /dev
}
cards=
[ -n "${OWN_MOUNTS-}" ] && make_dev 2>/dev/null && cards=4

if [ -n "$cards" ]; then
	passes "it starts on a machine with four cards" volcano up -d --listen 127.0.0.1:0
	settles "the node has them" 4 capacity
	{
		pod two "$show; exec sleep 1000" 2
		pod one "$show; exec sleep 1000" 1
		pod none "$show"
	} >"$tmp/pods.yaml"
	passes "pods that want some" kubectl create -f "$tmp/pods.yaml"
	for name in two one; do passes "$name runs" wait_for condition=Ready "pod/$name"; done
	passes "none ends" wait_for 'jsonpath={.status.phase}=Succeeded' pod/none
	comes "who wants none sees none" "void//nvidia[0-9]*" kubectl logs none
	comes "two have two of them, which their library counts from 0" /0,1/ kubectl logs two
	two=$(kubectl logs two)
	comes "one has one" /0/ kubectl logs one
	one=$(kubectl logs one)
	is "its file is the one of its variable" "$one" "${one%%/*}/0/nvidia${one%%/*}"
	rest=${two%%/*}
	is "so are theirs" "$two" "$rest/0,1/nvidia${rest%,*} nvidia${rest#*,}"
	case ",$rest," in *",${one%%/*},"*) shared=yes ;; *) shared=no ;; esac
	is "no card has two pods" "$shared" no

	pid=$(cat "$home/lock")
	kill -KILL "$pid"
	tail --pid="$pid" -f /dev/null
	passes "after volcano was killed it starts again" volcano up -d --listen 127.0.0.1:0
	pod last "$show; exec sleep 1000" 1 | kubectl create -f - >/dev/null
	passes "one more pod runs" wait_for condition=Ready pod/last
	comes "it says what it has" /0/ kubectl logs last
	last=$(kubectl logs last)
	is "it has the card that no other pod has" \
		"$(printf '%s\n' "${one%%/*}" "${rest%,*}" "${rest#*,}" "${last%%/*}" | sort | tr '\n' ' ')" "0 1 2 3 "
	pod waits "$show" 2 | kubectl create -f - >/dev/null
	comes "one that finds too few waits" Unschedulable field waits '.status.conditions[*].reason'
	passes "one goes" kubectl delete pod two --timeout=60s
	passes "the other runs" wait_for 'jsonpath={.status.phase}=Succeeded' pod/waits
	is "with its cards" "$(kubectl logs waits)" "$two"
	passes "it stops" volcano down --pods
	rm -rf "$home"
fi

# Containers in images have a /dev of their own, with the files of their cards and no others.
# in_images RUNTIME: of a data directory that has the image box:1, or whose runtime has it.
in_images() {
	passes "it starts with $1" volcano up -d --listen 127.0.0.1:0 --runtime "$1"
	settles "the node has its cards" 4 capacity
	{
		image=localhost/box:1 pod two "$show" 2
		image=localhost/box:1 pod none "$show"
	} | kubectl create -f - >/dev/null
	for name in two none; do passes "$name ends" wait_for 'jsonpath={.status.phase}=Succeeded' pod/$name; done
	is "two cards are two files in an image of $1" "$(kubectl logs two)" "0,1/0,1/nvidia0 nvidia1"
	is "who wants none has none" "$(kubectl logs none)" "void//nvidia[0-9]*"
	passes "it stops" volcano down --pods
	rm -rf "$home"
}
if [ -n "$cards" ] && command -v crun >/dev/null; then
	image_files "$tmp/image" sh
	mkdir -p "$home/images/localhost/box:1"
	cp -a "$tmp/image" "$home/images/localhost/box:1/rootfs"
	in_images crun
	if ! own_podman; then
		result 0 "cards in images of podman # SKIP it is not installed"
	elif ! import_image localhost/box:1; then
		result 0 "cards in images of podman # SKIP it cannot import one: $(tail -n 1 "$tmp/import")"
	else
		in_images podman
	fi
fi

# Of cards that are only declared there are no files, yet each pod has its own.
passes "it starts with cards that are declared" volcano up -d --listen 127.0.0.1:0 --nodes 2 --node-resources nvidia.com/gpu=2,cpu=4
for name in a b c d; do pod $name "echo \"/\$NVIDIA_VISIBLE_DEVICES\"; exec sleep 1000" 1; done >"$tmp/pods.yaml"
passes "four pods" kubectl create -f "$tmp/pods.yaml"
for name in a b c d; do
	passes "$name runs" wait_for condition=Ready pod/$name
	comes "$name says what it has" / kubectl logs $name
done
is "each has a number of its own" "$(for name in a b c d; do kubectl logs $name; done | sort | tr '\n' ' ')" "/0 /1 /2 /3 "
passes "it stops" volcano down --pods
finish
