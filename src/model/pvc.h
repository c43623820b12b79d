/* SPDX-License-Identifier: Apache-2.0 */
/* model/pvc.h - claims of volumes. */
#ifndef MODEL_PVC_H
#define MODEL_PVC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/causes.h"
#include "model/fields.h"
#include "model/meta.h"
#include "model/view.h"
#include "model/volume.h"

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

#endif
