/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/reference.c - the tables of references from one object to another. */
#include "model/core/reference.h"

#include "base/banned.h"

#define VIEW struct object_reference
static const struct field object_reference_fields[] = {
	{"kind", F_STR, AT(kind)},
	{"namespace", F_STR, AT(namespace)},
	{"name", F_STR, AT(name)},
	{"uid", F_STR, AT(uid), F_GO("types.UID")},
	{"apiVersion", F_STR, AT(api_version)},
	{"resourceVersion", F_STR, AT(resource_version)},
	{"fieldPath", F_STR, AT(field_path)},
};
#undef VIEW
const struct type object_reference_type = {
	TYPE("ObjectReference", "v1", struct object_reference, object_reference_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.atomic = true,
};

#define VIEW struct secret_reference
static const struct field secret_reference_fields[] = {
	{"name", F_STR, AT(name)},
	{"namespace", F_STR, AT(namespace)},
};
#undef VIEW
const struct type secret_reference_type = {
	TYPE("SecretReference", "v1", struct secret_reference, secret_reference_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.atomic = true,
};
