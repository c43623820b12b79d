/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/lease.h - leases. */
#ifndef MODEL_LEASE_H
#define MODEL_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct lease_spec {
	struct str holder_identity;
	struct opt_int32 lease_duration_seconds;
	int64_t acquire_time;
	int64_t renew_time;
	struct opt_int32 lease_transitions;
};
extern const struct type lease_spec_type;

struct lease {
	struct meta meta;
	struct lease_spec spec;
};
extern const struct type lease_type;

/* Drop what belongs to features that are off, unless it was stored before. */
void lease_prepare_create(struct json_doc *doc, struct json lease);
void lease_prepare_update(struct json_doc *doc, struct json lease, struct json old);

#endif
