/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/namespace.h - namespaces. */
#ifndef MODEL_NAMESPACE_H
#define MODEL_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct namespace_spec {
	struct strs finalizers;
};
extern const struct type namespace_spec_type;

struct namespace_status {
	struct str phase;
};
extern const struct type namespace_status_type;

struct namespace
{
	struct meta meta;
	struct namespace_spec spec;
	struct namespace_status status;
};
extern const struct type namespace_type;

/* What kube-apiserver sets on a new namespace: the finalizer that its clean-up removes, and the phase. */
void namespace_prepare_create(struct json_doc *doc, struct json namespace);

/* Of an update of the sub-resource "finalize". */
extern const struct rules namespace_finalize_rules;

#endif
