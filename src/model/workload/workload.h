/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/workload.h - controllers of pods: apps/v1 and replication controllers. */
#ifndef MODEL_WORKLOAD_H
#define MODEL_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

struct deployment_spec {
	struct opt_int32 replicas;
	const struct label_selector *selector;
	bool paused;
};
extern const struct type deployment_spec_type;

struct deployment {
	struct meta meta;
	struct deployment_spec spec;
};
extern const struct type deployment_type;

struct replica_set_spec {
	struct opt_int32 replicas;
	const struct label_selector *selector;
};
extern const struct type replica_set_spec_type;

struct replicaset {
	struct meta meta;
	struct replica_set_spec spec;
};
extern const struct type replicaset_type;

struct stateful_set_spec {
	struct opt_int32 replicas;
	const struct label_selector *selector;
	struct str service_name;
};
extern const struct type stateful_set_spec_type;

struct statefulset {
	struct meta meta;
	struct stateful_set_spec spec;
};
extern const struct type statefulset_type;

struct daemon_set_spec {
	const struct label_selector *selector;
};
extern const struct type daemon_set_spec_type;

struct daemonset {
	struct meta meta;
	struct daemon_set_spec spec;
};
extern const struct type daemonset_type;

extern const struct type replicationcontroller_type;

/* In workload_validate.c, for the tables. */
extern const struct rules deployment_rules, deployment_update_rules, deployment_status_rules;
extern const struct rules replicaset_rules, replicaset_update_rules, replicaset_status_rules;
extern const struct rules statefulset_rules, statefulset_update_rules, statefulset_status_rules;
extern const struct rules daemonset_rules, daemonset_update_rules, daemonset_status_rules;
extern const struct rules replicationcontroller_rules;

#endif
