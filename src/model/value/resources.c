/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/resources.c - vectors of resources: storage, arithmetic and text.
 *
 * 1. Columns past `len` are absent; columns that are absent hold 0.
 * 2. A bit of `present` implies `scalars`.
 * 3. No operation overflows: results are capped to int64, and RESOURCES_INFINITE stays. */
#include "model/value/resources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#include "base/banned.h"

void resources_done(struct resources *r)
{
	mem_free(r->at);
	*r = (struct resources){0};
}

static void ensure(struct resources *r, uint32_t len)
{
	if (len <= r->len)
		return;
	r->at = mem_realloc(r->at, len, sizeof(r->at[0]));
	memset(r->at + r->len, 0, (len - r->len) * sizeof(r->at[0]));
	r->len = len;
}

void resources_clear(struct resources *r)
{
	if (r->len)
		memset(r->at, 0, r->len * sizeof(r->at[0]));
	r->present = 0;
	r->scalars = false;
	r->pods_max = 0;
}

void resources_copy(struct resources *to, const struct resources *from)
{
	resources_clear(to);
	ensure(to, from->len);
	if (from->len)
		memcpy(to->at, from->at, from->len * sizeof(to->at[0]));
	to->present = from->present;
	to->scalars = from->scalars;
	to->pods_max = from->pods_max;
}

void resources_set_infinite(struct resources *r)
{
	resources_clear(r);
	resources_set(r, DIM_CPU, RESOURCES_INFINITE);
	resources_set(r, DIM_MEMORY, RESOURCES_INFINITE);
	r->pods_max = RESOURCES_INFINITE;
}

void resources_set(struct resources *r, int dim, int64_t value)
{
	ensure(r, (uint32_t)dim + 1);
	r->at[dim] = value;
	if (dim > DIM_MEMORY) {
		r->present |= DIM_BIT(dim);
		r->scalars = true;
	}
}

/* --- numbers --------------------------------------------------------------------------------- */

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == RESOURCES_INFINITE || b == RESOURCES_INFINITE)
		return RESOURCES_INFINITE;
	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : RESOURCES_INFINITE;
	return sum;
}

static int64_t minus(int64_t a, int64_t b)
{
	int64_t difference;

	if (a == RESOURCES_INFINITE)
		return b == RESOURCES_INFINITE ? 0 : a;
	if (__builtin_sub_overflow(a, b, &difference))
		return a < 0 ? INT64_MIN : RESOURCES_INFINITE;
	return difference;
}

static int64_t times(int64_t value, double factor)
{
	double product = (double)value * factor;

	product += product < 0 ? -0.5 : 0.5; /* the conversion below cuts off */
	if (factor == 1.0 || (value == RESOURCES_INFINITE && factor > 0))
		return value;
	if (product >= 9223372036854775807.0)
		return RESOURCES_INFINITE;
	if (product <= -9223372036854775808.0)
		return INT64_MIN;
	return (int64_t)product;
}

double resources_share(int64_t l, int64_t r)
{
	if (r == 0)
		return l == 0 ? 0 : 1;
	return (double)l / (double)r;
}

void resources_add_to(struct resources *r, int dim, int64_t value)
{
	resources_set(r, dim, plus(resources_get(r, dim), value));
}

/* --- lists ----------------------------------------------------------------------------------- */

/* The dimension of a name: DIM_NONE when it does not count, -2 when there is no number left. */
static int dim_of(struct dims *dims, enum dims_mode mode, struct str name)
{
	int dim;

	if (str_is(name, "cpu"))
		return DIM_CPU;
	if (str_is(name, "memory"))
		return DIM_MEMORY;
	if (!dims_is_scalar_name(name) || dims_is_ignored(dims, name))
		return DIM_NONE;
	if (mode == DIMS_FIND) {
		dim = dims_find(dims, name);
		return dim == DIM_NONE ? DIM_OTHER : dim;
	}
	dim = dims_add(dims, name);
	return dim == DIM_NONE && mode == DIMS_ADD ? -2 : dim;
}

static int64_t bounded(int64_t amount)
{
	return amount > RESOURCES_MAX ? RESOURCES_MAX : amount;
}

static int64_t amount_of(int dim, const struct quantity *quantity)
{
	return bounded(dim_is_whole(dim) ? quantity_value(quantity) : quantity_milli(quantity));
}

void resources_bound(struct resources *r)
{
	for (uint32_t dim = 0; dim < r->len; dim++)
		r->at[dim] = bounded(r->at[dim]);
}

