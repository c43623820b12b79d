/* SPDX-License-Identifier: Apache-2.0 */
/* Object metadata and conditions. The rules' messages were recorded from kube-apiserver 1.34. */
#include "model/core/meta.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/time.h"
#include "model/core/conditions.h"
#include "tap.h"

static struct json_doc *parse(const char *text)
{
	struct err err = {0};
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	if (!doc)
		ok(false, "%s parses: %s", text, err.text);
	return doc;
}

static void test_decode(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref)
	struct json_doc *doc = parse(
		"{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"7\","
		"\"generation\":3,\"creationTimestamp\":\"2026-01-02T03:04:05Z\","
		"\"deletionTimestamp\":"
		"null,\"deletionGracePeriodSeconds\":0,\"labels\":{\"b\":\"1\",\"a\":\"2\"},"
		"\"annotations\":{\"x\":\"y\"},\"finalizers\":[\"f/"
		"g\"],\"ownerReferences\":[{\"kind\":"
		"\"K\",\"name\":\"k\",\"uid\":\"1\"},{\"kind\":\"C\",\"name\":\"c\",\"uid\":\"2\","
		"\"controller\":true}],\"managedFields\":[{\"fieldsV1\":{\"f:x\":{}}}]}");
	AUTO(json_doc_unref) struct json_doc *out = json_doc_new();
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	struct meta meta;
	struct meta bare = {.name = STR("q")};

	is(type_check(&meta_type, arena), NULL);
	ok(type_decode(&meta_type, json_doc_root(doc), arena, &meta, NULL) == 0, "decodes");
	ok(meta.generation == 3 && meta.creation_timestamp && !meta_is_deleting(&meta) &&
		   meta.deletion_grace_period_seconds.set && str_is(meta.labels.ptr[0].key, "a"),
	   "what it has");
	meta_print_key(&meta, &key);
	is(buf_text(&key), "n/a");
	buf_clear(&key);
	meta_print_key(&bare, &key);
	is(buf_text(&key), "q");
	ok(meta_controller(&meta) && str_is(meta_controller(&meta)->name, "c") &&
		   !meta_controller(&bare),
	   "its controller");
	ok(meta_has_finalizer(&meta, STR("f/g")) && !meta_has_finalizer(&meta, STR("g")),
	   "its finalizers");
	AUTO(mem_free)
	char *text = json_text(type_encode_new(&meta_type, &bare, out), JSON_COMPACT);

	is(text, "{\"name\":\"q\"}");
}

static void check(const char *text, const struct causes *causes, const char *want)
{
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
	bool same;

	for (size_t k = 0; k < causes->len; k++) {
		struct str message = str_from(causes->ptr[k].message);
		ptrdiff_t regex = str_find(message, STR(" (e.g."), 0);

		if (regex >= 0)
			message = str_slice(message, 0, (size_t)regex);
		buf_printf(&got, "%s%s: %.*s", k ? "\n" : "", causes->ptr[k].field,
			   STR_ARG(message));
	}
	same = strcmp(buf_text(&got), want) == 0;
	ok(same, "%s", text);
	if (!same)
		printf("# got  %s\n# want %s\n", buf_text(&got), want);
}

static const struct meta_rules pod_rules = {true, NAME_DNS_SUBDOMAIN, true};
static const struct meta_rules node_rules = {false, NAME_DNS_SUBDOMAIN, true};
static const struct meta_rules custom_rules = {true, NAME_DNS_SUBDOMAIN, false};

