/* SPDX-License-Identifier: Apache-2.0 */
/* client/resource.c - the table of resources, and the paths of requests. */
#include "client/resource.h"

#include "base/url.h"

#include "base/banned.h"

#define ROW(group_name, version_name, plural_name, kind_name, in_namespaces)      \
	{                                                                         \
		.group = STR_INIT(group_name), .version = STR_INIT(version_name), \
		.plural = STR_INIT(plural_name), .kind = STR_INIT(kind_name),     \
		.namespaced = (in_namespaces)                                     \
	}

const struct resource resources[RESOURCE_COUNT] = {
	[RESOURCE_PODS] = ROW("", "v1", "pods", "Pod", true),
	[RESOURCE_NODES] = ROW("", "v1", "nodes", "Node", false),
	[RESOURCE_NAMESPACES] = ROW("", "v1", "namespaces", "Namespace", false),
	[RESOURCE_SERVICES] = ROW("", "v1", "services", "Service", true),
	[RESOURCE_ENDPOINTS] = ROW("", "v1", "endpoints", "Endpoints", true),
	[RESOURCE_CONFIGMAPS] = ROW("", "v1", "configmaps", "ConfigMap", true),
	[RESOURCE_SECRETS] = ROW("", "v1", "secrets", "Secret", true),
	[RESOURCE_EVENTS] = ROW("", "v1", "events", "Event", true),
	[RESOURCE_PVCS] = ROW("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true),
	[RESOURCE_PVS] = ROW("", "v1", "persistentvolumes", "PersistentVolume", false),
	[RESOURCE_QUOTAS] = ROW("", "v1", "resourcequotas", "ResourceQuota", true),
	[RESOURCE_LIMITRANGES] = ROW("", "v1", "limitranges", "LimitRange", true),
	[RESOURCE_SERVICEACCOUNTS] = ROW("", "v1", "serviceaccounts", "ServiceAccount", true),
	[RESOURCE_LEASES] = ROW("coordination.k8s.io", "v1", "leases", "Lease", true),
	[RESOURCE_PRIORITYCLASSES] =
		ROW("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false),
	[RESOURCE_PDBS] = ROW("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true),
	[RESOURCE_STORAGECLASSES] =
		ROW("storage.k8s.io", "v1", "storageclasses", "StorageClass", false),
	[RESOURCE_CSINODES] = ROW("storage.k8s.io", "v1", "csinodes", "CSINode", false),
	[RESOURCE_CSIDRIVERS] = ROW("storage.k8s.io", "v1", "csidrivers", "CSIDriver", false),
	[RESOURCE_CSISTORAGECAPACITIES] =
		ROW("storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", true),
	[RESOURCE_VOLUMEATTACHMENTS] =
		ROW("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", false),
	[RESOURCE_NETWORKPOLICIES] =
		ROW("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true),
	[RESOURCE_REPLICASETS] = ROW("apps", "v1", "replicasets", "ReplicaSet", true),
	[RESOURCE_STATEFULSETS] = ROW("apps", "v1", "statefulsets", "StatefulSet", true),
	[RESOURCE_DEPLOYMENTS] = ROW("apps", "v1", "deployments", "Deployment", true),
	[RESOURCE_DAEMONSETS] = ROW("apps", "v1", "daemonsets", "DaemonSet", true),
	[RESOURCE_BATCHJOBS] = ROW("batch", "v1", "jobs", "Job", true),
	[RESOURCE_CRDS] = ROW("apiextensions.k8s.io", "v1", "customresourcedefinitions",
			      "CustomResourceDefinition", false),
	[RESOURCE_MUTATINGWEBHOOKS] =
		ROW("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
		    "MutatingWebhookConfiguration", false),
	[RESOURCE_VALIDATINGWEBHOOKS] =
		ROW("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
		    "ValidatingWebhookConfiguration", false),
	[RESOURCE_RESOURCECLAIMS] =
		ROW("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", true),
	[RESOURCE_RESOURCESLICES] =
		ROW("resource.k8s.io", "v1", "resourceslices", "ResourceSlice", false),
	[RESOURCE_DEVICECLASSES] =
		ROW("resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false),

	[RESOURCE_VCJOBS] = ROW("batch.volcano.sh", "v1alpha1", "jobs", "Job", true),
	[RESOURCE_VCCRONJOBS] = ROW("batch.volcano.sh", "v1alpha1", "cronjobs", "CronJob", true),
	[RESOURCE_COMMANDS] = ROW("bus.volcano.sh", "v1alpha1", "commands", "Command", true),
	[RESOURCE_PODGROUPS] =
		ROW("scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true),
	[RESOURCE_QUEUES] = ROW("scheduling.volcano.sh", "v1beta1", "queues", "Queue", false),
	[RESOURCE_JOBFLOWS] = ROW("flow.volcano.sh", "v1alpha1", "jobflows", "JobFlow", true),
	[RESOURCE_JOBTEMPLATES] =
		ROW("flow.volcano.sh", "v1alpha1", "jobtemplates", "JobTemplate", true),
	[RESOURCE_HYPERNODES] =
		ROW("topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode", false),
	[RESOURCE_NUMATOPOLOGIES] =
		ROW("nodeinfo.volcano.sh", "v1alpha1", "numatopologies", "Numatopology", false),
	[RESOURCE_NODESHARDS] =
		ROW("shard.volcano.sh", "v1alpha1", "nodeshards", "NodeShard", false),
	[RESOURCE_HYPERJOBS] =
		ROW("training.volcano.sh", "v1alpha1", "hyperjobs", "HyperJob", true),
	[RESOURCE_DATASOURCES] =
		ROW("datadependency.volcano.sh", "v1alpha1", "datasources", "DataSource", false),
	[RESOURCE_DATASOURCECLAIMS] = ROW("datadependency.volcano.sh", "v1alpha1",
					  "datasourceclaims", "DataSourceClaim", true),
	[RESOURCE_COLOCATIONCONFIGURATIONS] =
		ROW("config.volcano.sh", "v1alpha1", "colocationconfigurations",
		    "ColocationConfiguration", true),
};

const struct resource *resource_find(struct str api_version, struct str kind)
{
	ptrdiff_t slash = str_rfind_byte(api_version, '/');
	struct str group = slash < 0 ? STR("") : str_slice(api_version, 0, (size_t)slash);
	struct str version = str_skip(api_version, (size_t)(slash + 1));

	for (size_t i = 0; i < RESOURCE_COUNT; i++)
		if (str_eq(resources[i].kind, kind) && str_eq(resources[i].group, group) &&
		    str_eq(resources[i].version, version))
			return &resources[i];
	return NULL;
}

void resource_put_api_version(const struct resource *resource, struct buf *to)
{
	if (resource->group.len)
		buf_printf(to, "%.*s/", STR_ARG(resource->group));
	buf_put_str(to, resource->version);
}

static void put_part(struct buf *to, struct str part)
{
	buf_putc(to, '/');
	url_encode_path(part, to);
}

void resource_put_path(const struct resource *resource, struct str namespace, struct str name,
		       struct str sub, struct buf *to)
{
	buf_puts(to, resource->group.len ? "/apis/" : "/api/");
	resource_put_api_version(resource, to);
	if (resource->namespaced && namespace.len) {
		buf_puts(to, "/namespaces");
		put_part(to, namespace);
	}
	put_part(to, resource->plural);
	if (name.len)
		put_part(to, name);
	if (sub.len) {
		buf_putc(to, '/');
		buf_put_str(to, sub);
	}
}
