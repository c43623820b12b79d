/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates stay good while the server runs: a year of virtual time, a day at a time; the CA's end;
 * a folder that cannot be written for a while; and, over HTTPS, new ones come into use while connections
 * that exist go on. */
#include "apiserver/auth/renewal.h"

#include <unistd.h>

#include "apiserver/test/https_client.h"
#include "base/fd.h"
#include "base/time.h"

#define START INT64_C(1767225600000000) /* 2026-01-01 */

struct watched {
	struct loop *loop;
	struct renewal *renewal;
	char *folder;
	unsigned servers, admins;
	bool refuses;
};

static int on_changed(void *arg, const struct identity *identity, bool server, bool admin,
		      struct err *err)
{
	struct watched *w = arg;

	(void)identity;
	if (w->refuses)
		return err_set(err, ERR_INTERNAL, "not today");
	w->servers += server;
	w->admins += admin;
	return 0;
}

static void make_ca(struct watched *w, int64_t lifetime)
{
	AUTO(mem_free) char *cert = mem_printf("%s/ca.crt", w->folder);
	AUTO(mem_free) char *key = mem_printf("%s/ca.key", w->folder);
	AUTO(cert_pair_done) struct cert_pair ca = {0};
	struct err err;

	if (cert_new_ca(&(struct cert_request){.name = "volcano-ca",
					       .now = loop_now(w->loop),
					       .lifetime = lifetime},
			&ca, &err) < 0 ||
	    cert_pair_save(&ca, cert, key, &err) < 0)
		bail_out(err.text);
}

/* `ca_lifetime`: of a CA that is there before; 0: none is. */
static void watched_open(struct watched *w, int64_t ca_lifetime)
{
	static const char *const hosts[] = {"localhost", "127.0.0.1"};
	AUTO(identity_done) struct identity identity = {.tokens = NULL};
	struct renewal_options options = {
		.identity = {.hosts = hosts, .host_count = ARRAY_LEN(hosts)},
		.changed = on_changed,
		.arg = w,
	};
	struct err err;

	*w = (struct watched){.folder = temporary_folder()};
	w->loop = loop_new_virtual(1, START, &err);
	options.identity.folder = w->folder;
	if (ca_lifetime)
		make_ca(w, ca_lifetime);
	if (identity_open(w->loop, &options.identity, &identity, &err) < 0)
		bail_out(err.text);
	w->renewal = renewal_new(w->loop, &options, &identity);
}

static void watched_close(struct watched *w)
{
	renewal_free(w->renewal);
	loop_free(w->loop);
	rm_folder(w->folder);
}

static void pass(struct watched *w, int64_t us)
{
	int64_t end = loop_uptime(w->loop) + us;

	while (loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, end - loop_uptime(w->loop));
}

