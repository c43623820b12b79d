#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jobs.t - the jobs of test/data/jobs, which between them use every field of the kind, under `volcano up`
# with simulated nodes: each comes to the phase that its label `expect` names.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
kubectl() { "$KUBECTL_NEW" "$@"; }
export HOME="$tmp" KUBECONFIG="$home/kubeconfig"
# The name of a job and what becomes of it, for each file.
expected() { sed -n 's/^  name: //p; s/^  labels: {expect: \(.*\)}$/\1/p' test/data/jobs/*.yaml | paste -d ' ' - -; }

passes "it starts" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 4
passes "the queue is open" kubectl wait --for=jsonpath='{.status.state}'=Open --timeout=60s queue/default
passes "all are accepted" kubectl create -f test/data/jobs
expected >"$tmp/expected"
while read -r name phase; do
	case $phase in
	gone) passes "$name goes" kubectl wait --for=delete --timeout=60s "vcjob/$name" ;;
	*) passes "$name is $phase" kubectl wait --for=jsonpath='{.status.state.phase}'="$phase" \
		--timeout=60s "vcjob/$name" ;;
	esac
done <"$tmp/expected"
is "those that wait still do" "$(kubectl get vcjob stuck -o jsonpath='{.status.state.phase}')" Pending
is "retries were counted" "$(kubectl get vcjob restart-job -o jsonpath='{.status.retryCount}')" 2
passes "all are deleted" kubectl delete vcjob --all --timeout=60s
passes "with their pods" kubectl wait --for=delete pod --all --timeout=60s
is "and their podgroups" "$(kubectl get podgroups -o name)" ""
passes "it stops" "$BIN/volcano" down --data-dir "$home"
finish
