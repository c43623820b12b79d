/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/configuration.h - the MutatingWebhookConfiguration or ValidatingWebhookConfiguration of a path, with
 * upstream's names, rules and policies: one object per path.
 *
 * Pure functions from settings to documents; registration.c writes them. */
#ifndef WEBHOOK_CONFIGURATION_H
#define WEBHOOK_CONFIGURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "admission/admission.h"
#include "base/str.h"
#include "client/resource.h"
#include "json/doc.h"

struct configuration_settings {
	const char *namespace; /* of the service */
	const char *service;
	const char *url;      /* instead of a service; NULL: none */
	bool ignore_failures; /* failurePolicy Ignore instead of Fail */
	struct strs ignored; /* namespaces that are never asked about, in addition to `namespace` */
	struct admission_config admission;
};

/* Configurations with this label were made here, and are kept as this program wants them. Of others only the
 * caBundle is written. */
#define CONFIGURATION_LABEL "app.kubernetes.io/managed-by"
#define CONFIGURATION_OWNER "vc-webhook-manager"

const struct resource *configuration_resource(const struct admission_hook *hook);
/* "volcano-admission-service-jobs-mutate", in `text`. */
enum { CONFIGURATION_NAME_SIZE = 96 };
const char *configuration_name(const struct admission_hook *hook,
			       char text[CONFIGURATION_NAME_SIZE]);

/* Has the path something to do? The paths for pods only with an enabled feature that needs them, so that plain pods
 * never depend on this program. */
bool configuration_is_needed(const struct admission_hook *hook,
			     const struct admission_config *admission);

/* A new object; `bundle` is PEM. */
struct json_doc *configuration_new(const struct admission_hook *hook,
				   const struct configuration_settings *settings, struct str bundle)
	__attribute__((returns_nonnull));

/* How an existing object is updated. */
struct configuration_change {
	struct str bundle;
	bool exact;  /* no other CA may be in it; else it is added to what is there */
	bool whole;  /* the rest as well, if it has the label */
	int64_t now; /* CAs that have expired are dropped */
};
/* The object with what has to change, or NULL if it is right. Mutable. */
struct json_doc *configuration_update(struct json object, const struct admission_hook *hook,
				      const struct configuration_settings *settings,
				      const struct configuration_change *change);
/* Would a server whose certificate one of `bundle` signed be believed by all webhooks of the object? */
bool configuration_trusts(struct json object, struct str bundle);

#endif
