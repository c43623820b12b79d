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

/* How to call them: model/rules/rules.h. */
void pvc_validate_create(struct json pvc, struct causes *causes);
void pvc_validate_update(struct json pvc, struct json old, struct causes *causes);
void pvc_validate_status(struct json pvc, struct json old, struct causes *causes);
/* The spec of a claim, also of one that a pod brings along. */
void pvc_validate_spec(struct json spec, const struct path *path, struct causes *causes);
/* Access modes of claims and volumes. */
void pvc_validate_modes(struct json modes, const struct path *path, struct causes *causes);

#endif
