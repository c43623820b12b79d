/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/default_controllers.c - the roles of the controllers of kube-controller-manager, each bound to an account of
 * its own. A foreign kube-controller-manager needs them. */
#include "authorization/default_roles.h"

#include "base/banned.h"

const struct default_role controller_roles[] = {
	{"system:controller:attachdetach-controller",
	 .rules = "list watch | core | persistentvolumeclaims persistentvolumes\n"
		  "get list watch | core | nodes\n"
		  "patch update | core | nodes/status\n"
		  "list watch | core | pods\n"
		  "create patch update | core events.k8s.io | events\n"
		  "create delete get list watch | storage.k8s.io | "
		  "volumeattachments\n"
		  "get list watch | storage.k8s.io | csidrivers\n"
		  "get list watch | storage.k8s.io | csinodes\n"},
	{"system:controller:certificate-controller",
	 .rules = "delete get list watch | certificates.k8s.io | "
		  "certificatesigningrequests\n"
		  "update | certificates.k8s.io | "
		  "certificatesigningrequests/approval "
		  "certificatesigningrequests/status\n"
		  "approve | certificates.k8s.io | signers | "
		  "kubernetes.io/kube-apiserver-client-kubelet\n"
		  "sign | certificates.k8s.io | signers | "
		  "kubernetes.io/kube-apiserver-client "
		  "kubernetes.io/kube-apiserver-client-kubelet "
		  "kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown\n"
		  "create | authorization.k8s.io | subjectaccessreviews\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:clusterrole-aggregation-controller",
	 .rules = "escalate get list patch update watch | "
		  "rbac.authorization.k8s.io | clusterroles\n"},
	{"system:controller:cronjob-controller",
	 .rules = "get list update watch | batch | cronjobs\n"
		  "create delete get list patch update watch | batch | jobs\n"
		  "update | batch | cronjobs/status\n"
		  "update | batch | cronjobs/finalizers\n"
		  "delete list watch | core | pods\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:daemon-set-controller",
	 .rules = "get list watch | apps extensions | daemonsets\n"
		  "update | apps extensions | daemonsets/status\n"
		  "update | apps extensions | daemonsets/finalizers\n"
		  "list watch | core | nodes\n"
		  "create delete list patch watch | core | pods\n"
		  "create | core | pods/binding\n"
		  "create delete get list patch update watch | apps | "
		  "controllerrevisions\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:deployment-controller",
	 .rules = "get list update watch | apps extensions | deployments\n"
		  "update | apps extensions | deployments/status\n"
		  "update | apps extensions | deployments/finalizers\n"
		  "create delete get list patch update watch | apps extensions | "
		  "replicasets\n"
		  "get list update watch | core | pods\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:device-taint-eviction-controller",
	 .rules = "delete get list watch | core | pods\n"
		  "patch update | core | pods/status\n"
		  "get list watch | resource.k8s.io | resourceclaims\n"
		  "get list watch | resource.k8s.io | resourceslices\n"
		  "get list watch | resource.k8s.io | deviceclasses\n"
		  "create patch update | core events.k8s.io | events\n"
		  "patch update | resource.k8s.io | devicetaintrules/status\n"
		  "get list watch | resource.k8s.io | devicetaintrules\n"},
	{"system:controller:disruption-controller",
	 .rules = "get list watch | apps extensions | deployments\n"
		  "get list watch | apps extensions | replicasets\n"
		  "get list watch | core | replicationcontrollers\n"
		  "get list watch | policy | poddisruptionbudgets\n"
		  "get list watch | apps | statefulsets\n"
		  "update | policy | poddisruptionbudgets/status\n"
		  "patch update | core | pods/status\n"
		  "get | * | */scale\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:endpoint-controller",
	 .rules = "get list watch | core | pods services\n"
		  "create delete get list update watch | core | endpoints\n"
		  "create | core | endpoints/restricted\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:endpointslice-controller",
	 .rules = "get list watch | core | nodes pods services\n"
		  "update | core | services/finalizers\n"
		  "create delete get list update watch | discovery.k8s.io | "
		  "endpointslices\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:endpointslicemirroring-controller",
	 .rules = "get list watch | core | endpoints services\n"
		  "update | core | services/finalizers\n"
		  "update | core | endpoints/finalizers\n"
		  "create delete get list update watch | discovery.k8s.io | "
		  "endpointslices\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:ephemeral-volume-controller",
	 .rules = "get list watch | core | pods\n"
		  "update | core | pods/finalizers\n"
		  "create get list watch | core | persistentvolumeclaims\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:expand-controller",
	 .rules = "get list patch update watch | core | persistentvolumes\n"
		  "patch update | core | persistentvolumeclaims/status\n"
		  "get list watch | core | persistentvolumeclaims\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:generic-garbage-collector",
	 .rules = "delete get list patch update watch | * | *\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:horizontal-pod-autoscaler",
	 .rules = "get list watch | autoscaling | horizontalpodautoscalers\n"
		  "update | autoscaling | horizontalpodautoscalers/status\n"
		  "get update | * | */scale\n"
		  "list watch | core | pods\n"
		  "list watch | metrics.k8s.io | pods\n"
		  "get list watch | custom.metrics.k8s.io | *\n"
		  "get list watch | external.metrics.k8s.io | *\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:job-controller",
	 .rules = "get list patch update watch | batch | jobs\n"
		  "update | batch | jobs/status\n"
		  "update | batch | jobs/finalizers\n"
		  "create delete list patch watch | core | pods\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:kube-apiserver-serving-clustertrustbundle-publisher",
	 .rules = "attest | certificates.k8s.io | signers | "
		  "kubernetes.io/kube-apiserver-serving\n"
		  "create delete list update watch | certificates.k8s.io | "
		  "clustertrustbundles\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:legacy-service-account-token-cleaner",
	 .rules = "get | core | configmaps | "
		  "kube-apiserver-legacy-service-account-token-tracking\n"
		  "delete patch | core | secrets\n"},
	{"system:controller:namespace-controller",
	 .rules = "delete get list watch | core | namespaces\n"
		  "update | core | namespaces/finalize namespaces/status\n"
		  "delete deletecollection get list watch | * | *\n"},
	{"system:controller:node-controller",
	 .rules = "delete get list patch update watch | core | nodes\n"
		  "patch update | core | nodes/status\n"
		  "patch update | core | pods/status\n"
		  "delete get list watch | core | pods\n"
		  "get list watch | coordination.k8s.io | leases\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:persistent-volume-binder",
	 .rules = "create delete get list update watch | core | persistentvolumes\n"
		  "update | core | persistentvolumes/status\n"
		  "get list update watch | core | persistentvolumeclaims\n"
		  "update | core | persistentvolumeclaims/status\n"
		  "create delete get list watch | core | pods\n"
		  "get list watch | storage.k8s.io | storageclasses\n"
		  "list watch | core | nodes\n"
		  "create patch update | core events.k8s.io | events\n"
		  "watch | core | events\n"},
	{"system:controller:pod-garbage-collector", .rules = "delete list watch | core | pods\n"
							     "get list watch | core | nodes\n"
							     "patch | core | pods/status\n"},
	{"system:controller:podcertificaterequestcleaner",
	 .rules = "delete get list watch | certificates.k8s.io | "
		  "podcertificaterequests\n"},
	{"system:controller:pv-protection-controller",
	 .rules = "get list update watch | core | persistentvolumes\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:pvc-protection-controller",
	 .rules = "get list update watch | core | persistentvolumeclaims\n"
		  "update | core | persistentvolumeclaims/status\n"
		  "get list watch | core | pods\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:replicaset-controller",
	 .rules = "get list update watch | apps extensions | replicasets\n"
		  "update | apps extensions | replicasets/status\n"
		  "update | apps extensions | replicasets/finalizers\n"
		  "create delete list patch watch | core | pods\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:replication-controller",
	 .rules = "get list update watch | core | replicationcontrollers\n"
		  "update | core | replicationcontrollers/status\n"
		  "update | core | replicationcontrollers/finalizers\n"
		  "create delete list patch watch | core | pods\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:resource-claim-controller",
	 .rules = "get list watch | core | pods\n"
		  "update | core | pods/finalizers\n"
		  "create delete get list watch | resource.k8s.io | "
		  "resourceclaims\n"
		  "patch update | resource.k8s.io | resourceclaims "
		  "resourceclaims/status\n"
		  "patch update | core | pods/status\n"
		  "create patch update | core events.k8s.io | events\n"
		  "patch update | resource.k8s.io | resourceclaims/binding\n"},
	{"system:controller:resourcequota-controller",
	 .rules = "list watch | * | *\n"
		  "update | core | resourcequotas/status\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:root-ca-cert-publisher",
	 .rules = "create update | core | configmaps\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:route-controller",
	 .rules = "list watch | core | nodes\n"
		  "patch | core | nodes/status\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:selinux-warning-controller",
	 .rules = "create patch update | core events.k8s.io | events\n"
		  "get list watch | core | persistentvolumes\n"
		  "get list watch | core | persistentvolumeclaims\n"
		  "get list watch | core | pods\n"
		  "get list watch | storage.k8s.io | csidrivers\n"},
	{"system:controller:service-account-controller",
	 .rules = "create | core | serviceaccounts\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:service-cidrs-controller",
	 .rules = "get list patch update watch | networking.k8s.io | servicecidrs\n"
		  "patch update | networking.k8s.io | servicecidrs/finalizers\n"
		  "patch update | networking.k8s.io | servicecidrs/status\n"
		  "get list watch | networking.k8s.io | ipaddresses\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:service-controller",
	 .rules = "get list watch | core | services\n"
		  "patch update | core | services/status\n"
		  "list watch | core | nodes\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:statefulset-controller",
	 .rules = "list watch | core | pods\n"
		  "get list watch | apps | statefulsets\n"
		  "update | apps | statefulsets/status\n"
		  "update | apps | statefulsets/finalizers\n"
		  "create delete get patch update | core | pods\n"
		  "create delete get list patch update watch | apps | "
		  "controllerrevisions\n"
		  "create get list watch | core | persistentvolumeclaims\n"
		  "delete update | core | persistentvolumeclaims\n"
		  "update | core | pods/finalizers\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:storage-version-migrator-controller",
	 .rules = "list patch | * | *\n"
		  "get | apiextensions.k8s.io | customresourcedefinitions\n"
		  "patch | apiextensions.k8s.io | "
		  "customresourcedefinitions/status\n"
		  "update | storagemigration.k8s.io | "
		  "storageversionmigrations/status\n"},
	{"system:controller:ttl-after-finished-controller",
	 .rules = "delete get list watch | batch | jobs\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:ttl-controller",
	 .rules = "list patch update watch | core | nodes\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:validatingadmissionpolicy-status-controller",
	 .rules = "get list watch | admissionregistration.k8s.io | "
		  "validatingadmissionpolicies\n"
		  "get patch update | admissionregistration.k8s.io | "
		  "validatingadmissionpolicies/status\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:controller:volumeattributesclass-protection-controller",
	 .rules = "get list watch | core | persistentvolumeclaims\n"
		  "get list watch | core | persistentvolumes\n"
		  "get list update watch | storage.k8s.io | "
		  "volumeattributesclasses\n"
		  "create patch update | core events.k8s.io | events\n"},
	{0}};

