/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in protobuf: what kubectl sends, what is broken, and that every field of every built-in
 * kind has its number. */
#include "apiserver/request/protobuf_body.h"

#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/kind/kind_rows.h"
#include "apiserver/request/call.h"
#include "apiserver/store/store.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "model/core/binding.h"
#include "model/core/scale.h"
#include "model/field/fields.h"
#include "model/field/protobuf.h"
#include "model/group/disruption.h"
#include "model/group/review.h"
#include "tap.h"

/* --- every field has a number ---------------------------------------------------------------- */

static bool has_number(const struct type *type, const struct protobuf_message *message,
		       struct str name)
{
	for (uint64_t number = 1; number < 64; number++) {
		struct str field = protobuf_field(message, number);
		const struct protobuf_message *inlined;

		if (str_eq(field, name))
			return true;
		if (!str_starts(field, STR("@")))
			continue;
		inlined = protobuf_find(type, str_skip(field, 1));
		if (inlined && has_number(type, inlined, name))
			return true;
	}
	return false;
}

struct walk {
	VEC(const struct type *) seen;
	size_t fields;
	size_t missing;
};

static void walk_type(struct walk *walk, const struct type *type)
{
	const struct protobuf_message *message = protobuf_find(type, str_from(type->name));

	for (size_t i = 0; i < walk->seen.len; i++)
		if (walk->seen.ptr[i] == type)
			return;
	vec_push(&walk->seen, type);
	if (!message) {
		printf("#   %s has no numbers\n", type->name);
		walk->missing++;
		return;
	}
	for (size_t i = 0; i < type->count; i++) {
		const struct field *field = &type->fields[i];
		struct str name = str_from(field->name);

		if (str_is(name, "apiVersion") && type_find(type, STR("metadata"), &(size_t){0}))
			continue; /* in the envelope */
		if (str_is(name, "kind") && type_find(type, STR("metadata"), &(size_t){0}))
			continue;
		if (strcmp(type->name, "DeleteOptions") == 0 &&
		    (str_is(name, "kind") || str_is(name, "apiVersion")))
			continue; /* the same here */
		walk->fields++;
		if (!has_number(type, message, name)) {
			printf("#   %s.%s has no number\n", type->name, field->name);
			walk->missing++;
		}
		while (field->of)
			field = field->of;
		if (field->is == FIELD_OBJECT)
			walk_type(walk, field->type);
	}
}

/* What is sent to sub-resources, and not stored. */
static const struct type *const not_kept[] = {&binding_type, &eviction_type, &scale_type,
					      &token_request_type};

static void test_numbers(void)
{
	AUTO(kinds_free) struct kinds *kinds = kinds_new(1);
	struct walk walk = {0};
	const struct kind *kind;
	size_t at = 0;

	kind_rows_add(kinds);
	while ((kind = kinds_next(kinds, &at)))
		if (kind->type && !str_is(kind->group, "apiextensions.k8s.io"))
			walk_type(&walk, kind->type);
	for (size_t i = 0; i < ARRAY_LEN(not_kept); i++)
		walk_type(&walk, not_kept[i]);
	ok(walk.missing == 0, "%zu fields of %zu types have their numbers", walk.fields,
	   walk.seen.len);
	vec_done(&walk.seen);
}

/* --- bodies ---------------------------------------------------------------------------------- */

