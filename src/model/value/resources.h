/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/resources.h - amounts of resources as vectors of integers, one column per dimension.
 *
 * Volcano computes with doubles and a tolerance of 0.1 in the smallest unit. Every amount that comes
 * from a quantity is a whole number of that unit already (fractions are rounded up when it is read),
 * so a whole number loses nothing, and the tolerance means exactly:
 *
 *	|l - r| < 0.1     l == r                 tolerant l <= r     l <= r
 *	value < 0.1       value <= 0             value >= 0.1        value >= 1
 *
 * Only products with a ratio had fractions there; resources_multiply() rounds them to the nearest
 * unit, which differs by less than a milli-core, a byte or a thousandth of a device.
 *
 * Arithmetic is capped. RESOURCES_INFINITE stands for "no bound" and absorbs what is added or taken.
 * What is read from a list is at most RESOURCES_MAX, which is more than any machine has: so sums of
 * thousands of the largest amounts that a client can send are exact. Sums that are kept for long, and
 * from which everything that was added is subtracted again, use resources_count(), which is exact
 * whatever happens in between.
 *
 * A scalar (any dimension but cpu and memory) is present or absent, and so is the whole set of
 * scalars: "absent" counts as 0 or as infinite; each comparison has a parameter for it. An absent
 * vector is NULL if a function says so. */
#ifndef MODEL_RESOURCES_H
#define MODEL_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "model/field/view.h"
#include "model/value/dims.h"

#define RESOURCES_INFINITE INT64_MAX
#define RESOURCES_MAX (INT64_C(1) << 53)

struct resources {
	int64_t *at;      /* `len` columns; 0 if absent */
	uint32_t len;     /* may be less than dims_len(): the rest is absent */
	bool scalars;     /* is the set of scalars present, even if empty? */
	int64_t pods_max; /* the `pods` of the list it was read from; not part of the arithmetic */
	dim_set present;  /* which scalars are there */
};

/* What an absent scalar counts as. */
enum resources_absent { ABSENT_ZERO, ABSENT_INFINITE };

#define RESOURCES_INIT \
	{              \
		0      \
	}
void resources_done(struct resources *r);
DEFINE_AUTO_IN_PLACE(struct resources, resources_done);

/* Make `to` (which must be initialised) the same as `from`. */
void resources_copy(struct resources *to, const struct resources *from);
/* Empty, keeping its memory. */
void resources_clear(struct resources *r);
/* No bound in cpu, memory and pods_max, no scalars. */
void resources_set_infinite(struct resources *r);

/* --- single columns -------------------------------------------------------------------------- */

static inline int64_t resources_get(const struct resources *r, int dim)
{
	return (uint32_t)dim < r->len ? r->at[dim] : 0;
}
/* cpu and memory always are; a scalar only when it was set. */
static inline bool resources_has(const struct resources *r, int dim)
{
	return dim <= DIM_MEMORY || (r->present & DIM_BIT(dim));
}
/* A scalar becomes present. */
void resources_set(struct resources *r, int dim, int64_t value);
void resources_add_to(struct resources *r, int dim, int64_t value);
/* Lower each column to RESOURCES_MAX. */
void resources_bound(struct resources *r);

/* --- Kubernetes' resource lists -------------------------------------------------------------- */

enum dims_mode { DIMS_ADD, DIMS_OFFER, DIMS_FIND };

/* Add a list's amounts, leaving out names that are not counted (dims_is_scalar_name). DIMS_ADD: new
 * names get a number; ERR_TOO_LARGE when there is none left, with `r` unchanged. DIMS_OFFER: the same,
 * but names for which there is none left are left out. DIMS_FIND: unknown names count in DIM_OTHER. */
int resources_add_list(struct resources *r, struct dims *dims, enum dims_mode mode,
		       const struct resource_list *list, struct err *err) MUST_CHECK;
/* The way back: cpu in milli, memory in bytes, pods whole, others from thousandths. */
struct quantity resources_quantity(int dim, int64_t value);
/* An object {"cpu": "2", ...} of what is not 0, and of scalars that are present. */
struct json resources_encode(const struct resources *r, const struct dims *dims,
			     struct json_doc *doc);
/* "cpu 1000.00, memory 0.00, nvidia.com/gpu 1000.00", scalars by name. */
void resources_print(const struct resources *r, const struct dims *dims, struct buf *to);

/* --- questions ------------------------------------------------------------------------------- */

/* Nothing but pod slots? */
bool resources_is_empty(const struct resources *r);
bool resources_is_zero(const struct resources *r, int dim);
/* The dimensions with at least one unit, pods included. */
dim_set resources_dims(const struct resources *r);
/* The dimensions of both; without pods if `skip_pods`. */
dim_set resources_common(const struct resources *a, const struct resources *b, bool no_pods);

