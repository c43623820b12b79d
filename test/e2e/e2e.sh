# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# e2e.sh - a data directory for a test with a real framework; `./dev e2e` runs them.
#
#   begin_e2e                  `volcano up` in a folder of the test's own
#   ends KIND/NAME PHASE       waits for a phase, and shows what there is where it does not come
#   finish_e2e                 stops it; the plan
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
kubectl() { "$KUBECTL_NEW" "$@"; }
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
export HOME="$tmp" KUBECONFIG="$home/kubeconfig"

begin_e2e() {
	trap 'volcano down --pods >/dev/null 2>&1; clean_up' EXIT
	passes "it starts" volcano up -d --listen 127.0.0.1:0
	passes "there is a node" kubectl wait --for=create --timeout=60s --all nodes
	passes "there is a queue" kubectl wait --for=create --timeout=60s queue/default
}

ends() {
	kubectl wait --for="jsonpath={.status.state.phase}=$2" --timeout="${3:-180s}" "$1" && return
	kubectl get "$1" -o yaml
	kubectl get pods -o wide
	for pod in $(kubectl get pods -o name); do
		echo "== $pod"
		kubectl logs "$pod" --tail 20
	done
	kubectl get events
	return 1
}

finish_e2e() {
	passes "it stops, with everything" volcano down --pods
	finish
}
