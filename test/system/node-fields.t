#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# node-fields.t - what a pod's fields mean on a real node: where variables come from, every kind of volume,
# users and rights, limits, names between pods, and what no pod may see. Once as root, and once as an ordinary
# user (node-fields-user.t).
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
who=root
[ "$(id -u)" -eq 0 ] || who=user
wait_for() { kubectl wait --for="$1" --timeout=60s "$2"; }
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }

# said POD: what it printed, when it has ended
said() {
	kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=60s "pod/$1" >/dev/null 2>&1 ||
		kubectl get "pod/$1" -o jsonpath='{.status}'
	kubectl logs "$1" 2>&1
}

# pod NAME SCRIPT [CONTAINER FIELDS [SPEC FIELDS]]
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" \
		"metadata: {name: $1, labels: {app: x, tier: back}, annotations: {note: hi}}" \
		"spec: {schedulerName: volcano, restartPolicy: Never, terminationGracePeriodSeconds: 1, ${4-}" \
		"  containers: [{name: c, image: x, ${3-} command: [sh, -c, '$2']}]}" "---"
}

passes "$who: it starts" volcano up -d --listen 127.0.0.1:0 --node-resources example.com/thing=3
notes=$(printf '%s\n' "$output" | sed -n 's/^note: //p')
passes "$who: there is a class of storage" kubectl wait --for=create --timeout=60s storageclass/local
passes "$who: there is a node" kubectl wait --for=condition=Ready --timeout=60s node --all
condition() { kubectl get nodes -o jsonpath="{.items[0].status.conditions[?(@.type==\"$1\")]['status','message']}"; }
lacks=''
for name in PodIsolation PodNetwork PodLimits; do
	has "$who: $name is reported, with a sentence" "$(condition "$name")" "e "
	lacks="$lacks$(condition "$name")
"
done
is "$who: what cannot be done here is reported at the start as well" \
	"$(printf '%s' "$lacks" | sed -n 's/^False //p')" "$notes"
[ "$who" = root ] || has "$who: what only root can do as well" "$(condition PodNetwork)" \
	"False pods run as the user of the node, on loopback addresses: only root can change users and make networks"
is "$who: it has what was declared" \
	"$(kubectl get nodes -o jsonpath='{.items[0].status.allocatable.example\.com/thing}')" 3

kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: red, size: "7"}
binaryData: {bytes: AAEC}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {word: sesame}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: kept}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
YAML

# ---- variables ----
{
	pod env "echo \"\$A|\$B|\$color|\$P_word|\$KEY|\$NAME|\$NODE|\$LABEL|\$CPU|\$HOSTNAME|\$1\"" \
		"envFrom: [{configMapRef: {name: settings}}, {prefix: P_, secretRef: {name: keys}},
		  {configMapRef: {name: absent, optional: true}}],
		env: [{name: A, value: a}, {name: B, value: 'b-\$(A)-\$\$(A)-\$(NONE)'},
		  {name: KEY, valueFrom: {secretKeyRef: {name: keys, key: word}}},
		  {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}},
		  {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}},
		  {name: LABEL, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['app']\"}}},
		  {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}],
		resources: {limits: {cpu: 250m}}, args: [sh, 'arg-\$(A)'],"
	pod absent 'true' "env: [{name: A, valueFrom: {configMapKeyRef: {name: later, key: k}}}],"
} >"$tmp/env.yaml"
passes "$who: pods with variables" kubectl create -f "$tmp/env.yaml"
node=$(kubectl get nodes -o jsonpath='{.items[0].metadata.name}')
is "$who: variables come from everywhere" "$(said env)" \
	"a|b-a-\$(A)-\$(NONE)|red|sesame|sesame|env|$node|x|250|env|arg-a"
passes "$who: what is missing is reported" \
	wait_for 'jsonpath={.status.containerStatuses[0].state.waiting.reason}=CreateContainerConfigError' pod/absent
is "$who: by its name" "$(field absent '.status.containerStatuses[0].state.waiting.message')" \
	'configmap "later" not found'
passes "$who: when it comes" kubectl create configmap later --from-literal=k=v
passes "$who: the pod goes on" wait_for 'jsonpath={.status.phase}=Succeeded' pod/absent

