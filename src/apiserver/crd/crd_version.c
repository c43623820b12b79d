/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/crd_version.c - the parts of a definition other than its schemas: warnings about old
 * versions, selectable fields, conversion, and the fields around rules. With the messages of
 * kube-apiserver. */
#include "apiserver/crd/crd_internal.h"
#include "base/buf.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum { WARNING_MAX = 256, SELECTABLE_MAX = 8 };

void crd_check_deprecation(struct json version, const struct path *at, struct causes *causes)
{
	struct json warning = json_get(version, "deprecationWarning");
	struct str text = json_str(warning);
	PATH(path, at, "deprecationWarning");

	if (!json_is(warning, JSON_STR))
		return;
	if (!json_bool(json_get(version, "deprecated"))) {
		causes_invalid(causes, &path, warning, "can only be set for deprecated versions");
		return;
	}
	if (text.len > WARNING_MAX)
		causes_invalid(causes, &path, warning, "must be <= 256 characters long");
	if (!text.len)
		causes_invalid(causes, &path, warning, "must not be an empty string");
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
			causes_invalid(causes, &path, warning,
				       "must only contain printable UTF-8 characters; "
				       "non-printable character found at index %zu",
				       i);
			break;
		}
}

/* --- fields ---------------------------------------------------------------------------------- */

/* One step of a path that a schema is followed along; false and why where it leads nowhere. */
static bool follow(struct json *schema, struct str name, const char **why)
{
	struct json properties = json_get(*schema, "properties");

	if (json_is(properties, JSON_OBJ))
		*schema = json_get_str(properties, name);
	else
		*schema = json_get(*schema, "additionalProperties");
	if (json_is(*schema, JSON_OBJ))
		return true;
	*why = "does not refer to a valid field";
	return false;
}

static struct str take_word(struct str *rest)
{
	size_t len = 0;

	while (len < rest->len && rest->ptr[len] != '.' && rest->ptr[len] != '[' &&
	       rest->ptr[len] != ']')
		len++;
	struct str word = str_slice(*rest, 0, len);

	*rest = str_skip(*rest, len);
	return word;
}

bool crd_follow_path(struct json schema, struct str path, bool brackets, struct json *ret,
		     struct buf *why)
{
	const char *text = NULL;

	while (path.len && !text && !why->len) {
		char sign = path.ptr[0];
		struct str word;

		if (sign == '[' && !brackets) {
			text = "array notation is not allowed";
			break;
		}
		if (sign != '.' && sign != '[') {
			word = take_word(&path);
			buf_printf(why, "expected [ or . but got: %.*s", STR_ARG(word));
			return false;
		}
		path = str_skip(path, 1);
		if (!path.len) {
			text = "unexpected end of JSON path";
			break;
		}
		word = take_word(&path);
		if (sign == '[') {
			bool quoted = word.len > 1 && word.ptr[0] == '\'' &&
				      word.ptr[word.len - 1] == '\'';

			if (!quoted || !str_starts(path, STR("]"))) {
				text = "unexpected end of JSON path";
				break;
			}
			word = str_slice(word, 1, word.len - 1);
			path = str_skip(path, 1);
		}
		if (!follow(&schema, word, &text))
			break;
	}
	if (text)
		buf_puts(why, text);
	*ret = schema;
	return !why->len;
}

static bool can_be_selected(struct json schema)
{
	struct str type = rule_text(schema, "type");

	return str_is(type, "string") || str_is(type, "boolean") || str_is(type, "integer");
}

static void check_selectable(struct json field, struct json schema, const struct path *at,
			     struct name_set *seen, struct causes *causes)
{
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	struct json found = JSON_NONE;
	struct str path = rule_text(field, "jsonPath");
	PATH(where, at, "jsonPath");

	if (!path.len) {
		causes_required(causes, &where, "");
		return;
	}
	if (!crd_follow_path(schema, path, false, &found, &why)) {
		causes_invalid_str(causes, &where, path, "is an invalid path: %s", buf_text(&why));
		return;
	}
	if (str_is(path, ".metadata") || str_starts(path, STR(".metadata.")))
		causes_invalid_str(causes, &where, path, "must not point to fields in metadata");
	if (!can_be_selected(found))
		causes_invalid_str(causes, &where, path,
				   "must point to a field of type string, boolean or integer. Enum "
				   "string fields and strings with formats are allowed.");
	if (!name_set_add(seen, path))
		causes_duplicate_str(causes, &where, path);
}

void crd_check_selectable(struct json version, const struct path *at, struct causes *causes)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json schema = json_get(json_get(version, "schema"), "openAPIV3Schema");
	struct json_iter it = json_iter(json_get(version, "selectableFields"));
	PATH(path, at, "selectableFields");

	while (json_next(&it)) {
		struct path one = path_index(&path, it.index);

		check_selectable(it.value, schema, &one, &seen, causes);
	}
	if (seen.len > SELECTABLE_MAX)
		causes_too_many(causes, &path, seen.len, SELECTABLE_MAX);
}

