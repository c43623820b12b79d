/* SPDX-License-Identifier: Apache-2.0 */
/* model/namespace.h - namespaces. */
#ifndef MODEL_NAMESPACE_H
#define MODEL_NAMESPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/causes.h"
#include "model/fields.h"
#include "model/meta.h"
#include "model/view.h"

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

#endif
