/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/hypernodes.h - the network as HyperNodes describe it: domains, each with a tier and its nodes.
 *
 * The whole cluster is a domain as well, one tier above all others, so that every node is in one. A domain's nodes are
 * those of its members, at any depth. A node may be in several domains of one tier; a HyperNode has one parent.
 *
 * Events only note what changed (a HyperNode, a node that came, went or has other labels); hypernodes_settle() tests
 * just these against patterns and selectors, and puts the tree together again. A session never sees it change.
 *
 * HyperNodes that contain each other, or one with two parents: then no place in the network is certain, `broken` says
 * why, and only the whole cluster is left as a domain. It heals with the object (scheduler specification, 1.22). */
#ifndef SCHED_HYPERNODES_H
#define SCHED_HYPERNODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

struct cluster;
struct map;

struct domain {
	uint32_t id;     /* its place in the list */
	struct str name; /* empty: the whole cluster */
	struct str tier_name;
	int64_t tier;
	struct domain *parent;         /* NULL: of the whole cluster */
	VEC(struct domain *) children; /* by tier and name */
	VEC(uint32_t) slots;           /* of its nodes that are there, ascending */
	VEC(uint32_t) own;             /* those that are in none of its children */
	uint32_t stamp;                /* for settling */
};

struct hypernodes {
	struct cluster *cluster;
	struct map *rules;     /* by name: what a HyperNode says */
	VEC(uint32_t) touched; /* slots of nodes that changed */
	bool stale;
	uint64_t version;             /* grows when anything below changes */
	VEC(struct domain *) domains; /* by tier and name; the last is the whole cluster */
	int64_t least_tier;           /* of HyperNodes; 0: there are none */
	char *broken;                 /* why the tree cannot be used; NULL: it can */
	/* By slot: where its domains begin below, by tier; the whole cluster is the last of each. */
	VEC(uint32_t) first;
	VEC(struct domain *) of_nodes;
};

struct hypernodes *hypernodes_new(struct cluster *cluster) __attribute__((returns_nonnull));
void hypernodes_free(struct hypernodes *tree);

/* HyperNodes came, changed or went. */
void hypernodes_note(struct hypernodes *tree);
/* A node came or went, or has other labels. */
void hypernodes_note_node(struct hypernodes *tree, uint32_t slot);
/* Bring the tree up to date. */
void hypernodes_settle(struct hypernodes *tree);

static inline struct domain *hypernodes_root(const struct hypernodes *tree)
{
	return tree->domains.ptr[tree->domains.len - 1];
}
/* Are there HyperNodes? */
static inline bool hypernodes_are_there(const struct hypernodes *tree)
{
	return tree->domains.len > 1;
}
/* The domains of a node, by tier; gives their number. */
size_t hypernodes_of(const struct hypernodes *tree, uint32_t slot, struct domain *const **ret);
/* The domain of that name, or NULL. */
const struct domain *hypernodes_find(const struct hypernodes *tree, struct str name);
/* The tier of that name; false: no HyperNode has it. */
bool hypernodes_find_tier(const struct hypernodes *tree, struct str name, int64_t *ret);
/* Is `inner` the domain itself or below it? */
bool domain_contains(const struct domain *domain, const struct domain *inner);
bool domain_has_node(const struct domain *domain, uint32_t slot);

/* What does not hold, or NULL; for mem_free(). Finds every domain's nodes again. */
char *hypernodes_check(const struct hypernodes *tree);

#endif
