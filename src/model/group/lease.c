/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/lease.c - leases: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/group/lease.h"

#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

#define VIEW struct lease_spec
static const struct field lease_spec_fields[] = {
	{"holderIdentity", F_STR, AT(holder_identity), F_POINTER},
	{"leaseDurationSeconds", F_INT32, AT(lease_duration_seconds), F_POINTER},
	{"acquireTime", F_MICROTIME, AT(acquire_time)},
	{"renewTime", F_MICROTIME, AT(renew_time)},
	{"leaseTransitions", F_INT32, AT(lease_transitions), F_POINTER},
	{"strategy", F_STR, F_POINTER, F_GO("v1.CoordinatedLeaseStrategy")},
	{"preferredHolder", F_STR, F_POINTER},
};
#undef VIEW
const struct type lease_spec_type = {
	TYPE("LeaseSpec", "v1", struct lease_spec, lease_spec_fields),
	.group = "io.k8s.api.coordination",
	.as_go = true,
};

#define VIEW struct lease
static const struct field lease_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(lease_spec), AT(spec), F_DEFAULT("{}")},
};
#undef VIEW
const struct type lease_type = {
	TYPE("Lease", "v1", struct lease, lease_fields),
	.group = "io.k8s.api.coordination",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

/* A strategy has a name like a label's key; those without a domain are Kubernetes' own. */
static void validate_strategy(struct str strategy, const struct path *path, struct causes *causes)
{
	static const char *const known[] = {"OldestEmulationVersion"};

	if (str_find_byte(strategy, '/', 0) >= 0)
		name_validate(NAME_QUALIFIED, strategy, path, causes);
	else if (!str_is(strategy, known[0]))
		causes_not_supported(causes, path, strategy, known, ARRAY_LEN(known));
}

void lease_validate_create(struct json lease, struct causes *causes)
{
	struct json spec = json_get(lease, "spec");
	struct json duration = json_get(spec, "leaseDurationSeconds");
	struct json strategy = json_get(spec, "strategy");
	struct path path = path_member(NULL, STR("spec"));
	struct path duration_path = path_member(&path, STR("leaseDurationSeconds"));
	struct path transitions_path = path_member(&path, STR("leaseTransitions"));
	struct path strategy_path = path_member(&path, STR("strategy"));
	struct path holder_path = path_member(&path, STR("preferredHolder"));

	if (json_is(duration, JSON_INT) && json_int(duration) <= 0)
		causes_invalid(causes, &duration_path, duration, "must be greater than 0");
	rules_not_negative(json_get(spec, "leaseTransitions"), &transitions_path, causes);
	if (json_is(strategy, JSON_STR))
		validate_strategy(json_str(strategy), &strategy_path, causes);
	if (json_str(json_get(spec, "preferredHolder")).len && !json_str(strategy).len)
		causes_forbidden(causes, &holder_path,
				 "may only be specified if `strategy` is defined");
}

void lease_validate_update(struct json lease, struct json old, struct causes *causes)
{
	(void)old;
	lease_validate_create(lease, causes);
}
