/* SPDX-License-Identifier: Apache-2.0 */
/* http/cert.c - reading and checking certificates, and keeping them in files.
 *
 * What counts as a name follows Kubernetes: the user is the common name (the last one, as Go reads
 * it), the groups are the organisations. A name with a NUL inside or that is not UTF-8 is rejected
 * here, before it is compared with anything: "admin\0.evil" must never read as "admin".
 *
 * Any certificate in `ca` is a trust anchor, whether it signed itself or not, as in Go. */
#include "http/cert.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <time.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/pem.h"

#include "base/banned.h"

DEFINE_AUTO(X509_STORE *, X509_STORE_free);
DEFINE_AUTO(X509_STORE_CTX *, X509_STORE_CTX_free);
DEFINE_AUTO(X509_REQ *, X509_REQ_free);
DEFINE_AUTO(BIGNUM *, BN_free);
DEFINE_AUTO(GENERAL_NAMES *, GENERAL_NAMES_free);

/* ---- files ---- */

void cert_pair_done(struct cert_pair *pair)
{
	if (pair->key)
		OPENSSL_cleanse(pair->key, strlen(pair->key));
	mem_free(pair->key);
	mem_free(pair->cert);
	*pair = (struct cert_pair){0};
}

struct cert_pair cert_pair_take(struct cert_pair *pair)
{
	struct cert_pair taken = *pair;

	*pair = (struct cert_pair){0};
	return taken;
}

static char *load(const char *path, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_PEM_BYTES);

	return fd_read_file(path, &text, err) < 0 ? NULL : buf_take(&text);
}

int cert_pair_load(const char *cert_path, const char *key_path, struct cert_pair *ret,
		   struct err *err)
{
	AUTO(cert_pair_done) struct cert_pair pair = {0};

	pair.cert = load(cert_path, err);
	if (!pair.cert)
		return err_wrap(err, "certificate");
	pair.key = load(key_path, err);
	if (!pair.key)
		return err_wrap(err, "private key");
	*ret = cert_pair_take(&pair);
	return 0;
}

int cert_pair_save(const struct cert_pair *pair, const char *cert_path, const char *key_path,
		   struct err *err)
{
	if (fd_write_file(key_path, pair->key, strlen(pair->key), 0600, err) < 0)
		return err_wrap(err, "private key");
	if (fd_write_file(cert_path, pair->cert, strlen(pair->cert), 0644, err) < 0)
		return err_wrap(err, "certificate");
	return 0;
}

/* ---- reading a certificate ---- */

void cert_info_done(struct cert_info *info)
{
	for (size_t i = 0; i < info->group_count; i++)
		mem_free(info->groups[i]);
	for (size_t i = 0; i < info->host_count; i++)
		mem_free(info->hosts[i]);
	mem_free(info->groups);
	mem_free(info->hosts);
	mem_free(info->subject);
	mem_free(info->issuer);
	mem_free(info->serial);
	mem_free(info->name);
	*info = (struct cert_info){0};
}

static char *name_text(const X509_NAME *name)
{
	const unsigned long flags = XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
	AUTO(BIO_free_all) BIO *bio = BIO_new(BIO_s_mem());

	if (!bio || X509_NAME_print_ex(bio, name, 0, flags) < 0) {
		ERR_clear_error();
		return mem_strdup("?");
	}
	return pem_take_text(bio);
}

static void append(char ***texts, size_t *count, char *text)
{
	*texts = mem_realloc(*texts, *count + 1, sizeof(**texts));
	(*texts)[(*count)++] = text;
}

/* A text of the certificate as UTF-8, or NULL if it is not text. */
static char *string_text(const ASN1_STRING *string)
{
	unsigned char *bytes = NULL;
	int len = ASN1_STRING_to_UTF8(&bytes, string);
	struct str text = str_of((char *)bytes, len > 0 ? (size_t)len : 0);
	char *copy = NULL;

	if (len < 0)
		ERR_clear_error();
	else if (str_find_byte(text, '\0', 0) < 0 && str_is_utf8(text))
		copy = str_dup(text);
	OPENSSL_free(bytes);
	return copy;
}

