/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/rule.c - walk the rows of rules, and report what is wrong.
 *
 * A row costs one look-up of its member; a path is made only for a member that is checked, and printed
 * only for a cause. Causes come in the order of the rows: what upstream checks first is reported first.
 * The walker recurses as deep as the tables do, and these follow the document, whose depth is bounded. */
#include "model/field/rule.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/buf.h"
#include "model/field/fields.h"
#include "model/rules/rules.h"

#include "base/banned.h"

static bool is_unset(struct json value)
{
	return json_is_absent(value) || json_is(value, JSON_NULL);
}

/* Nothing, as Go's zero values are nothing; an empty object is something. */
static bool is_missing(const struct rule *rule, struct json value)
{
	switch (json_type(value)) {
	case JSON_ABSENT:
	case JSON_NULL:
		return true;
	case JSON_STR:
		return json_str(value).len == 0;
	case JSON_ARR:
		return json_len(value) == 0;
	case JSON_INT:
		return rule->nonzero && json_int(value) == 0;
	default:
		return false;
	}
}

static bool is_skipped(const struct rule *rule, struct json value)
{
	if (rule->required || rule->always || rule->immutable || rule->fixed)
		return false;
	return is_unset(value) || (rule->filled && rules_is_empty(value)) ||
	       (rule->nonzero && json_int(value) == 0);
}

static bool applies(const struct rule *rule, const struct rule_at *object)
{
	if (rule->if_member && str_is(json_str(json_get(object->value, rule->if_member)),
				      rule->if_text) == rule->if_not)
		return false;
	return !rule->when || rule->when(object);
}

/* --- words ----------------------------------------------------------------------------------- */

static void check_range(const struct rule *rule, const struct rule_at *at)
{
	int64_t number = json_int(at->value);

	if ((!rule->has_min || number >= rule->min) && (!rule->has_max || number <= rule->max))
		return;
	if (rule->range_detail)
		causes_invalid_int(at->causes, at->path, number, "%s", rule->range_detail);
	else if (rule->has_min && rule->has_max)
		causes_invalid_int(at->causes, at->path, number,
				   "must be between %" PRId64 " and %" PRId64 ", inclusive",
				   rule->min, rule->max);
	else if (rule->has_min)
		causes_invalid_int(at->causes, at->path, number,
				   "must be greater than or equal to %" PRId64, rule->min);
	else
		causes_invalid_int(at->causes, at->path, number,
				   "must be less than or equal to %" PRId64, rule->max);
}

static void say(const struct rule *rule, const struct rule_at *at)
{
	if (rule->says == CAUSE_FORBIDDEN + 1)
		causes_forbidden(at->causes, at->path, rule->detail);
	else if (rule->says == CAUSE_REQUIRED + 1)
		causes_required(at->causes, at->path, rule->detail);
	else
		causes_invalid(at->causes, at->path, at->value, "%s", rule->detail);
}

static void check_change(const struct rule *rule, const struct rule_at *at)
{
	if (rules_same(at->value, at->old))
		return;
	if (rule->fixed)
		causes_forbidden(at->causes, at->path, rule->detail);
	else if (json_is(at->old, JSON_STR) && !rule->detail)
		causes_invalid(at->causes, at->path, at->value, "field is immutable");
	else
		rules_invalid(at->value, at->path,
			      rule->detail ? rule->detail : "field is immutable", at->causes);
}

/* What a row says about the value itself. False: there is nothing more to check. */
static bool check_words(const struct rule *rule, const struct rule_at *at)
{
	struct str text = json_str(at->value);

	if (rule->immutable || rule->fixed)
		check_change(rule, at);
	if (rule->texts.len && !rule_texts_have(rule->texts, text))
		causes_not_supported(at->causes, at->path, text, rule->texts.ptr, rule->texts.len);
	if (rule->key_format != NAME_ANY)
		name_validate((enum name_format)rule->key_format, at->path->name, at->path,
			      at->causes);
	if (rule->format != NAME_ANY)
		name_validate((enum name_format)rule->format, text, at->path, at->causes);
	if (rule->has_min || rule->has_max)
		check_range(rule, at);
	if (rule->max_len && text.len > rule->max_len)
		causes_too_long(at->causes, at->path, rule->max_len);
	if (rule->max_count && json_len(at->value) > rule->max_count) {
		causes_too_many(at->causes, at->path, json_len(at->value), rule->max_count);
		return !rule->skip_many;
	}
	if (rule->once && at->seen && !name_set_add(at->seen, text))
		causes_duplicate_str(at->causes, at->path, text);
	return true;
}

/* --- the walk -------------------------------------------------------------------------------- */

static void check_value(const struct rule *rule, const struct rule_at *at);

static struct path element_path(const struct rule *rule, const struct rule_at *list,
				const struct json_iter *it)
{
	if (json_is(list->value, JSON_ARR))
		return path_index(list->path, it->index);
	return rule->dotted ? path_member(list->path, it->key) : path_key(list->path, it->key);
}

static void check_elements(const struct rule *rule, const struct rule_at *list)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(list->value);
	bool array = json_is(list->value, JSON_ARR);
	struct rule_at at = *list;

	at.up = list;
	at.seen = &seen;
	while (json_next(&it)) {
		struct path path = element_path(rule, list, &it);

		at.value = it.value;
		at.old = array ? json_at(list->old, it.index) : json_get_str(list->old, it.key);
		at.path = rule->flat ? list->path : &path;
		if (applies(rule->each, &at) && !(rule->each->filled && rules_is_empty(it.value)))
			check_value(rule->each, &at);
	}
}

