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

/* How to call them: model/rules/rules.h. */
void deployment_validate_create(struct json deployment, struct causes *causes);
void deployment_validate_update(struct json deployment, struct json old, struct causes *causes);
void replicaset_validate_create(struct json set, struct causes *causes);
void replicaset_validate_update(struct json set, struct json old, struct causes *causes);
void statefulset_validate_create(struct json set, struct causes *causes);
void statefulset_validate_update(struct json set, struct json old, struct causes *causes);
void daemonset_validate_create(struct json set, struct causes *causes);
void daemonset_validate_update(struct json set, struct json old, struct causes *causes);
/* Of replication controllers, too: replicaset_validate_status(). */
void deployment_validate_status(struct json deployment, struct json old, struct causes *causes);
void replicaset_validate_status(struct json set, struct json old, struct causes *causes);
void statefulset_validate_status(struct json set, struct json old, struct causes *causes);
void daemonset_validate_status(struct json set, struct json old, struct causes *causes);
void replicationcontroller_validate_create(struct json controller, struct causes *causes);
void replicationcontroller_validate_update(struct json controller, struct json old,
					   struct causes *causes);

#endif
