# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# home.sh - a data directory for a test that has sourced tap.sh: its folder $home, and volcano and kubectl
# for it. It is taken down with its pods however the test ends.
home=$tmp/home
export HOME="$tmp" KUBECONFIG="$home/kubeconfig" # kubectl keeps its caches in the former
volcano() { "$BIN/volcano" "$@" --data-dir "$home"; }
kubectl() { "$KUBECTL_NEW" "$@"; }
trap 'volcano down --pods >/dev/null 2>&1; clean_up' EXIT
