/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: versions go forward, a late deletion does not hit the successor. */
#include "controller/cache.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model/core/meta.h"
#include "tap.h"

#include "base/banned.h"

static struct json_doc *object(const char *name, const char *uid, int version)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"uid\":\"%s\","
				"\"resourceVersion\":\"%d\"}}",
				name, uid, version);

	return json_parse(str_from(text), NULL, NULL);
}

static void put(struct cache *cache, const char *name, const char *uid, int version)
{
	AUTO(json_doc_unref) struct json_doc *doc = object(name, uid, version);

	cache_put(cache, doc);
}

static int version_of(struct cache *cache, const char *name)
{
	struct json_doc *doc = cache_get(cache, STR("a"), str_from(name));

	return doc ? (int)cache_version(json_doc_root(doc)) : -1;
}

static bool keep_x(struct json object)
{
	return str_starts(meta_name(object), STR("x"));
}

/* By the first letter of the uid. */
static void group_letter(struct json object, struct buf *to)
{
	struct str uid = meta_uid(object);

	buf_put_str(to, str_slice(uid, 0, uid.len > 0));
}

static size_t members(const struct cache *cache, const char *group)
{
	size_t at = 0;

	while (cache_group_next(cache, str_from(group), &at))
		;
	return at;
}

static void test_groups(void)
{
	AUTO(cache_free) struct cache *cache = cache_new(NULL, NULL);

	cache_group_by(cache, group_letter);
	ok(members(cache, "a") == 0, "nobody is in a group at first");
	put(cache, "o", "a1", 1);
	put(cache, "p", "a2", 2);
	put(cache, "q", "b1", 3);
	put(cache, "r", "", 4);
	ok(members(cache, "a") == 2 && members(cache, "b") == 1, "each is in its own group");
	put(cache, "o", "a3", 5);
	ok(members(cache, "a") == 2, "a new version stays there");
	put(cache, "o", "b2", 6);
	ok(members(cache, "a") == 1 && members(cache, "b") == 2, "or goes to another one");
	cache_remove(cache, STR("a"), STR("q"), str_none());
	cache_remove(cache, STR("a"), STR("p"), str_none());
	ok(members(cache, "a") == 0 && members(cache, "b") == 1, "what is removed leaves it");
	put(cache, "o", "", 7);
	ok(members(cache, "b") == 0 && cache_len(cache) == 2, "and may be in none");
}

int main(void)
{
	AUTO(cache_free) struct cache *cache = cache_new(NULL, NULL);
	AUTO(cache_free) struct cache *some = cache_new(keep_x, NULL);
	size_t at = 0;

	ok(version_of(cache, "o") == -1, "nothing is there at first");
	put(cache, "o", "u1", 5);
	ok(version_of(cache, "o") == 5, "what is put is there");
	put(cache, "o", "u1", 4);
	ok(version_of(cache, "o") == 5, "an older version is passed over");
	put(cache, "o", "u1", 10);
	ok(version_of(cache, "o") == 10, "a newer one is not; versions are numbers");
	put(cache, "o", "u2", 12);
	cache_remove(cache, STR("a"), STR("o"), STR("u1"));
	ok(version_of(cache, "o") == 12, "a late deletion does not hit the successor");
	put(cache, "p", "u3", 13);
	ok(cache_len(cache) == 2 && cache_next(cache, &at) && cache_next(cache, &at) &&
		   !cache_next(cache, &at),
	   "a walk sees each");
	cache_remove(cache, STR("a"), STR("o"), STR("u2"));
	ok(version_of(cache, "o") == -1, "what is removed is not found");
	cache_remove(cache, STR("a"), STR("p"), str_none());
	ok(cache_len(cache) == 0, "without a uid the object of that name is removed");
	put(some, "x1", "u", 1);
	put(some, "y1", "u", 2);
	ok(cache_len(some) == 1, "only what is worth it is kept");
	cache_free(NULL);
	test_groups();
	return tap_done();
}
