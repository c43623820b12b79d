/* SPDX-License-Identifier: Apache-2.0 */
/* The field table mechanism, on a small type that has a row of every class. */
#include "model/field/fields.h"

#include "base/macro.h"
#include "base/mem.h"
#include "base/time.h"
#include "tap.h"

enum colour { COLOUR_NONE, COLOUR_RED, COLOUR_GREEN };
static const char *const colour_names[] = {"", "Red", "Green"};

struct wheel {
	struct str name;
	int32_t size;
	struct str material;
};

struct axle {
	int64_t load;
	struct opt_int32 width;
};

struct cart {
	struct str name;
	bool open;
	struct opt_bool locked;
	int32_t seats;
	int64_t mass;
	struct opt_int64 serial;
	double ratio;
	enum colour colour;
	enum colour mood;
	struct quantity volume;
	const struct quantity *limit;
	int64_t timeout;
	struct opt_int64 grace;
	int64_t made;
	int64_t seen;
	struct intstr port;
	struct json extra;
	struct axle front;
	const struct axle *rear;
	VIEW_LIST(struct wheel) wheels;
	struct strs tags;
	struct labels labels;
	struct resource_list resources;
	VIEW_MAP(struct axle) axles;
	VIEW_MAP(struct strs) plugins;
	struct str data;
};

struct box {
	struct str kind;
	struct cart spec;
};

#define VIEW struct wheel
static const struct field wheel_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED, F_FORMAT(DNS_LABEL)},
	{"size", F_INT32, AT(size), F_MIN(1)},
	{"material", F_STR, AT(material), F_DEFAULT("wood")},
	{"hub", F_STR},
};
#undef VIEW
static const struct type wheel_type = {
	TYPE("Wheel", "v1", struct wheel, wheel_fields),
	.group = "io.test",
};

#define VIEW struct axle
static const struct field axle_fields[] = {
	{"load", F_INT64, AT(load), F_MAX(100)},
	{"width", F_INT32, AT(width), F_DEFAULT("7")},
};
#undef VIEW
static const struct type axle_type = {TYPE("Axle", "v1", struct axle, axle_fields)};

#define VIEW struct cart
static const struct field cart_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED, F_MAX_LEN(8), F_IMMUTABLE},
	{"open", F_BOOL, AT(open)},
	{"locked", F_BOOL, AT(locked)},
	{"seats", F_INT32, AT(seats), F_DEFAULT("4"), F_RANGE(1, 100)},
	{"mass", F_INT64, AT(mass)},
	{"serial", F_INT64, AT(serial), F_IMMUTABLE},
	{"ratio", F_DOUBLE, AT(ratio)},
	{"colour", F_ENUM(colour_names), AT(colour), F_DEFAULT("Red")},
	{"mood", F_ENUM(colour_names), AT(mood), F_OPEN},
	{"volume", F_QUANTITY, AT(volume), F_RANGE(0, 1000)},
	{"limit", F_QUANTITY, AT(limit)},
	{"timeout", F_DURATION, AT(timeout)},
	{"grace", F_DURATION, AT(grace)},
	{"made", F_TIME, AT(made)},
	{"seen", F_MICROTIME, AT(seen)},
	{"port", F_INTSTR, AT(port), F_DEFAULT("http")},
	{"extra", F_ANY, AT(extra)},
	{"front", F_OBJECT(axle), AT(front)},
	{"rear", F_OBJECT(axle), AT(rear)},
	{"wheels", F_LIST(F_OBJECT(wheel)), AT(wheels), F_LIST_MAP("name"), F_MERGE_KEY("name"),
	 F_MAX_LEN(4), F_MIN_LEN(1), F_DOC("what it rolls on")},
	{"tags", F_LIST(F_STR, F_MAX_LEN(3)), AT(tags), F_LIST_SET, F_MERGE},
	{"labels", F_LABELS, AT(labels), F_KEYS(QUALIFIED)},
	{"resources", F_RESOURCES, AT(resources)},
	{"axles", F_MAP(F_OBJECT(axle)), AT(axles)},
	{"plugins", F_MAP(F_LIST(F_STR)), AT(plugins)},
	{"data", F_BYTES, AT(data)},
	{"free", F_OBJECT(axle), F_PRESERVE},
	{"hidden", F_OBJECT(wheel), F_RETAIN_KEYS},
	{"ports", F_LIST(F_OBJECT(wheel)), F_LIST_MAP("name", "size")},
	{"always", F_LIST(F_STR, F_REQUIRED), F_ALWAYS, F_NULLABLE, F_DEFAULT("[]")},
};
#undef VIEW
static const struct type cart_type = {TYPE("Cart", "v1", struct cart, cart_fields)};

#define VIEW struct box
static const struct field box_fields[] = {
	{"apiVersion", F_STR},
	{"kind", F_STR, AT(kind)},
	{"spec", F_OBJECT(cart), AT(spec)},
};
#undef VIEW
static void box_validate(struct json object, const struct path *path, struct causes *causes)
{
	struct path spec = path_member(path, STR("spec"));

	if (json_bool(json_get(json_get(object, "spec"), "open")) &&
	    json_bool(json_get(json_get(object, "spec"), "locked")))
		causes_forbidden(causes, &spec, "open and locked");
}
static void box_fill(struct json_doc *doc, struct json object)
{
	if (json_is_absent(json_get(object, "kind")))
		json_set_str(doc, object, "kind", STR("Box"));
}
static const struct type box_type = {
	TYPE("Box", "v1", struct box, box_fields),
	.validate = box_validate,
	.fill = box_fill,
};

