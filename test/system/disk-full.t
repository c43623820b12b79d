#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# disk-full.t - a disk that takes no more: what was acknowledged stays, what was not is refused, and
# health, log and clients are told. The limit on file sizes stands in for the disk.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
export KUBECONFIG="$home/kubeconfig" HOME="$tmp"
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
url() { volcano status -o json | sed -n 's/.*"url": "\([^"]*\)".*/\1/p'; }
ask() { curl -sS -m 60 --cacert "$home/pki/ca.crt" --cert "$home/pki/admin.crt" --key "$home/pki/admin.key" "$@"; }
maps=/api/v1/namespaces/default/configmaps
put() { # put NAME SIZE: the code
	{
		printf '{"metadata":{"name":"%s","labels":{"full":"1"}},"data":{"k":"' "$1"
		head -c "$2" /dev/zero | tr '\0' x
		printf '"}}'
	} >"$tmp/body.json"
	ask -o "$tmp/answer" -w '%{http_code}' -H 'Content-Type: application/json' --data-binary "@$tmp/body.json" \
		"$(url)$maps"
}
names() { ask "$(url)$maps?labelSelector=full" | tr ',' '\n' | sed -n 's/.*"name":"\(m[0-9]*\)".*/\1/p' | sort; }

passes "it starts with room" volcano up -d --listen 127.0.0.1:0 --components apiserver
is "a write with room" "$(put m1 1000)" 201
passes "it stops" volcano down
blocks=$(($(stat -c %s "$home/store/data.mdb") / 512 + 256))
(
	ulimit -f "$blocks"
	volcano up -d --listen 127.0.0.1:0 --components apiserver >"$tmp/up.out" 2>&1
)
result "$?" "it starts with little room" "$(cat "$tmp/up.out")"
n=1 code=201 made=m1
while [ "$code" = 201 ] && [ "$n" -lt 50 ]; do
	n=$((n + 1))
	code=$(put "m$n" 100000)
	[ "$code" != 201 ] || made="$made
m$n"
done
is "the write that finds no room is refused" "$code" 503
has "as a Status" "$(cat "$tmp/answer")" '"reason":"ServiceUnavailable"'
is "the next one too" "$(put "m99" 10)" 503
is "the server is not ready" "$(ask -o "$tmp/ready" -w '%{http_code}' "$(url)/readyz")" 500
has "and says why" "$(cat "$tmp/ready")" "[-]store failed"
is "but alive" "$(ask "$(url)/livez")" ok
has "status tells" "$(volcano status)" "ready         false"
has "the log too" "$(cat "$home/volcano.log")" "level=error"
is "what is there can be read" "$(names)" "$(printf '%s\n' "$made" | sort)"
passes "it stops in order" volcano down
passes "it starts with room again" volcano up -d --listen 127.0.0.1:0 --components apiserver
is "everything acknowledged is there, and nothing else" "$(names)" "$(printf '%s\n' "$made" | sort)"
is "and can be written to" "$(put "m99" 10)" 201
passes "it stops again" volcano down
finish
