/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/typed.h - objects by what is known of their fields: which of them there are, how two
 * versions differ, and how an applied configuration is merged into one.
 *
 * What is known comes from the field table of a built-in kind or the schema of a custom one: which
 * lists have keys or are sets, what is replaced as a whole. If nothing is known, maps are merged
 * and lists replaced. */
#ifndef APISERVER_TYPED_H
#define APISERVER_TYPED_H

#include "apiserver/apply/fieldset.h"
#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"

struct field;
struct kind;
struct schema_node;
struct type;

/* What is known of a place in an object; one of them is set, or none. */
struct typed_place {
	const struct type *type;        /* a built-in object */
	const struct field *field;      /* a field, an element or a value of a built-in type */
	const struct schema_node *node; /* a place in a custom object */
	bool custom_root;
	bool granular; /* the type is atomic elsewhere, but not here */
};

struct typed_place typed_root(const struct kind *kind);

/* Is every field known and of its type, and no key twice in a list that has keys? ERR_UNKNOWN names the
 * path. */
int typed_check(struct typed_place place, struct json value, struct err *err) MUST_CHECK;

/* The fields that a configuration names. */
struct fieldset *typed_fields(struct arena *arena, struct typed_place place, struct json value);

/* How an object differs from what it was. Either may be absent. */
struct typed_change {
	struct fieldset *added;
	struct fieldset *modified;
	struct fieldset *removed;
};
struct typed_change typed_compare(struct arena *arena, struct typed_place place, struct json old,
				  struct json value);

/* `config` over `live`, a new value of `doc`. */
struct json typed_merge(struct typed_place place, struct json live, struct json config,
			struct json_doc *doc);
/* Set the nulls of a configuration in a value of `doc`, if that has nothing. */
void typed_put_nulls(struct typed_place place, struct json config, struct json_doc *doc,
		     struct json value);
/* Remove the fields of a set from a value of `doc`; a member that becomes empty is null then. */
void typed_remove(struct typed_place place, struct json_doc *doc, struct json value,
		  const struct fieldset *set);
/* The set, and with each of its fields the named ones that it stands in. */
struct fieldset *typed_with_parents(struct arena *arena, struct typed_place place,
				    const struct fieldset *set);
/* What a Go program would print for an object of a built-in kind of which nothing is set. */
struct json typed_empty(const struct kind *kind, struct json_doc *doc);

#endif
