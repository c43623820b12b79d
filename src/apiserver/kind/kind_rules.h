/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_rules.h - the ops of built-in kinds whose rules need nothing but documents. */
#ifndef APISERVER_KIND_RULES_H
#define APISERVER_KIND_RULES_H

#include "apiserver/kind/kind.h"

/* Goes by the row's `rules`. A kind with more to say than documents has a table of its own, whose
 * functions call these. */
extern const struct kind_ops kind_ruled;
/* The same if metadata.generation stays 1. */
extern const struct kind_ops kind_ruled_still;
/* The same if metadata.generation counts changes of annotations as well. */
extern const struct kind_ops kind_ruled_annotated;
/* ... labels too. */
extern const struct kind_ops kind_ruled_labelled;

int kind_ruled_prepare_create(struct call *call, struct json_doc *doc, struct json object,
			      struct err *err);
int kind_ruled_prepare_update(struct call *call, struct json_doc *doc, struct json object,
			      struct json old, struct err *err);
void kind_ruled_validate_create(struct call *call, struct json object, struct causes *causes);
void kind_ruled_validate_update(struct call *call, struct json object, struct json old,
				struct causes *causes);
void kind_ruled_warn(struct call *call, struct json object, struct json old);

/* The members of a table of its own that goes by the rules too: {KIND_RULED, .grace = ...} */
#define KIND_RULED                                                                                \
	.prepare_create = kind_ruled_prepare_create, .prepare_update = kind_ruled_prepare_update, \
	.validate_create = kind_ruled_validate_create,                                            \
	.validate_update = kind_ruled_validate_update, .warn = kind_ruled_warn

#endif
