#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cert.t - what http/cert, http/sshkey and http/gzip make is judged by the programs
# of others: openssl, ssh-keygen, gzip; and what those make is read by ours.
. test/system/tap.sh

passes "certificates and keys are made" "$HELPER" certs "$tmp"
cd "$tmp" || exit 1

# ---- openssl reads and verifies them ----
passes "the CA signs itself" openssl verify -x509_strict -CAfile ca.crt ca.crt
passes "the server leads to it" openssl verify -x509_strict -purpose sslserver -CAfile ca.crt server.crt
passes "the client leads to it" openssl verify -x509_strict -purpose sslclient -CAfile ca.crt client.crt
passes "the server has its name" openssl verify -CAfile ca.crt -verify_hostname localhost server.crt
passes "and its address" openssl verify -CAfile ca.crt -verify_ip ::1 server.crt
passes "and names under its star" openssl verify -CAfile ca.crt -verify_hostname a.test.example server.crt
fails "but no other" openssl verify -CAfile ca.crt -verify_hostname server server.crt
fails "a server is no client" openssl verify -purpose sslclient -CAfile ca.crt server.crt
fails "a client is no server" openssl verify -purpose sslserver -CAfile ca.crt client.crt
fails "another CA of the same name does not do" openssl verify -CAfile other-ca.crt server.crt

text=$(openssl x509 -in client.crt -noout -text)
has "the key is P-256" "$text" "NIST CURVE: P-256"
has "version 3" "$text" "Version: 3"
is "groups and user are the subject" "$(openssl x509 -in client.crt -noout -subject -nameopt RFC2253)" \
	"subject=CN=marie,O=physicists,O=system:masters"
has "it is for clients" "$text" "TLS Web Client Authentication"
has "it cannot sign" "$text" "CA:FALSE"
has "it names the CA's key" "$text" "X509v3 Authority Key Identifier"
text=$(openssl x509 -in server.crt -noout -text)
has "the hosts are alternative names" "$text" \
	"DNS:localhost, DNS:*.test.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1"
has "it is for servers" "$text" "TLS Web Server Authentication"
for name in ca server client; do
	passes "the key of $name is sound" openssl pkey -in "$name.key" -check -noout
	is "the key of $name belongs to it" "$(openssl pkey -in "$name.key" -pubout)" \
		"$(openssl x509 -in "$name.crt" -noout -pubkey)"
	is "the key of $name is its owner's" "$(stat -c %a "$name.key")" 600
	is "the key of $name is PKCS#8" "$(head -n 1 "$name.key")" "-----BEGIN PRIVATE KEY-----"
done

# ---- openssl shakes hands with them ----
start server openssl s_server -accept 127.0.0.1:0 -no_dhe -cert server.crt -key server.key \
	-CAfile ca.crt -Verify 1 -verify_return_error -www
port=${ready##*:}
passes "a handshake with both certificates" openssl s_client -connect "127.0.0.1:$port" \
	-CAfile ca.crt -verify_return_error -verify_ip 127.0.0.1 -cert client.crt -key client.key
has "the client finds the server good" "$output" "Verify return code: 0 (ok)"
fails "a client without one is turned away" sh -c "
	printf 'GET / HTTP/1.0\\r\\n\\r\\n' |
	openssl s_client -connect 127.0.0.1:$port -CAfile ca.crt -quiet -ign_eof -tls1_2"
fails "a wrong CA ends it" openssl s_client -connect "127.0.0.1:$port" -CAfile other-ca.crt \
	-verify_return_error -cert client.crt -key client.key

# ---- ssh-keygen reads the keys ----
for name in id_rsa id_ed25519; do
	passes "ssh-keygen reads $name" ssh-keygen -y -f "$name"
	is "and finds the public half of $name" "$(echo "$output" | cut -d ' ' -f 1,2)" \
		"$(cut -d ' ' -f 1,2 "$name.pub")"
	passes "ssh-keygen reads $name.pub" ssh-keygen -l -f "$name.pub"
	has "with its comment" "$output" "job@volcano"
	: >message
	passes "$name signs" ssh-keygen -Y sign -f "$name" -n test message
	printf 'x %s' "$(cat "$name.pub")" >allowed
	passes "and $name.pub verifies" sh -c \
		"ssh-keygen -Y verify -f allowed -I x -n test -s message.sig <message"
	rm -f message.sig
done
is "an RSA key is PKCS#1" "$(head -n 1 id_rsa)" "-----BEGIN RSA PRIVATE KEY-----"

# ---- gzip and ours read each other ----
seq 200000 >plain
"$HELPER" gzip <plain >ours.gz
passes "gzip finds ours sound" gzip -t ours.gz
passes "and reads it" sh -c 'gzip -dc ours.gz | cmp - plain'
for level in 1 6 9; do
	gzip -c -$level plain >theirs.gz
	passes "ours reads gzip -$level" sh -c "\"$HELPER\" gunzip <theirs.gz | cmp - plain"
done
cat ours.gz theirs.gz >both.gz
passes "and members of both" sh -c "\"$HELPER\" gunzip <both.gz >both && cat plain plain | cmp - both"
head -c 1000 theirs.gz >cut.gz
fails "a cut file is refused" sh -c "\"$HELPER\" gunzip <cut.gz"
has "with a reason" "$output" "damaged or cut short"
finish
