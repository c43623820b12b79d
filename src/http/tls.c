/* SPDX-License-Identifier: Apache-2.0 */
/* http/tls.c - builds OpenSSL contexts from PEM text.
 *
 * A struct tls is immutable and counted; each connection's SSL object keeps its context itself; the
 * count is for code that makes new connections. */
#include "http/tls.h"

#include <assert.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/mem.h"
#include "http/stream_internal.h"

#include "base/banned.h"

struct tls {
	SSL_CTX *context;
	BIO_METHOD *method;
	size_t refs;
	bool server;
	bool insecure;
	enum tls_alpn alpn;
	char *server_name; /* NULL: none */
};

static void free_context(SSL_CTX *context)
{
	SSL_CTX_free(context);
}
DEFINE_AUTO(SSL_CTX *, free_context);

static void free_bio(BIO *bio)
{
	BIO_free(bio);
}
DEFINE_AUTO(BIO *, free_bio);

static void free_x509(X509 *certificate)
{
	X509_free(certificate);
}
DEFINE_AUTO(X509 *, free_x509);

static void free_key(EVP_PKEY *key)
{
	EVP_PKEY_free(key);
}
DEFINE_AUTO(EVP_PKEY *, free_key);

int tls_error(struct err *err, const char *context)
{
	unsigned long code = ERR_get_error();
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	return err_set(err, ERR_INVALID, "%s: %s", context, reason ? reason : "unknown TLS error");
}

/* Never asks anyone for a pass phrase. */
static int no_password(char *to, int size, int writing, void *arg)
{
	(void)to;
	(void)size;
	(void)writing;
	(void)arg;
	return -1;
}

static BIO *open_text(struct str pem)
{
	return pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
}

/* The end of a PEM file is reported as "no start line"; anything else is an error. */
static bool at_pem_end(void)
{
	unsigned long code = ERR_peek_last_error();

	if (ERR_GET_LIB(code) != ERR_LIB_PEM || ERR_GET_REASON(code) != PEM_R_NO_START_LINE)
		return false;
	ERR_clear_error();
	return true;
}

static int use_certificate(SSL_CTX *context, struct str pem, struct err *err)
{
	AUTO(free_bio) BIO *bio = open_text(pem);
	AUTO(free_x509) X509 *own = NULL;
	X509 *next;

	if (!bio)
		return tls_error(err, "certificate");
	own = PEM_read_bio_X509_AUX(bio, NULL, no_password, NULL);
	if (!own || SSL_CTX_use_certificate(context, own) != 1)
		return tls_error(err, "certificate");
	while ((next = PEM_read_bio_X509(bio, NULL, no_password, NULL)) != NULL) {
		if (SSL_CTX_add0_chain_cert(context, next) != 1) {
			X509_free(next);
			return tls_error(err, "certificate chain");
		}
	}
	return at_pem_end() ? 0 : tls_error(err, "certificate chain");
}

static int use_key(SSL_CTX *context, struct str pem, struct err *err)
{
	AUTO(free_bio) BIO *bio = open_text(pem);
	AUTO(free_key) EVP_PKEY *key = NULL;

	if (!bio)
		return tls_error(err, "private key");
	key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
	if (!key || SSL_CTX_use_PrivateKey(context, key) != 1 ||
	    SSL_CTX_check_private_key(context) != 1)
		return tls_error(err, "private key");
	return 0;
}

/* Trusts these authorities; a server also sends their names to its clients. */
static int use_authorities(SSL_CTX *context, struct str pem, bool announce, struct err *err)
{
	AUTO(free_bio) BIO *bio = open_text(pem);
	size_t count = 0;

	if (!bio)
		return tls_error(err, "certificate authorities");
	for (;; count++) {
		AUTO(free_x509) X509 *ca = PEM_read_bio_X509(bio, NULL, no_password, NULL);

		if (!ca)
			break;
		if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca) != 1 ||
		    (announce && SSL_CTX_add_client_CA(context, ca) != 1))
			return tls_error(err, "certificate authorities");
	}
	if (!at_pem_end())
		return tls_error(err, "certificate authorities");
	if (count == 0)
		return err_set(err, ERR_INVALID, "certificate authorities: no certificate found");
	return 0;
}

static const unsigned char *alpn_list(enum tls_alpn alpn, unsigned *ret_len)
{
	static const unsigned char any[] = "\x02h2\x08http/1.1";
	static const unsigned char http1[] = "\x08http/1.1";
	static const unsigned char http2[] = "\x02h2";

	switch (alpn) {
	case TLS_ALPN_HTTP1:
		*ret_len = sizeof(http1) - 1;
		return http1;
	case TLS_ALPN_HTTP2:
		*ret_len = sizeof(http2) - 1;
		return http2;
	default:
		*ret_len = sizeof(any) - 1;
		return any;
	}
}

