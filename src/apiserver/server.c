/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/server.c - the whole API server as one object.
 *
 * What is made first is ended last: store, API, front, HTTP server. Half-built servers go the same
 * way, so that apiserver_free() is the only destructor. */
#include "apiserver/server.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "admission/admission.h"
#include "apiserver/api.h"
#include "apiserver/auth/auth.h"
#include "apiserver/auth/identity.h"
#include "apiserver/auth/renewal.h"
#include "apiserver/crd/install.h"
#include "apiserver/request/front.h"
#include "apiserver/store/backups.h"
#include "apiserver/store/store.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "client/kubeconfig.h"
#include "http/http_server.h"
#include "http/tls.h"

#include "base/banned.h"

#define DRAIN (5 * TIME_SECOND)
enum { HOST_SIZE = 64 };

struct apiserver {
	struct loop *loop;
	struct log *log;
	struct store *store;
	struct api *api;
	struct auth *auth;
	struct front *front;
	struct http_server *http;
	struct renewal *renewal;
	char *folder;
	struct admission_config admission;
	struct address address;
	char url[ADDRESS_TEXT_SIZE + 16];
};

/* --- certificates and names ------------------------------------------------------------------ */

/* The address without its port, as a certificate has it; "" for a socket file and for "any". */
static void print_host(const struct address *address, char host[HOST_SIZE])
{
	char text[ADDRESS_TEXT_SIZE];
	struct str all = str_from(address_print(address, text));
	ptrdiff_t colon = str_rfind_byte(all, ':');
	struct str ip = colon < 0 ? str_none() : str_slice(all, 0, (size_t)colon);

	if (ip.len && ip.ptr[0] == '[')
		ip = str_slice(ip, 1, ip.len - 1);
	if (address_is_unix(address) || str_is(ip, "0.0.0.0") || str_is(ip, "::"))
		ip = str_none();
	(void)snprintf(host, HOST_SIZE, "%.*s", STR_ARG(ip)); /* an IP number fits */
}

static renewal_fn on_renewed;

/* Makes the renewal, which has the certificates and keeps them good. */
static int open_identity(struct apiserver *server, const struct apiserver_options *options,
			 struct err *err)
{
	static const char *const own[] = {"localhost",
					  "127.0.0.1",
					  "::1",
					  "kubernetes",
					  "kubernetes.default",
					  "kubernetes.default.svc",
					  "kubernetes.default.svc.cluster.local"};
	AUTO(mem_free) char *folder = mem_printf("%s/pki", options->folder);
	AUTO(identity_done) struct identity identity = {.tokens = NULL};
	struct renewal_options renewal = {
		.log = options->log, .changed = on_renewed, .arg = server};
	VEC(const char *) hosts = {0};
	char host[HOST_SIZE];
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		vec_push(&hosts, own[i]);
	for (size_t i = 0; i < options->host_count; i++)
		vec_push(&hosts, options->hosts[i]);
	print_host(&options->listen, host);
	if (host[0])
		vec_push(&hosts, host);
	renewal.identity = (struct identity_options){
		.folder = folder, .hosts = hosts.ptr, .host_count = hosts.len};
	rc = identity_open(server->loop, &renewal.identity, &identity, err);
	if (rc == 0)
		server->renewal = renewal_new(server->loop, &renewal, &identity);
	vec_done(&hosts);
	return rc;
}

static void set_url(struct apiserver *server)
{
	char host[HOST_SIZE];
	char text[ADDRESS_TEXT_SIZE];

	print_host(&server->address, host);
	if (address_is_unix(&server->address))
		(void)snprintf(server->url, sizeof(server->url), "%s",
			       address_print(&server->address, text));
	else if (!host[0])
		(void)snprintf(server->url, sizeof(server->url), "https://127.0.0.1:%d",
			       address_port(&server->address));
	else
		(void)snprintf(server->url, sizeof(server->url), "https://%s",
			       address_print(&server->address, text));
}

static int write_kubeconfig(const struct apiserver *server, const struct identity *identity,
			    struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/kubeconfig", server->folder);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct kubeconfig_access access = {
		.server = server->url,
		.namespace = "default",
		.ca = identity->ca.cert,
		.client_cert = identity->admin.cert,
		.client_key = identity->admin.key,
		.token = "",
	};

	kubeconfig_print(&access, "volcano", &text);
	return fd_write_file(path, text.ptr, text.len, 0600, err);
}

static struct tls *make_tls(const struct identity *identity, struct err *err)
{
	return tls_server_new(
		&(struct tls_server_options){
			.certificate = str_from(identity->server.cert),
			.key = str_from(identity->server.key),
			.client_ca = str_from(identity->ca.cert),
			.clients = TLS_CLIENTS_OPTIONAL,
		},
		err);
}

/* New connections get the new certificate; those that exist keep what they have. */
static int on_renewed(void *arg, const struct identity *identity, bool server, bool admin,
		      struct err *err)
{
	struct apiserver *self = arg;
	AUTO(tls_unref) struct tls *tls = NULL;

	if (admin && write_kubeconfig(self, identity, err) < 0)
		return -1;
	if (!server)
		return 0;
	tls = make_tls(identity, err);
	if (!tls)
		return -1;
	http_server_set_tls(self->http, tls);
	return 0;
}

void apiserver_renew(struct apiserver *server)
{
	renewal_check(server->renewal);
}

/* --- start ----------------------------------------------------------------------------------- */

