/* SPDX-License-Identifier: Apache-2.0 */
/* http/pem.c - OpenSSL objects from and to PEM text.
 *
 * OpenSSL keeps one queue of errors per thread; a function that leaves an error in it makes a
 * later, unrelated SSL_get_error() wrong. So everything here empties it, also after a success:
 * OpenSSL tries one form of a key after the other and queues an error for each failure. */
#include "http/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdarg.h>

#include "base/limits.h"
#include "base/mem.h"

#include "base/banned.h"

void pem_certs_free(pem_certs *certs)
{
	sk_X509_pop_free(certs, X509_free);
}

int pem_err(struct err *err, enum err_code code, const char *format, ...)
{
	unsigned long number = ERR_peek_error();
	const char *reason = number ? ERR_reason_error_string(number) : NULL;
	AUTO(mem_free) char *context = NULL;
	va_list args;

	va_start(args, format);
	context = mem_vprintf(format, args);
	va_end(args);
	ERR_clear_error();
	if (reason)
		return err_set(err, code, "%s: %s", context, reason);
	return err_set(err, code, "%s", context);
}

BIO *pem_open(struct str pem, struct err *err)
{
	BIO *bio = NULL;

	if (pem.len > LIMIT_PEM_BYTES) {
		(void)err_set(err, ERR_TOO_LARGE, "PEM text has %zu bytes, %d are allowed", pem.len,
			      LIMIT_PEM_BYTES);
		return NULL;
	}
	ERR_clear_error();
	bio = BIO_new_mem_buf(pem.len ? pem.ptr : "", (int)pem.len);
	if (!bio)
		(void)pem_err(err, ERR_INTERNAL, "PEM text");
	return bio;
}

/* Without this OpenSSL would ask on the terminal. */
static int no_pass_phrase(char *text, int size, int writing, void *arg)
{
	(void)writing;
	if (size > 0)
		text[0] = '\0';
	*(bool *)arg = true;
	return -1;
}

/* Did reading stop at the end of the input? */
static bool at_end(void)
{
	unsigned long number = ERR_peek_last_error();

	return ERR_GET_LIB(number) == ERR_LIB_PEM && ERR_GET_REASON(number) == PEM_R_NO_START_LINE;
}

pem_certs *pem_read_certs(struct str pem, struct err *err)
{
	AUTO(BIO_free_all) BIO *bio = pem_open(pem, err);
	AUTO(pem_certs_free) pem_certs *certs = sk_X509_new_null();
	X509 *cert = NULL;

	if (!bio)
		return NULL;
	while ((cert = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
		if (sk_X509_push(certs, cert) <= 0) {
			X509_free(cert);
			(void)pem_err(err, ERR_INTERNAL, "certificate");
			return NULL;
		}
	}
	if (!at_end()) {
		(void)pem_err(err, ERR_INVALID, "certificate %d in the PEM text cannot be read",
			      sk_X509_num(certs) + 1);
		return NULL;
	}
	ERR_clear_error();
	if (sk_X509_num(certs) == 0) {
		(void)err_set(err, ERR_INVALID, "there is no certificate in the PEM text");
		return NULL;
	}
	return TAKE(certs);
}

X509 *pem_read_cert(struct str pem, struct err *err)
{
	AUTO(BIO_free_all) BIO *bio = pem_open(pem, err);
	X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;

	if (!bio)
		return NULL;
	if (cert || at_end())
		ERR_clear_error();
	if (cert)
		return cert;
	(void)pem_err(err, ERR_INVALID, "there is no readable certificate in the PEM text");
	return NULL;
}

EVP_PKEY *pem_read_key(struct str pem, struct err *err)
{
	AUTO(BIO_free_all) BIO *bio = pem_open(pem, err);
	bool asked = false;
	EVP_PKEY *key = NULL;

	if (!bio)
		return NULL;
	key = PEM_read_bio_PrivateKey(bio, NULL, no_pass_phrase, &asked);
	if (key || asked)
		ERR_clear_error();
	if (key)
		return key;
	if (asked) {
		(void)err_set(err, ERR_INVALID,
			      "the private key is encrypted; only keys without a pass phrase work");
		return NULL;
	}
	(void)pem_err(err, ERR_INVALID, "there is no readable private key in the PEM text");
	return NULL;
}

char *pem_take_text(BIO *bio)
{
	char *text = NULL;
	long len = BIO_get_mem_data(bio, &text);

	return mem_strdup_len(len > 0 ? text : "", len > 0 ? (size_t)len : 0);
}

char *pem_print_cert(X509 *cert, struct err *err)
{
	AUTO(BIO_free_all) BIO *bio = BIO_new(BIO_s_mem());

	if (bio && PEM_write_bio_X509(bio, cert) == 1)
		return pem_take_text(bio);
	(void)pem_err(err, ERR_INTERNAL, "printing a certificate");
	return NULL;
}

char *pem_print_key(EVP_PKEY *key, struct err *err)
{
	AUTO(BIO_free_all) BIO *bio = BIO_new(BIO_s_mem());

	if (bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1)
		return pem_take_text(bio);
	(void)pem_err(err, ERR_INTERNAL, "printing a private key");
	return NULL;
}
