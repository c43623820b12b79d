# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# clients.sh - kubectl against `volcano up`: what people do with it, what they see, and what they are
# an error when it is wrong. kubectl-old.t and kubectl-new.t run it with one release each; $kubectl is
# set. python-client.t does the same with a library.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
umask 022
home=$tmp/home
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
passes "the server starts" volcano up -d --listen 127.0.0.1:0 --nodes 0
trap 'volcano down >/dev/null 2>&1; clean_up' EXIT
export KUBECONFIG="$home/kubeconfig" HOME="$tmp" # kubectl keeps its caches there
data=$PWD/test/data/crd
ns=clients

k() { "$kubectl" -n "$ns" "$@"; }
get() { k get "$@" 2>&1; }
# merge_patch PATH JSON: where kubectl has no words for it
merge_patch() {
	curl -sS -m 60 --cacert "$home/pki/ca.crt" -H "Authorization: Bearer $token" -X PATCH \
		-H 'Content-Type: application/merge-patch+json' -o /dev/null -d "$2" "$url$1"
}
# prints its first argument into a file and gives its name
file() { printf '%s\n' "$1" >"$tmp/file.yaml" && echo "$tmp/file.yaml"; }
config() { printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {%s}\n' "$1" "$2"; }

look_around() {
	has "it finds the kinds" "$(k api-resources)" "configmaps"
	has "Volcano's with their short names" "$(k api-resources --api-group=batch.volcano.sh)" "vcjob"
	has "and the groups" "$(k api-versions)" "scheduling.volcano.sh/v1beta1"
	has "it explains a field" "$(k explain pod.spec.containers)" "imagePullPolicy"
	has "of Volcano's kinds too" "$(k explain vcjob.spec.tasks)" "minAvailable"
	has "and says what it is" "$(k explain queue.spec.weight)" "integer"
	fails "a field that is not there" k explain pod.spec.nonsense
	has "is said to be missing" "$output" 'field "nonsense" does not exist'
}

objects() {
	passes "create from a file" k create -f "$(file "$(config c 'a: "1"')")"
	has "is reported" "$output" "configmap/c created"
	passes "create by words" k create configmap d --from-literal=k=v
	passes "create a secret" k create secret generic s --from-literal=p=x
	fails "create again" k create -f "$(file "$(config c 'a: "1"')")"
	has "is refused" "$output" '(AlreadyExists)'
	is "by name" "$(get cm c -o name)" configmap/c
	has "as JSON" "$(get cm c -o json)" '"a": "1"'
	has "as YAML" "$(get cm c -o yaml)" 'a: "1"'
	has "as a table" "$(get cm)" "AGE"
	has "as a wide one" "$(get cm -o wide)" "DATA"
	is "by a path" "$(get cm c -o jsonpath='{.data.a}')" 1
	is "by a template" "$(get cm c -o go-template='{{.data.a}}')" 1
	has "by columns" "$(get cm -o custom-columns=N:.metadata.name,V:.data.a)" "c "
	has "together with others" "$(get cm,secrets -o name)" "secret/s"
	has "described" "$(k describe cm c)" "====
a:"
	fails "one that is not there" k get cm none
	has "is not found" "$output" 'configmaps "none" not found'
	fails "a kind that is not there" k get nonsense
	has "is not there" "$output" "the server doesn't have a resource type \"nonsense\""
}

changes() {
	passes "label" k label cm c x=1
	passes "label another" k label cm d x=2
	is "by label" "$(get cm -l x=1 -o name)" configmap/c
	is "by a set of them" "$(get cm -l 'x in (1,2)' -o name | wc -l | tr -d ' ')" 2
	is "by field" "$(get cm --field-selector metadata.name=d -o name)" configmap/d
	is "in pages" "$(get cm -l x --chunk-size=1 -o name | wc -l | tr -d ' ')" 2
	fails "a label that is there" k label cm c x=3
	has "is not overwritten" "$output" "already has a value (1), and --overwrite is false"
	passes "annotate" k annotate cm c note=hello
	is "is seen" "$(get cm c -o jsonpath='{.metadata.annotations.note}')" hello
	passes "a strategic patch" k patch cm c -p '{"data":{"b":"2"}}'
	passes "a merge patch" k patch cm c --type=merge -p '{"data":{"a":null}}'
	passes "a JSON patch" k patch cm c --type=json -p '[{"op":"add","path":"/data/z","value":"3"}]'
	is "make this" "$(get cm c -o jsonpath='{.data}' | tr -d '" ')" "$(printf '{b:2,z:3}')"
	fails "a JSON patch that does not fit" k patch cm c --type=json -p '[{"op":"test","path":"/data/z","value":"9"}]'
	printf '#!/bin/sh\nsed -i "s/b: \\"2\\"/b: \\"5\\"/" "$1"\n' >"$tmp/editor"
	chmod +x "$tmp/editor"
	passes "edit" env KUBE_EDITOR="$tmp/editor" "$kubectl" -n "$ns" edit cm c
	is "is saved" "$(get cm c -o jsonpath='{.data.b}')" 5
	k get cm c -o json | sed 's/"5"/"6"/; s/"resourceVersion": "[0-9]*"/"resourceVersion": "1"/' >"$tmp/stale.json"
	fails "replacing an old version" k replace -f "$tmp/stale.json"
	has "is a conflict" "$output" "the object has been modified; please apply your changes to the latest version"
	passes "replacing whatever is there" k replace -f "$(file "$(config c 'q: "1"')")"
}

apply() {
	config a 'x: "1", y: "1"' >"$tmp/a.yaml"
	passes "apply makes it" k apply -f "$tmp/a.yaml"
	has "as expected" "$output" "configmap/a created"
	passes "apply again" k apply -f "$tmp/a.yaml"
	has "changes nothing" "$output" "configmap/a unchanged"
	k patch cm a --type=merge -p '{"data":{"other":"1"}}' >/dev/null
	config a 'x: "2"' >"$tmp/a.yaml"
	passes "apply a change" k apply -f "$tmp/a.yaml"
	has "as expected" "$output" "configmap/a configured"
	is "what was removed from the file is deleted, what others added stays" \
		"$(get cm a -o jsonpath='{.data.x}{.data.y}{.data.other}')" 21
	cat >"$tmp/pod.yaml" <<-EOF
		apiVersion: v1
		kind: Pod
		metadata: {name: p, labels: {app: p}}
		spec:
		  schedulerName: other
		  containers:
		  - {name: one, image: "a:1", env: [{name: A, value: "1"}]}
		  - {name: two, image: "b:1"}
	EOF
	passes "apply a pod" k apply -f "$tmp/pod.yaml"
	sed -i 's/a:1/a:2/' "$tmp/pod.yaml"
	passes "apply its new image" k apply -f "$tmp/pod.yaml"
	is "merges its containers by name" "$(get pod p -o jsonpath='{.spec.containers[*].image}')" "a:2 b:1"
	sed -i '/name: two/d' "$tmp/pod.yaml"
	fails "a container less" k apply -f "$tmp/pod.yaml"
	has "is refused" "$output" "pod updates may not add or remove containers"
	passes "a dry run by the server" k apply --dry-run=server -f "$tmp/a.yaml"
	has "says so" "$output" "server dry run"
	has "what was applied is known" "$(k apply view-last-applied cm a)" 'x: "2"'
	passes "diff finds nothing" k diff -f "$tmp/a.yaml"
	config by-server 'x: "1", z: "1"' >"$tmp/server.yaml"
	passes "apply by the server" k apply --server-side -f "$tmp/server.yaml"
	has "as expected" "$output" "configmap/by-server serverside-applied"
	config by-server 'x: "2"' >"$tmp/server.yaml"
	fails "as another manager" k apply --server-side --field-manager=other -f "$tmp/server.yaml"
	has "is a conflict" "$output" "conflict with \"kubectl\": .data.x"
	passes "that may be forced" k apply --server-side --field-manager=other --force-conflicts \
		-f "$tmp/server.yaml"
	is "and leaves the rest alone" "$(get cm by-server -o jsonpath='{.data.x}{.data.z}')" 21
	fails "an unknown field" k create -f "$(file 'apiVersion: v1
kind: Pod
metadata: {name: u}
spec: {containers: [{name: c, imagee: x}]}')"
	has "is named" "$output" "imagee"
	fails "a bad name" k create -f "$(file "$(config Bad_Name 'a: "1"')")"
	has "is reported" "$output" "a lowercase RFC 1123 subdomain must consist of"
}

waiting() {
	k get cm c -w -o name >"$tmp/watched" 2>&1 &
	watch=$!
	# the first line says that the watch is there, the second what changed
	settles "a watch begins with what is there" configmap/c cat "$tmp/watched"
	k label cm c seen=1 >/dev/null
	settles "it reports a change" "configmap/c
configmap/c" cat "$tmp/watched"
	kill "$watch"
	wait "$watch" 2>/dev/null
	k create -f "$(file 'apiVersion: v1
kind: Pod
metadata: {name: w}
spec: {schedulerName: other, containers: [{name: c, image: x}]}')" >/dev/null
	k wait --for=condition=Ready pod/w --timeout=60s >"$tmp/waited" 2>&1 &
	waiter=$!
	merge_patch "/api/v1/namespaces/$ns/pods/w/status" \
		'{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
	wait "$waiter"
	is "wait for a condition ends" $? 0
	has "and says so" "$(cat "$tmp/waited")" "pod/w condition met"
	k delete pod w --force --grace-period=0 >/dev/null 2>&1
	fails "what was deleted by force does not exist" k get pod w
}

# two things of which one owns the other
owned() {
	config owner 'a: "1"' | k create -f - >/dev/null
	uid=$(get cm owner -o jsonpath='{.metadata.uid}')
	printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owned, ownerReferences: [%s]}\n' \
		"{apiVersion: v1, kind: ConfigMap, name: owner, uid: $uid}" | k create -f - >/dev/null
}

