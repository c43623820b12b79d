/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/vcjob.c - the tables of Job. What depends on other fields (sums of minAvailable, names of
 * tasks, cycles among them) is admission's; here is what the schema of the CRD says. */
#include "model/volcano/vcjob.h"

#include "model/pod/pod.h"
#include "model/pod/volume.h"

#include "base/banned.h"

const char *const vcjob_phase_names[VCJOB_PHASE_COUNT] = {
	[VCJOB_PHASE_NONE] = "",
	[VCJOB_PENDING] = "Pending",
	[VCJOB_ABORTING] = "Aborting",
	[VCJOB_ABORTED] = "Aborted",
	[VCJOB_RUNNING] = "Running",
	[VCJOB_RESTARTING] = "Restarting",
	[VCJOB_COMPLETING] = "Completing",
	[VCJOB_COMPLETED] = "Completed",
	[VCJOB_TERMINATING] = "Terminating",
	[VCJOB_TERMINATED] = "Terminated",
	[VCJOB_FAILED] = "Failed",
};

const char *const numa_policy_names[NUMA_POLICY_COUNT] = {
	[NUMA_POLICY_UNSET] = "",
	[NUMA_POLICY_NONE] = "none",
	[NUMA_POLICY_BEST_EFFORT] = "best-effort",
	[NUMA_POLICY_RESTRICTED] = "restricted",
	[NUMA_POLICY_SINGLE_NODE] = "single-numa-node",
};

static const char *const iteration_names[VCJOB_ITERATION_COUNT] = {
	[VCJOB_ITERATION_NONE] = "",
	[VCJOB_ITERATION_ANY] = "any",
	[VCJOB_ITERATION_ALL] = "all",
};

#define BATCH .group = "sh.volcano.batch"

/* --- parts of a spec ------------------------------------------------------------------------- */

#define VIEW struct vcjob_policy
static const struct field vcjob_policy_fields[] = {
	{"action", F_ENUM(bus_action_names), AT(action), F_OPEN, F_DOC("what to do")},
	{"event", F_ENUM(bus_event_names), AT(event), F_DOC("when this happens")},
	{"events", F_LIST(F_ENUM(bus_event_names)), AT(events), F_DOC("or any of these")},
	{"exitCode", F_INT32, AT(exit_code), F_POINTER,
	 F_DOC("or a container ends with this code")},
	{"timeout", F_DURATION, AT(timeout), F_POINTER, F_DOC("how long after it")},
};
#undef VIEW
static const struct type vcjob_policy_type = {
	TYPE("LifecyclePolicy", "v1alpha1", struct vcjob_policy, vcjob_policy_fields),
	BATCH,
	.doc = "what to do when something happens to a job or one of its tasks",
};

#define VIEW struct vcjob_volume
static const struct field vcjob_volume_fields[] = {
	{"mountPath", F_STR, AT(mount_path), F_REQUIRED, F_MIN_LEN(1), F_PATTERN("^[^:]+$"),
	 F_DOC("where every container of the job finds it")},
	{"volumeClaimName", F_STR, AT(claim_name), F_MAX_LEN(253), F_DOC("the claim's name")},
	{"volumeClaim", F_OBJECT(claim_spec), AT(claim),
	 F_DOC("the claim, where it is to be made")},
};
#undef VIEW
static const struct type vcjob_volume_type = {
	TYPE("VolumeSpec", "v1alpha1", struct vcjob_volume, vcjob_volume_fields),
	BATCH,
	.doc = "a volume that every container of a job has",
};

#define VIEW struct vcjob_partition
static const struct field vcjob_partition_fields[] = {
	{"totalPartitions", F_INT32, AT(total_partitions), F_REQUIRED, F_MIN(1),
	 F_DOC("number of partitions")},
	{"partitionSize", F_INT32, AT(partition_size), F_REQUIRED, F_MIN(1), F_DOC("pods in each")},
	{"networkTopology", F_OBJECT(network_topology), AT(network_topology),
	 F_DOC("constraint on each partition")},
	{"minPartitions", F_INT32, AT(min_partitions), F_DEFAULT("0"), F_MIN(0),
	 F_DOC("partitions that must run")},
};
#undef VIEW
static const struct type vcjob_partition_type = {
	TYPE("PartitionPolicySpec", "v1alpha1", struct vcjob_partition, vcjob_partition_fields),
	BATCH,
	.doc = "how the pods of a task are cut into equal parts",
};

