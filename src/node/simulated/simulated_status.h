/* SPDX-License-Identifier: Apache-2.0 */
/* node/simulated/simulated_status.h - what a simulated node writes: Node objects, and patches of a pod's status,
 * one per transition. Pure: times come from the caller. */
#ifndef NODE_SIMULATED_STATUS_H
#define NODE_SIMULATED_STATUS_H

#include <stdbool.h>
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
/* From 10.0.0.1 for pods and from 172.16.0.1 for nodes; they start over when they are used up. */
const char *simulated_pod_ip(uint32_t number, char text[SIMULATED_IP_SIZE]);
const char *simulated_node_ip(size_t index, char text[SIMULATED_IP_SIZE]);
/* The number of a pod's address; 0: it is of another network. */
uint32_t simulated_pod_number(struct str ip);

/* A Node that is ready. */
struct json_doc *simulated_node(const struct simulated_options *options, size_t index, int64_t now)
	__attribute__((returns_nonnull));
/* What a Node needs so that pods can be bound to it, as a merge patch of its status, or of itself: a new one has a
 * taint, which is removed when it is ready. NULL: nothing. */
struct json_doc *simulated_node_status_patch(const struct simulated_options *options, size_t index,
					     struct json node, int64_t now);
struct json_doc *simulated_node_taint_patch(struct json node);
/* Did a controller declare that it does not answer? */
bool simulated_node_is_given_up(struct json node);

/* Strategic merge patches of a pod's status. */
struct json_doc *simulated_running(struct json pod, uint32_t number, size_t node, int64_t now)
	__attribute__((returns_nonnull));
/* `statuses` is the previous status.containerStatuses; the pod has failed if `exit_code` is not 0. */
struct json_doc *simulated_ended(struct str uid, struct json statuses, int64_t exit_code,
				 int64_t now) __attribute__((returns_nonnull));

#endif