removal() {
	for cascade in background foreground; do
		owned
		passes "delete, $cascade" k delete cm owner --cascade=$cascade --timeout=60s
		comes "takes the other along" '(NotFound): configmaps "owned" not found' k get cm owned
	done
	owned
	passes "delete, orphan" k delete cm owner --cascade=orphan --timeout=60s
	is "leaves the other" "$(get cm owned -o jsonpath='{.metadata.ownerReferences}')" ""
	passes "delete many by label" k delete cm -l x
	passes "delete what may not be there" k delete cm none --ignore-not-found
	fails "delete what is not there" k delete cm none
	has "is reported" "$output" '(NotFound)'
}

volcano_kinds() {
	passes "a queue" k apply -f "$(file 'apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: '"$ns"'}
spec: {weight: 3}')"
	has "has its columns" "$(get queue "$ns")" "PARENT"
	fails "one that is wrong" k apply -f "$(file 'apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: '"$ns"'-bad}
spec: {weight: -1}')"
	has "is reported with its place" "$output" "spec.weight"
	merge_patch "/apis/scheduling.volcano.sh/v1beta1/queues/$ns/status" '{"status":{"state":"Open"}}'
	passes "a job" k apply -f "$(file 'apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j}
spec:
  schedulerName: volcano
  minAvailable: 1
  queue: '"$ns"'
  tasks:
  - {name: t, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}')"
	has "is there by its short name" "$(get vj)" "MINAVAILABLE"
	has "in the wide table with its queue" "$(get vcjob j -o wide)" "$ns"
	passes "it goes" k delete vcjob j
	k delete queue "$ns" >/dev/null 2>&1
}

