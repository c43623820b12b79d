/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_default.h - the defaults of a pod that are not a plain word in a row: hooks (`fill`) of the
 * tables of a pod's parts.
 *
 * They stand here and not as F_DEFAULT in the rows because a template inside of a custom resource has
 * the same tables, and its schema must not carry them: kube-apiserver fills in pods and the
 * templates of its own kinds only. */
#ifndef MODEL_POD_DEFAULT_H
#define MODEL_POD_DEFAULT_H

#include "model/field/fields.h"

type_default_fn pod_default; /* what a pod has and a template has not */
type_default_fn pod_default_spec;
type_default_fn pod_default_status;
type_default_fn pod_default_container;
type_default_fn pod_default_probe;
type_default_fn pod_default_http_get;
type_default_fn pod_default_field_ref;
type_default_fn pod_default_volume;
type_default_fn pod_default_host_path;
type_default_fn pod_default_mode;
type_default_fn pod_default_token;
type_default_fn pod_default_claim;

#endif
