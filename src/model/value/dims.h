/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/dims.h - the registry of resource dimensions: a small number for each name of a resource.
 *
 * cpu, memory and pods are always there; every other name ("nvidia.com/gpu") gets the next number
 * when it is first added. There are at most DIMS_MAX, so that a set of dimensions is one word.
 *
 * Who adds names matters: nodes and queues, which administrators write, add theirs; a pod only looks
 * names up, and requests for a name that is not registered count in DIM_OTHER. So users cannot
 * exhaust the numbers by inventing names, and a request that cannot be satisfied stays unsatisfied.
 * When a name is added later (dims_len() grows), requests that were counted in DIM_OTHER have to be
 * read again.
 */
#ifndef MODEL_DIMS_H
#define MODEL_DIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macro.h"
#include "base/str.h"

/* Units: cpu in milli-cores, memory and ephemeral storage in bytes, pods in pods, everything else in
 * thousandths. (Upstream has thousandths of a byte of storage: the sum over a cluster of a thousand
 * large disks would not fit into 64 bits.) */
enum {
	DIM_CPU,
	DIM_MEMORY,
	DIM_PODS,
	DIM_OTHER,
	DIM_STORAGE,
	DIM_FIXED_COUNT,
	DIMS_MAX = 64,
	DIM_NONE = -1,
};

/* Is a unit of it one of the resource, rather than a thousandth? */
static inline bool dim_is_whole(int dim)
{
	return dim == DIM_MEMORY || dim == DIM_PODS || dim == DIM_STORAGE;
}

/* A set of dimensions, one bit each. */
typedef uint64_t dim_set;
#define DIM_BIT(dim) (UINT64_C(1) << (dim))

struct dims;

struct dims *dims_new(void) __attribute__((returns_nonnull));
void dims_free(struct dims *dims);
DEFINE_AUTO(struct dims *, dims_free);

/* The number of a name, made if it is new; DIM_NONE when there are DIMS_MAX already. */
int dims_add(struct dims *dims, struct str name);
/* The number of a name, or DIM_NONE. */
int dims_find(const struct dims *dims, struct str name);
struct str dims_name(const struct dims *dims, int dim);
size_t dims_len(const struct dims *dims);

/* Excludes a name from all resource lists that are read from now on: for device plugins of the
 * scheduler that count it themselves. */
void dims_ignore(struct dims *dims, struct str name);
bool dims_is_ignored(const struct dims *dims, struct str name);

/* Is it a name that the scheduler counts, in addition to cpu and memory: pods, ephemeral-storage,
 * extended resources, hugepages, attachable volumes, prefixed native names? Object counts
 * (count/...) and quota names (requests....) are not. */
bool dims_is_scalar_name(struct str name);
/* An extended resource: has a domain that is not kubernetes.io. */
bool dims_is_extended_name(struct str name);

/* "cpu, nvidia.com/gpu": cpu and memory first, the others by name. */
void dims_print_set(const struct dims *dims, dim_set set, struct buf *to);

#endif
