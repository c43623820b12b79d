/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/compare.c - the comparisons of resource vectors (scheduler specification, 2.4).
 *
 * All of them are one loop over the dimensions that count, with the answer as a set of dimensions;
 * they differ in which dimensions count and what an absent scalar says. */
#include "model/value/resources.h"

#include "base/banned.h"

/* The dimensions of a vector: cpu, memory and its present scalars. */
static dim_set spoken(const struct resources *r)
{
	return r->present | DIM_BIT(DIM_CPU) | DIM_BIT(DIM_MEMORY);
}

/* Those of `among` in which l < r, or l <= r. */
static dim_set below(const struct resources *l, const struct resources *r, dim_set among,
		     bool or_equal)
{
	dim_set set = 0;

	while (among) {
		int dim = __builtin_ctzll(among);
		int64_t left = resources_get(l, dim);
		int64_t right = resources_get(r, dim);

		if (left < right || (or_equal && left == right))
			set |= DIM_BIT(dim);
		among &= among - 1;
	}
	return set;
}

static bool all_below(const struct resources *l, const struct resources *r,
		      enum resources_absent absent, bool or_equal)
{
	dim_set count = spoken(l);

	if (absent == ABSENT_INFINITE) {
		if (r->present & ~l->present) /* the left is infinite there */
			return false;
		count &= spoken(r); /* the right is infinite elsewhere */
	}
	return below(l, r, count, or_equal) == count;
}

static bool any_below(const struct resources *l, const struct resources *r,
		      enum resources_absent absent, bool or_equal)
{
	if (absent == ABSENT_ZERO ? r->present & ~l->present : l->present & ~r->present)
		return true;
	return below(l, r, spoken(l), or_equal) != 0;
}

bool resources_less(const struct resources *l, const struct resources *r,
		    enum resources_absent absent)
{
	return all_below(l, r, absent, false);
}

bool resources_less_equal(const struct resources *l, const struct resources *r,
			  enum resources_absent absent)
{
	return all_below(l, r, absent, true);
}

dim_set resources_exceeding(const struct resources *l, const struct resources *r,
			    enum resources_absent absent)
{
	dim_set count = spoken(l);

	if (absent == ABSENT_INFINITE)
		count &= spoken(r);
	return count & ~below(l, r, count, true);
}

bool resources_less_partly(const struct resources *l, const struct resources *r,
			   enum resources_absent absent)
{
	return any_below(l, r, absent, false);
}

bool resources_less_equal_partly(const struct resources *l, const struct resources *r,
				 enum resources_absent absent)
{
	return any_below(l, r, absent, true);
}

bool resources_equal(const struct resources *l, const struct resources *r)
{
	dim_set count = spoken(l);

	return below(l, r, count, true) == count && below(r, l, count, true) == count;
}

/* --- on the dimensions of a request ---------------------------------------------------------- */

static dim_set requested(const struct resources *request)
{
	return resources_dims(request) & ~DIM_BIT(DIM_PODS);
}

dim_set resources_over_limit(const struct resources *r, const struct resources *limit,
			     const struct resources *request)
{
	dim_set count;

	if (!r)
		return 0;
	if (!limit)
		return resources_dims(r);
	if (!request)
		return resources_exceeding(r, limit, ABSENT_ZERO);
	count = requested(request);
	if (!r->scalars)
		count &= DIM_BIT(DIM_CPU) | DIM_BIT(DIM_MEMORY);
	return count & ~below(r, limit, count, true);
}

dim_set resources_within(const struct resources *l, const struct resources *r,
			 const struct resources *request, bool used)
{
	dim_set count;

	if (!request)
		return 0;
	count = requested(request);
	if (used)
		count &= resources_dims(l) | resources_dims(r);
	return below(l, r, count, true);
}

dim_set resources_above(const struct resources *l, const struct resources *r,
			const struct resources *request, bool relevant)
{
	static const struct resources nothing = RESOURCES_INIT;
	dim_set count;

	if (!request)
		return 0;
	if (!r)
		r = &nothing;
	count = requested(request);
	if (relevant)
		count &=
			r->present | (resources_dims(r) & (DIM_BIT(DIM_CPU) | DIM_BIT(DIM_MEMORY)));
	return below(r, l, count, false);
}
