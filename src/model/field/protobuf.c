/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/protobuf.c - objects in protobuf, read into a document.
 *
 * The wire format has numbers and lengths, the field table has names and types: one walk over the
 * bytes, guided by the type. Some types of Kubernetes are messages on the wire and plain values in
 * JSON (quantities, times, durations, int-or-string, raw JSON); they are written out here. Every
 * length is checked against the remaining bytes, and the depth is limited. */
#include "model/field/protobuf.h"

#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/number.h"
#include "base/time.h"
#include "json/index.h"
#include "model/value/duration.h"

#include "base/banned.h"

enum { DEPTH_MAX = 64, VARINT_MAX_BYTES = 10 };
enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* One field as it stands on the wire. */
struct item {
	uint64_t number;
	enum wire wire;
	uint64_t value;   /* of a number */
	struct str bytes; /* of the rest */
};

struct decoder {
	struct json_doc *doc;
	struct json_indexes indexes; /* of maps that are filled entry by entry */
	const struct protobuf_options *options;
	unsigned depth;
	struct err *err;
};

/* --- the wire -------------------------------------------------------------------------------- */

static int read_varint(struct str *rest, uint64_t *ret, struct err *err)
{
	uint64_t value = 0;

	for (size_t i = 0; i < VARINT_MAX_BYTES && i < rest->len; i++) {
		unsigned char c = (unsigned char)rest->ptr[i];

		value |= (uint64_t)(c & 0x7f) << (7 * i);
		if (c < 0x80) {
			*rest = str_skip(*rest, i + 1);
			*ret = value;
			return 0;
		}
	}
	return err_set(err, ERR_BAD_REQUEST,
		       rest->len < VARINT_MAX_BYTES ? "unexpected EOF" : "proto: integer overflow");
}

static int read_fixed(struct str *rest, size_t len, uint64_t *ret, struct err *err)
{
	uint64_t value = 0;

	if (rest->len < len)
		return err_set(err, ERR_BAD_REQUEST, "unexpected EOF");
	for (size_t i = 0; i < len; i++)
		value |= (uint64_t)(unsigned char)rest->ptr[i] << (8 * i);
	*rest = str_skip(*rest, len);
	*ret = value;
	return 0;
}

static int read_item(struct str *rest, struct item *ret, struct err *err)
{
	uint64_t tag = 0;
	uint64_t len = 0;

	if (read_varint(rest, &tag, err) < 0)
		return -1;
	*ret = (struct item){.number = tag >> 3, .wire = (enum wire)(tag & 7)};
	switch (ret->wire) {
	case WIRE_VARINT:
		return read_varint(rest, &ret->value, err);
	case WIRE_64:
		return read_fixed(rest, 8, &ret->value, err);
	case WIRE_32:
		return read_fixed(rest, 4, &ret->value, err);
	case WIRE_BYTES:
		if (read_varint(rest, &len, err) < 0)
			return -1;
		if (len > rest->len)
			return err_set(err, ERR_BAD_REQUEST, "unexpected EOF");
		ret->bytes = str_slice(*rest, 0, (size_t)len);
		*rest = str_skip(*rest, (size_t)len);
		return 0;
	}
	return err_set(err, ERR_BAD_REQUEST, "proto: illegal wireType %d", (int)ret->wire);
}

/* The fields of a small message, by number; up to `count` of them are kept, the last one each. */
static int read_items(struct str bytes, struct item *items, size_t count, struct err *err)
{
	struct item item;

	memset(items, 0, count * sizeof(*items));
	while (bytes.len) {
		if (read_item(&bytes, &item, err) < 0)
			return -1;
		if (item.number > 0 && item.number <= count)
			items[item.number - 1] = item;
	}
	return 0;
}

int protobuf_open(struct str text, struct protobuf_envelope *ret, struct err *err)
{
	static const struct str magic = {"k8s\0", 4};
	struct item unknown[2]; /* typeMeta, raw */
	struct item meta[2];    /* apiVersion, kind */

	if (!str_starts(text, magic))
		return err_set(err, ERR_BAD_REQUEST,
			       "provided data does not appear to be a protobuf message, expected "
			       "prefix [107 56 115 0]");
	if (read_items(str_skip(text, magic.len), unknown, ARRAY_LEN(unknown), err) < 0 ||
	    read_items(unknown[0].bytes, meta, ARRAY_LEN(meta), err) < 0)
		return -1;
	*ret = (struct protobuf_envelope){meta[0].bytes, meta[1].bytes, unknown[1].bytes};
	return 0;
}

/* --- messages that are values in JSON -------------------------------------------------------- */

