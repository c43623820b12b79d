/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kinds.c - the registry of kinds.
 *
 * Kinds live in an arena that grows: one that was removed stays readable for the calls that hold
 * it. Two maps find them, by "group/version/plural" and by "apiVersion/Kind"; the list keeps the
 * order of registration. */
#include <assert.h>
#include <string.h>

#include "apiserver/kind/kind.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

struct kinds {
	struct arena *memory;
	struct map *by_path;
	struct map *by_name;
	VEC(struct kind *) all;
	uint64_t generation;
};

#define VERB_WORD(id, function, word, options) word,
static const char *const verb_names[] = {VERBS(VERB_WORD)};

const char *verb_name(enum verb verb)
{
	return verb_names[verb];
}

struct kinds *kinds_new(uint64_t seed)
{
	struct kinds *kinds = mem_new(struct kinds);

	kinds->memory = arena_new(0);
	kinds->by_path = map_new(seed);
	kinds->by_name = map_new(seed);
	return kinds;
}

void kinds_free(struct kinds *kinds)
{
	if (!kinds)
		return;
	map_free(kinds->by_path);
	map_free(kinds->by_name);
	arena_free(kinds->memory);
	vec_done(&kinds->all);
	mem_free(kinds);
}

static struct str join(struct arena *arena, struct str a, const char *between, struct str b)
{
	return str_from(arena_printf(arena, "%.*s%s%.*s", STR_ARG(a), between, STR_ARG(b)));
}

static struct str place_key(struct arena *arena, struct str group, struct str version,
			    struct str plural)
{
	return str_from(arena_printf(arena, "%.*s/%.*s/%.*s", STR_ARG(group), STR_ARG(version),
				     STR_ARG(plural)));
}

/* A name belongs to the first kind that has it: a definition whose status was edited may claim that of
 * another one, until the server has corrected it. */
static void add_name(struct map *map, struct str name, struct kind *kind)
{
	if (!map_get(map, name))
		map_put(map, name, kind);
}

static void remove_name(struct map *map, struct str name, const struct kind *kind)
{
	if (map_get(map, name) == kind)
		map_remove(map, name);
}

struct kind *kinds_add(struct kinds *kinds, const struct kind *row)
{
	struct arena *arena = kinds->memory;
	struct kind *kind = arena_new_of(arena, struct kind);
	bool core = row->group.len == 0;

	*kind = *row;
	kind->api_version = core ? kind->version : join(arena, kind->group, "/", kind->version);
	kind->resource = core ? kind->plural : join(arena, kind->plural, ".", kind->group);
	kind->qualified = core ? kind->name : join(arena, kind->name, ".", kind->group);
	kind->head = str_from(arena_printf(arena, "{\"apiVersion\":\"%.*s\",\"kind\":\"%.*s\",",
					   STR_ARG(kind->api_version), STR_ARG(kind->name)));
	if (!kind->verbs)
		kind->verbs = VERBS_ALL;
	if (kind->name_format == NAME_ANY)
		kind->name_format = NAME_DNS_SUBDOMAIN;
	if (kind->stored_as.len)
		kind->stored = kinds_find_kind(kinds, kind->stored_as, kind->name);
	if (!kind->stored)
		kind->stored = kind;
	kind->prefix = kind->stored != kind
			       ? kind->stored->prefix
			       : str_from(arena_printf(arena, "%.*s/%.*s/", STR_ARG(kind->group),
						       STR_ARG(kind->plural)));
	if (kind->stored_as.len) { /* errors name the stored kind */
		kind->resource = kind->stored->resource;
		kind->qualified = kind->stored->qualified;
	}
	kinds->generation++;
	if (kind->hidden)
		return kind;
	add_name(kinds->by_path, place_key(arena, kind->group, kind->version, kind->plural), kind);
	add_name(kinds->by_name, join(arena, kind->api_version, "/", kind->name), kind);
	vec_push(&kinds->all, kind);
	return kind;
}

bool kind_sub_is_status(const struct kind *kind, struct str sub)
{
	if (str_is(sub, "status"))
		return true;
	for (const struct kind_sub *row = kind->subs; sub.len && row && row->name; row++)
		if (row->by_status && str_is(sub, row->name))
			return true;
	return false;
}

