/* SPDX-License-Identifier: Apache-2.0 */
#include "http/sshkey.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include "base/base64.h"
#include "base/str.h"
#include "http/pem.h"
#include "tap.h"

/* Cuts a field off the front of a key blob. */
static struct str field(struct str *rest)
{
	const unsigned char *p = (const unsigned char *)rest->ptr;
	size_t len = rest->len < 4 ? 0
				   : (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 |
					     (size_t)p[3];
	struct str value = str_slice(*rest, 4, 4 + len);

	*rest = str_skip(*rest, 4 + len);
	return value;
}

static bool decode_line(const char *line, const char *type, const char *end, struct buf *ret)
{
	struct str rest = str_from(line), part;

	if (!str_split(&rest, ' ', &part) || !str_is(part, type))
		return false;
	if (end[0] != '\n')
		(void)str_split(&rest, ' ', &part);
	else
		part = str_slice(rest, 0, rest.len - 1);
	return base64_parse(part, ret, NULL) == 0 && str_ends(str_from(line), str_from(end));
}

static bool same_number(const EVP_PKEY *key, const char *name, struct str field)
{
	BIGNUM *number = NULL;
	BIGNUM *other = BN_bin2bn((const unsigned char *)field.ptr, (int)field.len, NULL);
	bool same = EVP_PKEY_get_bn_param(key, name, &number) && BN_cmp(number, other) == 0 &&
		    (field.ptr[0] & 0x80) == 0;

	BN_free(number);
	BN_free(other);
	return same;
}

static void test_rsa(void)
{
	AUTO(sshkey_done) struct sshkey key = {0};
	AUTO(EVP_PKEY_free) EVP_PKEY *pkey = NULL;
	AUTO(buf_done) struct buf blob = BUF_INIT(4096);
	struct err err = {0};
	struct str rest;

	ok(sshkey_new(SSHKEY_RSA, "", &key, &err) == 0, "an RSA key is made %s", err.text);
	ok(str_starts(str_from(key.private_pem), STR("-----BEGIN RSA PRIVATE KEY-----\n")),
	   "its private half is PKCS#1");
	pkey = pem_read_key(str_from(key.private_pem), &err);
	ok(pkey && EVP_PKEY_get_bits(pkey) == SSHKEY_RSA_BITS, "of %d bits", SSHKEY_RSA_BITS);
	ok(decode_line(key.public_line, "ssh-rsa", "\n", &blob), "its public half is one line: %s",
	   key.public_line);
	rest = buf_str(&blob);
	ok(str_is(field(&rest), "ssh-rsa"), "which names the type inside as well");
	ok(same_number(pkey, OSSL_PKEY_PARAM_RSA_E, field(&rest)), "has the exponent");
	ok(same_number(pkey, OSSL_PKEY_PARAM_RSA_N, field(&rest)) && rest.len == 0,
	   "and the modulus");
}

static void test_ed25519(void)
{
	AUTO(sshkey_done) struct sshkey key = {0};
	AUTO(buf_done) struct buf blob = BUF_INIT(4096);
	struct err err = {0};
	struct str rest;

	ok(sshkey_new(SSHKEY_ED25519, "job-0", &key, &err) == 0, "an Ed25519 key is made %s",
	   err.text);
	ok(str_starts(str_from(key.private_pem), STR("-----BEGIN OPENSSH PRIVATE KEY-----\n")) &&
		   str_ends(str_from(key.private_pem),
			    STR("\n-----END OPENSSH PRIVATE KEY-----\n")),
	   "its private half is OpenSSH's");
	ok(decode_line(key.public_line, "ssh-ed25519", " job-0\n", &blob),
	   "its public half is one line with the comment: %s", key.public_line);
	rest = buf_str(&blob);
	ok(str_is(field(&rest), "ssh-ed25519") && field(&rest).len == 32 && rest.len == 0,
	   "with 32 bytes of key");
}

int main(void)
{
	struct sshkey key = {0};
	struct err err = {0};

	test_rsa();
	test_ed25519();
	ok(sshkey_new(SSHKEY_ED25519, "a\nssh-rsa evil", &key, &err) < 0 && err.code == ERR_INVALID,
	   "a comment cannot add a line: %s", err.text);
	sshkey_done(&key);
	sshkey_done(&key);
	ok(true, "freeing nothing is fine");
	return tap_done();
}