#define VIEW struct vcjob_depends_on
static const struct field vcjob_depends_on_fields[] = {
	{"name", F_LIST(F_STR), AT(name), F_DOC("tasks to wait for")},
	{"iteration", F_ENUM(iteration_names), AT(iteration), F_OPEN,
	 F_DOC("whether any or all of them must be ready")},
};
#undef VIEW
static const struct type vcjob_depends_on_type = {
	TYPE("DependsOn", "v1alpha1", struct vcjob_depends_on, vcjob_depends_on_fields),
	BATCH,
	.doc = "tasks that must be ready before the pods of this one are made",
};

#define VIEW struct vcjob_task
static const struct field vcjob_task_fields[] = {
	{"name", F_STR, AT(name), F_FORMAT(DNS_LABEL), F_DOC("unique in the job")},
	{"replicas", F_INT32, AT(replicas), F_MIN(0), F_DOC("number of pods")},
	{"minAvailable", F_INT32, AT(min_available), F_POINTER, F_MIN(0),
	 F_DOC("pods of this task that the job cannot run without")},
	{"template", F_OBJECT(pod_template_spec), AT(template), F_ALWAYS,
	 F_DOC("what each pod is made from")},
	{"policies", F_LIST(F_OBJECT(vcjob_policy)), AT(policies),
	 F_DOC("reactions; looked at before those of the job")},
	{"topologyPolicy", F_ENUM(numa_policy_names), AT(topology_policy), F_DOC("NUMA policy")},
	{"maxRetry", F_INT32, AT(max_retry), F_MIN(0),
	 F_DOC("restarts of containers after which the task has failed")},
	{"dependsOn", F_OBJECT(vcjob_depends_on), AT(depends_on),
	 F_DOC("tasks that must be ready first")},
	{"partitionPolicy", F_OBJECT(vcjob_partition), AT(partition_policy),
	 F_DOC("cut the task into equal parts")},
};
#undef VIEW
const struct type vcjob_task_type = {
	TYPE("TaskSpec", "v1alpha1", struct vcjob_task, vcjob_task_fields),
	BATCH,
	.doc = "a group of equal pods",
};

#define VIEW struct vcjob_spec
static const struct field vcjob_spec_fields[] = {
	{"schedulerName", F_STR, AT(scheduler_name), F_MAX_LEN(63),
	 F_DOC("scheduler of pods whose template names none")},
	{"minAvailable", F_INT32, AT(min_available), F_MIN(0),
	 F_DOC("pods that are needed before the job runs")},
	{"volumes", F_LIST(F_OBJECT(vcjob_volume)), AT(volumes),
	 F_DOC("volumes of every container")},
	{"tasks", F_LIST(F_OBJECT(vcjob_task)), AT(tasks), F_MIN_LEN(1),
	 F_DOC("groups of equal pods")},
	{"policies", F_LIST(F_OBJECT(vcjob_policy)), AT(policies), F_DOC("reactions")},
	{"plugins", F_MAP(F_LIST(F_STR), F_NULLABLE), AT(plugins),
	 F_DOC("job plugins and their arguments")},
	{"runningEstimate", F_DURATION, AT(running_estimate), F_POINTER,
	 F_DOC("how long the user expects it to run")},
	{"queue", F_STR, AT(queue), F_DEFAULT("default"), F_FORMAT(DNS_SUBDOMAIN),
	 F_DOC("the queue that it is for")},
	{"maxRetry", F_INT32, AT(max_retry), F_DEFAULT("3"), F_MIN(0),
	 F_DOC("restarts before the job has failed")},
	{"ttlSecondsAfterFinished", F_INT32, AT(ttl_seconds_after_finished), F_POINTER, F_MIN(0),
	 F_DOC("delete it so long after it has finished; absent: never")},
	{"priorityClassName", F_STR, AT(priority_class_name), F_FORMAT(DNS_SUBDOMAIN),
	 F_DOC("priority of the job, and of pods without one of their own")},
	{"minSuccess", F_INT32, AT(min_success), F_POINTER, F_MIN(1),
	 F_DOC("succeeded pods that complete the job")},
	{"networkTopology", F_OBJECT(network_topology), AT(network_topology),
	 F_DOC("constraint on the whole job")},
};
#undef VIEW
const struct type vcjob_spec_type = {
	TYPE("JobSpec", "v1alpha1", struct vcjob_spec, vcjob_spec_fields),
	BATCH,
	.doc = "what the user wants to run",
};

