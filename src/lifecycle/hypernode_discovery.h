/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/hypernode_discovery.h - HyperNodes that are found rather than written: by labels of nodes, or from the list of
 * ports of a UFM (system specification, 4.7).
 *
 * A source finds domains; discovery_plan() compares them with the HyperNodes that carry the source's label: creates those
 * that are missing, changes others, deletes the rest. What a source cannot answer, or answers with nothing, deletes
 * nothing: its HyperNodes get the condition DiscoveryStale.
 *
 * Names stay: a domain keeps the HyperNode that has its label, or one of its leaf switches. */
#ifndef LIFECYCLE_HYPERNODE_DISCOVERY_H
#define LIFECYCLE_HYPERNODE_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

#define DISCOVERY_SOURCE_LABEL "volcano.sh/network-topology-source"
#define DISCOVERY_LEAVES "volcano.sh/network-topology-leaves"
#define DISCOVERY_STALE "DiscoveryStale"

/* An entry of networkTopologyDiscovery. */
struct discovery_source {
	struct str name; /* "label", "ufm" */
	bool enabled;
	int64_t interval; /* microseconds */
	struct str secret_namespace;
	struct str secret_name;
	struct json config; /* lent by the document */
};
struct discovery_config {
	VEC(struct discovery_source) sources; /* their texts are the document's */
};
/* The content of volcano-controller.conf. ERR_INVALID names the field. */
int discovery_config_read(struct json root, struct discovery_config *ret,
			  struct err *err) MUST_CHECK;
void discovery_config_done(struct discovery_config *config);

struct found_domain {
	struct str name;
	int64_t tier;
	struct str tier_name;
	struct str label_key; /* of a source by labels */
	struct str label_value;
	struct str leaves; /* of UFM: leaf switches, separated by commas */
	bool of_nodes;     /* members are nodes; else other domains */
	VEC(struct str) members;
};
struct discovery {
	struct arena *arena; /* lent: texts are there */
	VEC(struct found_domain) domains;
	VEC(struct str) notes; /* what was odd, for the log */
};
void discovery_done(struct discovery *found);

/* What there is to find something among. */
struct discovery_world {
	const struct json *nodes;
	size_t node_count;
	const struct json *hypernodes; /* all that exist */
	size_t hypernode_count;
};

/* By labels: config.networkTopologyTypes. ERR_INVALID: two types use one label, or the shape is wrong. */
int discovery_by_labels(struct json config, const struct discovery_world *world,
			struct discovery *found, struct err *err) MUST_CHECK;
/* From the answer of a UFM to GET /ufmRest/resources/ports. ERR_INVALID: it is no list. */
int discovery_by_ufm(struct json ports, const struct discovery_world *world,
		     struct discovery *found, struct err *err) MUST_CHECK;

/* Make HyperNodes what was found; with nothing found, as discovery_stale(). */
void discovery_plan(struct str source, const struct discovery *found,
		    const struct discovery_world *world, int64_t now, struct plan *plan);
/* The source has not answered: its HyperNodes stay, and say so. */
void discovery_stale(struct str source, const char *why, const struct discovery_world *world,
		     int64_t now, struct plan *plan);

#endif