static const struct type tree_type;
static const struct field tree_fields[] = {
	{"child", F_OBJECT(tree)},
	{"children", F_LIST(F_OBJECT(tree))},
};
static const struct type tree_type = {TYPE_KNOWN("Tree", "v1", tree_fields)};

static const char full[] =
	"{\"kind\":\"Box\",\"spec\":{\"name\":\"a\",\"open\":true,\"locked\":false,\"seats\":2,"
	"\"mass\":5000000000,\"serial\":0,\"ratio\":1.5,\"colour\":\"Green\",\"mood\":\"Sad\","
	"\"volume\":\"1.5\",\"limit\":10,\"timeout\":\"1h30m\",\"grace\":\"100ms\","
	"\"made\":\"2026-01-02T03:04:05Z\",\"seen\":\"2026-01-02T03:04:05.000007Z\",\"port\":80,"
	"\"extra\":{\"x\":[1]},\"front\":{\"load\":3},\"rear\":{\"load\":4,\"width\":5},"
	"\"wheels\":[{\"name\":\"l\",\"hub\":\"h\",\"odd\":1},{\"name\":\"r\",\"size\":2}],"
	"\"tags\":[\"b\",\"a\"],\"labels\":{\"z\":\"1\",\"a\":\"2\"},"
	"\"resources\":{\"memory\":\"1Gi\",\"cpu\":\"100m\"},\"axles\":{\"m\":{\"load\":1}},"
	"\"plugins\":{\"svc\":[\"-a\",\"-b\"],\"env\":[]},\"data\":\"aGk=\",\"unknown\":{\"u\":1}}"
	"}";

static struct json_doc *parse(const char *text)
{
	struct err err = {0};
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	if (!doc)
		ok(false, "%s parses: %s", text, err.text);
	return doc;
}

static bool same(struct json got, const char *want)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse(want);
	AUTO(mem_free) char *text = json_text(got, JSON_COMPACT);
	bool equal = json_eq(got, json_doc_root(doc));

	if (!equal)
		printf("# got  %s\n# want %s\n", text, want);
	return equal;
}

static void test_tables(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	size_t hint = 0;

	is(type_check(&box_type, arena), NULL);
	is(type_check(&tree_type, arena), NULL);
	ok(type_find(&cart_type, STR("mass"), &hint) == &cart_fields[4] && hint == 5,
	   "finds a row");
	ok(type_find(&cart_type, STR("name"), &hint) == &cart_fields[0], "wraps around");
	ok(!type_find(&cart_type, STR("mas"), NULL) && !type_find(&cart_type, STR("masses"), NULL),
	   "takes no part of a name");
	ok(!type_find(&cart_type, STR(""), NULL), "nor an empty one");
	ok(!type_find(&cart_type, STR("mass\0 and much more after it"), NULL) &&
		   !type_find(&cart_type, STR("mass\0"), NULL),
	   "nor one with something after a NUL");
}

#define VIEW struct axle
static const struct {
	struct field row;
	const char *want;
} bad_tables[] = {
	{{"a", .is = FIELD_NONE}, "T.a: has no class"},
	{{"a", F_STR, AT(load)}, "T.a: is held by a member of the wrong type"},
	{{"a", F_INT32, AT(load)}, "T.a: is held by a member of the wrong type"},
	{{"a", .is = FIELD_OBJECT}, "T.a: is an object without a type, or the other way round"},
	{{"a", .is = FIELD_LIST}, "T.a: is a list or map without elements, or the other way round"},
	{{"a", F_LIST(.is = FIELD_MAP)},
	 "T.a: is a list or map without elements, or the other way round"},
	{{"a", .is = FIELD_ENUM}, "T.a: is an enum without names, or the other way round"},
	{{"a", F_INT64, AT(load), F_DEFAULT("x")}, "T.a: has a default that is no value of it"},
	{{"a", F_ENUM(colour_names), F_DEFAULT("Blue")},
	 "T.a: has a default that is not among its names"},
	{{"a", F_LIST(F_OBJECT(wheel)), F_LIST_MAP("nome")},
	 "T.a: has a list key that its elements do not have"},
	{{"a", F_LIST(F_OBJECT(wheel)), .list_type = FIELD_LIST_MAP},
	 "T.a: is a map-list without keys"},
	{{"a", F_LIST(F_STR), F_MERGE_KEY("x")},
	 "T.a: has a merge key that its elements do not have"},
	{{"b", F_STR}, "T.b: is there twice"},
	{{"a", F_OBJECT(tree), .held = FIELD_HELD_POINTER, .size = 8},
	 "T.a: is in the view, but its type has none"},
	{{"a", F_OBJECT(wheel), .held = FIELD_HELD_STRUCT, .size = 8},
	 "T.a: is held by a struct of the wrong size"},
	{{"a", F_LIST(F_STR), .held = FIELD_HELD_STRUCT, .size = 8},
	 "T.a: is not held by a list or map of a view"},
	{{"a", F_INT64, .held = FIELD_HELD_INT64, .size = 8, .at = 4096},
	 "T.a: is outside of the view"},
};

