#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# http-load.t - many requests at once, by h2load and wrk: none may fail. How fast it
# was is printed, not judged.
. test/system/tap.sh

passes "certificates are made" "$HELPER" certs "$tmp"
cd "$tmp" || exit 1
start echo "$EXAMPLES/http-echo" --plain 127.0.0.1:0 --tls 127.0.0.1:0 --cert server.crt --key server.key
plain=${ready#*plain=} plain=${plain%% *}
tls=${ready#*tls=} tls=${tls%% *}
head -c 200 /dev/zero | tr '\0' a >body

# load TEXT COUNT OPTION...
load() {
	what=$1 n=$2
	shift 2
	output=$(h2load -n "$n" "$@" 2>&1)
	has "$what" "$output" "$n succeeded, 0 failed, 0 errored, 0 timeout"
	has "each with 200" "$output" "status codes: $n 2xx"
	printf '%s\n' "$output" | sed -n 's/^finished in/# &/p'
}
load "GET over one HTTP/2 connection" 20000 -c 1 -m 64 "https://$tls/echo"
load "POST over eight" 20000 -c 8 -m 32 -d body "https://$tls/echo"
load "4 kB over eight, plain" 20000 -c 8 -m 32 "http://$plain/big?n=4200"
load "POST over 64 HTTP/1.1 connections" 20000 --h1 -c 64 -d body "https://$tls/echo"
load "and plain" 20000 --h1 -c 64 -m 1 -d body "http://$plain/echo"
load "pipelined" 20000 --h1 -c 8 -m 16 "http://$plain/echo"
load "streams of 1,000 lines" 2000 -c 4 -m 25 "https://$tls/stream?n=1000"

output=$(wrk -t 1 -c 64 -d 1 --timeout 60s "http://$plain/echo" 2>&1)
has "wrk gets answers" "$output" "Requests/sec"
case $output in *"Socket errors"* | *"Non-2xx"*) bad=1 ;; *) bad=0 ;; esac
result "$bad" "and no errors" "$output"

finish
