/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component_scheduler.c - the scheduler component: the service with a client of its
 * own, and its configuration from a file. */
#include "programs/volcano/component_scheduler.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "client/client.h"
#include "loop/loop.h"
#include "programs/plugins/plugin_dir.h"
#include "programs/volcano/settings.h"
#include "scheduler/conf_file.h"
#include "scheduler/local_zone.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

struct scheduler_component {
	struct loop *loop;
	struct client *client;
	struct plugin_dir *plugins;
	struct scheduler *scheduler;
	struct conf_file *file;
	struct loop_defer stopped;
};

static void close_all(struct scheduler_component *self)
{
	conf_file_free(TAKE(self->file));
	scheduler_free(TAKE(self->scheduler));
	client_free(TAKE(self->client));
	plugin_dir_close(TAKE(self->plugins));
}

static int start(struct scheduler_component *self, struct component_world *world, struct err *err)
{
	/* Here is no other scheduler: plain pods, which name the default one, are its own as well. */
	static const char *const names[] = {"volcano", "default-scheduler", NULL};
	const char *path = world->settings->scheduler_conf;
	const char *plugins = world->settings->plugins_dir;
	AUTO(buf_done) struct buf config = BUF_INIT(LIMIT_YAML_BYTES);
	AUTO(mem_free) char *zone_file = local_zone_path(secure_getenv("TZ"));

	if (path && conf_file_read(path, &config, err) < 0)
		return err_wrap(err, "--scheduler-conf");
	if (plugins) {
		self->plugins = plugin_dir_open(plugins, err);
		if (!self->plugins)
			return err_wrap(err, "--plugins-dir");
	}
	self->client =
		component_client(world, "system:volcano-scheduler", "volcano-scheduler", err);
	if (!self->client)
		return -1;
	self->scheduler =
		scheduler_new(world->loop, self->client,
			      &(struct scheduler_options){
				      .config = path ? buf_str(&config) : str_none(),
				      .plugins = plugins ? plugin_dir_types(self->plugins) : NULL,
				      .scheduler_names = names,
				      .zone_file = zone_file,
				      .queue_gates = world->settings->queue_gates,
				      .log = world->log},
			      err);
	if (!self->scheduler)
		return path ? err_wrap(err, "--scheduler-conf %s", path) : -1;
	if (!path)
		return 0;
	self->file = conf_file_watch(world->loop, path, self->scheduler, world->log, err);
	return self->file ? 0 : -1;
}

void *component_scheduler_start(struct component_world *world, struct err *err)
{
	struct scheduler_component *self = mem_new(struct scheduler_component);

	self->loop = world->loop;
	if (start(self, world, err) == 0)
		return self;
	close_all(self);
	mem_free(self);
	return NULL;
}

bool component_scheduler_is_ready(const void *self)
{
	const struct scheduler_component *component = self;

	return scheduler_has_tried_queues(component->scheduler);
}

void component_scheduler_stop(void *self, component_done_fn *done, void *arg)
{
	struct scheduler_component *component = self;

	close_all(component);
	loop_defer(component->loop, &component->stopped, done, arg);
}

void component_scheduler_free(void *self)
{
	struct scheduler_component *component = self;

	loop_defer_cancel(component->loop, &component->stopped);
	close_all(component);
	mem_free(component);
}
