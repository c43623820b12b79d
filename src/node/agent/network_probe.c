/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/network_probe.c - one request to a container over the network.
 *
 * A GET passes with a status of 200 to 399; certificates are not verified. A connection passes when it is
 * accepted. A request that takes longer than its time limit has failed. */
#include "node/agent/network_probe.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/mem.h"
#include "http/address.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/tls.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { TEXT_SIZE = 512, BODY_BYTES = 1024 * 1024 };

struct network_probe {
	struct loop *loop;
	network_probe_fn *fn;
	void *arg;
	struct http_client *client;
	struct http_call *call;
	int fd;
	struct loop_fd *watch;
	struct loop_timer *timer;
	struct loop_defer defer;
	bool passed;
	char text[TEXT_SIZE];
};

static void report_result(void *arg)
{
	struct network_probe *check = arg;

	check->fn(check->arg, check->passed, str_from(check->text));
}

/* Reports the result, in a later turn. */
static void finish(struct network_probe *check, bool passed, const char *text)
{
	check->passed = passed;
	(void)snprintf(check->text, sizeof(check->text), "%.*s", TEXT_SIZE - 1, text);
	loop_timer_stop(check->timer);
	loop_defer(check->loop, &check->defer, report_result, check);
}

static void on_late(struct loop_timer *timer, void *arg)
{
	(void)timer;
	finish(arg, false, "context deadline exceeded");
}

/* --- GET --- */

static void on_end(struct http_call *call, void *arg)
{
	struct network_probe *check = arg;
	int status = http_call_status(call);
	char text[64];

	check->call = NULL;
	(void)snprintf(text, sizeof(text), "HTTP probe failed with statuscode: %d", status);
	finish(check, status >= 200 && status < 400, text);
}

static void on_failed(struct http_call *call, const struct err *err, enum http_sent sent, void *arg)
{
	struct network_probe *check = arg;

	(void)call;
	(void)sent;
	check->call = NULL;
	finish(check, false, err->text);
}

/* A number, or the name of a port of the container. */
static int64_t port_of(struct json port, struct json container)
{
	if (!json_is(port, JSON_STR))
		return json_int(port);
	for (struct json_iter it = json_iter(json_get(container, "ports")); json_next(&it);)
		if (str_eq(json_str(json_get(it.value, "name")), json_str(port)))
			return json_int(json_get(it.value, "containerPort"));
	return 0;
}

static struct str host_of(struct json action, const struct network_probe_request *request)
{
	struct str host = json_str(json_get(action, "host"));

	return host.len ? host : str_from(request->address);
}

static int add_headers(struct json list, struct headers *to, struct err *err)
{
	for (struct json_iter it = json_iter(list); json_next(&it);)
		if (headers_add(to, json_str(json_get(it.value, "name")),
				json_str(json_get(it.value, "value")), err) < 0)
			return -1;
	return 0;
}

/* A client for the address of the request. */
static struct http_client *make_client(struct network_probe *check,
				       const struct network_probe_request *request, struct json get,
				       struct err *err)
{
	bool secure = str_is(json_str(json_get(get, "scheme")), "HTTPS");
	AUTO(mem_free)
	char *url = mem_printf("%s://%.*s:%lld", secure ? "https" : "http",
			       STR_ARG(host_of(get, request)),
			       (long long)port_of(json_get(get, "port"), request->container));
	AUTO(tls_unref) struct tls *tls = NULL;

	if (secure) {
		tls = tls_client_new(&(struct tls_client_options){.insecure = true}, err);
		if (!tls)
			return NULL;
	}
	return http_client_new(
		check->loop, &(struct http_client_options){.url = str_from(url), .tls = tls}, err);
}

static void start_get(struct network_probe *check, const struct network_probe_request *request,
		      struct json get)
{
	static const struct http_call_events events = {.end = on_end, .failed = on_failed};
	struct str path = json_str(json_get(get, "path"));
	AUTO(mem_free)
	char *target =
		mem_printf("%s%.*s", path.len && path.ptr[0] == '/' ? "" : "/", STR_ARG(path));
	AUTO(headers_done) struct headers headers = HEADERS_INIT;
	struct err err = {0};

	if (add_headers(json_get(get, "httpHeaders"), &headers, &err) == 0)
		check->client = make_client(check, request, get, &err);
	if (!check->client) {
		finish(check, false, err.text);
		return;
	}
	check->call = http_client_call(check->client, &(struct http_call_options){
							      .method = STR("GET"),
							      .target = str_from(target),
							      .headers = &headers,
							      .max_body = BODY_BYTES,
							      .events = &events,
							      .arg = check,
						      });
}

/* --- a connection --- */

static void on_connected(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct network_probe *check = arg;
	int number = 0;
	socklen_t size = sizeof(number);
	struct err err = {0};

	(void)watch;
	(void)events;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) < 0)
		number = errno;
	loop_fd_remove(TAKE(check->watch));
	if (number)
		(void)err_errno(&err, number, "dial tcp");
	finish(check, number == 0, err.text);
}

static void start_connection(struct network_probe *check,
			     const struct network_probe_request *request, struct json socket_action)
{
	int port = (int)port_of(json_get(socket_action, "port"), request->container);
	struct address address;
	struct err err = {0};

	if (address_parse_ip(host_of(socket_action, request), port, &address, &err) == 0) {
		check->fd = socket(address.sockaddr.ss_family,
				   SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (check->fd < 0 ||
		    (connect(check->fd, (struct sockaddr *)&address.sockaddr, address.len) < 0 &&
		     errno != EINPROGRESS))
			(void)err_errno(&err, errno, "dial tcp");
		else
			check->watch = loop_fd_add(check->loop, check->fd, LOOP_WRITE, on_connected,
						   check, &err);
	}
	if (!check->watch)
		finish(check, false, err.text);
}

/* --- life --- */

struct network_probe *network_probe_new(struct loop *loop,
					const struct network_probe_request *request,
					network_probe_fn *fn, void *arg)
{
	struct network_probe *check = mem_new(struct network_probe);
	struct json get = json_get(request->action, "httpGet");
	struct json connection = json_get(request->action, "tcpSocket");

	check->loop = loop;
	check->fn = fn;
	check->arg = arg;
	check->fd = -1;
	check->timer = loop_timer_new(loop, on_late, check);
	loop_timer_set(check->timer, request->timeout_us);
	if (!json_is_absent(get))
		start_get(check, request, get);
	else if (!json_is_absent(connection))
		start_connection(check, request, connection);
	else
		finish(check, false, "this node knows no such check");
	return check;
}

void network_probe_free(struct network_probe *check)
{
	if (!check)
		return;
	loop_defer_cancel(check->loop, &check->defer);
	loop_timer_free(check->timer);
	loop_fd_remove(check->watch);
	fd_close(check->fd);
	http_call_cancel(check->call);
	http_client_free(check->client);
	mem_free(check);
}
