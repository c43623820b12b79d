/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate.h - the rules of pods and pod templates, in the order and the words of
 * kube-apiserver 1.34.
 *
 * What is common to every pod comes with type_validate(&pod_type), what is common to every template
 * with type_validate() of anything that has a template in it; metadata is model/core/meta.h's. The rest
 * depends on what is being done:
 *
 *	create               meta_validate, type_validate, pod_validate_new
 *	update               meta_validate_update, meta_validate, type_validate, pod_validate_update
 *	status               meta_validate_update, pod_validate_status
 *	ephemeralcontainers  meta_validate_update, meta_validate, type_validate,
 *	                     pod_validate_ephemeral
 *	resize               meta_validate_update, meta_validate, type_validate,
 *	                     pod_validate_resize
 *
 * Documents must have the right types (type_check_types) and their defaults (type_default), and be
 * prepared (model/pod/pod_prepare.h). */
#ifndef MODEL_POD_VALIDATE_H
#define MODEL_POD_VALIDATE_H

#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/path.h"
#include "model/rules/causes.h"

/* Of pod_type, pod_template_spec_type, pod_template_strict_type and pod_template_type. */
extern const struct rules pod_object_rules, pod_template_rules, pod_template_strict_rules,
	pod_template_kind_rules;

void pod_validate_new(struct json pod, struct causes *causes);
void pod_validate_update(struct json pod, struct json old, struct causes *causes);
void pod_validate_status(struct json pod, struct json old, struct causes *causes);
void pod_validate_ephemeral(struct json pod, struct json old, struct causes *causes);
void pod_validate_resize(struct json pod, struct json old, struct causes *causes);

#endif
