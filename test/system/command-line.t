#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# command-line.t - what vcctl and its short names add to upstream's commands, against a running server with
# simulated nodes: each command does what its help says, with the exit codes of docs/command-line.md.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
home=$tmp/home
vcctl() { timeout 120 "$BIN/vcctl" "$@"; }
export HOME="$tmp" KUBECONFIG="$home/kubeconfig" LC_ALL=C.UTF-8

# job NAME REPLICAS MIN CPU SECONDS CODE [QUEUE]: a manifest.
job() {
	cat <<EOF
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: $1}
spec:
  minAvailable: $3
  queue: ${7-default}
  tasks:
  - name: work
    replicas: $2
    template:
      metadata: {annotations: {run-seconds: "$5", run-exit-code: "$6"}}
      spec:
        restartPolicy: Never
        containers: [{name: main, image: busybox, resources: {requests: {cpu: "$4"}}}]
EOF
}

passes "help names a command below" vcctl help job explain
has "with its flags" "$output" "--short"
fails "a slip of the hand is answered" vcctl job lst
has "by what was meant" "$output" 'did you mean "list"?'

# The manual and the page in docs/ have the same table of exit codes.
vcctl __manual vcctl | sed -n '/^.SH EXIT/,/^.SH ENV/s/\\-/-/gp; /^.SH EXIT/,/^.SH ENV/p' | awk '
	/^\\fB[0-9]/ { gsub(/[^0-9]/, ""); code = $0; getline; sub(/\.$/, ""); print "| " code " | " $0 " |" }' |
	sed 's/\\-/-/g' | sort -u >"$tmp/codes"
is "the manual has all exit codes" "$(wc -l <"$tmp/codes")" 5
is "as docs/command-line.md has them" "$(grep -cxFf "$tmp/codes" docs/command-line.md)" 5
if [ "$(command -v man)" ]; then
	vcctl __manual vsub >"$tmp/vsub.1"
	is "the manual is good roff" "$(man --warnings -E UTF-8 -l -Tutf8 -Z "$tmp/vsub.1" 2>&1 >/dev/null)" ""
fi

# offers WORD...: what bash completes for a line that ends so.
offers() {
	VCCTL=$BIN/vcctl bash -c 'eval "$("$VCCTL" completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		_vcctl 2>/dev/null; echo "${COMPREPLY[@]}"' bash "$@"
}
is "bash completes commands" "$(offers vcctl job w)" wait
is "flags" "$(offers vsub --arr)" --array
is "and what they take" "$(offers vcctl job list -o j)" json
for shell in zsh fish; do passes "there is completion for $shell" vcctl completion $shell; done
fails "other shells are not" vcctl completion csh

passes "it starts" "$BIN/volcano" up -d --data-dir "$home" --listen 127.0.0.1:0 --simulate-nodes 2
job small 2 2 4 600 0 >"$tmp/small.yaml"
job large 4 4 20 600 0 >"$tmp/large.yaml"
passes "a job that fits" vcctl job run -f "$tmp/small.yaml"
passes "runs" "$KUBECTL_NEW" wait --for=jsonpath='{.status.state.phase}'=Running --timeout=60s vcjob/small
passes "it explains itself" vcctl job explain small --short
has "in a line" "$output" "small has been running for "
passes "a job that does not fit" vcctl job run -f "$tmp/large.yaml"
passes "waits" "$KUBECTL_NEW" wait --for=jsonpath='{.status.state.phase}'=Pending --timeout=60s vcjob/large
passes "and says so" vcctl job explain large
has "in a line" "$output" "large: "
has "with what would help" "$output" "What would help: "
has "then in detail" "$output" "What it waits for"
passes "all that wait" vcctl job explain --all
has "are grouped by cause" "$output" "default/large"
passes "the list" vcctl job list
has "has a column with the reason, if a job waits" "$output" "Reason"
passes "a queue explains itself" vcctl queue explain default
has "with how many of its jobs run and wait" "$output" "is open: "
fails "a queue that is not there" vcctl queue explain nothing
passes "a pod explains itself" vcctl pod explain small-work-0
has "with its node" "$output" "small-work-0: runs on node "
fails "a job that is not there" vcctl job explain nothing
has "is named" "$output" 'Failed to explain job: jobs.batch.volcano.sh "nothing" not found'
fails "nor has it output" vcctl job logs nothing
has "which is said in words" "$output" 'Failed to show the output of job: jobs.batch.volcano.sh "nothing" not found'

# Objects of any kind.
cat >"$tmp/objects.yaml" <<'EOF'
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 3, capability: {cpu: 8}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
EOF
passes "objects are applied" vcctl apply -f "$tmp/objects.yaml"
is "each" "$(echo "$output" | tr '\n' ' ')" "Queue research is applied PriorityClass urgent is applied "
passes "twice is once" vcctl apply -f "$tmp/objects.yaml"
passes "the queue is there" vcctl queue get research
passes "they are deleted" vcctl delete -f "$tmp/objects.yaml"
passes "or not there" vcctl delete -f "$tmp/objects.yaml"
has "which is said" "$output" "Queue research was not there"
echo 'apiVersion: v9' >"$tmp/unknown.yaml"
fails "what is unknown" vcctl apply -f "$tmp/unknown.yaml"
has "is named" "$output" 'do not know the kind "" of "v9"'