int resources_add_list(struct resources *r, struct dims *dims, enum dims_mode mode,
		       const struct resource_list *list, struct err *err)
{
	for (size_t i = 0; i < list->len; i++) /* all or nothing */
		if (dim_of(dims, mode, list->ptr[i].name) < DIM_NONE)
			return err_set(err, ERR_TOO_LARGE,
				       "resource %.*s: there are %d kinds of resources already",
				       STR_ARG(list->ptr[i].name), DIMS_MAX);
	for (size_t i = 0; i < list->len; i++) {
		int dim = dim_of(dims, mode, list->ptr[i].name);

		if (dim == DIM_NONE)
			continue;
		resources_add_to(r, dim, amount_of(dim, &list->ptr[i].value));
		if (dim == DIM_PODS)
			r->pods_max = plus(r->pods_max, amount_of(dim, &list->ptr[i].value));
	}
	return 0;
}

struct quantity resources_quantity(int dim, int64_t value)
{
	switch (dim) {
	case DIM_CPU:
		return quantity_make_milli(value, QUANTITY_DECIMAL_SI);
	case DIM_MEMORY:
	case DIM_STORAGE:
		return quantity_make(value, QUANTITY_BINARY_SI);
	case DIM_PODS:
		return quantity_make(value, QUANTITY_DECIMAL_SI);
	default:
		return quantity_make_milli(value, QUANTITY_DECIMAL_SI);
	}
}

struct json resources_encode(const struct resources *r, const struct dims *dims,
			     struct json_doc *doc)
{
	struct json list = json_new_obj(doc);

	for (int dim = 0; dim < (int)r->len; dim++) {
		char text[QUANTITY_TEXT_SIZE];
		struct quantity quantity = resources_quantity(dim, r->at[dim]);

		if (dim == DIM_OTHER || !resources_has(r, dim) ||
		    (dim <= DIM_MEMORY && !r->at[dim]))
			continue;
		json_set(doc, list, dims_name(dims, dim),
			 json_new_str(doc, str_from(quantity_canonical(&quantity, text))));
	}
	return list;
}

static void print_amount(struct buf *to, int64_t value, const char *infinite)
{
	if (value == RESOURCES_INFINITE)
		buf_puts(to, infinite);
	else
		buf_printf(to, "%" PRId64 ".00", value);
}

/* Of storage as upstream prints it, in thousandths of a byte. */
static void print_storage(struct buf *to, int64_t value)
{
	if (value && value != RESOURCES_INFINITE)
		buf_printf(to, "%" PRId64 "000.00", value);
	else
		print_amount(to, value, "maxInt");
}

/* A scalar, to sort by name. */
struct named {
	struct str name;
	int dim;
};

void resources_print(const struct resources *r, const struct dims *dims, struct buf *to)
{
	struct named named[DIMS_MAX];
	size_t count = 0;

	buf_puts(to, "cpu ");
	print_amount(to, resources_get(r, DIM_CPU), "maxFloat");
	buf_puts(to, ", memory ");
	print_amount(to, resources_get(r, DIM_MEMORY), "maxFloat");
	for (int dim = DIM_PODS; dim < (int)r->len; dim++)
		if (resources_has(r, dim))
			named[count++] = (struct named){dims_name(dims, dim), dim};
	if (count)
		qsort(named, count, sizeof(named[0]), str_qsort_cmp);
	for (size_t i = 0; i < count; i++) {
		buf_printf(to, ", %.*s ", STR_ARG(named[i].name));
		if (named[i].dim == DIM_STORAGE)
			print_storage(to, r->at[named[i].dim]);
		else
			print_amount(to, r->at[named[i].dim], "maxInt");
	}
}

/* --- questions ------------------------------------------------------------------------------- */

dim_set resources_dims(const struct resources *r)
{
	dim_set set = 0;

	for (int dim = 0; dim < (int)r->len; dim++)
		if (r->at[dim] >= 1)
			set |= DIM_BIT(dim);
	return set;
}

bool resources_is_empty(const struct resources *r)
{
	return !(resources_dims(r) & ~DIM_BIT(DIM_PODS));
}

bool resources_is_zero(const struct resources *r, int dim)
{
	return resources_get(r, dim) < 1;
}

dim_set resources_common(const struct resources *a, const struct resources *b, bool no_pods)
{
	dim_set set = resources_dims(a) & resources_dims(b);

	return no_pods ? set & ~DIM_BIT(DIM_PODS) : set;
}

/* --- arithmetic ------------------------------------------------------------------------------ */

void resources_add(struct resources *l, const struct resources *r)
{
	ensure(l, r->len);
	for (uint32_t dim = 0; dim < r->len; dim++)
		l->at[dim] = plus(l->at[dim], r->at[dim]);
	l->present |= r->present;
	l->scalars = l->scalars || r->present;
}

void resources_sub(struct resources *l, const struct resources *r)
{
	uint32_t len = r->len;

	if (!l->scalars && len > DIM_MEMORY + 1)
		len = DIM_MEMORY + 1;
	ensure(l, len);
	for (uint32_t dim = 0; dim < len; dim++)
		l->at[dim] = minus(l->at[dim], r->at[dim]);
	if (l->scalars)
		l->present |= r->present;
}

