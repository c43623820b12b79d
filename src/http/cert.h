/* SPDX-License-Identifier: Apache-2.0 */
/* http/cert.h - certificates: making, reading and checking them, as PEM.
 *
 *	struct cert_request ask = {.name = "admin", .groups = groups, .group_count = 1,
 *				   .now = loop_now(loop), .lifetime = 365 * TIME_DAY};
 *	AUTO(cert_pair_done) struct cert_pair admin = {0};
 *	if (cert_new_client(&ca, &ask, &admin, err) < 0) ...
 *
 * Everything made here has an ECDSA P-256 key. Time is passed in. Keys, serial numbers and
 * signatures come from OpenSSL's own random source and not from loop_random(): a key that is
 * derived from the seed of a simulation would not be secret. No decision depends on them. */
#ifndef HTTP_CERT_H
#define HTTP_CERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct x509_st; /* OpenSSL's X509 */

/* A certificate and its private key, as PEM for mem_free(). `cert` holds the certificate first and
 * then, if there are any, the intermediates up to its CA; `key` is PKCS#8 if it was made here. */
struct cert_pair {
	char *cert;
	char *key;
};

/* Clears the key's bytes before it frees them. */
void cert_pair_done(struct cert_pair *pair);
DEFINE_AUTO_IN_PLACE(struct cert_pair, cert_pair_done);
/* Hands a pair over: returns it and leaves `pair` empty. */
struct cert_pair cert_pair_take(struct cert_pair *pair);

/* Both files, unchecked: see cert_check(). */
int cert_pair_load(const char *cert_path, const char *key_path, struct cert_pair *ret,
		   struct err *err) MUST_CHECK;
/* Writes the key first, readable by its owner only. Each file is replaced whole or not at all. */
int cert_pair_save(const struct cert_pair *pair, const char *cert_path, const char *key_path,
		   struct err *err) MUST_CHECK;

struct cert_request {
	const char *name;          /* CN: a CA's or server's name, a client's user */
	const char *const *groups; /* O, one each: a client's groups */
	size_t group_count;
	const char *const *hosts; /* subject alternative names: DNS names and IP addresses */
	size_t host_count;
	int64_t now;      /* valid from CERT_BACKDATE before this, for clocks that are slow */
	int64_t lifetime; /* and until this long after it; never longer than the CA */
};

#define CERT_BACKDATE (5 * INT64_C(60000000)) /* microseconds */

/* A CA that signs itself. */
int cert_new_ca(const struct cert_request *request, struct cert_pair *ret,
		struct err *err) MUST_CHECK;
/* For a server: at least one host. ERR_INVALID names what is wrong with a request. */
int cert_new_server(const struct cert_pair *ca, const struct cert_request *request,
		    struct cert_pair *ret, struct err *err) MUST_CHECK;
int cert_new_client(const struct cert_pair *ca, const struct cert_request *request,
		    struct cert_pair *ret, struct err *err) MUST_CHECK;

/* The content of a certificate. Texts are UTF-8, never NULL, and owned by the struct. */
struct cert_info {
	char *subject; /* "O=system:masters,CN=admin", for people */
	char *issuer;
	char *serial; /* hexadecimal */
	char *name;   /* CN, "" if there is none */
	char **groups;
	size_t group_count;
	char **hosts; /* DNS names and IP addresses, in its order */
	size_t host_count;
	int64_t not_before;
	int64_t not_after;
	bool is_ca;
};

void cert_info_done(struct cert_info *info);
DEFINE_AUTO_IN_PLACE(struct cert_info, cert_info_done);

/* Of the first certificate in `pem`. */
int cert_info_parse(struct str pem, struct cert_info *ret, struct err *err) MUST_CHECK;
/* Of a certificate that OpenSSL holds, such as the peer's. */
int cert_info_of(struct x509_st *x509, struct cert_info *ret, struct err *err) MUST_CHECK;

/* Is it one request for a certificate (PKCS#10), signed by the key that is in it? ERR_INVALID says what is wrong,
 * in kube-apiserver's words if it has a sentence of its own for it. */
int cert_check_request(struct str pem, struct err *err) MUST_CHECK;
/* Are these certificates and nothing else, one at least? The same for errors. */
int cert_check_issued(struct str pem, struct err *err) MUST_CHECK;

/* Is the first certificate in `pem` valid for this DNS name or IP address? False if it can't be
 * read. */
bool cert_has_host(struct str pem, const char *host);

enum cert_use { CERT_USE_ANY, CERT_USE_SERVER, CERT_USE_CLIENT };

struct cert_check {
	struct str cert; /* PEM, as in struct cert_pair */
	struct str key;  /* PEM; none: not checked */
	struct str ca;   /* PEM, any number of CA certificates; none: the chain is not checked */
	int64_t now;
	enum cert_use use; /* with `ca`: the use that the certificate must allow */
};

/* Checks that the key belongs to the certificate, that `now` is within the dates of every
 * certificate, and that the chain ends at one of `ca`. ERR_INVALID says what is wrong. */
int cert_check(const struct cert_check *check, struct err *err) MUST_CHECK;

#endif
