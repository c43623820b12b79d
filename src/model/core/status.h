/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/status.h - the Status of a request, and options of a deletion. */
#ifndef MODEL_STATUS_H
#define MODEL_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

/* Of a list. */
extern const struct type list_meta_type;

struct status_cause {
	struct str reason;
	struct str message;
	struct str field;
};
extern const struct type status_cause_type;

struct status_details {
	struct str name;
	struct str group;
	struct str kind;
	struct str uid;
	VIEW_LIST(struct status_cause) causes;
	int32_t retry_after_seconds;
};
extern const struct type status_details_type;

struct api_status {
	struct str status;
	struct str message;
	struct str reason;
	const struct status_details *details;
	int32_t code;
};
extern const struct type api_status_type;

struct preconditions {
	struct str uid;
	struct str resource_version;
};
extern const struct type preconditions_type;

struct delete_options {
	struct opt_int64 grace_period_seconds;
	const struct preconditions *preconditions;
	struct opt_bool orphan_dependents;
	struct str propagation_policy;
	struct strs dry_run;
	struct opt_bool ignore_store_read_error_with_cluster_breaking_potential;
};
extern const struct type delete_options_type;

#endif
