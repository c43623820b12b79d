/* SPDX-License-Identifier: Apache-2.0 */
/* http/cert_new.c - making certificates: a CA, and what it signs for servers and clients.
 *
 * 1. A certificate is never valid outside the dates of its CA: otherwise its chain would become
 *    invalid before the date that the certificate shows.
 * 2. What goes into a name is checked first (UTF-8, no NUL, host names and addresses), so that
 *    nothing is signed that cert.c would reject.
 * 3. A CA certificate that is not self-signed is appended to what it signs: the peer needs it.
 *
 * Names may be longer than the 64 characters of RFC 5280: those of service accounts are, and both
 * Go and OpenSSL accept them. */
#include <arpa/inet.h>
#include <ctype.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/mem.h"
#include "base/time.h"
#include "http/cert.h"
#include "http/pem.h"

#include "base/banned.h"

enum { NAME_MAX_BYTES = 1024, HOST_MAX_BYTES = 253, SERIAL_BYTES = 16 };

#define DATE_MAX INT64_C(253402300799) /* 9999-12-31T23:59:59Z, in seconds */

struct extension {
	int nid;
	const char *value;
};

static const struct extension ca_extensions[] = {
	{NID_basic_constraints, "critical,CA:TRUE"},
	{NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign"},
	{NID_subject_key_identifier, "hash"},
	{NID_undef, NULL},
};

static const struct extension server_extensions[] = {
	{NID_basic_constraints, "critical,CA:FALSE"},
	{NID_key_usage, "critical,digitalSignature"},
	{NID_ext_key_usage, "serverAuth"},
	{NID_subject_key_identifier, "hash"},
	{NID_authority_key_identifier, "keyid"},
	{NID_undef, NULL},
};

static const struct extension client_extensions[] = {
	{NID_basic_constraints, "critical,CA:FALSE"},
	{NID_key_usage, "critical,digitalSignature"},
	{NID_ext_key_usage, "clientAuth"},
	{NID_subject_key_identifier, "hash"},
	{NID_authority_key_identifier, "keyid"},
	{NID_undef, NULL},
};

DEFINE_AUTO(BIGNUM *, BN_free);
DEFINE_AUTO(ASN1_INTEGER *, ASN1_INTEGER_free);
DEFINE_AUTO(ASN1_TIME *, ASN1_TIME_free);
DEFINE_AUTO(GENERAL_NAMES *, GENERAL_NAMES_free);

/* The issuer: for a self-signed CA, its own certificate and key. */
struct issuer {
	X509 *cert;
	EVP_PKEY *key;
	int64_t not_before;
	int64_t not_after;
};

static void issuer_done(struct issuer *issuer)
{
	X509_free(issuer->cert);
	EVP_PKEY_free(issuer->key);
}
DEFINE_AUTO_IN_PLACE(struct issuer, issuer_done);

/* ---- the request ---- */

static int check_text(const char *text, struct err *err)
{
	struct str view = str_from(text);

	if (view.len == 0)
		return err_set(err, ERR_INVALID, "must not be empty");
	if (view.len > NAME_MAX_BYTES)
		return err_set(err, ERR_INVALID, "has %zu bytes, %d are allowed", view.len,
			       NAME_MAX_BYTES);
	if (!str_is_utf8(view))
		return err_set(err, ERR_INVALID, "is not UTF-8");
	return 0;
}

static bool is_address(const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
}

/* Labels of letters, digits, '-' and '_' with dots between them; the first may be "*". */
static bool is_dns_name(struct str host)
{
	struct str rest = str_starts(host, STR("*.")) ? str_skip(host, 2) : host;
	struct str label;

	if (host.len == 0 || host.len > HOST_MAX_BYTES)
		return false;
	while (str_split(&rest, '.', &label)) {
		if (label.len == 0 || label.len > 63)
			return false;
		for (size_t i = 0; i < label.len; i++)
			if (!isalnum((unsigned char)label.ptr[i]) && label.ptr[i] != '-' &&
			    label.ptr[i] != '_')
				return false;
	}
	return true;
}

static int check_request(const struct cert_request *request, struct err *err)
{
	int64_t end = 0;

	if (check_text(request->name, err) < 0)
		return err_wrap(err, "name");
	for (size_t i = 0; i < request->group_count; i++)
		if (check_text(request->groups[i], err) < 0)
			return err_wrap(err, "groups[%zu]", i);
	for (size_t i = 0; i < request->host_count; i++) {
		const char *host = request->hosts[i];

		if (!is_address(host) && !is_dns_name(str_from(host)))
			return err_set(err, ERR_INVALID,
				       "hosts[%zu]: \"%s\" is neither a host name nor an address",
				       i, host);
	}
	if (request->now < CERT_BACKDATE || request->lifetime <= 0 ||
	    __builtin_add_overflow(request->now, request->lifetime, &end) ||
	    end / TIME_SECOND > DATE_MAX)
		return err_set(err, ERR_INVALID,
			       "lifetime: must be positive and end before the year 10000");
	return 0;
}

/* ---- the parts of a certificate ---- */

static int set_serial(X509 *cert)
{
	unsigned char bytes[SERIAL_BYTES];
	AUTO(BN_free) BIGNUM *number = NULL;
	AUTO(ASN1_INTEGER_free) ASN1_INTEGER *serial = NULL;

	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return -1;
	bytes[0] = (bytes[0] & 0x7f) | 0x40; /* positive, and always of the same length */
	number = BN_bin2bn(bytes, sizeof(bytes), NULL);
	serial = number ? BN_to_ASN1_INTEGER(number, NULL) : NULL;
	return serial && X509_set_serialNumber(cert, serial) ? 0 : -1;
}

static int set_dates(X509 *cert, int64_t not_before, int64_t not_after)
{
	AUTO(ASN1_TIME_free)
	ASN1_TIME *from = ASN1_TIME_set(NULL, (time_t)(not_before / TIME_SECOND));
	AUTO(ASN1_TIME_free)
	ASN1_TIME *until = ASN1_TIME_set(NULL, (time_t)(not_after / TIME_SECOND));

	return from && until && X509_set1_notBefore(cert, from) && X509_set1_notAfter(cert, until)
		       ? 0
		       : -1;
}

/* Passed as UTF-8, because OpenSSL limits texts that it converts to 64 characters. */
static int add_name(X509_NAME *to, int nid, const char *text)
{
	return X509_NAME_add_entry_by_NID(to, nid, V_ASN1_UTF8STRING, (const unsigned char *)text,
					  (int)strlen(text), -1, 0)
		       ? 0
		       : -1;
}

static int set_subject(X509 *cert, const struct cert_request *request)
{
	X509_NAME *subject = X509_get_subject_name(cert);

	for (size_t i = 0; i < request->group_count; i++)
		if (add_name(subject, NID_organizationName, request->groups[i]) < 0)
			return -1;
	return add_name(subject, NID_commonName, request->name);
}

static GENERAL_NAME *new_host(const char *host)
{
	GENERAL_NAME *name = GENERAL_NAME_new();
	ASN1_STRING *value = NULL;

	if (is_address(host)) {
		value = a2i_IPADDRESS(host);
	} else {
		value = ASN1_IA5STRING_new();
		if (value && !ASN1_STRING_set(value, host, -1)) {
			ASN1_STRING_free(value);
			value = NULL;
		}
	}
	if (!name || !value) {
		GENERAL_NAME_free(name);
		ASN1_STRING_free(value);
		return NULL;
	}
	GENERAL_NAME_set0_value(name, is_address(host) ? GEN_IPADD : GEN_DNS, value);
	return name;
}

static int set_hosts(X509 *cert, const struct cert_request *request)
{
	AUTO(GENERAL_NAMES_free) GENERAL_NAMES *names = GENERAL_NAMES_new();

	for (size_t i = 0; names && i < request->host_count; i++) {
		GENERAL_NAME *name = new_host(request->hosts[i]);

		if (!name || sk_GENERAL_NAME_push(names, name) <= 0) {
			GENERAL_NAME_free(name);
			return -1;
		}
	}
	if (!names)
		return -1;
	return request->host_count == 0 ||
			       X509_add1_ext_i2d(cert, NID_subject_alt_name, names, 0, 0) == 1
		       ? 0
		       : -1;
}

static int set_extensions(X509 *cert, X509 *issuer, const struct extension *extensions)
{
	X509V3_CTX ctx;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	for (const struct extension *row = extensions; row->value; row++) {
		X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &ctx, row->nid, row->value);
		int added = extension ? X509_add_ext(cert, extension, -1) : 0;

		X509_EXTENSION_free(extension);
		if (!added)
			return -1;
	}
	return 0;
}

