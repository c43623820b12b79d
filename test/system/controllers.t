#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# controllers.t - jobs under `volcano up`, and again with vc-controller-manager as a process of its
# own over HTTPS. The scheduler's part is played by hand: groups are admitted, pods are bound.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
phase() { kubectl wait --for=jsonpath='{.status.state.phase}'="$2" --timeout=60s "vcjob/$1"; }
job() {
	printf '%s\n' "apiVersion: batch.volcano.sh/v1alpha1" "kind: Job" "metadata: {name: $1}" \
		"spec:" "  plugins: {env: [], svc: [], ssh: []}" "  tasks:" \
		"  - {name: t, replicas: 2, template: {metadata: {annotations: {$2}}, spec:" \
		"     {restartPolicy: Never, containers: [{name: c, image: x}]}}}"
}
# Admit the group of a job and bind its two pods.
schedule() {
	group=$1-$(kubectl get vcjob "$1" -o jsonpath='{.metadata.uid}')
	kubectl wait --for=create --timeout=60s "podgroup/$group" &&
		kubectl patch podgroup "$group" --type merge -p '{"status":{"phase":"Inqueue"}}' || return 1
	for i in 0 1; do
		kubectl wait --for=create --timeout=60s "pod/$1-t-$i" || return 1
		printf '{"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s"},"target":{"kind":"Node","name":"node-00000"}}' \
			"$1-t-$i" | kubectl create --raw "/api/v1/namespaces/default/pods/$1-t-$i/binding" -f - || return 1
	done
}
try_jobs() {
	job good 'run-seconds: "0"' >"$tmp/good.yaml"
	job stays '' >"$tmp/stays.yaml"
	passes "$1: a job is made" kubectl create --validate=false -f "$tmp/good.yaml" -f "$tmp/stays.yaml"
	passes "$1: it is scheduled" schedule good
	passes "$1: it is completed" phase good Completed
	is "$1: with the variables of its plugins" \
		"$(kubectl get pod good-t-1 -o jsonpath='{.spec.containers[0].env[1]}')" \
		'{"name":"VC_TASK_INDEX","value":"1"}'
	passes "$1: another one too" schedule stays
	passes "$1: it runs" phase stays Running
	passes "$1: its key pair is there" kubectl get secret stays-ssh
	printf '%s\n' "apiVersion: bus.volcano.sh/v1alpha1" "kind: Command" "metadata: {generateName: c-}" \
		"action: TerminateJob" "target: {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: stays," \
		"  uid: $(kubectl get vcjob stays -o jsonpath='{.metadata.uid}')}" >"$tmp/command.yaml"
	passes "$1: a command is given" kubectl create --validate=false -f "$tmp/command.yaml"
	passes "$1: and obeyed" phase stays Terminated
	comes "$1: which is reported" "Start to execute action TerminateJob" \
		kubectl get events -o jsonpath='{.items[*].message}'
	passes "$1: jobs are deleted" kubectl delete vcjob good stays --timeout=60s
	settles "$1: so are their pods and groups" "" kubectl get pods,podgroups -o name
}

passes "it starts" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 1 \
	--components apiserver,controllers,node
passes "the queue is open" kubectl wait --for=jsonpath='{.status.state}'=Open --timeout=60s queue/default
try_jobs "in one process"
passes "it stops" "$BIN/volcano" down --data-dir "$home"

passes "it starts without controllers" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 \
	--simulate-nodes 1 --components apiserver,node
# As the installer's chart starts it.
"$BIN/vc-controller-manager" --kubeconfig "$home/kubeconfig" --lock-object-namespace=default \
	--logtostderr --enable-healthz=true --enable-metrics=true --leader-elect=true \
	--leader-elect-resource-namespace=default --kube-api-qps=50 --kube-api-burst=100 \
	--worker-threads=3 --worker-threads-for-gc=5 --worker-threads-for-podgroup=5 \
	--healthz-address=127.0.0.1:0 --listen-address=127.0.0.1:0 -v=4 "2>&1" >"$tmp/manager.log" 2>&1 &
manager=$!
try_jobs "over HTTPS"
kill "$manager"
wait "$manager"
is "the manager ends well" $? 0
has "arguments that are no flags are logged" "$(cat "$tmp/manager.log")" '2>&1'
has "and flags without effect" "$(cat "$tmp/manager.log")" "--worker-threads has no effect"
fails "an unknown flag is an error" "$BIN/vc-controller-manager" --nope
has "that names it" "$output" "--nope"
fails "the address of a server, alone, must be one" "$BIN/vc-controller-manager" --master nowhere
has "and the error says so" "$output" "vc-controller-manager: server: "
fails "a controller twice is one" "$BIN/vc-controller-manager" --kubeconfig "$home/kubeconfig" \
	--leader-elect=false --controllers job-controller,-job-controller
passes "it stops again" "$BIN/volcano" down --data-dir "$home"
address=$(sed -n 's|.*server: "*https://\([0-9.:]*\).*|\1|p' "$KUBECONFIG")
fails "nobody answers any more" "$BIN/vcctl" job list
has "and it is said who does not" "$output" "connect to $address: "
finish
