/* SPDX-License-Identifier: Apache-2.0 */
#include "http/cert.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/pem.h"
#include "tap.h"

#define NOW INT64_C(1800000000000000) /* 2027-01-15T08:00:00Z */
#define YEAR (365 * TIME_DAY)

static const char *const groups[] = {"system:masters", "Größe & Co"};
static const char *const hosts[] = {"localhost", "*.svc.cluster.local", "127.0.0.1", "::1",
				    "fd00:1:2::ff"};

/* What most tests share: a CA, a server, a client, and another CA. */
struct fixture {
	struct cert_pair ca, server, client, other;
};

static void setup(struct fixture *f)
{
	struct cert_request ca = {.name = "test-ca", .now = NOW, .lifetime = 10 * YEAR};
	struct cert_request server = {.name = "apiserver",
				      .hosts = hosts,
				      .host_count = ARRAY_LEN(hosts),
				      .now = NOW,
				      .lifetime = YEAR};
	struct cert_request client = {.name = "admin",
				      .groups = groups,
				      .group_count = ARRAY_LEN(groups),
				      .now = NOW,
				      .lifetime = YEAR};
	struct err err = {0};

	ok(cert_new_ca(&ca, &f->ca, &err) == 0, "a CA is made %s", err.text);
	ok(cert_new_ca(&ca, &f->other, &err) == 0, "and another of the same name %s", err.text);
	ok(cert_new_server(&f->ca, &server, &f->server, &err) == 0, "a server's %s", err.text);
	ok(cert_new_client(&f->ca, &client, &f->client, &err) == 0, "a client's %s", err.text);
}

static void teardown(struct fixture *f)
{
	cert_pair_done(&f->ca);
	cert_pair_done(&f->server);
	cert_pair_done(&f->client);
	cert_pair_done(&f->other);
}

static void test_info(const struct fixture *f)
{
	AUTO(cert_info_done) struct cert_info ca = {0};
	AUTO(cert_info_done) struct cert_info server = {0};
	AUTO(cert_info_done) struct cert_info client = {0};
	struct err err = {0};

	ok(cert_info_parse(str_from(f->ca.cert), &ca, &err) == 0, "the CA is read %s", err.text);
	ok(ca.is_ca && ca.group_count == 0 && ca.host_count == 0, "it is a CA");
	is(ca.subject, "CN=test-ca");
	is(ca.issuer, "CN=test-ca");
	ok(strlen(ca.serial) == 32, "its serial number has 16 bytes: %s", ca.serial);

	ok(cert_info_parse(str_from(f->server.cert), &server, &err) == 0, "the server is read %s",
	   err.text);
	ok(!server.is_ca && server.host_count == ARRAY_LEN(hosts), "it has %zu hosts",
	   server.host_count);
	for (size_t i = 0; i < server.host_count; i++)
		is(server.hosts[i], hosts[i]);
	ok(server.not_before == NOW - CERT_BACKDATE && server.not_after == NOW + YEAR,
	   "it is valid from a little before to a year after");
	is(server.issuer, "CN=test-ca");

	ok(cert_info_parse(str_from(f->client.cert), &client, &err) == 0, "the client is read %s",
	   err.text);
	is(client.name, "admin");
	ok(client.group_count == 2, "two groups");
	is(client.groups[0], groups[0]);
	is(client.groups[1], groups[1]);
	is(client.subject, "CN=admin,O=Größe & Co,O=system:masters");
	ok(strcmp(client.serial, server.serial) != 0, "serial numbers differ");
}

