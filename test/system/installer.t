#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installer.t - config/installer: the chart renders with every set of values and every manifest is accepted by an API
# server without the kinds of Volcano, by the older and the newer kubectl; applied twice nothing changes; deleted,
# nothing is left. The programs then run with the roles of the installer and no other permission.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
chart=config/installer/chart/volcano

# The renderer's own rules, as lines of this test.
python3 test/system/render-chart.py "$tmp" >"$tmp/rules"
is "the rules of the renderer: $(tail -1 "$tmp/rules")" "$(grep -A3 '^not ok' "$tmp/rules")" ""
passes "volcano.yaml agrees with the chart, and the chart with the metrics" tools/make-installer --check

# render NAME FLAG...: to $tmp/NAME.yaml
render() {
	name=$1
	shift
	passes "$name is rendered" render_to "$tmp/$name.yaml" "$chart" "$@"
}
render_to() {
	to=$1
	shift
	tools/render-chart "$@" >"$to"
}
parsed() {
	python3 -c 'import sys, yaml
for d in yaml.load_all(open(sys.argv[1]), Loader=yaml.CSafeLoader):
    assert d["apiVersion"] and d["kind"] and d["metadata"]["name"], d
    print(d["kind"])' "$1"
}
kinds() { parsed "$1" | sort | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }'; }

cat >"$tmp/many.values" <<END
basic: {image_registry: registry.example.com/x/, image_tag_version: "9", scheduler_image_tag_version: "8", image_pull_secret: s}
custom:
  scheduler_replicas: 3
  controller_replicas: 1
  scheduler_name: one, two
  scheduler_config_override: |
    actions: "allocate"
    tiers:
    - plugins:
      - name: gang
  controller_enabled_controllers: "*,-jobflow-controller"
  default_affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}}
  default_tolerations: [{key: a, operator: Exists}]
  scheduler_ns: {disk: fast}
  common_labels: {team: batch}
  scheduler_podLabels: {p: q}
  aggregationRule_labels: {rbac.authorization.k8s.io/aggregate-to-edit: "true"}
  scheduler_kube_api_qps: 50
  service_monitor_enable: true
  prometheus_rule_enable: true
  grafana_dashboard_enable: true
service: {ipFamilyPolicy: SingleStack, ipFamilies: [IPv4]}
END
render defaults --set custom.crds_enable=false --set custom.vap_enable=false
has "by default it is this" "$(kinds "$tmp/defaults.yaml")" "2 Deployment"
render many -f "$tmp/many.values" --name vc -n batch --set custom.crds_enable=false --set custom.vap_enable=false
has "all parts of monitoring are there" "$(kinds "$tmp/many.yaml")" "1 PrometheusRule"
many=$(cat "$tmp/many.yaml")
has "with its image" "$many" 'image: "registry.example.com/x/vc-scheduler:8"'
has "and the other one" "$many" 'image: "registry.example.com/x/vc-controller-manager:9"'
has "both names of schedulers" "$many" "        - --scheduler-name=one
        - --scheduler-name=two"
has "a lease of its own" "$many" "--leader-elect-resource-name=one"
render webhook --set custom.admission_enable=true --set custom.crds_enable=false --set custom.vap_enable=false
is "the webhook is one Deployment more" "$(parsed "$tmp/webhook.yaml" | grep -c Deployment)" 3
has "with its own secret" "$(cat "$tmp/webhook.yaml")" "resourceNames: [volcano-admission-secret]"
render scheduler-only --set custom.controller_enable=false --set custom.crds_enable=false
is "one part can be installed alone" "$(parsed "$tmp/scheduler-only.yaml" | grep -c Deployment)" 1
fails "a value that does not exist" tools/render-chart "$chart" --set custom.scheduler_replica=3
has "is named" "$output" "custom: there is no value scheduler_replica"
fails "a part that is not there" tools/render-chart "$chart" --set custom.colocation_enable=true
has "is refused" "$output" "custom.colocation_enable: must be one of false"
fails "a configuration file that is not there" tools/render-chart "$chart" --set basic.scheduler_config_file=none
has "is named as well" "$output" "basic.scheduler_config_file names no file of the chart"

