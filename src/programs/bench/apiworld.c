/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/apiworld.c - an API server in a process of its own, in this one, or elsewhere.
 *
 * The server's process is a fork that is made before there is any loop. It says that it is ready
 * with a byte on a pipe, and ends in an orderly way when the other pipe has no writer any more, so
 * also when the benchmark is killed. */
#include "programs/bench/apiworld.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "apiserver/request/direct.h"
#include "apiserver/server.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "client/transport.h"
#include "client/transport_http.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/bench_requests.h"

#include "base/banned.h"

enum { FILL = 512 };
#define NAMESPACE "bench" /* at a server that is the benchmark's own */

const char *apiworld_namespace(const struct apiworld *w)
{
	return w->own_namespace ? w->own_namespace : NAMESPACE;
}

/* --- asking --- */

static void on_exists(void *arg, const struct client_result *result)
{
	struct apiworld *w = arg;

	bench_require(!result->err || result->err->code == ERR_ALREADY_EXISTS, result->err);
	w->left--;
}

static void on_missing(void *arg, const struct client_result *result)
{
	struct apiworld *w = arg;

	bench_require(!result->err || result->err->code == ERR_NOT_FOUND, result->err);
	w->left--;
}

static struct client_ask place(const struct apiworld *w, struct client_ask what)
{
	if (!what.resource)
		what.resource = &resources[RESOURCE_CONFIGMAPS];
	if (what.resource->namespaced)
		what.namespace = str_from(apiworld_namespace(w));
	return what;
}

void apiworld_ask(struct apiworld *w, struct client_ask what)
{
	bench_send(w->client, place(w, what), &w->left);
}

static void ask(struct apiworld *w, struct client_ask what, client_done_fn *done)
{
	what = place(w, what);
	what.done = done;
	what.arg = w;
	w->left++;
	client_send(w->client, &what);
}

void apiworld_create_if_missing(struct apiworld *w, struct client_ask what)
{
	ask(w, what, on_exists);
}

void apiworld_delete_if_there(struct apiworld *w, struct client_ask what)
{
	ask(w, what, on_missing);
}

void apiworld_wait(struct apiworld *w)
{
	bench_wait(w->loop, &w->left);
}

struct json_doc *apiworld_configmap(size_t number, size_t version)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"c-%zu\",\"labels\":{\"app\":\"bench\"}},\"data\":{"
		"\"version\":\"%zu\",\"text\":\"%0200d\"}}",
		number, version, 7);

	return bench_parse(text);
}

struct json_doc *apiworld_pod(size_t number)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"train-worker-%zu\",\"labels\":{"
		"\"volcano.sh/job-name\":\"train\",\"volcano.sh/task-spec\":\"worker\"},"
		"\"annotations\":{\"scheduling.k8s.io/group-name\":\"train\"}},"
		"\"spec\":{\"schedulerName\":\"volcano\",\"containers\":[{\"name\":\"main\","
		"\"image\":\"registry.example.com/train:1.0\",\"command\":[\"train\",\"--all\"],"
		"\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]}}",
		number);

	return bench_parse(text);
}

/* --- the server --- */

static struct apiserver *open_server(struct loop *loop, const char *folder)
{
	struct apiserver_options options = {.folder = folder};
	struct apiserver *server;
	struct err err;

	bench_require(address_parse(STR("127.0.0.1:0"), &options.listen, &err) == 0, &err);
	server = apiserver_new(loop, &options, &err);
	bench_require(server, &err);
	return server;
}

static void make_namespace(struct apiworld *w)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"metadata\":{\"name\":\"%s\"}}", apiworld_namespace(w));
	AUTO(json_doc_unref) struct json_doc *namespace = bench_parse(text);

	apiworld_ask(w, (struct client_ask){.verb = CLIENT_CREATE,
					    .resource = &resources[RESOURCE_NAMESPACES],
					    .body = namespace});
	apiworld_wait(w);
}