static struct json fail(struct decoder *d, const char *what)
{
	(void)err_set(d->err, ERR_BAD_REQUEST, "%s", what);
	return JSON_NONE;
}

static struct json decode_time(struct decoder *d, struct str bytes, bool micro)
{
	struct item parts[2]; /* seconds, nanos */
	char text[TIME_TEXT_SIZE];
	int64_t seconds;

	if (read_items(bytes, parts, ARRAY_LEN(parts), d->err) < 0)
		return JSON_NONE;
	if (!bytes.len)
		return json_new_null(d->doc);
	seconds = (int64_t)parts[0].value;
	if (seconds < -62135596800 || seconds > 253402300799)
		return fail(d, "a time is out of range");
	seconds = seconds * TIME_SECOND + (int64_t)(parts[1].value / 1000 % 1000000);
	return json_new_str(d->doc, str_from(micro ? time_print_micro(seconds, text)
						   : time_print(seconds, text)));
}

static struct json decode_intstr(struct decoder *d, struct str bytes)
{
	struct item parts[3]; /* type, intVal, strVal */

	if (read_items(bytes, parts, ARRAY_LEN(parts), d->err) < 0)
		return JSON_NONE;
	return parts[0].value ? json_new_str(d->doc, parts[2].bytes)
			      : json_new_int(d->doc, (int32_t)parts[1].value);
}

static struct json decode_duration(struct decoder *d, struct str bytes)
{
	struct item nanoseconds;
	char text[DURATION_TEXT_SIZE];

	if (read_items(bytes, &nanoseconds, 1, d->err) < 0)
		return JSON_NONE;
	return json_new_str(d->doc, str_from(duration_print((int64_t)nanoseconds.value, text)));
}

/* A message around one text: a quantity, or JSON as it is. */
static struct json decode_wrapped(struct decoder *d, struct str bytes, bool json)
{
	struct item text;
	AUTO(json_doc_unref) struct json_doc *raw = NULL;

	if (read_items(bytes, &text, 1, d->err) < 0)
		return JSON_NONE;
	if (!json)
		return json_new_str(d->doc, text.bytes);
	if (!text.bytes.len)
		return json_new_null(d->doc);
	raw = json_parse(text.bytes, &(struct json_options){.max_depth = DEPTH_MAX}, d->err);
	return raw ? json_new_copy(d->doc, json_doc_root(raw)) : JSON_NONE;
}

/* --- fields ---------------------------------------------------------------------------------- */

static int decode_object(struct decoder *d, const struct protobuf_message *message,
			 const struct type *type, struct json object, struct str bytes);

static struct json new_object(struct decoder *d, const struct type *type, struct str bytes)
{
	const struct protobuf_message *message = protobuf_find(type, str_from(type->name));
	struct json object = json_new_obj(d->doc);

	if (!message) {
		(void)err_set(d->err, ERR_BAD_REQUEST, "%s is not known in protobuf", type->name);
		return JSON_NONE;
	}
	return decode_object(d, message, type, object, bytes) < 0 ? JSON_NONE : object;
}

static struct json decode_real(struct decoder *d, const struct item *item)
{
	double real;

	memcpy(&real, &item->value, sizeof(real));
	return real - real == 0 ? json_new_real(d->doc, real) : fail(d, "a number is not finite");
}

static struct json decode_bytes(struct decoder *d, const struct field *field, struct str bytes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	switch (field->is) {
	case FIELD_BYTES:
		base64_print(&text, bytes.ptr, bytes.len);
		return json_new_str(d->doc, buf_str(&text));
	case FIELD_QUANTITY:
		return decode_wrapped(d, bytes, false);
	case FIELD_DURATION:
		return decode_duration(d, bytes);
	case FIELD_TIME:
	case FIELD_MICROTIME:
		return decode_time(d, bytes, field->is == FIELD_MICROTIME);
	case FIELD_INTSTR:
		return decode_intstr(d, bytes);
	case FIELD_ANY:
		return decode_wrapped(d, bytes, true);
	case FIELD_OBJECT:
		return new_object(d, field->type, bytes);
	case FIELD_STR:
	case FIELD_ENUM:
		return json_new_str(d->doc, bytes);
	default:
		return fail(d, "proto: wrong wireType for a number");
	}
}

static struct json decode_value(struct decoder *d, const struct field *field,
				const struct item *item)
{
	if (item->wire == WIRE_BYTES)
		return decode_bytes(d, field, item->bytes);
	switch (field->is) {
	case FIELD_BOOL:
		return json_new_bool(d->doc, item->value != 0);
	case FIELD_INT32:
	case FIELD_INT64:
		return json_new_int(d->doc, (int64_t)item->value);
	case FIELD_DOUBLE:
		return decode_real(d, item);
	default:
		return fail(d, "proto: wrong wireType for a text");
	}
}

