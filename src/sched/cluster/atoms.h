/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/atoms.h - each text once, under a small number, as long as somebody uses it.
 *
 * Names of namespaces, nodes, roles, queues, label keys and values come back over and over; the
 * model holds them as atoms, compares them as integers, and gives them back when an object goes,
 * so that a scheduler that has seen a million jobs holds no more than one that has seen ten. */
#ifndef SCHED_ATOMS_H
#define SCHED_ATOMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct atoms;

/* The atom of the empty text; it is never counted. */
enum { ATOM_NONE = 0 };

struct atoms *atoms_new(uint64_t seed) __attribute__((returns_nonnull));
void atoms_free(struct atoms *atoms);
DEFINE_AUTO(struct atoms *, atoms_free);

/* The atom of a text, made if it is new, with one use more; give it back with atoms_drop(). */
uint32_t atoms_take(struct atoms *atoms, struct str text);
/* One use more of an atom that is in use. */
uint32_t atoms_ref(struct atoms *atoms, uint32_t atom);
void atoms_drop(struct atoms *atoms, uint32_t atom);
/* Without counting: the atom, or ATOM_NONE if nobody uses that text. */
uint32_t atoms_find(const struct atoms *atoms, struct str text);
/* Lent as long as the atom is in use; NUL-terminated behind its end. */
struct str atoms_text(const struct atoms *atoms, uint32_t atom);
/* How many texts are in use. */
size_t atoms_len(const struct atoms *atoms);
/* Bytes of memory held, about. */
size_t atoms_bytes(const struct atoms *atoms);

#endif
