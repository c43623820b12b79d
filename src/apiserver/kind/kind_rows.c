/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_rows.c - the built-in kinds: the rows of every group. */
#include "apiserver/kind/kind_rows.h"

#include "apiserver/kind/kind_row.h"

#include "base/banned.h"

const struct kind_scale kind_scale_replicas = {".spec.replicas", ".status.replicas", NULL};
const struct kind_sub kind_subs_status[] = {SUB_STATUS, SUB_END};

#define KIND_GROUP_ADDRESS(name) &kind_group_##name,
static const struct kind_group *const groups[] = {KIND_GROUPS(KIND_GROUP_ADDRESS)};

void kind_rows_add(struct kinds *kinds)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		for (size_t j = 0; j < groups[i]->count; j++)
			(void)kinds_add(kinds, &groups[i]->rows[j]);
}
