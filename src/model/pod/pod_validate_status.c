/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_validate_status.c - the rules of updates of a pod's status, which its node writes.
 */
#include "model/pod/pod_rules.h"
#include "model/pod/pod_status.h"
#include "model/pod/pod_validate.h"

#include "base/banned.h"

/* --- conditions ------------------------------------------------------------------------------ */

static void check_not_negative(const struct rule_at *at, const char *key)
{
	int64_t value = json_int(json_get(at->value, key));
	struct path path = path_member(at->path, str_from(key));

	if (value < 0)
		causes_invalid_int(at->causes, &path, value, "must be a non-negative integer");
}

static void check_conditions(struct json conditions, const struct path *path, struct causes *causes)
{
	const struct rule_texts own = RULE_TEXTS("PodScheduled", "Ready", "Initialized");
	struct json_iter it = json_iter(conditions);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct rule_at rule = rule_start(it.value, &at, causes);
		struct str type = rule_text(it.value, "type");
		PATH(type_path, &at, "Type");

		check_not_negative(&rule, "observedGeneration");
		if (!rule_texts_have(own, type))
			name_validate(NAME_QUALIFIED, type, &type_path, causes);
	}
}

/* --- states of containers -------------------------------------------------------------------- */

static struct json find_named(struct json list, struct str name)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(rule_text(it.value, "name"), name))
			return it.value;
	return JSON_NONE;
}

/* May a container that has ended with this code run again? */
static bool may_restart(struct json spec, struct str name, int64_t exit_code)
{
	struct str policy = rule_text(spec, "restartPolicy");
	struct json init = find_named(json_get(spec, "initContainers"), name);

	return str_is(policy, "Always") || (str_is(policy, "OnFailure") && exit_code != 0) ||
	       str_is(rule_text(init, "restartPolicy"), "Always");
}

struct list_rule {
	const char *key;
	bool restarts; /* may its containers run again at all? */
};

static void check_states(struct json status, struct json old, struct json spec,
			 const struct list_rule *list, struct causes *causes)
{
	struct json_iter it = json_iter(json_get(old, list->key));
	PATH(status_path, NULL, "status");
	struct path path = path_member(&status_path, str_from(list->key));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		struct json ended = json_get(json_get(it.value, "state"), "terminated");
		struct str name = rule_text(it.value, "name");
		struct json now = find_named(json_get(status, list->key), name);
		PATH(state, &at, "state");

		if (!json_is(ended, JSON_OBJ) || json_is_absent(now) ||
		    rule_has(json_get(now, "state"), "terminated") ||
		    (list->restarts &&
		     may_restart(spec, name, json_int(json_get(ended, "exitCode")))))
			continue;
		causes_forbidden(causes, &state, "may not be transitioned to non-terminated state");
	}
}

/* --- claims ---------------------------------------------------------------------------------- */

static void check_claims(struct json statuses, struct json claims, const struct path *path,
			 struct causes *causes)
{
	AUTO(name_set_done) struct name_set names = {0};
	struct json_iter it = json_iter(statuses);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str name = rule_text(it.value, "name");
		PATH(name_path, &at, "name");

		if (json_is_absent(find_named(claims, name)))
			causes_invalid_str(causes, &name_path, name,
					   "must match the name of an entry in "
					   "`spec.resourceClaims`");
		if (!name_set_add(&names, name))
			causes_duplicate_str(causes, &name_path, name);
		if (rule_has(it.value, "resourceClaimName"))
			name_validate(NAME_DNS_SUBDOMAIN, rule_text(it.value, "resourceClaimName"),
				      &name_path, causes);
	}
}

/* --- addresses ------------------------------------------------------------------------------- */

static bool has_ip(struct json list, struct str ip)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(rule_text(it.value, "ip"), ip))
			return true;
	return false;
}

static bool is_v6(struct str ip)
{
	return str_find_byte(ip, ':', 0) >= 0;
}

/* New addresses must be right, and at most one of each family. */
static void check_ips(struct json list, struct json old, const struct path *path,
		      struct causes *causes)
{
	struct json_iter it = json_iter(list);
	size_t count = json_len(list);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str ip = rule_text(it.value, "ip");

		if (!has_ip(old, ip))
			name_validate(NAME_IP, ip, &at, causes);
	}
	if (count > 2 || (count == 2 && is_v6(rule_text(json_at(list, 0), "ip")) ==
						is_v6(rule_text(json_at(list, 1), "ip"))))
		rule_invalid_go(&pod_ip_type, list, path, causes,
				"may specify no more than one IP for each IP family");
}