static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
		       const unsigned char *in, unsigned in_len, void *arg)
{
	const struct tls *tls = arg;
	unsigned own_len;
	const unsigned char *own = alpn_list(tls->alpn, &own_len);

	(void)ssl;
	/* RFC 7301: without a common protocol the handshake ends. */
	if (SSL_select_next_proto((unsigned char **)out, out_len, own, own_len, in, in_len) !=
	    OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	return SSL_TLSEXT_ERR_OK;
}

/* Optional client certificates: a bad one gives no identity but does not end the connection.
 * SSL_get_verify_result() keeps the result. */
static int verify_but_go_on(X509_STORE_CTX *store, void *arg)
{
	(void)arg;
	if (X509_verify_cert(store) != 1 && X509_STORE_CTX_get_error(store) == X509_V_OK)
		X509_STORE_CTX_set_error(store, X509_V_ERR_UNSPECIFIED);
	return 1;
}

static int set_common(SSL_CTX *context, struct err *err)
{
	if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
	    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1)
		return tls_error(err, "TLS");
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
					  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
					     SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_num_tickets(context, 0);
	return 0;
}

static struct tls *finish(SSL_CTX *context, bool server, enum tls_alpn alpn)
{
	struct tls *tls = mem_new(struct tls);
	unsigned len;
	const unsigned char *list = alpn_list(alpn, &len);

	tls->context = context;
	tls->method = stream_tls_method();
	tls->refs = 1;
	tls->server = server;
	tls->alpn = alpn;
	if (server)
		SSL_CTX_set_alpn_select_cb(context, select_alpn, tls);
	else
		SSL_CTX_set_alpn_protos(context, list, len);
	return tls;
}

struct tls *tls_server_new(const struct tls_server_options *options, struct err *err)
{
	AUTO(free_context) SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	int mode = SSL_VERIFY_NONE;

	ERR_clear_error();
	if (!context || set_common(context, err) < 0 ||
	    use_certificate(context, options->certificate, err) < 0 ||
	    use_key(context, options->key, err) < 0)
		return NULL;
	if (options->clients != TLS_CLIENTS_NONE) {
		if (use_authorities(context, options->client_ca, true, err) < 0) {
			err_wrap(err, "for clients");
			return NULL;
		}
		mode = SSL_VERIFY_PEER;
	}
	if (options->clients == TLS_CLIENTS_REQUIRED)
		mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
	else if (options->clients == TLS_CLIENTS_OPTIONAL)
		SSL_CTX_set_cert_verify_callback(context, verify_but_go_on, NULL);
	SSL_CTX_set_verify(context, mode, NULL);
	return finish(TAKE(context), true, options->alpn);
}

struct tls *tls_client_new(const struct tls_client_options *options, struct err *err)
{
	AUTO(free_context) SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	struct tls *tls;

	ERR_clear_error();
	if (!context || set_common(context, err) < 0)
		return NULL;
	if (options->certificate.len && (use_certificate(context, options->certificate, err) < 0 ||
					 use_key(context, options->key, err) < 0)) {
		err_wrap(err, "of the client");
		return NULL;
	}
	if (options->ca.len) {
		if (use_authorities(context, options->ca, false, err) < 0)
			return NULL;
	} else if (SSL_CTX_set_default_verify_paths(context) != 1) {
		tls_error(err, "the system's certificate authorities");
		return NULL;
	}
	SSL_CTX_set_verify(context, options->insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
	tls = finish(TAKE(context), false, options->alpn);
	tls->insecure = options->insecure;
	if (options->server_name.len)
		tls->server_name = str_dup(options->server_name);
	return tls;
}

struct tls *tls_ref(struct tls *tls)
{
	tls->refs++;
	return tls;
}

void tls_unref(struct tls *tls)
{
	if (!tls)
		return;
	assert(tls->refs > 0);
	if (--tls->refs > 0)
		return;
	SSL_CTX_free(tls->context);
	BIO_meth_free(tls->method);
	mem_free(tls->server_name);
	mem_free(tls);
}

SSL_CTX *tls_context(const struct tls *tls)
{
	return tls->context;
}

BIO_METHOD *tls_bio_method(const struct tls *tls)
{
	return tls->method;
}

bool tls_is_server(const struct tls *tls)
{
	return tls->server;
}

struct str tls_server_name(const struct tls *tls)
{
	return str_from(tls->server_name);
}

bool tls_is_insecure(const struct tls *tls)
{
	return tls->insecure;
}
