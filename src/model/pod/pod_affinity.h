/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_affinity.h - affinity to other pods and topology spreading. Nodes are in
 * model/pod/affinity.h. */
#ifndef MODEL_POD_AFFINITY_H
#define MODEL_POD_AFFINITY_H

#include <stdint.h>

#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/affinity.h"
#include "model/value/labels.h"

struct pod_affinity_term {
	const struct label_selector *label_selector; /* NULL: no pods */
	struct strs namespaces;
	struct str topology_key;
	const struct label_selector *namespace_selector; /* NULL: none; empty: all namespaces */
	struct strs match_label_keys;
	struct strs mismatch_label_keys;
};
extern const struct type pod_affinity_term_type;

struct weighted_pod_term {
	int32_t weight;
	struct pod_affinity_term term;
};

/* Affinity and anti-affinity. */
struct pod_affinity {
	VIEW_LIST(struct pod_affinity_term) required;
	VIEW_LIST(struct weighted_pod_term) preferred;
};
extern const struct type pod_affinity_type;
extern const struct type pod_anti_affinity_type;

struct affinity {
	const struct node_affinity *node;
	const struct pod_affinity *pod;
	const struct pod_affinity *anti;
};
extern const struct type affinity_type;

enum unsatisfiable {
	UNSATISFIABLE_NONE,
	UNSATISFIABLE_DO_NOT_SCHEDULE,
	UNSATISFIABLE_SCHEDULE_ANYWAY,
	UNSATISFIABLE_COUNT
};
/* Whether nodes that the pod cannot run on count. */
enum inclusion { INCLUSION_DEFAULT, INCLUSION_HONOR, INCLUSION_IGNORE, INCLUSION_COUNT };

struct topology_spread {
	int32_t max_skew;
	struct str topology_key;
	enum unsatisfiable when_unsatisfiable;
	const struct label_selector *label_selector;
	struct opt_int32 min_domains;
	enum inclusion node_affinity_policy; /* default: honor */
	enum inclusion node_taints_policy;   /* default: ignore */
	struct strs match_label_keys;
};
extern const struct type topology_spread_type;

#endif
