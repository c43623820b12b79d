/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/symbols.c - see the header.
 *
 * Entries stand in one array, so that a symbol is an index; chains of indexes start in a table of a
 * power of two. A freed entry waits in a chain of its own for the next text.
 *
 * An entry with 0 uses is in the free chain and in no other. */
#include "sched/cluster/symbols.h"

#include <assert.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

struct entry {
	char *text;
	uint32_t len;
	uint32_t uses;
	uint32_t hash;
	uint32_t next; /* in its chain; 0 ends it */
};

struct symbols {
	VEC(struct entry) entries;
	uint32_t *table;
	size_t table_size;
	uint32_t free; /* first of the free chain */
	size_t live;
	size_t text_bytes;
	uint64_t seed;
};

enum { FIRST_TABLE = 64 };

struct symbols *symbols_new(uint64_t seed)
{
	struct symbols *symbols = mem_new(struct symbols);

	symbols->seed = seed ^ hash_secret();
	symbols->table_size = FIRST_TABLE;
	symbols->table = mem_calloc(FIRST_TABLE, sizeof(*symbols->table));
	(void)vec_add(&symbols->entries); /* SYMBOL_NONE */
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->entries.len; i++)
		mem_free(symbols->entries.ptr[i].text);
	vec_done(&symbols->entries);
	mem_free(symbols->table);
	mem_free(symbols);
}

static uint32_t hash_of(const struct symbols *symbols, struct str text)
{
	return (uint32_t)hash_str(text, symbols->seed);
}

static uint32_t find(const struct symbols *symbols, struct str text, uint32_t hash)
{
	uint32_t at = symbols->table[hash & (symbols->table_size - 1)];

	while (at) {
		const struct entry *e = &symbols->entries.ptr[at];

		if (e->hash == hash && str_eq(str_of(e->text, e->len), text))
			return at;
		at = e->next;
	}
	return SYMBOL_NONE;
}

static void chain(struct symbols *symbols, uint32_t symbol)
{
	struct entry *e = &symbols->entries.ptr[symbol];
	uint32_t *head = &symbols->table[e->hash & (symbols->table_size - 1)];

	e->next = *head;
	*head = symbol;
}

static void grow(struct symbols *symbols)
{
	symbols->table_size *= 2;
	mem_free(symbols->table);
	symbols->table = mem_calloc(symbols->table_size, sizeof(*symbols->table));
	for (uint32_t i = 1; i < symbols->entries.len; i++)
		if (symbols->entries.ptr[i].uses)
			chain(symbols, i);
}

uint32_t symbols_take(struct symbols *symbols, struct str text)
{
	uint32_t hash, at;
	struct entry *e;

	if (text.len == 0)
		return SYMBOL_NONE;
	hash = hash_of(symbols, text);
	at = find(symbols, text, hash);
	if (at) {
		symbols->entries.ptr[at].uses++;
		return at;
	}
	if (symbols->free) {
		at = symbols->free;
		symbols->free = symbols->entries.ptr[at].next;
	} else {
		at = (uint32_t)symbols->entries.len;
		(void)vec_add(&symbols->entries);
	}
	e = &symbols->entries.ptr[at];
	*e = (struct entry){str_dup(text), (uint32_t)text.len, 1, hash, 0};
	symbols->text_bytes += text.len + 1;
	if (++symbols->live > symbols->table_size)
		grow(symbols); /* chains the new one as well */
	else
		chain(symbols, at);
	return at;
}

uint32_t symbols_ref(struct symbols *symbols, uint32_t symbol)
{
	if (symbol) {
		assert(symbols->entries.ptr[symbol].uses);
		symbols->entries.ptr[symbol].uses++;
	}
	return symbol;
}

void symbols_drop(struct symbols *symbols, uint32_t symbol)
{
	struct entry *e = &symbols->entries.ptr[symbol];
	uint32_t *link;

	if (!symbol)
		return;
	assert(e->uses);
	if (--e->uses)
		return;
	link = &symbols->table[e->hash & (symbols->table_size - 1)];
	while (*link != symbol)
		link = &symbols->entries.ptr[*link].next;
	*link = e->next;
	symbols->text_bytes -= e->len + 1;
	mem_free(TAKE(e->text));
	e->len = 0;
	e->next = symbols->free;
	symbols->free = symbol;
	symbols->live--;
}

uint32_t symbols_find(const struct symbols *symbols, struct str text)
{
	return text.len ? find(symbols, text, hash_of(symbols, text)) : SYMBOL_NONE;
}

struct str symbols_text(const struct symbols *symbols, uint32_t symbol)
{
	const struct entry *e = &symbols->entries.ptr[symbol];

	assert(symbol < symbols->entries.len && (symbol == SYMBOL_NONE || e->uses));
	return str_of(e->text ? e->text : "", e->len);
}

size_t symbols_len(const struct symbols *symbols)
{
	return symbols->live;
}

size_t symbols_bytes(const struct symbols *symbols)
{
	enum { PIECE = 16 }; /* what malloc adds to each text */

	return sizeof(*symbols) + symbols->entries.size * sizeof(*symbols->entries.ptr) +
	       symbols->table_size * sizeof(*symbols->table) + symbols->text_bytes +
	       symbols->live * PIECE;
}