custom_kinds() {
	passes "a large definition" k apply -f "$data/clusters.yaml"
	passes "is established" k wait --for=condition=Established --timeout=60s \
		crd/clusters.databases.example.com
	cat >"$tmp/db.yaml" <<-EOF
		apiVersion: databases.example.com/v1
		kind: Cluster
		metadata: {name: db, labels: {own: "1"}}
		spec:
		  version: "16.2"
		  storage: {size: 10Gi, className: fast}
		  groups: [{name: a, role: primary}, {name: b}]
		  backup: {enabled: true, destinations: [{name: s, s3: {bucket: b}}]}
		  template: {anything: {goes: [1, 2]}}
	EOF
	passes "an object of it" k apply -f "$tmp/db.yaml"
	is "has its defaults" "$(get dbc db -o jsonpath='{.spec.replicas} {.spec.groups[1].role} {.spec.storage.reclaim}')" \
		"3 replica Retain"
	is "keeps what is free" "$(get dbc db -o jsonpath='{.spec.template.anything.goes[1]}')" 2
	has "its columns" "$(get dbc)" "VERSION"
	has "and the wide ones" "$(get dbc -o wide)" "BACKUP"
	is "in its category" "$(get databases -o name)" cluster.databases.example.com/db
	has "it is explained" "$(k explain cluster.spec.storage.size --api-version=databases.example.com/v1)" "of the volume of each member"
	sed -i 's/"16.2"/"16.3"/; s/, {name: b}//' "$tmp/db.yaml"
	passes "a change" k apply -f "$tmp/db.yaml"
	is "is made" "$(get dbc db -o jsonpath='{.spec.version} {.spec.groups[*].name}')" "16.3 a"
	version=$(get dbc db -o jsonpath='{.metadata.resourceVersion}')
	passes "apply again" k apply -f "$tmp/db.yaml"
	is "changes nothing" "$(get dbc db -o jsonpath='{.metadata.resourceVersion}')" "$version"
	passes "scale" k scale cluster.databases.example.com/db --replicas=5
	is "is made" "$(get dbc db -o jsonpath='{.spec.replicas}')" 5
	fails "a value that is none of them" k patch dbc db --type=merge -p '{"spec":{"service":{"type":"Odd"}}}'
	has "is reported" "$output" 'Unsupported value: "Odd": supported values: "ClusterIP", "NodePort", "LoadBalancer"'
	fails "a rule that is broken" k patch dbc db --type=merge -p '{"spec":{"replicas":0}}'
	has "is reported in its words" "$output" "a cluster without replicas must be paused"
	fails "what may not change" k patch dbc db --type=merge -p '{"spec":{"storage":{"className":"slow"}}}'
	has "is reported" "$output" "className is immutable"
	fails "two of a list that has keys" k patch dbc db --type=merge -p '{"spec":{"users":[{"name":"a"},{"name":"a"}]}}'
	has "are reported" "$output" 'Duplicate value: {"name":"a"}'
	fails "a size that is none" k patch dbc db --type=merge -p '{"spec":{"storage":{"size":"much"}}}'
	has "is reported" "$output" "spec.storage.size in body should match"
	has "in the older version" "$(k get clusters.v1beta1.databases.example.com db -o yaml 2>&1)" \
		"apiVersion: databases.example.com/v1beta1"
	is "by the field that may be asked for" \
		"$("$kubectl" get --raw "/apis/databases.example.com/v1/clusters?fieldSelector=spec.version%3D16.3" | grep -c '"name":"db"')" 1
	passes "described" k describe dbc db
	passes "the definition goes" k delete crd clusters.databases.example.com --timeout=60s
	fails "and its objects with it" k get dbc
}

