/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind_storage.c - the kinds of storage.k8s.io. */
#include "apiserver/kind_row.h"
#include "model/storage.h"

#include "base/banned.h"

#define STORAGE(plural_name, singular_name, kind_name, table) \
	ROW("storage.k8s.io", "v1", plural_name, singular_name, kind_name, table)

static const struct kind rows[] = {
	{STORAGE("csidrivers", "csidriver", "CSIDriver", csidriver_type), .returns_deleted = true},
	{STORAGE("csinodes", "csinode", "CSINode", csinode_type), .returns_deleted = true,
	 RULES(VALIDATED(csinode))},
	{STORAGE("csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity",
		 csistoragecapacity_type),
	 .namespaced = true},
	{STORAGE("storageclasses", "storageclass", "StorageClass", storageclass_type),
	 .returns_deleted = true, .short_names = NAMES("sc"), RULES(VALIDATED(storageclass))},
	{STORAGE("volumeattachments", "volumeattachment", "VolumeAttachment",
		 volumeattachment_type),
	 .status = true, .returns_deleted = true, .ops = &kind_ruled, .subs = kind_subs_status},
};

const struct kind_group kind_group_storage = {rows, ARRAY_LEN(rows)};
