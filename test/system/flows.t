#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# flows.t - the whole of `volcano up` with kubectl: flows, cron jobs, queues, plain pods, clean-up, and
# what admission says.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
apply() { kubectl create --validate=false -f "$tmp/$1.yaml"; }
becomes() { kubectl wait --for=jsonpath="{$2}"="$3" --timeout=60s "$1"; }
task='{name: t, replicas: 1, template: {metadata: {annotations: {run-seconds: "0"}}, spec:
  {restartPolicy: Never, containers: [{name: c, image: x}]}}}'

passes "it starts" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 2
passes "the first queue is open" becomes queue/default .status.state Open

cat >"$tmp/flow.yaml" <<-END
	apiVersion: flow.volcano.sh/v1alpha1
	kind: JobFlow
	metadata: {name: f}
	spec: {flows: [{name: a}, {name: b, dependsOn: {targets: [a]}}]}
	---
	apiVersion: flow.volcano.sh/v1alpha1
	kind: JobTemplate
	metadata: {name: a}
	spec: {tasks: [$task]}
	---
	apiVersion: flow.volcano.sh/v1alpha1
	kind: JobTemplate
	metadata: {name: b}
	spec: {tasks: [$task]}
END
passes "a flow is made before its templates" apply flow
passes "it succeeds" becomes jobflow/f .status.state.phase Succeed
settles "both jobs were done" '["f-a","f-b"]' kubectl get jobflow f -o jsonpath='{.status.completedJobs}'
settles "a template lists its job" '["f-b"]' kubectl get jobtemplate b -o jsonpath='{.status.jobDependsOnList}'

cat >"$tmp/short.yaml" <<-END
	apiVersion: flow.volcano.sh/v1alpha1
	kind: JobFlow
	metadata: {name: short}
	spec: {jobRetainPolicy: delete, flows: [{name: a}, {name: b, dependsOn: {targets: [a]}}]}
END
passes "a flow is made that deletes its jobs" apply short
passes "it succeeds" becomes jobflow/short .status.state.phase Succeed
passes "its jobs go" kubectl wait --for=delete --timeout=60s vcjob/short-a vcjob/short-b
settles "what became of the last one's pods is recorded" '{"t":{"phase":{"Succeeded":1}}}' \
	kubectl get jobflow short -o jsonpath='{.status.conditions.short-b.taskStatusCount}'

cat >"$tmp/cron.yaml" <<-END
	apiVersion: batch.volcano.sh/v1alpha1
	kind: CronJob
	metadata: {name: c}
	spec: {schedule: '@every 1s', jobTemplate: {spec: {tasks: [$task]}}}
END
passes "a cron job is made" apply cron
passes "it makes a job that succeeds" kubectl wait --for=jsonpath='{.status.lastSuccessfulTime}' \
	--timeout=90s cronvcjob/c

cat >"$tmp/queue.yaml" <<-END
	apiVersion: scheduling.volcano.sh/v1beta1
	kind: Queue
	metadata: {name: q}
	spec: {}
END
cat >"$tmp/close.yaml" <<-END
	apiVersion: bus.volcano.sh/v1alpha1
	kind: Command
	metadata: {name: close}
	action: CloseQueue
	target: {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, name: q, uid: x}
END
cat >"$tmp/job.yaml" <<-END
	apiVersion: batch.volcano.sh/v1alpha1
	kind: Job
	metadata: {name: j}
	spec: {queue: q, ttlSecondsAfterFinished: 0, tasks: [$task]}
END
passes "a queue is made" apply queue
passes "it is opened" becomes queue/q .status.state Open
passes "a job goes through it" apply job
passes "and goes when it has finished" kubectl wait --for=delete --timeout=60s vcjob/j
passes "the queue is closed by a command" apply close
passes "which is obeyed" becomes queue/q .status.state Closed
passes "and goes" kubectl wait --for=delete --timeout=60s command/close
fails "then no job is admitted" apply job
has "with the reason" "$output" "can only submit job to queue with state \`Open\`, queue \`q\` status is \`Closed\`;"

cat >"$tmp/big.yaml" <<-END
	apiVersion: batch.volcano.sh/v1alpha1
	kind: Job
	metadata: {name: big}
	spec:
	  tasks:
	  - {name: t, replicas: 9, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x,
	    resources: {requests: {cpu: 30}}}]}}}
END
passes "a job that is too large is made" apply big
comes "it says what it waits for" "PodGroup default:big pending, reason: " \
	kubectl get events --field-selector involvedObject.kind=Job,involvedObject.name=big

cat >"$tmp/pod.yaml" <<-END
	apiVersion: v1
	kind: Pod
	metadata: {name: p, annotations: {run-seconds: "0"}}
	spec: {schedulerName: volcano, restartPolicy: Never, containers: [{name: c, image: x}]}
END
passes "a pod without a job is made" apply pod
passes "it runs to its end" becomes pod/p .status.phase Succeeded
is "in a group of its own" "$(kubectl get pod p -o jsonpath='{.metadata.annotations.scheduling\.k8s\.io/group-name}')" \
	"podgroup-$(kubectl get pod p -o jsonpath='{.metadata.uid}')"

passes "it stops" "$BIN/volcano" down --data-dir "$home"
finish
