/* SPDX-License-Identifier: Apache-2.0 */
/* authorization/default_rows.c - the roles that every Kubernetes cluster has, but for those of its
 * controllers (default_controllers.c). The format of a rule is in default_roles.h. */
#include "authorization/default_roles.h"

#include "base/banned.h"

const struct default_role default_roles[] = {
	{"admin", .gathers = true},
	{"cluster-admin", .rules = "* | * | *\n"
				   "* || *\n"},
	{"edit", .part_of = "admin", .gathers = true},
	{"system:aggregate-to-admin", .part_of = "admin",
	 .rules = "create | authorization.k8s.io | localsubjectaccessreviews\n"
		  "create delete deletecollection get list patch update watch | "
		  "rbac.authorization.k8s.io | rolebindings roles\n"},
	{"system:aggregate-to-edit", .part_of = "edit",
	 .rules = "get list watch | core | pods/attach pods/exec pods/portforward "
		  "pods/proxy secrets services/proxy\n"
		  "impersonate | core | serviceaccounts\n"
		  "create delete deletecollection patch update | core | pods "
		  "pods/attach pods/exec pods/portforward pods/proxy\n"
		  "create | core | pods/eviction\n"
		  "create delete deletecollection patch update | core | "
		  "configmaps persistentvolumeclaims replicationcontrollers "
		  "replicationcontrollers/scale secrets serviceaccounts services "
		  "services/proxy\n"
		  "create | core | serviceaccounts/token\n"
		  "create delete deletecollection patch update | core "
		  "events.k8s.io | events\n"
		  "create delete deletecollection patch update | apps | "
		  "daemonsets deployments deployments/rollback deployments/scale "
		  "replicasets replicasets/scale statefulsets statefulsets/scale\n"
		  "create delete deletecollection patch update | autoscaling | "
		  "horizontalpodautoscalers\n"
		  "create delete deletecollection patch update | batch | cronjobs "
		  "jobs\n"
		  "create delete deletecollection patch update | extensions | "
		  "daemonsets deployments deployments/rollback deployments/scale "
		  "ingresses networkpolicies replicasets replicasets/scale "
		  "replicationcontrollers/scale\n"
		  "create delete deletecollection patch update | policy | "
		  "poddisruptionbudgets\n"
		  "create delete deletecollection patch update | "
		  "networking.k8s.io | ingresses networkpolicies\n"
		  "create delete deletecollection get list patch update watch | "
		  "coordination.k8s.io | leases\n"
		  "create delete deletecollection patch update | resource.k8s.io "
		  "| resourceclaims resourceclaimtemplates\n"},
	{"system:aggregate-to-view", .part_of = "view",
	 .rules = "get list watch | core | configmaps endpoints "
		  "persistentvolumeclaims persistentvolumeclaims/status pods "
		  "replicationcontrollers replicationcontrollers/scale "
		  "serviceaccounts services services/status\n"
		  "get list watch | core | bindings limitranges namespaces/status "
		  "pods/log pods/status replicationcontrollers/status "
		  "resourcequotas resourcequotas/status\n"
		  "get list watch | core | namespaces\n"
		  "get list watch | core events.k8s.io | events\n"
		  "get list watch | discovery.k8s.io | endpointslices\n"
		  "get list watch | apps | controllerrevisions daemonsets "
		  "daemonsets/status deployments deployments/scale "
		  "deployments/status replicasets replicasets/scale "
		  "replicasets/status statefulsets statefulsets/scale "
		  "statefulsets/status\n"
		  "get list watch | autoscaling | horizontalpodautoscalers "
		  "horizontalpodautoscalers/status\n"
		  "get list watch | batch | cronjobs cronjobs/status jobs "
		  "jobs/status\n"
		  "get list watch | extensions | daemonsets daemonsets/status "
		  "deployments deployments/scale deployments/status ingresses "
		  "ingresses/status networkpolicies replicasets replicasets/scale "
		  "replicasets/status replicationcontrollers/scale\n"
		  "get list watch | policy | poddisruptionbudgets "
		  "poddisruptionbudgets/status\n"
		  "get list watch | networking.k8s.io | ingresses "
		  "ingresses/status networkpolicies\n"
		  "get list watch | resource.k8s.io | resourceclaims "
		  "resourceclaims/status resourceclaimtemplates\n"},
	{"system:auth-delegator", .rules =
					  "create | authentication.k8s.io | tokenreviews\n"
					  "create | authorization.k8s.io | subjectaccessreviews\n"},
	{"system:basic-user", .rules = "create | authorization.k8s.io | selfsubjectaccessreviews "
				       "selfsubjectrulesreviews\n"
				       "create | authentication.k8s.io | selfsubjectreviews\n"},
	{"system:certificates.k8s.io:certificatesigningrequests:nodeclient",
	 .rules = "create | certificates.k8s.io | "
		  "certificatesigningrequests/nodeclient\n"},
	{"system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
	 .rules = "create | certificates.k8s.io | "
		  "certificatesigningrequests/selfnodeclient\n"},
	{"system:certificates.k8s.io:kube-apiserver-client-approver",
	 .rules = "approve | certificates.k8s.io | signers | "
		  "kubernetes.io/kube-apiserver-client\n"},
	{"system:certificates.k8s.io:kube-apiserver-client-kubelet-approver",
	 .rules = "approve | certificates.k8s.io | signers | "
		  "kubernetes.io/kube-apiserver-client-kubelet\n"},
	{"system:certificates.k8s.io:kubelet-serving-approver",
	 .rules = "approve | certificates.k8s.io | signers | "
		  "kubernetes.io/kubelet-serving\n"},
	{"system:certificates.k8s.io:legacy-unknown-approver",
	 .rules = "approve | certificates.k8s.io | signers | "
		  "kubernetes.io/legacy-unknown\n"},
	{"system:cluster-trust-bundle-discovery",
	 .rules = "get list watch | certificates.k8s.io | clustertrustbundles\n"},
	{"system:discovery", .rules = "get || /api /api/* /apis /apis/* /healthz /livez /openapi "
				      "/openapi/* /readyz /version /version/\n"},
	{"system:heapster", .rules = "get list watch | core | events namespaces nodes pods\n"
				     "get list watch | extensions | deployments\n"},
	{"system:kube-aggregator", .rules = "get list watch | core | endpoints services\n"},
	{"system:kube-controller-manager",
	 .rules = "create patch update | core events.k8s.io | events\n"
		  "create | coordination.k8s.io | leases\n"
		  "get update | coordination.k8s.io | leases | "
		  "kube-controller-manager\n"
		  "create | core | secrets serviceaccounts\n"
		  "delete | core | secrets\n"
		  "get | core | configmaps namespaces secrets serviceaccounts\n"
		  "update | core | secrets serviceaccounts\n"
		  "create | authentication.k8s.io | tokenreviews\n"
		  "create | authorization.k8s.io | subjectaccessreviews\n"
		  "list watch | * | *\n"
		  "create | core | serviceaccounts/token\n"},
	{"system:kube-dns", .rules = "list watch | core | endpoints services\n"},
	{"system:kube-scheduler",
	 .rules = "create patch update | core events.k8s.io | events\n"
		  "create | coordination.k8s.io | leases\n"
		  "get list update watch | coordination.k8s.io | leases | "
		  "kube-scheduler\n"
		  "create delete deletecollection get list patch update watch | "
		  "coordination.k8s.io | leasecandidates\n"
		  "get list watch | core | nodes\n"
		  "delete get list watch | core | pods\n"
		  "create | core | bindings pods/binding\n"
		  "patch update | core | pods/status\n"
		  "get list watch | core | replicationcontrollers services\n"
		  "get list watch | apps extensions | replicasets\n"
		  "get list watch | apps | statefulsets\n"
		  "get list watch | policy | poddisruptionbudgets\n"
		  "get list watch | core | persistentvolumeclaims "
		  "persistentvolumes\n"
		  "create | authentication.k8s.io | tokenreviews\n"
		  "create | authorization.k8s.io | subjectaccessreviews\n"
		  "get list watch | storage.k8s.io | csinodes\n"
		  "get list watch | storage.k8s.io | volumeattachments\n"
		  "get list watch | core | namespaces\n"
		  "get list watch | storage.k8s.io | csidrivers\n"
		  "get list watch | storage.k8s.io | csistoragecapacities\n"
		  "get list watch | resource.k8s.io | deviceclasses\n"
		  "get list patch update watch | resource.k8s.io | resourceclaims\n"
		  "get list patch update watch | resource.k8s.io | "
		  "resourceclaims/status\n"
		  "update | core | pods/finalizers\n"
		  "get list watch | resource.k8s.io | resourceslices\n"
		  "create delete | resource.k8s.io | resourceclaims\n"
		  "get list watch | resource.k8s.io | devicetaintrules\n"
		  "patch update | resource.k8s.io | resourceclaims/binding\n"},
	{"system:kubelet-api-admin",
	 .rules = "get list watch | core | nodes\n"
		  "proxy | core | nodes\n"
		  "* | core | nodes/log nodes/metrics nodes/proxy nodes/stats\n"
		  "* | core | nodes/configz nodes/healthz nodes/pods\n"},
	{"system:monitoring", .rules = "get || /flagz /healthz /healthz/* /livez /livez/* /metrics "
				       "/metrics/slis /readyz /readyz/* /statusz\n"
				       "get | core | nodes/metrics\n"},
	{"system:node", .rules = "create | authentication.k8s.io | tokenreviews\n"
				 "create | authorization.k8s.io | localsubjectaccessreviews "
				 "subjectaccessreviews\n"
				 "get list watch | core | services\n"
				 "create get list watch | core | nodes\n"
				 "patch update | core | nodes/status\n"
				 "patch update | core | nodes\n"
				 "create patch update | core events.k8s.io | events\n"
				 "get list watch | core | pods\n"
				 "create delete | core | pods\n"
				 "patch update | core | pods/status\n"
				 "create | core | pods/eviction\n"
				 "get list watch | core | configmaps secrets\n"
				 "get | core | persistentvolumeclaims persistentvolumes\n"
				 "get | core | endpoints\n"
				 "create get list watch | certificates.k8s.io | "
				 "certificatesigningrequests\n"
				 "create delete get patch update | coordination.k8s.io | leases\n"
				 "get | storage.k8s.io | volumeattachments\n"
				 "create | core | serviceaccounts/token\n"
				 "get patch update | core | persistentvolumeclaims/status\n"
				 "get list watch | storage.k8s.io | csidrivers\n"
				 "create delete get patch update | storage.k8s.io | csinodes\n"
				 "get list watch | node.k8s.io | runtimeclasses\n"
				 "get | resource.k8s.io | resourceclaims\n"
				 "deletecollection | resource.k8s.io | resourceslices\n"
				 "get list watch | certificates.k8s.io | clustertrustbundles\n"
				 "get | core | serviceaccounts\n"
				 "create get list watch | certificates.k8s.io | "
				 "podcertificaterequests\n"},
	{"system:node-bootstrapper", .rules = "create get list watch | certificates.k8s.io | "
					      "certificatesigningrequests\n"},
	{"system:node-problem-detector",
	 .rules = "get | core | nodes\n"
		  "patch | core | nodes/status\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:node-proxier", .rules = "list watch | core | endpoints services\n"
					 "get list watch | core | nodes\n"
					 "create patch update | core events.k8s.io | events\n"
					 "list watch | networking.k8s.io | servicecidrs\n"
					 "list watch | discovery.k8s.io | endpointslices\n"},
	{"system:persistent-volume-provisioner",
	 .rules = "create delete get list watch | core | persistentvolumes\n"
		  "get list update watch | core | persistentvolumeclaims\n"
		  "get list watch | storage.k8s.io | storageclasses\n"
		  "watch | core | events\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"system:public-info-viewer",
	 .rules = "get || /healthz /livez /readyz /version /version/\n"},
	{"system:service-account-issuer-discovery",
	 .rules = "get || /.well-known/openid-configuration "
		  "/.well-known/openid-configuration/ /openid/v1/jwks "
		  "/openid/v1/jwks/\n"},
	{"system:volume-scheduler",
	 .rules = "get list patch update watch | core | persistentvolumes\n"
		  "get list watch | storage.k8s.io | storageclasses\n"
		  "get list patch update watch | core | persistentvolumeclaims\n"},
	{"view", .part_of = "edit", .gathers = true},
	{"system:controller:bootstrap-signer", .namespace = "kube-public",
	 .rules = "get list watch | core | configmaps\n"
		  "update | core | configmaps | cluster-info\n"
		  "create patch update | core events.k8s.io | events\n"},
	{"extension-apiserver-authentication-reader", .namespace = "kube-system",
	 .rules = "get list watch | core | configmaps | "
		  "extension-apiserver-authentication\n"},
	{"system::leader-locking-kube-controller-manager", .namespace = "kube-system",
	 .rules = "create get list update watch | coordination.k8s.io | leases\n"
		  "create get list update watch | coordination.k8s.io | "
		  "leasecandidates\n"},
	{"system::leader-locking-kube-scheduler", .namespace = "kube-system",
	 .rules = "create get list update watch | coordination.k8s.io | leases\n"
		  "create get list update watch | coordination.k8s.io | "
		  "leasecandidates\n"},
	{"system:controller:bootstrap-signer", .namespace = "kube-system",
	 .rules = "get list watch | core | secrets\n"},
	{"system:controller:cloud-provider", .namespace = "kube-system",
	 .rules = "create get list watch | core | configmaps\n"},
	{"system:controller:token-cleaner", .namespace = "kube-system",
	 .rules = "delete get list watch | core | secrets\n"
		  "create patch update | core events.k8s.io | events\n"},
	{0}};

