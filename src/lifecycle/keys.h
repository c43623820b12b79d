/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/keys.h - well-known labels and annotations, as literals, so that STR() takes them. */
#ifndef LIFECYCLE_KEYS_H
#define LIFECYCLE_KEYS_H

/* on pods of a job */
#define KEY_TASK_SPEC "volcano.sh/task-spec"
#define KEY_TASK_INDEX "volcano.sh/task-index"
#define KEY_JOB_NAME "volcano.sh/job-name"
#define KEY_JOB_NAMESPACE "volcano.sh/job-namespace"
#define KEY_JOB_VERSION "volcano.sh/job-version"
#define KEY_JOB_RETRY_COUNT "volcano.sh/job-retry-count"
#define KEY_QUEUE_NAME "volcano.sh/queue-name"
#define KEY_TEMPLATE_UID "volcano.sh/template-uid"
#define KEY_PARTITION_ID "volcano.sh/partition-id"
#define KEY_OUT_OF_SYNC "volcano.sh/controller-out-of-sync"
#define KEY_NUMA_POLICY "volcano.sh/numa-topology-policy"
#define KEY_GROUP_NAME "scheduling.k8s.io/group-name"
/* When the predecessor of this pod was evicted, if a policy waits for this pod to run; not in
 * upstream. */
#define KEY_EVICTED_AT "volcano.sh/evicted-at"
/* When a condition of this pod with a policy timeout was first observed, if it has no time of its own; not in
 * upstream. */
#define KEY_NOTICED_AT "volcano.sh/noticed-at"

/* from a job to its pods */
#define KEY_JOB_FORWARDING "volcano.sh/job-forwarding"
#define KEY_PREEMPTABLE "volcano.sh/preemptable"
#define KEY_COOLDOWN_TIME "volcano.sh/cooldown-time"
#define KEY_REVOCABLE_ZONE "volcano.sh/revocable-zone"
#define KEY_JDB_MIN_AVAILABLE "volcano.sh/jdb-min-available"
#define KEY_JDB_MAX_UNAVAILABLE "volcano.sh/jdb-max-unavailable"

/* on podgroups of jobs: the server rejected their pods, so that the scheduler reserves nothing for them; not in
 * upstream */
#define KEY_PODS_REJECTED "volcano.sh/pods-rejected"

/* on queues */
#define KEY_CLOSED_BY_PARENT "volcano.sh/closed-by-parent"

/* on pods and workloads without a job */
#define KEY_GROUP_MIN_MEMBER "scheduling.volcano.sh/group-min-member"
#define KEY_POD_QUEUE "scheduling.volcano.sh/queue-name"
#define KEY_TOPOLOGY_MODE "volcano.sh/network-topology-mode"
#define KEY_TOPOLOGY_TIER "volcano.sh/network-topology-highest-tier"

/* on jobs that a flow or a cron job has made */
#define KEY_BY_TEMPLATE "volcano.sh/createdByJobTemplate"
#define KEY_BY_FLOW "volcano.sh/createdByJobFlow"
#define KEY_SCHEDULED "volcano.sh/cronjob-scheduled-timestamp"

#endif
