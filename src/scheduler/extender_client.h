/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/extender_client.h - makes the calls of the plugin extender (sched/plugin/outside.h) on the loop. */
#ifndef SCHEDULER_EXTENDER_CLIENT_H
#define SCHEDULER_EXTENDER_CLIENT_H

struct extender_client;
struct scheduler;

struct extender_client *extender_client_new(struct scheduler *scheduler)
	__attribute__((returns_nonnull));
/* Takes NULL. */
void extender_client_free(struct extender_client *client);
/* Before the configuration goes: calls under way are cancelled, as what they are for is freed. */
void extender_client_stop(struct extender_client *client);
/* After a cycle: make the calls that it has asked for. */
void extender_client_run(struct extender_client *client);

#endif
