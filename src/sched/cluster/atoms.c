/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/atoms.c - see the header.
 *
 * Entries stand in one array, so that an atom is an index; chains of indexes start in a table of a
 * power of two. A freed entry waits in a chain of its own for the next text.
 *
 * An entry with 0 uses is in the free chain and in no other. */
#include "sched/cluster/atoms.h"

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

struct atoms {
	VEC(struct entry) entries;
	uint32_t *table;
	size_t table_size;
	uint32_t free; /* first of the free chain */
	size_t live;
	size_t text_bytes;
	uint64_t seed;
};

enum { FIRST_TABLE = 64 };

struct atoms *atoms_new(uint64_t seed)
{
	struct atoms *atoms = mem_new(struct atoms);

	atoms->seed = seed;
	atoms->table_size = FIRST_TABLE;
	atoms->table = mem_calloc(FIRST_TABLE, sizeof(*atoms->table));
	(void)vec_add(&atoms->entries); /* ATOM_NONE */
	return atoms;
}

void atoms_free(struct atoms *atoms)
{
	if (!atoms)
		return;
	for (size_t i = 0; i < atoms->entries.len; i++)
		mem_free(atoms->entries.ptr[i].text);
	vec_done(&atoms->entries);
	mem_free(atoms->table);
	mem_free(atoms);
}

static uint32_t hash_of(const struct atoms *atoms, struct str text)
{
	return (uint32_t)hash_str(text, atoms->seed);
}

static uint32_t find(const struct atoms *atoms, struct str text, uint32_t hash)
{
	uint32_t at = atoms->table[hash & (atoms->table_size - 1)];

	while (at) {
		const struct entry *e = &atoms->entries.ptr[at];

		if (e->hash == hash && str_eq(str_of(e->text, e->len), text))
			return at;
		at = e->next;
	}
	return ATOM_NONE;
}

static void chain(struct atoms *atoms, uint32_t atom)
{
	struct entry *e = &atoms->entries.ptr[atom];
	uint32_t *head = &atoms->table[e->hash & (atoms->table_size - 1)];

	e->next = *head;
	*head = atom;
}

static void grow(struct atoms *atoms)
{
	atoms->table_size *= 2;
	mem_free(atoms->table);
	atoms->table = mem_calloc(atoms->table_size, sizeof(*atoms->table));
	for (uint32_t i = 1; i < atoms->entries.len; i++)
		if (atoms->entries.ptr[i].uses)
			chain(atoms, i);
}

uint32_t atoms_take(struct atoms *atoms, struct str text)
{
	uint32_t hash, at;
	struct entry *e;

	if (text.len == 0)
		return ATOM_NONE;
	hash = hash_of(atoms, text);
	at = find(atoms, text, hash);
	if (at) {
		atoms->entries.ptr[at].uses++;
		return at;
	}
	if (atoms->free) {
		at = atoms->free;
		atoms->free = atoms->entries.ptr[at].next;
	} else {
		at = (uint32_t)atoms->entries.len;
		(void)vec_add(&atoms->entries);
	}
	e = &atoms->entries.ptr[at];
	*e = (struct entry){str_dup(text), (uint32_t)text.len, 1, hash, 0};
	atoms->text_bytes += text.len + 1;
	if (++atoms->live > atoms->table_size)
		grow(atoms); /* chains the new one as well */
	else
		chain(atoms, at);
	return at;
}

uint32_t atoms_ref(struct atoms *atoms, uint32_t atom)
{
	if (atom) {
		assert(atoms->entries.ptr[atom].uses);
		atoms->entries.ptr[atom].uses++;
	}
	return atom;
}

void atoms_drop(struct atoms *atoms, uint32_t atom)
{
	struct entry *e = &atoms->entries.ptr[atom];
	uint32_t *link;

	if (!atom)
		return;
	assert(e->uses);
	if (--e->uses)
		return;
	link = &atoms->table[e->hash & (atoms->table_size - 1)];
	while (*link != atom)
		link = &atoms->entries.ptr[*link].next;
	*link = e->next;
	atoms->text_bytes -= e->len + 1;
	mem_free(TAKE(e->text));
	e->len = 0;
	e->next = atoms->free;
	atoms->free = atom;
	atoms->live--;
}

uint32_t atoms_find(const struct atoms *atoms, struct str text)
{
	return text.len ? find(atoms, text, hash_of(atoms, text)) : ATOM_NONE;
}

struct str atoms_text(const struct atoms *atoms, uint32_t atom)
{
	const struct entry *e = &atoms->entries.ptr[atom];

	assert(atom < atoms->entries.len && (atom == ATOM_NONE || e->uses));
	return str_of(e->text ? e->text : "", e->len);
}

size_t atoms_len(const struct atoms *atoms)
{
	return atoms->live;
}

size_t atoms_bytes(const struct atoms *atoms)
{
	enum { PIECE = 16 }; /* what malloc adds to each text */

	return sizeof(*atoms) + atoms->entries.size * sizeof(*atoms->entries.ptr) +
	       atoms->table_size * sizeof(*atoms->table) + atoms->text_bytes + atoms->live * PIECE;
}
