/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rules.c - shared by the rules of the built-in kinds, with the messages of kube-apiserver
 * 1.34.
 *
 * All functions read documents and keep no state. */
#include "model/rules/rules.h"

#include <ctype.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "model/core/meta.h"
#include "model/field/fields_internal.h"
#include "model/value/intstr.h"
#include "model/value/labels.h"
#include "model/value/names.h"

#include "base/banned.h"

enum { CSI_DRIVER_MAX = 63 };

void rules_elsewhere(struct json object, const struct path *path, struct causes *causes)
{
	(void)object;
	(void)path;
	(void)causes;
}

void rules_meta(struct json object, enum name_format format, bool namespaced, struct causes *causes)
{
	struct path path = path_member(NULL, STR("metadata"));
	struct meta_rules rules = {.namespaced = namespaced, .format = format, .built_in = true};

	meta_validate(json_get(object, "metadata"), &rules, &path, causes);
}

bool rules_is_empty(struct json value)
{
	return field_is_missing(value) || (json_is(value, JSON_OBJ) && json_len(value) == 0);
}

bool rules_same(struct json a, struct json b)
{
	return json_eq(a, b) || (rules_is_empty(a) && rules_is_empty(b));
}

void rules_invalid(struct json value, const struct path *path, const char *detail,
		   struct causes *causes)
{
	if (json_is_absent(value))
		causes_add(causes, CAUSE_INVALID, path, "Invalid value: null: %s", detail);
	else
		causes_invalid(causes, path, value, "%s", detail);
}

/* An absent text is reported as an empty one. */
void rules_immutable(struct json new, struct json old, const struct path *path,
		     struct causes *causes)
{
	if (rules_same(new, old))
		return;
	if (json_is(old, JSON_STR))
		causes_invalid(causes, path, new, "field is immutable");
	else
		rules_invalid(new, path, "field is immutable", causes);
}

/* --- numbers --------------------------------------------------------------------------------- */

void rules_not_negative(struct json number, const struct path *path, struct causes *causes)
{
	if (json_int(number) < 0)
		causes_invalid(causes, path, number, "must be greater than or equal to 0");
}

void rules_port(int64_t port, const struct path *path, struct causes *causes)
{
	if (port < 1 || port > 65535)
		causes_invalid_int(causes, path, port, "must be between 1 and 65535, inclusive");
}

void rules_port_or_name(struct json value, const struct path *path, struct causes *causes)
{
	if (json_is(value, JSON_STR))
		name_validate(NAME_PORT, json_str(value), path, causes);
	else
		rules_port(json_int(value), path, causes);
}

static bool is_percent(struct str text)
{
	if (text.len < 2 || text.ptr[text.len - 1] != '%')
		return false;
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

void rules_int_or_percent(struct json value, const struct path *path, struct causes *causes)
{
	if (json_is(value, JSON_INT))
		rules_not_negative(value, path, causes);
	else if (json_is(value, JSON_STR) && !is_percent(json_str(value)))
		causes_invalid(causes, path, value,
			       "a valid percent string must be a numeric string followed by an "
			       "ending '%%' (e.g. '1%%',  or '93%%', regex used for validation is "
			       "'[0-9]+%%')");
}

void rules_at_most_all(struct json value, const struct path *path, struct causes *causes)
{
	struct str text = json_str(value);
	int64_t percent;

	if (!is_percent(text) || number_parse_i64(str_slice(text, 0, text.len - 1), &percent, NULL))
		return;
	if (percent > 100)
		causes_invalid(causes, path, value, "must not be greater than 100%%");
}

/* --- texts ----------------------------------------------------------------------------------- */

void rules_one_of(struct json value, const char *const *names, size_t count,
		  const struct path *path, struct causes *causes)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(json_str(value), names[i]))
			return;
	causes_not_supported(causes, path, json_str(value), names, count);
}

void rules_one_of_required(struct json value, const char *const *names, size_t count,
			   const struct path *path, struct causes *causes)
{
	if (json_str(value).len)
		rules_one_of(value, names, count, path, causes);
	else
		causes_required(causes, path, "");
}

/* Checked in lower case, reported unchanged. */
static void check_lower(enum name_format format, struct str name, const struct path *path,
			struct causes *causes)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;

	for (size_t i = 0; i < name.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)name.ptr[i]));
	name_validate_as(format, buf_str(&lower), name, path, causes);
}

void rules_qualified_lower(struct str name, const struct path *path, struct causes *causes)
{
	check_lower(NAME_QUALIFIED, name, path, causes);
}

void rules_csi_driver(struct str name, const struct path *path, struct causes *causes)
{
	if (!name.len)
		causes_required(causes, path, "");
	if (name.len > CSI_DRIVER_MAX)
		causes_too_long(causes, path, CSI_DRIVER_MAX);
	check_lower(NAME_DNS_SUBDOMAIN, name, path, causes);
}

/* --- selectors ------------------------------------------------------------------------------- */

void rules_label_selector(struct json selector, const struct path *path, struct causes *causes)
{
	if (json_is(selector, JSON_OBJ))
		type_validate_at(&label_selector_type, selector, path, causes);
}

bool rules_selects(struct json selector, struct json labels)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct label_selector object;
	struct selector parsed;
	struct meta meta = {0};

	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json holder = json_new_obj(doc);

	if (!json_is_absent(labels))
		json_set(doc, holder, STR("labels"), json_new_copy(doc, labels));
	return type_decode(&label_selector_type, selector, arena, &object, NULL) == 0 &&
	       selector_from_object(&object, arena, &parsed, NULL) == 0 &&
	       type_decode(&meta_type, holder, arena, &meta, NULL) == 0 &&
	       selector_matches(&parsed, &meta.labels);
}

void rules_counts(struct json object, const char *const *names, size_t count,
		  const struct path *path, struct causes *causes)
{
	for (size_t i = 0; i < count; i++) {
		struct path at = path_member(path, str_from(names[i]));

		rules_not_negative(json_get(object, names[i]), &at, causes);
	}
}

/* --- config maps and secrets ----------------------------------------------------------------- */

size_t rules_bytes_len(struct json value)
{
	struct str text = json_str(value);
	size_t padding = 0;

	while (padding < 2 && padding < text.len && text.ptr[text.len - 1 - padding] == '=')
		padding++;
	return text.len / 4 * 3 - padding;
}
