/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/decoded.h - objects as documents, for readers in the same process: the last few that
 * were decoded are kept, so that an event that several of them watch is decoded once. Documents that are
 * not used are dropped within a minute, except for 1 MB. */
#ifndef APISERVER_DECODED_H
#define APISERVER_DECODED_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "json/doc.h"

struct decoded;
struct loop;
struct object;

/* The loop must outlive it. */
struct decoded *decoded_new(struct loop *loop) __attribute__((returns_nonnull));
/* Takes NULL. */
void decoded_free(struct decoded *decoded);
DEFINE_AUTO(struct decoded *, decoded_free);

/* The object's text as a document; one reference is the caller's. */
struct json_doc *decoded_get(struct decoded *decoded, struct object *object)
	__attribute__((returns_nonnull));
/* What is kept, at most LIMIT_DECODED_BYTES. */
size_t decoded_bytes(const struct decoded *decoded);
/* How often a text was parsed. */
uint64_t decoded_parses(const struct decoded *decoded);

#endif
