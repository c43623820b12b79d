/* SPDX-License-Identifier: Apache-2.0 */
/* model/objectref.c - the table of ObjectReference. */
#include "model/objectref.h"

#include "base/banned.h"

#define VIEW struct objectref
static const struct field objectref_fields[] = {
	{"kind", F_STR, AT(kind)},
	{"namespace", F_STR, AT(namespace)},
	{"name", F_STR, AT(name)},
	{"uid", F_STR, AT(uid), F_GO("types.UID")},
	{"apiVersion", F_STR, AT(api_version)},
	{"resourceVersion", F_STR, AT(resource_version)},
	{"fieldPath", F_STR, AT(field_path)},
};
#undef VIEW
const struct type objectref_type = {
	TYPE("ObjectReference", "v1", struct objectref, objectref_fields),
	.group = "io.k8s.api.core",
	.atomic = true,
};
