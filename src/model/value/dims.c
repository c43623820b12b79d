/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/dims.c - names of resources and their numbers. Numbers are given once and for all, so that
 * columns keep their meaning as long as the registry lives. */
#include "model/value/dims.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/value/names.h"

#include "base/banned.h"

struct dims {
	struct intern *names;
	struct intern *ignored;
};

static const struct str fixed[DIM_FIXED_COUNT] = {
	[DIM_CPU] = STR_INIT("cpu"),
	[DIM_MEMORY] = STR_INIT("memory"),
	[DIM_PODS] = STR_INIT("pods"),
	[DIM_OTHER] = STR_INIT("<other>"), /* no resource can have this name */
	[DIM_STORAGE] = STR_INIT("ephemeral-storage"),
};

struct dims *dims_new(void)
{
	struct dims *dims = mem_new(struct dims);

	dims->names = intern_new(0);
	dims->ignored = intern_new(0);
	for (size_t i = 0; i < DIM_FIXED_COUNT; i++)
		intern_id(dims->names, fixed[i]);
	return dims;
}

void dims_free(struct dims *dims)
{
	if (!dims)
		return;
	intern_free(dims->names);
	intern_free(dims->ignored);
	mem_free(dims);
}

int dims_find(const struct dims *dims, struct str name)
{
	uint32_t id = intern_find(dims->names, name);

	return id == INTERN_NONE ? DIM_NONE : (int)id;
}

int dims_add(struct dims *dims, struct str name)
{
	int dim = dims_find(dims, name);

	if (dim != DIM_NONE)
		return dim;
	if (intern_len(dims->names) >= DIMS_MAX)
		return DIM_NONE;
	return (int)intern_id(dims->names, name);
}

struct str dims_name(const struct dims *dims, int dim)
{
	return intern_text(dims->names, (uint32_t)dim);
}

size_t dims_len(const struct dims *dims)
{
	return intern_len(dims->names);
}

void dims_ignore(struct dims *dims, struct str name)
{
	intern_id(dims->ignored, name);
}

bool dims_is_ignored(const struct dims *dims, struct str name)
{
	return intern_find(dims->ignored, name) != INTERN_NONE;
}

static bool is_prefixed_native(struct str name)
{
	return str_find(name, STR("kubernetes.io/"), 0) >= 0;
}

bool dims_is_extended_name(struct str name)
{
	char quota[512];
	int len;

	if (str_find_byte(name, '/', 0) < 0 || is_prefixed_native(name) ||
	    str_starts(name, STR("requests.")) || name.len > 400)
		return false;
	/* it must stay a valid name when a quota speaks of it */
	len = snprintf(quota, sizeof(quota), "requests.%.*s", STR_ARG(name));
	return name_is(NAME_QUALIFIED, str_of(quota, (size_t)len));
}

bool dims_is_scalar_name(struct str name)
{
	if (str_starts(name, STR("count/")))
		return false;
	return str_is(name, "pods") || str_is(name, "ephemeral-storage") ||
	       str_starts(name, STR("hugepages-")) ||
	       str_starts(name, STR("attachable-volumes-")) || is_prefixed_native(name) ||
	       dims_is_extended_name(name);
}

void dims_print_set(const struct dims *dims, dim_set set, struct buf *to)
{
	struct str names[DIMS_MAX];
	size_t count = 0;
	size_t leading = 0;

	for (int dim = 0; dim < DIMS_MAX; dim++) {
		if (!(set & DIM_BIT(dim)))
			continue;
		leading += dim <= DIM_MEMORY;
		names[count++] = dims_name(dims, dim);
	}
	if (count > leading)
		qsort(names + leading, count - leading, sizeof(names[0]), str_qsort_cmp);
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_puts(to, ", ");
		buf_put_str(to, names[i]);
	}
}