bool kind_can_change(const struct kind *kind, const struct kind *row)
{
	return str_eq(kind->group, row->group) && str_eq(kind->version, row->version) &&
	       str_eq(kind->plural, row->plural) && str_eq(kind->name, row->name) &&
	       kind->hidden == row->hidden;
}

void kinds_change(struct kinds *kinds, struct kind *kind, const struct kind *row)
{
	struct kind old = *kind;

	assert(kind_can_change(kind, row));
	*kind = *row;
	kind->api_version = old.api_version;
	kind->resource = old.resource;
	kind->qualified = old.qualified;
	kind->head = old.head;
	kind->prefix = old.prefix;
	kind->name_format = old.name_format;
	if (!kind->stored)
		kind->stored = kind;
	kinds->generation++;
}

void kinds_remove(struct kinds *kinds, struct kind *kind)
{
	struct arena *arena = kinds->memory;

	kind->gone = true;
	kinds->generation++;
	if (kind->hidden)
		return;
	remove_name(kinds->by_path, place_key(arena, kind->group, kind->version, kind->plural),
		    kind);
	remove_name(kinds->by_name, join(arena, kind->api_version, "/", kind->name), kind);
	for (size_t i = 0; i < kinds->all.len; i++) {
		if (kinds->all.ptr[i] == kind) {
			vec_remove(&kinds->all, i);
			break;
		}
	}
}

uint64_t kinds_generation(const struct kinds *kinds)
{
	return kinds->generation;
}

/* A look-up key on the stack; longer ones are of no kind. */
enum { KEY_SIZE = 1024 };

static struct str stack_key(char room[KEY_SIZE], const struct str *parts, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++) {
		if (len + parts[i].len + 1 > KEY_SIZE)
			return str_none();
		if (i)
			room[len++] = '/';
		if (parts[i].len)
			memcpy(room + len, parts[i].ptr, parts[i].len);
		len += parts[i].len;
	}
	return str_of(room, len);
}

const struct kind *kinds_find(const struct kinds *kinds, struct str group, struct str version,
			      struct str plural)
{
	char room[KEY_SIZE];
	const struct str parts[] = {group, version, plural};

	return map_get(kinds->by_path, stack_key(room, parts, ARRAY_LEN(parts)));
}

const struct kind *kinds_find_kind(const struct kinds *kinds, struct str api_version,
				   struct str name)
{
	char room[KEY_SIZE];
	const struct str parts[] = {api_version, name};

	return map_get(kinds->by_name, stack_key(room, parts, ARRAY_LEN(parts)));
}

bool kinds_has_group(const struct kinds *kinds, struct str group)
{
	for (size_t i = 0; i < kinds->all.len; i++)
		if (str_eq(kinds->all.ptr[i]->group, group))
			return true;
	return false;
}

bool kinds_has_built_in(const struct kinds *kinds, struct str group)
{
	for (size_t i = 0; i < kinds->all.len; i++)
		if (str_eq(kinds->all.ptr[i]->group, group) && !kinds->all.ptr[i]->custom)
			return true;
	return false;
}

bool kinds_has_version(const struct kinds *kinds, struct str group, struct str version)
{
	for (size_t i = 0; i < kinds->all.len; i++)
		if (str_eq(kinds->all.ptr[i]->group, group) &&
		    str_eq(kinds->all.ptr[i]->version, version))
			return true;
	return false;
}

const struct kind *kinds_next(const struct kinds *kinds, size_t *at)
{
	return *at < kinds->all.len ? kinds->all.ptr[(*at)++] : NULL;
}

const struct kind_sub *kind_sub_find(const struct kind *kind, struct str name)
{
	for (const struct kind_sub *sub = kind->subs; sub && sub->name; sub++) {
		struct str rest = str_skip(name, strlen(sub->name));

		if (str_is(name, sub->name))
			return sub;
		if (sub->connect && str_starts(name, str_from(sub->name)) &&
		    str_starts(rest, STR("/")))
			return sub;
	}
	return NULL;
}
