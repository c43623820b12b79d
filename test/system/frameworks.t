#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# frameworks.t - every manifest of examples with real kubectl, in one process (in
# frameworks-apart.t in three). What is to come of each stands in its remarks:
#
#   # Expect: KIND/NAME [PHASE]            it comes to this phase, or is just there
#   # Pod: POD [VARIABLE] TEXT             its containers have the variable with this text, or just the text
#   # Annotation: POD KEY VALUE
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/system.sh
. test/system/system.sh
remarks() { sed -n "s/^# $2: //p" "$1"; }

check_manifest() {
	remarks "$1" Expect >"$tmp/expect"
	while read -r object phase; do
		case $phase in
		'') passes "$how: $object is there" kubectl wait --for=create --timeout=60s "$object" ;;
		*) passes "$how: $object is $phase" becomes "$object" "$phase" ;;
		esac
	done <"$tmp/expect"
	remarks "$1" Pod >"$tmp/expect"
	while read -r pod variable text; do
		has "$how: $pod has $variable" "$(kubectl get pod "$pod" -o jsonpath='{.spec.containers[0]}')" \
			"$(json_of "$variable" "$text")"
	done <"$tmp/expect"
	remarks "$1" Annotation >"$tmp/expect"
	while read -r pod key value; do
		is "$how: $pod has $key" "$(kubectl get pod "$pod" \
			-o jsonpath="{.metadata.annotations['$(echo "$key" | sed 's/\./\\./g')']}")" "$value"
	done <"$tmp/expect"
}
# A variable as it stands in a container; a word alone is looked for as it is.
json_of() {
	case $1,$2 in
	*,) printf '%s' "$1" ;;
	TF_CONFIG,*) printf '%s' "$2" | sed 's/"/\\"/g' ;;
	*) printf '{"name":"%s","value":"%s"}' "$1" "$2" ;;
	esac
}

# What Argo's controller does with a step: the manifest is made, then its conditions are waited for.
check_argo() {
	kubectl get workflow argo -o jsonpath='{.spec.templates[0].resource.manifest}' >"$tmp/step.yaml"
	fails "$how: argo: an account without a role may not create it" kubectl create -f "$tmp/step.yaml" \
		--as=system:serviceaccount:default:other
	has "$how: argo: which is said" "$output" 'cannot create resource "jobs" in API group "batch.volcano.sh" in the namespace "default"'
	passes "$how: argo: the step's manifest is created by the account that the role permits it" \
		kubectl create -f "$tmp/step.yaml" --as=system:serviceaccount:default:argo-volcano
	condition=$(kubectl get workflow argo -o jsonpath='{.spec.templates[0].resource.successCondition}')
	is "$how: argo: the step waits for a phase" "${condition% = *}" status.state.phase
	passes "$how: argo: it comes" becomes vcjob/argo-step "${condition#* = }"
}

# What Cromwell does with a call.
check_cromwell() {
	passes "$how: cromwell: the job before is deleted" kubectl delete vcjob cromwell-align --timeout=60s
	passes "$how: cromwell: a call is submitted" "$BIN/vcctl" job run -f examples/frameworks/cromwell.yaml
	has "$how: cromwell: its name can be read" "$output" "run job cromwell-align successfully"
	passes "$how: cromwell: it is alive" "$BIN/vcctl" job view -N cromwell-align
	passes "$how: cromwell: it is killed" "$BIN/vcctl" job delete -N cromwell-align
	passes "$how: cromwell: and gone" kubectl wait --for=delete --timeout=60s vcjob/cromwell-align
}

# What Kubernetes' controllers do: the replicas, as their owner's.
own() {
	kubectl get "$1" "$2" -o json | sed -n 's/.*"uid": "\(.*\)".*/\1/p' | head -n 1 >"$tmp/uid"
	kubectl apply -f - <<-END
		apiVersion: v1
		kind: Pod
		metadata:
		  name: $3
		  labels: {app: $4}
		  ownerReferences: [{apiVersion: apps/v1, kind: $5, name: $2, uid: $(cat "$tmp/uid"), controller: true}]
		spec: {schedulerName: volcano, containers: [{name: main, image: nginx, resources: {requests: {cpu: 100m}}}]}
	END
}
check_plain() {
	own replicaset plain plain-x1 plain ReplicaSet >/dev/null
	passes "$how: plain: one replica gets a group" kubectl wait --for=create --timeout=60s \
		"podgroup/podgroup-$(cat "$tmp/uid")"
	is "$how: plain: for two" "$(kubectl get podgroup "podgroup-$(cat "$tmp/uid")" -o jsonpath='{.spec.minMember}')" 2
	own replicaset plain plain-x2 plain ReplicaSet >/dev/null
	passes "$how: plain: both run" becomes pod/plain-x1 Running
	passes "$how: plain: together" becomes "podgroup/podgroup-$(cat "$tmp/uid")" Running
	own statefulset plain plain-0 plain-set StatefulSet >/dev/null
	passes "$how: plain: so does that of the set" becomes pod/plain-0 Running
}

# The other examples, whose programs run on real nodes elsewhere (examples.t, readme.t, ./dev e2e): here their jobs run.
check_others() {
	passes "$how: others: a namespace" kubectl create namespace others
	passes "$how: others: a node with devices" kubectl patch node node-00000 --subresource=status --type=merge \
		-p '{"status":{"capacity":{"nvidia.com/gpu":"3"},"allocatable":{"nvidia.com/gpu":"3"}}}'
	passes "$how: others: are applied" kubectl apply -n others -f examples/mpi/job.yaml -f examples/pytorch/job.yaml \
		-f examples/primes/job.yaml -f examples/tour/priority.yaml -f examples/tour/cron.yaml -f examples/tour/flow.yaml
	for job in mpi pytorch primes; do
		passes "$how: others: $job runs" becomes "vcjob/$job" Running .status.state.phase -n others
	done
	for step in measure report; do
		pod=pod/pipeline-$step-main-0
		passes "$how: others: the flow comes to $step" kubectl wait --for=create --timeout=60s -n others "$pod"
		passes "$how: others: which runs" becomes "$pod" Running .status.phase -n others
		passes "$how: others: and ends" kubectl patch -n others "$pod" --subresource=status \
			-p '{"status":{"phase":"Succeeded"}}'
	done
	passes "$how: others: and so does the flow" becomes jobflow/pipeline Succeed .status.state.phase -n others
	passes "$how: others: all of them go" kubectl delete namespace others --timeout=120s
}

begin "${HOW:-together}"
passes "$how: Argo's kind is installed" kubectl apply -f test/data/crd/workflows.yaml
passes "$how: and known" kubectl wait --for=condition=Established --timeout=60s crd/workflows.argoproj.io
passes "$how: everything is applied" kubectl apply -f examples/frameworks -f examples/gang
for file in examples/frameworks/*.yaml; do check_manifest "$file"; done
passes "$how: the first gang is done" becomes vcjob/gang Completed
check_argo
check_cromwell
check_plain
check_others
passes "$how: all jobs are deleted" kubectl delete vcjob --all --timeout=60s
passes "$how: and groups" kubectl delete podgroup --all --timeout=60s
passes "$how: and pods" kubectl delete pod --all --timeout=60s
finish_system
finish