/* The value of the row's member, with its path in *path. */
static struct rule_at member_of(const struct rule *rule, const char *called,
				const struct rule_at *object, struct path *path)
{
	struct rule_at at = *object;

	if (rule->entry)
		*path = path_key(object->path, str_from(rule->member));
	else
		*path = path_member(object->path, str_from(called ? called : rule->member));
	at.value = json_get(object->value, rule->member);
	at.old = json_get(object->old, rule->member);
	at.path = rule->hidden ? object->path : path;
	at.up = object;
	return at;
}

static void check_one(const struct rule_one *one, const struct rule_at *at)
{
	bool found = false;

	for (size_t i = 0; i < one->rows.len; i++) {
		const struct rule *row = &one->rows.ptr[i];
		struct path path;
		struct rule_at member;

		if (is_unset(json_get(at->value, row->member)))
			continue;
		member = member_of(row, found ? row->again : row->called, at, &path);
		if (found)
			causes_forbidden(at->causes, &path, one->more);
		else
			check_value(row, &member);
		if (row->also)
			row->also(&member);
		found = true;
	}
	if (!found && one->none)
		causes_required(at->causes, at->path, one->none);
}

static void check_value(const struct rule *rule, const struct rule_at *at)
{
	if (rule->says) {
		say(rule, at);
		return;
	}
	if ((rule->required || rule->nonempty) && is_missing(rule, at->value)) {
		causes_required(at->causes, at->path, rule->detail ? rule->detail : "");
		if (!rule->always)
			return;
	}
	if (!check_words(rule, at))
		return;
	if (rule->check)
		rule->check(at);
	if (rule->object)
		rules_check(rule->object, at);
	if (rule->type)
		type_validate_at(rule->type, at->value, at->path, at->causes);
	if (rule->one)
		check_one(rule->one, at);
	if (rule->each)
		check_elements(rule, at);
}

static void check_row(const struct rule *rule, const struct rule_at *object)
{
	struct rule_at at;
	struct path path;

	if (!applies(rule, object))
		return;
	if (!rule->member) {
		check_value(rule, object);
		return;
	}
	if (is_skipped(rule, json_get(object->value, rule->member)))
		return;
	at = member_of(rule, rule->called, object, &path);
	check_value(rule, &at);
}

void rules_check(const struct rules *rules, const struct rule_at *at)
{
	for (size_t i = 0; i < rules->len; i++) {
		size_t before = at->causes->len;

		check_row(&rules->ptr[i], at);
		if (rules->ptr[i].stop && at->causes->len != before)
			return;
	}
}

/* --- reports of functions -------------------------------------------------------------------- */

/* The path of the value, or of a member of it. */
static const struct path *path_of(const struct rule_at *at, const char *key, struct path *member)
{
	if (!key)
		return at->path;
	*member = path_member(at->path, str_from(key));
	return member;
}

static struct json value_of(const struct rule_at *at, const char *key)
{
	return key ? json_get(at->value, key) : at->value;
}

void rule_invalid(const struct rule_at *at, const char *key, const char *format, ...)
{
	AUTO(buf_done) struct buf detail = BUF_UNBOUNDED;
	struct path member;
	va_list args;

	va_start(args, format);
	buf_vprintf(&detail, format, args);
	va_end(args);
	causes_invalid(at->causes, path_of(at, key, &member), value_of(at, key), "%s",
		       buf_text(&detail));
}

void rule_invalid_str(const struct rule_at *at, const char *key, struct str shown,
		      const char *format, ...)
{
	AUTO(buf_done) struct buf detail = BUF_UNBOUNDED;
	struct path member;
	va_list args;

	va_start(args, format);
	buf_vprintf(&detail, format, args);
	va_end(args);
	causes_invalid_str(at->causes, path_of(at, key, &member), shown, "%s", buf_text(&detail));
}

void rule_required_as(const struct rule_at *at, const char *key, const char *words)
{
	struct path member;

	causes_required(at->causes, path_of(at, key, &member), words);
}

void rule_forbidden(const struct rule_at *at, const char *key, const char *words)
{
	struct path member;

	causes_forbidden(at->causes, path_of(at, key, &member), words);
}

void rule_duplicate(const struct rule_at *at, const char *key)
{
	struct path member;

	causes_duplicate(at->causes, path_of(at, key, &member), value_of(at, key));
}

void rule_duplicate_str(const struct rule_at *at, const char *key, struct str shown)
{
	struct path member;

	causes_duplicate_str(at->causes, path_of(at, key, &member), shown);
}

void rule_not_supported(const struct rule_at *at, const char *key, struct str shown,
			struct rule_texts texts)
{
	struct path member;

	causes_not_supported(at->causes, path_of(at, key, &member), shown, texts.ptr, texts.len);
}

void rule_not_found(const struct rule_at *at, const char *key)
{
	struct path member;

	causes_not_found(at->causes, path_of(at, key, &member), json_str(value_of(at, key)));
}

void rule_add(const struct rule_at *at, const char *key, enum cause_reason reason,
	      const char *format, ...)
{
	AUTO(buf_done) struct buf message = BUF_UNBOUNDED;
	struct path member;
	va_list args;

	va_start(args, format);
	buf_vprintf(&message, format, args);
	va_end(args);
	causes_add(at->causes, reason, path_of(at, key, &member), "%s", buf_text(&message));
}
