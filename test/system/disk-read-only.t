#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# disk-read-only.t - a disk that turns read-only under the server, as a file system does that found an
# error: what was acknowledged stays and can be read, what comes after is refused, and health, log and
# clients get an error. Then a start on a disk that is read-only from the beginning.
#
# Only a file system of the test's own can do that: an image, mounted in a mount namespace of its own.
# The first part asks the kernel for such an error; where it has no loop device or no ext4, that is said.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh

if [ "${1-}" != inside ]; then
	if unshare -m true 2>/dev/null; then
		exec unshare -m --propagation private "$0" inside
	elif unshare -Urm true 2>/dev/null; then
		exec unshare -Urm --propagation private "$0" inside
	fi
	result 0 "disks # SKIP neither root nor namespaces of users: no file system of its own"
	finish
fi

disk=$tmp/disk home=$tmp/disk/home
export KUBECONFIG="$home/kubeconfig" HOME="$tmp"
maps=/api/v1/namespaces/default/configmaps
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
url() { volcano status -o json | sed -n 's/.*"url": "\([^"]*\)".*/\1/p'; }
ask() { curl -sS -m 60 --cacert "$home/pki/ca.crt" --cert "$home/pki/admin.crt" --key "$home/pki/admin.key" "$@"; }
put() { # put NAME: the code
	ask -o "$tmp/answer" -w '%{http_code}' -H 'Content-Type: application/json' \
		-d '{"metadata":{"name":"'"$1"'","labels":{"own":"1"}}}' "$server$maps"
}
names() { ask "$server$maps?labelSelector=own" | tr ',' '\n' | sed -n 's/.*"name":"\(m[0-9]*\)".*/\1/p' | sort | tr '\n' ' '; }

# An ext4 of 64 MB on a loop device; $error is where the kernel takes orders to find one.
image() {
	PATH=$PATH:/sbin:/usr/sbin
	truncate -s 64M "$tmp/image" && mkfs.ext4 -q "$tmp/image" &&
		mount -o loop,errors=remount-ro "$tmp/image" "$disk" || return
	error=/sys/fs/ext4/$(basename "$(findmnt -no SOURCE "$disk")")/trigger_fs_error
	[ -w "$error" ]
}

turned() {
	passes "it starts" volcano up -d --listen 127.0.0.1:0 --components apiserver
	server=$(url)
	is "a write" "$(put m1)" 201
	is "another" "$(put m2)" 201
	echo "disk-read-only.t" >"$error"
	fails "the disk turns read-only" touch "$disk/probe"
	is "a write that it does not take is refused" "$(put m3)" 503
	has "as a Status" "$(cat "$tmp/answer")" '"reason":"ServiceUnavailable"'
	is "the next one too" "$(put m4)" 503
	is "the server is not ready" "$(ask -o "$tmp/ready" -w '%{http_code}' "$server/readyz")" 500
	has "and says why" "$(cat "$tmp/ready")" "[-]store failed"
	is "but alive" "$(ask "$server/livez")" ok
	is "what is there can be read" "$(names)" "m1 m2 "
	passes "it stops" volcano down
	fails "it does not start there" volcano up -d --listen 127.0.0.1:0 --components apiserver
	has "and says why" "$output" "Read-only file system"
	umount "$disk"
	e2fsck -p "$tmp/image" >"$tmp/fsck" 2>&1
	passes "the disk is mended" mount -o loop "$tmp/image" "$disk"
	passes "it starts again" volcano up -d --listen 127.0.0.1:0 --components apiserver
	server=$(url)
	is "everything acknowledged is there, and nothing else" "$(names)" "m1 m2 "
	is "and can be written to" "$(put m3)" 201
	passes "it stops" volcano down
	umount "$disk"
}

mkdir "$disk"
if image 2>"$tmp/why"; then
	turned
else
	result 0 "a disk that turns read-only under the server # SKIP $(head -n 1 "$tmp/why")"
	umount "$disk" 2>/dev/null
fi

passes "a disk in memory" mount -t tmpfs none "$disk"
passes "it starts there" volcano up -d --listen 127.0.0.1:0 --components apiserver
server=$(url)
is "a write" "$(put m1)" 201
passes "it stops" volcano down
passes "the disk is read-only" mount -o remount,bind,ro "$disk"
fails "it does not start on that" volcano up -d --listen 127.0.0.1:0 --components apiserver
has "and says why" "$output" "Read-only file system"
passes "the disk can be written to" mount -o remount,bind,rw "$disk"
passes "it starts again" volcano up -d --listen 127.0.0.1:0 --components apiserver
server=$(url)
is "with what it had" "$(names)" "m1 "
passes "it stops" volcano down
umount "$disk"
finish
