#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# command-words.t - upstream's commands in upstream's words: which flags there are, what is said about a mistake and
# with which exit code, how tables are laid out. docs/compatibility.md lists what differs, and each row is held here.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
export HOME="$tmp" KUBECONFIG="$home/kubeconfig" LC_ALL=C.UTF-8 NO_COLOR=1

# runs CODE COMMAND...: a check: it ends so. Leaves its two streams in $tmp/out and $tmp/err.
runs() {
	code=$1
	shift
	program=$1
	shift
	timeout 60 "$BIN/$program" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	is "$program $* ends with $code" "$?" "$code"
}

# refuses TEXT COMMAND...: with 255, and this text on standard error alone.
refuses() {
	text=$1
	shift
	runs 255 "$@"
	is "and says why" "$(cat "$tmp/err")" "$text"
	is "on standard error alone" "$(cat "$tmp/out")" ""
}

# prints TEXT COMMAND...: with 0, and this text on standard output alone.
prints() {
	text=$1
	shift
	runs 0 "$@"
	is "and says so" "$(sed 's/ *$//' "$tmp/out")" "$text"
	is "without a complaint" "$(cat "$tmp/err")" ""
}

# names WORDS COMMAND...: its help has a line for each, of flags "-n,--name", of commands their names.
names() {
	words=$1
	shift
	runs 0 "$@" --help
	sed -E 's/^ *(-.), --/\1,--/; s/^ *//; s/ .*//' "$tmp/out" | sort >"$tmp/have"
	is "and its help names what upstream's does" "$(echo "$words" | tr " " "\n" | sort | comm -23 - "$tmp/have")" ""
}

# defaults WORDS COMMAND...: its help gives these flags these values: "min=1".
defaults() {
	words=$1
	shift
	runs 0 "$@" --help
	sed -nE 's/^ *(-., )?--([a-z-]+).*\(default "?([^")]*)"?\).*/\2=\3/p' "$tmp/out" | sort >"$tmp/have"
	is "and its flags have upstream's values" "$(echo "$words" | tr " " "\n" | sort | comm -23 - "$tmp/have")" ""
}

common='-k,--kubeconfig -s,--master -h,--help --log-flush-frequency -v,--v --vmodule'
one="$common -N,--name -n,--namespace"
names "help job jobflow jobtemplate pod queue version" vcctl
names "delete list resume run suspend view" vcctl job
names "create delete get list operate" vcctl queue
names "create delete describe get list" vcctl jobflow
names "create delete describe get list" vcctl jobtemplate
names "list" vcctl pod
for verb in delete resume suspend view; do names "$one" vcctl job $verb; done
names "$one -f,--filename -i,--image -L,--limits -m,--min -r,--replicas -R,--requests -S,--scheduler" vcctl job run
names "$common -n,--namespace -q,--queue -S,--scheduler --all-namespaces --selector" vcctl job list
names "$common -n,--name -w,--weight -S,--state" vcctl queue create
names "$common -n,--name -w,--weight -a,--action" vcctl queue operate
for verb in delete get; do names "$common -n,--name" vcctl queue $verb; done
names "$common" vcctl queue list
for kind in jobflow jobtemplate; do
	names "$common -f,--file" vcctl $kind create
	names "$one -f,--file" vcctl $kind delete
	names "$one -o,--format" vcctl $kind describe
	names "$one" vcctl $kind get
	names "$common -n,--namespace" vcctl $kind list
done
names "$common --all-namespaces" vcctl jobflow list
names "$common -n,--namespace --all-namespaces -j,--job -q,--queue" vcctl pod list
short="$common -n,--name -N,--namespace"
names "$short -i,--image -S,--scheduler -m,--min -r,--replicas -R,--requests -L,--limits -c,--command" vsub
names "$short -S,--scheduler --all-namespaces --selector" vjobs
names "$common -n,--name" vqueues
for program in vcancel vsuspend vresume; do names "$short" $program; done

