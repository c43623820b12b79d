/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/words.c - see the header. Names of extended resources are shown as they are, but for devices whose name
 * ends in "/gpu": everyone calls these GPUs. The full name is added if the cluster knows several kinds of them. */
#include "sched/report/words.h"

#include <stdlib.h>

#include "model/value/dims.h"
#include "model/value/quantity.h"
#include "model/value/resources.h"
#include "sched/report/reason.h"

#include "base/banned.h"

static bool is_bytes(const struct reason_names *names, int dim)
{
	return dim == DIM_MEMORY || dim == DIM_STORAGE ||
	       str_starts(reason_dim_name(names, dim), STR("hugepages-"));
}

/* A number of bytes with the largest unit and at most two digits after the point: 19.2Gi. */
static void put_bytes(int64_t bytes, struct buf *to)
{
	static const char units[] = "KMGTPE";
	int64_t whole = 1, rest;
	int unit = -1;

	while (llabs(bytes) / whole >= 1024 && unit + 1 < (int)sizeof(units) - 1) {
		whole *= 1024;
		unit++;
	}
	rest = (int64_t)((double)llabs(bytes % whole) / (double)whole * 100);
	buf_printf(to, "%lld", (long long)(bytes / whole));
	if (rest)
		buf_printf(to, rest % 10 ? ".%02lld" : ".%lld",
			   (long long)(rest % 10 ? rest : rest / 10));
	if (unit >= 0)
		buf_printf(to, "%ci", units[unit]);
	else
		buf_puts(to, bytes == 1 ? " byte" : bytes ? " bytes" : "");
}

void words_amount(const struct reason_names *names, int dim, int64_t amount, struct buf *to)
{
	if (amount == RESOURCES_INFINITE)
		buf_puts(to, "unlimited");
	else if (dim == DIM_PODS)
		buf_put_int(to, amount);
	else if (is_bytes(names, dim))
		put_bytes(dim_is_whole(dim) ? amount : amount / 1000, to);
	else
		reason_put_count(amount, to);
}

/* Are there GPUs of another name? */
static bool has_other_gpus(const struct dims *dims, struct str name)
{
	for (size_t dim = DIM_FIXED_COUNT; dim < dims_len(dims); dim++)
		if (str_ends(dims_name(dims, (int)dim), STR("/gpu")) &&
		    !str_eq(dims_name(dims, (int)dim), name))
			return true;
	return false;
}

static bool is_one(int dim, int64_t amount)
{
	return amount == (dim_is_whole(dim) ? 1 : 1000);
}

static void put_unit(const struct reason_names *names, int dim, bool one, struct buf *to)
{
	struct str name = reason_dim_name(names, dim);

	if (dim == DIM_CPU) {
		buf_puts(to, one ? "CPU" : "CPUs");
	} else if (dim == DIM_PODS) {
		buf_puts(to, one ? "pod" : "pods");
	} else if (dim == DIM_MEMORY) {
		buf_puts(to, "memory");
	} else if (dim == DIM_STORAGE) {
		buf_puts(to, "local disk space");
	} else if (str_ends(name, STR("/gpu"))) {
		buf_puts(to, one ? "GPU" : "GPUs");
		if (has_other_gpus(names->dims, name))
			buf_printf(to, " (%.*s)", STR_ARG(name));
	} else {
		buf_put_str(to, name);
	}
}

void words_quantity(const struct reason_names *names, int dim, int64_t amount, struct buf *to)
{
	words_amount(names, dim, amount, to);
	buf_puts(to, is_bytes(names, dim) ? " of " : " ");
	put_unit(names, dim, is_one(dim, amount), to);
}

void words_resource(const struct reason_names *names, int dim, struct buf *to)
{
	put_unit(names, dim, dim == DIM_CPU, to);
}

const char *words_is(int dim, int64_t amount)
{
	return dim == DIM_MEMORY || dim == DIM_STORAGE || is_one(dim, amount) ? "is" : "are";
}

void words_free(const struct reason_names *names, int dim, int64_t free, int64_t total,
		struct buf *to)
{
	bool bytes = is_bytes(names, dim);

	if (free <= 0) {
		buf_puts(to, bytes                ? "none of "
			     : is_one(dim, total) ? "the only one"
						  : "none of the ");
		if (bytes || !is_one(dim, total))
			words_amount(names, dim, total, to);
		buf_puts(to, !bytes && is_one(dim, total) ? " is in use" : " is free");
		return;
	}
	words_amount(names, dim, free, to);
	buf_puts(to, " of ");
	words_amount(names, dim, total, to);
	buf_printf(to, " %s free", bytes ? "is" : words_is(dim, free));
}

void words_count(int64_t count, const char *noun, struct buf *to)
{
	buf_printf(to, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

void words_name(struct str name, struct buf *to)
{
	buf_printf(to, "`%.*s`", STR_ARG(name));
}

void words_join(size_t at, size_t len, struct buf *to)
{
	if (at)
		buf_puts(to, at + 1 == len ? " and " : ", ");
}
