/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/content.c - what an object of a built-in kind may contain, by its field table.
 * Further rules are in the ops of the kind. */
#include "apiserver/kind/content.h"

#include "model/field/fields.h"

#include "base/banned.h"

static int check_types(const struct kind *kind, struct json object, struct err *err)
{
	return type_check_types(kind->type, object, err);
}

static void prune(const struct kind *kind, struct json_doc *doc, struct json object,
		  void (*on_unknown)(void *arg, struct str path), void *arg)
{
	type_prune(kind->type, doc, object, on_unknown, arg);
}

static void complete(const struct kind *kind, struct json_doc *doc, struct json object)
{
	type_default(kind->type, doc, object);
	type_canonicalize(kind->type, doc, object);
}

const struct kind_content content_typed = {
	.check_types = check_types,
	.prune = prune,
	.complete = complete,
};
