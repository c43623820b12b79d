/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_fit.c - rejects a pod that requests more than its node has.
 *
 * The scheduler does not bind such a pod. But a pod may be created with a nodeName, and a node may have less after
 * a restart than when the pod was bound. A kubelet rejects such a pod; otherwise it would wait forever. */
#include "base/mem.h"
#include "model/pod/pod_total.h"
#include "model/value/quantity.h"
#include "node/agent/agent_internal.h"

#include "base/banned.h"

static struct json_doc *read_node(const struct agent_pod *pod, size_t index)
{
	struct json_doc *doc = json_doc_new();

	json_doc_set_root(doc, json_new_obj(doc));
	agent_sandboxes_put_status(pod->agent->sandboxes, index, doc, json_doc_root(doc));
	return doc;
}

bool agent_fits(const struct agent_pod *pod, struct buf *ret_reason, struct buf *ret_message)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");
	ptrdiff_t index = agent_nodes_find(pod->agent->nodes, json_str(json_get(spec, "nodeName")));
	AUTO(pod_total_done) struct pod_total total = {0};
	AUTO(json_doc_unref) struct json_doc *node = NULL;
	struct json allocatable;

	if (index < 0)
		return true; /* the node is no longer declared: the pod is evicted */
	pod_total_sum(spec, "requests", &total);
	if (total.len == 0)
		return true;
	node = read_node(pod, (size_t)index);
	allocatable = json_get(json_doc_root(node), "allocatable");
	for (size_t i = 0; i < total.len; i++) {
		const struct pod_amount *want = &total.ptr[i];
		struct quantity has = quantity_make(0, QUANTITY_DECIMAL_SI);
		char texts[2][QUANTITY_TEXT_SIZE];

		(void)pod_total_read(json_get_str(allocatable, want->name), &has);
		if (quantity_cmp(&want->value, &has) <= 0)
			continue;
		buf_printf(ret_reason, "OutOf%.*s", STR_ARG(want->name));
		buf_printf(ret_message,
			   "Pod was rejected: Node didn't have enough resource: %.*s, requested: "
			   "%s, used: 0, capacity: %s",
			   STR_ARG(want->name), quantity_canonical(&want->value, texts[0]),
			   quantity_canonical(&has, texts[1]));
		return false;
	}
	return true;
}
