#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kube-api.t - conversations recorded from a real kube-apiserver, held with ours: every topic that
# is in the folder next to the project and does not need what is not built. Without the folder
# nothing is tried, and that is said.
# shellcheck source=test/system/tap.sh
. test/system/tap.sh
replay=../shared/tools/kube-replay
cases=../shared/cases/kube-api
differences=test/data/kube-api/differences.txt
more="apply crd dry-run field-validation generation kubectl lists protocol rbac strategic-merge tables watch"

if [ ! -x "$replay" ] || [ ! -d "$cases" ]; then
	result 0 "left out: there are no recorded conversations in $cases"
	finish
fi
home=$tmp/home
start volcano "$BIN/volcano" up --data-dir "$home" --listen 127.0.0.1:0 --components apiserver --admission off
export HOME="$tmp" # kubectl keeps its caches there

# The failed steps of a run that no line of the differences excuses: "case: step".
unexcused() {
	sed -n 's/^not ok [0-9]* - //p' "$1" | awk -F' *[|] *' '
		FNR == NR { if (!/^#/ && NF > 2) { which[++n] = $1; step[n] = $2 } next }
		{
			split($0, part, ": ")
			rest = substr($0, length(part[1]) + 3)
			for (i = 1; i <= n; i++)
				if (which[i] == part[1] && (step[i] == "" || index(rest, step[i])))
					next
			print
		}' "$differences" -
}

# replay NAME FOLDER: one topic, without the cases that have a tag in $skip. How long the judge waits for what a watch brings stands in its cases, and is short:
# what fails while four are held at a time is asked for once more, one after the other.
replay() {
	name=$1 folder=$2
	set --
	for tag in $skip; do set -- "$@" --skip-tag "$tag"; done
	for jobs in 4 1; do
		"$replay" check --kubeconfig "$home/kubeconfig" --kubectl "$KUBECTL_NEW" -j $jobs "$@" "$folder" \
			>"$tmp/topic.out" 2>&1
		wrong=$(unexcused "$tmp/topic.out")
		[ "$wrong" ] || break
		[ $jobs -eq 1 ] || printf '%s\n' "$wrong" | sed "s/^/# $name, once more: /"
	done
	[ -z "$wrong" ] && grep -q '^[0-9]* passed' "$tmp/topic.out"
	result "$?" "$name: $(tail -1 "$tmp/topic.out")" "$wrong
$(grep '^#' "$tmp/topic.out" | head -40)"
}

skip=
for topic in "$cases"/*/; do
	replay "$(basename "$topic")" "$topic"
done

# Of the second collection, recorded from 1.35, the topics that are built; its others wait for an API that acts, as
# does what needs controllers here.
for topic in $more; do
	[ -d "$cases-2/$topic" ] || continue
	skip=controllers
	[ "$topic" != rbac ] || skip= # the server itself aggregates roles
	replay "$topic, more" "$cases-2/$topic"
done

skip=
# Neighbours of both, recorded by us from a kube-apiserver 1.35.8.
for topic in test/data/kube-api/cases/*/; do
	replay "$(basename "$topic"), neighbours" "$topic"
done
is "the server has nothing to say against it" "$(grep -c 'level=error\|ERROR: \|runtime error' "$tmp/volcano.err")" 0
finish
