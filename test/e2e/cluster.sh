# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# cluster.sh - a cluster that runs already, named by $E2E_KUBECONFIG, for a test that has sourced tap.sh:
# `./dev e2e --kubeconfig FILE` runs them.
#
#   begin_cluster     Volcano's kinds if they are missing, a namespace, simulated nodes if there are no others, and the
#                     two programs unless a scheduler leads there already; ours also preempts
#   finish_cluster    deletes all of that again, and checks that nothing is left
#
# Only what begin_cluster has made is deleted, also when the test ends early. kubectl and vcctl use the namespace by
# themselves: $KUBECONFIG is a copy that names it.
home=$tmp/home
how=cluster
namespace=volcano-e2e-$$
crds='' nodes_made='' scheduler='' manager=''
mkdir -p "$home"
cp "$E2E_KUBECONFIG" "$home/kubeconfig"
export HOME="$tmp" KUBECONFIG="$home/kubeconfig"
kubectl() { "$KUBECTL_NEW" "$@"; }
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
trap 'leave_cluster >/dev/null 2>&1; clean_up' EXIT

scheduler_leads() {
	kubectl get leases -A -o 'jsonpath={range .items[*]}{.metadata.name}={.spec.holderIdentity}{"\n"}{end}' |
		grep -Eq '^(volcano|vc-scheduler)=.'
}

install_kinds() {
	for file in config/crd/*.yaml; do
		name=$(sed -n 's/^  name: //p' "$file" | head -n 1)
		kubectl get crd "$name" >/dev/null 2>&1 && continue
		kubectl create -f "$file" || return 1
		crds="$crds $name"
	done
	for name in $crds; do
		kubectl wait --for=condition=Established --timeout=60s "crd/$name" || return 1
	done
}

begin_cluster() {
	install_kinds >"$tmp/kinds.log" 2>&1
	result $? "$how: its kinds are there" "$(cat "$tmp/kinds.log")"
	passes "$how: there is a namespace" kubectl create namespace "$namespace"
	kubectl create serviceaccount default -n "$namespace" >/dev/null 2>&1 # where no controller makes it
	passes "$how: which commands use" kubectl config set-context --current --namespace="$namespace"
	if [ -z "$(kubectl get nodes -o name)" ]; then
		nodes_made=yes
		passes "$how: nodes are simulated" volcano up -d --components node --simulate-nodes "${nodes:-4}"
		passes "$how: they are there" kubectl wait --for=create --timeout=60s node/node-00000
	fi
	if ! scheduler_leads; then
		cat >"$tmp/scheduler.yaml" <<-END
			actions: "enqueue, allocate, preempt, backfill"
			tiers:
			- plugins: [{name: priority}, {name: gang}, {name: conformance}]
			- plugins: [{name: overcommit}, {name: drf, enablePreemptable: false}, {name: predicates}, {name: proportion},
			    {name: nodeorder}, {name: binpack}]
		END
		"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --scheduler-conf "$tmp/scheduler.yaml" \
			>"$tmp/scheduler.log" 2>&1 &
		scheduler=$!
		"$BIN/vc-controller-manager" --kubeconfig "$KUBECONFIG" --leader-elect=false >"$tmp/manager.log" 2>&1 &
		manager=$!
	fi
	passes "$how: there is a queue" kubectl wait --for=create --timeout=60s queue/default
	passes "$how: it is open" kubectl wait --for=jsonpath='{.status.state}'=Open --timeout=60s queue/default
}

# Jobs go while their controllers run: those remove what they own, and the finalizers.
leave_cluster() {
	kubectl delete vcjobs,jobflows,jobtemplates,cronvcjobs --all --timeout=60s -n "$namespace"
	[ ! -e "$tmp/claims.yaml" ] || kubectl delete --wait=false -f "$tmp/claims.yaml"
	kubectl delete namespace "$namespace" --timeout=120s
	if [ -n "$scheduler" ]; then kill "$scheduler" "$manager"; fi
	if [ -n "$nodes_made" ]; then
		volcano down
		kubectl delete nodes -l "volcano.sh/instance=$(cat "$home/instance")" --timeout=60s
	fi
	for name in $crds; do kubectl delete crd "$name" --timeout=60s; done
	crds='' nodes_made='' scheduler='' manager=''
}

finish_cluster() {
	made=$crds
	leave_cluster >"$tmp/leave.log" 2>&1
	settles "$how: its namespace is deleted" "" sh -c "'$KUBECTL_NEW' get namespaces -o name | grep '$namespace'"
	[ -z "$made" ] || settles "$how: so are its kinds" "" sh -c "'$KUBECTL_NEW' get crds -o name | grep 'volcano.sh$'"
}
