/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/webhookconfig.h - configurations of admission webhooks. */
#ifndef MODEL_WEBHOOKCONFIG_H
#define MODEL_WEBHOOKCONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

struct service_reference {
	struct str namespace;
	struct str name;
	struct str path;
	struct opt_int32 port;
};
extern const struct type service_reference_type;

struct webhook_client_config {
	struct str url;
	const struct service_reference *service;
	struct str ca_bundle;
};
extern const struct type webhook_client_config_type;

struct rule_with_operations {
	struct strs operations;
	struct strs api_groups;
	struct strs api_versions;
	struct strs resources;
	struct str scope;
};
extern const struct type rule_with_operations_type;

/* One that validates or one that mutates. */
struct webhook {
	struct str name;
	struct webhook_client_config client_config;
	VIEW_LIST(struct rule_with_operations) rules;
	struct str failure_policy;
	struct str match_policy;
	const struct label_selector *namespace_selector;
	const struct label_selector *object_selector;
	struct str side_effects;
	struct opt_int32 timeout_seconds;
	struct strs admission_review_versions;
	struct str reinvocation_policy; /* of one that mutates */
};
extern const struct type validating_webhook_type;
extern const struct type mutating_webhook_type;

struct webhook_configuration {
	struct meta meta;
	VIEW_LIST(struct webhook) webhooks;
};
extern const struct type validating_webhook_configuration_type;
extern const struct type mutating_webhook_configuration_type;

/* Of both kinds. How to call them: model/rules/rules.h. */
extern const struct rules webhook_configuration_rules, webhook_configuration_update_rules;

#endif
