/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rules_member.c - rules of a member of an object, and of paths of files; sets of names. */
#include <inttypes.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/rules/rules.h"

#include "base/banned.h"

enum { SET_HASHED = 16 };

bool rule_has(struct json object, const char *key)
{
	struct json value = json_get(object, key);

	return !json_is_absent(value) && !json_is(value, JSON_NULL);
}

bool rule_texts_have(struct rule_texts texts, struct str text)
{
	for (size_t i = 0; i < texts.len; i++)
		if (str_is(text, texts.ptr[i]))
			return true;
	return false;
}

bool rule_required(const struct rule_at *at, const char *key)
{
	struct path path = path_member(at->path, str_from(key));

	if (rule_text(at->value, key).len)
		return true;
	causes_required(at->causes, &path, "");
	return false;
}

void rule_name(const struct rule_at *at, const char *key, enum name_format format)
{
	struct path path = path_member(at->path, str_from(key));
	struct str text = rule_text(at->value, key);

	if (text.len)
		name_validate(format, text, &path, at->causes);
}

void rule_name_required(const struct rule_at *at, const char *key, enum name_format format)
{
	if (rule_required(at, key))
		rule_name(at, key, format);
}

static void check_text(const struct rule_at *at, const char *key, struct rule_texts texts)
{
	struct path path = path_member(at->path, str_from(key));

	rules_one_of(json_get(at->value, key), texts.ptr, texts.len, &path, at->causes);
}

void rule_text_of(const struct rule_at *at, const char *key, struct rule_texts texts)
{
	if (rule_has(at->value, key))
		check_text(at, key, texts);
}

void rule_range(const struct rule_at *at, const char *key, int64_t low, int64_t high)
{
	struct path path = path_member(at->path, str_from(key));
	int64_t value = json_int(json_get(at->value, key));

	if (rule_has(at->value, key) && (value < low || value > high))
		causes_invalid_int(at->causes, &path, value,
				   "must be between %" PRId64 " and %" PRId64 ", inclusive", low,
				   high);
}

void rule_id(const struct rule_at *at, const char *key)
{
	rule_range(at, key, 0, INT32_MAX);
}

/* --- paths of files -------------------------------------------------------------------------- */

bool rule_has_backsteps(struct str file)
{
	struct str part;

	while (str_split(&file, '/', &part))
		if (str_is(part, ".."))
			return true;
	return false;
}

void rule_no_backsteps(struct str file, const struct path *path, struct causes *causes)
{
	if (rule_has_backsteps(file))
		causes_invalid_str(causes, path, file, "must not contain '..'");
}

void rule_local(struct str file, const struct path *path, struct causes *causes)
{
	if (str_starts(file, STR("/")))
		causes_invalid_str(causes, path, file, "must be a relative path");
	rule_no_backsteps(file, path, causes);
}

void rule_local_free(struct str file, const struct path *path, struct causes *causes)
{
	rule_local(file, path, causes);
	if (str_starts(file, STR("..")) && !str_starts(file, STR("../")))
		causes_invalid_str(causes, path, file, "must not start with '..'");
}

/* --- sets of names --------------------------------------------------------------------------- */

void name_set_done(struct name_set *set)
{
	vec_done(set);
	map_free(set->map);
	arena_free(set->texts);
	set->map = NULL;
	set->texts = NULL;
}

bool name_set_has(const struct name_set *set, struct str name)
{
	if (set->map)
		return map_get(set->map, name) != NULL;
	for (size_t i = 0; i < set->len; i++)
		if (str_eq(set->ptr[i], name))
			return true;
	return false;
}

static void hash_names(struct name_set *set)
{
	set->map = map_new((uint64_t)(uintptr_t)set);
	for (size_t i = 0; i < set->len; i++)
		(void)map_put(set->map, set->ptr[i], set);
}

bool name_set_add(struct name_set *set, struct str name)
{
	if (name_set_has(set, name))
		return false;
	vec_push(set, name);
	if (set->map)
		(void)map_put(set->map, name, set);
	else if (set->len > SET_HASHED)
		hash_names(set);
	return true;
}

bool name_set_add_copy(struct name_set *set, struct str name)
{
	if (name_set_has(set, name))
		return false;
	if (!set->texts)
		set->texts = arena_new(0);
	return name_set_add(set, arena_str(set->texts, name));
}
