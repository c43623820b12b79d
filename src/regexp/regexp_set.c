/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp_set.c - sets of characters as sorted ranges that are not adjacent. */
#include <stdlib.h>

#include "regexp/regexp_internal.h"

#include "base/banned.h"

void regexp_set_add(struct regexp_set *set, uint32_t low, uint32_t high)
{
	vec_push(set, (struct regexp_range){low, high});
}

static int compare(const void *a, const void *b)
{
	const struct regexp_range *left = a;
	const struct regexp_range *right = b;

	return left->low < right->low ? -1 : left->low > right->low;
}

void regexp_set_sort(struct regexp_set *set)
{
	size_t kept = 0;

	if (set->len < 2)
		return;
	qsort(set->ptr, set->len, sizeof(*set->ptr), compare);
	for (size_t i = 1; i < set->len; i++) {
		struct regexp_range *last = &set->ptr[kept];

		if (set->ptr[i].low > last->high && set->ptr[i].low - last->high > 1)
			set->ptr[++kept] = set->ptr[i];
		else if (set->ptr[i].high > last->high)
			last->high = set->ptr[i].high;
	}
	set->len = kept + 1;
}

void regexp_set_negate(struct regexp_set *set)
{
	struct regexp_set made = {0};
	uint32_t next = 0;

	regexp_set_sort(set);
	for (size_t i = 0; i < set->len; i++) {
		if (set->ptr[i].low > next)
			regexp_set_add(&made, next, set->ptr[i].low - 1);
		next = set->ptr[i].high + 1;
	}
	if (next <= REGEXP_RUNE_MAX)
		regexp_set_add(&made, next, REGEXP_RUNE_MAX);
	vec_done(set);
	*set = made;
}

void regexp_set_done(struct regexp_set *set)
{
	vec_done(set);
}
