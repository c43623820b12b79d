#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# backups.t - copies of the store: by schedule, how many are kept, one that fails, and what POST /backup does
# not write to.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
copies=$tmp/copies
export KUBECONFIG="$home/kubeconfig" HOME="$tmp"
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
url() { volcano status -o json | sed -n 's/.*"url": "\([^"]*\)".*/\1/p'; }
ask() { curl -sS -m 60 --cacert "$home/pki/ca.crt" --cert "$home/pki/admin.crt" --key "$home/pki/admin.key" "$@"; }
count() { find "$copies" -mindepth 1 -maxdepth 1 -name 'volcano-*' | wc -l; }
up() { volcano up -d --listen 127.0.0.1:0 --components apiserver "$@"; }

fails "how often needs a folder" up --backup-every 1h
has "and says so" "$output" "need --backup-dir"
fails "none are kept" up --backup-dir "$copies" --backup-keep 0
has "names the option" "$output" "--backup-keep"
fails "not more often than a second" up --backup-dir "$copies" --backup-every 1ms
has "names it" "$output" "--backup-every"

passes "it starts" up --backup-dir "$copies" --backup-every 1s --backup-keep 2
written() { ask "$(url)/metrics" | sed -n 's/^store_backups_total //p'; }
enough() { [ "$(written)" -ge 4 ] && echo yes; }
settles "copies are written" yes enough
kept() { [ "$(count)" -le 3 ] && echo yes; }
settles "and old ones are removed" yes kept
has "status shows them" "$(volcano status)" "every 1 s into $copies, 2 kept, last: 20"
passes "it stops" volcano down
newest=$(find "$copies" -mindepth 1 -maxdepth 1 -name 'volcano-*' | sort | tail -n 1)
mkdir "$tmp/restored"
cp -a "$newest" "$tmp/restored/store"
passes "the newest opens as a store" "$BIN/volcano" up -d --data-dir "$tmp/restored" --listen 127.0.0.1:0 \
	--components apiserver
passes "(and ends)" "$BIN/volcano" down --data-dir "$tmp/restored"

passes "it starts again" up --backup-dir "$copies" --backup-every 1s --backup-keep 2
until echo "no folder" 2>/dev/null >"$copies"; do rm -rf "$copies" 2>/dev/null; done
failing() { volcano status | grep -c 'the last one failed'; }
settles "a copy that fails is in the status" 1 failing
has "in the metrics" "$(ask "$(url)/metrics")" "store_backup_failing 1"
has "and in the log" "$(cat "$home/volcano.log")" "a scheduled backup has failed"

# ---- POST /backup ----
mkdir "$tmp/precious"
echo data >"$tmp/precious/lock"
ln -s "$tmp/precious" "$tmp/link"
post() { ask -o "$tmp/answer" -w '%{http_code}' -X POST "$(url)/backup?folder=$1"; }
is "not into a folder that has something" "$(post "$tmp/precious")" 409
is "not through a link" "$(post "$tmp/link")" 400
is "nor below one" "$(post "$tmp/link/x")" 400
is "what is there is as it was" "$(cat "$tmp/precious/lock") $(find "$tmp/precious" -mindepth 1 -printf %f)" "data lock"
is "a place of its own" "$(post "$tmp/own")" 200
passes "the command resolves the way to it" volcano backup --to "$tmp/link/new"
passes "which is there then" test -s "$tmp/precious/new/data.mdb"
passes "it stops" volcano down
finish
