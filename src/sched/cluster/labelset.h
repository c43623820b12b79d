/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/labelset.h - sets of labels as pairs of symbols, each set once.
 *
 * The pods of a job carry the same few labels; a set is shared by counting, and costs eight bytes a
 * label. Sets are sorted by the text of their keys, as struct labels is. */
#ifndef SCHED_LABELSET_H
#define SCHED_LABELSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "model/field/view.h"
#include "sched/cluster/symbols.h"

struct label_pair {
	uint32_t key;
	uint32_t value;
};
struct label_set {
	struct label *texts; /* of a set that is larger than LABELS_MAX */
	uint32_t refs;
	uint32_t len;
	struct label_pair at[];
};

struct label_sets;

/* `symbols` is lent. */
struct label_sets *label_sets_new(struct symbols *symbols) __attribute__((returns_nonnull));
void label_sets_free(struct label_sets *sets);
DEFINE_AUTO(struct label_sets *, label_sets_free);

/* Says which keys to take; NULL stands for all. */
typedef bool label_wanted_fn(void *arg, struct str key);

/* A set, counted; for an object {"a": "b"} of a document, or for the pairs of another set. Never
 * NULL. */
struct label_set *label_sets_take(struct label_sets *sets, struct json labels,
				  label_wanted_fn *wanted, void *arg);
struct label_set *label_sets_take_part(struct label_sets *sets, const struct label_set *of,
				       bool (*wanted)(void *arg, uint32_t key), void *arg);
void label_sets_drop(struct label_sets *sets, struct label_set *set);

bool label_set_has(const struct label_set *set, uint32_t key);
/* The value of a key (SYMBOL_NONE: not there, or empty). */
uint32_t label_set_get(const struct label_set *set, uint32_t key);

/* Most sets are no larger. */
enum { LABELS_MAX = 64 };
/* As texts, for selectors: in `space`, which holds LABELS_MAX entries, or where there are more (nodes whose
 * devices describe themselves) in the set. Lent as long as both are there; the texts belong to the symbols. */
struct labels label_set_view(const struct label_set *set, const struct symbols *symbols,
			     struct label space[LABELS_MAX]);

#endif
