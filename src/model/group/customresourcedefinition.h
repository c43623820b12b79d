/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/customresourcedefinition.h - definitions of custom resources. */
#ifndef MODEL_CUSTOMRESOURCEDEFINITION_H
#define MODEL_CUSTOMRESOURCEDEFINITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct crd_names {
	struct str plural;
	struct str singular;
	struct strs short_names;
	struct str kind;
	struct str list_kind;
	struct strs categories;
};
extern const struct type crd_names_type;

struct crd_validation {
	struct json schema;
};
extern const struct type crd_validation_type;

struct crd_subresource_scale {
	struct str spec_replicas_path;
	struct str status_replicas_path;
	struct str label_selector_path;
};
extern const struct type crd_subresource_scale_type;

struct crd_subresources {
	struct json status;
	const struct crd_subresource_scale *scale;
};
extern const struct type crd_subresources_type;

struct crd_column {
	struct str name;
	struct str type;
	struct str format;
	struct str description;
	int32_t priority;
	struct str json_path;
};
extern const struct type crd_column_type;

struct crd_version {
	struct str name;
	bool served;
	bool storage;
	bool deprecated;
	struct str deprecation_warning;
	const struct crd_validation *schema;
	const struct crd_subresources *subresources;
	VIEW_LIST(struct crd_column) additional_printer_columns;
};
extern const struct type crd_version_type;

struct crd_spec {
	struct str group;
	struct crd_names names;
	struct str scope;
	VIEW_LIST(struct crd_version) versions;
	bool preserve_unknown_fields;
};
extern const struct type crd_spec_type;

struct crd_status {
	struct crd_names accepted_names;
	struct strs stored_versions;
};
extern const struct type crd_status_type;

struct crd {
	struct meta meta;
	struct crd_spec spec;
	struct crd_status status;
};
extern const struct type crd_type;

#endif