const struct default_binding default_bindings[] = {
	{"cluster-admin", .role = "cluster-admin", .subjects = "Group system:masters\n"},
	{"system:basic-user", .role = "system:basic-user",
	 .subjects = "Group system:authenticated\n"},
	{"system:cluster-trust-bundle-discovery", .role = "system:cluster-trust-bundle-discovery",
	 .subjects = "Group system:serviceaccounts\n"},
	{"system:discovery", .role = "system:discovery",
	 .subjects = "Group system:authenticated\n"},
	{"system:kube-controller-manager", .role = "system:kube-controller-manager",
	 .subjects = "User system:kube-controller-manager\n"},
	{"system:kube-dns", .role = "system:kube-dns",
	 .subjects = "ServiceAccount kube-system/kube-dns\n"},
	{"system:kube-scheduler", .role = "system:kube-scheduler",
	 .subjects = "User system:kube-scheduler\n"},
	{"system:monitoring", .role = "system:monitoring", .subjects = "Group system:monitoring\n"},
	{"system:node", .role = "system:node"},
	{"system:node-proxier", .role = "system:node-proxier",
	 .subjects = "User system:kube-proxy\n"},
	{"system:public-info-viewer", .role = "system:public-info-viewer",
	 .subjects = "Group system:authenticated\n"
		     "Group system:unauthenticated\n"},
	{"system:service-account-issuer-discovery",
	 .role = "system:service-account-issuer-discovery",
	 .subjects = "Group system:serviceaccounts\n"},
	{"system:volume-scheduler", .role = "system:volume-scheduler",
	 .subjects = "User system:kube-scheduler\n"},
	{"system:controller:bootstrap-signer", .role = "system:controller:bootstrap-signer",
	 .namespace = "kube-public", .subjects = "ServiceAccount kube-system/bootstrap-signer\n"},
	{"system::extension-apiserver-authentication-reader",
	 .role = "extension-apiserver-authentication-reader", .namespace = "kube-system",
	 .subjects = "User system:kube-controller-manager\n"
		     "User system:kube-scheduler\n"},
	{"system::leader-locking-kube-controller-manager",
	 .role = "system::leader-locking-kube-controller-manager", .namespace = "kube-system",
	 .subjects = "User system:kube-controller-manager\n"
		     "ServiceAccount kube-system/kube-controller-manager\n"
		     "ServiceAccount kube-system/leader-election-controller\n"},
	{"system::leader-locking-kube-scheduler", .role = "system::leader-locking-kube-scheduler",
	 .namespace = "kube-system",
	 .subjects = "User system:kube-scheduler\n"
		     "ServiceAccount kube-system/kube-scheduler\n"},
	{"system:controller:bootstrap-signer", .role = "system:controller:bootstrap-signer",
	 .namespace = "kube-system", .subjects = "ServiceAccount kube-system/bootstrap-signer\n"},
	{"system:controller:cloud-provider", .role = "system:controller:cloud-provider",
	 .namespace = "kube-system", .subjects = "ServiceAccount kube-system/cloud-provider\n"},
	{"system:controller:token-cleaner", .role = "system:controller:token-cleaner",
	 .namespace = "kube-system", .subjects = "ServiceAccount kube-system/token-cleaner\n"},
	{0}};
