/* SPDX-License-Identifier: Apache-2.0 */
/* client/resource.h - resources: a row for each kind that the system uses.
 *
 *	client_get(client, &resources[RESOURCE_PODS], ns, name, got, me);
 *
 * A resource that is not here (an operator's own) is a struct resource of the caller's, which lives
 * as long as the requests and informers that name it. */
#ifndef CLIENT_RESOURCE_H
#define CLIENT_RESOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct resource {
	struct str group;   /* "" for the core */
	struct str version; /* "v1" */
	struct str plural;  /* "pods" */
	struct str kind;    /* "Pod" */
	bool namespaced;
};

enum resource_id {
	/* of Kubernetes */
	RESOURCE_PODS,
	RESOURCE_NODES,
	RESOURCE_NAMESPACES,
	RESOURCE_SERVICES,
	RESOURCE_ENDPOINTS,
	RESOURCE_CONFIGMAPS,
	RESOURCE_SECRETS,
	RESOURCE_EVENTS,
	RESOURCE_PVCS,
	RESOURCE_PVS,
	RESOURCE_QUOTAS,
	RESOURCE_LIMITRANGES,
	RESOURCE_SERVICEACCOUNTS,
	RESOURCE_LEASES,
	RESOURCE_PRIORITYCLASSES,
	RESOURCE_PDBS,
	RESOURCE_STORAGECLASSES,
	RESOURCE_CSINODES,
	RESOURCE_CSIDRIVERS,
	RESOURCE_CSISTORAGECAPACITIES,
	RESOURCE_VOLUMEATTACHMENTS,
	RESOURCE_NETWORKPOLICIES,
	RESOURCE_REPLICASETS,
	RESOURCE_STATEFULSETS,
	RESOURCE_DEPLOYMENTS,
	RESOURCE_DAEMONSETS,
	RESOURCE_BATCHJOBS,
	RESOURCE_CRDS,
	RESOURCE_MUTATINGWEBHOOKS,
	RESOURCE_VALIDATINGWEBHOOKS,
	RESOURCE_RESOURCECLAIMS,
	RESOURCE_RESOURCESLICES,
	RESOURCE_DEVICECLASSES,

	/* of Volcano */
	RESOURCE_VCJOBS,
	RESOURCE_VCCRONJOBS,
	RESOURCE_COMMANDS,
	RESOURCE_PODGROUPS,
	RESOURCE_QUEUES,
	RESOURCE_JOBFLOWS,
	RESOURCE_JOBTEMPLATES,
	RESOURCE_HYPERNODES,
	RESOURCE_NUMATOPOLOGIES,
	RESOURCE_NODESHARDS,
	RESOURCE_HYPERJOBS,
	RESOURCE_DATASOURCES,
	RESOURCE_DATASOURCECLAIMS,
	RESOURCE_COLOCATIONCONFIGURATIONS,
	RESOURCE_COUNT
};

extern const struct resource resources[RESOURCE_COUNT];

/* The row with this apiVersion ("batch.volcano.sh/v1alpha1") and kind, or NULL. */
const struct resource *resource_find(struct str api_version, struct str kind);

/* "v1", "batch.volcano.sh/v1alpha1" */
void resource_put_api_version(const struct resource *resource, struct buf *to);

/* The path that a request goes to, its parts %-encoded: /api/v1/namespaces/ns/pods/name/status. An
 * empty namespace stands for all of them, an empty name for the collection. */
void resource_put_path(const struct resource *resource, struct str namespace, struct str name,
		       struct str sub, struct buf *to);

#endif
