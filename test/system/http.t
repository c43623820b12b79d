#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# http.t - what http/ serves is judged by the programs of others: curl over every
# transport, openssl's TLS client, and raw bytes from bash.
. test/system/tap.sh

passes "certificates are made" "$HELPER" certs "$tmp"
cd "$tmp" || exit 1
start echo "$EXAMPLES/http-echo" --plain 127.0.0.1:0 --tls 127.0.0.1:0 \
	--cert server.crt --key server.key --client-ca ca.crt
echo_pid=${servers##* }
plain=${ready#*plain=} plain=${plain%% *}
tls=${ready#*tls=} tls=${tls%% *}
start unix "$EXAMPLES/http-echo" --plain "unix:$tmp/socket"

# ---- curl, over every transport ----
ask() { curl -sS -m 200 --cacert ca.crt "$@"; }
head -c 20000000 /dev/zero >zeros
for how in "--http1.1 http://$plain" "--http2-prior-knowledge http://$plain" \
	"--http2 http://$plain" "--http1.1 https://$tls" "--http2 https://$tls" \
	"--http2 --tlsv1.2 --tls-max 1.2 https://$tls" "--unix-socket $tmp/socket http://x"; do
	url=${how##* }
	printf '%s\n' "${how% *}" | sed 's/ --/\n--/g' >options # one a line, as curl reads them
	ask_how() { ask --config options "$@"; }
	is "GET ($how)" "$(ask_how "$url/echo")" hello
	is "POST" "$(ask_how -d some-body "$url/echo")" some-body
	is "the status" "$(ask_how -o none -w '%{http_code}' "$url/nope")" 404
	has "HEAD" "$(ask_how -I "$url/echo")" "content-length: 6"
	is "a body of 50 MB" "$(ask_how "$url/big?n=50000000" | wc -c)" 50000000
	is "a reply in 300,000 pieces" "$(ask_how "$url/stream?n=300000" | wc -l)" 300000
	is "20 MB up" "$(ask_how -T zeros "$url/upload")" 20000000
	is "20 MB up, of unknown length" "$(ask_how -T - "$url/upload" <zeros)" 20000000
	is "after Expect" "$(ask_how -H 'Expect: 100-continue' -T zeros "$url/upload")" 20000000
	has "4 MB are too much to collect" "$(ask_how -i -T zeros "$url/echo")" " 413"
	is "one connection for three" \
		"$(ask_how -o none -o none -o none -w '%{num_connects}' "$url/echo" "$url/echo" "$url/echo")" 100
	has "a header field" "$(ask_how -H 'X-Odd: a b,c' "$url/fields")" "x-odd: a b,c"
done
has "who, over a Unix socket" "$(ask --unix-socket socket http://x/who)" "uid=$(id -u)"

# ---- Certificates ----
is "nobody" "$(ask "https://$tls/who")" "name= version=20"
is "somebody" "$(ask --cert client.crt --key client.key "https://$tls/who")" \
	"name=marie group=system:masters group=physicists version=20"
fails "curl does not trust it without the CA" curl -sS -m 60 "https://$tls/echo"
client() { openssl s_client -connect "$tls" -CAfile ca.crt -verify_return_error "$@" </dev/null 2>&1; }
has "TLS 1.3" "$(client -tls1_3)" "TLSv1.3"
has "TLS 1.2" "$(client -tls1_2)" "TLSv1.2"
fails "not TLS 1.1" client -tls1_1 -cipher DEFAULT@SECLEVEL=0
fails "not a cipher without forward secrecy" client -tls1_2 -cipher AES128-GCM-SHA256
has "ALPN h2" "$(client -alpn http/1.1,h2)" "ALPN protocol: h2"
has "ALPN http/1.1" "$(client -alpn http/1.1)" "ALPN protocol: http/1.1"
fails "no other protocol" client -alpn smtp
has "it names its CAs" "$(client)" "Acceptable client certificate CA names"
has "it verifies" "$(client -verify_hostname localhost)" "Verify return code: 0 (ok)"
has "plain HTTP is reported" "$(curl -sS -m 60 "http://$tls/echo" 2>&1)" "HTTP request to an HTTPS server"

"$HELPER" certs "$tmp/new" >/dev/null 2>&1 || { mkdir "$tmp/new" && "$HELPER" certs "$tmp/new" >/dev/null; }
cp new/server.crt server.crt
cp new/server.key server.key
kill -HUP "$echo_pid"
passes "a new certificate without a restart" curl -sS -m 60 --retry 20 --retry-all-errors \
	--retry-delay 0 --cacert new/ca.crt "https://$tls/echo"
start required "$EXAMPLES/http-echo" --tls 127.0.0.1:0 --cert server.crt --key server.key \
	--client-ca new/ca.crt --require
required=${ready#*tls=} required=${required%% *}
fails "no certificate, no service" curl -sS -m 60 --cacert new/ca.crt "https://$required/who"
passes "with one, service" curl -sS -m 60 --cacert new/ca.crt --cert new/client.crt --key new/client.key \
	"https://$required/who"

# ---- Raw bytes ----
raw() { bash -c 'exec 3<>"/dev/tcp/${1%:*}/${1##*:}"; printf "$2" >&3; cat <&3' raw "$plain" "$1"; }
has "junk" "$(raw '\001\002\003\r\n\r\n')" "HTTP/1.1 400"
has "no host" "$(raw 'GET /echo HTTP/1.1\r\n\r\n')" "HTTP/1.1 400"
has "no such version" "$(raw 'GET /echo HTTP/4.2\r\nHost: x\r\n\r\n')" "HTTP/1.1 505"
has "length and chunked" \
	"$(raw 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')" \
	"HTTP/1.1 400"
is "pipelined" \
	"$(raw 'GET /echo HTTP/1.1\r\nHost: x\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' | grep -c hello)" 2
has "HTTP/1.0" "$(raw 'GET /stream?n=2 HTTP/1.0\r\n\r\n')" "line 1"

# ---- A watch whose client goes, and an orderly end ----
curl -sS -N --cacert new/ca.crt "https://$tls/watch" >watch.out 2>&1 &
watch_pid=$!
comes "a watch is there" watching cat watch.out
kill "$watch_pid"
wait "$watch_pid" 2>/dev/null
comes "the server notices" "aborted: the client has disconnected" cat "$tmp/echo.err"
kill -TERM "$echo_pid"
wait "$echo_pid"
is "it ends in an orderly way" "$?" 0

finish
