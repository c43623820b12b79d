#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-probes.t - who asks a container how it is, and when; what it says at its end; gates before it is ready; and
# whose processes it sees.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
kubectl() { "$KUBECTL_NEW" "$@"; }
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
export HOME="$tmp" KUBECONFIG="$home/kubeconfig"
trap 'volcano down --pods >/dev/null 2>&1; clean_up' EXIT
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
condition() { field "$1" ".status.conditions[?(@.type==\"Ready\")].$2"; }
# A server that reports what it is asked, and does not answer on /never.
cat >"$tmp/server.py" <<'PYTHON'
import http.server, os, sys, time

class Handler(http.server.BaseHTTPRequestHandler):
    count = 0

    def do_GET(self):
        Handler.count += 1
        print(Handler.count, self.path, self.headers.get('X-Key'), flush=True)
        while self.path == '/never':
            time.sleep(1)
        self.send_response(200 if self.headers.get('X-Key') else 500)
        self.end_headers()

    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer((os.environ['IP'], 8080), Handler).serve_forever()
PYTHON
# pod NAME FIELDS CONTAINER...
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {schedulerName: volcano, terminationGracePeriodSeconds: 1, $2" "  containers: ["
	shift 2
	for one; do printf '    %s,\n' "$one"; done
	printf '%s\n' "  ]}" "---"
}
serve="image: x, env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}], command: [python3, $tmp/server.py]"
wait="image: x, command: [sleep, \"1000\"]"
bad="exec: {command: ['false']}, periodSeconds: 1, failureThreshold: 1"

passes "it starts" volcano up -d --listen 127.0.0.1:0
[ "$failures" -eq 0 ] || finish
{
	pod asked "" "{name: c, $serve, readinessProbe: {httpGet: {path: /how, port: 8080, scheme: HTTP, httpHeaders: [{name: X-Key, value: v}]}, periodSeconds: 1, successThreshold: 2}}"
	pod refuses "" "{name: c, $serve, readinessProbe: {httpGet: {path: /how, port: 8080}, periodSeconds: 1}}"
	pod silent "" "{name: c, $serve, readinessProbe: {httpGet: {path: /never, port: 8080}, timeoutSeconds: 1, periodSeconds: 1}}"
	pod late "" "{name: patient, $wait, livenessProbe: {$bad, initialDelaySeconds: 3600}}" "{name: hasty, $wait, livenessProbe: {$bad}}"
	pod says "restartPolicy: Never," "{name: c, image: x, terminationMessagePath: /tmp/said, command: [sh, -c, 'echo bye >/tmp/said; exit 3']}"
	pod printed "restartPolicy: Never," "{name: c, image: x, terminationMessagePolicy: FallbackToLogsOnError, command: [sh, -c, 'echo last words; exit 4']}"
	pod sees "restartPolicy: Never, hostPID: true," "{name: c, image: x, env: [{name: MARK, value: $tmp}], command: [sh, -c, 'echo \$\$\$\$; exec sleep 1000']}"
	pod renewed "restartPolicy: OnFailure, volumes: [{name: v, configMap: {name: settings}}]," "{name: c, image: x, volumeMounts: [{name: v, mountPath: /tmp/settings}],
		env: [{name: COLOUR, valueFrom: {configMapKeyRef: {name: settings, key: colour}}}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}],
		command: [sh, -c, 'echo \$COLOUR on \$NODE; until grep -q blue /tmp/settings/colour; do sleep 0.1; done; [ \$COLOUR = blue ]']}"
	pod silent-hook "" "{name: c, $wait, lifecycle: {postStart: {exec: {command: ['false']}}}}"
	pod loud-hook "" "{name: c, $wait, lifecycle: {postStart: {exec: {command: [sh, -c, 'echo no disk; exit 3']}}}}"
	pod slow-hook "" "{name: c, $wait, lifecycle: {postStart: {exec: {command: [sh, -c, 'sleep 2; exit 5']}}}}"
	pod no-hook "" "{name: c, $wait, lifecycle: {postStart: {exec: {command: [no-such-program]}}}}"
	pod gated "readinessGates: [{conditionType: example.com/open}, {conditionType: example.com/lit}]," "{name: c, $wait}"
} >"$tmp/pods.yaml"
passes "settings" kubectl create configmap settings --from-literal=colour=red
passes "pods" kubectl create -f "$tmp/pods.yaml"

