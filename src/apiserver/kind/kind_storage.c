/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_storage.c - the kinds of storage.k8s.io. */
#include "apiserver/kind/columns.h"
#include "apiserver/kind/kind_row.h"
#include "model/group/storage.h"
#include "model/rules/warn_rules.h"

#include "base/banned.h"

#define STORAGE(plural_name, singular_name, kind_name, table) \
	ROW("storage.k8s.io", "v1", plural_name, singular_name, kind_name, table)

static const struct kind rows[] = {
	{STORAGE("csidrivers", "csidriver", "CSIDriver", csidriver_type),
	 .columns = columns_csidriver, .version_on_update = true, .returns_deleted = true,
	 .generation = true, .generation_late = true, RULED},
	{STORAGE("csinodes", "csinode", "CSINode", csinode_type), .columns = columns_csinode,
	 .version_on_update = true, .returns_deleted = true, RULED},
	{STORAGE("csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity",
		 csistoragecapacity_type),
	 .columns = columns_csistoragecapacity, .namespaced = true, .version_on_update = true,
	 RULES(.warn = csistoragecapacity_warn)},
	{STORAGE("storageclasses", "storageclass", "StorageClass", storageclass_type),
	 .columns = columns_storageclass, .returns_deleted = true, .short_names = NAMES("sc"),
	 RULES(.warn = storageclass_warn)},
	{STORAGE("volumeattachments", "volumeattachment", "VolumeAttachment",
		 volumeattachment_type),
	 .columns = columns_volumeattachment, .version_on_update = true, .status = true,
	 .returns_deleted = true, RULED, .subs = kind_subs_status},
};

const struct kind_group kind_group_storage = {rows, ARRAY_LEN(rows)};