events() {
	k create -f "$(file 'apiVersion: v1
kind: Event
metadata: {name: e, namespace: '"$ns"'}
involvedObject: {kind: Pod, name: p, namespace: '"$ns"'}
reason: Tried
message: it was tried
type: Warning
count: 1
firstTimestamp: "2026-01-02T03:04:05Z"
lastTimestamp: "2026-01-02T03:04:05Z"
source: {component: clients}')" >/dev/null
	has "events are shown" "$(get events)" "it was tried"
	is "and selected" "$(get events --field-selector reason=Tried -o name)" event/e
}

# What a request comes to that asks for another protocol: its code and its sentence.
upgrade() {
	curl -sS -m 60 --http1.1 --cacert "$home/pki/ca.crt" -H "Authorization: Bearer $token" -H "Connection: Upgrade" \
		-H "Upgrade: $2" -X "$1" -w ' %{http_code}' "$url/api/v1/namespaces/$ns/pods/runs/$3" |
		sed 's/.*"message":"\([^:"]*\).* \([0-9]*\)$/\2 \1/'
}

connections() {
	k create -f "$(file 'apiVersion: v1
kind: Pod
metadata: {name: runs}
spec: {schedulerName: other, containers: [{name: c, image: x}]}')" >/dev/null
	merge_patch "/api/v1/namespaces/$ns/pods/runs/status" '{"status":{"phase":"Running"}}'
	fails "no command is run in a pod" k exec runs -- true
	has "which is said" "$output" "(NotImplemented): kubectl exec and kubectl cp are not supported: this server cannot run"
	fails "nothing is copied out of one" k cp runs:/etc/passwd "$tmp/copied"
	has "which is said as well" "$output" "kubectl exec and kubectl cp are not supported"
	fails "none is attached to" k attach runs
	has "attach says so" "$output" "kubectl attach is not supported"
	fails "no port is forwarded" k port-forward runs 18080:80
	has "port-forward says so" "$output" "kubectl port-forward is not supported"
	is "SPDY" "$(upgrade POST SPDY/3.1 'exec?command=true')" "501 kubectl exec and kubectl cp are not supported"
	is "WebSocket" "$(upgrade GET websocket 'exec?command=true&stdin=yes')" "501 kubectl exec and kubectl cp are not supported"
	is "a proxy" "$(upgrade GET websocket 'proxy/some/page?limit=x')" \
		"501 this server does not forward requests to pods, services or nodes. Connect to their address directly"
}