static int sign(X509 *cert, EVP_PKEY *key)
{
	bool hashes_itself = EVP_PKEY_is_a(key, "ED25519") || EVP_PKEY_is_a(key, "ED448");

	return X509_sign(cert, key, hashes_itself ? NULL : EVP_sha256()) > 0 ? 0 : -1;
}

/* ---- the whole certificate ---- */

static int64_t within(int64_t value, int64_t min, int64_t max)
{
	return value < min ? min : value > max ? max : value;
}

/* `issuer` is NULL for a self-signed certificate. */
static X509 *new_cert(const struct cert_request *request, EVP_PKEY *key,
		      const struct issuer *issuer, const struct extension *extensions,
		      struct err *err)
{
	AUTO(X509_free) X509 *cert = X509_new();
	int64_t from = request->now - CERT_BACKDATE;
	int64_t until = request->now + request->lifetime;

	if (issuer) {
		from = within(from, issuer->not_before, issuer->not_after);
		until = within(until, issuer->not_before, issuer->not_after);
	}
	if (!cert || !X509_set_version(cert, X509_VERSION_3) || set_serial(cert) < 0 ||
	    set_dates(cert, from, until) < 0 || set_subject(cert, request) < 0 ||
	    !X509_set_issuer_name(cert, X509_get_subject_name(issuer ? issuer->cert : cert)) ||
	    !X509_set_pubkey(cert, key) || set_hosts(cert, request) < 0 ||
	    set_extensions(cert, issuer ? issuer->cert : cert, extensions) < 0 ||
	    sign(cert, issuer ? issuer->key : key) < 0) {
		(void)pem_err(err, ERR_INTERNAL, "making a certificate for %s", request->name);
		return NULL;
	}
	return TAKE(cert);
}

