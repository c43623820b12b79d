/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/networktopology.h - how far apart in the network the pods of a gang may be; part of Job and
 * PodGroup. */
#ifndef MODEL_NETWORKTOPOLOGY_H
#define MODEL_NETWORKTOPOLOGY_H

#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"

enum network_topology_mode {
	NETWORK_TOPOLOGY_NONE,
	NETWORK_TOPOLOGY_HARD,
	NETWORK_TOPOLOGY_SOFT,
	NETWORK_TOPOLOGY_MODE_COUNT
};

struct network_topology {
	enum network_topology_mode mode;
	struct opt_int64 highest_tier_allowed;
	struct str highest_tier_name; /* instead of the number */
};
extern const struct type network_topology_type;

#endif
