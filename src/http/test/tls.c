/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates: whom each side accepts, what it says when it does not, identities, reload; and
 * streams over real sockets. */
#include "http/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "fixture.h"
#include "http/listener.h"

#include "base/banned.h"

static void try_call(struct world *world, const struct tls_client_options *options, struct str url,
		     struct result *r)
{
	struct err err = {0};
	AUTO(tls_unref) struct tls *tls = tls_client_new(options, &err);
	struct http_client_options more = {.url = url, .tls = tls, .dial = world_dial};

	world->client = world_client(world, TLS_2, &more);
	result_start(r, world->client, (struct http_call_options){.target = STR("/who")});
	loop_drain(world->loop);
	http_client_free(world->client);
	world->client = NULL;
	loop_drain(world->loop);
}

static void test_verify(void)
{
	struct tls_client_options good, other = {0};
	struct cert_pair stranger = {0};
	struct cert_request ask = {.name = "other-ca", .now = START, .lifetime = TIME_DAY};
	struct result r = {0};
	struct world world;
	struct err err;

	world_init(&world, NULL);
	good = (struct tls_client_options){.ca = str_from(world.ca.cert)};
	ok(cert_new_ca(&ask, &stranger, &err) == 0, "another CA");
	try_call(&world, &good, STR("https://localhost"), &r);
	is(buf_text(&r.body), "nobody");
	try_call(&world, &good, STR("https://127.0.0.1"), &r);
	ok(r.ends == 1, "by IP address");
	try_call(&world, &good, STR("https://example.com"), &r);
	ok(r.failures == 1 && r.sent == HTTP_NOT_SENT && strstr(r.err.text, "ostname mismatch"),
	   "another name: %s", r.err.text);
	try_call(&world, &good, STR("https://10.0.0.1"), &r);
	ok(r.failures == 1 && strstr(r.err.text, "IP address mismatch"), "another address: %s",
	   r.err.text);
	good.server_name = STR("localhost");
	try_call(&world, &good, STR("https://example.com"), &r);
	ok(r.ends == 1, "a name that overrides");
	other.ca = str_from(stranger.cert);
	try_call(&world, &other, STR("https://localhost"), &r);
	ok(r.failures == 1 && strstr(r.err.text, "certificate"), "another CA: %s", r.err.text);
	other.insecure = true;
	try_call(&world, &other, STR("https://localhost"), &r);
	ok(r.ends == 1, "anyone, if asked for");
	try_call(&world, &(struct tls_client_options){0}, STR("https://localhost"), &r);
	ok(r.failures == 1, "the system's authorities do not know us: %s", r.err.text);
	good.certificate = str_from(world.client_cert.cert);
	good.key = str_from(world.client_cert.key);
	try_call(&world, &good, STR("https://localhost"), &r);
	is(buf_text(&r.body), "admin system:masters devs");
	good.certificate = str_from(stranger.cert);
	good.key = str_from(stranger.key);
	try_call(&world, &good, STR("https://localhost"), &r);
	is(buf_text(&r.body), "nobody");
	/* In a hundred and one days the certificate is no longer valid. */
	good.certificate = good.key = str_none();
	loop_set_wall_clock(world.loop, START + 101 * TIME_DAY);
	try_call(&world, &good, STR("https://localhost"), &r);
	ok(r.failures == 1 && strstr(r.err.text, "expired"), "by the loop's clock: %s", r.err.text);
	cert_pair_done(&stranger);
	buf_done(&r.body);
	world_done(&world);
}

static void test_required(void)
{
	struct tls_client_options options;
	struct tls_server_options server;
	struct result r = {0};
	struct world world;
	struct tls *tls;
	struct err err;

	world_init(&world, NULL);
	options = (struct tls_client_options){.ca = str_from(world.ca.cert)};
	server = (struct tls_server_options){.certificate = str_from(world.server_cert.cert),
					     .key = str_from(world.server_cert.key),
					     .client_ca = str_from(world.ca.cert),
					     .clients = TLS_CLIENTS_REQUIRED};
	tls = tls_server_new(&server, &err);
	http_server_set_tls(world.server, tls);
	tls_unref(tls);
	try_call(&world, &options, STR("https://localhost"), &r);
	ok(r.failures == 1, "no certificate, no connection: %s", r.err.text);
	options.certificate = str_from(world.client_cert.cert);
	options.key = str_from(world.client_cert.key);
	try_call(&world, &options, STR("https://localhost"), &r);
	is(buf_text(&r.body), "admin system:masters devs");
	server.clients = TLS_CLIENTS_NONE;
	tls = tls_server_new(&server, &err);
	http_server_set_tls(world.server, tls);
	tls_unref(tls);
	try_call(&world, &options, STR("https://localhost"), &r);
	is(buf_text(&r.body), "nobody");
	server.alpn = TLS_ALPN_HTTP2;
	tls = tls_server_new(&server, &err);
	http_server_set_tls(world.server, tls);
	tls_unref(tls);
	options.alpn = TLS_ALPN_HTTP1;
	try_call(&world, &options, STR("https://localhost"), &r);
	ok(r.failures == 1, "no protocol in common: %s", r.err.text);
	buf_done(&r.body);
	world_done(&world);
}