amount=cpu=1000m,memory=100Mi
defaults "image=busybox limits=$amount min=1 namespace=default replicas=1 requests=$amount scheduler=volcano" vcctl job run
for verb in list view suspend resume delete; do defaults "namespace=default" vcctl job $verb; done
defaults "name=test weight=1 state=Open" vcctl queue create
for kind in jobflow jobtemplate; do
	defaults "namespace=default format=yaml" vcctl $kind describe
	for verb in delete get list; do defaults "namespace=default" vcctl $kind $verb; done
done
defaults "namespace=default" vcctl pod list
defaults "limits=$amount min=1 replicas=1 requests=$amount" vsub
for program in vjobs vcancel vsuspend vresume; do defaults "namespace=default" $program; done

runs 1 vcctl nope
is "an unknown command is named" "$(cat "$tmp/err")" 'Error: unknown command "nope" for "vcctl"'
runs 1 vcctl job nope
is "below a group as well" "$(cat "$tmp/err")" 'Error: unknown command "nope" for "vcctl job"'
runs 1 vcctl job list --nope
is "and an unknown flag" "$(cat "$tmp/err")" 'Error: unknown flag: --nope'
runs 1 vcctl job run -r x
is "and a number that is none" "$(cat "$tmp/err")" \
	'Error: invalid argument "x" for "-r, --replicas" flag: strconv.ParseInt: parsing "x": invalid syntax'
runs 1 vcctl queue create -n x -w 99999999999
is "and one that is too large" "$(cat "$tmp/err")" 'Error: invalid argument "99999999999" for "-w, --weight" flag: '\
'strconv.ParseInt: parsing "99999999999": value out of range'
runs 1 vcctl job list train
is "and an argument that has no place" "$(cat "$tmp/err")" 'Error: unknown argument "train" for "vcctl job list"'
runs 0 vcctl version
is "six lines of version" "$(sed 's/:.*//' "$tmp/out" | tr '\n' ',')" \
	"API Version,Version,Git SHA,Built At,Go Version,Go OS/Arch,"

passes "it starts" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 2

# Names that are missing or wrong.
for verb in delete resume suspend; do
	refuses "Failed to $verb job: jobs.batch.volcano.sh \"x\" not found" vcctl job $verb -N x
	refuses "Failed to $verb job: job name is mandatory to $verb a particular job" vcctl job $verb
done
refuses 'vcancel: job name is mandatory to cancel a particular job' vcancel
refuses 'vsuspend: job name is mandatory to suspend a particular job' vsuspend
refuses 'vresume: jobs.batch.volcano.sh "x" not found' vresume -n x
refuses 'Failed to run job: job name cannot be left blank' vcctl job run
refuses 'vsub: job name cannot be left blank' vsub -c true
refuses 'Failed to run job: invalid argument syntax cpu, expected <resource>=<value>' vcctl job run -N x -R cpu
refuses "Failed to run job: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)\$'" \
	vcctl job run -N x -R cpu=abc
refuses 'Failed to run job: only support yaml file' vcctl job run -f none.json
refuses 'Failed to run job: failed to read file, err: open none.yaml: no such file or directory' \
	vcctl job run -f none.yaml
refuses 'Failed to view job: job name (specified by --name or -N) is mandatory to view a particular job' vcctl job view
refuses 'Failed to view job: jobs.batch.volcano.sh "x" not found' vcctl job view -N x
for kind in jobflow jobtemplate; do
	spaced=$kind
	[ $kind = jobflow ] || spaced='job template'
	missing="${kind}s.flow.volcano.sh \"x\" not found"
	prints 'No resources found' vcctl $kind list
	refuses "Failed to get $kind: $missing" vcctl $kind get -N x
	refuses "Failed to get $kind: name is mandatory to get the particular $spaced details" vcctl $kind get
	refuses "Failed to delete $kind: $missing" vcctl $kind delete -N x
	refuses "Failed to delete $kind: $spaced name must be specified" vcctl $kind delete
	refuses "Failed to describe $kind: $missing" vcctl $kind describe -N x
	refuses "Failed to create $kind: open : no such file or directory" vcctl $kind create
	refuses "Failed to delete $kind: open none.yaml: no such file or directory" vcctl $kind delete -f none.yaml
	refuses "Failed to describe $kind: Unsupported format: xml" vcctl $kind describe -N x -o xml
