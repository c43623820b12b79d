#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# images.t - containers in images: by crun, with an image made of busybox; and what podman is asked for, by a program
# that stands in for it. images-user.t does it as an ordinary user.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# shellcheck source=test/system/images.sh
. test/system/images.sh
as_root='securityContext: {runAsUser: 0},' # to whom the image's files belong
someone='1234:77 home /data'
[ "$who" = root ] || as_root='' someone='0:0 home /'
limits=no # who may not limit them must not start hungry ones
[ "$who" = user ] || ! [ -w /sys/fs/cgroup ] || limits=yes
wait_for() { kubectl wait --for="$1" --timeout=60s "$2"; }
phase() { wait_for "jsonpath={.status.phase}=$1" "pod/$2"; }
# The same, when a pull is tried again, which may take five minutes by then.
phase_in_time() { kubectl wait --for="jsonpath={.status.phase}=$1" --timeout=400s "pod/$2"; }
# field POD PATH
field() { kubectl get pod "$1" -o jsonpath="{$2}"; }
# processes of this test's containers that are still there
processes() { grep -lzs "^MARK=$tmp\$" /proc/[0-9]*/environ | wc -l; }
up() { volcano up -d --listen 127.0.0.1:0 --runtime crun --allow-root-pods; }
read_node() {
	comes "a node comes" node/ kubectl get nodes -o name
	node=${output#node/}
}

# ---- what is not there is reported at the start ----
fails "an unknown runtime" volcano up -d --listen 127.0.0.1:0 --runtime lxc
has "is refused" "$output" '"lxc" is not a runtime: one of podman, crun'
fails "one that is not installed" env PATH="$tmp" "$BIN/volcano" up -d --listen 127.0.0.1:0 --runtime crun \
	--data-dir "$home"
has "is named" "$output" 'crun is not installed; install it, or run without --runtime'

# ---- what the kernel has to permit ----
if ! can_overlay; then
	result 0 "crun # SKIP overlays in namespaces: $(cat "$tmp/overlay/why")"
	finish
fi

# ---- an image ----
# image NAME: its files, and what its configuration says.
image() {
	image_files "$home/images/$1/rootfs" sh cat echo sleep id touch ls grep mkdir
	echo 'someone:x:1234:77::/data:/bin/sh' >"$home/images/$1/rootfs/etc/passwd"
	cat >"$home/images/$1/config.json" <<'EOF'
{"config": {"Entrypoint": ["/bin/sh", "-c"], "Cmd": ["echo $COLOUR in $PWD as $(id -u):$(id -g) home $HOME"],
 "Env": ["PATH=/bin", "COLOUR=blue"], "WorkingDir": "/data", "User": "someone"}}
EOF
}
chmod 755 "$tmp"
image box:1
passes "it starts" up
read_node
passes "the machine is a node" wait_for condition=Ready "node/$node"
has "which says what containers run in" "$(kubectl get node "$node" -o jsonpath='{.status.nodeInfo}')" '"crun://'

# pod NAME POLICY FIELDS [MORE OF THE SPEC]: a container with these fields.
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" "spec:" \
		"  {nodeName: $node, restartPolicy: $2, terminationGracePeriodSeconds: 5, ${4-}" \
		"  containers: [{name: c, image: '${image-box:1}', $3}]}" "---"
}
kubectl create configmap settings --from-literal=colour=green >/dev/null
{
	pod plain Never ''
	pod args Never "args: ['echo \$(COLOUR) \$COLOUR'], env: [{name: COLOUR, value: red}]"
	pod absent Never 'command: [/no/such/program]'
	pod code Never 'command: [/bin/sh, -c, "echo out; echo err >&2; exit 3"]'
	[ "$who" = user ] || pod files Never "workingDir: /v, command: [/bin/sh, -c, 'cat /etc/settings/colour; echo; grep -q localhost /etc/hosts && echo hosts;
		touch x && ls /v; touch /bin/written; ls $home; id -u; id -G; echo dying >/dev/termination-log'],
		securityContext: {runAsUser: 55, runAsGroup: 66},
		volumeMounts: [{name: s, mountPath: /etc/settings}, {name: e, mountPath: /v}]" \
		'securityContext: {supplementalGroups: [88]}, volumes: [{name: s, configMap: {name: settings}},
		{name: e, emptyDir: {}}],'
	pod root Never "$as_root command: [/bin/sh, -c, 'touch /bin/written; ls /bin/written']"
	pod locked Never 'securityContext: {readOnlyRootFilesystem: true},
		command: [/bin/sh, -c, "touch /bin/written; echo $?; touch /v/x; echo $?"],
		volumeMounts: [{name: e, mountPath: /v}]' 'volumes: [{name: e, emptyDir: {}}],'
	pod again OnFailure "$as_root volumeMounts: [{name: e, mountPath: /v}],
		command: [/bin/sh, -c, 'ls /new /v/been; [ -e /v/been ] && exit 0; touch /new /v/been; exit 1']" \
		'volumes: [{name: e, emptyDir: {}}],'
	pod stays Always "env: [{name: MARK, value: $tmp}], readinessProbe: {exec: {command: [cat, /data/../etc/passwd]},
		periodSeconds: 1}, $as_root
		command: [/bin/sh, -c, 'trap \"echo bye; exit 7\" TERM; echo up; while :; do sleep 0.1; done']"
	pod resists Always "env: [{name: MARK, value: $tmp}], lifecycle: {postStart: {exec: {command:
		[/bin/sh, -c, 'echo hooked >/data/hook']}}}, $as_root
		command: [/bin/sh, -c, 'trap \"\" TERM; while [ ! -e /data/hook ]; do sleep 0.1; done; echo up; sleep 1000 &
		while :; do sleep 1000; done']"
	[ "$limits" = no ] || pod hungry Never "$as_root resources: {limits: {memory: 32Mi}}, command: [/bin/busybox, tail, /dev/zero]"
	image=none:1 pod missing Never 'command: [/bin/sh]'
	image=none:1 pod never Never 'command: [/bin/sh], imagePullPolicy: Never'
	image=Up/../x pod wrong Never 'command: [/bin/sh]'
} >"$tmp/pods.yaml"
passes "pods are made" kubectl create -f "$tmp/pods.yaml"

