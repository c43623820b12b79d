/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for any input: base modules against naive models, over seeded random input. (Maps
 * and heaps under a steady mix of calls are in containers.c; here they grow large.) */
#include <inttypes.h>
#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/omap.h"
#include "base/time.h"
#include "base/uuid.h"
#include "random.h"
#include "tap.h"

enum { SEED = 7, ROUNDS = 3000 };

static size_t below(uint64_t *state, size_t bound)
{
	return (size_t)(random_next(state) % bound);
}

/* A number of any size: small ones as often as large ones. */
static int64_t any_number(uint64_t *state)
{
	return (int64_t)(random_next(state) >> below(state, 64)) * (below(state, 2) ? 1 : -1);
}

/* ---- text ---- */

/* Length of a sequence by its first byte, 0 if none starts with it. */
static size_t model_utf8_len(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if ((first & 0xe0) == 0xc0)
		return 2;
	if ((first & 0xf0) == 0xe0)
		return 3;
	return (first & 0xf8) == 0xf0 ? 4 : 0;
}

/* UTF-8 by the definition: decode, then ask whether the shortest form of it has this length. */
static bool model_is_utf8(const uint8_t *p, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	while (len > 0) {
		size_t need = model_utf8_len(p[0]);
		uint32_t code = need > 1 ? p[0] & (0xffu >> (need + 1)) : p[0];

		if (need == 0 || need > len)
			return false;
		for (size_t i = 1; i < need; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return false;
			code = code << 6 | (p[i] & 0x3f);
		}
		if (code < least[need] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
			return false;
		p += need;
		len -= need;
	}
	return true;
}

static void test_utf8(void)
{
	uint8_t bytes[4];
	size_t wrong = 0;

	/* Every sequence of three bytes, and of four with the last in or out of range. */
	for (uint32_t n = 0; n < 1 << 24; n++) {
		bytes[0] = (uint8_t)(n >> 16);
		bytes[1] = (uint8_t)(n >> 8);
		bytes[2] = (uint8_t)n;
		bytes[3] = n & 1 ? 0x80 : 0xc0;
		for (size_t len = bytes[0] < 0xf0 ? 3 : 4; len <= 4; len++)
			wrong += str_is_utf8(str_of((char *)bytes, len)) !=
				 model_is_utf8(bytes, len);
	}
	ok(wrong == 0, "UTF-8 is what its definition says, for all sequences of three bytes");
}

static void test_str(void)
{
	uint64_t state = SEED;
	bool same = true;

	for (int round = 0; round < 20 * ROUNDS; round++) {
		char text[12], part[3];
		struct str s = str_of(text, below(&state, sizeof(text)));
		struct str p = str_of(part, below(&state, sizeof(part)));
		size_t from = below(&state, 14);
		ptrdiff_t want = -1;

		for (size_t i = 0; i < s.len; i++)
			text[i] = (char)('a' + below(&state, 2));
		for (size_t i = 0; i < p.len; i++)
			part[i] = (char)('a' + below(&state, 2));
		for (size_t i = s.len + 1; i-- > from;)
			if (str_eq(str_slice(s, i, i + p.len), p) && i + p.len <= s.len)
				want = (ptrdiff_t)i;
		same = same && str_find(s, p, from) == want;
		same = same && str_starts(s, p) == (str_find(s, p, 0) == 0);
		same = same &&
		       str_ends(s, p) == (s.len >= p.len && str_find(s, p, s.len - p.len) >= 0);
		same = same && (str_cmp(s, p) < 0) == (str_cmp(p, s) > 0);
		same = same && (str_cmp(s, p) == 0) == str_eq(s, p);
	}
	ok(same, "searching and comparing agree with each other and with a slow search");
}

/* Joining the parts gives the text back, whatever it is. */
static void test_split(void)
{
	uint64_t state = SEED;
	bool same = true;

	for (int round = 0; round < ROUNDS; round++) {
		char text[16];
		struct str s = str_of(text, below(&state, sizeof(text)));
		struct str rest = s, part;
		AUTO(buf_done) struct buf joined = BUF_UNBOUNDED;
		bool first = true;

		for (size_t i = 0; i < s.len; i++)
			text[i] = below(&state, 3) ? 'x' : ',';
		while (str_split(&rest, ',', &part)) {
			if (!first)
				buf_putc(&joined, ',');
			first = false;
			same = same && str_find_byte(part, ',', 0) < 0;
			buf_put_str(&joined, part);
		}
		same = same && str_eq(buf_str(&joined), s);
	}
	ok(same, "the parts of a split, joined, are the text");
}

/* ---- printing and parsing ---- */

static void test_numbers(void)
{
	uint64_t state = SEED;
	bool same = true;

	for (int round = 0; round < 10 * ROUNDS; round++) {
		AUTO(buf_done) struct buf text = BUF_INIT(64);
		int64_t value = any_number(&state), read = 0;
		uint64_t unsigned_read = 0;
		double real = (double)value / (double)(1 + below(&state, 1000)), real_read = 0;

		buf_put_int(&text, value);
		same = same && number_parse_i64(buf_str(&text), &read, NULL) == 0 && read == value;
		same = same && number_parse_range(buf_str(&text), value, value, &read, NULL) == 0;
		same = same &&
		       (value == INT64_MIN ||
			number_parse_range(buf_str(&text), INT64_MIN, value - 1, &read, NULL) < 0);
		buf_clear(&text);
		buf_put_uint(&text, (uint64_t)value);
		same = same && number_parse_u64(buf_str(&text), &unsigned_read, NULL) == 0 &&
		       unsigned_read == (uint64_t)value;
		buf_clear(&text);
		buf_printf(&text, "%.17g", real);
		same = same && number_parse_double(buf_str(&text), &real_read, NULL) == 0 &&
		       real_read == real;
	}
	ok(same, "printed numbers come back");
}

static void test_times(void)
{
	uint64_t state = SEED;
	bool same = true;
	int64_t first = 0, last = 0;

	same = time_parse(STR("0001-01-01T00:00:00Z"), &first, NULL) == 0 &&
	       time_parse(STR("9999-12-31T23:59:59.999999Z"), &last, NULL) == 0;
	for (int round = 0; round < 10 * ROUNDS; round++) {
		int64_t time = first + (int64_t)(random_next(&state) % (uint64_t)(last - first));
		int64_t read = 0;
		int zone = (int)below(&state, 2879) - 1439; /* minutes east */
		char text[TIME_TEXT_SIZE], local[64];
		struct time_fields fields;

		time_print_micro(time, text);
		same = same && time_parse(str_from(text), &read, NULL) == 0 && read == time;
		time_print(time, text);
		same = same && time_parse(str_from(text), &read, NULL) == 0 &&
		       read / TIME_SECOND ==
			       (time - (time % TIME_SECOND + TIME_SECOND) % TIME_SECOND) /
				       TIME_SECOND;
		time_split(time, &fields);
		same = same && time_join(&fields) == time;
		if (time - zone * TIME_MINUTE < first || time - zone * TIME_MINUTE > last)
			continue;
		snprintf(local, sizeof(local), "%04d-%02d-%02dT%02d:%02d:%02d.%06d%c%02d:%02d",
			 fields.year, fields.month, fields.day, fields.hour, fields.minute,
			 fields.second, fields.microsecond, zone < 0 ? '-' : '+', abs(zone) / 60,
			 abs(zone) % 60);
		same = same && time_parse(str_from(local), &read, NULL) == 0 &&
		       read == time - zone * TIME_MINUTE;
	}
	ok(same, "printed times come back, also from other zones");
}

/* Fields that carry over: joining them is adding what they stand for. */
static void test_time_carry(void)
{
	uint64_t state = SEED;
	bool same = true;

	for (int round = 0; round < ROUNDS; round++) {
		struct time_fields f = {.year = 2000, .month = 1, .day = 1};
		int64_t base = time_join(&f);

		f.day += (int)below(&state, 4000) - 2000;
		f.hour = (int)below(&state, 4000) - 2000;
		f.minute = (int)below(&state, 4000) - 2000;
		f.second = (int)below(&state, 4000) - 2000;
		same = same && time_join(&f) == base + (f.day - 1) * TIME_DAY + f.hour * TIME_HOUR +
							f.minute * TIME_MINUTE +
							f.second * TIME_SECOND;
		f = (struct time_fields){
			.year = 2000, .month = 1 + (int)below(&state, 600) - 300, .day = 1};
		base = time_join(&f);
		time_split(base, &f);
		same = same && f.day == 1 && f.hour == 0 && time_join(&f) == base;
	}
	ok(same, "fields out of range carry over");
}

static void test_base64(void)
{
	uint64_t state = SEED;
	bool same = true;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t bytes[64];
		size_t len = below(&state, sizeof(bytes));
		AUTO(buf_done) struct buf text = BUF_INIT(128);
		AUTO(buf_done) struct buf broken = BUF_INIT(256);
		AUTO(buf_done) struct buf again = BUF_INIT(64);

		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)random_next(&state);
		base64_print(&text, bytes, len);
		same = same && text.len == (len + 2) / 3 * 4;
		for (size_t i = 0; i < text.len; i++) {
			buf_putc(&broken, text.ptr[i]);
			if (below(&state, 4) == 0)
				buf_putc(&broken, below(&state, 2) ? '\n' : '\r');
		}
		same = same && base64_parse(buf_str(&broken), &again, NULL) == 0 &&
		       str_eq(buf_str(&again), str_of((char *)bytes, len));
		if (text.len == 0)
			continue;
		buf_truncate(&text, text.len - 1 - below(&state, 3));
		same = same && base64_parse(buf_str(&text), &again, NULL) < 0 && again.len == len;
	}
	ok(same, "base64 comes back through line breaks, and a cut one is refused");
}

