/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/pvc.h - claims of volumes. */
#ifndef MODEL_PVC_H
#define MODEL_PVC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/volume.h"
#include "model/rules/causes.h"

struct pvc_status {
	struct str phase;
	struct strs access_modes;
	struct resource_list capacity;
};
extern const struct type pvc_status_type;

struct pvc {
	struct meta meta;
	struct claim_spec spec;
	struct pvc_status status;
};
extern const struct type pvc_type;

/* What kube-apiserver sets on a new claim: the status, and the finalizer that protects it while it is
 * used. */
void pvc_prepare_create(struct json_doc *doc, struct json pvc);
void pvc_prepare_update(struct json_doc *doc, struct json pvc, struct json old);

/* Of the spec of a claim, also of one that is made from a template. */
extern const struct rules pvc_spec_rules;

#endif
