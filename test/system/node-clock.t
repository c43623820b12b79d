#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-clock.t - the administrator sets the machine's clock by hours, forwards and backwards, while volcano runs and while it is
# away: what is measured (deadlines, grace, back-off, heartbeats) goes on as before; what is written down by the clock
# (the time to live of a job, when a cron job is due, since when logs are wanted) follows it when it is looked at. volcano gets its time from a library (system/clock.c).
# node-clock-user.t does it as an ordinary user.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
kubectl() { "$KUBECTL_NEW" "$@"; }
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
export HOME="$tmp" KUBECONFIG="$home/kubeconfig"
trap 'volcano down --pods >/dev/null 2>&1; clean_up' EXIT
# jump SECONDS: the clock is so far from the machine's; in place, since it is mapped
jump() { printf '%-31s' "$1" | dd of="$tmp/clock" conv=notrunc status=none; }
# A sanitizer wants to be first, and gets an option that allows this.
up() {
	CLOCK_FILE="$tmp/clock" LD_PRELOAD="$CLOCK" ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
		"$BIN/volcano" up -d --listen 127.0.0.1:0 --data-dir "$home"
}
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
state() { kubectl get pods "$@" -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase} {.status.containerStatuses[0].restartCount}{"\n"}{end}'; }
# near SECONDS COMMAND...: does it print a time that is so far from the machine's, give or take a quarter of an hour?
near() {
	far=$(($(date +%s) + $1))
	shift
	off=$(($(date -d "$("$@")" +%s) - far))
	[ "$off" -gt -900 ] && [ "$off" -lt 900 ] && echo yes
}
heartbeat() { kubectl get leases -n kube-node-lease -o jsonpath='{.items[0].spec.renewTime}'; }
ready() { kubectl get nodes -o jsonpath='{.items[*].status.conditions[?(@.type=="Ready")].status}'; }
# pod NAME FIELDS SCRIPT
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {schedulerName: volcano, terminationGracePeriodSeconds: 1, $2" \
		"  containers: [{name: c, image: x, command: [sh, -c, '$3']}]}" "---"
}
# job NAME TTL
job() {
	printf '%s\n' "apiVersion: batch.volcano.sh/v1alpha1" "kind: Job" "metadata: {name: $1}" \
		"spec: {minAvailable: 1, ttlSecondsAfterFinished: $2," \
		"  tasks: [{name: t, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x, command: ['true']}]}}}]}" "---"
}
# Due once, in five hours.
cron() {
	printf '%s\n' "apiVersion: batch.volcano.sh/v1alpha1" "kind: CronJob" "metadata: {name: once}" \
		"spec: {schedule: '$(date -u -d '+5 hours' '+%M %H') * * *', jobTemplate: {spec: {minAvailable: 1, tasks: [{name: t, replicas: 1," \
		"  template: {spec: {restartPolicy: Never, containers: [{name: c, image: x, command: ['true']}]}}}]}}}" "---"
}
runs() { kubectl get vcjob --no-headers -o custom-columns=:.metadata.name,:.status.state.phase | grep -c '^once-.*Completed'; }
stamp() { date -u -d "$1" +%Y-%m-%dT%H:%M:%S.000000Z; }
phase() { kubectl get vcjob "$1" -o jsonpath='{.status.state.phase}' 2>&1; }
# Certificates are good from the first start on: not before that, as anywhere.
forwards=36000 backwards=0

printf '%-31s' 0 >"$tmp/clock"
passes "it starts" up
[ "$failures" -eq 0 ] || finish
{
	pod bounded "restartPolicy: Never, activeDeadlineSeconds: 3600," "exec sleep 1000"
	pod ticks "restartPolicy: Never," "while sleep 0.2; do echo tick; done"
	pod crashes "restartPolicy: Always," "exit 1"
	pod said "restartPolicy: Never," "echo earlier; echo now; echo later"
	job short 7200
	job long 86400
	cron
} >"$tmp/pods.yaml"
passes "pods and jobs" kubectl create -f "$tmp/pods.yaml"
settles "one has said something" Succeeded field said .status.phase
# As it is when the clock was set between the lines: five hours back, then five forth.
printf '%s stdout F %s\n' "$(stamp '-5 hours')" earlier "$(stamp now)" now "$(stamp '+5 hours')" later \
	>"$home/pods/$(field said .metadata.uid)/c.0.log"
is "what was printed an hour ago at most" "$(kubectl logs said --since=1h | tr '\n' ' ')" "now later "
is "or six" "$(kubectl logs said --since=6h | tr '\n' ' ')" "earlier now later "
passes "pods run" kubectl wait --for=condition=Ready --timeout=120s pod/bounded pod/ticks
settles "jobs end" Completed phase short
settles "both of them" Completed phase long

# ---- forwards, while it runs ----
jump $forwards
settles "the node's heartbeat has the new time" yes near $forwards heartbeat
is "the node is ready" "$(ready)" True
is "nothing that ended was lost" "$(phase short) $(phase long)" "Completed Completed"
is "a pod is not past its deadline" "$(field bounded .status.phase)" Running
settles "a cron job that has become due runs" 1 runs
is "what was printed six hours ago at most is reported by the new time" "$(kubectl logs said --since=6h)" later
pod forwards "restartPolicy: Never," "echo hi" | kubectl create -f - >/dev/null
settles "pods start and end" Succeeded field forwards .status.phase
is "with the new time" "$(near $forwards field forwards .status.startTime)" yes
passes "and go, after their grace" kubectl delete pod forwards --timeout=60s

# ---- backwards ----
jump $backwards
settles "the heartbeat follows" yes near $backwards heartbeat
is "the node is ready" "$(ready)" True
pod backwards "restartPolicy: Never," "sleep 0.1; echo hi" | kubectl create -f - >/dev/null
settles "pods start and end" Succeeded field backwards .status.phase
passes "and go" kubectl delete pod backwards --timeout=60s
passes "a job" sh -c "$(printf 'cat <<YAML | %s create -f -\n%s\nYAML' "$KUBECTL_NEW" "$(job later 1)")"
settles "runs, ends, and goes after its time" 'Error from server (NotFound): jobs.batch.volcano.sh "later" not found' phase later
is "the other one stays" "$(phase long)" Completed
is "a cron job does not run again" "$(runs)" 1
settles "who ran runs" "bounded Running 0
ticks Running 0" state bounded ticks

# ---- while it is away ----
passes "it stops" volcano down
jump $forwards
passes "it comes back, hours later by the clock" up
settles "a cron job does not run twice" 1 runs
settles "a job that has outlived its time goes" 'Error from server (NotFound): jobs.batch.volcano.sh "short" not found' phase short
is "the other one stays" "$(phase long)" Completed
settles "the node is ready" True ready
again() { [ "$(field crashes '.status.containerStatuses[0].restartCount')" -gt 1 ] && echo yes; }
settles "who is started again and again is" yes again
settles "who ran runs, his deadline has not passed" "bounded Running 0
ticks Running 0" state bounded ticks
has "his output is there" "$(kubectl logs ticks --tail=1)" tick
passes "it stops" volcano down
jump $backwards
passes "it comes back, hours earlier" up
settles "the node is ready" True ready
settles "who ran runs" "bounded Running 0
ticks Running 0" state bounded ticks
passes "pods end when they are deleted" kubectl delete pods --all --timeout=60s
passes "it stops" volcano down --pods
finish