static void check_addresses(struct json status, struct json old, const struct path *path,
			    struct causes *causes)
{
	struct json hosts = json_get(status, "hostIPs");
	struct str first = rule_text(json_at(hosts, 0), "ip");
	PATH(pods_path, path, "podIPs");
	PATH(hosts_path, path, "hostIPs");
	struct path first_path = path_index(&hosts_path, 0);
	PATH(first_ip, &first_path, "ip");

	check_ips(json_get(status, "podIPs"), json_get(old, "podIPs"), &pods_path, causes);
	if (json_len(hosts) && !str_eq(first, rule_text(status, "hostIP")))
		causes_invalid_str(causes, &first_ip, first, "must be equal to `hostIP`");
	check_ips(hosts, json_get(old, "hostIPs"), &hosts_path, causes);
}

/* --- users ----------------------------------------------------------------------------------- */

static void check_user(struct json user, const struct path *path, struct causes *causes)
{
	struct rule_at at = rule_start(user, path, causes);
	struct json_iter it = json_iter(json_get(user, "supplementalGroups"));
	PATH(groups, path, "supplementalGroups");

	rule_id(&at, "uid");
	rule_id(&at, "gid");
	while (json_next(&it)) {
		struct path group = path_index(&groups, it.index);
		int64_t id = json_int(it.value);

		if (id < 0 || id > INT32_MAX)
			causes_invalid_int(causes, &group, id,
					   "must be between 0 and %d, inclusive", INT32_MAX);
	}
}

static void check_users(struct json statuses, bool windows, const struct path *path,
			struct causes *causes)
{
	struct json_iter it = json_iter(statuses);

	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct json user = json_get(json_get(it.value, "user"), "linux");
		PATH(user_path, &at, "user");
		PATH(linux_path, &user_path, "linux");

		if (!json_is(user, JSON_OBJ))
			continue;
		if (windows)
			causes_forbidden(causes, &linux_path, "cannot be set for a windows pod");
		else
			check_user(user, &linux_path, causes);
	}
}

/* --- the status ------------------------------------------------------------------------------ */

static void check_nominated(struct json status, struct json old, const struct path *path,
			    struct causes *causes)
{
	struct rule_at at = rule_start(status, path, causes);

	if (!str_eq(rule_text(status, "nominatedNodeName"), rule_text(old, "nominatedNodeName")))
		rule_name(&at, "nominatedNodeName", NAME_DNS_SUBDOMAIN);
}

void pod_validate_status(struct json pod, struct json old, struct causes *causes)
{
	static const struct list_rule lists[] = {
		{"containerStatuses", true},
		{"initContainerStatuses", true},
		{"ephemeralContainerStatuses", false},
	};
	struct json status = json_get(pod, "status");
	struct json old_status = json_get(old, "status");
	struct json spec = json_get(pod, "spec");
	struct json old_spec = json_get(old, "spec");
	bool windows = str_is(rule_text(json_get(spec, "os"), "name"), "windows");
	PATH(path, NULL, "status");
	PATH(conditions, &path, "conditions");
	PATH(node, &path, "nodeName");
	PATH(qos, &path, "qosClass");
	PATH(claims, &path, "resourceClaimStatuses");
	struct rule_at at = rule_start(status, &path, causes);

	check_conditions(json_get(status, "conditions"), &conditions, causes);
	if (!str_eq(rule_text(spec, "nodeName"), rule_text(old_spec, "nodeName")))
		causes_forbidden(causes, &node, "may not be changed directly");
	check_nominated(status, old_status, &path, causes);
	check_not_negative(&at, "observedGeneration");
	if (!str_eq(rule_text(status, "qosClass"), rule_text(old_status, "qosClass")))
		causes_invalid_str(causes, &qos, rule_text(status, "qosClass"),
				   "field is immutable");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		check_states(status, old_status, old_spec, &lists[i], causes);
	check_claims(json_get(status, "resourceClaimStatuses"), json_get(spec, "resourceClaims"),
		     &claims, causes);
	check_addresses(status, old_status, &path, causes);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct path list = path_member(&path, str_from(lists[i].key));

		check_users(json_get(status, lists[i].key), windows, &list, causes);
	}
}