# Our API server evaluates no policies. So they are left out where it is asked, and nothing else is.
render policies -f "$tmp/many.values" --set custom.map_enable=true --set custom.map_version=v1beta1 --set custom.crds_enable=false
is "a policy and a binding per file" "$(parsed "$tmp/policies.yaml" | grep -c Admission)" "$(($(find "$chart/policy" -name '*.yaml' | wc -l) * 2))"
has "policies know the schedulers" "$(cat "$tmp/policies.yaml")" "in ['one', 'two']"
passes "everything but the policies" render_to "$tmp/rest.yaml" "$chart" --set custom.vap_enable=false
{
	printf 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: volcano-system\n'
	cat "$tmp/rest.yaml"
} >"$tmp/volcano.yaml"
is "is volcano.yaml without them" "$(parsed "$tmp/volcano.yaml" | sort)" "$(parsed config/installer/volcano.yaml | grep -v Admission | sort)"

# What every container of ours must have.
passes "containers are confined" python3 -c '
import sys, yaml
for file in sys.argv[1:]:
    for d in yaml.load_all(open(file), Loader=yaml.CSafeLoader):
        if d["kind"] != "Deployment":
            continue
        pod = d["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] > 0, file
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, file
        for c in pod["containers"]:
            s = c["securityContext"]
            assert s["readOnlyRootFilesystem"] and not s["allowPrivilegeEscalation"] and s["capabilities"] == {"drop": ["ALL"]}, file
            assert c["resources"]["requests"] and c["livenessProbe"] and c["readinessProbe"], file
    ' "$tmp/defaults.yaml" "$tmp/many.yaml" "$tmp/webhook.yaml"

# --- applied and deleted ---------------------------------------------------------------------------

passes "an API server starts" volcano up -d --listen 127.0.0.1:0 --components apiserver --nodes 0
# everything: one line per object, but no events. The kinds of the server itself, not those that come with a CRD.
everything() {
	for kind in $(kubectl api-resources --verbs=list -o name | sort -u); do
		case $kind in events | events.*) continue ;; esac
		kubectl get "$kind" -A -o 'jsonpath={range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{"\n"}{end}' 2>/dev/null
	done | sort -u
}
operator_kinds() {
	for kind in ServiceMonitor PrometheusRule; do
		plural=$(echo "${kind}s" | tr '[:upper:]' '[:lower:]')
		cat <<-END
			---
			apiVersion: apiextensions.k8s.io/v1
			kind: CustomResourceDefinition
			metadata: {name: $plural.monitoring.coreos.com}
			spec:
			  group: monitoring.coreos.com
			  scope: Namespaced
			  names: {kind: $kind, plural: $plural, singular: $(echo "$kind" | tr '[:upper:]' '[:lower:]')}
			  versions:
			  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
		END
	done
}
passes "it has no kind of Volcano" kubectl delete crd --all --timeout=60s
everything >"$tmp/before"