done
refuses 'Failed to delete queue: queue name must be specified' vcctl queue delete
refuses 'Failed to delete queue: queues.scheduling.volcano.sh "x" not found' vcctl queue delete -n x
refuses "Failed to delete queue: admission webhook \"validatequeue.volcano.sh\" denied the request: \`default\` queue \
can not be deleted" vcctl queue delete -n default
refuses 'Failed to get queue: name is mandatory to get the particular queue details' vcctl queue get
refuses 'Failed to operate queue: queue name must be specified' vcctl queue operate -a close
refuses 'Failed to operate queue: action can not be null' vcctl queue operate -n x
refuses 'Failed to operate queue: action nope invalid, valid actions are open, close and update' \
	vcctl queue operate -n x -a nope
refuses 'Failed to operate queue: when update queue x, weight must be specified, the value must be greater than 0' \
	vcctl queue operate -n x -a update
refuses 'Failed to operate queue: queues.scheduling.volcano.sh "x" not found' vcctl queue operate -n x -a close
refuses 'Failed to create queue: Queue.scheduling.volcano.sh "bad" is invalid: spec.weight: Invalid value: -1: '\
'spec.weight in body should be greater than or equal to 1' vcctl queue create -n bad -w -1

# Lines of confirmation; tables.
prints 'create queue q successfully' vcctl queue create -n q -S Closed
settles "whatever state was asked for, it is open" Open "$KUBECTL_NEW" get queue q -o jsonpath='{.status.state}'
settles "and below the root" root "$KUBECTL_NEW" get queue q -o jsonpath='{.spec.parent}'
prints 'Name                     Weight  State   Parent  Inqueue Pending Running Unknown Completed
q                        1       Open    root    0       0       0       0       0' vcctl queue get -n q
prints 'Name                     Weight  State   Inqueue Pending Running Unknown
q                        1       Open    0       0       0       0' vqueues -n q
prints 'update queue q successfully' vcctl queue operate -n q -a update -w 7
prints 'close queue q successfully' vcctl queue operate -n q -a close
settles "it closes" Closed "$KUBECTL_NEW" get queue q -o jsonpath='{.status.state}'
prints 'delete queue q successfully' vcctl queue delete -n q
prints 'No resources found' vcctl job list
prints 'No resources found' vcctl pod list
prints 'No resources found' vcctl pod list -j none -q default

