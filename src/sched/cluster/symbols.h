/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/symbols.h - each text once, under a small number, as long as it is in use.
 *
 * Names of namespaces, nodes, roles, queues, label keys and values come back over and over; the
 * model holds them as symbols, compares them as integers, and gives them back when an object goes,
 * so that a scheduler that has seen a million jobs holds no more than one that has seen ten. */
#ifndef SCHED_SYMBOLS_H
#define SCHED_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct symbols;

/* The symbol of the empty text; it is never counted. */
enum { SYMBOL_NONE = 0 };

struct symbols *symbols_new(uint64_t seed) __attribute__((returns_nonnull));
void symbols_free(struct symbols *symbols);
DEFINE_AUTO(struct symbols *, symbols_free);

/* The symbol of a text, made if it is new, with one use more; give it back with symbols_drop(). */
uint32_t symbols_take(struct symbols *symbols, struct str text);
/* One use more of a symbol that is in use. */
uint32_t symbols_ref(struct symbols *symbols, uint32_t symbol);
void symbols_drop(struct symbols *symbols, uint32_t symbol);
/* Without counting: the symbol, or SYMBOL_NONE if that text is not in use. */
uint32_t symbols_find(const struct symbols *symbols, struct str text);
/* Lent as long as the symbol is in use; NUL-terminated after its end. */
struct str symbols_text(const struct symbols *symbols, uint32_t symbol);
/* How many texts are in use. */
size_t symbols_len(const struct symbols *symbols);
/* Bytes of memory held, about. */
size_t symbols_bytes(const struct symbols *symbols);

#endif
