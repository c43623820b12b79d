/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component.c - what `volcano up` can run in its process. */
#include "programs/volcano/component.h"

#include <stdbool.h>
#include <unistd.h>

#include "apiserver/request/direct.h"
#include "apiserver/server.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "client/client.h"
#include "client/kubeconfig.h"
#include "client/transport_http.h"
#include "programs/volcano/component_controllers.h"
#include "programs/volcano/component_node.h"
#include "programs/volcano/component_scheduler.h"
#include "programs/volcano/home.h"
#include "programs/volcano/settings.h"

#include "base/banned.h"

enum { HOST_NAME_SIZE = 256 };

/* --- apiserver ------------------------------------------------------------------------------- */

/* A server without other components is a plain Kubernetes API, unless --admission says otherwise. */
static bool is_plain(const struct settings *settings)
{
	if (settings->admission)
		return str_is(str_from(settings->admission), "off");
	return str_is(str_trim(str_from(settings->components)), "apiserver");
}

static void *start_apiserver(struct component_world *world, struct err *err)
{
	const struct settings *settings = world->settings;
	struct apiserver_options options = {.folder = settings->folder,
					    .log = world->log,
					    .or_any_port = !settings->listen,
					    .plain = is_plain(settings),
					    .queue_gates = settings->queue_gates,
					    .admission_conf = settings->admission_conf,
					    .backup_folder = settings->backup_dir,
					    .backup_every_us = settings->backup_every_us,
					    .backup_keep = settings->backup_keep};
	const char *listen = settings->listen ? settings->listen : "127.0.0.1:6443";
	VEC(const char *) names = {0};
	char host[HOST_NAME_SIZE] = "";

	if (address_parse(str_from(listen), &options.listen, err) < 0) {
		(void)err_wrap(err, "--listen");
		return NULL;
	}
	for (size_t i = 0; i < settings->names.len; i++)
		vec_push(&names, settings->names.ptr[i]);
	if (gethostname(host, sizeof(host) - 1) == 0 && host[0])
		vec_push(&names, host);
	options.hosts = names.ptr;
	options.host_count = names.len;
	world->apiserver = apiserver_new(world->loop, &options, err);
	vec_done(&names);
	return world->apiserver;
}

static void stop_apiserver(void *self, component_done_fn *done, void *arg)
{
	apiserver_stop(self, done, arg);
}

static void free_apiserver(void *self)
{
	apiserver_free(self);
}

/* --- clients --------------------------------------------------------------------------------- */

/* The server writes kubeconfig again when it has renewed the certificate in it. */
static int load_access(void *arg, struct kubeconfig_access *ret, struct err *err)
{
	const struct settings *settings = arg;
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	AUTO(mem_free) char *path = home_path(settings->folder, "kubeconfig");

	if (kubeconfig_load(config, path, err) < 0)
		return -1;
	return kubeconfig_select(config, &(struct kubeconfig_choice){0}, ret, err);
}

static struct transport *connect_http(const struct component_world *world, struct err *err)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	void *settings = (void *)(uintptr_t)world->settings; /* only read */

	if (load_access(settings, &access, err) < 0)
		return NULL;
	return transport_http_new(world->loop,
				  &(struct transport_http_options){.access = &access,
								   .reload = load_access,
								   .reload_arg = settings},
				  err);
}

struct client *component_client(const struct component_world *world, const char *user,
				const char *field_manager, struct err *err)
{
	const struct client_options options = {.field_manager = str_from(field_manager)};
	struct transport *transport = world->apiserver
					      ? direct_new(apiserver_api(world->apiserver),
							   &(struct direct_user){.name = user})
					      : connect_http(world, err);

	return transport ? client_new(world->loop, transport, &options) : NULL;
}

/* --- the table ------------------------------------------------------------------------------- */

const struct component components[COMPONENT_COUNT] = {
	{"apiserver", start_apiserver, NULL, stop_apiserver, free_apiserver},
	{"node", component_node_start, component_node_is_ready, component_node_stop,
	 component_node_free},
	{"controllers", component_controllers_start, NULL, component_controllers_stop,
	 component_controllers_free},
	{"scheduler", component_scheduler_start, component_scheduler_is_ready,
	 component_scheduler_stop, component_scheduler_free},
};

static int select_one(struct str name, unsigned *chosen, struct err *err)
{
	AUTO(buf_done) struct buf known = BUF_UNBOUNDED;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
		buf_printf(&known, "%s%s", i ? ", " : "", components[i].name);
		if (!str_is(name, components[i].name))
			continue;
		if (!components[i].start)
			return err_set(err, ERR_NOT_IMPLEMENTED,
				       "--components: this volcano has no %.*s yet", STR_ARG(name));
		*chosen |= 1u << i;
		return 0;
	}
	return err_set(err, ERR_BAD_REQUEST, "--components: \"%.*s\" is none of %s", STR_ARG(name),
		       buf_text(&known));
}

int component_select(const char *list, unsigned *ret, struct err *err)
{
	struct str rest = str_from(list);
	struct str name;
	unsigned chosen = 0;

	for (unsigned i = 0; !list && i < COMPONENT_COUNT; i++)
		if (components[i].start)
			chosen |= 1u << i;
	while (str_split(&rest, ',', &name))
		if (select_one(str_trim(name), &chosen, err) < 0)
			return -1;
	*ret = chosen;
	return 0;
}