# ---- volumes ----
mkdir "$tmp/host"
echo outside >"$tmp/host/file"
chmod 755 "$tmp"
chmod 777 "$tmp/host" # pods of root are not root
at=/volcano-test-$$
{
	pod volumes "cd $at; cat cm/color cm/bytes sec/word one down/labels all/word all/name host/file | tr \"\\\\0\\\\1\\\\2\" xyz;
		ls cm; stat -Lc %a sec/word; echo in >empty/f; echo in >mem/f; cat empty/f mem/f; df --output=fstype mem | tail -1;
		echo kept >claim/f; echo out >host/new; (echo x >cm/new) 2>/dev/null || echo read-only; cat expr/f" \
		"env: [{name: WHO, value: me}], volumeMounts: [{name: cm, mountPath: $at/cm}, {name: sec, mountPath: $at/sec},
		  {name: cm, mountPath: $at/one, subPath: size}, {name: down, mountPath: $at/down},
		  {name: all, mountPath: $at/all}, {name: host, mountPath: $at/host}, {name: empty, mountPath: $at/empty},
		  {name: mem, mountPath: $at/mem}, {name: claim, mountPath: $at/claim},
		  {name: host, mountPath: $at/expr, subPathExpr: sub-\$(WHO)}]," \
		"volumes: [{name: cm, configMap: {name: settings}}, {name: sec, secret: {secretName: keys, defaultMode: 256}},
		  {name: down, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}},
		  {name: all, projected: {sources: [{secret: {name: keys}},
		    {downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}]}},
		  {name: host, hostPath: {path: $tmp/host, type: Directory}}, {name: empty, emptyDir: {}},
		  {name: mem, emptyDir: {medium: Memory, sizeLimit: 1Mi}},
		  {name: claim, persistentVolumeClaim: {claimName: kept}}],"
	pod nowhere true "volumeMounts: [{name: v, mountPath: $at/v}]," \
		"volumes: [{name: v, hostPath: {path: /no/such/folder, type: Directory}}],"
} >"$tmp/volumes.yaml"
mkdir "$tmp/host/sub-me"
echo by-name >"$tmp/host/sub-me/f"
passes "$who: pods with volumes" kubectl create -f "$tmp/volumes.yaml"
is "$who: every kind holds what it should" "$(said volumes | tr '\n' ' ')" \
	'redxyzsesame7app="x" tier="back"sesamevolumesoutside bytes color size 400 in in tmpfs read-only by-name '
is "$who: a hostPath is the machine's" "$(cat "$tmp/host/new")" out
pod again "cat $at/claim/f" "volumeMounts: [{name: claim, mountPath: $at/claim}]," \
	"volumes: [{name: claim, persistentVolumeClaim: {claimName: kept}}]," |
	kubectl create -f - >/dev/null
is "$who: a claim keeps what was written" "$(said again)" kept
comes "$who: a volume that cannot be is reported" 'hostPath type check failed, /no/such' \
	kubectl get events -o jsonpath='{.items[*].message}'
passes "$who: the machine's own files are as they were" test ! -e "$at"

pod watch "while [ \"\$(cat $at/color)\" != blue ]; do sleep 0.1; done; cat $at/color" \
	"volumeMounts: [{name: cm, mountPath: $at}]," "volumes: [{name: cm, configMap: {name: settings}}]," |
	kubectl create -f - >/dev/null
passes "$who: a pod looks at a volume" wait_for condition=Ready pod/watch
passes "$who: whose source changes" kubectl patch configmap settings -p '{"data":{"color":"blue"}}'
is "$who: it sees the change" "$(said watch)" blue

pod greedy "head -c 3000000 /dev/urandom >$at/f; sleep 1000" "volumeMounts: [{name: e, mountPath: $at}]," \
	"volumes: [{name: e, emptyDir: {sizeLimit: 1Mi}}]," | kubectl create -f - >/dev/null
passes "$who: who fills more than its volume may hold is evicted" wait_for 'jsonpath={.status.reason}=Evicted' pod/greedy
is "$who: and it is said why" "$(field greedy .status.message)" \
	'Usage of EmptyDir volume "e" exceeds the limit "1Mi". '
passes "$who: it has failed" wait_for 'jsonpath={.status.phase}=Failed' pod/greedy

# ---- what no pod may see ----
{
	pod other "echo secret-of-another >/dev/null; sleep 1000" "volumeMounts: [{name: s, mountPath: $at}]," \
		"volumes: [{name: s, secret: {secretName: keys}}],"
} | kubectl create -f - >/dev/null
passes "$who: another pod has a secret" wait_for condition=Ready pod/other
pod spy "cat $home/kubeconfig $home/store/* $home/pki/* $home/pods/*/volumes/*/* 2>/dev/null | wc -c;
	cat /proc/[0-9]*/root$home/kubeconfig 2>/dev/null | wc -c; ls $home/pods | wc -l" | kubectl create -f - >/dev/null
is "$who: a pod sees neither store nor keys nor another pod" "$(said spy | grep -v ^ls:)" "0
0
$([ "$who" = root ] && echo 0 || echo 1)"

