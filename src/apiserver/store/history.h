/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/history.h - the events of the last revisions, for watches that start in the past.
 *
 * Every revision is one event, so the event of a revision is found by counting. Old ones are
 * dropped when there are too many of them or they hold too many bytes. */
#ifndef APISERVER_HISTORY_H
#define APISERVER_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"

struct history;
struct store_event;

/* An empty history that starts after `revision`. At most `max_events`, at least 1, which together
 * hold at most `max_bytes` of objects. */
struct history *history_new(int64_t revision, size_t max_events, size_t max_bytes)
	__attribute__((returns_nonnull));
void history_free(struct history *history);
DEFINE_AUTO(struct history *, history_free);

/* The next event; takes references of its own. */
void history_add(struct history *history, const struct store_event *event);
/* Drop events up to `revision`, the oldest first, as long as they hold more than `max_bytes`. */
void history_trim(struct history *history, int64_t revision, size_t max_bytes);
/* The event of this revision, lent until the next history_add(); NULL when there is none (yet, or
 * any more). */
const struct store_event *history_find(const struct history *history, int64_t revision);

/* It is complete after this revision. */
int64_t history_compacted(const struct history *history);
size_t history_len(const struct history *history);
/* Bytes of the objects in it; an object of two events counts twice. Many are current versions,
 * which the store keeps in any case. */
size_t history_bytes(const struct history *history);
/* Asserts what must be true; for tests. */
void history_check(const struct history *history);

#endif
