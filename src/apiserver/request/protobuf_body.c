/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/protobuf_body.c - bodies in protobuf: which type a body is of, by what it says itself; the rest
 * is model/field/protobuf.h's. */
#include "apiserver/request/protobuf_body.h"

#include "apiserver/api_internal.h"
#include "model/core/binding.h"
#include "model/core/scale.h"
#include "model/core/status.h"
#include "model/field/protobuf.h"
#include "model/group/disruption.h"
#include "model/group/review.h"

#include "base/banned.h"

/* What is sent and not stored; the group it comes under does not matter. */
static const struct {
	const char *kind;
	const struct type *type;
} others[] = {
	{"Binding", &binding_type},
	{"DeleteOptions", &delete_options_type},
	{"Eviction", &eviction_type},
	{"Scale", &scale_type},
	{"TokenRequest", &token_request_type},
};

static const struct type *find_type(const struct call *call,
				    const struct protobuf_envelope *envelope)
{
	const struct kind *kind =
		kinds_find_kind(api_kinds(call->api), envelope->api_version, envelope->kind);

	for (size_t i = 0; !kind && i < ARRAY_LEN(others); i++)
		if (str_is(envelope->kind, others[i].kind))
			return others[i].type;
	return kind ? kind->type : NULL;
}

static void on_unknown(void *arg, struct str what)
{
	struct call *call = arg;

	vec_push(&call->body.odd_fields,
		 arena_printf(call->arena, "unknown field \"%.*s\"", STR_ARG(what)));
}

void protobuf_body_find(struct call *call, struct str body)
{
	struct protobuf_envelope envelope;
	struct err err;

	call->body.type_known = true;
	if (protobuf_open(body, &envelope, &err) == 0)
		call->body.type = find_type(call, &envelope);
}

struct json_doc *protobuf_body_read(struct call *call, struct str body, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct protobuf_envelope envelope;
	const struct type *type;

	if (protobuf_open(body, &envelope, err) < 0)
		return NULL;
	type = call->body.type_known ? call->body.type : find_type(call, &envelope);
	if (!type) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "no kind \"%.*s\" is registered for version \"%.*s\" in scheme "
			      "\"pkg/api/legacyscheme/scheme.go:30\"",
			      STR_ARG(envelope.kind), STR_ARG(envelope.api_version));
		return NULL;
	}
	doc = protobuf_decode(type, envelope.raw,
			      &(struct protobuf_options){.unknown = on_unknown, .arg = call}, err);
	if (!doc)
		return NULL;
	json_set_str(doc, json_doc_root(doc), "apiVersion", envelope.api_version);
	json_set_str(doc, json_doc_root(doc), "kind", envelope.kind);
	return TAKE(doc);
}
