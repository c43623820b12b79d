/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of an informer: objects in order, and indexes that follow every change. */
#include "client/objects.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "random.h"
#include "tap.h"

enum { NAMES = 30, KEYS = 5 };

/* An object is found under each digit of its value. */
static void by_digit(void *arg, struct json object, struct informer_keys *keys)
{
	struct str value = json_str(json_get(object, "v"));

	++*(int *)arg;
	for (size_t i = 0; i < value.len; i++)
		informer_key_add(keys, str_slice(value, i, i + 1));
}

static struct json_doc *value_of(unsigned value)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"v\":\"%u%u\"}", value % KEYS, value / KEYS % KEYS);

	return json_parse(str_from(text), NULL, NULL);
}

static bool has_digit(const struct object_entry *entry, char digit)
{
	struct str value = json_str(json_get(json_doc_root(entry->doc), "v"));

	return str_find_byte(value, digit, 0) >= 0;
}

/* Does each bucket hold just the objects with its digit? */
static bool is_indexed(const struct objects *objects)
{
	size_t counts[KEYS] = {0};
	struct object_entry *entry;
	struct str at = str_none();

	while ((entry = objects_next(objects, STR(""), at))) {
		at = object_entry_key(entry);
		for (int digit = 0; digit < KEYS; digit++)
			counts[digit] += has_digit(entry, (char)('0' + digit));
	}
	for (int digit = 0; digit < KEYS; digit++) {
		char key[2] = {(char)('0' + digit), '\0'};
		size_t len = objects_index_len(objects, 0, str_from(key));

		if (len != counts[digit] || objects_index_get(objects, 0, str_from(key), len))
			return false;
		for (size_t i = 0; i < len; i++)
			if (!has_digit(objects_index_get(objects, 0, str_from(key), i), key[0]))
				return false;
	}
	return true;
}

static void test_random(unsigned seed)
{
	uint64_t state = seed;
	struct objects *objects = objects_new(seed);
	int asked = 0;
	bool good = true;
	size_t known = 0;

	(void)objects_index_add(objects, by_digit, &asked);
	for (int step = 0; step < 3000; step++) {
		AUTO(mem_free) char *name = mem_printf("n%d", (int)random_below(&state, NAMES));
		struct object_entry *entry = objects_get(objects, STR("ns"), str_from(name));

		if (entry && random_below(&state, 3) == 0) {
			objects_remove(objects, entry);
			known--;
		} else {
			AUTO(json_doc_unref)
			struct json_doc *doc = value_of((unsigned)random_next(&state));

			known += !entry;
			if (!entry)
				entry = objects_add(objects, STR("ns"), str_from(name));
			objects_set_doc(objects, entry, doc);
		}
		objects_check(objects);
		good = good && objects_len(objects) == known && is_indexed(objects);
	}
	ok(good && asked > 1000, "seed %u: the index holds what it should after each change", seed);
	objects_free(objects);
}

static void test_order(void)
{
	struct objects *objects = objects_new(1);
	static const char *const names[][2] = {{"b", "x"}, {"", "node"}, {"a", "z"}, {"a", "y"}};
	struct object_entry *entry;
	struct str at = str_none();
	char line[64] = "";

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		(void)objects_add(objects, str_from(names[i][0]), str_from(names[i][1]));
	while ((entry = objects_next(objects, STR(""), at))) {
		at = object_entry_key(entry);
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%.*s ", STR_ARG(at));
	}
	is(line, "/node a/y a/z b/x ");
	entry = objects_next(objects, STR("a/"), STR("a/y"));
	ok(entry && str_is(object_entry_name(entry), "z") &&
		   str_is(object_entry_namespace(entry), "a"),
	   "a walk continues after a key");
	ok(!objects_next(objects, STR("a/"), STR("a/z")), "and ends with its namespace");
	ok(!objects_get(objects, STR("a"), STR("x")), "what is not there is not found");
	objects_free(objects);
}

int main(void)
{
	test_order();
	for (unsigned seed = 1; seed <= 4; seed++)
		test_random(seed);
	return tap_done();
}
