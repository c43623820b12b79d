/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/lease.c - leases: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
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

/* A strategy has a name like a label's key; those without a domain are Kubernetes' own. */
static void check_strategy(const struct rule_at *at)
{
	static const char *const known[] = {"OldestEmulationVersion"};
	struct str strategy = json_str(at->value);

	if (str_find_byte(strategy, '/', 0) >= 0)
		name_validate(NAME_QUALIFIED, strategy, at->path, at->causes);
	else if (!str_is(strategy, known[0]))
		causes_not_supported(at->causes, at->path, strategy, known, ARRAY_LEN(known));
}

static const struct rule spec_rules[] = {
	{"leaseDurationSeconds", R_MIN(1), R_RANGE_AS("must be greater than 0")},
	{"leaseTransitions", R_MIN(0)},
	{"strategy", R_CHECK(check_strategy)},
	{"preferredHolder", R_IF("strategy", ""), R_FILLED,
	 R_FORBIDDEN("may only be specified if `strategy` is defined")},
};
static const struct rule lease_rules[] = {
	{"spec", R_OBJECT(spec_rules)},
};

/* Coordinated elections are off, as they are upstream by default: their fields are not stored. */
static void drop_field(struct json_doc *doc, struct json lease, struct json old, const char *name)
{
	struct json spec = json_get(lease, "spec");

	if (json_is(spec, JSON_OBJ) && json_is_absent(json_get(json_get(old, "spec"), name)))
		(void)json_remove(doc, spec, str_from(name));
}

void lease_prepare_update(struct json_doc *doc, struct json lease, struct json old)
{
	drop_field(doc, lease, old, "strategy");
	drop_field(doc, lease, old, "preferredHolder");
}

void lease_prepare_create(struct json_doc *doc, struct json lease)
{
	lease_prepare_update(doc, lease, JSON_NONE);
}

const struct type lease_type = {
	TYPE("Lease", "v1", struct lease, lease_fields),
	.group = "io.k8s.api.coordination",
	.as_go = true,
	TYPE_RULES(lease_rules),
	TYPE_UPDATE(lease_rules),
};
