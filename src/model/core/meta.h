/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/meta.h - the metadata that every object has, and its rules. */
#ifndef MODEL_META_H
#define MODEL_META_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"
#include "model/value/names.h"

struct owner_reference {
	struct str api_version;
	struct str kind;
	struct str name;
	struct str uid;
	struct opt_bool controller;
	struct opt_bool block_owner_deletion;
};
extern const struct type owner_reference_type;

struct meta {
	struct str name;
	struct str generate_name;
	struct str namespace;
	struct str uid;
	struct str resource_version;
	int64_t generation;
	int64_t creation_timestamp; /* microseconds since 1970, as all times; 0: none */
	int64_t deletion_timestamp;
	struct opt_int64 deletion_grace_period_seconds;
	struct labels labels;
	struct labels annotations;
	VIEW_LIST(struct owner_reference) owner_references;
	struct strs finalizers;
};
/* Row of a kind: {"metadata", F_OBJECT(meta), AT(meta)} */
extern const struct type meta_type;

/* "namespace/name", or "name" if there is no namespace. */
void meta_print_key(const struct meta *meta, struct buf *to);
/* The owner that controls it, or NULL. */
const struct owner_reference *meta_controller(const struct meta *meta);
bool meta_has_finalizer(const struct meta *meta, struct str finalizer);
static inline bool meta_is_deleting(const struct meta *meta)
{
	return meta->deletion_timestamp != 0;
}

/* --- documents ------------------------------------------------------------------------------- */

/* Of an object's metadata; none if it has no such member. */
struct str meta_name(struct json object);
struct str meta_namespace(struct json object);
struct str meta_uid(struct json object);
/* The condition of this type in an object's status; absent if there is none. */
struct json meta_condition(struct json object, const char *type);
/* Does the status of that condition say "True"? */
bool meta_has_condition(struct json object, const char *type);

/* --- rules, on documents --------------------------------------------------------------------- */

struct meta_rules {
	bool namespaced;
	enum name_format format; /* of the name */
	bool built_in;           /* finalizers without a domain must be Kubernetes' own */
};

/* Adds the causes of an object to be created; its name has already been generated. */
void meta_validate(struct json meta, const struct meta_rules *rules, const struct path *path,
		   struct causes *causes);
/* Checks only annotations: keys, and total size. */
void meta_validate_annotations(struct json annotations, const struct path *path,
			       struct causes *causes);
/* Adds the causes of an update. */
void meta_validate_update(struct json old, struct json meta, const struct meta_rules *rules,
			  const struct path *path, struct causes *causes);

#endif
