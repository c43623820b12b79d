/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/labelset.c - see the header. A set is found by its bytes, which are its key in the map;
 * it holds one use of each of its symbols, so equal bytes are equal texts as long as it lives. */
#include "sched/cluster/labelset.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

struct label_sets {
	struct symbols *symbols;
	struct map *map;
	VEC(struct label) sorting;
	VEC(struct label_pair) pairs;
};

struct label_sets *label_sets_new(struct symbols *symbols)
{
	struct label_sets *sets = mem_new(struct label_sets);

	sets->symbols = symbols;
	sets->map = map_new(0);
	return sets;
}

void label_sets_free(struct label_sets *sets)
{
	if (!sets)
		return;
	assert(map_len(sets->map) == 0); /* each user has given its set back */
	map_free(sets->map);
	vec_done(&sets->sorting);
	vec_done(&sets->pairs);
	mem_free(sets);
}

static struct str bytes_of(const struct label_pair *pairs, size_t len)
{
	return str_of((const char *)pairs, len * sizeof(*pairs));
}

static void fill_texts(const struct label_set *set, const struct symbols *symbols, struct label *to)
{
	for (size_t i = 0; i < set->len; i++)
		to[i] = (struct label){symbols_text(symbols, set->at[i].key),
				       symbols_text(symbols, set->at[i].value)};
}

/* The set of `sets->pairs`, whose uses of symbols it takes over. */
static struct label_set *take_pairs(struct label_sets *sets)
{
	size_t len = sets->pairs.len;
	struct label_set *set = map_get(sets->map, bytes_of(sets->pairs.ptr, len));

	if (set) {
		for (size_t i = 0; i < len; i++) {
			symbols_drop(sets->symbols, sets->pairs.ptr[i].key);
			symbols_drop(sets->symbols, sets->pairs.ptr[i].value);
		}
		set->refs++;
		return set;
	}
	set = mem_alloc(sizeof(*set) + len * sizeof(set->at[0]));
	set->texts = NULL;
	set->refs = 1;
	set->len = (uint32_t)len;
	if (len)
		memcpy(set->at, sets->pairs.ptr, len * sizeof(set->at[0]));
	if (len > LABELS_MAX) {
		set->texts = mem_alloc(len * sizeof(*set->texts));
		fill_texts(set, sets->symbols, set->texts);
	}
	map_put(sets->map, bytes_of(set->at, len), set);
	return set;
}

static int by_key(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->key, ((const struct label *)b)->key);
}

struct label_set *label_sets_take(struct label_sets *sets, struct json labels,
				  label_wanted_fn *wanted, void *arg)
{
	struct json_iter it = json_iter(labels);

	vec_clear(&sets->sorting);
	vec_clear(&sets->pairs);
	if (json_is(labels, JSON_OBJ))
		while (json_next(&it))
			if (json_is(it.value, JSON_STR) && (!wanted || wanted(arg, it.key)))
				vec_push(&sets->sorting,
					 (struct label){it.key, json_str(it.value)});
	if (sets->sorting.len)
		qsort(sets->sorting.ptr, sets->sorting.len, sizeof(struct label), by_key);
	for (size_t i = 0; i < sets->sorting.len; i++)
		vec_push(&sets->pairs,
			 (struct label_pair){
				 symbols_take(sets->symbols, sets->sorting.ptr[i].key),
				 symbols_take(sets->symbols, sets->sorting.ptr[i].value)});
	return take_pairs(sets);
}

struct label_set *label_sets_take_part(struct label_sets *sets, const struct label_set *of,
				       bool (*wanted)(void *arg, uint32_t key), void *arg)
{
	vec_clear(&sets->pairs);
	for (uint32_t i = 0; i < of->len; i++)
		if (wanted(arg, of->at[i].key))
			vec_push(&sets->pairs,
				 (struct label_pair){symbols_ref(sets->symbols, of->at[i].key),
						     symbols_ref(sets->symbols, of->at[i].value)});
	return take_pairs(sets);
}

void label_sets_drop(struct label_sets *sets, struct label_set *set)
{
	if (!set || --set->refs)
		return;
	map_remove(sets->map, bytes_of(set->at, set->len));
	for (uint32_t i = 0; i < set->len; i++) {
		symbols_drop(sets->symbols, set->at[i].key);
		symbols_drop(sets->symbols, set->at[i].value);
	}
	mem_free(set->texts);
	mem_free(set);
}

bool label_set_has(const struct label_set *set, uint32_t key)
{
	for (uint32_t i = 0; i < set->len; i++)
		if (set->at[i].key == key)
			return true;
	return false;
}

uint32_t label_set_get(const struct label_set *set, uint32_t key)
{
	for (uint32_t i = 0; i < set->len; i++)
		if (set->at[i].key == key)
			return set->at[i].value;
	return SYMBOL_NONE;
}

struct labels label_set_view(const struct label_set *set, const struct symbols *symbols,
			     struct label space[LABELS_MAX])
{
	if (set->texts)
		return (struct labels){set->texts, set->len};
	fill_texts(set, symbols, space);
	return (struct labels){space, set->len};
}
