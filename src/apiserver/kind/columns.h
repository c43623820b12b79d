/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/columns.h - the columns of the built-in kinds; each list ends with a NULL name. Those of
 * a group are in a file: columns_core.c, columns_apps.c, ... */
#ifndef APISERVER_COLUMNS_H
#define APISERVER_COLUMNS_H

#include "apiserver/kind/kind.h"

/* core */
extern const struct kind_column columns_componentstatus[], columns_configmap[], columns_endpoints[],
	columns_event[], columns_namespace[], columns_node[], columns_pod[], columns_podtemplate[],
	columns_pv[], columns_pvc[], columns_quota[], columns_replicationcontroller[],
	columns_secret[], columns_service[], columns_serviceaccount[];
/* apps, batch */
extern const struct kind_column columns_scale[]; /* of the sub-resource */
extern const struct kind_column columns_autoscaler[], columns_controllerrevision[],
	columns_cronjob[], columns_daemonset[], columns_deployment[], columns_job[],
	columns_replicaset[], columns_statefulset[];
/* admissionregistration, coordination, node, policy, rbac, scheduling */
extern const struct kind_column columns_binding[], columns_certificate[], columns_lease[],
	columns_pdb[], columns_priorityclass[], columns_runtimeclass[], columns_webhooks[];
/* discovery, networking */
extern const struct kind_column columns_endpointslice[], columns_ingress[], columns_ingressclass[],
	columns_networkpolicy[];
/* storage */
extern const struct kind_column columns_csidriver[], columns_csinode[],
	columns_csistoragecapacity[], columns_storageclass[], columns_volumeattachment[];

#endif
