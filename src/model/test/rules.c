/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the built-in kinds when an object is made: a document in, what is wrong with it out, in
 * upstream's words. Each row is one rule or a few that belong together. */
#include "model/test/rules.h"

#include "base/banned.h"

static const struct {
	const struct kind *kind;
	const char *object, *want;
} created[] = {
	{&binding, "{" META ",'target':{'kind':'Rack'}}",
	 "target.kind: Unsupported value: \"Rack\": supported values: \"Node\", \"<empty>\"\n"
	 "target.name: Required value"},
	{&controllerrevision, "{" META ",'data':{},'revision':-1}",
	 "revision: Invalid value: -1: must be greater than or equal to 0"},
	{&webhooks,
	 "{" CLUSTER ",'webhooks':[{'name':'a.b.c','sideEffects':'None','admissionReviewVersions':["
	 "'v1'],'clientConfig':{'service':{'name':'s','namespace':'n','path':'/a/b'}},'rules':[{"
	 "'operations':['*'],'apiGroups':[''],'apiVersions':['v1'],'resources':['pods','pods/"
	 "status'"
	 "]}]}]}",
	 ""},
	{&webhooks, "{" CLUSTER ",'webhooks':[{'name':'a'},{'name':'a'}]}",
	 "webhooks[0].name: Invalid value: \"a\": should be a domain with at least three segments "
	 "separated by dots\n"
	 "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun\n"
	 "webhooks[0].clientConfig: Required value: exactly one of url or service is required\n"
	 "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1\n"
	 "webhooks[1].name: Invalid value: \"a\": should be a domain with at least three segments "
	 "separated by dots\n"
	 "webhooks[1].sideEffects: Required value: must specify one of None, NoneOnDryRun\n"
	 "webhooks[1].clientConfig: Required value: exactly one of url or service is required\n"
	 "webhooks[1].admissionReviewVersions: Required value: must specify one of v1, v1beta1\n"
	 "webhooks[1].name: Duplicate value: \"a\""},
	{&webhooks,
	 "{" CLUSTER ",'webhooks':[{'name':'a.b.c','sideEffects':'Some','timeoutSeconds':31,"
	 "'failurePolicy':'X','reinvocationPolicy':'Y','admissionReviewVersions':['v1','v1'],"
	 "'clientConfig':{'url':'http://u@h/"
	 "x?q#f'},'rules':[{'operations':['*','Z'],'apiGroups':[],"
	 "'apiVersions':[''],'resources':['pods/*','pods/log','*','x'],'scope':'W'}]}]}",
	 "webhooks[0].rules[0].operations: Invalid value: [\"*\",\"Z\"]: if '*' is present, must "
	 "not "
	 "specify other operations\n"
	 "webhooks[0].rules[0].operations[1]: Unsupported value: \"Z\": supported values: \"*\", "
	 "\"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"\n"
	 "webhooks[0].rules[0].apiGroups: Required value\n"
	 "webhooks[0].rules[0].apiVersions[0]: Required value\n"
	 "webhooks[0].rules[0].resources[1]: Invalid value: \"pods/log\": if 'pods/*' is present, "
	 "must "
	 "not specify pods/log\n"
	 "webhooks[0].rules[0].resources: Invalid value: [\"pods/*\",\"pods/log\",\"*\",\"x\"]: if "
	 "'*' "
	 "is present, must not specify other resources without subresources\n"
	 "webhooks[0].rules[0].scope: Unsupported value: \"W\": supported values: \"*\", "
	 "\"Cluster\", "
	 "\"Namespaced\"\n"
	 "webhooks[0].failurePolicy: Unsupported value: \"X\": supported values: \"Fail\", "
	 "\"Ignore\"\n"
	 "webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", "
	 "\"NoneOnDryRun\"\n"
	 "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and "
	 "30 "
	 "seconds\n"
	 "webhooks[0].reinvocationPolicy: Unsupported value: \"Y\": supported values: "
	 "\"IfNeeded\", "
	 "\"Never\"\n"
	 "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL "
	 "scheme; desired format: https://host[/path]\n"
	 "webhooks[0].clientConfig.url: Invalid value: \"u\": user information is not permitted in "
	 "the "
	 "URL\n"
	 "webhooks[0].clientConfig.url: Invalid value: \"f\": fragments are not permitted in the "
	 "URL\n"
	 "webhooks[0].clientConfig.url: Invalid value: \"q\": query parameters are not permitted "
	 "in "
	 "the URL\n"
	 "webhooks[0].admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version"},
	{&webhooks,
	 "{" CLUSTER ",'webhooks':[{'name':'a.b.c','sideEffects':'None','admissionReviewVersions':["
	 "'v2'],'clientConfig':{'service':{'name':'','namespace':'n','path':'a//B','port':0}}}]}",
	 "webhooks[0].clientConfig.service.name: Required value\n"
	 "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be "
	 "between "
	 "1 and 65535, inclusive\n"
	 "webhooks[0].clientConfig.service.path: Invalid value: \"a//B\": must start with a '/'\n"
	 "webhooks[0].clientConfig.service.path: Invalid value: \"a//B\": segment[0] may not be "
	 "empty\n"
	 "webhooks[0].clientConfig.service.path: Invalid value: \"a//B\": segment[1] may not be "
	 "empty\n"
	 "webhooks[0].clientConfig.service.path: Invalid value: \"a//B\": segment[2]: a lowercase "
	 "RFC "
	 "1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
	 "start and end with an alphanumeric character (e.g. 'example.com', regex used for "
	 "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
	 "webhooks[0].admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one "
	 "of "
	 "v1, v1beta1"},
	{&networkpolicy,
	 "{" META ",'spec':{'podSelector':{},'ingress':[{'ports':[{'port':80,'endPort':90},{'port':"
	 "'http'}],'from':[{'podSelector':{}},{'ipBlock':{'cidr':'10.0.0.0/8','except':['10.1.0.0/"
	 "16'"
	 "]}}]}],'policyTypes':['Ingress']}}",
	 ""},
	{&networkpolicy,
	 "{" META
	 ",'spec':{'podSelector':{},'egress':[{'ports':[{'protocol':'X','port':0,'endPort':"
	 "70000},{'port':'http','endPort':1},{'endPort':1},{'port':9,'endPort':8}],'to':[{},{"
	 "'podSelector':{},'ipBlock':{'cidr':'10.0.0.0/8','except':['11.0.0.0/16','10.0.0.0/8']}},{"
	 "'ipBlock':{'cidr':''}}]}],'policyTypes':['X']}}",
	 "spec.egress[0].ports[0].protocol: Unsupported value: \"X\": supported values: \"TCP\", "
	 "\"UDP\", \"SCTP\"\n"
	 "spec.egress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
	 "spec.egress[0].ports[0].endPort: Invalid value: 70000: must be between 1 and 65535, "
	 "inclusive\n"
	 "spec.egress[0].ports[1].endPort: Invalid value: 1: may not be specified when `port` is "
	 "non-numeric\n"
	 "spec.egress[0].ports[2].endPort: Invalid value: 1: may not be specified when `port` is "
	 "not "
	 "specified\n"
	 "spec.egress[0].ports[3].endPort: Invalid value: 9: must be greater than or equal to "
	 "`port`\n"
	 "spec.egress[0].to[0]: Required value: must specify a peer\n"
	 "spec.egress[0].to[1].ipBlock.except[0]: Invalid value: \"11.0.0.0/16\": must be a strict "
	 "subset of `cidr`\n"
	 "spec.egress[0].to[1].ipBlock.except[1]: Invalid value: \"10.0.0.0/8\": must be a strict "
	 "subset of `cidr`\n"
	 "spec.egress[0].to[1]: Forbidden: may not specify both ipBlock and another peer\n"
	 "spec.egress[0].to[2].ipBlock.cidr: Required value\n"
	 "spec.policyTypes[0]: Unsupported value: \"X\": supported values: \"Ingress\", "
	 "\"Egress\""},
	{&node, "{" CLUSTER "}", ""},
	{&node, "{" CLUSTER ",'spec':{'taints':[{'key':'','effect':''}]}}",
	 "metadata.taints[0].key: Invalid value: \"\": name part must be non-empty\n"
	 "metadata.taints[0].key: Invalid value: \"\": name part must consist of alphanumeric "
	 "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
	 "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
	 "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n"
	 "metadata.taints[0].effect: Required value"},
	{&node, "{" CLUSTER ",'status':{'capacity':{'pods':'1500m','cpu':'-1'}}}",
	 "status.capacity.pods: Invalid value: \"1500m\": must be an integer\n"
	 "status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0\n"
	 "status.allocatable.pods: Invalid value: \"1500m\": must be an integer\n"
	 "status.allocatable.cpu: Invalid value: \"-1\": must be greater than or equal to 0"},
	{&node, "{" CLUSTER ",'spec':{'podCIDRs':['10.0.0.0/8','10.1.0.0/16']}}",
	 "spec.podCIDRs: Invalid value: [\"10.0.0.0/8\",\"10.1.0.0/16\"]: may specify no more than "
	 "one "
	 "CIDR for each IP family"},
	{&node, "{" CLUSTER ",'spec':{'podCIDRs':['10.0.0.0/8','fd00::/8']}}", ""},
	{&namespace, "{" CLUSTER ",'spec':{'finalizers':['kubernetes','x']}}",
	 "spec.finalizers: Invalid value: \"x\": name is neither a standard finalizer name nor is "
	 "it "
	 "fully qualified"},
	{&configmap, "{" META ",'data':{'a':'b'},'binaryData':{'c':'AAE='}}", ""},
	{&secret, "{" META ",'type':'kubernetes.io/tls','data':{'tls.crt':''}}",
	 "data[tls.key]: Required value"},
	{&secret, "{" META ",'type':'kubernetes.io/basic-auth'}",
	 "data[username]: Required value\ndata[password]: Required value"},
	{&secret, "{" META ",'type':'kubernetes.io/ssh-auth','stringData':{'ssh-privatekey':''}}",
	 "data[ssh-privatekey]: Required value"},
	{&secret, "{" META ",'type':'kubernetes.io/service-account-token'}",
	 "metadata.annotations[kubernetes.io/service-account.name]: Required value"},
	{&secret,
	 "{" META ",'type':'kubernetes.io/dockerconfigjson','data':{'.dockerconfigjson':''}}",
	 "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": unexpected end "
	 "of "
	 "JSON input"},
	{&secret, "{" META ",'type':'kubernetes.io/dockercfg','data':{'.dockercfg':'eA=='}}",
	 "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": invalid character 'x' "
	 "looking for beginning of value"},
	{&secret, "{" META ",'type':'kubernetes.io/dockercfg','data':{'.dockercfg':'MQ=='}}",
	 "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": json: cannot unmarshal "
	 "number into Go value of type map[string]interface {}"},
	{&secret, "{" META ",'type':'kubernetes.io/dockercfg'}",
	 "data[.dockercfg]: Required value"},
	{&secret, "{" META ",'type':'kubernetes.io/dockercfg','data':{'.dockercfg':'e30='}}", ""},
	{&event,
	 "{" META ",'involvedObject':{'namespace':'n'},'eventTime':"
	 "'2024-01-01T00:00:00.000000Z'}",
	 "reportingComponent: Required value\n"
	 "reportingComponent: Invalid value: \"\": name part must be non-empty\n"
	 "reportingComponent: Invalid value: \"\": name part must consist of alphanumeric "
	 "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
	 "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
	 "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\n"
	 "reportingInstance: Required value\naction: Required value\nreason: Required value"},
	{&event, "{'metadata':{'name':'a','namespace':'default'}}", ""},
	{&events_event,
	 "{" META ",'regarding':{'namespace':'n'},'type':'Odd','deprecatedCount':3,"
	 "'eventTime':'2024-01-01T00:00:00.000000Z','reportingController':'a/b','reportingInstance'"
	 ":'i','action':'x','reason':'r','series':{'count':1}}",
	 "series.count: Invalid value: \"\": should be at least 2\n"
	 "series.lastObservedTime: Required value\n"
	 "type: Invalid value: \"\": has invalid value: Odd\n"
	 "count: Invalid value: \"\": needs to be unset"},
	{&priorityclass, "{'metadata':{'name':'system-node-critical'},'value':5}",
	 "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for "
	 "system "
	 "use only. error: value of system-node-critical PriorityClass must be 2000001000"},
	{&lease, "{" META ",'spec':{'preferredHolder':'x','strategy':'Odd'}}",
	 "spec.strategy: Unsupported value: \"Odd\": supported values: \"OldestEmulationVersion\""},
	{&lease, "{" META ",'spec':{'preferredHolder':'x'}}",
	 "spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined"},
	{&pdb, "{" META ",'spec':{'minAvailable':'50%','selector':{}}}", ""},
	{&quota, "{" META ",'spec':{'hard':{'storage':'1','x':'1','pods':'1.5'}}}",
	 "spec.hard[storage]: Invalid value: \"storage\": must be a standard resource for quota\n"
	 "spec.hard[x]: Invalid value: \"x\": must be a standard resource type or fully qualified\n"
	 "spec.hard[x]: Invalid value: \"x\": must be a standard resource for quota\n"
	 "spec.hard[pods]: Invalid value: \"1500m\": must be an integer"},
	{&quota,
	 "{" META ",'spec':{'hard':{'cpu':'1'},'scopes':['BestEffort','NotBestEffort','X']}}",
	 "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\",\"X\"]: unsupported scope "
	 "applied to resource\n"
	 "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\",\"X\"]: unsupported scope\n"
	 "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\",\"X\"]: conflicting "
	 "scopes"},
	{&quota,
	 "{" META ",'spec':{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass',"
	 "'operator':'In'},{'scopeName':'Terminating','operator':'DoesNotExist'}]}}}",
	 "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value "
	 "when "
	 "`operator` is 'In' or 'NotIn' for scope selector\n"
	 "spec.scopeSelector.matchExpressions.operator: Invalid value: \"DoesNotExist\": must be "
	 "'Exists' when scope is any of ResourceQuotaScopeTerminating, "
	 "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
	 "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"},
	{&limitrange,
	 "{" META ",'spec':{'limits':[{'type':'Container','min':{'cpu':'2'},'max':{'cpu':'1'}}]}}",
	 "spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1\n"
	 "spec.limits[0].defaultRequest[cpu]: Invalid value: \"1\": min value 2 is greater than "
	 "default "
	 "request value 1\n"
	 "spec.limits[0].default[cpu]: Invalid value: \"2\": min value 2 is greater than default "
	 "value "
	 "1"},
	{&limitrange,
	 "{" META ",'spec':{'limits':[{'type':'Odd'},{'type':'PersistentVolumeClaim'},"
	 "{'type':'Pod','default':{'cpu':'1'}},{'type':'Pod'}]}}",
	 "spec.limits[0].type: Invalid value: \"Odd\": must be a standard limit type or fully "
	 "qualified\n"
	 "spec.limits[1].limits: Required value: either minimum or maximum storage value is "
	 "required, "
	 "but neither was provided\n"
	 "spec.limits[2].default: Forbidden: may not be specified when `type` is 'Pod'\n"
	 "spec.limits[3].type: Duplicate value: \"Pod\""},
	{&limitrange,
	 "{" META ",'spec':{'limits':[{'type':'Container','max':{'x.y/gpu':'4'},"
	 "'default':{'x.y/gpu':'2'},'defaultRequest':{'x.y/gpu':'1'},"
	 "'maxLimitRequestRatio':{'cpu':'500m'}}]}}",
	 "spec.limits[0].defaultRequest[x.y/gpu]: Invalid value: \"1\": default value 2 must equal "
	 "to "
	 "defaultRequest value 1 in x.y/gpu\n"
	 "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less "
	 "than "
	 "1"},
	{&pvc,
	 "{" META ",'spec':{'accessModes':['ReadWriteOncePod','ReadWriteOnce'],'resources':"
	 "{'requests':{'storage':'1'}},'dataSource':{'kind':'X','name':'y'}}}",
	 "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes\n"
	 "spec.dataSource: Invalid value: \"X\": must be 'PersistentVolumeClaim' when referencing "
	 "the "
	 "default apiGroup"},
	{&pv, "{" CLUSTER "}",
	 "spec.accessModes: Required value\nspec.capacity: Required value\n"
	 "spec.capacity: Unsupported value: null: supported values: \"storage\"\n"
	 "spec: Required value: must specify a volume type"},
	{&pv,
	 "{" CLUSTER ",'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},"
	 "'local':{'path':'/a/../b'},'nfs':{'server':'s','path':'x'}}}",
	 "spec.nfs.path: Invalid value: \"x\": must be an absolute path\n"
	 "spec.local: Forbidden: may not specify more than 1 volume type"},
	{&pv,
	 "{" CLUSTER ",'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},"
	 "'local':{'path':'/a/../b'}}}",
	 "spec.local.path: Invalid value: \"/a/../b\": must not contain '..'\n"
	 "spec.nodeAffinity: Required value: Local volume requires node affinity"},
	{&pv,
	 "{" CLUSTER ",'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},"
	 "'persistentVolumeReclaimPolicy':'Odd','csi':{'driver':'d'}}}",
	 "spec.persistentVolumeReclaimPolicy: Unsupported value: \"Odd\": supported values: "
	 "\"Delete\", \"Recycle\", \"Retain\"\nspec.csi.volumeHandle: Required value"},
	{&storageclass, "{" CLUSTER "}", "provisioner: Required value"},
	{&storageclass, "{" CLUSTER ",'provisioner':'a/b','volumeBindingMode':'Odd'}",
	 "volumeBindingMode: Unsupported value: \"Odd\": supported values: \"Immediate\", "
	 "\"WaitForFirstConsumer\""},
	{&csinode, "{" CLUSTER ",'spec':{'drivers':[{'name':'d','nodeID':'n'},{'name':'d'}]}}",
	 "spec.drivers[1].nodeID: Required value\nspec.drivers[1].name: Duplicate value: \"d\""},
	{&service, "{" META ",'spec':{'ports':[{'port':80}]}}", ""},
	{&service,
	 "{" META ",'spec':{'type':'LoadBalancer','ports':[{'port':80}],"
	 "'externalTrafficPolicy':'Local'}}",
	 "spec.healthCheckNodePort: Required value"},
	{&service,
	 "{" META ",'spec':{'ports':[{'port':80}],'externalIPs':['127.0.0.1','x'],"
	 "'loadBalancerClass':'a','loadBalancerSourceRanges':['x']}}",
	 "spec.externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range "
	 "(127.0.0.0/8, ::1/128)\n"
	 "spec.externalIPs[1]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or "
	 "2001:db8::ffff)\n"
	 "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is "
	 "'LoadBalancer'\n"
	 "spec.LoadBalancerSourceRanges[0]: Invalid value: \"x\": must be a valid CIDR value, "
	 "(e.g. "
	 "10.9.8.0/24 or 2001:db8::/64)\n"
	 "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"},
	{&service,
	 "{" META ",'spec':{'ports':[{'port':80}],'sessionAffinity':'ClientIP',"
	 "'sessionAffinityConfig':{'clientIP':{'timeoutSeconds':0}}}}",
	 "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater "
	 "than 0 "
	 "and less than 86400"},
	{&endpoints,
	 "{" META ",'subsets':[{},{'addresses':[{'ip':'169.254.1.1'}],'ports':[{'port':1},"
	 "{'port':0,'name':'b'}]}]}",
	 "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`\n"
	 "subsets[1].addresses[0].ip: Invalid value: \"169.254.1.1\": may not be in the link-local "
	 "range (169.254.0.0/16, fe80::/10)\n"
	 "subsets[1].ports[0].name: Required value\n"
	 "subsets[1].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive"},
	{&endpoint_slice,
	 "{" META ",'addressType':'IPv4','endpoints':[{'addresses':[]}],"
	 "'ports':[{'name':'a'},{'name':'a'}]}",
	 "endpoints[0].addresses: Required value: must contain at least 1 address\n"
	 "ports[1].name: Duplicate value: \"a\""},
	{&role, "{" META ",'rules':[{},{'verbs':['get'],'nonResourceURLs':['/x']}]}",
	 "rules[0].verbs: Required value: verbs must contain at least one value\n"
	 "rules[0].apiGroups: Required value: resource rules must supply at least one api group\n"
	 "rules[0].resources: Required value: resource rules must supply at least one resource\n"
	 "rules[1].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to "
	 "non-resource URLs"},
	{&clusterrole, "{" CLUSTER ",'aggregationRule':{}}",
	 "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector "
	 "required if aggregationRule is non-nil"},
	{&rolebinding, "{" META ",'roleRef':{'kind':'Odd'},'subjects':[{'kind':'User'}]}",
	 "roleRef.kind: Unsupported value: \"Odd\": supported values: \"Role\", \"ClusterRole\"\n"
	 "roleRef.name: Required value\nsubjects[0].name: Required value"},
	{&clusterrolebinding,
	 "{" CLUSTER ",'roleRef':{'kind':'ClusterRole','name':'r'},'subjects':[{'kind':"
	 "'ServiceAccount','name':'s'}]}",
	 "subjects[0].namespace: Required value"},
	{&runtimeclass, "{" CLUSTER ",'handler':'x','overhead':{'podFixed':{'cpu':'-1'}}}",
	 "overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"},
	{&csidriver,
	 "{" CLUSTER ",'spec':{'volumeLifecycleModes':['Odd'],'fsGroupPolicy':'Odd',"
	 "'nodeAllocatableUpdatePeriodSeconds':1,'tokenRequests':[{'audience':'a',"
	 "'expirationSeconds':1},{'audience':'a'}]}}",
	 "spec.fsGroupPolicy: Unsupported value: \"Odd\": supported values: \"File\", \"None\", "
	 "\"ReadWriteOnceWithFSType\"\n"
	 "spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration "
	 "less "
	 "than 10 minutes\n"
	 "spec.tokenRequests[1].audience: Duplicate value: \"a\"\n"
	 "spec.volumeLifecycleModes: Unsupported value: \"Odd\": supported values: \"Persistent\", "
	 "\"Ephemeral\"\n"
	 "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 1: must be greater than or equal "
	 "to 10 seconds"},
	{&volumeattachment,
	 "{" CLUSTER ",'spec':{'attacher':'a.b','nodeName':'n','source':{}},'status':{'attached':"
	 "false,'attachError':{'errorCode':-1}}}",
	 "spec.source: Required value: must specify exactly one of inlineVolumeSpec and "
	 "persistentVolumeName\n"
	 "status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, "
	 "inclusive"},
	{&csistoragecapacity, "{" META ",'storageClassName':'A','capacity':'-1'}",
	 "storageClassName: Invalid value: \"A\": " SUBDOMAIN "\n"
	 "capacity: Invalid value: \"-1\": must be greater than or equal to 0"},
	{&ingress, "{" META ",'spec':{}}",
	 "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"},
	{&ingress,
	 "{" META ",'spec':{'defaultBackend':{'service':{'name':'s','port':{'number':70000}}},"
	 "'rules':[{'host':'1.2.3.4'},{'host':'*.x.*','http':{'paths':[]}},{'http':{'paths':[{"
	 "'path':'x//y','pathType':'Exact','backend':{}},{'path':'/..','pathType':'Prefix',"
	 "'backend':{'service':{'name':'','port':{}},'resource':{'kind':'K','name':'n'}}},{"
	 "'backend':{}},{'pathType':'Odd','backend':{'service':{'name':'s','port':{'name':'p',"
	 "'number':1}}}}]}}],'tls':[{'hosts':['A'],'secretName':'B'}]}}",
	 "spec.defaultBackend.service.port.number: Invalid value: 70000: must be between 1 and "
	 "65535, inclusive\n"
	 "spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address\n"
	 "spec.rules[1].host: Invalid value: \"*.x.*\": a wildcard DNS-1123 subdomain must start "
	 "with '*.', followed by a valid DNS subdomain, which must consist of lower case "
	 "alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. "
	 "'*.example.com', regex used for validation is "
	 "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n"
	 "spec.rules[1].http.paths: Required value\n"
	 "spec.rules[2].http.paths[0].path: Invalid value: \"x//y\": must be an absolute path\n"
	 "spec.rules[2].http.paths[0].path: Invalid value: \"x//y\": must not contain '//'\n"
	 "spec.rules[2].http.paths[0].backend: Invalid value: \"\": resource or service backend is "
	 "required\n"
	 "spec.rules[2].http.paths[1].path: Invalid value: \"/..\": cannot end with '/..'\n"
	 "spec.rules[2].http.paths[1].backend: Invalid value: \"\": cannot set both resource and "
	 "service backends\n"
	 "spec.rules[2].http.paths[2].pathType: Required value: pathType must be specified\n"
	 "spec.rules[2].http.paths[3].pathType: Unsupported value: \"Odd\": supported values: "
	 "\"Exact\", \"ImplementationSpecific\", \"Prefix\"\n"
	 "spec.rules[2].http.paths[3].backend: Invalid value: \"\": cannot set both port name & "
	 "port number\n"
	 "spec.tls[0].hosts[0]: Invalid value: \"A\": " SUBDOMAIN "\n"
	 "spec.tls[0].secretName: Invalid value: \"B\": " SUBDOMAIN},
	{&ingressclass,
	 "{" CLUSTER ",'spec':{'controller':'x','parameters':{'kind':'','name':'n','scope':"
	 "'Namespace'}}}",
	 "spec.controller: Invalid value: \"x\": must be a domain-prefixed path (such as "
	 "\"acme.io/foo\")\n"
	 "spec.parameters.kind: Required value\n"
	 "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"},
	{&ingressclass,
	 "{" CLUSTER ",'spec':{'controller':'a.b/c','parameters':{'kind':'K','name':'n','scope':"
	 "'Cluster','namespace':'x'}}}",
	 "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"},
	{&deployment, "{" META ",'spec':{" CHOOSE "," POD "}}", ""},
	{&deployment, "{" META ",'spec':{'selector':{'matchLabels':{'a':'c'}}," POD "}}",
	 "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match "
	 "template `labels`"},
	{&deployment,
	 "{" META ",'spec':{'replicas':-1,'selector':{}," POD ",'strategy':{'rollingUpdate':{"
	 "'maxUnavailable':0,'maxSurge':'0%'}},'progressDeadlineSeconds':0}}",
	 "spec.replicas: Invalid value: -1: must be greater than or equal to 0\n"
	 "spec.selector: Invalid value: {}: empty selector is invalid for deployment\n"
	 "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when "
	 "`maxSurge` "
	 "is 0\n"
	 "spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds"},
	{&deployment, "{" META ",'spec':{" POD ",'strategy':{'type':'Odd'}}}",
	 "spec.selector: Required value\n"
	 "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match "
	 "template `labels`\n"
	 "spec.strategy: Unsupported value: {\"Type\":\"Odd\",\"RollingUpdate\":null}: supported "
	 "values: \"Recreate\", \"RollingUpdate\""},
	{&replicaset, "{" META ",'spec':{'minReadySeconds':-1," CHOOSE "," POD "}}",
	 "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"},
	{&statefulset,
	 "{" META ",'spec':{'podManagementPolicy':'Odd','serviceName':'A'," CHOOSE "," POD
	 ",'updateStrategy':{'type':'OnDelete','rollingUpdate':{}}}}",
	 "spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'\n"
	 "spec.updateStrategy.rollingUpdate: Invalid value: {\"Partition\":0,"
	 "\"MaxUnavailable\":null}: only allowed for updateStrategy 'RollingUpdate'\n"
	 "spec.serviceName: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower "
	 "case alphanumeric characters or '-', and must start and end with an alphanumeric "
	 "character "
	 "(e.g. 'my-name',  or '123-abc', regex used for validation is "
	 "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"},
	{&statefulset,
	 "{" META ",'spec':{" CHOOSE ",'template':{'metadata':{'labels':{'a':'b'}},'spec':{"
	 "'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'data','mountPath':'/"
	 "d'}]}]}},"
	 "'volumeClaimTemplates':[{'metadata':{'name':'data'},'spec':{'accessModes':"
	 "['ReadWriteOnce'],'resources':{'requests':{'storage':'1'}}}}]}}",
	 ""},
	{&daemonset,
	 "{" META ",'spec':{" CHOOSE "," POD ",'updateStrategy':{'rollingUpdate':{"
	 "'maxUnavailable':1,'maxSurge':1}}}}",
	 "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when "
	 "maxUnavailable is non-zero"},
	{&replicationcontroller, "{" META ",'spec':{" POD "}}", ""},
	{&replicationcontroller, "{" META ",'spec':{}}",
	 "spec.selector: Required value\nspec.template: Required value"},
	{&deployment,
	 "{" META ",'spec':{'selector':{'matchExpressions':[{'key':'a','operator':'Odd'}]}," POD
	 "}}",
	 "spec.selector.matchExpressions[0].operator: Invalid value: \"Odd\": not a valid selector "
	 "operator\n"
	 "spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":"
	 "\"Odd\"}]}: invalid label selector"},
	{&daemonset, "{" META ",'spec':{" POD "}}",
	 "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match "
	 "template `labels`"},
	{&statefulset,
	 "{" META ",'spec':{" CHOOSE "," POD ",'updateStrategy':{'type':'Odd'},"
	 "'volumeClaimTemplates':[{'metadata':{'name':'d'},'spec':{'accessModes':['Odd']}}]}}",
	 "spec.updateStrategy: Invalid value: {\"Type\":\"Odd\",\"RollingUpdate\":null}: must be "
	 "'RollingUpdate' or 'OnDelete'\n"
	 "spec.volumeClaimTemplates[0].spec.accessModes: Unsupported value: \"Odd\": supported "
	 "values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"\n"
	 "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value"},
	{&controllerrevision, "{" META ",'data':[1],'revision':-1}",
	 "revision: Invalid value: -1: must be greater than or equal to 0\n"
	 "data: Required value: data must be a valid JSON object"},
	{&batch_job, "{" META ",'spec':{'manualSelector':true," CHOOSE "," POD "}}",
	 "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
	 "\"Never\""},
	{&batch_job, JOB("'selector':{'matchLabels':{'x':'y'}}"),
	 "spec.selector: Invalid value: {\"matchLabels\":{\"x\":\"y\"}}: `selector` not "
	 "auto-generated\n"
	 "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match "
	 "template `labels`"},
	{&batch_job,
	 JOB("'manualSelector':true," CHOOSE ",'podFailurePolicy':{'rules':[{'action':'Odd'},"
	     "{'action':'FailIndex','onExitCodes':{'operator':'In','values':[0,1]}},"
	     "{'action':'Count','onExitCodes':{'containerName':'x','operator':'NotIn',"
	     "'values':[3,2,2]},'onPodConditions':[{'type':'T'}]}]}"),
	 "spec.podFailurePolicy.rules[0].action: Unsupported value: \"Odd\": supported values: "
	 "\"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"\n"
	 "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and "
	 "OnPodConditions is required\n"
	 "spec.podFailurePolicy.rules[1].action: Invalid value: \"FailIndex\": requires the "
	 "backoffLimitPerIndex to be set\n"
	 "spec.podFailurePolicy.rules[1].onExitCodes.values[0]: Invalid value: 0: must not be 0 "
	 "for "
	 "the In operator\n"
	 "spec.podFailurePolicy.rules[2].onExitCodes.containerName: Invalid value: \"x\": must be "
	 "one of the container or initContainer names in the pod template\n"
	 "spec.podFailurePolicy.rules[2].onExitCodes.values[2]: Duplicate value: 2\n"
	 "spec.podFailurePolicy.rules[2].onExitCodes.values: Invalid value: [3,2,2]: must be "
	 "ordered\n"
	 "spec.podFailurePolicy.rules[2]: Invalid value: specifying both OnExitCodes and "
	 "OnPodConditions is not supported"},
	{&batch_job,
	 JOB("'manualSelector':true," CHOOSE ",'completions':3,'completionMode':'Indexed',"
	     "'podReplacementPolicy':'Odd','managedBy':'odd','successPolicy':{'rules':[{},"
	     "{'succeededIndexes':'0-1,x'},{'succeededIndexes':'2,1-'},{'succeededIndexes':"
	     "'0-1-2'},{'succeededIndexes':'0,1','succeededCount':9}]}"),
	 "spec.managedBy: Invalid value: \"odd\": must be a domain-prefixed path (such as "
	 "\"acme.io/foo\")\n"
	 "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or "
	 "succeededIndexes must be specified\n"
	 "spec.successPolicy.rules[1].succeededIndexes: Invalid value: \"0-1,x\": error parsing "
	 "succeededIndexes: cannot convert string to integer for index: \"x\"\n"
	 "spec.successPolicy.rules[2].succeededIndexes: Invalid value: \"2,1-\": error parsing "
	 "succeededIndexes: cannot convert string to integer for index: \"\"\n"
	 "spec.successPolicy.rules[3].succeededIndexes: Invalid value: \"0-1-2\": error parsing "
	 "succeededIndexes: the fragment \"0-1-2\" violates the requirement that an index interval "
	 "can have at most two parts separated by '-'\n"
	 "spec.successPolicy.rules[4].succeededCount: Invalid value: 9: must be less than or equal "
	 "to 3 (the number of specified completions)\n"
	 "spec.successPolicy.rules[4].succeededCount: Invalid value: 9: must be less than or equal "
	 "to 2 (the number of indexes in the specified succeededIndexes field)\n"
	 "spec.podReplacementPolicy: Unsupported value: \"Odd\": supported values: \"Failed\", "
	 "\"TerminatingOrFailed\""},
	{&batch_job,
	 JOB("'manualSelector':true," CHOOSE ",'completionMode':'Indexed','completions':200000,"
	     "'parallelism':200000,'backoffLimitPerIndex':1"),
	 "spec.parallelism: Invalid value: 200000: must be less than or equal to 100000 when "
	 "completion mode is Indexed\n"
	 "spec.maxFailedIndexes: Required value: must be specified when completions is above "
	 "100000\n"
	 "spec.parallelism: Invalid value: 200000: must be less than or equal to 10000 when "
	 "completions are above 100000 and used with backoff limit per index"},
	{&batch_job,
	 "{" META ",'spec':{'backoffLimit':-1,'maxFailedIndexes':1,'template':{'spec':{"
	 "'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}",
	 "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0\n"
	 "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified\n"
	 "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode\n"
	 "spec.selector: Required value"},
	{&batch_cron_job,
	 "{" META
	 ",'spec':{'schedule':'TZ=UTC 5 4 * * *','timeZone':'a/../b','jobTemplate':{'spec':{"
	 "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}}"
	 "}",
	 "spec.schedule: Invalid value: \"TZ=UTC 5 4 * * *\": cannot use TZ or CRON_TZ in "
	 "schedule, use "
	 "timeZone field instead\n"
	 "spec.timeZone: Invalid value: \"a/../b\": unknown time zone a/../b"},
	{&batch_cron_job,
	 "{" META ",'spec':{'schedule':'@never','timeZone':'local','jobTemplate':{'spec':{"
	 "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}}"
	 "}",
	 "spec.schedule: Invalid value: \"@never\": unrecognized descriptor: @never\n"
	 "spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time zone as "
	 "defined in "
	 "https://www.iana.org/time-zones"},
	{&batch_cron_job,
	 "{" META ",'spec':{'concurrencyPolicy':'Odd','jobTemplate':{'spec':{"
	 "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c',"
	 "'image':'i'}]}}}}}}",
	 "spec.schedule: Required value\n"
	 "spec.concurrencyPolicy: Unsupported value: \"Odd\": supported values: \"Allow\", "
	 "\"Forbid\", \"Replace\""},
};

static void test_create(void)
{
	for (size_t i = 0; i < ARRAY_LEN(created); i++) {
		const struct kind *kind = created[i].kind;
		AUTO(json_doc_unref) struct json_doc *doc = parse(created[i].object, kind->type);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		if (kind->create)
			kind->create(json_doc_root(doc), &causes);
		else
			type_validate(kind->type, json_doc_root(doc), &causes);
		compare(&causes, created[i].want);
	}
}

int main(void)
{
	test_create();
	return tap_done();
}