/* --- arithmetic ------------------------------------------------------------------------------ */

void resources_add(struct resources *l, const struct resources *r);
/* Without scalars on the left, those on the right are passed over. May go below 0: if it must not,
 * check resources_less_equal(r, l, ABSENT_ZERO) first. */
void resources_sub(struct resources *l, const struct resources *r);
/* Add (sign 1) or take off again (sign -1) a finite vector. Not capped but modulo 2^64, so that taking
 * off is exactly the inverse of adding. */
void resources_count(struct resources *sum, const struct resources *by, int sign);
void resources_count_one(struct resources *sum, int dim, int64_t by);
void resources_multiply(struct resources *r, double factor);
/* The larger in each dimension, in place. */
void resources_max_with(struct resources *l, const struct resources *r);
/* Lower each dimension of l to r's; scalars that r lacks become 0 or stay. */
void resources_lower_to(struct resources *l, const struct resources *r,
			enum resources_absent absent);
/* What stays of l after r, a dimension below 0 being short by at least a unit: of each dimension
 * that r wants, r and one unit of tolerance are taken. */
void resources_fit_delta(struct resources *l, const struct resources *r);

/* What l has more than r, and less. Under ABSENT_INFINITE a scalar that one side lacks is marked by
 * -1: in *more if the left lacks it, in *less if the right does. Both must be initialised. */
void resources_diff(const struct resources *l, const struct resources *r,
		    enum resources_absent absent, struct resources *more, struct resources *less);
/* What l has more than r; either may be NULL. */
void resources_exceeded(const struct resources *l, const struct resources *r,
			struct resources *ret);
/* New values: the smaller of both (scalars only if both have some, of l's names), the larger of
 * both (all scalars, but for negative ones). */
void resources_min(const struct resources *l, const struct resources *r, struct resources *ret);
void resources_max(const struct resources *l, const struct resources *r, struct resources *ret);

/* l / r; of nothing 0 if l is nothing as well, else 1. */
double resources_share(int64_t l, int64_t r);

/* --- comparisons ----------------------------------------------------------------------------- */

/* In all of cpu, memory and the scalars of l. Under ABSENT_INFINITE a scalar that only r has says
 * no, and one that only l has is passed over. */
bool resources_less(const struct resources *l, const struct resources *r,
		    enum resources_absent absent);
bool resources_less_equal(const struct resources *l, const struct resources *r,
			  enum resources_absent absent);
/* The dimensions in which l <= r does not hold; scalars that only r has say nothing. */
dim_set resources_exceeding(const struct resources *l, const struct resources *r,
			    enum resources_absent absent);
/* Is any dimension less? An absent scalar: under ABSENT_ZERO one that only r has says yes, under
 * ABSENT_INFINITE one that only l has. */
bool resources_less_partly(const struct resources *l, const struct resources *r,
			   enum resources_absent absent);
bool resources_less_equal_partly(const struct resources *l, const struct resources *r,
				 enum resources_absent absent);
/* cpu, memory and the scalars of l; absent ones are 0. */
bool resources_equal(const struct resources *l, const struct resources *r);

/* Comparisons that look only at the dimensions of a request, pods never. Any may be NULL.
 * The dimensions of `request` in which r is over the limit. r NULL: none. limit NULL: all of r's.
 * request NULL: resources_exceeding(r, limit, ABSENT_ZERO). */
dim_set resources_over_limit(const struct resources *r, const struct resources *limit,
			     const struct resources *request);
/* In which l <= r. With `used` those in which both have nothing do not count. request NULL: none. */
dim_set resources_within(const struct resources *l, const struct resources *r,
			 const struct resources *request, bool used);
/* In which l > r. With `relevant` only those that r has: cpu and memory of at least one unit, scalars
 * that are present. r NULL: nothing. request NULL: none. */
dim_set resources_above(const struct resources *l, const struct resources *r,
			const struct resources *request, bool relevant);

/* --- a pod's request ------------------------------------------------------------------------- */

/* What counts of one container. */
struct request_container {
	struct resource_list requests;  /* of its spec */
	struct resource_list reported;  /* of its status, while it is being resized */
	struct resource_list allocated; /* of its status, while it is being resized */
	bool sidecar;                   /* an init container that goes on running */
	bool resized;                   /* reported and allocated are there */
};

struct request_pod {
	const struct request_container *containers;
	size_t container_count;
	const struct request_container *init;
	size_t init_count;
	struct resource_list overhead;
	struct resource_list pod_level; /* spec.resources.requests; empty: none */
	bool resize_infeasible;
};

/* Add what a pod asks for (scheduler specification, 1.14), its own slot in `pods` included. */
int resources_add_pod(struct resources *r, struct dims *dims, enum dims_mode mode,
		      const struct request_pod *pod, struct err *err) MUST_CHECK;

#endif
