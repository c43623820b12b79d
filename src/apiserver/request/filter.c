/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/filter.c - which objects a list or a watch is about.
 *
 * Labels and selectable fields are stored with each object, so that nothing is parsed.
 * metadata.name and metadata.namespace are read off the key. */
#include "apiserver/request/filter.h"

#include "apiserver/api_internal.h"
#include "base/arena.h"
#include "base/buf.h"
#include "model/value/fieldselector.h"
#include "model/value/labels.h"

#include "base/banned.h"

enum { LABELS_AT_ONCE = 1 };

struct filter {
	const struct kind *kind;
	struct str prefix;
	struct str name; /* of a watch of one object; none: all */
	bool by_labels;
	struct selector labels;
	struct field_selector fields;
};

/* The namespace and the name in a key: after the kind's prefix. */
static struct str key_namespace(const struct kind *kind, struct str key)
{
	struct str rest = str_skip(key, kind->prefix.len);

	return str_slice(rest, 0, (size_t)str_find_byte(rest, '/', 0));
}

static struct str key_name(struct str key)
{
	return str_skip(key, (size_t)str_rfind_byte(key, '/') + 1);
}

/* --- which fields there are --- */

static const char *const *selectable_of(const struct kind *kind)
{
	return kind->selectable_as || kind->custom ? kind->selectable : kind->stored->selectable;
}

/* Built-in kinds that list their fields do not list a namespace that they do not have. */
static bool is_selectable(const struct kind *kind, struct str field)
{
	if (str_is(field, "metadata.name"))
		return true;
	if (str_is(field, "metadata.namespace"))
		return kind->namespaced || kind->custom || !selectable_of(kind);
	for (const char *const *name = selectable_of(kind); name && *name; name++)
		if (str_is(field, *name))
			return true;
	return false;
}

/* What a selectable field is called where it is stored. */
static struct str stored_field(const struct kind *kind, struct str field)
{
	for (size_t i = 0; kind->selectable_as && kind->selectable_as[i]; i++)
		if (str_is(field, kind->selectable[i]))
			return str_from(kind->selectable_as[i]);
	return field;
}

/* The message for kinds with their own fields is short; for the others it names the two fields that
 * all kinds have. */
static int refuse_field(const struct kind *kind, struct str field, struct err *err)
{
	if (kind->custom || (kind->stored->selectable && kind->stored->selectable[0]))
		return err_set(err, ERR_BAD_REQUEST, "field label not supported: %.*s",
			       STR_ARG(field));
	return err_set(err, ERR_BAD_REQUEST,
		       "\"%.*s\" is not a known field selector: only \"metadata.name\", "
		       "\"metadata.namespace\"",
		       STR_ARG(field));
}

static int check_fields(const struct filter *filter, struct err *err)
{
	for (size_t i = 0; i < filter->fields.len; i++) {
		struct str field = filter->fields.ptr[i].field;

		if (!field.len && !filter->fields.ptr[i].value.len)
			continue; /* "=": an empty field is empty */
		if (!is_selectable(filter->kind, field))
			return refuse_field(filter->kind, field, err);
	}
	return 0;
}

/* --- the filter --- */

static struct str make_prefix(struct call *call)
{
	if (!call->namespace.len)
		return call->kind->prefix;
	return str_from(arena_printf(call->arena, "%.*s%.*s/", STR_ARG(call->kind->prefix),
				     STR_ARG(call->namespace)));
}

struct filter *filter_new(struct call *call, struct err *err)
{
	struct filter *filter = arena_new_of(call->arena, struct filter);
	const struct call_options *options = &call->options;

	filter->kind = call->kind;
	filter->prefix = make_prefix(call);
	filter->name = call->name;
	filter->by_labels = options->label_selector.len > 0;
	if (filter->by_labels &&
	    selector_parse(options->label_selector, call->arena, &filter->labels, err) < 0)
		return NULL;
	if (options->field_selector.len &&
	    field_selector_parse(options->field_selector, call->arena, &filter->fields, err) < 0)
		return NULL;
	return check_fields(filter, err) < 0 ? NULL : filter;
}

struct str filter_prefix(const struct filter *filter)
{
	return filter->prefix;
}

bool filter_is_plain(const struct filter *filter)
{
	return !filter->by_labels && !filter->fields.len && !filter->name.len;
}

bool filter_is_single(const struct filter *filter)
{
	bool placed = !filter->kind->namespaced || filter->prefix.len > filter->kind->prefix.len;

	return placed && field_selector_exact(&filter->fields, STR("metadata.name"));
}

struct lookup {
	const struct filter *filter;
	const struct object *object;
};

static struct str field_value(void *arg, struct str field)
{
	const struct lookup *lookup = arg;
	const struct object *object = lookup->object;

	if (str_is(field, "metadata.name"))
		return key_name(object->key);
	if (str_is(field, "metadata.namespace"))
		return key_namespace(lookup->filter->kind, object->key);
	return object_field(object, stored_field(lookup->filter->kind, field));
}

/* A selector asks by key; the labels of an object are found without being laid out. */
static bool labels_match(const struct filter *filter, const struct object *object)
{
	struct label room[LABELS_AT_ONCE];
	struct labels labels = {room, 0};

	for (size_t i = 0; i < filter->labels.len; i++) {
		struct str key = filter->labels.ptr[i].key;
		struct str value = object_label(object, key);

		labels.len = 0;
		if (!str_is_none(value))
			room[labels.len++] = (struct label){key, value};
		if (!requirement_matches(&filter->labels.ptr[i], &labels))
			return false;
	}
	return !filter->labels.nothing;
}

bool filter_matches(const struct filter *filter, const struct object *object)
{
	struct lookup lookup = {filter, object};

	if (!str_starts(object->key, filter->prefix))
		return false;
	if (filter->name.len && !str_eq(key_name(object->key), filter->name))
		return false;
	if (filter->by_labels && !labels_match(filter, object))
		return false;
	return field_selector_matches(&filter->fields, field_value, &lookup);
}
