# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# isolation.sh - what no pod may read, write or do, whatever it asks for; isolation*.t source it with $runtime set to
# "process", "crun" or "podman". As root and as an ordinary user. Numbers are those of issue 14; 1 (descriptors) and 8 (sockets
# of supervisors) have node-descriptors.t and node-supervisors.t.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
# shellcheck source=test/system/home.sh
. test/system/home.sh
# shellcheck source=test/system/images.sh
. test/system/images.sh
mnt=/volcano-test-$$
image=x
flags=
skip() {
	result 0 "$runtime # SKIP $*"
	finish
}

# ---- an image, for those that need one ----
tools='sh cat echo ls id touch mkdir ln rm mv sleep grep readlink head seq wc true'
case $runtime in
crun)
	flags='--runtime crun' image=box:1
	command -v crun >/dev/null || skip "it is not installed"
	can_overlay || skip "no overlays: $(cat "$tmp/overlay/why")"
	# shellcheck disable=SC2086 # tools are words
	image_files "$home/images/$image/rootfs" $tools
	echo '{"config": {"Env": ["PATH=/bin"]}}' >"$home/images/$image/config.json"
	;;
podman)
	flags='--runtime podman' image=localhost/volcano-isolation:$$
	own_podman || skip "it is not installed"
	# shellcheck disable=SC2086
	image_files "$tmp/image" $tools
	import_image "$image" -c 'ENV PATH=/bin' || skip "it cannot import an image: $(tail -n 1 "$tmp/import")"
	;;
esac
chmod 755 "$tmp"
# shellcheck disable=SC2086 # flags are words
up() { volcano up -d --listen 127.0.0.1:0 $flags "$@"; }

# pod NAME SCRIPT [CONTAINER FIELDS [SPEC FIELDS]]: the script is in single quotes of YAML
pod() {
	printf '%s\n' "apiVersion: v1" "kind: Pod" "metadata: {name: $1}" \
		"spec: {nodeName: $node, restartPolicy: Never, terminationGracePeriodSeconds: 1, ${4-}" \
		"  containers: [{name: c, image: '$image', ${3-} command: [sh, -c, '$2']}]}" "---"
}
# init SCRIPT MOUNTS: for the spec of a pod, a container that runs before
init() { printf '%s' "initContainers: [{name: i, image: '$image', command: [sh, -c, '$1'], volumeMounts: [$2]}],"; }
# state POD: of its containers, with what is said of it
state() {
	kubectl get pod "$1" -o jsonpath='{.status.phase} {.status.initContainerStatuses[*].state} {.status.containerStatuses[*].state}'
	kubectl get events -o jsonpath="{.items[?(@.involvedObject.name==\"$1\")].message}"
}
# said POD: what it printed, when it has ended
said() {
	kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=120s "pod/$1" >/dev/null 2>&1 || state "$1"
	kubectl logs "$1" -c c 2>&1
}

# ---- 10: a folder that was there before ----
mkdir -p "$tmp/old"
ln -s "$tmp/victim" "$tmp/old/volcano.log"
fails "10: a log that is a link is refused" "$BIN/volcano" up -d --listen 127.0.0.1:0 --data-dir "$tmp/old"
has "10: by name" "$output" "$tmp/old/volcano.log: is a symbolic link"
rm "$tmp/old/volcano.log"
echo precious >"$tmp/victim"
ln -s "$tmp/victim" "$tmp/old/lock"
fails "10: so is a lock" "$BIN/volcano" up -d --listen 127.0.0.1:0 --data-dir "$tmp/old"
has "10: by name" "$output" "$tmp/old/lock: is a symbolic link"
is "10: what it leads to is as it was" "$(cat "$tmp/victim")" precious
rm -f "$tmp/old/lock" "$tmp/old/volcano.log"
touch "$tmp/old/something"
chmod 777 "$tmp/old"
fails "10: a folder that everyone may write to is refused" "$BIN/volcano" up -d --listen 127.0.0.1:0 --data-dir "$tmp/old"
has "10: and it is said why" "$output" "every user may write there"
if [ "$who" = root ]; then
	chmod 755 "$tmp/old"
	chown 65534 "$tmp/old"
	fails "10: another user's folder is refused" "$BIN/volcano" up -d --listen 127.0.0.1:0 --data-dir "$tmp/old"
	has "10: and it is said whose it is" "$output" "belongs to user 65534"
fi