static int read_subject(X509 *x509, struct cert_info *info, struct err *err)
{
	const X509_NAME *subject = X509_get_subject_name(x509);

	for (int i = 0; i < X509_NAME_entry_count(subject); i++) {
		const X509_NAME_ENTRY *entry = X509_NAME_get_entry(subject, i);
		int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
		char *text = NULL;

		if (nid != NID_commonName && nid != NID_organizationName)
			continue;
		text = string_text(X509_NAME_ENTRY_get_data(entry));
		if (!text)
			return err_set(err, ERR_INVALID, "subject %s: %s is not a text",
				       info->subject, OBJ_nid2sn(nid));
		if (nid == NID_organizationName) {
			append(&info->groups, &info->group_count, text);
			continue;
		}
		mem_free(info->name);
		info->name = text;
	}
	if (!info->name)
		info->name = mem_strdup("");
	return 0;
}

static char *host_text(const GENERAL_NAME *name)
{
	char address[INET6_ADDRSTRLEN];
	int len = 0;

	if (name->type == GEN_DNS)
		return string_text(name->d.dNSName);
	len = ASN1_STRING_length(name->d.iPAddress);
	if (len != 4 && len != 16)
		return NULL;
	if (!inet_ntop(len == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress),
		       address, sizeof(address)))
		return NULL;
	return mem_strdup(address);
}

static int read_hosts(X509 *x509, struct cert_info *info, struct err *err)
{
	int critical = 0;
	AUTO(GENERAL_NAMES_free)
	GENERAL_NAMES *names = X509_get_ext_d2i(x509, NID_subject_alt_name, &critical, NULL);

	if (!names && critical != -1)
		return pem_err(err, ERR_INVALID, "subject %s: the alternative names cannot be read",
			       info->subject);
	ERR_clear_error();
	for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
		const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
		char *text = NULL;

		if (name->type != GEN_DNS && name->type != GEN_IPADD)
			continue;
		text = host_text(name);
		if (!text)
			return err_set(err, ERR_INVALID,
				       "subject %s: alternative name %d is neither a host name nor "
				       "an address",
				       info->subject, i + 1);
		append(&info->hosts, &info->host_count, text);
	}
	return 0;
}

static int read_time(const ASN1_TIME *from, int64_t *ret)
{
	struct tm tm = {0};
	struct time_fields fields = {0};

	if (!ASN1_TIME_to_tm(from, &tm))
		return -1;
	fields.year = tm.tm_year + 1900;
	fields.month = tm.tm_mon + 1;
	fields.day = tm.tm_mday;
	fields.hour = tm.tm_hour;
	fields.minute = tm.tm_min;
	fields.second = tm.tm_sec;
	if (fields.year < 1)
		return -1;
	*ret = time_join(&fields);
	return 0;
}

static int read_dates(const X509 *x509, struct cert_info *info, struct err *err)
{
	if (read_time(X509_get0_notBefore(x509), &info->not_before) < 0 ||
	    read_time(X509_get0_notAfter(x509), &info->not_after) < 0)
		return pem_err(err, ERR_INVALID, "subject %s: the dates cannot be read",
			       info->subject);
	return 0;
}

static char *serial_text(const X509 *x509)
{
	AUTO(BN_free) BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(x509), NULL);
	char *hex = number ? BN_bn2hex(number) : NULL;
	char *text = mem_strdup(hex ? hex : "");

	OPENSSL_free(hex);
	ERR_clear_error();
	return text;
}

int cert_info_of(struct x509_st *x509, struct cert_info *ret, struct err *err)
{
	struct cert_info info = {0};

	info.subject = name_text(X509_get_subject_name(x509));
	info.issuer = name_text(X509_get_issuer_name(x509));
	info.serial = serial_text(x509);
	info.is_ca = X509_check_ca(x509) == 1;
	ERR_clear_error();
	if (read_subject(x509, &info, err) < 0 || read_hosts(x509, &info, err) < 0 ||
	    read_dates(x509, &info, err) < 0) {
		cert_info_done(&info);
		return -1;
	}
	*ret = info;
	return 0;
}