static void test_bad_tables(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	for (size_t i = 0; i < ARRAY_LEN(bad_tables); i++) {
		struct field fields[] = {{"b", F_STR}, bad_tables[i].row};
		struct type type = {TYPE("T", "v1", struct axle, fields)};

		is(type_check(&type, arena), bad_tables[i].want);
	}
}
#undef VIEW

static void check_full(const struct cart *c)
{
	int64_t made;

	ok(str_is(c->name, "a") && c->open && c->locked.set && !c->locked.value, "name, bools");
	ok(c->seats == 2 && c->mass == 5000000000 && c->serial.set && c->serial.value == 0,
	   "integers");
	ok(c->ratio > 1.4 && c->ratio < 1.6 && c->colour == COLOUR_GREEN && (int)c->mood == 3,
	   "real, enum, unknown text in an open enum");
	ok(quantity_milli(&c->volume) == 1500 && c->limit && quantity_value(c->limit) == 10,
	   "quantities, of text and number");
	ok(c->timeout == 90 * TIME_MINUTE && c->grace.set && c->grace.value == 100000, "durations");
	if (time_parse(STR("2026-01-02T03:04:05Z"), &made, NULL))
		made = 0;
	ok(c->made == made && c->seen == made + 7, "times");
	ok(c->port.kind == INTSTR_INT && c->port.number == 80, "number or text");
	ok(json_len(c->extra) == 1, "anything");
	ok(c->front.load == 3 && c->front.width.set && c->front.width.value == 7,
	   "object, with a default below");
	ok(c->rear && c->rear->load == 4 && c->rear->width.value == 5, "object through a pointer");
	ok(c->wheels.len == 2 && str_is(c->wheels.ptr[0].name, "l") && c->wheels.ptr[1].size == 2 &&
		   str_is(c->wheels.ptr[1].material, "wood"),
	   "list of objects");
	ok(c->tags.len == 2 && str_is(c->tags.ptr[1], "a"), "list of strings");
	ok(c->labels.len == 2 && str_is(c->labels.ptr[0].key, "a") &&
		   str_is(c->labels.ptr[1].value, "1"),
	   "labels, sorted");
	ok(c->resources.len == 2 && str_is(c->resources.ptr[0].name, "cpu") &&
		   quantity_milli(&c->resources.ptr[0].value) == 100 &&
		   quantity_value(&c->resources.ptr[1].value) == 1 << 30,
	   "resources, sorted");
	ok(c->axles.len == 1 && str_is(c->axles.ptr[0].key, "m") && c->axles.ptr[0].value.load == 1,
	   "map of objects");
	ok(c->plugins.len == 2 && str_is(c->plugins.ptr[1].key, "svc") &&
		   c->plugins.ptr[1].value.len == 2 &&
		   str_is(c->plugins.ptr[1].value.ptr[1], "-b") && c->plugins.ptr[0].value.len == 0,
	   "map of lists");
	ok(str_is(c->data, "aGk="), "bytes stay as they are");
}

static void test_decode(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = parse(full);
	AUTO(json_doc_unref) struct json_doc *thawed = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *small = parse("{\"spec\":{\"name\":null}}");
	struct box box;
	struct err err = {0};

	ok(type_decode(&box_type, json_doc_root(doc), arena, &box, &err) == 0, "decodes %s",
	   err.text);
	check_full(&box.spec);
	ok(type_decode(&box_type, json_doc_root(thawed), arena, &box, &err) == 0,
	   "and from a document that is being built %s", err.text);
	check_full(&box.spec);
	ok(type_decode(&box_type, json_doc_root(small), arena, &box, &err) == 0, "nearly nothing");
	ok(str_is_none(box.kind) && box.spec.seats == 4 && box.spec.colour == COLOUR_RED &&
		   box.spec.port.kind == INTSTR_STR && str_is(box.spec.port.text, "http") &&
		   !box.spec.rear && !box.spec.locked.set && json_is_absent(box.spec.extra),
	   "has defaults, and else nothing");
}

static void test_large_map(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json spec = json_new_obj(doc);
	struct json root = json_new_obj(doc);
	struct json labels = json_new_obj(doc);
	struct box box;
	bool sorted = true;

	for (int i = 0; i < 100; i++) {
		char key[16];

		snprintf(key, sizeof(key), "k%d", i * 37 % 100);
		json_set_str(doc, labels, key, STR("v"));
	}
	json_set(doc, spec, STR("labels"), labels);
	json_set(doc, root, STR("spec"), spec);
	json_doc_set_root(doc, root);
	ok(type_decode(&box_type, root, arena, &box, NULL) == 0 && box.spec.labels.len == 100,
	   "a hundred labels");
	for (size_t i = 1; i < box.spec.labels.len; i++)
		sorted = sorted &&
			 str_cmp(box.spec.labels.ptr[i - 1].key, box.spec.labels.ptr[i].key) < 0;
	ok(sorted, "are sorted");
}