/* --- status ---------------------------------------------------------------------------------- */

#define VIEW struct vcjob_state
static const struct field vcjob_state_fields[] = {
	{"phase", F_ENUM(vcjob_phase_names), AT(phase)},
	{"reason", F_STR, AT(reason), F_DOC("why, in one word")},
	{"message", F_STR, AT(message), F_DOC("why, for people")},
	{"lastTransitionTime", F_TIME, AT(last_transition_time)},
};
#undef VIEW
const struct type vcjob_state_type = {
	TYPE("JobState", "v1alpha1", struct vcjob_state, vcjob_state_fields),
	BATCH,
	.doc = "where the job is in its life",
};

#define VIEW struct vcjob_condition
static const struct field vcjob_condition_fields[] = {
	{"status", F_ENUM(vcjob_phase_names), AT(status), F_OPEN, F_REQUIRED,
	 F_DOC("a phase that was entered")},
	{"lastTransitionTime", F_TIME, AT(last_transition_time), F_DOC("when")},
};
#undef VIEW
static const struct type vcjob_condition_type = {
	TYPE("JobCondition", "v1alpha1", struct vcjob_condition, vcjob_condition_fields),
	BATCH,
};

#define VIEW struct vcjob_task_state
static const struct field vcjob_task_state_fields[] = {
	{"phase", F_MAP(F_INT32), AT(phase), F_DOC("pods by phase")},
};
#undef VIEW
const struct type vcjob_task_state_type = {
	TYPE("TaskState", "v1alpha1", struct vcjob_task_state, vcjob_task_state_fields),
	BATCH,
};

#define VIEW struct vcjob_status
static const struct field vcjob_status_fields[] = {
	{"state", F_OBJECT(vcjob_state), AT(state)},
	{"minAvailable", F_INT32, AT(min_available), F_MIN(0), F_DOC("as in the spec")},
	{"taskStatusCount", F_MAP(F_OBJECT(vcjob_task_state)), AT(task_status_count),
	 F_DOC("pods of each task by phase")},
	{"pending", F_INT32, AT(pending), F_MIN(0)},
	{"running", F_INT32, AT(running), F_MIN(0)},
	{"succeeded", F_INT32, AT(succeeded), F_MIN(0)},
	{"failed", F_INT32, AT(failed), F_MIN(0)},
	{"terminating", F_INT32, AT(terminating), F_MIN(0)},
	{"unknown", F_INT32, AT(unknown), F_MIN(0)},
	{"version", F_INT32, AT(version), F_MIN(0), F_DOC("times that the whole job was killed")},
	{"retryCount", F_INT32, AT(retry_count), F_MIN(0), F_DOC("restarts so far")},
	{"runningDuration", F_DURATION, AT(running_duration),
	 F_DOC("from creation to the last change of phase")},
	{"controlledResources", F_LABELS, AT(controlled_resources),
	 F_DOC("plugins and claims that the job has set up")},
	{"conditions", F_LIST(F_OBJECT(vcjob_condition)), AT(conditions), F_MERGE_KEY("status"),
	 F_DOC("the phases that the job has been in")},
};
#undef VIEW
const struct type vcjob_status_type = {
	TYPE("JobStatus", "v1alpha1", struct vcjob_status, vcjob_status_fields),
	BATCH,
	.doc = "what has become of the job",
};

#define VIEW struct vcjob
static const struct field vcjob_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(vcjob_spec), AT(spec)},
	{"status", F_OBJECT(vcjob_status), AT(status)},
};
#undef VIEW
const struct type vcjob_type = {
	TYPE("Job", "v1alpha1", struct vcjob, vcjob_fields),
	BATCH,
	.doc = "tasks of equal pods that run as a gang",
};
