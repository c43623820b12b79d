/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/serviceaccount.h - service accounts. */
#ifndef MODEL_SERVICEACCOUNT_H
#define MODEL_SERVICEACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/reference.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/container.h"
#include "model/rules/causes.h"

struct serviceaccount {
	struct meta meta;
	VIEW_LIST(struct object_reference) secrets;
	VIEW_LIST(struct local_ref) image_pull_secrets;
	struct opt_bool automount_service_account_token;
};
extern const struct type serviceaccount_type;

#endif
