#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# yaml-kubectl.t - our YAML against the kubectl at hand, asked now, over test/data/yaml.
#
# `kubectl patch --local` with an empty patch reads a file of any kind and prints it, without a
# server. `RECORD=1 sh test/system/yaml-kubectl.t` writes the answers of the newest kubectl down for
# yaml-conformance, which replays them where there is none.
. test/system/tap.sh

conformance=${BIN:-build-asan/bin}/../test/yaml-conformance
data=$PWD/test/data/yaml
HOME=$tmp KUBECONFIG=$tmp/none
export HOME KUBECONFIG

# ask FORM FILE...: the answer of $kubectl
ask() {
	form=$1
	shift
	for file; do
		shift
		set -- "$@" -f "$file"
	done
	"$kubectl" patch --local --type merge -p '{}' -o "$form" "$@" 2>"$tmp/error"
}

record() {
	for file in "$data"/*.yaml; do
		base=${file%.yaml}
		case $base in */ours-*) continue ;; esac
		rm -f "$base.json" "$base.out" "$base.error"
		if ask json "$file" >"$base.json"; then
			ask yaml "$file" >"$base.out" || rm "$base.out"
		else
			rm "$base.json"
			sed -n 1p "$tmp/error" >"$base.error"
		fi
	done
	rm -f "$data/merge-value.out" "$data/keys-merge-quoted.out" # it leaves << plain
}

# inputs ENDING: the inputs that have such an answer, but for what is ours alone, or newer.
inputs() {
	for answer in "$data"/*."$1"; do
		case $(basename "$answer") in
		ours-*) ;;
		new-*) [ "$kubectl" = "${KUBECTL_OLD-}" ] || echo "${answer%."$1"}.yaml" ;;
		*) echo "${answer%."$1"}.yaml" ;;
		esac
	done
}

compare() {
	inputs json >"$tmp/inputs"
	set --
	while read -r file; do set -- "$@" "$file"; done <"$tmp/inputs"
	ask json "$@" >"$tmp/theirs"
	"$conformance" json "$tmp/theirs" >"$tmp/theirs.json"
	"$conformance" json "$@" >"$tmp/ours.json"
	passes "$version: we read $# files as it does" diff "$tmp/theirs.json" "$tmp/ours.json"
	inputs out >"$tmp/inputs"
	set --
	while read -r file; do set -- "$@" "$file"; done <"$tmp/inputs"
	ask yaml "$@" >"$tmp/theirs.yaml"
	"$conformance" yaml "$@" >"$tmp/ours.yaml"
	passes "$version: we print $# files as it does" diff "$tmp/theirs.yaml" "$tmp/ours.yaml"
	for file in $(inputs error); do
		fails "$version refuses $(basename "$file")" ask json "$file"
	done
}

found=0
for kubectl in "${KUBECTL_NEW-}" "${KUBECTL_OLD-}" "$(command -v kubectl || :)"; do
	[ -x "$kubectl" ] || continue
	[ -n "${RECORD-}" ] && record && exit 0
	version=$("$kubectl" version --client -o yaml | sed -n 's/ *gitVersion: /kubectl /p')
	compare
	found=1
	[ "$kubectl" != "${KUBECTL_OLD-}" ] || break
done
# The set-up brings both releases: without any, nothing was judged.
passes "there is a kubectl to ask" [ "$found" = 1 ]
finish
