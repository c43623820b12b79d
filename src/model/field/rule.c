/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/rule.c - walk the rows of rules, and report what is wrong.
 *
 * An object is read once for all its rows; a path is made only for a member that is checked, and printed
 * only for a cause. Causes come in the order of the rows: what upstream checks first is reported first.
 * The walker recurses as deep as the tables do, and these follow the document, whose depth is bounded. */
#include "model/field/rule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "json/index.h"
#include "model/field/fields.h"
#include "model/field/fields_internal.h"
#include "model/rules/rules.h"

#include "base/banned.h"

const struct rules rules_none = {NULL, 0};

static bool is_unset(struct json value)
{
	return json_is_absent(value) || json_is(value, JSON_NULL);
}

static bool is_missing(const struct rule *rule, struct json value)
{
	return field_is_missing(value) ||
	       (rule->nonzero && json_is(value, JSON_INT) && json_int(value) == 0);
}

static bool is_skipped(const struct rule *rule, struct json value)
{
	if (rule->required || rule->always || rule->immutable || rule->fixed)
		return false;
	return is_unset(value) || (rule->filled && rules_is_empty(value)) ||
	       (rule->nonzero && json_int(value) == 0);
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

/* Checks a text by a row. */
static void check_text(const struct rule *rule, const struct rule_at *at)
{
	struct str text = json_str(at->value);

	if (rule->texts.len && !rule_texts_have(rule->texts, text))
		causes_not_supported(at->causes, at->path, text, rule->texts.ptr, rule->texts.len);
	if (rule->key_format != NAME_ANY)
		name_validate((enum name_format)rule->key_format, at->path->name, at->path,
			      at->causes);
	if (rule->format != NAME_ANY)
		name_validate((enum name_format)rule->format, text, at->path, at->causes);
	if (rule->max_len && text.len > rule->max_len)
		causes_too_long(at->causes, at->path, rule->max_len);
	if (rule->once && at->seen && !name_set_add(at->seen, text))
		causes_duplicate_str(at->causes, at->path, text);
}

/* Checks the value itself by a row. False: there is nothing more to check. */
static bool check_words(const struct rule *rule, const struct rule_at *at)
{
	if (rule->immutable || rule->fixed)
		check_change(rule, at);
	if (rule->texts.len || rule->format | rule->key_format || rule->max_len || rule->once)
		check_text(rule, at);
	if (rule->has_min || rule->has_max)
		check_range(rule, at);
	if (rule->max_count && json_len(at->value) > rule->max_count) {
		causes_too_many(at->causes, at->path, json_len(at->value), rule->max_count);
		return !rule->skip_many;
	}
	return true;
}

/* --- the walk -------------------------------------------------------------------------------- */

enum { MEMBERS_MAX = 32, FEW_ROWS = 2, NAME_BITS = 64 };

/* The members of an object, read once for all rows. For few rows, and in an object with more members than fit,
 * each is looked up by itself. */
struct members {
	struct json object;
	bool looked_up; /* nothing is read */
	size_t len;
	uint64_t names; /* a bit for each head of a key */
	uint16_t heads[MEMBERS_MAX];
	struct str keys[MEMBERS_MAX];
	struct json values[MEMBERS_MAX];
};

/* The first two bytes distinguish most keys of an object. */
static inline uint16_t head_of(const char *text)
{
	return (uint16_t)((unsigned char)text[0] << 8 | (unsigned char)text[1]);
}

/* The same for a key that may be shorter. */
static uint16_t key_head(struct str key)
{
	char text[2] = {key.len > 0 ? key.ptr[0] : (char)0, key.len > 1 ? key.ptr[1] : (char)0};

	return head_of(text);
}

static inline uint64_t head_bit(uint16_t head)
{
	return UINT64_C(1) << ((head >> 6 ^ head) % NAME_BITS);
}

static void read_members(struct json object, size_t rows, struct members *members)
{
	struct json_iter it;

	members->object = object;
	members->len = 0;
	members->looked_up = json_len(object) > MEMBERS_MAX || rows <= FEW_ROWS;
	members->names = members->looked_up ? UINT64_MAX : 0;
	if (members->looked_up || !json_is(object, JSON_OBJ))
		return;
	it = json_iter(object);
	while (members->len < MEMBERS_MAX && json_next(&it)) {
		size_t i = members->len++;

		members->keys[i] = it.key;
		members->values[i] = it.value;
		members->heads[i] = key_head(it.key);
		members->names |= head_bit(members->heads[i]);
	}
}

static struct json search_member(const struct members *members, const char *name)
{
	uint16_t head = name[0] ? head_of(name) : 0;

	if (members->looked_up)
		return json_get(members->object, name);
	for (size_t i = 0; i < members->len; i++)
		if (members->heads[i] == head &&
		    !strncmp(members->keys[i].ptr, name, members->keys[i].len) &&
		    !name[members->keys[i].len])
			return members->values[i];
	return JSON_NONE;
}

/* Inline, because most members of most rows are absent. */
static inline struct json find_member(const struct members *members, const char *name)
{
	if (!(members->names & head_bit(name[0] ? head_of(name) : 0)))
		return JSON_NONE;
	return search_member(members, name);
}

static void check_value(const struct rule *rule, const struct rule_at *at);
static void check_rows(const struct rules *rules, const struct rule_at *at,
		       const struct members *members);

static bool applies(const struct rule *rule, const struct rule_at *object,
		    const struct members *members)
{
	if (rule->if_member &&
	    str_is(json_str(find_member(members, rule->if_member)), rule->if_text) == rule->if_not)
		return false;
	return !rule->when || rule->when(object);
}

static struct path element_path(const struct rule *rule, const struct rule_at *list,
				const struct json_iter *it)
{
	if (json_is(list->value, JSON_ARR))
		return path_index(list->path, it->index);
	return rule->dotted ? path_member(list->path, it->key) : path_key(list->path, it->key);
}

/* The elements of the old list or map: looking for each one from the start would be quadratic. */
struct before {
	struct json_iter list;
	struct json_index map;
};

static struct json element_before(struct before *before, const struct rule_at *list,
				  const struct json_iter *it)
{
	if (json_is_absent(list->old))
		return JSON_NONE;
	if (json_is(list->value, JSON_OBJ))
		return json_index_get(&before->map, it->key);
	return json_next(&before->list) ? before->list.value : JSON_NONE;
}

static void check_elements(const struct rule *rule, const struct rule_at *list)
{
	AUTO(name_set_done) struct name_set seen = {0};
	struct json_iter it = json_iter(list->value);
	struct before before = {.list = json_iter(list->old)};
	struct rule_at at = *list;

	if (json_is(list->value, JSON_OBJ))
		before.map = json_index_make(list->old);
	at.up = list;
	at.seen = &seen;
	while (json_next(&it)) {
		struct path path = element_path(rule, list, &it);

		at.value = it.value;
		at.old = element_before(&before, list, &it);
		at.path = rule->flat ? list->path : &path;
		if (!(rule->each->filled && rules_is_empty(it.value)))
			check_value(rule->each, &at);
	}
	json_index_done(&before.map);
}

/* A member of an object, with its path in *path. */
static struct rule_at member_at(const struct rule *rule, const char *called,
				const struct rule_at *object, struct json value, struct path *path)
{
	struct rule_at at = *object;

	if (rule->entry)
		*path = path_key(object->path, str_from(rule->member));
	else
		*path = path_member(object->path, str_from(called ? called : rule->member));
	at.value = value;
	if (!json_is_absent(object->old))
		at.old = json_get(object->old, rule->member);
	at.path = rule->hidden ? object->path : path;
	at.up = object;
	return at;
}

static void check_one(const struct rule_one *one, const struct rule_at *at)
{
	struct members members;
	bool found = false;

	read_members(at->value, one->rows.len, &members);
	for (size_t i = 0; i < one->rows.len; i++) {
		const struct rule *row = &one->rows.ptr[i];
		struct json value = find_member(&members, row->member);
		struct path path;
		struct rule_at member;

		if (is_unset(value))
			continue;
		member = member_at(row, found ? row->again : row->called, at, value, &path);
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
	if (rule->each)
		check_elements(rule, at);
	if (rule->type)
		type_validate_at(rule->type, at->value, at->path, at->causes);
	if (rule->one)
		check_one(rule->one, at);
}

static void check_row(const struct rule *rule, const struct rule_at *object,
		      const struct members *members)
{
	struct json value;
	struct rule_at at;
	struct path path;

	if (!rule->member) {
		if ((rule->when || rule->if_member) && !applies(rule, object, members))
			return;
		if (rule->object && !rule->says && !rule->check)
			check_rows(rule->object, object, members);
		else
			check_value(rule, object);
		return;
	}
	value = find_member(members, rule->member);
	if (is_skipped(rule, value) ||
	    ((rule->when || rule->if_member) && !applies(rule, object, members)))
		return;
	at = member_at(rule, rule->called, object, value, &path);
	check_value(rule, &at);
}

static void check_rows(const struct rules *rules, const struct rule_at *at,
		       const struct members *members)
{
	for (size_t i = 0; i < rules->len; i++) {
		size_t before = at->causes->len;

		check_row(&rules->ptr[i], at, members);
		if (rules->ptr[i].stop && at->causes->len != before)
			return;
	}
}

void rules_check(const struct rules *rules, const struct rule_at *at)
{
	struct members members;

	read_members(at->value, rules->len, &members);
	check_rows(rules, at, &members);
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