# try KUBECTL HOW FILE [FLAG...]
try() {
	client=$1 how=$2 file=$3
	shift 3
	about="${file##*/}, $how, $("$client" version --client -o json | sed -n 's/.*"gitVersion": "\([^"]*\)".*/\1/p' | head -1)"
	passes "$about: is applied" "$client" apply "$@" -f "$file"
	is "$about: without a warning" "$(printf '%s\n' "$output" | grep -i warning)" ""
	passes "$about: is applied again" "$client" apply "$@" -f "$file"
	# kubectl patches budgets at each apply: it replaces their selector, as its strategy says.
	is "$about: which changes nothing" "$(printf '%s\n' "$output" | grep -vE ' (unchanged|serverside-applied)$|poddisruptionbudget')" ""
	passes "$about: is deleted" "$client" delete --ignore-not-found --timeout=120s -f "$file"
	everything >"$tmp/after"
	is "$about: nothing is left" "$(diff "$tmp/before" "$tmp/after")" ""
}
for client in "$KUBECTL_OLD" "$KUBECTL_NEW"; do
	try "$client" "client side" "$tmp/volcano.yaml"
done
try "$KUBECTL_NEW" "server side" "$tmp/volcano.yaml" --server-side
operator_kinds >"$tmp/operator.yaml"
passes "the kinds of the Prometheus operator" kubectl apply -f "$tmp/operator.yaml"
passes "are established" kubectl wait --for=condition=Established --timeout=60s -f "$tmp/operator.yaml"
passes "a namespace" kubectl create namespace batch
everything >"$tmp/before"
try "$KUBECTL_NEW" "with monitoring" "$tmp/many.yaml"

# An upgrade: objects live on, also if the definitions are applied by the server.
passes "the definitions are installed" kubectl apply --server-side -f config/crd
passes "and there" kubectl wait --for=condition=Established --timeout=60s -f config/crd
printf 'apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: old}\nspec: {weight: 3}\n' >"$tmp/queue.yaml"
passes "a queue" kubectl apply -f "$tmp/queue.yaml"
passes "the installer comes later" kubectl apply --server-side --force-conflicts -f "$tmp/volcano.yaml"
is "the queue is as it was" "$(kubectl get queue old -o 'jsonpath={.spec.weight}')" 3
passes "everything but the definitions is deleted" kubectl delete --ignore-not-found --timeout=120s -f "$tmp/volcano.yaml" \
	-l app.kubernetes.io/name=volcano
is "which leaves jobs and queues alone" "$(kubectl get queue old -o 'jsonpath={.spec.weight}')" 3
passes "it stops" volcano down
rm -rf "$home"

# --- the roles are enough --------------------------------------------------------------------------

passes "the system starts" volcano up -d --listen 127.0.0.1:0 --simulate-nodes 2 --components apiserver,node
passes "the namespace" kubectl create namespace volcano-system
url=$(kubectl config view -o 'jsonpath={.clusters[0].cluster.server}')
token=$(head -1 "$home/pki/tokens.csv" | cut -d, -f1)
# run PROGRAM ACCOUNT: with the flags of the Deployment that a machine can have
run() {
	rm -f "$tmp/proxy-$2.pipe"
	start "proxy-$2" python3 test/system/role-proxy.py "$tmp/defaults.yaml" "volcano-$2" "$url" "$token" "$tmp/$2.requests"
	program=$1 account=$2
	python3 -c 'import sys, yaml
for d in yaml.load_all(open(sys.argv[1]), Loader=yaml.CSafeLoader):
    if d["kind"] == "Deployment" and d["metadata"]["name"] == "volcano-" + sys.argv[2]:
        for a in d["spec"]["template"]["spec"]["containers"][0]["args"]:
            if not a.startswith(("--scheduler-conf", "--healthz-address", "--listen-address")):
                print(a)' "$tmp/defaults.yaml" "$account" >"$tmp/$account.flags"
	set --
	while read -r flag; do set -- "$@" "$flag"; done <"$tmp/$account.flags"
	"$BIN/$program" "$@" --enable-healthz=false --enable-metrics=false --master "$ready" >"$tmp/$account.log" 2>&1 &
	servers="$servers $!"
}
run vc-controller-manager controllers
run vc-scheduler scheduler
comes "the scheduler leads" "volcano-system/volcano" kubectl get lease -A -o 'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {end}'
passes "there is a queue" kubectl wait --for=create --timeout=120s queue/default
settles "which is open" Open kubectl get queue default -o 'jsonpath={.status.state}'
cat >"$tmp/work.yaml" <<'END'
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: all}
spec:
  minAvailable: 2
  schedulerName: volcano
  queue: default
  plugins: {ssh: [], svc: [], env: []}
  ttlSecondsAfterFinished: 1
  tasks:
  - name: t
    replicas: 2
    template: {metadata: {annotations: {run-seconds: "0.1"}}, spec: {restartPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}}
---
apiVersion: flow.volcano.sh/v1alpha1
kind: JobTemplate
metadata: {name: part}
spec: {minAvailable: 1, schedulerName: volcano, queue: default, tasks: [{name: t, replicas: 1, template: {metadata: {annotations: {run-seconds: "0.1"}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}]}
---
apiVersion: flow.volcano.sh/v1alpha1
kind: JobFlow
metadata: {name: flow}
spec: {jobRetainPolicy: delete, flows: [{name: part}]}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: CronJob
metadata: {name: cron}
spec: {schedule: "* * * * *", concurrencyPolicy: Allow, jobTemplate: {spec: {minAvailable: 1, schedulerName: volcano, queue: default, tasks: [{name: t, replicas: 1, template: {metadata: {annotations: {run-seconds: "0.1"}}, spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}]}}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: stays}
spec: {minAvailable: 1, schedulerName: volcano, queue: default, tasks: [{name: t, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {schedulerName: volcano, containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {schedulerName: volcano, containers: [{name: c, image: x, resources: {requests: {cpu: "9000"}}}]}
---
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: h}
spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: node-00000}}}]}
END
passes "work of all kinds" kubectl apply -f "$tmp/work.yaml"
comes "a job runs, ends and expires" 'NotFound' kubectl get vcjob all
settles "a flow succeeds" Succeed kubectl get jobflow flow -o 'jsonpath={.status.state.phase}'
settles "a plain pod runs" Running kubectl get pod plain -o 'jsonpath={.status.phase}'
settles "a pod that cannot run has its reason" Unschedulable kubectl get pod large -o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].reason}'
settles "a hypernode is counted" 1 kubectl get hypernode h -o 'jsonpath={.status.nodeCount}'
settles "another job runs" Running kubectl get vcjob stays -o 'jsonpath={.status.state.phase}'
passes "it is suspended" "$BIN/vcctl" job suspend -N stays
settles "and stops" Aborted kubectl get vcjob stays -o 'jsonpath={.status.state.phase}'
comes "the cron job makes a job" cron- kubectl get vcjob -o name