static int new_pair(const struct cert_request *request, const struct issuer *issuer,
		    const struct extension *extensions, struct cert_pair *ret, struct err *err)
{
	AUTO(EVP_PKEY_free) EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	AUTO(X509_free) X509 *cert = NULL;
	AUTO(cert_pair_done) struct cert_pair pair = {0};

	if (!key)
		return pem_err(err, ERR_INTERNAL, "making a P-256 key");
	cert = new_cert(request, key, issuer, extensions, err);
	if (!cert)
		return -1;
	pair.cert = pem_print_cert(cert, err);
	pair.key = pem_print_key(key, err);
	if (!pair.cert || !pair.key)
		return -1;
	*ret = cert_pair_take(&pair);
	return 0;
}

/* Call issuer_done() on `ret` also after a failure. */
static int open_issuer(const struct cert_pair *ca, int64_t now, struct issuer *ret, struct err *err)
{
	struct cert_check check = {
		.cert = str_from(ca->cert), .key = str_from(ca->key), .now = now};
	AUTO(cert_info_done) struct cert_info info = {0};

	if (cert_check(&check, err) < 0)
		return -1;
	ret->cert = pem_read_cert(check.cert, err);
	ret->key = pem_read_key(check.key, err);
	if (!ret->cert || !ret->key || cert_info_of(ret->cert, &info, err) < 0)
		return -1;
	if (!info.is_ca)
		return err_set(err, ERR_INVALID, "the certificate of %s is not one of a CA",
			       info.subject);
	ret->not_before = info.not_before;
	ret->not_after = info.not_after;
	return 0;
}

static bool is_self_signed(X509 *cert)
{
	return X509_NAME_cmp(X509_get_subject_name(cert), X509_get_issuer_name(cert)) == 0;
}

static int new_signed(const struct cert_pair *ca, const struct cert_request *request,
		      const struct extension *extensions, struct cert_pair *ret, struct err *err)
{
	AUTO(issuer_done) struct issuer issuer = {0};
	AUTO(cert_pair_done) struct cert_pair pair = {0};

	if (check_request(request, err) < 0)
		return -1;
	if (open_issuer(ca, request->now, &issuer, err) < 0)
		return err_wrap(err, "CA");
	if (new_pair(request, &issuer, extensions, &pair, err) < 0)
		return -1;
	if (!is_self_signed(issuer.cert)) {
		char *chain = mem_printf("%s%s", pair.cert, ca->cert);

		mem_free(pair.cert);
		pair.cert = chain;
	}
	*ret = cert_pair_take(&pair);
	return 0;
}

int cert_new_ca(const struct cert_request *request, struct cert_pair *ret, struct err *err)
{
	if (check_request(request, err) < 0)
		return -1;
	return new_pair(request, NULL, ca_extensions, ret, err);
}

int cert_new_server(const struct cert_pair *ca, const struct cert_request *request,
		    struct cert_pair *ret, struct err *err)
{
	if (request->host_count == 0)
		return err_set(err, ERR_INVALID, "hosts: a server needs a name or an address");
	return new_signed(ca, request, server_extensions, ret, err);
}

int cert_new_client(const struct cert_pair *ca, const struct cert_request *request,
		    struct cert_pair *ret, struct err *err)
{
	return new_signed(ca, request, client_extensions, ret, err);
}