static const struct {
	const char *spec, *want;
} wrong_types[] = {
	{"\"x\"", "json: cannot unmarshal string into Go struct field Box.spec of type v1.Cart"},
	{"{\"seats\":\"x\"}",
	 "json: cannot unmarshal string into Go struct field Cart.spec.seats of type int32"},
	{"{\"seats\":1.5}",
	 "json: cannot unmarshal number 1.5 into Go struct field Cart.spec.seats of type int32"},
	{"{\"seats\":3000000000}", "json: cannot unmarshal number 3000000000 into Go struct field "
				   "Cart.spec.seats of type int32"},
	{"{\"name\":5}",
	 "json: cannot unmarshal number into Go struct field Cart.spec.name of type string"},
	{"{\"open\":\"true\"}",
	 "json: cannot unmarshal string into Go struct field Cart.spec.open of type bool"},
	{"{\"labels\":{\"a\":5}}",
	 "json: cannot unmarshal number into Go struct field Cart.spec.labels of type string"},
	{"{\"labels\":[]}", "json: cannot unmarshal array into Go struct field Cart.spec.labels of "
			    "type map[string]string"},
	{"{\"wheels\":{}}", "json: cannot unmarshal object into Go struct field Cart.spec.wheels "
			    "of type []v1.Wheel"},
	{"{\"wheels\":[{\"size\":true}]}",
	 "json: cannot unmarshal bool into Go struct field Wheel.spec.wheels.size of type int32"},
	{"{\"axles\":{\"k\":{\"load\":\"\"}}}",
	 "json: cannot unmarshal string into Go struct field Axle.spec.axles.load of type int64"},
	{"{\"plugins\":{\"k\":[1]}}",
	 "json: cannot unmarshal number into Go struct field Cart.spec.plugins of type string"},
	{"{\"volume\":[]}", "quantities must match the regular expression "
			    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
	{"{\"resources\":{\"cpu\":\"1e\"}}", "unable to parse quantity's suffix"},
	{"{\"timeout\":5}", "json: cannot unmarshal number into Go value of type string"},
	{"{\"timeout\":\"5d\"}", "time: unknown unit \"d\" in duration \"5d\""},
	{"{\"made\":5}", "json: cannot unmarshal number into Go value of type string"},
	{"{\"made\":\"yesterday\"}", "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": "
				     "cannot parse \"yesterday\" as \"2006\""},
	{"{\"made\":\"2026-01-02\"}", "parsing time \"2026-01-02\" as \"2006-01-02T15:04:05Z07:00\""
				      ": cannot parse \"\" as \"T\""},
	{"{\"made\":\"2026-01-02T00:00:00\"}",
	 "parsing time \"2026-01-02T00:00:00\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" "
	 "as \"Z07:00\""},
	{"{\"seen\":\"2024-01-01T00:00:20.5Z\"}",
	 "parsing time \"2024-01-01T00:00:20.5Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot "
	 "parse \".5Z\" as \".000000\""},
	{"{\"port\":true}", "json: cannot unmarshal bool into Go value of type int32"},
	{"{\"ratio\":\"1\"}",
	 "json: cannot unmarshal string into Go struct field Cart.spec.ratio of type float64"},
};

static void test_wrong_types(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *array = parse("[]");
	AUTO(json_doc_unref) struct json_doc *bytes = parse("{\"data\":\"?\"}");
	AUTO(json_doc_unref) struct json_doc *blue = parse("{\"front\":{},\"colour\":\"Blue\"}");
	struct err err = {0};
	struct cart cart;

	for (size_t i = 0; i < ARRAY_LEN(wrong_types); i++) {
		char text[256];
		struct box box;

		snprintf(text, sizeof(text), "{\"spec\":%s}", wrong_types[i].spec);
		AUTO(json_doc_unref) struct json_doc *doc = parse(text);

		ok(type_check_types(&box_type, json_doc_root(doc), &err) < 0 &&
			   err.code == ERR_BAD_REQUEST,
		   "%s is refused", text);
		is(err.text, wrong_types[i].want);
		ok(type_decode(&box_type, json_doc_root(doc), arena, &box, &err) < 0,
		   "at decoding as well");
		is(err.text, wrong_types[i].want);
	}
	ok(type_check_types(&box_type, json_doc_root(array), &err) < 0, "an array is no box");
	is(err.text, "json: cannot unmarshal array into Go value of type v1.Box");
	ok(type_check_types(&cart_type, json_doc_root(bytes), &err) < 0, "bad base64 is reported");
	ok(type_decode(&cart_type, json_doc_root(blue), arena, &cart, &err) < 0 &&
		   err.code == ERR_INVALID,
	   "a text that is no enum");
	is(err.text, "colour: Unsupported value: \"Blue\": supported values: \"Red\", \"Green\"");
	AUTO(json_doc_unref) struct json_doc *good = parse(full);

	ok(type_check_types(&box_type, json_doc_root(good), &err) == 0, "the full one is right");
}

static void test_encode(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = parse(full);
	AUTO(json_doc_unref) struct json_doc *out = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *fresh = json_doc_new();
	struct json spec;
	struct wheel wheels[2];
	struct box box;

	ok(type_decode(&box_type, json_doc_root(doc), arena, &box, NULL) == 0, "decodes");
	box.spec.open = false;
	box.spec.locked.set = false;
	box.spec.seats = 0;
	box.spec.rear = NULL;
	box.spec.front.load = 0;
	wheels[0] = box.spec.wheels.ptr[1];
	wheels[1] = box.spec.wheels.ptr[0];
	box.spec.wheels.ptr = wheels;
	box.spec.tags.len = 0;
	type_encode(&box_type, &box, out, json_doc_root(out));
	spec = json_get(json_doc_root(out), "spec");
	ok(json_is_absent(json_get(spec, "open")) && json_is_absent(json_get(spec, "locked")) &&
		   json_is_absent(json_get(spec, "rear")) && json_is_absent(json_get(spec, "tags")),
	   "what is empty goes");
	ok(same(json_get(spec, "seats"), "0"), "but not where a default would come instead");
	ok(same(json_get(spec, "unknown"), "{\"u\":1}"), "unknown fields stay");
	ok(same(json_get(spec, "wheels"),
		"[{\"name\":\"r\",\"size\":2,\"material\":\"wood\"},"
		"{\"name\":\"l\",\"hub\":\"h\",\"odd\":1,\"material\":\"wood\"}]"),
	   "in list elements too, found by their key");
	ok(same(json_get(spec, "mood"), "\"Sad\""), "so does an enum's text that is not known");
	ok(same(json_get(spec, "volume"), "\"1500m\"") && same(json_get(spec, "limit"), "\"10\"") &&
		   same(json_get(spec, "timeout"), "\"1h30m0s\"") &&
		   same(json_get(spec, "grace"), "\"100ms\"") &&
		   same(json_get(spec, "made"), "\"2026-01-02T03:04:05Z\"") &&
		   same(json_get(spec, "seen"), "\"2026-01-02T03:04:05.000007Z\"") &&
		   same(json_get(spec, "port"), "80") &&
		   same(json_get(spec, "front"), "{\"width\":7}"),
	   "texts are canonical");
	ok(same(json_get(spec, "plugins"), "{\"env\":[],\"svc\":[\"-a\",\"-b\"]}"), "nested ones");
	ok(same(type_encode_new(&axle_type, &box.spec.front, fresh), "{\"width\":7}"), "a new one");
}

static void test_encode_empty(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = parse("{\"kind\":\"Box\",\"spec\":{\"front\":{\"load\":1,\"odd\":2},"
				     "\"seats\":1,\"colour\":"
				     "\"Red\"}}");
	AUTO(json_doc_unref) struct json_doc *out = json_doc_thaw(json_doc_root(doc));
	struct box box = {0};

	type_encode(&box_type, &box, out, json_doc_root(out));
	ok(same(json_doc_root(out), "{\"spec\":{\"front\":{\"odd\":2},\"seats\":0}}"),
	   "an empty view leaves what it does not know");
	AUTO(json_doc_unref) struct json_doc *plain = parse("{\"spec\":{\"front\":{\"load\":1}}}");
	AUTO(json_doc_unref) struct json_doc *plain_out = json_doc_thaw(json_doc_root(plain));

	type_encode(&box_type, &box, plain_out, json_doc_root(plain_out));
	ok(same(json_doc_root(plain_out), "{\"spec\":{\"seats\":0}}"), "and no empty shells");
}

static void test_default(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc =
		parse("{\"spec\":{\"front\":{},\"seats\":null,\"always\":null,\"wheels\":[{}],"
		      "\"axles\":{\"a\":{}}}}");
	AUTO(json_doc_unref) struct json_doc *out = json_doc_thaw(json_doc_root(doc));

	type_default(&box_type, out, json_doc_root(out));
	ok(same(json_doc_root(out),
		"{\"spec\":{\"front\":{\"width\":7},\"seats\":4,\"always\":null,\"colour\":\"Red\","
		"\"port\":\"http\",\"wheels\":[{\"material\":\"wood\"}],"
		"\"axles\":{\"a\":{\"width\":7}}},\"kind\":\"Box\"}"),
	   "defaults at every level that is there");
}

static void remember(void *arg, struct str path)
{
	buf_printf(arg, "%.*s ", STR_ARG(path));
}

static void test_prune(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse(full);
	AUTO(json_doc_unref)
	struct json_doc *odd = parse(
		"{\"x\":1,\"spec\":{\"extra\":{\"any\":1},\"free\":{\"any\":1},\"axles\":{\"k\":{"
		"\"y\":1}},\"plugins\":{\"z\":[\"q\"]},\"Name\":1},\"w\":2}");
	AUTO(json_doc_unref) struct json_doc *out = json_doc_thaw(json_doc_root(odd));
	AUTO(buf_done) struct buf told = BUF_UNBOUNDED;

	type_prune(&box_type, NULL, json_doc_root(doc), remember, &told);
	is(buf_text(&told), "spec.wheels[0].odd spec.unknown ");
	buf_clear(&told);
	type_prune(&box_type, out, json_doc_root(out), remember, &told);
	is(buf_text(&told), "x spec.axles.k.y spec.Name w ");
	ok(same(json_doc_root(out),
		"{\"spec\":{\"extra\":{\"any\":1},\"free\":{\"any\":1},\"axles\":"
		"{\"k\":{}},\"plugins\":{\"z\":[\"q\"]}}}"),
	   "unknown fields are removed");
	type_prune(&box_type, out, json_doc_root(out), NULL, NULL);
	ok(true, "nobody needs to listen");
}

static void test_canonicalize(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = parse("{\"spec\":{\"volume\":\"0.5\",\"limit\":1000,\"timeout\":"
				     "\"90m\",\"made\":\"2026-01-02T"
				     "03:04:05.5+01:00\",\"resources\":{\"cpu\":\"1000m\","
				     "\"memory\":\"1Gi\",\"bad\":\"x\"},"
				     "\"seen\":null,\"wheels\":[{\"name\":\"a\"}]}}");
	AUTO(json_doc_unref) struct json_doc *out = json_doc_thaw(json_doc_root(doc));

	type_canonicalize(&box_type, out, json_doc_root(out));
	ok(same(json_doc_root(out), "{\"spec\":{\"volume\":\"500m\",\"limit\":\"1k\",\"timeout\":"
				    "\"1h30m0s\",\"made\":\""
				    "2026-01-02T02:04:05Z\",\"resources\":{\"cpu\":\"1\","
				    "\"memory\":\"1Gi\",\"bad\":\"x\"},"
				    "\"seen\":null,\"wheels\":[{\"name\":\"a\"}]}}"),
	   "canonical form");
}

static const struct {
	const char *spec, *want;
} invalid[] = {
	{"{\"name\":\"ok\",\"wheels\":[{\"name\":\"a\"}]}", ""},
	{"{}", "spec.name: Required value\n"},
	{"{\"name\":\"\"}", "spec.name: Required value\n"},
	{"{\"name\":\"123456789\"}", "spec.name: Too long: may not be more than 8 bytes\n"},
	{"{\"name\":\"a\",\"seats\":0}",
	 "spec.seats: Invalid value: 0: must be between 1 and 100, inclusive\n"},
	{"{\"name\":\"a\",\"front\":{\"load\":101}}",
	 "spec.front.load: Invalid value: 101: must be less than or equal to 100\n"},
	{"{\"name\":\"a\",\"wheels\":[{\"name\":\"a\",\"size\":0}]}",
	 "spec.wheels[0].size: Invalid value: 0: must be greater than or equal to 1\n"},
	{"{\"name\":\"a\",\"colour\":\"Blue\",\"mood\":\"Blue\"}",
	 "spec.colour: Unsupported value: \"Blue\": supported values: \"Red\", \"Green\"\n"},
	{"{\"name\":\"a\",\"wheels\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}]}",
	 "spec.wheels[2].name: Duplicate value: \"a\"\n"},
	{"{\"name\":\"a\",\"wheels\":[{}]}", "spec.wheels[0].name: Required value\n"},
	{"{\"name\":\"a\",\"wheels\":[]}", "spec.wheels: Required value\n"},
	{"{\"name\":\"a\",\"tags\":[\"x\",\"y\",\"x\",\"long\"]}",
	 "spec.tags[3]: Too long: may not be more than 3 bytes\n"
	 "spec.tags[2]: Duplicate value: \"x\"\n"},
	{"{\"name\":\"a\",\"wheels\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":"
	 "\"d\"},{\"name\":\"e\"}]}",
	 "spec.wheels: Too many: 5: must have at most 4 items\n"},
	{"{\"name\":\"a\",\"ports\":[{\"name\":\"a\",\"size\":1},{\"name\":\"a\",\"size\":2},{"
	 "\"name\":\"a\",\"size\":1}]}",
	 "spec.ports[2]: Duplicate value: {\"name\":\"a\",\"size\":1}\n"},
	{"{\"name\":\"a\",\"volume\":\"-1\"}",
	 "spec.volume: Invalid value: \"-1\": must be greater than or equal to 0\n"},
	{"{\"name\":\"a\",\"volume\":\"1001\"}",
	 "spec.volume: Invalid value: \"1001\": must be less than or equal to 1000\n"},
	{"{\"name\":\"a\",\"open\":true,\"locked\":true}", "spec: Forbidden: open and locked\n"},
	{"{\"name\":\"a\",\"labels\":{\"/x\":\"\"}}",
	 "spec.labels: Invalid value: \"/x\": prefix part must be non-empty\n"},
	{"{\"name\":\"a\",\"always\":[\"\"]}", "spec.always[0]: Required value\n"},
};

static void test_validate(void)
{
	for (size_t i = 0; i < ARRAY_LEN(invalid); i++) {
		AUTO(causes_done) struct causes causes = CAUSES_INIT;
		AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
		char text[400];

		snprintf(text, sizeof(text), "{\"spec\":%s}", invalid[i].spec);
		AUTO(json_doc_unref) struct json_doc *doc = parse(text);

		type_validate(&box_type, json_doc_root(doc), &causes);
		for (size_t k = 0; k < causes.len; k++)
			buf_printf(&got, "%s: %s\n", causes.ptr[k].field, causes.ptr[k].message);
		ok(strcmp(buf_text(&got), invalid[i].want) == 0, "%s", invalid[i].spec);
		if (strcmp(buf_text(&got), invalid[i].want) != 0)
			printf("# got  %s# want %s", buf_text(&got), invalid[i].want);
	}
}

static void test_update(void)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(json_doc_unref)
	struct json_doc *old = parse("{\"spec\":{\"name\":\"a\",\"seats\":1}}");
	AUTO(json_doc_unref)
	struct json_doc *new = parse("{\"spec\":{\"name\":\"b\",\"seats\":2,\"serial\":5}}");
	AUTO(json_doc_unref) struct json_doc *tree = parse("{\"child\":{\"child\":{}}}");

	type_validate_update(&box_type, json_doc_root(old), json_doc_root(new), &causes);
	ok(causes.len == 2, "two immutable fields have changed");
	is(causes.ptr[0].field, "spec.name");
	is(causes.ptr[0].message, "Invalid value: \"b\": field is immutable");
	is(causes.ptr[1].message, "Invalid value: 5: field is immutable");
	type_validate_update(&tree_type, json_doc_root(tree), json_doc_root(tree), &causes);
	ok(causes.len == 2, "a type that contains itself comes to an end");
}