pod peep "cat /proc/[0-9]*/root$at/word /proc/[0-9]*/root$home/pods/*/volumes/*/* /proc/[0-9]*/environ 2>/dev/null |
	tr \"\\\\0\" \"\\\\n\" | grep -c sesame" | kubectl create -f - >/dev/null
passes "$who: one that looks through other processes ends" wait_for 'jsonpath={.status.phase}=Failed' pod/peep
is "$who: and finds nothing" "$(kubectl logs peep)" 0

# ---- how processes end, whichever is the first of them ----
{
	pod three 'exit 3'
	pod dies 'kill -ABRT $$$$'
	pod first 'trap "exit 5" TERM; kill -TERM 1 2>/dev/null || kill -TERM $$$$; sleep 1000 & wait'
	pod sleeper 'exec sleep 1000'
	pod leaves '(setsid sleep 1000 &); sleep 1000 & sleep 0.01; exit 0'
} >"$tmp/ends.yaml"
passes "$who: pods that end in many ways" kubectl create -f "$tmp/ends.yaml"
ended() { field "$1" ".status.containerStatuses[0].state.terminated.$2"; }
passes "$who: one exits" wait_for 'jsonpath={.status.phase}=Failed' pod/three
is "$who: with its code" "$(ended three exitCode)" 3
passes "$who: one dies of a signal" wait_for 'jsonpath={.status.phase}=Failed' pod/dies
is "$who: which is reported" "$(ended dies exitCode) $(ended dies signal)" "134 6"
passes "$who: one sends a signal to process 1" wait_for 'jsonpath={.status.phase}=Failed' pod/first
is "$who: which is its program" "$(ended first exitCode)" 5
passes "$who: one leaves others running" wait_for 'jsonpath={.status.phase}=Succeeded' pod/leaves
passes "$who: one sleeps" wait_for condition=Ready pod/sleeper
passes "$who: SIGTERM ends it, long before its grace does" \
	kubectl delete pod sleeper --grace-period=3600 --timeout=120s

# ---- rights ----
{
	pod plain 'id -u; grep -E "NoNewPrivs|CapBnd" /proc/self/status; ulimit -c'
	pod readonly "(echo x >/etc/volcano-test) 2>/dev/null || echo refused; echo x >$at/f && cat $at/f" \
		"securityContext: {readOnlyRootFilesystem: true}, volumeMounts: [{name: e, mountPath: $at}]," \
		"volumes: [{name: e, emptyDir: {}}],"
	pod user 'id -u; id -g; id -G; touch x; cat '"$at"'/word' \
		"securityContext: {runAsUser: 1234, runAsGroup: 5678}, volumeMounts: [{name: s, mountPath: $at}]," \
		"securityContext: {supplementalGroups: [99], fsGroup: 77, runAsNonRoot: true},
		 volumes: [{name: s, secret: {secretName: keys, defaultMode: 256}}],"
	pod nonroot true 'securityContext: {runAsNonRoot: true},'
} >"$tmp/rights.yaml"
passes "$who: pods with rights" kubectl create -f "$tmp/rights.yaml"
is "$who: the machine's files can be read-only" "$(said readonly)" "refused
x"
if [ "$who" = root ]; then
	fails "$who: it runs as a user that the machine does not know" getent passwd "$(said plain | head -n 1)"
	has "$who: without the rights to undo what hides the store" "$(said plain)" 00000000a00425fb
	has "$who: and gets no new ones" "$(said plain)" "NoNewPrivs:	1"
	is "$who: users and groups are those of the pod" "$(said user)" "1234
5678
5678 77 99
sesame"
	passes "$who: who does not want to be root is not" wait_for 'jsonpath={.status.phase}=Succeeded' pod/nonroot
else
	has "$who: it runs as the node's user" "$(said plain)" "$(id -u)"
	has "$who: and gets no new rights" "$(said plain)" "NoNewPrivs:	1"
	passes "$who: another user is refused" \
		wait_for 'jsonpath={.status.containerStatuses[0].state.waiting.reason}=CreateContainerConfigError' pod/user
	has "$who: by name" "$(field user '.status.containerStatuses[0].state.waiting.message')" \
		"securityContext.runAsUser: 1234 needs a node that runs as root"
	passes "$who: it is not root" wait_for 'jsonpath={.status.phase}=Succeeded' pod/nonroot
fi

