#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# plugins.t - a plugin of the scheduler from a shared object, in single-node mode and in vc-scheduler.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh

# conf PREFIX ONLY
conf() {
	cat <<-END
	actions: "enqueue, allocate, backfill"
	tiers:
	- plugins: [{name: priority}, {name: gang}]
	- plugins:
	  - name: predicates
	  - name: nodeorder
	  - name: node-prefix
	    arguments: {prefix: "$1", weight: 10, only: $2}
	END
}
places() { kubectl get pods "$1-0" "$1-1" -o 'jsonpath={.items[*].spec.nodeName}'; }
nodes_come() {
	kubectl wait node/node-00000 "node/$node" --for=create --timeout=60s &&
		kubectl wait node --all --for=condition=Ready --timeout=60s
}
# is_placed NAME: waits until both have a node
is_placed() {
	kubectl wait podgroup/"$1" --for='jsonpath={.status.phase}=Running' --timeout=60s
}

mkdir "$tmp/plugins" "$tmp/bad"
cp "$EXAMPLES/node-prefix.so" "$tmp/plugins"
echo "no plugin" >"$tmp/bad/text.so"
conf other- true >"$tmp/conf"

fails "a plugin that cannot be loaded stops the start" \
	volcano up --listen 127.0.0.1:0 --plugins-dir "$tmp/bad" --simulate-nodes 1
has "with its file" "$output" "--plugins-dir: $tmp/bad/text.so: file too short"

passes "with it the scheduler starts" volcano up -d --listen 127.0.0.1:0 --plugins-dir "$tmp/plugins" \
	--scheduler-conf "$tmp/conf" --simulate-nodes 2
passes "there is a queue" kubectl wait queue/default --for='jsonpath={.status.state}=Open' --timeout=60s
node="node-00001"
passes "there are both nodes" nodes_come
gang first 2 >"$tmp/first.yaml"
passes "a gang is made" kubectl apply -f "$tmp/first.yaml"
passes "it waits" kubectl wait podgroup/first --timeout=60s \
	--for='jsonpath={.status.conditions[?(@.type=="Unschedulable")].status}=True'
comes "for the reason that the plugin gives" "2 node(s) had another prefix" kubectl get podgroup first -o json
conf "$node" true >"$tmp/conf.new"
mv "$tmp/conf.new" "$tmp/conf"
passes "another argument admits it" is_placed first
is "where the plugin says" "$(places first)" "$node $node"
passes "it stops" volcano down

home=$tmp/other
KUBECONFIG="$home/kubeconfig"
passes "another starts without a scheduler" \
	volcano up -d --listen 127.0.0.1:0 --simulate-nodes 2 --components apiserver,controllers,node
passes "there are both nodes, again" nodes_come
fails "vc-scheduler refuses a bad folder" timeout 60 \
	"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --plugins-dir "$tmp/bad"
has "with the file" "$output" "text.so: file too short"
conf "$node" false >"$tmp/conf"
"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --plugins-dir "$tmp/plugins" \
	--scheduler-conf "$tmp/conf" 2>"$tmp/log" &
servers="$servers $!"
gang second 2 >"$tmp/second.yaml"
passes "with a good one a gang is placed" kubectl apply -f "$tmp/second.yaml"
passes "and runs" is_placed second
is "where the plugin prefers" "$(places second)" "$node $node"
passes "it stops" volcano down
finish