# Several in one file, waited for together.
{ job one 1 1 1 0.1 0; echo ---; job two 1 1 1 600 0; } >"$tmp/both.yaml"
passes "two jobs in a file" vcctl job run -f "$tmp/both.yaml"
has "are both run" "$output" "run job two successfully"
mkfifo "$tmp/ends"
timeout 120 "$BIN/vcctl" job wait one two >"$tmp/ends" 2>&1 &
waiter=$!
exec 8<"$tmp/ends"
read -r row <&8
is "and waited for: the first that ends is reported" "$row" "job one is Completed"
passes "the other one runs on" vcctl job wait two --for=Running
passes "until it ends" "$KUBECTL_NEW" patch pod two-work-0 --subresource=status \
	-p '{"status": {"phase": "Succeeded"}}'
is "which is reported as well, and all" "$(cat <&8)" "job two is Completed"
wait "$waiter"
is "both were good" "$?" 0
exec 8<&-

# Waiting, by exit code.
job short 2 2 1 0.2 0 >"$tmp/short.yaml"
job bad 1 1 1 0.2 3 >"$tmp/bad.yaml"
passes "a short job" vcctl job run -f "$tmp/short.yaml"
passes "is waited for" vcctl job wait short
is "and named" "$output" "job short is Completed"
job near 1 1 1 1 0 | sed 's/^  queue:/  networkTopology: {mode: hard, highestTierAllowed: 1}\n  queue:/' >"$tmp/near.yaml"
passes "a job that asks for one network domain" vcctl job run -f "$tmp/near.yaml"
passes "a job that fails" vcctl job run -f "$tmp/bad.yaml"
output=$(vcctl job wait bad --for=completed 2>&1)
is "waiting for what cannot come ends with 2" "$?" 2
is "and says so" "$output" "job bad is Failed, and will not become Completed"
passes "its failure is explained" vcctl job explain bad --short
has "with the exit code" "$output" "pod bad-work-0 exited with code 3"
output=$(vcctl job wait large --for=Running --timeout=0.2s 2>&1)
is "waiting too long ends with 124" "$?" 124
has "and says what it waited for" "$output" "1 of 1 jobs are still not Running: large is "
fails "there are other phases" vcctl job wait bad --for=Done
has "which it names" "$output" "--for Done: must be a phase (Pending, Running, "
vcctl job wait nothing >/dev/null 2>&1
is "a job that is not there is an error" "$?" 255
output=$(vcctl job wait later --timeout=0.2s 2>&1)
is "but with a bound it may come" "$?" 124
is "or not" "$output" "1 of 1 jobs are still not Completed: later is not there"
passes "unless it waits for the deletion" vcctl job wait nothing --for=delete

# Lists that go on: the table, then each row that changes.
mkfifo "$tmp/rows"
timeout 120 "$BIN/vcctl" job list --watch --selector watched >"$tmp/rows" &
watcher=$!
exec 8<"$tmp/rows"
job watched 1 1 1 600 0 >"$tmp/watched.yaml"
passes "a job while its list is watched" vcctl job run -f "$tmp/watched.yaml"
seen=''
while read -r row <&8; do
	case $row in Name*) seen="${seen}head " ;; watched*Running*) break ;; esac
done
is "its head comes once, its running at last" "$seen" "head "
kill "$watcher"
wait "$watcher" 2>/dev/null
# On a terminal that is narrower than the table a line stays one: the terminal cuts it.
timeout 120 script -qfec "exec '$BIN/vcctl' job list --watch --selector watched" "$tmp/screen" >/dev/null 2>&1 </dev/null &
watcher=$!
comes "a live view is drawn" "$(printf '\033[J\033[?7h')" cat "$tmp/screen"
has "without wrapping" "$output" "$(printf '\033[?7l\033[H')"
kill "$watcher"
wait "$watcher" 2>/dev/null
exec 8<&-

# Who holds what.
passes "the tree of queues" vcctl queue tree
has "has a branch" "$output" "└─ default"
has "and bars" "$output" "░"
passes "who holds what" vcctl top
for part in Node Queue Job; do has "with a part for each $part" "$output" "$part  "; done
has "and rows" "$output" "default/watched "
passes "one part alone" vcctl top queues
fails "there are three" vcctl top pods
has "which it names" "$output" '"pods": must be one of nodes, queues and jobs'

# Names, completed from the server.
is "bash completes names of jobs" "$(offers vcctl job view sm)" small
is "and of queues" "$(offers vsub -q def)" default

