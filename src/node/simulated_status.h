/* SPDX-License-Identifier: Apache-2.0 */
/* node/simulated_status.h - what a simulated node writes: Node objects, and patches of a pod's
 * status, one a transition. Pure: times come from the caller. */
#ifndef NODE_SIMULATED_STATUS_H
#define NODE_SIMULATED_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"

struct simulated_options;

enum { SIMULATED_NAME_SIZE = 32, SIMULATED_IP_SIZE = 16 };

/* "node-00042" */
const char *simulated_node_name(size_t index, char text[SIMULATED_NAME_SIZE]);
/* The index of such a name, or -1. */
int64_t simulated_node_index(struct str name);
/* 10.0.0.1 on for pods, 172.16.0.1 on for nodes; they start again when they are used up. */
const char *simulated_pod_ip(uint32_t number, char text[SIMULATED_IP_SIZE]);
const char *simulated_node_ip(size_t index, char text[SIMULATED_IP_SIZE]);
/* The number of a pod's address; 0 where it is none of ours. */
uint32_t simulated_pod_number(struct str ip);

/* A Node without status, and the status of one that is ready, as a merge patch. */
struct json_doc *simulated_node(size_t index) __attribute__((returns_nonnull));
struct json_doc *simulated_node_status(const struct simulated_options *options, size_t index,
				       int64_t now) __attribute__((returns_nonnull));
/* Is that what the Node says already, heartbeats aside? */
bool simulated_node_is_ready(struct json node, const struct simulated_options *options);

/* Strategic merge patches of a pod's status. */
struct json_doc *simulated_running(struct json pod, uint32_t number, size_t node, int64_t now)
	__attribute__((returns_nonnull));
/* `statuses` is status.containerStatuses as it was; the pod has failed where `exit_code` is not 0. */
struct json_doc *simulated_ended(struct str uid, struct json statuses, int64_t exit_code,
				 int64_t now) __attribute__((returns_nonnull));

#endif
