/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/networktopology.c - the table of NetworkTopologySpec. Admission checks that a tier is
 * given by number or by name, but not by both. */
#include "model/volcano/networktopology.h"

#include <assert.h>

#include "base/banned.h"

static const char *const mode_names[] = {"", "hard", "soft"};
static_assert(ARRAY_LEN(mode_names) == NETWORK_TOPOLOGY_MODE_COUNT, "name every mode");

#define VIEW struct network_topology
static const struct field network_topology_fields[] = {
	{"mode", F_ENUM(mode_names), AT(mode), F_DEFAULT("hard"),
	 F_DOC("whether the constraint must hold or is only preferred")},
	{"highestTierAllowed", F_INT64, AT(highest_tier_allowed), F_POINTER, F_MIN(0),
	 F_DOC("the highest tier that a gang may cross")},
	{"highestTierName", F_STR, AT(highest_tier_name), F_MAX_LEN(253),
	 F_DOC("the same by the tier's name")},
};
#undef VIEW
const struct type network_topology_type = {
	TYPE("NetworkTopologySpec", "v1beta1", struct network_topology, network_topology_fields),
	.doc = "how far apart in the network the pods of a gang may be",
};