static int decode_entry(struct decoder *d, const struct field *field, struct json map,
			const struct item *item)
{
	struct item parts[2]; /* key, value */
	struct json value;

	if (read_items(item->bytes, parts, ARRAY_LEN(parts), d->err) < 0)
		return -1;
	if (!parts[1].number)
		parts[1].wire = WIRE_BYTES; /* an empty value may be left out */
	value = decode_value(d, field->of, &parts[1]);
	if (json_is_absent(value))
		return -1;
	json_indexes_set(&d->indexes, map, parts[0].bytes, value);
	return 0;
}

/* Numbers may stand one after the other in one piece. */
static int decode_element(struct decoder *d, const struct field *field, struct json list,
			  const struct item *item)
{
	bool packed = item->wire == WIRE_BYTES &&
		      (field->of->is == FIELD_INT32 || field->of->is == FIELD_INT64);
	struct str rest = item->bytes;
	struct item one = *item;
	struct json value;

	do {
		if (packed) {
			one.wire = WIRE_VARINT;
			if (!rest.len)
				return 0;
			if (read_varint(&rest, &one.value, d->err) < 0)
				return -1;
		}
		value = decode_value(d, field->of, &one);
		if (json_is_absent(value))
			return -1;
		json_append(d->doc, list, value);
	} while (packed);
	return 0;
}

static int decode_field(struct decoder *d, const struct field *field, struct json object,
			const struct item *item)
{
	struct json value;

	if (field->is == FIELD_LIST)
		return decode_element(d, field, json_ensure_arr(d->doc, object, field->name), item);
	if (field->is == FIELD_MAP)
		return decode_entry(d, field, json_ensure_obj(d->doc, object, field->name), item);
	value = decode_value(d, field, item);
	if (json_is_absent(value))
		return -1;
	json_set(d->doc, object, str_from(field->name), value);
	return 0;
}

static void tell_unknown(struct decoder *d, const struct type *type, uint64_t number)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "#%" PRIu64 " of %s", number, type->name);
	if (d->options && d->options->unknown)
		d->options->unknown(d->options->arg, buf_str(&text));
}

static int decode_item(struct decoder *d, const struct protobuf_message *message,
		       const struct type *type, struct json object, const struct item *item)
{
	struct str name = protobuf_field(message, item->number);
	const struct protobuf_message *inlined;
	const struct field *field;
	size_t hint = 0;

	if (str_starts(name, STR("@"))) {
		inlined = protobuf_find(type, str_skip(name, 1));
		return inlined ? decode_object(d, inlined, type, object, item->bytes) : 0;
	}
	field = name.len ? type_find(type, name, &hint) : NULL;
	if (!field) {
		tell_unknown(d, type, item->number);
		return 0;
	}
	if (decode_field(d, field, object, item) < 0)
		return err_wrap(d->err, "%s", field->name);
	return 0;
}

static int decode_object(struct decoder *d, const struct protobuf_message *message,
			 const struct type *type, struct json object, struct str bytes)
{
	struct item item;
	int rc = 0;

	if (++d->depth > DEPTH_MAX)
		rc = err_set(d->err, ERR_BAD_REQUEST, "exceeded max depth");
	while (rc == 0 && bytes.len) {
		rc = read_item(&bytes, &item, d->err);
		if (rc == 0)
			rc = decode_item(d, message, type, object, &item);
	}
	d->depth--;
	return rc;
}

struct json_doc *protobuf_decode(const struct type *type, struct str raw,
				 const struct protobuf_options *options, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct err unheard = {0};
	struct decoder d = {.doc = doc,
			    .indexes = {.doc = doc},
			    .options = options,
			    .err = err ? err : &unheard};
	struct json root = new_object(&d, type, raw);

	json_indexes_done(&d.indexes);
	if (json_is_absent(root))
		return NULL;
	json_doc_set_root(doc, root);
	return TAKE(doc);
}

/* --- the numbers ----------------------------------------------------------------------------- */

struct str protobuf_field(const struct protobuf_message *message, uint64_t number)
{
	struct str rest = str_from(message->fields);
	struct str name;
	uint64_t at = 0;

	while (str_split(&rest, ' ', &name)) {
		ptrdiff_t colon = str_find_byte(name, ':', 0);

		at++;
		if (colon > 0 &&
		    number_parse_u64(str_slice(name, 0, (size_t)colon), &at, NULL) == 0)
			name = str_skip(name, (size_t)colon + 1);
		if (at == number)
			return name;
	}
	return str_none();
}