static void test_reload(void)
{
	struct http_client_stats stats;
	struct result watch = {0}, r = {0};
	struct world world;

	world_init(&world, NULL);
	world.client = world_client(&world, TLS_2, NULL);
	result_start(&watch, world.client,
		     (struct http_call_options){.target = STR("/watch"), .events = &piece_events});
	loop_drain(world.loop);
	http_client_set_tls(world.client, world.client_tls);
	http_server_set_tls(world.server, world.server_tls);
	result_start(&r, world.client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world.loop);
	http_client_stats(world.client, &stats);
	ok(r.ends == 1 && stats.connections == 2, "a new connection after new certificates");
	http_reply_end(TAKE(world.held));
	loop_drain(world.loop);
	http_client_stats(world.client, &stats);
	ok(watch.ends == 1 && stats.connections == 1, "the old one serves to its end");
	buf_done(&watch.body);
	buf_done(&r.body);
	world_done(&world);
}

static void test_pem(void)
{
	struct world world;
	struct tls_server_options o;
	struct err err;

	world_init(&world, NULL);
	o = (struct tls_server_options){.certificate = str_from(world.server_cert.cert),
					.key = str_from(world.server_cert.key)};
	o.key = str_from(world.client_cert.key);
	ok(!tls_server_new(&o, &err), "another's key: %s", err.text);
	o.key = STR("junk");
	ok(!tls_server_new(&o, &err), "no key: %s", err.text);
	o.certificate = STR("junk");
	ok(!tls_server_new(&o, &err), "no certificate: %s", err.text);
	o.certificate = str_from(world.server_cert.cert);
	o.key = str_from(world.server_cert.key);
	o.clients = TLS_CLIENTS_OPTIONAL;
	o.client_ca = STR("");
	ok(!tls_server_new(&o, &err), "no CA: %s", err.text);
	o.client_ca = STR("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
	ok(!tls_server_new(&o, &err), "a broken CA: %s", err.text);
	ok(!tls_client_new(&(struct tls_client_options){.ca = STR("junk")}, &err), "client: %s",
	   err.text);
	ok(!tls_client_new(&(struct tls_client_options){.certificate = STR("junk")}, &err),
	   "client: %s", err.text);
	tls_unref(NULL);
	world_done(&world);
}

/* ---- Wire ---- */

static void test_wire(void)
{
	static const char plain[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
	struct world world;
	struct err err;
	char data[256];
	ssize_t len;
	int fd;

	world_init(&world, NULL);
	world.security = HTTP_TLS;
	fd = world_dial(&world, &err);
	(void)!send(fd, plain, sizeof(plain) - 1, 0);
	loop_drain(world.loop);
	len = recv(fd, data, sizeof(data) - 1, 0);
	data[len > 0 ? len : 0] = '\0';
	ok(strstr(data, "400 Bad Request") && strstr(data, "HTTPS server"),
	   "plain HTTP to a TLS port gets an error that says so");
	close(fd);
	fd = world_dial(&world, &err);
	(void)!send(fd, "\x16\x03\x01\x00\x05junk!", 10, 0);
	loop_drain(world.loop);
	ok(recv(fd, data, sizeof(data), 0) >= 0, "junk is answered with an alert or the end");
	close(fd);
	fd = world_dial(&world, &err);
	(void)!send(fd, "\x16\x03\x01", 3, 0);
	loop_drain(world.loop);
	close(fd);
	loop_drain(world.loop);
	fd = world_dial(&world, &err);
	world_pass(&world, 11 * TIME_SECOND);
	ok(recv(fd, data, sizeof(data), 0) == 0, "a handshake has 10 s");
	close(fd);
	world_done(&world);
}

/* Real sockets: IPv4, IPv6, a name, a Unix socket; on a real loop. */
static void test_sockets(void)
{
	static const char *const listens[] = {"127.0.0.1:0", "[::1]:0"};
	char folder[] = "/tmp/http-test-XXXXXX", text[ADDRESS_TEXT_SIZE];
	struct http_server_options options = {.handler = world_serve, .max_connections = 3};
	struct world world = {0};
	struct result r[8] = {0};
	struct err err;

	world.loop = loop_new(&err);
	options.arg = &world;
	world.server = http_server_new(world.loop, &options, &err);
	ok(mkdtemp(folder) != NULL, "a folder");
	for (size_t i = 0; i < 4; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/socket", folder);
		AUTO(mem_free) char *unix_text = mem_printf("unix:%s", path);
		AUTO(mem_free) char *url = NULL;
		struct address address, bound;
		struct http_client_options own = {.url = STR("http://localhost")};
		struct stat status;

		if (address_parse(str_from(i < 2    ? listens[i]
					   : i == 2 ? listens[0]
						    : unix_text),
				  &address, &err) < 0 ||
		    http_server_listen(world.server, &address, HTTP_PLAIN, &bound, &err) < 0) {
			ok(i == 1, "no IPv6 here: %s", err.text);
			continue;
		}
		address_print(&bound, text);
		url = i == 2 ? mem_printf("http://localhost:%d", address_port(&bound))
			     : mem_printf("http://%s", text);
		if (i == 3) {
			own.unix_path = str_from(path);
			ok(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600,
			   "a Unix socket of mode 0600");
		} else {
			own.url = str_from(url);
		}
		world.client = http_client_new(world.loop, &own, &err);
		for (int k = 0; k < 8; k++)
			result_start(&r[k], world.client,
				     (struct http_call_options){.target = STR("/big?n=100000"),
								.deadline_us = 200 * TIME_SECOND});
		for (int k = 0; k < 8; k++)
			while (r[k].call)
				loop_turn(world.loop, -1);
		for (int k = 0; k < 8; k++)
			ok(r[k].ends == 1 && r[k].body.len == 100000, "%s: %s",
			   i == 3 ? "a Unix socket" : url, r[k].err.text);
		http_client_free(world.client);
	}
	for (int k = 0; k < 8; k++)
		buf_done(&r[k].body);
	http_server_free(world.server);
	ok(rmdir(folder) == 0, "the socket's file was removed");
	loop_free(world.loop);
}

static void take_fd(int fd, void *arg)
{
	(*(int *)arg)++;
	close(fd);
}

/* No descriptor left: waiting clients get an error at once, and later ones are served again. */
static void test_exhausted(struct loop *loop, const struct address *address, int *count)
{
	struct rlimit usual, none;
	int first = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int second = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int64_t end = loop_uptime(loop) + TIME_SECOND;
	char byte;

	*count = 0;
	getrlimit(RLIMIT_NOFILE, &usual);
	none = usual;
	none.rlim_cur = (rlim_t)second + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	ok(connect(first, (const struct sockaddr *)&address->sockaddr, address->len) == 0,
	   "connected without a descriptor to accept");
	loop_drain(loop);
	ok(*count == 0 && recv(first, &byte, 1, MSG_DONTWAIT) == 0, "it is closed at once");
	setrlimit(RLIMIT_NOFILE, &usual);
	ok(connect(second, (const struct sockaddr *)&address->sockaddr, address->len) == 0,
	   "another");
	while (loop_uptime(loop) < end)
		loop_turn(loop, end - loop_uptime(loop));
	ok(*count == 1, "is served after a rest");
	close(first);
	close(second);
}

static void test_listener(void)
{
	char folder[] = "/tmp/http-test-XXXXXX";
	struct listener *listener, *second;
	struct address address = {0};
	struct loop *loop;
	struct err err;
	int count = 0, fd;
	AUTO(mem_free) char *text = NULL;

	loop = loop_new_virtual(1, START, &err);
	ok(!listener_new(loop, &address, take_fd, &count, &err), "nowhere: %s", err.text);
	ok(mkdtemp(folder) != NULL, "a folder");
	text = mem_printf("unix:%s/s", folder);
	ok(address_parse(str_from(text), &address, &err) == 0, "%s", text);
	/* A dead socket of that name. */
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ok(bind(fd, (struct sockaddr *)&address.sockaddr, address.len) == 0, "a dead socket");
	close(fd);
	listener = listener_new(loop, &address, take_fd, &count, &err);
	ok(listener != NULL, "is replaced");
	second = listener_new(loop, &address, take_fd, &count, &err);
	ok(!second, "a live one is not: %s", err.text);
	loop_drain(loop);
	count = 0;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	listener_pause(listener);
	ok(connect(fd, (struct sockaddr *)&address.sockaddr, address.len) == 0, "connected");
	loop_drain(loop);
	ok(count == 0, "not accepted while paused");
	listener_resume(listener);
	loop_drain(loop);
	ok(count == 1, "but then");
	close(fd);
	test_exhausted(loop, &address, &count);
	listener_free(listener);
	listener_free(NULL);
	rmdir(folder);
	ok(!listener_adopt(loop, open("/dev/null", O_RDONLY | O_CLOEXEC), take_fd, &count, &err),
	   "not a socket: %s", err.text);
	loop_free(loop);
}

int main(void)
{
	test_verify();
	test_required();
	test_reload();
	test_pem();
	test_wire();
	test_sockets();
	test_listener();
	return tap_done();
}