const struct default_binding controller_bindings[] = {
	{"system:controller:attachdetach-controller",
	 .role = "system:controller:attachdetach-controller",
	 .subjects = "ServiceAccount kube-system/attachdetach-controller\n"},
	{"system:controller:certificate-controller",
	 .role = "system:controller:certificate-controller",
	 .subjects = "ServiceAccount kube-system/certificate-controller\n"},
	{"system:controller:clusterrole-aggregation-controller",
	 .role = "system:controller:clusterrole-aggregation-controller",
	 .subjects = "ServiceAccount kube-system/clusterrole-aggregation-controller\n"},
	{"system:controller:cronjob-controller", .role = "system:controller:cronjob-controller",
	 .subjects = "ServiceAccount kube-system/cronjob-controller\n"},
	{"system:controller:daemon-set-controller",
	 .role = "system:controller:daemon-set-controller",
	 .subjects = "ServiceAccount kube-system/daemon-set-controller\n"},
	{"system:controller:deployment-controller",
	 .role = "system:controller:deployment-controller",
	 .subjects = "ServiceAccount kube-system/deployment-controller\n"},
	{"system:controller:device-taint-eviction-controller",
	 .role = "system:controller:device-taint-eviction-controller",
	 .subjects = "ServiceAccount kube-system/device-taint-eviction-controller\n"},
	{"system:controller:disruption-controller",
	 .role = "system:controller:disruption-controller",
	 .subjects = "ServiceAccount kube-system/disruption-controller\n"},
	{"system:controller:endpoint-controller", .role = "system:controller:endpoint-controller",
	 .subjects = "ServiceAccount kube-system/endpoint-controller\n"},
	{"system:controller:endpointslice-controller",
	 .role = "system:controller:endpointslice-controller",
	 .subjects = "ServiceAccount kube-system/endpointslice-controller\n"},
	{"system:controller:endpointslicemirroring-controller",
	 .role = "system:controller:endpointslicemirroring-controller",
	 .subjects = "ServiceAccount kube-system/endpointslicemirroring-controller\n"},
	{"system:controller:ephemeral-volume-controller",
	 .role = "system:controller:ephemeral-volume-controller",
	 .subjects = "ServiceAccount kube-system/ephemeral-volume-controller\n"},
	{"system:controller:expand-controller", .role = "system:controller:expand-controller",
	 .subjects = "ServiceAccount kube-system/expand-controller\n"},
	{"system:controller:generic-garbage-collector",
	 .role = "system:controller:generic-garbage-collector",
	 .subjects = "ServiceAccount kube-system/generic-garbage-collector\n"},
	{"system:controller:horizontal-pod-autoscaler",
	 .role = "system:controller:horizontal-pod-autoscaler",
	 .subjects = "ServiceAccount kube-system/horizontal-pod-autoscaler\n"},
	{"system:controller:job-controller", .role = "system:controller:job-controller",
	 .subjects = "ServiceAccount kube-system/job-controller\n"},
	{"system:controller:kube-apiserver-serving-clustertrustbundle-publisher",
	 .role = "system:controller:kube-apiserver-serving-clustertrustbundle-publisher",
	 .subjects = "ServiceAccount "
		     "kube-system/kube-apiserver-serving-clustertrustbundle-publisher\n"},
	{"system:controller:legacy-service-account-token-cleaner",
	 .role = "system:controller:legacy-service-account-token-cleaner",
	 .subjects = "ServiceAccount kube-system/legacy-service-account-token-cleaner\n"},
	{"system:controller:namespace-controller", .role = "system:controller:namespace-controller",
	 .subjects = "ServiceAccount kube-system/namespace-controller\n"},
	{"system:controller:node-controller", .role = "system:controller:node-controller",
	 .subjects = "ServiceAccount kube-system/node-controller\n"},
	{"system:controller:persistent-volume-binder",
	 .role = "system:controller:persistent-volume-binder",
	 .subjects = "ServiceAccount kube-system/persistent-volume-binder\n"},
	{"system:controller:pod-garbage-collector",
	 .role = "system:controller:pod-garbage-collector",
	 .subjects = "ServiceAccount kube-system/pod-garbage-collector\n"},
	{"system:controller:podcertificaterequestcleaner",
	 .role = "system:controller:podcertificaterequestcleaner",
	 .subjects = "ServiceAccount kube-system/podcertificaterequestcleaner\n"},
	{"system:controller:pv-protection-controller",
	 .role = "system:controller:pv-protection-controller",
	 .subjects = "ServiceAccount kube-system/pv-protection-controller\n"},
	{"system:controller:pvc-protection-controller",
	 .role = "system:controller:pvc-protection-controller",
	 .subjects = "ServiceAccount kube-system/pvc-protection-controller\n"},
	{"system:controller:replicaset-controller",
	 .role = "system:controller:replicaset-controller",
	 .subjects = "ServiceAccount kube-system/replicaset-controller\n"},
	{"system:controller:replication-controller",
	 .role = "system:controller:replication-controller",
	 .subjects = "ServiceAccount kube-system/replication-controller\n"},
	{"system:controller:resource-claim-controller",
	 .role = "system:controller:resource-claim-controller",
	 .subjects = "ServiceAccount kube-system/resource-claim-controller\n"},
	{"system:controller:resourcequota-controller",
	 .role = "system:controller:resourcequota-controller",
	 .subjects = "ServiceAccount kube-system/resourcequota-controller\n"},
	{"system:controller:root-ca-cert-publisher",
	 .role = "system:controller:root-ca-cert-publisher",
	 .subjects = "ServiceAccount kube-system/root-ca-cert-publisher\n"},
	{"system:controller:route-controller", .role = "system:controller:route-controller",
	 .subjects = "ServiceAccount kube-system/route-controller\n"},
	{"system:controller:selinux-warning-controller",
	 .role = "system:controller:selinux-warning-controller",
	 .subjects = "ServiceAccount kube-system/selinux-warning-controller\n"},
	{"system:controller:service-account-controller",
	 .role = "system:controller:service-account-controller",
	 .subjects = "ServiceAccount kube-system/service-account-controller\n"},
	{"system:controller:service-cidrs-controller",
	 .role = "system:controller:service-cidrs-controller",
	 .subjects = "ServiceAccount kube-system/service-cidrs-controller\n"},
	{"system:controller:service-controller", .role = "system:controller:service-controller",
	 .subjects = "ServiceAccount kube-system/service-controller\n"},
	{"system:controller:statefulset-controller",
	 .role = "system:controller:statefulset-controller",
	 .subjects = "ServiceAccount kube-system/statefulset-controller\n"},
	{"system:controller:storage-version-migrator-controller",
	 .role = "system:controller:storage-version-migrator-controller",
	 .subjects = "ServiceAccount kube-system/storage-version-migrator-controller\n"},
	{"system:controller:ttl-after-finished-controller",
	 .role = "system:controller:ttl-after-finished-controller",
	 .subjects = "ServiceAccount kube-system/ttl-after-finished-controller\n"},
	{"system:controller:ttl-controller", .role = "system:controller:ttl-controller",
	 .subjects = "ServiceAccount kube-system/ttl-controller\n"},
	{"system:controller:validatingadmissionpolicy-status-controller",
	 .role = "system:controller:validatingadmissionpolicy-status-controller",
	 .subjects = "ServiceAccount kube-system/validatingadmissionpolicy-status-controller\n"},
	{"system:controller:volumeattributesclass-protection-controller",
	 .role = "system:controller:volumeattributesclass-protection-controller",
	 .subjects = "ServiceAccount kube-system/volumeattributesclass-protection-controller\n"},
	{0}};