static void test_hosts(const struct fixture *f)
{
	static const struct {
		const char *host;
		bool has;
	} rows[] = {
		{"localhost", true},
		{"LOCALHOST", true},
		{"a.svc.cluster.local", true},
		{"a.b.svc.cluster.local", false},
		{"svc.cluster.local", false},
		{"apiserver", false}, /* the common name does not count */
		{"127.0.0.1", true},
		{"127.0.0.2", false},
		{"::1", true},
		{"0:0:0:0:0:0:0:1", true},
		{"fd00:1:2::fe", false},
		{"", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ok(cert_has_host(str_from(f->server.cert), rows[i].host) == rows[i].has,
		   "\"%s\" is %s host of it", rows[i].host, rows[i].has ? "a" : "no");
	ok(!cert_has_host(STR("nothing"), "localhost"), "what is no certificate has none");
}

static void test_check(const struct fixture *f)
{
	struct str ca = str_from(f->ca.cert), other = str_from(f->other.cert);
	struct str server = str_from(f->server.cert), client = str_from(f->client.cert);
	struct str server_key = str_from(f->server.key), client_key = str_from(f->client.key);
	AUTO(mem_free) char *bundle = mem_printf("%s# and\n%s", f->other.cert, f->ca.cert);
	const struct {
		struct cert_check check;
		const char *wrong; /* part of the error, NULL: it fits */
	} rows[] = {
		{{server, server_key, ca, NOW, CERT_USE_SERVER}, NULL},
		{{server, server_key, ca, NOW, CERT_USE_ANY}, NULL},
		{{server, server_key, str_none(), NOW, CERT_USE_ANY}, NULL},
		{{server, str_none(), str_none(), NOW, CERT_USE_ANY}, NULL},
		{{client, client_key, ca, NOW, CERT_USE_CLIENT}, NULL},
		{{client, client_key, str_from(bundle), NOW, CERT_USE_CLIENT}, NULL},
		{{client, client_key, client, NOW, CERT_USE_CLIENT}, NULL}, /* its own anchor */
		{{server, server_key, ca, NOW - CERT_BACKDATE, CERT_USE_SERVER}, NULL},
		{{server, server_key, ca, NOW + YEAR - 1, CERT_USE_SERVER}, NULL},
		{{server, client_key, ca, NOW, CERT_USE_SERVER}, "key does not belong"},
		{{server, server_key, other, NOW, CERT_USE_SERVER}, "is not signed by the CA"},
		{{server, server_key, ca, NOW, CERT_USE_CLIENT}, "purpose"},
		{{client, client_key, ca, NOW, CERT_USE_SERVER}, "purpose"},
		{{server, server_key, ca, NOW - TIME_DAY, CERT_USE_SERVER},
		 "CN=apiserver is not valid before 2027-01-15T07:55:00Z; the time is "
		 "2027-01-14T08:00:00Z"},
		{{server, server_key, ca, NOW + YEAR, CERT_USE_SERVER},
		 "CN=apiserver expired at 2028-01-15T08:00:00Z; the time is 2028-01-15T08:00:00Z"},
		{{ca, str_none(), ca, NOW + 11 * YEAR, CERT_USE_ANY}, "expired"},
		{{STR(""), server_key, ca, NOW, CERT_USE_ANY}, "no certificate"},
		{{server_key, server_key, ca, NOW, CERT_USE_ANY}, "no certificate"},
		{{server, server, ca, NOW, CERT_USE_ANY}, "no readable private key"},
		{{server, server_key, STR("x"), NOW, CERT_USE_ANY}, "CA: there is no certificate"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = {0};
		int result = cert_check(&rows[i].check, &err);

		if (!rows[i].wrong)
			ok(result == 0, "row %zu fits %s", i, err.text);
		else
			ok(result < 0 && err.code == ERR_INVALID && strstr(err.text, rows[i].wrong),
			   "row %zu does not: %s", i, err.text);
		ok(ERR_peek_error() == 0, "and leaves nothing in OpenSSL's queue");
	}
}

static void test_requests(const struct fixture *f)
{
	static const char *const bad_host[] = {"ok.example", "not a host"};
	static const char *const empty_host[] = {""};
	static const char *const dots[] = {"a..b"};
	static const char *const star[] = {"a.*.b"};
	static const char *const bad_group[] = {"good", "bad\xff"};
	static const char *const no_group[] = {""};
	static const struct {
		struct cert_request request;
		const char *wrong;
	} rows[] = {
		{{.name = NULL, .now = NOW, .lifetime = YEAR}, "name: must not be empty"},
		{{.name = "", .now = NOW, .lifetime = YEAR}, "name: must not be empty"},
		{{.name = "\xc0\x80", .now = NOW, .lifetime = YEAR}, "name: is not UTF-8"},
		{{.name = "a", .now = NOW, .lifetime = 0}, "lifetime"},
		{{.name = "a", .now = 0, .lifetime = YEAR}, "lifetime"},
		{{.name = "a", .now = NOW, .lifetime = INT64_MAX}, "lifetime"},
		{{.name = "a", .now = NOW, .lifetime = 8000 * YEAR}, "lifetime"},
		{{.name = "a", .hosts = bad_host, .host_count = 2, .now = NOW, .lifetime = YEAR},
		 "hosts[1]: \"not a host\""},
		{{.name = "a", .hosts = empty_host, .host_count = 1, .now = NOW, .lifetime = YEAR},
		 "hosts[0]: \"\""},
		{{.name = "a", .hosts = dots, .host_count = 1, .now = NOW, .lifetime = YEAR},
		 "hosts[0]: \"a..b\""},
		{{.name = "a", .hosts = star, .host_count = 1, .now = NOW, .lifetime = YEAR},
		 "hosts[0]: \"a.*.b\""},
		{{.name = "a", .groups = bad_group, .group_count = 2, .now = NOW, .lifetime = YEAR},
		 "groups[1]: is not UTF-8"},
		{{.name = "a", .groups = no_group, .group_count = 1, .now = NOW, .lifetime = YEAR},
		 "groups[0]: must not be empty"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct cert_pair pair = {0};
		struct err err = {0};

		ok(cert_new_client(&f->ca, &rows[i].request, &pair, &err) < 0 &&
			   err.code == ERR_INVALID && strstr(err.text, rows[i].wrong),
		   "refused: %s", err.text);
		ok(cert_new_ca(&rows[i].request, &pair, &err) < 0 && !pair.cert && !pair.key,
		   "for a CA as well, and nothing is made");
	}
}

static void test_issuers(const struct fixture *f)
{
	struct cert_request ask = {.name = "x", .now = NOW, .lifetime = YEAR};
	struct cert_pair none = {0};
	struct cert_pair mixed = {.cert = f->ca.cert, .key = f->other.key};
	struct err err = {0};

	ok(cert_new_server(&f->ca, &ask, &none, &err) < 0 && strstr(err.text, "hosts"),
	   "a server needs a host: %s", err.text);
	ok(cert_new_client(&f->client, &ask, &none, &err) < 0 &&
		   strstr(err.text, "not one of a CA"),
	   "a client cannot sign: %s", err.text);
	ok(cert_new_client(&mixed, &ask, &none, &err) < 0 && strstr(err.text, "does not belong"),
	   "nor can a CA with a wrong key: %s", err.text);
	ask.now = NOW + 11 * YEAR;
	ok(cert_new_client(&f->ca, &ask, &none, &err) < 0 && strstr(err.text, "CA: ") &&
		   strstr(err.text, "expired"),
	   "nor one that has expired: %s", err.text);
}

/* Nothing outlives its CA, or was valid before it. */
static void test_dates(const struct fixture *f)
{
	struct cert_request ask = {.name = "x", .now = NOW, .lifetime = 50 * YEAR};
	AUTO(cert_pair_done) struct cert_pair pair = {0};
	AUTO(cert_pair_done) struct cert_pair far = {0};
	AUTO(cert_info_done) struct cert_info info = {0};
	AUTO(cert_info_done) struct cert_info far_info = {0};
	struct err err = {0};

	ok(cert_new_client(&f->ca, &ask, &pair, &err) == 0 &&
		   cert_info_parse(str_from(pair.cert), &info, &err) == 0,
	   "50 years are asked of a CA with 10 %s", err.text);
	ok(info.not_after == NOW + 10 * YEAR && info.not_before == NOW - CERT_BACKDATE,
	   "and 10 are given");
	ok(cert_new_ca(&ask, &far, &err) == 0 &&
		   cert_info_parse(str_from(far.cert), &far_info, &err) == 0 &&
		   far_info.not_after == NOW + 50 * YEAR,
	   "dates after 2050 are kept %s", err.text);
}

/* A name far longer than RFC 5280 has it: what a service account may have. */
static void test_long_name(const struct fixture *f)
{
	AUTO(cert_pair_done) struct cert_pair pair = {0};
	AUTO(cert_info_done) struct cert_info info = {0};
	char name[1026];
	struct cert_request ask = {.name = name, .now = NOW, .lifetime = YEAR};
	struct err err = {0};

	memset(name, 'n', sizeof(name));
	name[1025] = '\0';
	ok(cert_new_client(&f->ca, &ask, &pair, &err) < 0, "1,025 bytes are too many: %s",
	   err.text);
	name[1024] = '\0';
	ok(cert_new_client(&f->ca, &ask, &pair, &err) == 0 &&
		   cert_info_parse(str_from(pair.cert), &info, &err) == 0 &&
		   strcmp(info.name, name) == 0,
	   "1,024 come back %s", err.text);
}

/* ---- certificates that were not made here ---- */

static char *print(X509 *x509)
{
	struct err err = {0};
	char *pem = pem_print_cert(x509, &err);

	return pem ? pem : mem_strdup("");
}

/* A certificate whose name OpenSSL would not write: one with a name of q's, changed afterwards. The
 * signature is wrong then, but it is checked only after the name. */
static char *forge(const struct fixture *f, const char *name, size_t len, int type)
{
	AUTO(X509_free) X509 *x509 = pem_read_cert(str_from(f->client.cert), NULL);
	AUTO(BIO_free_all) BIO *bio = BIO_new(BIO_s_mem());
	X509_NAME *subject = X509_NAME_new();
	unsigned char *der = NULL, *place = NULL;
	char dummy[32];
	int der_len = 0;

	memset(dummy, 'q', sizeof(dummy));
	X509_NAME_add_entry_by_NID(subject, NID_commonName, V_ASN1_UTF8STRING,
				   (const unsigned char *)"first", -1, -1, 0);
	X509_NAME_add_entry_by_NID(subject, NID_commonName, V_ASN1_UTF8STRING,
				   (const unsigned char *)dummy, (int)len, -1, 0);
	X509_set_subject_name(x509, subject);
	X509_NAME_free(subject);
	der_len = i2d_re_X509_tbs(x509, NULL) > 0 ? i2d_X509(x509, &der) : 0;
	place = der ? memmem(der, (size_t)der_len, dummy, len) : NULL;
	if (place) {
		memcpy(place, name, len);
		place[-2] = (unsigned char)type;
	}
	PEM_write_bio(bio, "CERTIFICATE", "", der, der_len);
	OPENSSL_free(der);
	return pem_take_text(bio);
}

static void test_forged(const struct fixture *f)
{
	static const struct {
		const char *name;
		size_t len;
		int type;
		const char *want; /* NULL: refused */
	} rows[] = {
		{"last", 4, V_ASN1_UTF8STRING, "last"},
		{"admin\0.evil", 11, V_ASN1_UTF8STRING, NULL},
		{"\xff\xfe", 2, V_ASN1_UTF8STRING, NULL},
		{"caf\xe9", 4, V_ASN1_T61STRING, "caf\xc3\xa9"},
		{"\0a\0d", 4, V_ASN1_BMPSTRING, "ad"},
		{"odd", 3, V_ASN1_BMPSTRING, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free) char *pem = forge(f, rows[i].name, rows[i].len, rows[i].type);
		AUTO(cert_info_done) struct cert_info info = {0};
		struct err err = {0};
		int result = cert_info_parse(str_from(pem), &info, &err);

		if (rows[i].want)
			is(info.name, rows[i].want);
		else
			ok(result < 0 && err.code == ERR_INVALID && !info.name, "refused: %s",
			   err.text);
		ok(ERR_peek_error() == 0, "and leaves nothing in OpenSSL's queue");
	}
}

/* A CA between the root and a client: the client's PEM carries it. */
static void test_chain(const struct fixture *f)
{
	struct cert_request ask = {.name = "deep", .now = NOW, .lifetime = YEAR};
	AUTO(cert_pair_done) struct cert_pair middle = {0};
	AUTO(cert_pair_done) struct cert_pair leaf = {0};
	AUTO(X509_free) X509 *x509 = NULL;
	AUTO(X509_free) X509 *root = pem_read_cert(str_from(f->ca.cert), NULL);
	AUTO(EVP_PKEY_free) EVP_PKEY *key = pem_read_key(str_from(f->ca.key), NULL);
	struct err err = {0};
	struct cert_check check = {.ca = str_from(f->ca.cert), .now = NOW, .use = CERT_USE_CLIENT};

	ok(cert_new_ca(&(struct cert_request){.name = "mid", .now = NOW, .lifetime = YEAR}, &middle,
		       &err) == 0,
	   "a CA %s", err.text);
	x509 = pem_read_cert(str_from(middle.cert), NULL);
	X509_set_issuer_name(x509, X509_get_subject_name(root));
	X509_sign(x509, key, EVP_sha256());
	mem_free(middle.cert);
	middle.cert = print(x509);
	ok(cert_new_client(&middle, &ask, &leaf, &err) == 0, "signed by another signs a client %s",
	   err.text);
	check.cert = str_from(leaf.cert);
	check.key = str_from(leaf.key);
	ok(cert_check(&check, &err) == 0, "whose chain leads to the root %s", err.text);
	check.ca = str_from(middle.cert);
	ok(cert_check(&check, &err) == 0, "and to the one between %s", err.text);
	check.ca = str_from(f->other.cert);
	ok(cert_check(&check, &err) < 0, "but nowhere else: %s", err.text);
}

static void test_keys(const struct fixture *f)
{
	AUTO(BIO_free_all) BIO *encrypted = BIO_new(BIO_s_mem());
	AUTO(mem_free) char *encrypted_text = NULL;
	AUTO(cert_pair_done) struct cert_pair signed_by_ed = {0};
	AUTO(cert_pair_done) struct cert_pair ed = {0};
	AUTO(EVP_PKEY_free) EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	AUTO(X509_free) X509 *x509 = pem_read_cert(str_from(f->ca.cert), NULL);
	struct cert_request ask = {.name = "x", .now = NOW, .lifetime = YEAR};
	struct cert_check check = {.cert = str_from(f->server.cert), .now = NOW};
	const size_t size = 5000000;
	AUTO(mem_free) char *huge = mem_zalloc(size);
	struct err err = {0};

	ok(str_starts(str_from(f->server.key), STR("-----BEGIN PRIVATE KEY-----\n")),
	   "keys are PKCS#8");
	PEM_write_bio_PKCS8PrivateKey(encrypted, key, EVP_aes_128_cbc(), "word", 4, NULL, NULL);
	encrypted_text = pem_take_text(encrypted);
	check.key = str_from(encrypted_text);
	ok(cert_check(&check, &err) < 0 && strstr(err.text, "encrypted"), "%s", err.text);
	check.cert = str_of(huge, size);
	ok(cert_check(&check, &err) < 0 && err.code == ERR_TOO_LARGE, "%s", err.text);

	X509_set_pubkey(x509, key);
	X509_sign(x509, key, NULL);
	ed.cert = print(x509);
	ed.key = pem_print_key(key, &err);
	ok(cert_new_client(&ed, &ask, &signed_by_ed, &err) == 0,
	   "a CA with an Ed25519 key signs as well %s", err.text);
}

static void test_files(const struct fixture *f)
{
	char dir[] = "/tmp/test-cert.XXXXXX";
	AUTO(cert_pair_done) struct cert_pair pair = {0};
	AUTO(mem_free) char *cert = NULL;
	AUTO(mem_free) char *key = NULL;
	struct stat st = {0};
	struct err err = {0};

	ok(mkdtemp(dir) != NULL, "a folder");
	cert = mem_printf("%s/tls.crt", dir);
	key = mem_printf("%s/tls.key", dir);
	ok(cert_pair_load(cert, key, &pair, &err) < 0 && err.code == ERR_NOT_FOUND,
	   "nothing to load yet: %s", err.text);
	ok(cert_pair_save(&f->server, cert, key, &err) == 0, "saved %s", err.text);
	ok(stat(key, &st) == 0 && (st.st_mode & 07777) == 0600, "the key is its owner's only");
	ok(cert_pair_load(cert, key, &pair, &err) == 0, "loaded %s", err.text);
	is(pair.cert, f->server.cert);
	ok(strcmp(pair.key, f->server.key) == 0, "the key is the same");
	(void)unlink(key);
	ok(cert_pair_load(cert, key, &pair, &err) < 0 && strstr(err.text, "private key: "),
	   "no key: %s", err.text);
	(void)unlink(cert);
	(void)rmdir(dir);
	ok(cert_pair_save(&f->server, cert, key, &err) < 0, "no folder: %s", err.text);
}

/* ---- what others ask for and issue ---- */

static const char request_pem[] =
	"-----BEGIN CERTIFICATE REQUEST-----\n"
	"MIHWMH8CAQAwHTENMAsGA1UEAwwEamFuZTEMMAoGA1UECgwDZGV2MFkwEwYHKoZI\n"
	"zj0CAQYIKoZIzj0DAQcDQgAElxIzRCLsINxHh3h4/7asO0fWyYNKESwpGCRn6KM7\n"
	"tUaL6HjFu2hP880YuPORQwGL2Asf5kFJEePHkMCtBaJAnKAAMAoGCCqGSM49BAMC\n"
	"A0cAMEQCIDZDoR3KTurOR+D/uIEfieq8DjxuDL35sYb5zXo+cQV6AiBI4Otj9rUj\n"
	"jO5YjlgQz0Q37sqXkmW2AjXFAGojxvNyJQ==\n"
	"-----END CERTIFICATE REQUEST-----\n";

static void test_others(const struct fixture *f)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;

	ok(cert_check_request(str_from(request_pem), &err) == 0,
	   "a request that its key has signed");
	buf_puts(&text, request_pem);
	text.ptr[text.len - 60] = text.ptr[text.len - 60] == 'A' ? 'B' : 'A';
	ok(cert_check_request(buf_str(&text), &err) < 0 && err.code == ERR_INVALID,
	   "one that was changed: %s", err.text);
	ok(cert_check_request(STR("a"), &err) < 0, "no PEM");
	is(err.text, "PEM block type must be CERTIFICATE REQUEST");
	ok(cert_check_request(str_from(f->ca.cert), &err) < 0, "a certificate is no request");
	ok(cert_check_issued(str_from(f->ca.cert), &err) == 0, "a certificate");
	ok(cert_check_issued(STR(""), &err) < 0, "none");
	is(err.text, "must contain at least one CERTIFICATE PEM block");
	ok(cert_check_issued(str_from(request_pem), &err) < 0, "a request is no certificate");
	is(err.text, "only CERTIFICATE PEM blocks are allowed, found \"CERTIFICATE REQUEST\"");
	ok(cert_check_issued(STR("-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n"),
			     &err) < 0,
	   "bytes that are none: %s", err.text);
}

int main(void)
{
	struct fixture f = {0};
	struct cert_pair none = {0};
	struct cert_info nothing = {0};

	setup(&f);
	test_info(&f);
	test_hosts(&f);
	test_check(&f);
	test_requests(&f);
	test_issuers(&f);
	test_dates(&f);
	test_long_name(&f);
	test_forged(&f);
	test_chain(&f);
	test_keys(&f);
	test_files(&f);
	test_others(&f);
	teardown(&f);
	cert_pair_done(&none);
	cert_info_done(&nothing);
	ok(true, "freeing nothing is fine");
	return tap_done();
}
