/* SPDX-License-Identifier: Apache-2.0 */
/* Any document through every operation of the field tables. What decodes, still decodes after its
 * view was written back, after defaults, and in canonical form; what is pruned has nothing unknown. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "model/core/meta.h"
#include "model/field/fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const colour_names[] = {"", "Red", "Green"};

struct part {
	struct str name;
	int32_t size;
};
struct thing {
	struct meta meta;
	struct opt_bool flag;
	int64_t number;
	double real;
	unsigned colour;
	struct quantity amount;
	int64_t wait;
	int64_t when;
	int64_t exactly;
	struct intstr port;
	struct json any;
	const struct part *one;
	VIEW_LIST(struct part) parts;
	struct resource_list resources;
	VIEW_MAP(struct strs) lists;
};

#define VIEW struct part
static const struct field part_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED, F_FORMAT(DNS_LABEL)},
	{"size", F_INT32, AT(size), F_DEFAULT("3"), F_RANGE(1, 9)},
	{"hidden", F_LABELS, F_KEYS(QUALIFIED)},
};
#undef VIEW
static const struct type part_type = {TYPE("Part", "v1", struct part, part_fields)};

#define VIEW struct thing
static const struct field thing_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"flag", F_BOOL, AT(flag)},
	{"number", F_INT64, AT(number), F_MIN(0), F_IMMUTABLE},
	{"real", F_DOUBLE, AT(real)},
	{"colour", F_ENUM(colour_names), AT(colour), F_OPEN},
	{"amount", F_QUANTITY, AT(amount), F_MAX(9)},
	{"wait", F_DURATION, AT(wait)},
	{"when", F_TIME, AT(when)},
	{"exactly", F_MICROTIME, AT(exactly)},
	{"port", F_INTSTR, AT(port), F_DEFAULT("http")},
	{"any", F_ANY, AT(any)},
	{"one", F_OBJECT(part), AT(one)},
	{"parts", F_LIST(F_OBJECT(part)), AT(parts), F_LIST_MAP("name"), F_MAX_LEN(3)},
	{"resources", F_RESOURCES, AT(resources)},
	{"lists", F_MAP(F_LIST(F_STR, F_MAX_LEN(3)), F_LIST_SET), AT(lists)},
	{"data", F_BYTES},
};
#undef VIEW
static const struct type thing_type = {TYPE("Thing", "v1", struct thing, thing_fields)};

static void never(void *arg, struct str path)
{
	(void)arg;
	(void)path;
	assert(!"an unknown field is left");
}

static void change(struct json root, struct arena *arena)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(root);
	struct json top = json_doc_root(doc);
	struct thing view;
	struct err err;

	assert(type_decode(&thing_type, root, arena, &view, &err) == 0);
	type_canonicalize(&thing_type, doc, top);
	assert(type_decode(&thing_type, top, arena, &view, &err) == 0);
	type_encode(&thing_type, &view, doc, top);
	assert(type_decode(&thing_type, top, arena, &view, &err) == 0);
	type_default(&thing_type, doc, top);
	assert(type_decode(&thing_type, top, arena, &view, &err) == 0);
	type_prune(&thing_type, doc, top, NULL, NULL);
	type_prune(&thing_type, NULL, top, never, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = json_parse(str_of((const char *)data, size), NULL, NULL);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	static const struct meta_rules rules = {true, NAME_DNS_SUBDOMAIN, true};
	struct thing view;
	struct err err;

	if (!doc)
		return 0;
	if (type_check_types(&thing_type, json_doc_root(doc), &err) == 0 &&
	    json_is(json_doc_root(doc), JSON_OBJ)) {
		type_validate(&thing_type, json_doc_root(doc), &causes);
		type_validate_update(&thing_type, JSON_NONE, json_doc_root(doc), &causes);
		meta_validate(json_get(json_doc_root(doc), "metadata"), &rules, NULL, &causes);
		change(json_doc_root(doc), arena);
	} else {
		(void)!type_decode(&thing_type, json_doc_root(doc), arena, &view, &err);
	}
	return 0;
}