static const struct {
	const struct meta_rules *rules;
	const char *meta, *want;
} rule_rows[] = {
	{&pod_rules, "{\"name\":\"a\",\"namespace\":\"n\"}", ""},
	{&pod_rules, "{\"namespace\":\"n\"}",
	 "metadata.name: Required value: name or generateName is required"},
	{&pod_rules, "{\"name\":\"a\"}", "metadata.namespace: Required value"},
	{&node_rules, "{\"name\":\"a\",\"namespace\":\"n\"}",
	 "metadata.namespace: Forbidden: not allowed on this type"},
	{&pod_rules, "{\"name\":\"a\",\"namespace\":\"a.b\"}",
	 "metadata.namespace: Invalid value: \"a.b\": must not contain dots"},
	{&pod_rules, "{\"name\":\"Bad_x\",\"generateName\":\"Bad_\",\"namespace\":\"n\"}",
	 "metadata.generateName: Invalid value: \"Bad_\": a lowercase RFC 1123 subdomain "
	 "must "
	 "consist of lower case alphanumeric characters, '-' or '.', and must start and "
	 "end "
	 "with an alphanumeric character\n"
	 "metadata.name: Invalid value: \"Bad_x\": a lowercase RFC 1123 subdomain must "
	 "consist "
	 "of lower case alphanumeric characters, '-' or '.', and must start and end with "
	 "an "
	 "alphanumeric character"},
	{&pod_rules, "{\"name\":\"a\",\"namespace\":\"n\",\"generation\":-1}",
	 "metadata.generation: Invalid value: -1: must be greater than or equal to 0"},
	{&pod_rules, "{\"name\":\"a\",\"namespace\":\"n\",\"labels\":{\"/x\":\"-\"}}",
	 "metadata.labels: Invalid value: \"/x\": prefix part must be non-empty\n"
	 "metadata.labels: Invalid value: \"-\": a valid label must be an empty string or "
	 "consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
	 "an "
	 "alphanumeric character"},
	{&pod_rules,
	 "{\"name\":\"a\",\"namespace\":\"n\",\"annotations\":{\"UPPER.com/x\":\"any "
	 "text\",\"/Y\":\"\"}}",
	 "metadata.annotations: Invalid value: \"/Y\": prefix part must be non-empty"},
	{&pod_rules, "{\"name\":\"a\",\"namespace\":\"n\",\"finalizers\":[\"nodomain\"]}",
	 "metadata.finalizers[0]: Invalid value: \"nodomain\": name is neither a standard "
	 "finalizer name nor is it fully qualified"},
	{&custom_rules, "{\"name\":\"a\",\"namespace\":\"n\",\"finalizers\":[\"nodomain\"]}", ""},
	{&pod_rules,
	 "{\"name\":\"a\",\"namespace\":\"n\",\"finalizers\":[\"orphan\","
	 "\"foregroundDeletion\"]}",
	 "metadata.finalizers: Invalid value: [\"orphan\",\"foregroundDeletion\"]: "
	 "finalizer "
	 "orphan and foregroundDeletion cannot be both set"},
	{&pod_rules, "{\"name\":\"a\",\"namespace\":\"n\",\"finalizers\":[\"/x\"]}",
	 "metadata.finalizers: Invalid value: \"/x\": prefix part must be non-empty"},
	{&pod_rules, "{\"name\":\"a\",\"namespace\":\"n\",\"ownerReferences\":[{}]}",
	 "metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be "
	 "empty\n"
	 "metadata.ownerReferences.kind: Invalid value: \"\": must not be empty\n"
	 "metadata.ownerReferences.name: Invalid value: \"\": must not be empty\n"
	 "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"},
	{&pod_rules,
	 "{\"name\":\"a\",\"namespace\":\"n\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
	 "\"kind\":\"Event\",\"name\":\"p\",\"uid\":\"1\"}]}",
	 "metadata.ownerReferences: Invalid value: "
	 "{\"apiVersion\":\"v1\",\"kind\":\"Event\","
	 "\"name\":\"p\",\"uid\":\"1\"}: /v1, Kind=Event is disallowed from being an "
	 "owner"},
	{&pod_rules,
	 "{\"name\":\"a\",\"namespace\":\"n\",\"ownerReferences\":[{\"apiVersion\":\"a/\","
	 "\"kind\":\"K\",\"name\":\"p\",\"uid\":\"1\"}]}",
	 "metadata.ownerReferences.apiVersion: Invalid value: \"a/\": version must not be "
	 "empty"},
	{&pod_rules,
	 "{\"name\":\"a\",\"namespace\":\"n\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
	 "\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"1\",\"controller\":true},"
	 "{\"apiVersion\":\"g/v1\",\"kind\":\"Pod\",\"name\":\"q\",\"uid\":\"2\","
	 "\"controller\":true}]}",
	 "metadata.ownerReferences: Invalid value: "
	 "[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
	 "\"name\":\"p\",\"uid\":\"1\",\"controller\":true},{\"apiVersion\":\"g/"
	 "v1\",\"kind\":"
	 "\"Pod\",\"name\":\"q\",\"uid\":\"2\",\"controller\":true}]: Only one reference "
	 "can have "
	 "Controller set to true. Found \"true\" in references for Pod/p and Pod/q"},
	{&pod_rules,
	 "{\"name\":\"a\",\"namespace\":\"n\",\"managedFields\":[{\"operation\":\"X\","
	 "\"fieldsType\":\"Y\"}]}",
	 "metadata.managedFields[0].operation: Invalid value: \"X\": must be `Apply` or "
	 "`Update`\n"
	 "metadata.managedFields[0].fieldsType: Invalid value: \"Y\": must be `FieldsV1`"},
};

static void test_rules(void)
{
	struct path metadata = path_member(NULL, STR("metadata"));

	for (size_t i = 0; i < ARRAY_LEN(rule_rows); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = parse(rule_rows[i].meta);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		meta_validate(json_doc_root(doc), rule_rows[i].rules, &metadata, &causes);
		check(rule_rows[i].meta, &causes, rule_rows[i].want);
	}
}

static void test_large(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(mem_free) char *large = mem_alloc(256 * 1024 + 1);
	struct json meta = json_new_obj(doc);
	struct json annotations = json_new_obj(doc);
	struct json managed = json_new_arr(doc);
	struct json entry = json_new_obj(doc);

	memset(large, 'x', 256 * 1024);
	json_set_str(doc, annotations, "a", str_of(large, 256 * 1024));
	json_set_str(doc, entry, "operation", STR("Apply"));
	json_set_str(doc, entry, "manager", str_of(large, 129));
	json_append(doc, managed, entry);
	json_set_str(doc, meta, "name", STR("a"));
	json_set_str(doc, meta, "namespace", STR("a"));
	json_set(doc, meta, STR("annotations"), annotations);
	json_set(doc, meta, STR("managedFields"), managed);
	meta_validate(meta, &pod_rules, NULL, &causes);
	check("too much text", &causes,
	      "annotations: Too long: may not be more than 262144 bytes\n"
	      "managedFields[0].manager: Too long: may not be more than 128 bytes");
}

