/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/protobuf.h - objects as Kubernetes' Go clients send them: protobuf, read into a document.
 *
 * kubectl from 1.32 on creates objects this way, and so do most controllers. The field tables
 * describe the fields; only their wire numbers are here (protobuf_core.c, protobuf_rows.c), one
 * line per type. */
#ifndef MODEL_PROTOBUF_H
#define MODEL_PROTOBUF_H

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"

/* What an object is wrapped in. Views into the text. */
struct protobuf_envelope {
	struct str api_version;
	struct str kind;
	struct str raw;
};

/* ERR_BAD_REQUEST if it is not such a message. */
int protobuf_open(struct str text, struct protobuf_envelope *ret, struct err *err) MUST_CHECK;

/* Called for a number without a field, as "#7 of PodSpec"; the value is skipped, as in upstream. */
typedef void protobuf_unknown_fn(void *arg, struct str what);
struct protobuf_options {
	protobuf_unknown_fn *unknown; /* may be NULL */
	void *arg;
};

/* A new document whose root is the object, without apiVersion and kind. ERR_BAD_REQUEST if the
 * bytes are not a message of this type, or the type has no wire numbers. */
struct json_doc *protobuf_decode(const struct type *type, struct str raw,
				 const struct protobuf_options *options,
				 struct err *err) MUST_CHECK;

/* --- the numbers --- */

/* Of a type: its fields in order of their numbers, from 1 on; "7:name" goes on at 7. "@Type" stands
 * for the fields of that type, which in JSON are members of the same object. */
struct protobuf_message {
	const char *name;
	const char *fields;
};
struct protobuf_group {
	const char *group; /* as the field table has it: "io.k8s.api.core" */
	const struct protobuf_message *messages;
	size_t count;
	const char *package; /* of one version alone: "v2"; NULL: of every version */
};

extern const struct protobuf_group protobuf_core;
/* The message of a type, or of another type of the same version; NULL if it is not known. */
const struct protobuf_message *protobuf_find(const struct type *type, struct str name);
/* The name with this number, or none; "@Type" unchanged. */
struct str protobuf_field(const struct protobuf_message *message, uint64_t number);

#endif
