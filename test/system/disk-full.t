#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# disk-full.t - a disk that takes no more: what was acknowledged stays, what was not is refused, health, log
# and clients get an error, and writing goes on when there is space again. The limit on file sizes stands in for
# the disk. And a data folder that is removed under a server: nothing is acknowledged any more.
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

passes "it starts with space" volcano up -d --listen 127.0.0.1:0 --components apiserver
is "a write with space" "$(put m1 1000)" 201
passes "it stops" volcano down
limit=$(($(stat -c %s "$home/store/data.mdb") + 131072))
prlimit --fsize="$limit:" "$BIN/volcano" up -d --listen 127.0.0.1:0 --components apiserver --data-dir "$home" \
	>"$tmp/up.out" 2>&1
result "$?" "it starts with little space" "$(cat "$tmp/up.out")"
n=1 code=201 made=m1
while [ "$code" = 201 ] && [ "$n" -lt 50 ]; do
	n=$((n + 1))
	code=$(put "m$n" 100000)
	[ "$code" != 201 ] || made="$made
m$n"
done
is "the write that finds no space is refused" "$code" 503
has "as a Status" "$(cat "$tmp/answer")" '"reason":"ServiceUnavailable"'
is "the next one too" "$(put "m99" 10)" 503
is "the server is not ready" "$(ask -o "$tmp/ready" -w '%{http_code}' "$(url)/readyz")" 500
has "and says why" "$(cat "$tmp/ready")" "[-]store failed"
has "when to come again" "$(ask -D - -o "$tmp/answer" -H 'Content-Type: application/json' \
	-d '{"metadata":{"name":"m98"}}' "$(url)$maps" | tr '[:upper:]' '[:lower:]')" "retry-after: 1"
is "but alive" "$(ask "$(url)/livez")" ok
has "status reports" "$(volcano status)" "ready         false"
has "and why" "$(volcano status)" "problem       writes are suspended: cannot write to the store"
has "the log too" "$(cat "$home/volcano.log")" "level=error"
is "what is there can be read" "$(names)" "$(printf '%s\n' "$made" | sort)"
ready() { ask -o /dev/null -w '%{http_code}' "$(url)/readyz"; }
writes() { put "$1" 10; }
pid=$(volcano status -o json | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')
passes "there is space again" prlimit --pid "$pid" --fsize=unlimited
settles "it is ready without a restart" 200 ready
settles "writes are accepted" 201 writes m60
made="$made
m60"
has "the log says so" "$(cat "$home/volcano.log")" "writes go on"
is "what was acknowledged is there, and nothing else" "$(names)" "$(printf '%s\n' "$made" | sort)"

# ---- the folder goes away under the server ----
mv "$home/store" "$home/moved"
is "a write into a file that was moved is refused" "$(put m61 10)" 503
has "and says why" "$(cat "$tmp/answer")" "was removed while the server runs"
is "the server is not ready" "$(ready)" 500
mv "$home/moved" "$home/store"
settles "it is ready when the folder is back" 200 ready
settles "writes are accepted again" 201 writes m62
made="$made
m62"
passes "it stops in order" volcano down
passes "it starts with space again" volcano up -d --listen 127.0.0.1:0 --components apiserver
is "everything acknowledged is there, and nothing else" "$(names)" "$(printf '%s\n' "$made" | sort)"
is "and can be written to" "$(put "m99" 10)" 201
passes "it stops again" volcano down
finish