passes "an image runs by itself" phase Succeeded plain
is "with its command, variables, folder and user" "$(kubectl logs plain)" "blue in /data as $someone"
passes "args go to its entry point" phase Succeeded args
is "and the pod's variables win" "$(kubectl logs args)" "red red"
passes "a command replaces both" phase Failed code
is "its code is kept" "$(field code '.status.containerStatuses[0].state.terminated.exitCode')" 3
is "and its output" "$(kubectl logs code)" "out
err"
has "its container is said to be crun's" "$(field code '.status.containerStatuses[0].containerID')" \
	"crun://$(field code .metadata.uid)/c/0"
passes "a program that the image does not have" phase Failed absent
is "could not be started, in Kubernetes' words" \
	"$(field absent '.status.containerStatuses[0].state.terminated.exitCode} {.status.containerStatuses[0].state.terminated.reason')" \
	"128 StartError"
has "and says why" "$(field absent '.status.containerStatuses[0].state.terminated.message')" /no/such/program
if [ "$who" = root ]; then
	passes "volumes and users" phase Succeeded files
	is "are those of the pod, and the node's folder is not there" "$(kubectl logs files | sed "s|$home|HOME|")" "green
hosts
x
touch: /bin/written: Permission denied
ls: HOME: No such file or directory
55
66 88"
	is "so is what it says at its end" "$(field files '.status.containerStatuses[0].state.terminated.message')" dying
fi
passes "who it belongs to may write" phase Succeeded root
is "into the container" "$(kubectl logs root)" /bin/written
is "not into the image" "$(find "$home/images" -name written)" ""
passes "a root that is read-only" phase Succeeded locked
is "is, volumes aside" "$(kubectl logs locked | grep -v touch)" "1
0"
passes "a container that fails runs again" phase Succeeded again
is "with its volumes, but new files" "$(kubectl logs again)" "ls: /new: No such file or directory
/v/been"
passes "a probe runs in the container" wait_for condition=Ready pod/stays
comes "so does a hook" up kubectl logs resists

if [ "$limits" = yes ]; then
	passes "limits are kept" phase Failed hungry
	is "and reported" "$(field hungry '.status.containerStatuses[0].state.terminated.reason')" OOMKilled
