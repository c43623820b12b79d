/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/go_values.c - the values of Kubernetes' closed types of strings, which OpenAPI lists.
 *
 * A field row names its Go type by F_GO(). Types that have constants but are open upstream
 * (LabelSelectorOperator, ContainerRestartPolicy) are not here: OpenAPI lists no values of theirs.
 * To add a type: its line, in the order of the alphabet; values in that order too. */
#include "model/field/go_values.h"

#include <string.h>

#include "base/macro.h"

#include "base/banned.h"

static const struct {
	const char *type;
	const char *values; /* separated by '|'; an empty one is a value */
} rows[] = {
	{"v1.AddressType", "FQDN|IPv4|IPv6"},
	{"v1.AppArmorProfileType", "Localhost|RuntimeDefault|Unconfined"},
	{"v1.AzureDataDiskCachingMode", "None|ReadOnly|ReadWrite"},
	{"v1.AzureDataDiskKind", "Dedicated|Managed|Shared"},
	{"v1.CompletionMode", "Indexed|NonIndexed"},
	{"v1.ConcurrencyPolicy", "Allow|Forbid|Replace"},
	{"v1.DNSPolicy", "ClusterFirst|ClusterFirstWithHostNet|Default|None"},
	{"v1.DaemonSetUpdateStrategyType", "OnDelete|RollingUpdate"},
	{"v1.DeploymentStrategyType", "Recreate|RollingUpdate"},
	{"v1.FailurePolicyType", "Fail|Ignore"},
	{"v1.HostPathType", "|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|"
			    "Socket"},
	{"v1.IPFamily", "|IPv4|IPv6"},
	{"v1.IPFamilyPolicy", "PreferDualStack|RequireDualStack|SingleStack"},
	{"v1.KeyUsage", "any|cert sign|client auth|code signing|content commitment|crl sign|"
			"data encipherment|decipher only|digital signature|email protection|"
			"encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|"
			"key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|"
			"server auth|signing|timestamping"},
	{"v1.MatchPolicyType", "Equivalent|Exact"},
	{"v1.MountPropagationMode", "Bidirectional|HostToContainer|None"},
	{"v1.NamespacePhase", "Active|Terminating"},
	{"v1.NodeInclusionPolicy", "Honor|Ignore"},
	{"v1.NodePhase", "Pending|Running|Terminated"},
	{"v1.NodeSelectorOperator", "DoesNotExist|Exists|Gt|In|Lt|NotIn"},
	{"v1.OperationType", "*|CONNECT|CREATE|DELETE|UPDATE"},
	{"v1.PathType", "Exact|ImplementationSpecific|Prefix"},
	{"v1.PersistentVolumeAccessMode",
	 "ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod"},
	{"v1.PersistentVolumeClaimModifyVolumeStatus", "InProgress|Infeasible|Pending"},
	{"v1.PersistentVolumeClaimPhase", "Bound|Lost|Pending"},
	{"v1.PersistentVolumeMode", "Block|Filesystem"},
	{"v1.PersistentVolumePhase", "Available|Bound|Failed|Pending|Released"},
	{"v1.PersistentVolumeReclaimPolicy", "Delete|Recycle|Retain"},
	{"v1.PodFSGroupChangePolicy", "Always|OnRootMismatch"},
	{"v1.PodFailurePolicyAction", "Count|FailIndex|FailJob|Ignore"},
	{"v1.PodFailurePolicyOnExitCodesOperator", "In|NotIn"},
	{"v1.PodManagementPolicyType", "OrderedReady|Parallel"},
	{"v1.PodPhase", "Failed|Pending|Running|Succeeded|Unknown"},
	{"v1.PodQOSClass", "BestEffort|Burstable|Guaranteed"},
	{"v1.PodReplacementPolicy", "Failed|TerminatingOrFailed"},
	{"v1.PolicyType", "Egress|Ingress"},
	{"v1.PreemptionPolicy", "Never|PreemptLowerPriority"},
	{"v1.ProcMountType", "Default|Unmasked"},
	{"v1.Protocol", "SCTP|TCP|UDP"},
	{"v1.PullPolicy", "Always|IfNotPresent|Never"},
	{"v1.ReinvocationPolicyType", "IfNeeded|Never"},
	{"v1.ResourceQuotaScope",
	 "BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|"
	 "PriorityClass|Terminating|VolumeAttributesClass"},
	{"v1.RestartPolicy", "Always|Never|OnFailure"},
	{"v1.ScopeSelectorOperator", "DoesNotExist|Exists|In|NotIn"},
	{"v1.ScopeType", "*|Cluster|Namespaced"},
	{"v1.SeccompProfileType", "Localhost|RuntimeDefault|Unconfined"},
	{"v1.ServiceAffinity", "ClientIP|None"},
	{"v1.ServiceExternalTrafficPolicy", "Cluster|Local"},
	{"v1.ServiceInternalTrafficPolicy", "Cluster|Local"},
	{"v1.ServiceType", "ClusterIP|ExternalName|LoadBalancer|NodePort"},
	{"v1.SideEffectClass", "None|NoneOnDryRun|Some|Unknown"},
	{"v1.Signal", "SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|"
		      "SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|"
		      "SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|"
		      "SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|"
		      "SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|"
		      "SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|"
		      "SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|"
		      "SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|"
		      "SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ"},
	{"v1.StatefulSetUpdateStrategyType", "OnDelete|RollingUpdate"},
	{"v1.SupplementalGroupsPolicy", "Merge|Strict"},
	{"v1.TaintEffect", "NoExecute|NoSchedule|PreferNoSchedule"},
	{"v1.TerminationMessagePolicy", "FallbackToLogsOnError|File"},
	{"v1.TolerationOperator", "Equal|Exists"},
	{"v1.URIScheme", "HTTP|HTTPS"},
	{"v1.UnhealthyPodEvictionPolicyType", "AlwaysAllow|IfHealthyBudget"},
	{"v1.UnsatisfiableConstraintAction", "DoNotSchedule|ScheduleAnyway"},
	{"v1.VolumeBindingMode", "Immediate|WaitForFirstConsumer"},
};

struct str go_values(const char *type)
{
	size_t low = 0;
	size_t high = ARRAY_LEN(rows);

	while (type && low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(type, rows[mid].type);

		if (order == 0)
			return str_from(rows[mid].values);
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return str_none();
}