int cert_info_parse(struct str pem, struct cert_info *ret, struct err *err)
{
	AUTO(X509_free) X509 *x509 = pem_read_cert(pem, err);

	return x509 ? cert_info_of(x509, ret, err) : -1;
}

bool cert_has_host(struct str pem, const char *host)
{
	AUTO(X509_free) X509 *x509 = pem_read_cert(pem, NULL);
	unsigned char address[sizeof(struct in6_addr)];
	bool has = false;

	if (!x509 || host[0] == '\0')
		return false;
	if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
		has = X509_check_ip_asc(x509, host, 0) == 1;
	else
		has = X509_check_host(x509, host, 0, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL) ==
		      1;
	ERR_clear_error();
	return has;
}

/* ---- checking a certificate ---- */

static int check_dates(X509 *x509, int64_t now, struct err *err)
{
	AUTO(cert_info_done) struct cert_info info = {0};
	char then[TIME_TEXT_SIZE], today[TIME_TEXT_SIZE];

	if (cert_info_of(x509, &info, err) < 0)
		return -1;
	if (now < info.not_before)
		return err_set(err, ERR_INVALID,
			       "the certificate of %s is not valid before %s; the time is %s",
			       info.subject, time_print(info.not_before, then),
			       time_print(now, today));
	if (now >= info.not_after)
		return err_set(err, ERR_INVALID,
			       "the certificate of %s expired at %s; the time is %s", info.subject,
			       time_print(info.not_after, then), time_print(now, today));
	return 0;
}

static int check_key(X509 *leaf, struct str pem, struct err *err)
{
	AUTO(EVP_PKEY_free) EVP_PKEY *key = pem_read_key(pem, err);

	if (!key)
		return -1;
	if (X509_check_private_key(leaf, key) == 1)
		return 0;
	return err_set(err, ERR_INVALID, "the private key does not belong to the certificate");
}

static X509_STORE *new_store(struct str ca, struct err *err)
{
	AUTO(pem_certs_free) pem_certs *anchors = pem_read_certs(ca, err);
	AUTO(X509_STORE_free) X509_STORE *store = NULL;

	if (!anchors) {
		(void)err_wrap(err, "CA");
		return NULL;
	}
	store = X509_STORE_new();
	for (int i = 0; store && i < sk_X509_num(anchors); i++) {
		if (!X509_STORE_add_cert(store, sk_X509_value(anchors, i))) {
			(void)pem_err(err, ERR_INTERNAL, "CA");
			return NULL;
		}
	}
	return TAKE(store);
}

static int verify(X509_STORE_CTX *ctx, const struct cert_check *check, struct err *err)
{
	static const int purposes[] = {[CERT_USE_ANY] = X509_PURPOSE_ANY,
				       [CERT_USE_SERVER] = X509_PURPOSE_SSL_SERVER,
				       [CERT_USE_CLIENT] = X509_PURPOSE_SSL_CLIENT};
	X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(ctx);
	AUTO(mem_free) char *where = NULL;
	X509 *culprit = NULL;

	X509_VERIFY_PARAM_set_time(param, (time_t)(check->now / TIME_SECOND));
	(void)X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
	(void)X509_VERIFY_PARAM_set_purpose(param, purposes[check->use]);
	if (X509_verify_cert(ctx) == 1)
		return 0;
	culprit = X509_STORE_CTX_get_current_cert(ctx);
	where = culprit ? name_text(X509_get_subject_name(culprit)) : mem_strdup("?");
	return err_set(err, ERR_INVALID, "the certificate is not signed by the CA: %s: %s", where,
		       X509_verify_cert_error_string(X509_STORE_CTX_get_error(ctx)));
}