tokens() {
	case $("$kubectl" create 2>&1) in *" token "*) ;; *) return ;; esac # too old to have the command
	passes "a token of an account" k create token default --duration=30m
	has "opens the API" "$("$kubectl" auth whoami --kubeconfig /dev/null --server "$url" \
		--certificate-authority "$home/pki/ca.crt" --token "$output" 2>&1)" "system:serviceaccount:$ns:default"
	passes "one that is bound to a pod" k create token default --bound-object-kind=Pod --bound-object-name=runs
	bound=$output
	with_token() {
		"$kubectl" -n "$ns" --kubeconfig /dev/null --server "$url" --certificate-authority "$home/pki/ca.crt" \
			--token "$bound" "$@" 2>&1
	}
	is "may read its namespace" "$(with_token auth can-i list pods)" yes
	is "but no secrets" "$(with_token auth can-i list secrets)" no
	has "with the reason" "$(with_token get secrets)" \
		"secrets is forbidden: User \"system:serviceaccount:$ns:default\" cannot list resource \"secrets\""
	k delete pod runs --now >/dev/null 2>&1
	has "no more after the pod was deleted" "$(with_token get pods)" "You must be logged in to the server"
	fails "a token for too short a time" k create token default --duration=1m
	has "is refused" "$output" "may not specify a duration less than 10 minutes"
	fails "one for a pod that is not there" k create token default --bound-object-kind=Pod --bound-object-name=none
	has "is as well" "$output" 'pods "none" not found'
}

passes "kubectl is there: $kubectl" "$kubectl" version --client
token=$(head -1 "$home/pki/tokens.csv" | cut -d, -f1)
url=$("$kubectl" config view -o jsonpath='{.clusters[0].cluster.server}')
passes "a namespace" "$kubectl" create namespace "$ns"
look_around
objects
changes
apply
waiting
removal
volcano_kinds
custom_kinds
events
connections
tokens
passes "the namespace goes" "$kubectl" delete namespace "$ns" --timeout=60s
passes "the server stops" volcano down
finish
