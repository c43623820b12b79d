/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component_controllers.c - the controllers component: all controllers, next to the
 * API server in the same process.
 *
 * With the API server elsewhere there is vc-controller-manager. */
#include "programs/volcano/component_controllers.h"

#include "apiserver/request/direct.h"
#include "apiserver/server.h"
#include "base/mem.h"
#include "client/client.h"
#include "controller/controller.h"
#include "loop/loop.h"
#include "programs/volcano/settings.h"

#include "base/banned.h"

struct controllers_component {
	struct loop *loop;
	struct client *client;
	struct controllers *controllers;
	struct str schedulers[2]; /* whose plain pods get a group: as in component_scheduler.c */
	char *volumes;            /* the folder of claims; NULL: no pods run on this machine */
	struct loop_defer stopped;
};

static void close_all(struct controllers_component *self)
{
	controllers_free(TAKE(self->controllers));
	client_free(TAKE(self->client));
	mem_free(TAKE(self->volumes));
}

void *component_controllers_start(struct component_world *world, struct err *err)
{
	struct controllers_component *self;

	if (!world->apiserver) {
		(void)err_set(err, ERR_NOT_IMPLEMENTED,
			      "controllers want the apiserver in the same process; for another one "
			      "there is vc-controller-manager");
		return NULL;
	}
	self = mem_new(struct controllers_component);
	self->loop = world->loop;
	self->schedulers[0] = STR("volcano");
	self->schedulers[1] = STR("default-scheduler");
	self->client =
		client_new(world->loop,
			   direct_new(apiserver_api(world->apiserver),
				      &(struct direct_user){.name = "system:serviceaccount:volcano-"
								    "system:volcano-controllers"}),
			   &(struct client_options){.field_manager = STR("vc-controller-manager")});
	if (settings_real_nodes(world->settings) > 0)
		self->volumes = mem_printf("%s/volumes", world->settings->folder);
	self->controllers = controllers_new(
		world->loop, self->client,
		&(struct controllers_options){
			.home = true,
			.admitted = !world->settings->admission ||
				    !str_is(str_from(world->settings->admission), "off"),
			.volumes_folder = self->volumes,
			.scheduler_names = {self->schedulers, ARRAY_LEN(self->schedulers)},
			.log = world->log},
		err);
	if (!self->controllers) {
		component_controllers_free(self);
		return NULL;
	}
	return self;
}

void component_controllers_stop(void *self, component_done_fn *done, void *arg)
{
	struct controllers_component *component = self;

	close_all(component);
	loop_defer(component->loop, &component->stopped, done, arg);
}

void component_controllers_free(void *self)
{
	struct controllers_component *component = self;

	loop_defer_cancel(component->loop, &component->stopped);
	close_all(component);
	mem_free(component);
}