fi

# ---- images that are not there ----
waits() { field "$1" '.status.containerStatuses[0].state.waiting.reason'; }
comes "an image that is not there is waited for" ImagePull waits missing
settles "longer and longer" ImagePullBackOff waits missing
comes "with its name" 'Back-off pulling image "none:1"' \
	field missing '.status.containerStatuses[0].state.waiting.message'
comes "an event says why" 'failed to pull image "none:1"' kubectl describe pod missing
settles "it may be forbidden" ErrImageNeverPull waits never
settles "a name may be wrong" InvalidImageName waits wrong
image none:1
passes "when it has come" phase_in_time Succeeded missing

# ---- volcano goes, containers stay ----
restart_volcano
comes "it has begun" up kubectl logs stays
delete_stays
passes "then it goes" kubectl wait --for=delete --timeout=60s pod/stays
passes "one that resists" kubectl delete pod resists --timeout=60s
is "is ended, with all that it has started" "$(processes)" 0
passes "all go" kubectl delete pod --all --timeout=60s
settles "with their folders" 0 sh -c "ls '$home/pods' | wc -l"
settles "and nothing stays mounted" 0 grep -c "$home" /proc/mounts
passes "it stops" volcano down --pods

[ "$who" = root ] || finish

# ---- podman, which another program stands in for ----
mkdir "$tmp/stand-in"
cat >"$tmp/stand-in/podman" <<EOF
#!/bin/sh
case "\$1 \$2" in
'image exists') [ "\$3 \$4" = "-- box:1" ] || [ -e "$tmp/pulled" ]; exit ;;
'pull --quiet') [ -e "$tmp/pulled" ] || { echo trying; echo "\$4: manifest unknown" >&2; exit 125; }; exit ;;
esac
printf '%s\n' "\$@" >"$tmp/asked"
echo "an image speaks"
exit 4
EOF
chmod 755 "$tmp/stand-in/podman"
passes "it starts with podman, without crun" env PATH="$tmp/stand-in" "$BIN/volcano" up -d --listen 127.0.0.1:0 \
	--runtime podman --data-dir "$home"
pod by-podman Never "command: [sh, -c, 'echo hi'], env: [{name: X, value: y z}], workingDir: /w,
	imagePullPolicy: Never, resources: {limits: {cpu: 500m, memory: 64Mi}}, securityContext: {runAsUser: 5},
	volumeMounts: [{name: e, mountPath: /v}]" 'volumes: [{name: e, emptyDir: {}}],' |
	kubectl create -f - >/dev/null
passes "it is asked" phase Failed by-podman
is "its code is the container's" "$(field by-podman '.status.containerStatuses[0].state.terminated.exitCode')" 4
is "its output too" "$(kubectl logs by-podman)" "an image speaks"
uid=$(field by-podman .metadata.uid)
asked=$(grep -v -e KUBERNETES "$tmp/asked" | tr '\n' ' ')
has "for a container of this name" "$asked" "--name volcano-$uid-c "
has "which is the supervisor's to keep" "$asked" "run --rm --replace --log-driver none --pull never "
has "with its variables" "$asked" "--env X=y z "
has "without what an image knows better" "|$(grep -c -e '^PATH=' -e '^HOME=' "$tmp/asked")|" "|0|"
has "its volumes" "$asked" "destination=/v "
has "its user" "$asked" "--user 5:0 "
has "its limits" "$asked" "--cpus 0.500 --memory 67108864b "
has "and its command" "$asked" "--entrypoint sh -- box:1 -c echo hi "
{
	image=far:1 pod pulls Never ''
	image=far:1 pod never Never 'imagePullPolicy: Never'
} | kubectl create -f - >/dev/null
comes "what cannot be pulled is reported" 'failed to pull image "far:1": far:1: manifest unknown' kubectl describe pod pulls
settles "and tried again, later and later" ImagePullBackOff waits pulls
settles "or never" ErrImageNeverPull waits never
touch "$tmp/pulled"
passes "until it comes" phase_in_time Failed pulls
is "and runs" "$(kubectl logs pulls)" "an image speaks"
passes "it stops" volcano down --pods
finish
