/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_prepare.h - what a server does to a pod between decoding and validation, independent
 * of the client's input: the status belongs to the server, the spec to the creator, and fields of
 * features that Kubernetes 1.34 has off by default are dropped. */
#ifndef MODEL_POD_PREPARE_H
#define MODEL_POD_PREPARE_H

#include <stdint.h>

#include "json/doc.h"

/* A new pod: phase Pending, its class of service, the condition of a gated one. `now` in
 * microseconds. */
void pod_prepare_create(struct json_doc *doc, struct json pod, int64_t now);
/* An update: the status stays as it was. */
void pod_prepare_update(struct json_doc *doc, struct json pod, struct json old);
/* An update of the status: the spec and the owners stay as they were. */
void pod_prepare_status(struct json_doc *doc, struct json pod, struct json old);
/* An update of what containers ask for: everything else stays as it was. */
void pod_prepare_resize(struct json_doc *doc, struct json pod, struct json old);
/* The spec of a template of a kind of Kubernetes' own. */
void pod_prepare_spec(struct json_doc *doc, struct json spec);

#endif