static void test_uuids(void)
{
	uint64_t state = SEED;
	bool valid = true;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t bytes[16];
		char text[UUID_TEXT_SIZE];

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)random_next(&state);
		uuid_print(bytes, text);
		valid = valid && uuid_is_valid(str_from(text)) && text[14] == '4' &&
			strchr("89ab", text[19]);
		text[below(&state, 36)] = 'g';
		valid = valid && !uuid_is_valid(str_from(text));
	}
	ok(valid, "every UUID is of version 4, and none with a g in it");
}

/* ---- memory ---- */

/* A bounded buffer against a plain array. */
static void test_buf(void)
{
	enum { BOUND = 200 };
	uint64_t state = SEED;
	AUTO(buf_done) struct buf buf = BUF_INIT(BOUND);
	char model[BOUND + 1] = "", piece[64];
	size_t len = 0;
	bool same = true;

	for (int round = 0; round < 10 * ROUNDS; round++) {
		size_t n = below(&state, sizeof(piece));
		bool fits = len + n <= BOUND;

		memset(piece, 'a' + round % 26, sizeof(piece));
		switch (below(&state, 4)) {
		case 0:
			same = same && (buf_add(&buf, piece, n, NULL) == 0) == fits;
			break;
		case 1:
			buf.over = false;
			buf_printf(&buf, "%.*s", (int)n, piece);
			same = same && buf_is_over(&buf) == !fits;
			break;
		case 2:
			n = len ? below(&state, len + 1) : 0;
			buf_consume(&buf, n);
			memmove(model, model + n, len - n);
			len -= n;
			continue;
		default:
			len = below(&state, len + 1);
			buf_truncate(&buf, len);
			continue;
		}
		if (fits) {
			memcpy(model + len, piece, n);
			len += n;
		}
		model[len] = '\0';
		same = same && buf.len == len && memcmp(buf_text(&buf), model, len + 1) == 0;
	}
	ok(same, "a buffer agrees with an array");
}