static void count_ref(void *arg, const struct type *type)
{
	(void)type;
	++*(int *)arg;
}

static void test_schema(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	int refs = 0;
	struct schema_options open_api = {.ref_prefix = "#/components/schemas/",
					  .all_of = true,
					  .on_ref = count_ref,
					  .arg = &refs};
	struct schema_options v2 = {.ref_prefix = "#/definitions/", .no_docs = true};
	struct json cart = type_schema(&cart_type, doc, NULL);
	struct json p = json_get(cart, "properties");

	ok(same(json_get(cart, "required"), "[\"name\"]"), "required");
	ok(same(json_get(p, "seats"), "{\"type\":\"integer\",\"format\":\"int32\",\"minimum\":1,"
				      "\"maximum\":100,\"default\":4}"),
	   "a number");
	ok(same(json_get(p, "colour"),
		"{\"type\":\"string\",\"enum\":[\"Red\",\"Green\"],\"default\":\"Red\"}"),
	   "an enum");
	ok(same(json_get(p, "mood"), "{\"type\":\"string\"}"), "an open one");
	ok(same(json_get(p, "made"), "{\"type\":\"string\",\"format\":\"date-time\"}"), "a time");
	ok(same(json_get(p, "port"), "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}],"
				     "\"x-kubernetes-int-or-string\":true,\"default\":\"http\"}"),
	   "a number or text");
	ok(json_bool(json_get(json_get(p, "volume"), "x-kubernetes-int-or-string")) &&
		   json_str(json_get(json_get(p, "volume"), "pattern")).len,
	   "a quantity");
	ok(same(json_get(p, "extra"), "{\"x-kubernetes-preserve-unknown-fields\":true}"),
	   "anything");
	ok(same(json_get(p, "tags"),
		"{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":3},"
		"\"x-kubernetes-list-type\":\"set\"}"),
	   "a list");
	ok(same(json_get(p, "plugins"), "{\"type\":\"object\",\"additionalProperties\":{\"type\":"
					"\"array\",\"items\":{\"type\":\"string\"}}}"),
	   "a map");
	ok(same(json_get(json_get(p, "wheels"), "x-kubernetes-list-map-keys"), "[\"name\"]") &&
		   str_is(json_str(json_get(json_get(p, "wheels"), "description")),
			  "what it rolls on"),
	   "a list with keys");
	ok(same(json_get(json_get(json_get(json_get(p, "wheels"), "items"), "properties"), "name"),
		"{\"type\":\"string\",\"pattern\":\"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$\","
		"\"maxLength\":63}"),
	   "a name");
	ok(same(type_schema(&tree_type, doc, NULL),
		"{\"type\":\"object\",\"properties\":{\"child\":{\"type\":\"object\","
		"\"x-kubernetes-preserve-unknown-fields\":true},\"children\":{\"type\":\"array\","
		"\"items\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}}"),
	   "a type that contains itself");
	p = json_get(type_schema(&cart_type, doc, &open_api), "properties");
	ok(same(json_get(p, "wheels"),
		"{\"description\":\"what it rolls "
		"on\",\"type\":\"array\",\"minItems\":1,\"maxItems\":4,"
		"\"items\":{\"allOf\":[{\"$ref\":\"#/components/schemas/io.test.v1.Wheel\"}]},"
		"\"x-kubernetes-list-map-keys\":[\"name\"],\"x-kubernetes-list-type\":\"map\","
		"\"x-kubernetes-patch-merge-key\":\"name\",\"x-kubernetes-patch-strategy\":"
		"\"merge\"}"),
	   "by reference, with its merge strategy");
	ok(same(json_get(p, "port"), "{\"allOf\":[{\"$ref\":\"#/components/schemas/"
				     "io.k8s.apimachinery.pkg.util.intstr.IntOrString\"}],"
				     "\"default\":\"http\"}"),
	   "a number or text has a name");
	ok(refs == 13, "each reference is reported (%d)", refs);
	p = json_get(type_schema(&cart_type, doc, &v2), "properties");
	ok(same(json_get(p, "hidden"), "{\"$ref\":\"#/definitions/io.test.v1.Wheel\","
				       "\"x-kubernetes-patch-strategy\":\"retainKeys\"}"),
	   "references of version 2");
	ok(same(json_get(p, "volume"), "{\"$ref\":\"#/definitions/io.k8s.apimachinery.pkg.api."
				       "resource.Quantity\"}"),
	   "mixed ones there");
}

