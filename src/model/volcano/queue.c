/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/queue.c - the tables of Queue. Admission checks that guarantee <= deserved <= capability,
 * and what a parent allows. */
#include "model/volcano/queue.h"

#include "base/banned.h"

const char *const queue_state_names[QUEUE_STATE_COUNT] = {
	[QUEUE_STATE_NONE] = "",     [QUEUE_OPEN] = "Open",       [QUEUE_CLOSED] = "Closed",
	[QUEUE_CLOSING] = "Closing", [QUEUE_UNKNOWN] = "Unknown",
};

static const char *const dequeue_names[DEQUEUE_COUNT] = {
	[DEQUEUE_NONE] = "",
	[DEQUEUE_FIFO] = "fifo",
	[DEQUEUE_TRAVERSE] = "traverse",
};

#define SCHEDULING .group = "sh.volcano.scheduling"

#define VIEW struct queue_cluster
static const struct field queue_cluster_fields[] = {
	{"name", F_STR, AT(name)},
	{"weight", F_INT32, AT(weight)},
	{"capacity", F_RESOURCES, AT(capacity)},
};
#undef VIEW
static const struct type queue_cluster_type = {
	TYPE("Cluster", "v1beta1", struct queue_cluster, queue_cluster_fields),
	SCHEDULING,
};

#define VIEW struct queue_group_terms
static const struct field queue_group_terms_fields[] = {
	{"requiredDuringSchedulingIgnoredDuringExecution", F_LIST(F_STR), AT(required)},
	{"preferredDuringSchedulingIgnoredDuringExecution", F_LIST(F_STR), AT(preferred)},
};
#undef VIEW
static const struct type queue_group_terms_type = {
	TYPE("NodeGroupAffinity", "v1beta1", struct queue_group_terms, queue_group_terms_fields),
	SCHEDULING,
	.doc = "names of node groups",
};

#define VIEW struct queue_affinity
static const struct field queue_affinity_fields[] = {
	{"nodeGroupAffinity", F_OBJECT(queue_group_terms), AT(node_group_affinity)},
	{"nodeGroupAntiAffinity", F_OBJECT(queue_group_terms), AT(node_group_anti_affinity)},
};
#undef VIEW
static const struct type queue_affinity_type = {
	TYPE("Affinity", "v1beta1", struct queue_affinity, queue_affinity_fields),
	SCHEDULING,
};

#define VIEW struct queue_guarantee
static const struct field queue_guarantee_fields[] = {
	{"resource", F_RESOURCES, AT(resource)},
};
#undef VIEW
static const struct type queue_guarantee_type = {
	TYPE("Guarantee", "v1beta1", struct queue_guarantee, queue_guarantee_fields),
	SCHEDULING,
};

#define VIEW struct queue_spec
static const struct field queue_spec_fields[] = {
	{"weight", F_INT32, AT(weight), F_DEFAULT("1"), F_RANGE(1, 65535),
	 F_DOC("share of the cluster in proportion to other queues")},
	{"capability", F_RESOURCES, AT(capability), F_DOC("the most that it may use")},
	{"reclaimable", F_BOOL, AT(reclaimable),
	 F_DOC("whether other queues may take back what it uses above its share")},
	{"extendClusters", F_LIST(F_OBJECT(queue_cluster)), AT(extend_clusters),
	 F_DOC("clusters that its jobs are forwarded to")},
	{"guarantee", F_OBJECT(queue_guarantee), AT(guarantee),
	 F_DOC("what is kept free for it and never lent")},
	{"affinity", F_OBJECT(queue_affinity), AT(affinity),
	 F_DOC("groups of nodes that its pods go to")},
	{"type", F_STR, AT(type), F_MAX_LEN(253), F_DOC("free text")},
	{"parent", F_STR, AT(parent), F_FORMAT(DNS_SUBDOMAIN), F_DOC("the queue above it")},
	{"deserved", F_RESOURCES, AT(deserved), F_DOC("what it may take back from others")},
	{"priority", F_INT32, AT(priority), F_MIN(0), F_DOC("higher goes first")},
	{"dequeueStrategy", F_ENUM(dequeue_names), AT(dequeue_strategy), F_DEFAULT("traverse"),
	 F_DOC("whether a job that does not fit blocks the jobs after it (fifo) or not")},
};
#undef VIEW
const struct type queue_spec_type = {
	TYPE("QueueSpec", "v1beta1", struct queue_spec, queue_spec_fields),
	SCHEDULING,
	.doc = "what the queue may use",
};

#define VIEW struct queue_reservation
static const struct field queue_reservation_fields[] = {
	{"nodes", F_LIST(F_STR), AT(nodes)},
	{"resource", F_RESOURCES, AT(resource)},
};
#undef VIEW
static const struct type queue_reservation_type = {
	TYPE("Reservation", "v1beta1", struct queue_reservation, queue_reservation_fields),
	SCHEDULING,
};

#define VIEW struct queue_status
static const struct field queue_status_fields[] = {
	{"state", F_ENUM(queue_state_names), AT(state)},
	{"unknown", F_INT32, AT(unknown), F_MIN(0)},
	{"pending", F_INT32, AT(pending), F_MIN(0)},
	{"running", F_INT32, AT(running), F_MIN(0)},
	{"inqueue", F_INT32, AT(inqueue), F_MIN(0)},
	{"completed", F_INT32, AT(completed), F_MIN(0)},
	{"reservation", F_OBJECT(queue_reservation), AT(reservation)},
	{"allocated", F_RESOURCES, AT(allocated), F_ALWAYS, F_DOC("what its pods use now")},
};
#undef VIEW
const struct type queue_status_type = {
	TYPE("QueueStatus", "v1beta1", struct queue_status, queue_status_fields),
	SCHEDULING,
	.doc = "what the queue is and uses now",
};

#define VIEW struct queue
static const struct field queue_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(queue_spec), AT(spec)},
	{"status", F_OBJECT(queue_status), AT(status)},
};
#undef VIEW
const struct type queue_type = {
	TYPE("Queue", "v1beta1", struct queue, queue_fields),
	SCHEDULING,
	.doc = "a share of the cluster that jobs wait for",
};