static int64_t plus_modulo(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The smallest integer is its own negative: adding and subtracting it again gives 0 as well. */
static int64_t minus_modulo(int64_t a)
{
	return (int64_t)(0 - (uint64_t)a);
}

void resources_count_one(struct resources *sum, int dim, int64_t by)
{
	resources_set(sum, dim, plus_modulo(resources_get(sum, dim), by));
}

void resources_count(struct resources *sum, const struct resources *by, int sign)
{
	ensure(sum, by->len);
	for (uint32_t dim = 0; dim < by->len; dim++)
		sum->at[dim] = plus_modulo(sum->at[dim],
					   sign < 0 ? minus_modulo(by->at[dim]) : by->at[dim]);
	sum->present |= by->present;
	sum->scalars = sum->scalars || by->present;
}

void resources_multiply(struct resources *r, double factor)
{
	for (uint32_t dim = 0; dim < r->len; dim++)
		r->at[dim] = times(r->at[dim], factor);
}

void resources_max_with(struct resources *l, const struct resources *r)
{
	ensure(l, r->len);
	for (int dim = 0; dim < (int)r->len; dim++) {
		if (!resources_has(r, dim))
			continue;
		if (!resources_has(l, dim) || r->at[dim] > l->at[dim])
			resources_set(l, dim, r->at[dim]);
	}
}

void resources_lower_to(struct resources *l, const struct resources *r,
			enum resources_absent absent)
{
	for (int dim = 0; dim < (int)l->len; dim++) {
		int64_t most = resources_get(r, dim);

		if (!resources_has(l, dim))
			continue;
		if (resources_has(r, dim)) {
			if (most < l->at[dim])
				l->at[dim] = most;
		} else if (absent == ABSENT_ZERO) {
			l->at[dim] = 0;
		}
	}
}

void resources_fit_delta(struct resources *l, const struct resources *r)
{
	l->scalars = true;
	for (int dim = 0; dim < (int)r->len; dim++)
		if (r->at[dim] > 0)
			resources_set(l, dim, minus(minus(resources_get(l, dim), r->at[dim]), 1));
}

/* One dimension of a difference, both sides given. */
static void put_difference(int dim, int64_t l, int64_t r, struct resources *more,
			   struct resources *less)
{
	if (l > r)
		resources_set(more, dim, minus(l, r));
	else
		resources_set(less, dim, minus(r, l));
}

void resources_diff(const struct resources *l, const struct resources *r,
		    enum resources_absent absent, struct resources *more, struct resources *less)
{
	enum { MARK = -1 };
	uint32_t len = l->len > r->len ? l->len : r->len;

	resources_clear(more);
	resources_clear(less);
	more->scalars = true;
	less->scalars = true;
	for (int dim = 0; dim < (int)len; dim++) {
		bool left = resources_has(l, dim);
		bool right = resources_has(r, dim);

		if (!left && !right)
			continue;
		if (absent == ABSENT_INFINITE && !left)
			resources_set(more, dim, MARK);
		else if (absent == ABSENT_INFINITE && !right)
			resources_set(less, dim, MARK);
		else
			put_difference(dim, resources_get(l, dim), resources_get(r, dim), more,
				       less);
	}
}

void resources_exceeded(const struct resources *l, const struct resources *r, struct resources *ret)
{
	AUTO(resources_done) struct resources less = RESOURCES_INIT;

	if (!l)
		resources_clear(ret);
	else if (!r)
		resources_copy(ret, l);
	else
		resources_diff(l, r, ABSENT_ZERO, ret, &less);
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void resources_min(const struct resources *l, const struct resources *r, struct resources *ret)
{
	resources_clear(ret);
	for (int dim = 0; dim < (int)l->len; dim++) {
		if (dim > DIM_MEMORY && (!resources_has(l, dim) || !r->scalars))
			continue;
		resources_set(ret, dim, smaller(l->at[dim], resources_get(r, dim)));
	}
	for (int dim = (int)l->len; dim <= DIM_MEMORY; dim++)
		resources_set(ret, dim, smaller(0, resources_get(r, dim)));
	ret->scalars = l->scalars && r->scalars;
}

void resources_max(const struct resources *l, const struct resources *r, struct resources *ret)
{
	uint32_t len = l->len > r->len ? l->len : r->len;

	resources_clear(ret);
	for (int dim = 0; dim < (int)len; dim++) {
		bool left = resources_has(l, dim);
		bool right = resources_has(r, dim);
		int64_t a = resources_get(l, dim);
		int64_t b = resources_get(r, dim);
		int64_t most = left && (!right || a > b) ? a : b;

		if ((left || right) && (dim <= DIM_MEMORY || most >= 0))
			resources_set(ret, dim, most);
	}
	ret->scalars = l->scalars || r->scalars;
}