passes "it starts" up --pod-max-pids 60
comes "a node comes" node/ kubectl get nodes -o name
node=${output#node/}
passes "it is ready" kubectl wait --for=condition=Ready --timeout=60s "node/$node"
passes "there is a key to look for" grep -q 'PRIVATE KEY' "$home/pki/ca.key"

# ---- 7: volumes ----
mkdir -p "$tmp/free/sub" "$tmp/moving/swap" # what a pod moves is not in the folder that another one lists
chmod 777 "$tmp/free" "$tmp/moving" "$tmp/moving/swap"
ln -s "$home/pki" "$tmp/free/keys"
ln -s "$home/pki/ca.key" "$tmp/free/key"
ln -s "$home" "$tmp/free/home"
steal="cat $mnt/* $mnt/*/* 2>/dev/null; ls -R $mnt"
# volume NAME: a volume of a claim, at a path of the machine
claim() {
	printf '%s\n' "apiVersion: v1" "kind: PersistentVolume" "metadata: {name: $1}" \
		"spec: {capacity: {storage: 1Mi}, accessModes: [ReadWriteOnce], storageClassName: by-hand, $2}" "---" \
		"apiVersion: v1" "kind: PersistentVolumeClaim" "metadata: {name: $1}" \
		"spec: {accessModes: [ReadWriteOnce], storageClassName: by-hand, volumeName: $1, resources: {requests: {storage: 1Mi}}}" "---"
}
at="volumeMounts: [{name: v, mountPath: $mnt}],"
below() { printf '%s' "volumeMounts: [{name: v, mountPath: $mnt, subPath: $1}],"; }
empty="volumes: [{name: v, emptyDir: {}}],"
host() { printf '%s' "volumes: [{name: v, hostPath: {path: '$1'}}],"; }
claimed() { printf '%s' "volumes: [{name: v, persistentVolumeClaim: {claimName: $1}}],"; }
{
	claim pv-keys "hostPath: {path: $home/pki}"
	claim pv-link "hostPath: {path: $tmp/free/keys}"
	claim pv-home "hostPath: {path: $home, type: DirectoryOrCreate}"
	claim pv-local "local: {path: $home/pki}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions:
		[{key: kubernetes.io/hostname, operator: Exists}]}]}}"
	claim pv-made "hostPath: {path: $tmp/free/home/made, type: DirectoryOrCreate}"
	claim pv-fine "hostPath: {path: $tmp/free/sub}"
	pod sub-link "$steal" "$(below x)" "$(init "ln -s $home/pki /v/x" '{name: v, mountPath: /v}') $empty"
	pod sub-up "$steal" "$(below x)" "$(init "ln -s ../../../../pki /v/x" '{name: v, mountPath: /v}') $empty"
	pod sub-deep "$steal" "$(below a/b)" "$(init "mkdir /v/a; ln -s / /v/a/b" '{name: v, mountPath: /v}') $empty"
	pod sub-host "$steal" "$(below "${home#/}/pki")" "$(host /)"
	pod sub-fine "$steal" "$(below a/b)" "$(init "mkdir -p /v/a/real; echo mine >/v/a/real/f; ln -s real /v/a/b" \
		'{name: v, mountPath: /v}') $empty"
	pod sub-new "touch $mnt/f && ls $mnt" "$(below new/er)" "$empty"
	pod host-home "$steal" "$at" "$(host "$home")"
	pod host-keys "$steal" "$at" "$(host "$home/pki")"
	pod host-link "$steal" "$at" "$(host "$tmp/free/keys")"
	pod host-file "$steal" "$at" "$(host "$tmp/free/key")"
	pod host-made "$steal" "$at" "volumes: [{name: v, hostPath: {path: $tmp/free/home/made, type: DirectoryOrCreate}}],"
	pod host-proc "$steal" "$at" "$(host "/proc/self/root$home/pki")"
	pod host-swap "$steal" "$at" "$(init "rm -r /f/swap && ln -s $home/pki /f/swap" '{name: f, mountPath: /f}')
		volumes: [{name: v, hostPath: {path: $tmp/moving/swap}}, {name: f, hostPath: {path: $tmp/moving}}],"
	pod above "ls -A $mnt/home $mnt/free; cat $mnt/home/pki/* $mnt/free/keys/* $mnt/free/key 2>/dev/null | wc -c" \
		"$at" "$(host "$tmp")"
	pod whole "ls -A $mnt$home; cat $mnt$home/pki/* 2>/dev/null | wc -c" "$at" "$(host /)"
	for name in keys link home local made; do pod "pv-$name" "$steal" "$at" "$(claimed "pv-$name")"; done
	pod pv-fine "ls -d $mnt" "$at" "$(claimed pv-fine)"
	[ "$runtime" != process ] || {
		pod on-proc true 'volumeMounts: [{name: v, mountPath: /proc}],' "$empty"
		pod in-proc true 'volumeMounts: [{name: v, mountPath: /proc/sys}],' "$empty"
	}
	pod nested "ls -A $mnt/in" "volumeMounts: [{name: v, mountPath: $mnt}, {name: w, mountPath: $mnt/in/x}]," \
		"$(init "ln -s /etc /v/in" '{name: v, mountPath: /v}') volumes: [{name: v, emptyDir: {}}, {name: w, emptyDir: {}}],"
} >"$tmp/volumes.yaml"
passes "7: pods with volumes" kubectl create -f "$tmp/volumes.yaml"
for name in sub-link sub-up sub-deep; do
	comes "7: $name: a subPath that an init container has made a link" "leads out of the volume" state "$name"
