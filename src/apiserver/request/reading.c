/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/reading.c - stored objects as clients of a kind's version see them.
 *
 * The text of a stored object starts with its apiVersion and kind, in that order and without
 * escapes, followed by its metadata: so the rest is found without parsing, whatever version it was
 * stored in. */
#include "apiserver/request/reading.h"

#include "apiserver/crd/definition.h"
#include "apiserver/crd/schema.h"
#include "apiserver/kind/kind.h"
#include "apiserver/store/decoded.h"
#include "apiserver/store/object.h"
#include "base/buf.h"
#include "json/doc.h"
#include "model/field/fields.h"

#include "base/banned.h"

/* Does it have to go through the schema? */
static bool is_reshaped(const struct kind *kind, const struct object *object)
{
	return kind->custom && definition_reshapes(kind, object->revision);
}

bool reading_is_plain(const struct kind *kind, const struct object *object)
{
	return str_starts(object->text, kind->head) && !is_reshaped(kind, object);
}

static struct json_doc *convert(const struct kind *kind, struct json stored)
{
	struct json_doc *doc = json_doc_new();

	json_doc_set_root(doc, kind->from_stored(stored, doc));
	type_default(kind->type, doc, json_doc_root(doc));
	return doc;
}

struct json_doc *reading_parse(const struct kind *kind, const struct object *object,
			       struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *stored = object_parse(object);
	struct json_doc *doc;

	(void)err;
	if (reading_is_plain(kind, object))
		return TAKE(stored);
	if (kind->from_stored)
		return convert(kind, json_doc_root(stored));
	doc = json_doc_thaw(json_doc_root(stored));
	json_set_str(doc, json_doc_root(doc), "apiVersion", kind->api_version);
	if (is_reshaped(kind, object))
		definition_shape(kind, doc, json_doc_root(doc));
	return doc;
}

struct json_doc *reading_get(struct decoded *decoded, const struct kind *kind,
			     struct object *object, struct err *err)
{
	return reading_is_plain(kind, object) ? decoded_get(decoded, object)
					      : reading_parse(kind, object, err);
}

/* What follows apiVersion and kind. */
static struct str body_of(const struct kind *kind, const struct object *object)
{
	ptrdiff_t at;

	if (!kind->custom)
		return str_skip(object->text, kind->stored->head.len);
	at = str_find(object->text, STR("\"metadata\":"), 0);
	return at < 0 ? STR("\"metadata\":{}}") : str_skip(object->text, (size_t)at);
}

void reading_print(const struct kind *kind, const struct object *object, bool head, struct buf *to)
{
	struct err err;

	if (kind->from_stored || is_reshaped(kind, object)) {
		AUTO(json_doc_unref) struct json_doc *doc = reading_parse(kind, object, &err);

		if (!head) {
			(void)json_remove(doc, json_doc_root(doc), STR("apiVersion"));
			(void)json_remove(doc, json_doc_root(doc), STR("kind"));
		}
		json_print(json_doc_root(doc), JSON_COMPACT, to);
		return;
	}
	if (head)
		buf_put_str(to, kind->head);
	else
		buf_putc(to, '{');
	buf_put_str(to, body_of(kind, object));
}
