/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_write.c - requests. Only errors of answers are used: a watch delivers the new object in any case. */
#include "node/pod/pod_write.h"

#include "base/banned.h"

struct client_request *pod_write_status(const struct pod_write *to, struct json_doc *patch)
{
	return client_send(to->client, &(struct client_ask){
					       .verb = CLIENT_PATCH,
					       .patch = CLIENT_PATCH_STRATEGIC,
					       .resource = &resources[RESOURCE_PODS],
					       .namespace = to->namespace,
					       .name = to->name,
					       .sub = STR("status"),
					       .body = patch,
					       .discard = true,
					       .done = to->done,
					       .arg = to->arg,
				       });
}

struct client_request *pod_write_removal(const struct pod_write *to, struct str uid)
{
	static const int64_t at_once = 0;

	return client_send(to->client, &(struct client_ask){
					       .verb = CLIENT_DELETE,
					       .resource = &resources[RESOURCE_PODS],
					       .namespace = to->namespace,
					       .name = to->name,
					       .grace_seconds = &at_once,
					       .precondition_uid = uid,
					       .discard = true,
					       .done = to->done,
					       .arg = to->arg,
				       });
}