# ---- limits ----
if [ "$who" = root ] && [ -w /sys/fs/cgroup ]; then
	# A piece of 500 MB, and no more: where no limit is kept the machine has to bear it.
	pod hungry 'exec dd if=/dev/zero of=/dev/null bs=500M count=1' 'resources: {limits: {memory: 32Mi}},' | kubectl create -f - >/dev/null
	passes "$who: who takes too much memory is ended" wait_for 'jsonpath={.status.phase}=Failed' pod/hungry
	is "$who: and it is said why" \
		"$(field hungry '.status.containerStatuses[0].state.terminated.reason')" OOMKilled
fi

# ---- the API server, from within ----
ask="cd /var/run/secrets/kubernetes.io/serviceaccount && curl -sS -m 60 --cacert ca.crt -H \"Authorization: Bearer \$(cat token)\" \
	-H \"Content-Type: application/json\" -d \"{\\\"apiVersion\\\":\\\"authentication.k8s.io/v1\\\",\\\"kind\\\":\\\"SelfSubjectReview\\\"}\" \
	https://\$KUBERNETES_SERVICE_HOST:\$KUBERNETES_SERVICE_PORT/apis/authentication.k8s.io/v1/selfsubjectreviews"
given='automountServiceAccountToken: true,'
tries="cd /var/run/secrets/kubernetes.io/serviceaccount; for path in /api/v1/namespaces/default/pods /api/v1/namespaces/default/secrets \
	/api/v1/namespaces/kube-system/configmaps /api/v1/nodes /metrics; do \
	code=\$(curl -sS -m 60 -o /dev/null -w \"%{http_code}\" --cacert ca.crt -H \"Authorization: Bearer \$(cat token)\" \
	https://\$KUBERNETES_SERVICE_HOST:\$KUBERNETES_SERVICE_PORT\$path); echo \$path \$code; done"
{
	pod asks "$ask" '' "$given"
	pod asks-far "$ask" 'ports: [{containerPort: 80}],' "$given"
	pod tries "$tries" '' "$given"
	pod without 'ls /var/run/secrets/kubernetes.io/serviceaccount 2>/dev/null | wc -l'
} | kubectl create -f - >/dev/null
has "$who: a pod is known to the API server" "$(said asks)" system:serviceaccount:default:default
has "$who: also one with a network of its own" "$(said asks-far)" system:serviceaccount:default:default
is "$who: it may read its own namespace, and no more" "$(said tries)" "/api/v1/namespaces/default/pods 200
/api/v1/namespaces/default/secrets 403
/api/v1/namespaces/kube-system/configmaps 403
/api/v1/nodes 403
/metrics 403"
is "$who: a pod that does not ask has no token" "$(said without)" 0

# ---- names ----
# Both stay until both have seen each other: one that has ended has no name any more.
sed "s|@TMP@|$tmp|" <<'YAML' | kubectl create -f - >/dev/null
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: pair}
spec:
  minAvailable: 2
  plugins: {svc: [], env: []}
  tasks:
  - name: t
    replicas: 2
    template:
      spec:
        restartPolicy: Never
        hostAliases: [{ip: 192.0.2.7, hostnames: [alias.example]}]
        volumes: [{name: shared, hostPath: {path: "@TMP@/host"}}]
        containers:
        - name: c
          image: x
          volumeMounts: [{name: shared, mountPath: /volcano-shared}]
          env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]
          command: [sh, -c]
          args:
          - |
            until getent ahostsv4 pair-t-$((1 - VC_TASK_INDEX)).pair >/dev/null; do sleep 0.1; done
            hostname; cat /etc/volcano/t.host; echo
            address() { getent ahostsv4 "$1" | head -n 1 | cut -d " " -f 1; }
            [ "$(address pair-t-$VC_TASK_INDEX.pair)" = "$IP" ] && echo own address
            address alias.example
            address pair-t-$((1 - VC_TASK_INDEX)).pair.default.svc.cluster.local
            touch /volcano-shared/seen-$VC_TASK_INDEX
            until [ -e /volcano-shared/seen-$((1 - VC_TASK_INDEX)) ]; do sleep 0.1; done
YAML
passes "$who: two pods of a job find each other" \
	wait_for 'jsonpath={.status.state.phase}=Completed' vcjob/pair
is "$who: by their names" "$(said pair-t-0)" "pair-t-0
pair-t-0.pair
pair-t-1.pair
own address
192.0.2.7
$(field pair-t-1 .status.podIP)"
uids=$(kubectl get pods -o jsonpath='{.items[*].metadata.uid}')
passes "$who: everything is deleted" kubectl delete pods,vcjob --all --timeout=60s
settles "$who: no folder is left" "" find "$home/pods" -mindepth 1 -maxdepth 1
groups() { for uid in $uids; do find /sys/fs/cgroup -type d -name "pod$uid" 2>/dev/null; done; }
settles "$who: no control group either" "" groups
passes "$who: it stops" volcano down --pods
finish
