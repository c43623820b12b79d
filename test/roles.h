/* SPDX-License-Identifier: Apache-2.0 */
/* roles.h - the permissions that Volcano 1.15 gives to its scheduler and its controllers, and a gate (gate.h) that
 * denies everything else as kube-apiserver does. */
#ifndef ROLES_H
#define ROLES_H

#include <stdio.h>

#include "client/client.h"
#include "client/refusals.h"
#include "gate.h"

struct role_rule {
	const char *group;
	const char *resources; /* words */
	const char *verbs;
};

#define SCHEDULING "scheduling.volcano.sh"
#define READ "get list watch"

static const struct role_rule role_scheduler[] __attribute__((unused)) = {
	{"batch.volcano.sh", "jobs", "get list watch update delete"},
	{"batch.volcano.sh", "jobs/status", "update patch"},
	{"", "events", "create list watch update patch"},
	{"", "pods", "get list watch patch delete"},
	{"", "pods/status", "update"},
	{"", "pods/binding", "create"},
	{"", "persistentvolumeclaims persistentvolumes", "list watch update"},
	{"", "namespaces services replicationcontrollers", READ},
	{"", "resourcequotas", "list watch"},
	{"", "nodes", "get list watch update patch"},
	{"storage.k8s.io",
	 "storageclasses csinodes csidrivers csistoragecapacities volumeattachments", "list watch"},
	{"policy", "poddisruptionbudgets", "list watch"},
	{"scheduling.k8s.io", "priorityclasses", READ},
	{SCHEDULING, "queues", "get list watch create delete update"},
	{SCHEDULING, "queues/status", "update"},
	{SCHEDULING, "podgroups", "list watch update"},
	{"nodeinfo.volcano.sh", "numatopologies", "get list watch delete"},
	{"topology.volcano.sh", "hypernodes hypernodes/status", READ},
	{"", "configmaps", "get list watch create delete update"},
	{"apps", "daemonsets replicasets statefulsets", READ},
	{"coordination.k8s.io", "leases", "get create update watch"},
	{"resource.k8s.io", "resourceclaims", "get list watch create update patch"},
	{"resource.k8s.io", "resourceclaims/status", "update"},
	{"resource.k8s.io", "deviceclasses resourceslices", "get list watch create"},
	{"resource.k8s.io", "devicetaintrules", READ},
	{"shard.volcano.sh", "nodeshards", READ},
	{"shard.volcano.sh", "nodeshards/status", "update"},
	{NULL, NULL, NULL},
};

static const struct role_rule role_controllers[] __attribute__((unused)) = {
	{"batch.volcano.sh", "jobs cronjobs", "create get list watch update delete"},
	{"batch.volcano.sh", "jobs/status jobs/finalizers cronjobs/status cronjobs/finalizers",
	 "update patch"},
	{"bus.volcano.sh", "commands", "get list watch delete"},
	{"", "events", "create list watch update patch"},
	{"", "pods", "create get list watch delete patch update"},
	{"", "pods/finalizers", "update patch"},
	{"", "persistentvolumeclaims", "get list watch create"},
	{"", "services", "get list watch create delete"},
	{"", "configmaps", "get list watch create delete update"},
	{"", "secrets", "get create delete update"},
	{SCHEDULING, "podgroups queues queues/status", "get list watch create delete update patch"},
	{"flow.volcano.sh", "jobflows jobtemplates", "get list watch create delete update"},
	{"flow.volcano.sh", "jobflows/status jobtemplates/status jobtemplates/finalizers",
	 "update patch"},
	{"scheduling.k8s.io", "priorityclasses", "get list watch create delete"},
	{"networking.k8s.io", "networkpolicies", "get create delete"},
	{"apps", "daemonsets", "get"},
	{"apps", "replicasets statefulsets", READ},
	{"batch", "jobs", "get"},
	{"coordination.k8s.io", "leases", "get create update watch"},
	{"topology.volcano.sh", "hypernodes hypernodes/status",
	 "list watch get create delete update patch"},
	{"", "nodes", "list watch"},
	{"shard.volcano.sh", "nodeshards nodeshards/status",
	 "list watch get create delete update patch"},
	{"config.volcano.sh", "colocationconfigurations", READ},
	{NULL, NULL, NULL},
};

/* A user with a role, less what a test takes away. */
struct role {
	const char *user;
	const struct role_rule *rules;
	const char *revoked; /* "list pods"; NULL: nothing */
	uint64_t denied;     /* so far */
	uint64_t asked;
};

static inline bool role_has_word(const char *words, struct str word)
{
	struct str rest = str_from(words);
	struct str one;

	while (str_split(&rest, ' ', &one))
		if (str_eq(one, word))
			return true;
	return false;
}

static inline bool role_permits(const struct role *role, const struct client_ask *ask,
				struct str resource)
{
	char asked[200];

	snprintf(asked, sizeof(asked), "%s %.*s", refusals_verb(ask->verb), STR_ARG(resource));
	if (role->revoked && str_is(str_from(asked), role->revoked))
		return false;
	for (const struct role_rule *rule = role->rules; rule->group; rule++)
		if (str_is(ask->resource->group, rule->group) &&
		    role_has_word(rule->resources, resource) &&
		    role_has_word(rule->verbs, str_from(refusals_verb(ask->verb))))
			return true;
	return false;
}

/* A gate_fn; `arg` is the role. */
__attribute__((unused)) static bool role_gate(void *arg, const struct client_ask *ask,
					      struct transport_answer *ret)
{
	struct role *role = arg;
	bool names = ask->verb != CLIENT_CREATE || ask->sub.len > 0;
	char resource[100], scope[100] = "at the cluster scope", name[300] = "";

	role->asked++;
	if (!ask->resource)
		return false;
	snprintf(resource, sizeof(resource), "%.*s%s%.*s", STR_ARG(ask->resource->plural),
		 ask->sub.len ? "/" : "", STR_ARG(ask->sub));
	if (role_permits(role, ask, str_from(resource)))
		return false;
	if (ask->namespace.len)
		snprintf(scope, sizeof(scope), "in the namespace \"%.*s\"",
			 STR_ARG(ask->namespace));
	if (names && ask->name.len)
		snprintf(name, sizeof(name), " \"%.*s\"", STR_ARG(ask->name));
	role->denied++;
	ret->code = 403;
	(void)err_set(&ret->err, ERR_FORBIDDEN,
		      "%.*s%s%.*s%s is forbidden: User \"%s\" cannot %s resource \"%s\" in API "
		      "group \"%.*s\" %s",
		      STR_ARG(ask->resource->plural), ask->resource->group.len ? "." : "",
		      STR_ARG(ask->resource->group), name, role->user, refusals_verb(ask->verb),
		      resource, STR_ARG(ask->resource->group), scope);
	return true;
}

#endif
