# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# home.sh - a data directory for a test that has sourced tap.sh: its folder $home, and volcano and kubectl
# for it. It is taken down with its pods however the test ends.
home=$tmp/home
export HOME="$tmp" KUBECONFIG="$home/kubeconfig" # kubectl keeps its caches in the former
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
kubectl() { "$KUBECTL_NEW" "$@"; }
trap 'volcano down --pods >/dev/null 2>&1; clean_up' EXIT

# gang NAME COUNT: the manifest of a pod group and its pods NAME-0, NAME-1, ..., each with one CPU
gang() {
	cat <<-END
	apiVersion: scheduling.volcano.sh/v1beta1
	kind: PodGroup
	metadata: {name: $1}
	spec: {minMember: $2, queue: default}
	END
	i=0
	while [ "$i" -lt "$2" ]; do
		cat <<-END
		---
		apiVersion: v1
		kind: Pod
		metadata: {name: $1-$i, annotations: {scheduling.k8s.io/group-name: $1}}
		spec:
		  schedulerName: volcano
		  containers: [{name: main, image: busybox, resources: {requests: {cpu: "1"}}}]
		END
		i=$((i + 1))
	done
}
