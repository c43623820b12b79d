#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# reference.t - the page of metrics lists what the programs serve, name by name and type by type, and nothing else;
# the pages that are generated have every kind and every command.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
page=docs/reference/metrics.md

# free_port: a port of 127.0.0.1 that nothing listens on.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
served() { sed -n 's/^# TYPE \([^ ]*\) \([^ ]*\)$/\1 \2/p'; }
ask() { curl -s --retry 100 --retry-connrefused --retry-delay 1 "$@"; }

passes "it starts" volcano up -d --listen 127.0.0.1:0 --simulate-nodes 1 --components apiserver,node \
	--backup-dir "$tmp/backups"
for name in vc-scheduler vc-controller-manager; do
	port=$(free_port)
	"$BIN/$name" --kubeconfig "$KUBECONFIG" --leader-elect=false --enable-metrics --listen-address "127.0.0.1:$port" \
		>"$tmp/$name.log" 2>&1 &
	servers="$servers $!"
	ports="${ports-} $port"
done
port=$(free_port)
"$BIN/vc-webhook-manager" --kubeconfig "$KUBECONFIG" --webhook-namespace default --webhook-url https://localhost/ --port 0 \
	--enable-healthz --healthz-address "127.0.0.1:$port" >"$tmp/vc-webhook-manager.log" 2>&1 &
servers="$servers $!"
ports="$ports $port"
passes "there is a queue" kubectl wait --for=create --timeout=60s queue/default
for port in $ports; do
	ask "http://127.0.0.1:$port/metrics" | served
done >"$tmp/served"
kubectl get --raw /metrics | served >>"$tmp/served"
sort -u "$tmp/served" >"$tmp/want"
has "metrics are served" "$(cat "$tmp/want")" volcano_queue_share
tr '\140' '@' <"$page" | sed -n 's/^| @\([a-z0-9_]*\)@ | \([a-z]*\) |.*/\1 \2/p' | sort >"$tmp/got"
is "$page has those metrics, and no others" "$(cat "$tmp/got")" "$(cat "$tmp/want")"

passes "the generated pages are written" tools/make-docs "$BIN" "$tmp/pages"
for kind in config/crd/*.yaml; do
	name=$(sed -n 's/^    kind: //p' "$kind")
	has "$name has a section" "$(cat "$tmp/pages/reference/kinds.md")" "## $name"
done
for command in 'vcctl job explain' 'vcctl queue tree' 'volcano up' vsub; do
	has "$command has a section" "$(cat "$tmp/pages/reference/commands.md")" "$command"
done
passes "help texts are in plain English" tools/check-words "$tmp/pages/reference/commands.md"
if [ "$(command -v mkdocs)" ]; then
	passes "the site is built without a warning" tools/docs "$BIN" "$tmp/site"
	fails "it needs nothing from elsewhere" grep -rlE '(src|@import|url\()[="( ]*(https?:)?//' "$tmp/site" --include=*.html --include=*.css
fi
finish