# docs/migration.md: schedulers take turns by the lease that Volcano uses. The other one has the arguments of Volcano's Deployment.
scheduler=$(echo "$servers" | awk '{ print $NF }')
uid=$(kubectl get pod plain -o 'jsonpath={.metadata.uid}')
"$BIN/vc-scheduler" --kubeconfig "$KUBECONFIG" --logtostderr --enable-healthz=false --enable-metrics=false --leader-elect=true \
	--leader-elect-resource-name=volcano --leader-elect-resource-namespace=volcano-system --kube-api-qps=2000 --kube-api-burst=2000 \
	--schedule-period=1s --node-worker-threads=20 -v=3 '2>&1' >"$tmp/other.log" 2>&1 &
other=$!
servers="$servers $other"
comes "another scheduler knows who leads" 'msg=leader' cat "$tmp/other.log"
gang() {
	printf 'apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: %s}\nspec: {minAvailable: 2, schedulerName: volcano, queue: default, ' "$1"
	echo 'tasks: [{name: t, replicas: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}]}'
}
# hands_over FROM LOG NAME: the one ends, the other one takes over, and a job that was made in between runs
hands_over() {
	kill "$1"
	gang "$3" >"$tmp/$3.yaml"
	passes "$3: a job is made meanwhile" kubectl apply -f "$tmp/$3.yaml"
	comes "$3: the next one leads" 'msg=leading' cat "$2"
	settles "$3: and the job runs" Running kubectl get vcjob "$3" -o 'jsonpath={.status.state.phase}'
	is "$3: what ran goes on" "$(kubectl get pod plain -o 'jsonpath={.metadata.uid} {.status.phase}')" "$uid Running"
}
hands_over "$scheduler" "$tmp/other.log" there
run vc-scheduler scheduler
comes "ours is back" 'msg=leader' cat "$tmp/scheduler.log"
hands_over "$other" "$tmp/scheduler.log" back
for account in scheduler controllers; do
	is "$account: no request was denied" "$(grep '^denied' "$tmp/$account.requests")" ""
	has "$account: requests went through the roles" "$(cat "$tmp/$account.requests")" "allowed list pods"
	sed -n "s/^allowed/# $account:/p" "$tmp/$account.requests" | sort
done
passes "it stops" volcano down
finish
