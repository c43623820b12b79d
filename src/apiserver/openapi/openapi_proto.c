/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/openapi_proto.c - parts of a version 2 document as protobuf: gnostic's openapi_v2, which
 * kubectl asks for up to release 1.26.
 *
 * A table a message says which member of the JSON is which field and how it is written. What the
 * message has no field for is left out; members that start with "x-" are its extensions. Parts of a
 * message may come one after the other, so that a document is written definition by definition. */
#include <string.h>

#include "apiserver/openapi/openapi_internal.h"

#include "base/banned.h"

/* --- the wire -------------------------------------------------------------------------------- */

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void put_varint(struct buf *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_putc(to, (char)(value | 0x80));
	buf_putc(to, (char)value);
}

static void put_tag(struct buf *to, unsigned field, enum wire wire)
{
	put_varint(to, (uint64_t)field << 3 | wire);
}

static void put_bytes(struct buf *to, unsigned field, struct str bytes)
{
	put_tag(to, field, WIRE_BYTES);
	put_varint(to, bytes.len);
	buf_put_str(to, bytes);
}

static void put_double(struct buf *to, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_tag(to, field, WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		buf_putc(to, (char)(bits >> (8 * i)));
}

/* --- messages -------------------------------------------------------------------------------- */

struct message;

/* How a value is written. */
enum write {
	AS_STR,
	AS_STRS, /* repeated string */
	AS_BOOL,
	AS_INT,
	AS_DOUBLE,
	AS_ANY,   /* its text as YAML, in an Any */
	AS_ANYS,  /* each of an array */
	AS_ITEM,  /* one message */
	AS_ITEMS, /* each of an array */
	AS_NAMED, /* each member, with its name: a message of {name = 1, value = 2} */
	AS_TEXTS, /* a string as a list of one, in a message */
};

struct member {
	const char *name;
	unsigned field;
	enum write write;
	const struct message *message;
	/* Messages around it that have nothing but this field each, from the outside; 0 ends. */
	unsigned around[4];
};

struct message {
	const struct member *members; /* the last one has no name */
	unsigned extensions;          /* field of the members that start with "x-" */
	const struct message *(*choose)(struct json value); /* which of several it is */
	unsigned around[4];                                 /* as those of a member */
};

static const struct message schema_message;

static const struct member schema_members[] = {
	{"$ref", 1, .write = AS_STR},
	{"format", 2, .write = AS_STR},
	{"title", 3, .write = AS_STR},
	{"description", 4, .write = AS_STR},
	{"default", 5, .write = AS_ANY},
	{"multipleOf", 6, .write = AS_DOUBLE},
	{"maximum", 7, .write = AS_DOUBLE},
	{"exclusiveMaximum", 8, .write = AS_BOOL},
	{"minimum", 9, .write = AS_DOUBLE},
	{"exclusiveMinimum", 10, .write = AS_BOOL},
	{"maxLength", 11, .write = AS_INT},
	{"minLength", 12, .write = AS_INT},
	{"pattern", 13, .write = AS_STR},
	{"maxItems", 14, .write = AS_INT},
	{"minItems", 15, .write = AS_INT},
	{"uniqueItems", 16, .write = AS_BOOL},
	{"maxProperties", 17, .write = AS_INT},
	{"minProperties", 18, .write = AS_INT},
	{"required", 19, .write = AS_STRS},
	{"enum", 20, .write = AS_ANYS},
	{"additionalProperties", 21, .write = AS_ITEM, .message = &schema_message, .around = {1}},
	{"type", 22, .write = AS_TEXTS},
	{"items", 23, .write = AS_ITEM, .message = &schema_message, .around = {1}},
	{"properties", 25, .write = AS_NAMED, .message = &schema_message},
	{.name = NULL},
};
static const struct message schema_message = {.members = schema_members, .extensions = 31};

static const struct member response_members[] = {
	{"description", 1, .write = AS_STR},
	{"schema", 2, .write = AS_ITEM, .message = &schema_message, .around = {1}},
	{.name = NULL},
};
/* a response stands in a ResponseValue, which could be a reference */
static const struct message response_message = {.members = response_members, .around = {1}};

static const struct member body_members[] = {
	{"description", 1, .write = AS_STR},
	{"name", 2, .write = AS_STR},
	{"in", 3, .write = AS_STR},
	{"required", 4, .write = AS_BOOL},
	{"schema", 5, .write = AS_ITEM, .message = &schema_message},
	{.name = NULL},
};
static const struct member query_members[] = {
	{"required", 1, .write = AS_BOOL},
	{"in", 2, .write = AS_STR},
	{"description", 3, .write = AS_STR},
	{"name", 4, .write = AS_STR},
	{"type", 6, .write = AS_STR},
	{"uniqueItems", 20, .write = AS_BOOL},
	{.name = NULL},
};
static const struct member path_members[] = {
	{"required", 1, .write = AS_BOOL},
	{"in", 2, .write = AS_STR},
	{"description", 3, .write = AS_STR},
	{"name", 4, .write = AS_STR},
	{"type", 5, .write = AS_STR},
	{"uniqueItems", 19, .write = AS_BOOL},
	{.name = NULL},
};
/* ParametersItem, Parameter, and NonBodyParameter are what they stand in */
static const struct message body_message = {.members = body_members, .around = {1, 1}};
static const struct message query_message = {.members = query_members, .around = {1, 2, 3}};
static const struct message path_message = {.members = path_members, .around = {1, 2, 4}};

static const struct message *choose_parameter(struct json value)
{
	struct str in = json_str(json_get(value, "in"));

	return str_is(in, "body")   ? &body_message
	       : str_is(in, "path") ? &path_message
				    : &query_message;
}
static const struct message parameter_message = {.choose = choose_parameter};

static const struct member operation_members[] = {
	{"tags", 1, .write = AS_STRS},
	{"description", 3, .write = AS_STR},
	{"operationId", 5, .write = AS_STR},
	{"parameters", 8, .write = AS_ITEMS, .message = &parameter_message},
	{"responses", 9, .write = AS_NAMED, .message = &response_message},
	{.name = NULL},
};
static const struct message operation_message = {.members = operation_members, .extensions = 13};

static const struct member path_item_members[] = {
	{"get", 2, .write = AS_ITEM, .message = &operation_message},
	{"put", 3, .write = AS_ITEM, .message = &operation_message},
	{"post", 4, .write = AS_ITEM, .message = &operation_message},
	{"delete", 5, .write = AS_ITEM, .message = &operation_message},
	{"patch", 8, .write = AS_ITEM, .message = &operation_message},
	{"parameters", 9, .write = AS_ITEMS, .message = &parameter_message},
	{.name = NULL},
};
static const struct message path_item_message = {.members = path_item_members, .extensions = 10};

/* --- writing --------------------------------------------------------------------------------- */

static void print_message(const struct message *message, struct json value, struct buf *to);

/* Bytes in messages of one field each, then as a field. */
static void put_around(struct buf *to, unsigned field, const unsigned around[4], struct str bytes)
{
	AUTO(buf_done) struct buf outer = BUF_UNBOUNDED;

	if (!around[0]) {
		put_bytes(to, field, bytes);
		return;
	}
	put_around(&outer, around[0], (const unsigned[4]){around[1], around[2], around[3], 0},
		   bytes);
	put_bytes(to, field, buf_str(&outer));
}

static void put_message(struct buf *to, unsigned field, const struct message *message,
			struct json value)
{
	AUTO(buf_done) struct buf inner = BUF_UNBOUNDED;

	if (message->choose)
		message = message->choose(value);
	print_message(message, value, &inner);
	put_around(to, field, message->around, buf_str(&inner));
}

static void put_named(struct buf *to, unsigned field, const struct message *message,
		      struct str name, struct json value)
{
	AUTO(buf_done) struct buf pair = BUF_UNBOUNDED;

	put_bytes(&pair, 1, name);
	put_message(&pair, 2, message, value);
	put_bytes(to, field, buf_str(&pair));
}

static void put_any(struct buf *to, unsigned field, struct json value)
{
	static const unsigned in_any[4] = {2};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	json_print(value, JSON_COMPACT, &text);
	buf_putc(&text, '\n');
	put_around(to, field, in_any, buf_str(&text));
}

/* additionalProperties: true, as an alternative to a schema. */
static void put_bool_item(struct buf *to, unsigned field, bool value)
{
	AUTO(buf_done) struct buf inner = BUF_UNBOUNDED;

	put_tag(&inner, 2, WIRE_VARINT);
	put_varint(&inner, value);
	put_bytes(to, field, buf_str(&inner));
}

static void put_item(struct buf *to, const struct member *member, struct json value)
{
	AUTO(buf_done) struct buf inner = BUF_UNBOUNDED;

	if (json_is(value, JSON_BOOL)) {
		put_bool_item(to, member->field, json_bool(value));
		return;
	}
	print_message(member->message, value, &inner);
	put_around(to, member->field, member->around, buf_str(&inner));
}

static void put_each(struct buf *to, const struct member *member, struct json value)
{
	AUTO(buf_done) struct buf all = BUF_UNBOUNDED;
	struct json_iter it = json_iter(value);

	while (json_next(&it)) {
		switch (member->write) {
		case AS_STRS:
			put_bytes(to, member->field, json_str(it.value));
			break;
		case AS_ANYS:
			put_any(to, member->field, it.value);
			break;
		case AS_NAMED:
			put_named(&all, 1, member->message, it.key, it.value);
			break;
		default:
			put_message(to, member->field, member->message, it.value);
			break;
		}
	}
	if (member->write == AS_NAMED)
		put_bytes(to, member->field, buf_str(&all));
}

static void put_number(struct buf *to, const struct member *member, struct json value)
{
	if (member->write == AS_DOUBLE) {
		put_double(to, member->field, json_real(value));
		return;
	}
	put_tag(to, member->field, WIRE_VARINT);
	put_varint(to, member->write == AS_BOOL ? json_bool(value) : (uint64_t)json_int(value));
}

static void put_member(struct buf *to, const struct member *member, struct json value)
{
	static const unsigned in_list[4] = {1};

	switch (member->write) {
	case AS_STR:
		put_bytes(to, member->field, json_str(value));
		break;
	case AS_TEXTS:
		put_around(to, member->field, in_list, json_str(value));
		break;
	case AS_BOOL:
	case AS_INT:
	case AS_DOUBLE:
		put_number(to, member, value);
		break;
	case AS_ANY:
		put_any(to, member->field, value);
		break;
	case AS_ITEM:
		put_item(to, member, value);
		break;
	case AS_STRS:
	case AS_ANYS:
	case AS_ITEMS:
	case AS_NAMED:
		put_each(to, member, value);
		break;
	}
}

static void put_extension(struct buf *to, unsigned field, struct str name, struct json value)
{
	AUTO(buf_done) struct buf pair = BUF_UNBOUNDED;

	put_bytes(&pair, 1, name);
	put_any(&pair, 2, value);
	put_bytes(to, field, buf_str(&pair));
}

static void print_message(const struct message *message, struct json value, struct buf *to)
{
	struct json_iter it = json_iter(value);

	while (json_next(&it)) {
		const struct member *member = message->members;

		while (member->name && !str_is(it.key, member->name))
			member++;
		if (member->name)
			put_member(to, member, it.value);
		else if (message->extensions && str_starts(it.key, STR("x-")))
			put_extension(to, message->extensions, it.key, it.value);
	}
}

/* --- the document ---------------------------------------------------------------------------- */

enum { DOC_SWAGGER = 1, DOC_INFO = 2, DOC_PATHS = 8, DOC_DEFINITIONS = 9 };

void openapi_proto_head(struct buf *to, const char *title, const char *version)
{
	AUTO(buf_done) struct buf info = BUF_UNBOUNDED;

	put_bytes(to, DOC_SWAGGER, STR("2.0"));
	put_bytes(&info, 1, str_from(title));
	put_bytes(&info, 2, str_from(version));
	put_bytes(to, DOC_INFO, buf_str(&info));
}

void openapi_proto_path(struct buf *to, struct str name, struct json path)
{
	AUTO(buf_done) struct buf paths = BUF_UNBOUNDED;

	put_named(&paths, 2, &path_item_message, name, path);
	put_bytes(to, DOC_PATHS, buf_str(&paths));
}

void openapi_proto_definition(struct buf *to, struct str name, struct json schema)
{
	AUTO(buf_done) struct buf definitions = BUF_UNBOUNDED;

	put_named(&definitions, 1, &schema_message, name, schema);
	put_bytes(to, DOC_DEFINITIONS, buf_str(&definitions));
}