/* --- conversion ------------------------------------------------------------------------------ */

static void check_review_versions(struct json versions, const struct path *path,
				  struct causes *causes)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(versions);
	bool known = false;

	if (!json_len(versions)) {
		causes_required(causes, path, "");
		return;
	}
	while (json_next(&it)) {
		struct path at = path_index(path, it.index);
		struct str version = json_str(it.value);

		if (!name_set_add(&seen, version)) {
			causes_invalid(causes, &at, it.value, "duplicate version");
			continue;
		}
		(void)name_validate(NAME_DNS1035_LABEL, version, &at, causes);
		known = known || str_is(version, "v1") || str_is(version, "v1beta1");
	}
	if (!known)
		causes_invalid(causes, path, versions, "must include at least one of v1, v1beta1");
}

void crd_check_conversion(struct json conversion, const struct path *spec, struct causes *causes)
{
	static const char *const strategies[] = {"None", "Webhook"};
	struct json webhook = json_get(conversion, "webhook");
	struct json client = json_get(webhook, "clientConfig");
	PATH(path, spec, "conversion");
	PATH(strategy, &path, "strategy");
	PATH(config, &path, "webhookClientConfig");
	PATH(versions, &path, "conversionReviewVersions");

	if (!json_is(conversion, JSON_OBJ))
		return;
	rules_one_of_required(json_get(conversion, "strategy"), strategies, ARRAY_LEN(strategies),
			      &strategy, causes);
	if (str_is(rule_text(conversion, "strategy"), "Webhook")) {
		if (!json_is(client, JSON_OBJ))
			causes_required(causes, &config,
					"required when strategy is set to Webhook");
		else if (rule_has(client, "url") == rule_has(client, "service"))
			causes_required(causes, &config,
					"exactly one of url or service is required");
		check_review_versions(json_get(webhook, "conversionReviewVersions"), &versions,
				      causes);
		return;
	}
	if (json_is(client, JSON_OBJ))
		causes_forbidden(causes, &config,
				 "should not be set when strategy is not set to Webhook");
	if (json_len(json_get(webhook, "conversionReviewVersions")))
		causes_forbidden(causes, &versions,
				 "should not be set when strategy is not set to Webhook");
}

/* --- around rules ---------------------------------------------------------------------------- */

static bool has_line_break(struct str text)
{
	return str_find_byte(text, '\n', 0) >= 0 || str_find_byte(text, '\r', 0) >= 0;
}

static void check_field_path(struct json schema, struct json rule, const struct path *at,
			     struct causes *causes)
{
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	struct json field = json_get(rule, "fieldPath");
	struct json found;
	PATH(path, at, "fieldPath");

	if (!json_str(field).len)
		return;
	if (!str_trim(json_str(field)).len)
		causes_invalid(causes, &path, field, "must be non-empty if specified");
	if (has_line_break(json_str(field)))
		causes_invalid(causes, &path, field, "must not contain line breaks");
	if (!crd_follow_path(schema, json_str(field), true, &found, &why))
		causes_invalid(causes, &path, field, "must be a valid path");
}

void crd_check_rule_words(struct json schema, struct json rule, const struct path *at,
			  struct causes *causes)
{
	static const char *const reasons[] = {"FieldValueDuplicate", "FieldValueForbidden",
					      "FieldValueInvalid", "FieldValueRequired"};
	struct str source = str_trim(rule_text(rule, "rule"));
	struct json message = json_get(rule, "message");
	struct str words = str_trim(json_str(message));
	struct str expression = rule_text(rule, "messageExpression");
	PATH(rule_path, at, "rule");
	PATH(message_path, at, "message");
	PATH(expression_path, at, "messageExpression");
	PATH(reason, at, "reason");

	if (!source.len)
		causes_required(causes, &rule_path, "rule is not specified");
	else if (json_str(message).len && !words.len)
		causes_invalid(causes, &message_path, message, "must be non-empty if specified");
	else if (has_line_break(words))
		causes_invalid(causes, &message_path, message, "must not contain line breaks");
	else if (has_line_break(source) && !words.len)
		causes_required(causes, &message_path,
				"message must be specified if rule contains line breaks");
	if (expression.len && !str_trim(expression).len)
		causes_required(causes, &expression_path,
				"messageExpression must be non-empty if specified");
	if (rule_has(rule, "reason"))
		rules_one_of(json_get(rule, "reason"), reasons, ARRAY_LEN(reasons), &reason,
			     causes);
	check_field_path(schema, rule, at, causes);
}
