#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# volcano-up.t - `volcano up`, `status` and `down` as people use them, and two releases of
# kubectl against what is running.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
umask 022
home=$tmp/home
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
field() { python3 -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1]))' "$1"; }
mode() { stat -c %a "$home/$1"; }
export HOME="$tmp" KUBECONFIG="$home/kubeconfig" # kubectl keeps its caches there

# ---- the command line ----
passes "it has a version" "$BIN/volcano" --version
has "and says it" "$output" "volcano 0."
passes "it helps" "$BIN/volcano" --help
has "and names its commands" "$output" "down"
fails "no command is an error" "$BIN/volcano"
fails "an unknown command is one" "$BIN/volcano" sideways
fails "an unknown option is one" volcano up --sideways
has "and is named" "$output" "--sideways"
fails "a missing value is one" "$BIN/volcano" up --listen
fails "a bad address is one" volcano up --listen 127.0.0.1:port
has "and is named" "$output" "--listen"
fails "an unknown component is one" volcano up --components apiserver,cook
has "and the known ones are named" "$output" "apiserver, node, controllers, scheduler"
fails "--components=controllers is refused while it cannot work" volcano up --components=controllers

# ---- life ----
fails "status of nothing is an error" volcano status
has "and says so" "$output" "not running"
is "also as JSON" "$(volcano status -o json | field running)" False
passes "down of nothing is none" volcano down
printf 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n' >"$tmp/conf"
fails "a file that is not there is an error" volcano up -d --listen 127.0.0.1:0 --scheduler-conf "$tmp/no-conf"
has "and is named" "$output" "--scheduler-conf: $tmp/no-conf: No such file"
cd "$tmp" || exit 1
passes "it starts in the background, a file named from here" volcano up -d --listen 127.0.0.1:0 --scheduler-conf conf
cd - >/dev/null || exit 1
has "and says where" "$output" "https://127.0.0.1:"
url=$(volcano status -o json | field url)
pid=$(volcano status -o json | field pid)
has "status knows where" "$url" "https://127.0.0.1:"
is "status knows the version" "$(volcano status -o json | field version)" "$("$BIN/volcano" --version | cut -d' ' -f2)"
passes "the process is there" kill -0 "$pid"
for secret in kubeconfig pki/ca.key pki/apiserver.key pki/admin.key pki/tokens.csv store/data.mdb; do
	is "$secret is for its owner only" "$(mode $secret)" 600
done
fails "a second one is refused" volcano up --listen 127.0.0.1:0
has "and says why" "$output" "already running in $home (process $pid)"
fails "in the background as well" volcano up -d --listen 127.0.0.1:0
has "with the same words" "$output" "already running in $home (process $pid)"

# ---- who may ----
ask() { curl -sS -m 60 --cacert "$home/pki/ca.crt" "$@"; }
code() { ask -o /dev/null -w '%{http_code}' "$@"; }
is "anybody may ask for health" "$(ask "$url/healthz")" ok
is "and for readiness" "$(ask "$url/readyz")" ok
has "in full" "$(ask "$url/readyz?verbose")" "[+]store ok"
has "with a line per class of work" "$(ask "$url/readyz?verbose")" "[+]lane-commit ok: 0 queued"
has "and for the version" "$(ask "$url/version")" '"gitVersion": "v1.'
is "but for nothing else" "$(code "$url/api/v1/namespaces")" 403
has "in Kubernetes' words" "$(ask "$url/api/v1/namespaces/a/pods/p")" \
	'pods \"p\" is forbidden: User \"system:anonymous\" cannot get resource \"pods\" in API group \"\" in the namespace \"a\"'
is "metrics neither" "$(code "$url/metrics")" 403
is "an unknown token belongs to no user" "$(code -H 'Authorization: Bearer x' "$url/healthz")" 401
token=$(cut -d, -f1 "$home/pki/tokens.csv")
is "the token opens" "$(code -H "Authorization: Bearer $token" "$url/api/v1/namespaces")" 200
passes "who does not say which program it is, is served too" \
	ask -f -A '' --cert "$home/pki/admin.crt" --key "$home/pki/admin.key" "$url/api/v1/namespaces"
has "the certificate too" "$(ask --cert "$home/pki/admin.crt" --key "$home/pki/admin.key" "$url/metrics")" \
	"apiserver_request_total"
is "over HTTP/1.1 too" "$(code --http1.1 -H "Authorization: Bearer $token" "$url/api/v1/namespaces")" 200

