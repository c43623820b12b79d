/* SPDX-License-Identifier: Apache-2.0 */
/* http/sshkey.c - key pairs in the forms that OpenSSH reads.
 *
 * A public key is a sequence of fields, each a 32-bit big-endian length and its bytes (RFC 4253,
 * part 6.6), printed in base64. An RSA private key is PKCS#1, which every ssh reads and which
 * Volcano's plugin writes. An Ed25519 private key has no such old form; it is written as OpenSSH's
 * own "openssh-key-v1" (PROTOCOL.key), unencrypted. */
#include "http/sshkey.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <stdint.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/mem.h"
#include "http/pem.h"

#include "base/banned.h"

enum { ED25519_BYTES = 32, LINE_BYTES = 70, KEY_BLOCK = 8, BUF_MAX = 64 * 1024 };

DEFINE_AUTO(BIGNUM *, BN_clear_free);

/* Frees a buffer after clearing its secret. */
static void secret_done(struct buf *buf)
{
	if (buf->ptr)
		OPENSSL_cleanse(buf->ptr, buf->size);
	buf_done(buf);
}
DEFINE_AUTO_IN_PLACE(struct buf, secret_done);

void sshkey_done(struct sshkey *key)
{
	if (key->private_pem)
		OPENSSL_cleanse(key->private_pem, strlen(key->private_pem));
	mem_free(key->private_pem);
	mem_free(key->public_line);
	*key = (struct sshkey){0};
}

/* ---- the fields of a key ---- */

static void put_u32(struct buf *to, size_t value)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_putc(to, (char)(value >> shift & 0xff));
}

static void put_field(struct buf *to, const void *data, size_t len)
{
	put_u32(to, len);
	buf_put(to, data, len);
}

static void put_text(struct buf *to, const char *text)
{
	put_field(to, text, strlen(text));
}

/* A number is big-endian and has a zero in front if it would look negative. */
static int put_number(struct buf *to, const EVP_PKEY *key, const char *name)
{
	AUTO(BN_clear_free) BIGNUM *number = NULL;
	AUTO(mem_free) unsigned char *bytes = NULL;
	size_t len = 0;
	bool sign = false;

	if (!EVP_PKEY_get_bn_param(key, name, &number))
		return -1;
	len = (size_t)BN_num_bytes(number);
	sign = BN_num_bits(number) % 8 == 0;
	bytes = mem_alloc(len);
	BN_bn2bin(number, bytes);
	put_u32(to, len + sign);
	if (sign)
		buf_putc(to, '\0');
	buf_put(to, bytes, len);
	return 0;
}

static char *public_line(const char *type, struct str blob, const char *comment)
{
	AUTO(buf_done) struct buf line = BUF_INIT(BUF_MAX);

	buf_puts(&line, type);
	buf_putc(&line, ' ');
	base64_print(&line, blob.ptr, blob.len);
	if (comment[0])
		buf_printf(&line, " %s", comment);
	buf_putc(&line, '\n');
	return buf_take(&line);
}

/* ---- RSA ---- */

static int new_rsa(const char *comment, struct sshkey *ret, struct err *err)
{
	AUTO(EVP_PKEY_free)
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)SSHKEY_RSA_BITS);
	AUTO(BIO_free_all) BIO *pem = BIO_new(BIO_s_mem());
	AUTO(buf_done) struct buf blob = BUF_INIT(BUF_MAX);

	put_text(&blob, "ssh-rsa");
	if (!key || !pem || put_number(&blob, key, OSSL_PKEY_PARAM_RSA_E) < 0 ||
	    put_number(&blob, key, OSSL_PKEY_PARAM_RSA_N) < 0 ||
	    !PEM_write_bio_PrivateKey_traditional(pem, key, NULL, NULL, 0, NULL, NULL))
		return pem_err(err, ERR_INTERNAL, "making an RSA key");
	ret->private_pem = pem_take_text(pem);
	ret->public_line = public_line("ssh-rsa", buf_str(&blob), comment);
	return 0;
}