/* Written as Go clients do: what is empty and no pointer is there, too. */
static const struct {
	const char *what, *bytes;
	size_t len;
	const char *want; /* JSON, or what is wrong */
} rows[] = {
#define BYTES(text) text, sizeof(text) - 1
	{"a namespace of kubectl",
	 BYTES("k8s\0\x0a\x0f\x0a\x02v1\x12\x09Namespace\x12\x19\x0a\x11\x0a\x01"
	       "a\x12\0\x1a\0\"\0*\0"
	       "2\0"
	       "8\0"
	       "B\0\x12\0\x1a\x02\x0a\0\x1a\0\"\0"),
	 "{\"metadata\":{\"name\":\"a\",\"generateName\":\"\",\"namespace\":\"\",\"selfLink\":\"\","
	 "\"uid\":\"\",\"resourceVersion\":\"\",\"generation\":0,\"creationTimestamp\":null},"
	 "\"spec\":{},\"status\":{\"phase\":\"\"},\"apiVersion\":\"v1\",\"kind\":\"Namespace\"}"},
	{"a config map with both maps",
	 BYTES("k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
	       "ConfigMap\x12\x16\x0a\x03\x0a\x01m\x12\x06\x0a\x01k\x12\x01v\x1a\x05\x0a\x01"
	       "b\x12\0 \0"),
	 "{\"metadata\":{\"name\":\"m\"},\"data\":{\"k\":\"v\"},\"binaryData\":{\"b\":\"\"},"
	 "\"immutable\":false,\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}"},
	{"options of a removal",
	 BYTES("k8s\0\x0a\x13\x0a\x02v1\x12\x0d"
	       "DeleteOptions\x12\x0c\x08\x05\x12\x03\x0a\x01u*\x03"
	       "All"),
	 "{\"gracePeriodSeconds\":5,\"preconditions\":{\"uid\":\"u\"},\"dryRun\":[\"All\"],"
	 "\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"}"},
	{"a request for a token, bound to a pod",
	 BYTES("k8s\0\x0a\x28\x0a\x18"
	       "authentication.k8s.io/v1\x12\x0cTokenRequest\x12\x19\x0a\0\x12\x13\x0a\x01"
	       "a\x1a\x0c\x0a\x03"
	       "Pod\x12\0\x1a\x01p\"\0 \x08\x1a\0"),
	 "{\"metadata\":{},\"spec\":{\"audiences\":[\"a\"],\"boundObjectRef\":{\"kind\":\"Pod\","
	 "\"apiVersion\":\"\",\"name\":\"p\",\"uid\":\"\"},\"expirationSeconds\":8},\"status\":{},"
	 "\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\"}"},
	{"no magic", BYTES("{}"),
	 "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"},
	{"cut off", BYTES("k8s\0\x0a\x0f\x0a\x02v1"), "unexpected EOF"},
	{"a length beyond the end",
	 BYTES("k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
	       "ConfigMap\x12\x04\x0a\x7f\x0a\x01"),
	 "unexpected EOF"},
	{"a number where a message belongs",
	 BYTES("k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
	       "ConfigMap\x12\x02\x08\x01"),
	 "metadata: proto: wrong wireType for a text"},
	{"another kind", BYTES("k8s\0\x0a\x0b\x0a\x02v9\x12\x05Thing\x12\0"),
	 "no kind \"Thing\" is registered for version \"v9\" in scheme "
	 "\"pkg/api/legacyscheme/scheme.go:30\""},
#undef BYTES
};

static void test_bodies(struct api *api)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(call_free) struct call *call = call_new(api, NULL, NULL);
		struct err err = {0};
		AUTO(json_doc_unref)
		struct json_doc *doc =
			protobuf_body_read(call, str_of(rows[i].bytes, rows[i].len), &err);
		AUTO(mem_free)
		char *text = doc ? json_text(json_doc_root(doc), JSON_COMPACT) : NULL;

		printf("# %s\n", rows[i].what);
		is(doc ? text : err.text, rows[i].want);
		ok(call->body.odd_fields.len == 0, "nothing in it is unknown");
	}
}

int main(void)
{
	struct err err;
	AUTO(loop_free) struct loop *loop = loop_new_virtual(1, 0, &err);
	AUTO(store_close) struct store *store = store_open(loop, &(struct store_options){0}, &err);
	AUTO(api_free)
	struct api *api = api_new(&(struct api_options){.loop = loop, .store = store});

	test_numbers();
	test_bodies(api);
	return tap_done();
}