/* The client within, and what is there at the beginning. */
static void fill(struct apiworld *w, size_t objects)
{
	w->client = client_new(
		w->loop,
		direct_new(apiserver_api(w->server), &(struct direct_user){.name = "bench"}),
		&(struct client_options){.max_in_flight = FILL});
	if (objects == 0)
		return;
	make_namespace(w);
	for (size_t i = 0; i < objects; i++) {
		AUTO(json_doc_unref) struct json_doc *doc = apiworld_configmap(i, 0);

		apiworld_ask(w, (struct client_ask){
					.verb = CLIENT_CREATE, .body = doc, .discard = true});
		if (w->left >= FILL)
			apiworld_wait(w);
	}
	apiworld_wait(w);
}

static void on_hold(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	(void)watch;
	(void)fd;
	(void)events;
	loop_stop(arg);
}

static _Noreturn void be_server(const char *folder, size_t objects, int ready, int hold)
{
	struct apiworld w = {0};
	struct loop_fd *watch;
	struct err err;

	w.loop = loop_new(&err);
	bench_require(w.loop, &err);
	w.server = open_server(w.loop, folder);
	if (objects)
		fill(&w, objects);
	watch = loop_fd_add(w.loop, hold, LOOP_READ, on_hold, w.loop, &err);
	bench_require(watch, &err);
	bench_require(write(ready, "", 1) == 1, &(struct err){.text = "nobody waits"});
	loop_run(w.loop);
	loop_fd_remove(watch);
	client_free(w.client);
	apiserver_free(w.server);
	loop_free(w.loop);
	_exit(0);
}

void apiworld_start(struct apiworld *w, size_t objects)
{
	struct err err = {.text = "no process for the server"};
	int ready[2] = {-1, -1};
	int hold[2] = {-1, -1};
	char byte;

	bench_require(pipe2(ready, O_CLOEXEC) == 0 && pipe2(hold, O_CLOEXEC) == 0, &err);
	w->pid = fork();
	bench_require(w->pid >= 0, &err);
	if (w->pid == 0) {
		fd_close(ready[0]);
		fd_close(hold[1]);
		be_server(w->folder, objects, ready[1], hold[0]);
	}
	fd_close(ready[1]);
	fd_close(hold[0]);
	w->hold = hold[1];
	bench_require(read(ready[0], &byte, 1) == 1, &(struct err){.text = "no server"});
	fd_close(ready[0]);
}

void apiworld_stop(struct apiworld *w)
{
	fd_close(w->hold);
	(void)waitpid(w->pid, NULL, 0);
	w->pid = 0;
}

/* --- life --- */

struct transport *apiworld_connect(struct loop *loop, const char *kubeconfig)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	struct transport *transport;
	struct err err = {0};

	bench_require(kubeconfig_load(config, kubeconfig, &err) == 0 &&
			      kubeconfig_select(config, &(struct kubeconfig_choice){0}, &access,
						&err) == 0,
		      &err);
	transport =
		transport_http_new(loop, &(struct transport_http_options){.access = &access}, &err);
	bench_require(transport, &err);
	return transport;
}

static void make_folder(struct apiworld *w)
{
	const char *root = secure_getenv("TMPDIR");

	w->folder = mem_printf("%s/vc-bench.XXXXXX", root ? root : "/tmp");
	bench_require(mkdtemp(w->folder), &(struct err){.text = "no temporary folder"});
	w->kubeconfig = mem_printf("%s/kubeconfig", w->folder);
}

static void make_loop(struct apiworld *w)
{
	struct err err;

	w->loop = loop_new(&err);
	bench_require(w->loop, &err);
}

void apiworld_open_apart(struct apiworld *w, struct bench_run *run, size_t objects,
			 size_t in_flight)
{
	*w = (struct apiworld){.run = run};
	make_folder(w);
	apiworld_start(w, objects);
	make_loop(w);
	w->client = client_new(w->loop, apiworld_connect(w->loop, w->kubeconfig),
			       &(struct client_options){.max_in_flight = in_flight});
}

