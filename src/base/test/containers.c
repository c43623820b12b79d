/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors, maps, ordered maps, lists, heaps and interning, each against a naive model. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/intern.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/omap.h"
#include "base/vec.h"
#include "random.h"
#include "tap.h"

enum { SEED = 42, KEYS = 400, STEPS = 40000 };

static void test_vec(void)
{
	VEC(int) v = {0};

	for (int i = 0; i < 1000; i++)
		vec_push(&v, i);
	ok(v.len == 1000 && v.ptr[999] == 999, "a vector grows");
	vec_remove(&v, 0);
	ok(v.len == 999 && v.ptr[0] == 1 && v.ptr[998] == 999, "removal keeps the order");
	vec_remove_swap(&v, 0);
	ok(v.len == 998 && v.ptr[0] == 999, "removal by swap moves the last");
	*vec_add(&v) = 7;
	ok(v.ptr[v.len - 1] == 7, "an added element is at the end");
	vec_done(&v);
	ok(v.ptr == NULL && v.len == 0, "a done vector is empty");
}

struct item {
	char key[16];
	bool in;
};

static struct item *make_items(void)
{
	struct item *items = mem_calloc(KEYS, sizeof(*items));

	for (size_t i = 0; i < KEYS; i++)
		snprintf(items[i].key, sizeof(items[i].key), "key-%03zu", i);
	return items;
}

static void test_map_random(uint64_t seed)
{
	AUTO(map_free) struct map *map = map_new(seed);
	AUTO(mem_free) struct item *items = make_items();
	uint64_t state = seed;
	size_t count = 0;
	bool same = true;

	for (int step = 0; step < STEPS; step++) {
		uint64_t r = random_next(&state);
		struct item *item = &items[r % KEYS];
		struct str key = str_from(item->key);

		same = same && map_get(map, key) == (item->in ? item : NULL);
		if (r >> 32 & 1) {
			same = same && map_put(map, key, item) == (item->in ? item : NULL);
			count += !item->in;
			item->in = true;
		} else {
			same = same && map_remove(map, key) == (item->in ? item : NULL);
			count -= item->in;
			item->in = false;
		}
		same = same && map_len(map) == count;
	}
	ok(same, "map agrees with its model over %d steps, seed %" PRIu64, STEPS, seed);
}

static void test_map_order(void)
{
	AUTO(map_free) struct map *a = map_new(1);
	AUTO(map_free) struct map *b = map_new(2);
	AUTO(mem_free) struct item *items = make_items();
	size_t at_a = 0;
	size_t at_b = 0;
	struct str key_a;
	struct str key_b;
	void *value;
	bool same = true;
	size_t seen = 0;

	for (size_t i = 0; i < KEYS; i++) {
		map_put(a, str_from(items[i].key), &items[i]);
		map_put(b, str_from(items[i].key), &items[i]);
	}
	while (map_next(a, &at_a, &key_a, &value) && map_next(b, &at_b, &key_b, &value)) {
		same = same && str_eq(key_a, key_b) && str_is(key_a, items[seen].key);
		seen++;
	}
	ok(same && seen == KEYS, "walking goes by insertion, whatever the seed");
	at_a = 0;
	while (map_next(a, &at_a, &key_a, &value))
		map_remove(a, key_a);
	ok(map_len(a) == 0, "the current entry may be removed while walking");
	map_clear(b);
	ok(map_len(b) == 0 && !map_get(b, STR("key-000")), "a cleared map is empty");
}

/* What an attacker can do who knows the seed that a caller passes, such as the length of a list: keys that share one slot. */
static void test_map_chosen(void)
{
	enum { CHOSEN = 2000, MASK = 4095, ENOUGH = 500 };
	AUTO(mem_free) uint64_t *keys = mem_calloc(CHOSEN, sizeof(*keys));
	uint64_t seeds[] = {0, 1, CHOSEN};

	for (size_t s = 0; s < ARRAY_LEN(seeds); s++) {
		AUTO(map_free) struct map *map = map_new(seeds[s]);
		size_t count = 0;

		for (uint64_t key = 0; count < CHOSEN; key++)
			if ((hash_bytes(&key, sizeof(key), seeds[s]) & MASK) == 0)
				keys[count++] = key;
		for (size_t i = 0; i < CHOSEN; i++)
			map_put(map, str_of((const char *)&keys[i], sizeof(keys[i])), &keys[i]);
		ok(map_len(map) == CHOSEN && map_longest_probe(map) < ENOUGH,
		   "%d keys chosen to collide with seed %" PRIu64 " do not: %zu", CHOSEN, seeds[s],
		   map_longest_probe(map));
	}
	ok(hash_secret() == hash_secret() && hash_secret() != 0, "the secret stays the same");
}

/* The model's answer to omap_seek() and omap_after(). */
static struct item *model_seek(struct item *items, struct str from, bool after)
{
	for (size_t i = 0; i < KEYS; i++) {
		int order = str_cmp(str_from(items[i].key), from);

		if (items[i].in && (order > 0 || (order == 0 && !after)))
			return &items[i];
	}
	return NULL;
}