static int check_all(const struct cert_check *check, struct err *err)
{
	AUTO(pem_certs_free) pem_certs *chain = pem_read_certs(check->cert, err);
	AUTO(X509_STORE_free) X509_STORE *store = NULL;
	AUTO(X509_STORE_CTX_free) X509_STORE_CTX *ctx = NULL;

	if (!chain)
		return -1;
	if (!str_is_none(check->key) && check_key(sk_X509_value(chain, 0), check->key, err) < 0)
		return -1;
	for (int i = 0; i < sk_X509_num(chain); i++)
		if (check_dates(sk_X509_value(chain, i), check->now, err) < 0)
			return -1;
	if (str_is_none(check->ca))
		return 0;
	store = new_store(check->ca, err);
	if (!store)
		return -1;
	ctx = X509_STORE_CTX_new();
	if (!ctx || !X509_STORE_CTX_init(ctx, store, sk_X509_value(chain, 0), chain))
		return pem_err(err, ERR_INTERNAL, "checking a certificate");
	return verify(ctx, check, err);
}

int cert_check(const struct cert_check *check, struct err *err)
{
	int result = check_all(check, err);

	ERR_clear_error(); /* a successful check may also leave errors in the queue */
	return result;
}

/* ---- what others ask for and issue ---- */

/* A block of PEM. */
struct block {
	char *name;
	char *header;
	unsigned char *data;
	long len;
};

static void block_done(struct block *block)
{
	OPENSSL_free(block->name);
	OPENSSL_free(block->header);
	OPENSSL_free(block->data);
}
DEFINE_AUTO_IN_PLACE(struct block, block_done);

static bool read_block(BIO *bio, struct block *block)
{
	bool found = PEM_read_bio(bio, &block->name, &block->header, &block->data, &block->len) > 0;

	ERR_clear_error();
	return found;
}

static bool is_named(const struct block *block, const char *name)
{
	return block->name && strcmp(block->name, name) == 0;
}

int cert_check_request(struct str pem, struct err *err)
{
	AUTO(BIO_free_all) BIO *bio = pem_open(pem, err);
	AUTO(block_done) struct block block = {0};
	AUTO(X509_REQ_free) X509_REQ *request = NULL;
	const unsigned char *data;

	if (!bio)
		return -1;
	if (!read_block(bio, &block) ||
	    (!is_named(&block, PEM_STRING_X509_REQ) && !is_named(&block, PEM_STRING_X509_REQ_OLD)))
		return err_set(err, ERR_INVALID, "PEM block type must be CERTIFICATE REQUEST");
	data = block.data;
	request = d2i_X509_REQ(NULL, &data, block.len);
	if (!request || data != block.data + block.len)
		return pem_err(err, ERR_INVALID, "the request cannot be read");
	if (X509_REQ_verify(request, X509_REQ_get0_pubkey(request)) != 1)
		return pem_err(err, ERR_INVALID, "the request is not signed by its key");
	return 0;
}

static int check_issued(const struct block *block, struct err *err)
{
	const unsigned char *data = block->data;
	AUTO(X509_free) X509 *cert = NULL;

	if (!is_named(block, PEM_STRING_X509))
		return err_set(err, ERR_INVALID,
			       "only CERTIFICATE PEM blocks are allowed, found \"%s\"",
			       block->name);
	if (block->header && block->header[0])
		return err_set(err, ERR_INVALID, "no PEM block headers are permitted");
	cert = d2i_X509(NULL, &data, block->len);
	if (!cert)
		return pem_err(err, ERR_INVALID, "the certificate cannot be read");
	return 0;
}

int cert_check_issued(struct str pem, struct err *err)
{
	AUTO(BIO_free_all) BIO *bio = pem_open(pem, err);
	size_t count = 0;

	if (!bio)
		return -1;
	for (;; count++) {
		AUTO(block_done) struct block block = {0};

		if (!read_block(bio, &block))
			break;
		if (check_issued(&block, err) < 0)
			return -1;
	}
	if (count == 0)
		return err_set(err, ERR_INVALID, "must contain at least one CERTIFICATE PEM block");
	return 0;
}