static void test_updates(void)
{
	static const struct {
		const char *old, *meta, *want;
	} rows[] = {
		{"{\"name\":\"a\",\"uid\":\"1\"}",
		 "{\"name\":\"a\",\"uid\":\"1\",\"resourceVersion\":"
		 "\"1\",\"namespace\":\"\"}",
		 ""},
		{"{\"name\":\"a\"}", "{\"name\":\"a\"}",
		 "metadata.resourceVersion: Invalid value: 0: must be specified for an update"},
		{"{\"name\":\"a\",\"uid\":\"1\",\"generation\":2}",
		 "{\"name\":\"b\",\"uid\":\"2\",\"generation\":1,\"resourceVersion\":\"1\"}",
		 "metadata.generation: Invalid value: 1: must not be decremented\n"
		 "metadata.name: Invalid value: \"b\": field is immutable\n"
		 "metadata.uid: Invalid value: \"2\": field is immutable"},
		{"{\"deletionTimestamp\":\"2026-01-02T03:04:05Z\",\"finalizers\":[\"a.com/x\"]}",
		 "{\"deletionTimestamp\":\"2026-01-02T03:04:05Z\",\"finalizers\":[\"a.com/"
		 "x\",\"c.com/z\","
		 "\"b.com/y\",\"c.com/z\"],\"resourceVersion\":\"1\"}",
		 "metadata.finalizers: Forbidden: no new finalizers can be added if the object is "
		 "being "
		 "deleted, found new finalizers []string{\"b.com/y\", \"c.com/z\"}"},
		{"{\"deletionTimestamp\":\"2026-01-02T03:04:05Z\",\"finalizers\":[\"a.com/x\"]}",
		 "{\"deletionTimestamp\":\"2026-01-02T03:04:05Z\",\"resourceVersion\":\"1\"}", ""},
		{"{}", "{\"finalizers\":[\"x\"],\"resourceVersion\":\"1\"}",
		 "metadata.finalizers[0]: Invalid value: \"x\": name is neither a standard "
		 "finalizer name "
		 "nor is it fully qualified"},
	};
	struct path metadata = path_member(NULL, STR("metadata"));

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref) struct json_doc *old = parse(rows[i].old);
		AUTO(json_doc_unref) struct json_doc *new = parse(rows[i].meta);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		meta_validate_update(json_doc_root(old), json_doc_root(new), &pod_rules, &metadata,
				     &causes);
		check(rows[i].meta, &causes, rows[i].want);
	}
}

static void test_conditions(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json list = json_new_arr(doc);
	struct condition ready = {.type = STR("Ready"),
				  .status = STR("False"),
				  .reason = STR("R"),
				  .message = STR("m")};
	struct condition made[2];
	struct conditions conditions = {made, 2};
	struct condition other = {
		.type = STR("Other"), .status = STR("True"), .observed_generation = {true, 4}};

	is(type_check(&condition_type, arena), NULL);
	ok(conditions_set(doc, list, &ready, TIME_DAY), "a new condition");
	ok(!conditions_set(doc, list, &ready, 2 * TIME_DAY), "the same again is no change");
	json_set_str(doc, json_at(list, 0), "transitionID", STR("keep"));
	ready.message = STR("n");
	ok(conditions_set(doc, list, &ready, 2 * TIME_DAY), "another message is one");
	is(json_str(json_get(json_at(list, 0), "lastTransitionTime")).ptr, "1970-01-02T00:00:00Z");
	ready.status = STR("True");
	ok(conditions_set(doc, list, &ready, 3 * TIME_DAY), "another status too");
	is(json_str(json_get(json_at(list, 0), "lastTransitionTime")).ptr, "1970-01-04T00:00:00Z");
	is(json_str(json_get(json_at(list, 0), "transitionID")).ptr, "keep");
	ok(conditions_set(doc, list, &other, TIME_DAY) && json_len(list) == 2, "a second one");
	ok(!conditions_set(doc, list, &other, TIME_DAY), "with a generation");
	for (size_t i = 0; i < 2; i++)
		ok(type_decode(&condition_type, json_at(list, i), arena, &made[i], NULL) == 0,
		   "decodes");
	ok(conditions_has(&conditions, STR("Ready"), STR("True")) &&
		   !conditions_has(&conditions, STR("Ready"), STR("False")) &&
		   !conditions_find(&conditions, STR("None")) &&
		   conditions_find(&conditions, STR("Other"))->observed_generation.value == 4,
	   "finds them");
	ok(conditions_remove(doc, list, STR("Ready")) && json_len(list) == 1 &&
		   !conditions_remove(doc, list, STR("Ready")),
	   "takes one out");
}

int main(void)
{
	test_decode();
	test_rules();
	test_large();
	test_updates();
	test_conditions();
	return tap_done();
}
