/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns_storage.c - the columns of the kinds of storage.k8s.io. */
#include "apiserver/kind/cell.h"
#include "apiserver/kind/columns.h"

#include "base/banned.h"

static struct json driver_audiences(const struct kind_column *column, struct json object,
				    struct json_doc *doc, int64_t now)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json requests = cell_follow(object, "spec.tokenRequests");
	struct json_iter it = json_iter(requests);

	(void)column;
	(void)now;
	if (!json_is(requests, JSON_ARR))
		return json_new_str(doc, STR("<unset>"));
	while (json_next(&it)) {
		if (it.index)
			buf_putc(&text, ',');
		buf_put_str(&text, json_str(json_get(it.value, "audience")));
	}
	return cell_take(doc, &text);
}

const struct kind_column columns_csidriver[] = {
	COLUMN_NAME,
	COLUMN("AttachRequired", "boolean", "Whether its volumes are attached first",
	       .cell = cell_bool, .path = "spec.attachRequired", .none = "true"),
	COLUMN("PodInfoOnMount", "boolean", "Whether the driver gets information about the pod",
	       .cell = cell_bool, .path = "spec.podInfoOnMount"),
	COLUMN("StorageCapacity", "boolean", "Whether it says how much it has", .cell = cell_bool,
	       .path = "spec.storageCapacity"),
	COLUMN("TokenRequests", "string", "The tokens that it wants", .cell = driver_audiences),
	COLUMN("RequiresRepublish", "boolean", "Whether volumes are published again",
	       .cell = cell_bool, .path = "spec.requiresRepublish"),
	COLUMN("Modes", "string", "How its volumes live", .cell = cell_join,
	       .path = "spec.volumeLifecycleModes", .none = "<none>"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_csinode[] = {
	COLUMN_NAME,
	COLUMN("Drivers", "integer", "How many drivers the node has", .cell = cell_len,
	       .path = "spec.drivers"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_csistoragecapacity[] = {
	COLUMN_NAME,
	COLUMN("StorageClassName", "string", "The class that it is the capacity of",
	       .cell = cell_text, .path = "storageClassName"),
	COLUMN("Capacity", "string", "How much there is", .cell = cell_text, .path = "capacity",
	       .none = "<unset>"),
	COLUMN_END,
};

static struct json class_name(const struct kind_column *column, struct json object,
			      struct json_doc *doc, int64_t now)
{
	static const char *const keys[] = {"storageclass.kubernetes.io/is-default-class",
					   "storageclass.beta.kubernetes.io/is-default-class"};
	struct json annotations = cell_follow(object, "metadata.annotations");
	bool is_default = false;

	(void)now;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		is_default = is_default || str_is(json_str(json_get(annotations, keys[i])), "true");
	return json_new_printf(doc, "%.*s%s", STR_ARG(json_str(cell_follow(object, column->path))),
			       is_default ? " (default)" : "");
}

const struct kind_column columns_storageclass[] = {
	COLUMN("Name", "string", CELL_NAME_DOC, .format = "name", .cell = class_name,
	       .path = "metadata.name"),
	COLUMN("Provisioner", "string", "Who makes its volumes", .cell = cell_text,
	       .path = "provisioner"),
	COLUMN("ReclaimPolicy", "string", "What happens to them after their claims",
	       .cell = cell_text, .path = "reclaimPolicy", .none = "Delete"),
	COLUMN("VolumeBindingMode", "string", "When claims are bound", .cell = cell_text,
	       .path = "volumeBindingMode", .none = "Immediate"),
	COLUMN("AllowVolumeExpansion", "string", "Whether volumes may grow", .cell = cell_bool,
	       .path = "allowVolumeExpansion"),
	COLUMN_AGE,
	COLUMN_END,
};

const struct kind_column columns_volumeattachment[] = {
	COLUMN_NAME,
	COLUMN("Attacher", "string", "Who attaches it", .format = "name", .cell = cell_text,
	       .path = "spec.attacher"),
	COLUMN("PV", "string", "The volume", .cell = cell_text,
	       .path = "spec.source.persistentVolumeName"),
	COLUMN("Node", "string", "The node", .cell = cell_text, .path = "spec.nodeName"),
	COLUMN("Attached", "boolean", "Whether it is done", .cell = cell_bool,
	       .path = "status.attached"),
	COLUMN_AGE,
	COLUMN_END,
};