/* Pieces of all sizes keep their bytes until the reset, round after round. */
static void test_arena(void)
{
	enum { PIECES = 400 };
	uint64_t state = SEED;
	AUTO(arena_free) struct arena *arena = arena_new(0);
	bool kept = true;

	for (int round = 0; round < 20; round++) {
		uint8_t *pieces[PIECES];
		size_t sizes[PIECES];
		size_t total = 0;

		for (size_t i = 0; i < PIECES; i++) {
			sizes[i] = below(&state, (size_t)1 << below(&state, 16));
			total += sizes[i];
			pieces[i] = below(&state, 2) ? arena_alloc(arena, sizes[i])
						     : arena_zalloc(arena, sizes[i]);
			kept = kept && (uintptr_t)pieces[i] % alignof(max_align_t) == 0;
			memset(pieces[i], (int)(i % 251), sizes[i]);
		}
		for (size_t i = 0; i < PIECES; i++)
			for (size_t j = 0; j < sizes[i]; j++)
				kept = kept && pieces[i][j] == i % 251;
		kept = kept && arena_used(arena) >= total &&
		       arena_used(arena) <= total + PIECES * alignof(max_align_t);
		arena_reset(arena);
		kept = kept && arena_used(arena) == 0;
	}
	ok(kept, "no two pieces of an arena overlap");
}

