/* SPDX-License-Identifier: Apache-2.0 */
/* client/denials.h - permissions that are missing, as the answers of the server show: one for each sort
 * of request that is denied, until one of that sort is permitted. Each is logged when it comes and when it
 * goes. */
#ifndef CLIENT_DENIALS_H
#define CLIENT_DENIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"

struct client_ask;
struct client_denial;
struct denials;
struct err;
struct log;
struct loop;

/* `log` may be NULL. */
struct denials *denials_new(struct loop *loop, struct log *log) __attribute__((returns_nonnull));
void denials_free(struct denials *denials);
DEFINE_AUTO(struct denials *, denials_free);

/* `err` is NULL for a success. */
void denials_answered(struct denials *denials, const struct client_ask *ask, const struct err *err);
/* See client_next_denial(). */
bool denials_next(const struct denials *denials, size_t *at, struct client_denial *ret);

#endif