done
for name in sub-host host-home host-keys host-link host-file host-made host-swap pv-keys pv-link pv-home pv-local pv-made; do
	comes "7: $name is refused" "in the node's own folder" state "$name"
done
comes "7: host-proc is refused" "/proc/self/root" state host-proc
is "7: a link that stays in its volume is followed" "$(said sub-fine | head -n 1)" mine
is "7: a subPath that is missing is made" "$(said sub-new)" f
is "7: a folder above the node's own does not show what is in that" "$(said above)" "$mnt/free:
home
key
keys
sub

$mnt/home:
0"
is "7: nor does the whole machine" "$(said whole)" 0
is "7: a volume elsewhere is mounted" "$(said pv-fine)" "$mnt"
[ "$runtime" != process ] || # others have files of their own, and stay in there
	comes "7: a mount in a volume does not follow a link out of it" "leads out of the volume" state nested
for name in on-proc in-proc; do
	[ "$runtime" != process ] || comes "7: $name: /proc is the kernel's" "nothing can be mounted in /proc" state "$name"
done
passes "7: nothing is made where it would have led" test ! -e /etc/x
passes "7: nor in the node's own folder" test ! -e "$home/made"
for name in $(kubectl get pods -o jsonpath='{.items[*].metadata.name}'); do
	kubectl logs "$name" --all-containers
done >"$tmp/logs" 2>&1
is "7: no pod has printed a key" "$(grep -c 'PRIVATE KEY' "$tmp/logs")" 0
passes "they go" kubectl delete pods --all --timeout=120s --grace-period=0 --force

