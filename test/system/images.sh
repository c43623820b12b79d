# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# images.sh - images and container engines for a test that has sourced tap.sh and home.sh.
#
#   image_files FOLDER TOOL...    the files of an image: busybox, which is these tools
#   can_overlay                   does the kernel permit overlays? If not, $tmp/overlay/why says why
#   own_podman                    podman with storage of the test's own, in front of $PATH. Fails if it is not
#                                 installed
#   import_image NAME [FLAGS...]  $tmp/image as an image of podman's. If that fails, $tmp/import says why
#   restart_volcano               checks: killed and started again, with the pod `stays` still running
#   delete_stays                  checks: that pod is deleted, and its end reported; it prints bye and exits with 7
#
# What podman keeps is deleted however the test ends. $who is root or user.
who=root
[ "$(id -u)" -eq 0 ] || who=user
export who

image_files() {
	folder=$1
	shift
	mkdir -p "$folder/bin" "$folder/etc" "$folder/tmp" "$folder/data"
	cp "$(command -v busybox)" "$folder/bin/busybox"
	for tool; do ln -s busybox "$folder/bin/$tool"; done
}

can_overlay() {
	for part in low upper work root; do mkdir -p "$tmp/overlay/$part"; done
	option=--mount # which is there in any case
	[ "$who" = root ] || option=--map-root-user
	unshare --mount --pid --fork --mount-proc "$option" mount -t overlay overlay "$tmp/overlay/root" -o \
		"lowerdir=$tmp/overlay/low,upperdir=$tmp/overlay/upper,workdir=$tmp/overlay/work" 2>"$tmp/overlay/why"
}

clean_podman() {
	volcano down --pods >/dev/null 2>&1
	if [ "$who" = root ]; then
		umount "$tmp/storage/overlay" 2>/dev/null
	else
		podman unshare rm -rf "$tmp/who/.local" 2>/dev/null
		podman system migrate # ends the process that holds its namespaces
	fi
	clean_up
}
own_podman() {
	real=$(command -v podman) || return 1
	mkdir -p "$tmp/bin" "$tmp/who"
	mkdir -m 700 "$tmp/run"
	own=
	[ "$who" = user ] || own="--root $tmp/storage --runroot $tmp/runroot --tmpdir $tmp/libpod"
	printf '#!/bin/sh\nHOME=%s XDG_RUNTIME_DIR=%s exec %s %s "$@"\n' "$tmp/who" "$tmp/run" "$real" "$own" >"$tmp/bin/podman"
	chmod 755 "$tmp/bin/podman"
	PATH=$tmp/bin:$PATH
	trap clean_podman EXIT
}
import_image() {
	name=$1
	shift
	tar --owner=0 --group=0 -C "$tmp/image" -cf "$tmp/image.tar" .
	podman import "$@" "$tmp/image.tar" "$name" >"$tmp/import" 2>&1
}

restart_volcano() {
	pid=$(cat "$home/lock")
	kill -KILL "$pid"
	tail --pid="$pid" -f /dev/null # until it has ended
	passes "it starts again" up
	settles "running containers continue" "0 true" field stays \
		'.status.containerStatuses[0].restartCount} {.status.containerStatuses[0].ready'
}
delete_stays() {
	kubectl patch pod stays -p '{"metadata":{"finalizers":["test/keep"]}}' >/dev/null
	passes "a pod that is deleted" kubectl delete pod stays --wait=false
	comes "prints its last line" bye kubectl logs stays
	settles "and its exit code is kept" 7 field stays '.status.containerStatuses[0].state.terminated.exitCode'
	kubectl patch pod stays -p '{"metadata":{"finalizers":null}}' >/dev/null
}