/* ---- Ed25519 ---- */

struct ed25519 {
	unsigned char seed[ED25519_BYTES];
	unsigned char point[ED25519_BYTES];
};

/* The part of an openssh-key-v1 file that would be encrypted: the key after a check number that is
 * written twice, padded with 1, 2, 3... to whole blocks. */
static void put_ed25519_secret(struct buf *to, const struct ed25519 *key, uint32_t check,
			       const char *comment)
{
	put_u32(to, check);
	put_u32(to, check);
	put_text(to, "ssh-ed25519");
	put_field(to, key->point, ED25519_BYTES);
	put_u32(to, sizeof(key->seed) + sizeof(key->point));
	buf_put(to, key->seed, ED25519_BYTES);
	buf_put(to, key->point, ED25519_BYTES);
	put_text(to, comment);
	for (char pad = 1; to->len % KEY_BLOCK != 0; pad++)
		buf_putc(to, pad);
}

static char *openssh_text(struct str data)
{
	AUTO(secret_done) struct buf base64 = BUF_INIT(BUF_MAX);
	AUTO(secret_done) struct buf text = BUF_INIT(BUF_MAX);

	base64_print(&base64, data.ptr, data.len);
	buf_puts(&text, "-----BEGIN OPENSSH PRIVATE KEY-----\n");
	for (size_t at = 0; at < base64.len; at += LINE_BYTES) {
		buf_put_str(&text, str_slice(buf_str(&base64), at, at + LINE_BYTES));
		buf_putc(&text, '\n');
	}
	buf_puts(&text, "-----END OPENSSH PRIVATE KEY-----\n");
	return mem_strdup_len(text.ptr, text.len);
}

static void print_ed25519(const struct ed25519 *key, uint32_t check, const char *comment,
			  struct sshkey *ret)
{
	AUTO(buf_done) struct buf blob = BUF_INIT(BUF_MAX);
	AUTO(secret_done) struct buf secret = BUF_INIT(BUF_MAX);
	AUTO(secret_done) struct buf file = BUF_INIT(BUF_MAX);

	put_text(&blob, "ssh-ed25519");
	put_field(&blob, key->point, ED25519_BYTES);
	put_ed25519_secret(&secret, key, check, comment);

	buf_put(&file, "openssh-key-v1", sizeof("openssh-key-v1"));
	put_text(&file, "none"); /* cipher */
	put_text(&file, "none"); /* key derivation */
	put_text(&file, "");     /* and its options */
	put_u32(&file, 1);
	put_field(&file, blob.ptr, blob.len);
	put_field(&file, secret.ptr, secret.len);
	ret->private_pem = openssh_text(buf_str(&file));
	ret->public_line = public_line("ssh-ed25519", buf_str(&blob), comment);
}

static int new_ed25519(const char *comment, struct sshkey *ret, struct err *err)
{
	AUTO(EVP_PKEY_free) EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	struct ed25519 bytes = {0};
	size_t seed_len = sizeof(bytes.seed), point_len = sizeof(bytes.point);
	uint32_t check = 0;

	if (!key || !EVP_PKEY_get_raw_private_key(key, bytes.seed, &seed_len) ||
	    !EVP_PKEY_get_raw_public_key(key, bytes.point, &point_len) ||
	    RAND_bytes((unsigned char *)&check, sizeof(check)) != 1)
		return pem_err(err, ERR_INTERNAL, "making an Ed25519 key");
	print_ed25519(&bytes, check, comment, ret);
	OPENSSL_cleanse(&bytes, sizeof(bytes));
	return 0;
}

int sshkey_new(enum sshkey_type type, const char *comment, struct sshkey *ret, struct err *err)
{
	if (strpbrk(comment, "\r\n") || strlen(comment) > BUF_MAX / 4)
		return err_set(err, ERR_INVALID, "comment: must be one line");
	return type == SSHKEY_RSA ? new_rsa(comment, ret, err) : new_ed25519(comment, ret, err);
}