# ---- 6: tokens ----
folder=/var/run/secrets/kubernetes.io/serviceaccount
{
	pod silent "ls $folder 2>/dev/null | wc -l"
	pod speaks "cat $folder/token; echo; sleep 1000" '' 'automountServiceAccountToken: true,'
} | kubectl create -f - >/dev/null
is "6: a pod that does not ask has no token" "$(said silent)" 0
comes "6: one that asks has" . kubectl logs speaks
token=$(kubectl logs speaks)
url=$(kubectl config view -o jsonpath='{.clusters[0].cluster.server}')
code() { curl -sSk -m 60 -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$@"; }
is "6: its token reads its namespace" "$(code "$url/api/v1/namespaces/default/pods")" 200
for path in api/v1/nodes api/v1/namespaces/kube-system/secrets api/v1/secrets api/v1/namespaces/other/pods; do
	is "6: not $path" "$(code "$url/$path")" 403
done
is "6: it writes nothing" "$(code -H 'Content-Type: application/json' -d '{"metadata": {"name": "x"}}' \
	"$url/api/v1/namespaces/default/configmaps")" 403
is "6: it makes no backups" "$(code -X POST "$url/backup?folder=$tmp/stolen")" 403
is "6: it speaks for no one else" "$(code -H 'Impersonate-User: admin' -H 'Impersonate-Group: system:masters' \
	"$url/api/v1/namespaces/default/pods")" 403
passes "6: the pod goes" kubectl delete pod speaks --timeout=120s
settles "6: with its token" 401 code "$url/api/v1/namespaces/default/pods"

# ---- 9: what a pod may do by itself ----
mkdir -p "$tmp/closed/open"
echo private >"$tmp/closed/open/file"
chmod 700 "$tmp/closed"
limit=memory.limit_in_bytes
[ ! -e /sys/fs/cgroup/cgroup.controllers ] || limit=memory.max
etc=/etc/volcano-test
[ "$runtime" = process ] || etc= # an image has its own
attack="id -u; for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger /sys/kernel/uevent_helper \
	$etc /sys/fs/cgroup/volcano-test; do (echo x >\$f) 2>/dev/null && echo wrote \$f; done;
	for d in /sys/fs/cgroup /sys/fs/cgroup/memory /sys/fs/cgroup/pids; do mkdir \$d/volcano-test 2>/dev/null && echo made \$d; done;
	g=\$(grep -E \":memory:|^0::\" /proc/self/cgroup | head -n 1); g=\${g##*:};
	for f in /sys/fs/cgroup/memory\$g/$limit /sys/fs/cgroup\$g/$limit; do (echo 1000000000 >\$f) 2>/dev/null && echo lifted; done;
	head -c 1 /proc/kcore 2>/dev/null | wc -c; grep NoNewPrivs /proc/self/status"
{
	pod attack "$attack" 'resources: {limits: {memory: 64Mi}},'
	pod forks "for i in \$(seq 200); do sleep 1000 & done; echo all" 'resources: {limits: {memory: 64Mi}},'
	[ "$runtime" != process ] || pod folder "cat file; cat $tmp/closed/open/file; true" "workingDir: $tmp/closed/open,"
	pod as-root "$attack" 'securityContext: {runAsUser: 0},'
	pod privileged "$attack" 'securityContext: {privileged: true},'
	pod mighty "$attack" 'securityContext: {capabilities: {add: [SYS_ADMIN]}},'
	pod owner "until [ -e $mnt/hook ]; do sleep 0.1; done" "$at securityContext: {runAsUser: 4711, runAsGroup: 4711},
		lifecycle: {postStart: {exec: {command: [touch, $mnt/hook]}}}," "$empty"
	pod disk "$attack" 'securityContext: {runAsUser: 1234, runAsGroup: 6},'
} >"$tmp/rights.yaml"
passes "9: pods that want more" kubectl create -f "$tmp/rights.yaml"
got=$(said attack)
is "9: nothing of the machine's is written" "$(printf '%s\n' "$got" | grep -E '^(wrote|made|lifted)')" ""
has "9: nor read" "$(printf '%s\n' "$got" | tail -n 2)" "0
NoNewPrivs"
has "9: no new rights are to be had" "$got" "NoNewPrivs:	1"
if [ "$who" = root ]; then
	fails "9: who names no user is none that the machine knows" getent passwd "$(printf '%s\n' "$got" | head -n 1)"
	for name in as-root privileged mighty; do
		comes "9: $name is refused" "--allow-root-pods" state "$name"
	done
	[ "$runtime" != process ] || comes "9: so is a group that may read disks" \
		"runAsGroup: 6 is a group of the system" state disk
	if [ -w /sys/fs/cgroup/pids ] || [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		comes "9: a pod has no more processes than it may" "fork" kubectl logs forks
	fi
	if [ "$runtime" = process ]; then
		is "9: a folder that its user cannot enter is not entered for it" "$(said folder | grep private)" ""
		has "9: which its output says" "$(kubectl logs folder)" \
			"working directory $tmp/closed/open: Permission denied"
	fi
else
	for name in as-root privileged mighty; do
		comes "9: $name is refused" "needs a node that runs as root" state "$name"
	done
fi
if [ "$who" = root ]; then
	passes "9: a pod of another user ends" kubectl wait --for=jsonpath='{.status.phase}'=Succeeded --timeout=120s pod/owner
	is "9: who does not own the machine's device files" "$(stat -c %u /dev/null /dev/zero | grep 4711)" ""
fi
passes "they go" kubectl delete pods --all --timeout=120s --grace-period=0 --force
passes "it stops" volcano down --pods

# ---- 9: root, where it is permitted ----
if [ "$who" = root ]; then
	passes "9: it starts, and permits root" up --allow-root-pods
	settles "9: the node is ready" True kubectl get nodes -o jsonpath='{.items[0].status.conditions[?(@.type=="Ready")].status}'
	{
		pod as-root "$attack" 'resources: {limits: {memory: 64Mi}}, securityContext: {runAsUser: 0},'
		pod unnamed "id -u"
	} | kubectl create -f - >/dev/null
	got=$(said as-root)
	is "9: root is root" "$(printf '%s\n' "$got" | head -n 1)" 0
	is "9: but writes nothing of the kernel's, and lifts no limit" "$(printf '%s\n' "$got" | grep -E '^(wrote|made|lifted)' | grep -v /etc/)" ""
	has "9: nor reads its memory" "$(printf '%s\n' "$got" | tail -n 2)" "0
NoNewPrivs"
	fails "9: who does not name it is not root" test "$(said unnamed)" = 0
	rm -f /etc/volcano-test
	passes "it stops" volcano down --pods
fi
finish
