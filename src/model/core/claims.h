/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/claims.h - which volume fits which claim. The scheduler uses these rules for claims that wait
 * for their first pod, a controller for the others. */
#ifndef MODEL_CLAIMS_H
#define MODEL_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct labels;
struct pv;
struct pvc;

#define CLAIM_BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define CLAIM_BOUND_BY_CONTROLLER "pv.kubernetes.io/bound-by-controller"
#define CLAIM_SELECTED_NODE "volume.kubernetes.io/selected-node"
#define CLAIM_PROVISIONED_BY "pv.kubernetes.io/provisioned-by"

/* The name of its class; empty: none. */
struct str claim_class(const struct pvc *claim);
/* Is it bound completely? A claim that only names a volume is not. */
bool claim_is_bound(const struct pvc *claim);
/* The requested size, and the size of a volume, in bytes. */
int64_t claim_size(const struct pvc *claim);
int64_t pv_size(const struct pv *pv);

/* Is the volume reserved for this claim? */
bool pv_is_for(const struct pv *pv, const struct pvc *claim);
/* Does the volume fit the claim (class, size, access modes, mode, selector), and is it not in use?
 */
bool pv_suits(const struct pv *pv, const struct pvc *claim);
/* Can it be used from a node? */
bool pv_reaches(const struct pv *pv, struct str node, const struct labels *labels);

#endif
