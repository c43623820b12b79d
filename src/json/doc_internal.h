/* SPDX-License-Identifier: Apache-2.0 */
/* json/doc_internal.h - shared by the files that implement doc.h; no other file includes it. */
#ifndef JSON_DOC_INTERNAL_H
#define JSON_DOC_INTERNAL_H

#include <stdalign.h>
#include <yyjson.h>

#include "json/doc.h"

struct json_doc {
	size_t refs;
	size_t bytes; /* allocated and not yet freed, but for what yyjson frees without a size */
	yyjson_doc *parsed;
	yyjson_mut_doc *built;
	struct json_pool *pool;
	size_t space_size;
	size_t space_used;
	alignas(max_align_t) char space[]; /* used before anything else is allocated */
};

/* How much of the space an allocation of this size takes. */
static inline size_t json_space(size_t size)
{
	return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

/* A document without content, whose memory comes from `pool` unless that is NULL. */
struct json_doc *json_doc_make(struct json_pool *pool) __attribute__((returns_nonnull));
/* Copies what yyjson has read into other memory to a new document. */
struct json_doc *json_doc_keep(const yyjson_doc *read) __attribute__((returns_nonnull));
/* The allocator that counts its memory in `doc`. */
yyjson_alc json_doc_alc(struct json_doc *doc);

static inline yyjson_val *json_parsed_val(struct json j)
{
	return (yyjson_val *)j.val;
}

static inline yyjson_mut_val *json_built_val(struct json j)
{
	return (yyjson_mut_val *)j.val;
}

static inline struct json json_of_parsed(const yyjson_val *val)
{
	return (struct json){val, false};
}

static inline struct json json_of_built(const yyjson_mut_val *val)
{
	return (struct json){val, val != NULL};
}

/* Both forms of value begin with the same tag and payload. */
static inline uint64_t json_tag(struct json j)
{
	return ((const yyjson_val *)j.val)->tag;
}

static inline yyjson_val_uni json_payload(struct json j)
{
	return j.built ? ((const yyjson_mut_val *)j.val)->uni : ((const yyjson_val *)j.val)->uni;
}

/* Changes without a look-up, for callers that already have the value (build.c). Replaces the
 * content of a member or element by that of a value that is in no container; `value` must not be
 * used after. */
void json_put_over(struct json old, struct json value);
/* Marks members as removed; the second function then removes all marked members of an object in one
 * pass. */
void json_mark_removed(struct json member);
void json_sweep(struct json object);
/* Removes all elements of an array, so that the caller can put them elsewhere one by one. */
struct json json_take_first(struct json array);

/* A deep copy without null members, at every depth (merge.c). */
struct json json_copy_without_nulls(struct json_doc *doc, struct json value);

/* Levels of containers under and including `j`: 0 for a scalar. Stops counting past `most`. */
size_t json_height(struct json j, size_t most);

#endif