static int open_store(struct apiserver *server, const struct apiserver_options *options,
		      struct err *err)
{
	AUTO(mem_free) char *folder = mem_printf("%s/store", options->folder);

	if (mkdir(options->folder, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "%s", options->folder);
	server->store = store_open(
		server->loop, &(struct store_options){.folder = folder, .log = options->log}, err);
	return server->store ? 0 : -1;
}

static int listen_on(struct apiserver *server, const struct apiserver_options *options,
		     struct err *err)
{
	struct address any = options->listen;
	char host[HOST_SIZE];

	if (http_server_listen(server->http, &options->listen, HTTP_TLS, &server->address, err) ==
	    0)
		return 0;
	if (!options->or_any_port || err->code != ERR_ALREADY_EXISTS)
		return -1;
	print_host(&options->listen, host);
	if (address_parse_ip(str_from(host), 0, &any, err) < 0)
		return -1;
	return http_server_listen(server->http, &any, HTTP_TLS, &server->address, err);
}

int apiserver_listen_also(struct apiserver *server, struct str ip, struct err *err)
{
	struct address address;

	if (address_parse_ip(ip, address_port(&server->address), &address, err) < 0)
		return -1;
	return http_server_listen(server->http, &address, HTTP_TLS, &address, err);
}

static int start_http(struct apiserver *server, const struct apiserver_options *options,
		      const struct identity *identity, struct err *err)
{
	AUTO(tls_unref) struct tls *tls = make_tls(identity, err);

	if (!tls)
		return -1;
	server->http = http_server_new(server->loop,
				       &(struct http_server_options){
					       .handler = front_handle,
					       .arg = server->front,
					       .tls = tls,
					       .max_connections = options->max_connections,
					       .waiting = front_waiting,
				       },
				       err);
	if (!server->http || listen_on(server, options, err) < 0)
		return -1;
	set_url(server);
	return 0;
}

static int read_groups(struct apiserver *server, const struct apiserver_options *options,
		       struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);

	server->admission = (struct admission_config)ADMISSION_CONFIG_INIT;
	server->admission.queue_gates = options->queue_gates;
	if (!options->admission_conf)
		return 0;
	if (fd_read_file(options->admission_conf, &text, err) < 0)
		return -1;
	server->admission.groups = admission_groups_parse(buf_str(&text), err);
	return server->admission.groups ? 0 : err_wrap(err, "%s", options->admission_conf);
}

static int start(struct apiserver *server, const struct apiserver_options *options, struct err *err)
{
	const struct identity *identity;

	if (open_store(server, options, err) < 0 || open_identity(server, options, err) < 0)
		return -1;
	identity = renewal_identity(server->renewal);
	if (read_groups(server, options, err) < 0)
		return -1;
	server->api = api_new(&(struct api_options){
		.admission = &server->admission,
		.plain = options->plain,
		.loop = server->loop,
		.store = server->store,
		.log = options->log,
		.max_in_flight = options->max_in_flight,
		.max_watchers = options->max_watchers,
		.watcher_bytes = options->watcher_bytes,
		.list_bytes = options->list_bytes,
		.large_bytes = options->large_bytes,
		.user_in_flight = options->user_in_flight,
		.user_body_bytes = options->user_body_bytes,
		.user_waiting_bytes = options->user_waiting_bytes,
	});
	if (install_definitions(server->api, err) < 0)
		return -1;
	server->auth = auth_new();
	auth_set_api(server->auth, server->api);
	if (auth_add_tokens(server->auth, str_from(identity->tokens), err) < 0)
		return err_wrap(err, "%s/pki/tokens.csv", options->folder);
	server->front = front_new(server->api, server->auth);
	if (start_http(server, options, identity, err) < 0)
		return -1;
	const struct backups_options backups = {.folder = options->backup_folder,
						.every_us = options->backup_every_us,
						.keep = options->backup_keep,
						.log = options->log};

	api_start(server->api, &(struct api_place){.root_ca = identity->ca.cert,
						   .token_key = identity->ca.key,
						   .port = address_port(&server->address),
						   .backups = backups.folder ? &backups : NULL});
	return write_kubeconfig(server, identity, err);
}

struct apiserver *apiserver_new(struct loop *loop, const struct apiserver_options *options,
				struct err *err)
{
	AUTO(apiserver_free) struct apiserver *server = mem_new(struct apiserver);

	server->loop = loop;
	server->log = options->log;
	server->folder = mem_strdup(options->folder);
	if (start(server, options, err) < 0)
		return NULL;
	log_info(server->log, "serving", LOG_STR("url", server->url));
	return TAKE(server);
}

/* --- end ------------------------------------------------------------------------------------- */

void apiserver_stop(struct apiserver *server, apiserver_done_fn *done, void *arg)
{
	api_stop(server->api);
	http_server_shutdown(server->http, DRAIN, done, arg);
}

void apiserver_free(struct apiserver *server)
{
	if (!server)
		return;
	renewal_free(server->renewal);
	http_server_free(server->http);
	front_free(server->front);
	auth_free(server->auth);
	if (server->store)
		store_flush(
			server->store); /* staged writes still call the API when they are done */
	api_free(server->api);
	admission_groups_free(server->admission.groups);
	store_close(server->store);
	mem_free(server->folder);
	mem_free(server);
}

const char *apiserver_url(const struct apiserver *server)
{
	return server->url;
}

const struct address *apiserver_address(const struct apiserver *server)
{
	return &server->address;
}

struct api *apiserver_api(const struct apiserver *server)
{
	return server->api;
}