# ---- kubectl ----
for kubectl in "$KUBECTL_OLD" "$KUBECTL_NEW"; do
	release=$("$kubectl" version --client 2>/dev/null | sed -n 's/.*v1\.\([0-9]*\)\..*/1.\1/p' | head -1)
	ns=test-$(printf %s "$release" | tr . -)
	printf '%s\n' "apiVersion: v1" "kind: Namespace" "metadata: {name: $ns}" >"$tmp/ns.yaml"
	printf '%s\n' "apiVersion: v1" "kind: ConfigMap" "metadata: {name: c, namespace: $ns}" \
		"data: {a: one}" >"$tmp/cm.yaml"
	passes "kubectl $release makes a namespace" "$kubectl" create --validate=false -f "$tmp/ns.yaml"
	passes "kubectl $release makes a configmap" "$kubectl" create --validate=false -f "$tmp/cm.yaml"
	fails "kubectl $release reports that it already exists" "$kubectl" create --validate=false -f "$tmp/cm.yaml"
	has "as Kubernetes says it" "$output" 'configmaps "c" already exists'
	is "kubectl $release reads it" "$("$kubectl" -n "$ns" get cm c -o 'jsonpath={.data.a}')" one
	has "kubectl $release lists it" "$("$kubectl" -n "$ns" get cm)" "c "
	start "watch-$release" "$kubectl" -n "$ns" get cm --watch -o name
	is "kubectl $release watches" "$ready" configmap/c
	passes "kubectl $release patches" "$kubectl" -n "$ns" patch cm c --type merge -p '{"data":{"a":"two"}}'
	is "and sees it" "$("$kubectl" -n "$ns" get cm c -o 'jsonpath={.data.a}')" two
	passes "kubectl $release deletes" "$kubectl" -n "$ns" delete cm c
	fails "then it does not exist" "$kubectl" -n "$ns" get cm c
done

# ---- a copy ----
mkdir -p "$tmp/copy"
fails "a copy needs a place" volcano backup
passes "it copies its store while it runs" volcano backup --to "$tmp/copy/store"
fails "not over another" volcano backup --to "$tmp/copy/store"
has "and says why" "$output" "$tmp/copy/store"
passes "the copy is a store" "$BIN/volcano" up -d --data-dir "$tmp/copy" --listen 127.0.0.1:0 --components apiserver
is "with everything in it" "$(KUBECONFIG=$tmp/copy/kubeconfig "$KUBECTL_NEW" get ns "$ns" -o 'jsonpath={.metadata.name}')" "$ns"
passes "and ends like one" "$BIN/volcano" down --data-dir "$tmp/copy"

# ---- ready means that a job can be submitted, whatever comes next ----
start fresh "$BIN/volcano" up --data-dir "$tmp/fresh" --listen 127.0.0.1:0 --nodes 0
fresh=${servers##* }
kill -KILL "$fresh"
passes "one that was just killed when it had said that it is ready, and may not have ended yet," \
	"$BIN/volcano" up -d --data-dir "$tmp/fresh" --listen 127.0.0.1:0 --components apiserver
wait "$fresh" 2>/dev/null
is "has left a queue that is open" \
	"$(KUBECONFIG=$tmp/fresh/kubeconfig "$KUBECTL_NEW" get queue default -o 'jsonpath={.status.state}')" Open
passes "and is stopped" "$BIN/volcano" down --data-dir "$tmp/fresh"

# ---- down, up, down ----
passes "it stops" volcano down
fails "nobody answers any more" ask "$url/healthz"
fails "nothing runs any more" volcano status
mkfifo "$tmp/notified"
python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.settimeout(300)
s.bind(sys.argv[1])
print("listening", flush=True)
while True:
    text = s.recv(100).decode()
    print(text, flush=True)
    if text == "STOPPING=1":
        break' "$tmp/notify.sock" >"$tmp/notified" &
exec 8<"$tmp/notified"
read -r said <&8
NOTIFY_SOCKET=$tmp/notify.sock
export NOTIFY_SOCKET
start again "$BIN/volcano" up --data-dir "$home" --listen 127.0.0.1:0
unset NOTIFY_SOCKET
has "it starts again" "$ready" "volcano is ready at https://127.0.0.1:"
read -r said <&8
is "the service manager is notified" "$said" READY=1
is "what was stored is there" "$("$KUBECTL_NEW" get ns "$ns" -o 'jsonpath={.metadata.name}')" "$ns"
passes "it stops again" volcano down
read -r said <&8
is "the service manager is notified of that" "$said" STOPPING=1
is "nothing was found wrong" "$(grep -c 'ERROR\|runtime error' "$tmp/again.err" "$home/volcano.log" | grep -cv ':0')" 0
finish