/* Kubernetes makes the account of a new namespace in its own time, and no pod before that. */
static void make_account(struct apiworld *w)
{
	AUTO(json_doc_unref)
	struct json_doc *account = bench_parse("{\"metadata\":{\"name\":\"default\"}}");

	apiworld_create_if_missing(
		w, (struct client_ask){.verb = CLIENT_CREATE,
				       .resource = &resources[RESOURCE_SERVICEACCOUNTS],
				       .body = account});
	apiworld_wait(w);
}

void apiworld_open_remote(struct apiworld *w, struct bench_run *run, const char *kubeconfig,
			  size_t in_flight)
{
	*w = (struct apiworld){.run = run,
			       .kubeconfig = mem_strdup(kubeconfig),
			       .own_namespace = mem_printf("vc-bench-%jd", (intmax_t)getpid())};
	make_loop(w);
	w->client = client_new(w->loop, apiworld_connect(w->loop, kubeconfig),
			       &(struct client_options){.max_in_flight = in_flight});
	make_namespace(w);
	make_account(w);
}

void apiworld_open_within(struct apiworld *w, struct bench_run *run, size_t objects,
			  size_t in_flight)
{
	*w = (struct apiworld){.run = run};
	make_folder(w);
	make_loop(w);
	w->server = open_server(w->loop, w->folder);
	fill(w, objects);
	client_free(w->client);
	w->client = client_new(
		w->loop,
		direct_new(apiserver_api(w->server), &(struct direct_user){.name = "bench"}),
		&(struct client_options){.max_in_flight = in_flight});
}

/* Files before their folders. What is not known stays, in a temporary folder. */
static void remove_folder(const char *folder)
{
	static const char *const paths[] = {
		"kubeconfig",
		"pki/admin.crt",
		"pki/admin.key",
		"pki/apiserver.crt",
		"pki/apiserver.key",
		"pki/ca.crt",
		"pki/ca.key",
		"pki/tokens.csv",
		"pki",
		"store/data.mdb",
		"store/format",
		"store/lock",
		"store",
	};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", folder, paths[i]);

		(void)remove(path);
	}
	(void)rmdir(folder);
}

static void delete_namespace(struct apiworld *w)
{
	apiworld_delete_if_there(w, (struct client_ask){.verb = CLIENT_DELETE,
							.resource = &resources[RESOURCE_NAMESPACES],
							.name = str_from(w->own_namespace),
							.discard = true});
	apiworld_wait(w);
}

void apiworld_close(struct apiworld *w)
{
	if (!w->folder)
		delete_namespace(w);
	client_free(w->client);
	if (w->server)
		apiserver_free(w->server);
	loop_free(w->loop);
	if (w->pid)
		apiworld_stop(w);
	if (w->folder)
		remove_folder(w->folder);
	mem_free(w->folder);
	mem_free(w->kubeconfig);
	mem_free(w->own_namespace);
}

/* --- what it costs --- */

int64_t apiworld_cpu(const struct apiworld *w)
{
	clockid_t id = CLOCK_PROCESS_CPUTIME_ID;
	struct timespec now = {0};

	bench_require((!w->pid || clock_getcpuclockid(w->pid, &id) == 0) &&
			      clock_gettime(id, &now) == 0,
		      &(struct err){.text = "no clock of the server"});
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

size_t apiworld_memory(const struct apiworld *w)
{
	AUTO(mem_free)
	char *path = mem_printf("/proc/%jd/statm", (intmax_t)(w->pid ? w->pid : getpid()));
	AUTO(buf_done) struct buf text = BUF_INIT(4096);
	struct str rest;
	int64_t pages = 0;
	struct err err;

	bench_require(fd_read_file(path, &text, &err) == 0, &err);
	rest = buf_str(&text);
	rest = str_skip(rest, (size_t)str_find_byte(rest, ' ', 0) + 1);
	rest = str_slice(rest, 0, (size_t)str_find_byte(rest, ' ', 0));
	bench_require(number_parse_i64(rest, &pages, &err) == 0, &err);
	return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}