prints 'run job x successfully' vcctl job run -N x
passes "it runs" "$KUBECTL_NEW" wait --for=jsonpath='{.status.state.phase}'=Running --timeout=60s vcjob/x
passes "with its pod" "$KUBECTL_NEW" wait --for=jsonpath='{.status.running}'=1 --timeout=60s vcjob/x
passes "which is ready" "$KUBECTL_NEW" wait --for=condition=Ready --timeout=60s pod -l volcano.sh/job-name=x
day=$("$KUBECTL_NEW" get vcjob x -o jsonpath='{.metadata.creationTimestamp}' | cut -c1-10)
table="Name   Creation       Phase       JobType     Replicas    Min   Pending   Running   Succeeded   Failed    \
Unknown     RetryCount
x      $day     Running     Batch       1           1     0         1         0           0         0           0"
prints "$table" vcctl job list
prints "$table" vcctl job list -q default -S volcano --selector x
prints "$table" vjobs
prints 'No resources found' vcctl job list -q other
pod=$("$KUBECTL_NEW" get pod -l volcano.sh/job-name=x -o jsonpath='{.items[0].metadata.name}')
runs 0 vcctl pod list -j x -q default
is "pods have five columns" "$(sed 's/ *[^ ]* *$//' "$tmp/out")" "Name$(printf "%$((${#pod} + 4))s" '')Ready      Status         Restart
$pod        1/1        Running        0"
refuses 'Failed to list pod: the input vcjob x does not match the queue other' vcctl pod list -j x -q other
cat >"$tmp/plain.yaml" <<'EOF'
apiVersion: v1
kind: Pod
metadata: {name: a-plain, annotations: {scheduling.volcano.sh/queue-name: default}}
spec: {schedulerName: other, containers: [{name: m, image: busybox}]}
EOF
passes "a pod that is no job's" "$KUBECTL_NEW" create -f "$tmp/plain.yaml"
runs 0 vcctl pod list -q default
is "of a queue's pods those of jobs come first" "$(awk '{ print $1, $3 }' "$tmp/out")" "Name Status
$pod Running
a-plain Pending"
passes "its status is set" "$KUBECTL_NEW" patch pod a-plain --subresource=status -p '{"status":{"phase":"Succeeded"}}'
runs 0 vcctl pod list -q default
is "without a container's word its phase is reported" "$(sed -n 's/^a-plain *[^ ]* *\([^ ]*\).*/\1/p' "$tmp/out")" Succeeded
passes "it goes" "$KUBECTL_NEW" delete pod a-plain --grace-period=0 --force
prints 'suspend job x successfully' vcctl job suspend -N x
prints 'resume job x successfully' vresume -n x
prints 'cancel job x successfully' vcancel -n x

# A file goes where it says, unless a flag says otherwise.
passes "a namespace" "$KUBECTL_NEW" create namespace team
cat >"$tmp/team.yaml" <<'EOF'
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: team}
spec: {tasks: [{name: t, replicas: 1, template: {spec: {restartPolicy: Never, containers: [{name: m, image: busybox}]}}}]}
EOF
prints 'run job train successfully' vcctl job run -f "$tmp/team.yaml"
is "a job is in the namespace of its file" "$("$KUBECTL_NEW" get vcjob -n team -o name)" job.batch.volcano.sh/train
refuses 'Failed to run job: the namespace of the provided object does not match the namespace sent on the request' \
	vcctl job run -n default -f "$tmp/team.yaml"
prints 'delete job train successfully' vcctl job delete -n team -N train
grep -v -e ^kind -e ^apiVersion "$tmp/team.yaml" >"$tmp/bare.yaml"
prints 'run job train successfully' vcctl job run -f "$tmp/bare.yaml"
prints 'delete job train successfully' vcctl job delete -n team -N train

# Files with several objects: each is reported, the rest goes on.
cat >"$tmp/t.yaml" <<'EOF'
apiVersion: flow.volcano.sh/v1alpha1
kind: JobTemplate
metadata: {name: a}
spec:
  minAvailable: 1
  queue: default
  tasks:
  - name: t
    replicas: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: m, image: busybox}]
---
metadata: {name: b}
spec: {minAvailable: 1}
---
EOF
prints 'Created JobTemplate: default/a
Created JobTemplate: default/b' vcctl jobtemplate create -f "$tmp/t.yaml"
prints 'Name    Namespace
a       default
b       default' vcctl jobtemplate list
runs 0 vcctl jobtemplate describe -N a
is "describe prints what upstream's types always have" "$(sed -n '/^spec/,$p' "$tmp/out")" 'spec:
  maxRetry: 3
  minAvailable: 1
  queue: default
  tasks:
  - name: t
    replicas: 1
    template:
      metadata: {}
      spec:
        containers:
        - image: busybox
          name: m
          resources: {}
        restartPolicy: Never
status: {}'
prints 'Deleted JobTemplate: default/a' vcctl jobtemplate delete -N a
runs 255 vcctl jobtemplate delete -f "$tmp/t.yaml"
is "what is not there is reported" "$(cat "$tmp/err")" \
	'Failed to delete JobTemplate: jobtemplates.flow.volcano.sh "a" not found'
is "and the rest goes on" "$(cat "$tmp/out")" 'Deleted JobTemplate: default/b'

passes "it stops" "$BIN/volcano" down --data-dir "$home"
finish
