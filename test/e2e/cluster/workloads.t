#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# workloads.t - flows, cron jobs, queues, gangs, preemption and plain pods at a cluster that runs already.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/e2e/cluster.sh
. test/e2e/cluster.sh
becomes() { kubectl wait --for=jsonpath="{$2}"="$3" --timeout=60s "$1"; }
# A comment first: a text that starts with a brace is JSON for kubectl.
apply() {
	{ echo "# YAML"; cat; } >"$tmp/apply.yaml"
	passes "$1" kubectl create -f "$tmp/apply.yaml"
}
# A task of so many pods with so many CPUs, which run for so many seconds.
task() {
	echo "{name: t, replicas: $1, template: {metadata: {annotations: {run-seconds: \"$3\"}}, spec: {schedulerName: volcano," \
		"restartPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: \"$2\"}}}]}}}"
}
job() { # job NAME PODS CPUS SECONDS [MORE]
	echo "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: $1}, spec: {schedulerName: volcano, queue: default," \
		"minAvailable: $2, ${5:+$5, } tasks: [$(task "$2" "$3" "$4")]}}"
}
bound() { kubectl get pods -l "volcano.sh/job-name=$1" -o 'jsonpath={.items[*].spec.nodeName}' | wc -w | tr -d ' '; }

nodes=4
begin_cluster
apply "a flow and its templates are made" <<-END
	{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, metadata: {name: f}, spec: {jobRetainPolicy: retain,
	 flows: [{name: a}, {name: b, dependsOn: {targets: [a]}}]}}
	---
	{apiVersion: flow.volcano.sh/v1alpha1, kind: JobTemplate, metadata: {name: a}, spec: {schedulerName: volcano, queue: default,
	 minAvailable: 1, tasks: [$(task 1 1 0)]}}
	---
	{apiVersion: flow.volcano.sh/v1alpha1, kind: JobTemplate, metadata: {name: b}, spec: {schedulerName: volcano, queue: default,
	 minAvailable: 1, tasks: [$(task 1 1 0)]}}
END
passes "the flow succeeds" becomes jobflow/f .status.state.phase Succeed
settles "both jobs were done" '["f-a","f-b"]' kubectl get jobflow f -o jsonpath='{.status.completedJobs}'

apply "a cron job is made" <<-END
	{apiVersion: batch.volcano.sh/v1alpha1, kind: CronJob, metadata: {name: c}, spec: {schedule: '@every 1s',
	 jobTemplate: {spec: {schedulerName: volcano, queue: default, minAvailable: 1, tasks: [$(task 1 1 0)]}}}}
END
passes "it makes a job that succeeds" kubectl wait --for=jsonpath='{.status.lastSuccessfulTime}' --timeout=90s cronvcjob/c
passes "it is deleted" kubectl delete cronvcjob c --timeout=60s

# All nodes together: 4 of 32 CPUs. A gang that does not fit gets nothing, one that fits runs.
if [ -n "$nodes_made" ] && [ -n "$scheduler" ]; then
	job large 5 30 60 >"$tmp/job.yaml"
	apply "a gang of five is made for four nodes" <"$tmp/job.yaml"
	job small 4 16 1 >"$tmp/job.yaml"
	apply "and one that fits" <"$tmp/job.yaml"
	passes "that one completes" becomes vcjob/small .status.state.phase Completed
	is "the other has no node" "$(bound large)" 0
	passes "it is deleted" kubectl delete vcjob large --timeout=60s

	apply "two priorities are made" <<-END
		{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: $namespace-low}, value: 10}
		---
		{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: $namespace-high}, value: 1000}
	END
	job low 4 30 600 "priorityClassName: $namespace-low" | sed 's/minAvailable: 4/minAvailable: 1/' >"$tmp/job.yaml"
	apply "a job fills the nodes" <"$tmp/job.yaml"
	settles "it has them" 4 bound low
	job high 2 30 1 "priorityClassName: $namespace-high" >"$tmp/job.yaml"
	apply "a job of a higher priority comes" <"$tmp/job.yaml"
	passes "it completes in their place" becomes vcjob/high .status.state.phase Completed
	passes "both are deleted" kubectl delete vcjob low high --timeout=60s
	kubectl delete priorityclass "$namespace-low" "$namespace-high" >/dev/null 2>&1
fi

apply "a plain pod is made" <<-END
	{apiVersion: v1, kind: Pod, metadata: {name: plain, annotations: {run-seconds: "0"}}, spec: {schedulerName: volcano,
	 restartPolicy: Never, containers: [{name: c, image: x}]}}
END
passes "it runs" kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s pod/plain
has "in a group of its own" "$(kubectl get podgroups -o name)" "podgroup-"
passes "a pod is asked for by vcctl" "$BIN/vcctl" job list
finish_cluster
finish
