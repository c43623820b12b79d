/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/review.h - reviews of tokens and of access. */
#ifndef MODEL_REVIEW_H
#define MODEL_REVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct token_review_spec {
	struct str token;
	struct strs audiences;
};
extern const struct type token_review_spec_type;

struct token_review {
	struct token_review_spec spec;
};
extern const struct type token_review_type;

extern const struct type self_subject_review_type;

struct bound_object_reference {
	struct str kind;
	struct str api_version;
	struct str name;
	struct str uid;
};
extern const struct type bound_object_reference_type;

struct token_request_spec {
	struct strs audiences;
	struct opt_int64 expiration_seconds;
	const struct bound_object_reference *bound_object_ref;
};
extern const struct type token_request_spec_type;

struct token_request {
	struct token_request_spec spec;
};
extern const struct type token_request_type;

struct resource_attributes {
	struct str namespace;
	struct str verb;
	struct str group;
	struct str version;
	struct str resource;
	struct str subresource;
	struct str name;
};
extern const struct type resource_attributes_type;

struct non_resource_attributes {
	struct str path;
	struct str verb;
};
extern const struct type non_resource_attributes_type;

struct subject_access_review_spec {
	const struct resource_attributes *resource_attributes;
	const struct non_resource_attributes *non_resource_attributes;
	struct str user;
	struct strs groups;
	struct str uid;
};
extern const struct type subject_access_review_spec_type;

struct subject_access_review {
	struct subject_access_review_spec spec;
};
extern const struct type subject_access_review_type;

struct self_subject_access_review_spec {
	const struct resource_attributes *resource_attributes;
	const struct non_resource_attributes *non_resource_attributes;
};
extern const struct type self_subject_access_review_spec_type;

struct self_subject_access_review {
	struct self_subject_access_review_spec spec;
};
extern const struct type self_subject_access_review_type;

struct local_subject_access_review {
	struct subject_access_review_spec spec;
};
extern const struct type local_subject_access_review_type;

extern const struct type self_subject_rules_review_type;

#endif