settles "who answers well twice is ready" True condition asked status
comes "it was asked this many times, with the header" "2 /how v" kubectl logs asked
settles "who answers badly is not" "ContainersNotReady" condition refuses reason
comes "which an event says, with the code" "HTTP probe failed with statuscode: 500" kubectl events --for pod/refuses
comes "who does not answer in time has not" "Unhealthy" kubectl events --for pod/silent
is "and is not ready" "$(condition silent status)" False
comes "a hook that fails is an event with its exit code" "PostStart hook failed: command exited with code 1" \
	kubectl events --for pod/silent-hook
comes "and with what it printed" "PostStart hook failed: command exited with code 3: no disk" kubectl events --for pod/loud-hook
comes "also if that took longer than the grace period" "PostStart hook failed: command exited with code 5" \
	kubectl events --for pod/slow-hook
comes "or why it could not start" 'PostStart hook failed: exec: "no-such-program": executable file not found' \
	kubectl events --for pod/no-hook
comes "a probe that prints nothing has its exit code" "Liveness probe failed: command exited with code 1" \
	kubectl events --for pod/late
restarts() { field late ".status.containerStatuses[?(@.name==\"$1\")].restartCount"; }
begun() { [ "$(restarts hasty)" -gt 0 ] && echo yes; }
settles "a container that a probe finds dead is started again" yes begun
is "not before the probe's first time" "$(restarts patient)" 0

settles "what a container has written for its end is reported" "3 bye" field says '.status.containerStatuses[0].state.terminated.exitCode} {.status.containerStatuses[0].state.terminated.message'
settles "or what it printed last" "4 last words" field printed '.status.containerStatuses[0].state.terminated.exitCode} {.status.containerStatuses[0].state.terminated.message'

node=$(kubectl get nodes -o jsonpath='{.items[0].metadata.name}')
comes "a container has a variable from settings" "red on $node" kubectl logs renewed
passes "which change" kubectl patch configmap settings -p '{"data": {"colour": "blue"}}'
settles "a container that is started again has what they are now" "Succeeded 1" \
	field renewed '.status.phase} {.status.containerStatuses[0].restartCount'
is "and else the same" "$(kubectl logs renewed)" "blue on $node"
is "what it said before is kept" "$(kubectl logs renewed --previous)" "red on $node"

comes "a pod with the machine's processes runs" "" kubectl wait --for=condition=Ready --timeout=60s pod/sees
number() { kubectl logs sees | grep -x '[0-9]*'; }
marked() { grep -czsx "MARK=$tmp" "/proc/$(number)/environ"; }
settles "and has the machine's number" 1 marked

settles "who runs, but has gates" "False ReadinessGatesNotReady" condition gated 'status} {.status.conditions[?(@.type=="Ready")].reason'
has "says which are closed" "$(condition gated message)" \
	'corresponding condition of pod readiness gate "example.com/open" does not exist.'
open='{"type": "example.com/open", "status": "True"}' lit='{"type": "example.com/lit", "status": "False"}'
passes "one opens" kubectl patch pod gated --subresource=status -p "{\"status\": {\"conditions\": [$open, $lit]}}"
settles "the other one is reported" 'the status of pod readiness gate "example.com/lit" is not "True", but False' \
	condition gated message
passes "it opens" kubectl patch pod gated --subresource=status \
	-p '{"status": {"conditions": [{"type": "example.com/lit", "status": "True"}]}}'
settles "then it is ready" True condition gated status
passes "it stops" volcano down --pods
finish