static void test_omap_random(uint64_t seed)
{
	AUTO(omap_free) struct omap *omap = omap_new();
	AUTO(mem_free) struct item *items = make_items();
	uint64_t state = seed;
	bool same = true;

	for (int step = 0; step < STEPS; step++) {
		uint64_t r = random_next(&state);
		struct item *item = &items[r % KEYS];
		struct str key = str_from(item->key);
		/* swing between nearly empty and nearly full, so that nodes split and merge */
		bool put = (r >> 32) % 100 < (step / 2000 % 2 ? 20u : 80u);
		void *was = put ? omap_put(omap, key, item) : omap_remove(omap, key);

		same = same && was == (item->in ? item : NULL);
		item->in = put;
		same = same && omap_get(omap, key) == (put ? item : NULL);
		if (step % 64 == 0) {
			omap_check(omap);
			same = same && omap_seek(omap, key, NULL) == model_seek(items, key, false);
			same = same && omap_after(omap, key, NULL) == model_seek(items, key, true);
		}
	}
	ok(same, "ordered map agrees with its model over %d steps, seed %" PRIu64, STEPS, seed);
}

static void test_omap_prefix(void)
{
	AUTO(omap_free) struct omap *omap = omap_new();
	struct str prefix = STR("pods/b/");
	struct str key;
	size_t seen = 0;
	int one = 1;

	omap_put(omap, STR("pods/a/1"), &one);
	omap_put(omap, STR("pods/b/1"), &one);
	omap_put(omap, STR("pods/b/2"), &one);
	omap_put(omap, STR("pods/c/1"), &one);
	for (void *v = omap_seek(omap, prefix, &key); v && str_starts(key, prefix);
	     v = omap_after(omap, key, &key))
		seen++;
	ok(seen == 2, "a prefix walk sees just its entries");
	ok(omap_seek(omap, STR("q"), NULL) == NULL, "nothing after the last key");
	ok(omap_len(omap) == 4, "four entries");
}

struct timer {
	struct heap_node node;
	unsigned due;
};

static bool timer_before(const struct heap_node *a, const struct heap_node *b)
{
	return container_of(a, const struct timer, node)->due <
	       container_of(b, const struct timer, node)->due;
}

static void test_heap(void)
{
	struct heap heap;
	struct timer timers[200] = {0};
	uint64_t state = SEED;
	unsigned last = 0;
	size_t popped = 0;
	bool ordered = true;

	heap_init(&heap, timer_before);
	ok(heap_first(&heap) == NULL && heap_pop(&heap) == NULL, "an empty heap has no top");
	for (size_t i = 0; i < ARRAY_LEN(timers); i++) {
		timers[i].due = (unsigned)random_next(&state) % 1000;
		heap_push(&heap, &timers[i].node);
	}
	for (size_t i = 0; i < ARRAY_LEN(timers); i += 3)
		heap_remove(&heap, &timers[i].node);
	heap_remove(&heap, &timers[0].node);
	for (size_t i = 1; i < ARRAY_LEN(timers); i += 3) {
		timers[i].due = (unsigned)random_next(&state) % 1000;
		heap_update(&heap, &timers[i].node);
	}
	while (heap.len) {
		struct timer *timer = container_of(heap_pop(&heap), struct timer, node);

		ordered = ordered && timer->due >= last;
		last = timer->due;
		popped++;
	}
	ok(ordered && popped == 133, "what is left comes out in order");
	heap_done(&heap);
}

struct element {
	struct list link;
	int number;
};

static void test_list(void)
{
	struct list head = LIST_INIT(head);
	struct list other = LIST_INIT(other);
	struct element e[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
	int sum = 0;

	ok(list_is_empty(&head) && !list_first(&head) && !list_pop(&head), "an empty list");
	list_push(&head, &e[1].link);
	list_push(&head, &e[2].link);
	list_push_front(&head, &e[0].link);
	list_push(&other, &e[3].link);
	list_splice(&head, &other);
	ok(list_is_empty(&other) && list_is_linked(&e[3].link), "splicing moves all");
	LIST_EACH(&head, struct element, link, item) {
		sum = sum * 10 + item->number;
		list_remove(&item->link);
	}
	ok(sum == 123 && list_is_empty(&head), "walked in order, removing each");
	list_remove(&e[0].link);
	ok(!list_is_linked(&e[0].link), "removing twice does nothing");
}

static void test_intern(void)
{
	AUTO(intern_free) struct intern *pool = intern_new(SEED);
	char text[16];
	bool same = true;

	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "n%u", i);
		same = same && intern_id(pool, str_from(text)) == i;
	}
	same = same && intern_id(pool, STR("n17")) == 17 && intern_len(pool) == 1000;
	ok(same, "numbers count from 0 and stay");
	ok(str_is(intern_text(pool, 999), "n999"), "a number leads back to its text");
	ok(intern_find(pool, STR("n1000")) == INTERN_NONE, "a text never interned has no number");
}

int main(void)
{
	test_vec();
	for (uint64_t seed = SEED; seed < SEED + 3; seed++) {
		test_map_random(seed);
		test_omap_random(seed);
	}
	test_map_order();
	test_map_chosen();
	test_omap_prefix();
	test_heap();
	test_list();
	test_intern();
	map_free(NULL);
	omap_free(NULL);
	intern_free(NULL);
	ok(true, "freeing nothing is fine");
	return tap_done();
}
