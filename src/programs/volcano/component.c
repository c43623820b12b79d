/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component.c - what `volcano up` can run in its process. */
#include "programs/volcano/component.h"

#include <stdbool.h>
#include <unistd.h>

#include "apiserver/server.h"
#include "base/buf.h"
#include "base/str.h"
#include "programs/volcano/component_node.h"
#include "programs/volcano/settings.h"

#include "base/banned.h"

enum { HOST_NAME_SIZE = 256 };

/* --- apiserver ------------------------------------------------------------------------------- */

static void *start_apiserver(struct component_world *world, struct err *err)
{
	const struct settings *settings = world->settings;
	struct apiserver_options options = {.folder = settings->folder,
					    .log = world->log,
					    .or_any_port = !settings->listen,
					    .admission_conf = settings->admission_conf};
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

/* --- the table ------------------------------------------------------------------------------- */

const struct component components[COMPONENT_COUNT] = {
	{"apiserver", start_apiserver, stop_apiserver, free_apiserver},
	{"controllers", NULL, NULL, NULL},
	{"scheduler", NULL, NULL, NULL},
	{"node", component_node_start, component_node_stop, component_node_free},
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
