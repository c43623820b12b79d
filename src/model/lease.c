/* SPDX-License-Identifier: Apache-2.0 */
/* model/lease.c - leases: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/lease.h"

#include "model/rules.h"

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