/* Both in use, and in the files, are good for another week. */
static bool is_good(struct watched *w)
{
	const struct identity *identity = renewal_identity(w->renewal);
	AUTO(mem_free) char *cert = mem_printf("%s/admin.crt", w->folder);
	AUTO(mem_free) char *key = mem_printf("%s/admin.key", w->folder);
	AUTO(cert_pair_done) struct cert_pair saved = {0};
	const struct cert_pair *pairs[] = {&identity->server, &identity->admin, &saved};

	if (cert_pair_load(cert, key, &saved, NULL) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (cert_check(&(struct cert_check){.cert = str_from(pairs[i]->cert),
						    .key = str_from(pairs[i]->key),
						    .ca = str_from(identity->ca.cert),
						    .now = loop_now(w->loop) + 7 * TIME_DAY},
			       NULL) < 0)
			return false;
	return true;
}

static void test_years(void)
{
	struct watched w;
	unsigned bad = 0;

	watched_open(&w, 0);
	for (unsigned day = 0; day < 400; day++) {
		pass(&w, TIME_DAY);
		bad += !is_good(&w);
	}
	ok(bad == 0, "they were good on each of 400 days");
	ok(w.servers == 1 && w.admins == 1, "each was renewed once a year: %u, %u", w.servers,
	   w.admins);
	watched_close(&w);
}

/* In the last month of the CA nothing is made that would be no better. */
static void test_end_of_ca(void)
{
	struct watched w;

	watched_open(&w, 40 * TIME_DAY);
	pass(&w, 39 * TIME_DAY);
	ok(w.servers == 0 && w.admins == 0, "not again and again when the CA itself ends");
	watched_close(&w);
}

static void test_refused(void)
{
	struct watched w;

	watched_open(&w, 0);
	pass(&w, 330 * TIME_DAY);
	ok(w.servers == 0, "a month before the end is not reached yet");
	w.refuses = true;
	pass(&w, 10 * TIME_DAY);
	ok(w.servers == 0, "a new one that cannot be used is tried again");
	w.refuses = false;
	pass(&w, 2 * TIME_DAY);
	ok(w.servers == 1 && w.admins == 1 && is_good(&w), "until it can be");
	watched_close(&w);
}

/* A file that was damaged meanwhile is no reason to end. */
static void test_damaged(void)
{
	struct watched w;
	AUTO(mem_free) char *ca = NULL;
	struct err err;

	watched_open(&w, 0);
	ca = mem_printf("%s/ca.crt", w.folder);
	if (fd_write_file(ca, "x", 1, 0644, &err) < 0)
		bail_out(err.text);
	pass(&w, 3 * TIME_DAY);
	ok(w.servers == 0, "a CA that cannot be read: what is in use stays");
	watched_close(&w);
}

/* --- over HTTPS --- */

static void replace_server(struct site *site, const char *host, int64_t lifetime)
{
	static const char *const base[] = {"localhost",
					   "127.0.0.1",
					   "::1",
					   "kubernetes",
					   "kubernetes.default",
					   "kubernetes.default.svc",
					   "kubernetes.default.svc.cluster.local"};
	const char *hosts[ARRAY_LEN(base) + 1];
	AUTO(mem_free) char *ca_cert = mem_printf("%s/pki/ca.crt", site->folder);
	AUTO(mem_free) char *ca_key = mem_printf("%s/pki/ca.key", site->folder);
	AUTO(mem_free) char *cert = mem_printf("%s/pki/apiserver.crt", site->folder);
	AUTO(mem_free) char *key = mem_printf("%s/pki/apiserver.key", site->folder);
	AUTO(cert_pair_done) struct cert_pair ca = {0};
	AUTO(cert_pair_done) struct cert_pair made = {0};
	struct cert_request ask = {.name = "kube-apiserver",
				   .hosts = hosts,
				   .host_count = ARRAY_LEN(hosts),
				   .now = loop_now(site->loop),
				   .lifetime = lifetime};
	struct err err;

	memcpy(hosts, base, sizeof(base));
	hosts[ARRAY_LEN(base)] = host;
	if (cert_pair_load(ca_cert, ca_key, &ca, &err) < 0 ||
	    cert_new_server(&ca, &ask, &made, &err) < 0 ||
	    cert_pair_save(&made, cert, key, &err) < 0)
		bail_out(err.text);
}

/* Does a new connection find the server under this name? */
static bool answers_as(struct site *site, const char *name)
{
	AUTO(mem_free) char *path = mem_printf("%s/pki/ca.crt", site->folder);
	AUTO(buf_done) struct buf ca = BUF_UNBOUNDED;
	struct https_client client = {.site = site};
	struct err err;
	struct reply reply;
	bool good;

	if (fd_read_file(path, &ca, &err) < 0)
		bail_out(err.text);
	AUTO(tls_unref)
	struct tls *tls = tls_client_new(
		&(struct tls_client_options){.ca = buf_str(&ca), .server_name = str_from(name)},
		&err);

	client.http =
		http_client_new(site->loop,
				&(struct http_client_options){
					.url = str_from(apiserver_url(site->server)), .tls = tls},
				&err);
	reply = https_request(&client, "GET", "/version", NULL);
	good = reply.code == 200;
	reply_done(&reply);
	http_client_free(client.http);
	return good;
}

static char *read_text(const struct site *site, const char *name)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", site->folder, name);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;

	if (fd_read_file(path, &text, &err) < 0)
		bail_out(err.text);
	return buf_take(&text);
}

static void test_in_use(void)
{
	struct site site = site_open(&(struct apiserver_options){0});
	struct https_client *before = https_client_of(&site, TLS_ALPN_ANY, false);
	AUTO(mem_free) char *path = mem_printf("%s/pki/admin.crt", site.folder);
	struct reply watch;
	struct reply reply;

	https_start(before, "GET", "/api/v1/namespaces?watch=true&timeoutSeconds=3600", NULL,
		    str_none(), &watch);
	reply = https_request(before, "GET", "/api/v1/namespaces", NULL);
	reply_done(&reply);
	ok(!answers_as(&site, "renewed.example"), "it does not know the name yet");
	replace_server(&site, "renewed.example", 365 * TIME_DAY);
	apiserver_renew(site.server);
	ok(answers_as(&site, "renewed.example"), "one that was replaced is in use at once");
	replace_server(&site, "short.example", 5 * TIME_DAY);
	apiserver_renew(site.server);
	ok(!answers_as(&site, "short.example"), "one that ends soon is made again instead");
	ok(answers_as(&site, "localhost"), "with the names that it should have");
	AUTO(mem_free) char *old = read_text(&site, "kubeconfig");

	(void)unlink(path);
	apiserver_renew(site.server);
	AUTO(mem_free) char *now = read_text(&site, "kubeconfig");

	ok(strcmp(old, now) != 0, "kubeconfig has the administrator's new certificate");
	struct https_client *after = https_client_of(&site, TLS_ALPN_ANY, false);

	reply = https_request(after, "GET", "/api/v1/namespaces", NULL);
	ok(reply.code == 200, "which opens");
	reply_done(&reply);
	reply = https_request(before, "GET", "/api/v1/namespaces", NULL);
	ok(reply.code == 200, "and so does the old one");
	reply_done(&reply);
	ok(!watch.done, "no connection was dropped");
	https_client_free(after);
	https_client_free(before);
	reply_done(&watch);
	site_close(&site);
}

int main(void)
{
	test_years();
	test_end_of_ca();
	test_refused();
	test_damaged();
	test_in_use();
	return tap_done();
}
