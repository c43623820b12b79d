/* SPDX-License-Identifier: Apache-2.0 */
/* http/sshkey.h - key pairs for OpenSSH, as the job plugin `ssh` hands them to its pods.
 *
 * It is in http/ because only http/ uses OpenSSL. Keys come from OpenSSL's random source, as in
 * cert.h. */
#ifndef HTTP_SSHKEY_H
#define HTTP_SSHKEY_H

#include "base/err.h"
#include "base/macro.h"

enum sshkey_type { SSHKEY_RSA, SSHKEY_ED25519, SSHKEY_TYPE_COUNT };

enum { SSHKEY_RSA_BITS = 2048 };

/* Both for mem_free(). */
struct sshkey {
	char *private_pem; /* what ~/.ssh/id_rsa holds; RSA: PKCS#1, "BEGIN RSA PRIVATE KEY" */
	char *public_line; /* a line of authorized_keys with its \n: "ssh-rsa AAAA... comment" */
};

/* Clears the private key's bytes before it frees them. */
void sshkey_done(struct sshkey *key);
DEFINE_AUTO_IN_PLACE(struct sshkey, sshkey_done);

/* `comment` ends the public line; "" for none, and no line break in it. Finding an RSA key takes
 * about 0.1 s: it is work for LOOP_LANE_KEYS (loop.h). */
int sshkey_new(enum sshkey_type type, const char *comment, struct sshkey *ret,
	       struct err *err) MUST_CHECK;

#endif
