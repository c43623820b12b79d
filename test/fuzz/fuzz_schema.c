/* SPDX-License-Identifier: Apache-2.0 */
/* A document of two parts, a schema and an object, through everything that a custom kind goes
 * through. What was pruned has nothing unknown; what a sound schema has filled in stays as it is the
 * second time. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "apiserver/crd/crd.h"
#include "apiserver/crd/schema.h"
#include "model/rules/causes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void refuse(void *arg, struct str path)
{
	(void)arg;
	(void)path;
	assert(!"nothing is unknown");
}

static void use(const struct schema *schema, struct json object, bool sound)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(object);
	AUTO(json_doc_unref) struct json_doc *again = NULL;
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct json root = json_doc_root(doc);

	schema_prune(schema, doc, root, NULL, NULL);
	schema_find_unknown(schema, root, refuse, NULL);
	schema_drop_nulls(schema, doc, root);
	schema_default(schema, doc, root);
	again = json_doc_thaw(root);
	schema_drop_nulls(schema, again, json_doc_root(again));
	schema_default(schema, again, json_doc_root(again));
	assert(!sound || json_eq(json_doc_root(again), root));
	schema_validate(schema, root, &causes);
	schema_validate_update(schema, root, object, &causes);
	schema_validate_status(schema, root, object, &causes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_options options = {.max_bytes = 64 * 1024, .max_depth = 64};
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *doc = json_parse(str_of((const char *)data, size), &options, &err);
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(causes_done) struct causes wrong = CAUSES_INIT;
	bool sound;
	struct json schema_json;
	struct json object;
	AUTO(schema_free) struct schema *schema = NULL;

	if (!doc)
		return 0;
	schema_json = json_get(json_doc_root(doc), "schema");
	object = json_get(json_doc_root(doc), "object");
	crd_validate(json_doc_root(doc), JSON_NONE, &causes);
	crd_validate_schema(schema_json, NULL, &wrong);
	sound = wrong.len == 0;
	if (!json_is(schema_json, JSON_OBJ) || !json_is(object, JSON_OBJ))
		return 0;
	schema = schema_new(schema_json, &err);
	if (schema)
		use(schema, object, sound);
	return 0;
}