struct crate {
	bool flag;
	struct opt_int64 number;
	double real;
	struct quantity amount;
	int64_t wait;
	struct axle axle;
	const struct axle *spare;
	struct strs list;
	struct str bytes;
	const int64_t *when;
};

#define VIEW struct crate
static const struct field crate_fields[] = {
	{"flag", F_BOOL, AT(flag), F_DEFAULT("true")},
	{"number", F_INT64, AT(number), F_DEFAULT("5")},
	{"real", F_DOUBLE, AT(real), F_DEFAULT("0.5")},
	{"amount", F_QUANTITY, AT(amount), F_DEFAULT("1Gi")},
	{"wait", F_DURATION, AT(wait), F_DEFAULT("5m")},
	{"axle", F_OBJECT(axle), AT(axle), F_DEFAULT("{}")},
	{"spare", F_OBJECT(axle), AT(spare), F_DEFAULT("{}")},
	{"list", F_LIST(F_STR), AT(list), F_DEFAULT("[]")},
	{"bytes", F_BYTES, AT(bytes), F_DEFAULT("aGk=")},
	{"when", F_TIME, AT(when)},
};
#undef VIEW
static const struct type crate_type = {TYPE("Crate", "v1", struct crate, crate_fields)};

/* A default is the same whether it is put into the document or read from the row. */
static void test_every_default(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json object = json_new_obj(doc);
	struct crate crate;
	struct err err = {0};

	is(type_check(&crate_type, arena), NULL);
	ok(type_decode(&crate_type, object, arena, &crate, &err) == 0, "nothing decodes %s",
	   err.text);
	ok(crate.flag && crate.number.value == 5 && crate.real > 0.4 &&
		   quantity_value(&crate.amount) == 1 << 30 && crate.wait == 5 * TIME_MINUTE &&
		   crate.axle.width.value == 7 && crate.spare && crate.spare->width.value == 7 &&
		   !crate.list.len && str_is(crate.bytes, "aGk=") && !crate.when,
	   "to the defaults");
	crate.when = &(int64_t){0};
	type_default(&crate_type, doc, object);
	type_encode(&crate_type, &crate, doc, object);
	ok(same(object, "{\"flag\":true,\"number\":5,\"real\":0.5,\"amount\":\"1Gi\","
			"\"wait\":\"5m0s\",\"axle\":{\"width\":7},\"spare\":{\"width\":7},"
			"\"list\":[],\"bytes\":\"aGk=\",\"when\":null}"),
	   "which are written back");
}

