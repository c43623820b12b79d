#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# python-client.t - the Python client of Kubernetes against `volcano up`. What it does, and the TAP,
# are python-client.py's: a server that does not start or a client that is missing is an error there.
# Debian's Python has the client, whatever else is in the path.
set -u
tmp=$(mktemp -d)
export KUBECONFIG="$tmp/home/kubeconfig" HOME="$tmp"
trap '"$BIN/volcano" down --data-dir "$tmp/home" >&2; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
"$BIN/volcano" up -d --listen 127.0.0.1:0 --nodes 0 --data-dir "$tmp/home" >&2
/usr/bin/python3 test/system/python-client.py test/data/crd
