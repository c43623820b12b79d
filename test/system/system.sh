# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# system.sh - the whole system for a test that has sourced tap.sh, in one process or in three.
#
#   begin together       `volcano up` runs everything
#   begin apart          it runs API server and nodes; vc-scheduler and vc-controller-manager run next to it
#                        it, over HTTPS
#   begin cluster        a cluster that runs already ($E2E_KUBECONFIG, test/e2e/cluster.sh)
#   finish_system        everything is stopped, and must end well
#   becomes KIND/NAME VALUE [PATH [FLAG...]]   waits until the phase (or what else PATH names) is VALUE
#   phase_of KIND        where this kind has its phase
# shellcheck source=test/system/home.sh
. test/system/home.sh
nodes=${nodes:-4}

begin() {
	how=$1
	if [ "$how" = cluster ]; then
		# shellcheck source=test/e2e/cluster.sh
		. test/e2e/cluster.sh
		begin_cluster
		return
	fi
	parts='apiserver,node'
	[ "$how" = apart ] || parts='apiserver,controllers,scheduler,node'
	passes "$how: it starts" volcano up -d --listen 127.0.0.1:0 \
		--simulate-nodes "$nodes" --components "$parts"
	if [ "$how" = apart ]; then
		"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false >"$tmp/scheduler.log" 2>&1 &
		scheduler=$!
		"$BIN/vc-controller-manager" --kubeconfig "$KUBECONFIG" --leader-elect=false >"$tmp/manager.log" 2>&1 &
		manager=$!
		servers="$servers $scheduler $manager"
	fi
	passes "$how: there is a queue" kubectl wait --for=create --timeout=60s queue/default
	passes "$how: it is open" becomes queue/default Open .status.state
}

finish_system() {
	if [ "$how" = cluster ]; then
		finish_cluster
		return
	fi
	if [ "$how" = apart ]; then
		kill "$scheduler" "$manager"
		wait "$scheduler"
		is "$how: the scheduler ends well" "$?" 0
		wait "$manager"
		is "$how: the controllers end well" "$?" 0
	fi
	passes "$how: it stops" volcano down
	rm -rf "$home"
}

phase_of() {
	case $1 in vcjob/* | jobflow/*) echo .status.state.phase ;; *) echo .status.phase ;; esac
}

becomes() {
	object=$1 value=$2 path=${3:-$(phase_of "$1")}
	shift $(($# < 3 ? 2 : 3))
	kubectl wait --for=jsonpath="{$path}"="$value" --timeout=60s "$object" "$@"
}
