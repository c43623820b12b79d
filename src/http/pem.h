/* SPDX-License-Identifier: Apache-2.0 */
/* http/pem.h - OpenSSL objects from and to PEM text, and OpenSSL's errors as ours.
 *
 * For the files of http/ that use OpenSSL (cert, sshkey, tls). Nothing here asks anyone for a
 * pass phrase: an encrypted key is an error. */
#ifndef HTTP_PEM_H
#define HTTP_PEM_H

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

DEFINE_AUTO(BIO *, BIO_free_all);
DEFINE_AUTO(EVP_PKEY *, EVP_PKEY_free);
DEFINE_AUTO(X509 *, X509_free);

void pem_certs_free(STACK_OF(X509) * certs);
typedef STACK_OF(X509) pem_certs;
DEFINE_AUTO(pem_certs *, pem_certs_free);

/* Set from OpenSSL's queue of errors, which is then empty: "<context>: <OpenSSL's reason>". Always
 * returns -1. */
int pem_err(struct err *err, enum err_code code, const char *format, ...) PRINTF(3, 4);

/* To read the text from; ERR_TOO_LARGE past LIMIT_PEM_BYTES. */
BIO *pem_open(struct str pem, struct err *err) MUST_CHECK;
/* Every certificate in the text, in its order, at least one; other content is skipped.
 * For pem_certs_free(). */
pem_certs *pem_read_certs(struct str pem, struct err *err) MUST_CHECK;
/* The first certificate in the text. */
X509 *pem_read_cert(struct str pem, struct err *err) MUST_CHECK;
/* The first private key in the text: PKCS#8, PKCS#1 or SEC1. */
EVP_PKEY *pem_read_key(struct str pem, struct err *err) MUST_CHECK;

/* For mem_free(). NULL only if OpenSSL fails. */
char *pem_print_cert(X509 *cert, struct err *err) MUST_CHECK;
char *pem_print_key(EVP_PKEY *key, struct err *err) MUST_CHECK; /* PKCS#8 */
/* The content of a memory BIO; free it with mem_free(). */
char *pem_take_text(BIO *bio) __attribute__((returns_nonnull));

#endif
