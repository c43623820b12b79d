/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_row.h - the words in which the files of the groups write their rows. */
#ifndef APISERVER_KIND_ROW_H
#define APISERVER_KIND_ROW_H

#include "apiserver/kind/content.h"
#include "apiserver/kind/kind.h"
#include "apiserver/kind/kind_rules.h"
#include "base/macro.h"

/* A list of names that ends with NULL. */
#define NAMES(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* What all rows have in common. */
#define ROW(group_name, version_name, plural_name, singular_name, kind_name, table) \
	.group = STR_INIT(group_name), .version = STR_INIT(version_name),           \
	.plural = STR_INIT(plural_name), .singular = STR_INIT(singular_name),       \
	.name = STR_INIT(kind_name), .list_name = STR_INIT(kind_name "List"),       \
	.content = &content_typed, .type = &(table)

/* The rules that a kind has in model/: RULES(VALIDATED(node), .prepare_create = node_prepare_create) */
#define RULES(...) .ops = &kind_ruled, RULES_ALONE(__VA_ARGS__)
/* Together with an ops table of its own. */
#define RULES_ALONE(...)                    \
	.rules = &(const struct kind_rules) \
	{                                   \
		__VA_ARGS__                 \
	}
/* The rules of the kind's type are all that there is. */
#define RULED .ops = &kind_ruled
#define VALIDATED(noun) \
	.validate_create = noun##_validate_create, .validate_update = noun##_validate_update

/* Sub-resources: one line each, the last one has no name. */
#define SUB_STATUS                                      \
	{                                               \
		.name = "status", .verbs = VERBS_STATUS \
	}
#define SUB_END              \
	{                    \
		.name = NULL \
	}

/* `status` alone. */
extern const struct kind_sub kind_subs_status[];

/* spec.replicas and status.replicas. */
extern const struct kind_scale kind_scale_replicas;

/* Rows of a group. */
struct kind_group {
	const struct kind *rows;
	size_t count;
};
/* All groups, in the order in which discovery lists them. To add one: its file kind_<name>.c with a
 * `const struct kind_group kind_group_<name>`, and its row here. */
#define KIND_GROUPS(row) \
	ROWS( \
	row(core) \
	row(apps) \
	row(events) \
	row(cluster) \
	row(network) \
	row(storage) \
	row(definitions) \
	row(reviews))

#define KIND_GROUP_DECLARE(name) extern const struct kind_group kind_group_##name;
KIND_GROUPS(KIND_GROUP_DECLARE)
#undef KIND_GROUP_DECLARE

#endif
