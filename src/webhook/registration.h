/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/registration.h - writes the webhook configurations of the enabled paths and keeps the CAs in them current.
 *
 * Nothing is written before registration_start(): the server must be ready, since a configuration makes kube-apiserver
 * ask it. A configuration of a service that is not there yet is made when the service has an endpoint. Those that
 * other programs made (an installer) get the CAs at once, and nothing else is changed in them.
 *
 * Several replicas write the same: a conflict is retried after the next change is seen. */
#ifndef WEBHOOK_REGISTRATION_H
#define WEBHOOK_REGISTRATION_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/macro.h"
#include "base/str.h"

struct client;
struct configuration_settings;
struct log;
struct loop;
struct registration;

/* Everything is lent, and outlives it. `changed` is called when a configuration was written by anyone; may be NULL. */
struct registration_options {
	struct loop *loop;
	struct client *client;
	const struct configuration_settings *settings; /* may change: registration_configure() */
	bool exact;                                    /* see struct configuration_change */
	void (*changed)(void *arg);
	void *arg;
	struct log *log;
};

struct registration *registration_new(const struct registration_options *options)
	__attribute__((returns_nonnull));
void registration_free(struct registration *registration);
DEFINE_AUTO(struct registration *, registration_free);

void registration_start(struct registration *registration);
/* The CAs to write, PEM; copied. */
void registration_set_bundle(struct registration *registration, struct str bundle);
/* The settings have changed. */
void registration_configure(struct registration *registration);

/* Do all configurations that exist have these CAs? False before they have been read. */
bool registration_trusts(const struct registration *registration, struct str bundle);
/* What is not registered yet, a line each. */
void registration_print_missing(const struct registration *registration, struct buf *to);

#endif
