#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# jobs.t - the jobs of test/data/jobs, which between them use every field of the kind (fields_conformance.c holds
# them to that), with real kubectl: each comes to the phase that its label `expect` names. If the
# manifests are there that must work unchanged, they are tried as well. Here everything is one process;
# jobs-apart.t has three.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/system.sh
. test/system/system.sh
manifests=../shared/cases
# The name of a job and what becomes of it, for each file.
expected() { sed -n 's/^  name: //p; s/^  labels: {expect: \(.*\)}$/\1/p' test/data/jobs/*.yaml | paste -d ' ' - -; }
job_of() { kubectl get vcjob "$1" -o jsonpath="{$2}"; }

# What a controller of volumes would do.
bind_claims() {
	scratch=$(job_of volumes '.status.controlledResources.*' | tr ' ' '\n' | grep pvc)
	for claim in data "$scratch"; do
		passes "$how: claim $claim is bound" kubectl annotate --overwrite pvc "$claim" \
			pv.kubernetes.io/bind-completed=yes
		passes "$how: and says so" kubectl patch pvc "$claim" --subresource=status --type=merge \
			-p '{"status":{"phase":"Bound"}}'
	done
}

check_jobs() {
	sed "s/namespace: default/namespace: ${namespace:-default}/" test/data/claims.yaml >"$tmp/claims.yaml"
	passes "$how: there are volumes" kubectl create -f "$tmp/claims.yaml"
	passes "$how: all are accepted" kubectl create -f test/data/jobs
	passes "$how: a job makes its claim" kubectl wait --timeout=60s vcjob/volumes \
		--for=jsonpath='{.status.controlledResources}'
	bind_claims
	expected >"$tmp/expected"
	while read -r name phase; do
		case $phase in
		gone) passes "$how: $name goes" kubectl wait --for=delete --timeout=60s "vcjob/$name" ;;
		*) passes "$how: $name is $phase" becomes "vcjob/$name" "$phase" ;;
		esac
	done <"$tmp/expected"
	is "$how: those that wait still do" "$(job_of stuck .status.state.phase)" Pending
	settles "$how: retries were counted" 2 job_of restart-job .status.retryCount
	passes "$how: all are deleted" kubectl delete vcjob --all --timeout=60s
	passes "$how: with their pods" kubectl wait --for=delete pod --all --timeout=60s
	settles "$how: and their podgroups" "" kubectl get podgroups -o name
	passes "$how: so are the volumes" kubectl delete --wait=false -f "$tmp/claims.yaml"
}

check_tensorflow() {
	name=tensorflow-benchmark
	passes "$how: tensorflow: as it stands" kubectl apply -f $manifests/tensorflow-ps-worker.yaml
	passes "$how: tensorflow: runs" becomes vcjob/$name Running
	settles "$how: tensorflow: three pods" 3 job_of $name .status.running
	is "$how: tensorflow: hosts in files" "$(kubectl get configmap $name-svc \
		-o jsonpath='{.data.worker\.host}' | tr '\n' ,)" "$name-worker-0.$name,$name-worker-1.$name"
	for i in 0 1; do # which is how they end when no node runs them
		kubectl patch pod $name-worker-$i --subresource=status -p '{"status":{"phase":"Succeeded"}}' >/dev/null
	done
	passes "$how: tensorflow: completes with its workers" becomes vcjob/$name Completed
	passes "$how: tensorflow: and its server is stopped" kubectl wait --for=delete --timeout=60s pod/$name-ps-0
}

check_elastic() {
	fails "$how: elastic: as published it is refused" kubectl create --validate=false -f $manifests/elastic-job.yaml
	has "$how: elastic: for the name" "$output" "containers[0].name: Required value"
	fails "$how: elastic: kubectl sees the other field" kubectl create -f $manifests/elastic-job.yaml
	has "$how: elastic: and names it" "$output" 'resources.nvidia.com/gpu"'
	sed 's/- image: train_script/- image: train_script\n          name: main/; s/^\( *\)nvidia.com\/gpu: 1/\1limits: {nvidia.com\/gpu: 1}/' \
		$manifests/elastic-job.yaml >"$tmp/elastic.yaml"
	for node in 0 1 2; do
		kubectl patch node node-0000$node --subresource=status --type=merge \
			-p '{"status":{"capacity":{"nvidia.com/gpu":"2"},"allocatable":{"nvidia.com/gpu":"2"}}}' >/dev/null
	done
	passes "$how: elastic: put right it is accepted" kubectl create -f "$tmp/elastic.yaml"
	passes "$how: elastic: runs with what there is" becomes vcjob/test-job 6 .status.running
	settles "$how: elastic: which is enough" Running job_of test-job .status.state.phase
	kubectl patch node node-00003 --subresource=status --type=merge \
		-p '{"status":{"capacity":{"nvidia.com/gpu":"8"},"allocatable":{"nvidia.com/gpu":"8"}}}' >/dev/null
	passes "$how: elastic: and grows with the capacity" becomes vcjob/test-job 10 .status.running
}

# The operator's part: two pods that the job owns.
check_pytorch() {
	passes "$how: kubeflow: its kind is installed" kubectl apply -f test/data/crd/pytorchjobs.yaml
	passes "$how: kubeflow: and known" kubectl wait --for=condition=Established --timeout=60s \
		crd/pytorchjobs.kubeflow.org
	passes "$how: kubeflow: a namespace" kubectl create namespace kubeflow
	passes "$how: kubeflow: as it stands" kubectl apply -f $manifests/kubeflow-pytorchjob.yaml
	uid=$(kubectl get pytorchjob -n kubeflow pytorch-simple -o jsonpath='{.metadata.uid}')
	for role in master worker; do
		kubectl create -n kubeflow -f - >/dev/null <<-END
			apiVersion: v1
			kind: Pod
			metadata:
			  name: pytorch-simple-$role-0
			  ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: pytorch-simple, uid: $uid, controller: true}]
			spec: {schedulerName: volcano, containers: [{name: pytorch, image: x}]}
		END
	done
	passes "$how: kubeflow: the pods are one group" kubectl wait --for=create -n kubeflow --timeout=60s \
		"podgroup/podgroup-$uid"
	for role in master worker; do
		passes "$how: kubeflow: the $role runs" becomes pod/pytorch-simple-$role-0 Running .status.phase -n kubeflow
	done
}

begin "${HOW:-together}"
check_jobs
if [ -d $manifests ] && [ "$how" != cluster ]; then # they change nodes, and kinds
	check_tensorflow
	check_elastic
	check_pytorch
fi
finish_system
finish