# Formats.
passes "names" vcctl job list -o name --sort-by Name --selector s
is "in order" "$(echo "$output" | tr '\n' ' ')" "job.batch.volcano.sh/short job.batch.volcano.sh/small "
passes "by labels, nothing" vcctl job list --selector a=b
is "is nothing" "$output" "No resources found"

# vsub: what it makes, and what the shell around an array's command does.
vsub() { timeout 120 "$BIN/vsub" "$@"; }
cat >"$tmp/train.sh" <<'EOF'
#!/bin/sh
#VSUB -n 3 -q default
#VSUB -J from-script
echo "$0" "$@"
EOF
passes "a script" vsub --cpus 2 "$tmp/train.sh" one -n
is "is submitted" "$output" "run job from-script successfully"
sized() { vcctl job list --selector from-script | awk 'NR == 2 { print $5, $6 }'; }
settles "with its flags" "3 3" sized
passes "the command line wins" vsub -J other --dry-run -o yaml "$tmp/train.sh"
has "over the script" "$output" "name: other"
passes "a command" vsub --parsable -- hostname -f
has "has a name of its own" "$output" "hostname-"
passes "upstream's form" vsub -n plain -c "echo 'a b'" -r 2
passes "makes upstream's job" "$KUBECTL_NEW" get vcjob plain -o \
	jsonpath='{.spec.tasks[0].replicas} {.spec.tasks[0].template.spec.containers[0].command}'
is "word by word" "$output" '2 ["echo","a b"]'
fails "a name is needed there" vsub -c true
has "as upstream says" "$output" "vsub: job name cannot be left blank"
fails "an array must be one" vsub --array 9-1 -- true
has "or it is refused" "$output" '--array: "9-1": ends before it begins'

cat >"$tmp/element.sh" <<'EOF'
echo "$VSUB_ARRAY_TASK_ID"
exit "$VSUB_ARRAY_TASK_ID"
EOF
# elements ARRAY: what the tasks of an array print.
elements() {
	vsub --dry-run -o json --array "$1" -- sh "$tmp/element.sh" |
		python3 -c '
import json, os, subprocess, sys
task = json.load(sys.stdin)["spec"]["tasks"][0]
command = [word.replace("$$", "$") for word in task["template"]["spec"]["containers"][0]["command"]]
for i in range(task["replicas"]):
    run = subprocess.run(command, env=dict(os.environ, VSUB_PROCID=str(i)), stdout=subprocess.PIPE, text=True)
    print(run.stdout.replace("\n", " ") + "=" + str(run.returncode), end="; ")'
}
is "each element of a list has its number" "$(elements 1-2,3)" "1 =1; 2 =2; 3 =3; "
is "by steps and lists" "$(elements 2-6:2,9)" "2 =2; 4 =4; 6 =6; 9 =9; "
is "a bound shares them out" "$(elements 1-5%2)" "1 3 5 =5; 2 4 =4; "

vcctl job list -o name | sed 's,.*/,,' >"$tmp/names"
passes "several are deleted at once" vcctl job delete short bad
passes "or all" vcctl job delete --all
passes "and gone" xargs -a "$tmp/names" timeout 120 "$BIN/vcctl" job wait --for=delete
passes "what they held is free" "$KUBECTL_NEW" wait --for=jsonpath='{.status.allocated.pods}'=0 \
	--timeout=60s queue/default
comes "and the tree knows of all of it" "└─ default  cpu             ░░░░░░░░░░░░░░░░░░░░░░░│  0 of 64" \
	vcctl queue tree

# ---- who submitted a job ----
cat >"$tmp/mine.yaml" <<'YAML'
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: mine, annotations: {volcano.sh/submitted-by: mallory}}
spec: {minAvailable: 1, tasks: [{replicas: 1, name: t, template: {spec: {restartPolicy: Never, containers: [{name: c, image: b, command: [sleep, "100"]}]}}}]}
YAML
kubectl() { "$KUBECTL_NEW" "$@"; }
who() { kubectl get vcjob "$1" -o 'jsonpath={.metadata.annotations.volcano\.sh/submitted-by}'; }
passes "a user submits a job under another name" kubectl --as alice --as-group volcano:users create -f "$tmp/mine.yaml"
is "it has the name of the user" "$(who mine)" alice
passes "the user changes the annotation" kubectl --as alice --as-group volcano:users annotate vcjob mine volcano.sh/submitted-by=mallory --overwrite
is "which stays" "$(who mine)" alice
passes "and removes it" kubectl --as alice --as-group volcano:users annotate vcjob mine volcano.sh/submitted-by-
is "which stays, too" "$(who mine)" alice
passes "an administrator may change it" kubectl annotate vcjob mine volcano.sh/submitted-by=bob --overwrite
is "to another name" "$(who mine)" bob
passes "the job ends" vcctl job delete mine

passes "it stops" "$BIN/volcano" down --data-dir "$home"
finish