static void test_strategy(void)
{
	static const struct {
		const char *target, *patch, *want;
	} rows[] = {
		{"{\"wheels\":[{\"name\":\"a\",\"size\":1}]}",
		 "{\"wheels\":[{\"name\":\"a\",\"hub\":\"h\"}]}",
		 "{\"wheels\":[{\"name\":\"a\",\"size\":1,\"hub\":\"h\"}]}"},
		{"{\"tags\":[\"a\"]}", "{\"tags\":[\"b\"]}", "{\"tags\":[\"b\",\"a\"]}"},
		{"{\"plugins\":{\"x\":[\"a\"]}}", "{\"plugins\":{\"x\":[\"b\"],\"y\":[]}}",
		 "{\"plugins\":{\"x\":[\"b\"],\"y\":[]}}"},
		{"{\"front\":{\"load\":1}}", "{\"front\":{\"width\":2},\"odd\":1}",
		 "{\"front\":{\"load\":1,\"width\":2},\"odd\":1}"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(json_doc_unref) struct json_doc *target = parse(rows[i].target);
		AUTO(json_doc_unref) struct json_doc *patch = parse(rows[i].patch);
		struct field root;
		struct json_strategy_schema schema = type_strategy(&cart_type, &root);
		struct err err = {0};
		AUTO(json_doc_unref)
		struct json_doc *got = json_strategic_apply(json_doc_root(target),
							    json_doc_root(patch), &schema, &err);

		ok(got && same(json_doc_root(got), rows[i].want), "%s %s", rows[i].patch, err.text);
	}
}

int main(void)
{
	test_every_default();
	test_strategy();
	test_tables();
	test_bad_tables();
	test_decode();
	test_large_map();
	test_wrong_types();
	test_encode();
	test_encode_empty();
	test_default();
	test_prune();
	test_canonicalize();
	test_validate();
	test_update();
	test_schema();
	return tap_done();
}
