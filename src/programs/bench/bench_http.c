/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_http.c - HTTPS echo: small POSTs with a token, `size` of them in flight, to a server
 * that is a process of its own on this machine.
 *
 * multiplexed: all over one HTTP/2 connection; pooled: over `size` HTTP/1.1 connections. The phases
 * are the client's CPU time per request; <phase>_server_ns is the server's. handshake: a whole
 * connection with one request, by the wall's clock. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/cert.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/http_server.h"
#include "http/tls.h"
#include "loop/loop.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

struct site {
	struct cert_pair ca, cert;
	pid_t server;
	int port;
	int life; /* closing it ends the server */
	struct loop *loop;
	struct http_client *client;
	struct headers headers;
	size_t left;  /* calls to start in this round */
	size_t going; /* calls in flight */
	uint64_t done;
};

/* ---- The server's process ---- */

static void echo_body(struct http_request *request, struct str body, void *arg)
{
	(void)arg;
	http_reply(request, 200, STR("application/json"), body);
}

static void echo(struct http_request *request, void *arg)
{
	http_request_read_all(request, 0, echo_body, arg);
}

static void on_parent_ended(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	(void)watch;
	(void)fd;
	(void)events;
	loop_stop(arg);
}

static void serve(const struct site *site, int life, int answer)
{
	struct err err;
	struct loop *loop = loop_new(&err);
	struct tls_server_options options = {.certificate = str_from(site->cert.cert),
					     .key = str_from(site->cert.key)};
	struct tls *tls = tls_server_new(&options, &err);
	struct http_server_options served = {.handler = echo, .tls = tls};
	struct http_server *server = tls ? http_server_new(loop, &served, &err) : NULL;
	struct loop_fd *watch = loop_fd_add(loop, life, LOOP_READ, on_parent_ended, loop, &err);
	struct address address;
	int port = 0;

	bench_require(server && watch, &err);
	bench_require(address_parse(STR("127.0.0.1:0"), &address, &err) == 0, &err);
	bench_require(http_server_listen(server, &address, HTTP_TLS, &address, &err) == 0, &err);
	port = address_port(&address);
	if (write(answer, &port, sizeof(port)) != sizeof(port))
		return;
	loop_run(loop);
	loop_fd_remove(watch);
	http_server_free(server);
	tls_unref(tls);
	loop_free(loop);
}

static void start_server(struct site *site)
{
	int life[2] = {-1, -1}, answer[2] = {-1, -1};
	struct err err;

	if (pipe2(life, O_CLOEXEC) < 0 || pipe2(answer, O_CLOEXEC) < 0)
		bench_require(false, (err_errno(&err, errno, "pipe"), &err));
	site->server = fork();
	if (site->server == 0) {
		close(life[1]);
		close(answer[0]);
		serve(site, life[0], answer[1]);
		_exit(0);
	}
	close(life[0]);
	close(answer[1]);
	site->life = life[1];
	if (site->server < 0 ||
	    read(answer[0], &site->port, sizeof(site->port)) != sizeof(site->port))
		bench_require(false, (err_errno(&err, errno, "the server did not start"), &err));
	close(answer[0]);
}

/* CPU time that the server has used, in nanoseconds. */
static double server_time(const struct site *site)
{
	struct timespec used = {0};
	clockid_t id;

	if (clock_getcpuclockid(site->server, &id) != 0 || clock_gettime(id, &used) != 0)
		return 0;
	return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}

/* ---- The client ---- */

static void on_end(struct http_call *call, void *arg);

static void on_failed(struct http_call *call, const struct err *err, enum http_sent sent, void *arg)
{
	(void)call;
	(void)sent;
	(void)arg;
	bench_require(false, err);
}

static const struct http_call_events events = {.end = on_end, .failed = on_failed};

static void post(struct site *site)
{
	static const char body[200] = "{\"kind\":\"Binding\"}";

	site->left--;
	site->going++;
	http_client_call(site->client, &(struct http_call_options){
					       .method = STR("POST"),
					       .target = STR("/api/v1/namespaces/default/bindings"),
					       .headers = &site->headers,
					       .body = str_of(body, sizeof(body)),
					       .events = &events,
					       .arg = site,
				       });
}

static void on_end(struct http_call *call, void *arg)
{
	struct site *site = arg;

	bench_use(http_call_body(call).ptr);
	site->going--;
	site->done++;
	if (site->left)
		post(site);
	else if (site->going == 0)
		loop_stop(site->loop);
}

static void run_round(struct site *site, size_t count, size_t in_flight)
{
	site->left = count;
	while (site->left && site->going < in_flight)
		post(site);
	loop_run(site->loop);
}

static void open_client(struct site *site, enum tls_alpn alpn, size_t connections)
{
	AUTO(mem_free) char *url = mem_printf("https://127.0.0.1:%d", site->port);
	struct tls_client_options trust = {.ca = str_from(site->ca.cert), .alpn = alpn};
	struct http_client_options options = {.url = str_from(url), .max_connections = connections};
	struct err err;
	AUTO(tls_unref) struct tls *tls = tls_client_new(&trust, &err);

	bench_require(tls != NULL, &err);
	options.tls = tls;
	site->client = http_client_new(site->loop, &options, &err);
	bench_require(site->client != NULL, &err);
}

static void close_client(struct site *site)
{
	http_client_free(site->client);
	site->client = NULL;
}

static void measure(struct bench_run *run, struct site *site, const char *phase, const char *server)
{
	size_t in_flight = bench_size(run), count = in_flight * 8 + 256;
	double before;

	run_round(site, count, in_flight); /* connections and memory are there */
	before = server_time(site);
	site->done = 0;
	bench_phase(run, phase);
	while (bench_round(run, count))
		run_round(site, count, in_flight);
	if (site->done)
		bench_value(run, server, (server_time(site) - before) / (double)site->done);
}

static void measure_http(struct bench_run *run)
{
	static const char *const hosts[] = {"127.0.0.1"};
	struct site site = {0};
	struct err err;
	struct cert_request ask = {.name = "bench", .lifetime = TIME_DAY};

	site.loop = loop_new(&err);
	bench_require(site.loop != NULL, &err);
	ask.now = loop_now(site.loop);
	bench_require(cert_new_ca(&ask, &site.ca, &err) == 0, &err);
	ask.hosts = hosts;
	ask.host_count = 1;
	bench_require(cert_new_server(&site.ca, &ask, &site.cert, &err) == 0, &err);
	headers_put(&site.headers, STR("authorization"),
		    STR("Bearer 0123456789abcdef0123456789abcdef0123456789abcdef"));
	headers_put(&site.headers, STR("content-type"), STR("application/json"));
	start_server(&site);

	open_client(&site, TLS_ALPN_ANY, 1);
	measure(run, &site, "multiplexed", "multiplexed_server_ns");
	close_client(&site);
	open_client(&site, TLS_ALPN_HTTP1, bench_size(run));
	measure(run, &site, "pooled", "pooled_server_ns");
	close_client(&site);
	bench_phase_wall(run, "handshake");
	while (bench_round(run, 1)) {
		open_client(&site, TLS_ALPN_ANY, 1);
		run_round(&site, 1, 1);
		close_client(&site);
	}
	close(site.life);
	waitpid(site.server, NULL, 0);
	headers_done(&site.headers);
	cert_pair_done(&site.ca);
	cert_pair_done(&site.cert);
	loop_free(site.loop);
}

const struct bench bench_http = {
	.name = "http",
	.about = "HTTPS echo of small POSTs, client and server: HTTP/2, HTTP/1.1, handshake",
	.item = "in flight",
	.size = 64,
	.run = measure_http,
};