/* ---- containers ---- */

struct item {
	struct heap_node node;
	char key[24];
	uint64_t rank;
	size_t order; /* position in the walk of the model; 0: not in */
	bool in;
};

static struct item *make_items(size_t count, uint64_t *state)
{
	struct item *items = mem_calloc(count, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		snprintf(items[i].key, sizeof(items[i].key), "%0*" PRIx64, (int)below(state, 12),
			 (uint64_t)i * 0x9e3779b9 % 1000003);
	return items;
}

/* Walking sees the live entries in the order in which they were first put, after any mix of puts
 * and removals. */
static void test_map_order(void)
{
	enum { COUNT = 5000 };
	uint64_t state = SEED;
	AUTO(map_free) struct map *map = map_new(SEED);
	AUTO(mem_free) struct item *items = make_items(COUNT, &state);
	size_t order = 0, at = 0, last = 0, seen = 0;
	bool same = true;
	void *value;
	struct str key;

	for (int step = 0; step < 20 * COUNT; step++) {
		struct item *item = &items[below(&state, COUNT)];
		bool put = below(&state, 3) > 0;

		if (put)
			map_put(map, str_from(item->key), item);
		else
			map_remove(map, str_from(item->key));
		if (put && !item->order)
			item->order = ++order;
		if (!put)
			item->order = 0;
	}
	while (map_next(map, &at, &key, &value)) {
		const struct item *item = value;

		same = same && item->order > last && str_is(key, item->key);
		last = item->order;
		seen++;
	}
	ok(same && seen == map_len(map), "a map is walked in order of insertion (%zu entries)",
	   seen);
}

/* Walks and counts against single steps, on maps of many sizes, with bounds that are there and ones
 * that are not. */
static void test_omap_walks(void)
{
	enum { MAPS = 60, MOST = 3000, TRIES = 40 };
	uint64_t state = SEED;
	bool same = true, counted = true;

	for (size_t m = 0; m < MAPS; m++) {
		size_t count = 1 + below(&state, m < MAPS / 2 ? 80 : MOST);
		AUTO(omap_free) struct omap *omap = omap_new();
		AUTO(mem_free) struct item *items = make_items(count, &state);

		for (size_t i = 0; i < count; i += 2) /* the other keys are not found */
			(void)omap_put(omap, str_from(items[i].key), &items[i]);
		for (size_t i = 0; i < TRIES; i++) {
			struct str from = str_from(items[below(&state, count)].key);
			struct str to =
				i % 5 ? str_from(items[below(&state, count)].key) : str_none();
			bool after = i % 2;
			struct omap_walk walk;
			size_t within = 0;
			struct str key;

			omap_walk_start(&walk, omap, from, after);
			for (void *v = after ? omap_after(omap, from, &key)
					     : omap_seek(omap, from, &key);
			     v; v = omap_after(omap, key, &key)) {
				same = same && omap_walk_next(&walk, NULL) == v;
				within += str_is_none(to) || str_cmp(key, to) < 0;
			}
			same = same && !omap_walk_next(&walk, NULL);
			counted = counted && (after || omap_count(omap, from, to) == within);
		}
	}
	ok(same, "a walk gives what single steps give");
	ok(counted, "and a count says how many they are");
}

static void test_omap_large(void)
{
	enum { COUNT = 60000 };
	uint64_t state = SEED;
	AUTO(omap_free) struct omap *omap = omap_new();
	AUTO(mem_free) struct item *items = make_items(COUNT, &state);
	struct str key, last = str_none();
	size_t seen = 0, in = 0;
	bool ascending = true, removed = true;

	for (size_t i = 0; i < COUNT; i++)
		if (!omap_put(omap, str_from(items[i].key), &items[i]))
			in++;
	omap_check(omap);
	for (void *v = omap_seek(omap, str_none(), &key); v; v = omap_after(omap, key, &key)) {
		ascending = ascending && (seen == 0 || str_cmp(last, key) < 0);
		last = key;
		seen++;
	}
	ok(ascending && seen == in && omap_len(omap) == in, "%zu keys ascend", seen);
	/* from the front, from the back and at random, until nothing is left */
	for (size_t i = 0; omap_len(omap) > 0; i++) {
		size_t len = omap_len(omap);
		struct item *item = &items[below(&state, COUNT)];

		if (i % 3 == 0)
			item = omap_seek(omap, str_none(), NULL);
		else if (i % 3 == 1 && omap_seek(omap, str_from(item->key), NULL))
			item = omap_seek(omap, str_from(item->key), NULL);
		len -= omap_remove(omap, str_from(item->key)) != NULL;
		removed = removed && omap_len(omap) == len && !omap_get(omap, str_from(item->key));
		if (i % 4096 == 0)
			omap_check(omap);
	}
	omap_check(omap);
	ok(removed && !omap_seek(omap, str_none(), NULL), "and all of them go again");
}

static bool rank_before(const struct heap_node *a, const struct heap_node *b)
{
	return container_of(a, const struct item, node)->rank <
	       container_of(b, const struct item, node)->rank;
}

static void test_heap_mixed(void)
{
	enum { COUNT = 150 };
	uint64_t state = SEED;
	AUTO(mem_free) struct item *items = make_items(COUNT, &state);
	struct heap heap;
	size_t in = 0;
	bool same = true;

	heap_init(&heap, rank_before);
	for (int step = 0; step < 10 * ROUNDS; step++) {
		struct item *item = &items[below(&state, COUNT)];
		uint64_t least = UINT64_MAX;

		item->rank = below(&state, 1000);
		if (!heap_node_is_in(&item->node))
			heap_push(&heap, &item->node);
		else if (below(&state, 2))
			heap_update(&heap, &item->node);
		else
			heap_remove(&heap, &item->node);
		in = 0;
		for (size_t i = 0; i < COUNT; i++) {
			if (!heap_node_is_in(&items[i].node))
				continue;
			in++;
			least = items[i].rank < least ? items[i].rank : least;
		}
		same = same && heap.len == in &&
		       (in == 0 ||
			container_of(heap_first(&heap), struct item, node)->rank == least);
	}
	ok(same, "the top of a heap is its least element after every step");
	heap_done(&heap);
}

/* ---- what ends the program ---- */

static void past_bound(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(100);

	arena_alloc(arena, 64);
	arena_alloc(arena, 64);
}

static void product_overflows(void)
{
	mem_free(mem_realloc(NULL, SIZE_MAX / 2, 3));
}

static void reserve_too_much(void)
{
	AUTO(buf_done) struct buf buf = BUF_INIT(10);

	buf_reserve(&buf, 11);
}

static void put_nothing(void)
{
	AUTO(map_free) struct map *map = map_new(SEED);

	map_put(map, STR("key"), NULL);
}

static bool aborts(void (*fn)(void))
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		fn();
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGABRT;
}

int main(void)
{
	printf("# seed %d\n", SEED);
	test_utf8();
	test_str();
	test_split();
	test_numbers();
	test_times();
	test_time_carry();
	test_base64();
	test_uuids();
	test_buf();
	test_arena();
	test_map_order();
	test_omap_walks();
	test_omap_large();
	test_heap_mixed();
	ok(aborts(past_bound), "going past an arena's bound ends the program");
	ok(aborts(product_overflows), "so does a size past what a size can be");
	ok(aborts(reserve_too_much), "and reserving past a buffer's bound");
	ok(aborts(put_nothing), "and putting NULL into a map");
	return tap_done();
}
